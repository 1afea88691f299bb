use super::recorder::Form;
use entape::{eager::Eager, prelude::*, tape::Gradient};
use entape_programs::burgers::{Burgers, Grid};
use evaluation_worker::{Fault, Problem, run};

pub(super) type State<M> = Burgers<Active<f64, M>>;

pub(super) struct Cells<M: Recording> {
    grid: Grid,
    program: fn(&mut State<M>) -> Active<f64, M>,
}
impl<M: Recording> Cells<M> {
    pub(super) fn new(grid: Grid, program: fn(&mut State<M>) -> Active<f64, M>) -> Self {
        Cells { grid, program }
    }
}
impl<M: Recording> Form<M> for Cells<M> {
    type State = State<M>;
    fn state(&self, tape: &mut Tape<M>) -> Self::State {
        Burgers::new(self.grid, |x| tape.input(x))
    }
    fn record(&self, state: &mut Self::State) -> Result<Active<f64, M>, Fault> {
        Ok((self.program)(state))
    }
    fn gradient(&self, state: &Self::State, g: &Gradient<'_, M>) -> Result<Vec<f64>, Error> {
        Ok([g.wrt_all(&state.initial.u)?, g.wrt_all(&state.initial.v)?].concat())
    }
}

pub(super) struct Elements(pub(super) Problem);
impl Form<Taped> for Elements {
    type State = Vec<Eager>;
    fn state(&self, tape: &mut Tape) -> Self::State {
        let inputs = &self.0.numbers[..self.0.inputs()];
        inputs.iter().map(|&x| tape.input(x).into()).collect()
    }
    fn record(&self, state: &mut Self::State) -> Result<Real, Fault> {
        Ok(run(&self.0, state).into())
    }
    fn gradient(&self, state: &Self::State, g: &Gradient<'_, Taped>) -> Result<Vec<f64>, Error> {
        state.iter().map(|x| g.wrt(&x.real())).collect()
    }
}
