use std::marker::PhantomData;

/// A value made of real numbers, from which [`#[kind(coordinates)]`](macro@crate::kind) derives
/// [`Coordinates`](crate::coordinates::Coordinates).
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no real coordinates: they do not consist of numbers",
    label = "does not consist of numbers",
    note = "declare the kind of a field to use its coordinates: `#[kind(parts(field: Kind), coordinates)]`",
    note = "omit fields that are not numbers from `numbers(..)`; they are passive",
    note = "to define other coordinates, remove the key `coordinates` and implement `Coordinates`"
)]
pub trait Numbers: Sized {
    /// The machine epsilon of the least precise number.
    const EPSILON: f64;
    /// Applies `f` to each number.
    #[must_use]
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self;
    /// Returns whether `test` holds for each number.
    #[inline]
    fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool {
        let mut all = true;
        let _ = self.map_numbers(&mut |x| {
            all &= test(x);
            x
        });
        all
    }
    /// Returns the sum of products of corresponding numbers.
    ///
    /// # Panics
    /// If the shapes differ.
    #[inline]
    #[track_caller]
    fn inner_product(&self, other: &Self) -> f64 {
        let (mut mine, mut others) = (Vec::new(), Vec::new());
        for (value, list) in [(self, &mut mine), (other, &mut others)] {
            let _ = value.map_numbers(&mut |x| {
                list.push(x);
                x
            });
        }
        assert_shapes(mine.len(), others.len());
        mine.iter().zip(&others).map(|(x, y)| x * y).sum()
    }
}
#[track_caller]
fn assert_shapes(mine: usize, other: usize) {
    assert!(
        mine == other,
        "an inner product needs values of the same shape, but they have {mine} and {other} elements: correct the adjoint formula"
    );
}
for_reals! { $T =>
    impl Numbers for $T {
        const EPSILON: f64 = $T::EPSILON as f64;
        fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> $T { f((*self).into()) as $T }
        #[inline(always)]
        fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool { test((*self).into()) }
        #[inline(always)]
        fn inner_product(&self, other: &Self) -> f64 { f64::from(*self) * f64::from(*other) }
    }
}
impl<T: Numbers, const N: usize> Numbers for [T; N] {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        self.each_ref().map(|x| x.map_numbers(f))
    }
    #[inline]
    fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool {
        self.iter().all(|x| x.all_numbers(test))
    }
    #[inline]
    #[track_caller]
    fn inner_product(&self, other: &Self) -> f64 {
        self.iter()
            .zip(other)
            .map(|(x, y)| x.inner_product(y))
            .sum()
    }
}
impl<T: Numbers> Numbers for Vec<T> {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        self.iter().map(|x| x.map_numbers(f)).collect()
    }
    fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool {
        self.iter().all(|x| x.all_numbers(test))
    }
    #[track_caller]
    fn inner_product(&self, other: &Self) -> f64 {
        assert_shapes(self.len(), other.len());
        self.iter()
            .zip(other)
            .map(|(x, y)| x.inner_product(y))
            .sum()
    }
}
impl<T: Numbers> Numbers for Box<T> {
    const EPSILON: f64 = T::EPSILON;
    fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self {
        Box::new((**self).map_numbers(f))
    }
    fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool {
        (**self).all_numbers(test)
    }
    #[track_caller]
    fn inner_product(&self, other: &Self) -> f64 {
        (**self).inner_product(other)
    }
}
impl<T> Numbers for PhantomData<T> {
    const EPSILON: f64 = 0.0;
    fn map_numbers(&self, _: &mut dyn FnMut(f64) -> f64) -> Self {
        PhantomData
    }
    fn all_numbers(&self, _: impl Fn(f64) -> bool + Copy) -> bool {
        true
    }
    fn inner_product(&self, _: &Self) -> f64 {
        0.0
    }
}
macro_rules! tuples { ($($($T:ident $i:tt)*;)*) => { $(
    impl<$($T: Numbers),*> Numbers for ($($T,)*) {
        const EPSILON: f64 = coarsest(&[$($T::EPSILON),*]);
        fn map_numbers(&self, f: &mut dyn FnMut(f64) -> f64) -> Self { ($(self.$i.map_numbers(f),)*) }
        #[inline]
        fn all_numbers(&self, test: impl Fn(f64) -> bool + Copy) -> bool { $(self.$i.all_numbers(test))&&* }
        #[inline]
        #[track_caller]
        fn inner_product(&self, other: &Self) -> f64 { 0.0 $(+ self.$i.inner_product(&other.$i))* }
    }
)* } }
tuples! { A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; }

#[doc(hidden)]
pub const fn epsilon_of<V, N: Numbers>(_: fn(&V) -> &N) -> f64 {
    N::EPSILON
}

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
