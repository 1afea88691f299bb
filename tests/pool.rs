//! The memory that a tape holds, and the allocations after the first run: a run reuses the memory of the run before.
use allocation_counter::measure;
use entape::{mode::Recording, prelude::*, tape::Statistics};
use entape_programs::linalg::{Analysis, Kalman, inputs};
use nalgebra::{Complex, DMatrix, DVector};

/// Allocations of a recording and of a sweep: in the first run, and the most in later ones.
fn asked<I>(inputs: impl Fn(&mut Tape) -> I, program: impl Fn(&I) -> Real) -> [[u64; 2]; 2] {
    let mut tape = Tape::new();
    let mut rounds = Vec::new();
    for _ in 0..6 {
        tape.reset();
        let x = inputs(&mut tape);
        let mut y = None;
        let recording = measure(|| y = Some(tape.record(|| program(&x))));
        let y = y.expect("an output");
        let sweep = measure(|| {
            tape.seed(&y, 1.0).expect("a recorded output");
            let _ = tape.sweep().expect("an intact tape");
        });
        rounds.push([recording, sweep].map(|asked| asked.count_total));
    }
    // The second run grows the lists of free memory.
    let later = rounds[2..].iter();
    let most = later.fold([0; 2], |most, now| [0, 1].map(|i| most[i].max(now[i])));
    [rounds[0], most]
}

#[test]
fn programs_of_small_matrices_reuse_memory() {
    let steps = 200;
    let asked = asked(
        |tape| {
            let inputs::Analysis {
                matrices,
                vectors,
                numbers,
            } = inputs::Analysis::new(4);
            (
                matrices.map(|m| tape.input(m)),
                vectors.map(|v| tape.input(v)),
                numbers.map(|x| tape.input(x)),
            )
        },
        |([w, a], [x0, y, starts @ ..], [alpha, beta, tau])| {
            let model = Analysis {
                w,
                a,
                x0,
                y,
                alpha,
                beta,
                tau,
            };
            model.run(starts.each_ref(), steps)
        },
    );
    let [first, later] = asked;
    assert!(first[0] > 8 * steps as u64, "values take memory: {first:?}");
    assert!(later[0] + later[1] < 8, "{later:?}");
}

#[test]
fn filters_reuse_memory() {
    let steps = 50;
    let asked = asked(
        |tape| {
            let inputs::Kalman { matrices, vectors } = inputs::Kalman::new(5);
            (
                matrices.map(|m| tape.input(m)),
                vectors.map(|v| tape.input(v)),
            )
        },
        |([f, b, q, h, r, p], [u, z, x])| {
            let model = Kalman {
                f,
                b,
                q,
                h,
                r,
                u,
                z,
            };
            model.run(x, p, steps).expect("definite")
        },
    );
    let [first, later] = asked;
    assert!(
        first[0] > 14 * steps as u64,
        "values take memory: {first:?}"
    );
    assert!(later[0] + later[1] < 8, "{later:?}");
}

#[test]
fn programs_of_large_matrices_reuse_memory() {
    let asked = asked(
        |tape| {
            (
                tape.input(inputs::matrix(30, 0) / 30.0),
                tape.input(inputs::vector(700, 0)),
            )
        },
        |(a, v): &(Matrix, Vector)| {
            let (mut x, mut w) = (a.clone(), v.clone());
            for _ in 0..40 {
                x = (a * &x + 0.5 * a.tr_mul(&x) - a).eval();
                w.update(|w| 0.5 * w + v * x.norm());
                w[3].assign(x.sum());
            }
            (x.norm_squared() + w.norm_squared()).eval()
        },
    );
    let [first, later] = asked;
    assert!(first[0] > 80, "values take memory: {first:?}");
    assert!(later[0] + later[1] < 8, "{later:?}");
}

#[test]
fn programs_of_large_complex_matrices_reuse_memory() {
    let number = |i: usize, j: usize| {
        let (i, j) = (i as f64, j as f64);
        Complex::new((1.0 + 0.7 * i + 1.3 * j).sin(), (i - 0.9 * j).cos()) / 20.0
    };
    let asked = asked(
        |tape| {
            (
                tape.input(DMatrix::from_fn(20, 20, number)),
                tape.input(DVector::from_fn(400, |i, _| number(i, 3))),
            )
        },
        |(a, v): &(ComplexMatrix, ComplexVector)| {
            let (mut x, mut w) = (a.clone(), v.clone());
            for _ in 0..40 {
                x = (a * &x + a.ad_mul(&x) - a).eval();
                w = (&w + v).eval();
            }
            (x.norm_squared() + w.norm_squared()).eval()
        },
    );
    let [first, later] = asked;
    assert!(first[0] > 80, "values take memory: {first:?}");
    assert!(later[0] + later[1] < 8, "{later:?}");
}

#[test]
fn programs_of_arrays_reuse_memory() {
    let asked = asked(
        |tape| {
            let v: Vec<f64> = (0..1000).map(|i| f64::from(i).sin()).collect();
            tape.input_as::<entape::simd::arrays::ArrayKind<f64>>(v)
        },
        |v: &Array| {
            let mut x = v.clone();
            for _ in 0..40 {
                x = (&x * v + v.sin()).eval();
                x.slice_mut(1..999).assign(v.slice(0..998) * 0.1);
            }
            x.sum().eval()
        },
    );
    let [first, later] = asked;
    assert!(first[0] > 80, "values take memory: {first:?}");
    assert!(later[0] + later[1] < 8, "{later:?}");
}

/// The bytes that a tape holds, as counted by the allocator, and its statistics.
/// Returns the bytes allocated, those of them that are pooled, and the statistics of a tape after `program`.
fn held<M: Recording>(program: impl Fn(&mut Tape<M>)) -> (usize, usize, Statistics) {
    // Memory that a thread allocates once does not belong to the tape.
    program(&mut Tape::default());
    entape::linalg::release_memory();
    let mut tape = None;
    let counted = measure(|| {
        let mut new = Tape::default();
        program(&mut new);
        tape = Some(new);
    });
    let bytes = usize::try_from(counted.bytes_current).expect("more than was freed");
    let pooled = entape::core::storage::pool::bytes();
    (bytes, pooled, tape.expect("a tape").statistics())
}
fn one_statement(tape: &mut Tape) {
    let x = tape.input(0.5);
    let y = tape.record(|| x.sin().eval());
    let gradient = tape.gradient(&y).expect("a recorded output");
    assert_eq!(gradient.wrt(&x), Ok(0.5_f64.cos()));
}
fn chain<M: Recording>(tape: &mut Tape<M>, statements: usize) {
    let x = tape.input(0.5);
    let y = tape.record(|| {
        let mut y = x.clone();
        for _ in 0..statements {
            y = (&y * &x + 1.0).sin().eval();
        }
        y
    });
    let _ = tape.gradient(&y).expect("a recorded output");
}

#[test]
fn a_tape_of_one_statement_holds_less_than_four_kilobytes() {
    let (bytes, _, statistics) = held(one_statement);
    println!("{bytes} bytes\n{statistics}");
    assert!(bytes < 4096, "{bytes} bytes");
    let mut tapes = Vec::with_capacity(5000);
    let counted = measure(|| {
        tapes.extend((0..5000).map(|_| {
            let mut tape = Tape::new();
            one_statement(&mut tape);
            tape
        }));
    });
    assert!(counted.bytes_current < 5000 * 4096, "{counted:?}");
}
#[test]
fn a_tape_grows_with_its_statements() {
    for (statements, most) in [
        (10, 6_000),
        (100, 40_000),
        (1_000, 200_000),
        (10_000, 1_000_000),
    ] {
        let (bytes, _, statistics) = held(|tape: &mut Tape| chain(tape, statements));
        println!(
            "{statements} statements: {bytes} bytes, {} in use",
            statistics.bytes()
        );
        assert!(bytes < most, "{bytes} bytes for {statements} statements");
    }
}
#[test]
fn statistics_agree_with_the_allocator() {
    let matrices = |tape: &mut Tape| {
        let a = tape.input(inputs::matrix(12, 0) / 12.0);
        let y = tape.record(|| {
            let mut x: Matrix = a.clone();
            for _ in 0..50 {
                x = (&a * &x + 0.5 * &a).eval();
            }
            x.norm_squared().eval()
        });
        let _ = tape.gradient(&y).expect("a recorded output");
    };
    let second = |tape: &mut Tape| {
        chain(tape, 500);
        let _ = tape
            .directions::<8>()
            .expect("tangents")
            .sweep()
            .expect("memory");
    };
    type Program = fn(&mut Tape);
    let programs: [(&str, Program); 5] = [
        ("one statement", one_statement),
        ("some", |tape| chain(tape, 40)),
        ("many", |tape| chain(tape, 30_000)),
        ("matrices", matrices),
        ("tangents", second),
    ];
    for (what, program) in programs {
        // Columns that became too short belong to the thread.
        let (bytes, pooled, statistics) = held(program);
        let bytes = bytes - pooled;
        println!(
            "{what}: {bytes} bytes, {} held by the statistics",
            statistics.held_bytes
        );
        let difference = bytes.abs_diff(statistics.held_bytes);
        assert!(
            difference < bytes / 8 + 256,
            "{what}: {bytes} bytes\n{statistics}"
        );
        assert!(statistics.bytes() <= statistics.held_bytes, "{what}");
    }
}
