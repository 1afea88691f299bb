use crate::{assert_close, message_of};
use entape::{
    complex::num_complex::{Complex, c64},
    driver::{hessian_vector, jacobian, jvp, vjp},
    external,
    external::Arguments,
    prelude::*,
    try_external,
};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use std::{cell::Cell, rc::Rc};

fn square_times<M: AnyMode>(x: &Real<M>, y: &Real<M>) -> Real<M> {
    let (a, b) = (x.value(), y.value());
    external((x, y), a * a * b, move |r_b: f64| {
        (2.0 * a * b * r_b, a * a * r_b)
    })
    .tangent(move |(x_t, y_t)| 2.0 * a * b * x_t + a * a * y_t)
    .eval()
}
fn program<M: AnyMode>(x: &Real<M>, y: &Real<M>) -> Real<M> {
    let inner = (x * 2.0).eval();
    let r = square_times(&inner, y);
    (r * x + y).eval() // 4 x³ y + y
}

#[test]
fn external_functions_run_in_every_mode() {
    let (x, y) = (3.0, 5.0);
    let gradient = [12.0 * x * x * y, 4.0 * x * x * x + 1.0];

    let plain = program(&Real::<Plain>::passive(x), &Real::passive(y));
    assert_eq!(plain, 4.0 * x * x * x * y + y);

    let mut tape = Tape::new();
    let (a, b) = (tape.input(x), tape.input(y));
    let r = tape.record(|| program(&a, &b));
    assert_eq!(r, plain);
    for _ in 0..2 {
        let swept = tape.gradient(&r).unwrap();
        assert_eq!([swept.wrt(&a).unwrap(), swept.wrt(&b).unwrap()], gradient);
    }

    let mut tape = Tape::<Reuse>::default();
    let (a, b) = (tape.input(x), tape.input(y));
    let r = tape.record(|| program(&a, &b));
    let swept = tape.gradient(&r).unwrap();
    assert_eq!([swept.wrt(&a).unwrap(), swept.wrt(&b).unwrap()], gradient);

    let along = |(x, y): (Real<Forward>, Real<Forward>)| program(&x, &y);
    let (value, slope) = jvp(along, (x, y), (1.0, 10.0)).unwrap();
    assert_eq!(
        (value, slope),
        (plain.value(), gradient[0] + 10.0 * gradient[1])
    );

    let mut tape = Tape::new();
    let (a, b) = (tape.input(x), tape.input(y));
    let r = tape.record(|| program(&a, &b));
    let swept = tape.gradient(&r).unwrap();
    assert_eq!([swept.wrt(&a).unwrap(), swept.wrt(&b).unwrap()], gradient);
    let mut directions = tape.directions::<8>().unwrap();
    directions.set_along(&a, 0, 1.0).unwrap();
    directions.set_along(&b, 5, 1.0).unwrap();
    let tangents = directions.sweep().unwrap().of(&r).unwrap();
    let expected = [gradient[0], 0.0, 0.0, 0.0, 0.0, gradient[1], 0.0, 0.0];
    assert_eq!(tangents, expected);
    let mut adjoints = tape.adjoints().unwrap();
    adjoints.seed(&r, 0, 1.0).unwrap();
    adjoints.seed(&r, 7, 2.0).unwrap();
    let swept = adjoints.sweep().unwrap();
    let of_a = swept.wrt(&a).unwrap();
    assert_eq!(
        (of_a[0], of_a[1], of_a[7]),
        (gradient[0], 0.0, 2.0 * gradient[0])
    );
}

#[test]
fn arguments_and_results_have_any_kind() {
    // r = (a x, |z|², [2 u_i], f32 s) of a matrix, a complex number, a list and an f32
    let (a0, x0) = (dmatrix![1.0, 2.0; 3.0, -4.0], dvector![0.5, 2.0]);
    let (z0, u0, s0) = (c64(1.0, -2.0), [3.0, 4.0, 5.0], 1.5_f32);
    let mut tape = Tape::new();
    let a = tape.input(a0.clone());
    let x = tape.input(x0.clone());
    let z: Complex_ = tape.input(z0);
    let u = tape.inputs(u0);
    let s = tape.input_as::<f32>(s0);
    let y = tape.record(|| {
        let value = (
            &a0 * &x0,
            z0.norm_sqr(),
            u0.map(|u| 2.0 * u).to_vec(),
            3.0 * s0,
        );
        let (a0, x0) = (a0.clone(), x0.clone());
        let of = ((&a, &x), z, &u, s);
        let (ax, square, doubled, tripled) = external(of, value, move |(ax_b, sq_b, d_b, t_b)| {
            let ax_b: DVector<f64> = ax_b;
            let d_b: Vec<f64> = d_b;
            let pair = (&ax_b * x0.transpose(), a0.tr_mul(&ax_b));
            (
                pair,
                z0 * (2.0 * sq_b),
                d_b.iter().map(|d| 2.0 * d).collect(),
                3.0_f32 * t_b,
            )
        })
        .eval();
        let first = (&ax).norm_squared().eval();
        (first + square * doubled[1] + tripled.to_f64()).eval()
    });
    let gradient = tape.gradient(&y).unwrap();
    let r = &a0 * &x0;
    assert_eq!(gradient.wrt(&a).unwrap(), 2.0 * &r * x0.transpose());
    assert_eq!(gradient.wrt(&x).unwrap(), 2.0 * a0.tr_mul(&r));
    assert_eq!(gradient.wrt(&z).unwrap(), z0 * 16.0);
    assert_eq!(gradient.wrt_all(&u).unwrap(), [0.0, 10.0, 0.0]);
    assert_eq!(gradient.wrt(&s).unwrap(), 3.0);
}
#[test]
fn arrays_are_arguments_and_results() {
    let mut tape = Tape::new();
    let v: Array = tape.input_as(vec![1.0, 2.0, 3.0]);
    let w: Array = tape.input_as(vec![4.0, 5.0, 6.0]);
    let y = tape.record(|| {
        let product: Vec<f64> = v.get().iter().zip(w.get()).map(|(v, w)| v * w).collect();
        let (a, b) = (v.get().clone(), w.get().clone());
        let scaled = |by: &[f64], r_b: &[f64]| by.iter().zip(r_b).map(|(x, r)| x * r).collect();
        let value = (entape::simd::arrays::WholeArray(product), 2.0);
        let both = external((&v, &w), value, move |(r_b, _): (Vec<f64>, f64)| {
            (scaled(&b, &r_b), scaled(&a, &r_b))
        });
        let (product, two) = both.eval();
        (product.sum() * two).eval()
    });
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(y, 64.0);
    assert_eq!(gradient.wrt(&v).unwrap(), [8.0, 10.0, 12.0]);
    assert_eq!(gradient.wrt(&w).unwrap(), [2.0, 4.0, 6.0]);
}
type Complex_ = entape::complex::Complex;

#[test]
fn passive_arguments_are_not_recorded() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let before = tape.statistics().statements;
    let none = tape.record(|| square_times(&Real::<Taped>::passive(3.0), &Real::passive(4.0)));
    assert!(!none.is_active());
    assert_eq!(none, 36.0);
    assert_eq!(tape.statistics().statements, before);
    let one = tape.record(|| square_times(&x, &Real::passive(4.0)));
    assert_eq!(tape.gradient(&one).unwrap().wrt(&x).unwrap(), 16.0);
    let empty = tape.record(|| external(&x, Vec::<f64>::new(), |_| 0.0).eval());
    assert!(empty.is_empty());
}

#[test]
fn one_variable_may_be_several_arguments() {
    let gradient = entape::gradient(|x: Real| square_times(&x, &x), 3.0).unwrap();
    assert_eq!(gradient, 27.0);
    let all = entape::gradient(
        |x: &[Real]| {
            let sum: f64 = x.iter().map(Real::value).sum();
            external((x, x, &x[0]), sum, |r_b: f64| {
                (vec![r_b; 3], vec![10.0 * r_b; 3], 100.0 * r_b)
            })
            .eval()
        },
        vec![1.0, 2.0, 3.0],
    );
    assert_eq!(all.unwrap(), [111.0, 11.0, 11.0]);
}

fn steps<M: AnyMode>(a: &entape::linalg::Matrix<M>, external_ones: bool) -> Real<M> {
    let mut x = (a * 1.0).eval();
    for _ in 0..4 {
        let value = x.get().clone();
        x = match external_ones {
            true => {
                let value_b = value.clone();
                external((&x, a), value.component_mul(a.get()), {
                    let a = a.get().clone();
                    move |r_b: DMatrix<f64>| (r_b.component_mul(&a), r_b.component_mul(&value_b))
                })
                .eval()
            }
            false => (&x).component_mul(a).eval(),
        };
        x *= 1.5;
        let e = x.at((1, 1)) * 0.5;
        x[(0, 1)].assign(e);
    }
    (&x).norm_squared().eval()
}
#[test]
fn overwritten_storage_is_restored() {
    let a0 = dmatrix![1.1, -0.4; 0.3, 0.9];
    let gradient = |external_ones| {
        let mut tape = Tape::new();
        let a = tape.input(a0.clone());
        let start = tape.position();
        tape.record(|| steps(&a, external_ones));
        tape.reset_to(&start).unwrap();
        let middle = tape.record(|| steps(&a, external_ones));
        let position = tape.position();
        tape.record(|| (steps(&a, external_ones) * middle).eval());
        tape.reset_to(&position).unwrap();
        let y = tape.record(|| (middle * 1.0).eval());
        let first = tape.gradient(&y).unwrap().wrt(&a).unwrap();
        assert_eq!(tape.gradient(&y).unwrap().wrt(&a).unwrap(), first);
        assert_eq!(tape.find_non_finite(), None);
        assert_eq!(tape.gradient(&y).unwrap().wrt(&a).unwrap(), first);
        first
    };
    let (with, without) = (gradient(true), gradient(false));
    assert_close(with.as_slice(), without.as_slice(), 1e-14);
}

#[test]
fn sweeps_and_resets_stop_at_positions() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let alive = Rc::new(());
    let cube = |x: Real| {
        let (a, alive) = (x.value(), alive.clone());
        external(x, a * a * a, move |r_b: f64| {
            let _ = &alive;
            3.0 * a * a * r_b
        })
        .eval()
    };
    let y = tape.record(|| cube(x));
    let middle = tape.position();
    for round in 0..3 {
        let z = tape.record(|| cube((y * 0.25).eval()));
        assert_eq!(Rc::strong_count(&alive), 3, "round {round}");
        tape.seed(&z, 1.0).unwrap();
        assert_eq!(tape.sweep_to(&middle).unwrap().wrt(&y).unwrap(), 3.0);
        assert_eq!(tape.sweep().unwrap().wrt(&x).unwrap(), 36.0);
        tape.reset_to(&middle).unwrap();
        assert_eq!(Rc::strong_count(&alive), 2, "round {round}");
    }
    tape.reset();
    assert_eq!(Rc::strong_count(&alive), 1);
    let x = tape.input(2.0);
    tape.record(|| cube(x));
    assert_eq!(Rc::strong_count(&alive), 2);
    drop(tape);
    assert_eq!(Rc::strong_count(&alive), 1);
    cube(Real::passive(1.0));
    assert_eq!(Rc::strong_count(&alive), 1);
}

#[test]
fn values_that_are_not_finite_are_located_at_the_call() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.input(dmatrix![1.0]);
    let line = line!() + 1;
    tape.record(|| external((x, &y), (f64::NAN, 1.0), |_| (0.0, dmatrix![0.0])).eval());
    let found = tape.find_non_finite().unwrap();
    assert_eq!(
        (found.location.line(), &*found.expression),
        (line, "external function")
    );
    let dot = tape.to_dot();
    assert!(dot.contains("= external function"), "{dot}");
    assert!(dot.contains("-> s1"), "{dot}");
    assert_eq!(tape.statistics().statements, 2);
}

#[test]
fn closures_are_not_called_without_an_adjoint() {
    let calls = Rc::new(Cell::new(0));
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let (y, other) = tape.record(|| {
        let calls = calls.clone();
        let y = external(x, (x.value(), 1.0), move |(a_b, b_b): (f64, f64)| {
            calls.set(calls.get() + 1);
            a_b + b_b
        });
        (y.eval(), (x * 3.0).eval())
    });
    assert_eq!(tape.gradient(&other).unwrap().wrt(&x).unwrap(), 3.0);
    assert_eq!(calls.get(), 0);
    assert_eq!(tape.gradient(&y.1).unwrap().wrt(&x).unwrap(), 1.0);
    assert_eq!(calls.get(), 1);
}

#[test]
fn wrong_shapes_panic_at_the_line_of_the_call() {
    let mut tape = Tape::new();
    let x = tape.inputs([1.0, 2.0]);
    let a = tape.input(dmatrix![1.0, 2.0]);
    let line = line!() + 1;
    let y = tape.record(|| external(&x, 1.0, |_: f64| vec![0.0; 3]).eval());
    let z = tape.record(|| external(&a, 1.0, |_: f64| dmatrix![0.0; 1.0]).eval());
    let good = tape.record(|| (x[0] * x[1]).eval());
    for _ in 0..2 {
        let message = message_of(|| tape.gradient(&y).map(drop));
        let place = format!("external.rs:{line}:");
        assert!(
            message.contains(&place) && message.contains("return one of length 2"),
            "{message}"
        );
        let message = message_of(|| tape.gradient(&z).map(drop));
        assert!(
            message.contains("shape (2, 1)") && message.contains("shape (1, 2)"),
            "{message}"
        );
        let gradient = tape.gradient(&good).unwrap();
        assert_eq!(gradient.wrt_all(&x).unwrap(), [2.0, 1.0]);
    }
    let wrong = |x: Real<Forward>| external(x, vec![1.0], |_| 0.0).tangent(|_| vec![]).eval();
    let message = message_of(|| jvp(wrong, 1.0, 1.0));
    assert!(message.contains("return one of length 1"), "{message}");
}

#[test]
fn panics_leave_the_tape_usable_or_broken() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y =
        tape.record(|| external(x, 1.0, |_: f64| -> f64 { panic!("the library gave up") }).eval());
    let z = tape.record(|| (x * y).eval());
    assert_eq!(
        message_of(|| tape.gradient(&z).map(drop)),
        "the library gave up"
    );
    let w = tape.record(|| (x * 5.0).eval());
    assert_eq!(tape.gradient(&w).unwrap().wrt(&x).unwrap(), 5.0);

    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.record(|| {
        let mut a = external(x, dmatrix![1.0], |_| -> f64 {
            panic!("the library gave up")
        })
        .eval();
        a *= 2.0;
        a.sum().eval()
    });
    assert_eq!(
        message_of(|| tape.gradient(&y).map(drop)),
        "the library gave up"
    );
    assert_eq!(tape.gradient(&y).map(drop), Err(Error::Broken));
    tape.reset();
    let x = tape.input(2.0);
    let y = tape.record(|| (x * x).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x).unwrap(), 4.0);
}

#[test]
fn failures_are_errors() {
    let fails = Rc::new(Cell::new(true));
    fn root<M: AnyMode>(x: Real<M>, fails: &Rc<Cell<bool>>) -> Real<M> {
        let (a, fails, again) = (x.value().sqrt(), fails.clone(), fails.clone());
        let slope = move |fails: &Cell<bool>| match fails.get() {
            true => Err("no convergence after 3 iterations"),
            false => Ok(0.5 / a),
        };
        try_external(x, a, move |r_b: f64| Ok::<_, &str>(r_b * slope(&fails)?))
            .try_tangent(move |x_t| Ok::<_, &str>(x_t * slope(&again)?))
            .eval()
    }
    let reason = |result: Result<(), Error>| match result {
        Err(Error::External(failure)) => failure.reason,
        other => panic!("{other:?}"),
    };
    const REASON: &str = "no convergence after 3 iterations";
    let mut tape = Tape::new();
    let x = tape.input(4.0);
    let y = tape.record(|| {
        let mut a = dmatrix_of(root((2.0 * x).eval(), &fails));
        a *= 3.0;
        a.sum().eval()
    });
    fails.set(true);
    assert_eq!(reason(tape.gradient(&y).map(drop)), REASON);
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&x, [1.0]).unwrap();
    assert_eq!(reason(directions.sweep().map(drop)), REASON);
    let mut adjoints = tape.adjoints().unwrap();
    adjoints.seed(&y, 0, 1.0).unwrap();
    assert_eq!(reason(adjoints.sweep().map(drop)), REASON);
    fails.set(false);
    let expected = 3.0 / 8.0_f64.sqrt();
    let close = |a: f64| assert_close(&[a], &[expected], 1e-14);
    close(tape.gradient(&y).unwrap().wrt(&x).unwrap());
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&x, [1.0]).unwrap();
    close(directions.sweep().unwrap().of(&y).unwrap()[0]);
    let mut adjoints = tape.adjoints().unwrap();
    adjoints.seed(&y, 0, 1.0).unwrap();
    close(adjoints.sweep().unwrap().wrt(&x).unwrap()[0]);

    let along = |x: Real<Forward>| root(x, &fails);
    assert_eq!(jvp(along, 4.0, 1.0).unwrap(), (2.0, 0.25));
    fails.set(true);
    assert_eq!(reason(jvp(along, 4.0, 1.0).map(drop)), REASON);
}
fn dmatrix_of<M: AnyMode>(x: Real<M>) -> entape::linalg::Matrix<M> {
    let one = entape::linalg::Matrix::<M>::passive(dmatrix![1.0]);
    (&one * x).eval()
}

#[test]
fn missing_derivatives_are_named() {
    fn without<M: AnyMode>(x: &Real<M>) -> Real<M> {
        external(x, x.value(), |r_b: f64| r_b).eval()
    }
    let missing = |result: Result<(), Error>| match result {
        Err(Error::MissingRule(missing)) => missing,
        other => panic!("{other:?}"),
    };
    let found = missing(jvp(|x: Real<Forward>| without(&x), 1.0, 1.0).map(drop));
    assert!(found.to_string().contains("`.tangent(..)`"), "{found}");
    assert!(found.to_string().contains("external.rs"), "{found}");
    let found = missing(hessian_vector(|x: Real| without(&x), 1.0, 1.0).map(drop));
    assert_eq!(found.missing, "tangent");
    let second = |x: Real| square_times(&x, &x);
    let found = missing(hessian_vector(second, 1.0, 1.0).map(drop));
    assert_eq!(found.missing, "second");
    assert!(
        found.to_string().contains("no second derivative"),
        "{found}"
    );
    let x = Real::<Forward>::with_tangent(1.0, 1.0);
    assert!(message_of(|| without(&x)).contains("`.tangent(..)`"));
    let mut tape = Tape::new();
    let x = tape.input(1.0);
    assert!(message_of(|| without(&x)).contains("external function"));
    let mut other = Tape::new();
    let y = other.input(1.0);
    let message = message_of(|| tape.record(|| square_times(&x, &y)));
    assert!(message.contains("another tape"), "{message}");
}

#[test]
fn a_full_tape_continues_to_compute_values() {
    let mut tape: Tape = Tape::builder().memory_limit(1 << 16).build().unwrap();
    let x = tape.input(1.0);
    let y = tape.record(|| {
        let mut y = (x * 1.0).eval();
        for _ in 0..100_000 {
            let a = y.value();
            y = external(y, a + 1.0, |r_b: f64| r_b).eval();
        }
        y
    });
    assert_eq!(y, 100_001.0);
    assert!(matches!(tape.gradient(&y), Err(Error::MemoryLimit { .. })));
}

#[test]
fn drivers_run_within_closures() {
    // f(x) = g(x) with g' by a nested driver
    fn outer<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let at: Vec<f64> = x.iter().map(Real::value).collect();
        let inner = |x: &[Real]| x.iter().map(|x| x.sin()).product::<Real>();
        let (value, gradient) = entape::value_and_gradient(inner, &at).unwrap();
        external(x, value, move |r_b: f64| {
            let again = entape::gradient(inner, &at).unwrap();
            assert_eq!(again, gradient);
            again.iter().map(|g| g * r_b).collect()
        })
        .eval()
    }
    let x = [0.3, 0.7, 1.1];
    let gradient = entape::gradient(|x: &[Real]| outer(x) * 2.0, &x).unwrap();
    let direct = |x: &[Real]| x.iter().map(|x| x.sin()).product::<Real>() * 2.0;
    assert_close(&gradient, &entape::gradient(direct, &x).unwrap(), 1e-15);
}

#[test]
fn many_results_have_separate_adjoints() {
    let f = |x: [Real; 3]| {
        let v = x.map(|x| x.value());
        external(x, v.map(|v| v * v), move |r_b: [f64; 3]| {
            std::array::from_fn(|i| 2.0 * v[i] * r_b[i])
        })
        .eval()
    };
    let jacobian = jacobian(f, [1.0, 2.0, 3.0]).unwrap();
    assert_eq!(
        jacobian.as_slice(),
        [2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 6.0]
    );
    let (_, pulled) = vjp(f, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]).unwrap();
    assert_eq!(pulled, [2.0, 4.0, 6.0]);
    let mixed = |z: Complex_| {
        let v: Complex<f64> = z.value();
        external(
            z,
            (v.re, v, v.im, v.conj()),
            |(re, z, im, conj): (f64, Complex<f64>, f64, Complex<f64>)| {
                c64(re, im) + z + conj.conj()
            },
        )
        .eval()
    };
    let seeds = (1.0, c64(10.0, 20.0), 2.0, c64(100.0, 200.0));
    let (_, pulled) = vjp(mixed, c64(3.0, 4.0), seeds).unwrap();
    assert_eq!(pulled, c64(111.0, 22.0 - 200.0));
}

fn half<M: AnyMode, A: Arguments<M>>(
    x: A,
    value: f64,
    adjoint: impl Fn(f64) -> <A::Shape as entape::structure::Structure>::Values + 'static,
) -> Real<M> {
    external(x, value, adjoint).eval()
}
#[test]
fn sparse_derivatives_detect_dependences() {
    struct Bands;
    impl entape::Function for Bands {
        type Inputs = entape::driver::ListShape<f64>;
        type Values = Vec<f64>;
        type Output<M: Mode> = Vec<Real<M>>;
        fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
            let product = |i: usize| square_times(&x[i], &x[i + 1]);
            (0..x.len() - 1)
                .map(|i| (product(i) + x[i]).eval())
                .collect()
        }
    }
    let x: Vec<f64> = (0..30).map(|i| 1.0 + f64::from(i) * 0.1).collect();
    let sparse = entape::Objective::new(Bands).sparse_jacobian(&x).unwrap();
    assert_eq!(sparse.values().len(), 58);
    let dense = entape::Objective::new(Bands)
        .jacobian_columns(&x, 0..30)
        .unwrap();
    for (i, row) in dense.iter_rows().enumerate() {
        let (a, b) = (x[i], x[i + 1]);
        let expected = [2.0 * a * b + 1.0, a * a];
        assert_close(&row[i..i + 2], &expected, 1e-14);
        assert_eq!(row.iter().filter(|d| **d != 0.0).count(), 2);
        assert_close(&sparse.values()[2 * i..2 * i + 2], &expected, 1e-14);
    }
}

#[test]
fn programs_may_be_generic_in_the_arguments() {
    let gradient = entape::gradient(|x: Real| half(x, 1.0, |r_b| 0.5 * r_b), 2.0);
    assert_eq!(gradient, Ok(0.5));
}
