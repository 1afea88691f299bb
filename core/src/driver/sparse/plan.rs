//! Plans: patterns and colourings that are used at many points.
use super::{Sparsity, coloring::Coloring, fingerprint::Fingerprint};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// The most fingerprints that a plan remembers.
const REMEMBERED: usize = 64;

/// How the entries of a matrix are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sums {
    /// Sums of columns, forward.
    Columns,
    /// Sums of rows, backward.
    Rows,
}
/// What is known of a matrix before it is computed.
pub(super) struct Plan {
    pub(super) sparsity: Arc<Sparsity>,
    pub(super) sums: Sums,
    pub(super) coloring: Coloring,
    /// For each entry its place among the sums, which stand side by side: those that an input has, and then those of the next.
    /// Of a Jacobian by columns the sums that a result has belong to one row of entries, so that there is no need for places.
    pub(super) places: Vec<usize>,
    /// Recordings for which the pattern is known to be right.
    known: Mutex<Vec<Fingerprint>>,
}
impl Plan {
    /// For a Jacobian.
    pub(super) fn of_jacobian(sparsity: Sparsity, known: Fingerprint, has_tangents: bool) -> Self {
        let longest = |pattern: &Sparsity| pattern.iter_rows().map(<[_]>::len).max().unwrap_or(0);
        let transposed = sparsity.transpose();
        // Columns of one row have different colours, so that there are at least as many as entries in the longest row.
        let (least_columns, least_rows) = (longest(&sparsity), longest(&transposed));
        let columns = || (Sums::Columns, Coloring::of_columns(&sparsity));
        let rows = || (Sums::Rows, Coloring::of_columns(&transposed));
        let (sums, coloring) = if !has_tangents {
            rows()
        } else if least_columns <= least_rows {
            let columns = columns();
            match columns.1.count <= least_rows {
                true => columns,
                false => fewer(columns, rows()),
            }
        } else {
            let rows = rows();
            match rows.1.count <= least_columns {
                true => rows,
                false => fewer(columns(), rows),
            }
        };
        let place = |i: usize, j: usize| j * coloring.count + coloring.colors[i] as usize;
        let places = match sums {
            Sums::Columns => Vec::new(),
            Sums::Rows => {
                let entries = sparsity.iter_rows().enumerate();
                let entries = entries.flat_map(|(i, row)| row.iter().map(move |&j| (i, j)));
                entries.map(|(i, j)| place(i, j)).collect()
            }
        };
        Plan {
            places,
            sparsity: Arc::new(sparsity),
            sums,
            coloring,
            known: Mutex::new(vec![known]),
        }
    }
    /// For a Hessian.
    pub(super) fn of_hessian(sparsity: Sparsity, known: Fingerprint) -> Self {
        let coloring = Coloring::of_symmetric(&sparsity);
        let own = coloring.in_own_column(&sparsity);
        let entries = sparsity.iter_rows().enumerate();
        let entries = entries.flat_map(|(i, row)| row.iter().map(move |&j| (i, j)));
        let place = |((i, j), own)| {
            let (i, j): (usize, usize) = if own { (i, j) } else { (j, i) };
            i * coloring.count + coloring.colors[j] as usize
        };
        Plan {
            places: entries.zip(own).map(place).collect(),
            sparsity: Arc::new(sparsity),
            sums: Sums::Columns,
            coloring,
            known: Mutex::new(vec![known]),
        }
    }
    /// The entries, from the sums.
    pub(super) fn entries(&self, sums: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&place| sums[place]).collect()
    }
    /// Whether the pattern is that of a recording. `find` finds the pattern if the recording is not known.
    pub(super) fn is_for(&self, recording: Fingerprint, find: impl FnOnce() -> Sparsity) -> bool {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&recording) {
            return true;
        }
        let covers = self.sparsity.covers(&find());
        let mut known = known();
        if covers && known.len() < REMEMBERED {
            known.push(recording);
        }
        covers
    }
}
/// The colouring that takes fewer sweeps.
fn fewer(columns: (Sums, Coloring), rows: (Sums, Coloring)) -> (Sums, Coloring) {
    match columns.1.count <= rows.1.count {
        true => columns,
        false => rows,
    }
}

macro_rules! plans { ($($(#[$doc:meta])* $Plan:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone)]
    pub struct $Plan(pub(super) Arc<Plan>);
    impl $Plan {
        /// Where the matrix has entries.
        pub fn sparsity(&self) -> &Sparsity {
            &self.0.sparsity
        }
        /// The number of colours: how many sums of columns or rows are computed. A sweep computes eight of them.
        pub fn colors(&self) -> usize {
            self.0.coloring.count
        }
    }
    impl fmt::Debug for $Plan {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct(stringify!($Plan))
                .field("rows", &self.sparsity().rows())
                .field("columns", &self.sparsity().columns())
                .field("entries", &self.sparsity().entries())
                .field("colors", &self.colors())
                .finish()
        }
    }
)* } }
plans! {
    /// Where a Jacobian has entries and how they are computed: made by
    /// [`Objective::jacobian_plan`](super::super::Objective::jacobian_plan), and used at many points.
    JacobianPlan
    /// Where a Hessian has entries and how they are computed: made by
    /// [`Objective::hessian_plan`](super::super::Objective::hessian_plan), and used at many points.
    HessianPlan
}
