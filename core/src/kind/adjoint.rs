//! Accumulators of adjoints, and contributions to them.
use super::{
    definition::{Arg, Kind, Val, arg},
    layout::{Layout, Shape},
    memory::Memory,
};
use crate::names::short;
use std::{fmt, marker::PhantomData};

/// The adjoint of one entity during a sweep.
///
/// An adjoint to which nothing was added is *unset*: a zero for which the sweep skips the statement. If terms add up to
/// zero, the product with an infinite partial derivative is NaN instead.
///
/// A number is unset while it is `-0.0`: `-0.0 + x` is `x`, and a term is added as `x + 0.0`, which is never `-0.0`.
/// Each number of arrays and lanes is unset separately. Formulas add [computed](Kind::computed) numbers, elementwise
/// operations [passed](Passed) ones.
pub trait Adjoint<K: Kind>: Clone + 'static {
    /// Returns the unset adjoint.
    #[must_use]
    fn unset() -> Self;
    /// Returns the adjoint with the term `value`.
    #[inline(always)]
    #[must_use]
    fn from_term(value: Val<K>) -> Self {
        let mut adjoint = Self::unset();
        adjoint.add(value);
        adjoint
    }
    /// Like `from_term`, for a [passed](Passed) value.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn from_passed(value: Val<K>) -> Self {
        Self::from_term(value)
    }
    /// Unsets the adjoint; its memory may be kept.
    #[inline(always)]
    fn reset(&mut self) {
        *self = Self::unset();
    }
    /// Returns the adjoint and leaves the unset one.
    #[inline(always)]
    #[must_use]
    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::unset())
    }
    /// Returns whether nothing was added.
    fn is_unset(&self) -> bool;
    /// Adds the terms of `other`.
    #[inline(always)]
    fn merge(&mut self, other: Self) {
        if !other.is_unset()
            && let Some(value) = other.into_value()
        {
            self.add(value);
        }
    }
    /// Returns the value, or `None` if the adjoint is unset and its shape unknown.
    fn into_value(self) -> Option<Val<K>>;
    /// Returns the value with zeros for unset numbers.
    fn into_gradient(self) -> Option<Val<K>> {
        self.into_value()
    }
    /// Returns the value for a sweep of another tape: only unset numbers are `-0.0`.
    #[doc(hidden)]
    fn into_marked(self) -> Option<Val<K>> {
        let mut value = self.into_value()?;
        if K::is_unset_tangent(&value) {
            K::mark_zeros(&mut value, true);
        }
        Some(value)
    }
    /// Returns the value; `like` provides the zero of an unset adjoint.
    #[inline(always)]
    fn value_or_zero(self, like: impl FnOnce() -> Val<K>) -> Val<K> {
        self.into_value().unwrap_or_else(|| K::zero_like(&like()))
    }
    /// `self += value`.
    fn add(&mut self, value: Val<K>);
    /// Returns the value for changes in place; `zero` replaces an unset one.
    fn value_mut(&mut self, zero: impl FnOnce() -> Val<K>) -> &mut Val<K>;
}

/// Returns the unset adjoint of kind `K`.
#[inline(always)]
#[must_use]
pub fn unset<K: Kind>() -> K::Adjoint {
    K::Adjoint::unset()
}
/// Returns whether an adjoint of kind `K` is unset.
#[inline(always)]
pub fn is_unset<K: Kind>(adjoint: &K::Adjoint) -> bool {
    adjoint.is_unset()
}

/// A contribution to an adjoint of kind `K`: a value, a scaled value, an element, an outer product, or a custom type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to an adjoint of kind `{K}`",
    note = "return a value of the argument's kind, or a `Contribution` to it, from the adjoint formula"
)]
pub trait Contribution<K: Kind> {
    /// Adds this to `adjoint`.
    fn add_to(self, adjoint: &mut K::Adjoint);
    /// Returns the value for an inner expression.
    fn materialise(self) -> Val<K>;
    /// Returns false if the shape is known to differ from the shape of `like`.
    #[inline(always)]
    fn fits(&self, like: &Val<K>) -> bool {
        let _ = like;
        true
    }
    /// Returns the shape for messages.
    fn given_shape(&self) -> String {
        String::from("unknown")
    }
    /// Returns whether the adjoint is known to stay unset.
    #[doc(hidden)]
    #[inline(always)]
    fn adds_nothing(&self) -> bool {
        false
    }
    #[doc(hidden)]
    const ORIGIN: Origin = Origin::UNKNOWN;
    /// Passes the value, by reference if possible, to an inner expression.
    #[inline(always)]
    fn hand_to(self, inner: impl FnOnce(Incoming<'_, K>))
    where
        Self: Sized,
    {
        inner(Incoming::owned(self.materialise()));
    }
}

/// An adjoint passed on by element: unset numbers stay unset, instead of being [computed](Kind::computed).
#[derive(Clone, Copy, Debug)]
pub struct Passed<V>(pub V);
impl<K: Kind> Contribution<K> for Passed<Val<K>> {
    #[inline(always)]
    fn add_to(self, adjoint: &mut K::Adjoint) {
        adjoint.add(self.0);
    }
    #[inline(always)]
    fn materialise(self) -> Val<K> {
        self.0
    }
    #[inline(always)]
    fn fits(&self, like: &Val<K>) -> bool {
        K::same_shape(&self.0, like)
    }
    fn given_shape(&self) -> String {
        K::shape_text(&self.0)
    }
}

/// A number, or a sum of numbers, passed on. An unset one adds nothing; [`Passed`] adds a computed zero.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PassedNumber<V>(pub V);
impl<K: Kind<Value: Copy>> Contribution<K> for PassedNumber<Val<K>> {
    #[inline(always)]
    fn add_to(self, adjoint: &mut K::Adjoint) {
        adjoint.merge(K::Adjoint::from_passed(self.0));
    }
    #[inline(always)]
    fn materialise(self) -> Val<K> {
        self.0
    }
    #[inline(always)]
    fn adds_nothing(&self) -> bool {
        K::is_unset_tangent(&self.0)
    }
}

impl<K: Kind> Adjoint<K> for Option<Val<K>> {
    fn unset() -> Self {
        None
    }
    fn is_unset(&self) -> bool {
        self.is_none()
    }
    fn into_value(self) -> Option<Val<K>> {
        self
    }
    fn add(&mut self, value: Val<K>) {
        match self {
            Some(sum) => {
                if !K::same_shape(sum, &value) {
                    misfit_from::<K>(Origin::UNKNOWN, &value, sum);
                }
                K::accumulate(sum, value);
            }
            None => *self = Some(value),
        }
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> Val<K>) -> &mut Val<K> {
        self.get_or_insert_with(zero)
    }
}

/// The rule and argument of a contribution's formula, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Origin(Option<Formula>);
type Formula = (fn() -> &'static str, usize);
impl Origin {
    pub(crate) const UNKNOWN: Self = Origin(None);
    pub(crate) const fn of<O>(i: usize) -> Self {
        Origin(Some((std::any::type_name::<O>, i)))
    }
}
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some((rule, i)) => {
                let argument = ["first", "second", "third"][i];
                write!(
                    f,
                    " of {} with respect to its {argument} argument",
                    short(rule())
                )
            }
        }
    }
}
pub(crate) struct By<O, const I: usize, C>(C, PhantomData<O>);
impl<O, const I: usize, C> By<O, I, C> {
    #[inline(always)]
    pub(crate) fn new(contribution: C) -> Self {
        By(contribution, PhantomData)
    }
}
impl<K: Kind, O, const I: usize, C: Contribution<K>> Contribution<K> for By<O, I, C> {
    const ORIGIN: Origin = Origin::of::<O>(I);
    #[inline(always)]
    fn add_to(self, adjoint: &mut K::Adjoint) {
        self.0.add_to(adjoint);
    }
    #[inline(always)]
    fn materialise(self) -> Val<K> {
        self.0.materialise()
    }
    #[inline(always)]
    fn hand_to(self, inner: impl FnOnce(Incoming<'_, K>)) {
        self.0.hand_to(inner);
    }
    #[inline(always)]
    fn fits(&self, like: &Val<K>) -> bool {
        self.0.fits(like)
    }
    #[inline(always)]
    fn given_shape(&self) -> String {
        self.0.given_shape()
    }
}
#[inline(always)] // a call would keep the contribution in memory
#[track_caller]
pub(crate) fn misfit<K: Kind, C: Contribution<K>>(contribution: &C, like: &Val<K>) -> ! {
    other_shape::<K>(C::ORIGIN, &contribution.given_shape(), like)
}
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn misfit_from<K: Kind>(origin: Origin, value: &Val<K>, like: &Val<K>) -> ! {
    other_shape::<K>(origin, &K::shape_text(value), like)
}
#[doc(hidden)]
#[inline(always)]
#[track_caller]
pub fn assert_like<K: Kind>(what: &str, given: &Val<K>, value: &Val<K>) {
    if !K::same_shape(given, value) {
        unlike::<K>(what, given, value);
    }
}
#[cold]
#[inline(never)]
#[track_caller]
fn unlike<K: Kind>(what: &str, given: &Val<K>, value: &Val<K>) -> ! {
    panic!(
        "a {what} of shape {} does not fit a variable of kind {} and shape {needed}: pass one of shape {needed}",
        K::shape_text(given),
        K::NAME,
        needed = K::shape_text(value)
    )
}
#[inline(always)]
#[track_caller]
pub(crate) fn assert_shape<K: Kind>(given: Shape<K>, value: &Val<K>) {
    if given != K::Layout::shape(value) {
        other_shape::<K>(Origin::UNKNOWN, &format!("{given:?}"), value);
    }
}
#[cold]
#[inline(never)]
#[track_caller]
fn other_shape<K: Kind>(origin: Origin, given: &str, like: &Val<K>) -> ! {
    panic!("{}", shape_message::<K>(origin, given, like))
}
fn shape_message<K: Kind>(origin: Origin, given: &str, like: &Val<K>) -> String {
    format!(
        "the adjoint{origin} has shape {given}, but its value of kind {} has shape {}: correct the formula, so that both shapes are equal",
        K::NAME,
        K::shape_text(like)
    )
}
pub(crate) fn misfit_text<K: Kind>(origin: Origin, value: &Val<K>, like: &Val<K>) -> String {
    shape_message::<K>(origin, &K::shape_text(value), like)
}

/// The adjoint that a formula receives. An owned one can be changed and moved into a sink.
pub struct Incoming<'a, K: Kind>(Source<'a, K>);
debug_by_name! { ['a, K: Kind] Incoming<'a, K> }
enum Source<'a, K: Kind> {
    Borrowed(&'a Val<K>),
    Owned(Val<K>),
    Taken,
}
impl<'a, K: Kind> Incoming<'a, K> {
    /// Wraps a borrowed adjoint.
    #[inline(always)]
    pub fn borrowed(r_b: &'a Val<K>) -> Self {
        Incoming(Source::Borrowed(r_b))
    }
    /// Wraps an owned adjoint.
    #[inline(always)]
    pub fn owned(r_b: Val<K>) -> Self {
        Incoming(Source::Owned(r_b))
    }
    /// Returns the adjoint.
    #[inline(always)]
    pub fn get(&self) -> Arg<'_, K> {
        match &self.0 {
            Source::Borrowed(r_b) => arg::<K>(r_b),
            Source::Owned(r_b) => arg::<K>(r_b),
            Source::Taken => unreachable!("`take` consumes the adjoint"),
        }
    }
    /// Returns the adjoint by value.
    ///
    /// # Errors
    /// Returns the adjoint itself if it is borrowed.
    #[inline(always)]
    pub fn take(mut self) -> Result<Val<K>, Self> {
        match std::mem::replace(&mut self.0, Source::Taken) {
            Source::Owned(r_b) => Ok(r_b),
            borrowed => Err(Incoming(borrowed)),
        }
    }
}
impl<K: Kind> Drop for Incoming<'_, K> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Source::Owned(r_b) = &mut self.0 {
            K::Memory::recycle(r_b);
        }
    }
}
