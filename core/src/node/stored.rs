//! Nodes of a statement on the tape.
use crate::{
    formula::Formula,
    kind::{
        Arg, At, Contribution, Kind, Layout, Piece, Pieces, Policy, Shape, TapeCell, TapeValue, Val,
    },
    node::{Description, ExpressionVisitor, Tree},
    order::Order,
    store::Reader,
    sweep::{ReadValues, Slots, Sweep},
};

/// A node of a stored statement, which a sweep rebuilds from identifiers.
pub trait Stored: Sized + 'static {
    /// The kind of the node's value.
    type Kind: Kind;
    /// How the pieces of the node are read below an operation that is evaluated by pieces.
    type Pieces: StoredPieces<Self>;
    /// The formula of the node, for display.
    const FORMULA: Formula;
    /// The node as data, if it consists of numbers and lists of numbers.
    const TREE: &'static Tree = &Tree::Other;
    /// The node as data for any kind, for sweeps along directions.
    const DESCRIPTION: &'static Description<Self::Kind>;
    /// Whether this node can receive an adjoint; false for constants, which are known at compile time.
    const ACTIVE: bool;
    /// The number of bytes in the fixed block of the statement, by [`Need`](crate::kind::Need).
    const FIXED: [usize; 3];
    /// The number of these bytes that are not identifiers, by [`Need`](crate::kind::Need).
    const DATA: [usize; 3] = Self::FIXED;
    /// The number of bytes of the compile-time constants, by [`Need`](crate::kind::Need).
    const CONSTANTS: [usize; 3];
    /// Whether the number of identifiers is only known at run time.
    const DYNAMIC: bool;
    /// Whether the node reports its size in the variable-length part ([`Node::variable_length`](super::Node::variable_length)).
    const TELLS_SIZE: bool = !Self::DYNAMIC;
    /// Whether this node, as the root of a statement, reads its result.
    const READS_RESULT: bool;
    /// Whether the node is a variable.
    const VARIABLE: bool = false;
    /// Reads the node. `NEED`, a [`Need`](crate::kind::Need), determines whether an adjoint reads its value. `known` is the
    /// value if it is stored in the slot. With `PIECES` an operation reads the [pieces](StoredPieces::source) instead of the
    /// whole value.
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        known: Option<TapeValue<Self::Kind>>,
    ) -> Self;
    /// Returns the value of the node; `None` if it was not needed.
    fn value(&self) -> Option<Arg<'_, Self::Kind>>;
    /// Returns the value of the node in the form stored on the tape; `None` if it was not needed.
    fn cell(&self) -> Option<TapeValue<Self::Kind>> {
        self.value()
            .map(|value| TapeCell::new(<Self::Kind as Kind>::Policy::value(&value).clone()))
    }
    /// Whether the node is an operation that is evaluated together with its arguments, which changes rounding.
    const FUSED: bool = false;
    /// Re-evaluates the node from the values in slots, on a tape that keeps all values. Returns `None` if a value is missing,
    /// such as a constant that no adjoint reads, or if operations were evaluated together.
    fn again(&self, sweep: &mut impl Sweep) -> Option<Val<Self::Kind>> {
        let _ = sweep;
        None
    }
    /// Whether this node receives an adjoint.
    fn is_active(&self) -> bool;
    /// Returns the identifier, if the node is an active variable.
    #[inline(always)]
    fn identifier(&self) -> Option<u32> {
        None
    }
    /// Adds `contribution` to the adjoint of this node.
    fn pull<C: Contribution<Self::Kind>>(&self, contribution: C, sweep: &mut impl Sweep);
    /// The highest order of derivatives of its operations.
    const ORDER: Order;
    /// Whether [`done`](Self::done) has an effect.
    const TAKES_SCRATCH: bool = false;
    /// Returns scratch memory, and the memory of recomputed results to their kinds. Nodes do not have destructors: a sweep
    /// moves nodes, and would have to call the destructors of all parts wherever it may panic. If it panics, this memory leaks.
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        let _ = sweep;
    }
    /// Reports this node to the visitor, also if it is passive. `variable_length` is the variable-length part of its statement.
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor);
}

/// How the pieces of a stored node are read, and how the pieces of its adjoint are collected.
///
/// The adjoints of a block of pieces are stored in [`Blocks`](Self::Blocks), whether or not they are wanted, so that
/// the loop over the pieces is free of tests. Only wanted adjoints are passed on.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// Collects the adjoint before it is passed to the node.
    type Sums: Default;
    /// Collects the adjoint of one block. Its memory is reused and need not be empty at first.
    type Blocks: Default + 'static;
    /// Whether creating blocks is so cheap that they are not reused for the next statement.
    const FRESH: bool = <<S::Kind as Kind>::Layout as Layout<S::Kind>>::FRESH;
    /// Returns the pieces of the node's value. Lists read them in place.
    fn source<'s>(node: &'s S, slots: &'s impl Slots) -> Self::Source<'s>;
    /// Prepares for pieces of the adjoint of a value of this shape.
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, sweep: &mut impl Sweep);
    /// Stores the piece of the adjoint with index `i` in the blocks.
    fn pull<'s>(
        node: &'s S,
        i: usize,
        values: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        blocks: &mut Self::Blocks,
    );
    /// Passes on the pieces of a block.
    fn finish(
        node: &S,
        block: At,
        blocks: &mut Self::Blocks,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    );
    /// Passes on the collected adjoint.
    fn close(node: &S, sums: Self::Sums, sweep: &mut impl Sweep);
}
/// The type from which pieces of a stored node are read.
pub type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
/// The type in which the adjoint of a stored node is collected.
pub type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
/// The type in which the adjoint of a stored node is collected for one block.
pub type BlocksOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Blocks;
/// The values of a stored node and its descendants at one index.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;
