use crate::{
    Plain, Problem,
    protocol::{Bytes, Event, Job, Measured, Times, write},
};
use entape_programs::measure::{SHORT, in_a_row, median, timed};
use std::{
    fs,
    hint::black_box,
    io::{self, Write},
    time::Duration,
};

pub trait Tool {
    const TWO_CALLS: bool = true;
    /// Resets the previous run and registers the inputs. Not timed.
    fn prepare(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn record(&mut self) -> Result<f64, Fault>;
    fn reverse(&mut self) -> Result<(), Fault>;
    /// Returns the gradient, inputs one after the other, matrices row by row. Not timed.
    fn gradient(&mut self) -> Result<Vec<f64>, Fault>;
    fn bytes(&self) -> Option<Bytes> {
        None
    }
}
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("expected {0}")]
    Argument(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The tool cannot express this program.
    #[error("{0}")]
    Unable(String),
    #[error(transparent)]
    Tool(Box<dyn std::error::Error>),
}
impl Fault {
    pub fn tool(error: impl std::error::Error + 'static) -> Self {
        Fault::Tool(Box::new(error))
    }
}

/// The least time of all rounds together, so that short programs have many.
const LEAST: Duration = Duration::from_millis(200);
const MOST: usize = 60;

/// Runs the job with the tool that `make` creates, and reports the results.
pub fn serve<T: Tool>(
    job: &Job,
    make: impl FnOnce(Problem) -> Result<T, Fault>,
) -> Result<(), Fault> {
    let problem = job.problem()?;
    let mut plain = Plain::new(&problem);
    serve_beside(job, || plain.run(), || make(problem))
}
/// [`serve`], in turns with the `plain` program.
pub fn serve_beside<P, T: Tool>(
    job: &Job<P>,
    mut plain: impl FnMut() -> f64,
    make: impl FnOnce() -> Result<T, Fault>,
) -> Result<(), Fault> {
    let idle = memory("VmRSS:");
    let mut tool = match make() {
        Err(Fault::Unable(why)) => return say(&Event::Unable { why }),
        tool => tool?,
    };
    let ([record, reverse], value) = run(&mut tool)?;
    let cold = times::<T>(record, reverse);
    let mut numbers = vec![value];
    numbers.append(&mut tool.gradient()?);
    write(&job.gradient, &numbers)?;
    drop(numbers);
    say(&Event::Gradient)?;
    if !told_to_go()? {
        return Ok(());
    }
    let mut warm = Rounds::default();
    let short = timed(&mut plain).0 < SHORT;
    // A tool may take hundreds of times as long.
    let short_tool = short && record + reverse < LEAST;
    while !warm.enough(job.rounds) {
        let [time] = in_a_row(short, || {
            Ok::<_, Fault>([timed(|| black_box(&mut plain)()).0])
        })?;
        let [record, reverse] = in_a_row(short_tool, || Ok::<_, Fault>(run(&mut tool)?.0))?;
        warm.add(time, times::<T>(record, reverse));
    }
    let peak = memory("VmHWM:")
        .zip(idle)
        .map(|(most, idle)| most.saturating_sub(idle));
    let tape = tool.bytes();
    say(&Event::Measured(Measured {
        peak_bytes: peak,
        tape,
        cold,
        ..warm.medians()
    }))
}
fn run<T: Tool>(tool: &mut T) -> Result<([Duration; 2], f64), Fault> {
    tool.prepare()?;
    let (record, value) = timed(|| black_box(&mut *tool).record());
    let value = value?;
    let (reverse, swept) = timed(|| black_box(&mut *tool).reverse());
    swept?;
    Ok(([record, reverse], value))
}
fn times<T: Tool>(record: Duration, reverse: Duration) -> Times {
    let (record, reverse) = (record.as_secs_f64(), reverse.as_secs_f64());
    match T::TWO_CALLS {
        true => Times {
            record: Some(record),
            reverse,
        },
        false => Times {
            record: None,
            reverse: record + reverse,
        },
    }
}
fn say(event: &Event) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, event).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
fn told_to_go() -> io::Result<bool> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim() == "go")
}
fn memory(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim()
        .strip_suffix(" kB")?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}

#[derive(Default)]
struct Rounds {
    all: Duration,
    plain: Vec<Duration>,
    record: Vec<Duration>,
    reverse: Vec<Duration>,
}
impl Rounds {
    fn enough(&self, least: usize) -> bool {
        let count = self.plain.len();
        count >= least && (least == 1 || self.all >= LEAST || count >= MOST)
    }
    fn add(&mut self, plain: Duration, Times { record, reverse }: Times) {
        self.plain.push(plain);
        self.record.extend(record.map(Duration::from_secs_f64));
        let reverse = Duration::from_secs_f64(reverse);
        self.reverse.push(reverse);
        self.all += plain + reverse + record.map_or(Duration::ZERO, Duration::from_secs_f64);
    }
    fn medians(self) -> Measured {
        let rounds = self.plain.len();
        let seconds = |times: Vec<Duration>| median(times).as_secs_f64();
        let mut both = self.reverse.clone();
        both.iter_mut()
            .zip(&self.record)
            .for_each(|(both, record)| *both += *record);
        both.sort_unstable();
        let quartile = |k: usize| both[k * (both.len() - 1) / 4].as_secs_f64();
        let record = (!self.record.is_empty()).then(|| seconds(self.record));
        Measured {
            rounds,
            warm: Times {
                record,
                reverse: seconds(self.reverse),
            },
            plain: Some(seconds(self.plain)),
            quartiles: Some([quartile(1), quartile(3)]),
            ..Measured::default()
        }
    }
}
