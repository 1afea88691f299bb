//! Collective communications as linear maps of numbers that are spread over ranks, and their transposes.
use crate::pending::{Buffers, Parted, Pending, Started};
use mpi::{
    collective::{CommunicatorCollectives, Root, SystemOperation},
    topology::{Communicator as _, SimpleCommunicator},
};

/// A collective communication. Each rank contributes numbers and gets numbers; `counts` has one entry for each rank.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// Numbers of the root, for all ranks.
    Broadcast { root: usize, count: usize },
    /// The sum over all ranks, for the root.
    Reduce { root: usize, count: usize },
    /// The numbers of all ranks, for the root.
    Gather { root: usize, counts: Vec<usize> },
    /// A part of the numbers of the root, for each rank.
    Scatter { root: usize, counts: Vec<usize> },
    /// The numbers of all ranks, for all ranks.
    AllGather { counts: Vec<usize> },
    /// A part of the sum over all ranks, for each rank.
    ReduceScatter { counts: Vec<usize> },
    /// The sum over all ranks, for all ranks.
    AllReduce { count: usize },
    /// The least number over all ranks, for all ranks. It is not linear and has no transpose.
    Least { count: usize },
    /// The sum over this rank and lower ones, or if `reversed`, and higher ones. An exclusive one does not include this rank.
    Scan {
        count: usize,
        exclusive: bool,
        reversed: bool,
    },
    /// A part of the numbers of each rank, for each rank: the lengths of the parts for ranks, and from ranks.
    AllToAll {
        sent: Vec<usize>,
        received: Vec<usize>,
    },
    /// Nothing, after all ranks called it.
    Barrier,
}
use Pattern::*;

impl Pattern {
    /// Returns the communication of the adjoints.
    pub(crate) fn transpose(&self) -> Pattern {
        match self.clone() {
            Broadcast { root, count } => Reduce { root, count },
            Reduce { root, count } => Broadcast { root, count },
            Gather { root, counts } => Scatter { root, counts },
            Scatter { root, counts } => Gather { root, counts },
            AllGather { counts } => ReduceScatter { counts },
            ReduceScatter { counts } => AllGather { counts },
            AllReduce { count } => AllReduce { count },
            Scan {
                count,
                exclusive,
                reversed,
            } => Scan {
                count,
                exclusive,
                reversed: !reversed,
            },
            AllToAll { sent, received } => AllToAll {
                sent: received,
                received: sent,
            },
            Least { .. } => unreachable!("the minimum is not linear"),
            Barrier => Barrier,
        }
    }
    /// Starts the communication of `x`. In communicator `reversed`, the ranks have the reverse order.
    pub(crate) fn start(
        &self,
        communicator: &SimpleCommunicator,
        reversed: &SimpleCommunicator,
        x: Vec<f64>,
    ) -> Pending {
        let rank = communicator.rank() as usize;
        let of = |root: usize| communicator.process_at_rank(root as i32);
        let sum = SystemOperation::sum;
        let space = |count: usize| Parted::whole(vec![0.0; count]);
        match self {
            // Non-blocking reductions of no numbers are not always complete in Open MPI 4, so such a message is a barrier.
            Broadcast { count: 0, .. }
            | Reduce { count: 0, .. }
            | AllReduce { count: 0 }
            | Scan { count: 0, .. }
            | Barrier => Pending::start(Buffers::default(), |_, _| {
                Started::new(communicator.immediate_barrier())
            }),
            Broadcast { root, count } => {
                let receive = match rank == *root {
                    true => Parted::whole(x),
                    false => space(*count),
                };
                let send = Parted::default();
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let numbers = b.receive.numbers_mut();
                    Started::new(of(*root).immediate_broadcast_into(scope, numbers))
                })
            }
            Reduce { root, count } => {
                let send = Parted::whole(x);
                if rank != *root {
                    let receive = Parted::default();
                    return Pending::start(Buffers { send, receive }, |scope, b| {
                        let numbers = b.send.numbers();
                        Started::new(of(*root).immediate_reduce_into(scope, numbers, sum()))
                    });
                }
                let receive = space(*count);
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, into) = (b.send.numbers(), b.receive.numbers_mut());
                    let root = of(*root);
                    Started::new(root.immediate_reduce_into_root(scope, numbers, into, sum()))
                })
            }
            Gather { root, counts } => {
                let send = Parted::whole(x);
                if rank != *root {
                    let receive = Parted::default();
                    return Pending::start(Buffers { send, receive }, |scope, b| {
                        let numbers = b.send.numbers();
                        Started::new(of(*root).immediate_gather_varcount_into(scope, numbers))
                    });
                }
                let receive = Parted::space(counts);
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, root) = (b.send.numbers(), of(*root));
                    let into = &mut b.receive;
                    Started::new(root.immediate_gather_varcount_into_root(scope, numbers, into))
                })
            }
            Scatter { root, counts } => {
                let receive = space(counts[rank]);
                if rank != *root {
                    let send = Parted::default();
                    return Pending::start(Buffers { send, receive }, |scope, b| {
                        let into = b.receive.numbers_mut();
                        Started::new(of(*root).immediate_scatter_varcount_into(scope, into))
                    });
                }
                let send = Parted::new(x, counts);
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (root, into) = (of(*root), b.receive.numbers_mut());
                    Started::new(root.immediate_scatter_varcount_into_root(scope, &b.send, into))
                })
            }
            AllGather { counts } => {
                let (send, receive) = (Parted::whole(x), Parted::space(counts));
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, into) = (b.send.numbers(), &mut b.receive);
                    let started =
                        communicator.immediate_all_gather_varcount_into(scope, numbers, into);
                    Started::new(started)
                })
            }
            ReduceScatter { counts } => {
                // rsmpi takes parts of equal lengths, so shorter ones are filled with the neutral element of sums.
                let longest = counts.iter().copied().max().unwrap_or(0);
                let mut padded = Vec::with_capacity(longest * counts.len());
                let mut rest = &x[..];
                for (i, &count) in counts.iter().enumerate() {
                    let (part, after) = rest.split_at(count);
                    rest = after;
                    padded.extend_from_slice(part);
                    padded.resize(longest * (i + 1), -0.0);
                }
                if longest == 0 {
                    return Barrier.start(communicator, reversed, Vec::new());
                }
                let (send, receive) = (Parted::whole(padded), space(longest));
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, into) = (b.send.numbers(), b.receive.numbers_mut());
                    let started = communicator.immediate_reduce_scatter_block_into(
                        scope,
                        numbers,
                        into,
                        sum(),
                    );
                    Started::new(started)
                })
            }
            AllReduce { count } => {
                let (send, receive) = (Parted::whole(x), space(*count));
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, into) = (b.send.numbers(), b.receive.numbers_mut());
                    Started::new(communicator.immediate_all_reduce_into(
                        scope,
                        numbers,
                        into,
                        sum(),
                    ))
                })
            }
            Least { count } => {
                let (send, receive) = (Parted::whole(x), space(*count));
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (numbers, into) = (b.send.numbers(), b.receive.numbers_mut());
                    let least = SystemOperation::min();
                    Started::new(
                        communicator.immediate_all_reduce_into(scope, numbers, into, least),
                    )
                })
            }
            Scan {
                count,
                exclusive,
                reversed: back,
            } => {
                let ranks = if *back { reversed } else { communicator };
                let (send, receive) = (Parted::whole(x), space(*count));
                let exclusive = *exclusive;
                Pending::start(Buffers { send, receive }, move |scope, b| {
                    let (numbers, into) = (b.send.numbers(), b.receive.numbers_mut());
                    match exclusive {
                        true => Started::new(ranks.immediate_exclusive_scan_into(
                            scope,
                            numbers,
                            into,
                            sum(),
                        )),
                        false => {
                            Started::new(ranks.immediate_scan_into(scope, numbers, into, sum()))
                        }
                    }
                })
            }
            AllToAll { sent, received } => {
                let (send, receive) = (Parted::new(x, sent), Parted::space(received));
                Pending::start(Buffers { send, receive }, |scope, b| {
                    let (send, into) = (&b.send, &mut b.receive);
                    let started =
                        communicator.immediate_all_to_all_varcount_into(scope, send, into);
                    Started::new(started)
                })
            }
        }
    }
    /// Returns the numbers that this rank gets.
    pub(crate) fn finish(&self, buffers: Buffers, rank: usize, size: usize) -> Vec<f64> {
        let mut numbers = buffers.receive.into_numbers();
        match self {
            ReduceScatter { counts } => numbers.truncate(counts[rank]),
            Scan {
                exclusive: true,
                reversed,
                ..
            } if rank == if *reversed { size - 1 } else { 0 } => {
                // MPI leaves the sum of no ranks undefined.
                numbers.fill(-0.0);
            }
            _ => {}
        }
        numbers
    }
}
