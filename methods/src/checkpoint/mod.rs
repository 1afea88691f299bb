//! The gradient of a loop of steps in bounded memory.
//!
//! Some states are stored, the steps in between repeated, and a few steps at a time recorded and swept. With `c` stored
//! states, each step repeated at most `r` times, a loop may have `(c + r)! / (c! r!)` steps: a hundred states are
//! enough for 5,151 steps with two repetitions, and for 176,851 with three.
//!
//! ```
//! use entape_core::{expr::Active, mode::Mode};
//! use entape_drivers::{ArrayShape, SingleShape};
//! use entape_methods::checkpoint::{Checkpoints, Cost, Steps};
//! type Real<M> = Active<f64, M>;
//!
//! /// A mass on a spring: position and velocity, with the stiffness as a parameter.
//! struct Spring { dt: f64 }
//! impl Steps for Spring {
//!     type State = ArrayShape<f64, 2>;
//!     type Parameters = SingleShape<f64>;
//!     type Output<M: Mode> = [Real<M>; 2];
//!     fn step<M: Mode>(&self, _: usize, [x, v]: [Real<M>; 2], k: Real<M>) -> [Real<M>; 2] {
//!         let v = (v - k * x * self.dt).eval();
//!         [(x + v * self.dt).eval(), v]
//!     }
//! }
//! impl Cost for Spring {
//!     fn cost<M: Mode>(&self, [x, _]: [Real<M>; 2], _: Real<M>) -> Real<M> {
//!         x
//!     }
//! }
//! let spring = Spring { dt: 1e-4 };
//! // 10,000 steps, with 10 states stored at a time
//! let checkpoints = Checkpoints::new().states(10);
//! let (x, ([x_b, v_b], k_b)) = checkpoints.value_and_gradient(&spring, [1.0, 0.0], 1.0, 10_000)?;
//! // x = x0 cos(√k t) + v0 sin(√k t) / √k at t = 1
//! assert!((x - 1_f64.cos()).abs() < 1e-4 && (x_b - 1_f64.cos()).abs() < 1e-4);
//! assert!((v_b - 1_f64.sin()).abs() < 1e-4 && (k_b + 1_f64.sin() / 2.0).abs() < 1e-4);
//! # Ok::<(), entape_methods::checkpoint::Error>(())
//! ```
//!
//! # Programs
//!
//! | program | given as |
//! |---|---|
//! | a step generic in the mode | [`Steps`]; plain mode advances as fast as without entape |
//! | a step that can fail | [`TrySteps`]; a failure is [`Error::Step`] |
//! | a step with a cost | [`Cost`]: of the last state, and of each state on the way |
//! | two closures | [`value_and_gradient_of`](Checkpoints::value_and_gradient_of) |
//! | steps that record in the mode [`Reuse`] | [`AnySteps`], or closures, for `Checkpoints::<Reuse>::default()` |
//!
//! Within a larger program, a loop is one statement: [`as_statement`](Checkpoints::as_statement).
//!
//! Steps are numbered from 0. Because they are repeated, results must depend only on number, state and parameters. The
//! driver compares some states, ever fewer after the beginning of the last sweep, and returns [`Error::NotRepeatable`]
//! if they differ.
//!
//! # Bitwise equality with the whole tape
//!
//! For every bound, the gradient is bitwise equal to the whole tape's. Rounding differs only if a step returns a
//! variable twice, or a parameter as part of the state, and for products of vectors with matrices of 8 or more rows and
//! columns.
//!
//! # Memory
//!
//! [`Checkpoints::states`] bounds the number of stored states. [`Checkpoints::bytes`] bounds states and tape together,
//! and chooses how many steps to record at once, by up to 128 additional steps. [`Checkpoints::spill`] stores further
//! states in a temporary file.
//!
//! # Sources
//!
//! For a known number of steps: binomial checkpointing, which is optimal (A. Griewank and A. Walther, *Algorithm 799: revolve:
//! an implementation of checkpointing for the reverse or adjoint mode of computational differentiation*, 2000). For a loop
//! until a condition holds: Q. Wang, P. Moin and G. Iaccarino, *Minimal repetition dynamic checkpointing algorithm for unsteady
//! adjoint calculation*, 2009.
mod driver;
mod error;
mod online;
mod plan;
mod program;
mod progress;
mod schedule;
mod statement;
mod states;

pub use self::error::Error;
pub use self::program::{AnySteps, Cost, StepMode, Steps, TrySteps, Values, View};
pub use self::progress::Progress;
use self::{
    driver::{Engine, Reversed, Seed},
    plan::Plan,
    program::{ByReference, Closures, Costly, Loop, Uncosted, Variables},
};
use entape_core::{
    expr::Active,
    mode::{Plain, Reuse, Taped},
    structure::{FlatStructure, Structure},
};
use entape_drivers::{Inputs, IntoValues, Outputs};
use std::{env::temp_dir, fmt, marker::PhantomData, path::PathBuf};

/// The gradient with respect to the initial state and the parameters.
pub type Gradient<T> = (
    Values<<T as TrySteps>::State>,
    Values<<T as TrySteps>::Parameters>,
);

type Tell<'c> = Box<dyn Fn(&Progress) + 'c>;

#[derive(Clone, Copy, Debug)]
enum Bound {
    States(usize),
    Bytes(usize),
}

/// Bounds the memory for the gradient of a loop, by default to 256 MiB. Drivers fail with [`Error`], and panic if a step does.
///
/// ```
/// use entape_core::expr::Active;
/// use entape_methods::checkpoint::Checkpoints;
///
/// let step = |_, x: Active<f64>, a: Active<f64>| (a * x).eval();
/// let checkpoints = Checkpoints::new().states(2).steps_at_once(3);
/// let (y, (x_b, a_b)) = checkpoints.value_and_gradient_of(step, |x, _| x, 3.0, 2.0, 10)?;
/// assert_eq!((y, x_b, a_b), (3072.0, 1024.0, 15360.0)); // x a¹⁰, a¹⁰, 10 x a⁹
/// # Ok::<(), entape_methods::checkpoint::Error>(())
/// ```
pub struct Checkpoints<'c, M = Taped> {
    bound: Bound,
    at_once: Option<usize>,
    spill: usize,
    folder: Option<PathBuf>,
    progress: Option<Tell<'c>>,
    _mode: PhantomData<M>,
}
impl<M> Default for Checkpoints<'_, M> {
    fn default() -> Self {
        Checkpoints {
            bound: Bound::Bytes(256 << 20),
            at_once: None,
            spill: 0,
            folder: None,
            progress: None,
            _mode: PhantomData,
        }
    }
}
impl<M> fmt::Debug for Checkpoints<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints")
            .field("bound", &self.bound)
            .field("at_once", &self.at_once)
            .field("spill", &self.spill)
            .finish_non_exhaustive()
    }
}

impl Checkpoints<'_> {
    /// Creates a bound of 256 MiB, without a file, for steps that are recorded in the mode [`Taped`].
    /// `Checkpoints::<Reuse>::default()` is for the mode [`Reuse`].
    pub fn new() -> Self {
        Checkpoints::default()
    }
}
impl<'c, M: StepMode> Checkpoints<'c, M> {
    /// Stores at most this many states, including the initial one. Records one step at a time, or
    /// [`steps_at_once`](Self::steps_at_once).
    ///
    /// # Panics
    ///
    /// If the number is 0.
    #[must_use]
    #[track_caller]
    pub fn states(mut self, states: usize) -> Self {
        assert!(
            states > 0,
            "the number of stored states is 0: pass at least 1, for the initial state"
        );
        self.bound = Bound::States(states);
        self
    }
    /// Uses about this many bytes for stored states and the tape, in addition to the memory of the steps.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bound = Bound::Bytes(bytes);
        self
    }
    /// Records and sweeps this many steps together, with a larger tape and fewer repetitions. The schedule counts them
    /// as one.
    ///
    /// # Panics
    ///
    /// If the number is 0.
    #[must_use]
    #[track_caller]
    pub fn steps_at_once(mut self, steps: usize) -> Self {
        assert!(
            steps > 0,
            "the number of steps that are recorded at a time is 0: pass at least 1"
        );
        self.at_once = Some(steps);
        self
    }
    /// Stores further states in a temporary file of at most this many bytes. All states must have equally many
    /// coordinates, which take 8 bytes each, in double precision. The operating system removes the file.
    #[must_use]
    pub fn spill(mut self, bytes: usize) -> Self {
        self.spill = bytes;
        self
    }
    /// Sets the folder for the file of [`spill`](Self::spill), by default the system's for temporary files.
    #[must_use]
    pub fn spill_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }
    /// Calls `tell` after each sweep, and occasionally in between.
    ///
    /// ```
    /// use entape_core::expr::Active;
    /// use entape_methods::checkpoint::Checkpoints;
    /// use std::cell::Cell;
    ///
    /// let part = Cell::new(0.0);
    /// let checkpoints = Checkpoints::new().states(3).progress(|p| part.set(p.fraction().unwrap_or(0.0)));
    /// let step = |_, x: Active<f64>, a: Active<f64>| (a * x).eval();
    /// let (y, (x_b, a_b)) = checkpoints.value_and_gradient_of(step, |x, _| x, 3.0, 2.0, 4)?;
    /// assert_eq!((y, x_b, a_b), (48.0, 16.0, 4.0 * 3.0 * 8.0));
    /// assert_eq!(part.get(), 1.0);
    /// # Ok::<(), entape_methods::checkpoint::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, tell: impl Fn(&Progress) + 'c) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }
}
impl Checkpoints<'_> {
    /// Returns the cost of a loop of `steps` steps from an initial state, and its gradient with respect to this state and the
    /// parameters.
    #[track_caller]
    pub fn value_and_gradient<T: Cost>(
        &self,
        program: &T,
        initial: impl IntoValues<T::State>,
        parameters: impl IntoValues<T::Parameters>,
        steps: usize,
    ) -> Result<(f64, Gradient<T>), Error<T::Failure>> {
        self.cost_and_gradient(
            &Costly(program),
            initial.into_values(),
            parameters.into_values(),
            steps,
        )
    }
    /// Like [`value_and_gradient`](Self::value_and_gradient), for a loop until a condition of the number of steps and
    /// the plain state holds. It is called before each step, possibly also before repeated ones.
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Mode};
    /// use entape_drivers::SingleShape;
    /// use entape_methods::checkpoint::{Checkpoints, Cost, Steps};
    ///
    /// /// Heron's method for the root of the parameter.
    /// struct Heron;
    /// impl Steps for Heron {
    ///     type State = SingleShape<f64>;
    ///     type Parameters = SingleShape<f64>;
    ///     type Output<M: Mode> = Active<f64, M>;
    ///     fn step<M: Mode>(&self, _: usize, x: Active<f64, M>, a: Active<f64, M>) -> Active<f64, M> {
    ///         ((x + a / x) / 2.0).eval()
    ///     }
    /// }
    /// impl Cost for Heron {
    ///     fn cost<M: Mode>(&self, x: Active<f64, M>, _: Active<f64, M>) -> Active<f64, M> {
    ///         x
    ///     }
    /// }
    /// let checkpoints = Checkpoints::new().states(3);
    /// let (x, (_, a_b)) = checkpoints.value_and_gradient_until(&Heron, 1.0, 4.0, |_, x| (x.value().powi(2) - 4.0).abs() < 1e-13)?;
    /// assert!((x - 2.0).abs() < 1e-13 && (a_b - 0.25).abs() < 1e-12);
    /// # Ok::<(), entape_methods::checkpoint::Error>(())
    /// ```
    #[track_caller]
    pub fn value_and_gradient_until<T: Cost>(
        &self,
        program: &T,
        initial: impl IntoValues<T::State>,
        parameters: impl IntoValues<T::Parameters>,
        is_done: impl Fn(usize, View<'_, T::State, Plain>) -> bool,
    ) -> Result<(f64, Gradient<T>), Error<T::Failure>> {
        let program = Costly(program);
        let (initial, parameters) = (initial.into_values(), parameters.into_values());
        let mut engine = Engine::new(&program, initial, &parameters, self.tell());
        let until = |number, state: &_| is_done(number, T::State::view(state));
        self.divide(&mut engine, None, until)?;
        let reversed = engine.reverse_until(until)?;
        Ok((reversed.value, reversed.adjoints))
    }
    /// Returns the last state of a loop, and `seed` times its derivatives. Also panics if the shapes of the seed and the last
    /// state differ.
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn vjp<T: TrySteps>(
        &self,
        program: &T,
        initial: impl IntoValues<T::State>,
        parameters: impl IntoValues<T::Parameters>,
        steps: usize,
        seed: impl IntoValues<T::State>,
    ) -> Result<(Values<T::State>, Gradient<T>), Error<T::Failure>> {
        let (program, seed) = (Uncosted(program), Seed::Given(seed.into_values()));
        let (initial, parameters) = (initial.into_values(), parameters.into_values());
        let reversed = self.reverse(&program, initial, &parameters, Some(seed), steps)?;
        Ok((reversed.last, reversed.adjoints))
    }
}
impl Checkpoints<'_, Reuse> {
    /// Returns the cost of a loop of `steps` steps from an initial state, and its gradient with respect to this state and the
    /// parameters. Records in the mode [`Reuse`].
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_gradient<T: AnySteps>(
        &self,
        program: &T,
        initial: impl IntoValues<T::State>,
        parameters: impl IntoValues<T::Parameters>,
        steps: usize,
    ) -> Result<(f64, (Values<T::State>, Values<T::Parameters>)), Error> {
        self.cost_and_gradient(
            &ByReference(program),
            initial.into_values(),
            parameters.into_values(),
            steps,
        )
    }
}
impl<M: StepMode> Checkpoints<'_, M> {
    /// Like [`value_and_gradient`](Checkpoints::value_and_gradient), for closures over recorded variables: a step, and the cost
    /// of the last state. Initial state and parameters have the shapes of [inputs](Inputs). In the mode [`Reuse`] a closure
    /// receives references to [`Vars`](entape_core::structure::Vars). Steps are slower than with [`Steps`]. Also panics if a
    /// closure uses variables of another tape.
    ///
    /// ```
    /// use entape_core::{expr::Active, real::Elementary};
    /// use entape_methods::checkpoint::Checkpoints;
    /// type Real = Active<f64>;
    ///
    /// // x' = sin(a x), by Euler's method
    /// let step = |_, x: Real, a: Real| (x + 1e-3 * (a * x).sin()).eval();
    /// let cost = |x: Real, _: Real| x * x;
    /// let (y, (x_b, a_b)) = Checkpoints::new().value_and_gradient_of(step, cost, 1.0, 0.5, 1000)?;
    /// assert!(y > 2.0 && x_b > 2.0 && a_b > 1.0);
    /// # Ok::<(), entape_methods::checkpoint::Error>(())
    /// ```
    #[track_caller]
    #[allow(clippy::type_complexity)]
    pub fn value_and_gradient_of<Q, R, I, J, O, Y, F, C>(
        &self,
        step: F,
        cost: C,
        initial: I,
        parameters: J,
        steps: usize,
    ) -> Result<(f64, (Values<I::Shape>, Values<J::Shape>)), Error>
    where
        I: Inputs<Q, Shape: FlatStructure>,
        J: Inputs<R>,
        O: Outputs<M, Values = Values<I::Shape>, Variables = Variables<I::Shape, M>>,
        Y: Outputs<M, Variables = Active<f64, M>>,
        F: Fn(usize, M::View<'_, I::Shape>, M::View<'_, J::Shape>) -> O,
        C: Fn(M::View<'_, I::Shape>, M::View<'_, J::Shape>) -> Y,
    {
        let (step, cost, shapes) = (&step, &cost, PhantomData::<(I::Shape, J::Shape, M)>);
        let program = Closures { step, cost, shapes };
        self.cost_and_gradient(
            &program,
            initial.into_values(),
            parameters.into_values(),
            steps,
        )
    }

    fn tell(&self) -> &dyn Fn(&Progress) {
        match &self.progress {
            Some(tell) => tell,
            None => &|_| (),
        }
    }
    /// Returns the cost of a loop and its gradient.
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn cost_and_gradient<P: Loop>(
        &self,
        program: &P,
        initial: Values<P::State>,
        parameters: Values<P::Parameters>,
        steps: usize,
    ) -> Result<(f64, (Values<P::State>, Values<P::Parameters>)), Error<P::Failure>> {
        let reversed = self.reverse(program, initial, &parameters, None, steps)?;
        Ok((reversed.value, reversed.adjoints))
    }
    #[track_caller]
    fn reverse<P: Loop>(
        &self,
        program: &P,
        initial: Values<P::State>,
        parameters: &Values<P::Parameters>,
        seed: Option<Seed<Values<P::State>>>,
        steps: usize,
    ) -> Result<Reversed<P>, Error<P::Failure>> {
        let mut engine = Engine::new(program, initial, parameters, self.tell());
        seed.into_iter().for_each(|seed| engine.seed(seed));
        self.divide(&mut engine, Some(steps), |_, _| false)?;
        engine.reverse(steps)
    }
    #[track_caller]
    fn divide<P: Loop>(
        &self,
        engine: &mut Engine<'_, P>,
        steps: Option<usize>,
        until: impl Fn(usize, &Variables<P::State, P::Ahead>) -> bool,
    ) -> Result<(), Error<P::Failure>> {
        let in_file = engine.states_in_file(self.spill);
        let mut plan = match self.bound {
            Bound::States(states) => Plan {
                at_once: 1,
                slots: states.saturating_add(in_file),
            },
            Bound::Bytes(bound) => engine.plan(bound, steps, in_file, until)?,
        };
        plan.at_once = self.at_once.unwrap_or(plan.at_once);
        let folder = self.folder.clone().unwrap_or_else(temp_dir);
        engine.divide(plan, in_file, &folder)
    }
}
