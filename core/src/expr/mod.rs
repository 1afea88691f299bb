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
mod assign;
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
pub use place::{LentPart, PartExpr, PartLeaf, PartRef, Place, PlaceMut, SetPart, TapePart};
pub use select::{Either, OneOf, Select, TapeSelect, either, select};
pub use variables::{TapeVariables, Variables};

use crate::{
    kind::{Kind, Outputs, Policy},
    mode::AnyMode,
    node::Node,
};
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
/// A gradient can't flow through a variable of a result with several outputs, as there is none.
const fn has_variables<K: Kind>() {
    assert!(
        <K::Policy as Policy>::VARIABLES,
        "a result with several outputs has no variable of its own: take it apart with `.split()`"
    );
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
        const { has_variables::<K>() };
        M::eval(self.node)
    }
}
impl<K: Outputs, M: AnyMode, N: Node<Kind = K>> Expr<K, M, N> {
    /// Evaluates an operation with several outputs into new variables; one statement.
    ///
    /// There is no variable of them all, so `eval` does not compile:
    /// ```compile_fail
    /// # use entape_core::{expr::Active, mode::Plain, op::SinCos, rule::unary};
    /// unary(SinCos, Active::<f64, Plain>::new(1.0)).eval();
    /// ```
    /// ```
    /// # use entape_core::{expr::Active, mode::Plain, op::SinCos, rule::unary};
    /// let (s, c) = unary(SinCos, Active::<f64, Plain>::new(1.0)).split();
    /// ```
    ///
    /// # Panics
    /// As [`eval`](Self::eval).
    #[track_caller]
    pub fn split(self) -> K::New<M> {
        M::split::<K, N>(self.node)
    }
    /// Assigns an operation with several outputs to variables; one statement.
    ///
    /// # Panics
    /// As [`eval`](Self::eval).
    #[track_caller]
    pub fn assign_to(self, variables: K::Variables<'_, M>) {
        M::assign_outputs::<K, N>(variables, self.node);
    }
}
/// The node of an expression.
#[doc(hidden)]
#[inline(always)]
pub fn node_of<K, M, N>(expr: Expr<K, M, N>) -> N {
    expr.node
}
