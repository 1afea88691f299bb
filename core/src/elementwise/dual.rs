//! Numbers with tangents, and the tangents of elementary functions.
use super::{
    Elementwise,
    lane::{Lane, each},
};
use crate::repeat::array_of;

/// A number with tangents, with which the formula of an adjoint also returns the adjoint's tangents.
///
/// ```
/// use entape_core::{elementwise::{Dual, Elementwise, Lane}, op};
///
/// // The adjoint of ln x is r_b / x, and the derivative of the adjoint is -r_b / x².
/// let x = Dual { value: 2.0, tangents: [1.0] };
/// let x_b = Elementwise::adjoint(&op::Ln, 0, [x], x.zero(), x.splat(3.0));
/// assert_eq!((x_b.value, x_b.tangents), (1.5, [-0.75]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<L, const N: usize> {
    /// The number.
    pub value: L,
    /// The tangents.
    pub tangents: [L; N],
}
impl<L: Clone, const N: usize> Dual<L, N> {
    #[inline(always)]
    pub(crate) fn convert<T: Copy>(self, f: impl Fn(L) -> T) -> Dual<T, N> {
        let tangents = each(&self.tangents, &f);
        let value = f(self.value);
        Dual { value, tangents }
    }
}
impl<L: Copy, const N: usize> Dual<L, N> {
    #[inline(always)]
    pub(crate) fn map(self, value: L, f: impl Fn(L) -> L) -> Self {
        let tangents = each(&self.tangents, f);
        Dual { value, tangents }
    }
    #[inline(always)]
    pub(crate) fn zip(self, other: Self, value: L, f: impl Fn(L, L) -> L) -> Self {
        let tangents = array_of(
            #[inline(always)]
            |j| f(self.tangents[j], other.tangents[j]),
        );
        Dual { value, tangents }
    }
}
crate::lane_operators! { |x, y| impl[L: Lane, const N: usize] Dual<L, N> {
    add: x.zip(y, x.value + y.value, |x_t, y_t| x_t + y_t),
    sub: x.zip(y, x.value - y.value, |x_t, y_t| x_t - y_t),
    mul: product(x, y),
    div: quotient(x, y),
    neg: x.map(-x.value, |x_t| -x_t),
} }
#[inline(always)]
fn product<L: Lane, const N: usize>(x: Dual<L, N>, y: Dual<L, N>) -> Dual<L, N> {
    let tangent = |x_t, y_t| x_t * y.value + x.value * y_t;
    x.zip(y, x.value * y.value, tangent)
}
#[inline(always)]
fn quotient<L: Lane, const N: usize>(x: Dual<L, N>, y: Dual<L, N>) -> Dual<L, N> {
    let r = x.value / y.value;
    x.zip(y, r, |x_t, y_t| (x_t - r * y_t) / y.value)
}

/// What tangents that are zero contribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// A zero, or nothing if they are [unset](Lane::unset).
    Marked,
    /// A zero, even if the derivative is infinite.
    Kept,
    /// What the product with the derivative is.
    Multiplied,
}

/// Returns the tangents of `r`. Operands that no adjoint reads are unspecified.
#[inline(always)]
pub fn tangents_of<L: Lane, const I: usize, const N: usize>(
    op: &impl Elementwise<I>,
    x: [L; I],
    r: L,
    tangents: [Option<[L; N]>; I],
) -> [L; N] {
    tangents_with(op, x, r, tangents, Zeros::Kept)
}
/// Like [`tangents_of`].
#[inline(always)]
pub(super) fn tangents_with<L: Lane, O: Elementwise<I>, const I: usize, const N: usize>(
    op: &O,
    x: [L; I],
    r: L,
    tangents: [Option<[L; N]>; I],
    zeros: Zeros,
) -> [L; N] {
    let one = r.one();
    let mut sum = [one.unset(); N];
    let mut first = true;
    #[allow(clippy::needless_range_loop)] // iterators are not inlined in nested formulas
    for i in 0..I {
        if let (true, Some(x_t)) = (O::FLOWS[i], tangents[i]) {
            let partial = op.adjoint(i, x, r, one);
            let term = if zeros == Zeros::Marked {
                let term = partial.times_marked(x_t);
                match O::CHOOSES {
                    true => each(&term, |t| L::select(partial.is_unset(), t.unset(), t)),
                    false => term,
                }
            } else if O::CHOOSES {
                let idle = partial.is_unset();
                each(&x_t, |t| (t * partial).unless(idle))
            } else if O::SMOOTH || zeros == Zeros::Multiplied {
                each(&x_t, |t| t * partial)
            } else {
                partial.times_tangents(x_t)
            };
            for j in 0..N {
                sum[j] = if first { term[j] } else { sum[j] + term[j] };
            }
            first = false;
        }
    }
    sum
}
