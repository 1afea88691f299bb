//! Thread-local pools of the memory of dropped values.
//!
//! Kinds return vectors of numbers by `#[kind(recycle = ..)]`. Shared allocations of tapes are pooled, too, for some
//! kinds with the memory of their values ([`Memory::extent`](crate::kind::Memory::extent)).
//!
//! The memory returned last is taken first, from the cache. A tape returns and takes values in order, so that repeated
//! recordings walk memory in one direction.
//!
//! ```
//! use entape_core::storage::pool;
//!
//! pool::give(vec![1.0, 2.0, 3.0]);
//! let mut x = pool::take::<f64>(2); // unspecified numbers
//! x.fill(0.0);
//! assert_eq!(x, [0.0, 0.0]);
//! ```
use super::{
    pages::prefetch,
    type_map::{TypeMap, TypeMapEntry},
};
use std::{
    any::{Any, TypeId},
    cell::RefCell,
    ops::RangeInclusive,
    rc::Rc,
};

/// The allocator's header and rounding.
const OVERHEAD: usize = 16;
/// Returns the bytes of a shared allocation whose value owns `owned` bytes.
#[inline(always)]
pub(crate) const fn shared_bytes<V>(owned: usize) -> usize {
    let owned = if owned > 0 { owned + OVERHEAD } else { 0 };
    2 * size_of::<usize>() + size_of::<V>() + OVERHEAD + owned
}
pub(crate) fn shared_bytes_of<V: ?Sized>(value: &V) -> usize {
    2 * size_of::<usize>() + size_of_val(value) + OVERHEAD
}

const MOST: usize = 1 << 28;
const LENGTHS: usize = 64;
/// The bytes from which the system provides zeros at a lower cost than a loop.
const ZEROED: usize = 1 << 12;

struct FreeList<X> {
    all: Vec<X>,
    out: usize,
    /// The peak of `out`; allocations beyond it are freed.
    most: usize,
}
impl<X> FreeList<X> {
    const fn new() -> Self {
        FreeList {
            all: Vec::new(),
            out: 0,
            most: 1,
        }
    }
    #[inline(always)]
    fn take(&mut self) -> Option<X> {
        self.out += 1;
        self.all.pop()
    }
    #[inline(always)]
    fn welcomes(&mut self) -> bool {
        self.most = self.most.max(self.out);
        self.out = self.out.saturating_sub(1);
        self.all.len() < self.most
    }
}
trait Allocation: 'static {
    fn bytes(size: usize) -> usize;
}
impl<T: 'static> Allocation for Vec<T> {
    #[inline(always)]
    fn bytes(size: usize) -> usize {
        match size_of::<T>() * size {
            0 => 0,
            bytes => bytes + OVERHEAD + size_of::<Self>(),
        }
    }
}
impl<V: 'static> Allocation for Rc<V> {
    #[inline(always)]
    fn bytes(size: usize) -> usize {
        shared_bytes::<V>(size) + size_of::<Self>()
    }
}

struct Pool<X> {
    waiting: Vec<(usize, FreeList<X>)>,
    bytes: usize,
}
impl<X: Allocation> Pool<X> {
    #[inline(always)]
    fn give(&mut self, x: X, size: usize) {
        let bytes = X::bytes(size);
        if bytes == 0 || self.bytes + bytes > MOST {
            return;
        }
        let at = self.of(size);
        let waiting = &mut self.waiting[at].1;
        if !waiting.welcomes() {
            return;
        }
        self.bytes += bytes;
        waiting.all.push(x);
    }
    #[inline(always)]
    fn of(&mut self, size: usize) -> usize {
        let known = self.waiting.iter().position(|(s, _)| *s == size);
        known.unwrap_or_else(|| self.add(size))
    }
    #[cold]
    #[inline(never)]
    fn add(&mut self, size: usize) -> usize {
        let full = self.waiting.len() == LENGTHS;
        let first = full.then(|| self.waiting.remove(0));
        if let Some((size, first)) = &first {
            self.bytes -= X::bytes(*size) * first.all.len();
        }
        self.waiting.push((size, FreeList::new()));
        self.waiting.len() - 1
    }
}
impl<T: 'static> Pool<Vec<T>> {
    /// Writes to `into`, because moving a vector in an option stalls.
    #[inline(always)]
    fn take(&mut self, length: usize, into: &mut Vec<T>) {
        if <Vec<T>>::bytes(length) == 0 {
            return;
        }
        let at = self.of(length);
        if let Some(x) = self.waiting[at].1.take() {
            self.bytes -= <Vec<T>>::bytes(length);
            *into = x;
        } else if self.bytes > 0 {
            self.take_longer(at, into);
        }
    }
    /// Takes an allocation up to twice as long, as a last resort.
    #[cold]
    #[inline(never)]
    fn take_longer(&mut self, exact: usize, into: &mut Vec<T>) {
        let length = self.waiting[exact].0;
        let fits = |(c, waiting): &(usize, FreeList<_>)| {
            (length..=2 * length).contains(c) && !waiting.all.is_empty()
        };
        if let Some(at) = self.waiting.iter().position(fits) {
            let (capacity, waiting) = &mut self.waiting[at];
            self.bytes -= <Vec<T>>::bytes(*capacity);
            waiting.take().into_iter().for_each(|x| *into = x);
            self.waiting[exact].1.out -= 1;
        }
    }
}
impl<V: 'static> Pool<Rc<V>> {
    #[inline(always)]
    fn take(&mut self, extent: usize, fetch: impl Fn(&V)) -> Option<Rc<V>> {
        let at = self.of(extent);
        let waiting = &mut self.waiting[at].1;
        let taken = waiting.take()?;
        let next = &waiting.all;
        look_ahead(next, next.len(), [8, 4], prefetch_box, |x| fetch(x));
        self.bytes -= <Rc<V>>::bytes(extent);
        Some(taken)
    }
}

struct Pools {
    long: LongVectors,
    of_types: TypeMap<dyn AnyPool>,
}
trait AnyPool {
    fn bytes(&self) -> usize;
}
impl<X: Allocation> AnyPool for Pool<X> {
    fn bytes(&self) -> usize {
        self.bytes
    }
}
impl<X: Allocation> TypeMapEntry<dyn AnyPool> for Pool<X> {
    type With = ();
    fn create(_: usize, (): ()) -> Self {
        Pool {
            waiting: Vec::new(),
            bytes: 0,
        }
    }
    fn erase(self: Box<Self>) -> Box<dyn AnyPool> {
        self
    }
}
impl Pools {
    fn bytes(&self) -> usize {
        let each = self.of_types.iter().map(|pool| pool.bytes());
        self.long.bytes(None) + each.sum::<usize>()
    }
    const fn new() -> Self {
        Pools {
            long: LongVectors(Vec::new()),
            of_types: TypeMap::new(),
        }
    }
}
thread_local! {
    static POOLS: RefCell<Pools> = const { RefCell::new(Pools::new()) };
}
/// Runs `f` on a pool. Returns `None` at the end of a thread, and within destructors and prefetches that a pool runs.
#[inline(always)]
fn with<P: TypeMapEntry<dyn AnyPool, With = ()>, R>(f: impl FnOnce(&mut P) -> R) -> Option<R> {
    let run = |pools: &RefCell<Pools>| {
        pools
            .try_borrow_mut()
            .ok()
            .map(|mut p| f(p.of_types.get(())))
    };
    POOLS.try_with(run).ok().flatten()
}
/// Returns the bytes pooled on this thread.
pub fn bytes() -> usize {
    let all = |pools: &RefCell<Pools>| pools.try_borrow().map_or(0, |pools| pools.bytes());
    POOLS.try_with(all).unwrap_or(0)
}

struct LongVectors(Vec<LongVector>);
struct LongVector {
    of: TypeId,
    capacity: usize,
    bytes: usize,
    vector: Box<dyn Any>,
}
impl LongVectors {
    fn bytes(&self, of: Option<TypeId>) -> usize {
        let all = self.0.iter().filter(|x| of.is_none_or(|of| x.of == of));
        all.map(|x| x.bytes).sum()
    }
    fn give(&mut self, vector: LongVector) -> Option<LongVector> {
        if self.bytes(Some(vector.of)) + vector.bytes > MOST {
            return Some(vector);
        }
        self.0.push(vector);
        (self.0.len() > LONG_VECTORS).then(|| self.0.remove(0))
    }
    fn take(&mut self, of: TypeId, capacity: &RangeInclusive<usize>) -> Option<LongVector> {
        let fits = |&at: &usize| self.0[at].of == of && capacity.contains(&self.0[at].capacity);
        let all = (0..self.0.len()).rev().filter(fits);
        let at = all.min_by_key(|&at| self.0[at].capacity)?;
        Some(self.0.remove(at))
    }
}
const LONG_VECTORS: usize = 256;
/// The allocator caches shorter vectors.
const LONG: usize = 1 << 15;
pub(crate) fn keep<T: 'static>(x: Vec<T>) {
    let capacity = x.capacity();
    let bytes = <Vec<T>>::bytes(capacity);
    if capacity * size_of::<T>() >= LONG {
        give_long(LongVector {
            of: TypeId::of::<T>(),
            capacity,
            bytes,
            vector: Box::new(x),
        });
    }
}
// Dropped last, because destructors of values may panic.
fn give_long(vector: LongVector) {
    let give = |pools: &RefCell<Pools>| match pools.try_borrow_mut() {
        Ok(mut pools) => pools.long.give(vector),
        Err(_) => Some(vector),
    };
    drop(POOLS.try_with(give));
}
fn take_long(of: TypeId, capacity: &RangeInclusive<usize>) -> Option<LongVector> {
    let take = |pools: &RefCell<Pools>| pools.try_borrow_mut().ok()?.long.take(of, capacity);
    POOLS.try_with(take).ok().flatten()
}
pub(crate) fn kept<T: 'static>(capacity: RangeInclusive<usize>) -> Option<Vec<T>> {
    if capacity.end().saturating_mul(size_of::<T>()) < LONG {
        return None;
    }
    let taken = take_long(TypeId::of::<T>(), &capacity)?.vector.downcast();
    taken.ok().map(|vector| *vector)
}

/// Returns a vector with unspecified numbers to be overwritten.
#[inline]
pub fn take<T: Copy + Default + 'static>(length: usize) -> Vec<T> {
    let mut x = Vec::new();
    with(|pool: &mut Pool<Vec<T>>| pool.take(length, &mut x));
    if x.len() != length {
        fit(&mut x, length);
    }
    x
}
#[cold]
#[inline(never)]
fn fit<T: Copy + Default>(x: &mut Vec<T>, length: usize) {
    if x.capacity() == 0 && size_of::<T>() * length >= ZEROED {
        *x = vec![T::default(); length];
    } else {
        // The allocator's cache of short vectors has none of zeros.
        x.reserve_exact(length.saturating_sub(x.len()));
        x.resize(length, T::default());
    }
}
/// Returns the memory of a vector to the pool.
#[inline]
pub fn give<T: Copy + Default + 'static>(x: Vec<T>) {
    let capacity = x.capacity();
    with(|pool: &mut Pool<Vec<T>>| pool.give(x, capacity));
}
/// Returns the pooled memory of this thread to the system. Pools of at most 256 MiB exist for each type of numbers, of
/// shared values, and, of dropped tapes, for statements and each type of values.
pub fn release_memory() {
    let _ = POOLS.try_with(|pools| drop(pools.replace(Pools::new())));
}

#[inline]
pub(crate) fn share<V: 'static>(value: V) -> Rc<V> {
    let Some(mut shared) = take_box(0, |_| {}) else {
        return Rc::new(value);
    };
    match Rc::get_mut(&mut shared) {
        Some(place) => {
            *place = value;
            shared
        }
        None => Rc::new(value),
    }
}
#[inline]
pub(crate) fn take_box<V: 'static>(extent: usize, fetch: impl Fn(&V)) -> Option<Rc<V>> {
    with(|pool: &mut Pool<Rc<V>>| pool.take(extent, fetch)).flatten()
}
#[inline(always)]
pub(crate) fn prefetch_box<V>(shared: &Rc<V>) {
    let value = Rc::as_ptr(shared);
    prefetch(value.wrapping_byte_sub(2 * size_of::<usize>()));
    prefetch(value.wrapping_add(1).wrapping_byte_sub(1));
}
/// Prefetches allocations `box_ahead` values and their memory `value_ahead` values before they are taken.
#[inline(always)]
pub(crate) fn look_ahead<H>(
    all: &[H],
    at: usize,
    [box_ahead, value_ahead]: [usize; 2],
    prefetch_box: impl Fn(&H),
    fetch: impl Fn(&H),
) {
    all.get(at.wrapping_sub(box_ahead))
        .into_iter()
        .for_each(prefetch_box);
    all.get(at.wrapping_sub(value_ahead))
        .into_iter()
        .for_each(fetch);
}
#[inline]
pub(crate) fn give_box<V: 'static>(shared: Rc<V>, extent: usize) {
    with(|pool: &mut Pool<Rc<V>>| pool.give(shared, extent));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_are_kept() {
        let capacity = LONG / size_of::<f64>();
        let (long, longer) = (vec![1.0; capacity], vec![2.0; 2 * capacity]);
        let places = [long.as_ptr(), longer.as_ptr()];
        keep(longer);
        keep(long);
        keep(vec![1_u8; LONG - 1]);
        assert!(kept::<u8>(1..=LONG).is_none(), "short vectors are not kept");
        assert!(kept::<f64>(1..=capacity - 1).is_none());
        let first = kept::<f64>(1..=4 * capacity).expect("the shortest that fits");
        assert_eq!((first.as_ptr(), first[0]), (places[0], 1.0));
        let second = kept::<f64>(capacity..=2 * capacity).expect("the other one");
        assert_eq!((second.as_ptr(), second[0]), (places[1], 2.0));
        keep(first);
        assert!(bytes() >= LONG);
        release_memory();
        assert!(kept::<f64>(1..=4 * capacity).is_none());
    }
}
