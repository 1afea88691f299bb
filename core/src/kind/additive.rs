//! Values made of numbers, with derived sums and zeros.
use std::{marker::PhantomData, ops::AddAssign};

/// A value made of numbers, from which [`#[kind]`](macro@crate::kind) derives `add` and `zero`. `#[kind]` implements it field by
/// field for a struct that is its own value.
///
/// ```
/// use entape_core::kind::Additive;
///
/// let mut sum = (vec![1.0, 2.0], [3.0]);
/// sum.add_all((vec![10.0, 20.0], [30.0]));
/// assert_eq!(sum, (vec![11.0, 22.0], [33.0]));
/// assert_eq!(sum.zeroed(), (vec![0.0, 0.0], [0.0]));
/// ```
/// Vectors of different lengths cannot be added:
/// ```should_panic
/// # use entape_core::kind::Additive;
/// vec![1.0, 2.0].add_all(vec![1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` cannot be added: they do not consist of numbers",
    label = "does not consist of numbers",
    note = "declare the sum with `#[kind(add = |into, from| ..)]`, and for a storage kind the zero with the shape of `like`: `zero = |like| ..`",
    note = "declare the kind of a field to use its sum: `#[kind(parts(field: Kind))]`",
    note = "omit fields without derivatives from `#[kind(numbers(x, y))]`"
)]
pub trait Additive {
    /// Returns the zero with the shape of this value.
    #[must_use]
    fn zeroed(&self) -> Self;
    /// `self += from`.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    fn add_all(&mut self, from: Self);
    /// Whether all values have one shape.
    const ONE_SHAPE: bool = false;
    /// Returns whether two values have equal shapes.
    #[inline]
    fn same_shape(&self, other: &Self) -> bool {
        let _ = other;
        true
    }
    /// Returns the shape for messages.
    fn shape_text(&self) -> String {
        String::from("()")
    }
    /// Passes each number to `f` for changes, and returns whether the numbers are known.
    fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool {
        let _ = f;
        false
    }
}

for_reals! { $T =>
    impl Additive for $T {
        const ONE_SHAPE: bool = true;
        #[inline(always)]
        fn zeroed(&self) -> $T { 0.0 }
        #[inline(always)]
        fn add_all(&mut self, from: $T) { *self += from }
        fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool {
            let mut x = f64::from(*self);
            f(&mut x);
            *self = x as $T;
            true
        }
    }
}

#[inline]
fn same_shapes<T: Additive>(x: &[T], y: &[T]) -> bool {
    T::ONE_SHAPE || x.iter().zip(y).all(|(x, y)| x.same_shape(y))
}
fn shape_texts<T: Additive>(x: &[T]) -> String {
    let each: Vec<_> = x.iter().map(T::shape_text).collect();
    format!("[{}]", each.join(", "))
}
impl<T: Additive, const N: usize> Additive for [T; N] {
    const ONE_SHAPE: bool = T::ONE_SHAPE;
    #[inline]
    fn same_shape(&self, other: &Self) -> bool {
        same_shapes(self, other)
    }
    fn shape_text(&self) -> String {
        match T::ONE_SHAPE {
            true => String::from("()"),
            false => shape_texts(self),
        }
    }
    #[inline]
    fn zeroed(&self) -> Self {
        self.each_ref().map(T::zeroed)
    }
    #[inline]
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        self.iter_mut().zip(from).for_each(|(x, y)| x.add_all(y));
    }
    fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool {
        self.iter_mut().all(|x| x.each_number(f))
    }
}
impl<T: Additive> Additive for Vec<T> {
    #[inline]
    fn same_shape(&self, other: &Self) -> bool {
        self.len() == other.len() && same_shapes(self, other)
    }
    fn shape_text(&self) -> String {
        match T::ONE_SHAPE {
            true => self.len().to_string(),
            false => shape_texts(self),
        }
    }
    fn zeroed(&self) -> Self {
        self.iter().map(T::zeroed).collect()
    }
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        assert!(
            self.len() == from.len(),
            "a vector of length {} cannot be added to one of length {}: correct the adjoint formula or the `zero`, so that an adjoint has the \
             shape of its value",
            from.len(),
            self.len()
        );
        self.iter_mut().zip(from).for_each(|(x, y)| x.add_all(y));
    }
    fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool {
        self.iter_mut().all(|x| x.each_number(f))
    }
}
impl<T: Additive> Additive for Box<T> {
    const ONE_SHAPE: bool = T::ONE_SHAPE;
    fn same_shape(&self, other: &Self) -> bool {
        (**self).same_shape(other)
    }
    fn shape_text(&self) -> String {
        (**self).shape_text()
    }
    fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool {
        (**self).each_number(f)
    }
    fn zeroed(&self) -> Self {
        Box::new((**self).zeroed())
    }
    #[track_caller]
    fn add_all(&mut self, from: Self) {
        (**self).add_all(*from);
    }
}
impl<T> Additive for PhantomData<T> {
    const ONE_SHAPE: bool = true;
    fn zeroed(&self) -> Self {
        PhantomData
    }
    fn add_all(&mut self, _: Self) {}
    fn each_number(&mut self, _: &mut dyn FnMut(&mut f64)) -> bool {
        true
    }
}
macro_rules! tuples { ($($($T:ident $i:tt)*;)*) => { $(
    impl<$($T: Additive),*> Additive for ($($T,)*) {
        #[inline]
        fn zeroed(&self) -> Self { ($(self.$i.zeroed(),)*) }
        #[inline]
        #[track_caller]
        fn add_all(&mut self, from: Self) { $(self.$i.add_all(from.$i);)* }
        const ONE_SHAPE: bool = true $(&& $T::ONE_SHAPE)*;
        #[inline]
        fn same_shape(&self, other: &Self) -> bool { true $(&& self.$i.same_shape(&other.$i))* }
        fn shape_text(&self) -> String {
            let each = [$(self.$i.shape_text()),*];
            format!("({})", each.join(", "))
        }
        fn each_number(&mut self, f: &mut dyn FnMut(&mut f64)) -> bool { true $(& self.$i.each_number(f))* }
    }
)* } }
tuples! { A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; }

/// Adds by [`Additive`] or else by `+=`: `add` on `&&&Adding` takes the first method that applies, because a foreign
/// type might implement both.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Adding<V>(pub PhantomData<V>);
#[doc(hidden)]
pub trait ByNumbers<V> {
    fn add(&self, into: &mut V, from: V);
    fn same_shape(&self, a: &V, b: &V) -> bool;
    fn shape_text(&self, value: &V) -> String;
}
impl<V: Additive> ByNumbers<V> for &&Adding<V> {
    #[inline(always)]
    fn add(&self, into: &mut V, from: V) {
        into.add_all(from);
    }
    #[inline(always)]
    fn same_shape(&self, a: &V, b: &V) -> bool {
        V::same_shape(a, b)
    }
    fn shape_text(&self, value: &V) -> String {
        value.shape_text()
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
#[doc(hidden)]
pub trait ByNothing<V> {
    fn add(&self, into: &mut V, from: V)
    where
        V: Additive;
    fn same_shape(&self, _: &V, _: &V) -> bool {
        true
    }
    fn shape_text(&self, _: &V) -> String {
        String::from("()")
    }
}
impl<V> ByNothing<V> for Adding<V> {
    fn add(&self, into: &mut V, from: V)
    where
        V: Additive,
    {
        into.add_all(from);
    }
}
