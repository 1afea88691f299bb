use evaluation_worker::{Bytes, Measured, Program, Times};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    Measured,
    Wrong,
    LeftOut,
    TooSlow,
    Failed,
}

/// One tool on one program at one size. Times are thread CPU seconds of all steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) program: Program,
    pub(crate) n: usize,
    pub(crate) steps: usize,
    pub(crate) tool: String,
    pub(crate) status: Status,
    pub(crate) rounds: Option<usize>,
    /// The plain program, in turns with the tool if both run in one process.
    pub(crate) plain: Option<f64>,
    /// Empty if the tool does both in one call.
    pub(crate) record: Option<f64>,
    pub(crate) reverse: Option<f64>,
    pub(crate) cold_record: Option<f64>,
    pub(crate) cold_reverse: Option<f64>,
    /// Without the memory of the process before the program.
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) handle_bytes: Option<u64>,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) block_bytes: Option<u64>,
    pub(crate) primal_bytes: Option<u64>,
    pub(crate) adjoint_bytes: Option<u64>,
    pub(crate) value_bytes: Option<u64>,
    pub(crate) note: String,
}
impl Row {
    pub(crate) fn new(
        program: Program,
        n: usize,
        steps: usize,
        tool: &str,
        status: Status,
    ) -> Self {
        Row {
            program,
            n,
            steps,
            tool: tool.into(),
            status,
            rounds: None,
            plain: None,
            record: None,
            reverse: None,
            cold_record: None,
            cold_reverse: None,
            peak_bytes: None,
            handle_bytes: None,
            size_bytes: None,
            block_bytes: None,
            primal_bytes: None,
            adjoint_bytes: None,
            value_bytes: None,
            note: String::new(),
        }
    }
    pub(crate) fn with_note(self, note: impl Into<String>) -> Self {
        Row {
            note: note.into(),
            ..self
        }
    }
    pub(crate) fn measured(self, measured: &Measured) -> Self {
        let Measured {
            rounds,
            cold,
            warm,
            plain,
            peak_bytes,
            tape,
            quartiles: _,
        } = *measured;
        let bytes = |stream: fn(Bytes) -> u64| tape.map(stream);
        Row {
            status: Status::Measured,
            rounds: Some(rounds),
            plain,
            record: warm.record,
            reverse: Some(warm.reverse),
            cold_record: cold.record,
            cold_reverse: Some(cold.reverse),
            peak_bytes,
            handle_bytes: bytes(|b| b.handles),
            size_bytes: bytes(|b| b.sizes),
            block_bytes: bytes(|b| b.blocks),
            primal_bytes: bytes(|b| b.primal),
            adjoint_bytes: bytes(|b| b.adjoint),
            value_bytes: bytes(|b| b.values),
            ..self
        }
    }
    pub(crate) fn warm(&self) -> Option<Times> {
        self.reverse.map(|reverse| Times {
            record: self.record,
            reverse,
        })
    }
    pub(crate) fn cold(&self) -> Option<Times> {
        self.cold_reverse.map(|reverse| Times {
            record: self.cold_record,
            reverse,
        })
    }
    pub(crate) fn factor(&self) -> Option<f64> {
        Some(self.warm()?.both() / self.plain?)
    }
    pub(crate) fn record_factor(&self) -> Option<f64> {
        Some(self.record? / self.plain?)
    }
    pub(crate) fn reverse_factor(&self) -> Option<f64> {
        Some(self.reverse? / self.plain?)
    }
    pub(crate) fn cold_factor(&self) -> Option<f64> {
        Some(self.cold()?.both() / self.plain?)
    }
    pub(crate) fn tape_bytes(&self) -> Option<u64> {
        let streams = [
            self.handle_bytes,
            self.size_bytes,
            self.block_bytes,
            self.primal_bytes,
            self.adjoint_bytes,
            self.value_bytes,
        ];
        streams.into_iter().sum()
    }
    pub(crate) fn per_step(&self, whole: f64) -> f64 {
        whole / self.steps as f64
    }
}

pub(crate) fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, csv::Error> {
    csv::Reader::from_path(path)?.deserialize().collect()
}
pub(crate) fn write<R: Serialize>(path: &Path, rows: &[R]) -> Result<(), csv::Error> {
    let mut file = csv::Writer::from_path(path)?;
    rows.iter().try_for_each(|row| file.serialize(row))?;
    Ok(file.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gives_the_rows_that_were_written() {
        let measured = Measured {
            rounds: 5,
            cold: Times {
                record: Some(3.0),
                reverse: 4.0,
            },
            warm: Times {
                record: Some(1.0),
                reverse: 2.0,
            },
            plain: Some(0.5),
            peak_bytes: Some(1 << 40),
            quartiles: None,
            tape: Some(Bytes {
                handles: 1,
                sizes: 2,
                blocks: 4,
                primal: 8,
                adjoint: 16,
                values: 32,
            }),
        };
        let full = Row::new(Program::T2m, 100, 7, "reals", Status::Failed).measured(&measured);
        let empty =
            Row::new(Program::Burgers, 3, 1, "a,b", Status::LeftOut).with_note("too \"large\"");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        write(&path, &[full.clone(), empty.clone()]).unwrap();
        assert_eq!(read::<Row>(&path).unwrap(), [full.clone(), empty]);
        assert_eq!(full.factor(), Some(6.0));
        assert_eq!(full.cold_factor(), Some(14.0));
        assert_eq!(full.tape_bytes(), Some(63));
    }
}
