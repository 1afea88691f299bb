use super::{current, modes::Records, recording::TapeRecording, sweep::SweepState, user::Tape};
use crate::{error::Error, kind::carrier::Taped};
use std::marker::PhantomData;

/// Options of a tape, from [`Tape::builder`].
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
    /// Sets the bytes of each chunk of statements; a larger statement enlarges its chunk. By default chunks grow from 256 bytes to
    /// 64 MiB.
    pub fn chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk = Some(bytes);
        self
    }
    /// Limits the bytes that the tape may allocate and use. At the limit it is [full](Tape::full): the program
    /// continues, and earlier statements can be swept. The default is unlimited.
    ///
    /// # What counts
    ///
    /// * The statements, the primal values, and the adjoints.
    /// * The memory of values that the tape stores or shares with variables, once for each value.
    /// * Memory pooled on this thread, which is freed before the tape counts as full.
    ///
    /// Other memory of the program, temporary values, the contents of a stored `Rc` ([`Stash`](crate::store::Stash)), and
    /// reserved memory do not count.
    ///
    /// # The adjoints of a sweep
    ///
    /// A tape that is not full can be swept within the limit. It assumes an adjoint of the size of the last value for
    /// each live variable and each input of a storage kind, and for a dropped variable until another one takes its
    /// slot. So if live variables own most of the memory, the tape is full when their values take half of the limit.
    ///
    /// # Precision
    ///
    /// The limit is checked after each KiB of statements and before large values. It may be exceeded by a KiB, by a
    /// sixty-fourth of the limit, and by a vector that grows. Near the limit a tape counts exactly and is slower.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }
    /// Allocates this many bytes for statements and handles, and touches each page to avoid page faults later.
    pub fn preallocate(mut self, bytes: usize) -> Self {
        self.preallocate = bytes;
        self
    }
    /// Sets whether the tape requests huge pages, which reduce page faults and accelerate sweeps. The default on Linux.
    pub fn huge_pages(mut self, huge_pages: bool) -> Self {
        self.huge_pages = huge_pages;
        self
    }
    /// Allocates memory for the values and adjoints of this many reals, and touches each page.
    pub fn preallocate_reals(mut self, identifiers: usize) -> Self {
        self.identifiers = identifiers;
        self
    }
    /// Sets whether each statement stores where it was recorded, so that [`Tape::find_non_finite`] reports its line.
    /// Recording becomes slower.
    pub fn trace(mut self, trace: bool) -> Self {
        self.trace = trace;
        self
    }
    /// Sets whether the tape re-evaluates every statement before a sweep, and panics if a result differs from the
    /// recorded value in any bit. This detects rules that cannot be repeated, parameters that are not read as written
    /// ([`Stash`](crate::store::Stash)), and parts that write more than they read ([`Part`](crate::store::Part)).
    ///
    /// It also compares the adjoint and the tangent of each operation with finite differences at the recorded values,
    /// along one direction for each active argument, and panics if they differ far beyond the error of the differences.
    /// Kinks, ends of a domain and values that are not finite pass. Only the first 1,000 statements of each type are
    /// compared.
    ///
    /// The message names the operation, the argument, the expression and its first line, or its own with
    /// [tracing](Self::trace).
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
    /// Parts are also tested at each read and write, as builds with debug assertions do for values of up to a kilobyte.
    ///
    /// Not tested are external functions, statements with a constant or passive variable that no adjoint reads, such as
    /// `x + 1.0`, sums of matrices within sums, and kinds without [known numbers](crate::kind::Kind::each_number). The
    /// tape keeps overwritten values, and a sweep takes several times as long.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
    /// Sets whether preaccumulated parts are recorded as their Jacobians, the default. Sweeps
    /// to second order need the statements instead.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_drivers::preaccumulate;
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
    /// Sets whether casting an active `Eager` real of `entape-eager` to a plain number panics while the tape records.
    /// Such casts, as by `T::from(x)` of `num_traits`, drop the derivative. The default is to permit them.
    ///
    /// Preaccumulated parts and inner drivers also refuse casts. Recordings during a sweep do not.
    pub fn refuse_casts(mut self, refuse_casts: bool) -> Self {
        self.refuse_casts = refuse_casts;
        self
    }
    /// Creates the tape.
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
