use super::{definition::Elementwise, lane::Lane};
use std::ops::{Add, Div, Mul, Neg, Sub};

macro_rules! functions {
    ($with:ident) => {
        $with! { recip sqrt cbrt exp exp2 ln log2 log10 sin cos atan sinh cosh atanh }
    };
}
macro_rules! declared { ($($f:ident)*) => { $(
    #[doc = concat!("`", stringify!($f), "` of each number.")]
    fn $f(self) -> Self;
)* } }
macro_rules! of_lanes { ($($f:ident)*) => { $(
    #[inline(always)]
    fn $f(self) -> Self { Lane::$f(self) }
)* } }

/// The real or complex numbers of [holomorphic](Holomorphic) functions, without an order.
pub trait FieldLane:
    Copy
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Returns the real number `x`.
    fn splat(self, x: f64) -> Self;
    /// Raises `self` to the power `n`.
    fn powi(self, n: i32) -> Self;
    /// Returns zero.
    #[inline(always)]
    fn zero(self) -> Self {
        self.splat(0.0)
    }
    /// Returns one.
    #[inline(always)]
    fn one(self) -> Self {
        self.splat(1.0)
    }
    /// Returns `self + x`.
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self + self.splat(x)
    }
    /// Returns `self * x`.
    #[inline(always)]
    fn times(self, x: f64) -> Self {
        self * self.splat(x)
    }
    /// Returns `r_b / (self² + 1)`, which need not be 0 if the square overflows.
    fn over_square_plus_one(self, r_b: Self) -> Self;
    functions! { declared }
}
impl<L: Lane> FieldLane for L {
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        Lane::splat(self, x)
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        Lane::powi(self, n)
    }
    #[inline(always)]
    #[allow(clippy::eq_op)] // an infinite number minus itself is NaN
    fn over_square_plus_one(self, r_b: Self) -> Self {
        let square = self * self;
        let is_finite = (square - square).equal(Lane::zero(self));
        Lane::select(is_finite, r_b / Lane::plus(square, 1.0), r_b / self / self)
    }
    functions! { of_lanes }
}

/// A holomorphic elementary function, marked `holomorphic` in [`elementary!`](crate::elementary).
///
/// Formulas are `r_b * f'(x)`. By the convention of `df/dx + i df/dy` for `z = x + iy`, a complex adjoint is `r_b *
/// conj(f'(z))`, the conjugate of the formula at the conjugate of `r_b`.
///
/// A complex kind lists the functions that it reuses, with the branches of its primal:
///
/// ```
/// use entape_core::{op, elementwise::{FieldLane, Holomorphic}};
///
/// /// `r_b * conj(f'(z))`
/// fn adjoint<L: FieldLane>(f: &impl Holomorphic<1>, z: L, r: L, r_b: L, conj: fn(L) -> L) -> L {
///     conj(Holomorphic::adjoint(f, 0, [z], r, conj(r_b)))
/// }
/// // A real number is its own conjugate.
/// assert_eq!(adjoint(&op::Exp, 0.0, 1.0, 2.0, |x| x), 2.0);
/// ```
pub trait Holomorphic<const N: usize>: Elementwise<N> {
    /// Returns the value.
    fn primal<L: FieldLane>(&self, x: [L; N]) -> L;
    /// See [`Elementwise::adjoint`].
    fn adjoint<L: FieldLane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
}
