//! Statements of a [`#[function]`](crate::function), which evaluates expressions where their values are stored.
//!
//! `KeptValue(value).end()` evaluates an expression and passes any other value through. Inherent methods take precedence over
//! methods of a trait, and the inherent method exists only for expressions. Expressions of lists are also passed through,
//! because lists cannot be variables.
use super::AnyMode;
use crate::{
    expr::{Active, Expr},
    kind::{HasVariables, Kind},
    node::Node,
};

/// A value that is stored.
#[derive(Debug)]
pub struct KeptValue<T>(pub T);

impl<K: Kind<Policy: HasVariables>, M: AnyMode, N: Node<Kind = K>> KeptValue<Expr<K, M, N>> {
    /// Evaluates the expression.
    #[inline(always)]
    #[track_caller]
    pub fn end(self) -> Active<K, M> {
        self.0.eval()
    }
}
/// Ends a statement whose value is not an expression.
pub trait End<T> {
    /// Returns the value.
    fn end(self) -> T;
}
impl<T> End<T> for KeptValue<T> {
    #[inline(always)]
    fn end(self) -> T {
        self.0
    }
}
