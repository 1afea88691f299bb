//! Recording modes.
use super::{AnyMode, Linear, Meta, Owned};
use crate::{
    expr::{Active, Node, Produce, Stored},
    kind::{Cell, Hold, Kind, Policy},
    tape::{Inner, Statement, current},
};
use std::rc::Rc;

/// Records; value kinds are `Copy` and have linear identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// Records; every kind has owned, reused identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Reuse;

impl AnyMode for Taped {
    type ValueId = Linear;
    type OwnedId = Owned;
    type Shared<V: Clone + 'static> = Rc<V>;
    fn share<V: Clone + 'static>(held: &Rc<V>) -> Rc<V> {
        held.clone()
    }
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Rc<V> {
        cell
    }
    #[inline(always)]
    fn eval<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self> {
        let (value, saves) = node.forward();
        let cell = <<K::Policy as Policy>::Cell<K::Value> as Hold<K::Value>>::new(value.own());
        if !N::Stored::ACTIVE {
            return Active::from_parts(
                <K::Policy as Policy>::held::<_, Self>(cell),
                Meta::PASSIVE,
                0,
            );
        }
        let mut taken = current::take();
        let meta = match taken.tape() {
            Some(tape) => match tape.record_fast(&node, &cell, saves) {
                Ok(meta) => meta,
                Err(saves) => record_any(tape, node.copy(), cell.clone(), saves, Inner::statement::<K, N>()),
            },
            None => Meta::PASSIVE,
        };
        Active::from_parts(<K::Policy as Policy>::held::<_, Self>(cell), meta, 0)
    }
}

/// By value, so that the expression of the fast path can stay in registers.
#[cold]
#[inline(never)]
fn record_any<K: Kind, N: Node<Kind = K>>(
    tape: &mut Inner,
    node: N,
    cell: Cell<K>,
    saves: N::Saves,
    statement: &'static Statement,
) -> Meta {
    tape.record_any(&node, cell, saves, statement)
}
