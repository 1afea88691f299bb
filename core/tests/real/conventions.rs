//! The conventions of `entape_core::real`.
use crate::{Real, gradient};
use approx::assert_relative_eq;
use entape_core::{
    elementwise::Elementwise,
    expr::{Active, Expr, Operand, lit},
    mode::{Forward, Mode, Taped},
    op,
    real::Elementary,
    tape::Tape,
};
use std::f64::consts::{LN_10, LOG10_E};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// `NaN` equals `NaN` here, `-0` equals `0`.
macro_rules! rows { ($(|$x:pat_param| $f:expr; $([$($at:expr),*] => [$($want:expr),*];)*)*) => { $( $({
    let (at, want) = ([$($at),*], [$($want),*]);
    let (_, slopes) = gradient(at, |$x| $f.eval());
    let same = slopes.iter().zip(&want).all(|(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan()));
    assert!(same, "the gradient of {} at {at:?} is {slopes:?} instead of {want:?}", stringify!($f));
})* )* } }

#[test]
fn abs_and_copysign_have_slope_zero_at_zero() {
    rows! {
        |[x]| x.abs(); [0.0] => [0.0]; [-0.0] => [0.0]; [-INF] => [-1.0];
        |[x, y]| x.copysign(y); [0.0, -1.0] => [0.0, 0.0]; [2.0, -0.0] => [-1.0, 0.0]; [-2.0, 0.0] => [-1.0, 0.0];
    }
}

#[test]
fn ties_go_to_the_first_argument() {
    rows! {
        |[x, y]| x.max(y); [1.0, 1.0] => [1.0, 0.0]; [0.0, -0.0] => [1.0, 0.0]; [-0.0, 0.0] => [1.0, 0.0];
        |[x, y]| x.min(y); [1.0, 1.0] => [1.0, 0.0]; [0.0, -0.0] => [1.0, 0.0]; [INF, INF] => [1.0, 0.0];
        |[x]| x.max(1.0); [1.0] => [1.0];
        |[x]| lit::<f64, Taped>(1.0).max(x); [1.0] => [0.0];
    }
}

#[test]
fn extremes_pass_the_adjoint_to_the_operand_that_is_not_nan() {
    rows! {
        |[x, y]| x.max(y); [NAN, 1.0] => [0.0, 1.0]; [1.0, NAN] => [1.0, 0.0]; [NAN, NAN] => [1.0, 0.0];
        |[x, y]| x.min(y); [NAN, 1.0] => [0.0, 1.0]; [1.0, NAN] => [1.0, 0.0]; [NAN, NAN] => [1.0, 0.0];
    }
    assert_eq!(gradient([NAN, 1.0], |[x, y]| x.max(y).eval()).0, 1.0);
    assert_eq!(gradient([1.0, NAN], |[x, y]| x.min(y).eval()).0, 1.0);
}

#[test]
fn clamp_passes_the_adjoint_to_its_result() {
    rows! {
        |[x, low, high]| x.clamp(low, high);
            [0.0, 0.0, 1.0] => [1.0, 0.0, 0.0];
            [1.0, 0.0, 1.0] => [1.0, 0.0, 0.0];
            [1.0, 1.0, 1.0] => [1.0, 0.0, 0.0];
            [-1.0, 0.0, 1.0] => [0.0, 1.0, 0.0];
            [2.0, 0.0, 1.0] => [0.0, 0.0, 1.0];
            [NAN, 0.0, 1.0] => [1.0, 0.0, 0.0];
        |[x]| x.clamp(0.0, 1.0); [1.0] => [1.0]; [1.5] => [0.0];
    }
}

#[test]
#[should_panic(expected = "`clamp` needs `low <= high`, found 1.0 and 0.0")]
fn clamp_with_bounds_in_disorder_panics() {
    gradient([0.0], |[x]| x.clamp(1.0, 0.0).eval());
}

#[test]
fn jumps_have_the_slopes_beside_them() {
    rows! {
        |[x]| x.signum(); [0.0] => [0.0];
        |[x]| x.floor(); [1.0] => [0.0];
        |[x]| x.ceil(); [1.0] => [0.0];
        |[x]| x.round(); [0.5] => [0.0];
        |[x]| x.round_ties_even(); [0.5] => [0.0];
        |[x]| x.trunc(); [1.0] => [0.0];
        |[x]| x.fract(); [1.0] => [1.0];
        |[x, y]| x.div_euclid(y); [4.0, 2.0] => [0.0, 0.0];
        |[x, y]| x % y; [4.0, 2.0] => [1.0, -2.0]; [-4.0, 2.0] => [1.0, 2.0];
        // 1 / 0.1 rounds to 10, but 0.1 fits into 1 only 9 times, because it is larger than a tenth.
        |[x, y]| x % y; [1.0, 0.1] => [1.0, -9.0];
        |[x, y]| x.rem_euclid(y); [4.0, 2.0] => [1.0, -2.0]; [-1.0, 2.0] => [1.0, 1.0];
    }
}

#[test]
fn roots_have_infinite_slopes_at_zero() {
    rows! {
        |[x]| x.sqrt(); [0.0] => [INF]; [-0.0] => [INF]; [INF] => [NAN]; [-1.0] => [NAN];
        |[x]| x.cbrt(); [0.0] => [INF]; [-0.0] => [INF];
    }
}

#[test]
fn whole_powers_have_their_slopes_at_zero() {
    rows! {
        |[x]| x.powi(0); [0.0] => [0.0]; [INF] => [0.0]; [NAN] => [0.0];
        |[x]| x.powi(1); [0.0] => [1.0];
        |[x]| x.powi(2); [0.0] => [0.0]; [-3.0] => [-6.0];
        |[x]| x.powi(-1); [0.0] => [-INF]; [-0.0] => [-INF];
        |[x]| x.powi(-2); [0.0] => [-INF]; [-0.0] => [INF];
        |[x]| x.powi(i32::MIN); [-1.0] => [2_147_483_648.0]; [1.0] => [-2_147_483_648.0];
        |[x]| x.powi(i32::MAX); [-1.0] => [2_147_483_647.0];
    }
}

#[test]
fn real_powers_have_their_slopes_at_zero() {
    rows! {
        |[x, y]| x.powf(y);
            [0.0, 0.0] => [0.0, 0.0];
            [2.0, 0.0] => [0.0, 2.0_f64.ln()];
            [-2.0, 0.0] => [0.0, NAN];
            [0.0, 0.5] => [INF, 0.0];
            [0.0, 1.0] => [1.0, 0.0];
            [0.0, 2.0] => [0.0, 0.0];
            [0.0, -1.0] => [-INF, -INF];
            [-2.0, 3.0] => [12.0, NAN];
        |[x]| x.powf(0.0); [0.0] => [0.0]; [-1.0] => [0.0]; [NAN] => [0.0];
        |[x]| x.powf(2.0); [-3.0] => [-6.0];
        |[x]| x.powf(Real::passive(3.0)); [-2.0] => [12.0];
        |[y]| lit::<f64, Taped>(0.0).powf(y); [2.0] => [0.0]; [0.0] => [0.0];
    }
}

#[test]
fn logarithms_have_infinite_slopes_at_zero() {
    rows! {
        |[x]| x.ln(); [0.0] => [INF];
        |[x]| x.log2(); [0.0] => [INF];
        |[x]| x.log10(); [0.0] => [INF];
        |[x]| x.ln_1p(); [-1.0] => [INF];
        |[x]| x.log(2.0); [0.0] => [INF];
        |[x]| x.log(0.5); [0.0] => [-INF];
    }
}

#[test]
fn inverse_functions_have_infinite_slopes_at_the_ends_of_domains() {
    rows! {
        |[x]| x.asin(); [1.0] => [INF]; [-1.0] => [INF]; [2.0] => [NAN];
        |[x]| x.acos(); [1.0] => [-INF]; [-1.0] => [-INF]; [2.0] => [NAN];
        |[x]| x.acosh(); [1.0] => [INF]; [0.5] => [NAN]; [-2.0] => [NAN];
        |[x]| x.atanh(); [1.0] => [INF]; [-1.0] => [INF];
    }
}

#[test]
fn vectors_of_length_zero_have_slope_zero() {
    rows! {
        |[x, y]| x.hypot(y); [0.0, 0.0] => [0.0, 0.0]; [0.0, -0.0] => [0.0, 0.0]; [0.0, 2.0] => [0.0, 1.0];
        |[y, x]| y.atan2(x); [0.0, 0.0] => [0.0, 0.0]; [0.0, -0.0] => [0.0, 0.0]; [0.0, -2.0] => [-0.5, 0.0];
    }
}

#[test]
fn ln_gamma_and_digamma_have_the_slopes_of_polygamma_at_poles() {
    rows! {
        |[x]| x.ln_gamma(); [0.0] => [-INF]; [-0.0] => [INF]; [-1.0] => [NAN];
        |[x]| x.digamma(); [0.0] => [INF]; [-1.0] => [INF];
    }
}

#[test]
fn slopes_at_extreme_arguments_neither_overflow_nor_cancel() {
    let close = |got: f64, want: f64| {
        assert_relative_eq!(got, want, epsilon = 0.0, max_relative = 1e-14);
    };
    let slope = |x, f: fn(Real) -> Real| gradient([x], |[x]| f(x)).1[0];
    close(
        gradient([3e200, 4e200], |[y, x]| y.atan2(x).eval()).1[0],
        1.6e-201,
    );
    close(
        gradient([3e-200, 4e-200], |[y, x]| y.atan2(x).eval()).1[1],
        -1.2e199,
    );
    close(
        gradient([3e200, 4e200], |[x, y]| x.hypot(y).eval()).1[0],
        0.6,
    );
    close(slope(1e300, |x| x.asinh().eval()), 1e-300);
    close(slope(1e300, |x| x.acosh().eval()), 1e-300);
    close(slope(-40.0, |x| x.exp_m1().eval()), (-40.0_f64).exp());
    close(
        slope(1.0 - 2.0_f64.powi(-50), |x| x.asin().eval()),
        2.0_f64.powi(25) / 2.0_f64.sqrt(),
    );
    close(slope(1e300, |x| x.powf(1.5).eval()), 1.5e150);
    close(slope(1e200, |x| x.powi(2).eval()), 2e200);
}

#[test]
fn infinite_values_have_slope_nan_where_slopes_fade() {
    rows! {
        |[x]| x.ln(); [INF] => [NAN];
        |[x]| x.log2(); [INF] => [NAN];
        |[x]| x.log10(); [INF] => [NAN];
        |[x]| x.ln_1p(); [INF] => [NAN];
        |[x]| x.log(2.0); [INF] => [NAN];
        |[x]| x.cbrt(); [INF] => [NAN]; [-INF] => [NAN];
        |[x]| x.asinh(); [INF] => [NAN]; [-INF] => [NAN];
        |[x]| x.acosh(); [INF] => [NAN];
        |[x]| x.powf(0.5); [INF] => [NAN];
        |[x]| x.powf(-0.5); [INF] => [0.0];
        |[x, y]| x.hypot(y); [1.5e308, 1.5e308] => [NAN, NAN];
        |[x]| x.atan(); [INF] => [0.0];
        |[x]| x.tanh(); [INF] => [0.0];
        |[x]| x.recip(); [INF] => [0.0];
    }
}

#[test]
fn operands_of_passive_arguments_are_not_read() {
    fn reads<O: Elementwise<N>, const N: usize>() -> [u8; 3] {
        O::READS
    }
    assert_eq!(reads::<op::Exp, 1>(), [8, 0, 0]);
    assert_eq!(reads::<op::Sin, 1>(), [1, 0, 0]);
    assert_eq!(reads::<op::Powf, 2>(), [1 | 2, 1 | 2 | 8, 0]);
    assert_eq!(reads::<op::MulAdd, 3>(), [2, 1, 0]);
    assert_eq!(<op::Floor as Elementwise<1>>::FLOWS, [false; 3]);
    assert_eq!(
        <op::Copysign as Elementwise<2>>::FLOWS,
        [true, false, false]
    );
    fn is_operand<X: Operand<Taped, Kind = f64>>(_: X) {}
    let x: Expr<_, _, _> = Real::passive(1.0).max(0.5);
    is_operand(x);
}

#[test]
fn a_variable_that_occurs_twice_gets_the_sum() {
    rows! {
        |[x]| x * x; [3.0] => [6.0]; [-0.0] => [0.0];
        |[x]| x / x; [3.0] => [0.0]; [0.0] => [NAN];
        |[x]| x.powf(x); [1.0] => [1.0];
        |[x]| x.atan2(x); [2.0] => [0.0];
        |[x]| x.max(x); [2.0] => [1.0];
        |[x]| (x * x) * x + x; [3.0] => [28.0];
        |[x, y]| (x * x + y * x) * (y * y); [2.0, 3.0] => [63.0, 78.0];
        |[x]| x + Real::passive(5.0) * Real::passive(5.0); [2.0] => [1.0];
        |[x]| { let p = Real::passive(5.0); p * p * x + x * x }; [2.0] => [29.0];
    }
}

#[test]
fn zero_times_infinity_is_nan() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(0.0), tape.input(0.0));
    let (one, two) = tape.record(|| {
        let root = x.sqrt().eval();
        ((x.sqrt() * y).eval(), (root * y).eval())
    });
    let gradient = tape.gradient(&one).unwrap();
    assert!(gradient.wrt(&x).unwrap().is_nan());
    assert_eq!(gradient.wrt(&y), Ok(0.0));
    let gradient = tape.gradient(&two).unwrap();
    assert!(gradient.wrt(&x).unwrap().is_nan());
    assert_eq!(gradient.wrt(&y), Ok(0.0));
}

#[test]
fn slopes_by_several_divisors_neither_overflow_nor_underflow() {
    fn in_double<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        vec![
            (x[0] * 1e308).log(10.0).eval(),
            (x[0] * 1e-308).log(10.0).eval(),
            lit::<f64, M>(10.0).log(x[0] * 1e308).eval(),
            lit::<f64, M>(10.0).log(x[0] * 1e-308).eval(),
            ((x[0] * 1e155).atan() * 1e155).eval(),
        ]
    }
    let ln = 1e308_f64.ln();
    let of_base = LN_10 / (ln * ln);
    let want = [LOG10_E, LOG10_E, -of_base, -of_base, 1.0];
    let rows = entape_drivers::jacobian(in_double::<Taped>, &[1.0]).unwrap();
    for (i, want) in want.into_iter().enumerate() {
        assert_relative_eq!(rows.row(i)[0], want, max_relative = 1e-9); // some are subnormal
        let forward = in_double(&[Active::<f64, Forward>::with_tangent(1.0, 1.0)])[i];
        assert_relative_eq!(forward.tangent(), want, max_relative = 1e-9);
    }
    // for the logarithm of c x, for c / ln(c x), and for the angle, which is -1 / x
    let want = [
        -LOG10_E,
        -LOG10_E,
        of_base * (1.0 + 2.0 / ln),
        of_base * (1.0 - 2.0 / ln),
        -2.0,
    ];
    for (i, want) in want.into_iter().enumerate() {
        let h = entape_drivers::hessian(|x: &[Active<f64>]| in_double(x)[i], &[1.0]).unwrap();
        assert_relative_eq!(h.as_slice()[0], want, max_relative = 1e-9);
    }

    fn in_single<M: Mode>(x: Active<f32, M>) -> [Active<f32, M>; 3] {
        [
            (x * 1e38_f32).log(1e30_f32).eval(),
            lit::<f32, M>(10.0).log(x * 1e38_f32).eval(),
            ((x * 1e20_f32).atan() * 1e20_f32).eval(),
        ]
    }
    let want = [
        1.0 / 1e30_f32.ln(),
        -10_f32.ln() / 1e38_f32.ln().powi(2),
        1.0,
    ];
    let mut tape = Tape::new();
    let x = tape.input_as::<f32>(1.0);
    let y = tape.record(|| in_single(x));
    for (y, want) in y.iter().zip(want) {
        let slope = tape.gradient(y).unwrap().wrt(&x).unwrap();
        assert_relative_eq!(slope, want, max_relative = 1e-3);
    }
}
