//! Products of matrices and vectors.
use crate::{
    Dense, Number, Product, Sizes, Times,
    adjoint::{product, t},
    kernels::dot as dot_of,
    shapes,
    view::view,
};
use entape_core::{op, operations};
use nalgebra::{DefaultAllocator, Dim, DimMul, DimProd, OMatrix, U1, U3, Vector3};

#[op(Mul)]
fn mul<T: Number, R: Dim, K: Dim, C: Dim>(
    #[ad_in(Product(T::one(), view(r_b), t(b)))] a: &Dense<T, R, K>,
    #[ad_in(Product(T::one(), t(a), view(r_b)))] b: &Dense<T, K, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, K> + Sizes<T, K, C> + Sizes<T, R, C>,
{
    shapes::inner("a * b", a.shape(), b.shape(), (a.ncols(), b.nrows()));
    product(T::one(), view(a), view(b))
}

#[operations(ext = ProductOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    /// The product of the transposed matrix with `b`, without a transposed copy.
    ///
    /// # Panics
    /// If the numbers of rows differ.
    #[op]
    fn tr_mul<D: Dim>(
        #[ad_in(Product(T::one(), view(b), t(r_b)))] a: &Self,
        #[ad_in(Product(T::one(), view(a), view(r_b)))] b: &Dense<T, R, D>,
    ) -> &Dense<T, C, D>
    where
        DefaultAllocator: Sizes<T, R, D> + Sizes<T, C, D>,
    {
        shapes::inner("a.tr_mul(b)", a.shape(), b.shape(), (a.nrows(), b.nrows()));
        product(T::one(), t(a), view(b))
    }
    /// The product with the transposed matrix `b`, without a transposed copy.
    ///
    /// # Panics
    /// If the numbers of columns differ.
    #[op]
    fn mul_tr<D: Dim>(
        #[ad_in(Product(T::one(), view(r_b), view(b)))] a: &Self,
        #[ad_in(Product(T::one(), t(r_b), view(a)))] b: &Dense<T, D, C>,
    ) -> &Dense<T, R, D>
    where
        DefaultAllocator: Sizes<T, D, C> + Sizes<T, R, D>,
    {
        shapes::inner("a.mul_tr(b)", a.shape(), b.shape(), (a.ncols(), b.ncols()));
        product(T::one(), view(a), t(b))
    }
    /// The sum of the products of the elements.
    ///
    /// # Panics
    /// If the shapes differ.
    #[op]
    fn dot(#[ad_in(Times(r_b, b))] a: &Self, #[ad_in(Times(r_b, a))] b: &Self) -> T {
        shapes::same("a.dot(b)", a.shape(), b.shape());
        dot_of(a.as_slice(), b.as_slice())
    }
    /// The Kronecker product: every element of `a` times `b`, as blocks.
    #[op(save(m: usize = b.nrows(), n: usize = b.ncols(), rows: usize = a.nrows(), cols: usize = a.ncols()))]
    fn kronecker<R2: Dim, C2: Dim>(
        // Of each element, the product of its block with b.
        #[ad_in(OMatrix::from_fn_generic(R::from_usize(rows), C::from_usize(cols), |i, j| {
            let block = r_b.view((i * m, j * n), (m, n));
            block.iter().zip(b.iter()).fold(T::zero(), |sum, (x, y)| sum + *x * *y)
        }))]
        a: &Self,
        // The sum of the blocks, each times its element.
        #[ad_in(OMatrix::from_fn_generic(R2::from_usize(m), C2::from_usize(n), |i, j| {
            let all = (0..cols).flat_map(|l| (0..rows).map(move |k| (k, l)));
            all.fold(T::zero(), |sum, (k, l)| sum + a[(k, l)] * r_b[(k * m + i, l * n + j)])
        }))]
        b: &Dense<T, R2, C2>,
    ) -> &Dense<T, DimProd<R, R2>, DimProd<C, C2>>
    where
        R: DimMul<R2>,
        C: DimMul<C2>,
        DefaultAllocator: Sizes<T, R2, C2> + Sizes<T, DimProd<R, R2>, DimProd<C, C2>>,
    {
        a.kronecker(b)
    }
}

#[operations(ext = VectorOps)]
impl<T: Number, R: Dim> Dense<T, R, U1>
where
    DefaultAllocator: Sizes<T, R, U1>,
{
    /// The outer product, a matrix with the products of all pairs of elements.
    #[op]
    fn outer<C: Dim>(
        #[ad_in(Product(T::one(), view(r_b), view(b)))] a: &Self,
        #[ad_in(Product(T::one(), t(r_b), view(a)))] b: &Dense<T, C, U1>,
    ) -> &Dense<T, R, C>
    where
        DefaultAllocator: Sizes<T, C, U1> + Sizes<T, R, C>,
    {
        product(T::one(), view(a), t(b))
    }
    /// The quadratic form, `v' * a * v`.
    ///
    /// # Panics
    /// If the matrix is not square with the size of the vector.
    #[op]
    fn quadratic_form(
        #[ad_in({
            v_b.add(Product(r_b, view(a), view(v)));
            v_b.add(Product(r_b, t(a), view(v)));
        })]
        v: &Self,
        #[ad_in(Product(r_b, view(v), t(v)))] a: &Dense<T, R, R>,
    ) -> T
    where
        DefaultAllocator: Sizes<T, R, R>,
    {
        let name = "v.quadratic_form(a)";
        shapes::square(name, a.shape());
        shapes::inner(name, v.shape(), a.shape(), (v.nrows(), a.nrows()));
        let av: OMatrix<T, R, U1> = product(T::one(), view(a), view(v));
        dot_of(v.as_slice(), av.as_slice())
    }
}

#[operations(ext = CrossOps)]
impl<T: Number> Dense<T, U3, U1> {
    /// The cross product of two vectors in space.
    #[op]
    fn cross(#[ad_in(b.cross(&r_b))] a: Self, #[ad_in(r_b.cross(&a))] b: Self) -> Self {
        a.cross(&b)
    }
    /// The matrix whose product with a vector is the cross product with it.
    #[op]
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
