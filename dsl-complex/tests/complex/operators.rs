use crate::{assert_close, gradient};
use approx::assert_abs_diff_eq;
use entape_complex::{
    C64, Complex, Complex32, ComplexOps, ComplexParts, PolarCoordinates, Powers, RealOps,
    from_polar, new,
    num_complex::{Complex64, c32, c64},
};
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain},
    real::{Cast, Elementary},
    tape::Tape,
};

type Real = Active<f64>;

#[test]
fn expressions_take_every_pair_of_operands() {
    let (z, w, x) = (c64(0.7, 0.3), c64(-0.4, 1.2), 1.7);
    const C: Complex64 = Complex64::new(2.0, -1.0);
    fn program<M: AnyMode>(z: &Complex<M>, w: &Complex<M>, x: &Active<f64, M>) -> Complex<M> {
        let c = || constant(C);
        let (a, b) = ((z + w) * (z - x), (x - z) / (w * 2.0));
        let (d, e) = ((1.5 + z) * (3.0 - w), (2.0 / w) % (z / 0.5));
        let (f, g) = (c() * z + w * C - c() / x, x * c() + 2.0 * c());
        let by_reference = &C;
        let h = -(z - by_reference);
        (a * b + d * e - f / g + -h).eval()
    }
    let plain = {
        let (a, b) = ((z + w) * (z - x), (x - z) / (w * 2.0));
        let (d, e) = ((1.5 + z) * (3.0 - w), (2.0 / w) % (z / 0.5));
        let (f, g) = (C * z + w * C - C / x, x * C + 2.0 * C);
        a * b + d * e - f / g + (z - C)
    };
    let (pz, pw) = (Complex::<Plain>::passive(z), Complex::passive(w));
    assert_eq!(program(&pz, &pw, &Active::passive(x)).value(), plain);
    let mut tape = Tape::new();
    let (z, w, x) = (tape.input(z), tape.input(w), tape.input(x));
    let before = tape.statistics().statements;
    let y = tape.record(|| program(&z, &w, &x));
    assert_eq!(y.value(), plain);
    assert_eq!(tape.statistics().statements - before, 1);
    entape_check::assert_expression(
        |(z, w, x): (Complex, Complex, Real)| program(&z, &w, &x),
        (c64(0.7, 0.3), c64(-0.4, 1.2), 1.7),
    );
}

#[test]
fn members_of_expressions_have_derivatives() {
    entape_check::assert_expression(
        |(z, a): (Complex, Real)| {
            let q = (z * z * a).re().sin() + (z + a).norm();
            let p = (a * a).cis() * z.conj() + ((&q).exp()).to_complex();
            (p * new(&q, a * 2.0)).im() + from_polar(a, &q).arg()
        },
        (c64(0.7, 0.3), 0.4),
    );
    entape_check::assert_expression(
        |(z, w): (Complex, Complex32)| z * w.norm().to_f64(),
        (c64(0.7, 0.3), c32(0.4_f32, -0.2_f32)),
    );
}

#[test]
fn members_take_plain_complex_numbers() {
    let c = c64(0.4, -0.9);
    let by_reference = &c;
    entape_check::assert_expression(
        |z: Complex| {
            z.powc(c) + z.powc(by_reference) * z.fdiv(c) + z.mul_add(c, by_reference)
                - z.mul_add(c, z)
        },
        c64(0.7, 0.3),
    );
    let z = Complex::<Plain>::passive(c64(0.7, 0.3));
    let close = |got, want| assert_close(got, want, 1e-15, "a plain argument");
    close(z.powc(c).eval().value(), z.value().powc(c));
    close(
        (z * z).fdiv(&c).eval().value(),
        (z.value() * z.value()).fdiv(c),
    );
    let single = Complex32::<Plain>::passive(c32(0.7_f32, 0.3_f32));
    let c = c32(0.4_f32, -0.9_f32);
    let error = single.powc(c).eval().value() - single.value().powc(c);
    assert!(error.norm() < 1e-6, "{error}");
}

#[test]
fn precisions_mix_by_casts() {
    entape_check::assert_expression(
        |(z, w): (Complex, Complex32)| z * w.to_f64() + (w * w.to_f32()).to_f64(),
        (c64(0.7, 0.3), c32(0.4_f32, -0.2_f32)),
    );
    let z = Complex::<Plain>::passive(c64(0.1, -1e300));
    assert_eq!(z.to_f32().eval().value(), c32(0.1_f32, f32::NEG_INFINITY));
    assert_eq!(z.to_f32().to_f64().re().eval().value(), f64::from(0.1_f32));
}

#[test]
fn compound_assignment_has_derivatives() {
    let mut tape = Tape::new();
    let (z, x) = (tape.input(c64(0.7, 0.3)), tape.input(2.0));
    let w = tape.record(|| {
        let mut w = z;
        w += z * x;
        w -= x;
        w *= z;
        w /= c64(1.0, 1.0);
        w *= 2.0;
        w %= 5.0;
        w.update(|w| w.conj() + 1.0);
        w
    });
    let plain = {
        let (z, x) = (c64(0.7, 0.3), 2.0);
        ((((z + z * x) - x) * z / c64(1.0, 1.0) * 2.0) % 5.0).conj() + 1.0
    };
    assert_eq!(w.value(), plain);
    tape.seed(&w, c64(1.0, 0.0)).expect("recorded");
    // w = conj(z (3 z - 2) 2 / (1 + i)) + 1: Re w has the gradient conj of d/dz
    let slope = (c64(0.7, 0.3) * 6.0 - 2.0) * 2.0 / c64(1.0, 1.0);
    let got = tape.sweep().and_then(|g| g.wrt(&z)).expect("an input");
    assert_close(got, slope.conj(), 1e-14, "compound");
}

#[test]
fn parts_are_places() {
    let mut tape = Tape::new();
    let (z, x) = (tape.input(c64(1.0, 3.0)), tape.input(2.0));
    let y = tape.record(|| {
        let mut w = z;
        w.re_mut().assign(x * x); // 4
        w.im_mut().add_assign(x); // 5
        w[C64::RE] *= 3.0; // 12
        let e = w.at(C64::IM) * w.at(C64::RE);
        w[C64::IM].assign(e); // 60
        (w.im() + &w[C64::RE]).eval()
    });
    assert_eq!(y, 72.0);
    let gradient = tape.gradient(&y).expect("recorded");
    // 3 x² (y + x) + 3 x²
    assert_eq!(gradient.wrt(&x), Ok(6.0 * 2.0 * 5.0 + 12.0 + 12.0));
    assert_eq!(gradient.wrt(&z), Ok(c64(0.0, 12.0)));
}

#[test]
fn lists_have_sums_and_products() {
    let list = [c64(0.7, 0.3), c64(-0.4, 1.2), c64(0.0, 0.0), c64(2.0, -1.0)];
    let mut tape = Tape::new();
    let z = tape.inputs(list);
    let before = tape.statistics().statements;
    let (sum, product) = tape.record(|| {
        let sum: Complex = z.iter().map(|z| z * z).sum();
        (sum, z.iter().product::<Complex>())
    });
    assert_eq!(sum.value(), list.iter().map(|z| z * z).sum());
    assert_eq!(product.value(), list.iter().product());
    assert_eq!(tape.statistics().statements - before, 2);
    tape.seed(&product, c64(0.5, 2.0)).expect("recorded");
    let gradient = tape.sweep().expect("a sweep").wrt_all(&z).expect("inputs");
    for (i, got) in gradient.into_iter().enumerate() {
        let others: Complex64 = (0..4).filter(|&j| j != i).map(|j| list[j]).product();
        let want = c64(0.5, 2.0) * others.conj();
        assert_abs_diff_eq!(got, want, epsilon = 5e-16);
    }
    tape.seed(&sum, c64(0.5, 2.0)).expect("recorded");
    let gradient = tape.sweep().expect("a sweep").wrt_all(&z).expect("inputs");
    assert_eq!(gradient[1], c64(0.5, 2.0) * (list[1] * 2.0).conj());
    let plain: Complex<Plain> = list.map(Complex::passive).iter().sum();
    assert_eq!(plain.value(), list.iter().sum());
}

#[test]
fn operations_may_have_several_outputs() {
    let g = gradient(c64(3.0, 4.0), |z| {
        let (r, phi) = z.to_polar();
        (r * phi).eval()
    });
    // d(r phi) = phi dr + r dphi
    let (r, phi) = c64(3.0, 4.0).to_polar();
    let want = c64(3.0, 4.0) / r * phi + c64(-4.0, 3.0) / r;
    assert_close(g, want, 1e-15, "polar");
}

#[test]
fn predicates_record_nothing() {
    let mut tape = Tape::new();
    let z = tape.input(c64(1.0, 0.0));
    let before = tape.statistics().statements;
    tape.record(|| {
        assert!((z / 0.0).is_infinite() || (z / 0.0).is_nan());
        assert!(z.is_finite() && (z + 1.0).is_finite() && !z.is_nan());
        assert!((z * c64(1.0, 1.0)).is_normal() && !z.is_normal());
        assert!(z == z && z.value() == c64(1.0, 0.0));
    });
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn one_number_may_be_both_operands() {
    let (z, c) = (c64(0.7, 0.3), c64(-1.0, 2.0));
    let mut tape = Tape::new();
    let (z, c) = (tape.input(z), tape.input(c));
    let y = tape.record(|| (z * z * c + c / c + z).re().eval());
    let gradient = tape.gradient(&y).unwrap();
    let of_z = (2.0 * z.value() * c.value() + 1.0).conj();
    let of_c = (z.value() * z.value()).conj();
    assert_close(gradient.wrt(&z).unwrap(), of_z, 1e-15, "z");
    assert_close(gradient.wrt(&c).unwrap(), of_c, 1e-15, "c");
}

#[test]
fn variables_expressions_and_parts_compare_with_plain_numbers() {
    let mut tape = Tape::new();
    let z = tape.input(c64(0.5, 2.0));
    let before = tape.statistics().statements;
    tape.record(|| {
        assert!(z == c64(0.5, 2.0) && z == z);
        assert!(z + 1.0 == c64(1.5, 2.0) && z != c64(0.5, -2.0));
        assert!(z[entape_complex::C64::RE] < 1.0 && z.im().eval() > z.re());
        assert!(z * z != z);
    });
    assert_eq!(tape.statistics().statements, before + 1);
}
