//! Programs of steps on all ranks, against the same programs on one rank: values, gradients, tangents, several adjoints, and
//! products of Hessians with vectors.
use crate::{
    Test,
    checks::assert_close,
    number,
    steps::{Random, Real, Step},
};
use entape_core::{
    mode::{Forward, Mode, Plain, Taped},
    tape::{Error, Tape},
};
use entape_drivers::jvp;
use entape_mpi::Communicator;

pub fn tests() -> [Test; 2] {
    [("steps", steps), ("random_programs", random_programs)]
}

fn on_ranks<M: Mode>(steps: &[Step], ranks: &Communicator, x: &[Real<M>]) -> Vec<Real<M>> {
    let mut x = x.to_vec();
    for step in steps {
        x = step.on_ranks(ranks, &x);
    }
    x
}
fn on_one<M: Mode>(steps: &[Step], x: Vec<Vec<Real<M>>>) -> Vec<Vec<Real<M>>> {
    steps.iter().fold(x, |x, step| step.on_one(&x))
}

pub fn compare(ranks: &Communicator, steps: &[Step], n: usize, random: &mut Random, name: &str) {
    let (rank, size) = (ranks.rank(), ranks.size());
    let each =
        |random: &mut Random| -> Vec<Vec<f64>> { (0..size).map(|_| random.numbers(n)).collect() };
    let (x, direction, seeds) = (each(random), each(random), each(random));

    let mut tape = Tape::new();
    let inputs: Vec<Vec<Real<Taped>>> = x.iter().map(|x| tape.inputs(x.iter().copied())).collect();
    let y = tape.record(|| on_one(steps, inputs.clone()));
    let mut seeded = Vec::new();
    for (y, seeds) in y.iter().zip(&seeds) {
        seeded.extend(y.iter().zip(seeds).filter(|(y, _)| y.is_active()));
    }
    let (outputs, weights): (Vec<_>, Vec<_>) = seeded.into_iter().unzip();
    let zeros = vec![[0.0]; outputs.len()];
    let mut directions = tape.directions::<1>().expect("tangents");
    for (x, v) in inputs.iter().flatten().zip(direction.iter().flatten()) {
        directions.set(x, [*v]).expect("an input");
    }
    let tangents = directions.sweep().expect("a sweep");
    let y_t: Vec<f64> = y[rank]
        .iter()
        .map(|y| {
            if y.is_active() {
                tangents.of(y).expect("a tangent")[0]
            } else {
                0.0
            }
        })
        .collect();
    let swept = tangents.pull(&outputs, &weights, &zeros).expect("a sweep");
    let gradient: Vec<f64> = inputs[rank]
        .iter()
        .map(|x| swept.gradient(x).expect("an input"))
        .collect();
    let second: Vec<f64> = inputs[rank]
        .iter()
        .map(|x| swept.wrt(x).expect("an input")[0])
        .collect();
    let values: Vec<f64> = y[rank].iter().map(|y| y.value()).collect();

    let close = |what: &str, a: &[f64], b: &[f64]| assert_close(&format!("{name}: {what}"), a, b);
    let mine = &x[rank];
    let plain: Vec<Real<Plain>> = mine.iter().map(|x| Real::passive(*x)).collect();
    let plain: Vec<f64> = on_ranks(steps, ranks, &plain)
        .iter()
        .map(|y| y.value())
        .collect();
    close("values in plain mode", &plain, &values);
    let program = |x: &[Real<Forward>]| on_ranks(steps, ranks, x);
    let (forward, forward_t) = jvp(program, mine, direction[rank].clone()).expect("tangents");
    close("values in forward mode", &forward, &values);
    close("tangents in forward mode", &forward_t, &y_t);

    let mut tape = Tape::new();
    let inputs = tape.inputs(mine.iter().copied());
    let y = tape.record(|| on_ranks(steps, ranks, &inputs));
    let recorded: Vec<f64> = y.iter().map(|y| y.value()).collect();
    close("recorded values", &recorded, &values);
    let weights: Vec<f64> = y
        .iter()
        .zip(&seeds[rank])
        .filter(|(y, _)| y.is_active())
        .map(|(_, weight)| *weight)
        .collect();
    let outputs: Vec<&Real<Taped>> = y.iter().filter(|y| y.is_active()).collect();
    for _ in 0..2 {
        for (y, weight) in outputs.iter().zip(&weights) {
            tape.seed(y, *weight).expect("an output");
        }
        // Ranks without seeds sweep, too, unless nothing communicates.
        let swept = match tape.sweep() {
            Err(Error::NotSeeded) => vec![0.0; n],
            swept => swept.expect("a sweep").wrt_all(&inputs).expect("inputs"),
        };
        close("gradient", &swept, &gradient);
    }
    let mut directions = tape.directions::<1>().expect("tangents");
    for (x, v) in inputs.iter().zip(&direction[rank]) {
        directions.set(x, [*v]).expect("an input");
    }
    let tangents = directions.sweep().expect("a sweep");
    let of = |y: &Real<Taped>| {
        if y.is_active() {
            tangents.of(y).expect("a tangent")[0]
        } else {
            0.0
        }
    };
    let tangents_of: Vec<f64> = y.iter().map(of).collect();
    close("tangents on the tape", &tangents_of, &y_t);
    let zeros = vec![[0.0]; outputs.len()];
    let swept = tangents.pull(&outputs, &weights, &zeros).expect("a sweep");
    let once: Vec<f64> = inputs
        .iter()
        .map(|x| swept.gradient(x).expect("an input"))
        .collect();
    let twice: Vec<f64> = inputs
        .iter()
        .map(|x| swept.wrt(x).expect("an input")[0])
        .collect();
    close("gradient to second order", &once, &gradient);
    close("second derivatives", &twice, &second);

    let mut adjoints = tape.adjoints().expect("adjoints");
    // Each rank seeds its own outputs, in direction 1, and only the first rank in direction 4.
    for (y, weight) in outputs.iter().zip(&weights) {
        adjoints.seed(y, 1, *weight).expect("an output");
        if rank == 0 {
            adjoints.seed(y, 4, 1.0).expect("an output");
        }
    }
    let swept = adjoints.sweep().expect("a sweep");
    let of: Vec<f64> = inputs
        .iter()
        .map(|x| swept.wrt(x).expect("an input")[1])
        .collect();
    close("one of several adjoints", &of, &gradient);
}

fn steps(ranks: &Communicator) {
    let mut random = Random(7);
    for step in Step::all(ranks.size()) {
        for n in [0, 1, 5] {
            if n == 0 && step == Step::Local {
                continue;
            }
            let program = match n {
                0 => vec![step],
                _ => vec![Step::Local, step, Step::Local],
            };
            compare(
                ranks,
                &program,
                n,
                &mut random,
                &format!("{step:?} of {n} numbers"),
            );
        }
    }
}
fn random_programs(ranks: &Communicator) {
    let mut random = Random(1 + number("SEED", 0) as u64);
    for i in 0..number("PROGRAMS", 100) {
        let (length, n) = (1 + random.below(8), 1 + random.below(5));
        let mut program = Vec::new();
        for _ in 0..length {
            program.push(Step::random(&mut random, ranks.size()));
            program.push(Step::Local);
        }
        let name = format!("program {i} with {n} numbers, {program:?}");
        compare(ranks, &program, n, &mut random, &name);
    }
}
