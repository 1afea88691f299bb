//! Modes: what happens when an expression is evaluated.
//!
//! | mode | records | value kinds | storage kinds |
//! |---|---|---|---|
//! | [`Plain`] | nothing | bare value, no identifier | bare value |
//! | [`Taped`] | statements | `Copy`, linear identifiers | owned, reused identifiers |
//! | [`Reuse`] | statements | owned, reused identifiers | owned, reused identifiers |
mod identifier;
mod plain;
mod taped;

pub use identifier::{Identifier, Linear, Meta, Owned};
pub use plain::Plain;
pub use taped::{Reuse, Taped};

use crate::{
    expr::{Active, Node},
    kind::{Hold, Kind},
};
use std::rc::Rc;

/// Any mode, [`Reuse`] included: source that is to run in all of them takes variables by reference.
pub trait AnyMode: Sized + 'static {
    /// Identifier of value kinds.
    type ValueId: Identifier;
    /// Identifier of storage kinds.
    type OwnedId: Identifier;
    /// How a variable of a storage kind holds its value.
    type Shared<V: Clone + 'static>: Hold<V>;
    /// A handle for the tape to what a variable holds.
    fn share<V: Clone + 'static>(held: &Self::Shared<V>) -> Rc<V>;
    /// What a variable holds of the tape's handle.
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Self::Shared<V>;
    /// Evaluates `node` into a new variable: one statement.
    fn eval<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self>;
}

/// A mode whose value kinds are `Copy`: what generic numeric source asks for.
pub trait Mode: AnyMode<ValueId: Copy> {}
impl<M: AnyMode<ValueId: Copy>> Mode for M {}
