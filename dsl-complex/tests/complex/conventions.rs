//! The tables of the documentation.
use crate::{assert_close, gradient, pull};
use entape_complex::{
    Complex, ComplexOps, PolarCoordinates, Powers, Wirtinger,
    num_complex::{Complex64, c64},
};
use entape_core::{mode::Plain, real::Elementary};

const ONE: Complex64 = Complex64::ONE;
fn adjoint(z: Complex64, f: impl FnOnce(Complex) -> Complex) -> Complex64 {
    pull(z, c64(0.7, -1.1), f).1
}

#[test]
fn adjoints_on_a_cut_are_the_slopes_of_its_side() {
    type Pair = (
        &'static str,
        fn(Complex<Plain>) -> Complex<Plain>,
        fn(Complex) -> Complex,
    );
    macro_rules! pair {
        ($f:ident) => {
            (stringify!($f), |z| z.$f().eval(), |z| z.$f().eval())
        };
    }
    let real: [(Pair, &[f64]); 10] = [
        (pair!(sqrt), &[-2.0, -0.3]),
        (pair!(cbrt), &[-2.0, -0.3]),
        (pair!(ln), &[-2.0, -0.3]),
        (pair!(log2), &[-2.0]),
        (pair!(log10), &[-2.0]),
        (pair!(ln_1p), &[-3.0, -1.1]),
        (pair!(asin), &[-2.0, 3.0]),
        (pair!(acos), &[-2.0, 3.0]),
        (pair!(acosh), &[-2.0, -0.3, 0.4]),
        (pair!(atanh), &[-2.0, 3.0]),
    ];
    let imaginary: [(Pair, &[f64]); 2] =
        [(pair!(asinh), &[-2.0, 3.0]), (pair!(atan), &[-2.0, 3.0])];
    let test = |(name, plain, active): Pair, t: f64, at: &dyn Fn(f64) -> Complex64| {
        let h = 1e-6;
        let plain = |z| plain(Complex::passive(z)).value();
        let direction = at(1.0) - at(0.0);
        let slope = (plain(at(t + h)) - plain(at(t - h))) / (direction * (2.0 * h));
        let (value, z_b) = pull(at(t), ONE, active);
        assert_eq!(value, plain(at(t)), "{name} at {}", at(t));
        assert_close(z_b.conj(), slope, 1e-8, &format!("{name} at {}", at(t)));
    };
    for zero in [0.0, -0.0] {
        for &(pair, points) in &real {
            points
                .iter()
                .for_each(|&t| test(pair, t, &|x| c64(x, zero)));
        }
        for &(pair, points) in &imaginary {
            points
                .iter()
                .for_each(|&t| test(pair, t, &|y| c64(zero, y)));
        }
        let pair: [Pair; 3] = [
            ("powf", |z| z.powf(0.3).eval(), |z| z.powf(0.3).eval()),
            (
                "powc",
                |z| z.powc(entape_core::expr::constant(c64(0.3, 0.2))).eval(),
                |z| z.powc(entape_core::expr::constant(c64(0.3, 0.2))).eval(),
            ),
            ("log", |z| z.log(3.0).eval(), |z| z.log(3.0).eval()),
        ];
        for pair in pair {
            test(pair, -1.5, &|x| c64(x, zero));
        }
    }
}

#[test]
fn both_sides_of_a_cut_differ() {
    let side = |zero| pull(c64(-2.0, zero), ONE, |z| z.sqrt().eval()).1;
    assert_close(side(0.0), -side(-0.0), 1e-15, "sqrt");
    let side = |zero| pull(c64(-2.0, zero), ONE, |z| z.powf(0.3).eval()).1;
    assert_close(side(0.0), side(-0.0).conj(), 1e-15, "powf");
    assert!((side(0.0) - side(-0.0)).norm() > 0.1);
    type F = fn(Complex) -> Complex;
    let across_real: [(F, f64); 6] = [
        (|z| z.asin().eval(), 2.0),
        (|z| z.acos().eval(), -2.0),
        (|z| z.acosh().eval(), 0.5),
        (|z| z.atanh().eval(), 3.0),
        (|z| z.ln_1p().eval(), -3.0),
        (|z| z.ln().eval(), -3.0),
    ];
    for (f, x) in across_real {
        let ((above, above_b), (below, below_b)) =
            (pull(c64(x, 0.0), ONE, f), pull(c64(x, -0.0), ONE, f));
        assert_eq!((above, above_b), (below.conj(), below_b.conj()));
        assert!(above.im.abs() > 0.1);
    }
    let across_imaginary: [F; 2] = [|z| z.asinh().eval(), |z| z.atan().eval()];
    for f in across_imaginary {
        let ((right, right_b), (left, left_b)) =
            (pull(c64(0.0, 2.0), ONE, f), pull(c64(-0.0, 2.0), ONE, f));
        assert_eq!((right, right_b), (-left.conj(), left_b.conj()));
        assert!(right.re.abs() > 0.1);
    }
}

#[test]
fn sizes_and_angles_have_slope_zero_at_zero() {
    let zero = c64(0.0, 0.0);
    assert_eq!(gradient(zero, |z| z.norm().eval()), zero);
    assert_eq!(gradient(zero, |z| z.arg().eval()), zero);
    assert_eq!(gradient(zero, |z| z.norm_sqr().eval()), zero);
    assert_eq!(gradient(zero, |z| z.to_polar().0), zero);
    assert_eq!(gradient(zero, |z| z.to_polar().1), zero);
    assert_eq!(
        gradient(c64(-0.0, 2.0), |z| z.l1_norm().eval()),
        c64(0.0, 1.0)
    );
    assert_eq!(
        gradient(c64(-3.0, 0.0), |z| z.l1_norm().eval()),
        c64(-1.0, 0.0)
    );
}

#[test]
fn adjoints_at_poles_are_nan_in_both_parts() {
    type F = fn(Complex) -> Complex;
    let zero: [(&str, F); 14] = [
        ("sqrt", |z| z.sqrt().eval()),
        ("cbrt", |z| z.cbrt().eval()),
        ("ln", |z| z.ln().eval()),
        ("ln_1p", |z| (z - 1.0).ln_1p().eval()),
        ("log2", |z| z.log2().eval()),
        ("log10", |z| z.log10().eval()),
        ("log", |z| z.log(2.0).eval()),
        ("inv", |z| z.inv().eval()),
        ("finv", |z| z.finv().eval()),
        ("recip", |z| z.recip().eval()),
        ("1 / z", |z| (1.0 / z).eval()),
        ("powi", |z| z.powi(-1).eval()),
        ("powf", |z| z.powf(0.5).eval()),
        ("powc", |z| z.powc(c(0.5, 0.5)).eval()),
    ];
    let is_nan = |z: Complex64| z.re.is_nan() && z.im.is_nan();
    for (name, f) in zero {
        let z_b = adjoint(c64(0.0, 0.0), f);
        assert!(is_nan(z_b), "{name}: {z_b}");
    }
    let others: [(&str, F, Complex64); 10] = [
        ("asin", |z| z.asin().eval(), ONE),
        ("asin", |z| z.asin().eval(), -ONE),
        ("acos", |z| z.acos().eval(), ONE),
        ("acosh", |z| z.acosh().eval(), ONE),
        ("atanh", |z| z.atanh().eval(), ONE),
        ("atanh", |z| z.atanh().eval(), -ONE),
        ("asinh", |z| z.asinh().eval(), Complex64::I),
        ("asinh", |z| z.asinh().eval(), -Complex64::I),
        ("atan", |z| z.atan().eval(), Complex64::I),
        ("atan", |z| z.atan().eval(), -Complex64::I),
    ];
    for (name, f, at) in others {
        let z_b = adjoint(at, f);
        assert!(is_nan(z_b), "{name} at {at}: {z_b}");
    }
}
fn c(re: f64, im: f64) -> Complex {
    Complex::passive(c64(re, im))
}

#[test]
fn adjoints_of_powers_of_zero_follow_the_table() {
    let zero = c64(0.0, 0.0);
    let seed = c64(0.7, -1.1);
    for n in [0, 2, 3] {
        assert_eq!(adjoint(zero, |z| z.powi(n).eval()), zero, "powi({n})");
        assert_eq!(
            adjoint(zero, |z| z.powu(n as u32).eval()),
            zero,
            "powu({n})"
        );
        let f = |z: Complex| z.powf(f64::from(n)).eval();
        assert_eq!(adjoint(zero, f), zero, "powf({n})");
        let f = |z: Complex| z.powc(c(n.into(), 0.0)).eval();
        assert_eq!(adjoint(zero, f), zero, "powc({n})");
    }
    assert_eq!(adjoint(zero, |z| z.powi(1).eval()), seed);
    assert_eq!(adjoint(zero, |z| z.powu(1).eval()), seed);
    assert_eq!(adjoint(zero, |z| z.powf(1.0).eval()), seed);
    assert_eq!(adjoint(zero, |z| z.powc(c(1.0, 0.0)).eval()), seed);
    for (exponent, want) in [
        (c64(2.0, 0.5), Some(zero)),
        (c64(1.0, 0.5), None),
        (c64(0.0, 0.5), None),
    ] {
        let z_b = adjoint(zero, |z| z.powc(c(exponent.re, exponent.im)).eval());
        match want {
            Some(want) => assert_eq!(z_b, want, "powc({exponent})"),
            None => assert!(
                z_b.re.is_nan() && z_b.im.is_nan(),
                "powc({exponent}): {z_b}"
            ),
        }
    }
    for exponent in [c64(0.0, 0.0), c64(0.5, 0.0), c64(2.0, 1.0)] {
        assert_eq!(adjoint(exponent, |w| c(0.0, 0.0).powc(w).eval()), zero);
    }
    let negative = adjoint(c64(-1.0, 0.0), |w| c(0.0, 0.0).powc(w).eval());
    assert!(negative.re.is_nan() && negative.im.is_nan());
    for x in [0.0, 0.5, 2.0] {
        let g = entape_drivers::gradient(
            |x: entape_core::expr::Active<f64>| c(0.0, 0.0).powf(x).norm(),
            x,
        );
        assert_eq!(g, Ok(0.0), "0^{x}");
    }
}

/// `z²`, or the largest number if it would overflow.
fn square(z: Complex64) -> Complex64 {
    let square = z * z;
    if square.is_finite() {
        square
    } else {
        f64::MAX.into()
    }
}
#[test]
fn slopes_of_small_and_large_numbers_are_accurate() {
    type Pair = (
        &'static str,
        fn(Complex) -> Complex,
        fn(Complex64) -> Complex64,
    );
    let functions: [Pair; 7] = [
        ("ln", |z| z.ln().eval(), |z| z.finv()),
        ("log2", |z| z.log2().eval(), |z| z.finv() / 2_f64.ln()),
        ("log10", |z| z.log10().eval(), |z| z.finv() / 10_f64.ln()),
        ("log", |z| z.log(3.0).eval(), |z| z.finv() / 3_f64.ln()),
        ("cbrt", |z| z.cbrt().eval(), |z| z.cbrt() * z.finv() / 3.0),
        ("atan", |z| z.atan().eval(), |z| (ONE + square(z)).finv()),
        ("atanh", |z| z.atanh().eval(), |z| (ONE - square(z)).finv()),
    ];
    for scale in [1e-300, 1e-160, 1e-80, 1.0, 1e80, 1e150, 1e160, 1e300] {
        for direction in [c64(0.6, 0.8), c64(-0.8, 0.6), c64(1.0, -0.1)] {
            let z = direction * scale;
            for (name, f, slope) in functions {
                let name = format!("{name} at {z}");
                let slope = slope(z);
                let (value, z_b) = pull(z, ONE, f);
                if value.is_finite() {
                    let error = (z_b.conj() - slope).norm();
                    assert!(
                        error <= 1e-14 * slope.norm() + f64::MIN_POSITIVE,
                        "{name}: {z_b} instead of {slope}"
                    );
                }
            }
        }
    }
}

#[test]
fn slopes_of_flat_functions_keep_their_digits() {
    // 1 / cos²(z) = 4 e^(2iz) / (1 + e^(2iz))²
    let z = c64(0.6, 15.0);
    let e = (Complex64::I * z * 2.0).exp();
    let want = e * 4.0 / ((ONE + e) * (ONE + e));
    assert_close(
        pull(z, ONE, |z| z.tan().eval()).1.conj(),
        want,
        1e-13,
        "tan",
    );
    let w = c64(15.0, 0.6);
    let e = (w * -2.0).exp();
    let want = e * 4.0 / ((ONE + e) * (ONE + e));
    assert_close(
        pull(w, ONE, |z| z.tanh().eval()).1.conj(),
        want,
        1e-13,
        "tanh",
    );
}

#[test]
fn gradients_of_sizes_are_accurate_for_small_and_large_numbers() {
    let want = c64(0.6, -0.8);
    for scale in [1.7e308, 5e-321, 1e-310, 1.0] {
        let z = c64(0.6 * scale, -0.8 * scale);
        for f in [
            |z: Complex| z.norm().eval(),
            |z: Complex| z.abs().eval(),
            |z: Complex| z.to_polar().0,
        ] {
            assert_close(gradient(z, f), want, 2e-3, &format!("{z}"));
        }
    }
    let large = c64(1.5e308, 1.5e308);
    assert_eq!(large.norm(), f64::INFINITY);
    assert_close(
        gradient(large, |z| z.norm().eval()),
        c64(0.5, 0.5) * 2_f64.sqrt(),
        1e-15,
        "norm",
    );
    assert_eq!(gradient(c64(f64::INFINITY, 1.0), |z| z.norm().eval()), ONE);
    let infinite = c64(f64::INFINITY, 1.0);
    assert_eq!(
        pull(infinite, ONE, |z| (1.0 / z).eval()),
        (c64(0.0, 0.0), c64(0.0, 0.0))
    );
    assert_eq!(
        pull(infinite, ONE, |z| z.tanh().eval()),
        (ONE, c64(0.0, 0.0))
    );
    assert_eq!(
        pull(-infinite, ONE, |z| z.exp().eval()),
        (c64(0.0, 0.0), c64(0.0, 0.0))
    );
}

#[test]
fn steps_against_the_gradient_descend() {
    let target = c64(2.0, -1.0);
    let mut z = c64(0.0, 0.0);
    for _ in 0..100 {
        z -= gradient(z, |z| (z - c(2.0, -1.0)).norm_sqr().eval()) * 0.2;
    }
    assert_close(z, target, 1e-14, "the minimum");
    let g = gradient(c64(1.0, 1.0), |z| z.re().eval());
    assert_eq!(g, ONE);
    let g = gradient(c64(1.0, 1.0), |z| z.im().eval());
    assert_eq!(g, Complex64::I);
    let pair = Wirtinger::of_gradient(g);
    // Im z = (z - z*) / 2i
    assert_eq!((pair.dz, pair.dconj), (c64(0.0, -0.5), c64(0.0, 0.5)));
}
