use crate::{
    report::name,
    results::Row,
    scaling::{LIVE, Scaled},
};
use evaluation_worker::Program::{self, Burgers, T1, T2, T3, T4};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Goal {
    pub(crate) program: String,
    pub(crate) figure: String,
    pub(crate) measured: f64,
    pub(crate) limit: f64,
    /// Whether the limit is a lower bound, not an upper one.
    pub(crate) at_least: bool,
}
impl Goal {
    pub(crate) fn at_most(
        limit: f64,
        program: impl Into<String>,
        figure: impl Into<String>,
        measured: f64,
    ) -> Self {
        Goal {
            program: program.into(),
            figure: figure.into(),
            measured,
            limit,
            at_least: false,
        }
    }
    pub(crate) fn at_least(self) -> Self {
        Goal {
            at_least: true,
            ..self
        }
    }
    pub(crate) fn is_reached(&self) -> bool {
        match self.at_least {
            true => self.measured >= self.limit,
            false => self.measured <= self.limit,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Figure {
    OverPlain(&'static str),
    OverHand,
    Recording,
    Memory,
    TapeBytes(&'static str),
    /// Bytes of arrays for a cell and a step, by the peak of memory.
    PeakBytes,
}
use Figure::*;

const GOALS: [(Program, usize, Figure, f64); 25] = [
    (Burgers, 500, OverPlain("reals"), 23.0),
    (Burgers, 500, TapeBytes("reals"), 300.0),
    (Burgers, 500, OverPlain("fused"), 15.0),
    (Burgers, 500, TapeBytes("fused"), 170.0),
    (Burgers, 500, OverPlain("entities"), 5.0),
    (Burgers, 500, PeakBytes, 24.0),
    (T1, 100, OverPlain("entities"), 3.1),
    (T1, 100, OverHand, 1.05),
    (T1, 700, OverPlain("entities"), 3.1),
    (T1, 700, OverHand, 1.05),
    (T2, 100, OverPlain("entities"), 1.1),
    (T2, 100, OverHand, 1.1),
    (T2, 700, OverPlain("entities"), 1.1),
    (T2, 700, OverHand, 1.1),
    (T3, 4, OverPlain("entities"), 4.0),
    (T3, 20, OverPlain("entities"), 3.2),
    (T3, 100, OverPlain("entities"), 2.8),
    (T3, 100, Memory, 1.3),
    (T3, 400, OverPlain("entities"), 2.6),
    (T4, 4, OverPlain("entities"), 8.0),
    (T4, 20, OverPlain("entities"), 5.0),
    (T4, 200, OverPlain("entities"), 2.8),
    (T4, 200, Memory, 1.3),
    (T4, 200, Recording, 1.08),
    (T4, 1000, OverPlain("entities"), 2.8),
];
/// The limit for a statement on a long tape, or with many live variables, over one on a small tape.
const SCALING: f64 = 1.25;

impl Figure {
    fn title(self) -> String {
        match self {
            OverPlain(tool) => format!("{tool}: recording and reversal over plain"),
            OverHand => "entities: both over the hand-written adjoint".into(),
            Recording => "entities: recording over plain".into(),
            Memory => "entities: memory over the hand-written adjoint".into(),
            TapeBytes(tool) => format!("{tool}: bytes for a cell and step"),
            PeakBytes => "entities: bytes for a cell and step".into(),
        }
    }
    fn of(self, rows: &[Row], program: Program, n: usize) -> Option<f64> {
        let row = |tool: &str| {
            let mut all = rows.iter();
            all.find(|row| (row.program, row.n, row.tool.as_str()) == (program, n, tool))
        };
        let bytes = |row: &Row, bytes: u64| row.per_step(bytes as f64) / (n * n) as f64;
        match self {
            OverPlain(tool) => row(tool)?.factor(),
            OverHand => Some(row("entities")?.factor()? / row("hand")?.factor()?),
            Recording => row("entities")?.record_factor(),
            Memory => Some(row("entities")?.peak_bytes? as f64 / row("hand")?.peak_bytes? as f64),
            TapeBytes(tool) => row(tool).and_then(|row| Some(bytes(row, row.tape_bytes()?))),
            PeakBytes => row("entities").and_then(|row| Some(bytes(row, row.peak_bytes?))),
        }
    }
}
pub(crate) fn of_run(rows: &[Row], scaling: &[Scaled]) -> Vec<Goal> {
    let programs = GOALS.iter().filter_map(|&(program, n, figure, limit)| {
        let measured = figure.of(rows, program, n)?;
        let program = format!("{}, n = {n}", name(program));
        Some(Goal::at_most(limit, program, figure.title(), measured))
    });
    let (lengths, rings): (Vec<_>, Vec<_>) = scaling.iter().partition(|s| s.live == LIVE);
    let last = |title, all: Vec<&Scaled>| {
        let over = all.last()?.warm() / all.first()?.warm();
        let program = "scaling of the tape";
        Some(Goal::at_most(SCALING, program, title, over))
    };
    let scaling = [
        last("a statement on the longest tape over the shortest", lengths),
        last("with most live variables over fewest", rings),
    ];
    programs.chain(scaling.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Status;

    #[test]
    fn figures_of_rows() {
        let row = |program, n, tool: &str, seconds: f64| Row {
            plain: Some(1.0),
            record: Some(seconds),
            reverse: Some(2.0 * seconds),
            peak_bytes: Some((seconds * 1e6) as u64),
            ..Row::new(program, n, 4, tool, Status::Measured)
        };
        let rows = [
            row(T4, 200, "entities", 1.5),
            row(T4, 200, "hand", 1.0),
            row(Burgers, 500, "entities", 1.0),
            Row::new(T1, 100, 1, "entities", Status::LeftOut),
        ];
        let goals = of_run(&rows, &[]);
        let of = |figure: &str| -> Vec<&Goal> {
            let all = goals.iter();
            all.filter(|goal| goal.figure.contains(figure)).collect()
        };
        let measured =
            |figure: &str| -> Vec<f64> { of(figure).iter().map(|goal| goal.measured).collect() };
        assert_eq!(measured("and reversal over plain"), [3.0, 4.5]);
        assert_eq!(measured("entities: recording over"), [1.5]);
        assert_eq!(measured("memory over"), [1.5]);
        assert_eq!(measured("bytes for a cell"), [1.0]);
        assert_eq!(goals.len(), 5);
        assert!(!of("memory over")[0].is_reached());
        assert!(of("bytes for a cell")[0].is_reached());
        assert!(
            !Goal::at_most(3.0, "lanes", "over them", 2.9)
                .at_least()
                .is_reached()
        );
    }
}
