use std::fmt;

/// The positions of the entries of a sparse matrix. Row `i` has entries in the columns
/// `column_indices[row_pointers[i]..row_pointers[i + 1]]`, in ascending order.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::Objective;
/// use entape_methods::sparse::SparseObjective;
///
/// #[function]
/// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
///     vec![x[0] * x[2], x[1] - 1.0]
/// }
/// let f = Objective::new(residuals {});
/// let plan = f.jacobian_plan(&[1.0, 2.0, 3.0])?;
/// let sparsity = plan.sparsity();
/// assert_eq!((sparsity.rows(), sparsity.columns(), sparsity.entries()), (2, 3, 3));
/// assert_eq!(sparsity.row(0), [0, 2]);
/// assert!(sparsity.contains(1, 1));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Sparsity {
    columns: usize,
    row_pointers: Vec<usize>,
    column_indices: Vec<usize>,
}
impl Sparsity {
    /// The rows must be in ascending order.
    pub(super) fn from_rows<R: AsRef<[u32]>>(
        columns: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let (mut row_pointers, mut column_indices) = (vec![0], Vec::new());
        for row in rows {
            let row = row.as_ref();
            debug_assert!(
                row.is_sorted_by(|a, b| a < b) && row.iter().all(|&j| (j as usize) < columns)
            );
            column_indices.extend(row.iter().map(|&j| j as usize));
            row_pointers.push(column_indices.len());
        }
        Sparsity {
            columns,
            row_pointers,
            column_indices,
        }
    }
    /// Creates a pattern from compressed rows of any origin, if they are valid.
    #[cfg(feature = "serde")]
    pub(super) fn of_compressed_rows(
        columns: usize,
        row_pointers: Vec<usize>,
        column_indices: Vec<usize>,
    ) -> Result<Self, String> {
        let ends = (row_pointers.first(), row_pointers.last());
        if ends != (Some(&0), Some(&column_indices.len())) || !row_pointers.is_sorted() {
            return Err(
                "the row pointers of a sparse Jacobian must rise from 0 to the number of entries"
                    .into(),
            );
        }
        let row = |ends: &[usize]| &column_indices[ends[0]..ends[1]];
        let valid =
            |row: &[usize]| row.is_sorted_by(|a, b| a < b) && row.iter().all(|&j| j < columns);
        match row_pointers.windows(2).map(row).position(|row| !valid(row)) {
            Some(i) => Err(format!(
                "the columns in row {i} of a sparse Jacobian must be in ascending order and less than {columns}"
            )),
            None => Ok(Sparsity {
                columns,
                row_pointers,
                column_indices,
            }),
        }
    }
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.row_pointers.len() - 1
    }
    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.column_indices.len()
    }
    /// Returns the index of the first entry of each row, and the end of the last.
    pub fn row_pointers(&self) -> &[usize] {
        &self.row_pointers
    }
    /// Returns the columns of the entries, row by row.
    pub fn column_indices(&self) -> &[usize] {
        &self.column_indices
    }
    /// Returns the columns of the entries in row `i`, in ascending order; panics if the row does not exist.
    #[track_caller]
    pub fn row(&self, i: usize) -> &[usize] {
        let rows = self.rows();
        assert!(
            i < rows,
            "row {i} is out of range for a sparse matrix with {rows} rows"
        );
        &self.column_indices[self.row_pointers[i]..self.row_pointers[i + 1]]
    }
    /// Returns the rows in order.
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        (0..self.rows()).map(|i| self.row(i))
    }
    /// Whether row `i` has an entry in column `j`; panics if either does not exist.
    #[track_caller]
    pub fn contains(&self, i: usize, j: usize) -> bool {
        self.position(i, j).is_some()
    }
    #[track_caller]
    pub(super) fn position(&self, i: usize, j: usize) -> Option<usize> {
        assert!(
            i < self.rows() && j < self.columns,
            "entry ({i}, {j}) is out of range for a sparse {} x {} matrix",
            self.rows(),
            self.columns
        );
        let place = self.row(i).binary_search(&j).ok()?;
        Some(self.row_pointers[i] + place)
    }
    pub(super) fn covers(&self, other: &Sparsity) -> bool {
        let all = |(mine, theirs): (&[usize], &[usize])| {
            let mut mine = mine.iter();
            theirs.iter().all(|j| mine.any(|i| i == j))
        };
        self.rows() == other.rows()
            && self.columns == other.columns
            && self.iter_rows().zip(other.iter_rows()).all(all)
    }
    pub(super) fn transpose(&self) -> Sparsity {
        let mut row_pointers = vec![0; self.columns + 1];
        for &j in &self.column_indices {
            row_pointers[j + 1] += 1;
        }
        for j in 0..self.columns {
            row_pointers[j + 1] += row_pointers[j];
        }
        let (mut next, mut column_indices) = (row_pointers.clone(), vec![0; self.entries()]);
        for (i, row) in self.iter_rows().enumerate() {
            for &j in row {
                column_indices[next[j]] = i;
                next[j] += 1;
            }
        }
        Sparsity {
            columns: self.rows(),
            row_pointers,
            column_indices,
        }
    }
}
impl fmt::Debug for Sparsity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter_rows()).finish()
    }
}
