//! Collections that hold at most one object of each type and are asked for objects by their type all the time.
//!
//! A reference that a collection hands out is to the object of the type that was asked for, and the object stays in its
//! place until the collection is dropped.
#![allow(unsafe_code)] // a thing whose type is known is reached by a pointer
use std::{any::TypeId, marker::PhantomData, ptr, ptr::NonNull};

/// A type of which a [`TypeMap<D>`] holds an object; the object is made when it is first asked for.
pub(crate) trait TypeMapEntry<D: ?Sized>: Sized + 'static {
    /// What the object is made from.
    type With: Copy;
    /// Makes the object; `number` is how many objects the collection holds already.
    fn create(number: usize, with: Self::With) -> Self;
    /// Coerces the box to one of a trait object; the coercion can't be written for a type parameter.
    fn erase(self: Box<Self>) -> Box<D>;
}

/// The id of a type, stored once.
struct Key<T: ?Sized>(PhantomData<T>);
impl<T: ?Sized + 'static> Key<T> {
    /// The address of the id. Two ids can't stand at one address, and addresses are compared faster than ids. The
    /// converse does not hold: the id of one type may stand at several addresses.
    const PLACE: &'static TypeId = &const { TypeId::of::<T>() };
}
/// A type that no object has.
enum Nobody {}

/// The address of an object, beside an address of the id of its type.
#[derive(Clone, Copy)]
struct CachedEntry<P> {
    key: &'static TypeId,
    at: P,
}
impl<P> CachedEntry<P> {
    /// An entry for no type.
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

/// How many of the types that were asked for last are found by the address of their id.
const NEAR: usize = 4;

/// Objects of different types, at most one of each; `D` is the trait that they have in common.
///
/// Invariants: each pointer in `all` comes from a box of the type whose id stands beside it, and nobody else owns that
/// box. An entry in `near` is one of them, beside an address of the id of its type.
pub(crate) struct TypeMap<D: ?Sized> {
    near: [CachedEntry<NonNull<()>>; NEAR],
    /// The entry of `near` that is overwritten next.
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
    /// The object of type `T`, which is made when it is first asked for.
    #[inline(always)]
    pub(crate) fn get<T: TypeMapEntry<D>>(&mut self, with: T::With) -> &mut T {
        // SAFETY: by the invariants it is of type `T`, and it is borrowed as `self` is.
        unsafe { self.pointer::<T>(with).as_mut() }
    }
    /// A pointer to the object of type `T`, which is made when it is first asked for. The pointer stays valid while
    /// references to the object come and go, as those are made from it, too.
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
                assert!(ptr::addr_eq(at, thing.as_ptr()), "the same box");
                self.all.push((id, thing));
                thing
            }
        };
        let (key, at) = (Key::<T>::PLACE, thing.cast());
        self.near[self.next] = CachedEntry { key, at };
        self.next = (self.next + 1) % NEAR;
        at
    }
    /// The object of type `T`, if there is one.
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        let (_, thing) = self.all.iter().find(|(of, _)| *of == id)?;
        // SAFETY: by the invariant it is of type `T`, and it is borrowed as `self` is.
        Some(unsafe { thing.cast().as_ref() })
    }
    /// The object that was made when there were `at` others.
    #[inline(always)]
    pub(crate) fn at(&mut self, at: usize) -> &mut D {
        // SAFETY: by the invariant nobody else has it, and it is borrowed as `self` is.
        unsafe { self.all[at].1.as_mut() }
    }
    /// All objects, in the order in which they were made.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        // SAFETY: by the invariant nobody else has them, and they are borrowed as `self` is.
        self.all.iter().map(|(_, thing)| unsafe { thing.as_ref() })
    }
    /// All objects, in the order in which they were made.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        let all = self.all.iter_mut();
        // SAFETY: as above, each once.
        all.map(|(_, thing)| unsafe { thing.as_mut() })
    }
}
impl<D: ?Sized> Drop for TypeMap<D> {
    fn drop(&mut self) {
        for (_, thing) in self.all.drain(..) {
            // SAFETY: by the invariant it comes from a box that nobody else has, and it is not looked at again.
            drop(unsafe { Box::from_raw(thing.as_ptr()) });
        }
    }
}

/// A collection that finds each of the two objects that were asked for last by a single comparison: expressions of
/// matrices and vectors ask for the two in turn.
///
/// Invariant: `hot` and `warm` are of no type, or point to the object of `all` that has their type.
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
    /// As [`TypeMap::get`].
    #[inline(always)]
    pub(crate) fn get<T: TypeMapEntry<D>>(&mut self, with: T::With) -> &mut T {
        let at = if self.hot.is::<T>() {
            self.hot.at
        } else if self.warm.is::<T>() {
            self.warm.at
        } else {
            self.make_hot::<T>(with)
        };
        // SAFETY: by the invariant it is the thing of type `T`, which stays where it is, and it is borrowed as `self` is. (A safe
        // downcast would ask for its type by a call that is not inlined, several times for each statement.)
        unsafe { at.cast::<T>().as_mut() }
    }
    #[inline(never)]
    fn make_hot<T: TypeMapEntry<D>>(&mut self, with: T::With) -> NonNull<()> {
        let at = self.all.pointer::<T>(with).cast();
        let key = Key::<T>::PLACE;
        self.warm = std::mem::replace(&mut self.hot, CachedEntry { key, at });
        at
    }
    /// As [`TypeMap::find`].
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        self.all.find()
    }
    /// As [`TypeMap::at`].
    #[inline(always)]
    pub(crate) fn at(&mut self, at: usize) -> &mut D {
        self.all.at(at)
    }
    /// As [`TypeMap::iter`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = &D> {
        self.all.iter()
    }
    /// As [`TypeMap::iter_mut`].
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        self.all.iter_mut()
    }
}

/// A type that has a partner in another collection.
pub(crate) trait PairedEntry<D: ?Sized, E: ?Sized>: TypeMapEntry<D> {
    /// The partner, which is made from the same value.
    type Partner: TypeMapEntry<E, With = Self::With>;
}
type Pair = CachedEntry<(NonNull<()>, NonNull<()>)>;
/// Two collections whose objects are used in pairs, and other data that are used with them. It finds the two pairs that
/// were asked for last as [`TypeMapCache`] finds objects.
///
/// Invariant: `hot` and `warm` are of no type, or point to the object of `first` that has their type and to its partner
/// in `second`.
pub(crate) struct PairedTypeMaps<'t, D: ?Sized, E: ?Sized, W, X> {
    hot: Pair,
    warm: Pair,
    first: &'t mut TypeMap<D>,
    second: &'t mut TypeMap<E>,
    /// What things are made with.
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
    /// The data used with the pairs.
    pub(crate) fn extra(&mut self) -> &mut X {
        &mut self.extra
    }
    /// For a few questions of which most are for one type.
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
/// The pairs of two collections, for one statement: which of them are hot is known in registers, so that the compiler sees that no
/// question but the first can have another answer.
///
/// Invariant: as for [`PairedTypeMaps`], of `all`.
pub(crate) struct StatementTypeMaps<'p, 't, D: ?Sized, E: ?Sized, W, X> {
    hot: Pair,
    warm: Pair,
    all: &'p mut PairedTypeMaps<'t, D, E, W, X>,
}
impl<D: ?Sized, E: ?Sized, W: Copy, X> StatementTypeMaps<'_, '_, D, E, W, X> {
    /// The thing of type `T` and its partner, made at first use.
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
        // SAFETY: by the invariant they are the thing of type `T` and its partner. They stay where they are, nobody else has them, and
        // they are borrowed from `all` as long as the results live.
        unsafe { (first.as_mut(), second.as_mut()) }
    }
    /// The thing of type `T`, if there is one.
    #[inline(always)]
    pub(crate) fn find<T: 'static>(&self) -> Option<&T> {
        let near = [&self.hot, &self.warm]
            .into_iter()
            .find(|near| near.is::<T>());
        match near {
            // SAFETY: by the invariant it is the thing of type `T`, which stays where it is, and it is borrowed as `self` is.
            Some(near) => Some(unsafe { near.at.0.cast::<T>().as_ref() }),
            None => self.all.first.find(),
        }
    }
    /// The data used with the pairs.
    #[inline(always)]
    pub(crate) fn extra(&mut self) -> &mut X {
        &mut self.all.extra
    }
    /// The data used with the pairs, by shared reference.
    #[inline(always)]
    pub(crate) fn extra_ref(&self) -> &X {
        &self.all.extra
    }
}

/// A slice as one of the type that it has.
#[inline(always)]
pub(crate) fn same_slice<T: 'static, U: 'static>(slice: &[T]) -> Option<&[U]> {
    // SAFETY: it is the same type, so the same elements are valid as long as `slice` is borrowed.
    (TypeId::of::<T>() == TypeId::of::<U>())
        .then(|| unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) })
}
