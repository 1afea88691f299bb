//! Statements of a [`#[function]`](crate::function), which ends expressions where their values are kept.
//!
//! `KeptValue(value).end()` evaluates an expression and passes any other value through. A method of the type itself comes before that of a
//! trait, and the one here exists for expressions alone. Expressions of lists are passed through, too: lists have no variable.
use super::AnyMode;
use crate::{
    expr::{Active, Expr},
    kind::{HasVariables, Kind},
    node::Node,
};

/// A value that is kept.
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
/// The end of a value that is no expression.
pub trait End<T> {
    /// The value.
    fn end(self) -> T;
}
impl<T> End<T> for KeptValue<T> {
    #[inline(always)]
    fn end(self) -> T {
        self.0
    }
}
