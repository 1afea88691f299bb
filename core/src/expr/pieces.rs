//! Expressions that are evaluated piece by piece.
use super::node::{AtHand, Made, Need, Produce};
use crate::{
    kind::{Arg, At, ByValue, Form, Kind, Part, Piece, PieceKind, Policy, Shape, Val, View},
    rule::{Rule, needs},
};
use std::marker::PhantomData;

/// A value as the pieces of it that can be had: read from memory, or computed.
///
/// What is wanted of it is known by type ([`Wanted`]), so that the loop over the pieces asks nothing.
pub trait Pieces<K: Kind>: Sized {
    /// Whether an adjoint flows into the node, in a sweep.
    const ACTIVE: bool;
    /// The piece of this value and those of the expression below it, at one place.
    type Values: Clone;
    /// The pieces of a block, as far as `N` wants them.
    fn within<N: Wanted>(&self, block: At) -> Self;
    /// Computes the pieces that `N` wants, `i` from the beginning.
    fn values<N: Wanted>(&self, i: usize) -> Self::Values;
    /// The piece itself; `None` if it is not wanted.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// The shape of the value, which is at hand.
    fn shape(&self) -> Shape<K>;
    /// A piece of a value that is being evaluated.
    #[inline(always)]
    fn at(&self, i: usize) -> Piece<K> {
        at_hand(Self::piece(&self.values::<Forward>(i)))
    }
}
/// What [`Wanted`] says is at hand.
#[inline(always)]
pub(crate) fn at_hand<V>(value: Option<V>) -> V {
    match value {
        Some(value) => value,
        None => unreachable!("a value that an adjoint reads is loaded"),
    }
}

/// What is wanted of a node.
pub trait Wanted {
    /// As in [`Stored::load`](super::Stored::load).
    const NEED: Need;
    /// The expression is being evaluated, which takes all values.
    const FORWARD: bool = false;
}
/// The value, of an expression that is being evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Forward;
impl Wanted for Forward {
    const NEED: Need = Need::Value;
    const FORWARD: bool = true;
}
/// What is wanted of argument `I` of an operation of which `N` is wanted; number 3 is the result.
struct Of<const I: usize, N, O, Kinds, Args>(PhantomData<(N, O, Kinds, Args)>);
impl<const I: usize, N, O, A, B, C, PA, PB, PC> Wanted for Of<I, N, O, (A, B, C), (PA, PB, PC)>
where
    N: Wanted,
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
        Need::Value
    } else {
        let active = [
            O::FLOWS[0] && PA::ACTIVE,
            O::FLOWS[1] && PB::ACTIVE,
            O::FLOWS[2] && PC::ACTIVE,
        ];
        needs(N::NEED, active, O::READS, O::SAVES_RESULT)[I]
    };
}

type OfA<N, O, A, B, C, PA, PB, PC> = Of<0, N, O, (A, B, C), (PA, PB, PC)>;
type OfB<N, O, A, B, C, PA, PB, PC> = Of<1, N, O, (A, B, C), (PA, PB, PC)>;
type OfC<N, O, A, B, C, PA, PB, PC> = Of<2, N, O, (A, B, C), (PA, PB, PC)>;
type OfR<N, O, A, B, C, PA, PB, PC> = Of<3, N, O, (A, B, C), (PA, PB, PC)>;
/// The pieces of a block of all arguments of an operation of which `N` is wanted.
#[inline(always)]
pub(super) fn arguments_within<N: Wanted, O, A: Kind, B: Kind, C: Kind, PA, PB, PC>(
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
/// The pieces of all arguments at one place, likewise.
#[inline(always)]
pub(super) fn argument_values<N: Wanted, O, A: Kind, B: Kind, C: Kind, PA, PB, PC>(
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
/// Whether a result of which `R` is wanted is read, as it is known.
#[inline(always)]
const fn reads_whole<R: Wanted, N: Wanted>() -> bool {
    R::NEED.value() && matches!(N::NEED, Need::Known)
}
/// Nothing.
struct Unwanted;
impl Wanted for Unwanted {
    const NEED: Need = Need::No;
}

/// Whether adjoints flow into something.
pub trait Activity {
    /// Whether they do.
    const ACTIVE: bool;
}
/// Something while it is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated;
impl Activity for Evaluated {
    const ACTIVE: bool = true;
}

/// The shape of a value as a rule receives it.
#[inline(always)]
pub(super) fn shape_of<K: Kind>(value: &Arg<'_, K>) -> Shape<K> {
    K::Form::shape(K::Policy::value(value))
}
/// Pieces of a value in memory.
pub struct Direct<'p, K: Kind, S = Evaluated> {
    view: View<'p, K>,
    _of: PhantomData<S>,
}
impl<'p, K: Kind, S> Direct<'p, K, S> {
    /// Pieces of `value`, if it is at hand.
    #[inline(always)]
    pub fn new(value: Option<Arg<'p, K>>) -> Self {
        Direct::of(K::Form::view(value))
    }
    /// Pieces of a part of `whole`, read where it stands.
    #[inline(always)]
    pub(super) fn within<O: Kind, P: Part<O, Kind = K>>(whole: Arg<'p, O>, part: &P) -> Self {
        Direct::of(part.view(whole))
    }
    #[inline(always)]
    fn of(view: View<'p, K>) -> Self {
        Direct {
            view,
            _of: PhantomData,
        }
    }
}
impl<K: Kind, S: Activity> Pieces<K> for Direct<'_, K, S> {
    const ACTIVE: bool = S::ACTIVE;
    type Values = Option<Piece<K>>;
    #[inline(always)]
    fn within<N: Wanted>(&self, block: At) -> Self {
        let view = if N::NEED.value() {
            K::Form::within(&self.view, block)
        } else {
            K::Form::view(None)
        };
        Direct::of(view)
    }
    #[inline(always)]
    fn values<N: Wanted>(&self, i: usize) -> Self::Values {
        if N::NEED.value() {
            Some(K::Form::piece(&self.view, i))
        } else {
            None
        }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<K>> {
        values.clone()
    }
    #[inline(always)]
    fn shape(&self) -> Shape<K> {
        K::Form::view_shape(&self.view)
    }
}

/// Pieces of what an operation gives: made of pieces of its arguments, or read from its whole result.
pub struct Fused<'p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, PA, PB, PC> {
    pub(super) op: &'p O,
    pub(super) args: Option<(PA, PB, PC)>,
    /// The result, where it is known, or was made as a whole.
    pub(super) whole: Direct<'p, O::Out>,
}
/// A piece of a result, and what it was made of.
#[derive(Clone)]
pub struct Values<A, B, C, R> {
    pub(super) args: Option<(A, B, C)>,
    pub(super) r: Option<R>,
}
impl<O, A, B, C, PA, PB, PC> Pieces<O::Out> for Fused<'_, O, A, B, C, PA, PB, PC>
where
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    const ACTIVE: bool =
        O::FLOWS[0] && PA::ACTIVE || O::FLOWS[1] && PB::ACTIVE || O::FLOWS[2] && PC::ACTIVE;
    type Values = Values<PA::Values, PB::Values, PC::Values, Piece<O::Out>>;
    #[inline(always)]
    fn within<N: Wanted>(&self, block: At) -> Self {
        let args = if O::PIECES {
            let args = at_hand(self.args.as_ref());
            Some(arguments_within::<N, O, A, B, C, _, _, _>(args, block))
        } else {
            None
        };
        let whole = if !O::PIECES {
            self.whole.within::<N>(block)
        } else if reads_whole::<OfR<N, O, A, B, C, PA, PB, PC>, N>() {
            self.whole.within::<Forward>(block)
        } else {
            self.whole.within::<Unwanted>(block)
        };
        Fused {
            op: self.op,
            args,
            whole,
        }
    }
    #[inline(always)]
    fn values<N: Wanted>(&self, i: usize) -> Self::Values {
        if !O::PIECES {
            let r = self.whole.values::<N>(i);
            return Values { args: None, r };
        }
        let args = at_hand(self.args.as_ref());
        let (a, b, c) = argument_values::<N, O, A, B, C, _, _, _>(args, i);
        let r = if !<OfR<N, O, A, B, C, PA, PB, PC> as Wanted>::NEED.value() {
            None
        } else if reads_whole::<OfR<N, O, A, B, C, PA, PB, PC>, N>() {
            self.whole.values::<Forward>(i)
        } else {
            let (x, y, z) = (PA::piece(&a), PB::piece(&b), PC::piece(&c));
            Some(self.op.piece(at_hand(x), at_hand(y), at_hand(z)))
        };
        let args = Some((a, b, c));
        Values { args, r }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<O::Out>> {
        values.r.clone()
    }
    fn shape(&self) -> Shape<O::Out> {
        if !O::PIECES {
            return self.whole.shape();
        }
        let (a, b, c) = at_hand(self.args.as_ref());
        self.op.begin(a.shape(), b.shape(), c.shape()).0
    }
}

/// The result of an operation whose kind is evaluated by pieces: it was made as a whole, or is to be made of pieces.
pub struct Applied<'n, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind, VA, VB, VC> {
    op: &'n O,
    /// In a box, as expressions move while they grow.
    made: Option<Box<Made<O::Out>>>,
    args: Option<(VA, VB, VC)>,
    shape: Shape<O::Out>,
}
impl<'n, O, A, B, C, VA, VB, VC> Applied<'n, O, A, B, C, VA, VB, VC>
where
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    /// Applies an operation, or checks the shapes of what it will be applied to.
    #[track_caller]
    #[inline(always)]
    pub(crate) fn new(op: &'n O, a: VA, b: VB, c: VC) -> (Self, O::Saved) {
        let (made, args, shape, saved);
        if O::PIECES {
            (shape, saved) = op.begin(a.shape(), b.shape(), c.shape());
            (made, args) = (None, Some((a, b, c)));
        } else {
            let (r, s) = ByValue::apply(op, a, b, c);
            (shape, saved) = (r.shape(), s);
            (made, args) = (Some(Box::new(r)), None);
        }
        let applied = Applied {
            op,
            made,
            args,
            shape,
        };
        (applied, saved)
    }
}
impl<O, A, B, C, VA, VB, VC> Produce<O::Out> for Applied<'_, O, A, B, C, VA, VB, VC>
where
    O: Rule<A, B, C, Out: PieceKind>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    type Ready = Made<O::Out>;
    #[inline(always)]
    fn ready(self) -> Made<O::Out> {
        match O::PIECES {
            true => Made(<O::Out as PieceKind>::collect(self.shape, &self.pieces())),
            false => *at_hand(self.made),
        }
    }
    #[inline(always)]
    fn shape(&self) -> Shape<O::Out> {
        self.shape
    }
    #[inline(always)]
    #[track_caller]
    fn put<W: Kind, P: Part<W, Kind = O::Out>>(self, part: &P, whole: &mut Val<W>) {
        if O::PIECES && P::PIECES {
            part.put_pieces(whole, self.shape, &self.pieces());
        } else {
            part.put(whole, self.ready().own());
        }
    }
    type Pieces<'p>
        = Fused<'p, O, A, B, C, VA::Pieces<'p>, VB::Pieces<'p>, VC::Pieces<'p>>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> Self::Pieces<'_> {
        let args = self.args.as_ref().map(
            #[inline(always)]
            |(a, b, c)| (a.pieces(), b.pieces(), c.pieces()),
        );
        Fused {
            op: self.op,
            args,
            whole: Direct::new(self.made.as_ref().map(|made| made.arg())),
        }
    }
}
