//! The sweep of elementwise operations by piece.
use super::{
    pieces::{ByPieces, Fused},
    replay::{Backward, Replay},
    sweep_arguments::{PerArgument, fresh},
};
use crate::{
    kind::{
        AllNeeded, Arg, At, Contribution, Kind, Layout, Need, Needed, Piece, PieceLoop, Pieces,
        Policy, Shape, TapeCell, TapeValue, Val, arg, blocks,
    },
    node::{BlocksOf, Direct, SourceOf, Stored, StoredPieces, SumsOf, ValuesOf},
    rule::PieceRule,
    sweep::{NoSlots, Slots, Sweep},
};
use std::{cell::OnceCell, marker::PhantomData};

impl<O, A: Stored, B: Stored, C: Stored> Backward<O, A, B, C> for ByPieces
where
    O: PieceRule<A::Kind, B::Kind, C::Kind>,
{
    type Pieces = OfOperation;
    const IN_PLACE: [bool; 2] = [false, true];
    const SHARES_SHAPE: bool = true;
    type Late = OnceCell<TapeValue<O::Out>>;
    #[inline(always)]
    fn again(_: &O, _: &A, _: &B, _: &C, _: &impl Slots) -> Option<Val<O::Out>> {
        None
    }
    fn value(node: &Replay<O, A, B, C, Self>) -> Option<Arg<'_, O::Out>> {
        node.result().or_else(|| {
            let whole = node.read.then(|| {
                node.late.get_or_init(|| {
                    let source = OfOperation::source(node, &NoSlots);
                    TapeCell::new(<O::Out as Kind>::Layout::collect(source.shape(), &source))
                })
            });
            whole.map(|whole| arg::<O::Out>(whole.peek()))
        })
    }
    #[inline]
    fn pull<Co: Contribution<O::Out>>(
        node: &Replay<O, A, B, C, Self>,
        contribution: Co,
        sweep: &mut impl Sweep,
    ) {
        contribution.hand_to(|r_b| {
            node.check_shape::<Co>(&r_b);
            let r_b = r_b.get();
            // Only the root's result is known.
            match (node.result().is_some(), node.read) {
                (true, _) => Backwards::<_, Root, _>::run(node, r_b, sweep),
                (false, true) => Backwards::<_, Read, _>::run(node, r_b, sweep),
                (false, false) => Backwards::<_, Unread, _>::run(node, r_b, sweep),
            }
        });
    }
}

macro_rules! needed { ($($Name:ident $Need:ident)*) => { $(
    pub(super) struct $Name;
    impl Needed for $Name {
        const NEED: Need = Need::$Need;
    }
)* } }
needed! { Root InSlot Read Recompute Unread Unused }

struct Backwards<'s, 'm, S: Stored, N, W> {
    node: &'s S,
    shape: Shape<S::Kind>,
    r_b: Arg<'s, S::Kind>,
    gathered: &'m mut BlocksOf<S>,
    sums: &'m mut SumsOf<S>,
    sweep: &'m mut W,
    _of: PhantomData<N>,
}
impl<'s, S: Stored, N: Needed, W: Sweep> Backwards<'s, '_, S, N, W> {
    fn run(node: &'s S, r_b: Arg<'s, S::Kind>, sweep: &mut W) {
        let shape = <S::Kind as Kind>::Layout::shape(<S::Kind as Kind>::Policy::value(&r_b));
        let mut sums = SumsOf::<S>::default();
        S::Pieces::open(node, shape, &mut sums, sweep);
        let mut gathered = sweep.take_scratch::<BlocksOf<S>>();
        <S::Kind as Kind>::Layout::run(Backwards {
            node,
            shape,
            r_b,
            gathered: &mut gathered,
            sums: &mut sums,
            sweep,
            _of: PhantomData::<N>,
        });
        sweep.return_scratch(gathered);
        S::Pieces::close(node, sums, sweep);
    }
}
impl<'s, S: Stored, N: Needed, W: Sweep> PieceLoop for Backwards<'s, '_, S, N, W> {
    #[inline(always)]
    fn run(self) {
        let Backwards {
            node,
            shape,
            r_b,
            gathered,
            sums,
            sweep,
            ..
        } = self;
        let r_b = Direct::<S::Kind>::new(Some(r_b));
        blocks(
            <S::Kind as Kind>::Layout::count(shape),
            #[inline(always)]
            |at| {
                pull_block::<S, N>(
                    node,
                    &S::Pieces::source(node, sweep).within::<N>(at),
                    &r_b.within::<AllNeeded>(at),
                    at,
                    gathered,
                );
                S::Pieces::finish(node, at, gathered, sums, sweep);
            },
        );
    }
}
/// Unique references are not aliased.
#[inline(always)]
fn pull_block<'s, S: Stored, N: Needed>(
    node: &'s S,
    source: &SourceOf<'s, S>,
    r_b: &Direct<'_, S::Kind>,
    at: At,
    gathered: &mut BlocksOf<S>,
) {
    for i in 0..at.length {
        let values = source.values::<N>(i);
        S::Pieces::pull(node, i, &values, r_b.at(i), gathered);
    }
}

#[derive(Clone, Copy, Debug)]
pub struct OfOperation;
impl<O, A: Stored, B: Stored, C: Stored> StoredPieces<Replay<O, A, B, C, ByPieces>> for OfOperation
where
    O: PieceRule<A::Kind, B::Kind, C::Kind>,
{
    type Source<'s>
        = Fused<'s, O, A::Kind, B::Kind, C::Kind, SourceOf<'s, A>, SourceOf<'s, B>, SourceOf<'s, C>>
    where
        A: 's,
        B: 's,
        C: 's;
    type Sums = PerArgument<SumsOf<A>, SumsOf<B>, SumsOf<C>>;
    type Blocks = PerArgument<BlocksOf<A>, BlocksOf<B>, BlocksOf<C>>;
    const FRESH: bool = fresh::<A, B, C>();
    #[inline(always)]
    fn source<'s>(
        node: &'s Replay<O, A, B, C, ByPieces>,
        slots: &'s impl Slots,
    ) -> Self::Source<'s> {
        Fused {
            op: &node.op,
            args: node.sources(slots),
            whole: Direct::new(node.result()),
        }
    }
    #[inline(always)]
    fn open(
        node: &Replay<O, A, B, C, ByPieces>,
        shape: Shape<O::Out>,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    ) {
        node.open_arguments(node.op.spread(shape), sums, sweep);
    }
    #[inline(always)]
    fn pull<'s>(
        node: &'s Replay<O, A, B, C, ByPieces>,
        i: usize,
        values: &ValuesOf<'s, Replay<O, A, B, C, ByPieces>>,
        r_b: Piece<O::Out>,
        blocks: &mut Self::Blocks,
    ) {
        node.pull_arguments(i, &values.args, values.r.clone(), r_b, blocks);
    }
    #[inline(always)]
    fn finish(
        node: &Replay<O, A, B, C, ByPieces>,
        at: At,
        blocks: &mut Self::Blocks,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    ) {
        node.finish_arguments(at, blocks, sums, sweep);
    }
    #[inline(always)]
    fn close(node: &Replay<O, A, B, C, ByPieces>, sums: Self::Sums, sweep: &mut impl Sweep) {
        node.close_arguments(sums, sweep);
    }
}
