//! The activity of an expression's variables.
use super::recording::TapeRecording;
use crate::{
    formula::Formula,
    kind::{Kind, VariableId},
    node::{LeafVisitor, Node, Stored},
    store::RecordedValues,
};
use std::any::TypeId;

pub(crate) struct Inspect<'t> {
    tag: u32,
    memory: Option<&'t RecordedValues>,
    flat: i32,
    active: bool,
    passive: bool,
    lost: bool,
    foreign: Option<&'static str>,
    stale: Option<&'static str>,
}
impl<'t> Inspect<'t> {
    pub(crate) fn new(tape: Option<&'t TapeRecording>) -> Self {
        Inspect {
            tag: tape.map_or(0, |t| t.tag),
            memory: tape.map(|t| &t.memory),
            flat: 0,
            active: false,
            passive: false,
            lost: false,
            foreign: None,
            stale: None,
        }
    }
}
impl Inspect<'_> {
    #[inline(never)]
    fn other<K: Kind>(&mut self, variable: VariableId) {
        if variable.is_passive() {
            self.passive = true;
            return;
        }
        let values = self.memory.and_then(|m| m.values.find::<K>());
        if variable.is_lost() {
            self.lost = true;
        } else if values.is_some_and(|v| v.is_valid(variable, self.tag)) {
            self.active |= self.flat == 0;
        } else {
            self.foreign = Some(K::NAME);
        }
    }
}
impl LeafVisitor for Inspect<'_> {
    #[inline]
    fn variable<K: Kind>(&mut self, variable: VariableId) {
        if variable.tag == self.tag && self.tag != 0 {
            self.active |= self.flat == 0;
        } else {
            self.other::<K>(variable);
        }
    }
    #[inline]
    fn variables<K: Kind>(&mut self, variables: impl ExactSizeIterator<Item = VariableId> + Clone) {
        let (tag, mut seen) = (self.tag, [false; 3]);
        for variable in variables.clone() {
            let (own, passive) = (variable.tag == tag, variable.is_passive());
            seen = [seen[0] | own, seen[1] | passive, seen[2] | !(own | passive)];
        }
        let [own, passive, other] = seen;
        if tag != 0 && !other {
            self.active |= self.flat == 0 && own;
            self.passive |= passive;
            return;
        }
        for variable in variables {
            self.variable::<K>(variable);
        }
    }
    fn copied<K: Kind>(&mut self, variable: VariableId, version: Option<u32>) {
        self.variable::<K>(variable);
        let is_stale = |memory: &RecordedValues| {
            version.is_some_and(|version| !memory.values.is_current::<K>(variable.id, version))
        };
        if variable.is_recorded() && self.memory.is_some_and(is_stale) {
            self.stale.get_or_insert(K::NAME);
        }
    }
    fn flat(&mut self, depth: i32) {
        self.flat += depth;
    }
}

pub(crate) struct Reads {
    pub(super) kind: TypeId,
    pub(super) id: u32,
    pub(super) found: bool,
}
impl LeafVisitor for Reads {
    fn variable<K: Kind>(&mut self, variable: VariableId) {
        self.found |=
            TypeId::of::<K>() == self.kind && variable.id == self.id && !variable.is_passive();
    }
}

pub(crate) enum VariablesFound {
    Passive,
    Lost,
    Active { mixed: bool },
}

impl Inspect<'_> {
    #[track_caller]
    pub(crate) fn found(self, formula: &Formula, recording: bool) -> VariablesFound {
        match (self.foreign, recording) {
            (Some(kind), true) => panic!(
                "a variable of kind {kind} in `{}` belongs to another tape, or to a recording that was reset: make it an input of this tape or of \
                 the preaccumulated part, or use its `.value()`",
                formula
            ),
            (Some(kind), false) => panic!(
                "an active variable of kind {kind} is used in `{}`, but no tape records on this thread: wrap the computation in `tape.record(|| \
                 ..)`, or use its `.value()`",
                formula
            ),
            _ if self.stale.is_some() => panic!(
                "a variable of kind {kind} was written after `at`, `part`, `update` or `detached` put it into this expression: evaluate the \
                 expression before the variable is written or dropped",
                kind = self.stale.unwrap_or_default(),
            ),
            _ if self.lost => VariablesFound::Lost,
            _ if !self.active => VariablesFound::Passive,
            _ => VariablesFound::Active {
                mixed: self.passive,
            },
        }
    }
}

#[cold]
#[track_caller]
pub(crate) fn refuse_active<N: Node>(node: &N) -> VariableId {
    let mut seen = Inspect::new(None);
    node.leaves(&mut seen);
    seen.refuse(&N::Stored::FORMULA)
}
impl Inspect<'_> {
    #[track_caller]
    pub(super) fn refuse(self, formula: &Formula) -> VariableId {
        match self.found(formula, false) {
            VariablesFound::Lost => VariableId::LOST,
            _ => VariableId::PASSIVE,
        }
    }
}
