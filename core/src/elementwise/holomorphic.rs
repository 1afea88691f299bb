//! Holomorphic functions: elementary functions with a formula that holds in the complex plane, too.
use super::{definition::Elementwise, lane::Lane};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The functions of one argument.
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

/// What [holomorphic](Holomorphic) functions compute with: numbers of a field without an order, real or complex. Every
/// [`Lane`] is one; a DSL implements it for its complex numbers.
pub trait FieldLane:
    Copy
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The real number `x`; as [`Lane::splat`].
    fn splat(self, x: f64) -> Self;
    /// `self` to the power `n`.
    fn powi(self, n: i32) -> Self;
    /// Zero.
    #[inline(always)]
    fn zero(self) -> Self {
        self.splat(0.0)
    }
    /// One.
    #[inline(always)]
    fn one(self) -> Self {
        self.splat(1.0)
    }
    /// `self + x`.
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self + self.splat(x)
    }
    /// `self * x`.
    #[inline(always)]
    fn times(self, x: f64) -> Self {
        self * self.splat(x)
    }
    /// `r_b / (self² + 1)`. Where the square overflows the quotient need not be 0.
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

/// An elementary function that is holomorphic: its formulas hold for complex numbers, too. They are those entries of a
/// table of [`elementary!`](crate::elementary) functions that are marked `holomorphic`.
///
/// The formulas are those of calculus, `r_b * f'(x)`. With the convention that the adjoint of `z = x + iy` is `df/dx +
/// i df/dy`, a complex adjoint is `r_b * conj(f'(z))`: the conjugate of what the formula returns for the conjugate of
/// `r_b`.
///
/// A complex kind lists the functions that it takes over; they are those whose branches are the ones of its own primal:
///
/// ```
/// use entape_core::{op, elementwise::{FieldLane, Holomorphic}};
///
/// /// `r_b * conj(f'(z))`
/// fn adjoint<L: FieldLane>(f: &impl Holomorphic<1>, z: L, r: L, r_b: L, conj: fn(L) -> L) -> L {
///     conj(Holomorphic::adjoint(f, 0, [z], r, conj(r_b)))
/// }
/// // a real number is its own conjugate
/// assert_eq!(adjoint(&op::Exp, 0.0, 1.0, 2.0, |x| x), 2.0);
/// ```
pub trait Holomorphic<const N: usize>: Elementwise<N> {
    /// The function.
    fn primal<L: FieldLane>(&self, x: [L; N]) -> L;
    /// As [`Elementwise::adjoint`]: what is added to the adjoint of argument `i`.
    fn adjoint<L: FieldLane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
}
