//! Operators, comparisons, sums and products.
//!
//! Recording functions are not inlined, because generic source uses operators thousands of times.
use super::{Eager, eager};
use entape_core::{expr::Active, mode::Mode};
use std::{
    cmp::Ordering,
    iter::{Product, Sum},
    ops,
};

/// By value and by reference, with plain numbers, and as an assignment.
macro_rules! binary { ($($Op:ident $method:ident $Assign:ident $assign:ident;)*) => { $(
    binary! { @ $Op $method: Eager<M>, Eager<M> => |a, b| a.real(), b.real() }
    binary! { @ $Op $method: Eager<M>, f64 => |a, b| a.real(), b }
    binary! { @ $Op $method: f64, Eager<M> => |a, b| a, b.real() }
    // A variable on the left builds an expression with the number as an operand.
    binary! { @ $Op $method: Eager<M>, Active<f64, M> => |a, b| a.real(), b }
    impl<M: Mode> ops::$Assign for Eager<M> {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: Eager<M>) { *self = ops::$Op::$method(*self, b) }
    }
    impl<M: Mode> ops::$Assign<&Eager<M>> for Eager<M> {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: &Eager<M>) { *self = ops::$Op::$method(*self, *b) }
    }
    impl<M: Mode> ops::$Assign<Active<f64, M>> for Eager<M> {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: Active<f64, M>) { *self = ops::$Op::$method(*self, b) }
    }
    impl<M: Mode> ops::$Assign<f64> for Eager<M> {
        #[inline(always)]
        #[track_caller]
        fn $assign(&mut self, b: f64) { *self = ops::$Op::$method(*self, b) }
    }
)* };
(@ $Op:ident $method:ident: $A:ty, $B:ty => |$a:ident, $b:ident| $left:expr, $right:expr) => {
    impl<M: Mode> ops::$Op<$B> for $A {
        type Output = Eager<M>;
        #[inline(never)]
        #[track_caller]
        fn $method(self, $b: $B) -> Eager<M> { let $a = self; eager(ops::$Op::$method($left, $right)) }
    }
    impl<M: Mode> ops::$Op<&$B> for $A {
        type Output = Eager<M>;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: &$B) -> Eager<M> { ops::$Op::$method(self, *b) }
    }
    impl<M: Mode> ops::$Op<$B> for &$A {
        type Output = Eager<M>;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: $B) -> Eager<M> { ops::$Op::$method(*self, b) }
    }
    impl<M: Mode> ops::$Op<&$B> for &$A {
        type Output = Eager<M>;
        #[inline(always)]
        #[track_caller]
        fn $method(self, b: &$B) -> Eager<M> { ops::$Op::$method(*self, *b) }
    }
} }
binary! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}

impl<M: Mode> ops::Neg for Eager<M> {
    type Output = Eager<M>;
    #[inline(never)]
    #[track_caller]
    fn neg(self) -> Eager<M> {
        eager(-self.real())
    }
}
impl<M: Mode> ops::Neg for &Eager<M> {
    type Output = Eager<M>;
    #[inline(always)]
    #[track_caller]
    fn neg(self) -> Eager<M> {
        -*self
    }
}

impl<M: Mode> PartialEq for Eager<M> {
    /// Compares values.
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
impl<M: Mode> PartialEq<f64> for Eager<M> {
    #[inline(always)]
    fn eq(&self, other: &f64) -> bool {
        self.value() == *other
    }
}
impl<M: Mode> PartialEq<Eager<M>> for f64 {
    #[inline(always)]
    fn eq(&self, other: &Eager<M>) -> bool {
        *self == other.value()
    }
}
impl<M: Mode> PartialOrd for Eager<M> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value().partial_cmp(&other.value())
    }
}
impl<M: Mode> PartialOrd<f64> for Eager<M> {
    #[inline(always)]
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value().partial_cmp(other)
    }
}
impl<M: Mode> PartialOrd<Eager<M>> for f64 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Eager<M>) -> Option<Ordering> {
        self.partial_cmp(&other.value())
    }
}

/// Several operands are one statement, as for variables.
macro_rules! folds { ($($Trait:ident $method:ident;)*) => { $(
    impl<M: Mode> $Trait for Eager<M> {
        fn $method<I: Iterator<Item = Eager<M>>>(iter: I) -> Eager<M> {
            iter.$method::<Active<f64, M>>().into()
        }
    }
    impl<'a, M: Mode> $Trait<&'a Eager<M>> for Eager<M> {
        fn $method<I: Iterator<Item = &'a Eager<M>>>(iter: I) -> Eager<M> {
            iter.copied().$method()
        }
    }
)* } }
folds! { Sum sum; Product product; }
