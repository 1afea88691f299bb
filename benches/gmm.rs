//! The cost of a mixture of Gaussians, with reals and with lists, compared with the plain program and a hand-written
//! gradient, in thread CPU time and bytes.
//!
//! ```text
//! cargo bench -p entape-benches --bench gmm                1000 points of dimension 10, for 5, 10 and 25 components
//! GMM=2,200 cargo bench -p entape-benches --bench gmm      dimension and components
//! cargo bench -p entape-benches --bench gmm -- --test      everything once
//! ```
//!
//! Times are medians of rounds in which all programs take turns.
//!
//! `entape_programs::gmm` cites the source.
use entape::{prelude::*, tape::Statistics};
use entape_programs::{
    gmm::{
        problem::{Parameters, Problem, Sizes},
        programs,
    },
    measure::{median, ms, timed},
};
use std::{env, error::Error as StdError, time::Duration};

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

fn main() -> Outcome {
    let once = env::args().any(|argument| argument == "--test");
    let (points, rounds) = if once { (20, 1) } else { (1000, 9) };
    let sizes = match env::var("GMM") {
        Ok(sizes) => {
            let (d, k) = sizes.split_once(',').ok_or("two numbers are expected")?;
            vec![(d.parse()?, k.parse()?)]
        }
        Err(_) => vec![(10, 5), (10, 10), (10, 25)],
    };
    println!("thread CPU time in ms, medians of {rounds} warm rounds\n");
    println!(
        "| d | K | n | program | record | reverse | both | over plain | over by hand | MB |\n|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|"
    );
    for (dimension, components) in sizes {
        let sizes = Sizes {
            dimension,
            components,
            points,
        };
        compare(sizes, rounds)?;
    }
    Ok(())
}

type Program<M> = fn(&Problem, &Parameters<Real<M>>) -> Real<M>;

struct Subject {
    name: &'static str,
    program: Program<Taped>,
    tape: Tape,
    record: Vec<Duration>,
    reverse: Vec<Duration>,
}
impl Subject {
    fn new(name: &'static str, program: Program<Taped>) -> Self {
        Subject {
            name,
            program,
            tape: Tape::new(),
            record: Vec::new(),
            reverse: Vec::new(),
        }
    }
    fn run(
        &mut self,
        problem: &Problem,
        parameters: &Parameters<f64>,
    ) -> Result<(f64, Parameters<f64>), Error> {
        let tape = &mut self.tape;
        tape.reset();
        let inputs = parameters.map(|list| tape.inputs(list.iter().copied()));
        let (record, y) = timed(|| tape.record(|| (self.program)(problem, &inputs)));
        let (reverse, gradient) = timed(|| {
            let gradient = tape.gradient(&y)?;
            let [alphas, means, icf] = inputs.lists().map(|list| gradient.wrt_all(list));
            Ok(Parameters {
                alphas: alphas?,
                means: means?,
                icf: icf?,
            })
        });
        self.record.push(record);
        self.reverse.push(reverse);
        Ok((y.value(), gradient?))
    }
    fn statistics(&self) -> Statistics {
        self.tape.statistics()
    }
}

fn compare(sizes: Sizes, rounds: usize) -> Outcome {
    let (problem, parameters) = Problem::random(sizes);
    let passive = parameters.map(|list| list.iter().map(|&x| Real::passive(x)).collect());
    let expected = problem.by_hand(&parameters);
    assert_near("the plain program", problem.plain(&parameters), expected.0);
    let plain_mode: [(_, Program<Plain>); 3] = [
        ("plain mode, reals", programs::with_reals),
        ("plain mode, lists", programs::with_lists),
        ("plain mode, own operation", programs::with_operation),
    ];
    for (name, program) in plain_mode {
        assert_near(name, program(&problem, &passive).value(), expected.0);
    }
    let mut subjects = [
        Subject::new("reals", programs::with_reals),
        Subject::new("lists", programs::with_lists),
        Subject::new("own operation", programs::with_operation),
    ];
    for subject in &mut subjects {
        let (value, gradient) = subject.run(&problem, &parameters)?;
        assert_near(subject.name, value, expected.0);
        let lists = gradient.lists().into_iter().zip(expected.1.lists());
        for (list, expected) in lists {
            let scale = expected.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
            for (a, b) in list.iter().zip(expected) {
                assert!(
                    (a - b).abs() <= 1e-10 * scale,
                    "{}: {a} instead of {b}",
                    subject.name
                );
            }
        }
        subject.record.clear();
        subject.reverse.clear();
    }
    let mut times = [(); 5].map(|()| Vec::new());
    for _ in 0..rounds {
        let now = [
            timed(|| problem.plain(&parameters)).0,
            timed(|| problem.by_hand(&parameters)).0,
            timed(|| plain_mode[0].1(&problem, &passive)).0,
            timed(|| plain_mode[1].1(&problem, &passive)).0,
            timed(|| plain_mode[2].1(&problem, &passive)).0,
        ];
        for (times, now) in times.iter_mut().zip(now) {
            times.push(now);
        }
        for subject in &mut subjects {
            subject.run(&problem, &parameters)?;
        }
    }
    let [plain, hand, modes @ ..] = times.map(median);
    let row = |name: &str, parts: Option<[Duration; 2]>, both: Duration, bytes: Option<usize>| {
        let [record, reverse] = match parts {
            Some(parts) => parts.map(|time| format!("{:.2}", ms(time))),
            None => [const { String::new() }; 2],
        };
        let bytes = bytes.map_or(String::new(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
        println!(
            "| {} | {} | {} | {name} | {record} | {reverse} | {:.2} | {:.2} | {:.2} | {bytes} |",
            sizes.dimension,
            sizes.components,
            sizes.points,
            ms(both),
            both.div_duration_f64(plain),
            both.div_duration_f64(hand)
        );
    };
    row("plain", None, plain, None);
    row("gradient by hand", None, hand, None);
    for ((name, _), time) in plain_mode.iter().zip(modes) {
        row(name, None, time, None);
    }
    for subject in subjects {
        let bytes = subject.statistics().bytes();
        let parts = [median(subject.record), median(subject.reverse)];
        row(subject.name, Some(parts), parts[0] + parts[1], Some(bytes));
    }
    Ok(())
}
fn assert_near(name: &str, value: f64, expected: f64) {
    let near = (value - expected).abs() <= 1e-11 * expected.abs();
    assert!(near, "{name}: {value} instead of {expected}");
}
