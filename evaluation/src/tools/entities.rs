use super::recorder::Form;
use entape::{linalg::prelude::*, prelude::*, tape::Gradient};
use entape_programs::{
    burgers::{Fields, Grid},
    burgers_array, linalg,
};
use evaluation_worker::{Fault, Problem, Program, by_rows};
use std::hint::black_box;

pub(super) struct Rows(pub(super) Grid);
impl<M: Recording> Form<M> for Rows {
    type State = burgers_array::Arrays<M>;
    fn state(&self, tape: &mut Tape<M>) -> Self::State {
        let Fields { u, v } = self.0.initial();
        (tape.input(u), tape.input(v))
    }
    fn record(&self, state: &mut Self::State) -> Result<Active<f64, M>, Fault> {
        Ok(burgers_array::program(self.0, state))
    }
    fn gradient(&self, (u, v): &Self::State, g: &Gradient<'_, M>) -> Result<Vec<f64>, Error> {
        Ok([g.wrt(u)?, g.wrt(v)?].concat())
    }
}

pub(super) struct Matrices(pub(super) Problem);
pub(super) struct Given<M: AnyMode> {
    matrices: Vec<Matrix<M>>,
    vectors: Vec<Vector<M>>,
    numbers: Vec<Active<f64, M>>,
}
impl<M: Recording> Form<M> for Matrices {
    type State = Given<M>;
    fn state(&self, tape: &mut Tape<M>) -> Self::State {
        let mut given = Given {
            matrices: Vec::new(),
            vectors: Vec::new(),
            numbers: Vec::new(),
        };
        let inputs = self.0.program.inputs(self.0.n).len();
        for (index, m) in self.0.matrices().into_iter().enumerate() {
            let input = index < inputs;
            match m.shape() {
                (1, 1) => given.numbers.push(tape.input(m[0])),
                (_, 1) if input => given.vectors.push(tape.input(m.column(0).into_owned())),
                (_, 1) => given
                    .vectors
                    .push(Vector::passive(m.column(0).into_owned())),
                _ if input => given.matrices.push(tape.input(m)),
                _ => given.matrices.push(Matrix::passive(m)),
            }
        }
        given
    }
    fn record(&self, state: &mut Self::State) -> Result<Active<f64, M>, Fault> {
        let Problem { program, steps, .. } = self.0;
        let Given {
            matrices,
            vectors,
            numbers,
        } = state;
        match (program, &matrices[..], &vectors[..], &numbers[..]) {
            (Program::T1, [a, b, weights], ..) => Ok(linalg::weighted_product(a, b, weights)),
            (Program::T2, [a], [b, weights], _) => {
                linalg::weighted_solution(a, b, weights).map_err(Fault::tool)
            }
            (Program::T2m, [a, b, weights], ..) => {
                linalg::weighted_solutions(a, b, weights).map_err(Fault::tool)
            }
            (Program::T3, [f, b, q, h, r, p], [u, z, x], _) => {
                let model = linalg::Kalman {
                    f,
                    b,
                    q,
                    h,
                    r,
                    u,
                    z,
                };
                model.run(x, p, steps).map_err(Fault::tool)
            }
            (Program::T4, [w, a], [x0, y, starts @ ..], [alpha, beta, tau]) => {
                let [v1, z1, v2, z2] = starts else {
                    unreachable!("T4 has six vectors");
                };
                let model = linalg::Analysis {
                    w,
                    a,
                    x0,
                    y,
                    alpha,
                    beta,
                    tau,
                };
                Ok(model.run([v1, z1, v2, z2], steps))
            }
            _ => unreachable!("the inputs fit the program"),
        }
    }
    /// Some outer products of T4 are added when its matrices are read.
    fn finish(&self, state: &Self::State, g: &Gradient<'_, M>) -> Result<(), Error> {
        if self.0.program == Program::T4 {
            for m in &state.matrices {
                black_box(g.wrt(m)?);
            }
        }
        Ok(())
    }
    fn gradient(&self, state: &Self::State, g: &Gradient<'_, M>) -> Result<Vec<f64>, Error> {
        let shapes = self.0.program.inputs(self.0.n);
        let matrices = shapes.iter().filter(|(_, cols)| *cols > 1).count();
        let vectors = shapes
            .iter()
            .filter(|shape| shape.1 == 1 && shape.0 > 1)
            .count();
        let mut all = Vec::new();
        for m in &state.matrices[..matrices] {
            all.extend(by_rows([&g.wrt(m)?]));
        }
        for v in &state.vectors[..vectors] {
            all.extend_from_slice(g.wrt(v)?.as_slice());
        }
        for x in &state.numbers {
            all.push(g.wrt(x)?);
        }
        Ok(all)
    }
}
