//! Random programs of matrix statements, compared with programs of single numbers.
use approx::abs_diff_eq;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    tape::{Gradient, Tape},
};

mod entities;
mod numbers;
mod program;
use entities::{Dynamic, Fixed};
use numbers::Numbers;
use program::{Program, Step, programs};

trait State<M: AnyMode> {
    fn copy(&self) -> Self;
    fn step(&mut self, step: &Step);
    fn sum(&self) -> Active<f64, M>;
}

/// The value, the gradient halfway, and the gradient of the final state.
#[derive(Debug)]
struct Outcome {
    value: f64,
    half: Vec<f64>,
    whole: Vec<f64>,
}
impl Outcome {
    fn equals(&self, other: &Self) -> bool {
        equal(&[self.value], &[other.value])
            && equal(&self.half, &other.half)
            && equal(&self.whole, &other.whole)
    }
    fn gradients(&self) -> impl Iterator<Item = &f64> {
        self.half.iter().chain(&self.whole)
    }
}

/// Sweeps halfway, records the rest, and sweeps from both ends again.
fn run<M: Recording, S: State<M>>(
    tape: &mut Tape<M>,
    program: &Program,
    inputs: &S,
    read: impl Fn(&Gradient<'_, M>) -> Vec<f64>,
) -> Result<Outcome, String> {
    let sweep = |tape: &mut Tape<M>, y: &Active<f64, M>| {
        let other = (!y.is_active()).then(|| tape.input(1.0));
        tape.gradient(other.as_ref().unwrap_or(y))
            .map(|g| read(&g))
            .map_err(|error| error.to_string())
    };
    let (first, second) = program.steps.split_at(program.steps.len() / 2);
    let mut state = tape.record(|| inputs.copy());
    tape.record(|| first.iter().for_each(|s| state.step(s)));
    let middle = tape.record(|| state.sum());
    let half = sweep(tape, &middle)?;
    tape.record(|| second.iter().for_each(|s| state.step(s)));
    let y = tape.record(|| state.sum());
    let whole = sweep(tape, &y)?;
    if !equal(&sweep(tape, &middle)?, &half) {
        return Err("the gradient of the half, later".into());
    }
    if !equal(&sweep(tape, &y)?, &whole) {
        return Err("the same gradient again".into());
    }
    Ok(Outcome {
        value: *y.get(),
        half,
        whole,
    })
}
/// The sign of a zero depends on the first term of a sum.
fn equal(x: &[f64], y: &[f64]) -> bool {
    let same = |(x, y): (&f64, &f64)| x == y || (x.is_nan() && y.is_nan());
    x.len() == y.len() && x.iter().zip(y).all(same)
}

macro_rules! runs { ($($name:ident $State:ident;)*) => { $(
    fn $name<M: Recording>(mut tape: Tape<M>, program: &Program) -> Result<Outcome, String> {
        let inputs = $State::inputs(&mut tape, program).map_err(|error| error.to_string())?;
        run(&mut tape, program, &inputs, |g| inputs.read(g))
    }
)* } }
runs! { dynamic Dynamic; fixed Fixed; numbers Numbers; }

fn tape<M: Recording>(chunk: usize, trace: bool) -> Tape<M> {
    Tape::builder()
        .chunk_bytes(chunk)
        .trace(trace)
        .build()
        .unwrap()
}
fn value(mut state: impl State<Plain>, program: &Program) -> f64 {
    program.steps.iter().for_each(|s| state.step(s));
    state.sum().value()
}

/// Returns `false` if the numbers grow too large for a comparison.
fn check(program: &Program) -> Result<bool, String> {
    let want = numbers(tape::<Taped>(1 << 20, false), program)?;
    let size = want
        .gradients()
        .fold(1.0, |a: f64, b| a.max(b.abs()))
        .max(want.value.abs());
    if !size.is_finite() || size > 1e12 {
        return Ok(false);
    }
    let dynamic_first = dynamic(tape::<Taped>(1 << 20, false), program)?;
    let fixed_first = fixed(tape::<Taped>(1 << 20, false), program)?;
    for (what, got) in [("dynamic", &dynamic_first), ("fixed", &fixed_first)] {
        let near = |a: &f64, b: &f64| abs_diff_eq!(a, b, epsilon = 1e-11 * size);
        if !near(&got.value, &want.value)
            || !got
                .gradients()
                .zip(want.gradients())
                .all(|(a, b)| near(a, b))
        {
            return Err(format!("{what}: {got:?}\ninstead of {want:?}, of {size}"));
        }
    }
    let same = |what: &str, want: &Outcome, got: Result<Outcome, String>| {
        let got = got.map_err(|error| format!("{what}: {error}"))?;
        got.equals(want)
            .then_some(())
            .ok_or_else(|| format!("{what}: {got:?}\ninstead of {want:?}"))
    };
    for (chunk, trace) in [(32, false), (100, true)] {
        same(
            "dynamic, Taped",
            &dynamic_first,
            dynamic(tape::<Taped>(chunk, trace), program),
        )?;
        same(
            "dynamic, Reuse",
            &dynamic_first,
            dynamic(tape::<Reuse>(chunk, trace), program),
        )?;
        same(
            "fixed, Taped",
            &fixed_first,
            fixed(tape::<Taped>(chunk, trace), program),
        )?;
        same(
            "fixed, Reuse",
            &fixed_first,
            fixed(tape::<Reuse>(chunk, trace), program),
        )?;
    }
    for (plain, taped) in [
        (
            value(Dynamic::passive(program), program),
            dynamic_first.value,
        ),
        (value(Fixed::passive(program), program), fixed_first.value),
    ] {
        if !equal(&[plain], &[taped]) {
            return Err(format!("{plain} without a tape, {taped} with one"));
        }
    }
    Ok(true)
}

#[test]
fn matrix_programs_agree_with_programs_of_numbers() {
    programs(200, check);
}

fn check_full(program: &Program) -> Result<bool, String> {
    let Ok(want) = dynamic(tape::<Taped>(1 << 20, false), program) else {
        return Ok(false);
    };
    let mut errors = 0;
    for limit in [1_000, 2_000, 4_000, 8_000] {
        let full = Tape::<Reuse>::builder()
            .chunk_bytes(32)
            .memory_limit(limit)
            .build();
        let Ok(full) = full else { continue };
        match dynamic(full, program) {
            Ok(got) if got.equals(&want) => {}
            Ok(got) => return Err(format!("limit {limit}: {got:?}\ninstead of {want:?}")),
            Err(_) => errors += 1,
        }
    }
    Ok(errors > 0)
}

#[test]
fn a_full_tape_returns_the_gradient_or_an_error() {
    programs(100, check_full);
}
