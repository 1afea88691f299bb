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
    /// How its pieces are read, if it stands below an operation that is evaluated by pieces.
    type Pieces: StoredPieces<Self>;
    /// The formula of the node, for people to read.
    const FORMULA: Formula;
    /// The node as data, if it consists of numbers and lists of them.
    const TREE: &'static Tree = &Tree::Other;
    /// The node as data whatever its kind, for sweeps along directions.
    const DESCRIPTION: &'static Description<Self::Kind>;
    /// Whether an adjoint can flow into this node; false for constants, which are known at compile time.
    const ACTIVE: bool;
    /// How many bytes it takes in the fixed block of the statement, by [`Need`](crate::kind::Need).
    const FIXED: [usize; 3];
    /// How many of these are no identifiers, by [`Need`](crate::kind::Need).
    const DATA: [usize; 3] = Self::FIXED;
    /// How many bytes its compile-time constants take, by [`Need`](crate::kind::Need).
    const CONSTANTS: [usize; 3];
    /// Whether the number of identifiers is known only at run time.
    const DYNAMIC: bool;
    /// Whether the node tells how many bytes of the variable-length part it takes ([`Node::variable_length`](super::Node::variable_length)).
    const TELLS_SIZE: bool = !Self::DYNAMIC;
    /// Whether this node, as the root of a statement, reads its own result.
    const READS_RESULT: bool;
    /// Whether the node is a variable.
    const VARIABLE: bool = false;
    /// Reads the node. `NEED`, a [`Need`](crate::kind::Need), tells whether an adjoint reads its value; `known` is the value if it stands in the slot.
    /// `PIECES` tells that an operation reads the [pieces](StoredPieces::source) and not the whole value.
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        known: Option<TapeValue<Self::Kind>>,
    ) -> Self;
    /// The node's value; `None` if it was not needed.
    fn value(&self) -> Option<Arg<'_, Self::Kind>>;
    /// The node's value as the tape holds it; `None` if it was not needed.
    fn cell(&self) -> Option<TapeValue<Self::Kind>> {
        self.value()
            .map(|value| TapeCell::new(<Self::Kind as Kind>::Policy::value(&value).clone()))
    }
    /// Whether the node is an operation that is evaluated together with its arguments, and rounds otherwise then.
    const FUSED: bool = false;
    /// Evaluates the node again, from the values in slots, on a tape that keeps them all. `None` if a value is missing, such as a
    /// constant that no adjoint reads, or if the operations were evaluated together.
    fn again(&self, sweep: &mut impl Sweep) -> Option<Val<Self::Kind>> {
        let _ = sweep;
        None
    }
    /// Whether an adjoint flows into this node.
    fn is_active(&self) -> bool;
    /// The identifier, if the node is an active variable.
    #[inline(always)]
    fn identifier(&self) -> Option<u32> {
        None
    }
    /// Adds `contribution` to the adjoint of this node.
    fn pull<C: Contribution<Self::Kind>>(&self, contribution: C, sweep: &mut impl Sweep);
    /// How far the derivatives of its operations go.
    const ORDER: Order;
    /// Whether [`done`](Self::done) has something to do.
    const TAKES_SCRATCH: bool = false;
    /// Returns the memory of results that were computed again to their kinds, and scratch memory. Nodes have no destructors: a sweep moves
    /// nodes, and would have to call the destructors of all parts wherever it may panic. If it panics, this memory is
    /// lost.
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        let _ = sweep;
    }
    /// Shows the expression to `to`: one expression, be it passive. `variable_length` is the variable-length part of its statement.
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor);
}

/// How pieces of a stored node are read, and how pieces of its adjoint are collected.
///
/// The adjoints of a block of pieces are stored in [`Blocks`](Self::Blocks), whether they are wanted or not, so that
/// the loop over the pieces has no tests. Only wanted ones are passed on.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// What is collected of the adjoint before it is passed to the node.
    type Sums: Default;
    /// What is collected of the adjoint for one block. Its memory is used again, so it need not be empty at first.
    type Blocks: Default + 'static;
    /// Whether to make blocks takes next to no time, so that they need not be kept for the next statement.
    const FRESH: bool = <<S::Kind as Kind>::Layout as Layout<S::Kind>>::FRESH;
    /// Pieces of the node's value. Lists read them where they stand.
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
    /// Passes on what was collected.
    fn close(node: &S, sums: Self::Sums, sweep: &mut impl Sweep);
}
/// The type from which pieces of a stored node are read.
pub type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
/// The type in which the adjoint of a stored node is collected.
pub type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
/// The type in which it is collected for one block.
pub type BlocksOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Blocks;
/// The values of a stored node and of those below it at one index.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;
