//! Kernels of faer, compiled here for each number type, so that programs do not compile them.
use super::{
    Triangle, cholesky, householder, large_cholesky, large_lu, large_product, large_solve,
    large_triangle,
};
use crate::{Number, View, ViewMut, factors};
use nalgebra::{DMatrix, DVector};

/// Kernels for larger matrices, and decompositions.
pub struct Kernels<T: Number> {
    pub(super) product: fn(T, View<'_, T>, View<'_, T>, T, ViewMut<'_, T>),
    pub(super) triangle: fn(Triangle, T, View<'_, T>, View<'_, T>, ViewMut<'_, T>),
    pub(super) solve: fn(Triangle, View<'_, T>, ViewMut<'_, T>),
    pub(super) cholesky: fn(ViewMut<'_, T>) -> bool,
    pub(super) cholesky_adjoint: fn(View<'_, T>, ViewMut<'_, T>),
    pub(super) lu: fn(ViewMut<'_, T>, &mut [usize]) -> bool,
    pub(super) qr: fn(ViewMut<'_, T>, ViewMut<'_, T>),
    pub(super) apply_q: fn(View<'_, T>, View<'_, T>, ViewMut<'_, T>, bool),
    pub(crate) symmetric_eigen: fn(View<'_, T>) -> Eigen<T>,
    pub(crate) svd: fn(View<'_, T>) -> Svd<T>,
}
/// Eigenvalues, and eigenvectors in columns.
pub(crate) type Eigen<T> = (DVector<<T as Number>::Part>, DMatrix<T>);
/// Left singular vectors, singular values, right singular vectors.
pub(crate) type Svd<T> = (DMatrix<T>, DVector<<T as Number>::Part>, DMatrix<T>);
impl<T: Number> std::fmt::Debug for Kernels<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kernels")
    }
}
impl<T: Number> Kernels<T> {
    const fn of() -> Self {
        Kernels {
            product: large_product,
            triangle: large_triangle,
            solve: large_solve,
            cholesky: large_cholesky,
            cholesky_adjoint: cholesky::large_adjoint,
            lu: large_lu,
            qr: householder::large_qr,
            apply_q: householder::large_apply_q,
            symmetric_eigen: factors::compute_symmetric_eigen,
            svd: factors::compute_svd,
        }
    }
}
macro_rules! compiled { ($($NAME:ident $T:ty;)*) => { $(
    pub(crate) static $NAME: Kernels<$T> = Kernels::of();
)* } }
compiled! { OF_F64 f64; OF_F32 f32; }
#[cfg(feature = "complex")]
compiled! { OF_C64 nalgebra::Complex<f64>; OF_C32 nalgebra::Complex<f32>; }
