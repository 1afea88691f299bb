//! How a tape is made.
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
    /// Bytes of each chunk of statements; one that a statement does not fit into is enlarged. Without it,
    /// each new chunk is as large as all those before, from 64 KiB to 64 MiB.
    pub fn chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk = Some(bytes);
        self
    }
    /// Bytes that the tape may allocate and use (no limit): for statements, primal values and adjoints, for the memory that values
    /// own which it holds or shares with variables (arrays, matrices, factorizations; each counts once), and for what waits on this
    /// thread for values to come, which goes back to the system before a tape is called full.
    ///
    /// Records stops where the adjoints of a sweep would exceed it, those of storage kinds as if every variable had one at a time.
    /// Memory of the program's own, of values that no tape has, of temporary values inside of an expression or a rule, and what an `Rc` owns
    /// that an operation keeps ([`Stash`](crate::store::Stash)) does not count, nor does memory that is reserved and not
    /// used. The limit is looked at when a stage of 1 KiB is full and when a value may exceed it, and may be exceeded by as much, by a
    /// sixty-fourth of it, and while a vector grows, by what it holds. What the allocator takes for itself is estimated.
    ///
    /// Another limit than none costs time only near to it: the tape looks through its values before it stops.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }
    /// Allocates this many bytes for statements, their handles included, at once and touches them, so that
    /// recording meets no fresh pages.
    pub fn preallocate(mut self, bytes: usize) -> Self {
        self.preallocate = bytes;
        self
    }
    /// Whether the system is asked for huge pages (yes, on Linux): fewer page faults while the tape grows,
    /// faster sweeps.
    pub fn huge_pages(mut self, huge_pages: bool) -> Self {
        self.huge_pages = huge_pages;
        self
    }
    /// Allocates room for this many reals, likewise.
    pub fn preallocate_reals(mut self, identifiers: usize) -> Self {
        self.identifiers = identifiers;
        self
    }
    /// Gives each place in the source handles of its own, so that [`Tape::find_non_finite`] names the line
    /// of the very statement and not that of the first one of its type. Records becomes slower.
    pub fn trace(mut self, trace: bool) -> Self {
        self.trace = trace;
        self
    }
    /// Whether the cast of an active [`Eager`](crate::eager::Eager) to a plain number panics while the tape records (no). Casts of generic
    /// source, as `T::from(x)` of `num_traits`, drop the derivative; [`eager`](crate::eager) has an example.
    pub fn refuse_casts(mut self, refuse_casts: bool) -> Self {
        self.refuse_casts = refuse_casts;
        self
    }
    /// Makes the tape.
    ///
    /// # Errors
    /// If the memory to preallocate is not to be had, or the process has made 2^32 recordings.
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
