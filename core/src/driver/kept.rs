//! The tapes that a thread keeps for its drivers.
use crate::{
    mode::{Mode, Second, Taped},
    tape::{Records, Tape},
};
use std::{
    cell::RefCell,
    ops::{Deref, DerefMut},
    thread::LocalKey,
};

/// The number of tapes that wait at most: drivers are seldom called within each other.
const MOST: usize = 4;
/// A tape with more bytes does not wait.
const LARGEST: usize = 16 << 20;

/// A mode of drivers.
pub(super) trait Driven: Mode + Records {
    /// The tapes that wait on this thread.
    fn waiting() -> &'static LocalKey<RefCell<Vec<Tape<Self>>>>;
}
macro_rules! driven { ($($M:ident)*) => { $(
    impl Driven for $M {
        fn waiting() -> &'static LocalKey<RefCell<Vec<Tape<$M>>>> {
            thread_local! {
                static WAITING: RefCell<Vec<Tape<$M>>> = const { RefCell::new(Vec::new()) };
            }
            &WAITING
        }
    }
)* } }
driven! { Taped Second }

/// An empty tape for one call of a driver. Afterwards it is reset and waits for a later call on this thread, so that a call on
/// a small function neither makes a tape nor allocates its memory.
pub(super) struct KeptTape<M: Driven>(Option<Tape<M>>);
impl<M: Driven> KeptTape<M> {
    pub(super) fn take() -> Self {
        let waiting = M::waiting().try_with(|waiting| waiting.borrow_mut().pop());
        KeptTape(Some(waiting.ok().flatten().unwrap_or_default()))
    }
}
impl<M: Driven> Drop for KeptTape<M> {
    fn drop(&mut self) {
        let Some(mut tape) = self.0.take() else {
            return;
        };
        // A panic may have left the tape in any state.
        if std::thread::panicking() || tape.allocated() > LARGEST || tape.try_reset().is_err() {
            return;
        }
        let _ = M::waiting().try_with(|waiting| {
            let mut waiting = waiting.borrow_mut();
            if waiting.len() < MOST {
                waiting.push(tape);
            }
        });
    }
}
impl<M: Driven> Deref for KeptTape<M> {
    type Target = Tape<M>;
    fn deref(&self) -> &Tape<M> {
        self.0.as_ref().expect("a tape until it is given back")
    }
}
impl<M: Driven> DerefMut for KeptTape<M> {
    fn deref_mut(&mut self) -> &mut Tape<M> {
        self.0.as_mut().expect("a tape until it is given back")
    }
}
