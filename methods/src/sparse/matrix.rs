use super::Sparsity;
#[cfg(feature = "serde")]
use super::serialized::Sparse;
use entape_drivers::Jacobian;
use std::{fmt, sync::Arc};

/// A sparse Jacobian or Hessian as compressed rows, with a [`Sparsity`]. An entry may be zero. Elsewhere the derivative
/// is zero, or [does not exist](entape_drivers) if entries of its row are NaN.
///
/// The features `nalgebra-sparse`, `faer` and `sprs` convert it by `From` and `Into`.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::Objective;
/// use entape_methods::sparse::SparseObjective;
///
/// #[function]
/// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
///     x.windows(2).map(|x| x[1] - x[0] * x[0]).collect()
/// }
/// let f = Objective::new(residuals {});
/// let j = f.sparse_jacobian(&[1.0, 2.0, 3.0])?;
/// assert_eq!((j.rows(), j.columns()), (2, 3));
/// assert_eq!((j.row_pointers(), j.column_indices()), (&[0, 2, 4][..], &[0, 1, 1, 2][..]));
/// assert_eq!(j.values(), [-2.0, 1.0, -4.0, 1.0]);
/// assert_eq!((j.get(1, 1), j.get(1, 0)), (Some(-4.0), None));
/// assert_eq!(j.iter().last(), Some((1, 2, 1.0)));
/// assert_eq!(j.to_dense().row(1), [0.0, -4.0, 1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "Sparse", try_from = "Sparse")
)]
pub struct SparseJacobian {
    sparsity: Arc<Sparsity>,
    values: Vec<f64>,
}
impl SparseJacobian {
    pub(super) fn new(sparsity: Arc<Sparsity>, values: Vec<f64>) -> Self {
        assert_eq!(sparsity.entries(), values.len());
        SparseJacobian { sparsity, values }
    }
    /// Returns the number of results.
    pub fn rows(&self) -> usize {
        self.sparsity.rows()
    }
    /// Returns the number of inputs.
    pub fn columns(&self) -> usize {
        self.sparsity.columns()
    }
    /// Returns the positions of the entries.
    pub fn sparsity(&self) -> &Sparsity {
        &self.sparsity
    }
    /// Returns the index of the first entry of each row, and the end of the last.
    pub fn row_pointers(&self) -> &[usize] {
        self.sparsity.row_pointers()
    }
    /// Returns the columns of the entries, row by row.
    pub fn column_indices(&self) -> &[usize] {
        self.sparsity.column_indices()
    }
    /// Returns the entries, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Returns the entries, row by row.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }
    /// Returns the entry in row `i` and column `j`, if the pattern has one; panics if either does not exist.
    #[track_caller]
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        Some(self.values[self.sparsity.position(i, j)?])
    }
    /// Returns the entries of row `i` with their columns; panics if the row does not exist.
    #[track_caller]
    pub fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (usize, f64)> {
        let columns = self.sparsity.row(i).iter().copied();
        let values = &self.values[self.row_pointers()[i]..];
        columns.zip(values.iter().copied())
    }
    /// Returns all entries with row and column, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        (0..self.rows()).flat_map(|i| self.row(i).map(move |(j, value)| (i, j, value)))
    }
    /// Returns all derivatives, with zeros.
    pub fn to_dense(&self) -> Jacobian {
        let mut values = vec![0.0; self.rows() * self.columns()];
        for (i, j, value) in self.iter() {
            values[i * self.columns() + j] = value;
        }
        Jacobian::new(self.rows(), self.columns(), values)
    }
    /// Returns the product with a vector; panics if its length is wrong.
    ///
    /// ```
    /// use entape_core::expr::Active;
    /// use entape_drivers::Objective;
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// let f = Objective::recorded(|x: &[Active<f64>]| vec![(x[0] * x[1]).eval(), x[1]]);
    /// assert_eq!(f.sparse_jacobian(&[3.0, 4.0])?.times(&[1.0, 10.0]), [34.0, 10.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        let (n, given) = (self.columns(), v.len());
        assert!(
            given == n,
            "a vector of length {given} does not fit a sparse matrix with {n} columns: pass one of length {n}"
        );
        let row = |i| self.row(i).map(|(j, value)| value * v[j]).sum();
        (0..self.rows()).map(row).collect()
    }
}
impl fmt::Debug for SparseJacobian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(i, j, value)| ((i, j), value)))
            .finish()
    }
}
