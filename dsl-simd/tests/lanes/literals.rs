use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_check::assert_expression;
use entape_core::{
    expr::Active,
    mode::{Mode, Plain},
    real::Elementary,
};
use entape_simd::{
    Compare, Lanes, LanesOps,
    wide::{f32x4, f64x4},
};

macro_rules! formulas { ($($name:ident: |$v:ident| $formula:expr;)*) => { $(
    #[test]
    fn $name() {
        { formulas! { @of f64 f64x4 |$v| $formula } }
        { formulas! { @of f32 f32x4 |$v| $formula } }
    }
)* };
(@of $T:ident $V:ident |$v:ident| $formula:expr) => {
        fn of_lanes<M: Mode>($v: Active<Lanes<$V>, M>) -> Active<Lanes<$V>, M> { ($formula).eval() }
        fn of_number($v: $T) -> $T { $formula }
        let v: [$T; 4] = [0.75, 1.5, 2.25, 3.5];
        let got = of_lanes(Active::<Lanes<$V>, Plain>::passive(v.into())).value().to_array();
        let want = v.map(of_number);
        assert_relative_eq!(got[..], want[..], epsilon = 0.0, max_relative = 4.0 * $T::EPSILON);
        if size_of::<$T>() == 8 { // differences of single precision are too coarse
            assert_expression(|v: Active<Lanes<$V>>| of_lanes(v), $V::from(v));
        }
} }
formulas! {
    quotients: |v| 1.0 / (v + 1.0) - 2.0 * (v - 0.5).abs();
    nested: |v| 1.0 - 0.5 * (2.0 - 0.25 * (v * 2.0 + 1.0));
    functions: |v| 1.0 - (v - 0.5).max(1.25) * 2.0 + v.powf(0.5) / 3.0;
    functions_of_three: |v| 3.0 * (v - 0.5).clamp(0.5, 2.0) - v.mul_add(2.0, 1.0);
}

macro_rules! statements { ($($T:ident $V:ident)*) => { $( {
    fn formula<M: Mode>(v: Active<Lanes<$V>, M>) -> Active<$T, M> {
        let mut w = (v + 1.0).eval();
        w += 1.0 / (v + 1.0);
        w *= 2.0;
        w[0] -= 1.0 / (&v[1] + 1.0);
        w[2].assign(1.0);
        let w = (1.0 / w).eval();
        let chosen = w.simd_gt(0.125).select(1.0 - w, 0.5);
        (1.0 - (2.0 * chosen).reduce_add() / 3.0).eval()
    }
    let v: [$T; 4] = [1.0, 7.0, 2.0, 7.0];
    // w = 1 / (2 * 2.5 - 0.125), 1 / (2 * 8.125), which is below 0.125, 1, and the element of lane 1
    let want = 1.0 - 2.0 * (1.0 - 1.0 / 4.875 + 0.5 + 0.0 + 0.5) / 3.0;
    let got = formula(Active::<Lanes<$V>, Plain>::passive(v.into())).value();
    assert_abs_diff_eq!(got, want, epsilon = 4.0 * $T::EPSILON);
    if size_of::<$T>() == 8 {
        assert_expression(|v: Active<Lanes<$V>>| formula(v), $V::from(v));
    }
} )* } }
#[test]
fn statements_take_literals() {
    statements! { f64 f64x4 f32 f32x4 }
}
