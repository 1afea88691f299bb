//! Operators, implemented once for all kinds.
use super::{
    Active, AllowsWholeNumbers, Apply, Beside, BorrowedConst, ByRef, ByVal, Const, Expr, IntoExpr,
    Number, PartLeaf, Place, Rhs, Unary, unary,
};
use crate::{
    elementwise::{RealKind, arithmetic as op},
    kind::Carrier,
    kind::{Kind, index},
    rule::Rule,
    store::{Part, PlaceIndex},
};
use std::ops;

/// The kind of the result of `O` on kinds `A` and `B`.
pub type Out<O, A, B = (), C = ()> = <O as Rule<A, B, C>>::Out;

/// Implemented for kinds with operands by value.
pub trait OnValues<K: Kind> {}
impl<O, K: Kind<Policy: index::ByValue>> OnValues<K> for O {}

macro_rules! binary { ($($Op:ident $method:ident;)*) => { $(
    binary! { @operand $Op $method [K: Kind, M: Carrier, N] Expr<K, M, N>: K, N = |a| a.node }
    binary! { @operand $Op $method [K: Kind, M: Carrier, N: Clone] &Expr<K, M, N>: K, N = |a| a.node.clone() }
    binary! { @operand $Op $method ['a, K: Kind, M: Carrier] &'a Active<K, M>: K, ByRef<'a, K, M> = |a| ByRef(a) }
    // The order decides what the compiler reports.
    binary! { @right $Op $method [K: Kind, M: Carrier] Active<K, M>: K, ByVal<Active<K, M>> = |a| ByVal(a);
        , B::Operation: OnValues<K> }
    binary! { @left $Op $method [K: Kind<Policy: index::ByValue>, M: Carrier]
        Active<K, M>: K, ByVal<Active<K, M>> = |a| ByVal(a) }
    binary! { @operand $Op $method ['a, K: PlaceIndex<I>, M: Carrier, I]
        &'a Place<K, M, I>: <K::Part as Part<K>>::Kind, PartLeaf<'a, K, K::Part, M> = |a| a.into_expr().node }
)* };
(@operand $Op:ident $method:ident [$($generics:tt)*] $A:ty: $K:ty, $Node:ty = |$a:ident| $node:expr) => {
    binary! { @right $Op $method [$($generics)*] $A: $K, $Node = |$a| $node; }
    binary! { @left $Op $method [$($generics)*] $A: $K, $Node = |$a| $node }
};
(@right $Op:ident $method:ident [$($generics:tt)*] $A:ty: $K:ty, $Node:ty = |$a:ident| $node:expr; $($by_value:tt)*) => {
    impl<$($generics)*, B: Rhs<$K, M, op::$Op>> ops::$Op<B> for $A
    where B::Operation: Rule<$K, B::Kind> $($by_value)* {
        type Output = Expr<Out<B::Operation, $K, B::Kind>, M, Apply<op::$Op, $Node, B::Node>>;
        #[inline(always)]
        fn $method(self, b: B) -> Self::Output {
            let $a = self;
            Expr::new(Apply::binary(op::$Op, $node, b.into_rhs().node))
        }
    }
};
(@left $Op:ident $method:ident [$($generics:tt)*] $A:ty: $K:ty, $Node:ty = |$a:ident| $node:expr) => {
    binary! { @number f64: f64 = |x| x; $Op $method [$($generics)*] $A: $K, $Node = |$a| $node }
    binary! { @number &f64: f64 = |x| *x; $Op $method [$($generics)*] $A: $K, $Node = |$a| $node }
    binary! { @number f32: f32 = |x| x; $Op $method [$($generics)*] $A: $K, $Node = |$a| $node }
    binary! { @number &f32: f32 = |x| *x; $Op $method [$($generics)*] $A: $K, $Node = |$a| $node }
    impl<$($generics)*> ops::$Op<$A> for Number
    where $K: RealKind {
        type Output = Expr<Out<op::$Op, $K, $K>, M, Apply<op::$Op, Const<$K>, $Node>>;
        #[inline(always)]
        fn $method(self, $a: $A) -> Self::Output {
            Expr::new(Apply::binary(op::$Op, self.leaf::<$K>(), $node))
        }
    }
    impl<$($generics)*> ops::$Op<$A> for i32
    where $K: AllowsWholeNumbers {
        type Output = Expr<$K, M, $Node>;
        fn $method(self, $a: $A) -> Self::Output {
            Expr::new($node)
        }
    }
};
(@number $T:ty: $Number:ident = |$x:ident| $number:expr;
    $Op:ident $method:ident [$($generics:tt)*] $A:ty: $K:ty, $Node:ty = |$a:ident| $node:expr) => {
    impl<$($generics)*> ops::$Op<$A> for $T
    where op::$Op: Rule<$Number, $K> {
        type Output = Expr<Out<op::$Op, $Number, $K>, M, Apply<op::$Op, Const<$Number>, $Node>>;
        #[inline(always)]
        fn $method(self, $a: $A) -> Self::Output {
            let $x = self;
            Expr::new(Apply::binary(op::$Op, Const($number), $node))
        }
    }
} }
binary! { Add add; Sub sub; Mul mul; Div div; Rem rem; }

/// Binary operators with a plain value of type `V` on the left, also by reference.
macro_rules! plain_left { ([$($of:tt)*] $V:ty $(where [$($bounds:tt)*])?) => {
    plain_left! { @op Add add [$($of)*] $V [$($($bounds)*)?] }
    plain_left! { @op Sub sub [$($of)*] $V [$($($bounds)*)?] }
    plain_left! { @op Mul mul [$($of)*] $V [$($($bounds)*)?] }
    plain_left! { @op Div div [$($of)*] $V [$($($bounds)*)?] }
};
(@op $Op:ident $method:ident [$($of:tt)*] $V:ty [$($bounds:tt)*]) => {
    plain_left! { @operand $Op $method [$($of)*] $V [$($bounds)*] [K: Kind, M: Carrier, N] Expr<K, M, N>: K, N = |a| a.node }
    plain_left! { @operand $Op $method [$($of)*] $V [$($bounds)*] ['a, K: Kind, M: Carrier]
        &'a Active<K, M>: K, ByRef<'a, K, M> = |a| ByRef(a) }
    plain_left! { @operand $Op $method [$($of)*] $V [$($bounds)*] [K: Kind<Policy: index::ByValue>, M: Carrier]
        Active<K, M>: K, ByVal<Active<K, M>> = |a| ByVal(a) }
};
(@operand $($given:tt)*) => {
    plain_left! { @impl [] Const::of $($given)* }
    plain_left! { @impl ['v] BorrowedConst $($given)* }
};
(@impl [$($v:lifetime)?] $Const:ident $(:: $of_value:ident)? $Op:ident $method:ident [$($of:tt)*] $V:ty [$($bounds:tt)*]
    [$($generics:tt)*] $A:ty: $K:ty, $Node:ty = |$a:ident| $node:expr) => {
    impl<$($v,)? $($generics)*, $($of)*> ops::$Op<$A> for $(&$v)? $V
    where
        $K: Beside<$V>,
        op::$Op: Rule<<$K as Beside<$V>>::Kind, $K>,
        $($bounds)*
    {
        type Output = Expr<
            Out<op::$Op, <$K as Beside<$V>>::Kind, $K>,
            M,
            Apply<op::$Op, $Const<$($v,)? <$K as Beside<$V>>::Kind>, $Node>,
        >;
        #[inline(always)]
        fn $method(self, $a: $A) -> Self::Output {
            Expr::new(Apply::binary(op::$Op, $Const $(:: $of_value)? (self), $node))
        }
    }
} }
plain_left! { [] Vec<f64> }
#[cfg(feature = "num-complex")]
plain_left! { [] num_complex::Complex<f64> }
#[cfg(feature = "nalgebra")]
plain_left! { [R: nalgebra::Dim, C: nalgebra::Dim] nalgebra::OMatrix<f64, R, C>
where [nalgebra::DefaultAllocator: nalgebra::allocator::Allocator<R, C>] }
#[cfg(feature = "nalgebra")]
plain_left! { [R: nalgebra::Dim, C: nalgebra::Dim] nalgebra::OMatrix<nalgebra::Complex<f64>, R, C>
where [nalgebra::DefaultAllocator: nalgebra::allocator::Allocator<R, C>] }

impl<K: Kind, M: Carrier, N> ops::Neg for Expr<K, M, N>
where
    op::Neg: Rule<K>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, N>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        Expr::new(Apply::unary(op::Neg, self.node))
    }
}
impl<K: Kind, M: Carrier, N: Clone> ops::Neg for &Expr<K, M, N>
where
    op::Neg: Rule<K>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, N>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        -Expr::<K, M, N>::new(self.node.clone())
    }
}
impl<'a, K: Kind, M: Carrier> ops::Neg for &'a Active<K, M>
where
    op::Neg: Rule<K>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, ByRef<'a, K, M>>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        Expr::new(Apply::unary(op::Neg, ByRef(self)))
    }
}
impl<K: PlaceIndex<I>, M: Carrier, I> ops::Neg for &Place<K, M, I>
where
    op::Neg: Rule<<K::Part as Part<K>>::Kind>,
{
    type Output = Unary<op::Neg, M, Self>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        unary(op::Neg, self)
    }
}
impl<K: Kind, M: Carrier> ops::Neg for Active<K, M>
where
    op::Neg: Rule<K>,
    Self: IntoExpr<M, Kind = K, Node = ByVal<Self>>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, ByVal<Self>>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        Expr::new(Apply::unary(op::Neg, ByVal(self)))
    }
}
