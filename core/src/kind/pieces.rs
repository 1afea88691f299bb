//! Values as pieces that are read from memory or computed, and which of them are needed.
use super::{
    definition::Kind,
    layout::{At, Piece, Shape},
};

/// What a sweep needs of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No adjoint reads the value.
    Unused = 0,
    /// An adjoint reads the value, which is computed again from the arguments.
    Recompute = 1,
    /// The value need not be computed: that of a whole statement is in the slot of its variable.
    InSlot = 2,
}
impl Need {
    /// Returns the need that a constant parameter gives as a number.
    pub(crate) const fn of(number: u8) -> Self {
        match number {
            0 => Need::Unused,
            1 => Need::Recompute,
            _ => Need::InSlot,
        }
    }
    /// Whether the value must be computed again.
    #[inline(always)]
    pub const fn value(self) -> bool {
        matches!(self, Need::Recompute)
    }
}

/// A value of which pieces can be had, read from memory or computed.
///
/// Which pieces are needed is known by type ([`Needed`]), so that the loop over the pieces asks nothing.
pub trait Pieces<K: Kind>: Sized {
    /// Whether an adjoint flows into the node, in a sweep.
    const ACTIVE: bool;
    /// A piece of this value and those of the subexpressions below it, at one index.
    type Values: Clone;
    /// The pieces of a block that `N` needs.
    fn within<N: Needed>(&self, block: At) -> Self;
    /// Computes the pieces that `N` needs, at index `i`.
    fn values<N: Needed>(&self, i: usize) -> Self::Values;
    /// The piece of the value itself; `None` if it is not needed.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// The shape of the value.
    fn shape(&self) -> Shape<K>;
    /// A piece of a value while the expression is evaluated.
    #[inline(always)]
    fn at(&self, i: usize) -> Piece<K> {
        loaded(Self::piece(&self.values::<AllNeeded>(i)))
    }
}

/// A value in memory, of which a sweep needs what its [`Need`] says.
#[inline(always)]
pub(crate) fn loaded<V>(value: Option<V>) -> V {
    match value {
        Some(value) => value,
        None => unreachable!("a value that an adjoint reads is loaded"),
    }
}

/// What is needed of a node.
pub trait Needed {
    /// What a sweep needs of the node's value.
    const NEED: Need;
    /// Whether the expression is being evaluated, for which all values are computed.
    const FORWARD: bool = false;
}
/// All values are needed, as the expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct AllNeeded;
impl Needed for AllNeeded {
    const NEED: Need = Need::Recompute;
    const FORWARD: bool = true;
}

/// A value of which the piece with index `i` is `of(i)`.
pub(crate) struct ComputedPieces<K: Kind, F> {
    shape: Shape<K>,
    start: usize,
    of: F,
}
impl<K: Kind, F: Fn(usize) -> Piece<K> + Clone> ComputedPieces<K, F> {
    pub(crate) fn new(shape: Shape<K>, of: F) -> Self {
        ComputedPieces {
            shape,
            start: 0,
            of,
        }
    }
}
impl<K: Kind, F: Fn(usize) -> Piece<K> + Clone> Pieces<K> for ComputedPieces<K, F> {
    const ACTIVE: bool = true;
    type Values = Piece<K>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        ComputedPieces {
            shape: self.shape,
            start: self.start + block.start,
            of: self.of.clone(),
        }
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Piece<K> {
        (self.of)(self.start + i)
    }
    #[inline(always)]
    fn piece(values: &Piece<K>) -> Option<Piece<K>> {
        Some(values.clone())
    }
    fn shape(&self) -> Shape<K> {
        self.shape
    }
}
