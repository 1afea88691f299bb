//! Types of parameters.
use entape_drivers::Jacobian;
use std::borrow::Cow;

/// A type of parameters, gradients and residuals, with a matching type of matrices.
pub trait Parameter: Sized {
    /// The type of Hessians and Jacobians.
    type Matrix;
    /// Returns the numbers.
    fn numbers(&self) -> Cow<'_, [f64]>;
    /// Creates the parameter with these numbers.
    fn from_numbers(numbers: Vec<f64>) -> Self;
    /// Creates a matrix of the matching type.
    fn matrix(entries: Jacobian) -> Self::Matrix;
}
impl Parameter for Vec<f64> {
    type Matrix = Vec<Vec<f64>>;
    fn numbers(&self) -> Cow<'_, [f64]> {
        self.into()
    }
    fn from_numbers(numbers: Vec<f64>) -> Self {
        numbers
    }
    fn matrix(entries: Jacobian) -> Vec<Vec<f64>> {
        entries.iter_rows().map(<[f64]>::to_vec).collect()
    }
}
#[cfg(feature = "argmin-nalgebra")]
impl Parameter for nalgebra::DVector<f64> {
    type Matrix = nalgebra::DMatrix<f64>;
    fn numbers(&self) -> Cow<'_, [f64]> {
        self.as_slice().into()
    }
    fn from_numbers(numbers: Vec<f64>) -> Self {
        numbers.into()
    }
    fn matrix(entries: Jacobian) -> nalgebra::DMatrix<f64> {
        nalgebra::DMatrix::from_row_slice(entries.rows(), entries.columns(), entries.as_slice())
    }
}
#[cfg(feature = "argmin-ndarray")]
impl Parameter for ndarray::Array1<f64> {
    type Matrix = ndarray::Array2<f64>;
    fn numbers(&self) -> Cow<'_, [f64]> {
        match self.as_slice() {
            Some(numbers) => numbers.into(),
            None => self.to_vec().into(),
        }
    }
    fn from_numbers(numbers: Vec<f64>) -> Self {
        numbers.into()
    }
    fn matrix(entries: Jacobian) -> ndarray::Array2<f64> {
        let shape = (entries.rows(), entries.columns());
        let matrix = ndarray::Array2::from_shape_vec(shape, entries.into_vec());
        matrix.unwrap_or_else(|_| unreachable!("a Jacobian has `rows * columns` entries"))
    }
}
