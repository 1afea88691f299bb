//! Expressions: what operators build, and what one assignment records as one statement.
//!
//! An expression is a tree of [nodes](Node): leaves (variables, constants) and [`Apply`], an operation
//! applied to nodes. The one wrapper [`Expr`] carries kind and mode as parameters, so that operators
//! and member operations resolve without looking into the tree.
//!
//! ```text
//! 2.0 * a + b      Expr<f64, Taped, Apply<Add, Apply<Mul, Const<f64>, ByVal<f64>>, ByVal<f64>>>
//!  .eval()         values bottom-up, then one statement: [constant 2.0 interned] [id a, id b]
//! ```
mod active;
mod apply;
mod leaf;
mod list;
mod node;
mod operand;
mod operators;
mod replay;

pub use active::Active;
pub use apply::{Apply, Nil};
pub use leaf::{ByRef, ByVal, Const};
pub use node::{ConstantVisitor, LeafVisitor, Need, Node, Produce, Stored};
pub use operand::{Constant, Operand, constant, lit};
pub use replay::Replay;

use crate::{kind::Kind, mode::AnyMode};
use std::marker::PhantomData;

/// An expression of kind `K` in mode `M`: nothing is recorded before it is evaluated or assigned.
#[must_use = "an expression records nothing until `.eval()` or an assignment"]
pub struct Expr<K, M, N> {
    pub(crate) node: N,
    _of: PhantomData<(K, M)>,
}
impl<K, M, N: Clone> Clone for Expr<K, M, N> {
    fn clone(&self) -> Self {
        Expr::new(self.node.clone())
    }
}
impl<K, M, N: Copy> Copy for Expr<K, M, N> {}

impl<K, M, N> Expr<K, M, N> {
    /// Wraps a node.
    #[inline(always)]
    pub fn new(node: N) -> Self {
        Expr {
            node,
            _of: PhantomData,
        }
    }
}
impl<K: Kind, M: AnyMode, N: Node<Kind = K>> Expr<K, M, N> {
    /// Evaluates into a new variable and records one statement.
    ///
    /// # Panics
    /// If a variable in the expression belongs to another tape or an older recording, or is active
    /// while no tape records.
    #[inline(always)]
    #[track_caller]
    pub fn eval(self) -> Active<K, M> {
        M::eval(self.node)
    }
}
