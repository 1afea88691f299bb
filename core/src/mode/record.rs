//! How recording modes evaluate and assign expressions.
use super::{AnyMode, ByMode, OutputKind, WritesOutputs, outputs};
use crate::{
    expr::{Active, ByRef, Id, VariableCellOf},
    kind::{Identifier, Kind, Policy, Slot, TapeValue, VariableId},
    node::{Evaluated, Node, Produce, Stored},
    store::{Part, RecordedValues},
    tape::{
        AnyNode, Erased, FreshValue, Records, Statement, TapeRecording, Target, WholeTarget,
        current, refuse_active, refuse_any,
    },
};
use std::{
    mem::{ManuallyDrop, needs_drop},
    ops::Deref,
};

impl<M: Records> AnyMode for M {
    #[inline(always)]
    #[track_caller]
    fn eval_node<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self> {
        if const { needs_drop::<N>() } {
            return eval_with(&node, |node| ManuallyDrop::new(node.copy()));
        }
        // Avoids code for panics.
        let node = ManuallyDrop::new(node);
        if const { K::NUMBERS } {
            eval_with(node, |node| node)
        } else {
            // Larger values would keep the node in memory.
            eval_with(&*node, |node| ManuallyDrop::new(node.copy()))
        }
    }
    #[track_caller]
    fn copy_variable<K: Kind>(x: &Active<K, Self>) -> Active<K, Self> {
        if !x.is_active() {
            return x.passive_copy();
        }
        let cell = x.cell();
        let mut taken = current::take();
        let (variable, slot) = match taken.tape() {
            Some(tape) => record_new::<K, M, _>(tape, &ByRef(x), &cell, (), None),
            None => (refuse_active(&ByRef(x)), Slot::NONE),
        };
        drop(taken);
        Active::from_parts(held::<K, M>(cell), variable, slot)
    }
    #[inline(always)]
    #[track_caller]
    fn assign_node<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N) {
        if !Id::<K, M>::OWNED {
            *x = Self::eval_node(node);
            return;
        }
        let (value, saves) = node.evaluate();
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
                (refuse_active(&node), Slot::NONE)
            }
        };
        drop(taken);
        drop(node);
        x.replace(held::<K, M>(cell), variable, slot, kept);
    }
    #[inline(always)]
    #[track_caller]
    fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: N,
    ) {
        let (value, saves) = node.evaluate();
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
                if needs_drop::<N>() {
                    // The node may have owned identifiers.
                    current::collect(tape);
                }
                (variable, tape.memory.values.get::<K>().slot(variable.id))
            }
            None => {
                drop(saves);
                let variable = refuse_active(&node);
                assert!(
                    x.variable_id().is_passive(),
                    "a part of an active variable of kind {} is written, but no tape records on this thread: wrap the computation in `tape.record(|| \
                     ..)`",
                    K::NAME
                );
                value.put(&part, x.get_mut());
                (variable, Slot::NONE)
            }
        };
        drop(taken);
        x.set_variable_id(variable, slot, kept);
    }
    #[track_caller]
    fn split_node<K: OutputKind, N: Node<Kind = K>>(node: N) -> K::New<Self> {
        K::split(node)
    }
    #[track_caller]
    fn assign_outputs<K: OutputKind, N: Node<Kind = K>>(
        outputs: impl WritesOutputs<K, Self>,
        node: N,
    ) {
        outputs::assign_outputs(outputs, node);
    }
    #[track_caller]
    fn by_mode<A: ByMode<Self>>(act: A) -> A::Out {
        act.recording()
    }
}

pub(super) type TargetOf<K, M> = WholeTarget<K, <Id<K, M> as Identifier>::Ownership>;

fn held<K: Kind, M: Records>(cell: TapeValue<K>) -> VariableCellOf<K, M> {
    K::Policy::held::<M, _>(cell, K::zero_like)
}

/// `taken` creates a node for code out of line, so that the fast path never takes the address of `node`.
#[inline(always)]
#[track_caller]
fn eval_with<K: Kind, M: Records, N: Node<Kind = K>, D: Deref<Target = N>, C>(
    to_node: D,
    taken: impl FnOnce(D) -> ManuallyDrop<C>,
) -> Active<K, M>
where
    C: Node<Kind = K, Stored = N::Stored, Saves = N::Saves>,
{
    let node: &N = &to_node;
    let (value, saves) = node.evaluate();
    let cell = value.ready().cell();
    if !N::Stored::ACTIVE {
        return Active::from_parts(held::<K, M>(cell), VariableId::PASSIVE, Slot::NONE);
    }
    if Id::<K, M>::OWNED {
        let mut taken = current::take();
        let (variable, slot) = match taken.tape() {
            Some(tape) => record_new::<K, M, _>(tape, node, &cell, saves, None),
            None => (refuse(node.copy()), Slot::NONE),
        };
        return Active::from_parts(held::<K, M>(cell), variable, slot);
    }
    // Avoids code for panics; saved intermediates leak.
    let (cell, saves) = (ManuallyDrop::new(cell), ManuallyDrop::new(saves));
    let statement = statement_of::<K, M, N>();
    let recorded = match current::accepting(node) {
        Some(mut accepting) => {
            let tag = accepting.tag;
            let new = FreshValue::<K>(ManuallyDrop::into_inner(cell.clone()));
            let saves = ManuallyDrop::into_inner(saves);
            let recorded = accepting.tape().record_fast(node, new, saves, statement);
            recorded.map(|id| VariableId { id, tag })
        }
        None => Err(ManuallyDrop::into_inner(saves)),
    };
    let variable = match recorded {
        Ok(variable) => variable,
        Err(saves) => {
            let saves = ManuallyDrop::new(saves);
            record_any::<K, M, _>(taken(to_node), cell.clone(), saves, statement)
        }
    };
    Active::from_parts(
        held::<K, M>(ManuallyDrop::into_inner(cell)),
        variable,
        Slot::NONE,
    )
}
#[inline(always)]
fn statement_of<K: Kind, M: Records, N: Node<Kind = K>>() -> &'static Statement {
    TapeRecording::statement::<TargetOf<K, M>, N>()
}

/// By value, to keep the node in registers.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse<N: Node>(node: N) -> VariableId {
    refuse_active(&node)
}
#[cold]
#[inline(never)]
#[track_caller]
fn record_any<K: Kind, M: Records, N: Node<Kind = K>>(
    node: ManuallyDrop<N>,
    cell: ManuallyDrop<TapeValue<K>>,
    saves: ManuallyDrop<N::Saves>,
    statement: &'static Statement,
) -> VariableId {
    let (node, saves) = (
        ManuallyDrop::into_inner(node),
        ManuallyDrop::into_inner(saves),
    );
    record_erased::<K, M>(&mut Erased::new(&node, saves), &cell, statement)
}
#[track_caller]
fn record_erased<K: Kind, M: Records>(
    node: &mut dyn AnyNode,
    cell: &TapeValue<K>,
    statement: &'static Statement,
) -> VariableId {
    match current::take().tape() {
        Some(tape) => record_as::<K, M>(tape, node, cell, None, statement),
        None => refuse_any(node, statement),
    }
}
#[inline(always)]
#[track_caller]
fn record_new<K: Kind, M: Records, N: Node<Kind = K>>(
    tape: &mut TapeRecording,
    node: &N,
    cell: &TapeValue<K>,
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
#[cold]
#[inline(never)]
#[track_caller]
fn record_owned<K: Kind, M: Records, N: Node<Kind = K>>(
    tape: &mut TapeRecording,
    node: N,
    cell: TapeValue<K>,
    saves: N::Saves,
    old: Option<u32>,
    statement: &'static Statement,
) -> (VariableId, Slot) {
    let node = &mut Erased::new(&node, saves);
    let variable = record_as::<K, M>(tape, node, &cell, old, statement);
    (variable, tape.memory.values.get::<K>().slot(variable.id))
}
#[track_caller]
fn record_as<K: Kind, M: Records>(
    tape: &mut TapeRecording,
    node: &mut dyn AnyNode,
    cell: &TapeValue<K>,
    old: Option<u32>,
    statement: &'static Statement,
) -> VariableId {
    // Tracing and verification need all values.
    let read = statement.reads_result() || tape.keeps_values();
    // Copying may panic.
    let value = cell.clone();
    let create = |memory: &mut RecordedValues, lhs: &mut [u8]| {
        TargetOf::<K, M>::create(memory, lhs, old, value, read)
    };
    let target = <TargetOf<K, M> as Target<K>>::FIXED;
    let reserve = TapeRecording::reserve::<K>;
    tape.record(node, statement, (target, 0), reserve, create)
        .variable_id(tape.tag)
}
