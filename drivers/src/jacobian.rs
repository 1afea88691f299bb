use std::{fmt, ops::Index};

/// A matrix of derivatives by row: a row for each coordinate of the outputs, and a column for each coordinate of the inputs.
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::jacobian;
///
/// let j = jacobian(|(a, b): (Active<f64>, Active<f64>)| vec![a * b, b * a], (2.0, 3.0))?;
/// assert_eq!((j.rows(), j.columns()), (2, 2));
/// assert_eq!((j[(0, 1)], j.row(1)), (2.0, &[3.0, 2.0][..]));
/// assert_eq!(j.iter_rows().map(|row| row[0]).sum::<f64>(), 6.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// With the features `nalgebra`, `faer` and `ndarray` it converts to their matrices by `From`. For other versions, convert its
/// slice: `DMatrix::from_row_slice(j.rows(), j.columns(), j.as_slice())`.
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serialized::Dense")
)]
pub struct Jacobian {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}
impl Jacobian {
    /// Creates a matrix from entries, row by row.
    ///
    /// # Panics
    /// If the number of entries is not `rows * columns`.
    #[track_caller]
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Self {
        assert!(
            values.len() == rows * columns,
            "{} entries do not fill a {rows} x {columns} Jacobian: pass `rows * columns` entries, row by row",
            values.len()
        );
        Jacobian {
            rows,
            columns,
            values,
        }
    }
    /// Returns the number of outputs.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Returns the number of inputs.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// Returns the gradient of output `i`; panics if there are fewer outputs.
    #[track_caller]
    pub fn row(&self, i: usize) -> &[f64] {
        assert!(
            i < self.rows,
            "row {i} is out of range for a Jacobian with {} rows",
            self.rows
        );
        &self.values[i * self.columns..][..self.columns]
    }
    /// Iterates over the gradients of the outputs.
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.rows).map(|i| self.row(i))
    }
    /// Returns all entries, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }
    /// Returns all entries, row by row.
    pub fn into_vec(self) -> Vec<f64> {
        self.values
    }
}
impl Index<(usize, usize)> for Jacobian {
    type Output = f64;
    #[track_caller]
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        assert!(
            row < self.rows && column < self.columns,
            "entry ({row}, {column}) is out of range for a {} x {} Jacobian",
            self.rows,
            self.columns
        );
        &self.values[row * self.columns + column]
    }
}
impl fmt::Debug for Jacobian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter_rows()).finish()
    }
}
