//! Modes: what happens when an expression is evaluated.
//!
//! | mode | records | value kinds | storage kinds |
//! |---|---|---|---|
//! | [`Plain`] | nothing | bare value, no identifier | bare value |
//! | [`Taped`] | statements | `Copy`, linear identifiers | owned, reused identifiers |
//! | [`Reuse`] | statements | owned, reused identifiers | owned, reused identifiers |
mod assign;
mod evaluate;
mod outputs;
mod places;
mod plain;
mod record;
mod taped;

pub use self::outputs::OutputKind;
pub use self::places::PlaceMut;
pub use crate::{
    kind::{
        Identifier, Slot, VariableId, Version,
        carrier::{Plain, Reuse, Taped},
    },
    tape::{LinearId, OwnedId},
};

use crate::{
    expr::Active,
    kind::{Carrier, Kind},
    node::Node,
    store::Part,
    tape::Records,
};

/// Any mode, [`Reuse`] included: source that is to run in all of them takes variables by reference.
pub trait AnyMode: Carrier {
    /// Evaluates `node` into a new variable: one statement.
    #[track_caller]
    fn eval<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self>;
    /// A variable with the value of `x` and an identifier of its own, by one statement. A value of a storage kind is
    /// shared, not copied.
    #[track_caller]
    fn copy<K: Kind>(x: &Active<K, Self>) -> Active<K, Self>;
    /// Assigns `node` to a variable: one statement. A variable that owns its identifier keeps it.
    #[track_caller]
    fn assign<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N);
    /// Assigns `node` to a part of a variable of a storage kind: one statement, which saves just the part.
    #[track_caller]
    fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: N,
    );
    /// Evaluates a `node` with several outputs into new variables: one statement.
    #[track_caller]
    fn split<K: OutputKind, N: Node<Kind = K>>(node: N) -> K::New<Self>;
    /// Evaluates a `node` with several outputs, into these variables.
    #[track_caller]
    fn assign_outputs<K: OutputKind, N: Node<Kind = K>>(outputs: K::Variables<'_, Self>, node: N);
}

/// A mode in which variables of value kinds are `Copy`, as generic numeric source asks for.
pub trait Mode: AnyMode<ValueId: Copy> {}
impl<M: AnyMode<ValueId: Copy>> Mode for M {}

/// A mode that records on a [`Tape`](crate::tape::Tape).
pub trait Recording: AnyMode + Records {}
impl<M: AnyMode + Records> Recording for M {}
