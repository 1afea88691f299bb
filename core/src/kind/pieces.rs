//! Values as pieces that are read from memory or computed, and the pieces that are needed.
use super::{
    definition::Kind,
    layout::{At, Piece, Shape},
};

/// The way in which a sweep needs a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No adjoint reads the value.
    Unused = 0,
    /// An adjoint reads the value, which is recomputed from the arguments.
    Recompute = 1,
    /// The value need not be computed: the value of a whole statement is in the slot of its variable.
    InSlot = 2,
}
impl Need {
    /// Returns the need encoded as a number in a constant parameter.
    pub(crate) const fn of(number: u8) -> Self {
        match number {
            0 => Need::Unused,
            1 => Need::Recompute,
            _ => Need::InSlot,
        }
    }
    /// Returns whether the value must be recomputed.
    #[inline(always)]
    pub const fn value(self) -> bool {
        matches!(self, Need::Recompute)
    }
}

/// A value whose pieces are read from memory or computed.
///
/// The needed pieces are known by type ([`Needed`]), so that the loop over the pieces has no branches for them.
pub trait Pieces<K: Kind>: Sized {
    /// Whether the node receives an adjoint in a sweep.
    const ACTIVE: bool;
    /// A piece of this value and of the subexpressions below it, at one index.
    type Values: Clone;
    /// Returns the pieces of a block that `N` needs.
    fn within<N: Needed>(&self, block: At) -> Self;
    /// Computes the pieces that `N` needs, at index `i`.
    fn values<N: Needed>(&self, i: usize) -> Self::Values;
    /// Returns the piece of the value itself; `None` if it is not needed.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// Returns the shape of the value.
    fn shape(&self) -> Shape<K>;
    /// Returns a piece of the value while the expression is evaluated.
    #[inline(always)]
    fn at(&self, i: usize) -> Piece<K> {
        loaded(Self::piece(&self.values::<AllNeeded>(i)))
    }
}

/// Unwraps a value in memory that a sweep needs according to its [`Need`].
#[inline(always)]
pub(crate) fn loaded<V>(value: Option<V>) -> V {
    match value {
        Some(value) => value,
        None => unreachable!("a value that an adjoint reads is loaded"),
    }
}

/// The needs of a node.
pub trait Needed {
    /// The need of a sweep for the node's value.
    const NEED: Need;
    /// Whether the expression is being evaluated, so that all values are computed.
    const FORWARD: bool = false;
}
/// All values are needed, because the expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct AllNeeded;
impl Needed for AllNeeded {
    const NEED: Need = Need::Recompute;
    const FORWARD: bool = true;
}

/// A value whose piece with index `i` is `of(i)`.
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
