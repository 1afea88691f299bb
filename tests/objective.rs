//! Objectives on any thread, after changed branches, errors and panics.
use allocation_counter::measure;
use approx::assert_relative_eq;
use entape::{
    driver::{Error, Function, ListShape, Objective},
    function, op,
    prelude::*,
};
use std::{cell::Cell, panic::catch_unwind, thread};

#[function]
fn chain<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let mut sum = Active::passive(0.0);
    for pair in x.windows(2) {
        let (a, b) = ((1.0 - pair[0]).eval(), (pair[1] - pair[0] * pair[0]).eval());
        if pair[0] > 0.0 {
            sum += a * a + 100.0 * b * b;
        } else {
            sum += (a * b).exp();
        }
    }
    sum
}
const X: [f64; 5] = [0.5, -0.3, 0.8, 1.2, -0.1];

fn gradient_by_differences(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let slope = |i: usize| {
        let at = |h: f64| {
            let mut x = x.to_vec();
            x[i] += h;
            f(&x)
        };
        (at(1e-5) - at(-1e-5)) / 2e-5
    };
    (0..x.len()).map(slope).collect()
}
#[track_caller]
fn close(x: &[f64], y: &[f64]) {
    assert_relative_eq!(x, y, epsilon = 1e-5, max_relative = 1e-5);
}

#[test]
fn derivatives_follow_the_branches() -> Result<(), Error> {
    let f = Objective::new(chain {});
    for shift in [0.0, -0.7, 0.4, 0.0] {
        let x = X.map(|x| x + shift);
        let (value, gradient) = f.value_and_gradient(&x)?;
        assert_eq!(value, f.value(&x));
        close(&gradient, &gradient_by_differences(|x| f.value(x), &x));
        let hessian = f.hessian(&x)?;
        for i in 0..X.len() {
            let row = gradient_by_differences(|x| f.gradient(x).expect("a gradient")[i], &x);
            close(hessian.row(i), &row);
            let unit: Vec<_> = (0..X.len()).map(|j| f64::from(u8::from(i == j))).collect();
            close(&f.hessian_vector(&x, &unit)?, hessian.row(i));
        }
    }
    Ok(())
}

#[test]
fn later_runs_allocate_nothing() -> Result<(), Error> {
    let f = Objective::new(chain {});
    let (mut gradient, mut product, mut hessian) = ([0.0; 5], [0.0; 5], [0.0; 25]);
    let mut counts = Vec::new();
    for round in 0..7 {
        let x = X.map(|x| x + 0.01 * f64::from(round));
        let of = |call: &mut dyn FnMut()| measure(call).count_total;
        let value = of(&mut || assert!(f.value(&x) > 0.0));
        let first = of(&mut || drop(f.value_and_gradient_into(&x, &mut gradient)));
        let along = of(&mut || drop(f.hessian_vector_into(&x, &X, &mut product)));
        let all = of(&mut || drop(f.hessian_into(&x, &mut hessian)));
        counts.push([value, first, along, all]);
    }
    assert_eq!(counts[4..], [[0; 4]; 3], "{counts:?}");
    Ok(())
}

#[test]
fn each_thread_has_its_own_tapes() {
    let f = Objective::new(chain {});
    let want = f.gradient(&X).expect("a gradient");
    thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                for _ in 0..3 {
                    assert_eq!(f.gradient(&X).expect("a gradient"), want);
                }
            });
        }
    });
    let moved = thread::spawn(move || f.gradient(&X).expect("a gradient"));
    assert_eq!(moved.join().expect("no panic"), want);
}

struct Decay(usize);
impl Function for Decay {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Active<f64, M>>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        assert!(x[0] >= 0.0, "an amplitude is not negative");
        (0..self.0)
            .map(|t| (x[0] * (-x[1] * t as f64).exp() + x[t % x.len()]).eval())
            .collect()
    }
}
#[test]
fn jacobians_of_all_shapes_agree_with_differences() -> Result<(), Error> {
    for (m, n) in [(1, 2), (3, 2), (9, 20), (40, 20), (20, 40), (2, 30), (0, 3)] {
        let f = Objective::new(Decay(m));
        let x: Vec<_> = (0..n).map(|i| 0.5 + 0.1 * f64::from(i)).collect();
        let (values, jacobian) = f.values_and_jacobian(&x)?;
        assert_eq!(values, f.values(&x));
        assert_eq!((jacobian.rows(), jacobian.columns()), (m, n as usize));
        for i in 0..m {
            close(
                jacobian.row(i),
                &gradient_by_differences(|x| f.values(x)[i], &x),
            );
        }
    }
    Ok(())
}
#[test]
fn products_with_vectors_agree_with_the_jacobian() -> Result<(), Error> {
    for (m, n) in [(1, 2), (9, 20), (40, 20), (0, 3)] {
        let f = Objective::new(Decay(m));
        let recorded = Objective::recorded(|x: &[Active<f64>]| Decay(m).call(x));
        for shift in [0.5, 0.7] {
            let x: Vec<_> = (0..n).map(|i| shift + 0.1 * f64::from(i)).collect();
            let (values, jacobian) = f.values_and_jacobian(&x)?;
            let mut again = vec![f64::NAN; m];
            f.values_into(&x, &mut again).unwrap();
            assert_eq!(again, values);
            for scale in [1.0, -3.0] {
                let v: Vec<_> = x.iter().map(|x| scale * x.cos()).collect();
                let want: Vec<f64> = jacobian.iter_rows().map(|row| dot(row, &v)).collect();
                let mut product = vec![f64::NAN; m];
                f.jvp_into(&x, &v, &mut product)?;
                close(&product, &want);
                recorded.jvp_into(&x, &v, &mut product)?;
                close(&product, &want);

                let seed: Vec<_> = (0..m).map(|i| scale + i as f64).collect();
                let column = |j| jacobian.iter_rows().map(|row| row[j]).collect::<Vec<_>>();
                let want: Vec<_> = (0..x.len()).map(|j| dot(&column(j), &seed)).collect();
                let mut product = vec![f64::NAN; x.len()];
                f.vjp_into(&x, &seed, &mut product)?;
                close(&product, &want);
                recorded.vjp_into(&x, &seed, &mut product)?;
                close(&product, &want);
            }
        }
    }
    let f = Objective::recorded(|_: &[Active<f64>]| vec![Active::<f64>::passive(2.0); 2]);
    let (mut along, mut back) = ([f64::NAN; 2], [f64::NAN; 1]);
    f.jvp_into(&[1.0], &[1.0], &mut along)?;
    f.vjp_into(&[1.0], &[1.0; 2], &mut back)?;
    assert_eq!((along, back), ([0.0; 2], [0.0]));
    Ok(())
}
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
#[test]
fn a_panic_leaves_an_objective_usable() -> Result<(), Error> {
    let f = Objective::new(Decay(30));
    let x = vec![1.0; 20];
    let want = f.jacobian(&x)?;
    assert!(catch_unwind(|| f.jacobian(&[-1.0; 20])).is_err());
    assert_eq!(f.jacobian(&x)?, want);
    Ok(())
}

#[test]
fn an_objective_takes_a_closure_with_data() -> Result<(), Error> {
    let calls = Cell::new(0);
    let f = Objective::recorded(|x: &[Active<f64>]| {
        calls.set(calls.get() + 1);
        (x[0] * x[1]).sin()
    });
    let h = f.hessian(&[0.5, 0.2])?;
    close(
        h.row(0),
        &[-0.04 * 0.1_f64.sin(), 0.1_f64.cos() - 0.1 * 0.1_f64.sin()],
    );
    let _ = f.hessian_vector(&[0.5, 0.2], &[1.0, 1.0])?;
    assert_eq!(calls.get(), 1);
    let _ = f.hessian_vector(&[0.5, 0.3], &[1.0, 1.0])?;
    assert_eq!(calls.get(), 2);
    Ok(())
}

#[op]
fn opaque(#[ad_in(r_b * 2.0 * a)] a: f64) -> f64 {
    a * a
}
#[op(tangent(a = 2.0 * a * a_t))]
fn half_open(#[ad_in(r_b * 2.0 * a)] a: f64) -> f64 {
    a * a
}
#[function]
fn with_opaque<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    (opaque(x[0]) + x[1]).eval()
}
#[function]
fn with_half_open<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    (half_open(x[0]) + x[1]).eval()
}
#[test]
fn an_operation_without_a_tangent_is_an_error_for_a_hessian() -> Result<(), Error> {
    let f = Objective::new(with_opaque {});
    assert_eq!(f.gradient(&[3.0, 1.0])?, [6.0, 1.0]);
    let missing = f.hessian(&[3.0, 1.0]).expect_err("no tangent").to_string();
    assert!(
        missing.contains("Opaque") && missing.contains("objective.rs"),
        "{missing}"
    );
    assert!(missing.contains("tangent(..)"), "{missing}");
    #[function]
    fn rows<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        vec![with_opaque(x)]
    }
    let rows = Objective::new(rows {});
    assert_eq!(rows.jacobian(&[3.0, 1.0])?.as_slice(), [6.0, 1.0]);

    let f = Objective::new(with_half_open {});
    let missing = f
        .hessian(&[3.0, 1.0])
        .expect_err("no second derivative")
        .to_string();
    assert!(missing.contains("second(..)"), "{missing}");
    let direction = vec![1.0, 0.0];
    let run = |x: &[Active<f64, entape::mode::Forward>]| with_half_open(x);
    assert_eq!(
        entape::driver::jvp(run, vec![3.0, 1.0], direction)?,
        (10.0, 6.0)
    );
    Ok(())
}
#[test]
fn slices_of_wrong_lengths_panic() {
    let f = Objective::new(chain {});
    let message = |run: &(dyn Fn() + std::panic::RefUnwindSafe)| {
        let panic = catch_unwind(run).expect_err("a panic");
        panic.downcast_ref::<String>().expect("a message").clone()
    };
    let short = message(&|| drop(f.value_and_gradient_into(&X, &mut [0.0; 4])));
    assert_eq!(
        short,
        "the slice for a gradient has length 4: pass one of length 5"
    );
    let short = message(&|| drop(f.hessian_vector(&X, &[0.0; 6])));
    assert_eq!(
        short,
        "the slice for a direction has length 6: pass one of length 5"
    );
    let f = Objective::new(Decay(3));
    let short = message(&|| _ = f.values_into(&[1.0; 2], &mut [0.0; 2]));
    assert_eq!(
        short,
        "the slice for values has length 2: pass one of length 3, the number of results"
    );
    let short = message(&|| drop(f.jvp_into(&[1.0; 2], &[0.0; 2], &mut [0.0; 4])));
    assert_eq!(
        short,
        "the slice for a product has length 4: pass one of length 3, the number of results"
    );
    let short = message(&|| drop(f.vjp_into(&[1.0; 2], &[0.0; 1], &mut [0.0; 2])));
    assert_eq!(
        short,
        "the slice for a seed has length 1: pass one of length 3, the number of results"
    );
}
