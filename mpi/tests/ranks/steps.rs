//! Steps of programs on all ranks, each with its counterpart on one rank.
use entape_core::{
    expr::Active,
    mode::{AnyMode, Mode},
    real::Elementary,
};
use entape_mpi::{Communicator, Operation, Source, product};

pub type Real<M> = Active<f64, M>;

/// Random numbers: splitmix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);
impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// A number from 0.5 to 1.5.
    pub fn number(&mut self) -> f64 {
        0.5 + (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    Blocking,
    Immediate,
}
/// A map of lists of reals on all ranks, which keeps their lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    Local,
    /// Makes the numbers of one rank passive.
    Passive(usize),
    Barrier(How),
    Broadcast(usize, How),
    Reduce(usize, Operation, How),
    AllReduce(Operation, How),
    AllReduceProduct,
    ReduceProduct(usize),
    Gather(usize, How),
    GatherVarcount(usize, How),
    AllGather(How),
    AllGatherVarcount(How),
    Scatter(usize, How),
    AllToAll(How),
    AllToAllVarcount(How),
    ReduceScatter(How),
    ReduceScatterProduct,
    Scan(Operation, How),
    ScanProduct,
    ExclusiveScan(Operation, How),
    ExclusiveScanProduct,
    /// Each rank sends to a rank that is higher by this number.
    Ring(usize, How),
    /// Rank by rank along a chain, blocking.
    Chain,
    /// Two messages with one tag to the next rank, which end in the other order on the sender, the receiver, or both.
    Crossed(bool, bool),
    /// All ranks send to one, which receives from any.
    ToAny(usize),
    Empty,
}
pub const OPERATIONS: [Operation; 3] = [Operation::Sum, Operation::Min, Operation::Max];

impl Step {
    pub fn all(size: usize) -> Vec<Step> {
        use Step::*;
        let mut all = vec![
            Local,
            AllReduceProduct,
            ReduceScatterProduct,
            ScanProduct,
            ExclusiveScanProduct,
            Chain,
            Empty,
        ];
        for a in [false, true] {
            all.extend([false, true].map(|b| Crossed(a, b)));
        }
        for how in [How::Blocking, How::Immediate] {
            all.extend([
                Barrier(how),
                AllGather(how),
                AllGatherVarcount(how),
                AllToAll(how),
                AllToAllVarcount(how),
                ReduceScatter(how),
            ]);
            for operation in OPERATIONS {
                all.extend([
                    AllReduce(operation, how),
                    Scan(operation, how),
                    ExclusiveScan(operation, how),
                ]);
            }
            for rank in 0..size {
                all.extend([
                    Broadcast(rank, how),
                    Gather(rank, how),
                    GatherVarcount(rank, how),
                    Scatter(rank, how),
                    Ring(rank, how),
                ]);
                all.extend(OPERATIONS.map(|operation| Reduce(rank, operation, how)));
            }
        }
        for rank in 0..size {
            all.extend([Passive(rank), ReduceProduct(rank), ToAny(rank)]);
        }
        all
    }
    pub fn random(random: &mut Random, size: usize) -> Step {
        let all = Step::all(size);
        all[random.below(all.len())]
    }

    pub fn on_ranks<M: Mode>(&self, ranks: &Communicator, x: &[Real<M>]) -> Vec<Real<M>> {
        let (rank, size, n) = (ranks.rank(), ranks.size(), x.len());
        macro_rules! make {
            ($how:expr, $communication:expr) => {
                match $how {
                    How::Blocking => $communication.eval(),
                    How::Immediate => {
                        let request = $communication.start();
                        let work: Real<M> =
                            (x.first().copied().unwrap_or(Real::passive(1.0)) * 2.0).eval();
                        assert!(work.value().is_finite());
                        request.wait()
                    }
                }
            };
        }
        let scaled =
            |k: usize| -> Vec<Real<M>> { x.iter().map(|x| (*x * k as f64).eval()).collect() };
        let weighted = |all: &[Vec<Real<M>>]| -> Vec<Real<M>> {
            let of = |i: usize| {
                all.iter()
                    .enumerate()
                    .fold(Real::passive(0.0), |sum: Real<M>, (r, x)| match x.get(i) {
                        Some(x) => (sum + *x * weight(r)).eval(),
                        None => sum,
                    })
            };
            (0..n).map(of).collect()
        };
        match *self {
            Step::Local => local(x),
            Step::Passive(who) => match rank == who {
                true => x.iter().map(|x| Real::passive(x.value())).collect(),
                false => x.to_vec(),
            },
            Step::Barrier(how) => {
                let []: [Real<M>; 0] = make!(how, ranks.barrier::<M>());
                x.to_vec()
            }
            Step::Broadcast(root, how) => make!(how, ranks.broadcast(root, x)),
            Step::Reduce(root, operation, how) => {
                let made = make!(how, ranks.reduce(root, x, operation));
                assert_eq!(made.is_some(), rank == root);
                made.unwrap_or(x.to_vec())
            }
            Step::AllReduce(operation, how) => make!(how, ranks.all_reduce(x, operation)),
            Step::AllReduceProduct => ranks.all_reduce_with(x, product_of),
            Step::ReduceProduct(root) => {
                ranks.reduce_with(root, x, product_of).unwrap_or(x.to_vec())
            }
            Step::Gather(root, how) => {
                let made = make!(how, ranks.gather(root, x));
                if rank == root {
                    weighted(&made)
                } else {
                    x.to_vec()
                }
            }
            Step::GatherVarcount(root, how) => {
                let part = &x[..length(rank, n)];
                let like = |rank| vec![0.0; length(rank, n)];
                let made = make!(how, ranks.gather_varcount(root, part, like));
                if rank == root {
                    weighted(&made)
                } else {
                    x.to_vec()
                }
            }
            Step::AllGather(how) => weighted(&make!(how, ranks.all_gather(x))),
            Step::AllGatherVarcount(how) => {
                let part = &x[..length(rank, n)];
                let like = |rank| vec![0.0; length(rank, n)];
                weighted(&make!(how, ranks.all_gather_varcount(part, like)))
            }
            Step::Scatter(root, how) => {
                let parts: Vec<_> = match rank == root {
                    true => (0..size).map(|r| scaled(r + 1)).collect(),
                    false => vec![],
                };
                make!(how, ranks.scatter(root, &parts, vec![0.0; n]))
            }
            Step::AllToAll(how) => {
                let parts: Vec<_> = (0..size).map(|r| scaled(r + 1)).collect();
                weighted(&make!(how, ranks.all_to_all(&parts, vec![0.0; n])))
            }
            Step::AllToAllVarcount(how) => {
                let part = |r| scaled(r + 1)[..length(rank + r, n)].to_vec();
                let parts: Vec<_> = (0..size).map(part).collect();
                let like = |r| vec![0.0; length(rank + r, n)];
                weighted(&make!(how, ranks.all_to_all_varcount(&parts, like)))
            }
            Step::ReduceScatter(how) => {
                let part = |r| scaled(r + 1)[..length(r, n)].to_vec();
                let parts: Vec<_> = (0..size).map(part).collect();
                let mut y = x.to_vec();
                let made = make!(
                    how,
                    ranks.reduce_scatter(&parts, vec![0.0; length(rank, n)])
                );
                y[..made.len()].copy_from_slice(&made);
                y
            }
            Step::ReduceScatterProduct => {
                let part = |r| x.iter().map(|x| (*x * weight(r)).eval()).collect();
                let parts: Vec<Vec<Real<M>>> = (0..size).map(part).collect();
                ranks.reduce_scatter_with(&parts, vec![0.0; n], product_of)
            }
            Step::Scan(operation, how) => make!(how, ranks.scan(x, operation)),
            Step::ScanProduct => ranks.scan_with(x, product_of),
            Step::ExclusiveScan(operation, how) => {
                make!(how, ranks.exclusive_scan(x, operation)).unwrap_or(x.to_vec())
            }
            Step::ExclusiveScanProduct => ranks
                .exclusive_scan_with(x, product_of)
                .unwrap_or(x.to_vec()),
            Step::Ring(by, how) => {
                let (to, from) = ((rank + by) % size, (rank + size - by) % size);
                make!(how, ranks.send_receive(to, x, from, vec![0.0; n], 5))
            }
            Step::Chain => {
                let mut y = x.to_vec();
                let m = n.saturating_sub(2);
                if rank > 0 {
                    let before = ranks.receive(rank - 1, 3, vec![0.0; m]).eval();
                    for (y, before) in y.iter_mut().zip(before) {
                        *y = (*y * before).eval();
                    }
                }
                if rank + 1 < size {
                    ranks.send(rank + 1, 3, &y[..m]).eval();
                }
                y
            }
            Step::Crossed(sender, receiver) => {
                let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
                let doubled = scaled(2);
                let receive = || ranks.receive(from, 9, vec![0.0; n]).start();
                let [first, second] = [receive(), receive()];
                let [a, b] = [
                    ranks.send(to, 9, x).start(),
                    ranks.send(to, 9, &doubled).start(),
                ];
                let (first, second) = match receiver {
                    true => {
                        let second = second.wait();
                        (first.wait(), second)
                    }
                    false => (first.wait(), second.wait()),
                };
                let sent = if sender { [b, a] } else { [a, b] };
                for request in sent {
                    let []: [Real<M>; 0] = request.wait();
                }
                let pairs = first.iter().zip(&second);
                pairs
                    .map(|(a, b): (&Real<M>, &Real<M>)| (*a * 3.0 + *b * *b).eval())
                    .collect()
            }
            Step::ToAny(who) => {
                let request = ranks.send(who, 11, x).start();
                let mut y = x.to_vec();
                if rank == who {
                    for _ in 0..size {
                        let other = ranks.receive(Source::Any, 11, vec![0.0; n]).eval();
                        for (y, other) in y.iter_mut().zip(other) {
                            *y = (*y + other * 0.5).eval();
                        }
                    }
                }
                let []: [Real<M>; 0] = request.wait();
                // A rank that is ahead must not send the next message to any before this one has arrived.
                let []: [Real<M>; 0] = ranks.barrier::<M>().eval();
                y
            }
            Step::Empty => {
                let none: &[Real<M>] = &[];
                assert!(ranks.broadcast(0, none).eval().is_empty());
                assert!(ranks.all_reduce(none, Operation::Sum).eval().is_empty());
                assert!(ranks.all_reduce(none, Operation::Max).eval().is_empty());
                assert!(ranks.scan(none, Operation::Sum).eval().is_empty());
                assert_eq!(ranks.all_gather(none).eval().len(), size);
                _ = ranks.reduce(0, none, Operation::Sum).eval();
                let to = (rank + 1) % size;
                let from = (rank + size - 1) % size;
                let got: Vec<Real<M>> = ranks
                    .send_receive(to, none, from, Vec::<f64>::new(), 0)
                    .eval();
                assert!(got.is_empty());
                let nothing: Vec<Vec<Real<M>>> = vec![vec![]; size];
                let got = ranks.reduce_scatter(&nothing, Vec::<f64>::new()).eval();
                assert!(got.is_empty());
                let got = ranks.all_to_all(&nothing, Vec::<f64>::new()).eval();
                assert_eq!(got.len(), size);
                x.to_vec()
            }
        }
    }

    pub fn on_one<M: Mode>(&self, x: &[Vec<Real<M>>]) -> Vec<Vec<Real<M>>> {
        let (size, n) = (x.len(), x[0].len());
        let each = |of: &dyn Fn(usize) -> Vec<Real<M>>| -> Vec<Vec<Real<M>>> {
            (0..size).map(of).collect()
        };
        let reduced = |ranks: usize, operation: Option<Operation>| -> Vec<Real<M>> {
            let of = |i: usize| {
                x[1..ranks]
                    .iter()
                    .fold(x[0][i], |a: Real<M>, b| match operation {
                        Some(Operation::Sum) => (a + b[i]).eval(),
                        Some(Operation::Min) => a.min(b[i]).eval(),
                        Some(_) => a.max(b[i]).eval(),
                        None => (a * b[i]).eval(),
                    })
            };
            (0..n).map(of).collect()
        };
        let weighted = |part: &dyn Fn(usize, usize) -> Option<Real<M>>| -> Vec<Real<M>> {
            let of = |i: usize| {
                (0..size).fold(Real::passive(0.0), |sum: Real<M>, r| match part(r, i) {
                    Some(x) => (sum + x * weight(r)).eval(),
                    None => sum,
                })
            };
            (0..n).map(of).collect()
        };
        let only = |who: usize, y: Vec<Real<M>>| {
            each(&|r| if r == who { y.clone() } else { x[r].clone() })
        };
        match *self {
            Step::Local => each(&|r| local(&x[r])),
            Step::Passive(who) => only(
                who,
                x[who].iter().map(|x| Real::passive(x.value())).collect(),
            ),
            Step::Barrier(_) | Step::Empty => x.to_vec(),
            Step::Broadcast(root, _) => each(&|_| x[root].clone()),
            Step::Reduce(root, operation, _) => only(root, reduced(size, Some(operation))),
            Step::AllReduce(operation, _) => each(&|_| reduced(size, Some(operation))),
            Step::AllReduceProduct => each(&|_| reduced(size, None)),
            Step::ReduceProduct(root) => only(root, reduced(size, None)),
            Step::Gather(root, _) => only(root, weighted(&|r, i| Some(x[r][i]))),
            Step::GatherVarcount(root, _) => {
                only(root, weighted(&|r, i| (i < length(r, n)).then(|| x[r][i])))
            }
            Step::AllGather(_) => each(&|_| weighted(&|r, i| Some(x[r][i]))),
            Step::AllGatherVarcount(_) => {
                each(&|_| weighted(&|r, i| (i < length(r, n)).then(|| x[r][i])))
            }
            Step::Scatter(root, _) => each(&|r| {
                x[root]
                    .iter()
                    .map(|x| (*x * (r + 1) as f64).eval())
                    .collect()
            }),
            Step::AllToAll(_) => {
                each(&|me| weighted(&|r, i| Some((x[r][i] * (me + 1) as f64).eval())))
            }
            Step::AllToAllVarcount(_) => each(&|me| {
                weighted(&|r, i| {
                    (i < length(r + me, n)).then(|| (x[r][i] * (me + 1) as f64).eval())
                })
            }),
            Step::ReduceScatter(_) => each(&|me| {
                let sum = reduced(size, Some(Operation::Sum));
                let of = |i: usize| match i < length(me, n) {
                    true => (sum[i] * (me + 1) as f64).eval(),
                    false => x[me][i],
                };
                (0..n).map(of).collect()
            }),
            Step::ReduceScatterProduct => each(&|me| {
                let factor = weight(me).powi(size as i32);
                reduced(size, None)
                    .into_iter()
                    .map(|x| (x * factor).eval())
                    .collect()
            }),
            Step::Scan(operation, _) => each(&|r| reduced(r + 1, Some(operation))),
            Step::ScanProduct => each(&|r| reduced(r + 1, None)),
            Step::ExclusiveScan(operation, _) => each(&|r| {
                if r == 0 {
                    x[0].clone()
                } else {
                    reduced(r, Some(operation))
                }
            }),
            Step::ExclusiveScanProduct => each(&|r| {
                if r == 0 {
                    x[0].clone()
                } else {
                    reduced(r, None)
                }
            }),
            Step::Ring(by, _) => each(&|r| x[(r + size - by) % size].clone()),
            Step::Chain => {
                let mut y = x.to_vec();
                #[allow(clippy::needless_range_loop)] // two ranks at a time
                for r in 1..size {
                    for i in 0..n.saturating_sub(2) {
                        y[r][i] = (y[r][i] * y[r - 1][i]).eval();
                    }
                }
                y
            }
            Step::Crossed(..) => each(&|r| {
                let of = |x: &Real<M>| {
                    let doubled = (*x * 2.0).eval();
                    (*x * 3.0 + doubled * doubled).eval()
                };
                x[(r + size - 1) % size].iter().map(of).collect()
            }),
            Step::ToAny(who) => {
                let of = |i: usize| x.iter().fold(x[who][i], |y, x| (y + x[i] * 0.5).eval());
                only(who, (0..n).map(of).collect())
            }
        }
    }
}
fn product_of<M: AnyMode>(a: &Vec<Real<M>>, b: &Vec<Real<M>>) -> Vec<Real<M>> {
    product::<entape_core::structure::VecOf<f64>, M>(a, b)
}
fn weight(rank: usize) -> f64 {
    1.0 / (rank + 2) as f64
}
fn length(rank: usize, n: usize) -> usize {
    (2 * rank + 1) % (n + 1)
}
/// Keeps numbers from 0.5 to 1.5, with small slopes, so that rounding errors do not grow.
fn local<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    let n = x.len();
    let small: Vec<Real<M>> = x.iter().map(|x| (*x / (1.0 + *x * *x)).eval()).collect();
    let of = |i: usize| (1.0 + 0.5 * (small[i] * small[(i + 1) % n] + small[i]).sin()).eval();
    (0..n).map(of).collect()
}
