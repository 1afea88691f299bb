//! Options with which a tape is made.
use super::{current, modes::Records, recording::TapeRecording, sweep::SweepState, user::Tape};
use crate::{error::Error, kind::carrier::Taped};
use std::marker::PhantomData;

/// Options of a tape.
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
    refuse_casts: bool,
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
            refuse_casts: false,
            _mode: PhantomData,
        }
    }
}
impl<M: Records> Builder<M> {
    /// The size of each chunk of statements in bytes. A chunk into which a statement does not fit is made larger. By
    /// default, each new chunk is as large as all those before it, from 64 KiB to 64 MiB.
    pub fn chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk = Some(bytes);
        self
    }
    /// How many bytes the tape may allocate and use; there is no limit by default. They are counted for statements,
    /// primal values and adjoints, for the memory that values own which the tape holds or shares with variables
    /// (arrays, matrices, factorizations; each counts once), and for what this thread keeps for later values, which
    /// goes back to the system before a tape is called full.
    ///
    /// A tape that is not full can be swept within its limit: recording stops where the adjoints of a sweep would exceed it. Which
    /// variables have an adjoint at a time depends on statements that are yet to come and on what is seeded: a function that reads all
    /// states of a series at its end gives each of them one before the first is taken back. So each slot of a storage kind counts
    /// with an adjoint of the size of the value that was written to it last. A slot is that of a live variable or an input, or was
    /// that of a variable that was dropped, until another one takes it. Where values of live variables are most of the memory, the
    /// tape is full when they have half of the limit; values that statements have saved, as they were overwritten, count once.
    ///
    /// Not counted are the program's own memory, values that no tape holds, temporary values inside an expression or a rule, what an
    /// `Rc` owns that an operation keeps ([`Stash`](crate::store::Stash)), and memory that is reserved and not used. The limit
    /// is checked when a stage of 1 KiB is full and when a value may exceed it. It may be exceeded by as much, by a sixty-fourth of
    /// it, and while a vector grows, by what the vector holds. What the allocator takes for itself is estimated.
    ///
    /// A limit costs time only when the tape comes near to it: then the tape counts its values exactly before it stops.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }
    /// Allocates this many bytes for statements and their handles at once and touches them, so that recording meets no
    /// fresh pages.
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
    /// Allocates room for this many reals, likewise.
    pub fn preallocate_reals(mut self, identifiers: usize) -> Self {
        self.identifiers = identifiers;
        self
    }
    /// Gives each place in the source its own handles, so that [`Tape::find_non_finite`] names the line of the very
    /// statement and not that of the first one of its type. Recording becomes slower.
    pub fn trace(mut self, trace: bool) -> Self {
        self.trace = trace;
        self
    }
    /// Whether the cast of an active [`Eager`](crate::eager::Eager) to a plain number panics while the tape records; by
    /// default it does not. Casts in generic source, such as `T::from(x)` of `num_traits`, drop the derivative;
    /// [`eager`](crate::eager) has an example.
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
        recording.limit = self.limit;
        recording.trace = self.trace;
        recording.refuse_casts = self.refuse_casts;
        recording.statements.preallocate(self.preallocate)?;
        let mut sweep = SweepState::new(self.huge_pages);
        let (reals, adjoints) = (recording.memory.values.get::<f64>(), &mut sweep.adjoints);
        reals.preallocate(self.identifiers, adjoints.get())?;
        Ok(Tape::from_parts(recording, sweep))
    }
}
