//! The contents of the charts: lines over the size, one for each tool, and the winner.
use crate::{
    plan::{Family, TOOLS, Tool},
    results::Row,
};
use evaluation_worker::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Record,
    Reverse,
    Memory,
    Factor,
}
impl Quantity {
    pub(crate) const ALL: [Quantity; 4] = [
        Quantity::Record,
        Quantity::Reverse,
        Quantity::Memory,
        Quantity::Factor,
    ];
    pub(crate) fn title(self) -> &'static str {
        match self {
            Quantity::Record => "recording time",
            Quantity::Reverse => "reversal time",
            Quantity::Memory => "memory",
            Quantity::Factor => "recording and reversal over plain",
        }
    }
    pub(crate) fn axis(self, steps: bool) -> &'static str {
        match (self, steps) {
            (Quantity::Record | Quantity::Reverse, false) => "ms",
            (Quantity::Record | Quantity::Reverse, true) => "us for a step",
            (Quantity::Memory, false) => "peak MB",
            (Quantity::Memory, true) => "peak KB for a step",
            (Quantity::Factor, _) => "times the plain program",
        }
    }
    fn of(self, row: &Row) -> Option<f64> {
        let steps = has_steps(row.program);
        let time = |seconds: f64| match steps {
            false => seconds * 1e3,
            true => row.per_step(seconds) * 1e6,
        };
        match self {
            Quantity::Record => row.record.map(time),
            Quantity::Reverse => row.reverse.filter(|_| row.tool != "plain").map(time),
            Quantity::Memory => row.peak_bytes.filter(|b| *b > 0).map(|bytes| match steps {
                false => bytes as f64 / 1e6,
                true => row.per_step(bytes as f64) / 1e3,
            }),
            Quantity::Factor => row.factor().filter(|_| row.tool != "plain"),
        }
    }
}
/// Whether sizes differ in their numbers of steps, so that one step is shown.
pub(crate) fn has_steps(program: Program) -> bool {
    matches!(program, Program::T3 | Program::T4)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) label: &'static str,
    pub(crate) colour: [u8; 3],
    pub(crate) family: Family,
    pub(crate) points: Vec<(f64, f64)>,
}
impl Line {
    pub(crate) fn is_yardstick(&self) -> bool {
        matches!(self.family, Family::Plain | Family::Hand)
    }
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) x_axis: String,
    pub(crate) y_axis: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) ranked: bool,
}
/// The best AD tool of a figure at the largest size that any of them has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Winner {
    pub(crate) label: &'static str,
    pub(crate) n: f64,
    pub(crate) value: f64,
    /// The best of another maker, or else the second one, and its multiple of the winner.
    pub(crate) rival: Option<(&'static str, f64)>,
}
impl Figure {
    pub(crate) fn new(rows: &[Row], program: Program, quantity: Quantity) -> Self {
        let line = |tool: &Tool| {
            let own = rows
                .iter()
                .filter(|row| row.program == program && row.tool == tool.name);
            let mut points: Vec<_> = own
                .filter_map(|row| Some((row.n as f64, quantity.of(row)?)))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Line {
                label: tool.label,
                colour: colour(tool),
                family: tool.family,
                points,
            }
        };
        let lines = TOOLS
            .iter()
            .map(line)
            .filter(|line| !line.points.is_empty());
        Figure {
            title: format!("{}: {}", name(program), quantity.title()),
            x_axis: if program == Program::Burgers {
                "N"
            } else {
                "n"
            }
            .into(),
            y_axis: quantity.axis(has_steps(program)).into(),
            lines: lines.collect(),
            ranked: true,
        }
    }
    pub(crate) fn winner(&self) -> Option<Winner> {
        let tools = self
            .lines
            .iter()
            .filter(|line| self.ranked && !line.is_yardstick());
        let ends = tools.clone().filter_map(|line| line.points.last());
        let n = ends.map(|point| point.0).max_by(f64::total_cmp)?;
        let at = |line: &Line| {
            let point = line.points.iter().find(|point| point.0 == n)?;
            Some((line.label, line.family, point.1))
        };
        let mut values: Vec<_> = tools.filter_map(at).collect();
        values.sort_by(|a, b| a.2.total_cmp(&b.2));
        let &(label, family, value) = values.first()?;
        let other = values.iter().find(|other| other.1 != family);
        let rival = other
            .or(values.get(1))
            .map(|other| (other.0, other.2 / value));
        Some(Winner {
            label,
            n,
            value,
            rival,
        })
    }
}
pub(crate) fn name(program: Program) -> &'static str {
    match program {
        Program::Burgers => "Burgers",
        Program::T1 => "T1",
        Program::T2 => "T2",
        Program::T2m => "T2m",
        Program::T3 => "T3",
        Program::T4 => "T4",
    }
}
/// Equal in all charts. The family determines the hue.
fn colour(tool: &Tool) -> [u8; 3] {
    match tool.name {
        "plain" => [120, 120, 120],
        "hand" => [30, 30, 30],
        "entities" => [200, 30, 50],
        "fused" => [230, 110, 20],
        "reals" => [215, 160, 0],
        "reuse" => [230, 120, 160],
        "reuse-fused" => [170, 90, 60],
        "ad_trait" => [20, 90, 180],
        "echidna" => [70, 150, 220],
        "reverse" => [0, 60, 110],
        "num-dual" => [110, 120, 210],
        "burn" => [0, 130, 110],
        "candle" => [90, 170, 90],
        "adolc" => [110, 60, 150],
        "stan" => [160, 80, 190],
        "codipack" => [0, 110, 220],
        "codipack-primal" => [0, 160, 190],
        "adept" => [150, 60, 100],
        "cppad" => [100, 40, 60],
        "jax" => [130, 130, 0],
        _ => [80, 100, 20],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Status;

    fn row(tool: &str, n: usize, seconds: f64) -> Row {
        Row {
            plain: Some(0.001),
            record: Some(seconds),
            reverse: Some(2.0 * seconds),
            peak_bytes: Some(3_000_000),
            ..Row::new(Program::T1, n, 1, tool, Status::Measured)
        }
    }

    #[test]
    fn a_figure_has_a_line_for_each_tool_with_figures() {
        let left_out = Row::new(Program::T1, 300, 1, "reals", Status::LeftOut);
        let rows = [
            row("entities", 200, 0.004),
            row("entities", 100, 0.003),
            row("reals", 100, 0.02),
            left_out,
        ];
        let figure = Figure::new(&rows, Program::T1, Quantity::Record);
        assert_eq!(figure.title, "T1: recording time");
        assert_eq!(figure.lines.len(), 2);
        assert_eq!(figure.lines[0].points, [(100.0, 3.0), (200.0, 4.0)]);
        assert_eq!(figure.lines[1].points, [(100.0, 20.0)]);
        let factor = Figure::new(&rows, Program::T1, Quantity::Factor);
        assert!((factor.lines[0].points[1].1 - 12.0).abs() < 1e-12);
        let memory = Figure::new(&rows, Program::T1, Quantity::Memory);
        assert_eq!(memory.lines[0].points[0], (100.0, 3.0));
        assert!(
            Figure::new(&rows, Program::T3, Quantity::Record)
                .lines
                .is_empty()
        );
    }
    #[test]
    fn programs_with_steps_show_one_step() {
        let row = Row {
            steps: 10,
            program: Program::T4,
            ..row("entities", 100, 0.001)
        };
        let figure = Figure::new(&[row], Program::T4, Quantity::Record);
        assert!((figure.lines[0].points[0].1 - 100.0).abs() < 1e-9);
        assert_eq!(figure.y_axis, "us for a step");
    }
    #[test]
    fn the_winner_is_the_best_ad_tool_at_the_largest_size() {
        let rows = [
            row("plain", 200, 0.001),
            row("hand", 200, 0.002),
            row("entities", 200, 0.003),
            row("reals", 200, 0.006),
            row("reals", 100, 0.0001),
        ];
        let winner = Figure::new(&rows, Program::T1, Quantity::Record)
            .winner()
            .unwrap();
        assert_eq!(
            (winner.label, winner.n, winner.value),
            ("entape, entities", 200.0, 3.0)
        );
        assert_eq!(winner.rival, Some(("entape, reals", 2.0)));
        let peer = [&rows[..], &[row("echidna", 200, 0.009)]].concat();
        let winner = Figure::new(&peer, Program::T1, Quantity::Record)
            .winner()
            .unwrap();
        assert_eq!(winner.rival, Some(("echidna", 3.0)));
        assert_eq!(
            Figure::new(&rows[..2], Program::T1, Quantity::Record).winner(),
            None
        );
    }
    #[test]
    fn colours_differ() {
        let mut all: Vec<_> = TOOLS.iter().map(colour).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), TOOLS.len());
    }
}
