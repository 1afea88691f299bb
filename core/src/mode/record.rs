//! What recording modes do when an expression is evaluated or assigned.
use crate::{
    expr::{Active, ByRef, Held, Id},
    kind::{Cell, Identifier, Kind, Policy, Slot, VariableId},
    node::{Evaluated, Node, Produce, Stored},
    store::{Part, RecordedValues},
    tape::{
        NewTarget, Records, Statement, TapeRecording, Target, WholeTarget, current, refuse_active,
    },
};

/// The target of a whole variable.
pub(super) type TargetOf<K, M> = WholeTarget<K, <Id<K, M> as Identifier>::Ownership>;

fn held<K: Kind, M: Records>(cell: Cell<K>) -> Held<K, M> {
    K::Policy::held::<M>(cell, K::zero_like)
}

/// Evaluates into a new variable.
#[inline(always)]
#[track_caller]
pub(super) fn eval<K: Kind, M: Records, N: Node<Kind = K>>(node: N) -> Active<K, M> {
    let (value, saves) = node.forward();
    let cell = value.ready().cell();
    if !N::Stored::ACTIVE {
        return Active::from_parts(held::<K, M>(cell), VariableId::PASSIVE, Slot::default());
    }
    if Id::<K, M>::OWNED {
        let mut taken = current::take();
        let (variable, slot) = match taken.tape() {
            Some(tape) => record_new::<K, M, _>(tape, &node, &cell, saves, None),
            None => (refuse(node.copy()), Slot::default()),
        };
        return Active::from_parts(held::<K, M>(cell), variable, slot);
    }
    let (copy, statement) = (cell.clone(), statement_of::<K, M, N>());
    let variable = match current::accepting(&node) {
        Some(mut accepting) => {
            let recorded = accepting.tape().record_fast(&node, copy, saves, statement);
            let tag = accepting.tag;
            drop(accepting);
            match recorded {
                Ok(id) => VariableId { id, tag },
                Err(saves) => record_any::<K, M, _>(node.copy(), cell.clone(), saves, statement),
            }
        }
        None => record_any::<K, M, _>(node.copy(), cell.clone(), saves, statement),
    };
    Active::from_parts(held::<K, M>(cell), variable, Slot::default())
}
#[inline(always)]
fn statement_of<K: Kind, M: Records, N: Node<Kind = K>>() -> &'static Statement {
    TapeRecording::statement::<TargetOf<K, M>, N>()
}

/// The node is taken by value, so that the expression of the fast path can stay in registers.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse<N: Node>(node: N) -> VariableId {
    refuse_active(&node)
}
/// The node is taken by value, likewise.
#[cold]
#[inline(never)]
#[track_caller]
fn record_any<K: Kind, M: Records, N: Node<Kind = K>>(
    node: N,
    cell: Cell<K>,
    saves: N::Saves,
    statement: &'static Statement,
) -> VariableId {
    let mut taken = current::take();
    let Some(tape) = taken.tape() else {
        return refuse_active(&node);
    };
    match tape.record_other(&node, &cell, saves, statement) {
        Ok(id) => VariableId { id, tag: tape.tag },
        Err(saves) => record_as::<K, M, N>(tape, &node, &cell, saves, None, statement),
    }
}
#[inline(always)]
#[track_caller]
fn record_new<K: Kind, M: Records, N: Node<Kind = K>>(
    tape: &mut TapeRecording,
    node: &N,
    cell: &Cell<K>,
    saves: N::Saves,
    old: Option<u32>,
) -> (VariableId, Slot) {
    match tape.record_kept(node, cell.clone(), saves, old) {
        Ok(made) => made,
        Err(saves) => {
            let statement = statement_of::<K, M, N>();
            record_owned::<K, M, _>(tape, node.copy(), cell.clone(), saves, old, statement)
        }
    }
}
/// The node is taken by value, likewise.
#[cold]
#[inline(never)]
#[track_caller]
fn record_owned<K: Kind, M: Records, N: Node<Kind = K>>(
    tape: &mut TapeRecording,
    node: N,
    cell: Cell<K>,
    saves: N::Saves,
    old: Option<u32>,
    statement: &'static Statement,
) -> (VariableId, Slot) {
    let variable = record_as::<K, M, N>(tape, &node, &cell, saves, old, statement);
    (variable, tape.memory.values.get::<K>().slot(variable.id))
}
/// Records a statement that sets one variable; `old` is the identifier that it keeps.
#[track_caller]
fn record_as<K: Kind, M: Records, N: Node<Kind = K>>(
    tape: &mut TapeRecording,
    node: &N,
    cell: &Cell<K>,
    saves: N::Saves,
    old: Option<u32>,
    statement: &'static Statement,
) -> VariableId {
    // A tape with tracing keeps all values, so that it can tell which one was the first that is not finite; one that verifies
    // compares them.
    let read = N::Stored::READS_RESULT || tape.keeps_values();
    // The value is copied before anything is written, as copying may panic.
    let create = creation::<K, M>(old, cell.clone(), read);
    let target = <TargetOf<K, M> as Target<K>>::FIXED;
    let room = TapeRecording::make_room::<K>;
    tape.record::<M, TargetOf<K, M>, N, u32>(node, saves, statement, target, room, create)
        .variable_id(tape.tag)
}
/// Creates the variable of a statement. It has no part in the type of the expression, so that it is compiled once for a kind.
fn creation<K: Kind, M: Records>(
    old: Option<u32>,
    value: Cell<K>,
    read: bool,
) -> impl FnOnce(&mut RecordedValues, &mut [u8]) -> u32 {
    move |memory, lhs| TargetOf::<K, M>::create(memory, lhs, old, value, read)
}

/// Copies into a new variable, which shares the value.
#[track_caller]
pub(super) fn copy<K: Kind, M: Records>(x: &Active<K, M>) -> Active<K, M> {
    if !x.is_active() {
        return x.passive_copy();
    }
    let cell = x.cell();
    let mut taken = current::take();
    let (variable, slot) = match taken.tape() {
        Some(tape) => record_new::<K, M, _>(tape, &ByRef(x), &cell, (), None),
        None => (refuse_active(&ByRef(x)), Slot::default()),
    };
    drop(taken);
    Active::from_parts(held::<K, M>(cell), variable, slot)
}

/// Assigns to a variable.
#[inline(always)]
#[track_caller]
pub(super) fn assign<K: Kind, M: Records, N: Node<Kind = K>>(x: &mut Active<K, M>, node: N) {
    if !Id::<K, M>::OWNED {
        *x = eval(node);
        return;
    }
    let (value, saves) = node.forward();
    let cell = value.ready().cell();
    let mut taken = current::take();
    let mut kept = None;
    let (variable, slot) = match taken.tape() {
        Some(tape) => {
            kept = tape.identifier_of::<K>(x.variable_id());
            record_new::<K, M, _>(tape, &node, &cell, saves, kept)
        }
        None => {
            drop(saves);
            (refuse_active(&node), Slot::default())
        }
    };
    drop(taken);
    drop(node);
    x.replace(held::<K, M>(cell), variable, slot, kept);
}

/// Assigns to a part of a variable of a storage kind.
#[inline(always)]
#[track_caller]
pub(super) fn assign_part<K: Kind, M: Records, P: Part<K>, N: Node<Kind = P::Kind>>(
    x: &mut Active<K, M>,
    part: P,
    node: N,
) {
    let (value, saves) = node.forward();
    let mut taken = current::take();
    let mut kept = None;
    let (variable, slot) = match taken.tape() {
        Some(tape) => {
            kept = tape.identifier_of::<K>(x.variable_id());
            let recorded = {
                let mut value = Some(value);
                let recorded = tape.record_part(x, part.clone(), &mut value, &node, saves);
                if let Some(value) = value {
                    value.put(&part, x.get_mut());
                }
                recorded
            };
            drop(node);
            let variable = recorded.variable_id(tape.tag);
            if std::mem::needs_drop::<N>() {
                // These are identifiers that the node owned; it was dropped while the tape was taken.
                current::collect(tape);
            }
            (variable, tape.memory.values.get::<K>().slot(variable.id))
        }
        None => {
            drop(saves);
            let variable = refuse_active(&node);
            assert!(
                x.variable_id().is_passive(),
                "a part of an active variable of kind {} is written while no tape records on this thread: wrap the \
                 computation in `tape.record(|| ..)`",
                K::NAME
            );
            value.put(&part, x.get_mut());
            (variable, Slot::default())
        }
    };
    drop(taken);
    x.set_variable_id(variable, slot, kept);
}
