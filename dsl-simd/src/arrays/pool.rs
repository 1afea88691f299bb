//! Memory that arrays leave to later ones of about the same length: adjoints come and go by the thousand, a recording
//! starts again with as many arrays as before, and what goes back to the system has to be asked for again, page by page.
use super::{kinds::ArrayKind, piece::Element};
use entape_core::{expr::Active, mode::AnyMode};
use std::cell::RefCell;

/// The most bytes that wait; what is more goes back to the system.
const MOST: usize = 1 << 28;
/// The most lengths that wait.
const LENGTHS: usize = 64;

/// Vectors that wait, by capacity.
#[derive(Debug)]
pub struct Pool<T> {
    waiting: Vec<(usize, Vec<Vec<T>>)>,
    bytes: usize,
}
impl<T: Copy + Default> Pool<T> {
    const fn new() -> Self {
        Pool {
            waiting: Vec::new(),
            bytes: 0,
        }
    }
    fn take(&mut self, length: usize) -> Vec<T> {
        let fits = |capacity| (length..=2 * length).contains(&capacity);
        let mut lengths = self.waiting.iter_mut();
        let found = lengths.find_map(|(capacity, vectors)| match fits(*capacity) {
            true => vectors.pop(),
            false => None,
        });
        let Some(mut x) = found else {
            return vec![T::default(); length];
        };
        self.bytes -= size_of::<T>() * x.capacity();
        x.resize(length, T::default());
        x
    }
    fn give(&mut self, x: Vec<T>) {
        let capacity = x.capacity();
        let bytes = size_of::<T>() * capacity;
        if bytes == 0 || self.bytes + bytes > MOST {
            return;
        }
        let mut lengths = self.waiting.iter_mut();
        if let Some((_, vectors)) = lengths.find(|(length, _)| *length == capacity) {
            vectors.push(x);
        } else {
            if self.waiting.len() == LENGTHS {
                let (length, vectors) = self.waiting.remove(0);
                self.bytes -= size_of::<T>() * length * vectors.len();
            }
            self.waiting.push((capacity, vec![x]));
        }
        self.bytes += bytes;
    }
}

/// Numbers whose vectors wait in a pool, one for each thread.
pub trait Pooled: Copy + Default + 'static {
    /// The pool; `None` if the thread is about to end.
    #[doc(hidden)]
    fn with_pool<R>(f: impl FnOnce(&mut Pool<Self>) -> R) -> Option<R>;
}
macro_rules! pooled { ($($T:ident)*) => { $(
    impl Pooled for $T {
        fn with_pool<R>(f: impl FnOnce(&mut Pool<Self>) -> R) -> Option<R> {
            thread_local! { static POOL: RefCell<Pool<$T>> = const { RefCell::new(Pool::new()) } }
            POOL.try_with(|pool| f(&mut pool.borrow_mut())).ok()
        }
    }
)* } }
pooled! { f64 f32 }

/// A vector of this length with any numbers, for one who writes them all.
pub(super) fn take<T: Pooled>(length: usize) -> Vec<T> {
    T::with_pool(|pool| pool.take(length)).unwrap_or_else(|| vec![T::default(); length])
}
/// Gives the memory of a vector to later ones.
pub(super) fn give<T: Pooled>(x: Vec<T>) {
    T::with_pool(|pool| pool.give(x));
}
/// Gives the memory of arrays that waits for later ones on this thread back to the system. Tapes leave the memory of
/// their arrays to later recordings, at most 256 MiB of each precision.
pub fn release_memory() {
    f64::with_pool(|pool| *pool = Pool::new());
    f32::with_pool(|pool| *pool = Pool::new());
}

/// Passive arrays in memory that a tape left, which a program that makes many new arrays need not ask the system for.
pub trait Filled<T: Element> {
    /// A passive array of this length, every element `x`.
    fn filled(length: usize, x: T) -> Self;
    /// A passive array of this length that `fill` writes. What stands there before is arbitrary: finite or not, it is
    /// of some array that was dropped.
    ///
    /// ```
    /// use entape_simd::{Array, arrays::Filled};
    ///
    /// let x: Array = Array::filled_by(4, |x| x.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]));
    /// assert_eq!(x.get(), &[1.0, 2.0, 3.0, 4.0]);
    /// ```
    fn filled_by(length: usize, fill: impl FnOnce(&mut [T])) -> Self;
}
impl<T: Element, M: AnyMode> Filled<T> for Active<ArrayKind<T>, M> {
    fn filled(length: usize, x: T) -> Self {
        Self::filled_by(length, |all| all.fill(x))
    }
    fn filled_by(length: usize, fill: impl FnOnce(&mut [T])) -> Self {
        // In plain mode, memory would not come back.
        let mut all = match M::RECORDS {
            true => take(length),
            false => vec![T::default(); length],
        };
        fill(&mut all);
        Active::passive(all)
    }
}
