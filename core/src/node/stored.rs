//! Nodes of a statement on the tape.
use crate::{
    differences::Findings,
    formula::Formula,
    kind::{
        Arg, At, Contribution, Kind, Layout, Piece, Pieces, Policy, Shape, TapeCell, TapeValue, Val,
    },
    node::{Description, ExpressionVisitor, Tree},
    order::Order,
    store::Reader,
    sweep::{ReadValues, Slots, Sweep},
};

/// A node of a statement on the tape, as a sweep rebuilds it.
pub trait Stored: Sized + 'static {
    /// The kind of the node's value.
    type Kind: Kind;
    /// How an elementwise operation reads the pieces.
    type Pieces: StoredPieces<Self>;
    /// The formula for display.
    const FORMULA: Formula;
    /// The node as data, if it consists of numbers and their lists.
    const TREE: &'static Tree = &Tree::Other;
    /// The node as data of any kind, for sweeps along directions.
    const DESCRIPTION: &'static Description<Self::Kind>;
    /// Whether this node can receive an adjoint; false for compile-time constants.
    const ACTIVE: bool;
    /// The bytes in the fixed part, by [`Need`](crate::kind::Need).
    const FIXED: [usize; 3];
    /// The bytes that are not identifiers, by [`Need`](crate::kind::Need).
    const DATA: [usize; 3] = Self::FIXED;
    /// The bytes of compile-time constants, by [`Need`](crate::kind::Need).
    const CONSTANTS: [usize; 3] = [0; 3];
    /// Whether the number of identifiers is known only at run time.
    const DYNAMIC: bool = false;
    /// Whether [`Node::variable_length`](super::Node::variable_length) reports the size.
    const TELLS_SIZE: bool = !Self::DYNAMIC;
    /// Whether this node as a root reads its result.
    const READS_RESULT: bool = false;
    /// Whether the node is a variable.
    const VARIABLE: bool = false;
    /// Reads the node; its value is `known` if in the slot. With `PIECES` an operation reads
    /// [pieces](StoredPieces::source).
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        known: Option<TapeValue<Self::Kind>>,
    ) -> Self;
    /// Returns the value, if needed.
    fn value(&self) -> Option<Arg<'_, Self::Kind>>;
    /// Returns the value as stored on the tape, if needed.
    fn cell(&self) -> Option<TapeValue<Self::Kind>> {
        self.value()
            .map(|value| TapeCell::new(<Self::Kind as Kind>::Policy::value(&value).clone()))
    }
    /// Whether arguments are evaluated together with the operation, which changes rounding.
    const FUSED: bool = false;
    /// Evaluates the node again, unless a value is missing, and compares rules with differences.
    fn again(&self, sweep: &mut impl Sweep, found: &mut Findings) -> Option<Val<Self::Kind>> {
        let _ = (sweep, found);
        None
    }
    /// Whether this node receives an adjoint.
    fn is_active(&self) -> bool;
    /// Returns the identifier of an active variable.
    #[inline(always)]
    fn identifier(&self) -> Option<u32> {
        None
    }
    /// Adds to the adjoint of this node.
    fn pull<C: Contribution<Self::Kind>>(&self, contribution: C, sweep: &mut impl Sweep);
    /// The highest order of derivatives.
    const ORDER: Order;
    /// Whether [`done`](Self::done) has an effect.
    const TAKES_SCRATCH: bool = false;
    /// Returns scratch memory, and recycles recomputed results, without the code of a destructor wherever a sweep may
    /// panic.
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        let _ = sweep;
    }
    /// Reports this node to a visitor.
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor);
}

/// Reads the pieces of a stored node, and collects its adjoint. Blocks also store unwanted adjoints, without branches.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// Collects the adjoint before the node receives it.
    type Sums: Default;
    /// Collects the adjoint of a block in reused memory.
    type Blocks: Default + 'static;
    /// Whether blocks are cheap to create and need not be reused.
    const FRESH: bool = <<S::Kind as Kind>::Layout as Layout<S::Kind>>::FRESH;
    /// Returns the pieces of the value. Lists read them in place.
    fn source<'s>(node: &'s S, slots: &'s impl Slots) -> Self::Source<'s>;
    /// Prepares for the adjoint of a value of this shape.
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, sweep: &mut impl Sweep);
    /// Stores piece `i` of the adjoint.
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
/// The source of a stored node's pieces.
pub type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
/// The collected adjoint of a stored node.
pub type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
/// The collected adjoint of a block.
pub type BlocksOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Blocks;
/// The values of a stored node and its descendants at one index.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;
