//! Right-hand sides as data of any kinds. Nodes are generic only in the kind of their value.
use super::Stored;
use crate::{
    kind::{Arg, Kind, Memory, Need, Passed, Single, TapeValue, Val, recycle_some},
    storage::{InArena, ObjectArena},
    store::Reader,
    sweep::{Directional, StatementValues, WholeValues},
};
use std::{any::Any, marker::PhantomData};

/// A node of a right-hand side as data.
pub struct Description<K: Kind> {
    pub(crate) node_reader: &'static dyn NodeReader<K>,
    /// Tangents may belong only to numbers, which lack its shape.
    pub(crate) spreads: bool,
    pub(crate) takes_scratch: bool,
}
debug_by_name! { [K: Kind] Description<K> }

pub(crate) trait NodeReader<K: Kind>: Sync {
    /// Reads the node; its value may be `known`.
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        known: Option<TapeValue<K>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, K>;
}

pub(crate) type NodeInArena<'s, K> = InArena<'s, dyn DirectionalNode<K> + 's>;
pub(crate) trait DirectionalNode<K: Kind> {
    fn value(&self) -> Option<Arg<'_, K>>;
    fn cell(&self) -> Option<TapeValue<K>>;
    fn is_active(&self) -> bool;
    fn identifier(&self) -> Option<u32> {
        None
    }
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool;
    /// Computes the tangent. `like` may provide the shape, and a root's tangent may be `known`.
    fn push_forward(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        like: Option<&Val<K>>,
        known: Option<Option<Val<K>>>,
    );
    fn tangent(&self) -> Option<&Val<K>>;
    fn take_tangent(&mut self) -> Option<Val<K>>;
    /// Adds to the adjoint, along the first direction only, and to its tangent.
    fn pull(
        &mut self,
        adjoint: Option<Val<K>>,
        tangent: Option<Val<K>>,
        sweep: &mut Directional<'_, '_, '_>,
    );
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>);
}

pub(crate) trait LeafNode: Stored {
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        let _ = sweep;
        false
    }
    fn tangent_of_leaf(&self, sweep: &mut Directional<'_, '_, '_>) -> Single<Val<Self::Kind>> {
        let _ = sweep;
        Single::None
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        let _ = sweep;
    }
}
struct LeafReader<S>(PhantomData<fn() -> S>);
impl<S: LeafNode> NodeReader<S::Kind> for LeafReader<S> {
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        _: Option<TapeValue<S::Kind>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, S::Kind> {
        const VALUE: u8 = Need::Recompute as u8;
        const NO: u8 = Need::Unused as u8;
        let leaf = match need.value() {
            true => S::load::<false, VALUE>(reader, sweep, None),
            false => S::load::<false, NO>(reader, sweep, None),
        };
        let node = DirectionalLeaf {
            leaf,
            tangent: Single::None,
        };
        arena.alloc(node, |node| node as _)
    }
}
impl<K: Kind> Description<K> {
    pub(crate) fn lacks_shape(&self, like: Option<&dyn Any>) -> bool {
        self.spreads && !like.is_some_and(<dyn Any>::is::<Val<K>>)
    }
    pub(crate) const fn leaf<S: LeafNode<Kind = K>>() -> Self {
        Description {
            node_reader: &LeafReader::<S>(PhantomData),
            spreads: false,
            takes_scratch: S::TAKES_SCRATCH,
        }
    }
}
struct DirectionalLeaf<S: LeafNode> {
    leaf: S,
    tangent: Single<Val<S::Kind>>,
}
impl<S: LeafNode> DirectionalNode<S::Kind> for DirectionalLeaf<S> {
    fn value(&self) -> Option<Arg<'_, S::Kind>> {
        self.leaf.value()
    }
    fn cell(&self) -> Option<TapeValue<S::Kind>> {
        self.leaf.cell()
    }
    fn is_active(&self) -> bool {
        S::ACTIVE && self.leaf.is_active()
    }
    fn identifier(&self) -> Option<u32> {
        self.leaf.identifier()
    }
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        self.leaf.depends(sweep)
    }
    fn push_forward(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        _: Option<&Val<S::Kind>>,
        _: Option<Option<Val<S::Kind>>>,
    ) {
        let tangent = self.leaf.tangent_of_leaf(sweep);
        recycle_own::<S::Kind>(std::mem::replace(&mut self.tangent, tangent));
    }
    fn tangent(&self) -> Option<&Val<S::Kind>> {
        self.tangent.get()
    }
    fn take_tangent(&mut self) -> Option<Val<S::Kind>> {
        match std::mem::replace(&mut self.tangent, Single::None) {
            Single::Value(tangent) => Some(tangent),
            shared => shared.get().cloned(),
        }
    }
    fn pull(
        &mut self,
        adjoint: Option<Val<S::Kind>>,
        tangent: Option<Val<S::Kind>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        if let Some(adjoint) = adjoint {
            self.leaf.pull(Passed(adjoint), sweep.base());
        }
        if let Some(tangent) = tangent {
            self.leaf.pull(Passed(tangent), sweep);
        }
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.leaf.give_back(sweep);
    }
}
impl<S: LeafNode> Drop for DirectionalLeaf<S> {
    fn drop(&mut self) {
        recycle_own::<S::Kind>(std::mem::replace(&mut self.tangent, Single::None));
    }
}
fn recycle_own<K: Kind>(tangent: Single<Val<K>>) {
    if K::Memory::RECYCLES
        && let Single::Value(tangent) = tangent
    {
        recycle_some::<K>(Some(tangent));
    }
}
