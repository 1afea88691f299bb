//! Evaluation of operations that can fail.
use super::AnyMode;
use crate::{
    eval::Whole,
    expr::{Active, Apply},
    kind::Val,
    node::{ConstantVisitor, Evaluated, LeafVisitor, Node, NodeTangents, OwnedValue, Produce},
    rule::TryRule,
    sealed::Sealed,
    store::Writer,
};
use std::cell::Cell;

struct AttemptedNode<'e, N: Node> {
    node: &'e N,
    result: Cell<Option<ResultOf<N>>>,
}
type ResultOf<N> = (Val<<N as Node>::Kind>, <N as Node>::Saves);
impl<N: Node> Sealed for AttemptedNode<'_, N> {}
impl<N: Node> Node for AttemptedNode<'_, N> {
    type Kind = N::Kind;
    type Stored = N::Stored;
    type Value<'n>
        = OwnedValue<N::Kind>
    where
        Self: 'n;
    type Saves = N::Saves;
    type Copy<'n>
        = N::Copy<'n>
    where
        Self: 'n;
    const QUIET: bool = N::QUIET;
    fn copy(&self) -> N::Copy<'_> {
        self.node.copy()
    }
    fn evaluate(&self) -> (OwnedValue<N::Kind>, N::Saves) {
        let (value, saves) = self.result.take().expect("a node is evaluated once");
        (OwnedValue(value), saves)
    }
    type Ready<'n>
        = N::Ready<'n>
    where
        Self: 'n;
    /// Tangents need the values of all arguments.
    fn push<const D: usize>(&self) -> (N::Ready<'_>, NodeTangents<'_, N::Kind, D>) {
        self.node.push()
    }
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        self.node.leaves(visitor);
    }
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        self.node.constants::<NEED>(visitor);
    }
    fn variable_length<const NEED: u8>(&self) -> usize {
        self.node.variable_length::<NEED>()
    }
    fn write<const NEED: u8>(&self, saves: N::Saves, writer: &mut Writer<'_>) {
        self.node.write::<NEED>(saves, writer);
    }
}

#[doc(hidden)]
#[track_caller]
pub fn eval_known<M: AnyMode, N: Node>(node: N, value: Val<N::Kind>) -> Active<N::Kind, M> {
    let (_, saves) = node.evaluate();
    let (node, result) = (&node, Cell::new(Some((value, saves))));
    M::eval_node(AttemptedNode { node, result })
}

impl<O, A: Node, B: Node, C: Node> Apply<O, A, B, C>
where
    O: TryRule<A::Kind, B::Kind, C::Kind, Evaluation = Whole> + Clone,
{
    /// Evaluates an operation that can fail into a new variable, in one statement. If it fails, nothing is recorded. Panics
    /// like [`Expr::eval`](crate::expr::Expr::eval).
    ///
    /// # Errors
    ///
    /// The error of the operation.
    #[track_caller]
    pub fn try_eval<M: AnyMode>(self) -> Result<Active<O::Out, M>, O::Error> {
        let (a, sa) = self.a.evaluate();
        let (b, sb) = self.b.evaluate();
        let (c, sc) = self.c.evaluate();
        let (a, b, c) = (a.ready(), b.ready(), c.ready());
        let result = self.op.try_primal(a.arg(), b.arg(), c.arg());
        a.done();
        b.done();
        c.done();
        let (value, saved) = result?;
        let result = Cell::new(Some((value, (saved, sa, sb, sc))));
        let node = &self;
        Ok(M::eval_node(AttemptedNode { node, result }))
    }
}
