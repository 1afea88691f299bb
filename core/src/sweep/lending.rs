//! Memory that statements use while they are swept.
use std::any::Any;

/// Maximum number of boxes that are kept for reuse.
const MOST: usize = 32;

/// Boxes in which statements that are evaluated by pieces collect adjoints; the one that was used last is at the end.
#[derive(Default)]
pub(crate) struct Lending(Vec<Box<dyn Any>>);
impl Lending {
    /// A box with unspecified contents.
    pub(crate) fn lend<T: Default + 'static>(&mut self) -> Box<T> {
        let found = self.0.iter().rposition(|waiting| waiting.is::<T>());
        let waiting = found.and_then(|at| self.0.remove(at).downcast().ok());
        waiting.unwrap_or_default()
    }
    /// Takes a box back.
    pub(crate) fn take_back<T: 'static>(&mut self, lent: Box<T>) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(lent);
    }
}
