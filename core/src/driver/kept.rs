//! The tapes that a thread keeps for its drivers.
use crate::tape::Tape;
use std::{
    cell::RefCell,
    ops::{Deref, DerefMut},
};

/// The number of tapes that wait at most: drivers are seldom called within each other.
const MOST: usize = 4;
/// A tape with more bytes does not wait.
const LARGEST: usize = 16 << 20;

thread_local! {
    static WAITING: RefCell<Vec<Tape>> = const { RefCell::new(Vec::new()) };
}

/// An empty tape for one call of a driver. Afterwards it is reset and waits for a later call on this thread, so that a call on
/// a small function neither makes a tape nor allocates its memory.
pub(super) struct KeptTape(Option<Tape>);
impl KeptTape {
    pub(super) fn take() -> Self {
        let waiting = WAITING.try_with(|waiting| waiting.borrow_mut().pop());
        KeptTape(Some(waiting.ok().flatten().unwrap_or_default()))
    }
}
impl Drop for KeptTape {
    fn drop(&mut self) {
        let Some(mut tape) = self.0.take() else {
            return;
        };
        // A panic may have left the tape in any state.
        if std::thread::panicking() || tape.allocated() > LARGEST || tape.try_reset().is_err() {
            return;
        }
        let _ = WAITING.try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            if waiting.len() < MOST {
                waiting.push(tape);
            }
        });
    }
}
impl Deref for KeptTape {
    type Target = Tape;
    fn deref(&self) -> &Tape {
        self.0.as_ref().expect("a tape until it is given back")
    }
}
impl DerefMut for KeptTape {
    fn deref_mut(&mut self) -> &mut Tape {
        self.0.as_mut().expect("a tape until it is given back")
    }
}
