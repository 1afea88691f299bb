//! Memory that values leave to later ones, of each thread.
//!
//! A kind whose values are vectors of numbers leaves them here by `#[kind(recycle = ..)]` and takes new ones: adjoints
//! come and go by the thousand, a recording starts again with as many values as before, and what goes back to the system
//! has to be asked for again, page by page. The boxes in which a tape shares values wait here, too.
//!
//! What came last is taken first, as it is in the cache. If that does not do, what waits longest is taken, in the order of
//! its place in memory: a reset leaves values in about the order in which they were made, so a recording that is repeated
//! writes, and a sweep reads, memory in one direction, which processors fetch ahead. (Small matrices in any order take four
//! times as long as in the cache.)
//!
//! ```
//! use entape_core::kind::pool;
//!
//! pool::give(vec![1.0, 2.0, 3.0]);
//! let mut x = pool::take::<f64>(2); // any numbers
//! x.fill(0.0);
//! assert_eq!(x, [0.0, 0.0]);
//! ```
use std::{
    any::{Any, TypeId},
    cell::RefCell,
    cmp::Reverse,
    collections::VecDeque,
    rc::Rc,
};

/// The most bytes of one type of numbers that wait; what is more goes back to the system.
const MOST: usize = 1 << 28;
/// The most lengths that wait.
const LENGTHS: usize = 64;
/// The most boxes of one type that wait.
const BOXES: usize = 1 << 21;
/// So many of what came last may be in the cache.
const HOT: usize = 64;
/// The most runs.
const RUNS: usize = 16;

/// Pieces of memory of one size.
struct Waiting<X> {
    /// Those that came last.
    hot: Vec<X>,
    /// The others: runs of groups whose places ascend, as what one vector of the tape had comes in order.
    cold: Vec<VecDeque<Vec<X>>>,
    /// So many groups are cold.
    groups: usize,
    /// So many pieces waited all the time while the last `given` came: nobody needs them.
    idle: usize,
    given: usize,
}
impl<X: Memory> Waiting<X> {
    const fn new() -> Self {
        Waiting {
            hot: Vec::new(),
            cold: Vec::new(),
            groups: 0,
            idle: 0,
            given: 0,
        }
    }
    fn len(&self) -> usize {
        self.hot.len() + self.groups * HOT
    }
    #[inline]
    fn take(&mut self) -> Option<X> {
        if self.hot.is_empty() {
            self.warm_up();
        }
        self.idle = self.idle.min(self.len().saturating_sub(1));
        self.hot.pop()
    }
    /// Takes the group with the lowest place.
    fn warm_up(&mut self) {
        let first = |run: &VecDeque<Vec<X>>| run.front().map(|group| group[0].place());
        let Some(at) = (0..self.cold.len()).min_by_key(|&at| first(&self.cold[at])) else {
            return;
        };
        if let Some(group) = self.cold[at].pop_front() {
            self.hot = group;
            self.hot.sort_unstable_by_key(|x| Reverse(x.place()));
            self.groups -= 1;
        }
        if self.cold[at].is_empty() {
            self.cold.remove(at);
        }
    }
    fn cool_down(&mut self) {
        let group: Vec<X> = self.hot.drain(..HOT).collect();
        self.groups += 1;
        // The run that ends closest below it.
        let last = |run: &VecDeque<Vec<X>>| run.back().map(|last| last[0].place());
        let place = Some(group[0].place());
        let below = (0..self.cold.len()).filter(|&at| last(&self.cold[at]) <= place);
        match below.max_by_key(|&at| last(&self.cold[at])) {
            Some(at) => self.cold[at].push_back(group),
            None if self.cold.len() < RUNS => self.cold.push(VecDeque::from([group])),
            None => self.cold[0].push_back(group),
        }
    }
    /// Tells how many go back to the system: what comes from elsewhere, such as the inputs of each recording, would pile
    /// up here.
    #[inline]
    fn give(&mut self, x: X) -> usize {
        self.hot.push(x);
        if self.hot.len() == 2 * HOT {
            self.cool_down();
        }
        self.given += 1;
        if self.given <= HOT + 4 * self.len() {
            return 0;
        }
        self.forget()
    }
    fn forget(&mut self) -> usize {
        let idle = self.groups.min(self.idle / HOT);
        let last = |run: &mut VecDeque<Vec<X>>| run.pop_back();
        (0..idle).for_each(|_| drop(self.cold.iter_mut().rev().find_map(last)));
        self.cold.retain(|run| !run.is_empty());
        self.groups -= idle;
        (self.idle, self.given) = (self.len(), 0);
        idle * HOT
    }
}
/// A piece of memory.
trait Memory {
    /// Where it is.
    fn place(&self) -> usize;
}
impl<T> Memory for Vec<T> {
    fn place(&self) -> usize {
        self.as_ptr().addr()
    }
}
impl<V> Memory for Rc<V> {
    fn place(&self) -> usize {
        Rc::as_ptr(self).addr()
    }
}

/// Vectors, by capacity.
struct Vectors<T> {
    waiting: Vec<(usize, Waiting<Vec<T>>)>,
    bytes: usize,
}
impl<T> Default for Vectors<T> {
    fn default() -> Self {
        Vectors {
            waiting: Vec::new(),
            bytes: 0,
        }
    }
}
impl<T: Copy + Default> Vectors<T> {
    /// To be written where it belongs: a vector that is moved as a part of an option waits for itself.
    #[inline]
    fn take(&mut self, length: usize, into: &mut Vec<T>) {
        for (capacity, waiting) in &mut self.waiting {
            if (length..=2 * length).contains(capacity)
                && let Some(x) = waiting.take()
            {
                self.bytes -= size_of::<T>() * *capacity;
                *into = x;
                into.resize(length, T::default());
                return;
            }
        }
    }
    fn give(&mut self, x: Vec<T>) {
        let capacity = x.capacity();
        let bytes = size_of::<T>() * capacity;
        if bytes == 0 || self.bytes + bytes > MOST {
            return;
        }
        let known = self.waiting.iter().position(|(c, _)| *c == capacity);
        let at = known.unwrap_or_else(|| {
            if self.waiting.len() == LENGTHS {
                let (capacity, first) = self.waiting.remove(0);
                self.bytes -= size_of::<T>() * capacity * first.len();
            }
            self.waiting.push((capacity, Waiting::new()));
            self.waiting.len() - 1
        });
        let idle = self.waiting[at].1.give(x);
        self.bytes = self.bytes + bytes - bytes * idle;
    }
}

/// Boxes whose values gave their memory away.
struct Boxes<V>(Waiting<Rc<V>>);
impl<V> Default for Boxes<V> {
    fn default() -> Self {
        Boxes(Waiting::new())
    }
}

type Pools = Vec<(TypeId, Box<dyn Any>)>;
thread_local! {
    /// The pools of this thread, by type.
    static POOLS: RefCell<Pools> = const { RefCell::new(Vec::new()) };
}
/// Runs `f` on a pool, unless the thread is about to end.
#[inline]
fn with<P: Default + 'static>(f: impl FnOnce(&mut P)) {
    let run = |pools: &RefCell<Pools>| {
        let mut pools = pools.borrow_mut();
        let of = TypeId::of::<P>();
        let at = pools.iter().position(|(id, _)| *id == of);
        let at = at.unwrap_or_else(|| {
            pools.push((of, Box::new(P::default())));
            pools.len() - 1
        });
        if let Some(pool) = pools[at].1.downcast_mut() {
            f(pool);
        }
    };
    // There is none any more while the thread ends.
    let _ = POOLS.try_with(run);
}

/// A vector of this length with any numbers, for one who writes them all.
pub fn take<T: Copy + Default + 'static>(length: usize) -> Vec<T> {
    let mut x = Vec::new();
    with(|pool: &mut Vectors<T>| pool.take(length, &mut x));
    if x.len() != length {
        x = vec![T::default(); length];
    }
    x
}
/// Leaves the memory of a vector to later ones.
pub fn give<T: Copy + Default + 'static>(x: Vec<T>) {
    with(|pool: &mut Vectors<T>| pool.give(x));
}
/// Gives the memory that waits for later values on this thread back to the system. Tapes leave the memory of their
/// values to later recordings, at most 256 MiB of each type of numbers.
pub fn release_memory() {
    // As the thread ends, it goes back anyway.
    let _ = POOLS.try_with(|pools| pools.take());
}

/// Shares a value, in a box that waits if there is one.
pub(crate) fn share<V: 'static>(value: V) -> Rc<V> {
    let mut waiting = None;
    with(|pool: &mut Boxes<V>| waiting = pool.0.take());
    let Some(mut shared) = waiting else {
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
/// Leaves a box that nothing else has to later values.
pub(crate) fn give_box<V: 'static>(shared: Rc<V>) {
    with(|pool: &mut Boxes<V>| {
        if pool.0.len() < BOXES {
            pool.0.give(shared);
        }
    });
}
