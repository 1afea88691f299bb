//! Statements of a [`#[function]`](crate::function), which evaluates expressions where it stores their values.
//!
//! `KeptValue(value).end()` evaluates an expression and passes on any other value, because the inherent method takes precedence
//! over the trait and exists only for expressions. Lists cannot be variables, so expressions of lists are passed on, too.
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
