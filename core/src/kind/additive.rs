//! Values that are made of numbers: their sums and zeros follow from the numbers and need not be written by hand.
use std::{marker::PhantomData, ops::AddAssign};

/// A value that is made of numbers, from which [`#[kind]`](macro@crate::kind) takes the sum and the zero of adjoints
/// unless `add` and `zero` are given. Numbers, and arrays, vectors and tuples of them, implement it; `#[kind]`
/// implements it field by field for a struct that is its own value.
///
/// ```
/// use entape_core::kind::Additive;
///
/// let mut sum = (vec![1.0, 2.0], [3.0]);
/// sum.add_all((vec![10.0, 20.0], [30.0]));
/// assert_eq!(sum, (vec![11.0, 22.0], [33.0]));
/// assert_eq!(sum.zeroed(), (vec![0.0, 0.0], [0.0]));
/// ```
/// Vectors of different lengths have no sum:
/// ```should_panic
/// # use entape_core::kind::Additive;
/// vec![1.0, 2.0].add_all(vec![1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` can't be added up: they are not made of numbers",
    label = "not made of numbers",
    note = "`#[kind(add = |into, from| ..)]` says how `from` is added to `into`, and for a storage kind `zero = |like| ..` what the zero \
            of the shape of `like` is",
    note = "a field may have a kind: `#[kind(parts(field: Kind))]`; its values are added as the kind says",
    note = "a field that has no derivative is left out of `#[kind(numbers(x, y))]`"
)]
pub trait Additive {
    /// The zero of the same shape.
    #[must_use]
    fn zeroed(&self) -> Self;
    /// `self += from`, number by number.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    fn add_all(&mut self, from: Self);
}

macro_rules! numbers { ($($T:ident)*) => { $(
    impl Additive for $T {
        #[inline(always)]
        fn zeroed(&self) -> $T { 0.0 }
        #[inline(always)]
        fn add_all(&mut self, from: $T) { *self += from }
    }
)* } }
numbers! { f64 f32 }

impl<T: Additive, const N: usize> Additive for [T; N] {
    #[inline]
    fn zeroed(&self) -> Self {
        self.each_ref().map(T::zeroed)
    }
    #[inline]
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        self.iter_mut().zip(from).for_each(|(x, y)| x.add_all(y));
    }
}
impl<T: Additive> Additive for Vec<T> {
    fn zeroed(&self) -> Self {
        self.iter().map(T::zeroed).collect()
    }
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        assert!(
            self.len() == from.len(),
            "a vector of length {} is added to one of length {}: an adjoint has the shape of its value, see to the formula or the \
             `zero` that it comes from",
            from.len(),
            self.len()
        );
        self.iter_mut().zip(from).for_each(|(x, y)| x.add_all(y));
    }
}
impl<T: Additive> Additive for Box<T> {
    fn zeroed(&self) -> Self {
        Box::new((**self).zeroed())
    }
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        (**self).add_all(*from);
    }
}
impl<T> Additive for PhantomData<T> {
    fn zeroed(&self) -> Self {
        PhantomData
    }
    fn add_all(&mut self, _: Self) {}
}
macro_rules! tuples { ($($($T:ident $i:tt)*;)*) => { $(
    impl<$($T: Additive),*> Additive for ($($T,)*) {
        #[inline]
        fn zeroed(&self) -> Self { ($(self.$i.zeroed(),)*) }
        #[inline]
        #[track_caller]
        fn add_all(&mut self, from: Self) { $(self.$i.add_all(from.$i);)* }
    }
)* } }
tuples! { A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; }

/// Adds values as [`Additive`] says, or else by `+=`: a call of `add` on `&&&Adding` takes the first method that
/// applies. Trait bounds could not make this choice, as a foreign type might implement both one day.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Adding<V>(pub PhantomData<V>);
#[doc(hidden)]
pub trait ByNumbers<V> {
    fn add(&self, into: &mut V, from: V);
}
impl<V: Additive> ByNumbers<V> for &&Adding<V> {
    #[inline(always)]
    fn add(&self, into: &mut V, from: V) {
        into.add_all(from);
    }
}
#[doc(hidden)]
pub trait ByOperator<V> {
    fn add(&self, into: &mut V, from: V);
}
impl<V: AddAssign> ByOperator<V> for &Adding<V> {
    #[inline(always)]
    fn add(&self, into: &mut V, from: V) {
        *into += from;
    }
}
/// Exists for the message of its bound.
#[doc(hidden)]
pub trait ByNothing<V> {
    fn add(&self, into: &mut V, from: V)
    where
        V: Additive;
}
impl<V> ByNothing<V> for Adding<V> {
    fn add(&self, into: &mut V, from: V)
    where
        V: Additive,
    {
        into.add_all(from);
    }
}
