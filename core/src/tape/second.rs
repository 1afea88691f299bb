//! Sweeps along several directions.
use super::{
    Records, Scalar,
    directions::{Interpreted, NumberStatement},
    handles::Entry,
    recording::TapeRecording,
    sequence::{Mark, pop_block, pop_word},
    statement::ValueCheck,
    sweep::{Seeds, SweepState},
    target::FreshTarget,
    user::Tape,
};
use crate::{
    error::Error,
    expr::Active,
    kind::{
        self, Adjoint as _, Contribution, Kind, Policy, TangentStorage as _, TapeCell, Val,
        VariableId, assert_like, carrier::Taped,
    },
    machine::{PieceLoop, run_loop},
    names::PREACCUMULATED,
    order::{MissingRule, Order},
    store::{self, AllTangents, AnyDirections, AnyValues, MANY},
    sweep::SweepContext,
};
use std::array::from_fn;

/// A number of directions that a sweep processes together: `Count` for 1 or 8.
#[allow(private_interfaces)]
pub trait Directed<const N: usize> {
    #[doc(hidden)]
    fn memory(sweep: &mut SweepState) -> &mut AllTangents<N>;
    #[doc(hidden)]
    fn look(sweep: &SweepState) -> Option<&AllTangents<N>>;
    #[doc(hidden)]
    fn start(values: &dyn AnyValues, all: &mut AllTangents<N>) -> Result<(), Error>;
    #[doc(hidden)]
    fn start_adjoints(values: &dyn AnyValues, all: &mut AllTangents<N>) -> Result<(), Error>;
    #[doc(hidden)]
    fn forward(sweep: &mut SweepState, recording: &mut TapeRecording, all: &mut AllTangents<N>);
    #[doc(hidden)]
    fn back(sweep: &mut SweepState, recording: &mut TapeRecording, all: &mut AllTangents<N>);
}
/// See [`Directed`].
#[derive(Clone, Copy, Debug)]
pub struct Count;
macro_rules! counts { ($($N:ident $field:ident $start:ident $adjoints:ident;)*) => { $(
    #[allow(private_interfaces)]
    impl Directed<{ $N }> for Count {
        fn memory(sweep: &mut SweepState) -> &mut AllTangents<{ $N }> {
            sweep.$field.get_or_insert_default()
        }
        fn look(sweep: &SweepState) -> Option<&AllTangents<{ $N }>> {
            sweep.$field.as_deref()
        }
        fn start(values: &dyn AnyValues, all: &mut AllTangents<{ $N }>) -> Result<(), Error> {
            values.$start(all)
        }
        fn start_adjoints(values: &dyn AnyValues, all: &mut AllTangents<{ $N }>) -> Result<(), Error> {
            values.$adjoints(all)
        }
        fn forward(sweep: &mut SweepState, recording: &mut TapeRecording, all: &mut AllTangents<{ $N }>) {
            sweep.forward_tangents(recording, all);
        }
        fn back(sweep: &mut SweepState, recording: &mut TapeRecording, all: &mut AllTangents<{ $N }>) {
            // A wider instruction set does not matter.
            sweep.walk_back(recording, &mut PullSecond(all));
        }
    }
)* } }
const ONE: usize = 1;
counts! { ONE one start_tangents start_adjoints; MANY many start_many_tangents start_many_adjoints; }

/// The directions of a sweep, as tangents of inputs; see [`Tape::directions`].
#[must_use]
pub struct Directions<'t, const N: usize, M: Records = Taped>(&'t mut Tape<M>);
debug_by_name! { ['t, const N: usize, M: Records] Directions<'t, N, M> }
/// The tangents of a recording. See [`Tape::directions`].
#[must_use]
pub struct Tangents<'t, const N: usize, M: Records = Taped>(&'t mut Tape<M>);
debug_by_name! { ['t, const N: usize, M: Records] Tangents<'t, N, M> }
/// The seeds of eight adjoints. See [`Tape::adjoints`].
#[must_use]
pub struct Adjoints<'t, M: Records = Taped>(&'t mut Tape<M>, Vec<Seeded>);
debug_by_name! { ['t, M: Records] Adjoints<'t, M> }
/// The adjoints after such a sweep. See [`Tape::directions`] and [`Tape::adjoints`].
#[must_use]
pub struct SweptAdjoints<'t, const N: usize, M: Records = Taped>(&'t mut Tape<M>);
debug_by_name! { ['t, const N: usize, M: Records] SweptAdjoints<'t, N, M> }

struct Seeded {
    id: u32,
    j: usize,
    pass_on: fn(&Seeded, &mut AllTangents<MANY>, &mut store::AdjointStore),
}
impl Seeded {
    fn new<K: Kind>(id: u32, j: usize) -> Self {
        Seeded {
            id,
            j,
            pass_on: |seeded, all, adjoints| {
                let adjoint = all.get::<K>().adjoints(seeded.id)[seeded.j].take();
                *adjoints.get::<K>().at(seeded.id) = adjoint;
            },
        }
    }
}

impl TapeRecording {
    fn input_id<K: Kind>(&self, variable: VariableId) -> Result<u32, Error> {
        self.check_variable::<K>(variable)
            .map_err(|error| match error {
                Error::NotRecorded { kind } => Error::NotAnInput { kind },
                other => other,
            })?;
        let values = self.memory.values.find::<K>();
        match values.is_some_and(|values| values.is_input(variable.id)) {
            true => Ok(variable.id),
            false => Err(Error::NotAnInput { kind: K::NAME }),
        }
    }
    fn input_value<K: Kind>(&self, id: u32) -> Val<K> {
        let values = self
            .memory
            .values
            .find::<K>()
            .expect("the kind has an input");
        values.primal(id).peek().clone()
    }
    #[track_caller]
    fn check_gradient<K: Kind>(&self, gradient: &Val<K>, id: u32) {
        let values = self
            .memory
            .values
            .find::<K>()
            .filter(|_| K::Policy::STORAGE);
        if let Some(value) = values.and_then(|values| values.stored(id)) {
            assert_like::<K>("gradient", gradient, value.peek());
        }
    }
    fn requires(&mut self, order: Order) -> Result<(), Error> {
        if let Some((location, _)) = self.accumulated.filter(|_| order == Order::Second) {
            return Err(Error::MissingRule(MissingRule {
                operation: String::from(PREACCUMULATED),
                missing: "second",
                location,
            }));
        }
        let lacks = |entry: &Entry| entry.sweeps().is_some_and(|sweeps| sweeps.order < order);
        let entries = self.table.entries();
        if !entries.iter().any(lacks) {
            return Ok(());
        }
        // The table contains entries of removed statements.
        let mut statements = self
            .statements
            .forward(Mark::default(), entries, |entry| entry.size);
        let Some((entry, _)) = statements.find(|(entry, _)| lacks(entry)) else {
            return Ok(());
        };
        let has_tangents = entry.sweeps().is_some_and(|s| s.order == Order::Tangent);
        Err(Error::MissingRule(MissingRule {
            operation: entry.statement.formula.to_string(),
            missing: match order {
                Order::Second if has_tangents => "second",
                _ => "tangent",
            },
            location: entry.location(),
        }))
    }
}
impl SweepState {
    fn rewind(&mut self, recording: &mut TapeRecording) {
        if recording.values_at == Some(Mark::default()) {
            return;
        }
        self.roll_forward(recording);
        if recording.table.restores {
            recording.broken = true;
            self.undo_statements(recording, Mark::default(), 0);
            recording.broken = false;
        }
    }
    fn forward_tangents<const N: usize>(
        &mut self,
        recording: &mut TapeRecording,
        all: &mut AllTangents<N>,
    ) {
        recording.table.lay_out();
        run_loop(PushLoop {
            sweep: self,
            recording,
            all,
        });
    }
    fn back_of_numbers(&mut self, recording: &mut TapeRecording, all: &mut AllTangents<MANY>) {
        self.dirty = true;
        run_loop(PullLoop {
            sweep: self,
            recording,
            visitor: PullMany(all),
        });
        self.dirty = false;
    }
    fn back_one_by_one(
        &mut self,
        recording: &mut TapeRecording,
        all: &mut AllTangents<MANY>,
        seeded: &[Seeded],
    ) -> Result<(), Error> {
        for j in 0..MANY {
            if recording.unconditional.is_none() && !seeded.iter().any(|seeded| seeded.j == j) {
                continue;
            }
            self.start(recording)?;
            for seeded in seeded.iter().filter(|seeded| seeded.j == j) {
                (seeded.pass_on)(seeded, all, &mut self.adjoints);
            }
            self.seeds = Seeds::Given;
            self.sweep(recording, Mark::default(), false)?;
            all.take_from(&mut self.adjoints, j);
        }
        Ok(())
    }
    #[inline(always)]
    fn walk_back(&mut self, recording: &mut TapeRecording, visitor: &mut impl VisitBack) {
        recording.table.lay_out();
        recording.cursors_to_end(&mut self.adjoints);
        self.seeds = Seeds::None;
        recording.values_at = Some(Mark::default());
        recording.broken = recording.table.restores;
        let entries = recording.table.entries();
        let mut context =
            SweepContext::new(&mut recording.memory, &mut self.adjoints, &mut self.scratch);
        let end = recording.statements.end();
        for mut tape in recording.statements.between(Mark::default(), end).rev() {
            while let Some((bytes, handle)) = pop_word(tape) {
                tape = visitor.visit(&mut context, bytes, &entries[handle as usize]);
            }
        }
        drop(context);
        recording.broken = false;
    }
}

struct PushLoop<'s, const N: usize> {
    sweep: &'s mut SweepState,
    recording: &'s mut TapeRecording,
    all: &'s mut AllTangents<N>,
}
impl<const N: usize> PieceLoop for PushLoop<'_, N> {
    #[inline(always)]
    fn run(self) {
        let (sweep, recording, all) = (self.sweep, self.recording, self.all);
        sweep.adjoints.cursors_to_start();
        let entries = recording.table.entries();
        let context = &mut SweepContext::new(
            &mut recording.memory,
            &mut sweep.adjoints,
            &mut sweep.scratch,
        );
        let statements = recording
            .statements
            .forward(Mark::default(), entries, |entry| entry.size);
        for (entry, statement) in statements {
            match (entry.number(), entry.functions()) {
                (Some(program), _) => program.tangent(context, all, statement, entry),
                (None, Some(functions)) => {
                    (functions.tangents)(context, AnyDirections::of(all), statement, entry);
                }
                (None, None) => {
                    let (_, block) = pop_block(statement, entry.size);
                    (entry.statement.redo)(context, block, entry.statement, ValueCheck::None);
                }
            }
        }
    }
}
/// A visitor that, unlike a closure, is certain to be inlined.
trait VisitBack {
    /// Reverses the last statement of `tape` without its handle, and returns the tape before it.
    fn visit<'b>(
        &mut self,
        context: &mut SweepContext<'_>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8];
}
struct PullMany<'s>(&'s mut AllTangents<MANY>);
impl VisitBack for PullMany<'_> {
    #[inline(always)]
    fn visit<'b>(
        &mut self,
        context: &mut SweepContext<'_>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        match entry.number() {
            Some(program) => program.adjoints(context, self.0, tape, entry),
            None => (entry.reverse)(context, tape, entry),
        }
    }
}
struct PullLoop<'s> {
    sweep: &'s mut SweepState,
    recording: &'s mut TapeRecording,
    visitor: PullMany<'s>,
}
impl PieceLoop for PullLoop<'_> {
    #[inline(always)]
    fn run(mut self) {
        self.sweep.walk_back(self.recording, &mut self.visitor);
    }
}
struct PullSecond<'s, const N: usize>(&'s mut AllTangents<N>);
impl<const N: usize> VisitBack for PullSecond<'_, N> {
    #[inline(always)]
    fn visit<'b>(
        &mut self,
        context: &mut SweepContext<'_>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        match (entry.number(), entry.functions()) {
            (Some(_), _) => {
                NumberStatement::<FreshTarget<f64>, f64>::second(context, self.0, tape, entry)
            }
            (None, Some(functions)) => {
                (functions.second)(context, AnyDirections::of(self.0), tape, entry)
            }
            (None, None) => (entry.reverse)(context, tape, entry),
        }
    }
}

impl<M: Records> Tape<M> {
    /// Begins a sweep along `N` directions (1 or 8) at once.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let (x, y) = (tape.input(2.0), tape.input(3.0));
    /// let z = tape.record(|| (x * x * y).eval());
    /// let mut directions = tape.directions::<1>()?;
    /// directions.set(&x, [1.0])?;
    /// let tangents = directions.sweep()?;
    /// assert_eq!(tangents.of(&z)?, [12.0]); // dz/dx
    /// let second = tangents.gradient(&z)?;
    /// assert_eq!((second.wrt(&x)?, second.wrt(&y)?), ([6.0], [4.0])); // d²z/dx², d²z/dxdy
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an operation of the recording lacks a tangent ([`Error::MissingRule`]), or the tape is [broken](Error::Broken).
    pub fn directions<const N: usize>(&mut self) -> Result<Directions<'_, N, M>, Error>
    where
        Count: Directed<N>,
    {
        let (recording, sweep) = self.parts();
        recording.intact()?;
        recording.requires(Order::Tangent)?;
        // These adjoints store partial derivatives.
        sweep.start(recording)?;
        let all = <Count as Directed<N>>::memory(sweep);
        all.one_sided = false;
        let mut values = recording.memory.values.all();
        values.try_for_each(|values| <Count as Directed<N>>::start(values, all))?;
        drop(values);
        sweep.lose_seeds();
        sweep.stopped_at = None;
        Ok(Directions(self))
    }
    /// Begins a sweep of eight adjoints, each zero without a seed. If all statements set a number, it costs less than eight
    /// sweeps.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(2.0);
    /// let y = tape.record(|| [(x * x).eval(), (x * 3.0).eval()]);
    /// let mut adjoints = tape.adjoints()?;
    /// for (j, y) in y.iter().enumerate() {
    ///     adjoints.seed(y, j, 1.0)?;
    /// }
    /// assert_eq!(adjoints.sweep()?.wrt(&x)?[..2], [4.0, 3.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the tape is [broken](Error::Broken).
    pub fn adjoints(&mut self) -> Result<Adjoints<'_, M>, Error> {
        let (recording, sweep) = self.parts();
        recording.intact()?;
        sweep.start(recording)?;
        let all = sweep.many.get_or_insert_default();
        let mut values = recording.memory.values.all();
        values.try_for_each(|values| values.start_many_adjoints(all))?;
        drop(values);
        all.dirty = true;
        sweep.lose_seeds();
        Ok(Adjoints(self, Vec::new()))
    }
}

impl<'t, const N: usize, M: Records> Directions<'t, N, M>
where
    Count: Directed<N>,
{
    /// Sets the tangents of an input; others are zero.
    ///
    /// # Errors
    ///
    /// If `x` is not an input of this recording.
    ///
    /// # Panics
    ///
    /// If the shapes of a tangent and the input differ.
    #[track_caller]
    pub fn set<K: Kind>(
        &mut self,
        x: &Active<K, M>,
        mut tangents: [Val<K>; N],
    ) -> Result<(), Error> {
        let (recording, sweep) = self.0.parts();
        let id = recording.input_id::<K>(x.variable_id())?;
        for tangent in &mut tangents {
            assert_like::<K>("tangent", tangent, x.get());
            K::mark_zeros(tangent, false);
        }
        let all = <Count as Directed<N>>::memory(sweep);
        let unset = || K::unset_tangent(x.get());
        *all.get::<K>().at(id) = kind::TangentStorage::new(Some(tangents), unset);
        Ok(())
    }
    /// Sets the tangent of an input along direction `j` only. Fails and panics like [`set`](Self::set), and panics if `j` is
    /// too large.
    #[track_caller]
    pub fn set_along<K: Kind>(
        &mut self,
        x: &Active<K, M>,
        j: usize,
        mut tangent: Val<K>,
    ) -> Result<(), Error> {
        assert!(j < N, "direction {j} is out of range for {N} directions");
        assert_like::<K>("tangent", &tangent, x.get());
        let (recording, sweep) = self.0.parts();
        let id = recording.input_id::<K>(x.variable_id())?;
        let all = <Count as Directed<N>>::memory(sweep);
        K::mark_zeros(&mut tangent, false);
        all.get::<K>().at(id).make(|| K::unset_tangent(x.get()))[j] = tangent;
        Ok(())
    }
    /// Requests tangents along one side of a kink, as second derivatives need.
    ///
    /// By convention the tangents of a norm at the origin are 0. The second derivatives there of smooth functions, such
    /// as its square, follow from the tangent `|v|` along `v`, and are NaN without this call.
    ///
    /// ```
    /// use entape_core::{real::Elementary, tape::Tape};
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(0.0);
    /// let y = tape.record(|| {
    ///     let n = x.abs().eval();
    ///     (n * n).eval()
    /// });
    /// let mut directions = tape.directions::<1>()?.one_sided();
    /// directions.set(&x, [1.0])?;
    /// assert_eq!(directions.sweep()?.gradient(&y)?.wrt(&x)?, [2.0]); // of x²
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn one_sided(self) -> Self {
        let (_, sweep) = self.0.parts();
        <Count as Directed<N>>::memory(sweep).one_sided = true;
        self
    }
    /// Computes the tangents of the whole recording.
    ///
    /// # Errors
    /// If the tape ran out of memory, or an external function failed ([`Error::External`]).
    pub fn sweep(self) -> Result<Tangents<'t, N, M>, Error> {
        let (recording, sweep) = self.0.parts();
        sweep.rewind(recording);
        recording.memory.stacks.failed = None;
        let mut all = std::mem::take(<Count as Directed<N>>::memory(sweep));
        recording.broken = recording.table.restores;
        <Count as Directed<N>>::forward(sweep, recording, &mut all);
        recording.broken = false;
        *<Count as Directed<N>>::memory(sweep) = all;
        recording.values_at = None;
        recording.succeeded()?;
        Ok(Tangents(self.0))
    }
}
impl<'t, const N: usize, M: Records> Tangents<'t, N, M>
where
    Count: Directed<N>,
{
    /// Returns the derivatives of a variable along the directions.
    ///
    /// # Errors
    ///
    /// If the variable is not on this recording.
    pub fn of<K: Kind>(&self, y: &Active<K, M>) -> Result<[Val<K>; N], Error> {
        let given = self.given(y)?.cloned();
        let mut given = given.unwrap_or_else(|| from_fn(|_| K::unset_tangent(y.get())));
        for tangent in &mut given {
            K::mark_zeros(tangent, true);
        }
        Ok(given)
    }
    #[inline]
    pub(crate) fn given<K: Kind>(&self, y: &Active<K, M>) -> Result<Option<&[Val<K>; N]>, Error> {
        self.0.recorded().check_variable::<K>(y.variable_id())?;
        let all = <Count as Directed<N>>::look(&self.0.sweep);
        let tangents = all.and_then(AllTangents::find::<K>);
        Ok(tangents.and_then(|all| all.get(y.variable_id().id).get()))
    }
    /// Sweeps back from `y`: computes the gradient and its derivatives along the directions.
    ///
    /// # Errors
    ///
    /// If `y` is not on this recording, or [`Error::MissingRule`] without a second derivative.
    pub fn gradient<K: Scalar>(self, y: &Active<K, M>) -> Result<SweptAdjoints<'t, N, M>, Error> {
        let one = K::one();
        let zero = K::zero_like(&one);
        self.pull(&[y], &[one], &[from_fn(|_| zero.clone())])
    }
    /// Sweeps back from several variables with these seeds and tangents of the seeds. Fails like [`gradient`](Self::gradient).
    ///
    /// # Panics
    ///
    /// If numbers or shapes of seeds and variables differ.
    #[track_caller]
    pub fn pull<K: Kind>(
        self,
        y: &[&Active<K, M>],
        seeds: &[Val<K>],
        tangents: &[[Val<K>; N]],
    ) -> Result<SweptAdjoints<'t, N, M>, Error> {
        assert!(
            y.len() == seeds.len() && y.len() == tangents.len(),
            "each variable needs a seed and its tangents, but there are {} variables, {} seeds and {} lists of tangents",
            y.len(),
            seeds.len(),
            tangents.len()
        );
        let (recording, sweep) = self.0.parts();
        recording.requires(Order::Second)?;
        for y in y {
            recording.check_variable::<K>(y.variable_id())?;
        }
        sweep.seeds = Seeds::None;
        sweep.start(recording)?;
        let mut all = std::mem::take(<Count as Directed<N>>::memory(sweep));
        let mut values = recording.memory.values.all();
        values.try_for_each(|values| <Count as Directed<N>>::start_adjoints(values, &mut all))?;
        drop(values);
        (all.dirty, sweep.dirty) = (true, true);
        for ((y, seed), tangents) in y.iter().zip(seeds).zip(tangents) {
            let id = y.variable_id().id;
            assert_like::<K>("seed", seed, y.get());
            seed.clone().add_to(sweep.adjoints.get::<K>().at(id));
            for (adjoint, tangent) in all.get::<K>().adjoints(id).iter_mut().zip(tangents) {
                assert_like::<K>("seed", tangent, y.get());
                tangent.clone().add_to(adjoint);
            }
        }
        recording.memory.stacks.failed = None;
        <Count as Directed<N>>::back(sweep, recording, &mut all);
        let swept = recording.succeeded();
        (all.dirty, sweep.dirty) = (swept.is_err(), swept.is_err());
        *<Count as Directed<N>>::memory(sweep) = all;
        swept?;
        Ok(SweptAdjoints(self.0))
    }
}
impl<'t, M: Records> Adjoints<'t, M> {
    /// Adds a seed to adjoint number `j` of `y`. Panics if `j` is not less than 8, or the shapes of the seed and `y` differ.
    ///
    /// # Errors
    /// If `y` is not on this recording.
    #[track_caller]
    pub fn seed<K: Kind>(&mut self, y: &Active<K, M>, j: usize, seed: Val<K>) -> Result<(), Error> {
        assert!(
            j < MANY,
            "adjoint {j} is out of range for {MANY} adjoints: sweep in groups of {MANY}"
        );
        assert_like::<K>("seed", &seed, y.get());
        let (recording, sweep) = self.0.parts();
        recording.check_variable::<K>(y.variable_id())?;
        let (id, all) = (y.variable_id().id, sweep.many.get_or_insert_default());
        let adjoint = &mut all.get::<K>().adjoints(id)[j];
        if adjoint.is_unset() {
            self.1.push(Seeded::new::<K>(id, j));
        }
        seed.add_to(adjoint);
        Ok(())
    }
    /// Sweeps all adjoints back.
    ///
    /// # Errors
    /// If an external function failed ([`Error::External`]).
    pub fn sweep(self) -> Result<SweptAdjoints<'t, MANY, M>, Error> {
        let (recording, sweep) = self.0.parts();
        recording.table.lay_out();
        let others = |entry: &Entry| entry.number().is_none() && entry.functions().is_some();
        let mut all = sweep.many.take().unwrap_or_default();
        let swept = match recording.table.entries().iter().any(others) {
            true => sweep.back_one_by_one(recording, &mut all, &self.1),
            false => {
                sweep.back_of_numbers(recording, &mut all);
                Ok(())
            }
        };
        all.dirty = swept.is_err();
        sweep.many = Some(all);
        swept?;
        Ok(SweptAdjoints(self.0))
    }
}
impl<const N: usize, M: Records> SweptAdjoints<'_, N, M>
where
    Count: Directed<N>,
{
    /// Returns the adjoints of an input along the directions: derivatives of the gradient after a sweep from
    /// [tangents](Tangents::gradient), or [several](Tape::adjoints) adjoints. Panics if a rule is faulty.
    ///
    /// # Errors
    ///
    /// If `x` is not an input of this recording.
    #[track_caller]
    pub fn wrt<K: Kind>(&self, x: &Active<K, M>) -> Result<[Val<K>; N], Error> {
        let recording = self.0.recorded();
        let id = recording.input_id::<K>(x.variable_id())?;
        let like = || recording.input_value::<K>(id);
        let all = <Count as Directed<N>>::look(&self.0.sweep);
        let all = all.and_then(AllTangents::find::<K>);
        let adjoints = match all {
            Some(all) => from_fn(|j| all.gradient(id, j, like)),
            None => from_fn(|_| K::zero_like(&like())),
        };
        for adjoint in &adjoints {
            recording.check_gradient::<K>(adjoint, id);
        }
        Ok(adjoints)
    }
    /// Returns the adjoint of an input along direction `j`. Fails and panics like [`wrt`](Self::wrt), and panics if `j` is too
    /// large.
    #[track_caller]
    pub fn wrt_along<K: Kind>(&self, x: &Active<K, M>, j: usize) -> Result<Val<K>, Error> {
        assert!(j < N, "direction {j} is out of range for {N} directions");
        let recording = self.0.recorded();
        let id = recording.input_id::<K>(x.variable_id())?;
        let like = || recording.input_value::<K>(id);
        let all = <Count as Directed<N>>::look(&self.0.sweep);
        let adjoint = match all.and_then(AllTangents::find::<K>) {
            Some(all) => all.gradient(id, j, like),
            None => K::zero_like(&like()),
        };
        recording.check_gradient::<K>(&adjoint, id);
        Ok(adjoint)
    }
    /// Returns the gradient, after a sweep from tangents. Fails and panics like [`wrt`](Self::wrt).
    #[track_caller]
    pub fn gradient<K: Kind>(&self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        let recording = self.0.recorded();
        let id = recording.input_id::<K>(x.variable_id())?;
        let like = || recording.input_value::<K>(id);
        let gradient = match self.0.sweep.adjoints.find::<K>() {
            Some(adjoints) => adjoints.gradient(id, like),
            None => K::zero_like(&like()),
        };
        recording.check_gradient::<K>(&gradient, id);
        Ok(gradient)
    }
}
