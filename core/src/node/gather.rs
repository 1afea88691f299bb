//! Pieces of stored nodes that are evaluated as a whole.
use super::{Activity, Direct, Stored, StoredPieces, ValuesOf};
use crate::{
    kind::{Adjoint, At, Kind, Layout, Passed, Piece, PieceBlock, Shape},
    sweep::{Slots, Sweep},
};
use std::marker::PhantomData;

/// The activity of a stored node.
#[derive(Clone, Copy, Debug)]
pub struct StoredActivity<S>(PhantomData<S>);
impl<S: Stored> Activity for StoredActivity<S> {
    const ACTIVE: bool = S::ACTIVE;
}

/// Gathers the adjoint of a node that is evaluated as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Gather;
impl<S: Stored> StoredPieces<S> for Gather {
    type Source<'s>
        = Direct<'s, S::Kind, StoredActivity<S>>
    where
        S: 's;
    type Sums = Option<<S::Kind as Kind>::Adjoint>;
    type Blocks = PieceBlock<S::Kind>;
    #[inline(always)]
    fn source<'s>(node: &'s S, _: &'s impl Slots) -> Self::Source<'s> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, _: &mut impl Sweep) {
        if node.is_active() {
            let sums = sums.get_or_insert_with(<S::Kind as Kind>::Adjoint::unset);
            <S::Kind as Kind>::Layout::open(sums, shape);
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s S,
        i: usize,
        _: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        block: &mut Self::Blocks,
    ) {
        <S::Kind as Kind>::Layout::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &S,
        at: At,
        block: &mut Self::Blocks,
        sums: &mut Self::Sums,
        _: &mut impl Sweep,
    ) {
        if node.is_active() {
            let sums = sums.get_or_insert_with(<S::Kind as Kind>::Adjoint::unset);
            <S::Kind as Kind>::Layout::add_block(sums, at, block);
        }
    }
    #[inline(always)]
    fn close(node: &S, sums: Self::Sums, sweep: &mut impl Sweep) {
        if node.is_active()
            && let Some(sum) = sums.filter(|sum| !sum.is_unset())
            && let Some(sum) = sum.into_value()
        {
            node.pull(Passed(sum), sweep);
        }
    }
}
