use crate::{assert_close, message_of};
use approx::assert_relative_eq;
use entape::{
    complex::{Complex, num_complex::c64},
    driver::{hessian_vector, jvp},
    preaccumulate,
    prelude::*,
};
use nalgebra::{DMatrix, dmatrix};
use std::cell::{Cell, RefCell};

fn logistic<M: Mode>((a, mut x): (Real<M>, Real<M>)) -> Real<M> {
    for _ in 0..500 {
        let rest = (1.0 - x).eval();
        x = (a * x * rest).eval();
    }
    x
}
fn whole<M: Mode>(a: Real<M>, x: Real<M>, stored: bool) -> Real<M> {
    let inner = (a * 2.0).eval();
    let y = match stored {
        true => preaccumulate((inner, x), logistic),
        false => logistic((inner, x)),
    };
    (y * y + x).eval()
}
const AT: (f64, f64) = (1.2, 0.3);

#[test]
fn a_loop_becomes_one_statement() {
    let run = |stored| {
        let mut tape = Tape::new();
        let (a, x) = (tape.input(AT.0), tape.input(AT.1));
        let y = tape.record(|| whole(a, x, stored));
        let count = tape.statistics().statements;
        let gradient = tape.gradient(&y).unwrap();
        let both = [gradient.wrt(&a).unwrap(), gradient.wrt(&x).unwrap()];
        (y.value(), both, count)
    };
    let ((y, gradient, count), (expected, slopes, all)) = (run(true), run(false));
    assert_eq!(y, expected);
    assert_close(&gradient, &slopes, 1e-12);
    assert_eq!((count, all), (5, 1004)); // inputs, the product, the part, the end
}

#[test]
fn the_statement_has_the_line_of_the_call() {
    let mut tape = Tape::new();
    let x = tape.input(-1.0);
    let part = |x: Real| {
        let mut y = x.sqrt().eval();
        for _ in 0..50 {
            y = (y * 2.0).eval();
        }
        y
    };
    let line = line!() + 1;
    tape.record(|| [preaccumulate(x, part), preaccumulate([x], |[x]| part(x))]);
    let found = tape.find_non_finite().unwrap();
    assert_eq!((found.index, found.location.line()), (1, line));
    assert!(found.location.file().ends_with("preaccumulate.rs"));
    assert_eq!(tape.statistics().statements, 3);
}

#[test]
fn other_modes_just_run_the_part() {
    let calls = Cell::new(0);
    fn run<M: Mode>(a: Real<M>, x: Real<M>, calls: &Cell<usize>) -> Real<M> {
        preaccumulate((a, x), |inputs| {
            calls.set(calls.get() + 1);
            logistic(inputs)
        })
    }
    let plain = run(Real::<Plain>::passive(2.4), Real::passive(AT.1), &calls);
    assert_eq!(calls.take(), 1);
    let (_, slope) = jvp(
        |(a, x)| run::<Forward>(a, x, &calls),
        (2.4, AT.1),
        (1.0, 0.0),
    )
    .unwrap();
    assert_eq!(calls.take(), 1);
    let expected = entape::gradient(|a: Real| logistic((a, Real::passive(AT.1))), 2.4).unwrap();
    assert_close(&[slope], &[expected], 1e-12);
    let second = |(a, x): (Real, Real)| run(a, x, &calls);
    let direct = |(a, x): (Real, Real)| logistic((a, x));
    let along = hessian_vector(second, (2.4, AT.1), (1.0, 2.0)).unwrap();
    assert_eq!(calls.take(), 1);
    assert_eq!(
        along,
        hessian_vector(direct, (2.4, AT.1), (1.0, 2.0)).unwrap()
    );
    let mut tape = Tape::new();
    let none = tape.record(|| run(Real::<Taped>::passive(2.4), Real::passive(AT.1), &calls));
    assert!(!none.is_active());
    assert_eq!((none.value(), calls.take()), (plain.value(), 1));
    assert_eq!(tape.statistics().statements, 0);
    let x = tape.input(AT.1);
    let y = tape.record(|| run(Real::passive(2.4), x, &calls));
    assert_eq!((y.value(), calls.take()), (plain.value(), 1));
    assert_eq!(tape.statistics().statements, 2);
}

#[test]
fn small_parts_are_recorded_unchanged() {
    let calls = Cell::new(0);
    let mut tape = Tape::new();
    let x = tape.inputs([1.0, 2.0, 3.0]);
    let y = tape.record(|| {
        preaccumulate(&x, |x| {
            calls.set(calls.get() + 1);
            let sum: Real = x.iter().map(|x| x.exp()).sum();
            [sum, (x[0] * x[1]).eval(), (x[2] * 2.0).eval()]
        })
    });
    assert_eq!((calls.get(), tape.statistics().statements), (2, 4));
    assert_eq!(
        tape.gradient(&y[1]).unwrap().wrt_all(&x).unwrap(),
        [2.0, 1.0, 0.0]
    );
}

fn mixed<M: Mode>(
    (x, z, s, a): (Real<M>, Complex<M>, Real32<M>, &entape::linalg::Matrix<M>),
) -> (
    Real<M>,
    Complex<M>,
    [Real32<M>; 1],
    Vec<entape::linalg::Matrix<M>>,
) {
    let (mut r, mut w, mut t, mut b) = (x, z, s, (a * 1.0).eval());
    for _ in 0..100 {
        r = (r.sin() + x * 0.5).eval();
        w = (w * z * r + x).eval();
        w = (w / w.norm()).eval();
        t = (t.cos() * s).eval();
        b = (&b * 0.5 + a * r).eval();
        b[(0, 0)] *= 0.5;
    }
    let r = (r + t.to_f64() * b.sum()).eval();
    (r, w, [t], vec![b])
}
#[test]
fn inputs_and_outputs_have_any_kind() {
    let run = |stored: bool| {
        let mut tape = Tape::new();
        let (x, z) = (tape.input(0.7), tape.input(c64(0.3, -0.8)));
        let s = tape.input_as::<f32>(0.5);
        let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
        let before = tape.statistics().statements;
        let (r, w, t, b) = tape.record(|| match stored {
            true => preaccumulate((x, z, s, &a), mixed),
            false => mixed((x, z, s, &a)),
        });
        let count = tape.statistics().statements - before;
        tape.seed(&r, 1.0).unwrap();
        tape.seed(&w, c64(2.0, -3.0)).unwrap();
        tape.seed(&t[0], 0.5).unwrap();
        tape.seed(&b[0], dmatrix![1.0, -1.0; 2.0, 0.0]).unwrap();
        let swept = tape.sweep().unwrap();
        let z_b = swept.wrt(&z).unwrap();
        let mut all = vec![swept.wrt(&x).unwrap(), z_b.re, z_b.im];
        all.extend(swept.wrt(&a).unwrap().iter());
        let single = swept.wrt(&s).unwrap();
        let b: DMatrix<f64> = b[0].get().clone();
        ((r.value(), w.value(), t[0].value(), b), all, single, count)
    };
    let (values, gradient, single, count) = run(true);
    let (expected, slopes, single_slope, _) = run(false);
    assert_eq!(values, expected);
    assert_close(&gradient, &slopes, 1e-12);
    assert_relative_eq!(single, single_slope, epsilon = 0.0, max_relative = 1e-5);
    assert_eq!(count, 4);
}

#[test]
fn parts_nest_and_repeat() {
    fn inner<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
        let mut y = x.to_vec();
        for i in 0..200 {
            let next = (y[i % 2] * 0.9 + y[(i + 1) % 2].sin() * 0.3).eval();
            y[i % 2] = next;
        }
        y
    }
    fn outer<M: Mode>(x: &[Real<M>], stored: bool) -> Vec<Real<M>> {
        let mut y = x.to_vec();
        for _ in 0..10 {
            y = match stored {
                true => preaccumulate(&y, |y| inner(y)),
                false => inner(&y),
            };
        }
        y
    }
    let at = [0.4, 0.8];
    let twice = |x: &[Real]| {
        preaccumulate(x, |x| outer(x, true))
            .into_iter()
            .sum::<Real>()
    };
    let direct = |x: &[Real]| outer(x, false).into_iter().sum::<Real>();
    let expected = entape::gradient(direct, &at).unwrap();
    assert_close(&entape::gradient(twice, &at).unwrap(), &expected, 1e-12);
    let mut tape = Tape::new();
    let x = tape.inputs(at);
    let start = tape.position();
    for _ in 0..3 {
        let y = tape.record(|| outer(&x, true).into_iter().sum::<Real>());
        let gradient = tape.gradient(&y).unwrap().wrt_all(&x).unwrap();
        assert_close(&gradient, &expected, 1e-12);
        assert_eq!(tape.find_non_finite(), None);
        tape.reset_to(&start).unwrap();
    }
}

#[test]
fn undeclared_variables_panic() {
    let mut tape = Tape::new();
    let (x, hidden) = (tape.input(2.0), tape.input(3.0));
    let a = tape.input(dmatrix![1.0]);
    let message = message_of(|| tape.record(|| preaccumulate(x, |x| (x * hidden).eval())));
    assert!(message.contains("another tape"), "{message}");
    let message = message_of(|| tape.record(|| preaccumulate(x, |x| (&a * x).eval().sum().eval())));
    assert!(message.contains("another tape"), "{message}");
    let escaped = Cell::new(Real::passive(0.0));
    let written = RefCell::new(entape::linalg::Matrix::<Taped>::passive(dmatrix![1.0]));
    let y = tape.record(|| {
        preaccumulate(x, |mut x| {
            for _ in 0..100 {
                x = x.sin().eval();
            }
            escaped.set(x);
            written.borrow_mut().assign(&a.passive_of() * x);
            x
        })
    });
    for _ in 0..2 {
        let message = message_of(|| tape.record(|| (escaped.get() * y).eval()));
        assert!(message.contains("reset"), "{message}");
        let message = message_of(|| tape.record(|| (written.borrow().sum() * y).eval()));
        assert!(message.contains("reset"), "{message}");
    }
    let expected = entape::gradient(
        |mut x: Real| {
            for _ in 0..100 {
                x = x.sin().eval();
            }
            x
        },
        2.0,
    );
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), expected);
    let message = message_of(|| tape.record(|| preaccumulate(x, |_| -> Real { panic!("no") })));
    assert_eq!(message, "no");
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), expected);
}
trait PassiveOf {
    fn passive_of(&self) -> Self;
}
impl PassiveOf for entape::linalg::Matrix {
    fn passive_of(&self) -> Self {
        Self::passive(self.get().clone())
    }
}

#[test]
fn inputs_that_repeat_and_outputs_that_are_inputs() {
    let part = |(x, y): (Real, Real)| {
        let mut z = x;
        for _ in 0..100 {
            z = (z * 0.99 + y.sin() * 0.01).eval();
        }
        (x, z, Real::passive(5.0), (z * 0.0).eval())
    };
    let mut tape = Tape::new();
    let x = tape.input(0.5);
    let (same, z, five, zero) = tape.record(|| preaccumulate((x, x), part));
    assert_eq!(
        (same.value(), five.value(), five.is_active()),
        (0.5, 5.0, false)
    );
    assert_eq!(tape.gradient(&same).unwrap().wrt(&x).unwrap(), 1.0);
    assert_eq!(tape.gradient(&zero).unwrap().wrt(&x).unwrap(), 0.0);
    let kept = 0.99_f64.powi(100);
    let expected = kept + (1.0 - kept) * 0.5_f64.cos();
    assert_close(
        &[tape.gradient(&z).unwrap().wrt(&x).unwrap()],
        &[expected],
        1e-13,
    );
}

#[test]
fn failures_in_the_part_are_failures_of_the_program() {
    let mut tape = Tape::new();
    let x = tape.input(1.0);
    let y = tape.record(|| {
        preaccumulate(x, |mut x| {
            for _ in 0..100 {
                x = x.sin().eval();
            }
            let value = x.value();
            entape::try_external(x, value, |_: f64| Err::<f64, _>("no slope")).eval()
        })
    });
    assert_eq!(tape.statistics().statements, 102);
    let Err(Error::External(failure)) = tape.gradient(&y) else {
        panic!("an error is expected")
    };
    assert_eq!(failure.reason, "no slope");
    let root = |x: Real| {
        let mut y = x.sqrt().eval();
        for _ in 0..50 {
            y = (y * 2.0).eval();
        }
        y
    };
    let both = |x: Real| preaccumulate(x, root);
    assert_eq!(entape::gradient(both, 0.0), Ok(f64::INFINITY));
}
#[test]
fn casts_in_the_part_are_casts_of_the_program() {
    use entape::eager::Eager;
    let part = |x: Real| {
        let mut y = x;
        for _ in 0..50 {
            let last: f64 = Eager::from(y).into();
            y = (0.9 * y + 0.1 * last).eval();
        }
        y
    };
    let run = |refuse: bool| {
        let mut tape: Tape = Tape::builder().refuse_casts(refuse).build().unwrap();
        let x = tape.input(2.0);
        let y = tape.record(|| preaccumulate(x, |x| preaccumulate(x, part)));
        tape.gradient(&y).unwrap().wrt(&x).unwrap()
    };
    let message = message_of(|| run(true));
    assert!(message.contains("the tape refuses to cast"), "{message}");
    assert_close(&[run(false)], &[0.9_f64.powi(50)], 1e-14);
    let mut tape: Tape = Tape::builder().refuse_casts(true).build().unwrap();
    let message = message_of(|| tape.record(|| entape::gradient(part, 2.0)));
    assert!(message.contains("the tape refuses to cast"), "{message}");
    assert!(entape::gradient(part, 2.0).is_ok());
}

#[test]
fn second_derivatives_need_the_recorded_part() {
    let mut tape = Tape::new();
    let (a, x) = (tape.input(AT.0), tape.input(AT.1));
    let y = tape.record(|| whole(a, x, true));
    let slope = tape.gradient(&y).unwrap().wrt(&x).unwrap();
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&x, [1.0]).unwrap();
    let tangents = directions.sweep().unwrap();
    assert_relative_eq!(tangents.of(&y).unwrap()[0], slope, max_relative = 1e-12);
    let error = tangents.gradient(&y).map(drop).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("preaccumulate(false)"), "{message}");
    assert!(message.contains("preaccumulate.rs"), "{message}");

    // A recording after a reset is another program, and so is one that continues before the part.
    tape.reset();
    let x = tape.input(AT.1);
    let position = tape.position();
    tape.record(|| whole(x, x, true));
    tape.reset_to(&position).unwrap();
    let y = tape.record(|| (x * x * x).eval());
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&x, [1.0]).unwrap();
    let second = directions.sweep().unwrap().gradient(&y).unwrap();
    assert_relative_eq!(second.wrt(&x).unwrap()[0], 6.0 * AT.1, max_relative = 1e-15);
    tape.reset();
    let x = tape.input(AT.1);
    let y = tape.record(|| (x * x).eval());
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&x, [1.0]).unwrap();
    let second = directions.sweep().unwrap().gradient(&y).unwrap();
    assert_eq!(second.wrt(&x), Ok([2.0]));

    let kept = |stored| {
        let mut tape: Tape = Tape::builder().preaccumulate(false).build().unwrap();
        let (a, x) = (tape.input(AT.0), tape.input(AT.1));
        let y = tape.record(|| whole(a, x, stored));
        let mut directions = tape.directions::<1>().unwrap();
        directions.set(&x, [1.0]).unwrap();
        let second = directions.sweep().unwrap().gradient(&y).unwrap();
        (second.wrt(&a).unwrap(), second.wrt(&x).unwrap())
    };
    assert_eq!(kept(true), kept(false));
}
#[test]
fn an_objective_records_the_part_again_for_a_hessian() {
    use entape::{Objective, function};
    #[function]
    fn stored<M: Mode>(x: &[Real<M>]) -> Real<M> {
        whole(x[0], x[1], true)
    }
    #[function]
    fn direct<M: Mode>(x: &[Real<M>]) -> Real<M> {
        whole(x[0], x[1], false)
    }
    let (stored, direct) = (Objective::new(stored {}), Objective::new(direct {}));
    let at = [AT.0, AT.1];
    for _ in 0..2 {
        assert_close(
            &stored.gradient(&at).unwrap(),
            &direct.gradient(&at).unwrap(),
            1e-12,
        );
        let (h, expected) = (stored.hessian(&at).unwrap(), direct.hessian(&at).unwrap());
        assert_close(h.as_slice(), expected.as_slice(), 1e-12);
    }
}
#[test]
fn parts_of_entities_have_tangents() {
    let mut tape = Tape::new();
    let v = tape.input(nalgebra::dvector![0.3, 0.4, 0.5]);
    let y = tape.record(|| {
        let part = preaccumulate(&v, |v: &Vector| {
            let mut w = v.clone();
            (0..30).for_each(|_| w = (&w * 0.9 + v.map(entape::op::Sin)).eval());
            w
        });
        part.norm_squared().eval()
    });
    let gradient = tape.gradient(&y).unwrap().wrt(&v).unwrap();
    let along = nalgebra::dvector![1.0, -2.0, 0.5];
    let mut directions = tape.directions::<1>().unwrap();
    directions.set(&v, [along.clone()]).unwrap();
    let [tangent] = directions.sweep().unwrap().of(&y).unwrap();
    assert_relative_eq!(tangent, gradient.dot(&along), max_relative = 1e-12);
}
