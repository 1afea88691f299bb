//! Communications in flight, which own their buffers. The only file of this crate with unsafe code.
//!
//! A request of rsmpi borrows its buffers for a scope. An immediate communication begins and ends in different
//! functions, and in a sweep in different statements. So the request must own its buffers, which the safe interface of
//! rsmpi cannot express.
#![allow(unsafe_code)] // requests that own their buffers
use mpi::{
    Count,
    datatype::{
        AsDatatype, Partitioned, PartitionedBuffer, PartitionedBufferMut, Pointer, PointerMut,
    },
    ffi::MPI_Request,
    point_to_point::Status,
    request::{LocalScope, Request, Scope, StaticScope, scope},
    traits::Equivalence,
};
use std::{ffi::c_void, marker::PhantomData, mem, process};

/// Numbers, and how they are divided among ranks.
#[derive(Debug, Default)]
pub(crate) struct Parted {
    numbers: Vec<f64>,
    counts: Vec<Count>,
    starts: Vec<Count>,
}
impl Parted {
    pub(crate) fn whole(numbers: Vec<f64>) -> Self {
        Parted {
            numbers,
            ..Parted::default()
        }
    }
    /// Divides `numbers` into consecutive parts of these lengths.
    pub(crate) fn new(numbers: Vec<f64>, counts: &[usize]) -> Self {
        let mut starts = Vec::with_capacity(counts.len());
        let mut at = 0;
        for &count in counts {
            starts.push(to_count(at));
            at += count;
        }
        assert_eq!(at, numbers.len(), "numbers for all parts");
        Parted {
            numbers,
            counts: counts.iter().map(|&count| to_count(count)).collect(),
            starts,
        }
    }
    /// Returns space for parts of these lengths.
    pub(crate) fn space(counts: &[usize]) -> Self {
        Parted::new(vec![0.0; counts.iter().sum()], counts)
    }
    pub(crate) fn numbers(&self) -> &[f64] {
        &self.numbers
    }
    pub(crate) fn numbers_mut(&mut self) -> &mut [f64] {
        &mut self.numbers
    }
    pub(crate) fn into_numbers(self) -> Vec<f64> {
        self.numbers
    }
}
fn to_count(count: usize) -> Count {
    let small = Count::try_from(count);
    small.unwrap_or_else(|_| panic!("a message of {count} numbers: MPI counts to 2^31"))
}
// SAFETY: the numbers of a vector are `f64`, and this is the datatype of `f64`.
unsafe impl AsDatatype for Parted {
    type Out = <f64 as Equivalence>::Out;
    fn as_datatype(&self) -> Self::Out {
        f64::equivalent_datatype()
    }
}
// SAFETY: it points to the numbers of the vector. `new` checks that all parts are within it, and the fields are private to this
// file, which does not change their lengths.
unsafe impl Pointer for Parted {
    fn pointer(&self) -> *const c_void {
        self.numbers.as_ptr().cast()
    }
}
// SAFETY: like `Pointer`.
unsafe impl PointerMut for Parted {
    fn pointer_mut(&mut self) -> *mut c_void {
        self.numbers.as_mut_ptr().cast()
    }
}
impl Partitioned for Parted {
    fn counts(&self) -> &[Count] {
        &self.counts
    }
    fn displs(&self) -> &[Count] {
        &self.starts
    }
}
impl PartitionedBuffer for Parted {}
impl PartitionedBufferMut for Parted {}

#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) send: Parted,
    pub(crate) receive: Parted,
}

/// A communication that was started on buffers that live for `'a`.
pub(crate) struct Started<'a>(MPI_Request, PhantomData<&'a mut Buffers>);
impl<'a> Started<'a> {
    pub(crate) fn new<D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) -> Self {
        // SAFETY: the handle must be completed while the buffers live, which the scope enforced before. Only `Pending::start`
        // calls functions that return a `Started`, and its comment proves it. A `Started` that is dropped ends the process.
        let (request, _, _) = unsafe { request.into_raw() };
        Started(request, PhantomData)
    }
}
impl Drop for Started<'_> {
    fn drop(&mut self) {
        eprintln!("entape-mpi: a communication was started and lost");
        process::abort();
    }
}

/// A communication in flight. If it is dropped before it is complete, its buffers are leaked, because MPI may still access
/// them.
#[derive(Debug)]
pub(crate) struct Pending {
    request: Option<Request<'static, (), StaticScope>>,
    buffers: Buffers,
}
impl Pending {
    /// Starts a communication on `buffers`.
    pub(crate) fn start(
        mut buffers: Buffers,
        start: impl for<'a, 'b> FnOnce(&'b LocalScope<'a>, &'a mut Buffers) -> Started<'a>,
    ) -> Self {
        let request = {
            let borrowed = &mut buffers;
            let started = scope(|scope| start(scope, borrowed));
            let request = started.0;
            mem::forget(started);
            request
        };
        // SAFETY:
        // - `request` is a live handle that no one else uses: `Started::new` took it out of a request, which then ceased to
        //   exist.
        // - The communication accesses only memory that outlives it. `start` is called with references of any lifetime `'a`,
        //   and returns a `Started<'a>`, so the memory that the request borrowed belongs to `buffers` or is static. In
        //   `buffers`, it is memory on the heap that vectors own. Moving `buffers` into `Pending` moves the vectors but not
        //   that memory. Until the request is complete, the vectors are neither accessed nor dropped: the field is private,
        //   `test` reads it after completion, and `drop` forgets it before.
        // - `()` does not borrow memory.
        let request = unsafe { Request::from_raw(request, &(), StaticScope) };
        Pending {
            request: Some(request),
            buffers,
        }
    }
    /// Returns the buffers and the status of a complete communication, and otherwise the communication.
    #[allow(clippy::result_large_err)] // the communication itself, which is moved back
    pub(crate) fn test(mut self) -> Result<(Buffers, Status), Self> {
        let request = self.request.take().expect("a communication in flight");
        match request.test() {
            Ok(status) => Ok((mem::take(&mut self.buffers), status)),
            Err(request) => {
                self.request = Some(request);
                Err(self)
            }
        }
    }
}
impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            // Dropping the request would panic.
            mem::forget(request);
            mem::forget(mem::take(&mut self.buffers));
        }
    }
}
