//! A stack buffer for a few values, written in order and taken together.
//!
//! Guarantee: each value is taken or dropped once, except for values dropped with an iterator.
#![allow(unsafe_code)] // a buffer is created for each statement, and initialising it would take longer than using it
use std::mem::MaybeUninit;

/// Invariant: the first `filled` items are initialised.
pub(crate) struct StackBuffer<T, const N: usize> {
    items: [MaybeUninit<T>; N],
    filled: usize,
}
impl<T, const N: usize> StackBuffer<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        StackBuffer {
            items: [const { MaybeUninit::uninit() }; N],
            filled: 0,
        }
    }
    /// Writes value `i`, the next one, or 0 after discarding the others.
    #[inline(always)]
    pub(crate) fn put(&mut self, i: usize, value: T) {
        if i == 0 {
            self.clear();
        }
        assert!(i == self.filled, "values are put in order");
        self.items[i].write(value);
        self.filled = i + 1;
    }
    #[inline(always)]
    fn clear(&mut self) {
        let filled = std::mem::take(&mut self.filled);
        if std::mem::needs_drop::<T>() {
            for item in &mut self.items[..filled] {
                // SAFETY: by the invariant it is initialised, and it is not counted any more.
                unsafe { item.assume_init_drop() };
            }
        }
    }
    #[inline(always)]
    pub(crate) fn take(&mut self, count: usize) -> impl ExactSizeIterator<Item = T> {
        assert!(count == self.filled, "all values are taken");
        self.filled = 0;
        let items = self.items[..count].iter();
        // SAFETY: by the invariant they are initialised, and because they are not counted any more, each is read once.
        items.map(|item| unsafe { item.assume_init_read() })
    }
}
impl<T, const N: usize> Drop for StackBuffer<T, N> {
    #[inline(always)]
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn moves_and_drops() {
        let value = Rc::new(1);
        let mut buffer = StackBuffer::<_, 4>::new();
        for count in [0, 1, 4] {
            (0..count).for_each(|i| buffer.put(i, value.clone()));
            let taken: Vec<_> = buffer.take(count).collect();
            assert_eq!((taken.len(), Rc::strong_count(&value)), (count, 1 + count));
        }
        for count in [3, 2] {
            (0..count).for_each(|i| buffer.put(i, value.clone()));
            assert_eq!(Rc::strong_count(&value), 1 + count);
        }
        drop(buffer);
        assert_eq!(Rc::strong_count(&value), 1);
    }
    #[test]
    #[should_panic(expected = "values are put in order")]
    fn gaps_are_refused() {
        StackBuffer::<f64, 4>::new().put(1, 0.0);
    }
    #[test]
    #[should_panic(expected = "all values are taken")]
    fn missing_values_are_refused() {
        let mut buffer = StackBuffer::<f64, 4>::new();
        buffer.put(0, 0.0);
        let _ = buffer.take(2).count();
    }
}
