//! Conversions to matrices of other crates.
#![cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
use super::jacobian::Jacobian;

/// Converts by moving a value's entries if possible; copies them from a reference.
macro_rules! conversions { ($(#[$doc:meta] $feature:literal $Target:ty, $matrix:ident => $made:expr;)*) => { $(
    #[cfg(feature = $feature)]
    #[$doc]
    impl From<Jacobian> for $Target {
        fn from($matrix: Jacobian) -> Self {
            $made
        }
    }
    #[cfg(feature = $feature)]
    #[$doc]
    impl From<&Jacobian> for $Target {
        fn from(matrix: &Jacobian) -> Self {
            matrix.clone().into()
        }
    }
)* } }
conversions! {
    /// A matrix of `nalgebra`, column by column in memory.
    "nalgebra" nalgebra::DMatrix<f64>, matrix => {
        Self::from_row_slice(matrix.rows(), matrix.columns(), matrix.as_slice())
    };
    /// A matrix of `faer`, column by column in memory.
    "faer" faer::Mat<f64>, matrix => {
        Self::from_fn(matrix.rows(), matrix.columns(), |i, j| matrix[(i, j)])
    };
    /// A matrix of `ndarray`, row by row in memory.
    "ndarray" ndarray::Array2<f64>, matrix => {
        let shape = (matrix.rows(), matrix.columns());
        Self::from_shape_vec(shape, matrix.into_vec()).expect("a Jacobian has an entry for each row and column")
    };
}
