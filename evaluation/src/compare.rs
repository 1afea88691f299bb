//! Regressions since an earlier run, in multiples of the plain program, so that machines may differ.
use crate::results::Row;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Worse {
    point: String,
    figure: &'static str,
    before: f64,
    now: f64,
}
impl fmt::Display for Worse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Worse {
            point,
            figure,
            before,
            now,
        } = self;
        let percent = 100.0 * (now / before - 1.0);
        write!(
            f,
            "{point}: {figure} {before:.3} -> {now:.3} ({percent:+.0} %)"
        )
    }
}

type Figure = (&'static str, fn(&Row) -> Option<f64>);
const FIGURES: [Figure; 4] = [
    ("recording over plain", Row::record_factor),
    ("reversal over plain", Row::reverse_factor),
    ("tape bytes a step", |row| {
        Some(row.per_step(row.tape_bytes()? as f64))
    }),
    ("peak bytes a step", |row| {
        row.peak_bytes
            .filter(|b| *b > SMALL)
            .map(|b| row.per_step(b as f64))
    }),
];
/// Below this, the peak of memory is mostly due to the process itself.
const SMALL: u64 = 64 << 20;

/// Returns figures that are worse by more than `tolerance`, and points that have lost their figures.
pub(crate) fn worse(old: &[Row], new: &[Row], tolerance: f64) -> Vec<Worse> {
    let mut all = Vec::new();
    for now in new.iter().filter(|row| row.tool != "plain") {
        let same = |row: &&Row| (row.program, row.n, &row.tool) == (now.program, now.n, &now.tool);
        let Some(before) = old.iter().find(same) else {
            continue;
        };
        let point = format!("{} n={} {}", now.program, now.n, now.tool);
        if before.factor().is_some() && now.factor().is_none() {
            let before = before.factor().unwrap_or_default();
            all.push(Worse {
                point,
                figure: "both over plain",
                before,
                now: f64::INFINITY,
            });
            continue;
        }
        for (figure, value) in FIGURES {
            if let Some((before, now)) = value(before).zip(value(now))
                && now > before * (1.0 + tolerance)
            {
                all.push(Worse {
                    point: point.clone(),
                    figure,
                    before,
                    now,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Status;
    use evaluation_worker::{Bytes, Measured, Program, Times};

    fn row(tool: &str, steps: usize, record: f64, reverse: f64, plain: f64, bytes: u64) -> Row {
        let measured = Measured {
            warm: Times {
                record: Some(record),
                reverse,
            },
            plain: Some(plain),
            tape: Some(Bytes {
                blocks: bytes,
                ..Bytes::default()
            }),
            ..Measured::default()
        };
        Row::new(Program::T1, 100, steps, tool, Status::Failed).measured(&measured)
    }
    fn figures(old: &[Row], new: &[Row]) -> Vec<&'static str> {
        worse(old, new, 0.1).iter().map(|w| w.figure).collect()
    }

    #[test]
    fn factors_are_compared_and_not_seconds() {
        let old = row("entities", 1, 2.0, 3.0, 1.0, 100);
        let slow = row("entities", 1, 4.0, 6.0, 2.0, 100);
        assert!(worse(std::slice::from_ref(&old), &[slow], 0.1).is_empty());
        let relative = row("entities", 1, 2.0, 1.5, 0.5, 100);
        assert_eq!(figures(&[old], &[relative]), ["recording over plain"]);
    }
    #[test]
    fn more_than_the_tolerance_is_listed() {
        let old = row("entities", 10, 2.0, 3.0, 1.0, 1000);
        let almost = row("entities", 10, 2.19, 3.29, 1.0, 1090);
        assert!(worse(std::slice::from_ref(&old), &[almost], 0.1).is_empty());
        let all = row("entities", 20, 2.21, 3.31, 1.0, 2220);
        let worse = worse(&[old], &[all], 0.1);
        let lines: Vec<_> = worse.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines[0],
            "t1 n=100 entities: recording over plain 2.000 -> 2.210 (+10 %)"
        );
        assert_eq!(
            lines[2],
            "t1 n=100 entities: tape bytes a step 100.000 -> 111.000 (+11 %)"
        );
        assert_eq!(lines.len(), 3);
    }
    #[test]
    fn a_figure_that_is_gone_is_worse_and_a_new_tool_is_not() {
        let old = row("entities", 1, 2.0, 3.0, 1.0, 100);
        let gone = Row::new(Program::T1, 100, 1, "entities", Status::Wrong);
        assert_eq!(figures(&[old], &[gone]), ["both over plain"]);
        assert!(worse(&[], &[row("reals", 1, 9.0, 9.0, 1.0, 9)], 0.1).is_empty());
    }
}
