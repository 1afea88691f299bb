//! Values that are made of real numbers, one after the other.
use std::marker::PhantomData;

/// A value that is made of real numbers: a number, or arrays, vectors, boxes and tuples of such values.
/// [`#[kind(coordinates)]`](macro@crate::kind) takes the [`Coordinates`](crate::check::Coordinates) of a kind from it.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no real coordinates: they are not made of numbers",
    label = "not made of numbers",
    note = "a field may have a kind: `#[kind(parts(field: Kind), coordinates)]`; its coordinates are those of the kind",
    note = "without the key `coordinates`, `impl Coordinates` says what the coordinates of a kind are"
)]
pub trait Numbers {
    /// The relative precision of the least precise number: the distance from 1 to the next larger one.
    const EPSILON: f64;
    /// A value of the same shape, with `f` applied to each number.
    #[must_use]
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self;
}
macro_rules! numbers { ($($T:ident)*) => { $(
    impl Numbers for $T {
        const EPSILON: f64 = $T::EPSILON as f64;
        fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> $T { f((*self).into()) as $T }
    }
)* } }
numbers! { f64 f32 }
impl<T: Numbers, const N: usize> Numbers for [T; N] {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        self.each_ref().map(|x| x.map_numbers(f))
    }
}
impl<T: Numbers> Numbers for Vec<T> {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        self.iter().map(|x| x.map_numbers(f)).collect()
    }
}
impl<T: Numbers> Numbers for Box<T> {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        Box::new((**self).map_numbers(f))
    }
}
impl<T> Numbers for PhantomData<T> {
    const EPSILON: f64 = 0.0;
    fn map_numbers(&self, _: &mut dyn FnMut(f64) -> f64) -> Self {
        PhantomData
    }
}
macro_rules! tuples { ($($($T:ident $i:tt)*;)*) => { $(
    impl<$($T: Numbers),*> Numbers for ($($T,)*) {
        const EPSILON: f64 = coarsest(&[$($T::EPSILON),*]);
        fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self { ($(self.$i.map_numbers(f),)*) }
    }
)* } }
tuples! { A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; }

/// The largest one of several relative precisions.
#[doc(hidden)]
pub const fn coarsest(epsilons: &[f64]) -> f64 {
    let (mut largest, mut i) = (0.0, 0);
    while i < epsilons.len() {
        if epsilons[i] > largest {
            largest = epsilons[i];
        }
        i += 1;
    }
    largest
}
