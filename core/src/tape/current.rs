//! The tape that records on this thread, and identifiers of variables dropped while it does not record.
//!
//! The recording is accessed through one reference at a time. Code that takes it out puts it back, and leaves no
//! reference behind.
#![allow(unsafe_code)] // the tape that records is accessed by one load instead of being taken out for each statement
use super::{
    fast::takes_fast_path,
    recording::{NOBODY, TapeRecording},
};
use crate::{
    error::Error,
    kind::{TapeValue, VariableId},
    node::Node,
};
use std::{
    cell::{self, RefCell},
    mem::needs_drop,
    panic::Location,
    ptr::NonNull,
    sync::atomic::{AtomicU32, Ordering},
};

/// A pointer to the field `accepts` of the [`TapeRecording`] that records, its first field, or to [`CLOSED`].
///
/// Invariant: a pointer other than `CLOSED` points to the start of a `TapeRecording`, with provenance for all of it, whose box
/// [`replace`] gave up. While it is stored in `CURRENT`, no other reference to that tape exists.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pointer(NonNull<u32>);
static CLOSED: u32 = NOBODY;
impl Pointer {
    const fn closed() -> Self {
        Pointer(NonNull::from_ref(&CLOSED))
    }
    #[inline(always)]
    fn accepts(self) -> u32 {
        // SAFETY: by the invariant it points to a `u32`: a static, or the first field of a tape.
        unsafe { self.0.read() }
    }
    /// # Safety
    /// The pointer must not point to `CLOSED`, and the tape must not be accessed through `CURRENT` while the result
    /// lives.
    #[inline(always)]
    unsafe fn tape<'t>(self) -> &'t mut TapeRecording {
        // SAFETY: by the invariant it points to a `TapeRecording` without other references.
        unsafe { self.0.cast::<TapeRecording>().as_mut() }
    }
}

thread_local! {
    // Without a destructor, accesses need no checks. The guard of `record` always takes the tape out again.
    static CURRENT: cell::Cell<Pointer> = const { cell::Cell::new(Pointer::closed()) };
    static WAITING: RefCell<Waiting> = const { RefCell::new(Vec::new()) };
    static ANY_WAITS: cell::Cell<bool> = const { cell::Cell::new(false) };
}

pub(crate) struct Accepting {
    current: Pointer,
    pub(crate) tag: u32,
    _taken: Option<Taken>,
}
impl Accepting {
    #[inline(always)]
    pub(crate) fn tape(&mut self) -> &mut TapeRecording {
        // SAFETY: variables have the accepted tag, which is never `NOBODY`, so the pointer is not `CLOSED`. Either the
        // tape was taken out, or `CURRENT` is not accessed while the result lives, which borrows `self`.
        unsafe { self.current.tape() }
    }
}
/// Returns the recording tape, if `node` [takes the fast path](takes_fast_path). No other expression may be evaluated while it is
/// borrowed.
#[inline(always)]
pub(crate) fn accepting<N: Node>(node: &N) -> Option<Accepting> {
    let current = CURRENT.get();
    // Compared before any write, to free registers.
    let tag = current.accepts();
    takes_fast_path(node, tag).then(|| Accepting {
        current,
        tag,
        // Code of a DSL that evaluates expressions then finds no tape.
        _taken: (!N::QUIET || needs_drop::<TapeValue<N::Kind>>()).then(take),
    })
}
pub(crate) fn replace(tape: Option<Box<TapeRecording>>) -> Option<Box<TapeRecording>> {
    let pointer = match tape {
        Some(tape) => Pointer(NonNull::from(Box::leak(tape)).cast()),
        None => Pointer::closed(),
    };
    let former = CURRENT.replace(pointer);
    // SAFETY: by the invariant, a pointer other than `CLOSED` came from a box, and it is no longer in `CURRENT`.
    (former != Pointer::closed()).then(|| unsafe { Box::from_raw(former.0.cast().as_ptr()) })
}

/// Takes out the recording tape.
pub(crate) struct Taken(Pointer);
impl Taken {
    #[inline(always)]
    pub(crate) fn tape(&mut self) -> Option<&mut TapeRecording> {
        // SAFETY: the pointer is not `CLOSED`, and is not in `CURRENT` while the guard lives, which the result borrows.
        (self.0 != Pointer::closed()).then(|| unsafe { self.0.tape() })
    }
}
impl Drop for Taken {
    #[inline(always)]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}
#[inline(always)]
pub(crate) fn take() -> Taken {
    Taken(CURRENT.replace(Pointer::closed()))
}

/// Returns whether the recording tape of this thread [refuses casts](super::Builder::refuse_casts) of active numbers.
pub fn refuses_casts() -> bool {
    take().tape().is_some_and(|tape| tape.refuse_casts)
}

#[doc(hidden)]
pub fn keeps_parts() -> bool {
    take().tape().is_some_and(|tape| tape.keeps_parts)
}
#[doc(hidden)]
#[track_caller]
pub fn note_accumulated() {
    if let Some(tape) = take().tape() {
        let end = tape.statements.end();
        tape.accumulated.get_or_insert((Location::caller(), end));
    }
}

/// Returns a tag that is unique in the process, not zero, and less than [`NOBODY`].
pub(crate) fn new_tag() -> Result<u32, Error> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tag| {
        (tag < NOBODY).then(|| tag + 1)
    });
    let tag = next.map_err(|_| Error::TagsExhausted)?;
    let _ = WAITING.try_with(|w| w.borrow_mut().push((tag, Vec::new())));
    Ok(tag)
}
pub(crate) fn retire_tags(tags: &[u32]) {
    let _ = WAITING.try_with(|w| w.borrow_mut().retain(|(tag, _)| !tags.contains(tag)));
}

/// By tag: dropped identifiers, with the numbers of their kinds.
type Waiting = Vec<(u32, Vec<(VariableId, u32)>)>;

/// Returns an identifier to its manager, or stores it until its tape records. Never panics, even without a tape or
/// thread-locals.
pub(crate) fn release(variable: VariableId, kind: u32) {
    let mut taken = take();
    match taken.tape() {
        Some(tape) if tape.tag == variable.tag => {
            tape.memory.values.free(kind, variable, variable.tag)
        }
        _ => release_later(variable, kind),
    }
}
#[cold]
fn release_later(variable: VariableId, kind: u32) {
    let _ = WAITING.try_with(|w| {
        if let Ok(mut waiting) = w.try_borrow_mut()
            && let Some((_, dropped)) = waiting.iter_mut().find(|(tag, _)| *tag == variable.tag)
        {
            dropped.push((variable, kind));
            ANY_WAITS.set(true);
        }
    });
}
pub(crate) fn collect(tape: &mut TapeRecording) {
    if !ANY_WAITS.get() {
        return;
    }
    let _ = WAITING.try_with(|w| {
        for (tag, dropped) in w.borrow_mut().iter_mut() {
            if !dropped.is_empty() && (*tag == tape.tag || tape.older.contains(tag)) {
                for (variable, kind) in dropped.drain(..) {
                    tape.memory.values.free(kind, variable, tape.tag);
                }
            }
        }
        ANY_WAITS.set(w.borrow().iter().any(|(_, dropped)| !dropped.is_empty()));
    });
}
