//! Variables of other kinds, halos in one to three dimensions, and what many communications leave behind.
use crate::{
    Test,
    checks::assert_close,
    number,
    steps::{Random, Real},
};
use entape::prelude::*;
use entape::{
    Structure, Vars,
    complex::num_complex::c64,
    prelude::{Array, Complex},
    simd::arrays::WholeArray,
};
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Taped},
    structure::Structure as _,
    tape::{Error, Tape},
};
use entape_drivers::{gradient, jvp};
use entape_mpi::{Communicator, Halo, Operation};

pub fn tests() -> Vec<Test> {
    vec![
        ("kind_f32", single_precision),
        ("kind_complex", complex),
        ("kind_array", arrays),
        ("kind_matrix", crate::matrices::matrices),
        ("kind_struct", structs),
        ("halo_1d", |ranks| halo::<1>(ranks)),
        ("halo_2d", |ranks| halo::<2>(ranks)),
        ("halo_3d", |ranks| halo::<3>(ranks)),
        ("halo_fields", fields),
        ("halo_messages", messages),
        ("no_leak", no_leak),
    ]
}

fn sums(ranks: &Communicator) -> (f64, f64) {
    let size = ranks.size() as f64;
    (size, size * (size + 1.0) / 2.0)
}

fn single_precision(ranks: &Communicator) {
    let (size, sum) = sums(ranks);
    let rank = ranks.rank() as f32;
    let f = |x: Active<f32>| {
        let squares = ranks.once().all_gather(&(x * x).eval()).eval();
        squares
            .into_iter()
            .reduce(|a, b| (a + b).eval())
            .expect("a rank")
    };
    assert_eq!(
        gradient(f, rank + 1.0).expect("a gradient"),
        2.0 * (rank + 1.0)
    );
    let f = |x: Active<f32>| ranks.all_reduce(&x, Operation::Sum).eval();
    assert_eq!(gradient(f, rank + 1.0).expect("a gradient"), size as f32);
    let of_max = |x: Active<f32>| ranks.once().all_reduce(&x, Operation::Max).eval();
    let last = if ranks.rank() + 1 == ranks.size() {
        1.0
    } else {
        0.0
    };
    assert_eq!(gradient(of_max, rank).expect("a gradient"), last);
    let y = ranks
        .all_reduce(&Active::<f32>::passive(rank + 1.0), Operation::Sum)
        .eval();
    assert_eq!(y.value(), sum as f32);
}
fn complex(ranks: &Communicator) {
    let (to, from) = next_and_before(ranks);
    // |z|² of what comes from the rank before
    let f = |z: Complex| {
        let w = ranks.send_receive(to, &z, from, c64(0.0, 0.0), 1).eval();
        let part = (w.re() * w.re() + 3.0 * w.im() * w.im()).eval();
        ranks.once().all_reduce(&part, Operation::Sum).eval()
    };
    let z = c64(1.0 + ranks.rank() as f64, -2.0);
    let z_b = gradient(f, z).expect("a gradient");
    assert_eq!(z_b, c64(2.0 * z.re, -12.0));
    // A product of all ranks by an operation of the user, from the lowest rank to the highest.
    let product = |z: Complex| {
        let all = ranks
            .once()
            .all_reduce_with(&z, |a: &Complex, b: &Complex| (*a * *b).eval());
        (all.re() * 1.0).eval()
    };
    let unit = c64(0.0, 1.0);
    let z_b = gradient(product, unit).expect("a gradient");
    // The derivative of the real part of z^n by one factor i, as the gradient with respect to its parts.
    let others = unit.powu(ranks.size() as u32 - 1);
    assert!((z_b - others.conj()).norm() < 1e-14, "{z_b}");
}
fn arrays(ranks: &Communicator) {
    let rank = ranks.rank() as f64;
    let (size, _) = sums(ranks);
    let f = |x: &Array| {
        let sum = ranks.once().all_reduce(x, Operation::Sum).eval();
        (&sum * &sum).sum().eval()
    };
    let x: Vec<f64> = (0..1000).map(|i| rank + i as f64).collect();
    let x_b = gradient(f, array(&x)).expect("a gradient");
    let expected: Vec<f64> = (0..1000)
        .map(|i| 2.0 * (size * i as f64 + size * (size - 1.0) / 2.0))
        .collect();
    assert_close("the gradient of an array", &x_b, &expected);
    let f = |x: &Array| {
        let all = ranks
            .all_gather_varcount(x, |rank| vec![0.0; rank + 1])
            .eval();
        assert_eq!(all.len(), ranks.size());
        let parts = all.iter().map(|x| (x * x).sum().eval());
        parts.reduce(|a, b| (a + b).eval()).expect("a rank")
    };
    let x = array(&vec![2.0; ranks.rank() + 1]);
    let x_b = gradient(f, x).expect("a gradient");
    assert_close(
        "the gradient of arrays",
        &x_b,
        &vec![4.0 * size; ranks.rank() + 1],
    );
}
fn array(x: &[f64]) -> WholeArray<f64> {
    WholeArray(x.to_vec())
}
pub fn next_and_before(ranks: &Communicator) -> (usize, usize) {
    let (rank, size) = (ranks.rank(), ranks.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

#[derive(Clone, Debug, PartialEq, Structure)]
struct Body {
    position: [f64; 2],
    masses: Vec<f64>,
    name: String,
}
fn structs(ranks: &Communicator) {
    let body = |rank: usize| Body {
        position: [rank as f64, 1.0],
        masses: vec![2.0; 3],
        name: format!("body {rank}"),
    };
    let (to, from) = next_and_before(ranks);
    let f = |own: &Vars<Body>| {
        let other = ranks.send_receive(to, own, from, &body(from), 2).eval();
        assert_eq!(other.name, format!("body {from}"));
        let part = (other.position[0] * other.masses[1] + own.position[1] * own.position[1]).eval();
        ranks.once().all_reduce(&part, Operation::Sum).eval()
    };
    let b = gradient(f, &body(ranks.rank())).expect("a gradient");
    assert_eq!(b.position, [2.0, 2.0]);
    assert_eq!(b.masses, [0.0, ranks.rank() as f64, 0.0]);
    let bodies: Vec<Vars<Body>> = match ranks.rank() {
        0 => (0..ranks.size())
            .map(|rank| Body::passive(body(rank)))
            .collect(),
        _ => vec![],
    };
    let mine: Vars<Body> = ranks.scatter(0, &bodies, &body(ranks.rank())).eval();
    assert_eq!(mine.position[0].value(), ranks.rank() as f64);
}

/// Cells of a global array at a place outside of it: where the grid is periodic, the cells of the other side.
fn wrap(place: isize, n: usize, periodic: bool) -> Option<usize> {
    match periodic {
        true => Some(place.rem_euclid(n as isize) as usize),
        false => (0..n as isize).contains(&place).then_some(place as usize),
    }
}
fn halo<const D: usize>(ranks: &Communicator) {
    let sizes = ranks.grid_sizes::<D>();
    for periodic in [[false; D], [true; D], std::array::from_fn(|d| d % 2 == 0)] {
        for width in 1..=3 {
            let grid = ranks.grid(sizes, periodic);
            let all: [usize; D] = std::array::from_fn(|d| 3 * sizes[d]);
            let part = grid.part(all);
            let cells = part.clone().map(|range| range.len());
            let halo = grid.halo(cells, width);
            let padded = cells.map(|n| n + 2 * width);
            // The global place of each padded cell.
            let place = |mut i: usize| -> [Option<usize>; D] {
                let mut place = [None; D];
                for d in (0..D).rev() {
                    let at = (i % padded[d]) as isize - width as isize + part[d].start as isize;
                    place[d] = wrap(at, all[d], periodic[d]);
                    i /= padded[d];
                }
                place
            };
            let interior = |mut i: usize| {
                let mut inside = true;
                for d in (0..D).rev() {
                    inside &= (width..width + cells[d]).contains(&(i % padded[d]));
                    i /= padded[d];
                }
                inside
            };
            let number_of = |place: [Option<usize>; D]| -> Option<usize> {
                (0..D).try_fold(0, |number, d| Some(number * all[d] + place[d]?))
            };
            let count = halo.cells();
            let mut random = Random(3);
            let x: Vec<f64> = (0..count)
                .map(|i| match number_of(place(i)) {
                    Some(number) if interior(i) => number as f64,
                    _ => -1.0,
                })
                .collect();
            let mut tape = Tape::new();
            let inputs = tape.inputs(x.iter().copied());
            let y = tape.record(|| halo.exchange(&inputs).eval());
            for (i, y) in y.iter().enumerate() {
                let expected = number_of(place(i)).map_or(-1.0, |number| number as f64);
                assert_eq!(y.value(), expected, "cell {i} of {padded:?}, {periodic:?}");
            }
            // The inner product of adjoints and tangents is equal before and after.
            let v = {
                let mut random = Random(ranks.rank() as u64);
                random.numbers(count)
            };
            let w = random.numbers(count);
            for (y, w) in y.iter().zip(&w) {
                tape.seed(y, *w).expect("an output");
            }
            let gradient = tape
                .sweep()
                .expect("a sweep")
                .wrt_all(&inputs)
                .expect("inputs");
            let program = |x: &[Real<Forward>]| halo.exchange(x).eval();
            let (_, y_t) = jvp(program, &x, v.clone()).expect("tangents");
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let sums: Vec<Active<f64>> = [dot(&gradient, &v), dot(&w, &y_t)]
                .map(Active::passive)
                .into();
            let sums = ranks.all_reduce(&sums, Operation::Sum).eval();
            let sums: Vec<f64> = sums.iter().map(|x| x.value()).collect();
            assert_close("inner products", &sums[..1], &sums[1..]);
            let array = |x: &Array, halo: &Halo| {
                let y = halo.exchange(x).start().wait();
                let part = (&y * &y).sum().eval();
                ranks.once().all_reduce(&part, Operation::Sum).eval()
            };
            let of_array = entape_drivers::gradient(|x: &Array| array(x, &halo), self::array(&x));
            let of_list = entape_drivers::gradient(
                |x: &[Active<f64>]| {
                    let y = halo.exchange(x).eval();
                    let part: Active<f64> = y.iter().map(|y| (*y * *y).eval()).sum();
                    ranks.once().all_reduce(&part, Operation::Sum).eval()
                },
                &x,
            );
            assert_close(
                "arrays and lists",
                &of_array.expect("a gradient"),
                &of_list.expect("a gradient"),
            );
        }
    }
}
fn fields(ranks: &Communicator) {
    let ring = ranks.grid([ranks.size()], [true]);
    let (one, both) = (ring.halo([4], 2), ring.halo([4], 2).fields(2));
    let mut random = Random(ranks.rank() as u64);
    let (u, v) = (random.numbers(8), random.numbers(8));
    fn mix<M: Mode>(u: &[Real<M>], v: &[Real<M>]) -> Real<M> {
        let terms = u
            .iter()
            .zip(v.iter().rev())
            .map(|(u, v)| (*u * *v * *v).eval());
        terms.reduce(|a, b| (a + b).eval()).expect("cells")
    }
    let separate = ranks.value_and_gradient(
        |(u, v): (&[Real<Taped>], &[Real<Taped>])| {
            mix(&one.exchange(u).eval(), &one.exchange(v).eval())
        },
        (&u, &v),
    );
    let together = ranks.value_and_gradient(
        |(u, v): (&[Real<Taped>], &[Real<Taped>])| {
            let (u, v) = both.exchange((u, v)).eval();
            mix(&u, &v)
        },
        (&u, &v),
    );
    assert_eq!(separate.expect("a gradient"), together.expect("a gradient"));
}
fn messages(ranks: &Communicator) {
    let (size, ring) = (ranks.size(), ranks.grid([ranks.size()], [true]));
    let (halo, ranks) = (ring.halo([3], 2), ring.communicator());
    let (to, from) = next_and_before(ranks);
    let rank_of = |rank: usize| (rank % size) as f64;
    let f = |x: &[Real<Taped>]| {
        let doubled: Vec<Real<Taped>> = x[..2].iter().map(|x| (*x * 2.0).eval()).collect();
        let sent = [0, 1].map(|tag| ranks.send(to, tag, &doubled).start());
        let y = halo.exchange(x).eval();
        let rank = ranks.rank();
        let expected = [rank + size - 1, rank, rank, rank, rank + 1];
        for (y, rank) in y[1..6].iter().zip(expected) {
            assert_eq!(y.value(), rank_of(rank));
        }
        let receive = |tag| ranks.receive(from, tag, vec![0.0; 2]).eval();
        let received: [Vec<Real<Taped>>; 2] = [receive(0), receive(1)];
        for request in sent {
            let []: [Real<Taped>; 0] = request.wait();
        }
        (y[0] * 3.0 + received[0][0] * received[1][0]).eval()
    };
    let x = vec![rank_of(ranks.rank()); 7];
    let (_, slopes) = ranks.value_and_gradient(f, &x).expect("a gradient");
    let own = ranks.rank() as f64;
    assert_eq!(slopes, [8.0 * own, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
}

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4096
}
fn no_leak(ranks: &Communicator) {
    let exchanges = number("EXCHANGES", 5000);
    let (to, from) = next_and_before(ranks);
    let mut tape = Tape::new();
    let x = vec![1.0; 100];
    let mut round = |count: usize| -> Result<(), Error> {
        for _ in 0..count / 10 {
            tape.reset();
            let inputs = tape.inputs(x.iter().copied());
            let y = tape.record(|| {
                let mut y = inputs.clone();
                for i in 0..5 {
                    y = match i % 2 {
                        0 => ranks.send_receive(to, &y, from, &x, 0).eval(),
                        _ => ranks.send_receive(to, &y, from, &x, 0).start().wait(),
                    };
                }
                y
            });
            tape.seed(&y[3], 1.0)?;
            let slopes = tape.sweep()?.wrt_all(&inputs)?;
            assert_eq!((slopes[3], slopes[4]), (1.0, 0.0));
        }
        Ok(())
    };
    round(500).expect("a sweep");
    let before = resident();
    round(exchanges).expect("a sweep");
    let more = resident().saturating_sub(before);
    assert!(
        more < 4 << 20,
        "{more} bytes more after {exchanges} exchanges"
    );
}
