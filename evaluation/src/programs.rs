//! The paper's programs: every point is checked, then measured.
use crate::{
    Outcome,
    arguments::Arguments,
    plan::{Extent, Family, Grain, Point, Tool, points},
    process::{self, End, Limits, Starter},
    results::{self, Row, Status},
};
use evaluation_worker::{Job, Measured, Problem, Program, reference, reference_gradient, write};
use indicatif::{ProgressBar, ProgressStyle};
use std::{collections::HashMap, env, path::PathBuf};

/// Rounds of points that take longer than `LONG` seconds.
const FEW: usize = 3;
const LONG: f64 = 1.0;
const REFERENCE: f64 = 1e-10;
const HAND: f64 = 1e-7;

/// Measures all points, and writes each to a file in case the run is interrupted.
pub(crate) fn measure(
    arguments: &Arguments,
    limits: Limits,
    others: &[(&'static str, Starter)],
) -> Outcome<Vec<Row>> {
    let extent = Extent::of(arguments);
    let mut runner = Runner::new(extent, limits)?;
    runner.starters.extend(others.iter().cloned());
    let wanted = |tool: &Tool| {
        let always = matches!(tool.family, Family::Plain | Family::Hand);
        (always || arguments.wants(tool.name)) && runner.starter(tool).is_some()
    };
    let points = points(extent, &arguments.programs(), wanted);
    let bar = bar(points.iter().map(Point::weight).sum());
    let file = arguments.out.join("results.csv");
    let mut rows = Vec::new();
    for point in &points {
        bar.set_message(format!(
            "{} n={} {}",
            point.program, point.n, point.tool.label
        ));
        if let Some(row) = runner.measure(point)? {
            if row.status != Status::Measured {
                bar.println(format!(
                    "{} n={} {}: {:?} {}",
                    row.program, row.n, row.tool, row.status, row.note
                ));
            }
            rows.push(row);
            results::write(&file, &rows)?;
        }
        bar.inc(point.weight());
    }
    bar.finish_and_clear();
    plain_of_others(&mut rows);
    results::write(&file, &rows)?;
    Ok(rows)
}
pub(crate) fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {percent} %, {eta} left, {msg}");
    ProgressBar::new(length).with_style(style.expect("a template"))
}
fn plain_of_others(rows: &mut [Row]) {
    let plain: HashMap<_, _> = rows
        .iter()
        .filter(|row| row.tool == "plain")
        .filter_map(|row| Some(((row.program, row.n), row.per_step(row.plain?))))
        .collect();
    for row in rows.iter_mut().filter(|row| row.plain.is_none()) {
        let step = plain.get(&(row.program, row.n));
        row.plain = step.map(|step| step * row.steps as f64);
    }
}

#[derive(Clone)]
enum Checked {
    Right,
    /// The tool lacks the program.
    Unable,
    Faulty(Status, String),
}
struct Runner {
    extent: Extent,
    limits: Limits,
    folder: tempfile::TempDir,
    starters: HashMap<&'static str, Starter>,
    expected: HashMap<(Program, usize, usize), Vec<f64>>,
    /// Whether the gradient of the reference data was correct.
    references: HashMap<(Program, &'static str), Checked>,
    peaks: HashMap<(Program, &'static str), (f64, f64)>,
    times: HashMap<(Program, &'static str), (f64, f64)>,
}
impl Runner {
    fn new(extent: Extent, limits: Limits) -> Outcome<Self> {
        let this = Starter {
            program: env::current_exe()?,
            arguments: vec![crate::MEASURE.into()],
            variables: Vec::new(),
        };
        let own =
            |tool: &&Tool| matches!(tool.family, Family::Plain | Family::Hand | Family::Entape);
        let own = crate::plan::TOOLS.iter().filter(own);
        Ok(Runner {
            extent,
            limits,
            folder: tempfile::tempdir()?,
            starters: own.map(|tool| (tool.name, this.clone())).collect(),
            expected: HashMap::new(),
            references: HashMap::new(),
            peaks: HashMap::new(),
            times: HashMap::new(),
        })
    }
    fn starter(&self, tool: &Tool) -> Option<&Starter> {
        self.starters.get(tool.name)
    }
    /// Measures a point; `None` if the tool lacks the program.
    fn measure(&mut self, point: &Point) -> Outcome<Option<Row>> {
        let row = |status| Row::new(point.program, point.n, point.steps, point.tool.name, status);
        let left_out = |(status, note): (Status, String)| Some(row(status).with_note(note));
        match self.check(point.program, point.tool)? {
            Checked::Right => (),
            Checked::Unable => return Ok(None),
            Checked::Faulty(status, note) => return Ok(left_out((status, note))),
        }
        let rounds = match self.rounds(point) {
            Ok(rounds) => rounds,
            Err(reason) => return Ok(left_out(reason)),
        };
        let problem = Problem::timed(point.program, point.n, point.steps);
        let expected = match point.tool.family {
            Family::Hand => Vec::new(),
            _ => match self.expected(&problem)? {
                Ok(expected) => expected,
                Err(why) => return Ok(left_out((Status::LeftOut, why))),
            },
        };
        let end = self.run(point.tool, &problem, rounds, |got| {
            let wrong = (!expected.is_empty()).then(|| differs(&problem, got, &expected, HAND));
            wrong.flatten().map_or(Ok(true), Err)
        })?;
        self.learn(point, &end);
        Ok(match end {
            // shorter than the interval of the guard
            End::Measured(measured) if measured.peak_bytes > Some(self.limits.bytes) => {
                left_out((Status::LeftOut, "exceeded the memory limit".into()))
            }
            End::Measured(measured) => Some(row(Status::Measured).measured(&measured)),
            End::Unable(_) => None,
            other => left_out(self.reason(other)),
        })
    }
    fn rounds(&self, point: &Point) -> Result<usize, (Status, String)> {
        let key = (point.program, point.tool.name);
        let peak = predicted(self.peaks.get(&key), amount(point));
        if let Some(peak) = peak.filter(|peak| *peak > self.limits.bytes as f64) {
            let note = format!("would take {:.1} GiB", gib(peak as u64));
            return Err((Status::LeftOut, note));
        }
        let seconds = predicted(self.times.get(&key), work(point)).unwrap_or(0.0);
        let patience = self.limits.time.as_secs_f64();
        // The cost of an operation for a tool of entities decreases with their size.
        let told = point.tool.grain == Grain::Numbers || seconds.is_infinite();
        if told && seconds > patience {
            return Err((
                Status::TooSlow,
                format!("would take more than {patience} s"),
            ));
        }
        let most = if seconds > LONG { FEW } else { usize::MAX };
        Ok(self.extent.rounds().min(most))
    }
    fn learn(&mut self, point: &Point, end: &End) {
        let key = (point.program, point.tool.name);
        let (seconds, peak) = match end {
            End::Measured(measured) => {
                let peak = measured.peak_bytes.map(|bytes| bytes as f64);
                (Some(seconds_of(measured)), peak)
            }
            End::Memory => (None, Some(f64::INFINITY)),
            End::Time => (Some(f64::INFINITY), None),
            _ => (None, None),
        };
        if let Some(seconds) = seconds {
            self.times.insert(key, (work(point), seconds));
        }
        if let Some(peak) = peak {
            self.peaks.insert(key, (amount(point), peak));
        }
    }
    fn reason(&self, end: End) -> (Status, String) {
        match end {
            End::Wrong(why) => (Status::Wrong, why),
            End::Unable(why) | End::Failed(why) => (Status::Failed, why),
            End::Memory => (Status::LeftOut, "used all available memory".into()),
            End::Time => (
                Status::TooSlow,
                format!("took {} s", self.limits.time.as_secs()),
            ),
            End::Stopped | End::Measured(_) => (Status::Failed, "was stopped".into()),
        }
    }
    /// Runs a tool on the reference data, once for each program.
    fn check(&mut self, program: Program, tool: &'static Tool) -> Outcome<Checked> {
        if let Some(known) = self.references.get(&(program, tool.name)) {
            return Ok(known.clone());
        }
        let problem = reference(program);
        let want = reference_gradient(program);
        let end = self.run(tool, &problem, 0, |got| {
            differs(&problem, got, &want, REFERENCE).map_or(Ok(false), Err)
        })?;
        let checked = match end {
            End::Stopped | End::Measured(_) => Checked::Right,
            End::Unable(_) => Checked::Unable,
            End::Wrong(why) => Checked::Faulty(Status::Wrong, format!("reference data: {why}")),
            other => {
                let (status, note) = self.reason(other);
                Checked::Faulty(status, note)
            }
        };
        self.references
            .insert((program, tool.name), checked.clone());
        Ok(checked)
    }
    fn expected(&mut self, problem: &Problem) -> Outcome<Result<Vec<f64>, String>> {
        let key = (problem.program, problem.n, problem.steps);
        if let Some(known) = self.expected.get(&key) {
            return Ok(Ok(known.clone()));
        }
        let hand = crate::plan::tool_of("hand").expect("the tool is in the list");
        let mut gradient = Vec::new();
        let end = self.run(hand, problem, 0, |got| {
            gradient = got.to_vec();
            Ok(false)
        })?;
        if !matches!(end, End::Stopped) {
            return Ok(Err(format!("no gradient to compare with: {end:?}")));
        }
        self.expected
            .retain(|known, _| (known.0, known.1) == (key.0, key.1));
        self.expected.insert(key, gradient.clone());
        Ok(Ok(gradient))
    }
    fn run(
        &self,
        tool: &Tool,
        problem: &Problem,
        rounds: usize,
        check: impl FnOnce(&[f64]) -> Result<bool, String>,
    ) -> Outcome<End> {
        let file = |name: &str| -> PathBuf { self.folder.path().join(name) };
        let job = Job {
            tool: tool.name.into(),
            program: problem.program,
            n: problem.n,
            steps: problem.steps,
            rounds,
            numbers: file("numbers"),
            gradient: file("gradient"),
        };
        write(&job.numbers, &problem.numbers)?;
        let starter = self.starter(tool).expect("only AD tools are measured");
        Ok(process::run(starter, &job, self.limits, check)?)
    }
}

fn amount(point: &Point) -> f64 {
    match point.tool.grain {
        Grain::Numbers => work(point),
        Grain::Entities => (point.n * point.n * point.steps) as f64,
    }
}
fn work(point: &Point) -> f64 {
    point.program.operations(point.n, point.steps)
}
fn predicted(last: Option<&(f64, f64)>, amount: f64) -> Option<f64> {
    last.map(|(of, measured)| measured * (amount / of))
}
fn seconds_of(measured: &Measured) -> f64 {
    let Measured {
        cold, warm, plain, ..
    } = measured;
    cold.both() + FEW as f64 * (warm.both() + plain.unwrap_or(0.0))
}
fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1_u64 << 30) as f64
}
/// The difference relative to the largest number of an input. A plain program lacks a gradient.
fn differs(problem: &Problem, got: &[f64], want: &[f64], tolerance: f64) -> Option<String> {
    let (Some((value, got)), Some((expected, want))) = (got.split_first(), want.split_first())
    else {
        return Some("no value".into());
    };
    if !close(*value, *expected, expected.abs(), tolerance) {
        return Some(format!("the value is {value:e} instead of {expected:e}"));
    }
    if got.is_empty() {
        return None;
    }
    if got.len() != want.len() {
        return Some(format!("{} numbers instead of {}", got.len(), want.len()));
    }
    let mut start = 0;
    for (index, (rows, cols)) in problem.program.inputs(problem.n).into_iter().enumerate() {
        let input = start..start + rows * cols;
        start = input.end;
        let scale = want[input.clone()]
            .iter()
            .fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        for (c, (got, want)) in got[input.clone()].iter().zip(&want[input]).enumerate() {
            if !close(*got, *want, scale, tolerance) {
                return Some(format!("input {index} at {c}: {got:e} instead of {want:e}"));
            }
        }
    }
    None
}

fn close(got: f64, want: f64, scale: f64, tolerance: f64) -> bool {
    (got - want).abs() <= tolerance * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gradient_is_compared_input_by_input() {
        let problem = reference(Program::T2);
        let want = reference_gradient(Program::T2);
        assert_eq!(want.len(), 1 + 25 + 5);
        assert_eq!(differs(&problem, &want, &want, 1e-10), None);
        assert_eq!(differs(&problem, &want[..1], &want, 1e-10), None);
        let mut wrong = want.clone();
        wrong[27] *= 1.0 + 1e-6;
        let told = differs(&problem, &wrong, &want, 1e-10).unwrap();
        assert!(told.starts_with("input 1 at 1"), "{told}");
        wrong[27] = f64::NAN;
        assert!(differs(&problem, &wrong, &want, 1e-10).is_some());
        assert!(differs(&problem, &want[..30], &want, 1e-10).is_some());
        assert!(differs(&problem, &[], &want, 1e-10).is_some());
        wrong = want.clone();
        wrong[0] = f64::NAN;
        assert!(
            differs(&problem, &wrong, &want, 1e-10)
                .unwrap()
                .contains("value")
        );
    }
    #[test]
    fn memory_and_time_are_predicted_from_the_last_size() {
        assert_eq!(predicted(None, 1.0), None);
        assert_eq!(predicted(Some(&(10.0, 500.0)), 20.0), Some(1000.0));
        let all = predicted(Some(&(10.0, f64::INFINITY)), 20.0);
        assert_eq!(all, Some(f64::INFINITY));
    }
    #[test]
    fn tools_of_other_languages_take_the_plain_row() {
        let mut plain = Row::new(Program::T4, 20, 100, "plain", Status::Measured);
        plain.plain = Some(2.0);
        let other = Row::new(Program::T4, 20, 10, "jax", Status::Measured);
        let alone = Row::new(Program::T4, 50, 10, "jax", Status::Measured);
        let mut rows = [other, plain, alone];
        plain_of_others(&mut rows);
        assert_eq!(rows[0].plain, Some(0.2));
        assert_eq!(rows[2].plain, None);
    }
}
