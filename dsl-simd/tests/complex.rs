//! Complex arrays, compared with finite differences and with complex numbers.
#[path = "complex/faults.rs"]
mod faults;
#[path = "complex/lanes.rs"]
mod lanes;
mod panics;
#[path = "complex/plane.rs"]
mod plane;

use approx::{assert_abs_diff_eq, relative_eq};
use entape_check::{ListOf, assert_kind, assert_rule};
use entape_complex::{
    ComplexOps,
    num_complex::{Complex, c64},
    op as complex,
};
use entape_core::{
    expr::{Active, constant},
    mode::Plain,
    op as shared,
    real::{Cast, Elementary},
    tape::Tape,
};
use entape_simd::{
    Array, Array32, ComplexArray, ComplexArray32,
    arrays::{
        ArrayKind, ArrayMembers, ArrayOps, Compare, ComplexArrayOps, Each, Gathers, Indices,
        MaskOps, RealArrayOps, Slices, Strides, from_parts, from_polar, op,
    },
};

const LENGTHS: [usize; 4] = [1, 2, 7, 131];

/// Between 0.3 and 1.7.
fn reals(length: usize, shift: f64) -> Vec<f64> {
    let number = |i: usize| 1.0 + 0.7 * (1.7 * i as f64 + shift).sin();
    (0..length).map(number).collect()
}
fn numbers(length: usize, shift: f64) -> Vec<Complex<f64>> {
    let parts = reals(length, shift).into_iter();
    let parts = parts.zip(reals(length, 0.4 - shift));
    parts
        .map(|(re, im)| c64(0.5 * re, 0.6 * im + 0.1))
        .collect()
}
fn single(z: Vec<Complex<f64>>) -> Vec<Complex<f32>> {
    let each = z.iter();
    each.map(|z| Complex::new(z.re as f32, z.im as f32))
        .collect()
}

macro_rules! rules { ($($arguments:expr => $($Op:expr)*;)*) => { $( $( assert_rule(&$Op, $arguments); )* )* } }

#[test]
fn arithmetic_has_derivatives() {
    for n in LENGTHS {
        let (z, w, x) = (|| numbers(n, 0.3), || numbers(n, 1.1), || reals(n, 0.8));
        let (c, a) = (c64(0.7, -0.4), 1.3);
        macro_rules! all { ($($arguments:expr;)*) => { $( rules! {
            $arguments => shared::Add shared::Sub shared::Mul shared::Div;
        } )* } }
        all! {
            (z(), w()); (z(), c); (c, z()); (z(), x()); (x(), z()); (c, x()); (x(), c); (z(), a); (a, z());
        }
        rules! {
            (z(),) => shared::Neg;
            (z(), w(), numbers(n, 2.0)) => shared::MulAdd;
            (z(), c, w()) => shared::MulAdd;
            (z(), w(), c) => shared::MulAdd;
        }
    }
    rules! {
        (single(numbers(7, 0.3)), single(numbers(7, 1.1))) => shared::Mul shared::Div;
        (vec![1.5_f32, 0.5], single(numbers(2, 1.1))) => shared::Sub;
        (1.5_f32, single(numbers(2, 1.1))) => shared::Div;
        (numbers(2, 0.3).iter().map(|z| 7.0 * z).collect::<Vec<_>>(), 1.7) => shared::Rem;
    }
}
#[test]
fn functions_have_derivatives() {
    for n in [1, 7] {
        let (z, x) = (|| numbers(n, 0.3), || reals(n, 0.8));
        rules! {
            (z(),) =>
                shared::Sqrt shared::Cbrt shared::Recip shared::Powi { n: 3 } shared::Powi { n: -2 }
                shared::Exp shared::Exp2 shared::Ln shared::Log2 shared::Log10
                shared::Sin shared::Cos shared::Tan shared::Asin shared::Acos shared::Atan
                shared::Sinh shared::Cosh shared::Tanh shared::Asinh shared::Acosh shared::Atanh
                shared::Abs shared::ToF64
                Each(complex::Re) Each(complex::Im) Each(complex::Conj) Each(complex::NormSqr)
                Each(complex::L1Norm) Each(complex::Arg) Each(complex::Inv) Each(complex::Powu { n: 3 });
            (single(z()),) => shared::Exp shared::Abs shared::ToF32 shared::ToF64;
            (z(), x()) => shared::Powf Each(complex::Expf);
            (z(), 1.7) => shared::Powf shared::Log Each(complex::Expf);
            (z(), numbers(n, 1.1)) => Each(complex::Powc);
            (z(), c64(0.5, 1.0)) => Each(complex::Powc);
            (x(),) => Each(complex::ToComplex) Each(complex::Cis);
            (x(), reals(n, 0.1)) => Each(complex::New) Each(complex::FromPolar);
            (x(), 0.4) => Each(complex::New) Each(complex::FromPolar);
            (0.4, x()) => Each(complex::New) Each(complex::FromPolar);
        }
    }
}
#[test]
fn reductions_have_derivatives() {
    for n in LENGTHS {
        let (z, w, x) = (|| numbers(n, 0.3), || numbers(n, 1.1), || reals(n, 0.8));
        rules! {
            (z(),) => op::Fold(op::Sum) op::Fold(op::Mean) op::Fold(op::Norm) op::Fold(op::NormSquared);
            (z(), w()) => op::Dot op::Dotc;
            (z(), x()) => op::Dot op::Dotc;
            (x(), z()) => op::Dot op::Dotc;
            (x(), reals(n, 0.1)) => op::Dotc;
        }
    }
    rules! {
        (Vec::<Complex<f64>>::new(),) => op::Fold(op::Sum);
        (single(numbers(5, 0.3)), single(numbers(5, 1.1))) => op::Dotc;
    }
}
#[test]
fn moved_and_chosen_elements_have_derivatives() {
    for n in [1, 4, 7] {
        let (z, w) = (|| numbers(n, 0.3), || numbers(n, 1.1));
        let mask: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
        rules! {
            (z(),) => op::Shift { by: 2 } op::Rotate { by: -1 } op::Reverse op::CumulativeSum op::Scatter
                op::Take { at: Indices::from(&[0, n - 1, 0]) };
            (z(), w()) => op::Concat;
            (ListOf(z()),) => op::Gather;
            (c64(1.0, 2.0),) => op::Splat { length: 3 };
            (mask.clone(), z(), w()) => op::MaskSelect;
            (mask.clone(), z(), c64(1.0, 2.0)) => op::MaskSelect;
        }
    }
}
#[test]
fn complex_arrays_are_kinds() {
    assert_kind::<ArrayKind<Complex<f64>>>(numbers(5, 0.3));
    assert_kind::<ArrayKind<Complex<f32>>>(single(numbers(5, 0.3)));
}
#[test]
fn casts_have_derivatives() {
    for n in LENGTHS {
        let x: Vec<f32> = reals(n, 0.3).iter().map(|&x| x as f32).collect();
        rules! {
            (reals(n, 0.3),) => shared::ToF64;
            (x.clone(),) => shared::ToF32 shared::ToF64;
        }
    }
    let mut tape = Tape::new();
    let v: Array32 = tape.input(vec![1.0_f32, 2.0, 3.0]);
    let (w, a) = (tape.input(vec![0.5, 0.25, 0.125]), tape.input(2.0));
    let y = tape.record(|| ((a.to_f32() * &v).to_f64() * &w).sum().eval());
    assert_eq!(y.value(), 2.0 * (0.5 + 0.5 + 0.375));
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&v).unwrap(), [1.0_f32, 0.5, 0.25]);
    assert_eq!(gradient.wrt(&w).unwrap(), [2.0, 4.0, 6.0]);
    assert_eq!(gradient.wrt(&a).unwrap(), 1.375);
    let z: ComplexArray32 = tape.record(|| v.to_complex().eval());
    assert_eq!(z.get()[2], Complex::new(3.0_f32, 0.0));
    let narrow: Array32 = tape.record(|| w.to_f32().eval());
    assert_eq!(narrow.get(), &[0.5, 0.25, 0.125]);
}

#[test]
fn programs_agree_with_programs_of_their_elements() {
    let (z, x, a) = (numbers(200, 0.3), reals(200, 0.8), 0.6);
    let mut tape = Tape::new();
    let (zs, xs, s) = (tape.input(z.clone()), tape.input(x.clone()), tape.input(a));
    let y = tape.record(|| {
        let w: ComplexArray = ((&zs * &xs + s) * zs.conj().exp() / (s * xs.cis())).eval();
        (w.abs().sum() + w.dot(&xs).im() + w.dotc(&zs).re()).eval()
    });
    let gradient = tape.gradient(&y).unwrap();
    let (of_z, of_x, of_s) = (
        gradient.wrt(&zs).unwrap(),
        gradient.wrt(&xs).unwrap(),
        gradient.wrt(&s).unwrap(),
    );
    let mut numbers = Tape::new();
    let (zs, xs, s): (Vec<entape_complex::Complex>, Vec<Active<f64>>, _) =
        (numbers.inputs(z), numbers.inputs(x), numbers.input(a));
    let sum = numbers.record(|| {
        use entape_complex::RealOps;
        let mut sum = Active::<f64>::passive(0.0);
        for (&z, &x) in zs.iter().zip(&xs) {
            let w = ((z * x + s) * z.conj().exp() / (s * x.cis())).eval();
            sum += w.norm() + (w * x).im() + (w.conj() * z).re();
        }
        sum
    });
    let close = |a: f64, b: f64| relative_eq!(a, b, epsilon = 1e-11, max_relative = 1e-11);
    assert!(close(y.value(), sum.value()));
    let gradient = numbers.gradient(&sum).unwrap();
    for i in 0..200 {
        let (z_b, x_b) = (gradient.wrt(&zs[i]).unwrap(), gradient.wrt(&xs[i]).unwrap());
        assert!(
            close(of_z[i].re, z_b.re) && close(of_z[i].im, z_b.im),
            "{i}"
        );
        assert!(close(of_x[i], x_b), "{i}");
    }
    assert!(close(of_s, gradient.wrt(&s).unwrap()));
}
#[test]
fn an_expression_is_one_statement() {
    let mut tape = Tape::new();
    let (z, x) = (tape.input(numbers(300, 0.3)), tape.input(reals(300, 0.8)));
    let before = tape.statistics().statements;
    let y = tape.record(|| (x.cis() * &z * 2.0 + z.conj()).norm_squared().eval());
    assert_eq!(tape.statistics().statements, before + 1);
    let exact: f64 = (z.get().iter().zip(x.get()))
        .map(|(z, &x)| (Complex::cis(x) * z * 2.0 + z.conj()).norm_sqr())
        .sum();
    assert_abs_diff_eq!(y.value(), exact, epsilon = 1e-10);
}
#[test]
fn elements_and_slices_are_places() {
    let mut tape = Tape::new();
    let (z, c) = (tape.input(numbers(6, 0.3)), tape.input(c64(2.0, 1.0)));
    let y = tape.record(|| {
        let mut w = (&z * 1.0).eval();
        w[1].assign(&z[0] * c);
        w[2] += c;
        w.slice_mut(3..5).assign(c * z.slice(..2));
        w *= c64(0.0, 1.0);
        w.slice_step_mut(.., 5)
            .assign(constant(vec![c64(0.0, 0.0); 2]));
        w.sum().eval()
    });
    // i (z0 c + z2 + c + c z0 + c z1)
    let (z0, z1, z2) = (z.get()[0], z.get()[1], z.get()[2]);
    let c0 = c.value();
    let exact = c64(0.0, 1.0) * (z0 * c0 + z2 + c0 + c0 * (z0 + z1));
    assert_abs_diff_eq!(y.value(), exact, epsilon = 5e-15);
    tape.seed(&y, c64(1.0, 0.0)).unwrap();
    let gradient = tape.sweep().unwrap();
    let slope = (c64(0.0, 1.0) * c0).conj();
    let of_z = [
        2.0 * slope,
        slope,
        c64(0.0, -1.0),
        c64(0.0, 0.0),
        c64(0.0, 0.0),
        c64(0.0, 0.0),
    ];
    assert_abs_diff_eq!(gradient.wrt(&z).unwrap()[..], of_z[..], epsilon = 5e-15);
    let of_c = (c64(0.0, 1.0) * (2.0 * z0 + 1.0 + z1)).conj();
    assert_abs_diff_eq!(gradient.wrt(&c).unwrap(), of_c, epsilon = 5e-15);
}
#[test]
fn choices_avoid_singular_gradients() {
    let mut tape = Tape::new();
    let z = tape.input(vec![c64(0.0, 0.0), c64(3.0, 4.0)]);
    let y = tape.record(|| {
        let far = z.abs().simd_gt(1.0);
        far.select(z.ln(), constant(c64(0.0, 0.0)))
            .re()
            .sum()
            .eval()
    });
    let gradient = tape.gradient(&y).unwrap().wrt(&z).unwrap();
    assert_eq!(gradient[0], c64(0.0, 0.0));
    assert_abs_diff_eq!(gradient[1], c64(3.0, 4.0) / 25.0, epsilon = 5e-16);
}
#[test]
fn plain_complex_arrays_compute_values() {
    let z = ComplexArray::<Plain>::passive(vec![c64(1.0, 2.0), c64(0.0, 1.0)]);
    let r = Array::<Plain>::passive(vec![2.0, 3.0]);
    let w: ComplexArray<Plain> = (&z * from_polar(&r, 0.0) + from_parts(0.0, &r)).eval();
    assert_eq!(w.get(), &[c64(2.0, 6.0), c64(0.0, 6.0)]);
    let list = [c64(1.0, 0.0), c64(0.0, 2.0)].map(entape_complex::Complex::<Plain>::passive);
    assert_eq!(list.gather_array().reverse().eval().get()[0], c64(0.0, 2.0));
}
