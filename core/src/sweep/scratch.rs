//! Memory that statements use while they are swept.
use std::any::{Any, TypeId};

/// Maximum number of boxes that are kept for reuse.
const MOST: usize = 32;

/// Boxes for what statements read of lists, and for adjoints that they collect by pieces; the one that was used last is
/// at the end. The types stand beside them, as asking a box takes a call.
#[derive(Default)]
pub(crate) struct ScratchPool(Vec<(TypeId, Box<dyn Any>)>);
impl ScratchPool {
    /// A box with unspecified contents.
    #[inline(always)]
    pub(crate) fn take_scratch<T: Default + 'static>(&mut self) -> Box<T> {
        let wanted = TypeId::of::<T>();
        // Mostly it is the last one, as statements of a kind follow each other.
        if self.0.last().is_some_and(|(of, _)| *of == wanted)
            && let Some((_, last)) = self.0.pop()
        {
            return last.downcast().unwrap_or_default();
        }
        let found = self.0.iter().rposition(|(of, _)| *of == wanted);
        let waiting = found.and_then(|at| self.0.swap_remove(at).1.downcast().ok());
        waiting.unwrap_or_default()
    }
    /// Takes a box back.
    #[inline(always)]
    pub(crate) fn return_scratch<T: 'static>(&mut self, scratch: Box<T>) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((TypeId::of::<T>(), scratch));
    }
}
