//! Products of matrices and vectors.
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Number, Product, Sizes, Times, TimesConjugate,
    adjoint::{h, product},
    destination::PutTerms as _,
    kernels, shapes,
    view::view,
};
use entape_core::{op, operations};
use nalgebra::{
    DefaultAllocator, Dim, DimMul, DimProd, OMatrix, U1, U3, Vector3,
    constraint::{DimEq, ShapeConstraint},
};

#[op(
    Mul, bilinear, into(to = shapes::product("a * b", (a, b), (a.1, b.0), (a.0, b.1))),
    sample(type T = f64 | Z, for (m, k) in SHAPES, for n in COLUMNS, a = matrix::<T>(m, k, 0), b = matrix::<T>(k, n, 1)),
    sample(type T = f64 | Z, for (m, k) in SHAPES, a = matrix::<T>(m, k, 0), b = vector::<T>(k, 2)),
    sample(type T = f64 | Z, for (m, k) in SHAPES, a = vector::<T>(m, 2).transpose(), b = matrix::<T>(m, k, 0)),
    sample(type T = f64 | f32 | Z | Z32, for n in 1..=5, a = matrix::<T>(n, n, 0), b = matrix::<T>(n, n, 1)),
    sample(type T = f64 | Z, for n in 1..=5, a = matrix::<T>(n, n, 0), b = vector::<T>(n, 2)),
    sample(type T = f64 | Z, a = fixed::<T, 3, 3>(0), b = fixed::<T, 3, 3>(0)),
    sample(type T = f64 | Z, a = fixed::<T, 3, 3>(0), b = fixed::<T, 3, 1>(1)),
    sample(type T = f32 | Z32, a = matrix::<T>(3, 5, 0), b = matrix::<T>(5, 2, 0)),
    sample(type T = f64 | Z, a = matrix::<T>(3, 4, 2), b = matrix::<T>(4, 300, 1)),
)]
fn mul<T: Number, R: Dim, K: Dim, L: Dim, C: Dim>(
    #[ad_in(Product(T::one(), view(r_b), h(b)))] a: &Dense<T, R, K>,
    #[ad_in(Product(T::one(), h(a), view(r_b)))] b: &Dense<T, L, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, K> + Sizes<L, C> + Sizes<R, C>,
    ShapeConstraint: DimEq<K, L>,
{
    to.product(a, b, |a, b| (view(a), view(b)));
}

/// The Kronecker product, and products with transposed or conjugated matrices, without copies. The ordinary product is
/// `&a * &b`, with `a_b += r_b * b'` and `b_b += a' * r_b` ([notation](crate#formulas)).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let b = tape.input(dvector![1.0, 10.0]);
/// let y = tape.record(|| {
///     let x = a.tr_mul(&b).eval();
///     assert_eq!(x.get(), &dvector![31.0, 42.0]);
///     x.sum().eval()
/// });
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, dmatrix![1.0, 1.0; 10.0, 10.0]);
/// assert_eq!(gradient.wrt(&b)?, dvector![3.0, 7.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ProductOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Returns `transpose(a) * b`: `a_b += conj(b) * transpose(r_b)` and `b_b += conj(a) * r_b`.
    ///
    /// # Panics
    /// If the numbers of rows differ.
    #[op(bilinear, into(to = shapes::product("a.tr_mul(b)", (a, b), (a.0, b.0), (a.1, b.1))))]
    fn tr_mul<D: Dim>(
        #[ad_in(Product(T::one(), view(b).conjugate(), view(r_b).t()))] a: &Self,
        #[ad_in(Product(T::one(), view(a).conjugate(), view(r_b)))] b: &Dense<T, R, D>,
    ) -> &Dense<T, C, D>
    where
        DefaultAllocator: Sizes<R, D> + Sizes<C, D>,
    {
        to.product(a, b, |a, b| (view(a).t(), view(b)));
    }
    /// Returns `a' * b`: `a_b += b * r_b'` and `b_b += a * r_b`.
    ///
    /// # Panics
    /// If the numbers of rows differ.
    #[op(bilinear, into(to = shapes::product("a.ad_mul(b)", (a, b), (a.0, b.0), (a.1, b.1))))]
    fn ad_mul<D: Dim>(
        #[ad_in(Product(T::one(), view(b), h(r_b)))] a: &Self,
        #[ad_in(Product(T::one(), view(a), view(r_b)))] b: &Dense<T, R, D>,
    ) -> &Dense<T, C, D>
    where
        DefaultAllocator: Sizes<R, D> + Sizes<C, D>,
    {
        to.product(a, b, |a, b| (h(a), view(b)));
    }
    /// Returns `a * transpose(b)`: `a_b += r_b * conj(b)` and `b_b += transpose(r_b) * conj(a)`.
    ///
    /// # Panics
    /// If the numbers of columns differ.
    #[op(bilinear, into(to = shapes::product("a.mul_tr(b)", (a, b), (a.1, b.1), (a.0, b.0))))]
    fn mul_tr<D: Dim>(
        #[ad_in(Product(T::one(), view(r_b), view(b).conjugate()))] a: &Self,
        #[ad_in(Product(T::one(), view(r_b).t(), view(a).conjugate()))] b: &Dense<T, D, C>,
    ) -> &Dense<T, R, D>
    where
        DefaultAllocator: Sizes<D, C> + Sizes<R, D>,
    {
        to.product(a, b, |a, b| (view(a), view(b).t()));
    }
    /// Returns `a * b'`: `a_b += r_b * b` and `b_b += r_b' * a`.
    ///
    /// # Panics
    /// If the numbers of columns differ.
    #[op(bilinear, into(to = shapes::product("a.mul_ad(b)", (a, b), (a.1, b.1), (a.0, b.0))))]
    fn mul_ad<D: Dim>(
        #[ad_in(Product(T::one(), view(r_b), view(b)))] a: &Self,
        #[ad_in(Product(T::one(), h(r_b), view(a)))] b: &Dense<T, D, C>,
    ) -> &Dense<T, R, D>
    where
        DefaultAllocator: Sizes<D, C> + Sizes<R, D>,
    {
        to.product(a, b, |a, b| (view(a), h(b)));
    }
    /// Returns `Σ a .* b`; see [`PairOps::dot`](crate::PairOps::dot).
    ///
    /// # Panics
    /// If the shapes differ.
    #[op(rule_only, bilinear)]
    fn dot(
        #[ad_in(TimesConjugate(r_b, b))] a: &Self,
        #[ad_in(TimesConjugate(r_b, a))] b: &Self,
    ) -> T::Kind {
        shapes::same("a.dot(b)", a.shape(), b.shape());
        kernels::dot(a.as_slice(), b.as_slice())
    }
    /// Returns `Σ conj(a) .* b`; see [`PairOps::dotc`](crate::PairOps::dotc).
    ///
    /// # Panics
    /// If the shapes differ.
    #[op(rule_only, bilinear)]
    fn dotc(
        #[ad_in(Times(r_b.conjugate(), b))] a: &Self,
        #[ad_in(Times(r_b, a))] b: &Self,
    ) -> T::Kind {
        shapes::same("a.dotc(b)", a.shape(), b.shape());
        kernels::dotc(a.as_slice(), b.as_slice())
    }
    /// Returns the Kronecker product, a matrix of blocks `a[(i, j)] * b`. The adjoint of `a[(i, j)]` gets the sum of
    /// `conj(b)` times its block of `r_b`; `b_b` gets the sum of all blocks of `r_b`, each times `conj(a[(i, j)])`.
    #[op(bilinear, save(m: usize = b.nrows(), n: usize = b.ncols(), rows: usize = a.nrows(), cols: usize = a.ncols()))]
    fn kronecker<R2: Dim, C2: Dim>(
        #[ad_in(OMatrix::from_fn_generic(R::from_usize(rows), C::from_usize(cols), |i, j| {
            let block = r_b.view((i * m, j * n), (m, n));
            block.iter().zip(b.iter()).fold(T::zero(), |sum, (x, y)| sum + *x * y.conjugate())
        }))]
        a: &Self,
        #[ad_in(OMatrix::from_fn_generic(R2::from_usize(m), C2::from_usize(n), |i, j| {
            let all = (0..cols).flat_map(|l| (0..rows).map(move |k| (k, l)));
            all.fold(T::zero(), |sum, (k, l)| sum + a[(k, l)].conjugate() * r_b[(k * m + i, l * n + j)])
        }))]
        b: &Dense<T, R2, C2>,
    ) -> &Dense<T, DimProd<R, R2>, DimProd<C, C2>>
    where
        R: DimMul<R2>,
        C: DimMul<C2>,
        DefaultAllocator: Sizes<R2, C2> + Sizes<DimProd<R, R2>, DimProd<C, C2>>,
    {
        a.kronecker(b)
    }

    samples! {
        tr_mul(type T = f64 | Z, for (m, k) in SHAPES, for n in COLUMNS, a = matrix::<T>(m, k, 0).transpose(), b = matrix::<T>(k, n, 1)),
        tr_mul(type T = f64 | Z, for (m, k) in SHAPES, a = matrix::<T>(m, k, 0), b = vector::<T>(m, 2)),
        tr_mul(type T = f64 | Z, for n in 1..=5, a = matrix::<T>(n, n, 0), b = matrix::<T>(n, n, 1)),
        tr_mul(type T = f64 | Z, for n in 1..=5, a = matrix::<T>(n, n, 0), b = vector::<T>(n, 2)),
        ad_mul(type T = f64 | Z, for (m, k) in SHAPES, for n in COLUMNS, a = matrix::<T>(m, k, 0).transpose(), b = matrix::<T>(k, n, 1)),
        ad_mul(type T = f64 | Z, for (m, k) in SHAPES, a = matrix::<T>(m, k, 0), b = vector::<T>(m, 2)),
        ad_mul(type T = f64 | Z, a = fixed::<T, 3, 3>(0), b = fixed::<T, 3, 1>(1)),
        mul_tr(type T = f64 | Z, for (m, k) in SHAPES, for n in COLUMNS, a = matrix::<T>(m, k, 0), b = matrix::<T>(k, n, 1).transpose()),
        mul_tr(type T = f64 | Z, for n in 1..=5, a = matrix::<T>(n, n, 0), b = matrix::<T>(n, n, 1)),
        mul_tr(type T = f64 | Z, a = matrix::<T>(3, 300, 0), b = matrix::<T>(4, 300, 1)),
        mul_ad(type T = f64 | Z, for (m, k) in SHAPES, for n in COLUMNS, a = matrix::<T>(m, k, 0), b = matrix::<T>(k, n, 1).transpose()),
        mul_ad(type T = f32 | Z32, a = matrix::<T>(3, 5, 0), b = matrix::<T>(3, 5, 0)),
        mul_ad(type T = f64 | Z, a = matrix::<T>(3, 300, 0), b = matrix::<T>(4, 300, 1)),
        dot(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = matrix::<T>(m, n, 1)),
        dotc(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m, n, 0), b = matrix::<T>(m, n, 1)),
        dotc(type T = f64 | Z, a = fixed::<T, 3, 1>(1), b = fixed::<T, 3, 1>(2)),
        kronecker(type T = f64 | Z, for (m, n) in SHAPES, a = matrix::<T>(m.min(3), n.min(3), 0), b = matrix::<T>(2, 3, 1)),
        kronecker(type T = f64 | Z, a = fixed::<T, 2, 2>(0), b = fixed::<T, 3, 3>(1)),
    }
}

/// Products of vectors.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{dmatrix, dvector};
///
/// let mut tape = Tape::new();
/// let (v, a) = (tape.input(dvector![1.0, 2.0]), tape.input(dmatrix![2.0, 1.0; 0.0, 3.0]));
/// let y = tape.record(|| v.quadratic_form(&a).eval());
/// assert_eq!(y, 16.0);
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&v)?, dvector![6.0, 13.0]); // (a + a') * v
/// assert_eq!(gradient.wrt(&a)?, dmatrix![1.0, 2.0; 2.0, 4.0]); // v * v'
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = VectorOps)]
impl<T: Number, R: Dim> Dense<T, R, U1>
where
    DefaultAllocator: Sizes<R, U1>,
{
    /// Returns the matrix `a * transpose(b)`, without conjugation: `a_b += r_b * conj(b)` and
    /// `b_b += transpose(r_b) * conj(a)`.
    #[op(bilinear, into(to = (a.0, b.0)))]
    fn outer<C: Dim>(
        #[ad_in(Product(T::one(), view(r_b), view(b).conjugate()))] a: &Self,
        #[ad_in(Product(T::one(), view(r_b).t(), view(a).conjugate()))] b: &Dense<T, C, U1>,
    ) -> &Dense<T, R, C>
    where
        DefaultAllocator: Sizes<C, U1> + Sizes<R, C>,
    {
        to.product(a, b, |a, b| (view(a), view(b).t()));
    }
    /// Returns the quadratic form `v' * a * v`: `v_b += conj(r_b) * a * v + r_b * a' * v` and `a_b += r_b * v * v'`.
    ///
    /// # Panics
    /// If the matrix is not square, or the vector has another size.
    #[op(
        tangent(v = form(v_t, a, v) + form(v, a, v_t), a = form(v, a_t, v)),
        second(
            v = {
                for (a, v) in [(a_t, v), (a, v_t)] {
                    v_b.add(Product(r_b.conjugate(), view(a), view(v)));
                    v_b.add(Product(r_b, h(a), view(v)));
                }
            },
            a = {
                a_b.add(Product(r_b, view(v_t), h(v)));
                a_b.add(Product(r_b, view(v), h(v_t)));
            },
        ),
    )]
    fn quadratic_form(
        #[ad_in({
            v_b.add(Product(r_b.conjugate(), view(a), view(v)));
            v_b.add(Product(r_b, h(a), view(v)));
        })]
        v: &Self,
        #[ad_in(Product(r_b, view(v), h(v)))] a: &Dense<T, R, R>,
    ) -> T::Kind
    where
        DefaultAllocator: Sizes<R, R>,
    {
        let name = "v.quadratic_form(a)";
        shapes::square(name, a.shape());
        shapes::inner(name, v.shape(), a.shape(), (v.nrows(), a.nrows()));
        form(v, a, v)
    }

    samples! {
        outer(type T = f64 | Z, for m in SIZES, for n in COLUMNS, a = vector::<T>(m, 1), b = vector::<T>(n, 2)),
        outer(type T = f64 | Z, for n in 1..=5, a = vector::<T>(n, 2), b = vector::<T>(n, 3)),
        outer(type T = f64 | Z, a = fixed::<T, 3, 1>(0), b = fixed::<T, 3, 1>(0)),
        quadratic_form(type T = f64 | Z, for n in SIZES, v = vector::<T>(n, 0), a = matrix::<T>(n, n, 1)),
    }
}

/// `u' * a * v`.
fn form<T: Number, N: Dim>(u: &OMatrix<T, N, U1>, a: &OMatrix<T, N, N>, v: &OMatrix<T, N, U1>) -> T
where
    DefaultAllocator: Sizes<N, U1> + Sizes<N, N>,
{
    let av: OMatrix<T, N, U1> = product(T::one(), view(a), view(v));
    kernels::dotc(u.as_slice(), av.as_slice())
}

/// The cross product of vectors with three elements.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::vector;
///
/// let mut tape = Tape::new();
/// let (a, b) = (tape.input(vector![1.0, 0.0, 0.0]), tape.input(vector![0.0, 1.0, 0.0]));
/// let y = tape.record(|| {
///     let r = a.cross(b).eval();
///     assert_eq!(r.get(), &vector![0.0, 0.0, 1.0]);
///     r.sum().eval()
/// });
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, vector![1.0, 0.0, -1.0]);
/// assert_eq!(gradient.wrt(&b)?, vector![0.0, 1.0, -1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = CrossOps)]
impl<T: Number> Dense<T, U3, U1> {
    /// Returns `a × b`. For real vectors `a_b += b × r_b` and `b_b += r_b × a`.
    #[op(bilinear, sample(type T = f64 | Z, a = fixed::<T, 3, 1>(1), b = fixed::<T, 3, 1>(2)))]
    fn cross(
        #[ad_in(b.conjugate().cross(&r_b))] a: Self,
        #[ad_in(r_b.cross(&a.conjugate()))] b: Self,
    ) -> Self {
        a.cross(&b)
    }
    /// Returns the matrix whose product with `b` is `a × b`.
    #[op(linear, sample(type T = f64 | Z, a = fixed::<T, 3, 1>(1)))]
    fn cross_matrix(
        #[ad_in(Vector3::new(
            r_b[(2, 1)] - r_b[(1, 2)],
            r_b[(0, 2)] - r_b[(2, 0)],
            r_b[(1, 0)] - r_b[(0, 1)],
        ))]
        a: Self,
    ) -> Dense<T, U3, U3> {
        a.cross_matrix()
    }
}
