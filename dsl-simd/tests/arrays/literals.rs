use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_check::assert_expression;
use entape_core::{
    expr::Active,
    mode::{Mode, Plain},
    real::Elementary,
};
use entape_drivers::value_and_gradient;
use entape_simd::{
    Array,
    arrays::{ArrayKind, ArrayOps, Compare, MaskOps, WholeArray},
};

macro_rules! formulas { ($($name:ident: |$v:ident| $formula:expr;)*) => { $(
    #[test]
    fn $name() {
        { formulas! { @of f64 |$v| $formula } }
        { formulas! { @of f32 |$v| $formula } }
    }
)* };
(@of $T:ident |$v:ident| $formula:expr) => {
        fn of_array<M: Mode>($v: &Active<ArrayKind<$T>, M>) -> Active<ArrayKind<$T>, M> { ($formula).eval() }
        fn of_number($v: $T) -> $T { $formula }
        let v: Vec<$T> = vec![0.75, 1.5, 2.25, 3.5];
        let want: Vec<$T> = v.iter().map(|&v| of_number(v)).collect();
        let got = of_array(&Active::<ArrayKind<$T>, Plain>::passive(v.clone())).into_value();
        assert_relative_eq!(got[..], want[..], epsilon = 0.0, max_relative = 4.0 * $T::EPSILON);
        if size_of::<$T>() == 8 { // differences of single precision are too coarse
            assert_expression(|v: &Active<ArrayKind<$T>>| of_array(v), WholeArray(v));
        }
} }

formulas! {
    quotients: |v| 1.0 / (v + 1.0) - 2.0 * (v - 0.5).abs();
    nested: |v| 1.0 - 0.5 * (2.0 - 0.25 * (v * 2.0 + 1.0));
    functions: |v| 1.0 - (v - 0.5).max(1.25) * 2.0 + v.powf(0.5) / 3.0;
    functions_of_three: |v| 3.0 * (v - 0.5).clamp(0.5, 2.0) - v.mul_add(2.0, 1.0);
}
#[test]
fn statements_take_literals() {
    let formula = |v: &Array| {
        let mut w = (v + 1.0).eval();
        w += 1.0 / (v + 1.0);
        w *= 2.0;
        w[0] -= 1.0 / (&v[1] + 1.0);
        let w = (1.0 / &w).eval();
        let chosen = w.simd_gt(0.125).select(1.0 - &w, 8.125 * &w);
        (1.0 - (2.0 * chosen).sum() / 3.0).eval()
    };
    let (y, _) = value_and_gradient(formula, WholeArray(vec![1.0, 7.0])).unwrap();
    // w = 1 / (2 * 2.5 - 0.125), 1 / (2 * 8.125), which is below 0.125
    let want = 1.0 - 2.0 * (1.0 - 1.0 / 4.875 + 0.5) / 3.0;
    assert_abs_diff_eq!(y, want, epsilon = 1e-15);
    assert_expression(formula, WholeArray(vec![1.0, 7.0]));
}
