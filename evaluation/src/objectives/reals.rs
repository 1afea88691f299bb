//! The objectives by reals: the program that is generic in the number, in an `Objective`, which chooses the mode.
use entape::{Function, Objective as Solver, driver::ListShape, eager::Eager, prelude::*};
use evaluation_worker::{
    Fault,
    objectives::{Derive, Objective, Program, Visitor, summary},
};
use std::cell::Cell;

pub(super) struct Reals<'x>(pub(super) &'x [f64]);

struct All<O>(Program<O>);
impl<O: Objective> Function for All<O> {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Real<M>>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
        let x: Vec<Eager<M>> = x.iter().map(|&x| x.into()).collect();
        let mut outputs = Vec::with_capacity(self.0.reads().len() * self.0.columns().len());
        self.0.run(&x, &mut outputs);
        outputs.into_iter().map(Eager::real).collect()
    }
}
/// The output of a part.
struct Only<O>(Program<O>, Cell<usize>);
impl<O: Objective> Function for Only<O> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let x: Vec<Eager<M>> = x.iter().map(|&x| x.into()).collect();
        let mut outputs = Vec::with_capacity(1);
        self.0.objective.run(self.1.get(), &x, &mut outputs);
        outputs[0].real()
    }
}

impl Visitor for Reals<'_> {
    type Output = Result<Derive, Fault>;
    fn visit<O: Objective>(self, objective: O) -> Self::Output {
        let x = self.0.to_vec();
        let (rows, curvature) = (objective.rows(), objective.curvature());
        let program = Program::new(objective);
        let dense = program
            .columns()
            .iter()
            .all(|columns| columns.len() == x.len());
        if rows == 1 {
            let f = Solver::new(Only(program, Cell::new(0)));
            let mut values = Vec::new();
            return Ok(Box::new(move |all| {
                let Only(program, part) = f.program();
                let parts = program.reads().len();
                all.resize(if curvature { 2 } else { parts } * x.len(), 0.0);
                values.clear();
                for (number, gradient) in all.chunks_exact_mut(x.len()).take(parts).enumerate() {
                    part.set(number);
                    let value = f.value_and_gradient_into(&x, gradient);
                    values.push(value.map_err(Fault::tool)?);
                }
                if curvature {
                    f.hessian_vector_into(&x, &vec![1.0; x.len()], &mut all[x.len()..])
                        .map_err(Fault::tool)?;
                }
                Ok(program.finish(&values, all))
            }));
        }
        let f = Solver::new(All(program));
        if dense {
            return Ok(Box::new(move |all| {
                let (values, jacobian) = f.values_and_jacobian(&x).map_err(Fault::tool)?;
                *all = jacobian.into_vec();
                Ok(summary(&values))
            }));
        }
        let plan = f.jacobian_plan(&x).map_err(Fault::tool)?;
        Ok(Box::new(move |all| {
            let (values, jacobian) = f
                .values_and_sparse_jacobian_with(&plan, &x)
                .map_err(Fault::tool)?;
            all.clear();
            let All(program) = f.program();
            let each = program.reads().iter().flat_map(|reads| {
                program
                    .columns()
                    .iter()
                    .map(move |columns| (reads, columns))
            });
            for (i, (reads, columns)) in each.enumerate() {
                // entries missing in the plan are zero; both are in the order of the inputs
                let mut entries = jacobian.row(i).peekable();
                all.extend(columns.iter().map(|&column| {
                    let entry = entries.next_if(|(j, _)| *j == reads[column]);
                    entry.map_or(0.0, |(_, entry)| entry)
                }));
            }
            Ok(summary(&values))
        }))
    }
}
