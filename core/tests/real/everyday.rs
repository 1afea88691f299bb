//! Everyday formulas with literals in every position, for variables and plain numbers, against hand-written
//! derivatives.
use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_core::{
    expr::{Active, select},
    mode::{Mode, Plain},
    real::Elementary,
    tape::Tape,
};

/// `name: formula => [derivative by x, derivative by y];`
macro_rules! formulas { ($($name:ident: |$x:ident, $y:ident| $formula:expr => [$by_x:expr, $by_y:expr];)*) => {
    formulas! { @precision f64 double 1e-14 $($name: |$x, $y| $formula => [$by_x, $by_y];)* }
    formulas! { @precision f32 single 2e-6 $($name: |$x, $y| $formula => [$by_x, $by_y];)* }
};
(@precision $T:ident $module:ident $tolerance:literal
    $($name:ident: |$x:ident, $y:ident| $formula:expr => [$by_x:expr, $by_y:expr];)*
) => { mod $module { use super::*; $(
    #[test]
    #[allow(clippy::op_ref, clippy::manual_midpoint, clippy::suboptimal_flops)]
    fn $name() {
        fn active<M: Mode>($x: Active<$T, M>, $y: Active<$T, M>) -> Active<$T, M> { ($formula).eval() }
        fn plain($x: $T, $y: $T) -> [$T; 3] { [$formula, $by_x, $by_y] }

        let (x, y): ($T, $T) = (1.75, 0.625);
        let [want, by_x, by_y] = plain(x, y);
        assert_eq!(active(Active::<_, Plain>::passive(x), Active::passive(y)), want);

        let mut tape = Tape::new();
        let (x, y) = (tape.input_as::<$T>(x), tape.input_as::<$T>(y));
        let r = tape.record(|| active(x, y));
        assert_eq!(r, want);
        let gradient = tape.gradient(&r).unwrap();
        for (got, want) in [(gradient.wrt(&x).unwrap(), by_x), (gradient.wrt(&y).unwrap(), by_y)] {
            assert_relative_eq!(got, want, epsilon = $tolerance, max_relative = $tolerance);
        }
    }
)* } } }

formulas! {
    quotient: |x, y| 1.0 / (x + 1.0) + y => [-1.0 / ((x + 1.0) * (x + 1.0)), 1.0];
    difference: |x, y| 1.0 - (x * 2.0 + 1.0) * y => [-2.0 * y, -(x * 2.0 + 1.0)];
    product: |x, y| 3.0 * (x - 0.5) / (y + 2.0) => [3.0 / (y + 2.0), -3.0 * (x - 0.5) / ((y + 2.0) * (y + 2.0))];
    sum: |x, y| 2.0 + (x / 3.0 - y) => [1.0 / 3.0, -1.0];
    remainder: |x, y| 5.0 % (x % 1.0) + y % 0.5 => [-6.0, 1.0];
    nested: |x, y| 1.0 - 0.5 * (2.0 - 0.25 * (y - 1.0 / (x + 1.0)))
        => [0.125 / ((x + 1.0) * (x + 1.0)), 0.125];
    of_one: |x, y| 2.0 * (x - 0.5).sqrt() - (y + 1.0).ln() => [1.0 / (x - 0.5).sqrt(), -1.0 / (y + 1.0)];
    absolute: |x, y| 2.0 * (0.5 - x).abs() + (y - 2.0).abs() => [2.0, -1.0];
    logistic: |x, y| 1.0 / (1.0 + (-(x - 0.5) * y).exp())
        => [
            y * (-(x - 0.5) * y).exp() / (1.0 + (-(x - 0.5) * y).exp()).powi(2),
            (x - 0.5) * (-(x - 0.5) * y).exp() / (1.0 + (-(x - 0.5) * y).exp()).powi(2)
        ];
    gaussian: |x, y| 0.5 * (-0.5 * ((x - 1.0) / 0.75).powi(2)).exp() * (y + 1.0)
        => [
            -(x - 1.0) / (0.75 * 0.75) * 0.5 * (-0.5 * ((x - 1.0) / 0.75).powi(2)).exp() * (y + 1.0),
            0.5 * (-0.5 * ((x - 1.0) / 0.75).powi(2)).exp()
        ];
    larger: |x, y| 1.0 - (x - 0.5).max(0.0) * (y + 1.0).max(2.0) => [-2.0, 0.0];
    smaller: |x, y| 2.0 * (x * 3.0).min(1.0) + 3.0 * y.min(1.0) => [0.0, 3.0];
    power: |x, y| 2.0 / x.powf(2.5) - (y + 1.0).powf(0.5) => [-5.0 * x.powf(-3.5), -0.5 * (y + 1.0).powf(-0.5)];
    distance: |x, y| 2.0 * (x - y * 0.5).hypot(1.5).max(1.0) - 1.0
        => [2.0 * (x - y * 0.5) / (x - y * 0.5).hypot(1.5), -(x - y * 0.5) / (x - y * 0.5).hypot(1.5)];
    angle: |x, y| 0.5 * (y - 0.25).atan2(2.0) + x => [1.0, 0.5 * 2.0 / (4.0 + (y - 0.25) * (y - 0.25))];
    logarithm: |x, y| 1.0 + (x + 1.0).log(2.0) * y => [y / ((x + 1.0) * (x * 0.0 + 2.0).ln()), (x + 1.0).log(2.0)];
    sign: |x, y| 2.0 * (x - 0.5).copysign(-1.0) + y => [-2.0, 1.0];
    clamped: |x, y| 2.0 * (x - 0.5).clamp(0.0, 3.0) - (y * 4.0).clamp(-1.0, 1.0) => [2.0, 0.0];
    between: |x, y| 1.0 + x.clamp(y - 1.0, 2.0) * 2.0 => [2.0, 0.0];
    above: |x, y| 1.0 + y.clamp(x - 0.5, 2.0) * 2.0 => [2.0, 0.0];
    fused: |x, y| 1.0 - (x - 1.0).mul_add(2.0, 1.0) * y.mul_add(0.5, 0.5)
        => [
            -2.0 * y.mul_add(0.5, 0.5),
            -(x - 1.0).mul_add(2.0, 1.0) * 0.5
        ];
    fused_with_one: |x, y| 2.0 * x.mul_add(2.0, y) - 1.0 => [4.0, 2.0];
    by_reference: |x, y| &2.0 * (x * &3.0 - &1.0) / (&4.0 + y) % &100.0
        => [6.0 / (4.0 + y), -2.0 * (x * 3.0 - 1.0) / ((4.0 + y) * (4.0 + y))];
    functions_by_reference: |x, y| &1.0 - x.max(0.5) * (y + 1.0).powi(2)
        => [-(y + 1.0).powi(2), -2.0 * x * (y + 1.0)];
}

macro_rules! statements { ($($T:ident $module:ident)*) => { $( mod $module {
    use super::*;
    type Real = Active<$T>;

    fn slope(f: impl FnOnce(Real) -> Real, at: $T) -> $T {
        let mut tape = Tape::new();
        let x = tape.input_as::<$T>(at);
        let y = tape.record(|| f(x));
        tape.gradient(&y).unwrap().wrt(&x).unwrap()
    }
    #[test]
    fn evaluated_results_have_methods_and_kinds() {
        let slope = slope(|x| {
            let a = (x + 1.0).eval();
            let b = (1.0 / a).eval();
            let c = x.max(0.0).eval();
            let _: $T = a.value().sqrt();
            (1.0 - b * c).sqrt().eval()
        }, 1.0);
        // y = sqrt(1 / (x + 1))
        let want = -0.5 * (2.0 as $T).powf(-1.5);
        assert_abs_diff_eq!(slope, want, epsilon = 1e-6);
    }
    #[test]
    fn compound_assignments_take_numbers() {
        let slope = slope(|x| {
            let mut s = x;
            s += 1.0;
            s *= 2.0;
            s -= 1.0 / (x + 1.0);
            s /= 4.0;
            s %= 100.0;
            s += &1.0;
            s *= &2.0;
            s
        }, 1.0);
        assert_eq!(slope, (2.0 + 0.25) / 2.0);
    }
    #[test]
    fn assignments_take_numbers_and_variables() {
        let slope = slope(|x| {
            let mut s = x;
            s.assign(0.5);
            s.assign(x);
            s.assign(2.0 * (s - 0.5));
            s.update(|s| 1.0 - (s + 1.0) * 0.5);
            s.assign(s * 3.0);
            s
        }, 1.0);
        assert_eq!(slope, -3.0);
    }
    #[test]
    fn choices_take_numbers_on_either_side() {
        let slope = slope(|x| (2.0 * select(x > 0.0, x - 0.5, 0.0) + select(x > 0.0, 1.0, x)).eval(), 1.0);
        assert_eq!(slope, 2.0);
    }
    #[test]
    fn sums_of_plain_numbers_become_variables() {
        let numbers: [$T; 3] = [1.0, 2.0, 4.0];
        assert_eq!(numbers.iter().sum::<Real>(), 7.0);
        assert_eq!(numbers.iter().product::<Real>(), 8.0);
        let slope = slope(|x| numbers.iter().map(|c| x * c).sum(), 1.0);
        assert_eq!(slope, 7.0);
    }
})* } }
statements! { f64 statements_of_doubles f32 statements_of_singles }

#[allow(clippy::op_ref)]
#[test]
fn expressions_are_operands_by_reference() {
    let mut tape = Tape::new();
    let x = tape.input(3.0);
    let y = tape.record(|| {
        let e = x * x + 1.0;
        (&e * &e - 2.0 * &e + x * &e - -&e).eval()
    });
    assert_eq!(y, 100.0 - 20.0 + 30.0 + 10.0);
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x),
        Ok(6.0 * 20.0 - 6.0 + 10.0 + 18.0)
    );
}
#[test]
fn methods_of_numbers_behind_references_stay() {
    let xs = [-1.5_f64, 0.5];
    let largest = xs.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert_eq!(largest, 1.5);
}
