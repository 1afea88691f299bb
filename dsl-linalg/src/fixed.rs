//! Blocks of sizes known at compile time, without allocation.
use crate::{
    Block, Blocks, Dense, Number, Sizes, Within,
    destination::PutTerms as _,
    places::{BlockExpr, BlockPlace},
    shapes,
};
use entape_core::{
    expr::{Operand, Unary, unary},
    mode::AnyMode,
    op,
};
use nalgebra::{Const, DefaultAllocator, Dim, OMatrix};
use std::marker::PhantomData;

/// Returns a block. A size that is not fixed is the matrix's.
///
/// # Panics
/// On evaluation, if out of range.
#[op(
    rule_only, linear, marks, save(of: (usize, usize) = a),
    into(to = {
        let shape = (R2::try_to_usize().unwrap_or(a.0), C2::try_to_usize().unwrap_or(a.1));
        shapes::within("a.fixed_view(..)", a, start, shape)
    }),
)]
pub fn fixed_block<T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim>(
    #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
        let mut block = x.generic_view_mut(start, r_b.shape_generic());
        block += r_b;
    }))]
    a: &Dense<T, R, C>,
    #[ad_passive] start: (usize, usize),
) -> &Dense<T, R2, C2>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
{
    to.block(a, start);
}

impl<R2: Dim, C2: Dim> FixedBlock<R2, C2> {
    fn at(start: (usize, usize)) -> Self {
        FixedBlock {
            start,
            of: PhantomData,
        }
    }
}

/// Blocks of fixed sizes, as operands. They panic on evaluation if out of range.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, matrix};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0]);
/// let y = tape.record(|| {
///     let b: FixedMatrix<2, 2> = a.fixed_view::<2, 2>(0, 1).eval();
///     (b * b).trace().eval()
/// });
/// assert_eq!(y.value(), 2.0 * 2.0 + 2.0 * 3.0 * 5.0 + 6.0 * 6.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![0.0, 4.0, 10.0; 0.0, 6.0, 12.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait FixedOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the block with `H` rows and `W` columns at row `i` and column `j`.
    fn fixed_view<const H: usize, const W: usize>(
        self,
        i: usize,
        j: usize,
    ) -> Unary<FixedBlock<Const<H>, Const<W>>, M, Self> {
        unary(FixedBlock::at((i, j)), self)
    }
    /// Returns `N` rows from row `first`.
    fn fixed_rows<const N: usize>(self, first: usize) -> Unary<FixedBlock<Const<N>, C>, M, Self>
    where
        DefaultAllocator: Sizes<Const<N>, C>,
    {
        unary(FixedBlock::at((first, 0)), self)
    }
    /// Returns `N` columns from column `first`.
    fn fixed_columns<const N: usize>(self, first: usize) -> Unary<FixedBlock<R, Const<N>>, M, Self>
    where
        DefaultAllocator: Sizes<R, Const<N>>,
    {
        unary(FixedBlock::at((0, first)), self)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>>
    FixedOps<M, T, R, C> for X
where
    DefaultAllocator: Sizes<R, C>,
{
}

/// Blocks of fixed sizes of a variable, see [`Blocks`]. They panic if out of range.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{DMatrix, matrix};
///
/// let mut tape = Tape::new();
/// let b = tape.input(matrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| {
///     let mut m = Matrix::passive(DMatrix::zeros(3, 3));
///     m.fixed_view_mut::<2, 2>(1, 1).assign(b * b);
///     let last = m.fixed_view_at::<1, 3>(2, 0);
///     m.fixed_view_mut::<1, 3>(0, 0).assign(last); // [0, 15, 22]
///     m.at((0, 2)).eval()
/// });
/// assert_eq!(y, 22.0); // 3 * 2 + 4 * 4
/// assert_eq!(tape.gradient(&y)?.wrt(&b)?, matrix![0.0, 3.0; 2.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait FixedBlocks<T: Number, R: Dim, C: Dim, M: AnyMode>: Blocks<T, R, C, M>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the block with `H` rows and `W` columns at row `i` and column `j`.
    #[track_caller]
    fn fixed_view_mut<const H: usize, const W: usize>(
        &mut self,
        i: usize,
        j: usize,
    ) -> BlockPlace<'_, Self, T, R, C, M, Const<H>, Const<W>> {
        let of = self.shape_of();
        self.place(Block::new(of, (i, j), (H, W)))
    }
    /// Returns `N` rows from row `first`.
    #[track_caller]
    fn fixed_rows_mut<const N: usize>(
        &mut self,
        first: usize,
    ) -> BlockPlace<'_, Self, T, R, C, M, Const<N>, C>
    where
        DefaultAllocator: Sizes<Const<N>, C>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (first, 0), (N, of.1)))
    }
    /// Returns `N` columns from column `first`.
    #[track_caller]
    fn fixed_columns_mut<const N: usize>(
        &mut self,
        first: usize,
    ) -> BlockPlace<'_, Self, T, R, C, M, R, Const<N>>
    where
        DefaultAllocator: Sizes<R, Const<N>>,
    {
        let of = self.shape_of();
        self.place(Block::new(of, (0, first), (of.0, N)))
    }
    /// Returns a block as an operand that does not borrow the variable.
    #[track_caller]
    fn fixed_view_at<const H: usize, const W: usize>(
        &self,
        i: usize,
        j: usize,
    ) -> BlockExpr<Self, T, R, C, M, Const<H>, Const<W>> {
        let of = self.shape_of();
        self.part_at(Block::new(of, (i, j), (H, W)))
    }
}
impl<T: Number, R: Dim, C: Dim, M: AnyMode, X: Blocks<T, R, C, M>> FixedBlocks<T, R, C, M> for X where
    DefaultAllocator: Sizes<R, C>
{
}
