//! Options with which a tape is made.
use super::{current, modes::Records, recording::TapeRecording, sweep::SweepState, user::Tape};
use crate::{error::Error, kind::carrier::Taped};
use std::marker::PhantomData;

/// Options of a tape, from [`Tape::builder`]. Those that are not set have their defaults.
///
/// ```
/// use entape_core::tape::Tape;
///
/// let tape: Tape = Tape::builder().memory_limit(1 << 30).preallocate(1 << 20).build()?;
/// # let _: Tape = tape;
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[must_use]
#[derive(Clone, Debug)]
pub struct Builder<M = Taped> {
    chunk: Option<usize>,
    limit: usize,
    preallocate: usize,
    huge_pages: bool,
    identifiers: usize,
    trace: bool,
    verify: bool,
    refuse_casts: bool,
    preaccumulate: bool,
    _mode: PhantomData<M>,
}
impl<M> Default for Builder<M> {
    fn default() -> Self {
        Builder {
            chunk: None,
            limit: usize::MAX,
            preallocate: 0,
            huge_pages: true,
            identifiers: 0,
            trace: false,
            verify: false,
            refuse_casts: false,
            preaccumulate: true,
            _mode: PhantomData,
        }
    }
}
impl<M: Records> Builder<M> {
    /// The size of each chunk of statements in bytes. A chunk into which a statement does not fit is made larger. By
    /// default, the first chunk has 256 bytes, and each new one three times as many as all those before it, up to 64 KiB, and then as many as these, up to 64 MiB.
    pub fn chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk = Some(bytes);
        self
    }
    /// Limits the bytes that the tape may allocate and use. By default there is no limit. A tape that reaches it is
    /// [full](Tape::full): the program goes on computing, and what was recorded before can be swept.
    ///
    /// # What counts
    /// * The statements, the primal values, and the adjoints.
    /// * The memory owned by values that the tape holds or shares with variables, such as arrays, matrices and factorizations. A value that
    ///   is shared counts once.
    /// * Memory that this thread keeps for later values. It goes back to the system before the tape counts as full.
    ///
    /// The program's own memory does not count, nor do values that no tape holds, temporary values inside an expression or a rule, what an
    /// `Rc` owns that an operation keeps ([`Stash`](crate::store::Stash)), and memory that is reserved but not used.
    ///
    /// # The adjoints of a sweep
    /// Recording stops where a sweep would exceed the limit, so a tape that is not full can be swept within it. How many adjoints a
    /// sweep holds at a time depends on statements that are yet to come and on the seeds: if a function reads all states of a time series at
    /// its end, each state has an adjoint before the first one is taken back. So the tape assumes the worst. It counts an adjoint for
    /// each slot of a storage kind, as large as the value that was written to the slot last. Each live variable and each input has a slot,
    /// and the slot of a dropped variable counts until another variable takes it. Where most of the memory belongs to live variables,
    /// the tape is therefore full when their values take half of the limit. Old values, which statements save before they are overwritten, need no
    /// adjoint and count once.
    ///
    /// # Precision
    /// The limit is checked after each KiB of statements, and when a value is large enough to exceed it. It may be exceeded by that much, by
    /// a sixty-fourth of the limit, and, while a vector grows, by the contents of the vector. What the allocator takes for itself is an estimate.
    /// Only a tape that comes near to its limit loses time: it counts its values exactly before it stops.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }
    /// Allocates this many bytes for statements and their handles at once and touches each page of them. So the system does not have
    /// to provide fresh pages while the tape records.
    pub fn preallocate(mut self, bytes: usize) -> Self {
        self.preallocate = bytes;
        self
    }
    /// Whether the system is asked for huge pages, which is the default on Linux: there are fewer page faults while the
    /// tape grows, and sweeps are faster.
    pub fn huge_pages(mut self, huge_pages: bool) -> Self {
        self.huge_pages = huge_pages;
        self
    }
    /// Allocates room for the values and adjoints of this many reals at once, likewise.
    pub fn preallocate_reals(mut self, identifiers: usize) -> Self {
        self.identifiers = identifiers;
        self
    }
    /// Whether the tape remembers for each statement where in the source it was recorded. [`Tape::find_non_finite`] then names the line of that very
    /// statement, and not of the first one with the same expression. Recording becomes slower.
    pub fn trace(mut self, trace: bool) -> Self {
        self.trace = trace;
        self
    }
    /// Whether the tape evaluates every statement again before it sweeps, and panics if one does not give the recorded value to
    /// the last bit. That is how a rule shows that computes something else at the second time, a parameter that is not read as it
    /// was written ([`Stash`](crate::store::Stash)), or a part that writes more than it reads ([`Part`](crate::store::Part)). The
    /// message names the expression, and the line where it was recorded; with [tracing](Self::trace) that of the very statement.
    ///
    /// ```
    /// use entape_core::{op, tape::Tape};
    /// use std::cell::Cell;
    ///
    /// thread_local! { static CALLS: Cell<f64> = const { Cell::new(0.0) }; }
    /// #[op]
    /// fn drifting(#[ad_in(r_b)] x: f64) -> f64 {
    ///     x + CALLS.replace(CALLS.get() + 1.0)
    /// }
    /// let mut tape: Tape = Tape::builder().verify(true).build()?;
    /// let x = tape.input(1.0);
    /// let y = tape.record(|| drifting(x).eval());
    /// let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tape.gradient(&y).map(|_| ())));
    /// let message = panic.unwrap_err().downcast::<String>().unwrap();
    /// assert!(message.contains("Drifting(f64)"), "{message}");
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// Parts are tested at each read and write, too; builds with debug assertions do that on every tape for values of up to a
    /// kilobyte.
    ///
    /// Not evaluated again are external functions, statements with a constant or a passive variable that no adjoint reads, such as
    /// `x + 1.0`, and sums of matrices within sums, which are evaluated together and round otherwise than one by one. Values of kinds
    /// whose numbers are not known are not compared ([`Kind::each_number`](crate::kind::Kind::each_number)). The tape keeps all values that are overwritten, and a sweep
    /// takes several times as long.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
    /// Whether parts of programs that are [preaccumulated](crate::external::preaccumulate) are recorded as their Jacobians, which is so by default. Sweeps to
    /// second order need what they consist of.
    ///
    /// ```
    /// use entape_core::{external::preaccumulate, tape::Tape};
    ///
    /// let mut tape: Tape = Tape::builder().preaccumulate(false).build()?;
    /// let x = tape.input(3.0);
    /// let y = tape.record(|| preaccumulate(x, |x| (0..20).fold(x, |x, _| (x * x * 0.5).eval())));
    /// let mut directions = tape.directions::<1>()?;
    /// directions.set(&x, [1.0])?;
    /// assert!(directions.sweep()?.gradient(&y).is_ok());
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn preaccumulate(mut self, preaccumulate: bool) -> Self {
        self.preaccumulate = preaccumulate;
        self
    }
    /// Whether the cast of an active `Eager` real of the crate `entape-eager` to a plain number panics while the tape records; by
    /// default it does not. Casts in generic source, such as `T::from(x)` of `num_traits`, drop the derivative;
    /// the documentation of that crate has an example.
    ///
    /// What is recorded meanwhile refuses them, too: a part that is [preaccumulated](crate::external::preaccumulate), and a function
    /// that is given to a [driver](crate::driver). What a sweep records later, on a tape of its own, does not, such as steps between checkpoints.
    pub fn refuse_casts(mut self, refuse_casts: bool) -> Self {
        self.refuse_casts = refuse_casts;
        self
    }
    /// Makes the tape.
    ///
    /// # Errors
    /// If the memory to preallocate is not available, or the process has made 2^32 recordings.
    pub fn build(self) -> Result<Tape<M>, Error> {
        let mut recording = TapeRecording::new(current::new_tag()?, self.chunk, self.huge_pages);
        recording.memory.values.keep_shapes(true);
        if self.chunk.is_some() || self.preallocate > 0 || self.identifiers > 0 {
            recording.expect_many();
        }
        recording.limit = self.limit;
        recording.trace = self.trace;
        recording.verify = self.verify;
        recording.refuse_casts = self.refuse_casts;
        recording.keeps_parts = !self.preaccumulate;
        recording.statements.preallocate(self.preallocate)?;
        let mut sweep = SweepState::new(self.huge_pages);
        let (reals, adjoints) = (recording.memory.values.get::<f64>(), &mut sweep.adjoints);
        reals.preallocate(self.identifiers, adjoints.get())?;
        Ok(Tape::from_parts(recording, sweep))
    }
}
