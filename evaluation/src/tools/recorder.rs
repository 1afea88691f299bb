//! The common part of all of entape's tools: a tape that is reset, recorded and swept.
use crate::memory;
use entape::{prelude::*, tape::Gradient};
use evaluation_worker::{Bytes, Fault, Tool};

pub(crate) trait Form<M: Recording> {
    /// The inputs as variables, and the working memory of the program.
    type State;
    fn state(&self, tape: &mut Tape<M>) -> Self::State;
    fn record(&self, state: &mut Self::State) -> Result<Active<f64, M>, Fault>;
    /// Does the work that a sweep leaves to the reading of the gradient.
    fn finish(&self, _: &Self::State, _: &Gradient<'_, M>) -> Result<(), Error> {
        Ok(())
    }
    fn gradient(&self, state: &Self::State, gradient: &Gradient<'_, M>) -> Result<Vec<f64>, Error>;
}

pub(crate) struct Recorder<M: Recording, F: Form<M>> {
    form: F,
    tape: Tape<M>,
    state: Option<F::State>,
    output: Option<Active<f64, M>>,
    /// Memory allocated by the recording in addition to the vectors of the tape.
    values: usize,
}
impl<M: Recording, F: Form<M>> Recorder<M, F> {
    pub(crate) fn new(form: F) -> Self {
        Recorder {
            form,
            tape: Tape::default(),
            state: None,
            output: None,
            values: 0,
        }
    }
    fn recorded(&mut self) -> (&F, &mut Tape<M>, &F::State, &Active<f64, M>) {
        let (state, output) = (self.state.as_ref(), self.output.as_ref());
        let (state, output) = state.zip(output).expect("the program was recorded");
        (&self.form, &mut self.tape, state, output)
    }
}
impl<M: Recording, F: Form<M>> Tool for Recorder<M, F> {
    fn prepare(&mut self) -> Result<(), Fault> {
        (self.state, self.output) = (None, None);
        self.tape.reset();
        self.state = Some(self.form.state(&mut self.tape));
        Ok(())
    }
    fn record(&mut self) -> Result<f64, Fault> {
        let before = memory::live();
        let state = self.state.as_mut().expect("it was prepared");
        let output = self.tape.record(|| self.form.record(state))?;
        self.values = memory::live().saturating_sub(before);
        Ok(*self.output.insert(output).get())
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        let (form, tape, state, output) = self.recorded();
        let gradient = tape.gradient(output).map_err(Fault::tool)?;
        form.finish(state, &gradient).map_err(Fault::tool)
    }
    /// Sweeps again, because a gradient borrows its tape.
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        let (form, tape, state, output) = self.recorded();
        let gradient = tape.gradient(output).map_err(Fault::tool)?;
        form.gradient(state, &gradient).map_err(Fault::tool)
    }
    fn bytes(&self) -> Option<Bytes> {
        let all = self.tape.statistics();
        let kinds = |bytes: fn(&entape::tape::KindStatistics) -> usize| {
            all.kinds.iter().map(bytes).sum::<usize>() as u64
        };
        Some(Bytes {
            handles: all.handle_bytes as u64,
            sizes: all.size_bytes as u64,
            // a saved value is stored as a pointer
            blocks: (all.block_bytes + size_of::<usize>() * all.kept_values) as u64,
            primal: kinds(|kind| kind.primal_bytes),
            adjoint: kinds(|kind| kind.adjoint_bytes),
            values: self.values as u64,
        })
    }
}
