//! Sparse Jacobians and Hessians of an [`Objective`], by [`SparseObjective`].
//!
//! A walk over the recording finds which results depend on which inputs. Columns that share no row are computed as a
//! sum, eight sums in a sweep.
mod coloring;
mod convert;
mod fingerprint;
mod matrix;
mod pattern;
mod plan;
mod serialized;
mod sparsity;

pub use self::matrix::SparseJacobian;
pub use self::plan::{HessianPlan, JacobianPlan};
pub use self::sparsity::Sparsity;

use self::{coloring::Coloring, fingerprint::Fingerprint, pattern::Walk, plan::Plan};
use entape_core::{
    expr::Active,
    mode::Recording,
    tape::{Tangents, Tape},
};
use entape_drivers::{Error, Objective, Program, constant::is_undefined, state::RealRecording};
use std::{mem::ManuallyDrop, sync::Arc};

/// The number of sums that a sweep computes.
const AT_ONCE: usize = 8;

mod sealed {
    use super::{Error, Objective, Program, RealRecording, Recording};
    use entape_drivers::state::StateOf;

    pub trait Recorded {
        type Mode: Recording;
        type State;
        #[track_caller]
        fn recording_at(&self, x: &[f64]) -> Result<Self::State, Error>;
        #[track_caller]
        fn reals(state: &mut Self::State) -> RealRecording<'_, Self::Mode>;
    }
    impl<P: Program> Recorded for Objective<P> {
        type Mode = P::Recorded;
        type State = StateOf<P>;
        fn recording_at(&self, x: &[f64]) -> Result<StateOf<P>, Error> {
            Objective::recording_at(self, x, true)
        }
        fn reals(state: &mut StateOf<P>) -> RealRecording<'_, P::Recorded> {
            state.reals()
        }
    }
}

/// Sparse derivatives of an [`Objective`]: the Jacobian of a list, and the Hessian of one real.
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::Objective;
/// use entape_methods::sparse::SparseObjective;
///
/// let f = Objective::recorded(|x: &[Active<f64>]| x.windows(2).map(|x| x[0] * x[1]).sum::<Active<f64>>());
/// let h = f.sparse_hessian(&[1.0, 2.0, 3.0])?;
/// assert_eq!((h.get(0, 1), h.get(0, 2)), (Some(1.0), None));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
///
/// First derivatives fail like [`value_and_gradient`](entape_drivers::value_and_gradient), and second derivatives like
/// [`hessian_vector`](entape_drivers::hessian_vector). With a plan, they also fail if it lacks an entry
/// ([`Error::PatternChanged`], [`Error::NotFinite`]).
///
/// # Panics
///
/// If a plan is for another number of inputs.
pub trait SparseObjective: sealed::Recorded {
    /// The plain values of the results.
    type Values;
    /// Returns where the Jacobian at `x` has entries, and how to compute them with few sweeps, for [many
    /// points](Self::sparse_jacobian_with).
    ///
    /// A result depends on the differentiable arguments of its operations, even if a derivative is zero at `x`. An entity, such
    /// as an array, counts as a whole, and so do the results of one statement.
    ///
    /// Columns that share no row are summed, or rows that share no column, whichever takes fewer sweeps. Five diagonals
    /// take one sweep; a full row and a full column prevent sums. An infinite derivative may turn others of its sum
    /// into NaN. Sources: A. R. Curtis, M. J. D. Powell and J. K. Reid, *On the estimation of sparse Jacobian
    /// matrices*, 1974; T. F. Coleman and J. J. Moré, *Estimation of sparse Jacobian matrices and graph coloring
    /// problems*, 1983.
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// #[function]
    /// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     x.windows(3).map(|x| x[0] * x[2] - x[1]).collect()
    /// }
    /// let f = Objective::new(residuals {});
    /// let plan = f.jacobian_plan(&[1.0; 1000])?;
    /// assert_eq!((plan.colors(), plan.sparsity().entries()), (3, 3 * 998));
    /// for step in 1..4 {
    ///     let (values, j) = f.values_and_sparse_jacobian_with(&plan, &[step as f64; 1000])?;
    ///     assert_eq!(values[7], (step * step - step) as f64);
    ///     assert_eq!(j.get(7, 9), Some(step as f64));
    /// }
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    fn jacobian_plan(&self, x: &[f64]) -> Result<JacobianPlan, Error>
    where
        Self::Values: AsRef<[f64]>,
    {
        let mut state = self.recording_at(x)?;
        let mut recording = Self::reals(&mut state);
        let fingerprint = fingerprint(&mut recording)?;
        let sparsity = jacobian_pattern(&mut recording);
        let has_tangents = match recording.tape.directions::<AT_ONCE>() {
            Err(Error::MissingRule(_)) => false,
            other => other.map(|_| true)?,
        };
        let plan = Plan::of_jacobian(sparsity, fingerprint, has_tangents);
        Ok(JacobianPlan(Arc::new(plan)))
    }
    /// Returns the sparse Jacobian at `x`. For several points, use a [plan](Self::jacobian_plan).
    ///
    /// ```
    /// use entape_core::{expr::Active, function, real::Elementary};
    /// use entape_drivers::Objective;
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// #[function]
    /// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     x.windows(2).map(|x| x[0].sin() * x[1]).collect()
    /// }
    /// let f = Objective::new(residuals {});
    /// let j = f.sparse_jacobian(&[0.0, 2.0, 3.0])?;
    /// assert_eq!(j.values(), [2.0, 0.0, 3.0 * 2_f64.cos(), 2_f64.sin()]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    fn sparse_jacobian(&self, x: &[f64]) -> Result<SparseJacobian, Error>
    where
        Self::Values: AsRef<[f64]>,
    {
        self.sparse_jacobian_with(&self.jacobian_plan(x)?, x)
    }
    /// Returns the sparse Jacobian at `x`, by a [plan](Self::jacobian_plan), possibly for other inputs.
    ///
    /// If the program takes another branch at `x`, unused entries are zero, and a missing entry is an error. Branches
    /// without tangents, such as of external functions, take sums of rows.
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::{Error, Objective};
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// #[function]
    /// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     let largest = if x[0] > x[1] { x[0] } else { x[1] };
    ///     vec![largest * 2.0, x[0] * x[1]]
    /// }
    /// let f = Objective::new(residuals {});
    /// let plan = f.jacobian_plan(&[3.0, 2.0])?;
    /// assert_eq!(f.sparse_jacobian_with(&plan, &[5.0, 4.0])?.values(), [2.0, 4.0, 5.0]);
    /// assert_eq!(f.sparse_jacobian_with(&plan, &[2.0, 3.0]), Err(Error::PatternChanged));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    fn sparse_jacobian_with(&self, plan: &JacobianPlan, x: &[f64]) -> Result<SparseJacobian, Error>
    where
        Self::Values: AsRef<[f64]>,
    {
        Ok(self.values_and_sparse_jacobian_with(plan, x)?.1)
    }
    /// Returns the values at `x` and the [sparse Jacobian](Self::sparse_jacobian_with).
    #[track_caller]
    fn values_and_sparse_jacobian_with(
        &self,
        JacobianPlan(plan): &JacobianPlan,
        x: &[f64],
    ) -> Result<(Vec<f64>, SparseJacobian), Error>
    where
        Self::Values: AsRef<[f64]>,
    {
        assert_inputs(plan, x);
        let mut state = self.recording_at(x)?;
        let mut recording = Self::reals(&mut state);
        let fingerprint = fingerprint(&mut recording)?;
        let find = || jacobian_pattern(&mut recording);
        if !plan.is_for(fingerprint, find) {
            return Err(Error::PatternChanged);
        }
        let columns = plan.columns.as_ref();
        let by_columns = columns.map(|columns| by_columns(&mut recording, plan, columns));
        let mut entries = match by_columns {
            // This branch may lack tangents.
            None | Some(Err(Error::MissingRule(_))) => {
                let rows = plan.compressed();
                rows.entries(&sums_of_rows(&mut recording, &rows.coloring)?)
            }
            Some(entries) => entries?,
        };
        let mut rest = &mut entries[..];
        for (y, columns) in recording.outputs.iter().zip(plan.sparsity.iter_rows()) {
            let (row, after) = rest.split_at_mut(columns.len());
            rest = after;
            if is_undefined(y) {
                fill_with_nan(row, plan, "a row without entries of a sparse Jacobian")?;
            }
        }
        let values = recording.outputs.iter().map(|y| y.value()).collect();
        let jacobian = SparseJacobian::new(plan.sparsity.clone(), entries);
        Ok((values, jacobian))
    }
    /// Returns where the Hessian at `x` has entries, and how to compute them with few sweeps, for [many
    /// points](Self::sparse_hessian_with).
    ///
    /// Two inputs have an entry if a nonlinear operation joins values that depend on them (A. Walther, *Computing sparse
    /// Hessians with automatic differentiation*, 2008). Lists and entities such as arrays count as a whole: a sum of products
    /// has entries for the factors of each product, but `dot` and `norm` for all pairs of elements.
    ///
    /// A star colouring exploits symmetry: a full row and column with a diagonal takes two colours. Sources: T. F.
    /// Coleman and J. J. Moré, *Estimation of sparse Hessian matrices and graph coloring problems*, 1984; A. H.
    /// Gebremedhin, F. Manne and A. Pothen, *What color is your Jacobian? Graph coloring for computing derivatives*,
    /// 2005.
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// #[function]
    /// fn arrow(x: &[Active<f64>]) -> Active<f64> {
    ///     x[1..].iter().map(|y| x[0] * y + y * y).sum()
    /// }
    /// let f = Objective::new(arrow {});
    /// let plan = f.hessian_plan(&[1.0; 1000])?;
    /// assert_eq!((plan.colors(), plan.sparsity().entries()), (2, 3 * 999));
    /// let h = f.sparse_hessian_with(&plan, &[3.0; 1000])?;
    /// assert_eq!((h.get(0, 7), h.get(7, 7), h.get(7, 8)), (Some(1.0), Some(2.0), None));
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    fn hessian_plan(&self, x: &[f64]) -> Result<HessianPlan, Error>
    where
        Self: SparseObjective<Values = f64>,
    {
        let mut state = self.recording_at(x)?;
        let mut recording = Self::reals(&mut state);
        let fingerprint = fingerprint(&mut recording)?;
        let plan = Plan::of_hessian(hessian_pattern(&mut recording), fingerprint);
        Ok(HessianPlan(Arc::new(plan)))
    }
    /// Returns the sparse Hessian at `x`, with entries on both sides of the diagonal. For several points, use a
    /// [plan](Self::hessian_plan).
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    /// use entape_methods::sparse::SparseObjective;
    ///
    /// #[function]
    /// fn chain(x: &[Active<f64>]) -> Active<f64> {
    ///     x.windows(2).map(|x| x[0] * x[0] * x[1]).sum()
    /// }
    /// let h = Objective::new(chain {}).sparse_hessian(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(h.to_dense().as_slice(), [4.0, 2.0, 0.0, 2.0, 6.0, 4.0, 0.0, 4.0, 0.0]);
    /// assert_eq!(h.get(0, 2), None);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    fn sparse_hessian(&self, x: &[f64]) -> Result<SparseJacobian, Error>
    where
        Self: SparseObjective<Values = f64>,
    {
        self.sparse_hessian_with(&self.hessian_plan(x)?, x)
    }
    /// Returns the sparse Hessian at `x`, by a [plan](Self::hessian_plan). Other branches are handled as by
    /// [`sparse_jacobian_with`](Self::sparse_jacobian_with).
    #[track_caller]
    fn sparse_hessian_with(
        &self,
        HessianPlan(plan): &HessianPlan,
        x: &[f64],
    ) -> Result<SparseJacobian, Error>
    where
        Self: SparseObjective<Values = f64>,
    {
        assert_inputs(plan, x);
        let mut state = self.recording_at(x)?;
        let mut recording = Self::reals(&mut state);
        let fingerprint = fingerprint(&mut recording)?;
        let find = || hessian_pattern(&mut recording);
        if !plan.is_for(fingerprint, find) {
            return Err(Error::PatternChanged);
        }
        let columns = plan.compressed();
        let sums = sums_of_hessian(&mut recording, &columns.coloring)?;
        let mut entries = columns.entries(&sums);
        if is_undefined(&recording.outputs[0]) {
            fill_with_nan(&mut entries, plan, "a sparse Hessian without entries")?;
        }
        Ok(SparseJacobian::new(plan.sparsity.clone(), entries))
    }
}
impl<P: Program> SparseObjective for Objective<P> {
    type Values = P::Values;
}

fn fill_with_nan(entries: &mut [f64], plan: &Plan, holder: &str) -> Result<(), Error> {
    if entries.is_empty() && plan.sparsity.columns() > 0 {
        let holder = holder.to_owned();
        return Err(Error::NotFinite { holder });
    }
    entries.fill(f64::NAN);
    Ok(())
}

#[track_caller]
fn assert_inputs(plan: &Plan, x: &[f64]) {
    let (given, planned) = (x.len(), plan.sparsity.columns());
    assert!(
        given == planned,
        "{given} inputs do not fit a plan of {planned} inputs: create a plan for {given} inputs"
    );
}
fn fingerprint<M: Recording>(recording: &mut RealRecording<'_, M>) -> Result<Fingerprint, Error> {
    recording.shows_dependences()?;
    let mut fingerprint = Fingerprint::default();
    recording.show(&mut fingerprint);
    recording.output_ids().for_each(|y| fingerprint.result(y));
    Ok(fingerprint)
}
fn jacobian_pattern<M: Recording>(recording: &mut RealRecording<'_, M>) -> Sparsity {
    let mut walk = Walk::new(recording.input_ids(), false);
    recording.show(&mut walk);
    walk.jacobian(recording.output_ids())
}
fn hessian_pattern<M: Recording>(recording: &mut RealRecording<'_, M>) -> Sparsity {
    let mut walk = Walk::new(recording.input_ids(), true);
    recording.show(&mut walk);
    walk.hessian(recording.output_ids().next().flatten())
}

fn by_columns<M: Recording>(
    recording: &mut RealRecording<'_, M>,
    plan: &Plan,
    coloring: &Coloring,
) -> Result<Vec<f64>, Error> {
    let RealRecording {
        tape,
        inputs,
        outputs,
    } = recording;
    let mut entries = vec![0.0; plan.sparsity.entries()];
    for first in (0..coloring.count).step_by(AT_ONCE) {
        let tangents = columns(tape, inputs, coloring, first, false)?;
        let mut rest = &mut entries[..];
        for (y, columns) in outputs.iter().zip(plan.sparsity.iter_rows()) {
            let (row, after) = rest.split_at_mut(columns.len());
            rest = after;
            if !y.is_active() {
                continue;
            }
            let sums = tangents.of(y)?;
            for (entry, &j) in row.iter_mut().zip(columns) {
                if let Some(place) = in_block(coloring.colors[j], first) {
                    *entry = sums[place];
                }
            }
        }
    }
    Ok(entries)
}
/// Returns the sum of the rows of each colour: one row for each input.
fn sums_of_rows<M: Recording>(
    recording: &mut RealRecording<'_, M>,
    coloring: &Coloring,
) -> Result<Vec<f64>, Error> {
    let RealRecording {
        tape,
        inputs,
        outputs,
    } = recording;
    let mut sums = vec![0.0; inputs.len() * coloring.count];
    for first in (0..coloring.count).step_by(AT_ONCE) {
        let mut adjoints = tape.adjoints()?;
        for (y, &color) in outputs.iter().zip(&coloring.colors) {
            if let Some(j) = in_block(color, first)
                && y.is_active()
            {
                adjoints.seed(y, j, 1.0)?;
            }
        }
        let swept = adjoints.sweep()?;
        for (x, row) in inputs.iter().zip(sums.chunks_exact_mut(coloring.count)) {
            fill(row, first, swept.wrt(x)?);
        }
    }
    Ok(sums)
}
fn sums_of_hessian<M: Recording>(
    recording: &mut RealRecording<'_, M>,
    coloring: &Coloring,
) -> Result<Vec<f64>, Error> {
    let RealRecording {
        tape,
        inputs,
        outputs,
    } = recording;
    let mut sums = vec![0.0; inputs.len() * coloring.count];
    if !outputs[0].is_active() {
        return Ok(sums);
    }
    for first in (0..coloring.count).step_by(AT_ONCE) {
        let swept = columns(tape, inputs, coloring, first, true)?.gradient(&outputs[0])?;
        for (x, row) in inputs.iter().zip(sums.chunks_exact_mut(coloring.count)) {
            fill(row, first, swept.wrt(x)?);
        }
    }
    Ok(sums)
}
/// Returns tangents along the sums of the inputs of each colour from `first` on.
fn columns<'t, M: Recording>(
    tape: &'t mut Tape<M>,
    inputs: &[ManuallyDrop<Active<f64, M>>],
    coloring: &Coloring,
    first: usize,
    second: bool,
) -> Result<Tangents<'t, AT_ONCE, M>, Error> {
    let mut directions = tape.directions::<AT_ONCE>()?;
    if second {
        directions = directions.one_sided();
    }
    for (x, &color) in inputs.iter().zip(&coloring.colors) {
        if let Some(j) = in_block(color, first) {
            let mut unit = [0.0; AT_ONCE];
            unit[j] = 1.0;
            directions.set(x, unit)?;
        }
    }
    directions.sweep()
}
fn in_block(color: u32, first: usize) -> Option<usize> {
    let place = (color as usize).checked_sub(first)?;
    (place < AT_ONCE).then_some(place)
}
fn fill(row: &mut [f64], first: usize, along: [f64; AT_ONCE]) {
    let row = &mut row[first..];
    let count = row.len().min(AT_ONCE);
    row[..count].copy_from_slice(&along[..count]);
}
