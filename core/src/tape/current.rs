//! The tape that records on this thread, and the identifiers of variables that are dropped meanwhile.
use super::{
    error::Error,
    inner::{Inner, NOBODY},
};
use crate::mode::Meta;
use std::{
    cell::{Cell, RefCell},
    mem::ManuallyDrop,
    sync::atomic::{AtomicU32, Ordering},
};

thread_local! {
    // `ManuallyDrop` keeps the thread-local free of a destructor and so of a check at each access; the
    // guard of `record` always takes the tape out again.
    static CURRENT: Cell<Option<ManuallyDrop<Box<Inner>>>> = const { Cell::new(None) };
    // `accepts` of the tape that records.
    static ACCEPTS: Cell<u32> = const { Cell::new(NOBODY) };
    static WAITING: RefCell<Waiting> = const { RefCell::new(Vec::new()) };
}

/// The tag of the variables that the frequent way of recording accepts.
#[inline(always)]
pub(crate) fn accepts() -> u32 {
    ACCEPTS.get()
}
/// Changes it.
pub(crate) fn accept(tag: u32) {
    ACCEPTS.set(tag);
}
/// Installs `tape` and returns the one that was.
pub(crate) fn replace(tape: Option<Box<Inner>>) -> Option<Box<Inner>> {
    ACCEPTS.set(tape.as_ref().map_or(NOBODY, |t| t.accepts));
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

/// A new tag, unique in the process. Zero, [`NOBODY`] and what is above are not given.
pub(crate) fn new_tag() -> Result<u32, Error> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tag| {
        (tag < NOBODY).then(|| tag + 1)
    });
    let tag = next.map_err(|_| Error::TagsExhausted)?;
    let _ = WAITING.try_with(|w| w.borrow_mut().push((tag, Vec::new())));
    Ok(tag)
}
/// Variables with these tags own nothing any more.
pub(crate) fn retire_tags(tags: &[u32]) {
    let _ = WAITING.try_with(|w| w.borrow_mut().retain(|(tag, _)| !tags.contains(tag)));
}

/// For each tag of a tape on this thread: identifiers of variables that were dropped while the tape did
/// not record, until it does again, and the numbers of their kinds.
type Waiting = Vec<(u32, Vec<(Meta, u32)>)>;

/// Returns an identifier to its manager; never panics, also without tape or thread-locals.
pub(crate) fn release(meta: Meta, kind: u32) {
    let mut taken = take();
    match taken.tape() {
        Some(tape) if tape.tag == meta.tag => tape.memory.stores.free(kind, meta, meta.tag),
        _ => release_later(meta, kind),
    }
}
/// Keeps an identifier until its tape records.
#[cold]
fn release_later(meta: Meta, kind: u32) {
    let _ = WAITING.try_with(|w| {
        if let Ok(mut waiting) = w.try_borrow_mut()
            && let Some((_, dropped)) = waiting.iter_mut().find(|(tag, _)| *tag == meta.tag)
        {
            dropped.push((meta, kind));
        }
    });
}
/// Takes the identifiers that wait for `tape`.
pub(crate) fn collect(tape: &mut Inner) {
    let _ = WAITING.try_with(|w| {
        for (tag, dropped) in w.borrow_mut().iter_mut() {
            if !dropped.is_empty() && (*tag == tape.tag || tape.older.contains(tag)) {
                for (meta, kind) in dropped.drain(..) {
                    tape.memory.stores.free(kind, meta, tape.tag);
                }
            }
        }
    });
}
