//! Programs on all ranks, and how all of them end if one fails.
use crate::communicator::Communicator;
use entape_core::differences::panic_message;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use std::{
    cell::{Cell, RefCell},
    fmt::{self, Display},
    io::Write,
    panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook},
    sync::Arc,
    thread::{self, sleep},
    time::Duration,
};

/// A communication: the name of its operation, and the line of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) operation: &'static str,
    pub(crate) location: &'static Location<'static>,
}
impl Call {
    #[track_caller]
    pub(crate) fn new(operation: &'static str) -> Self {
        Call {
            operation,
            location: Location::caller(),
        }
    }
}
impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.location, self.operation)
    }
}

/// The walk in which a communication takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Program,
    /// Tangents are communicated like the values.
    Tangents,
    /// Adjoints are communicated the other way around.
    Adjoints,
}
impl Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Program => "in the program",
            Way::Tangents => "for tangents",
            Way::Adjoints => "in a sweep for adjoints",
        })
    }
}

thread_local! {
    static LAST: Cell<Option<(Call, Way)>> = const { Cell::new(None) };
    /// Whether another rank reports the failure, too.
    static REPORTED: Cell<bool> = const { Cell::new(false) };
    /// The message of the last panic of the thread of `run`, which reports it.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}
pub(crate) fn note(call: Call, way: Way) {
    LAST.set(Some((call, way)));
}
/// Panics on all ranks of a communicator. The first one reports.
#[track_caller]
pub(crate) fn panic_together(rank: usize, message: &str) -> ! {
    REPORTED.set(rank != 0);
    panic!("{message}")
}
fn last() -> String {
    match LAST.get() {
        Some((call, way)) => format!("its last communication was {call} {way}"),
        None => "it had not communicated".into(),
    }
}

/// Ends all ranks with one message.
pub(crate) fn fail(message: &str) -> ! {
    let world = SimpleCommunicator::world();
    let rank = world.rank();
    // If several ranks fail for one reason, the first one ends the others before they report.
    let delay = match REPORTED.get() {
        true => Duration::from_secs(20),
        false => Duration::from_millis(400) * rank.min(20) as u32,
    };
    sleep(delay);
    let text = format!(
        "entape-mpi: rank {rank} of {} failed: {message}\n",
        world.size()
    );
    // In one piece, so that messages of several ranks are not mixed.
    _ = std::io::stderr().lock().write_all(text.as_bytes());
    _ = std::io::stderr().flush();
    // The launcher of MPICH drops unread output when the ranks end.
    sleep(Duration::from_millis(150));
    world.abort(1)
}

/// Starts MPI, runs `program` on each rank, and ends MPI. If the program panics or returns an error on any rank, all
/// ranks end with exit code 1 and one message. It names the rank, the failure with its line, and its last
/// communication.
///
/// ```
/// use entape_core::tape::{Error, Tape};
/// use entape_mpi::{Operation, run};
///
/// run(|ranks| {
///     let mut tape = Tape::new();
///     let x = tape.input(1.0 + ranks.rank() as f64);
///     let sum = tape.record(|| ranks.all_reduce(&(x * x).eval(), Operation::Sum).eval());
///     let gradient = tape.gradient(&sum)?;
///     // The sum of the adjoints on all ranks.
///     assert_eq!(gradient.wrt(&x)?, 2.0 * x.value() * ranks.size() as f64);
///     Ok::<_, Error>(())
/// });
/// ```
///
/// [`Communicator`]s and tapes with communications should not outlive the program, for example in thread-local
/// variables.
///
/// # Panics
/// If MPI was started before: then call [`Communicator::new`]. Failures then end all ranks if panics abort the process.
pub fn run<T, E: Display>(program: impl FnOnce(&Communicator) -> Result<T, E>) -> T {
    let universe = mpi::initialize().expect("MPI was started before");
    let (before, own) = (Arc::new(take_hook()), thread::current().id());
    let of_others = before.clone();
    set_hook(Box::new(move |panic| {
        if thread::current().id() == own {
            PANIC.set(Some(panic.to_string().replace('\n', " ")));
        } else {
            of_others(panic);
        }
    }));
    let ran = {
        let ranks = Communicator::new(&universe.world());
        catch_unwind(AssertUnwindSafe(|| program(&ranks)))
    };
    set_hook(Box::new(move |panic| before(panic)));
    match ran {
        Ok(Ok(value)) => {
            drop(universe);
            value
        }
        Ok(Err(error)) => fail(&format!("{error}; {}", last())),
        Err(payload) => {
            // A resumed panic does not call the hook. Further unwinding would drop `universe` and block until all ranks
            // end MPI.
            let text = || format!("a panic was resumed: {}", panic_message(&*payload));
            let message = PANIC.take().unwrap_or_else(text);
            fail(&format!("{message}; {}", last()))
        }
    }
}
