use entape_programs::{burgers::Grid, linalg::inputs};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    Burgers,
    T1,
    /// A linear system, solved by QR.
    T2,
    /// T2 with as many right sides as rows.
    T2m,
    T3,
    T4,
}
impl Program {
    pub const ALL: [Program; 6] = [
        Program::Burgers,
        Program::T1,
        Program::T2,
        Program::T2m,
        Program::T3,
        Program::T4,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Program::Burgers => "burgers",
            Program::T1 => "t1",
            Program::T2 => "t2",
            Program::T2m => "t2m",
            Program::T3 => "t3",
            Program::T4 => "t4",
        }
    }
    pub fn inputs(self, n: usize) -> Vec<(usize, usize)> {
        let (matrix, vector, number) = ((n, n), (n, 1), (1, 1));
        match self {
            Program::Burgers => vec![(n, n); 2],
            Program::T1 | Program::T2m => vec![matrix; 2],
            Program::T2 => vec![matrix, vector],
            Program::T3 => [vec![matrix; 6], vec![vector; 3]].concat(),
            Program::T4 => [vec![matrix; 2], vec![vector; 6], vec![number; 3]].concat(),
        }
    }
    pub fn weights(self, n: usize) -> Option<(usize, usize)> {
        match self {
            Program::T1 | Program::T2m => Some((n, n)),
            Program::T2 => Some((n, 1)),
            _ => None,
        }
    }
    pub fn operations(self, n: usize, steps: usize) -> f64 {
        let (n, steps) = (n as f64, steps as f64);
        match self {
            Program::Burgers => 44.0 * n * n * steps,
            Program::T1 => 2.0 * n.powi(3),
            Program::T2 => 4.0 / 3.0 * n.powi(3) + 4.0 * n * n,
            Program::T2m => (4.0 / 3.0 + 3.0) * n.powi(3),
            Program::T3 => (15.0 * n.powi(3) + 20.0 * n * n) * steps,
            Program::T4 => (8.0 * n * n + 30.0 * n) * steps,
        }
    }
}
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
impl FromStr for Program {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Program::ALL.into_iter().find(|p| p.name() == name);
        found.ok_or_else(|| format!("there is no program `{name}`"))
    }
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub program: Program,
    /// Points along a side, or rows.
    pub n: usize,
    /// Steps in time; T1 and T2 have one.
    pub steps: usize,
    /// The inputs one after the other, then the weights; matrices row by row.
    ///
    /// | program | inputs | weights of |
    /// |---|---|---|
    /// | Burgers | `u v` | |
    /// | T1 | `A B` | the product |
    /// | T2, T2m | `A b` | the solution |
    /// | T3 | `F B Q H R P u z x` | |
    /// | T4 | `W A x0 y v1 z1 v2 z2 alpha beta tau` | |
    pub numbers: Vec<f64>,
}
impl Problem {
    /// Creates inputs for which states neither grow nor decay over many steps.
    pub fn timed(program: Program, n: usize, steps: usize) -> Self {
        let weights =
            |cols| DMatrix::from_column_slice(n, cols, inputs::vector(n * cols, 0).as_slice());
        let vectors = |all: &[DVector<f64>]| all.iter().map(as_matrix).collect::<Vec<_>>();
        let matrices = match program {
            Program::Burgers => {
                let fields = Grid { n, steps }.initial();
                [fields.u, fields.v]
                    .map(|w| DMatrix::from_row_slice(n, n, &w))
                    .to_vec()
            }
            Program::T1 => vec![inputs::matrix(n, 0), inputs::matrix(n, 1), weights(n)],
            Program::T2 => vec![
                inputs::regular(n),
                as_matrix(&inputs::vector(n, 0)),
                weights(1),
            ],
            Program::T2m => vec![inputs::regular(n), inputs::matrix(n, 1), weights(n)],
            Program::T3 => {
                let inputs::Kalman {
                    matrices: m,
                    vectors: v,
                } = inputs::Kalman::new(n);
                [m.to_vec(), vectors(&v)].concat()
            }
            Program::T4 => {
                let inputs::Analysis {
                    matrices: m,
                    vectors: v,
                    numbers,
                } = inputs::Analysis::new(n);
                let numbers = numbers.map(|x| DMatrix::from_element(1, 1, x));
                [m.to_vec(), vectors(&v), numbers.to_vec()].concat()
            }
        };
        let numbers = by_rows(&matrices);
        Problem {
            program,
            n,
            steps,
            numbers,
        }
    }
    pub fn len(program: Program, n: usize) -> usize {
        count(program.inputs(n)) + count(program.weights(n))
    }
    pub fn inputs(&self) -> usize {
        count(self.program.inputs(self.n))
    }
    pub fn weights(&self) -> &[f64] {
        &self.numbers[self.inputs()..]
    }
    /// Returns inputs and weights as matrices; vectors and numbers have one column.
    pub fn matrices(&self) -> Vec<DMatrix<f64>> {
        let shapes = self
            .program
            .inputs(self.n)
            .into_iter()
            .chain(self.program.weights(self.n));
        let mut rest = &self.numbers[..];
        let matrix = |(rows, cols)| {
            let (head, tail) = rest.split_at(rows * cols);
            rest = tail;
            DMatrix::from_row_slice(rows, cols, head)
        };
        shapes.map(matrix).collect()
    }
    pub fn kalman(&self) -> inputs::Kalman {
        let mut all = self.matrices().into_iter();
        inputs::Kalman {
            matrices: std::array::from_fn(|_| take(&mut all)),
            vectors: std::array::from_fn(|_| take(&mut all).column(0).into()),
        }
    }
    pub fn analysis(&self) -> inputs::Analysis {
        let mut all = self.matrices().into_iter();
        inputs::Analysis {
            matrices: std::array::from_fn(|_| take(&mut all)),
            vectors: std::array::from_fn(|_| take(&mut all).column(0).into()),
            numbers: std::array::from_fn(|_| take(&mut all)[0]),
        }
    }
    pub fn grid(&self) -> Grid {
        Grid {
            n: self.n,
            steps: self.steps,
        }
    }
}
fn take(all: &mut impl Iterator<Item = DMatrix<f64>>) -> DMatrix<f64> {
    all.next().expect("an input of the program")
}
fn count(shapes: impl IntoIterator<Item = (usize, usize)>) -> usize {
    shapes.into_iter().map(|(rows, cols)| rows * cols).sum()
}
fn as_matrix(v: &DVector<f64>) -> DMatrix<f64> {
    DMatrix::from_column_slice(v.len(), 1, v.as_slice())
}
/// Returns the elements of all matrices, row by row, the order of gradients.
pub fn by_rows<'m>(all: impl IntoIterator<Item = &'m DMatrix<f64>>) -> Vec<f64> {
    let rows = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
    all.into_iter().flat_map(rows).collect()
}
