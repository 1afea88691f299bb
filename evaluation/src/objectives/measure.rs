//! Runs every tool on every objective: on the reference data, then at each size compared with the tool before it, then
//! timed.
use super::{has, sizes};
use crate::{
    OBJECTIVE, Outcome,
    arguments::Arguments,
    plan::{Extent, Family, TOOLS, Tool},
    process::{self, End, Limits, Starter},
    programs::bar,
};
use evaluation_worker::{
    Job,
    objectives::{Case, Name, references},
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, env};

/// Against the reference data, relative to the largest derivative.
const REFERENCE: f64 = 1e-11;
const OTHERS: f64 = 1e-8;
/// The others are compared with the first of these that has an objective.
const OWN: [&str; 4] = ["hand", "entities", "fused", "reals"];

/// The times of a tool at one size, in seconds; `None` if there is a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) objective: String,
    /// Such as `10 x 25 x 1000`.
    pub(crate) size: String,
    pub(crate) tool: String,
    pub(crate) both: Option<f64>,
    pub(crate) first_quartile: Option<f64>,
    pub(crate) third_quartile: Option<f64>,
    pub(crate) plain: Option<f64>,
    pub(crate) rounds: Option<usize>,
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) note: String,
}
impl Row {
    pub(crate) fn factor(&self) -> Option<f64> {
        Some(self.both? / self.plain?)
    }
    /// Half of the interquartile range, relative to the median.
    pub(crate) fn spread(&self) -> Option<f64> {
        Some(0.5 * (self.third_quartile? - self.first_quartile?) / self.both?)
    }
}
pub(crate) fn measure(
    arguments: &Arguments,
    limits: Limits,
    others: &[(&'static str, Starter)],
) -> Outcome<Vec<Row>> {
    let (extent, names) = (Extent::of(arguments), arguments.objectives());
    let own = Starter {
        program: env::current_exe()?,
        arguments: vec![OBJECTIVE.into()],
        variables: Vec::new(),
    };
    let starter = |tool: &Tool| match others.iter().find(|(name, _)| *name == tool.name) {
        _ if OWN.contains(&tool.name) => Some(own.clone()),
        other => other.map(|(_, starter)| starter.clone()),
    };
    let tools: Vec<(&Tool, Starter)> = TOOLS
        .iter()
        .filter(|tool| tool.family == Family::Hand || arguments.wants(tool.name))
        .filter_map(|tool| Some((tool, starter(tool)?)))
        .collect();
    let mut runner = Runner {
        extent,
        limits,
        folder: tempfile::tempdir()?,
        faults: HashMap::new(),
    };
    for (case, expected) in references()
        .into_iter()
        .filter(|(case, _)| names.contains(&case.name))
    {
        for (tool, starter) in tools.iter().filter(|(tool, _)| has(tool.name, case.name)) {
            let end = runner.run(starter, tool, &case, 0, |got| {
                differs(got, &expected, REFERENCE).map_or(Ok(false), Err)
            })?;
            if !matches!(end, End::Stopped | End::Measured(_)) {
                let fault = fault(end, "the reference data: ");
                runner.faults.insert((case.name, tool.name), fault);
            }
        }
    }
    let count: usize = names
        .iter()
        .map(|&name| sizes(extent, name).len() * tools.len())
        .sum();
    let bar = bar(count as u64);
    let mut rows = Vec::new();
    for name in names {
        for sizes in sizes(extent, name) {
            let case = Case::random(name, sizes);
            let mut expected = Vec::new();
            let mut plain = None;
            for (tool, starter) in tools.iter().filter(|(tool, _)| has(tool.name, name)) {
                bar.set_message(format!("{name} {sizes:?} {}", tool.label));
                bar.inc(1);
                let Some(mut row) = runner.point(starter, tool, &case, &mut expected)? else {
                    continue;
                };
                plain = plain.or(row.plain);
                row.plain = row.plain.or(plain);
                rows.push(row);
            }
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

struct Runner {
    extent: Extent,
    limits: Limits,
    folder: tempfile::TempDir,
    /// Why a tool is not run on an objective again; `None` if it lacks the objective.
    faults: HashMap<(Name, &'static str), Option<String>>,
}
impl Runner {
    /// Runs a tool at one size; `None` if it lacks the objective. The expected results come from the first tool.
    fn point(
        &mut self,
        starter: &Starter,
        tool: &'static Tool,
        case: &Case,
        expected: &mut Vec<f64>,
    ) -> Outcome<Option<Row>> {
        let sizes: Vec<String> = case.sizes.iter().map(ToString::to_string).collect();
        let mut row = Row {
            objective: case.name.to_string(),
            size: sizes.join(" x "),
            tool: tool.name.into(),
            both: None,
            first_quartile: None,
            third_quartile: None,
            plain: None,
            rounds: None,
            peak_bytes: None,
            note: String::new(),
        };
        let key = (case.name, tool.name);
        if let Some(fault) = self.faults.get(&key) {
            let with_note = |note: &String| Row {
                note: note.clone(),
                ..row
            };
            return Ok(fault.as_ref().map(with_note));
        }
        let end = self.run(starter, tool, case, self.extent.rounds(), |got| {
            if expected.is_empty() {
                expected.extend_from_slice(got);
            }
            differs(got, expected, OTHERS).map_or(Ok(true), Err)
        })?;
        if let End::Measured(measured) = &end {
            row.both = Some(measured.warm.both());
            [row.first_quartile, row.third_quartile] = match measured.quartiles {
                Some(both) => both.map(Some),
                None => [None, None],
            };
            row.plain = measured.plain;
            row.rounds = Some(measured.rounds);
            row.peak_bytes = measured.peak_bytes;
            return Ok(Some(row));
        }
        let fault = fault(end, "");
        self.faults.insert(key, fault.clone());
        Ok(fault.map(|note| Row { note, ..row }))
    }
    fn run(
        &self,
        starter: &Starter,
        tool: &Tool,
        case: &Case,
        rounds: usize,
        check: impl FnOnce(&[f64]) -> Result<bool, String>,
    ) -> Outcome<End> {
        let job = Job {
            tool: tool.name.into(),
            program: case.name,
            n: case.sizes[0],
            steps: 1,
            rounds,
            numbers: self.folder.path().join("numbers"),
            gradient: self.folder.path().join("derivatives"),
        };
        case.write(&job.numbers)?;
        Ok(process::run(starter, &job, self.limits, check)?)
    }
}
/// Why a tool has no figure; `None` if it lacks the objective.
fn fault(end: End, at: &str) -> Option<String> {
    Some(match end {
        End::Unable(_) => return None,
        End::Stopped | End::Measured(_) => "was stopped".into(),
        End::Wrong(why) => format!("wrong, {at}{why}"),
        End::Memory => "used all available memory".into(),
        End::Time => "exceeded the time limit".into(),
        End::Failed(why) => format!("failed: {why}"),
    })
}
/// The difference of value and derivatives from the expected ones, relative to the largest.
pub(crate) fn differs(got: &[f64], want: &[f64], tolerance: f64) -> Option<String> {
    if got.len() != want.len() {
        return Some(format!("{} numbers instead of {}", got.len(), want.len()));
    }
    let largest = |x: &[f64]| x.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
    let (value, derivatives) = want.split_at_checked(1)?;
    let scales = [largest(value), largest(derivatives)];
    let close = |i: &usize| (got[*i] - want[*i]).abs() <= tolerance * scales[usize::from(*i > 0)];
    let at = (0..want.len()).find(|i| !close(i))?;
    let what = if at == 0 {
        "the value".into()
    } else {
        format!("derivative {}", at - 1)
    };
    Some(format!("{what} is {:e} instead of {:e}", got[at], want[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_derivatives_are_compared() {
        let want = [1.0, 1000.0, 1e-6];
        assert_eq!(differs(&want, &want, 1e-12), None);
        assert_eq!(differs(&[1.0, 1000.0, 2e-6], &want, 1e-8), None);
        assert!(
            differs(&[1.1, 1000.0, 1e-6], &want, 1e-8)
                .unwrap()
                .starts_with("the value")
        );
        assert!(
            differs(&[1.0, 1000.1, 1e-6], &want, 1e-8)
                .unwrap()
                .contains("derivative 0")
        );
        assert!(differs(&[1.0, f64::NAN, 1e-6], &want, 1e-8).is_some());
        assert!(differs(&[1.0, 1000.0], &want, 1e-8).is_some());
    }
}
