//! Runs a program on a tape, in plain mode and on numbers, and compares the results.
mod directions;

use crate::{
    exact::{self, Num},
    misuse,
    program::{Instruction, Program, Statement},
    state::{Entities, Input, Numbers, SLOTS, name, source},
    statements::{self, Chosen, Common, OfEntities, OfNumbers},
};
use entape::{
    expr::Active,
    mode::{Plain, Recording},
    tape::{Error, Position, Tape},
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Count {
    pub(crate) statements: usize,
    /// Values grow too large, or are too near to a point without a derivative.
    pub(crate) skipped: usize,
    pub(crate) sweeps: usize,
    pub(crate) entries: usize,
    pub(crate) directions: usize,
    pub(crate) refused: usize,
}

struct Mark<M: Recording> {
    position: Position,
    length: usize,
    inputs: usize,
    entities: Entities<M>,
    plain: Entities<Plain>,
    numbers: Numbers,
}

pub(crate) struct Tables<M: Recording> {
    entities: Vec<Option<OfEntities<M>>>,
    plain: Vec<Option<OfEntities<Plain>>>,
    numbers: Vec<OfNumbers>,
    directional: bool,
    ran: Vec<Cell<bool>>,
}
impl<M: Recording> Tables<M> {
    pub(crate) fn numbers_of_statements(&self) -> Vec<usize> {
        (0..statements::COUNT)
            .filter(|&at| self.entities[at].is_some())
            .collect()
    }
    pub(crate) fn never_run(&self) -> Vec<&'static str> {
        let all = statements::sources().into_iter().zip(&self.ran);
        let all = all
            .zip(&self.entities)
            .filter(|(_, entities)| entities.is_some());
        all.filter(|((_, ran), _)| !ran.get())
            .map(|((s, _), _)| s)
            .collect()
    }
}
impl<M: Recording> Tables<M> {
    pub(crate) fn of_mode() -> Self
    where
        M: Chosen<M>,
    {
        Self::new(statements::entities::<M, M>(), false)
    }
    pub(crate) fn with_directions() -> Self {
        Self::new(statements::entities::<M, Common>(), true)
    }
    fn new(entities: Vec<Option<OfEntities<M>>>, directional: bool) -> Self {
        Tables {
            entities,
            plain: statements::entities::<Plain, Plain>(),
            numbers: statements::numbers(),
            directional,
            ran: vec![Cell::new(false); statements::COUNT],
        }
    }
}

pub(crate) struct Run<'p, M: Recording> {
    program: &'p Program,
    tables: &'p Tables<M>,
    limited: bool,
    tape: Tape<M>,
    entities: Entities<M>,
    plain: Entities<Plain>,
    numbers: Numbers,
    inputs: Vec<Input<M>>,
    written: Vec<Vec<Num>>,
    mark: Option<Mark<M>>,
    rounds: u64,
    /// The executed program, with the initial values of its variables.
    pub(crate) log: Vec<String>,
    pub(crate) count: Count,
}

/// Marks lines of the shown program that are omitted if nothing else names their variable.
pub(crate) const ABOUT_ONE: &str = " //";

pub(crate) enum Stop {
    Full,
    Failure(String),
}
pub(crate) type Done<T = ()> = Result<T, Stop>;
pub(crate) fn fail<T>(message: impl Into<String>) -> Done<T> {
    Err(Stop::Failure(message.into()))
}
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failure(format!("an error: {error}"))
    }
}
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic").to_string()
}
/// Whether variables of value kinds are copied.
fn is_linear<M: Recording>() -> bool {
    !std::mem::needs_drop::<Active<f64, M>>()
}
fn is_full(error: &Error) -> bool {
    matches!(error, Error::MemoryLimit { .. })
}

impl<'p, M: Recording> Run<'p, M> {
    pub(crate) fn new(program: &'p Program, tables: &'p Tables<M>, limited: bool) -> Done<Self> {
        exact::truncate(0);
        let mut builder = Tape::<M>::builder().trace(program.trace);
        if let Some(bytes) = program.chunk_bytes {
            builder = builder.chunk_bytes(bytes);
        }
        if limited {
            builder = builder.memory_limit(program.limit);
        }
        let mut tape = builder.build()?;
        let (entities, plain, numbers) =
            Self::started(Entities::start(&mut tape, program.n, program.values(0)))?;
        let mut run = Run {
            program,
            tables,
            limited,
            tape,
            entities,
            plain,
            numbers,
            inputs: Vec::new(),
            written: Vec::new(),
            mark: None,
            rounds: 0,
            log: Vec::new(),
            count: Count::default(),
        };
        run.begin()?;
        Ok(run)
    }
    fn started<T>(made: Result<T, Error>) -> Done<T> {
        made.map_err(|error| match is_full(&error) {
            true => Stop::Full,
            false => error.into(),
        })
    }
    fn begin(&mut self) -> Done {
        let all = self.numbers.variables();
        self.written = all.iter().step_by(SLOTS).cloned().collect();
        for (at, (numbers, variable)) in all.iter().zip(self.entities.variables()).enumerate() {
            let values: Vec<_> = numbers.iter().map(|x| x.value).collect();
            let value = source(at / SLOTS, self.program.n, &values);
            let value = match variable.is_active() {
                true => format!("tape.input({value})"),
                false => format!("Active::passive({value})"),
            };
            self.log.push(format!("{} = {value};{ABOUT_ONE}", name(at)));
        }
        (0..all.len() / SLOTS).try_for_each(|kind| self.input(kind, 1))
    }
    fn input(&mut self, kind: usize, slot: usize) -> Done {
        let next = self.program.values(100 + self.inputs.len() as u64);
        let Run {
            entities,
            plain,
            numbers,
            tape,
            ..
        } = self;
        let input = Self::started(entities.input(plain, numbers, tape, kind, slot, next))?;
        let values: Vec<_> = input.numbers.iter().map(|x| x.value).collect();
        let name = name(SLOTS * kind + slot);
        let value = source(kind, self.program.n, &values);
        self.log.push(format!(
            "let input = tape.input({value}); {name} = input.clone();{ABOUT_ONE}"
        ));
        self.inputs.push(input);
        Ok(())
    }

    pub(crate) fn run(&mut self) -> Done {
        let mut rest = &self.program.instructions[..];
        loop {
            let until = rest
                .iter()
                .position(|i| !matches!(i, Instruction::Statement(_)));
            let (statements, behind) = rest.split_at(until.unwrap_or(rest.len()));
            self.record(statements, behind.first())?;
            let Some((&control, behind)) = behind.split_first() else {
                break;
            };
            self.control(control)?;
            rest = behind;
        }
        self.log.push("// at the end".into());
        self.sweep(u16::MAX)
    }
    fn control(&mut self, control: Instruction) -> Done {
        match control {
            Instruction::Statement(_) | Instruction::Misuse(_) | Instruction::Nested => {}
            Instruction::Pause => self.log.push("// another recording".into()),
            Instruction::Sweep(kinds) => {
                self.log
                    .push(format!("// a sweep from the kinds {kinds:#b}"));
                self.sweep(kinds)?;
            }
            Instruction::Mark => self.mark()?,
            Instruction::Partial(kinds) => self.partial(kinds)?,
            Instruction::Back => self.back()?,
            Instruction::Reset => self.reset()?,
            Instruction::Input(kind, slot) => match self.input(kind.into(), slot.into()) {
                Err(Stop::Full) if self.limited => {}
                done => done?,
            },
            Instruction::Abandon(how) => self.abandon(how)?,
            Instruction::Look => {
                self.log.push("tape.find_non_finite();".into());
                if let Some(found) = self.tape.find_non_finite() {
                    return fail(format!("all values are finite, but {found}"));
                }
                let _ = self.tape.statistics();
                self.compare_values()?;
            }
        }
        Ok(())
    }

    fn judged(&mut self, statements: &[Instruction]) -> Vec<Statement> {
        let mut done = Vec::new();
        for instruction in statements {
            let Instruction::Statement(statement) = *instruction else {
                continue;
            };
            if !self.program.has(statement.number) {
                continue;
            }
            let (before, length) = (self.numbers.clone(), exact::length());
            let at = statement.at(self.program.n);
            self.tables.numbers[statement.number](&mut self.numbers, at);
            let small = |x: &Num| x.value.abs() <= 8.0 && x.error <= 1e3;
            let sound = self.numbers.variables().iter().flatten().all(small);
            if exact::was_smooth() && sound {
                self.log.push(statement.source(self.program.n));
                self.tables.ran[statement.number].set(true);
                done.push(statement);
            } else {
                self.count.skipped += 1;
                self.numbers = before;
                exact::truncate(length);
            }
        }
        self.count.statements += done.len();
        done
    }
    fn record(&mut self, statements: &[Instruction], then: Option<&Instruction>) -> Done {
        let statements = self.judged(statements);
        let (n, tables) = (self.program.n, self.tables);
        let misuse = match then {
            Some(Instruction::Misuse(misuse)) => Some(*misuse),
            _ => None,
        };
        let nested = then == Some(&Instruction::Nested);
        let mut reached = false;
        let Run { tape, entities, .. } = self;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            tape.record(|| {
                for statement in &statements {
                    let run = tables.entities[statement.number].expect("a statement of this mode");
                    run(entities, statement.at(n));
                }
                reached = true;
                if nested {
                    misuse::another_tape::<M>();
                }
                misuse.is_none_or(|misuse| misuse::panics(misuse, entities))
            })
        }));
        if let Some(misuse) = misuse {
            self.log.push(format!("// a panic: {misuse:?}"));
        } else if nested {
            self.log.push("// another tape".into());
        }
        match (outcome, misuse) {
            (Err(panic), _) if !reached || misuse.is_none() => {
                return fail(format!("a panic: {}", message(&*panic)));
            }
            (Ok(false), Some(misuse)) if self.tape.full().is_none() => {
                return fail(format!("{misuse:?} passes without a panic"));
            }
            _ => {}
        }
        for statement in &statements {
            let run = tables.plain[statement.number].expect("every statement");
            run(&mut self.plain, statement.at(n));
        }
        self.compare_values()
    }
    fn compare_values(&mut self) -> Done {
        let (got, plain) = (self.entities.values(), self.plain.values());
        let numbers = self.numbers.variables();
        let names = numbers
            .iter()
            .enumerate()
            .flat_map(|(at, x)| x.iter().enumerate().map(move |x| (at, x)));
        for ((got, plain), (at, (element, x))) in got.iter().zip(plain).zip(names) {
            let name = || format!("{} (element {element})", name(at));
            if got.to_bits() != plain.to_bits() {
                return fail(format!(
                    "{} is {got:e}, and {plain:e} in plain mode",
                    name()
                ));
            }
            let tolerance = if x.single { 1e-5 } else { 1e-13 } * x.error.max(1.0);
            if (got - x.value).abs() > tolerance || got.is_nan() {
                let want = x.value;
                return fail(format!("{} is {got:e} instead of {want:e}", name()));
            }
            self.count.entries += 1;
        }
        Ok(())
    }

    fn seed(&mut self, kinds: u16) -> Done<Vec<(Num, f64)>> {
        let mut seeds = Vec::new();
        let numbers = self.numbers.variables();
        for (at, variable) in self.entities.variables().into_iter().enumerate() {
            if kinds >> (at / SLOTS) & 1 == 0 {
                continue;
            }
            let weight = |e: usize| f64::from((3 * at as u32 + 7 * e as u32) % 13) / 8.0 - 0.5;
            let weights: Vec<f64> = (0..numbers[at].len()).map(weight).collect();
            match variable.seed(&mut self.tape, &weights) {
                Ok(()) => {
                    let seed = source(at / SLOTS, self.program.n, &weights);
                    let name = name(at);
                    self.log
                        .push(format!("tape.seed(&{name}, {seed})?;{ABOUT_ONE}"));
                    seeds.extend(numbers[at].iter().copied().zip(weights));
                }
                Err(Error::NotRecorded { .. })
                    if !numbers[at].iter().any(|x| x.is_active()) && !variable.is_active() => {}
                Err(error) if is_full(&error) && self.tape.full().is_some() => {}
                Err(error) => return fail(format!("{} can't be seeded: {error}", name(at))),
            }
        }
        Ok(seeds)
    }
    fn sweep(&mut self, kinds: u16) -> Done {
        let mut first: Option<Vec<u64>> = None;
        for _ in 0..2 {
            let lines = self.log.len();
            let seeds = self.seed(kinds)?;
            if first.is_some() {
                self.log.truncate(lines);
            }
            if seeds.is_empty() {
                return Ok(());
            }
            let adjoints = exact::sweep(&seeds, 0);
            if first.is_none() {
                self.log.push("let gradient = tape.sweep()?;".into());
            }
            let gradient = self.tape.sweep()?;
            let (mut bits, mut entries) = (Vec::new(), 0);
            for input in &self.inputs {
                let got = input.variable.gradient(&gradient)?;
                entries += compare(&input.name(), &got, &input.numbers, &adjoints)?;
                bits.extend(got.iter().map(|x| x.to_bits()));
            }
            for (at, variable) in self.entities.variables().into_iter().enumerate() {
                let Ok(got) = variable.gradient(&gradient) else {
                    continue;
                };
                // An owning variable keeps its identifier, so for these, a copy of the input.
                let kind = at / SLOTS;
                let inputs = self.inputs.iter().filter(|input| input.kind == kind);
                let inputs = inputs.map(|input| &input.numbers);
                let mut inputs = inputs.chain([&self.written[kind]]);
                if !inputs.any(|input| compare("", &got, input, &adjoints).is_ok()) {
                    let want = self.written[kind].iter().map(|x| adjoints.of(*x).value);
                    return fail(format!(
                        "the gradient with respect to {} is {got:?}, that of the input that it was {:?}",
                        name(at),
                        want.collect::<Vec<_>>()
                    ));
                }
                entries += got.len();
                bits.extend(got.iter().map(|x| x.to_bits()));
            }
            self.count.entries += entries;
            self.count.sweeps += 1;
            match &first {
                Some(first) if *first != bits => {
                    return fail("the same sweep again gives another gradient");
                }
                _ => first = Some(bits),
            }
        }
        // Because eight directions take long, half of the sweeps have one.
        if self.tape.full().is_some() || !self.tables.directional {
            return Ok(());
        }
        if self.count.statements.is_multiple_of(2) {
            return self.directions::<1>(kinds, |x| x.one());
        }
        self.directions::<8>(kinds, |x| x.eight())?;
        self.adjoints(kinds)
    }
    /// Gives each variable a separate identifier, so that a reset must undo later writes; clones are kept for the
    /// reset.
    fn mark(&mut self) -> Done {
        self.log.push("let position = tape.position();".into());
        self.entities = self.tape.record(|| self.entities.fresh());
        self.numbers = self.numbers.fresh();
        let entities = self.tape.record(|| self.entities.copy());
        let numbers = self.numbers.copy(is_linear::<M>());
        let position = self.tape.position();
        if self.tape.full().is_some() {
            // Statements lost now remain lost after a reset.
            return Ok(());
        }
        self.mark = Some(Mark {
            position,
            length: exact::length(),
            inputs: self.inputs.len(),
            entities,
            plain: self.plain.copy(),
            numbers,
        });
        self.compare_values()
    }
    fn restore(&mut self) -> Option<Entities<M>> {
        let mark = self.mark.as_ref()?;
        let entities = self.tape.record(|| mark.entities.copy());
        (self.plain, self.numbers) = (mark.plain.copy(), mark.numbers.copy(is_linear::<M>()));
        Some(std::mem::replace(&mut self.entities, entities))
    }
    fn partial(&mut self, kinds: u16) -> Done {
        let Some(output) = self.entities.x.iter().position(|x| x.is_active()) else {
            return Ok(());
        };
        if self.mark.is_none() || self.tape.full().is_some() {
            return Ok(());
        }
        let seeds = self.seed(kinds | 1)?;
        let mark = self.mark.as_ref().expect("a mark");
        self.log
            .push("let gradient = tape.sweep_to(&position)?;".into());
        let adjoints = exact::sweep(&seeds, mark.length);
        let gradient = self.tape.sweep_to(&mark.position)?;
        for input in &self.inputs {
            if let Ok(got) = input.variable.gradient(&gradient) {
                self.count.entries += compare(&input.name(), &got, &input.numbers, &adjoints)?;
            }
        }
        // Variables with linear identifiers have an adjoint for each value.
        let numbers = mark.numbers.variables();
        for (at, variable) in mark.entities.variables().into_iter().enumerate() {
            if !numbers[at].iter().any(|x| x.is_active()) {
                // An entity is active as a whole, even if none of its numbers is.
                continue;
            }
            let what = format!("{} of the position", name(at));
            match variable.gradient(&gradient) {
                Ok(got) => self.count.entries += compare(&what, &got, &numbers[at], &adjoints)?,
                Err(error) if is_linear::<M>() && at == 0 && variable.is_active() => {
                    return fail(format!("{what}: {error}"));
                }
                Err(_) => {}
            }
        }
        self.count.sweeps += 1;
        self.log.push("let gradient = tape.sweep()?;".into());
        let adjoints = exact::sweep(&seeds, 0);
        let gradient = self.tape.sweep()?;
        for input in &self.inputs {
            let got = input.variable.gradient(&gradient)?;
            let what = format!("after a sweep that went on, {}", input.name());
            self.count.entries += compare(&what, &got, &input.numbers, &adjoints)?;
        }
        let y = &self.entities.x[output];
        let adjoints = exact::sweep(&[(self.numbers.x[output], 1.0)], 0);
        let gradient = self.tape.gradient(y)?;
        for input in &self.inputs {
            let got = input.variable.gradient(&gradient)?;
            let what = format!("after a sweep to a position, {}", input.name());
            self.count.entries += compare(&what, &got, &input.numbers, &adjoints)?;
        }
        self.compare_values()
    }
    fn back(&mut self) -> Done {
        let Some(mark) = &self.mark else {
            return Ok(());
        };
        self.log.push("tape.reset_to(&position)?;".into());
        let (length, inputs) = (mark.length, mark.inputs);
        self.tape.reset_to(&mark.position)?;
        let old = self.numbers.variables();
        exact::truncate(length);
        let stale = self.restore().expect("a mark");
        for (variable, numbers) in stale.variables().into_iter().zip(&old) {
            if numbers.iter().any(|x| x.is_since(length)) {
                self.count.refused += refused(&mut self.tape, variable)?;
            }
        }
        for input in self.inputs.split_off(inputs) {
            self.count.refused += refused(&mut self.tape, &*input.variable)?;
        }
        self.compare_values()
    }
    fn reset(&mut self) -> Done {
        self.log.push("tape.reset();".into());
        self.tape.reset();
        exact::truncate(0);
        self.rounds += 1;
        let values = self.program.values(self.rounds);
        let made = Entities::start(&mut self.tape, self.program.n, values);
        let (entities, plain, numbers) = Self::started(made)?;
        let stale = std::mem::replace(&mut self.entities, entities);
        (self.plain, self.numbers) = (plain, numbers);
        let old = std::mem::take(&mut self.inputs);
        if let Some(mark) = self.mark.take()
            && (self.tape.sweep_to(&mark.position).is_ok()
                || self.tape.reset_to(&mark.position).is_ok())
        {
            return fail("a position of a recording that was reset is not refused");
        }
        self.begin()?;
        for variable in stale.variables() {
            self.count.refused += refused(&mut self.tape, variable)?;
        }
        for input in old {
            self.count.refused += refused(&mut self.tape, &*input.variable)?;
        }
        self.compare_values()
    }
}

/// Checks that a variable from before a reset has no gradient, and that expressions reject it.
fn refused<M: Recording>(
    tape: &mut Tape<M>,
    variable: &dyn crate::state::Variable<M>,
) -> Done<usize> {
    if !variable.is_active() {
        return Ok(0);
    }
    let seed = vec![1.0; variable.coordinates().len()];
    if variable.seed(tape, &seed).is_ok() {
        return fail("a stale variable is seeded");
    }
    let read = catch_unwind(AssertUnwindSafe(|| tape.record(|| variable.read())));
    match read {
        // Statements that a full tape lost remain lost.
        Ok(result) if result.seed(tape, &seed).is_err() => Ok(0),
        Ok(_) => fail("an expression takes a stale variable"),
        Err(_) => Ok(1),
    }
}
fn compare(what: &str, got: &[f64], numbers: &[Num], adjoints: &exact::Adjoints) -> Done<usize> {
    let what = format!("the gradient with respect to {what}");
    agree(&what, got, numbers, adjoints, 1e-10)
}
pub(crate) fn agree(
    what: &str,
    got: &[f64],
    numbers: &[Num],
    adjoints: &exact::Adjoints,
    relative: f64,
) -> Done<usize> {
    if got.len() != numbers.len() {
        return fail(format!(
            "{what} has {} entries instead of {}",
            got.len(),
            numbers.len()
        ));
    }
    for (at, (got, x)) in got.iter().zip(numbers).enumerate() {
        let want = adjoints.of(*x);
        let relative = if want.single || x.single {
            1e-3
        } else {
            relative
        };
        // The minimum is for sums that cancel.
        if (got - want.value).abs() > relative * want.size.max(1e-4) || got.is_nan() {
            let want = want.value;
            return fail(format!(
                "{what} is {got:e} instead of {want:e} (entry {at})"
            ));
        }
    }
    Ok(got.len())
}
