#![cfg(feature = "serde")]
use super::{SparseJacobian, Sparsity};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The serialized form of a [`SparseJacobian`].
#[derive(Serialize, Deserialize)]
pub(super) struct Sparse {
    columns: usize,
    row_pointers: Vec<usize>,
    column_indices: Vec<usize>,
    values: Vec<f64>,
}
impl From<SparseJacobian> for Sparse {
    fn from(matrix: SparseJacobian) -> Self {
        Sparse {
            columns: matrix.columns(),
            row_pointers: matrix.row_pointers().to_vec(),
            column_indices: matrix.column_indices().to_vec(),
            values: matrix.into_values(),
        }
    }
}
impl TryFrom<Sparse> for SparseJacobian {
    type Error = String;
    fn try_from(read: Sparse) -> Result<Self, String> {
        let Sparse {
            columns,
            row_pointers,
            column_indices,
            values,
        } = read;
        let entries = column_indices.len();
        if values.len() != entries {
            return Err(format!(
                "{} values do not fit {entries} entries of a sparse Jacobian: pass one value for each entry",
                values.len()
            ));
        }
        let sparsity = Sparsity::of_compressed_rows(columns, row_pointers, column_indices)?;
        Ok(SparseJacobian::new(Arc::new(sparsity), values))
    }
}
