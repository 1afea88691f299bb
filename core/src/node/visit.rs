//! The components of a stored expression, as reported to a visitor.
use crate::{kind::Kind, store::Dependence};
use std::any::TypeId;

/// The identifier of a variable with its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedId {
    /// The kind.
    pub kind: TypeId,
    /// The kind's name.
    pub name: &'static str,
    /// The identifier.
    pub id: u32,
}
impl NamedId {
    /// Names the identifier of a variable of kind `K`.
    pub fn of<K: Kind>(id: u32) -> Self {
        NamedId {
            kind: TypeId::of::<K>(),
            name: K::NAME,
            id,
        }
    }
}

/// Visits an expression, an operation after its arguments.
pub trait ExpressionVisitor {
    /// Visits an active variable.
    fn variable(&mut self, variable: NamedId);
    /// Visits a leaf without an identifier, or an absent argument.
    fn passive(&mut self);
    /// Combines the last `count` expressions to a list.
    fn list(&mut self, count: usize);
    /// Reports that the last expression was chosen from two.
    fn choice(&mut self, first: bool);
    /// Applies an operation to the last three expressions.
    fn operation(&mut self, dependence: &Dependence);
}
