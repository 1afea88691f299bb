//! The public interface of the tape.
use super::{
    current,
    modes::Records,
    options::Builder,
    position::Position,
    recording::{NOBODY, TapeRecording},
    sequence::Mark,
    sweep::SweepState,
};
use crate::{
    error::Error,
    expr::{Active, Constant, Id, ValueOf},
    kind::{Identifier, Kind, Policy, Slot, TapeCell, TapeValue, Val, VariableId, carrier::Taped},
    storage::pool,
};
use std::{fmt, marker::PhantomData, panic::Location};

/// Records statements and sweeps them.
///
/// ```
/// use entape_core::tape::Tape;
///
/// let mut tape = Tape::new();
/// let a = tape.input(4.0);
/// let w = tape.record(|| (a * a).eval());
/// assert_eq!(tape.gradient(&w)?.wrt(&a)?, 8.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// A tape and its variables remain on their thread. Create a tape for each thread, send plain values and closures over
/// them, or call an `Objective` on any thread.
pub struct Tape<M: Records = Taped> {
    pub(super) recording: Option<Box<TapeRecording>>,
    pub(super) sweep: SweepState,
    pub(super) _mode: PhantomData<M>,
}

impl<M: Records> fmt::Debug for Tape<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tape = f.debug_struct("Tape");
        if let Some(recording) = &self.recording {
            tape.field("statements", &recording.sizes().statements);
        }
        tape.finish_non_exhaustive()
    }
}

impl Tape {
    /// Creates an empty tape of the mode [`Taped`], without [options](Self::builder). `Tape::<Reuse>::default()` creates tapes
    /// of other modes.
    ///
    /// # Panics
    ///
    /// If the process has made 2^32 recordings.
    pub fn new() -> Self {
        Self::default()
    }
    /// Whether a tape records on this thread.
    pub fn is_recording() -> bool {
        current::take().tape().is_some()
    }
}
impl<M: Records> Default for Tape<M> {
    fn default() -> Self {
        Builder::default().build().expect("an unused tag")
    }
}

const AT_HOME: &str = "the tape does not record during this call";

impl<M: Records> Tape<M> {
    /// Sets options of a new tape, such as a memory limit or tracing.
    pub fn builder() -> Builder<M> {
        Builder::default()
    }
    pub(super) fn from_parts(recording: TapeRecording, sweep: SweepState) -> Self {
        Tape {
            recording: Some(Box::new(recording)),
            sweep,
            _mode: PhantomData,
        }
    }
    pub(super) fn recorded(&self) -> &TapeRecording {
        self.recording.as_ref().expect(AT_HOME)
    }
    pub(super) fn recorded_mut(&mut self) -> &mut TapeRecording {
        self.recording.as_mut().expect(AT_HOME)
    }
    pub(super) fn parts(&mut self) -> (&mut TapeRecording, &mut SweepState) {
        (self.recording.as_mut().expect(AT_HOME), &mut self.sweep)
    }
    fn go_on(&mut self) -> &mut TapeRecording {
        let (recording, sweep) = self.parts();
        sweep.roll_forward(recording);
        sweep.lose_seeds();
        current::collect(recording);
        recording
    }
    /// Prepares the tape of a driver: it refuses casts as the recording tape does, and for second derivatives records
    /// parts of programs as statements.
    #[doc(hidden)]
    pub fn adapt(&mut self, second: bool) {
        let recording = self.recorded_mut();
        recording.refuse_casts = current::refuses_casts();
        recording.keeps_parts = second;
    }
    #[doc(hidden)]
    pub fn unconditional(&self) -> Option<&'static Location<'static>> {
        self.recorded().unconditional
    }
    /// Whether sweeps call closures of external functions without seeds; see
    /// [`unconditional`](crate::external::External::unconditional).
    #[doc(hidden)]
    pub fn takes_part(&self) -> bool {
        self.unconditional().is_some()
    }
    #[doc(hidden)]
    pub fn has_accumulated(&self) -> bool {
        self.recorded().accumulated.is_some()
    }
    /// Creates the store of a kind before its first variable.
    pub fn register<K: Kind>(&mut self) {
        self.recorded_mut().memory.values.get::<K>();
    }

    /// Creates an input, with respect to which gradients are computed. Its kind follows from the value; otherwise use
    /// [`input_as`](Self::input_as).
    ///
    /// # Panics
    ///
    /// If the tape is full.
    // Where the compiler cannot infer the kind, it shows the lines of these bounds, with their comments.
    #[track_caller]
    pub fn input<K>(
        &mut self,
        value: impl Constant<K> + ValueOf<K>, // if values of this type have several kinds: `input_as::<Kind>(value)`
    ) -> Active<K, M>
    where
        K: Kind, // if values of this type have several kinds: `input_as::<Kind>(value)`
    {
        self.input_as(value.into_value())
    }
    /// Creates an input of a given kind; panics like [`input`](Self::input).
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input_as::<f32>(4.0); // single precision
    /// let y = tape.record(|| (x * x).eval());
    /// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 8.0_f32);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn input_as<K: Kind>(&mut self, value: Val<K>) -> Active<K, M> {
        match self.try_input(value) {
            Ok(x) => x,
            Err(full) => panic!("no input can be registered, because {full}"),
        }
    }
    /// Creates an input of a given kind.
    ///
    /// # Errors
    ///
    /// If the tape is full ([`Error::MemoryLimit`], [`Error::IdentifiersExhausted`]).
    #[track_caller]
    pub fn try_input<K: Kind>(&mut self, value: Val<K>) -> Result<Active<K, M>, Error> {
        let recording = self.go_on();
        let cell = TapeCell::new(value);
        let held = K::Policy::held::<M, _>(Clone::clone(&cell), K::zero_like);
        let variable = recording.input::<K, Id<K, M>>(cell)?;
        let slot = match Id::<K, M>::OWNED {
            true => recording.memory.values.get::<K>().slot(variable.id),
            false => Slot::NONE,
        };
        Ok(Active::from_parts(held, variable, slot))
    }
    /// Creates an input for each value; panics like [`input`](Self::input). Inputs of value kinds are one statement.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.inputs([1.0, 2.0, 3.0]);
    /// let y = tape.record(|| (x[0] * x[1] * x[2]).eval());
    /// assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, [6.0, 3.0, 2.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn inputs<K, V>(&mut self, values: impl IntoIterator<Item = V>) -> Vec<Active<K, M>>
    where
        K: Kind, // if values of this type have several kinds: `inputs::<Kind, _>(values)`
        V: Constant<K> + ValueOf<K>, // if values of this type have several kinds: `inputs::<Kind, _>(values)`
    {
        self.inputs_as(values.into_iter().map(V::into_value).collect())
    }
    #[track_caller]
    pub(crate) fn inputs_as<K: Kind>(&mut self, values: Vec<Val<K>>) -> Vec<Active<K, M>> {
        match self.try_inputs(values) {
            Ok(x) => x,
            Err(full) => panic!("no inputs can be registered, because {full}"),
        }
    }
    #[doc(hidden)]
    pub fn try_inputs_into(
        &mut self,
        values: &[f64],
        into: &mut Vec<Active<f64, M>>,
    ) -> Result<(), Error> {
        if Id::<f64, M>::OWNED {
            *into = self.try_inputs::<f64>(values.to_vec())?;
            return Ok(());
        }
        into.clear();
        if values.is_empty() {
            return Ok(());
        }
        let recording = self.go_on();
        let first = recording.linear_inputs::<f64>(values.iter().copied())?;
        let tag = recording.tag;
        into.extend(values.iter().zip(first..).map(|(&value, id)| {
            let held = <f64 as Kind>::Policy::held::<M, f64>(value, f64::zero_like);
            Active::from_parts(held, VariableId { id, tag }, Slot::NONE)
        }));
        Ok(())
    }
    /// Creates an input for each value, or none. Fails like [`try_input`](Self::try_input).
    #[track_caller]
    pub fn try_inputs<K: Kind>(&mut self, values: Vec<Val<K>>) -> Result<Vec<Active<K, M>>, Error> {
        if Id::<K, M>::OWNED {
            self.go_on().reserve_for::<K>(values.len())?;
            return values.into_iter().map(|v| self.try_input(v)).collect();
        }
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let recording = self.go_on();
        let cells: Vec<TapeValue<K>> = values.into_iter().map(TapeCell::new).collect();
        let first = recording.linear_inputs::<K>(cells.iter().cloned())?;
        let (ids, tag) = (first.., recording.tag);
        let variable = |(cell, id)| {
            let held = K::Policy::held::<M, _>(cell, K::zero_like);
            Active::from_parts(held, VariableId { id, tag }, Slot::NONE)
        };
        Ok(cells.into_iter().zip(ids).map(variable).collect())
    }

    /// Runs `program`, and appends its statements. If it panics, the statements before the panic are kept. Then a tape
    /// that was recording on this thread resumes. Seeds that no sweep has taken are lost.
    pub fn record<T>(&mut self, program: impl FnOnce() -> T) -> T {
        let _installed = self.install();
        program()
    }
    /// A closure would hide the line of a driver from panics.
    #[doc(hidden)]
    pub fn install(&mut self) -> Installed<'_> {
        self.go_on();
        Installed {
            former: current::replace(self.recording.take()),
            home: &mut self.recording,
        }
    }
    /// Returns why the tape stopped recording, if it did. Gradients of results that depend on later statements are not
    /// available.
    ///
    /// ```
    /// use entape_core::{real::Elementary, tape::{Error, Tape}};
    ///
    /// let mut tape: Tape = Tape::builder().memory_limit(100_000).build()?;
    /// let x = tape.input(1.0);
    /// let y = tape.record(|| {
    ///     let mut y = x;
    ///     for _ in 0..100_000 {
    ///         y.assign(y.sin());
    ///     }
    ///     y
    /// });
    /// assert!(matches!(tape.full(), Some(Error::MemoryLimit { .. })));
    /// assert!(y.value() > 0.0); // the program continued
    /// assert!(tape.gradient(&y).is_err());
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn full(&self) -> Option<&Error> {
        self.recorded().full.as_ref()
    }

    /// Removes all statements and keeps the memory. Variables of the recording become stale.
    ///
    /// # Panics
    ///
    /// If the process has made 2^32 recordings.
    pub fn reset(&mut self) {
        self.try_reset().expect("an unused tag");
    }
    #[doc(hidden)]
    pub fn try_reset(&mut self) -> Result<(), Error> {
        let (recording, sweep) = self.parts();
        let tag = current::new_tag()?;
        current::retire_tags(&recording.older);
        current::retire_tags(&[recording.tag]);
        recording.older.clear();
        recording.accumulated = None;
        recording.unconditional = None;
        recording.resets.clear();
        recording.tag = tag;
        recording.note_peak(&sweep.adjoints);
        recording.statements.truncate(Mark::default());
        let dirty = sweep.dirty || recording.broken;
        // `Drop` may panic.
        recording.broken = true;
        recording.memory.stacks.truncate(&[]);
        recording.memory.stacks.bytes.clear();
        for values in recording.memory.values.all_mut() {
            values.clear_adjoints(&mut sweep.adjoints, dirty);
            values.clear();
        }
        sweep.forget();
        (recording.values_at, recording.full) = (None, None);
        recording.accepts = NOBODY;
        recording.broken = false;
        Ok(())
    }
    #[doc(hidden)]
    pub fn allocated(&self) -> usize {
        let bytes = self.recorded().bytes(&self.sweep.adjoints);
        bytes.saturating_sub(pool::bytes())
    }
    /// Returns the position after the last statement.
    pub fn position(&self) -> Position {
        let recording = self.recorded();
        let here = recording.position();
        // Nothing was recorded since a reset to this position.
        match recording.resets.last() {
            Some((_, start)) if start.covers(&here) => start.clone(),
            _ => here,
        }
    }
    /// Removes the statements after `position`. Variables created since become stale, and so do variables of storage kinds
    /// written since.
    ///
    /// # Errors
    ///
    /// If the position is of another tape or recording, or was itself removed.
    ///
    /// # Panics
    ///
    /// If the process has made 2^32 recordings.
    pub fn reset_to(&mut self, position: &Position) -> Result<(), Error> {
        let (recording, sweep) = self.parts();
        recording.intact()?;
        recording.check(position)?;
        current::collect(recording);
        let tag = current::new_tag()?;
        sweep.roll_forward(recording);
        recording.broken = true;
        sweep.forget_after(recording, position.mark, tag);
        recording.memory.stacks.truncate(&position.kept);
        // Recordings after the position need no tags.
        let gone: Vec<u32> = recording
            .resets
            .extract_if(.., |(_, start)| start.covers(position))
            .map(|(tag, _)| tag)
            .collect();
        for (i, values) in recording.memory.values.all_mut().enumerate() {
            let freed = values.reset_to(position.identifiers(i), recording.tag, &gone);
            recording.memory.stacks.bytes.remove(freed);
        }
        recording.older.push(recording.tag);
        recording.older.retain(|tag| !gone.contains(tag));
        current::retire_tags(&gone);
        recording.resets.push((tag, position.clone()));
        (recording.tag, recording.full) = (tag, None);
        sweep.dirty = true;
        recording.broken = false;
        sweep.lose_seeds();
        recording.accepts = NOBODY;
        Ok(())
    }
}
#[doc(hidden)]
pub struct Installed<'t> {
    former: Option<Box<TapeRecording>>,
    home: &'t mut Option<Box<TapeRecording>>,
}
debug_by_name! { ['t] Installed<'t> }
impl Drop for Installed<'_> {
    fn drop(&mut self) {
        *self.home = current::replace(self.former.take());
    }
}

impl<M: Records> Drop for Tape<M> {
    fn drop(&mut self) {
        if let Some(recording) = &self.recording {
            current::retire_tags(&recording.older);
            current::retire_tags(&[recording.tag]);
        }
    }
}
impl Position {
    fn identifiers(&self, kind: usize) -> usize {
        self.identifiers.get(kind).copied().unwrap_or(0)
    }
    fn covers(&self, other: &Position) -> bool {
        let identifiers = (0..other.identifiers.len())
            .all(|kind| self.identifiers(kind) >= other.identifiers(kind));
        self.mark >= other.mark && identifiers
    }
}
impl TapeRecording {
    fn position(&self) -> Position {
        Position {
            tag: self.tag,
            mark: self.statements.end(),
            identifiers: self.memory.values.all().map(|s| s.len()).collect(),
            kept: self.memory.stacks.lens(),
        }
    }
    pub(super) fn check(&self, position: &Position) -> Result<(), Error> {
        let known = position.tag == self.tag || self.older.contains(&position.tag);
        // A position with an older tag is valid up to the lowest reset since then.
        let since = self
            .resets
            .iter()
            .filter(|(tag, _)| *tag > position.tag)
            .map(|(_, start)| start.mark)
            .min();
        let kept = since.is_none_or(|lowest| position.mark <= lowest);
        if known && kept && position.mark <= self.statements.end() {
            Ok(())
        } else {
            Err(Error::StalePosition)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tape;

    #[test]
    fn only_tags_of_valid_variables_are_stored() {
        let mut tape = Tape::new();
        let x = tape.input(2.0);
        let first = tape.position();
        let mut y = tape.record(|| (x * x).eval());
        for _ in 0..100 {
            let second = tape.position();
            for _ in 0..10 {
                tape.record(|| (y * x).eval());
                tape.reset_to(&second).expect("a position");
            }
            tape.reset_to(&first).expect("a position");
            y = tape.record(|| (x * x).eval());
        }
        assert!(
            tape.recorded().older.len() <= 3,
            "{:?}",
            tape.recorded().older
        );
        assert_eq!(tape.recorded().resets.len(), 1);
        assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&x), Ok(4.0));
    }
}
