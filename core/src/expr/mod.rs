//! Expressions: what operators build, and what one assignment records as one statement.
//!
//! An expression is a tree of [nodes](crate::node): leaves (variables, constants) and [`Apply`], an operation
//! applied to nodes. The one wrapper [`Expr`] carries kind and mode as parameters, so that operators
//! and member operations resolve without looking into the tree.
//!
//! ```text
//! 2.0 * a + b      Expr<f64, Taped, Apply<Add, Apply<Mul, Const<f64>, ByVal<f64>>, ByVal<f64>>>
//!  .eval()         values bottom-up, then one statement: [constant 2.0 interned] [id a, id b]
//! ```
mod active;
mod apply;
mod call;
mod compare;
mod leaf;
mod list;
mod operand;
mod operators;
mod place;
mod select;
mod variables;

pub use active::Active;
pub(crate) use active::{Held, Id, Version};
pub use apply::{Apply, Nil};
pub use call::{Binary, Ternary, Unary, binary, ternary, unary};
pub use compare::Compared;
pub(crate) use leaf::Nothing;
pub use leaf::{ByRef, ByVal, Const, Copied};
pub use list::{Detached, Each, Elements, Nodes, TapeList, ToList, detached, list, list_of};
pub use operand::{
    Alike, Beside, Constant, Given, IntoExpr, KindOf, Literal, NodeOf, Operand, OperandOf,
    constant, lit,
};
pub use operators::Out;
pub use place::{LentPart, PartExpr, PartLeaf, PartRef, Place, SetPart, TapePart};
pub use select::{Either, OneOf, Select, TapeSelect, either, select};
pub use variables::{TapeVariables, Variables};

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
/// The node of an expression.
#[doc(hidden)]
#[inline(always)]
pub fn node_of<K, M, N>(expr: Expr<K, M, N>) -> N {
    expr.node
}
