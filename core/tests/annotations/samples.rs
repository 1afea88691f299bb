//! `sample` of generic operations: which points are tested.
use entape_core::{kind, op, operations, real::Real, store::Stash};
use std::{cell::RefCell, marker::PhantomData};

thread_local! { static POINTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) }; }
fn at<T: std::fmt::Debug>(point: T) -> T {
    POINTS.with_borrow_mut(|points| points.push(format!("{point:?}")));
    point
}

#[kind(value = Vec<T>, index = Owned, coordinates)]
pub struct Array<T: Real>(PhantomData<T>);

fn numbers<T: Real>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::nearest(i as f64 + 0.5)).collect()
}

#[op(
    sample(type T = f32 | f64, for n in [0, 1, 3], for power in [1, 2], v = at(numbers::<T>(n))),
    sample(power = 3, v = vec![1.0, -2.0]),
    sample(type T = #[cfg(any())] NoType | f64, v = numbers::<T>(2), power = 2),
)]
fn powers<T: Real>(
    #[ad_in(v.iter().map(|&x| {
        (1..power).fold(r_b * T::nearest(f64::from(power)), |y, _| y * x)
    }).collect::<Vec<_>>())]
    v: &Array<T>,
    #[ad_passive] power: i32,
) -> T {
    let each = v.iter().map(|&x| (1..power).fold(x, |y, _| y * x));
    each.fold(T::nearest(0.0), |sum, x| sum + x)
}

#[test]
fn points_are_made_for_each_type_and_each_item() {
    powers_arrayt_adjoint_matches_differences();
    let lengths = ["[]", "[0.5]", "[0.5, 1.5, 2.5]"];
    let want = [lengths; 2]
        .into_iter()
        .flatten()
        .flat_map(|point| [point; 2]);
    assert_eq!(POINTS.take(), want.collect::<Vec<_>>());
    powers_arrayt_adjoint_matches_differences_2();
    powers_arrayt_adjoint_matches_differences_3();
}

#[op(sample(for scale in [At(2.0_f64, PhantomData)], x = 0.5))]
fn scaled<U: Real>(#[ad_in(r_b * scale.0.double())] x: f64, #[ad_passive] scale: At<U>) -> f64 {
    x * scale.0.double()
}
#[derive(Clone, Copy, Debug, Stash)]
pub struct At<U>(U, PhantomData<U>);

#[operations(ext = ArrayOps)]
impl<T: Real> Array<T> {
    #[op(sample(type T = f64 | f32, for n in [0, 2], v = numbers::<T>(n), x = T::nearest(1.5)))]
    fn times(
        #[ad_in(r_b.iter().map(|&r_b| r_b * x).collect::<Vec<_>>())] v: &Self,
        #[ad_in(v.iter().zip(r_b).fold(T::nearest(0.0), |sum, (&v, &r_b)| sum + v * r_b))] x: T,
    ) -> &Self {
        v.iter().map(|&v| v * x).collect()
    }
}
