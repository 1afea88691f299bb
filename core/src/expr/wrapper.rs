//! The wrapper of all nodes.
use crate::{
    kind::{Carrier, Kind},
    node::{Node, Produce},
};
use std::{fmt, marker::PhantomData};

/// An expression of kind `K` in mode `M`, recorded as one statement when it is evaluated or assigned. Functions take
/// `impl Operand<M, Kind = f64>` instead of naming the tree `N`.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x = tape.input(0.0);
/// let y = tape.record(|| {
///     let e = x.exp() * (x + 1.0); // an expression
///     e.eval()                     // a statement
/// });
/// assert_eq!(tape.statistics().statements, 2); // with the input
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 2.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[must_use = "an expression records nothing until `.eval()` or an assignment: evaluate it or remove it"]
pub struct Expr<K, M, N> {
    pub(crate) node: N,
    _of: PhantomData<(K, M)>,
}
impl<K: Kind<Value: fmt::Debug>, M: Carrier, N: Node<Kind = K>> fmt::Debug for Expr<K, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.node.forward().0.value();
        f.debug_struct("Expr").field("value", &value).finish()
    }
}

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
#[doc(hidden)]
#[inline(always)]
pub fn node_of<K, M, N>(expr: Expr<K, M, N>) -> N {
    expr.node
}
