use approx::assert_abs_diff_eq;
use entape_check::assert_expression;
use entape_complex::{C32, Complex, ComplexOps, RealOps, from_polar, new, num_complex};
use entape_core::{
    expr::{Active, select},
    mode::{Mode, Plain},
    real::{Cast, Elementary},
    tape::Tape,
};
use num_complex::{Complex32, Complex64};

type Single<M> = Active<entape_complex::C32, M>;

fn formula<M: Mode>(z: Complex<M>) -> Complex<M> {
    let a = (2.0 * (z - 0.5) + 1.0).eval();
    let b = 1.0 / (z + 1.0) - 3.0 * (1.0 - (z * 2.0 + 1.0).sqrt());
    let mut c = (1.0 / a).eval();
    c += 1.0;
    c *= 2.0 * (c - 0.5);
    c -= 0.25;
    c /= 2.0;
    (1.0 - (b * 0.5).powf(0.5) + 2.0 * (c + 1.0).scale(0.5)).eval()
}
fn plain(z: Complex64) -> Complex64 {
    let a = 2.0 * (z - 0.5) + 1.0;
    let b = 1.0 / (z + 1.0) - 3.0 * (1.0 - (z * 2.0 + 1.0).sqrt());
    let mut c = 1.0 / a;
    c += 1.0;
    c *= 2.0 * (c - 0.5);
    c -= 0.25;
    c /= 2.0;
    1.0 - (b * 0.5).powf(0.5) + 2.0 * (c + 1.0).scale(0.5)
}
const Z: Complex64 = Complex64::new(0.7, 0.3);

#[test]
fn formulas_take_literals() {
    let y = formula(Complex::<Plain>::passive(Z));
    assert_abs_diff_eq!(y.value(), plain(Z), epsilon = 5e-15);
    assert_expression(formula, Z);
}
#[test]
fn formulas_of_single_precision_take_literals() {
    fn formula<M: Mode>(z: Single<M>) -> Single<M> {
        let mut c = (2.0 * (z - 0.5) + 1.0 / (z + 1.0)).eval();
        c += 1.0;
        c *= 2.0 * (c - 0.5);
        (1.0 - (c * 0.5).powf(0.5) + 2.0 * (c + 1.0).scale(0.5)).eval()
    }
    fn plain(z: Complex32) -> Complex32 {
        let mut c = 2.0 * (z - 0.5) + 1.0 / (z + 1.0);
        c += 1.0;
        c *= 2.0 * (c - 0.5);
        1.0 - (c * 0.5).powf(0.5) + 2.0 * (c + 1.0).scale(0.5)
    }
    let z = Complex32::new(0.7, 0.3);
    let y = formula(Single::<Plain>::passive(z));
    assert_abs_diff_eq!(y.value(), plain(z), epsilon = 5e-6);
    assert_expression(formula, z);
}
#[test]
fn reals_are_operands_beside_complex_numbers() {
    let formula = |(z, x): (Complex, Active<f64>)| {
        let w = from_polar(1.0, x * 2.0) + new(0.5, x) * (x - 0.5).cis();
        1.0 - (z * 2.0 + w).norm_sqr() * (x + 1.0) / 2.0 + select(x > 0.0, 0.5, x).max(0.25)
    };
    let plain = |z: Complex64, x: f64| {
        let w =
            Complex64::from_polar(1.0, x * 2.0) + Complex64::new(0.5, x) * Complex64::cis(x - 0.5);
        1.0 - (z * 2.0 + w).norm_sqr() * (x + 1.0) / 2.0 + 0.5
    };
    let (y, _) = entape_drivers::value_and_gradient(formula, (Z, 1.75)).unwrap();
    assert_abs_diff_eq!(y, plain(Z, 1.75), epsilon = 1e-13);
    assert_expression(formula, (Z, 1.75));
}
#[test]
fn untyped_literals_infer_double_precision() {
    let mut tape = Tape::new();
    let z = tape.input(num_complex::Complex::new(3.0, 4.0));
    let single = tape.input_as::<C32>(num_complex::Complex::new(3.0, 4.0));
    let y = tape.record(|| {
        let half = (z / 2.0).norm() + (1.0 + z * 2.0).im();
        (half + (single * 2.0).norm().to_f64()).eval()
    });
    assert_eq!(y, 20.5);
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(
        gradient.wrt(&single),
        Ok(num_complex::Complex::new(1.2, 1.6))
    );
}
