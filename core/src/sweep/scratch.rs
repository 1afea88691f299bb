//! Memory that statements use while they are swept.
use std::any::{Any, TypeId};

/// The largest number of allocations that are pooled.
const MOST: usize = 32;

/// Allocations for the elements that statements read from lists, and for adjoints that they collect by pieces. The most
/// recently used allocation is last. The types are stored separately because reading the type of a box takes a call.
#[derive(Default)]
pub(crate) struct ScratchPool(Vec<(TypeId, Box<dyn Any>)>);
impl ScratchPool {
    /// Returns an allocation with unspecified contents.
    #[inline(always)]
    pub(crate) fn take_scratch<T: Default + 'static>(&mut self) -> Box<T> {
        let wanted = TypeId::of::<T>();
        // Usually it is the last one, because consecutive statements tend to be of one kind.
        if self.0.last().is_some_and(|(of, _)| *of == wanted)
            && let Some((_, last)) = self.0.pop()
        {
            return last.downcast().unwrap_or_default();
        }
        let found = self.0.iter().rposition(|(of, _)| *of == wanted);
        let waiting = found.and_then(|at| self.0.swap_remove(at).1.downcast().ok());
        waiting.unwrap_or_default()
    }
    /// Returns an allocation to the pool.
    #[inline(always)]
    pub(crate) fn return_scratch<T: 'static>(&mut self, scratch: Box<T>) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((TypeId::of::<T>(), scratch));
    }
}
