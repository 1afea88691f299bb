//! Second derivatives at kinks.
use entape_core::{
    expr::{Active, list},
    real::{Elementary, ListReductions, Reals},
};
use entape_drivers::hessian;

type Real = Active<f64>;

type Program = fn(&[Real]) -> Real;

/// NaN where a Hessian does not exist.
const N: f64 = f64::NAN;
const PROGRAMS: &[(&str, Program, [f64; 4])] = &[
    // Kinks reached with zero velocity.
    ("|x²|", |x| (x[0] * x[0]).abs().eval(), [N, 0.0, 0.0, 0.0]),
    (
        "|x²| in two",
        |x| (x[0] * x[0]).eval().abs().eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "|1 - cos x|",
        |x| (1.0 - x[0].cos()).abs().eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "hypot(x², x²)",
        |x| (x[0] * x[0]).hypot(x[0] * x[0]).eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "norm of x²",
        |x| {
            list(&[(x[0] * x[0]).eval(), (x[0] * x[0]).eval()])
                .norm()
                .eval()
        },
        [N, 0.0, 0.0, 0.0],
    ),
    (
        "copysign(x², 1)",
        |x| (x[0] * x[0]).copysign(1.0).eval(),
        [N, 0.0, 0.0, 0.0],
    ),
    ("|x y|", |x| (x[0] * x[1]).abs().eval(), [N, N, N, N]),
    // The value does not move.
    (
        "|x| + y²",
        |x| (x[0].abs() + x[1] * x[1]).eval(),
        [N, 0.0, 0.0, 2.0],
    ),
    (
        "|x|² + y²",
        |x| {
            let n = x[0].abs().eval();
            (n * n + x[1] * x[1]).eval()
        },
        [2.0, 0.0, 0.0, 2.0],
    ),
    (
        "norm² + y³",
        |x| {
            let n = x.norm().eval();
            (n * n + x[1].powi(3)).eval()
        },
        [2.0, 0.0, 0.0, 2.0],
    ),
    (
        "√x² + y²",
        |x| ((x[0] * x[0]).eval().sqrt() + x[1] * x[1]).eval(),
        [N, 0.0, N, 2.0],
    ),
    // A pole reached with zero velocity.
    (
        "∛x³ y",
        |x| ((x[0] * x[0] * x[0]).eval().cbrt().eval() * x[1]).eval(),
        [N, N, N, 0.0],
    ),
];
#[test]
fn hessians_at_kinks_are_exact_or_nan() {
    for (name, program, right) in PROGRAMS {
        let got = hessian(|x: &[Real]| program(x), &[0.0, 0.0]).expect("a Hessian");
        let got = [got[(0, 0)], got[(0, 1)], got[(1, 0)], got[(1, 1)]];
        println!("{name}: {got:?}, {right:?}");
        let same = |(got, right): (&f64, &f64)| got == right || right.is_nan() && got.is_nan();
        assert!(
            got.iter().zip(right).all(same),
            "{name}: {got:?}, and not {right:?}"
        );
    }
}
