//! Conversions to other crates.
#![cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
use super::SparseJacobian;

/// Conversions of a value move its entries if possible. The pattern is copied.
macro_rules! conversions { ($(#[$doc:meta] $feature:literal $Target:ty, $matrix:ident => $made:expr;)*) => { $(
    #[cfg(feature = $feature)]
    #[$doc]
    impl From<SparseJacobian> for $Target {
        fn from($matrix: SparseJacobian) -> Self {
            $made
        }
    }
    #[cfg(feature = $feature)]
    #[$doc]
    impl From<&SparseJacobian> for $Target {
        fn from(matrix: &SparseJacobian) -> Self {
            matrix.clone().into()
        }
    }
)* } }
conversions! {
    /// Compressed rows of `nalgebra-sparse`.
    "nalgebra-sparse" nalgebra_sparse::CsrMatrix<f64>, matrix => {
        let ((rows, columns), (pointers, indices)) = parts(&matrix);
        Self::try_from_csr_data(rows, columns, pointers, indices, matrix.into_values()).expect(VALID)
    };
    /// Compressed columns of `nalgebra-sparse`.
    "nalgebra-sparse" nalgebra_sparse::CscMatrix<f64>, matrix => {
        Self::from(&nalgebra_sparse::CsrMatrix::from(matrix))
    };
    /// Compressed rows of `faer`.
    "faer" faer::sparse::SparseRowMat<usize, f64>, matrix => {
        let ((rows, columns), (pointers, indices)) = parts(&matrix);
        let symbolic = faer::sparse::SymbolicSparseRowMat::new_checked(rows, columns, pointers, None, indices);
        Self::new(symbolic, matrix.into_values())
    };
    /// Compressed columns of `faer`.
    "faer" faer::sparse::SparseColMat<usize, f64>, matrix => {
        let rows = faer::sparse::SparseRowMat::<usize, f64>::from(matrix);
        rows.to_col_major().expect("the memory suffices for the matrix")
    };
    /// Compressed rows of `sprs`.
    "sprs" sprs::CsMat<f64>, matrix => {
        let (shape, (pointers, indices)) = parts(&matrix);
        Self::new(shape, pointers, indices, matrix.into_values())
    };
}

/// Why the other crates accept the pattern.
#[cfg(feature = "nalgebra-sparse")]
const VALID: &str = "rows are sorted and have distinct columns";

#[allow(clippy::type_complexity)]
fn parts(matrix: &SparseJacobian) -> ((usize, usize), (Vec<usize>, Vec<usize>)) {
    let shape = (matrix.rows(), matrix.columns());
    let pattern = (matrix.row_pointers(), matrix.column_indices());
    (shape, (pattern.0.to_vec(), pattern.1.to_vec()))
}
