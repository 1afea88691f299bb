//! Numbers with tangents, and the tangents of elementary functions.
use super::{Elementwise, Lane};
use crate::lane_operators;
use std::array::from_fn;

/// A number and its tangents along `N` directions: what elementary functions compute with, if the derivative of a
/// formula is asked for. The formula of an adjoint, applied to it, gives the adjoint and its tangents.
///
/// ```
/// use entape_core::{elementwise::{Dual, Elementwise, Lane}, op};
///
/// // the adjoint of ln x is r_b / x, and the derivative of that -r_b / x²
/// let x = Dual { value: 2.0, tangents: [1.0] };
/// let x_b = Elementwise::adjoint(&op::Ln, 0, [x], x.zero(), x.splat(3.0));
/// assert_eq!((x_b.value, x_b.tangents), (1.5, [-0.75]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<L, const N: usize> {
    /// The number.
    pub value: L,
    /// Its tangents.
    pub tangents: [L; N],
}
impl<L, const N: usize> Dual<L, N> {
    /// The same in another type.
    #[inline(always)]
    pub(crate) fn convert<T>(self, f: impl Fn(L) -> T) -> Dual<T, N> {
        Dual {
            value: f(self.value),
            tangents: self.tangents.map(f),
        }
    }
}
impl<L: Copy, const N: usize> Dual<L, N> {
    /// A number with the tangents that `f` makes of those of `self`.
    #[inline(always)]
    pub(crate) fn map(self, value: L, f: impl Fn(L) -> L) -> Self {
        let tangents = self.tangents.map(f);
        Dual { value, tangents }
    }
    /// A number with the tangents that `f` makes of those of `self` and `other`.
    #[inline(always)]
    pub(crate) fn zip(self, other: Self, value: L, f: impl Fn(L, L) -> L) -> Self {
        let tangents = from_fn(|j| f(self.tangents[j], other.tangents[j]));
        Dual { value, tangents }
    }
}
lane_operators! { |x, y| impl[L: Lane, const N: usize] Dual<L, N> {
    add: x.zip(y, x.value + y.value, |x_t, y_t| x_t + y_t),
    sub: x.zip(y, x.value - y.value, |x_t, y_t| x_t - y_t),
    mul: x.zip(y, x.value * y.value, |x_t, y_t| x_t * y.value + x.value * y_t),
    div: {
        let r = x.value / y.value;
        x.zip(y, r, |x_t, y_t| (x_t - r * y_t) / y.value)
    },
    neg: x.map(-x.value, |x_t| -x_t),
} }

/// The tangents of the result `r` of an elementary function, from those of its arguments. What `x` and `r` have where
/// no adjoint reads it is unspecified.
#[inline(always)]
pub fn tangents_of<L: Lane, const I: usize, const N: usize>(
    op: &impl Elementwise<I>,
    x: [L; I],
    r: L,
    tangents: [Option<[L; N]>; I],
) -> [L; N] {
    sum_of_terms(op, r.one(), tangents, |i, one| op.adjoint(i, x, r, one))
}
/// The sum of the partial derivatives, each times the tangents of its argument. The derivative with respect to argument
/// `i` is `partial(i, one)`.
#[inline(always)]
pub(crate) fn sum_of_terms<L: Lane, O: Elementwise<I>, const I: usize, const N: usize>(
    _: &O,
    one: L,
    tangents: [Option<[L; N]>; I],
    partial: impl Fn(usize, L) -> L,
) -> [L; N] {
    let mut sum: Option<[L; N]> = None;
    for (i, x_t) in tangents.into_iter().enumerate() {
        let Some(x_t) = x_t.filter(|_| O::FLOWS[i]) else {
            continue;
        };
        let term = partial(i, one).times_tangents(x_t);
        sum = Some(match sum {
            Some(sum) => from_fn(|j| sum[j] + term[j]),
            None => term,
        });
    }
    sum.unwrap_or([one.zero(); N])
}
