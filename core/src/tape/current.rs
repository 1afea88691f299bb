//! The tape that records on this thread.
use super::inner::Inner;
use crate::mode::Meta;
use std::{cell::Cell, mem::ManuallyDrop};

thread_local! {
    // `ManuallyDrop` keeps the thread-local free of a destructor and so of a check at each access; the
    // guard of `record` always takes the tape out again.
    static CURRENT: Cell<Option<ManuallyDrop<Box<Inner>>>> = const { Cell::new(None) };
}

/// Installs `tape` and returns the one that was.
pub(crate) fn replace(tape: Option<Box<Inner>>) -> Option<Box<Inner>> {
    CURRENT
        .replace(tape.map(ManuallyDrop::new))
        .map(ManuallyDrop::into_inner)
}

/// The tape that records, taken out while the guard lives: code that runs meanwhile and evaluates
/// expressions finds no tape.
pub(crate) struct Taken(Option<ManuallyDrop<Box<Inner>>>);
impl Taken {
    /// The tape, `None` if none records.
    #[inline(always)]
    pub(crate) fn tape(&mut self) -> Option<&mut Inner> {
        self.0.as_mut().map(|tape| &mut ***tape)
    }
}
impl Drop for Taken {
    #[inline(always)]
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}
/// Takes the tape that records.
#[inline(always)]
pub(crate) fn take() -> Taken {
    Taken(CURRENT.take())
}

/// Returns an identifier to its manager.
pub(crate) fn release(meta: Meta, kind: u32) {
    let _ = (meta, kind);
}
