//! Comparisons of values, which are not recorded.
use super::{Active, Expr, Place};
use crate::{
    kind::Carrier,
    kind::{Kind, Val},
    node::{Node, Produce},
    store::{Part, PlaceIndex},
};
use std::cmp::Ordering;

/// An operand that can be compared with values of kind `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared with variables of kind `{K}`",
    note = "compare a real with a floating-point number: `x > 1.0`, `x > n as f64`"
)]
pub trait Compared<K: Kind> {
    /// Calls `f` with the value.
    fn with_value<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R;
}
impl<K: Kind, M: Carrier> Compared<K> for Active<K, M> {
    #[inline(always)]
    fn with_value<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R {
        f(self.get())
    }
}
impl<K: Kind, M: Carrier, N: Node<Kind = K>> Compared<K> for Expr<K, M, N> {
    #[inline(always)]
    fn with_value<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R {
        f(&self.node.evaluate().0.value())
    }
}
impl<K: PlaceIndex<I>, M: Carrier, I> Compared<<K::Part as Part<K>>::Kind> for Place<K, M, I> {
    #[inline(always)]
    fn with_value<R>(&self, f: impl FnOnce(&Val<<K::Part as Part<K>>::Kind>) -> R) -> R {
        f(&self.value())
    }
}
impl<K: Kind, X: Compared<K> + ?Sized> Compared<K> for &X {
    #[inline(always)]
    fn with_value<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R {
        (**self).with_value(f)
    }
}
for_reals! { $T =>
    impl Compared<$T> for $T {
        #[inline(always)]
        fn with_value<R>(&self, f: impl FnOnce(&$T) -> R) -> R { f(self) }
    }
}

macro_rules! compared { ($([$($generics:tt)*] $A:ty, $B:ty: $K:ty;)*) => { $(
    impl<$($generics)*> PartialEq<$B> for $A
    where $A: Compared<$K>, $B: Compared<$K>, Val<$K>: PartialEq {
        #[inline(always)]
        fn eq(&self, other: &$B) -> bool { self.with_value(|a| other.with_value(|b| a == b)) }
    }
    impl<$($generics)*> PartialOrd<$B> for $A
    where $A: Compared<$K>, $B: Compared<$K>, Val<$K>: PartialOrd {
        #[inline(always)]
        fn partial_cmp(&self, other: &$B) -> Option<Ordering> {
            self.with_value(|a| other.with_value(|b| a.partial_cmp(b)))
        }
        compared! { @relations $B: lt < le <= gt > ge >= }
    }
)* };
(@relations $B:ty: $($relation:ident $is:tt)*) => { $(
    #[inline(always)]
    fn $relation(&self, other: &$B) -> bool { self.with_value(|a| other.with_value(|b| a $is b)) }
)* } }
compared! {
    [K: Kind, M: Carrier, B: ?Sized] Active<K, M>, B: K;
    [K: Kind, M: Carrier, N, B: ?Sized] Expr<K, M, N>, B: K;
    [K: PlaceIndex<I>, M: Carrier, I, B: ?Sized] Place<K, M, I>, B: <K::Part as Part<K>>::Kind;
    ['a, K: PlaceIndex<I>, M: Carrier, I] &'a Place<K, M, I>, Active<<K::Part as Part<K>>::Kind, M>: <K::Part as Part<K>>::Kind;
    ['a, K: PlaceIndex<I>, M: Carrier, I, N] &'a Place<K, M, I>, Expr<<K::Part as Part<K>>::Kind, M, N>: <K::Part as Part<K>>::Kind;
}
for_reals! { $T => compared! {
    [M: Carrier] $T, Active<$T, M>: $T;
    [M: Carrier, N] $T, Expr<$T, M, N>: $T;
    [K: PlaceIndex<I>, M: Carrier, I] $T, Place<K, M, I>: $T;
    ['a, K: PlaceIndex<I>, M: Carrier, I] $T, &'a Place<K, M, I>: $T;
    ['a, K: PlaceIndex<I>, M: Carrier, I] &'a Place<K, M, I>, $T: $T;
} }
