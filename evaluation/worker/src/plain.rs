use crate::{
    Problem, Program,
    serve::{Fault, Tool},
};
use entape_programs::{
    burgers::Burgers,
    linalg::plain::{Analysis, Kalman, Qr, dot, product},
};
use nalgebra::DMatrix;

pub struct Plain {
    steps: usize,
    program: Kind,
}
enum Kind {
    Burgers(Burgers<f64>),
    Product([DMatrix<f64>; 4]),
    Solve(Qr, [DMatrix<f64>; 4]),
    Kalman(Box<Kalman>),
    Analysis(Box<Analysis>),
}
impl Plain {
    pub fn new(problem: &Problem) -> Self {
        let with_result = || {
            let [a, b, weights] = problem
                .matrices()
                .try_into()
                .expect("two inputs and weights");
            let x = DMatrix::zeros(b.nrows(), b.ncols());
            [a, b, weights, x]
        };
        let program = match problem.program {
            Program::Burgers => Kind::Burgers(Burgers::new(problem.grid(), |x| x)),
            Program::T1 => Kind::Product(with_result()),
            Program::T2 | Program::T2m => Kind::Solve(Qr::new(problem.n), with_result()),
            Program::T3 => Kind::Kalman(Box::new(Kalman::new(problem.kalman()))),
            Program::T4 => Kind::Analysis(Box::new(Analysis::new(problem.analysis()))),
        };
        Plain {
            steps: problem.steps,
            program,
        }
    }
    pub fn run(&mut self) -> f64 {
        match &mut self.program {
            Kind::Burgers(burgers) => burgers.baseline(),
            Kind::Product([a, b, weights, c]) => {
                product(a, b, c);
                dot(c.as_slice(), weights.as_slice())
            }
            Kind::Solve(qr, [a, b, weights, x]) => {
                qr.factorize(a);
                x.copy_from(b);
                let cols = x.ncols();
                qr.solve(x.as_mut_slice(), cols);
                dot(x.as_slice(), weights.as_slice())
            }
            Kind::Kalman(kalman) => kalman.run(self.steps),
            Kind::Analysis(analysis) => analysis.run(self.steps),
        }
    }
}
impl Tool for Plain {
    fn record(&mut self) -> Result<f64, Fault> {
        Ok(self.run())
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        Ok(Vec::new())
    }
}
