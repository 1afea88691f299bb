//! The relations of `approx`.
use approx::{
    AbsDiffEq, RelativeEq, UlpsEq, abs_diff_eq, abs_diff_ne, assert_abs_diff_eq,
    assert_abs_diff_ne, assert_relative_eq, assert_ulps_eq, relative_eq, relative_ne, ulps_eq,
    ulps_ne,
};
use entape_core::{
    expr::{Active, list},
    kind,
    mode::Plain,
    real::{Cast, Elementary},
    store::{Part, PlaceIndex},
    tape::Tape,
};
use entape_drivers::{Jacobian, jacobian};

type Real = Active<f64, Plain>;
type Single = Active<f32, Plain>;

fn real(x: f64) -> Real {
    Active::passive(x)
}
fn single(x: f32) -> Single {
    Active::passive(x)
}

#[kind(value = Vec<f64>, index = Owned, coordinates)]
struct Array;
impl Part<Array> for usize {
    type Kind = f64;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[*self]
    }
    fn put(&self, whole: &mut Vec<f64>, part: f64) {
        whole[*self] = part;
    }
}
impl PlaceIndex<usize> for Array {
    type Part = usize;
    fn encode(value: &Vec<f64>, index: usize) -> usize {
        assert!(index < value.len());
        index
    }
    fn part(_: &Vec<f64>, number: usize) -> usize {
        number
    }
}
fn array(x: &[f64]) -> Active<Array, Plain> {
    Active::passive(x.to_vec())
}

#[kind(value = (f64, f32), coordinates)]
struct Mixed;

#[test]
fn a_tolerance_is_the_largest_difference() {
    let (x, y) = (real(1.0), real(1.25));
    assert_abs_diff_eq!(x, y, epsilon = 0.25);
    assert_abs_diff_ne!(x, y, epsilon = 0.249);
    assert!(abs_diff_eq!(y, x, epsilon = 0.25) && abs_diff_ne!(y, x, epsilon = 0.249));
    assert_relative_eq!(x, y, epsilon = 0.0, max_relative = 0.2);
    assert!(relative_ne!(x, y, epsilon = 0.0, max_relative = 0.199));
    assert!(relative_eq!(x, y, epsilon = 0.25, max_relative = 0.0));
    let next = real(1.0_f64.next_up().next_up());
    assert_ulps_eq!(x, next, epsilon = 0.0, max_ulps = 2);
    assert!(ulps_ne!(x, next, epsilon = 0.0, max_ulps = 1));
}

#[test]
fn numbers_stand_beside_variables_and_expressions() {
    let x = real(2.0);
    assert_relative_eq!(x, 2.0);
    assert_relative_eq!(x.sqrt() * x.sqrt(), 2.0, max_relative = 1e-15);
    assert_relative_eq!(x.sqrt() * x.sqrt(), x, max_relative = 1e-15);
    assert_abs_diff_eq!(x, x * 1.0 + 1e-9, epsilon = 1e-8);
    assert!(abs_diff_ne!(x, x + 1e-7, epsilon = 1e-8));
    assert_relative_eq!(x.exp().ln(), (x * 3.0) / 3.0, max_relative = 1e-15);
    assert_ulps_eq!(x * 0.5, 1.0);
    assert_relative_eq!(&x, &real(2.0));
    let lists = ([x, x], [x, real(2.0 + 1e-9)]);
    assert_abs_diff_eq!(lists.0[..], lists.1[..], epsilon = 1e-8);
    assert!(relative_ne!(lists.0[..], lists.1[..]));
}

#[test]
fn a_comparison_records_nothing() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let before = tape.statistics().statements;
    tape.record(|| {
        assert_relative_eq!(x.sqrt() * x.sqrt(), x, max_relative = 1e-15);
        assert_abs_diff_eq!(x, 2.0);
        assert_ulps_eq!(x * 1.0, x);
    });
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn places_are_compared_by_their_part() {
    let (a, x) = (array(&[1.0, 2.0, 2.0 + 1e-9]), real(2.0));
    assert_abs_diff_eq!(a[1], 2.0);
    assert_abs_diff_eq!(a[1], a[2], epsilon = 1e-8);
    assert_relative_eq!(a[2], x * 1.0, max_relative = 1e-9);
    assert_relative_eq!(x, a[2], max_relative = 1e-9);
    assert!(abs_diff_ne!(a[0], a[1], epsilon = 0.5) && ulps_ne!(a[1], a[2]));
}

#[test]
fn values_of_several_numbers_are_close_if_each_one_is() {
    let a = array(&[1.0, -2.0, 1e9]);
    assert_relative_eq!(a, array(&[1.0, -2.0, 1e9 + 1.0]), max_relative = 1e-8);
    assert!(abs_diff_ne!(
        a,
        array(&[1.0, -2.0, 1e9 + 1.0]),
        epsilon = 0.5
    ));
    for other in [[1.1, -2.0, 1e9], [1.0, -2.1, 1e9], [1.0, -2.0, 1.1e9]] {
        let other = array(&other);
        assert!(relative_ne!(a, other, epsilon = 0.01, max_relative = 0.01));
        assert!(ulps_ne!(a, other, epsilon = 0.01, max_ulps = 4));
    }
    let shorter = array(&[1.0, -2.0]);
    assert!(abs_diff_ne!(a, shorter, epsilon = f64::MAX));
    assert!(abs_diff_ne!(shorter, a, epsilon = f64::MAX));
    assert_abs_diff_eq!(array(&[]), array(&[]));
}

#[test]
fn lists_are_compared_element_by_element() {
    let (x, y) = ([real(1.0), real(4.0)], [real(1.0), real(2.0)]);
    assert_relative_eq!(list(&x).sqrt(), list(&y), max_relative = 1e-15);
    assert!(relative_ne!(list(&x), list(&y), max_relative = 0.4));
    assert!(abs_diff_ne!(
        list(&x),
        list(&y[..1]),
        epsilon = f64::INFINITY
    ));
}

#[test]
fn tolerances_are_by_default_the_precision_of_the_kind() {
    fn defaults<A: RelativeEq<Epsilon = f64> + UlpsEq>() -> (f64, f64, u32) {
        (
            A::default_epsilon(),
            A::default_max_relative(),
            A::default_max_ulps(),
        )
    }
    let (fine, coarse) = (f64::EPSILON, f64::from(f32::EPSILON));
    assert_eq!(defaults::<Real>(), (fine, fine, 4));
    assert_eq!(defaults::<Single>(), (coarse, coarse, 4));
    assert_eq!(defaults::<Active<Array, Plain>>(), (fine, fine, 4));
    assert_eq!(defaults::<Active<Mixed, Plain>>(), (coarse, coarse, 4));
    assert_eq!(defaults::<Jacobian>(), (fine, fine, 4));

    let (x, y) = (single(1.0), single(1.0 + f32::EPSILON));
    assert_relative_eq!(x, y);
    assert_relative_eq!(x, 1.0 + f32::EPSILON);
    assert!(relative_ne!(x, single(1.0 + 4.0 * f32::EPSILON)));
    assert!(relative_ne!(x.to_f64(), y.to_f64()));
    assert_abs_diff_eq!(single(0.1), 0.1_f32);
    assert_abs_diff_eq!(single(0.1) * 10.0, 1.0_f32);
    // A tolerance may be finer than the precision of `f32`.
    assert_relative_eq!(single(1e8), single(1e8 + 8.0), max_relative = 8e-8);
    assert!(relative_ne!(
        single(1e8),
        single(1e8 + 8.0),
        max_relative = 7.9e-8
    ));
    let mixed = |x: (f64, f32)| Active::<Mixed, Plain>::passive(x);
    assert_relative_eq!(mixed((1.0, 2.0)), mixed((1.0 + 1e-8, 2.0)));
    assert!(relative_ne!(mixed((1.0, 2.0)), mixed((1.0 + 1e-6, 2.0))));
}

fn ever_equal<A, B>(a: &A, b: &B) -> bool
where
    A: RelativeEq<B> + UlpsEq<B> + AbsDiffEq<B, Epsilon = f64>,
{
    let widest = f64::INFINITY;
    a.abs_diff_eq(b, widest) || a.relative_eq(b, widest, widest) || a.ulps_eq(b, widest, u32::MAX)
}

#[test]
fn nan_equals_nothing() {
    let (nan, one) = (real(f64::NAN), real(1.0));
    assert!(ever_equal(&one, &one));
    assert!(!ever_equal(&nan, &one) && !ever_equal(&one, &nan) && !ever_equal(&nan, &nan));
    assert!(!ever_equal(&nan, &f64::NAN) && !ever_equal(&(one * 1.0), &f64::NAN));
    assert!(!ever_equal(&(nan * 1.0), &nan) && !ever_equal(&single(f32::NAN), &single(f32::NAN)));
    let (a, b) = (array(&[1.0, f64::NAN]), array(&[1.0, 2.0]));
    assert!(!ever_equal(&a, &a) && !ever_equal(&a, &b) && !ever_equal(&b, &a));
    assert!(!ever_equal(&list(&[one, nan]), &list(&[one, nan])));
    let matrix = |x| Jacobian::new(1, 2, vec![1.0, x]);
    assert!(!ever_equal(&matrix(f64::NAN), &matrix(f64::NAN)));
    assert!(!ever_equal(&matrix(f64::NAN), &matrix(1.0)));
}

#[test]
fn an_infinity_equals_itself_alone() {
    let infinity = real(f64::INFINITY);
    assert_relative_eq!(infinity, infinity);
    assert_ulps_eq!(infinity, f64::INFINITY);
    assert!(relative_ne!(infinity, -infinity, max_relative = 1.0));
    assert!(relative_ne!(infinity, f64::MAX, max_relative = 1.0));
    let matrix = |x| Jacobian::new(1, 1, vec![x]);
    assert_relative_eq!(matrix(f64::INFINITY), matrix(f64::INFINITY));
    assert!(relative_ne!(
        matrix(f64::INFINITY),
        matrix(f64::NEG_INFINITY),
        max_relative = 1.0
    ));
}

#[test]
fn jacobians_are_compared_entry_by_entry() -> Result<(), entape_core::tape::Error> {
    let j = jacobian(
        |[x, y]: [Active<f64>; 2]| [(x.sqrt() * x.sqrt()).eval(), (x * y).eval()],
        [2.0, 3.0],
    )?;
    let want = |last| Jacobian::new(2, 2, vec![1.0, 0.0, 3.0, last]);
    assert_relative_eq!(j, want(2.0), max_relative = 1e-15);
    assert_abs_diff_eq!(j, want(2.0), epsilon = 1e-15);
    assert_ulps_eq!(j, want(2.0), epsilon = 1e-15);
    assert!(abs_diff_ne!(j, want(2.1), epsilon = 0.09));
    assert!(relative_ne!(j, want(2.1), max_relative = 0.04));
    assert!(ulps_ne!(j, want(2.1)));
    assert!(relative_eq!(j, want(2.1), max_relative = 0.05));
    Ok(())
}

#[test]
fn jacobians_of_different_shapes_are_not_equal() {
    let zeros = |rows, columns| Jacobian::new(rows, columns, vec![0.0; rows * columns]);
    let shapes = [(0, 0), (0, 3), (3, 0), (1, 4), (2, 2), (4, 1), (1, 3)];
    for a in shapes {
        for b in shapes {
            let (a_zeros, b_zeros) = (zeros(a.0, a.1), zeros(b.0, b.1));
            assert_eq!(ever_equal(&a_zeros, &b_zeros), a == b, "{a:?} {b:?}");
            assert_eq!(ulps_eq!(a_zeros, b_zeros), a == b, "{a:?} {b:?}");
        }
    }
}

#[test]
#[should_panic(expected = "left  = Active { value: 1.0 }")]
fn a_failure_shows_the_values() {
    assert_relative_eq!(real(1.0), 2.0);
}
