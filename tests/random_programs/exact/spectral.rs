//! Eigenvalues and functions of them, by perturbation of the eigenvectors, and exponentials by their series.
use super::{Field, Grid, Num, require};
use nalgebra::DMatrix;

/// A matrix in the basis of its eigenvectors: diagonal up to a perturbation of first order.
pub(crate) struct Turned<T> {
    basis: Grid<T>,
    turned: Grid<T>,
}
impl<T: Field> Grid<T> {
    /// Reads the lower triangle of a Hermitian matrix.
    pub(crate) fn turned(&self) -> Turned<T> {
        let (a, n) = (self.hermitian(), self.rows);
        let values = DMatrix::from_fn(n, n, |i, j| a[(i, j)].value());
        let eigen = values.symmetric_eigen();
        let mut order: Vec<_> = (0..n).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        let basis = Grid::new((n, n), |i, j| {
            T::constant(eigen.eigenvectors[(i, order[j])])
        });
        let turned = &(&basis.adjoint() * &a) * &basis;
        // Only the eigenvectors are taken from the library.
        let product = &basis.adjoint() * &basis;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let one = if i == j { 1.0 } else { 0.0 };
            assert!((product[(i, j)].value() - one).norm() < 1e-13);
            assert!(i == j || turned[(i, j)].value().norm() < 1e-12);
        }
        Turned { basis, turned }
    }
    /// The fourth repeated square of the exponential of a sixteenth, by the series.
    pub(crate) fn exp(&self) -> Self {
        let x = self.scaled(1.0 / 16.0);
        // A sixteenth is less than one, and one divided by the factorial of 18 is less than rounding.
        require(x.norm_squared().value < 1.0);
        let identity = Self::identity(self.rows);
        let series = (1..=18).rev().fold(identity.clone(), |sum, k| {
            &identity + &(&x * &sum).scaled(1.0 / f64::from(k))
        });
        (0..4).fold(series, |root, _| &root * &root)
    }
}
impl<T: Field> Turned<T> {
    fn size(&self) -> usize {
        self.turned.rows
    }
    /// Changes of second order do not contribute.
    pub(crate) fn values(&self) -> Vec<Num> {
        (0..self.size()).map(|i| self.turned[(i, i)].re()).collect()
    }
    pub(crate) fn distinct_values(&self) -> Vec<Num> {
        let values = self.values();
        let gaps = values.windows(2).map(|w| w[1].value - w[0].value);
        require(gaps.fold(f64::INFINITY, f64::min) > 1e-2);
        values
    }
    /// The eigenvectors, each with some sign. With a change `x` of the basis, `b * (1 + x)`, the off-diagonal elements
    /// are zero: `t[i, j] + x[i, j] * (t[i, i] - t[j, j]) = 0`.
    pub(crate) fn vectors(&self) -> Grid<T> {
        let values = self.values();
        let turn = Grid::new(self.turned.shape(), |i, j| match i == j {
            true => T::from(super::passive(1.0)),
            false => self.turned[(i, j)] / T::from(values[j] - values[i]),
        });
        &self.basis * &turn
    }
    pub(crate) fn with_values(&self, f: impl Fn(Num) -> Num) -> Grid<T> {
        let (v, values) = (self.vectors(), self.values());
        let scaled = Grid::new(v.shape(), |i, j| v[(i, j)] * T::from(f(values[j])));
        &scaled * &v.adjoint()
    }
    /// Exists for equal eigenvalues, too: because `s * s` is the matrix, and products of two off-diagonal elements are
    /// of second order, `t[i, j] = s[i, j] * (s[i, i] + s[j, j])`.
    pub(crate) fn sqrt(&self) -> Grid<T> {
        let roots: Vec<_> = self.values().into_iter().map(Num::sqrt).collect();
        let root = Grid::new(self.turned.shape(), |i, j| match i == j {
            true => T::from(roots[i]),
            false => self.turned[(i, j)] / T::from(roots[i] + roots[j]),
        });
        &(&self.basis * &root) * &self.basis.adjoint()
    }
}
