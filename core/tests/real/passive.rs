use crate::{Real, gradient};
use entape_core::{
    expr::{Active, lit},
    mode::{Plain, Taped},
    real::{Elementary, Predicates},
    tape::Tape,
};
use std::cmp::Ordering;

#[allow(
    clippy::nonminimal_bool,
    clippy::eq_op,
    clippy::neg_cmp_op_on_partial_ord
)]
#[test]
fn comparisons_are_those_of_the_values() {
    let (x, y, n) = (
        Real::passive(1.0),
        Real::passive(2.0),
        Real::passive(f64::NAN),
    );
    assert!(x < y && y > x && x <= x && y >= x && x == x && x != y);
    assert!(x < 2.0);
    assert!(x <= 1.0);
    assert!(2.0 > x && x == 1.0 && 1.0 == x && x != 1.5);
    assert!(n != n && !(n < x) && !(n >= 0.0) && n.partial_cmp(&x).is_none());
    assert_eq!(x.partial_cmp(&y), Some(Ordering::Less));
    let mut sorted = [n, y, x];
    sorted.sort_by(Real::total_cmp);
    assert!(sorted[0] == 1.0 && sorted[1] == 2.0 && sorted[2].is_nan());
}

#[allow(clippy::nonminimal_bool, clippy::neg_cmp_op_on_partial_ord)]
#[test]
fn comparisons_of_expressions_compute_values_only() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(3.0), tape.input(4.0));
    let z = tape.input_as::<f32>(0.5);
    let before = tape.statistics().statements;
    tape.record(|| {
        let r = x * x + y * y;
        assert!(r == 25.0 && r > 24.0 && !(r < 25.0) && r <= 25.0 && r >= 25.0 && r != 1.0);
        assert!(24.0 < r && 25.0 == r && 26.0 >= r);
        assert!(r > x && x < r && x * x != r && r.partial_cmp(&(x * x)) == Some(Ordering::Greater));
        assert!((&r).sqrt() == 5.0 && z * 2.0 == 1.0 && 0.25 < z * 2.0);
        assert!(!(&r * f64::NAN == r) && !(&r * f64::NAN < 1.0));
    });
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn comparisons_ignore_identifiers_and_steer_the_program() {
    let f = |x: Real| {
        if x < 1.0 {
            x.powi(2).eval()
        } else {
            (x * 3.0).eval()
        }
    };
    assert_eq!(gradient([0.5], |[x]| f(x)), (0.25, [1.0]));
    assert_eq!(gradient([2.0], |[x]| f(x)), (6.0, [3.0]));
    gradient([1.0], |[x]| {
        assert_eq!(x, Real::passive(1.0));
        x
    });
}

#[test]
fn predicates_take_all_operands() {
    let x = Active::<f32, Plain>::passive(-0.5);
    assert!(x.is_finite() && x.is_normal() && x.is_sign_negative() && !x.is_sign_positive());
    let y = Active::<f64, Taped>::passive(0.0);
    assert!((&y).recip().is_infinite() && (y / y).is_nan() && !(&y).is_normal());
    assert!(lit::<f64, Taped>(1e-310).is_subnormal());
}

#[test]
fn numbers_and_text_become_passive_variables() {
    let x: Real = 2.5.into();
    assert!(x == 2.5 && !x.is_active());
    assert_eq!(Real::default(), 0.0);
    assert_eq!(Active::<f32, Plain>::from(1.5_f32), 1.5_f32);
    assert_eq!(format!("{x:.3} {x:e} {x:.1E}"), "2.500 2.5e0 2.5E0");
    assert_eq!("-0.75".parse(), Ok(Real::passive(-0.75)));
    assert_eq!("1e3".parse(), Ok(Active::<f32, Plain>::passive(1e3)));
    assert!("one".parse::<Real>().is_err());
}
