//! Derivatives through MPI.
//!
//! Each communication is one statement on the tape of each *rank* that takes part. A sweep makes the adjoint
//! communication: a send becomes a receive, a broadcast a reduction. All ranks record and sweep together, each its own
//! tape.
//!
//! ```
//! use entape_core::tape::{Error, Tape};
//! use entape_mpi::{Operation, run};
//!
//! // mpirun -n 4 program
//! run(|ranks| {
//!     let mut tape = Tape::new();
//!     // Each rank has a part of the inputs.
//!     let x = tape.inputs([1.0 + ranks.rank() as f64, 2.0]);
//!     let y = tape.record(|| {
//!         let part = (x[0] * x[1]).eval();
//!         let sum = ranks.once().all_reduce(&part, Operation::Sum).eval();
//!         (sum * sum).eval()
//!     });
//!     let gradient = tape.gradient(&y)?; // on all ranks
//!     let sum = (ranks.size() * (ranks.size() + 1)) as f64;
//!     assert_eq!(gradient.wrt(&x[0])?, 2.0 * sum * 2.0);
//!     Ok::<_, Error>(())
//! });
//! ```
//!
//! # Operations
//!
//! Operations of a [`Communicator`] are blocking ([`eval`](Communication::eval)) or immediate
//! ([`start`](Communication::start)). Arguments and results are variables of all kinds with
//! [coordinates](entape_core::coordinates::Coordinates): reals, complex numbers, arrays and matrices, and lists and
//! structs of them.
//!
//! | operation | adjoint |
//! |---|---|
//! | [`send`](Communicator::send), [`receive`](Communicator::receive) | receive, send |
//! | [`send_receive`](Communicator::send_receive) | the other way around |
//! | [`broadcast`](Communicator::broadcast) | sum for the root |
//! | [`scatter`](Communicator::scatter), [`gather`](Communicator::gather) | gather, scatter |
//! | [`all_gather`](Communicator::all_gather), [`reduce_scatter`](Communicator::reduce_scatter) | reduce-scatter, all-gather |
//! | [`reduce`](Communicator::reduce) | broadcast, to the ranks that have the least or greatest numbers |
//! | [`all_reduce`](Communicator::all_reduce) | all-reduce |
//! | [`scan`](Communicator::scan), [`exclusive_scan`](Communicator::exclusive_scan) | scan from the last rank |
//! | [`all_to_all`](Communicator::all_to_all) | all-to-all |
//! | [`barrier`](Communicator::barrier) | barrier |
//! | [`fan_out`](Communicator::fan_out) | all-reduce |
//! | [`Halo::exchange`] | adjoints of the borders return to the cells that they copy |
//!
//! They are linear, or select numbers, so all modes and derivatives make these communications, too. Products and your
//! own operations ([`Communicator::all_reduce_with`]) gather the variables and record the operations.
//!
//! # Rules for programs
//!
//! * **All ranks make equal sweeps**: as many, of one sort, in one order. A rank without a seed calls
//!   [`Tape::sweep`](entape_core::tape::Tape::sweep) without one. Drivers such as
//!   [`gradient`](entape_drivers::gradient) do so if the function ends with a result that all ranks have. If a
//!   rank does not sweep, the others end the program after a [timeout](Communicator::timeout).
//! * **Objectives that all ranks have count once**: see [`Communicator::once`].
//! * A program without deadlocks has sweeps without deadlocks, as messages are reversed.
//! * Immediate collective operations [end](Request::wait) in the same order on all ranks.
//! * A sweep that stops [at a position](entape_core::tape::Tape::sweep_to) between the start and the end of an immediate
//!   communication must be continued.
//! * `hessian_vector` multiplies the Hessian of all ranks by the directions of all ranks.
//!   [`jacobian`](entape_drivers::jacobian) and [`hessian`](entape_drivers::hessian) seed number `i` on all
//!   ranks at once. They are for parameters that [fan out](Communicator::fan_out), and for equal numbers of outputs.
//! * [Preaccumulated](entape_drivers::preaccumulate) parts must not communicate.
//! * Sparsity patterns are not available.
#![deny(unsafe_code)]
mod collective;
mod communicator;
mod driver;
mod halo;
mod message;
mod pattern;
mod pending;
mod point_to_point;
mod run;
mod statement;
mod transfer;

pub use self::{
    collective::{Operation, product},
    communicator::Communicator,
    halo::{Grid, Halo},
    point_to_point::Source,
    run::run,
    statement::{Communication, ListOf, Request},
};

/// The page of the guide, whose listings are tests of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/src/mpi.md")]
mod guide {}
