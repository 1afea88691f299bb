use entape_programs::{
    burgers,
    linalg::hand::{Analysis, Kalman, Product, Solve},
};
use evaluation_worker::{Bytes, Fault, Problem, Program, Tool, by_rows};
use nalgebra::DMatrix;

pub(crate) struct Hand {
    problem: Problem,
    adjoint: Adjoint,
}
enum Adjoint {
    Burgers(burgers::hand::Adjoint),
    Product(Product, [DMatrix<f64>; 3]),
    Solve(Solve, [DMatrix<f64>; 3]),
    Kalman(Box<Kalman>),
    Analysis(Box<Analysis>),
}
impl Hand {
    pub(crate) fn new(problem: Problem) -> Self {
        let Problem {
            program, n, steps, ..
        } = problem;
        let given = || {
            problem
                .matrices()
                .try_into()
                .expect("the program has two inputs and weights")
        };
        let adjoint = match program {
            Program::Burgers => Adjoint::Burgers(burgers::hand::Adjoint::new(problem.grid())),
            Program::T1 => Adjoint::Product(Product::new(n), given()),
            Program::T2 => Adjoint::Solve(Solve::new(n, 1), given()),
            Program::T2m => Adjoint::Solve(Solve::new(n, n), given()),
            Program::T3 => Adjoint::Kalman(Box::new(Kalman::new(problem.kalman(), steps))),
            Program::T4 => Adjoint::Analysis(Box::new(Analysis::new(problem.analysis(), steps))),
        };
        Hand { problem, adjoint }
    }
}
impl Tool for Hand {
    fn record(&mut self) -> Result<f64, Fault> {
        Ok(match &mut self.adjoint {
            Adjoint::Burgers(burgers) => burgers.record(),
            Adjoint::Product(product, given) => product.record(given.each_ref()),
            Adjoint::Solve(solve, [a, b, weights]) => {
                solve.record(a, b.as_slice(), weights.as_slice())
            }
            Adjoint::Kalman(kalman) => kalman.record(),
            Adjoint::Analysis(analysis) => analysis.record(),
        })
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        match &mut self.adjoint {
            Adjoint::Burgers(burgers) => burgers.reverse(),
            Adjoint::Product(product, given) => product.reverse(given.each_ref()),
            Adjoint::Solve(solve, [.., weights]) => solve.reverse(weights.as_slice()),
            Adjoint::Kalman(kalman) => kalman.reverse(),
            Adjoint::Analysis(analysis) => analysis.reverse(),
        }
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        let vectors = |all: &[&[f64]]| all.concat();
        Ok(match &self.adjoint {
            Adjoint::Burgers(burgers) => {
                let fields = burgers.gradient();
                vectors(&[&fields.u, &fields.v])
            }
            Adjoint::Product(product, _) => by_rows([&product.a_b, &product.b_b]),
            Adjoint::Solve(solve, [_, b, _]) => {
                let b_b = DMatrix::from_column_slice(b.nrows(), b.ncols(), &solve.b_b);
                by_rows([&solve.a_b, &b_b])
            }
            Adjoint::Kalman(kalman) => {
                let [u, z, x] = kalman.vectors.each_ref().map(|v| v.as_slice());
                [by_rows(&kalman.matrices), vectors(&[u, z, x])].concat()
            }
            Adjoint::Analysis(analysis) => {
                let all = analysis.vectors.each_ref().map(Vec::as_slice);
                let matrices = by_rows(&analysis.matrices);
                [matrices, vectors(&all), analysis.numbers.to_vec()].concat()
            }
        })
    }
    fn bytes(&self) -> Option<Bytes> {
        let Problem {
            program, n, steps, ..
        } = self.problem;
        let (n, steps) = (n as u64, steps as u64);
        // values stored for the way back, in addition to the inputs
        let numbers = match program {
            Program::Burgers => 2 * n * n * steps,
            Program::T1 => n * n,
            Program::T2 => n * n + n,
            Program::T2m => 2 * n * n,
            Program::T3 => (8 * n * n + 4 * n) * steps,
            Program::T4 => 8 * n * steps,
        };
        Some(Bytes {
            values: 8 * numbers,
            ..Bytes::default()
        })
    }
}
