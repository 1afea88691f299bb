use crate::{Problem, Program, serve::Fault};
use serde::{Deserialize, Serialize};
use std::{
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};

#[derive(Clone, Debug)]
pub struct Job<P = Program> {
    pub tool: String,
    pub program: P,
    /// Points along a side, or rows.
    pub n: usize,
    pub steps: usize,
    pub rounds: usize,
    pub numbers: PathBuf,
    pub gradient: PathBuf,
}
impl<P: Display + FromStr> Job<P> {
    pub fn arguments(&self) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        vec![
            self.tool.clone(),
            self.program.to_string(),
            self.n.to_string(),
            self.steps.to_string(),
            self.rounds.to_string(),
            path(&self.numbers),
            path(&self.gradient),
        ]
    }
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, Fault> {
        let mut arguments = arguments.into_iter();
        let mut next = |what| arguments.next().ok_or(Fault::Argument(what));
        let number = |text: String, what| text.parse().map_err(|_| Fault::Argument(what));
        Ok(Job {
            tool: next("a tool")?,
            program: next("a program")?
                .parse()
                .map_err(|_| Fault::Argument("a program"))?,
            n: number(next("a size")?, "a size")?,
            steps: number(next("a number of steps")?, "a number of steps")?,
            rounds: number(next("a number of rounds")?, "a number of rounds")?,
            numbers: next("a file of inputs")?.into(),
            gradient: next("a file for the gradient")?.into(),
        })
    }
}
impl Job {
    pub fn problem(&self) -> Result<Problem, Fault> {
        let numbers = read(&self.numbers)?;
        if numbers.len() != Problem::len(self.program, self.n) {
            return Err(Fault::Argument("a file with all inputs"));
        }
        Ok(Problem {
            program: self.program,
            n: self.n,
            steps: self.steps,
            numbers,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// Value and gradient are in the file.
    Gradient,
    Measured(Measured),
    /// The tool cannot express the program.
    Unable {
        why: String,
    },
}
/// Thread CPU time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// The run up to the output; `None` if the tool does both in one call.
    pub record: Option<f64>,
    /// Seed and sweep, or both.
    pub reverse: f64,
}
impl Times {
    pub fn both(self) -> f64 {
        self.record.unwrap_or(0.0) + self.reverse
    }
}
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub rounds: usize,
    pub cold: Times,
    /// Medians of the others.
    pub warm: Times,
    pub plain: Option<f64>,
    pub quartiles: Option<[f64; 2]>,
    /// The peak memory of the process, without the memory before the tool began.
    pub peak_bytes: Option<u64>,
    pub tape: Option<Bytes>,
}
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    pub handles: u64,
    pub sizes: u64,
    /// Identifiers, constants, saved values.
    pub blocks: u64,
    pub primal: u64,
    pub adjoint: u64,
    pub values: u64,
}
impl Bytes {
    pub fn sum(self) -> u64 {
        self.handles + self.sizes + self.blocks + self.primal + self.adjoint + self.values
    }
}

pub fn read(path: &Path) -> io::Result<Vec<f64>> {
    let number = |bytes: &[u8; 8]| f64::from_le_bytes(*bytes);
    Ok(fs::read(path)?.as_chunks().0.iter().map(number).collect())
}
pub fn write(path: &Path, numbers: &[f64]) -> io::Result<()> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(path, bytes)
}
