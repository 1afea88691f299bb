//! Sums, parts and matrices on several threads have the bits of one thread.
use crate::{assert_close, message_of};
use entape::{
    driver::{Error, Objective},
    external, function,
    parallel::{Parallel, Progress},
    prelude::*,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be had")
}
#[track_caller]
fn on_threads<T: PartialEq + std::fmt::Debug + Send>(f: impl Fn() -> T + Sync) -> T {
    let all = [1, 2, 3].map(|threads| pool(threads).install(&f));
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    let [one, ..] = all;
    one
}
fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn square(x: &[Real], i: usize) -> Real {
    let t = i as f64 * 1e-3;
    let noise = (i as f64 * 12.9898).sin() * 1e-2;
    (x[0] * (x[1] * t).exp() - 0.7 * (-1.3 * t).exp() - noise)
        .powi(2)
        .eval()
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_threads() {
    let x = [0.9, -1.1];
    for terms in [0, 1, 63, 64, 65, 1000, 5000] {
        let (value, gradient) = on_threads(|| {
            let sum = Parallel::new().sum(terms, square, &x).unwrap();
            (sum.0.to_bits(), bits(&sum.1))
        });
        let whole = |x: &[Real]| (0..terms).map(|i| square(x, i)).sum::<Real>();
        let (same, exact) = entape::value_and_gradient(whole, &x).unwrap();
        assert_close(&[f64::from_bits(value)], &[same], 1e-12);
        let gradient: Vec<f64> = gradient.into_iter().map(f64::from_bits).collect();
        assert_close(&gradient, &exact, 1e-12);
        let any = Parallel::new().any_order().block(7);
        let (value, gradient) = pool(3).install(|| any.sum(terms, square, &x).unwrap());
        assert_close(&[value], &[same], 1e-12);
        assert_close(&gradient, &exact, 1e-12);
    }
}
#[test]
fn sums_take_inputs_of_several_kinds() {
    let data = [1.0, 2.0, 3.0];
    let term = |(z, v): (Complex, &Vector), i: usize| (z * data[i]).norm_sqr() + v.at(i).powi(3);
    let at = (
        entape::complex::num_complex::c64(1.0, -2.0),
        nalgebra::dvector![0.5, 1.0, 2.0],
    );
    let (value, (z_b, v_b)) = Parallel::new()
        .block(1)
        .sum(3, term, (at.0, at.1.clone()))
        .unwrap();
    assert_eq!(value, 14.0 * 5.0 + 0.125 + 1.0 + 8.0);
    assert_eq!(z_b, at.0 * 28.0);
    assert_eq!(v_b, at.1.map(|x| 3.0 * x * x));
}

#[test]
fn parts_are_one_statement() {
    let path = |(x, k): (Real, &[Real]), i: usize| {
        (0..i).fold(x, |x, j| (x - k[j % 2] * x * x * 0.01).eval())
    };
    let run = |parallel: bool| {
        let mut tape = Tape::new();
        let x = tape.input(1.5);
        let k = tape.inputs(vec![0.3, 0.8]);
        let before = tape.statistics().statements;
        let y = tape.record(|| {
            let all = match parallel {
                true => Parallel::new().map((x, &k), 50, path).eval(),
                false => (0..50).map(|i| path((x, &k), i)).collect(),
            };
            all.iter()
                .enumerate()
                .map(|(i, y)| y * (i as f64).sin())
                .sum::<Real>()
        });
        if parallel {
            assert_eq!(tape.statistics().statements - before, 2);
        }
        let gradient = tape.gradient(&y).unwrap();
        (
            y.value(),
            gradient.wrt(&x).unwrap(),
            gradient.wrt_all(&k).unwrap(),
        )
    };
    let (value, x_b, k_b) = run(false);
    let parts = on_threads(|| run(true));
    assert_eq!(parts.0, value);
    assert_close(&[parts.1], &[x_b], 1e-13);
    assert_close(&parts.2, &k_b, 1e-13);
    let plain: Real<Plain> = Active::passive(1.5);
    let k = [0.3, 0.8].map(Active::passive);
    let values = Parallel::new().map((plain, &k[..]), 3, path).eval();
    assert_eq!(values[0], 1.5);
}

#[function]
fn chain<M: Mode>(x: &[Real<M>]) -> Real<M> {
    x.windows(3)
        .map(|x| (x[1] - x[0] * x[2]).powi(2) * x[0].exp())
        .sum()
}
#[function]
fn residuals<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    (0..13)
        .map(|i| (x[i % x.len()].sin() * x[(i * i) % x.len()] + i as f64).eval())
        .collect()
}
#[test]
fn rows_of_hessians_and_jacobians_are_computed_in_parallel() {
    let f = Objective::new(chain {});
    let r = Objective::new(residuals {});
    for n in [3, 8, 21] {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.9).cos()).collect();
        let hessian = on_threads(|| Parallel::new().hessian(&f, &x).unwrap());
        assert_eq!(hessian, f.hessian(&x).unwrap());
        let jacobian = on_threads(|| Parallel::new().jacobian(&r, &x).unwrap());
        assert_close(
            jacobian.as_slice(),
            r.jacobian(&x).unwrap().as_slice(),
            1e-15,
        );
    }
    let mut room = vec![0.0; 10];
    let message = message_of(|| f.hessian_rows_into(&[1.0; 5], 4, &mut room));
    assert!(
        message.contains("10 numbers from row 4 on do not fit a Hessian with 5 rows"),
        "{message}"
    );
}

#[test]
fn progress_is_reported() {
    let told = Mutex::new(Vec::new());
    let tell = |p: &Progress| told.lock().unwrap().push((p.done, p.all));
    let parallel = Parallel::new().block(10).progress(tell);
    let sum = parallel.sum(45, |x: Real, _| x, 2.0).unwrap();
    assert_eq!(sum, (90.0, 45.0));
    drop(parallel);
    let mut told = told.into_inner().unwrap();
    told.sort();
    assert_eq!(told.len(), 5);
    assert_eq!(told[4], (45, 45));
}

#[test]
fn threads_continue_after_panics_and_errors_of_terms() {
    let all = pool(2);
    let sum = |bad: usize| {
        let term = move |x: Real, i: usize| {
            assert!(i != bad, "term {i} is bad");
            x * i as f64
        };
        all.install(|| Parallel::new().block(3).sum(100, term, 1.0))
    };
    assert_eq!(message_of(|| sum(50)), "term 50 is bad");
    assert_eq!(sum(1000).unwrap(), (4950.0, 4950.0));

    let fails = |x: Real, i: usize| {
        let fail = move |r_b: f64| match i {
            30 | 60 => Err(format!("term {i} has no derivative")),
            _ => Ok(r_b),
        };
        entape::try_external(x, x.value(), fail).eval()
    };
    let error = all
        .install(|| Parallel::new().block(7).sum(100, fails, 1.0))
        .unwrap_err();
    let Error::External(failure) = error else {
        panic!()
    };
    assert_eq!(failure.reason, "term 30 has no derivative");

    let mut tape = Tape::new();
    let x = tape.input(1.0);
    let y = tape.record(|| {
        let parts = Parallel::new().map(x, 100, fails).eval();
        parts.iter().sum::<Real>()
    });
    let Err(error) = tape.gradient(&y) else {
        panic!()
    };
    assert!(
        error.to_string().contains("term 30 has no derivative"),
        "{error}"
    );
    let z = tape.record(|| external(x, x.value(), |r_b: f64| r_b).eval());
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x).unwrap(), 1.0);
}
#[test]
fn a_term_may_be_a_sum() {
    let (value, x_b) = pool(2).install(|| {
        let outer = |x: Real, i: usize| {
            let inner = Parallel::new().block(1);
            let (_, slope) = inner
                .sum(10, move |y: Real, j: usize| y * (i * j) as f64, 1.0)
                .unwrap();
            x * slope
        };
        Parallel::new().block(1).sum(20, outer, 2.0).unwrap()
    });
    assert_eq!((value, x_b), (2.0 * 45.0 * 190.0, 45.0 * 190.0));
}
#[test]
fn parts_that_changed_since_the_recording_are_errors() {
    let factor = Arc::new(AtomicUsize::new(2));
    let shared = factor.clone();
    let mut tape = Tape::new();
    let x = tape.input(3.0);
    let y = tape.record(|| {
        let part = move |x: Real, i: usize| x * (i.min(1) * shared.load(Ordering::Relaxed)) as f64;
        let parts = Parallel::new().map(x, 4, part).eval();
        parts.iter().sum::<Real>()
    });
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
    factor.store(5, Ordering::Relaxed);
    let error = tape.gradient(&y).map(drop).unwrap_err().to_string();
    assert!(error.contains("part 1 has another value"), "{error}");
}
#[test]
fn blocks_and_rows_may_exceed_the_end() {
    let one = || Parallel::new().block(usize::MAX);
    assert_eq!(one().sum(10, |x: Real, _| x, 2.0).unwrap(), (20.0, 10.0));
    let (f, x) = (Objective::new(chain {}), [0.5; 20]);
    assert_eq!(one().hessian(&f, &x).unwrap(), f.hessian(&x).unwrap());
    let message = message_of(|| f.hessian_rows_into(&x, usize::MAX, &mut [0.0; 20]));
    assert!(message.starts_with("20 numbers from row"), "{message}");
}
