//! Nodes of a statement on the tape.
use crate::{
    formula::Formula,
    kind::{Arg, At, Cell, Contribution, Hold, Kind, Need, Piece, Pieces, Policy, Shape},
    store::Reader,
    sweep::Sweep,
};

/// A node of a stored statement, rebuilt by a sweep on identifiers.
pub trait Stored: Sized + 'static {
    /// The kind of the node's value.
    type Kind: Kind;
    /// How pieces of it are had, if it stands below an operation that is evaluated by pieces.
    type Pieces: StoredPieces<Self>;
    /// The node as people read it.
    const FORMULA: Formula;
    /// Whether an adjoint can flow into this node; false for constants, known at compile time.
    const ACTIVE: bool;
    /// Bytes in the statement's fixed block, by [`Need`].
    const FIXED: [usize; 3];
    /// Bytes of compile-time constants, likewise.
    const CONSTANTS: [usize; 3];
    /// Whether the number of identifiers is known only at run time.
    const DYNAMIC: bool;
    /// Whether this node, as a root, reads its own result.
    const READS_RESULT: bool;
    /// Whether the node is a variable.
    const VARIABLE: bool = false;
    /// Reads the node; `need` tells whether an adjoint reads its value, `known` is the value if it stands in the slot.
    fn load(
        reader: &mut Reader<'_>,
        sweep: &mut impl Sweep,
        need: Need,
        known: Option<Cell<Self::Kind>>,
    ) -> Self;
    /// The node's value, `None` if it was not needed.
    fn value(&self) -> Option<Arg<'_, Self::Kind>>;
    /// The node's value as the tape holds it, `None` if it was not needed.
    fn cell(&self) -> Option<Cell<Self::Kind>> {
        self.value()
            .map(|value| Hold::hold(<Self::Kind as Kind>::Policy::value(&value).clone()))
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
    /// Gives the memory of results that were computed again back to their kinds. Nodes have no destructors, which a sweep that
    /// moves them would have to call for each part wherever it may panic: what a panic leaves is lost.
    #[inline(always)]
    fn done(self) {}
    /// Shows kind and identifier of every active leaf.
    fn show(&self, to: &mut dyn FnMut(&'static str, u32));
}

/// How pieces of a stored node are read, and how pieces of its adjoint are taken.
///
/// The adjoints of a block of pieces are put into [`Blocks`](Self::Blocks), whether they are wanted or not, so that the
/// loop over the pieces asks nothing; only what is wanted is sent on.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// What is gathered of the adjoint before it goes to the node.
    type Sums: Default;
    /// What is gathered of the adjoint in a block; its memory is used again, so that it need not be empty at first.
    type Blocks: Default + 'static;
    /// Pieces of the node's value.
    fn source(node: &S) -> Self::Source<'_>;
    /// Makes ready for pieces of the adjoint of a value of this shape.
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, sweep: &mut impl Sweep);
    /// Puts the piece of the adjoint with index `i` into the blocks.
    fn pull<'s>(
        node: &'s S,
        i: usize,
        values: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        blocks: &mut Self::Blocks,
    );
    /// Sends on the pieces of a block.
    fn finish(
        node: &S,
        block: At,
        blocks: &mut Self::Blocks,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    );
    /// Sends on what was gathered.
    fn close(node: &S, sums: Self::Sums, sweep: &mut impl Sweep);
}
/// The source of the pieces of a stored node.
pub type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
/// What is gathered of the adjoint of a stored node.
pub type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
/// What is gathered in a block, likewise.
pub type BlocksOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Blocks;
/// The values of a stored node and those below it at one place.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;
