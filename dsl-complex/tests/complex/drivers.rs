use crate::assert_close;
use approx::assert_abs_diff_eq;
use entape_complex::{
    Complex, ComplexOps, Powers, Wirtinger,
    num_complex::{Complex64, c32, c64},
    wirtinger,
};
use entape_core::{expr::Active, real::Elementary};
use entape_drivers::{gradient, jacobian, value_and_gradient, vjp};

#[test]
fn gradients_take_slices_and_tuples() {
    let points = vec![c64(1.0, 2.0), c64(-0.5, 0.3)];
    let f = |z: &[Complex]| z.iter().map(|z| z.norm_sqr()).sum::<Active<f64>>();
    let (y, g) = value_and_gradient(f, &points).expect("a gradient");
    assert_eq!(y, points.iter().map(Complex64::norm_sqr).sum::<f64>());
    assert_eq!(g, [points[0] * 2.0, points[1] * 2.0]);
    let (z_b, x_b) = gradient(
        |([z, w], x): ([Complex; 2], Active<f64>)| (z * w.conj() * x).re(),
        ([points[0], points[1]], 3.0),
    )
    .expect("a gradient");
    assert_eq!(z_b, [points[1] * 3.0, points[0] * 3.0]);
    assert_eq!(x_b, (points[0] * points[1].conj()).re);
}

#[test]
fn squares_have_derivatives() {
    let z = c64(0.7, -1.3);
    let got = |f: fn(Complex) -> Active<f64>| gradient(f, z).expect("a gradient");
    // z_b = conj(f') for a real part, i conj(f') for an imaginary part
    assert_eq!(got(|z| (z * z).re().eval()), (z * 2.0).conj());
    let both = |z: Complex| (z + (z * z).eval() + z * z).re().eval();
    assert_close(got(both), (z * 4.0 + 1.0).conj(), 1e-15, "z + 2 z²");
    let chain = |z: Complex| {
        let w = (z * z).eval();
        let w = (w * w + z).eval();
        (w * w).im().eval()
    };
    let (w, i) = (z.powu(4) + z, c64(0.0, 1.0));
    let slope = w * 2.0 * (z.powu(3) * 4.0 + 1.0);
    assert_close(got(chain), i * slope.conj(), 1e-14, "(z⁴ + z)²");
    assert_close(
        got(|z| ((z + 1.0) * (z + 1.0)).re().eval()),
        ((z + 1.0) * 2.0).conj(),
        1e-15,
        "(z + 1)²",
    );
}

#[test]
fn jacobians_satisfy_the_cauchy_riemann_equations() {
    let j = jacobian(|z: Complex| z * z, c64(1.0, 2.0)).expect("a Jacobian");
    assert_eq!(j.as_slice(), [2.0, -4.0, 4.0, 2.0]);
    let j = jacobian(
        |z: &[Complex]| vec![z[0].conj(), z[1].conj()],
        &[c64(1.0, 2.0); 2],
    );
    let j = j.expect("a Jacobian");
    assert_eq!((j.rows(), j.columns()), (4, 4));
    assert_eq!(j.row(0), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(j.row(3), [0.0, 0.0, 0.0, -1.0]);
}

#[test]
fn vjp_takes_a_complex_seed() {
    let (z, w) = (c64(1.0, 2.0), c64(0.3, -0.4));
    let seed = [c64(0.5, 1.0), c64(-1.0, 0.0)];
    let f = |(z, w): (Complex, Complex)| [(z * w).eval(), w.exp().eval()];
    let (values, (z_b, w_b)) = vjp(f, (z, w), seed).expect("a product");
    assert_eq!(values, [z * w, w.exp()]);
    assert_eq!(z_b, seed[0] * w.conj());
    assert_close(
        w_b,
        seed[0] * z.conj() + seed[1] * w.exp().conj(),
        1e-15,
        "w",
    );
    let single = vjp(
        |z: Active<entape_complex::C32>| z * z,
        c32(1.0_f32, 2.0_f32),
        c32(1.0_f32, 0.0_f32),
    );
    assert_eq!(single.expect("a product").1, c32(2.0_f32, -4.0_f32));
}

#[test]
fn wirtinger_derivatives_agree_with_formulas() {
    let z = c64(0.7, -0.4);
    let (value, pair) = wirtinger(|z: Complex| z.sin(), z).expect("a pair");
    assert_eq!(value, z.sin());
    assert_close(pair.dz, z.cos(), 1e-15, "dz");
    assert_abs_diff_eq!(pair.dconj, c64(0.0, 0.0), epsilon = 5e-17);
    let (_, pair) = wirtinger(|z: Complex| z * z.conj() * z + z.powu(3), z).expect("a pair");
    assert_close(pair.dz, z * z.conj() * 2.0 + z * z * 3.0, 1e-15, "dz");
    assert_close(pair.dconj, z * z, 1e-15, "dconj");
    let (_, pair) = wirtinger(|_: Complex| Complex::passive(c64(1.0, 1.0)), z).expect("a pair");
    assert_eq!(pair, Wirtinger::default());
}
