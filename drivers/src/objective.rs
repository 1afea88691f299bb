use super::{
    jacobian::Jacobian,
    numbers::{set_unit_tangents, zip_numbers},
    program::{Program, RealsShape, Recorded, Structured},
    progress::{Evaluations, Observer},
    state::{State, StateOf},
};
use entape_core::{
    expr::Active,
    mode::{Forward, Recording},
    store::MANY,
    structure::{FlatStructure, Function, IntoValues, Outputs, SetTangents, Structure},
    tape::Error,
};
use std::{marker::PhantomData, ops::Range, sync::Arc};

/// A function of reals with one real result or a list of them, for solvers. Values are computed in plain mode, and derivatives on
/// reused tapes, so that later calls do not allocate.
///
/// Methods take the inputs as a list of coordinates, even if the function takes matrices or a struct ([`Objective::like`]);
/// [`coordinates`](Self::coordinates) and [`inputs`](Self::inputs) convert.
///
/// An objective is created from a [`Function`] or a [closure](Self::recorded). It is `Send` and `Sync` if the function is: each
/// thread has its own tapes.
///
/// Each call with new inputs records again, so branches may differ. At the previous inputs, products with the Hessian or a seed use
/// the recording. Results may therefore depend only on the inputs: change other data by [`program_mut`](Self::program_mut), not
/// through a `Cell` or a lock.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::Objective;
///
/// #[function]
/// fn rosenbrock(x: &[Active<f64>]) -> Active<f64> {
///     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
///     a * a + 100.0 * b * b
/// }
/// let f = Objective::new(rosenbrock {});
/// let mut gradient = [0.0; 2];
/// assert_eq!(f.value_and_gradient_into(&[1.0, 2.0], &mut gradient)?, 100.0);
/// assert_eq!(gradient, [-400.0, 200.0]);
/// let mut product = [0.0; 2];
/// f.hessian_vector_into(&[1.0, 2.0], &[1.0, 0.0], &mut product)?;
/// assert_eq!(product, [402.0, -400.0]);
/// # fn goes_to_other_threads<T: Send + Sync>(_: &T) {}
/// # goes_to_other_threads(&f);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
///
/// Values fail with the error of the function ([`Error::Function`]), first derivatives like
/// [`value_and_gradient`](super::value_and_gradient), and second derivatives like [`hessian_vector`](super::hessian_vector).
///
/// # Panics
///
/// If the lengths of slices do not match.
#[derive(Debug)]
pub struct Objective<P> {
    program: P,
    token: Arc<()>,
    observer: Observer,
}

impl<P: Program> Objective<P> {
    /// Returns an objective from a [`Function`] of a list, an array or a number.
    pub fn new(program: P) -> Self {
        Objective {
            program,
            token: Arc::new(()),
            observer: Observer::default(),
        }
    }
    /// Calls `tell` after each evaluation of the function, on its thread, for solvers without observers. Adapters of solvers with
    /// observers report more.
    ///
    /// ```
    /// use entape_core::expr::Active;
    /// use entape_drivers::Objective;
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering::Relaxed}};
    ///
    /// let count = Arc::new(AtomicUsize::new(0));
    /// let shown = count.clone();
    /// let f = Objective::recorded(|x: &[Active<f64>]| (x[0] * x[0]).eval())
    ///     .progress(move |e| shown.store(e.values + e.recordings, Relaxed));
    /// assert_eq!((f.value(&[3.0]), f.gradient(&[3.0])?), (9.0, vec![6.0]));
    /// assert_eq!(count.load(Relaxed), 2);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn progress(mut self, tell: impl Fn(&Evaluations) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(tell);
        self
    }
    /// Returns the function.
    pub fn program(&self) -> &P {
        &self.program
    }
    /// Returns the function for changes; the next call records again.
    pub fn program_mut(&mut self) -> &mut P {
        self.token = Arc::new(());
        &mut self.program
    }
    /// Returns the recording at `x`: the previous one if its inputs and second derivatives suffice.
    #[doc(hidden)]
    #[track_caller]
    pub fn recording_at(&self, x: &[f64], second: bool) -> Result<StateOf<P>, Error> {
        let mut state = State::take(&self.token);
        if !second || !state.is_at(x) {
            // A closure would lose the user's line.
            let values = match state.has_recorded(x) {
                false => Some(self.program.inputs(x)),
                true => None,
            };
            let mut started = state.begin(x, values, second)?;
            let installed = started.tape.install();
            let outputs = self.program.record(&started.inputs);
            drop(installed);
            state.end(x, started, outputs?)?;
            self.observer.recorded();
        }
        Ok(state)
    }
    #[track_caller]
    fn plain(&self, x: &[f64], to: &mut impl FnMut(f64)) -> Result<(), Error> {
        let mut state = StateOf::<P>::take(&self.token);
        let values = match state.has_plain(x) {
            false => Some(self.program.inputs(x)),
            true => None,
        };
        let x = state.plain(x, values);
        self.program.plain(x, to)?;
        self.observer.evaluated();
        Ok(())
    }
}
impl<F: Function> Objective<Structured<F>> {
    /// Returns an objective from a [`Function`] whose inputs have the structure and shapes of `like`: matrices, tuples, structs.
    ///
    /// ```
    /// use entape_core::{expr::Active, function, structure::Vars, Structure};
    /// use entape_drivers::Objective;
    ///
    /// #[derive(Clone, Debug, PartialEq, Structure)]
    /// struct Line {
    ///     slopes: Vec<f64>,
    ///     offset: f64,
    /// }
    /// #[function]
    /// fn squares(line: &Vars<Line>) -> Active<f64> {
    ///     let y = line.slopes[0] + 2.0 * line.slopes[1] + line.offset;
    ///     y * y
    /// }
    /// let start = Line { slopes: vec![1.0, 2.0], offset: -2.0 };
    /// let f = Objective::like(squares {}, &start);
    /// let x = f.coordinates(&start);
    /// assert_eq!(f.gradient(&x)?, [6.0, 12.0, 6.0]);
    /// assert_eq!(f.inputs(&[0.0, 3.0, 1.0]), Line { slopes: vec![0.0, 3.0], offset: 1.0 });
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn like(function: F, like: impl IntoValues<F::Inputs>) -> Self {
        Self::shaped(function, like.into_values())
    }
    /// Like [`like`](Self::like), for values of the structure.
    pub fn shaped(function: F, like: <F::Inputs as Structure>::Values) -> Self {
        let count = F::Inputs::flattened(&like).len();
        Objective::new(Structured {
            function,
            like,
            count,
        })
    }
    /// Returns the function.
    pub fn function(&self) -> &F {
        &self.program.function
    }
}
impl<F: Function<Inputs: RealsShape>> Objective<F> {
    /// Returns the function.
    pub fn function(&self) -> &F {
        &self.program
    }
}
impl<P: Program> Objective<P> {
    /// Returns the coordinates of inputs; panics if lengths, shapes or variants differ from [`like`](Self::like).
    #[track_caller]
    pub fn coordinates(&self, inputs: impl IntoValues<P::Inputs>) -> Vec<f64> {
        let values = inputs.into_values();
        self.program.expect(&values);
        P::Inputs::flattened(&values)
    }
    /// Returns the inputs with these coordinates; panics if their number is wrong.
    #[track_caller]
    pub fn inputs(&self, coordinates: &[f64]) -> <P::Inputs as Structure>::Values {
        self.program.inputs(coordinates)
    }
}
impl<C, M: Recording, O: Outputs<M, Structure: FlatStructure>> Objective<Recorded<C, M>>
where
    C: Fn(&[Active<f64, M>]) -> O,
{
    /// Returns an objective from a closure. Values are computed on passive variables.
    ///
    /// The closure chooses the recording mode by the type of its variables:
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Reuse, real::Elementary};
    /// use entape_drivers::Objective;
    ///
    /// // a long loop with few live variables
    /// let f = Objective::recorded(|x: &[Active<f64, Reuse>]| {
    ///     let mut y = (&x[0]).sin().eval();
    ///     for _ in 0..100 {
    ///         y = (&y + &x[1] * (&y).sin()).eval();
    ///     }
    ///     y
    /// });
    /// let gradient = f.gradient(&[0.0, 0.1])?;
    /// assert!((gradient[0] / 1.1_f64.powi(100) - 1.0).abs() < 1e-12 && gradient[1] == 0.0);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// ```
    /// use entape_core::expr::Active;
    /// use entape_drivers::Objective;
    ///
    /// let scale = 3.0;
    /// let f = Objective::recorded(|x: &[Active<f64>]| scale * x[0] * x[1]);
    /// assert_eq!(f.hessian(&[1.0, 2.0])?.as_slice(), [0.0, 3.0, 3.0, 0.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn recorded(closure: C) -> Self {
        Objective::new(Recorded(closure, PhantomData))
    }
}
#[track_caller]
fn assert_length(what: &str, length: usize, needed: usize) {
    assert!(
        length == needed,
        "the slice for {what} has length {length}: pass one of length {needed}"
    );
}

#[track_caller]
fn assert_within(of: &Range<usize>, inputs: usize) {
    assert!(
        of.start <= of.end && of.end <= inputs,
        "the range {of:?} is not a range of the {inputs} inputs: use `start..end` with `end` at most {inputs}"
    );
}
#[track_caller]
fn succeeded<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}: call the method with the prefix `try_` to handle the error"),
    }
}
#[track_caller]
fn assert_results(what: &str, length: usize, results: usize) {
    assert!(
        length == results,
        "the slice for {what} has length {length}: pass one of length {results}, the number of results"
    );
}

#[track_caller]
fn assert_rows(what: &str, first: usize, length: usize, rows: usize, columns: usize) {
    let wanted = length / columns.max(1);
    assert!(
        wanted * columns == length && first <= rows && wanted <= rows - first,
        "{length} numbers from row {first} on do not fit a {what} with {rows} rows and {columns} columns: pass a slice of whole rows"
    );
}

impl<P: Program<Values = f64>> Objective<P> {
    /// Returns the value at `x`; panics if the function returns an error.
    #[track_caller]
    pub fn value(&self, x: &[f64]) -> f64 {
        succeeded(self.try_value(x))
    }
    /// Returns the value at `x`, or the error of the function.
    #[track_caller]
    pub fn try_value(&self, x: &[f64]) -> Result<f64, Error> {
        let mut value = f64::NAN;
        self.plain(x, &mut |y| value = y)?;
        Ok(value)
    }
    /// Returns the value at `x` and writes the gradient.
    #[track_caller]
    pub fn value_and_gradient_into(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Error> {
        assert_length("a gradient", gradient.len(), x.len());
        let mut state = self.recording_at(x, false)?;
        let recording = state.recording();
        let mut value = f64::NAN;
        recording.each_result(&mut |y| value = y);
        recording.pull_into(&[1.0], gradient)?;
        Ok(value)
    }
    /// Returns the value and the gradient at `x`.
    #[track_caller]
    pub fn value_and_gradient(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut gradient = vec![0.0; x.len()];
        let value = self.value_and_gradient_into(x, &mut gradient)?;
        Ok((value, gradient))
    }
    /// Returns the gradient at `x`.
    #[track_caller]
    pub fn gradient(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        Ok(self.value_and_gradient(x)?.1)
    }
    /// Writes the Hessian at `x` times `direction`.
    #[track_caller]
    pub fn hessian_vector_into(
        &self,
        x: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        assert_length("a direction", direction.len(), x.len());
        assert_length("a product", product.len(), x.len());
        let mut state = self.recording_at(x, true)?;
        state.recording().hessian_vector_into(direction, product)
    }
    /// Returns the Hessian at `x` times `direction`.
    #[track_caller]
    pub fn hessian_vector(&self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Error> {
        let mut product = vec![0.0; x.len()];
        self.hessian_vector_into(x, direction, &mut product)?;
        Ok(product)
    }
    /// Returns the Hessian at `x`.
    #[track_caller]
    pub fn hessian(&self, x: &[f64]) -> Result<Jacobian, Error> {
        let n = x.len();
        let mut entries = vec![0.0; n * n];
        self.hessian_into(x, &mut entries)?;
        Ok(Jacobian::new(n, n, entries))
    }
    /// Writes the Hessian at `x`, row by row.
    #[track_caller]
    pub fn hessian_into(&self, x: &[f64], hessian: &mut [f64]) -> Result<(), Error> {
        assert_length("a Hessian", hessian.len(), x.len() * x.len());
        self.hessian_rows_into(x, 0, hessian)
    }
    /// Returns the rows and columns of the Hessian at `x` of these coordinates.
    #[track_caller]
    pub fn hessian_block(&self, x: &[f64], of: Range<usize>) -> Result<Jacobian, Error> {
        assert_within(&of, x.len());
        let mut rows = vec![0.0; of.len() * x.len()];
        self.hessian_rows_into(x, of.start, &mut rows)?;
        let each = rows.chunks_exact(x.len().max(1));
        let entries = each.flat_map(|row| &row[of.clone()]).copied().collect();
        Ok(Jacobian::new(of.len(), of.len(), entries))
    }
    /// Writes rows of the Hessian at `x` from row `first`, as many as fit, so that threads can divide it.
    #[track_caller]
    pub fn hessian_rows_into(
        &self,
        x: &[f64],
        first: usize,
        rows: &mut [f64],
    ) -> Result<(), Error> {
        assert_rows("Hessian", first, rows.len(), x.len(), x.len());
        let mut state = self.recording_at(x, true)?;
        state.recording().hessian_rows(first, rows)
    }
}

impl<P: Program> Objective<P> {
    /// Returns the values at `x`; panics if the function returns an error.
    #[track_caller]
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        succeeded(self.try_values(x))
    }
    /// Returns the values at `x`, or the error of the function.
    #[track_caller]
    pub fn try_values(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        let mut values = Vec::new();
        self.plain(x, &mut |y| values.push(y))?;
        Ok(values)
    }
    /// Writes the values at `x`.
    #[track_caller]
    pub fn values_into(&self, x: &[f64], values: &mut [f64]) -> Result<(), Error> {
        let mut count = 0;
        self.plain(x, &mut |y| {
            if let Some(value) = values.get_mut(count) {
                *value = y;
            }
            count += 1;
        })?;
        assert_results("values", values.len(), count);
        Ok(())
    }
    /// Writes the Jacobian at `x` times `direction`, computed in forward mode, or on the recording of a [closure](Self::recorded).
    /// Fails like [`jvp`](super::jvp).
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    ///
    /// #[function]
    /// fn polynomials(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     vec![x[0] * x[1], x[0] * x[0], 3.0 * x[1]]
    /// }
    /// let f = Objective::new(polynomials {});
    /// let mut product = [0.0; 3];
    /// f.jvp_into(&[2.0, 5.0], &[1.0, 10.0], &mut product)?;
    /// assert_eq!(product, [25.0, 4.0, 30.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn jvp_into(&self, x: &[f64], direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        assert_length("a direction", direction.len(), x.len());
        let mut inputs = P::Inputs::passive(self.program.inputs(x));
        let Ok(_) = zip_numbers::<P::Inputs, Forward, _>(&mut inputs, direction, SetTangents(0));
        let (mut values, mut tangents) = (Vec::new(), Vec::new());
        if let Some(done) = self.program.forward(&inputs, &mut values, &mut tangents) {
            done?;
            assert_results("a product", product.len(), tangents.len());
            product.copy_from_slice(&tangents);
            return Ok(());
        }
        let mut state = self.recording_at(x, true)?;
        let recording = state.recording();
        assert_results("a product", product.len(), recording.size().0);
        recording.push_into(direction, product)
    }
    /// Writes `seed` times the Jacobian at `x`, from one sweep.
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    ///
    /// #[function]
    /// fn polynomials(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     vec![x[0] * x[1], x[0] * x[0], 3.0 * x[1]]
    /// }
    /// let f = Objective::new(polynomials {});
    /// let mut product = [0.0; 2];
    /// f.vjp_into(&[2.0, 5.0], &[1.0, 10.0, 100.0], &mut product)?;
    /// assert_eq!(product, [45.0, 302.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn vjp_into(&self, x: &[f64], seed: &[f64], product: &mut [f64]) -> Result<(), Error> {
        assert_length("a product", product.len(), x.len());
        let mut state = self.recording_at(x, true)?;
        let recording = state.recording();
        assert_results("a seed", seed.len(), recording.size().0);
        recording.pull_into(seed, product)
    }
    /// Returns the Jacobian at `x`, with a row for each result, computed by eight columns forward or eight rows backward, whichever
    /// takes fewer steps.
    ///
    /// ```
    /// use entape_core::{expr::Active, function, real::Elementary};
    /// use entape_drivers::Objective;
    ///
    /// #[function]
    /// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     (0..3).map(|t| x[0] * (x[1] * f64::from(t)).exp()).collect()
    /// }
    /// let f = Objective::new(residuals {});
    /// let j = f.jacobian(&[2.0, 0.0])?;
    /// assert_eq!(j.row(2), [1.0, 4.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn jacobian(&self, x: &[f64]) -> Result<Jacobian, Error> {
        Ok(self.values_and_jacobian(x)?.1)
    }
    /// Returns the values at `x` and the [Jacobian](Self::jacobian).
    #[track_caller]
    pub fn values_and_jacobian(&self, x: &[f64]) -> Result<(Vec<f64>, Jacobian), Error> {
        // Eight tangents take as long as 5 plain runs; a recording or a sweep of eight adjoints takes 10. The number of results is
        // known only after a run.
        if x.len() <= 2 * MANY
            && let Some(forward) = self.columns(x, 0..x.len())
        {
            match forward {
                // An operation without a tangent may have an adjoint.
                Err(Error::MissingRule(_)) => {}
                done => return done,
            }
        }
        let mut state = self.recording_at(x, true)?;
        let (m, n) = state.recording().size();
        if n <= m {
            drop(state);
            if let Some(Ok(done)) = self.columns(x, 0..n) {
                return Ok(done);
            }
            state = self.recording_at(x, true)?;
        }
        let mut values = Vec::with_capacity(m);
        state.recording().each_result(&mut |y| values.push(y));
        Ok((values, state.recording().jacobian()?))
    }
    /// Returns the columns of the Jacobian at `x` of these coordinates, computed forward, or backward if an operation lacks a
    /// tangent.
    #[track_caller]
    pub fn jacobian_columns(&self, x: &[f64], columns: Range<usize>) -> Result<Jacobian, Error> {
        assert_within(&columns, x.len());
        match self.columns(x, columns.clone()) {
            None | Some(Err(Error::MissingRule(_))) => {}
            Some(done) => return Ok(done?.1),
        }
        let all = self.recording_at(x, true)?.recording().jacobian()?;
        let rows = all.iter_rows().flat_map(|row| &row[columns.clone()]);
        let entries = rows.copied().collect();
        Ok(Jacobian::new(all.rows(), columns.len(), entries))
    }
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn columns(
        &self,
        x: &[f64],
        columns: Range<usize>,
    ) -> Option<Result<(Vec<f64>, Jacobian), Error>> {
        let n = columns.len();
        let (mut values, mut tangents) = (Vec::new(), Vec::new());
        for first in (0..n.max(1)).step_by(MANY) {
            let mut inputs = P::Inputs::passive(self.program.inputs(x));
            let columns = columns.start + first..columns.end.min(columns.start + first + MANY);
            set_unit_tangents::<P::Inputs, MANY>(&mut inputs, columns);
            values.clear();
            match self.program.forward(&inputs, &mut values, &mut tangents)? {
                Ok(()) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        let m = values.len();
        let entries = (0..m * n).map(|k| tangents[k % n * m + k / n]);
        let jacobian = Jacobian::new(m, n, entries.collect());
        Some(Ok((values, jacobian)))
    }
    /// Writes rows of the Jacobian at `x` from row `first`, as many as fit, so that threads can divide it.
    #[track_caller]
    pub fn jacobian_rows_into(
        &self,
        x: &[f64],
        first: usize,
        rows: &mut [f64],
    ) -> Result<(), Error> {
        let mut state = self.recording_at(x, true)?;
        let recording = state.recording();
        assert_rows("Jacobian", first, rows.len(), recording.size().0, x.len());
        recording.jacobian_rows(first, rows)
    }
}
