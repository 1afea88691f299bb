//! Elementwise operations, evaluated together by piece.
use super::replay::Replay;
use crate::{
    kind::{AllNeeded, At, Kind, Layout, Need, Needed, Piece, Pieces, Shape, Val, loaded},
    node::{Direct, OwnedValue, Produce, Stored},
    rule::{Evaluation, PieceRule, Rule, Saved, needs},
    store::Part,
};
use std::marker::PhantomData;

/// A tree of operations with a [`PieceRule`] is one loop over the pieces of its [layout](crate::kind::Layout).
#[derive(Clone, Copy, Debug)]
pub struct ByPieces;
impl crate::sealed::Sealed for ByPieces {}
impl<O: PieceRule<A, B, C>, A: Kind, B: Kind, C: Kind> Evaluation<O, A, B, C> for ByPieces {
    type Value<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n> =
        Applied<'n, O, A, B, C, VA, VB, VC>;
    #[inline(always)]
    fn apply<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, VA, VB, VC>, O::Saved) {
        let (shape, saved) = op.begin(a.shape(), b.shape(), c.shape());
        let args = (a, b, c);
        (Applied { op, args, shape }, saved)
    }
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>> =
        Replay<O, SA, SB, SC, ByPieces>;
}

/// The need for argument `I`, or for the result if 3.
struct WantedOf<const I: usize, N, O, Kinds, Args>(PhantomData<(N, O, Kinds, Args)>);
impl<const I: usize, N, O, A, B, C, PA, PB, PC> Needed
    for WantedOf<I, N, O, (A, B, C), (PA, PB, PC)>
where
    N: Needed,
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    const FORWARD: bool = N::FORWARD;
    const NEED: Need = if N::FORWARD {
        Need::Recompute
    } else {
        let active = [
            O::FLOWS[0] && PA::ACTIVE,
            O::FLOWS[1] && PB::ACTIVE,
            O::FLOWS[2] && PC::ACTIVE,
        ];
        needs(N::NEED, active, O::READS, O::Saved::RESULT)[I]
    };
}

type OfA<N, O, A, B, C, PA, PB, PC> = WantedOf<0, N, O, (A, B, C), (PA, PB, PC)>;
type OfB<N, O, A, B, C, PA, PB, PC> = WantedOf<1, N, O, (A, B, C), (PA, PB, PC)>;
type OfC<N, O, A, B, C, PA, PB, PC> = WantedOf<2, N, O, (A, B, C), (PA, PB, PC)>;
type OfR<N, O, A, B, C, PA, PB, PC> = WantedOf<3, N, O, (A, B, C), (PA, PB, PC)>;
#[inline(always)]
pub(super) fn arguments_within<N: Needed, O, A: Kind, B: Kind, C: Kind, PA, PB, PC>(
    (a, b, c): &(PA, PB, PC),
    block: At,
) -> (PA, PB, PC)
where
    O: Rule<A, B, C>,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    (
        a.within::<OfA<N, O, A, B, C, PA, PB, PC>>(block),
        b.within::<OfB<N, O, A, B, C, PA, PB, PC>>(block),
        c.within::<OfC<N, O, A, B, C, PA, PB, PC>>(block),
    )
}
#[inline(always)]
pub(super) fn argument_values<N: Needed, O, A: Kind, B: Kind, C: Kind, PA, PB, PC>(
    (a, b, c): &(PA, PB, PC),
    i: usize,
) -> (PA::Values, PB::Values, PC::Values)
where
    O: Rule<A, B, C>,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    (
        a.values::<OfA<N, O, A, B, C, PA, PB, PC>>(i),
        b.values::<OfB<N, O, A, B, C, PA, PB, PC>>(i),
        c.values::<OfC<N, O, A, B, C, PA, PB, PC>>(i),
    )
}
#[inline(always)]
const fn reads_whole<R: Needed, N: Needed>() -> bool {
    R::NEED.value() && matches!(N::NEED, Need::InSlot)
}
pub struct Fused<'p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, PA, PB, PC> {
    pub(super) op: &'p O,
    pub(super) args: (PA, PB, PC),
    pub(super) whole: Direct<'p, O::Out>,
}
debug_by_name! { ['p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, PA, PB, PC] Fused<'p, O, A, B, C, PA, PB, PC> }
#[derive(Clone, Debug)]
pub struct PieceValues<A, B, C, R> {
    pub(super) args: (A, B, C),
    pub(super) r: Option<R>,
}
impl<O, A, B, C, PA, PB, PC> Pieces<O::Out> for Fused<'_, O, A, B, C, PA, PB, PC>
where
    O: PieceRule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    const ACTIVE: bool =
        O::FLOWS[0] && PA::ACTIVE || O::FLOWS[1] && PB::ACTIVE || O::FLOWS[2] && PC::ACTIVE;
    type Values = PieceValues<PA::Values, PB::Values, PC::Values, Piece<O::Out>>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        let whole = if reads_whole::<OfR<N, O, A, B, C, PA, PB, PC>, N>() {
            self.whole.within::<AllNeeded>(block)
        } else {
            Direct::new(None)
        };
        Fused {
            op: self.op,
            args: arguments_within::<N, O, A, B, C, _, _, _>(&self.args, block),
            whole,
        }
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Self::Values {
        let (a, b, c) = argument_values::<N, O, A, B, C, _, _, _>(&self.args, i);
        let r = if !<OfR<N, O, A, B, C, PA, PB, PC> as Needed>::NEED.value() {
            None
        } else if reads_whole::<OfR<N, O, A, B, C, PA, PB, PC>, N>() {
            self.whole.values::<AllNeeded>(i)
        } else {
            let (x, y, z) = (PA::piece(&a), PB::piece(&b), PC::piece(&c));
            Some(self.op.piece(loaded(x), loaded(y), loaded(z)))
        };
        let args = (a, b, c);
        PieceValues { args, r }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<O::Out>> {
        values.r.clone()
    }
    #[inline(always)]
    fn shape(&self) -> Shape<O::Out> {
        let (a, b, c) = &self.args;
        self.op.begin(a.shape(), b.shape(), c.shape()).0
    }
}

pub struct Applied<'n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC> {
    op: &'n O,
    args: (VA, VB, VC),
    shape: Shape<O::Out>,
}
debug_by_name! { ['n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC] Applied<'n, O, A, B, C, VA, VB, VC> }
impl<O, A, B, C, VA, VB, VC> Produce<O::Out> for Applied<'_, O, A, B, C, VA, VB, VC>
where
    O: PieceRule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    type Ready = OwnedValue<O::Out>;
    #[inline(always)]
    fn ready(self) -> OwnedValue<O::Out> {
        OwnedValue(<O::Out as Kind>::Layout::collect(
            self.shape,
            &self.pieces(),
        ))
    }
    #[inline(always)]
    fn shape(&self) -> Shape<O::Out> {
        self.shape
    }
    #[inline(always)]
    #[track_caller]
    fn put<W: Kind, P: Part<W, Kind = O::Out>>(self, part: &P, whole: &mut Val<W>) {
        if P::PIECES {
            part.put_pieces(whole, self.shape, &self.pieces());
        } else {
            part.put(whole, self.ready().0);
        }
    }
    type Pieces<'p>
        = Fused<'p, O, A, B, C, VA::Pieces<'p>, VB::Pieces<'p>, VC::Pieces<'p>>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> Self::Pieces<'_> {
        let (a, b, c) = &self.args;
        Fused {
            op: self.op,
            args: (a.pieces(), b.pieces(), c.pieces()),
            whole: Direct::new(None),
        }
    }
}
