use super::definition::Scratch;
use std::any::{Any, TypeId};

const MOST: usize = 32;

/// Allocations for elements of lists and collected adjoints, last in, first out. Reading the type from a box would take
/// a call.
#[derive(Default)]
pub(crate) struct ScratchPool {
    reals: Vec<Scratch<Vec<f64>>>,
    others: Vec<(TypeId, Box<dyn Any>)>,
}
impl ScratchPool {
    #[inline(always)]
    pub(crate) fn take_scratch<T: Default + 'static>(&mut self) -> Scratch<T> {
        let wanted = TypeId::of::<T>();
        if wanted == TypeId::of::<Vec<f64>>() {
            let list: Box<dyn Any> = self.reals.pop().unwrap_or_default();
            return list.downcast().unwrap_or_default();
        }
        if self.others.last().is_some_and(|(of, _)| *of == wanted)
            && let Some((_, last)) = self.others.pop()
        {
            return last.downcast().unwrap_or_default();
        }
        let found = self.others.iter().rposition(|(of, _)| *of == wanted);
        let waiting = found.and_then(|at| self.others.swap_remove(at).1.downcast().ok());
        waiting.unwrap_or_default()
    }
    #[inline(always)]
    pub(crate) fn return_scratch<T: 'static>(&mut self, scratch: Scratch<T>) {
        if TypeId::of::<T>() == TypeId::of::<Vec<f64>>() {
            let list: Box<dyn Any> = scratch;
            self.reals.extend(list.downcast().ok());
            return;
        }
        if self.others.len() == MOST {
            self.others.remove(0);
        }
        self.others.push((TypeId::of::<T>(), scratch));
    }
}
