//! Values as pieces that are read from memory or computed, and what is wanted of them.
use super::{
    definition::Kind,
    layout::{At, Piece, Shape},
};

/// What a sweep needs of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nobody reads it.
    No = 0,
    /// An adjoint reads it, and it is computed again from the arguments.
    Value = 1,
    /// If it is read, it is there: the value of a whole statement stands in the slot of its variable.
    Known = 2,
}
impl Need {
    /// The value must be computed again.
    #[inline(always)]
    pub const fn value(self) -> bool {
        matches!(self, Need::Value)
    }
}

/// A value as the pieces of it that can be had: read from memory, or computed.
///
/// What is wanted of it is known by type ([`Wanted`]), so that the loop over the pieces asks nothing.
pub trait Pieces<K: Kind>: Sized {
    /// Whether an adjoint flows into the node, in a sweep.
    const ACTIVE: bool;
    /// The piece of this value and those of the expression below it, at one place.
    type Values: Clone;
    /// The pieces of a block, as far as `N` wants them.
    fn within<N: Wanted>(&self, block: At) -> Self;
    /// Computes the pieces that `N` wants, `i` from the beginning.
    fn values<N: Wanted>(&self, i: usize) -> Self::Values;
    /// The piece itself; `None` if it is not wanted.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// The shape of the value.
    fn shape(&self) -> Shape<K>;
    /// A piece of a value that is being evaluated.
    #[inline(always)]
    fn at(&self, i: usize) -> Piece<K> {
        loaded(Self::piece(&self.values::<Forward>(i)))
    }
}

/// A value that is there, as its [`Need`] says.
#[inline(always)]
pub(crate) fn loaded<V>(value: Option<V>) -> V {
    match value {
        Some(value) => value,
        None => unreachable!("a value that an adjoint reads is loaded"),
    }
}

/// What is wanted of a node.
pub trait Wanted {
    /// What a sweep needs of its value.
    const NEED: Need;
    /// The expression is being evaluated, which takes all values.
    const FORWARD: bool = false;
}
/// The value, of an expression that is being evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Forward;
impl Wanted for Forward {
    const NEED: Need = Need::Value;
    const FORWARD: bool = true;
}

/// The value whose piece number `i` is `of(i)`.
pub(crate) struct Computed<K: Kind, F> {
    shape: Shape<K>,
    start: usize,
    of: F,
}
impl<K: Kind, F: Fn(usize) -> Piece<K> + Clone> Computed<K, F> {
    pub(crate) fn new(shape: Shape<K>, of: F) -> Self {
        Computed {
            shape,
            start: 0,
            of,
        }
    }
}
impl<K: Kind, F: Fn(usize) -> Piece<K> + Clone> Pieces<K> for Computed<K, F> {
    const ACTIVE: bool = true;
    type Values = Piece<K>;
    #[inline(always)]
    fn within<N: Wanted>(&self, block: At) -> Self {
        Computed {
            shape: self.shape,
            start: self.start + block.start,
            of: self.of.clone(),
        }
    }
    #[inline(always)]
    fn values<N: Wanted>(&self, i: usize) -> Piece<K> {
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
