//! Numbers that are of the kind they stand beside, and whole numbers, which are refused.
use super::{Const, Expr, Rhs};
use crate::{
    elementwise::RealKind,
    kind::{Carrier, Kind},
};

/// No kind has it: a whole number beside a variable is a mistake, and there is an implementation of [`Rhs`] and of the
/// operators for it so that the compiler says what to write instead.
// Of `i32` alone, as a literal would be ambiguous if there were two. The kind is asked for it and not the number, as
// the compiler would report the operator instead if both were asked of one type.
#[diagnostic::on_unimplemented(
    message = "a whole number can't stand beside `{Self}` in an expression: write `2.0` instead of `2`, `n as f64` or `f64::from(n)` instead of `n`",
    label = "a whole number stands beside `{Self}` here"
)]
pub trait AllowsWholeNumbers: Kind {}
impl<K: AllowsWholeNumbers, M: Carrier, O, C: Kind> Rhs<K, M, O, C> for i32 {
    type Kind = K;
    type Node = Const<K>;
    type Operation = O;
    fn into_rhs(self) -> Expr<K, M, Const<K>> {
        unreachable!("no kind is `AllowsWholeNumbers`")
    }
}

/// A number of the kind it stands beside, see [`number`].
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

/// A constant in source that is generic in the kind of its numbers: in `number(1.0) - x` it is of the kind of `x`,
/// whatever [`RealKind`] that is.
///
/// Like a literal it is a constant without an identifier, which is stored once for all statements with the same one.
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
