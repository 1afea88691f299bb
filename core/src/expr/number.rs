//! Numbers that take the kind of the other operand, and rejected integers.
use super::{Const, Expr, Rhs};
use crate::{
    elementwise::RealKind,
    kind::{Carrier, Kind},
};

/// Not implemented: a bound with which integers report the remedy.
// Only `i32`, because a literal would be ambiguous.
#[diagnostic::on_unimplemented(
    message = "an integer cannot be combined with `{Self}` in an expression: write `2.0` instead of `2`, and `n as f64` or `f64::from(n)` instead of `n`",
    label = "the other operand is an integer"
)]
pub trait AllowsWholeNumbers: Kind {}
impl<K: AllowsWholeNumbers, M: Carrier, O, C: Kind> Rhs<K, M, O, C> for i32 {
    type Kind = K;
    type Node = Const<K>;
    type Operation = O;
    fn into_rhs(self) -> Expr<K, M, Const<K>> {
        unreachable!("no kind implements `AllowsWholeNumbers`")
    }
}

/// A [`number`], which takes the kind of the other operand.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Number(pub(crate) f64);
impl Number {
    #[inline(always)]
    pub(super) fn leaf<K: RealKind>(self) -> Const<K> {
        Const(K::number(self.0))
    }
}
#[diagnostic::do_not_recommend]
impl<K: RealKind, M: Carrier, O, C: Kind> Rhs<K, M, O, C> for Number {
    type Kind = K;
    type Node = Const<K>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<K, M, Const<K>> {
        Expr::new(self.leaf())
    }
}

/// Creates a constant of the other operand's kind, such as `number(1.0) - x`, for source that is generic in its
/// [`RealKind`].
///
/// ```
/// use entape_core::{expr::{Active, number}, mode::Plain};
///
/// let (x, y) = (Active::<f64, Plain>::passive(0.25), Active::<f32, Plain>::passive(0.25));
/// assert_eq!((number(1.0) - x).eval(), 0.75);
/// assert_eq!((number(1.0) - y).eval(), 0.75_f32);
/// ```
#[inline(always)]
#[must_use]
pub fn number(x: f64) -> Number {
    Number(x)
}
