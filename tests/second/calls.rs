//! Calls of a tape in any order.
use entape::{
    prelude::*,
    tape::{Error, Gradient, Position, SweptAdjoints},
};
use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

type X = Real;
type V = Array;

struct Recorded {
    tape: Tape,
    x: [X; 2],
    v: V,
    first: V,
    middle: Position,
    outputs: Option<(X, X, V)>,
}
impl Recorded {
    fn new() -> Self {
        let mut tape = Tape::new();
        let x = [tape.input(0.75), tape.input(-1.25)];
        let v: V = tape.input(vec![0.5, 2.0, -1.5]);
        let first = tape.record(|| {
            let a = (&v * x[0]).eval();
            (&a * &a).eval()
        });
        let middle = tape.position();
        let outputs = None;
        let mut recorded = Recorded {
            tape,
            x,
            v,
            first,
            middle,
            outputs,
        };
        recorded.finish();
        recorded
    }
    fn finish(&mut self) {
        let Recorded { tape, x, first, .. } = self;
        self.outputs = Some(tape.record(|| {
            let mut b = first.clone();
            b.update(|b| b * x[1]);
            let y = (b.sum() * x[0]).eval();
            b[1] += y;
            let z = (b.norm_squared() * x[1]).eval();
            (y, z, b)
        }));
    }
    fn outputs(&self) -> (X, X, &V) {
        let (y, z, b) = self.outputs.as_ref().expect("it is recorded");
        (*y, *z, b)
    }
    fn seed(&mut self, seed: Seed) -> Result<(), Error> {
        let Recorded { tape, outputs, .. } = self;
        let (y, z, b) = outputs.as_ref().expect("it is recorded");
        match seed {
            Seed::Y => tape.seed(y, 0.5),
            Seed::Z => tape.seed(z, 2.0),
            Seed::B => tape.seed(b, vec![1.0, -3.0, 0.25]),
        }
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Seed {
    Y,
    Z,
    B,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Call {
    GradientOfY,
    GradientOfZ,
    Seed(Seed),
    Sweep,
    SweepToMiddle,
    Tangents,
    ManyTangents,
    SecondOfY,
    ManySecondOfZ,
    Adjoints,
    AdjointsOfB,
    AbandonDirections,
    AbandonAdjoints,
    PanicInPull,
    PanicInAdjoints,
    FindNonFinite,
    Statistics,
    Record,
    ResetAndRecord,
    ToDot,
}
use Call::*;
const CALLS: [Call; 22] = [
    GradientOfY,
    GradientOfZ,
    Seed(Seed::Y),
    Seed(Seed::Z),
    Seed(Seed::B),
    Sweep,
    SweepToMiddle,
    Tangents,
    ManyTangents,
    SecondOfY,
    ManySecondOfZ,
    Adjoints,
    AdjointsOfB,
    AbandonDirections,
    AbandonAdjoints,
    PanicInPull,
    PanicInAdjoints,
    FindNonFinite,
    Statistics,
    Record,
    ResetAndRecord,
    ToDot,
];

type Outcome = Result<Vec<u64>, Error>;
fn bits(numbers: impl IntoIterator<Item = f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}
fn of_gradient(g: &Gradient<'_>, x: &[X; 2], v: &V) -> Outcome {
    let x = g.wrt_all(x)?;
    Ok(bits(x.into_iter().chain(g.wrt(v)?)))
}
fn of_swept<const N: usize>(swept: &SweptAdjoints<'_, N>, x: &[X; 2], v: &V) -> Outcome
where
    entape::tape::Count: entape::tape::Directed<N>,
{
    let mut all = Vec::new();
    for x in x {
        all.push(swept.gradient(x)?);
        all.extend(swept.wrt(x)?);
    }
    all.extend(swept.gradient(v)?);
    all.extend(swept.wrt(v)?.into_iter().flatten());
    Ok(bits(all))
}
/// Excludes the adjoints of the last gradient.
fn of_adjoints(swept: &SweptAdjoints<'_, 8>, x: &[X; 2], v: &V) -> Outcome {
    let mut all = Vec::new();
    for x in x {
        all.extend(swept.wrt(x)?);
    }
    all.extend(swept.wrt(v)?.into_iter().flatten());
    Ok(bits(all))
}
fn tangents<const N: usize>(recorded: &mut Recorded) -> Outcome
where
    entape::tape::Count: entape::tape::Directed<N>,
{
    let (y, z, _) = recorded.outputs();
    let Recorded {
        tape,
        x,
        v,
        outputs,
        ..
    } = recorded;
    let mut directions = tape.directions::<N>()?;
    directions.set(&x[0], std::array::from_fn(|j| 1.0 + j as f64))?;
    directions.set_along(v, 0, vec![0.5, -1.0, 2.0])?;
    let tangents = directions.sweep()?;
    let b = &outputs.as_ref().expect("it is recorded").2;
    let mut all: Vec<f64> = tangents
        .of(&y)?
        .into_iter()
        .chain(tangents.of(&z)?)
        .collect();
    all.extend(tangents.of(b)?.into_iter().flatten());
    Ok(bits(all))
}
fn second<const N: usize>(recorded: &mut Recorded, of_z: bool) -> Outcome
where
    entape::tape::Count: entape::tape::Directed<N>,
{
    let (y, z, _) = recorded.outputs();
    let Recorded { tape, x, v, .. } = recorded;
    let mut directions = tape.directions::<N>()?;
    directions.set(&x[1], std::array::from_fn(|j| 1.0 - j as f64))?;
    directions.set_along(v, N - 1, vec![0.25, 1.0, -2.0])?;
    let tangents = directions.sweep()?;
    let swept = tangents.gradient(if of_z { &z } else { &y })?;
    of_swept(&swept, x, v)
}

impl Recorded {
    fn call(&mut self, call: Call) -> Outcome {
        let (y, z, _) = self.outputs();
        let Recorded {
            tape,
            x,
            v,
            middle,
            outputs,
            ..
        } = &mut *self;
        let b = &outputs.as_ref().expect("it is recorded").2;
        match call {
            GradientOfY => of_gradient(&tape.gradient(&y)?, x, v),
            GradientOfZ => of_gradient(&tape.gradient(&z)?, x, v),
            Seed(seed) => self.seed(seed).map(|()| Vec::new()),
            Sweep => of_gradient(&tape.sweep()?, x, v),
            SweepToMiddle => of_gradient(&tape.sweep_to(middle)?, x, v),
            Tangents => tangents::<1>(self),
            ManyTangents => tangents::<8>(self),
            SecondOfY => second::<1>(self, false),
            ManySecondOfZ => second::<8>(self, true),
            Adjoints => {
                let mut adjoints = tape.adjoints()?;
                adjoints.seed(&y, 0, 1.0)?;
                adjoints.seed(&z, 3, 0.5)?;
                of_adjoints(&adjoints.sweep()?, x, v)
            }
            AdjointsOfB => {
                let mut adjoints = tape.adjoints()?;
                adjoints.seed(b, 7, vec![1.0, 2.0, 3.0])?;
                of_adjoints(&adjoints.sweep()?, x, v)
            }
            AbandonDirections => {
                let mut directions = tape.directions::<8>()?;
                directions.set_along(&x[0], 2, 3.0)?;
                Ok(Vec::new())
            }
            AbandonAdjoints => {
                let mut adjoints = tape.adjoints()?;
                adjoints.seed(&y, 0, 10.0)?;
                adjoints.seed(b, 0, vec![10.0; 3])?;
                Ok(Vec::new())
            }
            PanicInPull => {
                let tangents = tape.directions::<1>()?.sweep()?;
                let seeds = [vec![1.0; 3], vec![1.0; 2]];
                let zeros = [[vec![0.0; 3]], [vec![0.0; 3]]];
                let pulled = catch_unwind(AssertUnwindSafe(|| {
                    tangents.pull(&[b, b], &seeds, &zeros).map(drop)
                }));
                assert!(pulled.is_err(), "a seed of another shape is refused");
                Ok(Vec::new())
            }
            PanicInAdjoints => {
                let mut adjoints = tape.adjoints()?;
                adjoints.seed(&y, 0, 10.0)?;
                let seeded = catch_unwind(AssertUnwindSafe(|| adjoints.seed(b, 0, vec![1.0; 2])));
                assert!(seeded.is_err(), "a seed of another shape is refused");
                Ok(Vec::new())
            }
            FindNonFinite => {
                assert_eq!(tape.find_non_finite(), None);
                Ok(Vec::new())
            }
            Statistics => {
                let _ = tape.statistics();
                Ok(Vec::new())
            }
            Record => {
                tape.record(|| (y * z).eval());
                Ok(Vec::new())
            }
            ResetAndRecord => {
                tape.reset_to(middle)?;
                self.finish();
                Ok(Vec::new())
            }
            ToDot => {
                let _ = tape.to_dot();
                Ok(Vec::new())
            }
        }
    }
}

/// The seeds, according to the documentation of the calls.
#[derive(Default)]
struct Model {
    /// The seeds of the next sweep; `None` if something was recorded or swept along directions since.
    seeds: Option<Vec<Seed>>,
    lost: bool,
    stopped: Option<Vec<Seed>>,
}
type Expected = Result<Vec<Seed>, Error>;
impl Model {
    fn call(&mut self, call: Call) -> Expected {
        let stopped = self.stopped.take();
        match call {
            GradientOfY | GradientOfZ | SecondOfY | ManySecondOfZ | Adjoints | AdjointsOfB
            | PanicInPull => {
                *self = Model::default();
            }
            Seed(_) if self.lost => {
                self.lost = false;
                return Err(Error::SeedsLost);
            }
            Seed(seed) => self.seeds.get_or_insert_default().push(seed),
            Sweep | SweepToMiddle => {
                if std::mem::take(&mut self.lost) {
                    self.stopped = stopped;
                    return Err(Error::SeedsLost);
                }
                let seeds = self.seeds.take().or(stopped).ok_or(Error::NotSeeded)?;
                if call == SweepToMiddle {
                    self.stopped = Some(seeds.clone());
                }
                return Ok(seeds);
            }
            Tangents | ManyTangents | AbandonDirections | AbandonAdjoints | PanicInAdjoints
            | Record | ResetAndRecord => self.lost |= self.seeds.take().is_some(),
            FindNonFinite | ToDot => {}
            Statistics => self.stopped = stopped,
        }
        Ok(Vec::new())
    }
}

#[test]
fn calls_in_any_order_have_the_results_of_separate_tapes() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut alone = HashMap::<(Vec<Seed>, Call), Outcome>::new();
    let mut faults = Vec::new();
    let mut compared = 0;
    for a in CALLS {
        for b in CALLS {
            for c in CALLS {
                let (mut recorded, mut model) = (Recorded::new(), Model::default());
                for (i, call) in [a, b, c].into_iter().enumerate() {
                    let got = recorded.call(call);
                    let want = model.call(call).and_then(|seeds| {
                        let known = alone.entry((seeds.clone(), call)).or_insert_with(|| {
                            let mut recorded = Recorded::new();
                            for seed in seeds {
                                recorded.seed(seed)?;
                            }
                            recorded.call(call)
                        });
                        known.clone()
                    });
                    compared += 1;
                    if got != want {
                        faults.push(format!(
                            "{:?}: {got:?} instead of {want:?}",
                            &[a, b, c][..=i]
                        ));
                        break;
                    }
                }
            }
        }
    }
    std::panic::set_hook(report);
    assert!(
        faults.is_empty(),
        "{} faults, such as\n{}",
        faults.len(),
        faults[..faults.len().min(5)].join("\n")
    );
    assert_eq!(compared, 3 * CALLS.len().pow(3));
}
