//! `#[kind]`: own and foreign values, value and storage kinds, generic ones.
use crate::foreign::{Complex, complex};
use entape_core::{
    expr::{Active, Constant, constant, lit},
    kind,
    kind::{Adjoint, Contribution, Encoding, Kind, Policy, Val, index},
    mode::Plain,
    op,
    tape::Tape,
};
use std::ops::AddAssign;

#[kind(value = Complex, index = Linear)]
pub struct C64;

#[kind]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual {
    pub x: f64,
    pub y: f64,
}
impl AddAssign for Dual {
    fn add_assign(&mut self, b: Self) {
        (self.x, self.y) = (self.x + b.x, self.y + b.y);
    }
}

#[kind(
    value = Vec<f64>,
    index = Owned,
    zero = |like| vec![0.0; like.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    name = "array of numbers",
)]
pub struct Array;

#[kind(value = [T; N], zero = |_| [T::default(); N], add = add_all, adjoint = Option<[T; N]>)]
pub struct Fixed<T, const N: usize>(std::marker::PhantomData<T>)
where
    T: Copy + Default + AddAssign + 'static;
fn add_all<T: AddAssign, const N: usize>(into: &mut [T; N], from: [T; N]) {
    into.iter_mut().zip(from).for_each(|(x, y)| *x += y);
}

#[kind(value = [f64; 2], plain, add = |into, [x, y]| *into = [into[0] + x, into[1] + y])]
pub struct Pair;

#[kind(
    value = [f64; 2],
    index = P,
    adjoint = Option<[f64; 2]>,
    zero = |_| [0.0; 2],
    add = |into, [x, y]| *into = [into[0] + x, into[1] + y],
    finite = |x| x.iter().all(|x| x.is_finite()),
)]
pub struct Either<P>(std::marker::PhantomData<P>)
where
    P: Policy<[f64; 2]>;

#[op]
fn squares<P: Policy<[f64; 2]>>(
    #[ad_in([r_b[0] * r[0] / a[0] * 2.0, r_b[1] * a[1] * 2.0])] a: &Either<P>,
) -> &Either<P> {
    [a[0] * a[0], a[1] * a[1]]
}
#[op]
fn swapped<P: Policy<[f64; 2]>>(#[ad_in([r_b[1], r_b[0]])] a: &Either<P>) -> &Either<P> {
    [a[1], a[0]]
}

fn is_storage<K: Kind>() -> bool {
    <K::Policy as Policy<_>>::STORAGE
}
fn keeps<K: Kind>() -> (usize, bool) {
    (K::Encoding::BYTES, K::Encoding::PLAIN)
}
fn twice<K: Kind>(value: Val<K>) -> Option<Val<K>> {
    let mut adjoint = K::Adjoint::unset();
    assert!(adjoint.is_unset());
    value.clone().add_to(&mut adjoint);
    value.add_to(&mut adjoint);
    assert!(!adjoint.is_unset());
    adjoint.into_value()
}

#[test]
fn kinds_have_names_policies_and_zeros() {
    assert_eq!((C64::NAME, Array::NAME), ("C64", "array of numbers"));
    assert!(is_storage::<Array>());
    assert!(!is_storage::<C64>() && !is_storage::<Dual>() && !is_storage::<Fixed<f64, 3>>());
    assert_eq!((keeps::<Pair>(), keeps::<C64>()), ((16, true), (4, false)));
    assert_eq!(C64::zero_like(&complex(1.0, 2.0)), Complex::default());
    assert_eq!(Array::zero_like(&vec![1.0, 2.0]), [0.0, 0.0]);
}

#[test]
fn adjoints_accumulate() {
    assert_eq!(twice::<C64>(complex(1.0, 2.0)), Some(complex(2.0, 4.0)));
    assert_eq!(twice::<Array>(vec![1.0, 2.0]), Some(vec![2.0, 4.0]));
    assert_eq!(twice::<Fixed<f32, 2>>([1.0, 2.0]), Some([2.0, 4.0]));
    assert_eq!(
        twice::<Dual>(Dual { x: 1.0, y: 0.0 }),
        Some(Dual { x: 2.0, y: 0.0 })
    );
    assert_eq!(twice::<Pair>([1.0, -1.0]), Some([2.0, -2.0]));
    assert_eq!(<Option<Vec<f64>> as Adjoint<Array>>::into_value(None), None);
}

#[test]
fn constants_find_their_kind() {
    let z: Active<C64, Plain> = constant(complex(1.0, 2.0)).eval();
    assert_eq!(z.value(), complex(1.0, 2.0));
    let v: Active<Array, Plain> = constant(vec![1.0]).eval();
    assert_eq!(v.get(), &[1.0]);
    let d = lit::<Dual, Plain>(Dual { x: 1.0, y: 2.0 }).eval();
    assert_eq!(d.value().y, 2.0);
    fn is_constant<K: Kind>(_: impl Constant<K>) {}
    is_constant::<Dual>(Dual::default());
    is_constant::<Fixed<f64, 1>>([1.0]);
}

#[test]
fn one_rule_holds_for_both_policies() {
    fn run<P: Policy<[f64; 2]>>() {
        let mut tape = Tape::new();
        let x = tape.input_as::<Either<P>>([3.0, 5.0]);
        let y = tape.record(|| swapped(squares(&x)).eval());
        assert_eq!(y.get(), &[25.0, 9.0]);
        tape.seed(&y, [1.0, 10.0]).unwrap();
        assert_eq!(tape.sweep().unwrap().wrt(&x).unwrap(), [60.0, 10.0]);
        assert!(tape.find_non_finite().is_none());
        let y = tape.record(|| squares(&Active::<Either<P>>::passive([f64::NAN, 0.0])).eval());
        assert!(!y.is_active());
        let x = tape.input_as::<Either<P>>([f64::INFINITY, 0.0]);
        tape.record(|| squares(&x).eval());
        assert!(tape.find_non_finite().is_some());
    }
    run::<index::Linear>();
    run::<index::Owned>();
}
