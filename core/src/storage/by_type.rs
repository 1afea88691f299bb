//! Things of different types, one of each, that are asked for by their type all the time.
#![allow(unsafe_code)] // a thing whose type is known is reached by a pointer
use std::{any::TypeId, marker::PhantomData, ptr, ptr::NonNull};

/// The id of a type.
pub(crate) struct Key<T: ?Sized>(PhantomData<T>);
impl<T: ?Sized + 'static> Key<T> {
    /// Where it stands: two ids can't stand in one place, and places are compared more quickly than ids. (A type's id may
    /// stand in several.)
    pub(crate) const PLACE: &'static TypeId = &const { TypeId::of::<T>() };
}
/// Nothing has this type.
pub(crate) enum Nobody {}

/// So many of the types that were asked for last are found by the places of their ids.
const NEAR: usize = 4;

/// Things of different types, one of each; `D` is what they have in common.
///
/// Invariants: what stands in `all` comes from a box of the type beside whose id it stands, and nobody else has that box. A
/// thing in `near` is one of them, beside a place of the id of its type.
pub(crate) struct ByType<D: ?Sized> {
    near: [(&'static TypeId, NonNull<()>); NEAR],
    /// Where the next one goes that was not near.
    next: usize,
    all: Vec<(TypeId, NonNull<D>)>,
}
impl<D: ?Sized> ByType<D> {
    pub(crate) const fn new() -> Self {
        ByType {
            near: [(Key::<Nobody>::PLACE, NonNull::dangling()); NEAR],
            next: 0,
            all: Vec::new(),
        }
    }
    /// The thing of type `T`, made at first use, when it is told how many there are; `widen` gives back the box that it gets.
    #[inline(always)]
    pub(crate) fn get<T: 'static>(
        &mut self,
        make: impl FnOnce(usize) -> T,
        widen: fn(Box<T>) -> Box<D>,
    ) -> &mut T {
        // SAFETY: by the invariants it is of type `T`, and it is borrowed as `self` is.
        unsafe { self.pointer(make, widen).as_mut() }
    }
    /// Where the thing of type `T` is, made at first use. The pointer stays valid beside references to it that come and go, as
    /// those are made from it, too.
    #[inline(always)]
    pub(crate) fn pointer<T: 'static>(
        &mut self,
        make: impl FnOnce(usize) -> T,
        widen: fn(Box<T>) -> Box<D>,
    ) -> NonNull<T> {
        let key = Key::<T>::PLACE;
        let near = self.near.iter().find(|(place, _)| ptr::eq(*place, key));
        let thing = match near {
            Some((_, thing)) => *thing,
            None => self.far(make, widen),
        };
        thing.cast()
    }
    #[cold]
    #[inline(never)]
    fn far<T: 'static>(
        &mut self,
        make: impl FnOnce(usize) -> T,
        widen: fn(Box<T>) -> Box<D>,
    ) -> NonNull<()> {
        let id = TypeId::of::<T>();
        let known = self.all.iter().find(|(of, _)| *of == id);
        let thing = match known {
            Some((_, thing)) => *thing,
            None => {
                let thing = Box::new(make(self.all.len()));
                let at = &raw const *thing;
                let thing = NonNull::from(Box::leak(widen(thing)));
                assert!(ptr::addr_eq(at, thing.as_ptr()), "the same box");
                self.all.push((id, thing));
                thing
            }
        };
        self.near[self.next] = (Key::<T>::PLACE, thing.cast());
        self.next = (self.next + 1) % NEAR;
        thing.cast()
    }
    /// The thing of type `T`, if there is one.
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        let (_, thing) = self.all.iter().find(|(of, _)| *of == id)?;
        // SAFETY: by the invariant it is of type `T`, and it is borrowed as `self` is.
        Some(unsafe { thing.cast().as_ref() })
    }
    /// The thing that was made when there were `at`.
    #[inline(always)]
    pub(crate) fn at(&mut self, at: usize) -> &mut D {
        // SAFETY: by the invariant nobody else has it, and it is borrowed as `self` is.
        unsafe { self.all[at].1.as_mut() }
    }
    /// All of them, in the order in which they were made.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        // SAFETY: by the invariant nobody else has them, and they are borrowed as `self` is.
        self.all.iter().map(|(_, thing)| unsafe { thing.as_ref() })
    }
    /// All of them, in the order in which they were made.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        let all = self.all.iter_mut();
        // SAFETY: as above, each once.
        all.map(|(_, thing)| unsafe { thing.as_mut() })
    }
}
impl<D: ?Sized> Drop for ByType<D> {
    fn drop(&mut self) {
        for (_, thing) in self.all.drain(..) {
            // SAFETY: by the invariant it comes from a box that nobody else has, and it is not looked at again.
            drop(unsafe { Box::from_raw(thing.as_ptr()) });
        }
    }
}
