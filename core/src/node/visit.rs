//! What a stored expression consists of, as it is shown to a visitor.
use crate::{kind::Kind, store::Dependence};
use std::any::TypeId;

/// The identifier of a variable, with its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedId {
    /// The kind.
    pub kind: TypeId,
    /// The name of the kind.
    pub name: &'static str,
    /// The number.
    pub id: u32,
}
impl NamedId {
    /// The identifier of a variable of kind `K`.
    pub fn of<K: Kind>(id: u32) -> Self {
        NamedId {
            kind: TypeId::of::<K>(),
            name: K::NAME,
            id,
        }
    }
}

/// Is shown an expression, from its leaves to its root: an operation comes after its arguments.
pub trait ExpressionVisitor {
    /// A leaf that is an active variable.
    fn variable(&mut self, variable: NamedId);
    /// A leaf without an identifier, or an argument that is not there.
    fn passive(&mut self);
    /// A list of the last `count` expressions.
    fn list(&mut self, count: usize);
    /// The last expression is the first one of two, or the second one, of which it was chosen.
    fn choice(&mut self, first: bool);
    /// An operation on the last three expressions.
    fn operation(&mut self, dependence: &Dependence);
}
