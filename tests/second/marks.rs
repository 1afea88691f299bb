//! The row of an input in a Hessian at a kink is zero if the argument of the kink does not depend on that input.
use entape::{
    op,
    prelude::*,
    simd::{GatherOps, LanesOps, wide::f64x4},
};

type R = Real;
type M = Matrix;
type V = Vector;
type Program = fn(&[R]) -> R;

const N: f64 = f64::NAN;
fn vector(x: &[R]) -> V {
    gather(list(x), x.len(), 1).eval()
}
fn complex(x: &[R]) -> Complex {
    entape::complex::new(x[0], x[1]).eval()
}

const LAST_OF_FOUR: [f64; 16] = [
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, N,
];
const THIRD_OF_FOUR: [f64; 16] = [
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, 0.0,
];
const FIRST_OF_TWO: [f64; 4] = [N, 0.0, 0.0, 0.0];
const PROGRAMS: &[(&str, Program, &[f64], &[f64])] = &[
    (
        "a lane that is written",
        |x| {
            let mut v = x.gather::<f64x4>().eval();
            v[0] *= 2.0;
            v.abs().reduce_add().eval()
        },
        &[1.0, -1.0, 0.7, 0.0],
        &LAST_OF_FOUR,
    ),
    (
        "a lane that is written with a plain number",
        |x| {
            let mut v = x.gather::<f64x4>().eval();
            v[0].assign(2.0);
            v.abs().reduce_add().eval()
        },
        &[1.0, -1.0, 0.7, 0.0],
        &LAST_OF_FOUR,
    ),
    (
        "an element that is written",
        |x| {
            let mut v = x.gather_array().eval();
            v[0] *= 2.0;
            v.abs().sum().eval()
        },
        &[1.0, -1.0, 0.7, 0.0],
        &LAST_OF_FOUR,
    ),
    (
        "a part of a complex number that is written",
        |x| {
            let mut z = complex(x);
            z.re_mut().assign(x[0] * 2.0);
            z.l1_norm().eval()
        },
        &[1.0, 0.0],
        &[0.0, 0.0, 0.0, N],
    ),
    (
        "atan2",
        |x| (x[0].atan2(x[1]) + x[2] * x[2]).eval(),
        &[0.0, 0.0, 1.0],
        &[N, N, 0.0, N, N, 0.0, 0.0, 0.0, 2.0],
    ),
    (
        "arrays that are shifted",
        |x| {
            let (v, w) = (x[..2].gather_array().eval(), x[2..].gather_array().eval());
            (v.shift(1) + &w).abs().sum().eval()
        },
        &[1.0, 1.0, 0.0, 3.0],
        &THIRD_OF_FOUR,
    ),
    (
        "columns side by side",
        |x| {
            vector(&x[..2])
                .hstack(&vector(&x[2..]))
                .map(op::Abs)
                .sum()
                .eval()
        },
        &[1.0, 1.0, 0.0, 3.0],
        &THIRD_OF_FOUR,
    ),
    (
        "columns above each other",
        |x| {
            vector(&x[..2])
                .vstack(&vector(&x[2..]))
                .map(op::Abs)
                .sum()
                .eval()
        },
        &[1.0, 1.0, 0.0, 3.0],
        &THIRD_OF_FOUR,
    ),
    (
        "a diagonal",
        |x| {
            let d: M = from_diagonal(&vector(x)).eval();
            d.map(op::Abs).sum().eval()
        },
        &[0.0, 1.0],
        &FIRST_OF_TWO,
    ),
    (
        "the largest element of a vector",
        |x| vector(x).max_element().abs().eval(),
        &[0.0, -1.0],
        &FIRST_OF_TWO,
    ),
    (
        "the largest lane",
        |x| {
            let v = [x[0], x[1], x[1], x[1]].gather::<f64x4>().eval();
            v.reduce_max().abs().eval()
        },
        &[0.0, -1.0],
        &FIRST_OF_TWO,
    ),
    // The mixed derivative is `x^(y-1) (1 + y ln x)`.
    (
        "a power at 0 with the exponent 1",
        |x| x[0].powf(x[1]).eval(),
        &[0.0, 1.0],
        &[0.0, N, N, 0.0],
    ),
    (
        "a power at 0 with the exponent 2",
        |x| x[0].powf(x[1]).eval(),
        &[0.0, 2.0],
        &[2.0, 0.0, 0.0, 0.0],
    ),
    (
        "a power at 0 with the exponent 3",
        |x| x[0].powf(x[1]).eval(),
        &[0.0, 3.0],
        &[0.0, 0.0, 0.0, 0.0],
    ),
    (
        "a power at 0 with the passive exponent 1",
        |x| x[0].powf(R::passive(1.0) + 0.0 * x[1].floor()).eval(),
        &[0.0, 1.0],
        &[0.0, 0.0, 0.0, 0.0],
    ),
];

#[test]
fn kinks_that_do_not_depend_on_an_input_leave_its_row_zero()
-> Result<(), Box<dyn std::error::Error>> {
    let mut wrong = Vec::new();
    for (name, program, x, expected) in PROGRAMS {
        let hessian = entape::hessian(program, *x)?;
        let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        let got = hessian.as_slice();
        if !got.iter().zip(*expected).all(same) {
            wrong.push(format!("{name}: {got:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
