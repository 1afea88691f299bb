//! The arguments of an operation that is swept piece by piece.
use super::replay::{Backward, Replay};
use crate::{
    kind::{At, Kind, Layout, Piece, Pieces},
    node::{BlocksOf, SourceOf, Stored, StoredPieces, SumsOf, ValuesOf},
    rule::{PiecePrimals, PieceSinks, PullPieces, Shapes},
    sweep::{Slots, Sweep},
};

#[derive(Debug, Default)]
pub struct PerArgument<A, B, C> {
    a: A,
    b: B,
    c: C,
}
type SumsIn<A, B, C> = PerArgument<SumsOf<A>, SumsOf<B>, SumsOf<C>>;
pub(super) type BlocksIn<A, B, C> = PerArgument<BlocksOf<A>, BlocksOf<B>, BlocksOf<C>>;

pub(super) const fn fresh<A: Stored, B: Stored, C: Stored>() -> bool {
    A::Pieces::FRESH && B::Pieces::FRESH && C::Pieces::FRESH
}

struct BlockSinks<'x, 's, O, A: Stored, B: Stored, C: Stored, E>
where
    O: PullPieces<A::Kind, B::Kind, C::Kind>,
    E: Backward<O, A, B, C>,
{
    node: &'s Replay<O, A, B, C, E>,
    i: usize,
    values: &'x (ValuesOf<'s, A>, ValuesOf<'s, B>, ValuesOf<'s, C>),
    blocks: &'x mut BlocksIn<A, B, C>,
}
impl<O, A: Stored, B: Stored, C: Stored, E> BlockSinks<'_, '_, O, A, B, C, E>
where
    O: PullPieces<A::Kind, B::Kind, C::Kind>,
    E: Backward<O, A, B, C>,
{
    #[inline(always)]
    fn piece<K: Kind>(x_b: Piece<K>) -> Piece<K> {
        match E::COMPUTES {
            true => K::Layout::computed(x_b),
            false => x_b,
        }
    }
}
impl<O, A: Stored, B: Stored, C: Stored, E> PieceSinks<A::Kind, B::Kind, C::Kind>
    for BlockSinks<'_, '_, O, A, B, C, E>
where
    O: PullPieces<A::Kind, B::Kind, C::Kind>,
    E: Backward<O, A, B, C>,
{
    #[inline(always)]
    fn a(&mut self, x_b: impl FnOnce() -> Piece<A::Kind>) {
        if O::FLOWS[0] && A::ACTIVE {
            let (x, x_b) = (&self.values.0, Self::piece::<A::Kind>(x_b()));
            A::Pieces::pull(&self.node.a, self.i, x, x_b, &mut self.blocks.a);
        }
    }
    #[inline(always)]
    fn b(&mut self, x_b: impl FnOnce() -> Piece<B::Kind>) {
        if O::FLOWS[1] && B::ACTIVE {
            let (x, x_b) = (&self.values.1, Self::piece::<B::Kind>(x_b()));
            B::Pieces::pull(&self.node.b, self.i, x, x_b, &mut self.blocks.b);
        }
    }
    #[inline(always)]
    fn c(&mut self, x_b: impl FnOnce() -> Piece<C::Kind>) {
        if O::FLOWS[2] && C::ACTIVE {
            let (x, x_b) = (&self.values.2, Self::piece::<C::Kind>(x_b()));
            C::Pieces::pull(&self.node.c, self.i, x, x_b, &mut self.blocks.c);
        }
    }
}

impl<O, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    O: PullPieces<A::Kind, B::Kind, C::Kind>,
    E: Backward<O, A, B, C>,
{
    #[inline(always)]
    pub(super) fn sources<'s>(
        &'s self,
        slots: &'s impl Slots,
    ) -> (SourceOf<'s, A>, SourceOf<'s, B>, SourceOf<'s, C>) {
        (
            A::Pieces::source(&self.a, slots),
            B::Pieces::source(&self.b, slots),
            C::Pieces::source(&self.c, slots),
        )
    }
    #[inline(always)]
    pub(super) fn open_arguments(
        &self,
        (x, y, z): Shapes<A::Kind, B::Kind, C::Kind>,
        sums: &mut SumsIn<A, B, C>,
        sweep: &mut impl Sweep,
    ) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::open(&self.a, x, &mut sums.a, sweep);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::open(&self.b, y, &mut sums.b, sweep);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::open(&self.c, z, &mut sums.c, sweep);
        }
    }
    #[inline(always)]
    pub(super) fn pull_arguments<'s>(
        &'s self,
        i: usize,
        values: &(ValuesOf<'s, A>, ValuesOf<'s, B>, ValuesOf<'s, C>),
        r: Option<Piece<O::Out>>,
        r_b: Piece<O::Out>,
        blocks: &mut BlocksIn<A, B, C>,
    ) {
        let primals = PiecePrimals::<A::Kind, B::Kind, C::Kind, O::Out> {
            a: SourceOf::<A>::piece(&values.0),
            b: SourceOf::<B>::piece(&values.1),
            c: SourceOf::<C>::piece(&values.2),
            r,
        };
        let mut sinks = BlockSinks {
            node: self,
            i,
            values,
            blocks,
        };
        self.op.pull(&primals, r_b, &mut sinks);
    }
    #[inline(always)]
    pub(super) fn finish_arguments(
        &self,
        at: At,
        blocks: &mut BlocksIn<A, B, C>,
        sums: &mut SumsIn<A, B, C>,
        sweep: &mut impl Sweep,
    ) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::finish(&self.a, at, &mut blocks.a, &mut sums.a, sweep);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::finish(&self.b, at, &mut blocks.b, &mut sums.b, sweep);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::finish(&self.c, at, &mut blocks.c, &mut sums.c, sweep);
        }
    }
    #[inline(always)]
    pub(super) fn close_arguments(&self, sums: SumsIn<A, B, C>, sweep: &mut impl Sweep) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::close(&self.a, sums.a, sweep);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::close(&self.b, sums.b, sweep);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::close(&self.c, sums.c, sweep);
        }
    }
}
