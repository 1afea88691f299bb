//! The operators of the standard library, comparisons, sums and products.
//!
//! What records is not inlined: generic source uses operators by the thousand, and each would bring the code of the fast path.
use super::{Eager, eager};
use crate::expr::Active;
use std::{
    cmp::Ordering,
    iter::{Product, Sum},
    ops,
};

/// An operator, by value and by reference, with plain numbers, and as an assignment.
macro_rules! binary { ($($Op:ident $method:ident $Assign:ident $assign:ident;)*) => { $(
    binary! { @ $Op $method: Eager, Eager => |a, b| a.real(), b.real() }
    binary! { @ $Op $method: Eager, f64 => |a, b| a.real(), b }
    binary! { @ $Op $method: f64, Eager => |a, b| a, b.real() }
    // A variable on the left builds an expression, in which the number is an operand.
    binary! { @ $Op $method: Eager, Active<f64> => |a, b| a.real(), b }
    impl ops::$Assign for Eager {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: Eager) { *self = ops::$Op::$method(*self, b) }
    }
    impl ops::$Assign<&Eager> for Eager {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: &Eager) { *self = ops::$Op::$method(*self, *b) }
    }
    impl ops::$Assign<Active<f64>> for Eager {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: Active<f64>) { *self = ops::$Op::$method(*self, b) }
    }
    impl ops::$Assign<f64> for Eager {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: f64) { *self = ops::$Op::$method(*self, b) }
    }
)* };
(@ $Op:ident $method:ident: $A:ty, $B:ty => |$a:ident, $b:ident| $left:expr, $right:expr) => {
    impl ops::$Op<$B> for $A {
        type Output = Eager;
        #[inline(never)]
        #[track_caller]
        fn $method(self, $b: $B) -> Eager { let $a = self; eager(ops::$Op::$method($left, $right)) }
    }
    impl ops::$Op<&$B> for $A {
        type Output = Eager;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: &$B) -> Eager { ops::$Op::$method(self, *b) }
    }
    impl ops::$Op<$B> for &$A {
        type Output = Eager;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: $B) -> Eager { ops::$Op::$method(*self, b) }
    }
    impl ops::$Op<&$B> for &$A {
        type Output = Eager;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: &$B) -> Eager { ops::$Op::$method(*self, *b) }
    }
} }
binary! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}

impl ops::Neg for Eager {
    type Output = Eager;
    #[inline(never)]
    #[track_caller]
    fn neg(self) -> Eager {
        eager(-self.real())
    }
}
impl ops::Neg for &Eager {
    type Output = Eager;
    #[inline(always)]
    #[track_caller]
    fn neg(self) -> Eager {
        -*self
    }
}

impl PartialEq for Eager {
    /// Compares the values, whatever the identifiers are.
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
impl PartialEq<f64> for Eager {
    #[inline(always)]
    fn eq(&self, other: &f64) -> bool {
        self.value == *other
    }
}
impl PartialEq<Eager> for f64 {
    #[inline(always)]
    fn eq(&self, other: &Eager) -> bool {
        *self == other.value
    }
}
impl PartialOrd for Eager {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}
impl PartialOrd<f64> for Eager {
    #[inline(always)]
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value.partial_cmp(other)
    }
}
impl PartialOrd<Eager> for f64 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Eager) -> Option<Ordering> {
        self.partial_cmp(&other.value)
    }
}

/// Sums and products record several operands in one statement, as those of variables do.
macro_rules! folds { ($($Trait:ident $method:ident;)*) => { $(
    impl $Trait for Eager {
        fn $method<I: Iterator<Item = Eager>>(iter: I) -> Eager {
            iter.$method::<Active<f64>>().into()
        }
    }
    impl<'a> $Trait<&'a Eager> for Eager {
        fn $method<I: Iterator<Item = &'a Eager>>(iter: I) -> Eager {
            iter.copied().$method()
        }
    }
)* } }
folds! { Sum sum; Product product; }
