//! Values as pieces that are read or computed.
use super::{
    definition::Kind,
    layout::{At, Piece, Shape},
};

/// How a sweep needs a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No adjoint reads it.
    Unused = 0,
    /// An adjoint reads it, and it is recomputed from the arguments.
    Recompute = 1,
    /// An adjoint reads it from the slot of the statement's variable.
    InSlot = 2,
}
impl Need {
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

/// A value whose pieces are read or computed. Types determine the needed ones, without branches.
pub trait Pieces<K: Kind>: Sized {
    /// Whether the node receives an adjoint.
    const ACTIVE: bool;
    /// The pieces of this value and of its subexpressions at one index.
    type Values: Clone;
    /// Returns the pieces of a block that `N` needs.
    fn within<N: Needed>(&self, block: At) -> Self;
    /// Computes the pieces with index `i` that `N` needs.
    fn values<N: Needed>(&self, i: usize) -> Self::Values;
    /// Returns the piece of the value itself, if needed.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// Returns the shape of the value.
    fn shape(&self) -> Shape<K>;
    /// Returns a piece while the expression is evaluated.
    #[inline(always)]
    fn at(&self, i: usize) -> Piece<K> {
        loaded(Self::piece(&self.values::<AllNeeded>(i)))
    }
}

#[inline(always)]
pub(crate) fn loaded<V>(value: Option<V>) -> V {
    match value {
        Some(value) => value,
        None => unreachable!("values that an adjoint reads are loaded"),
    }
}

/// The needs of a node.
pub trait Needed {
    /// The need of a sweep for the node's value.
    const NEED: Need;
    /// Whether the expression is being evaluated.
    const FORWARD: bool = false;
}
/// The needs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct AllNeeded;
impl Needed for AllNeeded {
    const NEED: Need = Need::Recompute;
    const FORWARD: bool = true;
}

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
