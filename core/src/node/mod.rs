//! The parts of an expression: [nodes](Node) during recording, and [stored nodes](Stored) in a sweep.
mod array;
mod described;
mod destination;
mod direct;
mod gather;
mod node_tangents;
mod number_part;
mod produce;
mod stored;
mod tree;
mod visit;

pub use self::array::ArrayLeaf;
pub(crate) use self::array::{ArrayFunctions, LeafPlace};
pub use self::described::Description;
pub(crate) use self::described::{DirectionalNode, LeafNode, NodeInArena, NodeReader};
pub use self::destination::Destination;
pub use self::direct::{Activity, Direct, Evaluating};
pub use self::gather::{Gather, StoredActivity};
pub use self::node_tangents::NodeTangents;
pub use self::number_part::NumberPart;
pub(crate) use self::number_part::PartFunctions;
pub(crate) use self::produce::evaluated;
pub use self::produce::{
    BorrowedArg, BorrowedTapeValue, BorrowedValue, Evaluated, OwnedValue, Produce,
};
pub use self::stored::{BlocksOf, SourceOf, Stored, StoredPieces, SumsOf, ValuesOf};
pub use self::tree::Tree;
pub use self::visit::{ExpressionVisitor, NamedId};
pub use crate::store::Dependence;

use crate::{
    kind::{Kind, VariableId},
    store::Writer,
};

/// A leaf or an [`Apply`](crate::expr::Apply) during recording. Sealed, because recording relies on what nodes report.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an expression node")]
pub trait Node: Sized + crate::sealed::Sealed {
    /// The kind of the node's value.
    type Kind: Kind;
    /// The node as a sweep rebuilds it.
    type Stored: Stored<Kind = Self::Kind>;
    /// The result of [`evaluate`](Self::evaluate).
    type Value<'n>: Produce<Self::Kind>
    where
        Self: 'n;
    /// Intermediates that the rules of this subtree save.
    type Saves;
    /// This node on copies of its leaves.
    type Copy<'n>: Node<Kind = Self::Kind, Stored = Self::Stored, Saves = Self::Saves>
    where
        Self: 'n;
    /// Whether [`constants`](Self::constants) and [`write`](Self::write) of active variables run no code of a DSL.
    const QUIET: bool = false;
    /// Copies the node for rare cases, so that it stays in registers on the fast path.
    fn copy(&self) -> Self::Copy<'_>;
    /// Computes the value.
    #[track_caller]
    fn evaluate(&self) -> (Self::Value<'_>, Self::Saves);
    /// The value as returned by [`push`](Self::push).
    type Ready<'n>: Evaluated<Self::Kind>
    where
        Self: 'n;
    /// Computes the value and its tangents along `N` directions.
    #[track_caller]
    fn push<const N: usize>(&self) -> (Self::Ready<'_>, NodeTangents<'_, Self::Kind, N>);
    /// Passes every leaf to `visitor`.
    fn leaves(&self, visitor: &mut impl LeafVisitor);
    /// Passes the bytes of compile-time constants to `visitor`.
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        let _ = visitor;
    }
    /// Returns the size of the variable-length part for active variables, if [known](Stored::TELLS_SIZE).
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        0
    }
    /// Writes the node, with the need `NEED` for its value.
    fn write<const NEED: u8>(&self, saves: Self::Saves, writer: &mut Writer<'_>);
}

/// Expands to `$body` with `$NEED` for each need.
macro_rules! with_need {
    ($need:expr, $NEED:ident => $body:expr) => {
        if const { $need.value() } {
            const $NEED: u8 = $crate::kind::Need::Recompute as u8;
            $body
        } else {
            const $NEED: u8 = $crate::kind::Need::Unused as u8;
            $body
        }
    };
}
pub(crate) use with_need;

/// Visits the leaves of an expression.
pub trait LeafVisitor {
    /// Visits a variable of kind `K`.
    fn variable<K: Kind>(&mut self, variable: VariableId);
    /// Visits the variables of a list.
    #[inline(always)]
    fn variables<K: Kind>(&mut self, variables: impl ExactSizeIterator<Item = VariableId> + Clone) {
        for variable in variables {
            self.variable::<K>(variable);
        }
    }
    /// Visits a copied identifier.
    #[inline(always)]
    fn copied<K: Kind>(&mut self, variable: VariableId, version: Option<u32>) {
        let _ = version;
        self.variable::<K>(variable);
    }
    /// Reports the beginning (1) or end (-1) of leaves without adjoint.
    #[inline(always)]
    fn flat(&mut self, depth: i32) {
        let _ = depth;
    }
}

/// Visits the compile-time constants of an expression.
pub trait ConstantVisitor {
    /// Visits a constant.
    fn constant(&mut self, bytes: &[u8]);
}
impl ConstantVisitor for Vec<u8> {
    fn constant(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
impl ConstantVisitor for &mut [u8] {
    #[inline(always)]
    fn constant(&mut self, bytes: &[u8]) {
        let (head, tail) = std::mem::take(self).split_at_mut(bytes.len());
        head.copy_from_slice(bytes);
        *self = tail;
    }
}
