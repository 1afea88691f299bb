//! The tape's final interface on top of the provisional tape; goes when that lands.
use crate::{
    expr::{Active, Constant},
    kind::{Adjoint, Hold, Kind, Policy, Val},
    mode::{Meta, Taped},
    tape::{Inner, Stores, current},
};
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a tape refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not an input.
    #[error("the variable is no input of this recording")]
    NotAnInput,
    /// Not recorded.
    #[error("the variable was not recorded")]
    NotRecorded,
}

type Seed = Box<dyn FnOnce(&mut Stores)>;

/// A tape.
pub struct Tape {
    inner: Option<Box<Inner>>,
    seeds: Vec<Seed>,
}
static TAG: AtomicU32 = AtomicU32::new(1 << 20);
impl Default for Tape {
    fn default() -> Self {
        Self::new()
    }
}
#[allow(missing_docs)]
impl Tape {
    pub fn new() -> Self {
        let tag = TAG.fetch_add(1, Ordering::Relaxed);
        Tape {
            inner: Some(Box::new(Inner::new(tag))),
            seeds: Vec::new(),
        }
    }
    fn inner(&mut self) -> &mut Inner {
        self.inner.as_mut().expect("the tape")
    }
    pub fn input<K: Kind>(&mut self, value: impl Constant<K>) -> Active<K> {
        let cell = <<K::Policy as Policy>::Cell<Val<K>> as Hold<Val<K>>>::new(value.into_value());
        let inner = self.inner();
        let tag = inner.tag;
        let s = inner.memory.stores.get::<K>();
        let id = s.primal.len() as u32;
        s.primal.push(cell.clone());
        s.inputs.push(id..id + 1);
        Active::from_parts(
            <K::Policy as Policy>::held::<_, Taped>(cell),
            Meta { id, tag },
            0,
        )
    }
    pub fn record<T>(&mut self, f: impl FnOnce() -> T) -> T {
        struct Guard<'t>(&'t mut Tape, Option<Box<Inner>>);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.inner = current::replace(Option::take(&mut self.1));
            }
        }
        let old = current::replace(Option::take(&mut self.inner));
        let _guard = Guard(self, old);
        f()
    }
    pub fn seed<K: Kind>(&mut self, y: &Active<K>, seed: Val<K>) -> Result<(), Error> {
        let (meta, tag) = (y.meta(), self.inner().tag);
        if meta.tag != tag {
            return Err(Error::NotRecorded);
        }
        self.seeds.push(Box::new(move |stores| {
            Adjoint::<K>::add(stores.get::<K>().adjoint(meta.id), seed);
        }));
        Ok(())
    }
    pub fn sweep(&mut self) -> Result<Gradient<'_>, Error> {
        let seeds = std::mem::take(&mut self.seeds);
        let inner = self.inner();
        inner.memory.stores.start_sweep();
        seeds
            .into_iter()
            .for_each(|seed| seed(&mut inner.memory.stores));
        inner.sweep();
        Ok(Gradient(std::cell::RefCell::new(inner)))
    }
    pub fn reset(&mut self) {
        let inner = self.inner();
        inner.clear();
        inner.tag = TAG.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a sweep found.
pub struct Gradient<'t>(std::cell::RefCell<&'t mut Inner>);
#[allow(missing_docs)]
impl Gradient<'_> {
    pub fn wrt<K: Kind>(&self, x: &Active<K>) -> Result<Val<K>, Error> {
        let mut inner = self.0.borrow_mut();
        let meta = x.meta();
        let store = inner.memory.stores.get::<K>();
        if !store.inputs.iter().any(|i| i.contains(&meta.id)) {
            return Err(Error::NotAnInput);
        }
        let adjoint = std::mem::take(store.adjoint(meta.id));
        let value = if adjoint.is_unset() {
            K::zero_like(x.get())
        } else {
            adjoint.into_value().expect("a value")
        };
        Adjoint::<K>::add(store.adjoint(meta.id), value.clone());
        Ok(value)
    }
}
