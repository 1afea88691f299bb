//! Recording modes.
use super::{AnyMode, Linear, Meta, Owned};
use crate::{
    expr::{Active, Node, Produce, Stored},
    kind::{Hold, Kind, Policy},
    tape::current,
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
        let meta = current::with(|tape| match tape {
            Some(tape) => tape.record_fresh(&node, &cell, saves),
            None => Meta::PASSIVE,
        });
        Active::from_parts(<K::Policy as Policy>::held::<_, Self>(cell), meta, 0)
    }
}
