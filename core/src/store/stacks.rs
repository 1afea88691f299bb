//! Values that own memory, one stack for each type.
use super::value_bytes::ValueBytes;
use crate::{
    error::Error,
    kind::{Kind, Memory as _, Policy, TapeCell, TapeValue, Val, bytes_of, recycle},
    storage::{TypeMap, TypeMapEntry, pool::look_ahead, shared_bytes_of},
};
use std::{collections::HashSet, rc::Rc};

trait AnyStack {
    fn len(&self) -> usize;
    fn handle_bytes(&self) -> usize;
    fn held(&self) -> usize;
    fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize;
    fn truncate(&mut self, len: usize) -> usize;
}
pub(crate) struct Counting<T> {
    place: fn(&T) -> Option<*const ()>,
    bytes: fn(&T) -> usize,
    sole: fn(&mut T) -> bool,
    recycle: fn(T),
}
impl<T> Counting<T> {
    pub(crate) fn shared(
        place: fn(&T) -> Option<*const ()>,
        bytes: fn(&T) -> usize,
        sole: fn(&mut T) -> bool,
    ) -> Self {
        Counting {
            place,
            bytes,
            sole,
            recycle: drop,
        }
    }
}
impl<T: ?Sized + 'static> Counting<Rc<T>> {
    pub(crate) fn of_rc() -> Self {
        Counting::shared(
            |rc| Some(Rc::as_ptr(rc).cast::<()>()),
            |rc| shared_bytes_of(&**rc),
            |rc| Rc::get_mut(rc).is_some(),
        )
    }
}
struct Stack<T>(Vec<T>, Option<Counting<T>>);
impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack(Vec::new(), None)
    }
}
impl<T> Stack<T> {
    #[inline]
    fn push(&mut self, value: T) -> u32 {
        self.0.push(value);
        u32::try_from(self.0.len() - 1).expect("a stack has fewer than 2^32 values")
    }
}
impl<T: 'static> TypeMapEntry<dyn AnyStack> for Stack<T> {
    type With = ();
    fn create(_: usize, (): ()) -> Self {
        Stack::default()
    }
    fn erase(self: Box<Self>) -> Box<dyn AnyStack> {
        self
    }
}
impl<T: 'static> AnyStack for Stack<T> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn handle_bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
    fn held(&self) -> usize {
        size_of::<Self>() + self.0.capacity() * size_of::<T>()
    }
    fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize {
        let Some(counting) = &self.1 else {
            return 0;
        };
        let mut new = |value: &&T| (counting.place)(value).is_some_and(|place| seen.insert(place));
        let all = self.0.iter().filter(|value| new(value));
        all.map(counting.bytes).sum()
    }
    fn truncate(&mut self, len: usize) -> usize {
        let Stack(values, counting) = self;
        let gone = values.drain(len.min(values.len())..);
        let Some(counting) = counting else {
            gone.for_each(drop);
            return 0;
        };
        let mut freed = 0;
        for mut value in gone {
            if (counting.sole)(&mut value) {
                freed += (counting.bytes)(&value);
            }
            (counting.recycle)(value);
        }
        freed
    }
}

pub(crate) struct Stacks {
    all: TypeMap<dyn AnyStack>,
    pub(crate) bytes: ValueBytes,
    /// The first error of an external function in the last walk.
    pub(crate) failed: Option<Error>,
}
impl Default for Stacks {
    fn default() -> Self {
        Stacks {
            all: TypeMap::new(),
            bytes: ValueBytes::default(),
            failed: None,
        }
    }
}
impl Stacks {
    #[inline]
    fn of<T: 'static>(&mut self) -> &mut Stack<T> {
        self.all.get(())
    }
    pub(crate) fn push<T: 'static>(&mut self, value: T) -> u32 {
        self.of::<T>().push(value)
    }
    pub(crate) fn push_shared<T: 'static>(&mut self, value: T, counting: Counting<T>) -> u32 {
        let (place, bytes) = ((counting.place)(&value), (counting.bytes)(&value));
        self.bytes.add_shared(place, bytes);
        let stack = self.of::<T>();
        stack.1.get_or_insert(counting);
        stack.push(value)
    }
    pub(crate) fn push_passive<K: Kind>(&mut self, value: TapeValue<K>) -> u32 {
        match K::Policy::STORAGE {
            true => self.push_shared(value, counting::<K>()),
            false => self.push(value),
        }
    }
    #[inline(never)]
    pub(crate) fn push_of<K: Kind>(&mut self, value: TapeValue<K>) -> u32 {
        let stack = self.of::<TapeValue<K>>();
        if stack.1.is_none() {
            stack.1 = Some(counting::<K>());
        }
        stack.push(value)
    }
    #[inline]
    pub(crate) fn back_at<K: Kind>(&mut self, place: u32) -> &mut TapeValue<K> {
        let all = &mut self.of::<TapeValue<K>>().0;
        look_ahead(
            all,
            place as usize,
            [16, 8],
            TapeCell::<Val<K>>::prefetch_box,
            |cell| K::Memory::prefetch(cell.peek()),
        );
        &mut all[place as usize]
    }
    #[inline]
    pub(crate) fn at<T: 'static>(&mut self, place: u32) -> &mut T {
        &mut self.of::<T>().0[place as usize]
    }
    pub(crate) fn lens(&self) -> Vec<usize> {
        self.all.iter().map(|s| s.len()).collect()
    }
    pub(crate) fn truncate(&mut self, lens: &[usize]) {
        self.bytes.forget_places();
        for (i, stack) in self.all.iter_mut().enumerate() {
            let freed = stack.truncate(lens.get(i).copied().unwrap_or(0));
            self.bytes.remove(freed);
        }
    }
    pub(crate) fn count(&self) -> usize {
        self.all.iter().map(|s| s.len()).sum()
    }
    pub(crate) fn held(&self) -> usize {
        self.all.iter().map(|s| s.held()).sum()
    }
    pub(crate) fn handle_bytes(&self) -> usize {
        self.all.iter().map(|s| s.handle_bytes()).sum()
    }
    pub(crate) fn value_bytes(&self, seen: &mut HashSet<*const ()>) -> usize {
        self.all.iter().map(|s| s.value_bytes(seen)).sum()
    }
}
fn counting<K: Kind>() -> Counting<TapeValue<K>> {
    Counting {
        place: TapeCell::<Val<K>>::place,
        bytes: bytes_of::<K>,
        sole: |cell| TapeCell::<Val<K>>::sole(cell).is_some(),
        recycle: recycle::<K>,
    }
}
