//! `#[kind(coordinates)]`.
use entape_check as check;
use entape_core::{
    coordinates::Coordinates,
    kind,
    kind::{Heap, Val},
    real::{Real, norm},
};
use std::{fmt::Debug, marker::PhantomData};

#[track_caller]
fn assert_coordinates<K: Coordinates<Value: PartialEq + Debug>>(
    value: Val<K>,
    want: &[f64],
    other: Val<K>,
    others: &[f64],
) {
    for (value, want) in [(&value, want), (&other, others)] {
        let mut got = vec![-1.0];
        K::coordinates(value, &mut got);
        assert_eq!(got[0], -1.0);
        assert_eq!(got[1..], *want);
    }
    let mut from = &[others, &[7.0]].concat()[..];
    assert_eq!(K::from_coordinates(&value, &mut from), other);
    assert_eq!(from, [7.0]);
}

#[kind(value = Vec<[f32; 2]>, index = Owned, coordinates)]
struct Pairs;
#[kind(value = (f64, [f64; 2], Box<f64>), index = Owned, coordinates)]
struct Tuple;

#[test]
fn coordinates_of_numbers_are_in_their_order() {
    assert_coordinates::<Pairs>(
        vec![[1.0, 2.0], [3.0, 4.0]],
        &[1.0, 2.0, 3.0, 4.0],
        vec![[0.5, 0.0], [-1.0, 0.25]],
        &[0.5, 0.0, -1.0, 0.25],
    );
    assert_coordinates::<Pairs>(vec![], &[], vec![], &[]);
    assert_eq!(Pairs::EPSILON, f64::from(f32::EPSILON));
    assert_coordinates::<Tuple>(
        (1.0, [2.0, 3.0], Box::new(4.0)),
        &[1.0, 2.0, 3.0, 4.0],
        (0.1, [0.2, 0.3], Box::new(0.4)),
        &[0.1, 0.2, 0.3, 0.4],
    );
    assert_eq!(Tuple::EPSILON, f64::EPSILON);
    check::assert_kind::<Pairs>(vec![[1.0, 2.0], [3.0, 4.0]]);
    check::assert_kind::<Tuple>((1.0, [2.0, 3.0], Box::new(4.0)));
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Angle {
    degrees: f64,
}
impl Heap for Angle {
    fn heap_bytes(&self) -> usize {
        0
    }
}
#[kind(value = Angle, add = |into, from| into.degrees += from.degrees)]
struct Degrees;
impl Coordinates for Degrees {
    fn map(value: &Angle, f: &mut dyn FnMut(f64) -> f64) -> Angle {
        Angle {
            degrees: f(value.degrees),
        }
    }
}

#[kind(index = Owned, parts(turn: Degrees, knots: Pairs), coordinates)]
#[derive(Clone, Debug, PartialEq)]
struct Spline<T: Real> {
    ends: [T; 2],
    turn: Angle,
    knots: Vec<[f32; 2]>,
}
#[kind(coordinates)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tagged<K: Real>(f64, PhantomData<fn() -> K>, f64);

#[test]
fn coordinates_of_structs_are_in_the_order_of_fields() {
    let spline = |x: f32| Spline::<f64> {
        ends: [x.into(), 2.0],
        turn: Angle { degrees: 3.0 },
        knots: vec![[4.0, x]],
    };
    assert_coordinates::<Spline<f64>>(
        spline(1.0),
        &[1.0, 2.0, 3.0, 4.0, 1.0],
        spline(5.0),
        &[5.0, 2.0, 3.0, 4.0, 5.0],
    );
    assert_eq!(Spline::<f64>::EPSILON, f64::from(f32::EPSILON));
    check::assert_kind::<Spline<f64>>(spline(1.0));
    let tagged = |a, b| Tagged::<f32>(a, PhantomData, b);
    assert_coordinates::<Tagged<f32>>(tagged(1.0, 2.0), &[1.0, 2.0], tagged(3.0, 4.0), &[3.0, 4.0]);
    assert_eq!(Tagged::<f32>::EPSILON, f64::EPSILON);
}

#[test]
#[should_panic(expected = "one number for each coordinate")]
fn too_few_coordinates_panic() {
    Pairs::from_coordinates(&vec![[0.0; 2]; 2], &mut &[1.0, 2.0, 3.0][..]);
}

fn norms<T: Real>(least: f64, most: f64) {
    let length = |x: &[f64]| {
        let x: Vec<T> = x.iter().map(|&x| T::nearest(x)).collect();
        let squares = x.iter().fold(T::nearest(0.0), |sum, &x| sum + x * x);
        norm(squares, |visit| x.iter().for_each(|&x| visit(x))).double()
    };
    for size in [least, least * 1e10, 1.0, most * 1e-10, most] {
        let size = f64::exp2(size.log2().floor());
        assert_eq!(length(&[3.0 * size, 0.0, -4.0 * size]), 5.0 * size);
    }
    assert_eq!(length(&[]), 0.0);
    assert_eq!(length(&[0.0, -0.0]), 0.0);
    assert_eq!(length(&[1.0, f64::NEG_INFINITY]), f64::INFINITY);
    assert!(length(&[f64::NAN, 1.0]).is_nan());
    assert_eq!(
        length(&[most, most, most, most]),
        2.0 * T::nearest(most).double()
    );
}
#[test]
fn a_norm_has_the_range_of_its_numbers() {
    norms::<f64>(f64::from_bits(8), f64::MAX / 16.0);
    norms::<f32>(f32::from_bits(8).into(), f64::from(f32::MAX) / 16.0);
}
