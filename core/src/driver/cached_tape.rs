//! The tapes that a thread keeps for its drivers, and how methods of other crates read the recording of an objective.
use super::constant::{is_undefined, slope_of_constant};
use crate::{
    error::Error,
    expr::Active,
    node::NamedId,
    store::MANY,
    tape::{Installed, Records, Tape},
};
pub use crate::{formula::Formula, tape::StatementVisitor};
use std::{
    any::Any,
    cell::RefCell,
    ops::{Deref, DerefMut},
    sync::{Arc, Weak},
};

/// The number of tapes that wait at most: drivers are seldom called within each other.
const MOST: usize = 4;
/// A tape with more bytes does not wait.
const LARGEST: usize = 16 << 20;

/// An empty tape for one call of a driver. Afterwards it is reset and waits for a later call on this thread, so that a call on
/// a small function neither makes a tape nor allocates its memory.
pub(crate) struct PooledTape<M: Records>(Option<Box<Tape<M>>>);
thread_local! {
    /// The tapes of objectives that wait on this thread.
    static OF_OBJECTIVES: RefCell<Vec<ObjectiveState>> = const { RefCell::new(Vec::new()) };
    /// The tapes that wait on this thread, of all modes.
    static WAITING: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}
impl<M: Records> PooledTape<M> {
    pub(super) fn take() -> Self {
        let waiting = WAITING.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            let at = waiting.iter().rposition(|tape| tape.is::<Tape<M>>())?;
            waiting.swap_remove(at).downcast().ok()
        });
        PooledTape(Some(waiting.ok().flatten().unwrap_or_default()))
    }
}
impl<M: Records> Drop for PooledTape<M> {
    fn drop(&mut self) {
        let Some(mut tape) = self.0.take() else {
            return;
        };
        // A panic may have left the tape in any state.
        if std::thread::panicking() || tape.allocated() > LARGEST || tape.try_reset().is_err() {
            return;
        }
        let _ = WAITING.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            let of_mode = waiting.iter().filter(|tape| tape.is::<Tape<M>>());
            if of_mode.count() < MOST {
                waiting.push(tape);
            }
        });
    }
}
impl<M: Records> Deref for PooledTape<M> {
    type Target = Tape<M>;
    fn deref(&self) -> &Tape<M> {
        self.0.as_ref().expect("a tape until it is given back")
    }
}
impl<M: Records> DerefMut for PooledTape<M> {
    fn deref_mut(&mut self) -> &mut Tape<M> {
        self.0.as_mut().expect("a tape until it is given back")
    }
}

fn name(x: &Active<f64>) -> NamedId {
    NamedId::of::<f64>(x.variable_id().id)
}

/// A tape that a thread keeps for an objective, with what was recorded.
#[derive(Debug)]
struct ObjectiveState {
    /// Lives as long as the objective.
    token: Weak<()>,
    tape: Tape,
    /// The inputs of the recording, if it is whole.
    at: Vec<f64>,
    is_whole: bool,
    inputs: Vec<Active<f64>>,
    outputs: Vec<Active<f64>>,
}
/// A tape that records, the inputs, and room for the results.
type Recorder<'s> = (Installed<'s>, &'s [Active<f64>], &'s mut Vec<Active<f64>>);
/// The state of an objective, which goes back to the thread in the end.
#[derive(Debug)]
pub struct CachedTape(Option<ObjectiveState>);
impl CachedTape {
    /// The state that this thread keeps for the objective with this token. Those of objectives that are gone are dropped.
    pub(super) fn take(token: &Arc<()>) -> Self {
        let found = OF_OBJECTIVES.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            waiting.retain(|state| state.token.strong_count() > 0);
            let is_mine = |state: &ObjectiveState| Weak::as_ptr(&state.token) == Arc::as_ptr(token);
            let at = waiting.iter().position(is_mine)?;
            Some(waiting.swap_remove(at))
        });
        CachedTape(Some(found.ok().flatten().unwrap_or_else(|| {
            ObjectiveState {
                token: Arc::downgrade(token),
                tape: Tape::default(),
                at: Vec::new(),
                is_whole: false,
                inputs: Vec::new(),
                outputs: Vec::new(),
            }
        })))
    }
    fn state(&mut self) -> &mut ObjectiveState {
        self.0.as_mut().expect("a state until it is given back")
    }
    /// The tape, the inputs, and the results.
    pub fn parts(&mut self) -> (&mut Tape, &[Active<f64>], &[Active<f64>]) {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        (tape, inputs, outputs)
    }
    /// Shows the statements to `visitor`, from the first one on.
    ///
    /// # Panics
    /// If the tape is broken.
    #[track_caller]
    pub fn show(&mut self, visitor: &mut dyn StatementVisitor) {
        self.state().tape.visit_statements(visitor);
    }
    /// The identifiers of the inputs.
    pub fn input_ids(&self) -> impl ExactSizeIterator<Item = NamedId> {
        let inputs = self.0.as_ref().map_or(&[][..], |state| &state.inputs);
        inputs.iter().map(name)
    }
    /// The identifiers of the results; `None` for a passive result.
    pub fn result_ids(&self) -> impl ExactSizeIterator<Item = Option<NamedId>> {
        let outputs = self.0.as_ref().map_or(&[][..], |state| &state.outputs);
        outputs.iter().map(|y| y.is_active().then(|| name(y)))
    }
    /// Whether the recording is that of these inputs, to the bit, and has second derivatives.
    pub(super) fn is_at(&self, x: &[f64]) -> bool {
        let same = |state: &ObjectiveState| {
            let bits =
                |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits());
            let has_second = !state.tape.has_accumulated();
            state.is_whole && has_second && state.at.len() == x.len() && bits(&state.at, x)
        };
        self.0.as_ref().is_some_and(same)
    }
    /// Makes the tape ready to record a program at `x`, for second derivatives or for a gradient.
    pub(super) fn begin(&mut self, x: &[f64], second: bool) -> Result<(), Error> {
        let state = self.state();
        state.is_whole = false;
        state.outputs.clear();
        state.tape.try_reset()?;
        state.tape.adapt(second);
        state.tape.try_inputs_into(x, &mut state.inputs)
    }
    /// The tape at work, the inputs, and where the results go. A closure in the place of these three would hide the user's line, at
    /// which misuse is reported.
    pub(super) fn recorder(&mut self) -> Recorder<'_> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        (tape.install(), inputs, outputs)
    }
    /// Keeps what was recorded at `x`.
    pub(super) fn end(&mut self, x: &[f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape, at, is_whole, ..
        } = self.state();
        if let Some(full) = tape.full() {
            return Err(full.clone());
        }
        at.clear();
        at.extend_from_slice(x);
        *is_whole = true;
        Ok(())
    }
    /// The number of results.
    pub fn results(&self) -> usize {
        self.0.as_ref().map_or(0, |state| state.outputs.len())
    }
    /// Result number `i`.
    pub fn value(&self, i: usize) -> f64 {
        self.0
            .as_ref()
            .map_or(f64::NAN, |state| state.outputs[i].value())
    }
    /// The gradient of result number `i`.
    pub(super) fn gradient(&mut self, i: usize, gradient: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        if !outputs[i].is_active() {
            gradient.fill(slope_of_constant(outputs[i].value()));
            return Ok(());
        }
        let swept = tape.gradient(&outputs[i])?;
        for (x, into) in inputs.iter().zip(gradient) {
            *into = swept.wrt(x)?;
        }
        Ok(())
    }
    /// The Hessian of the first result times a vector.
    pub(super) fn hessian_vector(&mut self, v: &[f64], product: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        if !outputs[0].is_active() {
            product.fill(slope_of_constant(outputs[0].value()));
            return Ok(());
        }
        let mut directions = tape.directions::<1>()?.one_sided();
        for (x, &v) in inputs.iter().zip(v) {
            directions.set(x, [v])?;
        }
        let swept = directions.sweep()?.gradient(&outputs[0])?;
        for (x, into) in inputs.iter().zip(product) {
            [*into] = swept.wrt(x)?;
        }
        Ok(())
    }
    /// Rows of its Hessian, from this one on, eight at most.
    pub(super) fn hessian_rows(&mut self, first: usize, rows: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        let n = inputs.len();
        if !outputs[0].is_active() {
            rows.fill(slope_of_constant(outputs[0].value()));
            return Ok(());
        }
        let mut directions = tape.directions::<MANY>()?.one_sided();
        let each = inputs[first..].iter().take(rows.len() / n.max(1));
        for (j, x) in each.enumerate() {
            directions.set_along(x, j, 1.0)?;
        }
        let swept = directions.sweep()?.gradient(&outputs[0])?;
        for (i, x) in inputs.iter().enumerate() {
            let adjoints = swept.wrt(x)?;
            for (row, adjoint) in rows.chunks_exact_mut(n.max(1)).zip(adjoints) {
                row[i] = adjoint;
            }
        }
        Ok(())
    }
    /// The Jacobian times a vector.
    pub(super) fn jvp(&mut self, v: &[f64], product: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        let mut directions = tape.directions::<1>()?;
        for (x, &v) in inputs.iter().zip(v) {
            directions.set(x, [v])?;
        }
        let tangents = directions.sweep()?;
        for (y, into) in outputs.iter().zip(product) {
            *into = match y.is_active() {
                true => tangents.given(y)?.map_or(0.0, |[tangent]| *tangent + 0.0),
                false => slope_of_constant(y.value()),
            };
        }
        Ok(())
    }
    /// A vector times the Jacobian.
    pub(super) fn vjp(&mut self, seed: &[f64], product: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        product.fill(0.0);
        let mut active = outputs.iter().zip(seed).filter(|(y, _)| y.is_active());
        if outputs.iter().any(Active::is_active) {
            active.try_for_each(|(y, &seed)| tape.seed(y, seed))?;
            let swept = tape.sweep()?;
            for (x, into) in inputs.iter().zip(&mut *product) {
                *into = swept.wrt(x)?;
            }
        }
        if outputs.iter().any(is_undefined) {
            product.fill(f64::NAN);
        }
        Ok(())
    }
    /// Rows of the Jacobian, from this one on, eight at most.
    pub(super) fn jacobian_rows(&mut self, first: usize, rows: &mut [f64]) -> Result<(), Error> {
        let ObjectiveState {
            tape,
            inputs,
            outputs,
            ..
        } = self.state();
        let n = inputs.len();
        let mut adjoints = tape.adjoints()?;
        let each = outputs[first..].iter().take(rows.len() / n.max(1));
        for (j, y) in each.enumerate() {
            if y.is_active() {
                adjoints.seed(y, j, 1.0)?;
            }
        }
        let swept = adjoints.sweep()?;
        for (i, x) in inputs.iter().enumerate() {
            let adjoints = swept.wrt(x)?;
            for (row, adjoint) in rows.chunks_exact_mut(n.max(1)).zip(adjoints) {
                row[i] = adjoint;
            }
        }
        let each = rows.chunks_exact_mut(n.max(1)).zip(&outputs[first..]);
        for (row, y) in each.filter(|(_, y)| !y.is_active()) {
            row.fill(slope_of_constant(y.value()));
        }
        Ok(())
    }
}
impl Drop for CachedTape {
    fn drop(&mut self) {
        // A panic may have left the tape in any state.
        if let Some(state) = self.0.take().filter(|_| !std::thread::panicking()) {
            let _ = OF_OBJECTIVES.try_with(|waiting| waiting.borrow_mut().push(state));
        }
    }
}

/// Room for plain values, which this thread keeps.
pub(super) fn with_values<T>(f: impl FnOnce(&mut Vec<f64>) -> T) -> T {
    thread_local! {
        static VALUES: std::cell::Cell<Vec<f64>> = const { std::cell::Cell::new(Vec::new()) };
    }
    // A function that calls another one finds none.
    let mut values = VALUES.take();
    values.clear();
    let result = f(&mut values);
    VALUES.set(values);
    result
}
