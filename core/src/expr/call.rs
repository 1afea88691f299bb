use super::{Apply, Expr, IntoExpr};
use crate::{kind::Carrier, rule::Rule};

/// The expression `O(a)`.
pub type Unary<O, M, A> =
    Expr<<O as Rule<<A as IntoExpr<M>>::Kind>>::Out, M, Apply<O, <A as IntoExpr<M>>::Node>>;
/// The expression `O(a, b)`.
pub type Binary<O, M, A, B> = Expr<
    <O as Rule<<A as IntoExpr<M>>::Kind, <B as IntoExpr<M>>::Kind>>::Out,
    M,
    Apply<O, <A as IntoExpr<M>>::Node, <B as IntoExpr<M>>::Node>,
>;
/// The expression `O(a, b, c)`.
pub type Ternary<O, M, A, B, C> = Expr<
    <O as Rule<<A as IntoExpr<M>>::Kind, <B as IntoExpr<M>>::Kind, <C as IntoExpr<M>>::Kind>>::Out,
    M,
    Apply<O, <A as IntoExpr<M>>::Node, <B as IntoExpr<M>>::Node, <C as IntoExpr<M>>::Node>,
>;

/// Applies `op` to an operand, as member operations do.
#[inline(always)]
pub fn unary<O: Rule<A::Kind>, M: Carrier, A: IntoExpr<M>>(op: O, a: A) -> Unary<O, M, A> {
    Expr::new(Apply::unary(op, a.into_expr().node))
}
/// Applies `op` to two operands.
#[inline(always)]
pub fn binary<O, M: Carrier, A: IntoExpr<M>, B: IntoExpr<M>>(
    op: O,
    a: A,
    b: B,
) -> Binary<O, M, A, B>
where
    O: Rule<A::Kind, B::Kind>,
{
    Expr::new(Apply::binary(op, a.into_expr().node, b.into_expr().node))
}
/// Applies `op` to three operands.
#[inline(always)]
pub fn ternary<O, M: Carrier, A: IntoExpr<M>, B: IntoExpr<M>, C: IntoExpr<M>>(
    op: O,
    a: A,
    b: B,
    c: C,
) -> Ternary<O, M, A, B, C>
where
    O: Rule<A::Kind, B::Kind, C::Kind>,
{
    Expr::new(Apply::ternary(
        op,
        a.into_expr().node,
        b.into_expr().node,
        c.into_expr().node,
    ))
}
