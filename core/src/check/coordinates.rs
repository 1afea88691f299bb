//! Values as lists of real numbers.
use crate::kind::{Kind, Policy, Val, index};

/// A kind whose values consist of real numbers: what finite differences and Jacobians walk along.
///
/// The order of the coordinates is free but fixed, and adjoints have the same one: the sum of
/// `adjoint[i] * change[i]` is the change of the output. With the conventions of entape a complex number
/// is thus `[re, im]` and a matrix the list of its entries. A DSL implements this for its kinds and
/// gains the rule-test kit and [`jacobian`](crate::driver::jacobian).
///
/// ```
/// use entape_core::{check::Coordinates, kind, kind::Kind};
///
/// #[kind(value = [f64; 2], plain, add = |into, [x, y]| *into = [into[0] + x, into[1] + y])]
/// struct Pair;
///
/// impl Coordinates for Pair {
///     fn coordinates(value: &[f64; 2], into: &mut Vec<f64>) {
///         into.extend(value);
///     }
///     fn from_coordinates(_like: &[f64; 2], from: &mut &[f64]) -> [f64; 2] {
///         [f64::from_coordinates(&0.0, from), f64::from_coordinates(&0.0, from)]
///     }
/// }
/// let mut x = Vec::new();
/// Pair::coordinates(&[1.0, 2.0], &mut x);
/// assert_eq!(Pair::from_coordinates(&[0.0, 0.0], &mut &x[..]), [1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the values of kind `{Self}` have no real coordinates",
    note = "implement `entape::check::Coordinates` for the kind"
)]
pub trait Coordinates: Kind<Policy: Lent> {
    /// The relative precision of one coordinate.
    const EPSILON: f64 = f64::EPSILON;
    /// Appends the coordinates of `value`.
    fn coordinates(value: &Val<Self>, into: &mut Vec<f64>);
    /// The value with the shape of `like` whose coordinates are the first of `from`, which are taken
    /// off its front.
    fn from_coordinates(like: &Val<Self>, from: &mut &[f64]) -> Val<Self>;
}

/// Takes one number off the front of a list, for implementations of
/// [`from_coordinates`](Coordinates::from_coordinates).
///
/// ```
/// let mut list = &[1.0, 2.0][..];
/// assert_eq!(entape_core::check::take(&mut list), 1.0);
/// assert_eq!(list, [2.0]);
/// ```
///
/// # Panics
/// If the list is empty.
pub fn take(from: &mut &[f64]) -> f64 {
    let (first, rest) = from.split_first().expect("one number for each coordinate");
    *from = rest;
    *first
}

/// What a rule receives, by reference.
pub trait Lent: Policy {
    #[doc(hidden)]
    fn lent<'a, V: Clone + 'static>(arg: &'a Self::Arg<'_, V>) -> &'a V;
}
impl Lent for index::Linear {
    fn lent<V: Clone + 'static>(arg: &V) -> &V {
        arg
    }
}
impl Lent for index::Reuse {
    fn lent<'a, V: Clone + 'static>(arg: &'a &V) -> &'a V {
        arg
    }
}

/// The coordinates of one value.
pub(crate) fn of<K: Coordinates>(value: &Val<K>) -> Vec<f64> {
    let mut list = Vec::new();
    K::coordinates(value, &mut list);
    list
}

impl Coordinates for f64 {
    fn coordinates(value: &f64, into: &mut Vec<f64>) {
        into.push(*value);
    }
    fn from_coordinates(_: &f64, from: &mut &[f64]) -> f64 {
        take(from)
    }
}
impl Coordinates for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn coordinates(value: &f32, into: &mut Vec<f64>) {
        into.push((*value).into());
    }
    fn from_coordinates(_: &f32, from: &mut &[f64]) -> f32 {
        take(from) as f32
    }
}
/// The argument that is not there.
impl Coordinates for () {
    fn coordinates((): &(), _: &mut Vec<f64>) {}
    fn from_coordinates((): &(), _: &mut &[f64]) {}
}
