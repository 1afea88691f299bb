use super::{
    numbers::{SetValues, zip_numbers},
    pool::PooledTape,
    program::sealed::SealedProgram,
    recording::RecordedFunction,
};
use entape_core::{
    expr::Active,
    kind::{Kind, Val},
    mode::{AnyMode, Recording},
    names::EXTERNAL,
    node::NamedId,
    order::MissingRule,
    structure::{
        MakeInputs, Mismatch, ReadLeaves, Structure, UnitLeaves, ValueLeaves, VariableLeaves, Vars,
        ZipLeaves,
    },
    tape::{Error, Tape},
};
pub use entape_core::{formula::Formula, tape::StatementVisitor};
use std::{
    any::Any,
    cell::RefCell,
    marker::PhantomData,
    mem::ManuallyDrop,
    sync::{Arc, Weak},
};

type IdleState = (Weak<()>, Box<dyn Any>);
thread_local! {
    static STATES: RefCell<Vec<IdleState>> = const { RefCell::new(Vec::new()) };
}

/// The state of an objective in one thread, to which it returns on drop.
pub struct State<S: Structure, R: Structure, A: AnyMode, M: Recording> {
    /// `Some` until dropped.
    kept: Option<Box<Kept<S, R, A, M>>>,
    token: Weak<()>,
}
entape_core::debug_by_name! { [S: Structure, R: Structure, A: AnyMode, M: Recording] State<S, R, A, M> }
pub type StateOf<P> = State<
    <P as SealedProgram>::Inputs,
    <P as SealedProgram>::Results,
    <P as SealedProgram>::Ahead,
    <P as SealedProgram>::Recorded,
>;
struct Kept<S: Structure, R: Structure, A: AnyMode, M: Recording> {
    recording: Option<RecordedFunction<S, R, M>>,
    at: Vec<f64>,
    plain: Option<(Vars<S, A>, usize)>,
}
pub(super) struct Started<S: Structure, M: Recording> {
    pub(super) tape: PooledTape<M>,
    pub(super) inputs: Vars<S, M>,
}

impl<S: Structure, R: Structure, A: AnyMode, M: Recording> State<S, R, A, M> {
    /// Takes the state with this token, and drops states of dropped objectives.
    pub(super) fn take(token: &Arc<()>) -> Self {
        // Dropped after the borrow of the list, because their destructors may run user code.
        let mut dead = Vec::new();
        let found = STATES.try_with(|states| {
            let mut states = states.borrow_mut();
            let dropped = |(of, _): &mut IdleState| of.strong_count() == 0;
            dead.extend(states.extract_if(.., dropped));
            let at = states
                .iter()
                .position(|(of, _)| Weak::as_ptr(of) == Arc::as_ptr(token))?;
            states.swap_remove(at).1.downcast().ok()
        });
        let kept = found.ok().flatten().unwrap_or_else(|| {
            Box::new(Kept {
                recording: None,
                at: Vec::new(),
                plain: None,
            })
        });
        State {
            kept: Some(kept),
            token: Arc::downgrade(token),
        }
    }
    fn kept(&self) -> &Kept<S, R, A, M> {
        self.kept.as_ref().expect("the state until it is dropped")
    }
    fn kept_mut(&mut self) -> &mut Kept<S, R, A, M> {
        self.kept.as_mut().expect("the state until it is dropped")
    }
    /// Whether the recording has second derivatives and these inputs, bit by bit.
    pub(super) fn is_at(&self, x: &[f64]) -> bool {
        let Kept { recording, at, .. } = self.kept();
        let second = |recording: &RecordedFunction<S, R, M>| !recording.tape.has_accumulated();
        let mut each = at.iter().zip(x);
        recording.as_ref().is_some_and(second)
            && at.len() == x.len()
            && each.all(|(x, y)| x.to_bits() == y.to_bits())
    }
    pub(super) fn has_recorded(&self, x: &[f64]) -> bool {
        self.kept().recording.is_some() && self.kept().at.len() == x.len()
    }
    pub(super) fn begin(
        &mut self,
        x: &[f64],
        values: Option<S::Values>,
        second: bool,
    ) -> Result<Started<S, M>, Error> {
        let before = self.kept_mut().recording.take();
        let (mut tape, inputs) = match before {
            Some(before) => (before.tape, Some(before.inputs)),
            None => (PooledTape::take(), None),
        };
        tape.try_reset()?;
        tape.adapt(second);
        let inputs = match (inputs, values) {
            (_, Some(values)) => S::map(S::unpack(values), &mut MakeInputs(&mut tape))?,
            (Some(mut inputs), None) => {
                let list: &mut dyn Any = &mut inputs;
                match list.downcast_mut::<Vec<Active<f64, M>>>() {
                    Some(list) => tape.try_inputs_into(x, list)?,
                    None => {
                        let set = SetInputs(&mut tape);
                        let SetInputs(_) = zip_numbers::<S, M, _>(&mut inputs, x, set)?;
                    }
                }
                inputs
            }
            (None, None) => unreachable!("the first call passes values"),
        };
        Ok(Started { tape, inputs })
    }
    pub(super) fn end(
        &mut self,
        x: &[f64],
        started: Started<S, M>,
        outputs: Vars<R, M>,
    ) -> Result<(), Error> {
        if let Some(full) = started.tape.full() {
            return Err(full.clone());
        }
        let kept = self.kept_mut();
        kept.at.clear();
        kept.at.extend_from_slice(x);
        kept.recording = Some(RecordedFunction {
            tape: started.tape,
            inputs: started.inputs,
            outputs,
        });
        Ok(())
    }
    pub fn recording(&mut self) -> &mut RecordedFunction<S, R, M> {
        let recording = self.kept_mut().recording.as_mut();
        recording.expect("the recording exists until the next one begins")
    }
    pub(super) fn has_plain(&self, x: &[f64]) -> bool {
        let plain = self.kept().plain.as_ref();
        plain.is_some_and(|(_, count)| *count == x.len())
    }
    pub(super) fn plain(&mut self, x: &[f64], values: Option<S::Values>) -> &Vars<S, A> {
        let plain = &mut self.kept_mut().plain;
        match values {
            Some(values) => *plain = Some((S::passive(values), x.len())),
            None => {
                let (variables, _) = plain.as_mut().expect("inputs of this length");
                let Ok(_) = zip_numbers::<S, A, _>(variables, x, SetValues(PhantomData));
            }
        }
        &plain.as_ref().expect("made above").0
    }
}
impl<S: Structure, R: Structure, A: AnyMode, M: Recording> Drop for State<S, R, A, M> {
    fn drop(&mut self) {
        // A panic may have left the tape in any state.
        if std::thread::panicking() {
            return;
        }
        let Some(kept) = self.kept.take() else {
            return;
        };
        let token = std::mem::take(&mut self.token);
        let _ = STATES.try_with(|states| states.borrow_mut().push((token, kept)));
    }
}

struct SetInputs<'t, M: Recording>(&'t mut Tape<M>);
impl<M: Recording> ZipLeaves for SetInputs<'_, M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, M>, value: Val<K>) -> Result<(), Error> {
        *x = self.0.try_input(value)?;
        Ok(())
    }
    fn mismatch(&mut self, mismatch: Mismatch) -> Error {
        mismatch.panic("list", "inputs")
    }
}

/// A recording whose inputs and outputs are reals.
pub struct RealRecording<'r, M: Recording> {
    pub tape: &'r mut Tape<M>,
    pub inputs: Reals<M>,
    pub outputs: Reals<M>,
}
entape_core::debug_by_name! { ['r, M: Recording] RealRecording<'r, M> }
/// Copies with identifiers, which the recording owns.
type Reals<M> = Vec<ManuallyDrop<Active<f64, M>>>;
impl<M: Recording> RealRecording<'_, M> {
    #[track_caller]
    pub fn show(&mut self, visitor: &mut dyn StatementVisitor) {
        self.tape.visit_statements(visitor);
    }
    /// Checks that the statements show on which inputs outputs depend.
    ///
    /// # Errors
    /// If results of an [unconditional](entape_core::external::External::unconditional) external function may depend on inputs through
    /// its counterpart.
    pub fn shows_dependences(&self) -> Result<(), Error> {
        match self.tape.unconditional() {
            None => Ok(()),
            Some(location) => Err(Error::MissingRule(MissingRule {
                operation: String::from(EXTERNAL),
                missing: "pattern",
                location,
            })),
        }
    }
    pub fn input_ids(&self) -> impl ExactSizeIterator<Item = NamedId> {
        self.inputs.iter().map(|x| x.named_id())
    }
    /// Returns the identifiers of the outputs; `None` for a passive output.
    pub fn output_ids(&self) -> impl ExactSizeIterator<Item = Option<NamedId>> {
        self.outputs
            .iter()
            .map(|y| y.is_active().then(|| y.named_id()))
    }
}
impl<S: Structure, R: Structure, A: AnyMode, M: Recording> State<S, R, A, M> {
    #[track_caller]
    pub fn reals(&mut self) -> RealRecording<'_, M> {
        let recording = self.recording();
        let (mut inputs, mut outputs) = (CollectReals::new(), CollectReals::new());
        let Ok(_) = S::read(&recording.inputs, &mut inputs);
        let Ok(_) = R::read(&recording.outputs, &mut outputs);
        RealRecording {
            tape: &mut recording.tape,
            inputs: inputs.list(),
            outputs: outputs.list(),
        }
    }
}
struct CollectReals<M: Recording> {
    all: Reals<M>,
    other: Option<&'static str>,
}
impl<M: Recording> CollectReals<M> {
    fn new() -> Self {
        let (all, other) = (Vec::new(), None);
        CollectReals { all, other }
    }
    #[track_caller]
    fn list(self) -> Reals<M> {
        if let Some(kind) = self.other {
            panic!(
                "sparse derivatives support only reals, but the function has a variable of kind {kind}: take and return numbers of type `f64`"
            );
        }
        self.all
    }
}
impl<M: Recording> ReadLeaves for CollectReals<M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = std::convert::Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Self::Fail> {
        match (x as &dyn Any).downcast_ref() {
            Some(x) => self.all.push(ManuallyDrop::new(Active::same(x))),
            None => self.other = Some(K::NAME),
        }
        Ok(())
    }
}
