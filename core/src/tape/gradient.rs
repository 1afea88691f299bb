use super::{
    modes::Records, position::Position, recording::TapeRecording, sequence::Mark,
    statement::ValueCheck, sweep::Seeds, user::Tape,
};
use crate::{
    error::Error,
    expr::Active,
    kind::{
        Adjoint, Contribution, Kind, Passed, Policy, TapeCell, Val, VariableId, assert_like,
        carrier::Taped,
    },
    store::{AdjointStore, AdjointsOf, Values},
};
use std::{fmt, marker::PhantomData, panic::Location};

/// A kind whose gradient has the seed one: reals, and [custom numbers](crate::elementwise::RealKind).
#[diagnostic::on_unimplemented(
    message = "the gradient of a result of kind `{Self}` needs a seed, as it is not one real number",
    label = "not a real number",
    note = "seed its numbers with `tape.seed(&y, seed)?` and call `tape.sweep()?`, or reduce it to one number"
)]
pub trait Scalar: Kind {
    /// Returns the number one.
    fn one() -> Val<Self>;
}
for_reals! { $T =>
    impl Scalar for $T {
        #[inline(always)]
        fn one() -> $T { 1.0 }
    }
}

/// The adjoints after a sweep, by input.
///
/// ```
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let x = tape.inputs([3.0, 4.0]);
/// let y = tape.record(|| (x[0] * x[0] * x[1]).eval());
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&x[0])?, 24.0);
/// assert_eq!(gradient.wrt_all(&x)?, [24.0, 9.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[must_use]
#[derive(Clone, Copy)]
pub struct Gradient<'t, M = Taped> {
    recording: &'t TapeRecording,
    adjoints: &'t AdjointStore,
    whole: bool,
    _mode: PhantomData<M>,
}
debug_by_name! { ['t, M] Gradient<'t, M> }
impl<M: Records> Gradient<'_, M> {
    /// Returns the derivative of the seeded outputs with respect to the input `x`, even if it was overwritten. Panics
    /// if a rule is faulty.
    ///
    /// After a sweep to a position, it is the derivative with respect to the value of `x` there, also of variables of
    /// value kinds recorded before the position. A [continued](Tape::sweep) sweep adds earlier contributions.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(3.0);
    /// let y = tape.record(|| (x * x).eval());
    /// let middle = tape.position();
    /// let z = tape.record(|| (y * x).eval());
    /// tape.seed(&z, 1.0)?;
    /// let g = tape.sweep_to(&middle)?;
    /// assert_eq!((g.wrt(&y)?, g.wrt(&x)?), (3.0, 9.0)); // z = y x, for a y that is fixed
    /// assert_eq!(tape.sweep()?.wrt(&x)?, 27.0); // z = x³
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `x` is not an input of this recording, such as a reassigned variable of a value kind.
    #[track_caller]
    pub fn wrt<K: Kind>(&self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        let (values, adjoints, id) = self.of_input(x)?;
        let value = || values.primal(id).peek();
        let gradient = adjoints.gradient(id, || value().clone());
        if K::Policy::STORAGE && values.stored(id).is_some() {
            assert_like::<K>("gradient", &gradient, value());
        }
        Ok(gradient)
    }
    /// Returns the gradient for [`Tape::pass_on`], or `None` if it is unset. Unset zeros are `-0.0`, computed zeros
    /// `0.0`.
    #[doc(hidden)]
    pub fn flowed<K: Kind>(&self, x: &Active<K, M>) -> Result<Option<Val<K>>, Error> {
        let (_, adjoints, id) = self.of_input(x)?;
        let adjoint = adjoints.set(id).cloned();
        Ok(adjoint.and_then(Adjoint::into_marked))
    }
    #[allow(clippy::type_complexity)]
    fn of_input<K: Kind>(
        &self,
        x: &Active<K, M>,
    ) -> Result<(&Values<K>, &AdjointsOf<K>, u32), Error> {
        let variable = x.variable_id();
        let not = Error::NotAnInput { kind: K::NAME };
        if variable.is_lost() {
            // The result depends on statements that were not recorded.
            return Err(self.recording.full.clone().unwrap_or(not));
        }
        if variable.is_passive() {
            return Err(not);
        }
        let stale = Error::Stale { kind: K::NAME };
        let values = self.recording.memory.values.find::<K>();
        let (Some(values), Some(adjoints)) = (values, self.adjoints.find::<K>()) else {
            return Err(stale);
        };
        if !values.is_valid(variable, self.recording.tag) {
            return Err(stale);
        }
        // Identifiers below the cursor are older than the position.
        let before = !self.whole && !values.is_owned() && variable.id < adjoints.cursor();
        if values.is_input(variable.id) || before {
            Ok((values, adjoints, variable.id))
        } else {
            Err(not)
        }
    }
    /// Returns the gradients with respect to many inputs of one kind. Fails and panics like [`wrt`](Self::wrt).
    #[track_caller]
    pub fn wrt_all<'x, K: Kind>(
        &self,
        x: impl IntoIterator<Item = &'x Active<K, M>>,
    ) -> Result<Vec<Val<K>>, Error>
    where
        M: 'x,
    {
        let x = x.into_iter();
        let mut gradients = Vec::with_capacity(x.size_hint().0);
        for x in x {
            gradients.push(self.wrt(x)?);
        }
        Ok(gradients)
    }
}

/// The first statement whose value is not finite, found by [`Tape::find_non_finite`]. `Display` prints it in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NonFinite {
    /// The statement's expression, as a type.
    pub expression: String,
    /// Where the statement was recorded, or without [tracing](super::Builder::trace) the first one with this expression and
    /// constants.
    pub location: &'static Location<'static>,
    /// The number of statements before it.
    pub index: usize,
}

impl fmt::Display for NonFinite {
    /// Prints `src/main.rs:7:40: statement 3, Ln(f64), is the first whose value is not finite`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NonFinite {
            expression,
            location,
            index,
        } = self;
        write!(
            f,
            "{location}: statement {index}, {expression}, is the first whose value is not finite"
        )
    }
}

impl<M: Records> Tape<M> {
    /// Sweeps back from `y` with a seed of one, dropping other seeds. Fails if `y` is not on this recording.
    pub fn gradient<K: Scalar>(&mut self, y: &Active<K, M>) -> Result<Gradient<'_, M>, Error> {
        self.sweep.seeds = Seeds::None;
        self.seed(y, K::one())?;
        self.sweep()
    }
    /// Adds `seed` to the adjoint of `y`, for the next [`sweep`](Self::sweep).
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(3.0);
    /// let (y, z) = tape.record(|| ((x * x).eval(), (2.0 * x).eval()));
    /// tape.seed(&y, 1.0)?;
    /// tape.seed(&z, 10.0)?;
    /// assert_eq!(tape.sweep()?.wrt(&x)?, 1.0 * 6.0 + 10.0 * 2.0);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `y` is not on this recording, something was recorded since other seeds were given ([`Error::SeedsLost`]), or
    /// memory is not available.
    ///
    /// # Panics
    ///
    /// If the shapes of `seed` and `y` differ.
    #[track_caller]
    pub fn seed<K: Kind>(&mut self, y: &Active<K, M>, seed: Val<K>) -> Result<(), Error> {
        assert_like::<K>("seed", &seed, y.get());
        self.add_seed(y, seed)
    }
    /// Adds the [result of another sweep](Gradient::flowed) to the adjoint of `y`.
    #[doc(hidden)]
    #[track_caller]
    pub fn pass_on<K: Kind>(&mut self, y: &Active<K, M>, flowed: Val<K>) -> Result<(), Error> {
        assert_like::<K>("seed", &flowed, y.get());
        self.add_seed(y, Passed(flowed))
    }
    fn add_seed<K: Kind>(
        &mut self,
        y: &Active<K, M>,
        seed: impl Contribution<K>,
    ) -> Result<(), Error> {
        let (recording, sweep) = self.parts();
        recording.intact()?;
        recording.check_variable::<K>(y.variable_id())?;
        sweep.start_unless_seeded(recording)?;
        // Set until a sweep takes the seeds.
        sweep.dirty = true;
        seed.add_to(sweep.adjoints.get::<K>().at(y.variable_id().id));
        Ok(())
    }
    /// Sweeps the tape with the seeds given since the last sweep. Equal seeds return bitwise equal results.
    ///
    /// Without new seeds, continues a sweep that stopped at a [position](Self::sweep_to), and returns the gradient of a whole
    /// sweep.
    ///
    /// # Errors
    ///
    /// * [`Error::NotSeeded`] if no seed was given, or the tape was changed or inspected after a sweep to a position.
    /// * [`Error::SeedsLost`] if something was recorded since.
    /// * [`Error::Broken`] if an earlier sweep panicked.
    /// * [`Error::External`] if a closure of an external function failed; sweep again.
    pub fn sweep(&mut self) -> Result<Gradient<'_, M>, Error> {
        self.sweep_down_to(Mark::default(), false)
    }
    /// Sweeps down to a position, and returns adjoints of variables recorded before it. Without new seeds, continues a sweep that
    /// stopped at a later position.
    ///
    /// # Errors
    ///
    /// Like [`sweep`](Self::sweep), and if the position is not of this recording, or the last sweep stopped before it.
    pub fn sweep_to(&mut self, position: &Position) -> Result<Gradient<'_, M>, Error> {
        self.recorded().check(position)?;
        self.sweep_down_to(position.mark, true)
    }
    fn sweep_down_to(&mut self, mark: Mark, stops: bool) -> Result<Gradient<'_, M>, Error> {
        let (recording, sweep) = self.parts();
        sweep.sweep(recording, mark, stops)?;
        Ok(Gradient {
            recording,
            adjoints: &sweep.adjoints,
            whole: mark == Mark::default(),
            _mode: PhantomData,
        })
    }
    /// Returns the first statement whose value is NaN or infinite. Without [tracing](super::Builder::trace), a later statement
    /// may be reported if variables own their identifiers.
    ///
    /// ```
    /// use entape_core::{real::Elementary, tape::Tape};
    ///
    /// let mut tape: Tape = Tape::builder().trace(true).build()?;
    /// let x = tape.input(0.0);
    /// tape.record(|| (x.cos() * (x * x).eval().ln()).eval());
    /// let found = tape.find_non_finite().expect("the logarithm of zero");
    /// assert_eq!(found.index, 2); // after the input and the square
    /// assert!(found.to_string().contains("Mul(Cos(f64), Ln(f64))"), "{found}");
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tape is [broken](Error::Broken).
    #[track_caller]
    pub fn find_non_finite(&mut self) -> Option<NonFinite> {
        let (recording, sweep) = self.parts();
        let check = if recording.trace {
            ValueCheck::AllValues
        } else {
            ValueCheck::ReadValues
        };
        let (mut found, mut index) = (None, 0);
        sweep.replay(recording, |entry, context, block| {
            if !(entry.statement.redo)(context, block, entry.statement, check) && found.is_none() {
                found = Some(NonFinite {
                    expression: entry.statement.formula.to_string(),
                    location: entry.location(),
                    index,
                });
            }
            index += 1;
        });
        found
    }
}
impl TapeRecording {
    pub(crate) fn intact(&self) -> Result<(), Error> {
        if self.broken {
            Err(Error::Broken)
        } else {
            Ok(())
        }
    }
    pub(super) fn succeeded(&mut self) -> Result<(), Error> {
        self.memory.stacks.failed.take().map_or(Ok(()), Err)
    }
    pub(super) fn check_variable<K: Kind>(&self, variable: VariableId) -> Result<(), Error> {
        let kind = K::NAME;
        if variable.is_lost() {
            return Err(self.full.clone().unwrap_or(Error::NotRecorded { kind }));
        }
        if variable.is_passive() {
            return Err(Error::NotRecorded { kind });
        }
        match self.memory.values.find::<K>() {
            Some(values) if values.is_valid(variable, self.tag) => Ok(()),
            _ => Err(Error::Stale { kind }),
        }
    }
}
