//! What a tape keeps for each kind: primal values, adjoints, identifiers.
use super::column::push_here;
use crate::kind::{Cell, Kind};
use std::any::{Any, TypeId};

/// Marks a passive argument among stored identifiers.
pub(crate) const NONE: u32 = u32::MAX;

/// Primal values, adjoints and identifiers of one kind.
pub struct Store<K: Kind> {
    pub(crate) primal: Vec<Cell<K>>,
    pub(crate) adjoint: Vec<K::Adjoint>,
    pub(crate) free: Vec<u32>,
    /// In a sweep: identifiers at and above are below the statement that is swept.
    pub(crate) cursor: usize,
    pub(crate) inputs: Vec<std::ops::Range<u32>>,
}
impl<K: Kind> Default for Store<K> {
    fn default() -> Self {
        Store {
            primal: Vec::new(),
            adjoint: Vec::new(),
            free: Vec::new(),
            cursor: 0,
            inputs: Vec::new(),
        }
    }
}
impl<K: Kind> Store<K> {
    /// Appends the value of a new identifier.
    #[inline(always)]
    pub(crate) fn append(&mut self, value: Cell<K>) -> u32 {
        match push_here(&mut self.primal, value.clone()) {
            Some(id) => id as u32,
            None => self.append_growing(value),
        }
    }
    #[cold]
    #[inline(never)]
    fn append_growing(&mut self, value: Cell<K>) -> u32 {
        self.primal.push(value);
        (self.primal.len() - 1) as u32
    }
    #[inline(always)]
    pub(crate) fn primal(&self, id: u32) -> &Cell<K> {
        &self.primal[id as usize]
    }
    #[inline(always)]
    pub(crate) fn adjoint(&mut self, id: u32) -> &mut K::Adjoint {
        &mut self.adjoint[id as usize]
    }
}

/// A store of any kind.
trait AnyStore: Any {
    fn free(&mut self, id: u32);
    fn start_sweep(&mut self);
    fn clear(&mut self);
}
impl<K: Kind> AnyStore for Store<K> {
    fn free(&mut self, id: u32) {
        self.free.push(id);
    }
    fn start_sweep(&mut self) {
        self.cursor = self.primal.len();
        for run in &self.inputs {
            for a in self
                .adjoint
                .get_mut(run.start as usize..run.end as usize)
                .unwrap_or_default()
            {
                *a = K::Adjoint::default();
            }
        }
        self.adjoint
            .resize_with(self.primal.len(), K::Adjoint::default);
    }
    fn clear(&mut self) {
        self.primal.clear();
        self.adjoint.clear();
        self.free.clear();
        self.inputs.clear();
    }
}

/// The stores of a tape, by kind. Reals have a field of their own, as they are hot.
#[derive(Default)]
pub struct Stores {
    real: Store<f64>,
    others: Vec<(TypeId, Box<dyn AnyStore>)>,
}
impl Stores {
    /// The store of kind `K`, made at first use.
    #[inline(always)]
    pub(crate) fn get<K: Kind>(&mut self) -> &mut Store<K> {
        if TypeId::of::<K>() == TypeId::of::<f64>() {
            let real: &mut dyn Any = &mut self.real;
            return real.downcast_mut().expect("the store of reals");
        }
        self.other::<K>()
    }
    fn other<K: Kind>(&mut self) -> &mut Store<K> {
        let kind = TypeId::of::<K>();
        let at = self
            .others
            .iter()
            .position(|(id, _)| *id == kind)
            .unwrap_or_else(|| {
                self.others.push((kind, Box::<Store<K>>::default()));
                self.others.len() - 1
            });
        let store: &mut dyn Any = &mut *self.others[at].1;
        store.downcast_mut().expect("the store of the kind")
    }
    fn all(&mut self) -> impl Iterator<Item = &mut dyn AnyStore> {
        std::iter::once(&mut self.real as &mut dyn AnyStore)
            .chain(self.others.iter_mut().map(|(_, s)| &mut **s))
    }
    pub(crate) fn start_sweep(&mut self) {
        self.all().for_each(|s| s.start_sweep());
    }
    pub(crate) fn clear(&mut self) {
        self.all().for_each(|s| s.clear());
    }
}

/// Values that own memory, by type; statements name them by their place.
#[derive(Default)]
pub struct Stacks(Vec<(TypeId, Box<dyn Any>)>);
impl Stacks {
    fn of<T: 'static>(&mut self) -> &mut Vec<T> {
        let id = TypeId::of::<T>();
        let at = self
            .0
            .iter()
            .position(|(t, _)| *t == id)
            .unwrap_or_else(|| {
                self.0.push((id, Box::<Vec<T>>::default()));
                self.0.len() - 1
            });
        self.0[at].1.downcast_mut().expect("the stack of the type")
    }
    pub(crate) fn push<T: 'static>(&mut self, value: T) -> u32 {
        let stack = self.of::<T>();
        stack.push(value);
        (stack.len() - 1) as u32
    }
    pub(crate) fn peek<T: 'static>(&mut self, place: u32) -> &mut T {
        &mut self.of::<T>()[place as usize]
    }
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
