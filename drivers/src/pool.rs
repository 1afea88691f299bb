use entape_core::tape::{Records, Tape};
use std::{
    any::Any,
    cell::RefCell,
    ops::{Deref, DerefMut},
};

const MOST: usize = 4;
const LARGEST: usize = 16 << 20;

/// An empty tape for one call of a driver, afterwards reset and pooled.
pub(crate) struct PooledTape<M: Records>(Option<Box<Tape<M>>>);
thread_local! {
    static WAITING: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}
impl<M: Records> PooledTape<M> {
    pub(super) fn take() -> Self {
        let waiting = WAITING.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            let at = waiting.iter().rposition(|tape| tape.is::<Tape<M>>())?;
            waiting.swap_remove(at).downcast().ok()
        });
        PooledTape(Some(waiting.ok().flatten().unwrap_or_default()))
    }
}
impl<M: Records> Drop for PooledTape<M> {
    fn drop(&mut self) {
        let Some(mut tape) = self.0.take() else {
            return;
        };
        if std::thread::panicking() || tape.allocated() > LARGEST || tape.try_reset().is_err() {
            return;
        }
        let _ = WAITING.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            let of_mode = waiting.iter().filter(|tape| tape.is::<Tape<M>>());
            if of_mode.count() < MOST {
                waiting.push(tape);
            }
        });
    }
}
impl<M: Records> Deref for PooledTape<M> {
    type Target = Tape<M>;
    fn deref(&self) -> &Tape<M> {
        self.0.as_ref().expect("the tape until it is dropped")
    }
}
impl<M: Records> DerefMut for PooledTape<M> {
    fn deref_mut(&mut self) -> &mut Tape<M> {
        self.0.as_mut().expect("the tape until it is dropped")
    }
}
