//! Values that own memory, by type; statements name them by their place.
use crate::{
    by_type::ByType,
    kind::{Cell, Hold, Kind, Val, pool::look_ahead, recycle},
};

trait AnyStack {
    fn len(&self) -> usize;
    fn truncate(&mut self, len: usize);
}
/// Values of one type, and what takes their memory.
struct Stack<T>(Vec<T>, fn(T));
impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack(Vec::new(), drop)
    }
}
impl<T> Stack<T> {
    #[inline]
    fn push(&mut self, value: T) -> u32 {
        self.0.push(value);
        u32::try_from(self.0.len() - 1).expect("fewer than 2^32 kept values of a type")
    }
}
impl<T: 'static> AnyStack for Stack<T> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn truncate(&mut self, len: usize) {
        let Stack(values, recycle) = self;
        values.drain(len.min(values.len())..).for_each(*recycle);
    }
}

/// One stack for each type.
pub(crate) struct Stacks(ByType<dyn AnyStack>);
impl Default for Stacks {
    fn default() -> Self {
        Stacks(ByType::new())
    }
}
impl Stacks {
    #[inline]
    fn of<T: 'static>(&mut self) -> &mut Stack<T> {
        self.0.get(|_| Stack::<T>::default(), |stack| stack)
    }
    /// Keeps a value and tells its place.
    pub(crate) fn push<T: 'static>(&mut self, value: T) -> u32 {
        self.of::<T>().push(value)
    }
    /// Keeps a value of a kind, which gets its memory back.
    #[inline(never)]
    pub(crate) fn push_of<K: Kind>(&mut self, value: Cell<K>) -> u32 {
        let stack = self.of::<Cell<K>>();
        stack.1 = recycle::<K>;
        stack.push(value)
    }
    /// The value of a kind at a place, for one who goes back over them.
    #[inline]
    pub(crate) fn back_at<K: Kind>(&mut self, place: u32) -> &mut Cell<K> {
        let all = &mut self.of::<Cell<K>>().0;
        look_ahead(
            all,
            place as usize,
            [16, 8],
            Hold::<Val<K>>::fetch_box,
            |cell| K::fetch(cell.peek()),
        );
        &mut all[place as usize]
    }
    /// The value at a place.
    #[inline]
    pub(crate) fn at<T: 'static>(&mut self, place: u32) -> &mut T {
        &mut self.of::<T>().0[place as usize]
    }
    pub(crate) fn lens(&self) -> Vec<usize> {
        self.0.iter().map(|s| s.len()).collect()
    }
    /// Forgets what was pushed since the stacks had these lengths.
    pub(crate) fn truncate(&mut self, lens: &[usize]) {
        for (i, stack) in self.0.iter_mut().enumerate() {
            stack.truncate(lens.get(i).copied().unwrap_or(0));
        }
    }
    pub(crate) fn values(&self) -> usize {
        self.0.iter().map(|s| s.len()).sum()
    }
}
