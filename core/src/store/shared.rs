use super::{
    block::{Reader, Writer},
    stacks::Counting,
    stash::Stash,
};
use crate::{
    kind::Heap,
    storage::{pool, shared_bytes},
};
use std::{fmt, ops::Deref, rc::Rc};

/// A parameter or saved intermediate that owns memory and is shared by statements. Its allocation is pooled, and its
/// [memory](Heap) counts once for the limit of a tape.
///
/// ```
/// use entape_core::store::Shared;
///
/// let once = Shared::new(vec![1.0, 2.0]);
/// let again = once.clone();
/// assert_eq!(again[1], 2.0);
/// ```
pub struct Shared<V: Default + 'static>(Option<Rc<V>>);
impl<V: Default + 'static> Shared<V> {
    /// Shares a value.
    pub fn new(value: V) -> Self {
        Shared(Some(pool::share(value)))
    }
}
impl<V: Default + 'static> Clone for Shared<V> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}
impl<V: Default + 'static> Deref for Shared<V> {
    type Target = V;
    fn deref(&self) -> &V {
        self.0.as_ref().expect("the value until it is dropped")
    }
}
impl<V: Default + fmt::Debug + 'static> fmt::Debug for Shared<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        V::fmt(self, f)
    }
}
impl<V: Default + 'static> Drop for Shared<V> {
    fn drop(&mut self) {
        if let Some(mut shared) = self.0.take()
            && let Some(value) = Rc::get_mut(&mut shared)
        {
            drop(std::mem::take(value));
            pool::give_box(shared, 0);
        }
    }
}
impl<V: Default + Heap + 'static> Stash for Shared<V> {
    const BYTES: usize = 4;
    fn stash(self, writer: &mut Writer<'_>) {
        let counting = Counting::shared(
            |shared: &Self| shared.0.as_ref().map(|rc| Rc::as_ptr(rc).cast()),
            |shared| shared_bytes::<V>(shared.heap_bytes()),
            |shared| {
                shared
                    .0
                    .as_mut()
                    .is_some_and(|rc| Rc::get_mut(rc).is_some())
            },
        );
        writer.push_shared(self, counting).stash(writer);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let place = u32::fetch(reader);
        reader.peek::<Self>(place)
    }
}
