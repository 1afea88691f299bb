//! Every operator, once for all kinds: it dispatches to the operation's rule for the kinds at hand.
use super::{Active, Apply, ByRef, ByVal, Const, Expr, IntoExpr, PartLeaf, Place};
use crate::{
    kind::{Kind, Part, PlaceIndex},
    mode::AnyMode,
    op,
    rule::Rule,
};
use std::ops;

/// The kind of the result of `O` on kinds `A` and `B`.
pub type Out<O, A, B = (), C = ()> = <O as Rule<A, B, C>>::Out;

/// Binary operators of expressions and variables with any operand, and of plain numbers with both.
macro_rules! binary { ($($Op:ident $method:ident;)*) => { $(
    impl<K: Kind, M: AnyMode, N, B: IntoExpr<M>> ops::$Op<B> for Expr<K, M, N>
    where op::$Op: Rule<K, B::Kind> {
        type Output = Expr<Out<op::$Op, K, B::Kind>, M, Apply<op::$Op, N, B::Node>>;
        #[inline(always)]
        fn $method(self, b: B) -> Self::Output { Expr::new(Apply::binary(op::$Op, self.node, b.into_expr().node)) }
    }
    impl<'a, K: Kind, M: AnyMode, B: IntoExpr<M>> ops::$Op<B> for &'a Active<K, M>
    where op::$Op: Rule<K, B::Kind> {
        type Output = Expr<Out<op::$Op, K, B::Kind>, M, Apply<op::$Op, ByRef<'a, K, M>, B::Node>>;
        #[inline(always)]
        fn $method(self, b: B) -> Self::Output { Expr::new(Apply::binary(op::$Op, ByRef(self), b.into_expr().node)) }
    }
    impl<K: Kind, M: AnyMode, B: IntoExpr<M>> ops::$Op<B> for Active<K, M>
    where op::$Op: Rule<K, B::Kind>, Self: IntoExpr<M, Kind = K, Node = ByVal<Self>> {
        type Output = Expr<Out<op::$Op, K, B::Kind>, M, Apply<op::$Op, ByVal<Self>, B::Node>>;
        #[inline(always)]
        fn $method(self, b: B) -> Self::Output { Expr::new(Apply::binary(op::$Op, ByVal(self), b.into_expr().node)) }
    }
    impl<'a, K: PlaceIndex<I>, M: AnyMode, I, B: IntoExpr<M>> ops::$Op<B> for &'a Place<K, M, I>
    where op::$Op: Rule<<K::Part as Part<K>>::Kind, B::Kind> {
        type Output = Expr<
            Out<op::$Op, <K::Part as Part<K>>::Kind, B::Kind>, M,
            Apply<op::$Op, PartLeaf<'a, K, K::Part, M>, B::Node>,
        >;
        #[inline(always)]
        fn $method(self, b: B) -> Self::Output {
            Expr::new(Apply::binary(op::$Op, self.into_expr().node, b.into_expr().node))
        }
    }
    binary!(@number f64 $Op $method);
    binary!(@number f32 $Op $method);
)* };
(@number $T:ident $Op:ident $method:ident) => {
    impl<K: Kind, M: AnyMode, N> ops::$Op<Expr<K, M, N>> for $T
    where op::$Op: Rule<$T, K> {
        type Output = Expr<Out<op::$Op, $T, K>, M, Apply<op::$Op, Const<$T>, N>>;
        #[inline(always)]
        fn $method(self, b: Expr<K, M, N>) -> Self::Output { Expr::new(Apply::binary(op::$Op, Const(self), b.node)) }
    }
    impl<'a, K: PlaceIndex<I>, M: AnyMode, I> ops::$Op<&'a Place<K, M, I>> for $T
    where op::$Op: Rule<$T, <K::Part as Part<K>>::Kind> {
        type Output = Expr<
            Out<op::$Op, $T, <K::Part as Part<K>>::Kind>, M,
            Apply<op::$Op, Const<$T>, PartLeaf<'a, K, K::Part, M>>,
        >;
        #[inline(always)]
        fn $method(self, b: &'a Place<K, M, I>) -> Self::Output {
            Expr::new(Apply::binary(op::$Op, Const(self), b.into_expr().node))
        }
    }
    impl<'a, K: Kind, M: AnyMode> ops::$Op<&'a Active<K, M>> for $T
    where op::$Op: Rule<$T, K> {
        type Output = Expr<Out<op::$Op, $T, K>, M, Apply<op::$Op, Const<$T>, ByRef<'a, K, M>>>;
        #[inline(always)]
        fn $method(self, b: &'a Active<K, M>) -> Self::Output { Expr::new(Apply::binary(op::$Op, Const(self), ByRef(b))) }
    }
    impl<K: Kind, M: AnyMode> ops::$Op<Active<K, M>> for $T
    where op::$Op: Rule<$T, K>, Active<K, M>: IntoExpr<M, Kind = K, Node = ByVal<Active<K, M>>> {
        type Output = Expr<Out<op::$Op, $T, K>, M, Apply<op::$Op, Const<$T>, ByVal<Active<K, M>>>>;
        #[inline(always)]
        fn $method(self, b: Active<K, M>) -> Self::Output { Expr::new(Apply::binary(op::$Op, Const(self), ByVal(b))) }
    }
} }
binary! { Add add; Sub sub; Mul mul; Div div; Rem rem; }

impl<K: Kind, M: AnyMode, N> ops::Neg for Expr<K, M, N>
where
    op::Neg: Rule<K>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, N>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        Expr::new(Apply::unary(op::Neg, self.node))
    }
}
impl<'a, K: Kind, M: AnyMode> ops::Neg for &'a Active<K, M>
where
    op::Neg: Rule<K>,
{
    type Output = Expr<Out<op::Neg, K>, M, Apply<op::Neg, ByRef<'a, K, M>>>;
    #[inline(always)]
    fn neg(self) -> Self::Output {
        Expr::new(Apply::unary(op::Neg, ByRef(self)))
    }
}
impl<K: Kind, M: AnyMode> ops::Neg for Active<K, M>
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
