use super::{Sparsity, coloring::Coloring, fingerprint::Fingerprint};
use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

const REMEMBERED: usize = 64;

/// The entries of a matrix among sums of its rows, or of columns if symmetric.
pub(super) struct Compressed {
    pub(super) coloring: Coloring,
    /// The index of each entry among the sums, which are ordered by input.
    places: Vec<usize>,
}
impl Compressed {
    fn of_rows(sparsity: &Sparsity, coloring: Coloring) -> Self {
        let place = |(i, j): (usize, usize)| j * coloring.count + coloring.colors[i] as usize;
        let places = entries(sparsity).map(place).collect();
        Compressed { coloring, places }
    }
    fn of_symmetric(sparsity: &Sparsity) -> Self {
        let coloring = Coloring::of_symmetric(sparsity);
        let own = coloring.in_own_column(sparsity);
        let place = |((i, j), own)| {
            let (i, j): (usize, usize) = if own { (i, j) } else { (j, i) };
            i * coloring.count + coloring.colors[j] as usize
        };
        let places = entries(sparsity).zip(own).map(place).collect();
        Compressed { coloring, places }
    }
    pub(super) fn entries(&self, sums: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&place| sums[place]).collect()
    }
}
fn entries(sparsity: &Sparsity) -> impl Iterator<Item = (usize, usize)> {
    let rows = sparsity.iter_rows().enumerate();
    rows.flat_map(|(i, row)| row.iter().map(move |&j| (i, j)))
}

pub(super) struct Plan {
    pub(super) sparsity: Arc<Sparsity>,
    /// The colours of columns, if they are summed, forward.
    pub(super) columns: Option<Coloring>,
    /// Backward sums; for a Jacobian by columns found when a branch without tangents needs them.
    compressed: OnceLock<Compressed>,
    /// Recordings for which the pattern is correct.
    known: Mutex<Vec<Fingerprint>>,
}
impl Plan {
    pub(super) fn of_jacobian(sparsity: Sparsity, known: Fingerprint, has_tangents: bool) -> Self {
        let longest = |pattern: &Sparsity| pattern.iter_rows().map(<[_]>::len).max().unwrap_or(0);
        let transposed = sparsity.transpose();
        // The colours are at least as many as entries in the longest row.
        let (least_columns, least_rows) = (longest(&sparsity), longest(&transposed));
        let columns = || Coloring::of_columns(&sparsity);
        let rows = || Coloring::of_columns(&transposed);
        let (columns, rows) = if !has_tangents {
            (None, Some(rows()))
        } else if least_columns <= least_rows {
            let columns = columns();
            let rows = (columns.count > least_rows).then(rows);
            let fewer = rows.filter(|rows| rows.count < columns.count);
            (fewer.is_none().then_some(columns), fewer)
        } else {
            let rows = rows();
            let columns = (rows.count > least_columns).then(columns);
            let fewer = columns.filter(|columns| columns.count <= rows.count);
            let rows = fewer.is_none().then_some(rows);
            (fewer, rows)
        };
        let compressed = rows.map(|rows| Compressed::of_rows(&sparsity, rows));
        Plan::new(sparsity, columns, compressed, known)
    }
    pub(super) fn of_hessian(sparsity: Sparsity, known: Fingerprint) -> Self {
        let compressed = Compressed::of_symmetric(&sparsity);
        Plan::new(sparsity, None, Some(compressed), known)
    }
    fn new(
        sparsity: Sparsity,
        columns: Option<Coloring>,
        compressed: Option<Compressed>,
        known: Fingerprint,
    ) -> Self {
        Plan {
            sparsity: Arc::new(sparsity),
            columns,
            compressed: compressed.map_or_else(OnceLock::new, OnceLock::from),
            known: Mutex::new(vec![known]),
        }
    }
    pub(super) fn compressed(&self) -> &Compressed {
        self.compressed.get_or_init(|| {
            let rows = Coloring::of_columns(&self.sparsity.transpose());
            Compressed::of_rows(&self.sparsity, rows)
        })
    }
    fn colors(&self) -> usize {
        let columns = self.columns.as_ref();
        columns.map_or_else(|| self.compressed().coloring.count, |columns| columns.count)
    }
    /// Whether the pattern fits a recording. `find` computes its pattern if the recording is new.
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
macro_rules! plans { ($($(#[$doc:meta])* $Plan:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone)]
    pub struct $Plan(pub(super) Arc<Plan>);
    impl $Plan {
        /// Returns the positions of the entries.
        pub fn sparsity(&self) -> &Sparsity {
            &self.0.sparsity
        }
        /// Returns the number of colours: of sums of columns or rows, of which a sweep computes eight.
        pub fn colors(&self) -> usize {
            self.0.colors()
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
    /// A plan for a Jacobian at many points, from [`Objective::jacobian_plan`](super::SparseObjective::jacobian_plan).
    JacobianPlan
    /// A plan for a Hessian at many points, from [`Objective::hessian_plan`](super::SparseObjective::hessian_plan).
    HessianPlan
}
