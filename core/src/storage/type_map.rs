//! Collections with at most one object of each type, at a permanent address.
#![allow(unsafe_code)] // an object of known type is reached by a pointer
use std::{any::TypeId, marker::PhantomData, ptr, ptr::NonNull};

pub(crate) trait TypeMapEntry<D: ?Sized>: Sized + 'static {
    type With: Copy;
    fn create(number: usize, with: Self::With) -> Self;
    /// Coerces to a trait object, which is impossible for a type parameter.
    fn erase(self: Box<Self>) -> Box<D>;
}

struct Key<T: ?Sized>(PhantomData<T>);
impl<T: ?Sized + 'static> Key<T> {
    /// Addresses are faster to compare than ids. An id may have several addresses, but each address belongs to one id.
    const PLACE: &'static TypeId = &const { TypeId::of::<T>() };
}
enum Nobody {}

#[derive(Clone, Copy)]
struct CachedEntry<P> {
    key: &'static TypeId,
    at: P,
}
impl<P> CachedEntry<P> {
    const fn nothing(at: P) -> Self {
        CachedEntry {
            key: Key::<Nobody>::PLACE,
            at,
        }
    }
    #[inline(always)]
    fn is<T: 'static>(&self) -> bool {
        ptr::eq(self.key, Key::<T>::PLACE)
    }
}

const NEAR: usize = 4;

/// Objects of different types with the common trait `D`.
///
/// Invariants: each pointer in `all` comes from a box of the type whose id is stored beside it, and this box is not owned elsewhere. An
/// entry in `near` is one of them, with an address of the id of its type.
pub(crate) struct TypeMap<D: ?Sized> {
    near: [CachedEntry<NonNull<()>>; NEAR],
    next: usize,
    all: Vec<(TypeId, NonNull<D>)>,
}
impl<D: ?Sized> TypeMap<D> {
    pub(crate) const fn new() -> Self {
        TypeMap {
            near: [const { CachedEntry::nothing(NonNull::dangling()) }; NEAR],
            next: 0,
            all: Vec::new(),
        }
    }
    #[inline(always)]
    pub(crate) fn get<T: TypeMapEntry<D>>(&mut self, with: T::With) -> &mut T {
        // SAFETY: by the invariants it is of type `T`, and it is borrowed as long as `self`.
        unsafe { self.pointer::<T>(with).as_mut() }
    }
    /// The pointer stays valid across references, which are also derived from it.
    #[inline(always)]
    fn pointer<T: TypeMapEntry<D>>(&mut self, with: T::With) -> NonNull<T> {
        let near = self.near.iter().find(|near| near.is::<T>());
        let thing = match near {
            Some(near) => near.at,
            None => self.far::<T>(with),
        };
        thing.cast()
    }
    #[cold]
    #[inline(never)]
    fn far<T: TypeMapEntry<D>>(&mut self, with: T::With) -> NonNull<()> {
        let id = TypeId::of::<T>();
        let known = self.all.iter().find(|(of, _)| *of == id);
        let thing = match known {
            Some((_, thing)) => *thing,
            None => {
                let thing = Box::new(T::create(self.all.len(), with));
                let at = &raw const *thing;
                let thing = NonNull::from(Box::leak(thing.erase()));
                assert!(ptr::addr_eq(at, thing.as_ptr()), "the same address");
                self.all.push((id, thing));
                thing
            }
        };
        let (key, at) = (Key::<T>::PLACE, thing.cast());
        self.near[self.next] = CachedEntry { key, at };
        self.next = (self.next + 1) % NEAR;
        at
    }
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        let (_, thing) = self.all.iter().find(|(of, _)| *of == id)?;
        // SAFETY: by the invariant it is of type `T`, and it is borrowed as long as `self`.
        Some(unsafe { thing.cast().as_ref() })
    }
    #[inline(always)]
    pub(crate) fn at(&mut self, at: usize) -> &mut D {
        // SAFETY: by the invariant it is not owned elsewhere, and it is borrowed as long as `self`.
        unsafe { self.all[at].1.as_mut() }
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        // SAFETY: by the invariant they are not owned elsewhere, and they are borrowed as long as `self`.
        self.all.iter().map(|(_, thing)| unsafe { thing.as_ref() })
    }
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        let all = self.all.iter_mut();
        // SAFETY: by the invariant they are not owned elsewhere, and each is borrowed once, as long as `self`.
        all.map(|(_, thing)| unsafe { thing.as_mut() })
    }
}
impl<D: ?Sized> Drop for TypeMap<D> {
    fn drop(&mut self) {
        for (_, thing) in self.all.drain(..) {
            // SAFETY: by the invariant it comes from a box without another owner, and it is not accessed again.
            drop(unsafe { Box::from_raw(thing.as_ptr()) });
        }
    }
}

/// Finds each of the last two objects by one comparison.
///
/// Invariant: `hot` and `warm` lack a type, or point to the object of `all` that has their type.
pub(crate) struct TypeMapCache<D: ?Sized> {
    hot: CachedEntry<NonNull<()>>,
    warm: CachedEntry<NonNull<()>>,
    all: TypeMap<D>,
}
impl<D: ?Sized> TypeMapCache<D> {
    pub(crate) const fn new() -> Self {
        TypeMapCache {
            hot: CachedEntry::nothing(NonNull::dangling()),
            warm: CachedEntry::nothing(NonNull::dangling()),
            all: TypeMap::new(),
        }
    }
    #[inline(always)]
    pub(crate) fn get<T: TypeMapEntry<D>>(&mut self, with: T::With) -> &mut T {
        let at = if self.hot.is::<T>() {
            self.hot.at
        } else if self.warm.is::<T>() {
            self.warm.at
        } else {
            self.make_hot::<T>(with)
        };
        // SAFETY: by the invariant it is the object of type `T`, which stays at its address, and it is borrowed as long as `self`.
        // (A safe downcast would query its type by a call that is not inlined.)
        unsafe { at.cast::<T>().as_mut() }
    }
    #[inline(never)]
    fn make_hot<T: TypeMapEntry<D>>(&mut self, with: T::With) -> NonNull<()> {
        let at = self.all.pointer::<T>(with).cast();
        let key = Key::<T>::PLACE;
        self.warm = std::mem::replace(&mut self.hot, CachedEntry { key, at });
        at
    }
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        self.all.find()
    }
    #[inline(always)]
    pub(crate) fn at(&mut self, at: usize) -> &mut D {
        self.all.at(at)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        self.all.iter()
    }
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        self.all.iter_mut()
    }
}

pub(crate) trait PairedEntry<D: ?Sized, E: ?Sized>: TypeMapEntry<D> {
    type Partner: TypeMapEntry<E, With = Self::With>;
}
type Pair = CachedEntry<(NonNull<()>, NonNull<()>)>;
/// Two collections whose objects are used in pairs. The last two pairs are found as in [`TypeMapCache`].
///
/// Invariant: `hot` and `warm` lack a type, or point to the object of `first` that has their type and to its partner in `second`.
pub(crate) struct PairedTypeMaps<'t, D: ?Sized, E: ?Sized, W, X> {
    hot: Pair,
    warm: Pair,
    first: &'t mut TypeMap<D>,
    second: &'t mut TypeMap<E>,
    with: W,
    extra: X,
}
impl<'t, D: ?Sized, E: ?Sized, W: Copy, X> PairedTypeMaps<'t, D, E, W, X> {
    pub(crate) fn new(
        first: &'t mut TypeMapCache<D>,
        second: &'t mut TypeMap<E>,
        with: W,
        extra: X,
    ) -> Self {
        let nothing = CachedEntry::nothing((NonNull::dangling(), NonNull::dangling()));
        PairedTypeMaps {
            hot: nothing,
            warm: nothing,
            first: &mut first.all,
            second,
            with,
            extra,
        }
    }
    pub(crate) fn extra(&mut self) -> &mut X {
        &mut self.extra
    }
    #[inline(always)]
    pub(crate) fn local<'p>(&'p mut self) -> StatementTypeMaps<'p, 't, D, E, W, X> {
        StatementTypeMaps {
            hot: self.hot,
            warm: self.warm,
            all: self,
        }
    }
    #[inline(never)]
    fn make_hot<T: PairedEntry<D, E, With = W>>(&mut self) -> (NonNull<()>, NonNull<()>) {
        let first = self.first.pointer::<T>(self.with).cast();
        let second = self.second.pointer::<T::Partner>(self.with).cast();
        let (key, at) = (Key::<T>::PLACE, (first, second));
        self.warm = std::mem::replace(&mut self.hot, CachedEntry { key, at });
        at
    }
}
/// The pairs for one statement, the hot ones in registers.
///
/// Invariant: as for [`PairedTypeMaps`], applied to `all`.
pub(crate) struct StatementTypeMaps<'p, 't, D: ?Sized, E: ?Sized, W, X> {
    hot: Pair,
    warm: Pair,
    all: &'p mut PairedTypeMaps<'t, D, E, W, X>,
}
impl<D: ?Sized, E: ?Sized, W: Copy, X> StatementTypeMaps<'_, '_, D, E, W, X> {
    #[inline(always)]
    pub(crate) fn get<T: PairedEntry<D, E, With = W>>(&mut self) -> (&mut T, &mut T::Partner) {
        if !self.hot.is::<T>() {
            let before = self.hot;
            self.hot.at = if self.warm.is::<T>() {
                self.warm.at
            } else {
                self.all.make_hot::<T>()
            };
            self.warm = before;
        }
        self.hot.key = Key::<T>::PLACE;
        let (mut first, mut second) = (
            self.hot.at.0.cast::<T>(),
            self.hot.at.1.cast::<T::Partner>(),
        );
        // SAFETY: by the invariant they are the object of type `T` and its partner. They stay at their address, are not
        // owned elsewhere, and are borrowed from `all` as long as the results live.
        unsafe { (first.as_mut(), second.as_mut()) }
    }
    #[inline(always)]
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        let near = [&self.hot, &self.warm]
            .into_iter()
            .find(|near| near.is::<T>());
        match near {
            // SAFETY: by the invariant it is the object of type `T`, which stays at its address, and it is borrowed as long
            // as `self`.
            Some(near) => Some(unsafe { near.at.0.cast::<T>().as_ref() }),
            None => self.all.first.find(),
        }
    }
    #[inline(always)]
    pub(crate) fn extra(&mut self) -> &mut X {
        &mut self.all.extra
    }
    #[inline(always)]
    pub(crate) fn extra_ref(&self) -> &X {
        &self.all.extra
    }
}

#[inline(always)]
pub(crate) fn same_slice<T: 'static, U: 'static>(slice: &[T]) -> Option<&[U]> {
    // SAFETY: the types are equal, so these elements are valid as long as `slice` is borrowed.
    (TypeId::of::<T>() == TypeId::of::<U>())
        .then(|| unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) })
}
