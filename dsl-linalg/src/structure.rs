#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, Sizes, TimesConjugate, Within,
    destination::PutTerms,
    memory::{by_elements, filled, fresh, map, unset, zeros},
    shapes,
};
use entape_core::{
    kind::{Items, Kind, List, index},
    op, operations,
};
use nalgebra::{DefaultAllocator, Dim, DimAdd, DimSum, Dyn, OMatrix, U1};

fn add_each<'x, 'y, T: Number>(x: impl Iterator<Item = &'x mut T>, y: impl Iterator<Item = &'y T>) {
    x.zip(y).for_each(|(x, y)| *x += *y);
}
fn add_by<T: Number, R: Dim, C: Dim>(x: &mut OMatrix<T, R, C>, of: impl Fn(usize, usize) -> T)
where
    DefaultAllocator: Sizes<R, C>,
{
    let rows = x.nrows().max(1);
    for (j, column) in x.as_mut_slice().chunks_exact_mut(rows).enumerate() {
        let each = column.iter_mut().enumerate();
        each.for_each(|(i, x)| *x += of(i, j));
    }
}

fn beside<T: Number, R: Dim, C: DimAdd<D>, D: Dim>(
    a: &OMatrix<T, R, C>,
    b: &OMatrix<T, R, D>,
) -> OMatrix<T, R, DimSum<C, D>>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, D> + Sizes<R, DimSum<C, D>>,
{
    let mut r: OMatrix<T, R, DimSum<C, D>> = fresh(a.nrows(), a.ncols() + b.ncols());
    let (left, right) = r.as_mut_slice().split_at_mut(a.len());
    left.copy_from_slice(a.as_slice());
    right.copy_from_slice(b.as_slice());
    r
}
fn above<T: Number, R: DimAdd<D>, C: Dim, D: Dim>(
    a: &OMatrix<T, R, C>,
    b: &OMatrix<T, D, C>,
) -> OMatrix<T, DimSum<R, D>, C>
where
    DefaultAllocator: Sizes<R, C> + Sizes<D, C> + Sizes<DimSum<R, D>, C>,
{
    let mut r: OMatrix<T, DimSum<R, D>, C> = fresh(a.nrows() + b.nrows(), a.ncols());
    let mut above = r.rows_mut(0, a.nrows());
    above.iter_mut().zip(a).for_each(|(to, &x)| *to = x);
    let mut below = r.rows_mut(a.nrows(), b.nrows());
    below.iter_mut().zip(b).for_each(|(to, &x)| *to = x);
    r
}
/// The shape of the first matrix, and the columns or rows of the second one.
type Stacked = (u32, u32, u32);
fn stacked((m, n): (usize, usize), d: usize) -> Stacked {
    let kept = |n| u32::try_from(n).expect("a matrix has fewer than 2^32 rows and columns");
    (kept(m), kept(n), kept(d))
}
fn sizes((m, n, d): Stacked) -> (usize, usize, usize) {
    (m as usize, n as usize, d as usize)
}

/// Transposition, blocks, stacking, and other moves of elements, which the adjoint moves back. Rows and columns are
/// counted from 0. Blocks, rows and columns panic if out of range.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| {
///     let wide = a.hstack(a.transpose()).eval();
///     assert_eq!(wide.get(), &dmatrix![1.0, 2.0, 1.0, 3.0; 3.0, 4.0, 2.0, 4.0]);
///     assert_eq!(wide.view((0, 1), (2, 2)).eval().get(), &dmatrix![2.0, 1.0; 4.0, 2.0]);
///     wide.row(1).norm_squared().eval() // 3² + 4² + 2² + 4²
/// });
/// assert_eq!(y, 45.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![0.0, 4.0; 6.0, 16.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = StructureOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns the transpose, without conjugation.
    #[op(
        linear, marks, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
    )]
    fn transpose(
        #[ad_in(Within::new(shape, |x: &mut OMatrix<T, R, C>| add_by(x, |i, j| r_b[(j, i)])))]
        a: &Self,
    ) -> &Dense<T, C, R>
    where
        DefaultAllocator: Sizes<C, R>,
    {
        by_elements((a.ncols(), a.nrows()), |i, j| a[(j, i)])
    }
    /// Returns the conjugate transpose.
    #[op(
        linear, save(shape: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)),
        sample(type T = f64 | Z, a = fixed::<T, 3, 2>(0)),
    )]
    fn adjoint(
        #[ad_in(Within::new(shape, |x: &mut OMatrix<T, R, C>| add_by(x, |i, j| r_b[(j, i)].conjugate())))]
        a: &Self,
    ) -> &Dense<T, C, R>
    where
        DefaultAllocator: Sizes<C, R>,
    {
        by_elements((a.ncols(), a.nrows()), |i, j| a[(j, i)].conjugate())
    }
    /// Returns the matrix of the conjugated elements.
    #[op(linear, sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0)))]
    fn conjugate(#[ad_in(TimesConjugate(T::one(), r_b))] a: &Self) -> &Self {
        map(a, |a| a.conjugate())
    }
    /// Returns the block of `shape.0` rows and `shape.1` columns at row `start.0` and column `start.1`. See
    /// [`FixedOps`](crate::FixedOps) for fixed sizes.
    #[op(
        linear, marks, save(of: (usize, usize) = a),
        into(to = shapes::within("a.view(..)", a, start, shape)),
        sample(type T = f64 | Z, for (m, n) in LARGER, a = matrix::<T>(m, n, 0), start = (1, 1), shape = (m - 1, n - 1)),
    )]
    fn view(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            let mut x = x.view_mut(start, shape);
            x += r_b;
        }))]
        a: &Self,
        #[ad_passive] start: (usize, usize),
        #[ad_passive] shape: (usize, usize),
    ) -> &Dense<T, Dyn, Dyn> {
        PutTerms::<T, Dyn, Dyn>::block(to, a, start);
    }
    /// Returns row `i`.
    #[op(
        linear, marks, save(of: (usize, usize) = a),
        into(to = shapes::within("a.row(i)", a, (i, 0), (1, a.1))),
        sample(type T = f64 | Z, for (m, n) in LARGER, a = matrix::<T>(m, n, 0), i = 1),
    )]
    fn row(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            let mut x = x.row_mut(i);
            x += r_b;
        }))]
        a: &Self,
        #[ad_passive] i: usize,
    ) -> &Dense<T, U1, C>
    where
        DefaultAllocator: Sizes<U1, C>,
    {
        to.block(a, (i, 0));
    }
    /// Returns column `j`.
    #[op(
        linear, marks, save(of: (usize, usize) = a),
        into(to = shapes::within("a.column(j)", a, (0, j), (a.0, 1))),
        sample(type T = f64 | Z, for (m, n) in LARGER, a = matrix::<T>(m, n, 0), j = 1),
    )]
    fn column(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            let mut x = x.column_mut(j);
            x += r_b;
        }))]
        a: &Self,
        #[ad_passive] j: usize,
    ) -> &Dense<T, R, U1>
    where
        DefaultAllocator: Sizes<R, U1>,
    {
        to.block(a, (0, j));
    }
    /// Returns `n` rows from row `first`.
    #[op(
        linear, marks, save(of: (usize, usize) = a),
        into(to = shapes::within("a.rows(first, n)", a, (first, 0), (n, a.1))),
        sample(type T = f64 | Z, for (m, n) in LARGER, a = matrix::<T>(m, n, 0), first = 1, n = m - 1),
    )]
    fn rows(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            let mut x = x.rows_mut(first, n);
            x += r_b;
        }))]
        a: &Self,
        #[ad_passive] first: usize,
        #[ad_passive] n: usize,
    ) -> &Dense<T, Dyn, C>
    where
        DefaultAllocator: Sizes<Dyn, C>,
    {
        to.block(a, (first, 0));
    }
    /// Returns `n` columns from column `first`.
    #[op(
        linear, marks, save(of: (usize, usize) = a),
        into(to = shapes::within("a.columns(first, n)", a, (0, first), (a.0, n))),
        sample(type T = f64 | Z, for (m, n) in LARGER, a = matrix::<T>(m, n, 0), first = 1, n = n - 1),
    )]
    fn columns(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            let mut x = x.columns_mut(first, n);
            x += r_b;
        }))]
        a: &Self,
        #[ad_passive] first: usize,
        #[ad_passive] n: usize,
    ) -> &Dense<T, R, Dyn>
    where
        DefaultAllocator: Sizes<R, Dyn>,
    {
        to.block(a, (0, first));
    }
    /// Returns `a` and `b` side by side. See [`hstack`](crate::hstack()) for lists.
    ///
    /// # Panics
    /// If the numbers of rows differ.
    #[op(
        linear, marks, save(shape: Stacked = stacked(a.shape(), b.ncols())),
        tangent(
            a = beside(a_t, &unset::<T, R, D>(sizes(shape).0, sizes(shape).2)),
            b = beside(&unset::<T, R, C>(sizes(shape).0, sizes(shape).1), b_t),
        ),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = matrix::<T>(m, 2, 1)),
        sample(type T = f64 | Z, a = fixed::<T, 3, 1>(0), b = fixed::<T, 3, 3>(1)),
    )]
    fn hstack<D: Dim>(
        #[ad_in({
            let (m, n, _) = sizes(shape);
            Within::new((m, n), move |x: &mut OMatrix<T, R, C>| add_each(x.iter_mut(), r_b.columns(0, n).iter()))
        })]
        a: &Self,
        #[ad_in({
            let (m, n, d) = sizes(shape);
            Within::new((m, d), move |x: &mut OMatrix<T, R, D>| add_each(x.iter_mut(), r_b.columns(n, d).iter()))
        })]
        b: &Dense<T, R, D>,
    ) -> &Dense<T, R, DimSum<C, D>>
    where
        C: DimAdd<D>,
        DefaultAllocator: Sizes<R, D> + Sizes<R, DimSum<C, D>>,
    {
        shapes::inner("a.hstack(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
        beside(a, b)
    }
    /// Returns `a` above `b`. See [`vstack`](crate::vstack()) for lists.
    ///
    /// # Panics
    /// If the numbers of columns differ.
    #[op(
        linear, marks, save(shape: Stacked = stacked(a.shape(), b.nrows())),
        tangent(
            a = above(a_t, &unset::<T, D, C>(sizes(shape).2, sizes(shape).1)),
            b = above(&unset::<T, R, C>(sizes(shape).0, sizes(shape).1), b_t),
        ),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = matrix::<T>(2, n, 1)),
    )]
    fn vstack<D: Dim>(
        #[ad_in({
            let (m, n, _) = sizes(shape);
            Within::new((m, n), move |x: &mut OMatrix<T, R, C>| add_each(x.iter_mut(), r_b.rows(0, m).iter()))
        })]
        a: &Self,
        #[ad_in({
            let (m, n, d) = sizes(shape);
            Within::new((d, n), move |x: &mut OMatrix<T, D, C>| add_each(x.iter_mut(), r_b.rows(m, d).iter()))
        })]
        b: &Dense<T, D, C>,
    ) -> &Dense<T, DimSum<R, D>, C>
    where
        R: DimAdd<D>,
        DefaultAllocator: Sizes<D, C> + Sizes<DimSum<R, D>, C>,
    {
        shapes::inner("a.vstack(b)", a.shape(), b.shape(), (a.ncols(), b.ncols()));
        above(a, b)
    }
    /// Returns the elements, column by column, in another shape.
    ///
    /// # Panics
    /// If the number of elements differs.
    #[op(
        linear, marks, save(of: (usize, usize) = a.shape()),
        sample(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), rows = n, cols = m),
    )]
    fn reshape(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            add_each(x.iter_mut(), r_b.iter());
        }))]
        a: &Self,
        #[ad_passive] rows: usize,
        #[ad_passive] cols: usize,
    ) -> &Dense<T, Dyn, Dyn> {
        shapes::inner(
            "a.reshape(..)",
            a.shape(),
            (rows, cols),
            (a.len(), rows * cols),
        );
        filled::<T, Dyn, Dyn>((rows, cols), a.as_slice())
    }
    /// Returns all elements, column by column, as a list of numbers; `split()` makes them variables. The inverse is
    /// [`gather`].
    #[op(linear, marks, save(of: (usize, usize) = a.shape()))]
    fn elements(
        #[ad_in(Within::new(of, |x: &mut OMatrix<T, R, C>| {
            add_each(x.iter_mut(), r_b.iter());
        }))]
        a: &Self,
    ) -> List<T::Kind> {
        a.as_slice().to_vec()
    }
}

/// The diagonal of a square matrix. The inverse is [`from_diagonal`].
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| a.diagonal().norm_squared().eval());
/// assert_eq!(y, 17.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![2.0, 0.0; 0.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = DiagonalOps)]
impl<T: Number, N: Dim> Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Returns the elements on the diagonal.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[op(linear, marks, sample(type T = f64 | Z, for n in SIZES, a = matrix::<T>(n, n, 0)))]
    fn diagonal(
        #[ad_in(Within::new((r_b.nrows(), r_b.nrows()), |x: &mut OMatrix<T, N, N>| (0..r_b.nrows()).for_each(|i| x[(i, i)] += r_b[i])))]
        a: &Self,
    ) -> &Dense<T, N, U1>
    where
        DefaultAllocator: Sizes<N, U1>,
    {
        shapes::square("a.diagonal()", a.shape());
        by_elements((a.nrows(), 1), |i, _| a[(i, i)])
    }
}

/// Returns the square matrix with these elements on its diagonal and zeros elsewhere.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let v = tape.input(dvector![2.0, 3.0]);
/// let y = tape.record(|| {
///     let d = from_diagonal(&v).eval();
///     (&d * &d).trace().eval()
/// });
/// assert_eq!(y, 13.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, dvector![4.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[op(
    linear, marks, tangent(v = with_diagonal(v_t, unset(v_t.nrows(), v_t.nrows()))),
    sample(type T = f64 | Z, for n in SIZES, v = vector::<T>(n, 0)),
)]
pub fn from_diagonal<T: Number, N: Dim>(
    #[ad_in(Within::new((r_b.nrows(), 1), |x: &mut OMatrix<T, N, U1>| (0..r_b.nrows()).for_each(|i| x[i] += r_b[(i, i)])))]
    v: &Dense<T, N, U1>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, U1> + Sizes<N, N>,
{
    with_diagonal(v, zeros(v.nrows(), v.nrows()))
}
fn with_diagonal<T: Number, N: Dim>(
    v: &OMatrix<T, N, U1>,
    mut r: OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, U1> + Sizes<N, N>,
{
    (0..v.nrows()).for_each(|i| r[(i, i)] = v[i]);
    r
}

/// Returns the matrix with `rows` rows and `cols` columns of a list of numbers, column by column. The assigned
/// variable's type may fix its sizes. The inverse is [`elements`](StructureOps::elements).
///
/// ```
/// use entape_core::{expr::{Active, list}, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let x: Vec<Active<f64>> = tape.inputs(vec![1.0, 2.0, 3.0, 4.0]);
/// let y = tape.record(|| {
///     let m: Matrix = gather(list(&x), 2, 2).eval();
///     assert_eq!(m.get(), &dmatrix![1.0, 3.0; 2.0, 4.0]);
///     m.determinant()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, [4.0, -3.0, -2.0, 1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// If the numbers do not fill the matrix, or the variable has other sizes.
#[op(linear, marks, into(to = shapes::gathered::<R, C>(x, (rows, cols))))]
pub fn gather<K: Kind<Policy = index::Linear>, R: Dim, C: Dim>(
    #[ad_in(Items(r_b.as_slice().iter().copied()))] x: List<K>,
    #[ad_passive] rows: usize,
    #[ad_passive] cols: usize,
) -> &Dense<K::Value, R, C>
where
    K::Value: Number<Kind = K>,
    DefaultAllocator: Sizes<R, C>,
{
    to.fill(x);
}
