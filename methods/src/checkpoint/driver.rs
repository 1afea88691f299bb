//! Runs the actions of a schedule.
use super::{
    error::Error,
    online::{Before, Online},
    plan::{Plan, Sizes},
    program::{Loop, Program, Runs, Values, Variables},
    progress::Progress,
    schedule::{Action, Revolve},
    states::{States, ValueBytes},
};
use entape_core::{
    expr::Active,
    kind::{Carrier, Kind, Val},
    mode::{AnyMode, Recording, Taped},
    storage::pool,
    structure::{
        FlatStructure, Mismatch, ReadLeaves, Structure, ValueLeaves, VariableLeaves, ZipLeaves,
    },
    tape::{self, Gradient, Tape},
};
use entape_drivers::constant::{is_undefined, undefined};
use std::{marker::PhantomData, ops::Range, path::Path};

type State<P> = <P as Program>::State;
type Parameters<P> = <P as Program>::Parameters;
type Ahead<P> = <P as Program>::Ahead;
type Recorded<P> = <P as Program>::Recorded;
type Advanced<P> = Variables<State<P>, Ahead<P>>;
type Adjoints<P> = (Values<State<P>>, Values<Parameters<P>>);
type Outcome<T, P> = Result<T, Error<<P as Program>::Failure>>;

/// Steps between two calls of the callback.
const TELL: usize = 256;
/// `(bytes, steps)`, either of which ends the recording that measures a step.
const ENOUGH: (usize, usize) = (1 << 18, 64);

/// The adjoints of variables, with marks for the next sweep, if any.
struct GradientOf<'g, 't, M> {
    /// `None` if no adjoint reached any variable.
    gradient: Option<&'g Gradient<'t, M>>,
    is_last: bool,
    any: bool,
}
impl<M: Recording> ReadLeaves for GradientOf<'_, '_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = tape::Error;
    fn leaf<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, tape::Error> {
        let flowed = match self.gradient {
            Some(gradient) => gradient.flowed(variable)?,
            None => None,
        };
        self.any |= flowed.is_some();
        match (flowed, self.gradient) {
            (Some(_), Some(gradient)) if self.is_last => gradient.wrt(variable),
            (Some(flowed), _) => Ok(flowed),
            (None, _) if self.is_last => Ok(K::zero_like(variable.get())),
            (None, _) => Ok(K::unset_tangent(variable.get())),
        }
    }
}
struct Seeding<'t, M: Recording> {
    tape: &'t mut Tape<M>,
    /// Whether the seeds come from another sweep.
    marked: bool,
    any: bool,
    finite: bool,
    /// Whether a seeded value is not finite and depends on no input.
    undefined: bool,
}
impl<'t, M: Recording> Seeding<'t, M> {
    fn new(tape: &'t mut Tape<M>, marked: bool) -> Self {
        Seeding {
            tape,
            marked,
            any: false,
            finite: true,
            undefined: false,
        }
    }
}
impl<M: Recording> ZipLeaves for Seeding<'_, M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = tape::Error;
    fn mismatch(&mut self, mismatch: Mismatch) -> tape::Error {
        mismatch.panic("seed", "outputs")
    }
    fn leaf<K: Kind>(
        &mut self,
        variable: &mut Active<K, M>,
        seed: Val<K>,
    ) -> Result<(), tape::Error> {
        if self.marked && K::is_unset_tangent(&seed) {
            return Ok(());
        }
        self.finite &= K::is_finite(variable.get());
        self.undefined |= is_undefined(variable);
        if variable.is_active() {
            match self.marked {
                true => self.tape.pass_on(variable, seed)?,
                false => self.tape.seed(variable, seed)?,
            }
            self.any = true;
        }
        Ok(())
    }
}

enum Present<P: Program> {
    Slot(usize),
    Variables(Advanced<P>),
}

pub(super) struct Engine<'r, P: Program> {
    program: &'r P,
    parameters: &'r Values<Parameters<P>>,
    parameters_ahead: Variables<Parameters<P>, Ahead<P>>,
    tape: Tape<Recorded<P>>,
    states: States<State<P>>,
    plan: Plan,
    /// The cost so far, and the first state whose cost is missing.
    value: f64,
    missing: usize,
    /// The final state, and its seed if the program has no cost.
    last: Option<Values<State<P>>>,
    seed: Option<Values<State<P>>>,
    /// Whether an enclosing sweep gives the seed and takes the adjoints.
    within_sweep: bool,
    adjoints: Option<Adjoints<P>>,
    reached: bool,
    /// Whether the seeded values of the last state are finite, and whether one that is not depends on no input.
    finite: bool,
    undefined: bool,
    expected: Option<Vec<f64>>,
    sweeps: usize,
    most: usize,
    progress: Progress,
    tell: &'r dyn Fn(&Progress),
}
pub(super) enum Seed<V> {
    Given(V),
    /// From an enclosing sweep: `-0.0` where no adjoint arrives.
    Flowed(V),
}
pub(super) struct Reversed<P: Program> {
    pub(super) value: f64,
    pub(super) last: Values<State<P>>,
    pub(super) adjoints: Adjoints<P>,
}

impl<'r, P: Loop> Engine<'r, P> {
    pub(super) fn new(
        program: &'r P,
        initial: Values<State<P>>,
        parameters: &'r Values<Parameters<P>>,
        tell: &'r dyn Fn(&Progress),
    ) -> Self {
        Engine {
            program,
            parameters,
            parameters_ahead: Parameters::<P>::passive(parameters.clone()),
            tape: Tape::default(),
            states: States::new(initial),
            plan: Plan {
                at_once: 1,
                slots: 1,
            },
            value: 0.0,
            missing: 0,
            last: None,
            seed: None,
            within_sweep: false,
            adjoints: None,
            reached: false,
            finite: true,
            undefined: false,
            expected: None,
            sweeps: 0,
            most: 0,
            progress: Progress::default(),
            tell,
        }
    }
    pub(super) fn seed(&mut self, seed: Seed<Values<State<P>>>) {
        (self.seed, self.within_sweep) = match seed {
            Seed::Given(seed) => (Some(seed), false),
            Seed::Flowed(seed) => (Some(seed), true),
        };
    }
    pub(super) fn states_in_file(&self, bytes: usize) -> usize {
        bytes / self.states.bytes_in_file().max(1)
    }
    /// `in_file` states are in a file in the folder.
    pub(super) fn divide(&mut self, plan: Plan, in_file: usize, folder: &Path) -> Outcome<(), P> {
        self.plan = plan;
        match in_file.min(plan.slots - 1) {
            0 => Ok(()),
            in_file => self.states.spill_in(folder, in_file),
        }
    }
    #[track_caller]
    pub(super) fn plan(
        &mut self,
        bound: usize,
        steps: Option<usize>,
        in_file: usize,
        until: impl Fn(usize, &Advanced<P>) -> bool,
    ) -> Outcome<Plan, P> {
        let mut size = ValueBytes(0, PhantomData);
        let initial = State::<P>::passive::<Taped>(self.states.initial().clone());
        let Ok(_) = State::<P>::read(&initial, &mut size);
        let state = size.0;
        let (enough, most) = ENOUGH;
        let start = State::<P>::passive::<Ahead<P>>(self.states.initial().clone());
        let made = match steps {
            Some(steps) => steps.min(most),
            None if until(0, &start) => 0,
            None => self.ahead(start, 0..most, &until)?.1,
        };
        let (mut count, mut bytes) = (made.min(1), 0);
        loop {
            self.tape.reset();
            let first = State::<P>::inputs(self.states.initial().clone(), &mut self.tape);
            let parameters = Parameters::<P>::inputs(self.parameters.clone(), &mut self.tape);
            let (last, _) = self.record(0..count, &first, &parameters)?;
            let mut last = last.unwrap_or(first);
            let zero = State::<P>::zero(State::<P>::values(&last));
            let mut seeding = Seeding::new(&mut self.tape, false);
            State::<P>::zip(&mut last, State::<P>::unpack(zero), &mut seeding)?;
            bytes = bytes.max(self.tape.statistics().bytes());
            if bytes >= enough || count >= made {
                break;
            }
            count = (2 * count).min(made);
        }
        self.tape.reset();
        (self.value, self.missing) = (0.0, 0);
        self.progress = Progress::default();
        let step = bytes.div_ceil(count.max(1));
        let sizes = Sizes {
            bound,
            step,
            state,
            in_file,
        };
        sizes
            .plan(steps)
            .ok_or(Error::BoundTooLow { bound, step, state })
    }

    #[track_caller]
    pub(super) fn last(mut self, steps: usize) -> Outcome<Values<State<P>>, P> {
        self.progress.steps = Some(steps);
        let start = State::<P>::passive::<Ahead<P>>(self.states.initial().clone());
        let (last, _) = self.ahead(start, 0..steps, |_, _| false)?;
        Ok(State::<P>::values(&last))
    }
    #[track_caller]
    pub(super) fn reverse(mut self, steps: usize) -> Outcome<Reversed<P>, P> {
        let Plan { at_once, slots } = self.plan;
        let actions = Revolve::new(steps.div_ceil(at_once).max(1), slots);
        self.progress.steps = Some(steps);
        self.progress.to_advance = Some(at_once * actions.advances());
        self.follow(actions, steps)
    }
    #[track_caller]
    pub(super) fn reverse_until(
        mut self,
        until: impl Fn(usize, &Advanced<P>) -> bool,
    ) -> Outcome<Reversed<P>, P> {
        let Plan { at_once, slots } = self.plan;
        let mut online = Online::new(slots);
        let mut state = State::<P>::passive::<Ahead<P>>(self.states.initial().clone());
        let mut steps = 0;
        while !until(steps, &state) {
            match online.advance() {
                Before::Nothing => {}
                Before::Store { slot } | Before::Replace { slot } => {
                    let values = State::<P>::values(&state);
                    self.states.store(slot, steps, values)?;
                }
            }
            let to = steps + at_once;
            let reached;
            (state, reached) = self.ahead(state, steps..to, &until)?;
            steps = reached;
            if reached < to {
                break;
            }
        }
        drop(state);
        let actions = match steps {
            0 => Revolve::new(1, slots),
            _ => online.back(),
        };
        self.progress.steps = Some(steps);
        self.progress.to_advance = Some(self.progress.advanced + at_once * actions.advances());
        self.follow(actions, steps)
    }
    #[track_caller]
    fn follow(mut self, actions: Revolve, steps: usize) -> Outcome<Reversed<P>, P> {
        let at_once = self.plan.at_once;
        let mut present = Present::<P>::Slot(0);
        for action in actions {
            match action {
                Action::Store { slot, at } => {
                    let Present::Variables(state) = &present else {
                        unreachable!("a state is stored once");
                    };
                    let values = State::<P>::values(state);
                    self.states.store(slot, at * at_once, values)?;
                }
                Action::Restore { slot, .. } => present = Present::Slot(slot),
                Action::Advance { from, to } => {
                    let start = match present {
                        Present::Slot(slot) => {
                            State::<P>::passive(self.states.get(slot)?.into_owned())
                        }
                        Present::Variables(state) => state,
                    };
                    let steps = from * at_once..to * at_once;
                    let (state, _) = self.ahead(start, steps, |_, _| false)?;
                    present = Present::Variables(state);
                }
                Action::Reverse { at } => {
                    let first = match &present {
                        Present::Slot(slot) => {
                            State::<P>::inputs(self.states.get(*slot)?.into_owned(), &mut self.tape)
                        }
                        Present::Variables(state) => {
                            let values = State::<P>::values(state);
                            State::<P>::inputs(values, &mut self.tape)
                        }
                    };
                    let to = steps.min((at + 1) * at_once);
                    self.sweep(at * at_once..to, first)?;
                }
                Action::Free { slot } => {
                    if slot > 0 {
                        self.states.free(slot);
                    }
                }
            }
        }
        let (Some(last), Some(mut adjoints)) = (self.last, self.adjoints) else {
            unreachable!("all steps were reversed");
        };
        let value = self.value;
        // A result that is not finite and depends on no input is not differentiable.
        let is_finite = match &self.seed {
            Some(_) => self.finite,
            None => value.is_finite(),
        };
        if self.undefined || !is_finite && !self.reached {
            let initial = State::<P>::passive::<Taped>(self.states.initial().clone());
            let parameters = Parameters::<P>::passive::<Taped>(self.parameters.clone());
            adjoints = (
                undefined::<State<P>, Taped>(&initial)?,
                undefined::<Parameters<P>, Taped>(&parameters)?,
            );
        }
        Ok(Reversed {
            value,
            last,
            adjoints,
        })
    }

    /// Makes steps without a recording until a condition holds, except after the last one.
    #[track_caller]
    fn ahead(
        &mut self,
        start: Advanced<P>,
        steps: Range<usize>,
        until: impl Fn(usize, &Advanced<P>) -> bool,
    ) -> Outcome<(Advanced<P>, usize), P> {
        let installed = <Ahead<P> as Carrier>::RECORDS;
        let (program, parameters, progress) =
            (self.program, &self.parameters_ahead, &mut self.progress);
        let make = || {
            let (mut state, end) = (start, steps.end);
            for number in steps {
                if number == self.missing {
                    if let Some(cost) = program.cost_along(number, &state, parameters) {
                        self.value += cost.value();
                    }
                    self.missing += 1;
                }
                state = program.step(number, &state, parameters)?;
                progress.advanced += 1;
                if progress.advanced.is_multiple_of(TELL) {
                    (self.tell)(progress);
                }
                if number + 1 < end && until(number + 1, &state) {
                    return Ok((state, number + 1));
                }
            }
            Ok((state, end))
        };
        match installed {
            true => self.tape.record(make),
            false => make(),
        }
    }
    /// Returns the last state, if there are steps, and the sum of the costs on the way.
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn record(
        &mut self,
        steps: Range<usize>,
        first: &Variables<State<P>, Recorded<P>>,
        parameters: &Variables<Parameters<P>, Recorded<P>>,
    ) -> Outcome<
        (
            Option<Variables<State<P>, Recorded<P>>>,
            Active<f64, Recorded<P>>,
        ),
        P,
    > {
        let program = self.program;
        self.tape.record(|| {
            let (mut state, mut sum) = (None, Active::passive(0.0));
            for number in steps {
                let now = state.as_ref().unwrap_or(first);
                if let Some(cost) = program.cost_along(number, now, parameters) {
                    sum += &cost;
                    if number == self.missing {
                        self.value += cost.value();
                    }
                }
                self.missing = self.missing.max(number + 1);
                let next = program.step(number, now, parameters)?;
                state = Some(next);
            }
            Ok((state, sum))
        })
    }
    #[track_caller]
    fn sweep(
        &mut self,
        steps: Range<usize>,
        mut first: Variables<State<P>, Recorded<P>>,
    ) -> Outcome<(), P> {
        let mut parameters = Parameters::<P>::inputs(self.parameters.clone(), &mut self.tape);
        let (mut after, mut cost) = self.record(steps.clone(), &first, &parameters)?;
        let last = after.as_mut().unwrap_or(&mut first);
        if self.adjoints.is_none() && self.seed.is_none() {
            let program = self.program;
            let end = self.tape.record(|| {
                let end = program.cost(last, &parameters)?;
                if let Some(end) = end {
                    self.value += end.value();
                    cost += &end;
                }
                Ok::<_, tape::Error>(())
            });
            end?;
        }
        if let Some(full) = self.tape.full() {
            return Err(full.clone().into());
        }
        if self.adjoints.is_none() {
            self.last = Some(State::<P>::values(last));
        }
        if let Some(expected) = self.expected.take()
            && !same_numbers(&coordinates::<State<P>, Recorded<P>>(last), &expected)
        {
            return Err(Error::NotRepeatable { number: steps.end });
        }
        let marked = self.adjoints.is_some() || self.within_sweep;
        let mut seeding = Seeding::new(&mut self.tape, marked);
        match (&self.adjoints, &self.seed) {
            // The accumulated adjoint comes first, as in a sweep of the whole loop.
            (Some((state_b, parameters_b)), _) => {
                let (state_b, parameters_b) = (state_b.clone(), parameters_b.clone());
                let parameters_b = Parameters::<P>::unpack(parameters_b);
                Parameters::<P>::zip(&mut parameters, parameters_b, &mut seeding)?;
                State::<P>::zip(last, State::<P>::unpack(state_b), &mut seeding)?;
            }
            (None, Some(seed)) => {
                let [given, needed] = [seed, self.last.as_ref().unwrap_or(seed)].map(|values| {
                    let mut all = Vec::new();
                    State::<P>::coordinates(values, &mut all);
                    all.len()
                });
                assert!(
                    given == needed,
                    "a seed of {given} numbers does not fit a final state of {needed}: pass one number for each coordinate"
                );
                let seed = State::<P>::unpack(seed.clone());
                State::<P>::zip(last, seed, &mut seeding)?;
                (self.finite, self.undefined) = (seeding.finite, seeding.undefined);
            }
            (None, None) => {}
        }
        if <P as Runs<Recorded<P>>>::COSTS {
            seeding.leaf(&mut cost, 1.0)?;
        }
        let swept = match seeding.any {
            true => Some(self.tape.sweep()?),
            // Adjoints may come from counterparts of external functions elsewhere.
            false if self.tape.takes_part() => Some(self.tape.sweep()?),
            false => None,
        };
        let mut read = GradientOf {
            gradient: swept.as_ref(),
            is_last: steps.start == 0 && !self.within_sweep,
            any: false,
        };
        let parameters_b = Parameters::<P>::read(&parameters, &mut read)?;
        let state_b = State::<P>::read(&first, &mut read)?;
        self.reached = read.any;
        self.adjoints = Some((
            State::<P>::pack(state_b),
            Parameters::<P>::pack(parameters_b),
        ));
        self.sweeps += 1;
        let looks = self.sweeps.is_power_of_two();
        if looks {
            self.most = self.most.max(self.tape.statistics().bytes());
        }
        // The pool would grow with every sweep.
        self.tape.reset();
        if pool::bytes() > self.most {
            pool::release_memory();
        }
        // Only some states are compared, the first ones at once.
        if looks {
            self.expected = Some(coordinates::<State<P>, Recorded<P>>(&first));
        }
        self.progress.reversed += steps.len();
        (self.tell)(&self.progress);
        Ok(())
    }
}
pub(super) fn same_numbers(a: &[f64], b: &[f64]) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    a.len() == b.len() && a.iter().zip(b).all(same)
}
fn coordinates<S: FlatStructure, M: AnyMode>(variables: &Variables<S, M>) -> Vec<f64> {
    S::flattened(&S::values(variables))
}
