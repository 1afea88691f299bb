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

/// Calls `f` with the tape that records, which is taken out meanwhile: code that runs inside of `f` and
/// evaluates expressions finds no tape.
#[inline(always)]
pub(crate) fn with<T>(f: impl FnOnce(Option<&mut Inner>) -> T) -> T {
    struct PutBack(Option<ManuallyDrop<Box<Inner>>>);
    impl Drop for PutBack {
        #[inline(always)]
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let mut tape = PutBack(CURRENT.take());
    f(tape.0.as_deref_mut().map(|b| &mut **b))
}

/// Returns an identifier to its manager.
pub(crate) fn release(meta: Meta, kind: u32) {
    let _ = (meta, kind);
}
