//! A function as called by solvers: thousands of times, on reused memory.
use super::{
    Error, FlatOutputs, Function, Jacobian, Outputs, RealsShape, VisitVariable,
    cached_tape::{CachedTape, with_values},
    forward::TangentOf,
};
use crate::{
    expr::Active,
    kind::{Kind, Val},
    mode::{Forward, Mode, Plain, Taped},
    order::watch,
    store::MANY,
};
use std::{any::Any, array::from_fn, sync::Arc};

/// A function of reals with one real result or a list of real results, as called by solvers: values in plain mode, and
/// gradients, Hessians and Jacobians on tapes that are reused from call to call, so that later calls do not allocate.
///
/// All methods take the inputs as a list, also where the function takes [an array or one number](super::RealsShape).
/// A result that is infinite or NaN and depends on no input, as a program returns it where it can't go on, has no derivative: its
/// derivatives are NaN, as in [all drivers](super), so that no solver takes it for a stationary point.
///
/// An objective is created from a [`Function`], or [from a closure](Self::recorded). It is `Send` and `Sync` if the function
/// is, so it can be sent to other threads and shared between them: it does not contain a tape, and each thread keeps separate
/// tapes for it.
///
/// Each call with new inputs records again, so branches may differ from earlier calls. Hessian-vector products at the inputs of
/// the previous call are swept on the existing recording. Results may therefore depend only on the inputs: data that the
/// function reads must be changed with [`program_mut`](Self::program_mut), rather than through a `Cell` or a lock in the
/// function.
///
/// ```
/// use entape_core::{driver::Objective, expr::Active, function};
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
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
#[derive(Debug)]
pub struct Objective<P> {
    program: P,
    /// Identifies this objective among the tapes that threads keep.
    token: Arc<()>,
}

/// What an [`Objective`] evaluates: a [`Function`] or a closure. It is implemented in this crate alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function that runs in every mode",
    note = "write a function with `#[entape::function]`, `fn f(x: &[Real]) -> Real`, and `f {{}}` in this place; \
            data are further arguments, and fields: `f {{ data: &data }}`",
    note = "an objective of a closure over `Real`s is `Objective::recorded(closure)`"
)]
pub trait Program: sealed::SealedProgram {
    /// The plain values.
    type Values;
}
mod sealed {
    use super::{Active, Jacobian};
    use crate::error::Error;

    #[allow(private_bounds)]
    pub trait SealedProgram {
        #[track_caller]
        fn plain(&self, x: &[f64], values: &mut Vec<f64>);
        #[track_caller]
        fn record(&self, x: &[Active<f64>], y: &mut Vec<Active<f64>>);
        /// The Jacobian in forward mode, if the program runs in it.
        #[track_caller]
        fn forward(&self, x: &[f64]) -> Option<Result<(Vec<f64>, Jacobian), Error>>;
        /// The Jacobian times a direction in forward mode, if the program runs in it; it is appended to `product`.
        #[track_caller]
        fn jvp(
            &self,
            x: &[f64],
            direction: &[f64],
            product: &mut Vec<f64>,
        ) -> Option<Result<(), Error>>;
    }
}

/// Collects outputs, all of which are reals.
struct CollectOutputs<'y, M: Mode>(&'y mut Vec<Active<f64, M>>);
impl<M: Mode> VisitVariable<M> for CollectOutputs<'_, M> {
    fn visit<K: Kind>(&mut self, variable: &Active<K, M>, _: &Val<K>) -> Result<(), Error> {
        let variable: &dyn Any = variable;
        match variable.downcast_ref::<Active<f64, M>>() {
            Some(real) => self.0.push(*real),
            None => panic!(
                "the results of an objective are of kind f64, and this one is of kind {}",
                K::NAME
            ),
        }
        Ok(())
    }
}
#[track_caller]
fn collect<M: Mode, O: Outputs<M>>(outputs: O, y: &mut Vec<Active<f64, M>>) {
    let variables = outputs.evaluate();
    let values = O::values(&variables);
    O::visit(&variables, &values, &mut CollectOutputs(y))
        .unwrap_or_else(|_| unreachable!("it only collects"));
}

impl<F: Function<Inputs: RealsShape>> sealed::SealedProgram for F {
    fn plain(&self, x: &[f64], values: &mut Vec<f64>) {
        thread_local! {
            static PASSIVE: std::cell::Cell<Vec<Active<f64, Plain>>> = const { std::cell::Cell::new(Vec::new()) };
        }
        // A function that calls another one finds it empty.
        let mut passive = PASSIVE.take();
        passive.clear();
        passive.extend(x.iter().map(|&x| Active::passive(x)));
        let outputs = self.call(F::Inputs::view_list(&passive)).evaluate();
        let results = F::Output::<Plain>::values(&outputs);
        F::Output::<Plain>::coordinates(&results, values);
        PASSIVE.set(passive);
    }
    fn record(&self, x: &[Active<f64>], y: &mut Vec<Active<f64>>) {
        collect(self.call(F::Inputs::view_list(x)), y);
    }
    fn forward(&self, x: &[f64]) -> Option<Result<(Vec<f64>, Jacobian), Error>> {
        Some(columns(self, x))
    }
    fn jvp(
        &self,
        x: &[f64],
        direction: &[f64],
        product: &mut Vec<f64>,
    ) -> Option<Result<(), Error>> {
        Some(forward_jvp(self, x, direction, product))
    }
}
impl<F: Function<Inputs: RealsShape>> Program for F {
    type Values = F::Values;
}
/// A closure over recorded variables, of which an [`Objective`] is made.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<C>(C);
impl<C, O: FlatOutputs<Taped>> sealed::SealedProgram for Recorded<C>
where
    C: Fn(&[Active<f64>]) -> O,
{
    fn plain(&self, x: &[f64], values: &mut Vec<f64>) {
        let x: Vec<_> = x.iter().map(|&x| Active::passive(x)).collect();
        O::coordinates(&O::values(&self.0(&x).evaluate()), values);
    }
    fn record(&self, x: &[Active<f64>], y: &mut Vec<Active<f64>>) {
        collect(self.0(x), y);
    }
    fn forward(&self, _: &[f64]) -> Option<Result<(Vec<f64>, Jacobian), Error>> {
        None
    }
    fn jvp(&self, _: &[f64], _: &[f64], _: &mut Vec<f64>) -> Option<Result<(), Error>> {
        None
    }
}
impl<C, O: FlatOutputs<Taped>> Program for Recorded<C>
where
    C: Fn(&[Active<f64>]) -> O,
{
    type Values = O::Values;
}

impl<P: Program> Objective<P> {
    /// An objective made of a [`Function`].
    pub fn new(program: P) -> Self {
        Objective {
            program,
            token: Arc::new(()),
        }
    }
    /// What is evaluated.
    pub fn program(&self) -> &P {
        &self.program
    }
    /// What is evaluated, to be changed: the next call records anew.
    pub fn program_mut(&mut self) -> &mut P {
        self.token = Arc::new(());
        &mut self.program
    }
    /// The tape of gradients, recorded at `x`.
    #[track_caller]
    fn first(&self, x: &[f64]) -> Result<CachedTape, Error> {
        let mut cached = CachedTape::take(&self.token);
        self.record(&mut cached, x, false)?;
        Ok(cached)
    }
    /// The tape of second derivatives, recorded at `x`; it is the one of the call before, if that had the same inputs.
    #[doc(hidden)]
    #[track_caller]
    pub fn recording_at(&self, x: &[f64]) -> Result<CachedTape, Error> {
        let mut cached = CachedTape::take(&self.token);
        if !cached.is_at(x) {
            self.record(&mut cached, x, true)?;
        }
        Ok(cached)
    }
    #[track_caller]
    fn record(&self, cached: &mut CachedTape, x: &[f64], second: bool) -> Result<(), Error> {
        cached.begin(x, second)?;
        let (tape, inputs, outputs) = cached.recorder();
        self.program.record(inputs, outputs);
        drop(tape);
        cached.end(x)
    }
}
impl<C, O: FlatOutputs<Taped>> Objective<Recorded<C>>
where
    C: Fn(&[Active<f64>]) -> O,
{
    /// An objective made of a closure. Its values are computed on passive variables.
    ///
    /// ```
    /// use entape_core::{driver::Objective, expr::Active};
    ///
    /// let scale = 3.0;
    /// let f = Objective::recorded(|x: &[Active<f64>]| scale * x[0] * x[1]);
    /// assert_eq!(f.hessian(&[1.0, 2.0])?.as_slice(), [0.0, 3.0, 3.0, 0.0]);
    /// # Ok::<(), entape_core::driver::Error>(())
    /// ```
    pub fn recorded(closure: C) -> Self {
        Objective::new(Recorded(closure))
    }
}
#[track_caller]
fn assert_length(what: &str, length: usize, inputs: usize) {
    assert!(
        length == inputs,
        "{what} of length {length} for {inputs} inputs"
    );
}

#[track_caller]
fn assert_results(what: &str, length: usize, results: usize) {
    assert!(
        length == results,
        "{what} of length {length} for {results} results"
    );
}

#[track_caller]
fn assert_rows(what: &str, first: usize, length: usize, rows: usize, columns: usize) {
    let wanted = length / columns.max(1);
    assert!(
        wanted * columns == length && first <= rows && wanted <= rows - first,
        "room for {length} numbers from row {first} of a {what} with {rows} rows and {columns} columns: it takes whole rows"
    );
}

impl<P: Program<Values = f64>> Objective<P> {
    /// The value at `x`, in plain mode.
    #[track_caller]
    pub fn value(&self, x: &[f64]) -> f64 {
        with_values(|values| {
            self.program.plain(x, values);
            values[0]
        })
    }
    /// Returns the value at `x` and writes the gradient there to `gradient`.
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    ///
    /// # Panics
    /// If the lengths of `gradient` and `x` differ.
    #[track_caller]
    pub fn value_and_gradient_into(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Error> {
        assert_length("a gradient", gradient.len(), x.len());
        let mut cached = self.first(x)?;
        cached.gradient(0, gradient)?;
        Ok(cached.value(0))
    }
    /// Returns the value at `x` and the gradient there.
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    #[track_caller]
    pub fn value_and_gradient(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut gradient = vec![0.0; x.len()];
        let value = self.value_and_gradient_into(x, &mut gradient)?;
        Ok((value, gradient))
    }
    /// Returns the gradient at `x`.
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    #[track_caller]
    pub fn gradient(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        Ok(self.value_and_gradient(x)?.1)
    }
    /// Writes the Hessian at `x` times `direction` to `product`. At the inputs of the previous call it is swept on the
    /// existing recording.
    ///
    /// # Errors
    /// Like [`hessian_vector`](super::hessian_vector).
    ///
    /// # Panics
    /// If the lengths of the slices differ.
    #[track_caller]
    pub fn hessian_vector_into(
        &self,
        x: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        assert_length("a direction", direction.len(), x.len());
        assert_length("a product", product.len(), x.len());
        self.recording_at(x)?.hessian_vector(direction, product)
    }
    /// Returns the Hessian at `x` times `direction`.
    ///
    /// # Errors
    /// Like [`hessian_vector`](super::hessian_vector).
    ///
    /// # Panics
    /// If the lengths of the slices differ.
    #[track_caller]
    pub fn hessian_vector(&self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>, Error> {
        let mut product = vec![0.0; x.len()];
        self.hessian_vector_into(x, direction, &mut product)?;
        Ok(product)
    }
    /// Returns the Hessian at `x`.
    ///
    /// # Errors
    /// Like [`hessian_vector`](super::hessian_vector).
    #[track_caller]
    pub fn hessian(&self, x: &[f64]) -> Result<Jacobian, Error> {
        let n = x.len();
        let mut entries = vec![0.0; n * n];
        self.hessian_into(x, &mut entries)?;
        Ok(Jacobian::new(n, n, entries))
    }
    /// Writes the Hessian at `x` to `hessian`, row by row.
    ///
    /// # Errors
    /// Like [`hessian_vector`](super::hessian_vector).
    ///
    /// # Panics
    /// If the length of `hessian` is not the square of the number of inputs.
    #[track_caller]
    pub fn hessian_into(&self, x: &[f64], hessian: &mut [f64]) -> Result<(), Error> {
        assert_length("a Hessian", hessian.len(), x.len() * x.len());
        self.hessian_rows_into(x, 0, hessian)
    }
    /// The rows of the Hessian at `x` from `first` on, as many as there is room for: so several threads can compute one Hessian, each of
    /// which records once.
    ///
    /// # Errors
    /// Like [`hessian_vector`](super::hessian_vector).
    ///
    /// # Panics
    /// If the slice does not contain whole rows, or contains more rows than exist.
    #[track_caller]
    pub fn hessian_rows_into(
        &self,
        x: &[f64],
        first: usize,
        rows: &mut [f64],
    ) -> Result<(), Error> {
        assert_rows("Hessian", first, rows.len(), x.len(), x.len());
        let mut cached = self.recording_at(x)?;
        let mut each = rows.chunks_mut(MANY * x.len().max(1)).enumerate();
        each.try_for_each(|(i, rows)| cached.hessian_rows(first + i * MANY, rows))
    }
}

impl<P: Program<Values: AsRef<[f64]>>> Objective<P> {
    /// The values at `x`, in plain mode.
    #[track_caller]
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.program.plain(x, &mut values);
        values
    }
    /// The values at `x`, in plain mode, are written to `values`.
    ///
    /// # Panics
    /// If the length of `values` is not the number of results.
    #[track_caller]
    pub fn values_into(&self, x: &[f64], values: &mut [f64]) {
        with_values(|results| {
            self.program.plain(x, results);
            assert_results("values", values.len(), results.len());
            values.copy_from_slice(results);
        });
    }
    /// Writes the Jacobian at `x` times `direction` to `product`, with one run in forward mode, or a walk over the recording of
    /// a [closure](Self::recorded).
    ///
    /// ```
    /// use entape_core::{driver::Objective, expr::Active, function};
    ///
    /// #[function]
    /// fn polynomials(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     vec![x[0] * x[1], x[0] * x[0], 3.0 * x[1]]
    /// }
    /// let f = Objective::new(polynomials {});
    /// let mut product = [0.0; 3];
    /// f.jvp_into(&[2.0, 5.0], &[1.0, 10.0], &mut product)?;
    /// assert_eq!(product, [25.0, 4.0, 30.0]);
    /// # Ok::<(), entape_core::driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`jvp`](super::jvp).
    ///
    /// # Panics
    /// If the lengths of `direction` and `x` differ, or the length of `product` is not the number of results.
    #[track_caller]
    pub fn jvp_into(&self, x: &[f64], direction: &[f64], product: &mut [f64]) -> Result<(), Error> {
        assert_length("a direction", direction.len(), x.len());
        with_values(|values| {
            if let Some(done) = self.program.jvp(x, direction, values) {
                done?;
                assert_results("a product", product.len(), values.len());
                product.copy_from_slice(values);
                return Ok(());
            }
            let mut cached = self.recording_at(x)?;
            assert_results("a product", product.len(), cached.results());
            cached.jvp(direction, product)
        })
    }
    /// Writes `seed` times the Jacobian at `x` to `product`, with one sweep. At the inputs of the previous call it is swept on
    /// the existing recording.
    ///
    /// ```
    /// use entape_core::{driver::Objective, expr::Active, function};
    ///
    /// #[function]
    /// fn polynomials(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     vec![x[0] * x[1], x[0] * x[0], 3.0 * x[1]]
    /// }
    /// let f = Objective::new(polynomials {});
    /// let mut product = [0.0; 2];
    /// f.vjp_into(&[2.0, 5.0], &[1.0, 10.0, 100.0], &mut product)?;
    /// assert_eq!(product, [45.0, 302.0]);
    /// # Ok::<(), entape_core::driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    ///
    /// # Panics
    /// If the length of `seed` is not the number of results, or the lengths of `product` and `x` differ.
    #[track_caller]
    pub fn vjp_into(&self, x: &[f64], seed: &[f64], product: &mut [f64]) -> Result<(), Error> {
        assert_length("a product", product.len(), x.len());
        let mut cached = self.recording_at(x)?;
        assert_results("a seed", seed.len(), cached.results());
        cached.vjp(seed, product)
    }
    /// Returns the Jacobian at `x`, with one row for each result. It is computed forward, eight columns at a time, or backward,
    /// eight rows at a time, whichever takes fewer steps.
    ///
    /// ```
    /// use entape_core::{driver::Objective, expr::Active, function, real::Elementary};
    ///
    /// #[function]
    /// fn residuals(x: &[Active<f64>]) -> Vec<Active<f64>> {
    ///     (0..3).map(|t| x[0] * (x[1] * f64::from(t)).exp()).collect()
    /// }
    /// let f = Objective::new(residuals {});
    /// let j = f.jacobian(&[2.0, 0.0])?;
    /// assert_eq!(j.row(2), [1.0, 4.0]);
    /// # Ok::<(), entape_core::driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    #[track_caller]
    pub fn jacobian(&self, x: &[f64]) -> Result<Jacobian, Error> {
        Ok(self.values_and_jacobian(x)?.1)
    }
    /// Returns the values at `x` and the [Jacobian](Self::jacobian).
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    #[track_caller]
    pub fn values_and_jacobian(&self, x: &[f64]) -> Result<(Vec<f64>, Jacobian), Error> {
        // A run with eight tangents takes about five times as long as the plain program. A recording takes about ten
        // times as long, and so does a sweep of eight adjoints. The number of results is only known after a run.
        if x.len() <= 2 * MANY
            && let Some(forward) = self.program.forward(x)
        {
            match forward {
                // An operation without a tangent may have an adjoint.
                Err(Error::MissingRule(_)) => {}
                done => return done,
            }
        }
        let mut cached = self.recording_at(x)?;
        let (m, n) = (cached.results(), x.len());
        if n <= m {
            drop(cached);
            if let Some(Ok(done)) = self.program.forward(x) {
                return Ok(done);
            }
            cached = self.recording_at(x)?;
        }
        let values = (0..m).map(|i| cached.value(i)).collect();
        let mut entries = vec![0.0; m * n];
        for (i, rows) in entries.chunks_mut(MANY * n.max(1)).enumerate() {
            cached.jacobian_rows(i * MANY, rows)?;
        }
        Ok((values, Jacobian::new(m, n, entries)))
    }
    /// Writes rows of the Jacobian at `x` to the slice, starting at row `first`, as many as fit, computed backward. Several
    /// threads can thus compute one Jacobian; each thread records once.
    ///
    /// # Errors
    /// Like [`value_and_gradient`](super::value_and_gradient).
    ///
    /// # Panics
    /// If the slice does not contain whole rows, or contains more rows than exist.
    #[track_caller]
    pub fn jacobian_rows_into(
        &self,
        x: &[f64],
        first: usize,
        rows: &mut [f64],
    ) -> Result<(), Error> {
        let mut cached = self.recording_at(x)?;
        assert_rows("Jacobian", first, rows.len(), cached.results(), x.len());
        let mut each = rows.chunks_mut(MANY * x.len().max(1)).enumerate();
        each.try_for_each(|(i, rows)| cached.jacobian_rows(first + i * MANY, rows))
    }
}
/// The Jacobian times a direction.
#[track_caller]
fn forward_jvp<F: Function<Inputs: RealsShape>>(
    f: &F,
    x: &[f64],
    direction: &[f64],
    product: &mut Vec<f64>,
) -> Result<(), Error> {
    let inputs = x.iter().zip(direction);
    let inputs: Vec<_> = inputs
        .map(|(&x, &tangent)| Active::<f64, Forward>::with_tangents(x, [tangent]))
        .collect();
    let outputs =
        watch(|| f.call(F::Inputs::view_list(&inputs)).evaluate()).map_err(Error::no_tangent)?;
    let tangents = F::Output::<Forward>::each(&outputs, &mut TangentOf(0))?;
    F::Output::<Forward>::coordinates(&tangents, product);
    Ok(())
}
/// The Jacobian, eight columns at a time.
#[track_caller]
fn columns<F: Function<Inputs: RealsShape>>(
    f: &F,
    x: &[f64],
) -> Result<(Vec<f64>, Jacobian), Error> {
    let n = x.len();
    let (mut values, mut columns) = (Vec::new(), Vec::new());
    for first in (0..n.max(1)).step_by(MANY) {
        let inputs = x.iter().enumerate();
        let inputs: Vec<_> = inputs
            .map(|(i, &x)| {
                let tangents = from_fn(|j| if first + j == i { 1.0 } else { 0.0 });
                Active::<f64, Forward<MANY>>::with_tangents(x, tangents)
            })
            .collect();
        let outputs = watch(|| f.call(F::Inputs::view_list(&inputs)).evaluate())
            .map_err(Error::no_tangent)?;
        if first == 0 {
            let results = F::Output::<Forward<MANY>>::values(&outputs);
            F::Output::<Forward<MANY>>::coordinates(&results, &mut values);
        }
        for j in 0..MANY.min(n - first) {
            let tangents = F::Output::<Forward<MANY>>::each(&outputs, &mut TangentOf(j))?;
            F::Output::<Forward<MANY>>::coordinates(&tangents, &mut columns);
        }
    }
    let m = values.len();
    let rows = (0..m * n).map(|k| columns[k % n * m + k / n]);
    let jacobian = Jacobian::new(m, n, rows.collect());
    Ok((values, jacobian))
}
