//! The cost of recording and reversing Burgers' equations compared with the plain program, in thread CPU time and
//! bytes.
//!
//! ```text
//! cargo bench -p entape-benches --bench burgers                            500 x 500 points, 32 steps: tables, then criterion
//! BURGERS=100,8 cargo bench -p entape-benches --bench burgers              another grid
//! BURGERS=100,8 cargo bench -p entape-benches --bench burgers -- --test    everything once
//! ```
//!
//! Tables show medians of rounds in which the programs take turns. Then criterion measures each program alone.
//!
//! * *plain f64* is the denominator of all factors.
//! * *warm* runs reuse the memory of the run before.
//! * *cold* is the first recording of a fresh process. It is the warm time plus the time to touch as many bytes of
//!   fresh memory, the median of five processes.
//! * *preallocated* is a first recording on a tape with reserved memory.
use criterion::Criterion;
use entape::{prelude::*, tape::Statistics};
use entape_programs::{
    burgers::{
        Burgers, Grid, Recorded,
        Statements::{Four, Fused},
    },
    measure::{
        median,
        micro::{ThreadCpu, criterion, each_timed},
        ms, timed,
    },
};
use std::{env, error::Error as StdError, process::Command, time::Duration};

type Outcome<T = ()> = Result<T, Box<dyn StdError>>;

/// The program whose first recording a process measures.
const COLD: &str = "BURGERS_COLD";
/// The reserved memory of its tape: bytes and reals.
const ROOM: &str = "BURGERS_ROOM";

fn main() -> Outcome {
    let grid = grid()?;
    if let Ok(index) = env::var(COLD) {
        return cold(grid, index.parse()?);
    }
    let mut criterion = criterion(10);
    let once = env::args().any(|argument| argument == "--test");
    let rounds = if once { 1 } else { 5 };
    cold_table(warm_table(grid, rounds)?, rounds)?;
    statistics(&mut criterion, grid)?;
    criterion.final_summary();
    Ok(())
}
/// `BURGERS=N,steps`.
fn grid() -> Outcome<Grid> {
    match env::var("BURGERS") {
        Ok(sizes) => pair(&sizes).map(|(n, steps)| Grid { n, steps }),
        Err(_) => Ok(Grid { n: 500, steps: 32 }),
    }
}
fn pair(text: &str) -> Outcome<(usize, usize)> {
    let (a, b) = text
        .split_once(',')
        .ok_or("two numbers with a comma between them are expected")?;
    Ok((a.parse()?, b.parse()?))
}

type Program<M> = fn(&mut Burgers<Active<f64, M>>) -> Active<f64, M>;

struct Subject<M: Recording> {
    name: &'static str,
    program: Program<M>,
    tape: Tape<M>,
}
trait Measured {
    fn name(&self) -> &'static str;
    fn run(&mut self, grid: Grid) -> Result<[Duration; 2], Error>;
    fn statistics(&self) -> Statistics;
    fn preallocate(&mut self, bytes: usize, reals: usize) -> Result<(), Error>;
}
impl<M: Recording> Measured for Subject<M> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn run(&mut self, grid: Grid) -> Result<[Duration; 2], Error> {
        let recorded = Recorded::new(&mut self.tape, grid, self.program);
        Ok([recorded.time, recorded.sweep(&mut self.tape)?.time])
    }
    fn statistics(&self) -> Statistics {
        self.tape.statistics()
    }
    fn preallocate(&mut self, bytes: usize, reals: usize) -> Result<(), Error> {
        self.tape = Tape::builder()
            .preallocate(bytes)
            .preallocate_reals(reals)
            .build()?;
        Ok(())
    }
}
fn subjects() -> Vec<Box<dyn Measured>> {
    fn subject<M: Recording>(name: &'static str, program: Program<M>) -> Box<dyn Measured> {
        Box::new(Subject {
            name,
            program,
            tape: Tape::default(),
        })
    }
    vec![
        subject::<Taped>("taped", |burgers| burgers.by_value(Four)),
        subject::<Taped>("taped, fused", |burgers| burgers.by_value(Fused)),
        subject::<Taped>("taped, by reference", |burgers| burgers.by_reference(Four)),
        subject::<Reuse>("reuse", |burgers| burgers.by_reference(Four)),
        subject::<Reuse>("reuse, fused", |burgers| burgers.by_reference(Fused)),
    ]
}

fn warm_table(grid: Grid, rounds: usize) -> Outcome<Vec<Statistics>> {
    let mut plain = Burgers::new(grid, |x| x);
    let mut generic = Burgers::new(grid, Active::<f64, Plain>::passive);
    let mut subjects = subjects();
    let mut times = vec![Vec::new(); 3 + 2 * subjects.len()];
    for round in 0..=rounds {
        let mut now = vec![
            timed(|| plain.baseline()).0,
            timed(|| generic.by_value(Four)).0,
            timed(|| generic.by_value(Fused)).0,
        ];
        for subject in &mut subjects {
            now.extend(subject.run(grid)?);
        }
        if round > 0 {
            times
                .iter_mut()
                .zip(now)
                .for_each(|(times, now)| times.push(now));
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    let baseline = medians[0];
    let points = (grid.n * grid.n * grid.steps.max(1)) as f64;

    println!(
        "Burgers' equations, {0} x {0} points, {1} steps",
        grid.n, grid.steps
    );
    println!(
        "thread CPU time in ms, medians of {rounds} warm rounds; tape bytes for a cell and a step\n"
    );
    println!("| program | record | reverse | both | over plain f64 | bytes |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, time) in [
        ("plain f64", baseline),
        ("plain mode", medians[1]),
        ("plain mode, fused", medians[2]),
    ] {
        println!(
            "| {name} | {:.2} | | {0:.2} | {:.2} | |",
            ms(time),
            over(time, baseline)
        );
    }
    for (subject, times) in subjects.iter().zip(medians[3..].chunks(2)) {
        let [record, reverse, both] = [times[0], times[1], times[0] + times[1]];
        let bytes = subject.statistics().bytes() as f64 / points;
        let (name, over) = (subject.name(), over(both, baseline));
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {over:.2} | {bytes:.1} |",
            ms(record),
            ms(reverse),
            ms(both)
        );
    }
    Ok(subjects
        .iter()
        .map(|subject| subject.statistics())
        .collect())
}

fn cold_table(statistics: Vec<Statistics>, rounds: usize) -> Outcome {
    println!(
        "\n| first recording and sweep | warm | touch | cold | over warm + touch | preallocated | over warm |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (index, (subject, statistics)) in subjects().iter().zip(statistics).enumerate() {
        let bytes = statistics.handle_bytes + statistics.size_bytes + statistics.block_bytes;
        let reals = statistics
            .kinds
            .iter()
            .map(|kind| kind.identifiers)
            .sum::<usize>();
        let mut colds = (0..rounds)
            .map(|_| process(index, None))
            .collect::<Result<Vec<_>, _>>()?;
        colds.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let cold = &colds[rounds / 2];
        let preallocated = process(index, Some((bytes + bytes / 64, reals + 1)))?;
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            subject.name(),
            cold.warm,
            cold.touch,
            cold.first,
            cold.ratio(),
            preallocated.first,
            preallocated.first / preallocated.warm,
        );
    }
    println!();
    Ok(())
}
struct Cold {
    first: f64,
    warm: f64,
    touch: f64,
}
impl Cold {
    fn ratio(&self) -> f64 {
        self.first / (self.warm + self.touch)
    }
}
fn process(index: usize, room: Option<(usize, usize)>) -> Outcome<Cold> {
    let mut command = Command::new(env::current_exe()?);
    command.env(COLD, index.to_string());
    if let Some((bytes, reals)) = room {
        command.env(ROOM, format!("{bytes},{reals}"));
    }
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers?[..] {
        [first, warm, touch] => Ok(Cold { first, warm, touch }),
        _ => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
fn cold(grid: Grid, index: usize) -> Outcome {
    let mut subject = subjects().swap_remove(index);
    if let Ok(room) = env::var(ROOM) {
        let (bytes, reals) = pair(&room)?;
        subject.preallocate(bytes, reals)?;
    }
    // Both touch memory first, in pages of equal size, because memory that a process returns is available to the next
    // one.
    const BYTES: usize = 1 << 30;
    let (touch, touched) = timed(|| Tape::<Taped>::builder().preallocate(BYTES).build());
    let touched = touched?;
    let mut both = || subject.run(grid).map(|[record, reverse]| record + reverse);
    let first = both()?;
    let warm = median([both()?, both()?, both()?]);
    drop(touched);
    let touch = touch.mul_f64(subject.statistics().bytes() as f64 / BYTES as f64);
    println!("{} {} {}", ms(first), ms(warm), ms(touch));
    Ok(())
}
fn over(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

/// criterion compares with the run before.
fn statistics(criterion: &mut Criterion<ThreadCpu>, grid: Grid) -> Outcome {
    let mut group = criterion.benchmark_group(format!("burgers {} x {}", grid.n, grid.steps));
    let mut plain = Burgers::new(grid, |x| x);
    group.bench_function("plain f64", |b| b.iter(|| plain.baseline()));
    let mut generic = Burgers::new(grid, Active::<f64, Plain>::passive);
    for (name, statements) in [("plain mode", Four), ("plain mode, fused", Fused)] {
        group.bench_function(name, |b| b.iter(|| generic.by_value(statements)));
    }
    for mut subject in subjects() {
        subject.run(grid)?;
        group.bench_function(format!("{}: record", subject.name()), |b| {
            b.iter_custom(each_timed(1, || {
                subject.run(grid).expect("the program was recorded")[0]
            }));
        });
        group.bench_function(format!("{}: reverse", subject.name()), |b| {
            b.iter_custom(each_timed(1, || {
                subject.run(grid).expect("the program was swept")[1]
            }));
        });
    }
    group.finish();
    Ok(())
}
