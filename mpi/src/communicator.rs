//! Communicators, and how communications are checked and awaited.
use crate::{
    pattern::Pattern,
    pending::{Buffers, Pending},
    run::{Call, Way, fail, note, panic_together},
};
use mpi::{
    point_to_point::Status,
    topology::{Color, Communicator as _, SimpleCommunicator},
};
use std::{
    cell::{Cell, RefCell},
    fmt, mem,
    rc::Rc,
    thread,
    time::{Duration, Instant},
};

/// A group of ranks that communicate with each other, by statements on their tapes.
///
/// Operations return a [`Communication`](crate::Communication). Nothing is communicated before its
/// [`eval`](crate::Communication::eval) or [`start`](crate::Communication::start).
///
/// A clone is the same communicator. The [convention for replicated results](Communicator::once) is a property of the
/// handle.
#[derive(Clone)]
pub struct Communicator {
    pub(crate) shared: Rc<Shared>,
    /// Whether replicated results count once.
    pub(crate) once: bool,
}
impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Communicator")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .field("once", &self.once)
            .finish()
    }
}

/// Separate communicators of MPI for programs and walks over tapes.
pub(crate) struct Ranks(Option<[SimpleCommunicator; 3]>);
impl Ranks {
    fn get(&self) -> &[SimpleCommunicator; 3] {
        self.0
            .as_ref()
            .expect("communicators before they are freed")
    }
    pub(crate) fn of(&self, way: Way) -> &SimpleCommunicator {
        let [program, walk, _] = self.get();
        match way {
            Way::Program => program,
            Way::Tangents | Way::Adjoints => walk,
        }
    }
    fn reversed(&self) -> &SimpleCommunicator {
        &self.get()[2]
    }
}
impl Drop for Ranks {
    fn drop(&mut self) {
        // After the end of MPI nothing can be freed.
        if mpi::environment::is_finalized() {
            mem::forget(self.0.take());
        }
    }
}
pub(crate) struct Shared {
    pub(crate) ranks: Ranks,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    timeout: Rc<Cell<Duration>>,
    checked: Rc<Cell<bool>>,
    /// The number of messages sent to each rank.
    sent: RefCell<Vec<u64>>,
    /// The number of immediate collective operations, or of exchanges of borders.
    started: Cell<usize>,
}

/// The names of collective operations, which ranks compare.
const OPERATIONS: &[&str] = &[
    "barrier",
    "broadcast",
    "scatter",
    "gather",
    "gather_varcount",
    "all_gather",
    "all_gather_varcount",
    "reduce",
    "all_reduce",
    "reduce_scatter",
    "scan",
    "exclusive_scan",
    "all_to_all",
    "all_to_all_varcount",
    "fan_out",
    "exchange",
    "reduce_with",
    "all_reduce_with",
    "reduce_scatter_with",
    "scan_with",
    "exclusive_scan_with",
    "cartesian",
    "ordered_sum",
    "value_and_gradient",
    "checkpoints",
    "wait",
];
/// Returns twice 32 bits that depend on all bits of the numbers.
pub(crate) fn digest(numbers: &[f64]) -> [f64; 2] {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for x in numbers {
        hash = (hash ^ x.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    }
    [(hash >> 32) as f64, (hash & 0xffff_ffff) as f64]
}

impl Shared {
    fn new(ranks: &SimpleCommunicator) -> Rc<Self> {
        let (timeout, checked) = (Duration::from_secs(600), true);
        Self::with(
            ranks,
            Rc::new(Cell::new(timeout)),
            Rc::new(Cell::new(checked)),
        )
    }
    fn with(
        ranks: &SimpleCommunicator,
        timeout: Rc<Cell<Duration>>,
        checked: Rc<Cell<bool>>,
    ) -> Rc<Self> {
        let (rank, size) = (ranks.rank(), ranks.size());
        let reversed = ranks.split_by_color_with_key(Color::with_value(0), size - rank);
        let reversed = reversed.expect("a communicator of all ranks");
        Rc::new(Shared {
            ranks: Ranks(Some([ranks.duplicate(), ranks.duplicate(), reversed])),
            rank: rank as usize,
            size: size as usize,
            timeout,
            checked,
            sent: RefCell::new(vec![0; size as usize]),
            started: Cell::new(0),
        })
    }
    /// Returns a communicator of `ranks` with the settings of another one.
    pub(crate) fn like(ranks: &impl mpi::topology::Communicator, other: &Shared) -> Rc<Self> {
        let shared = Shared::new(&ranks.duplicate());
        shared.timeout.set(other.timeout.get());
        shared.checked.set(other.checked.get());
        shared
    }
    /// Returns another communicator of these ranks with the same settings, whose messages never match.
    pub(crate) fn beside(&self) -> Rc<Self> {
        let (timeout, checked) = (self.timeout.clone(), self.checked.clone());
        Self::with(self.ranks.of(Way::Program), timeout, checked)
    }
    /// Returns the number of the next message to a rank.
    pub(crate) fn next_number(&self, to: usize) -> u64 {
        let sent = &mut self.sent.borrow_mut()[to];
        *sent += 1;
        *sent
    }
    /// Returns the number of the next immediate collective operation, or exchange of borders.
    pub(crate) fn next_start(&self) -> usize {
        self.started.set(self.started.get() + 1);
        self.started.get()
    }
    /// Waits until `attempt` returns `Ok`.
    ///
    /// If this takes longer than the timeout, all ranks end with a message.
    pub(crate) fn wait<T, W>(
        &self,
        call: Call,
        way: Way,
        mut waiting: W,
        mut attempt: impl FnMut(W) -> Result<T, W>,
    ) -> T {
        note(call, way);
        let mut since = None;
        for attempts in 0_u32.. {
            match attempt(waiting) {
                Ok(done) => return done,
                Err(still) => waiting = still,
            }
            // More ranks than cores may run.
            match attempts {
                0..100 => {}
                100..5000 => thread::yield_now(),
                _ => thread::sleep(Duration::from_micros(50)),
            }
            if attempts % 256 == 255 {
                let since = *since.get_or_insert_with(Instant::now);
                if since.elapsed() > self.timeout.get() {
                    self.time_out(call, way);
                }
            }
        }
        unreachable!("it returns, or ends the process")
    }
    #[cold]
    fn time_out(&self, call: Call, way: Way) -> ! {
        let timeout = self.timeout.get();
        let reason = match way {
            Way::Program => "another rank may have ended, or called other operations",
            Way::Tangents | Way::Adjoints => {
                "another rank may not have started this sweep: all ranks make equal sweeps, also those without seeds"
            }
        };
        fail(&format!(
            "{call} {way} waited more than {timeout:?} for other ranks: {reason}"
        ))
    }
    pub(crate) fn complete(&self, call: Call, way: Way, pending: Pending) -> (Buffers, Status) {
        self.wait(call, way, pending, Pending::test)
    }
    pub(crate) fn start(&self, way: Way, pattern: &Pattern, x: Vec<f64>) -> Pending {
        pattern.start(self.ranks.of(way), self.ranks.reversed(), x)
    }
    pub(crate) fn finish(&self, call: Call, way: Way, pattern: &Pattern, p: Pending) -> Vec<f64> {
        let (buffers, _) = self.complete(call, way, p);
        pattern.finish(buffers, self.rank, self.size)
    }
    /// Makes a collective communication of numbers.
    pub(crate) fn now(&self, call: Call, way: Way, pattern: &Pattern, x: Vec<f64>) -> Vec<f64> {
        let pending = self.start(way, pattern, x);
        self.finish(call, way, pattern, pending)
    }
    /// Panics on all ranks unless all call the same operation with these numbers.
    #[track_caller]
    pub(crate) fn check(&self, call: Call, numbers: [usize; 2], of: &str) {
        self.check_shapes(call, numbers, of, || 0);
    }
    /// Panics on all ranks unless all call the same operation with these numbers, and shapes with this hash.
    #[track_caller]
    pub(crate) fn check_shapes(
        &self,
        call: Call,
        numbers: [usize; 2],
        of: &str,
        shapes: impl FnOnce() -> u32,
    ) {
        if !self.checked.get() || self.size == 1 {
            return;
        }
        let code = OPERATIONS.iter().position(|name| *name == call.operation);
        let code = code.unwrap_or_else(|| unreachable!("{} is in the list", call.operation));
        let mine = [code, numbers[0], numbers[1], shapes() as usize].map(|n| n as f64);
        let both: Vec<f64> = mine.iter().copied().chain(mine.map(|n| -n)).collect();
        let least = self.now(call, Way::Program, &Pattern::Least { count: 8 }, both);
        let equal = least[..4].iter().zip(&least[4..]).all(|(a, b)| *a == -b);
        if !equal {
            self.report_difference(call, mine, of);
        }
    }
    #[cold]
    #[track_caller]
    fn report_difference(&self, call: Call, mine: [f64; 4], of: &str) -> ! {
        let counts = vec![4; self.size];
        let pattern = Pattern::AllGather { counts };
        let all = self.now(call, Way::Program, &pattern, mine.to_vec());
        let (first, other) = all
            .chunks(4)
            .enumerate()
            .find(|(_, other)| **other != all[..4])
            .expect("a rank that differs");
        let describe = |numbers: &[f64]| {
            let operation = OPERATIONS[numbers[0] as usize];
            format!("`{operation}` ({of} {}, {})", numbers[1], numbers[2])
        };
        let shapes = match other[..3] == all[..3] {
            true => " with variables of other shapes",
            false => "",
        };
        let (zero, other) = (describe(&all[..4]), describe(other) + shapes);
        let message = format!(
            "{call}: the ranks differ: rank 0 calls {zero}, and rank {first} calls {other}"
        );
        panic_together(self.rank, &message)
    }
    /// Starts to compare numbers that should be equal on all ranks.
    pub(crate) fn start_agreement(&self, way: Way, numbers: &[f64]) -> Pending {
        let [a, b] = digest(numbers);
        self.start(way, &Pattern::Least { count: 4 }, vec![a, b, -a, -b])
    }
    /// Returns whether all ranks have the same numbers, bit by bit.
    pub(crate) fn finish_agreement(&self, call: Call, way: Way, pending: Pending) -> bool {
        let least = self.finish(call, way, &Pattern::Least { count: 4 }, pending);
        least[0] == -least[2] && least[1] == -least[3]
    }
    pub(crate) fn agree(&self, call: Call, way: Way, numbers: &[f64]) -> bool {
        let pending = self.start_agreement(way, numbers);
        self.finish_agreement(call, way, pending)
    }
    pub(crate) fn checked(&self) -> bool {
        self.checked.get()
    }
}

impl Communicator {
    /// Makes a communicator of the ranks of one of rsmpi, with separate messages. All its ranks call this.
    pub fn new(ranks: &impl mpi::topology::Communicator) -> Self {
        Communicator {
            shared: Shared::new(&ranks.duplicate()),
            once: false,
        }
    }
    /// Returns the number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.shared.rank
    }
    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.shared.size
    }
    /// Returns the communicator with the convention that replicated results count once.
    ///
    /// `broadcast`, `all_gather` and `all_reduce` give all ranks equal results, whose adjoint depends on their use:
    ///
    /// * By default, **each rank uses its copy for its own part of the work**, and the objective is the sum of all
    ///   parts. The adjoint is the sum of the adjoints of all copies.
    /// * With `once`, **all ranks make the same computation with their copies**, and arrive at one objective. The
    ///   adjoints of all copies are equal, and count once. If they differ in any bit, which takes the sweep a message
    ///   of a few bytes to check, it returns an [`Error::External`](entape_core::tape::Error::External) on all ranks.
    ///
    /// ```
    /// # use entape_core::tape::{Error, Tape};
    /// # use entape_mpi::{Operation, run};
    /// # run(|ranks| {
    /// let mut tape = Tape::new();
    /// let x = tape.input(1.0 + ranks.rank() as f64);
    /// // All ranks compute the objective from the sum over ranks.
    /// let y = tape.record(|| {
    ///     let sum = ranks.once().all_reduce(&x, Operation::Sum).eval();
    ///     (sum * sum).eval()
    /// });
    /// let total = (ranks.size() * (ranks.size() + 1)) as f64 / 2.0;
    /// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 2.0 * total);
    /// # Ok::<_, Error>(())
    /// # });
    /// ```
    #[must_use]
    pub fn once(&self) -> Self {
        Communicator {
            shared: self.shared.clone(),
            once: true,
        }
    }
    /// Sets for how long a rank may be blocked before all ranks end with a message. Ten minutes by default. Applies to
    /// all clones.
    pub fn timeout(&self, timeout: Duration) {
        self.shared.timeout.set(timeout);
    }
    /// Sets whether collective operations first compare operation, root and counts on all ranks, by a message of a few
    /// bytes. By default they do. Sweeps do not. All ranks set the same.
    pub fn checks(&self, checks: bool) {
        self.shared.checked.set(checks);
    }
    /// Divides the ranks: equal `color`s form a communicator, in the order of `key`. All ranks call this.
    ///
    /// # Panics
    /// If `color` exceeds the range of `i32`.
    #[must_use]
    #[track_caller]
    pub fn split(&self, color: usize, key: i32) -> Self {
        let color = i32::try_from(color).expect("a color in the range of i32");
        let ranks = self.shared.ranks.of(Way::Program);
        let ranks = ranks.split_by_color_with_key(Color::with_value(color), key);
        let ranks = ranks.expect("a communicator of a color");
        Communicator {
            shared: Shared::like(&ranks, &self.shared),
            once: self.once,
        }
    }
}
