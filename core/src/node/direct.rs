use crate::{
    kind::{Arg, At, Kind, Layout, Needed, Piece, PieceView, Pieces, Shape},
    store::Part,
};
use std::marker::PhantomData;

/// Whether a node receives an adjoint, as a type.
pub trait Activity {
    /// Whether the node receives an adjoint.
    const ACTIVE: bool;
}
/// A node of an expression that is being evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluating;
impl Activity for Evaluating {
    const ACTIVE: bool = true;
}

/// Pieces of a value in memory.
pub struct Direct<'p, K: Kind, S = Evaluating> {
    view: PieceView<'p, K>,
    _of: PhantomData<S>,
}
debug_by_name! { ['p, K: Kind, S] Direct<'p, K, S> }
impl<'p, K: Kind, S> Direct<'p, K, S> {
    /// Returns the pieces of a value.
    #[inline(always)]
    pub fn new(value: Option<Arg<'p, K>>) -> Self {
        Direct::of(value.map(K::Layout::view).unwrap_or_default())
    }
    #[inline(always)]
    pub(crate) fn within<O: Kind, P: Part<O, Kind = K>>(whole: Arg<'p, O>, part: &P) -> Self {
        Direct::of(part.view(whole))
    }
    #[inline(always)]
    fn of(view: PieceView<'p, K>) -> Self {
        Direct {
            view,
            _of: PhantomData,
        }
    }
}
impl<K: Kind, S: Activity> Pieces<K> for Direct<'_, K, S> {
    const ACTIVE: bool = S::ACTIVE;
    type Values = Option<Piece<K>>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        let view = if N::NEED.value() {
            K::Layout::within(&self.view, block)
        } else {
            Default::default()
        };
        Direct::of(view)
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Self::Values {
        if N::NEED.value() {
            Some(K::Layout::piece(&self.view, i))
        } else {
            None
        }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<K>> {
        values.clone()
    }
    #[inline(always)]
    fn shape(&self) -> Shape<K> {
        K::Layout::view_shape(&self.view)
    }
}
