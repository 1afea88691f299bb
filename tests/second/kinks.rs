//! Second derivatives where a kink is reached with zero velocity: the tangent is zero although the value depends on the
//! direction.
use entape::{op, prelude::*, simd::wide::f64x4};
use nalgebra::{DMatrix, dmatrix};

type R = Real;
type V = Vector;

const N: f64 = f64::NAN;
type Program = fn(&[R]) -> R;

fn vector(x: &[R]) -> V {
    gather(list(x), 2, 1).eval()
}
fn complex(x: &[R]) -> Complex {
    entape::complex::new(x[0], x[1]).eval()
}
fn half_square(n: R) -> R {
    (n * n * 0.5).eval()
}
/// The identity, with off-diagonal elements `x²`: the eigenvalues are `1 - x²` and `1 + x²`.
fn around_identity(x: &[R]) -> Matrix {
    let s = (x[0] * x[0]).eval();
    let one: Matrix = Active::passive(DMatrix::identity(2, 2));
    let direction: Matrix = Active::passive(dmatrix![0.0, 1.0; 1.0, 0.0]);
    (&one + s * &direction).eval()
}

const ARRAYS: &[(&str, Program, [f64; 4])] = &[
    (
        "|v²|",
        |x| {
            let v = x.gather_array().eval();
            (&v * &v).abs().sum().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "norm of v²",
        |x| {
            let v = x.gather_array().eval();
            (&v * &v).norm().eval()
        },
        [N, N, N, N],
    ),
    (
        "|v²| in two",
        |x| {
            let v = x.gather_array().eval();
            let w = (&v * &v).eval();
            w.abs().sum().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "|v|",
        |x| x.gather_array().eval().abs().sum().eval(),
        [N, 0.0, 0.0, N],
    ),
    (
        "|-v|",
        |x| {
            let v = (-x.gather_array()).eval();
            v.abs().sum().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "|3 v + v|",
        |x| {
            let v = x.gather_array().eval();
            (3.0 * &v + &v).abs().sum().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "moved",
        |x| {
            let v = x.gather_array().eval();
            v.reverse()
                .rotate(1)
                .concat(&v)
                .take(&[1, 0, 2])
                .abs()
                .sum()
                .eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "|v[1]| + v·v",
        |x| {
            let v = x.gather_array().eval();
            (v.slice(1..).abs().sum() + v.dot(&v)).eval()
        },
        [2.0, 0.0, 0.0, N],
    ),
    (
        "half square",
        |x| half_square(x.gather_array().eval().norm().eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "half square of |v|",
        |x| {
            let v = x.gather_array().eval();
            let n = (&v).abs().eval();
            n.dot(&n).eval()
        },
        [2.0, 0.0, 0.0, 2.0],
    ),
    (
        "number beside",
        |x| {
            let v = x[..1].gather_array().eval();
            (&v * x[1]).abs().sum().eval()
        },
        [N, N, N, N],
    ),
    (
        "max",
        |x| {
            let v = x.gather_array().eval();
            (&v * &v).max(0.0).sum().eval()
        },
        [2.0, 0.0, 0.0, 2.0],
    ),
];
const LANES: &[(&str, Program, [f64; 4])] = &[
    (
        "|v²|",
        |x| {
            let v = [x[0], x[1], x[1], x[1]].gather::<f64x4>().eval();
            (v * v).abs().reduce_add().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "|v|",
        |x| {
            let v = [x[0], x[1], x[1], x[1]].gather::<f64x4>().eval();
            v.abs().reduce_add().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "|x v| and v·v",
        |x| {
            let v = x[0].splat::<f64x4>().eval();
            ((v * x[1]).abs() + v * v).reduce_add().eval()
        },
        [N, N, N, N],
    ),
    (
        "half square",
        |x| {
            let v = [x[0], x[1], x[1], x[1]].gather::<f64x4>().eval();
            let n = v.abs().eval();
            (n * n).reduce_add().eval()
        },
        [2.0, 0.0, 0.0, 6.0],
    ),
];
const COMPLEX: &[(&str, Program, [f64; 4])] = &[
    (
        "|z²|",
        |x| {
            let z = complex(x);
            (z * z).norm().eval()
        },
        [N, N, N, N],
    ),
    (
        "|z²| in two",
        |x| {
            let z = complex(x);
            let w = z.powi(2).eval();
            w.abs().eval()
        },
        [N, N, N, N],
    ),
    (
        "|Re z²| + |Im z²|",
        |x| {
            let z = complex(x);
            (z * z).l1_norm().eval()
        },
        [N, N, N, N],
    ),
    (
        "|Re z| + |Im z|",
        |x| complex(x).l1_norm().eval(),
        [N, 0.0, 0.0, N],
    ),
    (
        "its half square",
        |x| half_square(complex(x).l1_norm().eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "|Re z| + Im² z",
        |x| {
            let z = complex(x);
            (z.re().abs() + z.im() * z.im()).eval()
        },
        [N, 0.0, 0.0, 2.0],
    ),
    (
        "half square",
        |x| half_square(complex(x).norm().eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "arg z²",
        |x| {
            let z = complex(x);
            ((z * z).arg() * x[0]).eval()
        },
        [N, N, N, N],
    ),
    (
        "array",
        |x| {
            let z = complex(x);
            let w = [z, z].gather_array().eval();
            (&w * &w).abs().sum().eval()
        },
        [N, N, N, N],
    ),
    (
        "array, |z|",
        |x| {
            let z = complex(x);
            half_square([z].gather_array().eval().norm().eval())
        },
        [1.0, 0.0, 0.0, 1.0],
    ),
];
const MATRICES: &[(&str, Program, [f64; 4])] = &[
    (
        "|v v'|",
        |x| {
            let v = vector(x);
            v.outer(&v).norm().eval()
        },
        [N, N, N, N],
    ),
    (
        "|v .* v|",
        |x| {
            let v = vector(x);
            v.component_mul(&v).norm_l1().eval()
        },
        [N, N, N, N],
    ),
    ("|v|", |x| vector(x).norm_l1().eval(), [N, 0.0, 0.0, N]),
    (
        "|v| of each",
        |x| vector(x).abs().sum().eval(),
        [N, 0.0, 0.0, N],
    ),
    (
        "|v| of each, mapped",
        |x| vector(x).map(op::Abs).sum().eval(),
        [N, 0.0, 0.0, N],
    ),
    (
        "|v .* v| of each",
        |x| {
            let v = vector(x);
            v.component_mul(&v).abs().sum().eval()
        },
        [N, N, N, N],
    ),
    (
        "v mapped to v²",
        |x| {
            let v = vector(x);
            v.zip_map(&v, op::Mul).map(op::Abs).sum().eval()
        },
        [N, 0.0, 0.0, N],
    ),
    (
        "moved",
        |x| {
            let v = vector(x);
            (v.transpose().column(1).norm_l1() + v.dot(&v)).eval()
        },
        [2.0, 0.0, 0.0, N],
    ),
    (
        "order 3",
        |x| {
            let v = vector(x);
            v.component_mul(&v).lp_norm(3).eval()
        },
        [N, N, N, N],
    ),
    (
        "half square, order 3",
        |x| half_square(vector(x).lp_norm(3).eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "half square, order 1",
        |x| half_square(vector(x).norm_l1().eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "half square",
        |x| half_square(vector(x).norm().eval()),
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        "spectral",
        |x| {
            let v = vector(x);
            v.outer(&v).spectral_norm().eval()
        },
        [N, N, N, N],
    ),
    (
        "spectral, around identity",
        |x| around_identity(x).spectral_norm().eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "second eigenvalue",
        |x| around_identity(x).symmetric_eigenvalues().at(1).eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "largest eigenvalue",
        |x| {
            let v = vector(x);
            v.outer(&v)
                .eval()
                .symmetric_eigenvalues()
                .max_element()
                .eval()
        },
        [N, N, N, N],
    ),
    (
        "sum of eigenvalues",
        |x| {
            let v = vector(x);
            v.outer(&v).eval().symmetric_eigenvalues().sum().eval()
        },
        [2.0, 0.0, 0.0, 2.0],
    ),
    (
        "sum of singular values",
        |x| {
            let v = vector(x);
            v.outer(&v).eval().singular_values().sum().eval()
        },
        [N, N, N, N],
    ),
];
/// Entries that do not depend on the direction stay zero; the others are NaN.
fn check(programs: &[(&str, Program, [f64; 4])]) {
    let mut wrong = Vec::new();
    for (name, program, right) in programs {
        let got = entape::hessian(|x: &[R]| program(x), &[0.0, 0.0]).expect("a Hessian");
        let got = [got[(0, 0)], got[(0, 1)], got[(1, 0)], got[(1, 1)]];
        let same = |(got, right): (&f64, &f64)| got == right || right.is_nan() && got.is_nan();
        if !got.iter().zip(right).all(same) {
            wrong.push(format!("{name}: {got:?}, and not {right:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
#[test]
fn hessians_of_arrays_at_kinks_are_correct_or_nan() {
    check(ARRAYS);
}
#[test]
fn hessians_of_lanes_at_kinks_are_correct_or_nan() {
    check(LANES);
}
#[test]
fn hessians_of_complex_numbers_at_kinks_are_correct_or_nan() {
    check(COMPLEX);
}
#[test]
fn hessians_of_matrices_at_kinks_are_correct_or_nan() {
    check(MATRICES);
}
