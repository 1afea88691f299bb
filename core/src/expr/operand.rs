//! What may stand in an expression.
use super::{Active, ByRef, ByVal, Const, Expr, Place};
use crate::{
    kind::Carrier,
    kind::{Hold, Kind, Policy, Val, index},
    node::Node,
    rule::Rule,
};

/// What becomes an expression of mode `M`: an expression, a variable (by reference, of value kinds by value,
/// too), a place such as `&v[1]`, or a plain number.
///
/// It says nothing of the node, so that an operator on a large expression is found without a look into the
/// tree; a function that is generic in its arguments asks for [`Operand`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't stand in an expression of mode `{M}`",
    label = "no variable, expression or place of this mode, and no number",
    note = "all variables of an expression are of one mode: a variable of another one belongs to another program",
    note = "a variable of a storage kind (an array, a matrix) is an operand by reference: `&x`",
    note = "plain values of a DSL enter as `constant(value)`"
)]
pub trait IntoExpr<M: Carrier> {
    /// The operand's kind.
    type Kind: Kind;
    /// The node it becomes.
    type Node;
    /// The operand as an expression.
    fn into_expr(self) -> Expr<Self::Kind, M, Self::Node>;
}
/// The kind of an operand.
pub type KindOf<X, M> = <X as IntoExpr<M>>::Kind;
/// The node of an operand.
pub type NodeOf<X, M> = <X as IntoExpr<M>>::Node;
/// Something that may stand in an expression of mode `M` and be evaluated: what [`IntoExpr`] lists.
///
/// ```
/// use entape_core::{expr::{Active, Operand}, mode::{AnyMode, Plain}, real::Elementary};
///
/// /// The logistic function of a variable, an expression, a number.
/// fn logistic<M: AnyMode>(x: impl Operand<M, Kind = f64>) -> Active<f64, M> {
///     (1.0 / (1.0 + (-x.into_expr()).exp())).eval()
/// }
/// let x = Active::<f64, Plain>::passive(3.0);
/// assert_eq!(logistic(x - 3.0), 0.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't stand in an expression",
    label = "no variable, expression, place or number",
    note = "variables of storage kinds (arrays, matrices) are operands by reference: write `&x`",
    note = "plain values of a DSL enter as `constant(value)`"
)]
pub trait Operand<M: Carrier>: IntoExpr<M, Node: Node<Kind = <Self as IntoExpr<M>>::Kind>> {}
impl<M: Carrier, X: IntoExpr<M>> Operand<M> for X where X::Node: Node<Kind = X::Kind> {}

/// What operation `O` takes beside an operand of kind `K`, and beside another one of kind `C` if it has three
/// arguments: whatever is [`IntoExpr`], references to plain numbers, and plain values of `K` if it is a
/// [value kind](macro@crate::kind).
///
/// Of expressions, variables and places it says nothing: whether there is a rule is the operation's business. Of a
/// plain number it says that there is one, and that settles what a literal is: the one in `x - 0.5` may be an `f64` or
/// an `f32`, but only one of them has a rule beside the kind of `x`.
///
/// An operand of a generic type becomes an expression before it stands beside another:
///
/// ```
/// use entape_core::{expr::{Active, Operand}, mode::{AnyMode, Plain}};
///
/// fn scaled<M: AnyMode>(x: &Active<f64, M>, by: impl Operand<M, Kind = f64>) -> Active<f64, M> {
///     (x * by.into_expr()).eval()
/// }
/// let x = Active::<f64, Plain>::passive(3.0);
/// assert_eq!(scaled(&x, 2.0 * x), 18.0);
/// ```
// References to numbers are no `IntoExpr`, or `x.abs()` of an `x: &f64` would be an expression.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't stand in an expression beside `{K}`",
    label = "not an operand here",
    note = "variables of storage kinds (arrays, matrices) are operands by reference: write `&x`",
    note = "plain values of another kind than `{K}`, and those of storage kinds, enter as `constant(value)`, whole numbers as `2.0`",
    note = "an operand of a generic type becomes an expression first: `x.into_expr()`"
)]
pub trait Beside<K: Kind, O, C: Kind = ()> {
    /// The operand: the type itself, or what it refers to.
    type Operand;
    /// As an operand.
    fn operand(self) -> Self::Operand;
}
/// What is assigned to a variable of kind `K`, chosen beside another operand of that kind, or summed up to it: an
/// [`Operand`] of this kind, a literal of its precision, a reference to a plain number.
pub trait OperandOf<K: Kind, M: Carrier>: Beside<K, Alike, Operand: Operand<M, Kind = K>> {}
impl<K: Kind, M: Carrier, X: Beside<K, Alike, Operand: Operand<M, Kind = K>>> OperandOf<K, M>
    for X
{
}
/// What takes the place of an operation in [`Beside`] where two operands have to be of one kind.
#[derive(Debug)]
pub enum Alike {}
/// Operands as they are.
macro_rules! operands { ($([$($generics:tt)*] $X:ty;)*) => { $(
    impl<$($generics)*, O, A: Kind, C: Kind> Beside<A, O, C> for $X {
        type Operand = Self;
        #[inline(always)]
        fn operand(self) -> Self { self }
    }
)* } }
operands! {
    [K: Kind, M: Carrier, N] Expr<K, M, N>;
    [K: Kind, M: Carrier, N: Clone] &Expr<K, M, N>;
    [K: Kind, M: Carrier] Active<K, M>;
    [K: Kind, M: Carrier] &Active<K, M>;
    [K: Kind, M: Carrier, I] &Place<K, M, I>;
}

impl<K: Kind, M: Carrier, N> IntoExpr<M> for Expr<K, M, N> {
    type Kind = K;
    type Node = N;
    #[inline(always)]
    fn into_expr(self) -> Self {
        self
    }
}
impl<K: Kind, M: Carrier, N: Clone> IntoExpr<M> for &Expr<K, M, N> {
    type Kind = K;
    type Node = N;
    #[inline(always)]
    fn into_expr(self) -> Expr<K, M, N> {
        self.clone()
    }
}
impl<'a, K: Kind, M: Carrier> IntoExpr<M> for &'a Active<K, M> {
    type Kind = K;
    type Node = ByRef<'a, K, M>;
    #[inline(always)]
    fn into_expr(self) -> Expr<K, M, ByRef<'a, K, M>> {
        Expr::new(ByRef(self))
    }
}
impl<K: Kind<Policy: index::ByValue>, M: Carrier> IntoExpr<M> for Active<K, M> {
    type Kind = K;
    type Node = ByVal<Active<K, M>>;
    #[inline(always)]
    fn into_expr(self) -> Expr<K, M, ByVal<Active<K, M>>> {
        Expr::new(ByVal(self))
    }
}
/// A plain value as an operand.
#[derive(Clone)]
pub struct Literal<K: Kind>(pub Val<K>);
impl<K: Kind, M: Carrier> IntoExpr<M> for Literal<K> {
    type Kind = K;
    type Node = Const<K>;
    #[inline(always)]
    fn into_expr(self) -> Expr<K, M, Const<K>> {
        lit(self.0)
    }
}
/// Plain numbers are operands, beside others by reference, too.
macro_rules! numbers { ($($T:ty)*) => { $(
    impl<M: Carrier> IntoExpr<M> for $T {
        type Kind = $T;
        type Node = Const<$T>;
        #[inline(always)]
        fn into_expr(self) -> Expr<$T, M, Const<$T>> { Expr::new(Const(self)) }
    }
    numbers! { @beside [O: Rule<K, $T, C>, K: Kind, C: Kind] Beside<K, O, C>, $T }
    numbers! { @beside [] Beside<$T, Alike>, $T }
)* };
(@beside [$($generics:tt)*] $Beside:path, $T:ty) => {
    impl<$($generics)*> $Beside for $T {
        type Operand = $T;
        #[inline(always)]
        fn operand(self) -> $T { self }
    }
    impl<$($generics)*> $Beside for &$T {
        type Operand = $T;
        #[inline(always)]
        fn operand(self) -> $T { *self }
    }
} }
numbers! { f64 f32 }

/// A plain value that can enter an expression as a constant of kind `K`. A DSL crate implements it for
/// the value types of its kinds, so that [`constant`] finds the kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell what kind of entity it is",
    note = "values of single precision enter with their kind, that of `f32` is `f32`: `tape.input_as::<Kind>(x)`, `lit::<Kind, _>(x)`",
    note = "whole numbers are written `2.0`"
)]
pub trait Constant<K: Kind> {
    /// The value.
    fn into_value(self) -> Val<K>;
}
// Of the numbers `f64` alone, so that `tape.input(4.0)` finds its kind; `f32` is an operand as it is, and
// enters a tape by `tape.input_as::<f32>(4.0)`.
impl Constant<f64> for f64 {
    #[inline(always)]
    fn into_value(self) -> f64 {
        self
    }
}
/// A plain value of a kind that the context tells: every [`Constant`], and `f32`.
pub trait Given<K: Kind> {
    /// The value.
    fn given(self) -> Val<K>;
}
impl<K: Kind, V: Constant<K>> Given<K> for V {
    fn given(self) -> Val<K> {
        self.into_value()
    }
}
impl Given<f32> for f32 {
    fn given(self) -> f32 {
        self
    }
}
/// A plain value as a constant of an expression; numbers need no such mark.
///
/// ```
/// use entape_core::{expr::constant, kind, op, tape::Tape};
///
/// #[kind]
/// #[derive(Clone, Copy, Default, PartialEq)]
/// struct Vector(f64, f64);
/// #[op]
/// fn cross(#[ad_in(Vector(r_b * b.1, -r_b * b.0))] a: Vector, #[ad_in(Vector(-r_b * a.1, r_b * a.0))] b: Vector) -> f64 {
///     a.0 * b.1 - a.1 * b.0
/// }
///
/// let mut tape = Tape::new();
/// let v = tape.input(Vector(1.0, 2.0));
/// let y = tape.record(|| cross(constant(Vector(3.0, 4.0)), v).eval());
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&v)?.1), (2.0, 3.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[inline(always)]
pub fn constant<K: Kind, M: Carrier, V: Constant<K>>(value: V) -> Expr<K, M, Const<K>> {
    lit(value.into_value())
}
/// A plain value as a constant, where the kind is known from the context.
///
/// ```
/// use entape_core::{expr::lit, mode::Plain, real::Elementary};
///
/// assert_eq!(lit::<f32, Plain>(4.0).sqrt().eval(), 2.0_f32);
/// ```
#[inline(always)]
pub fn lit<K: Kind, M: Carrier>(value: Val<K>) -> Expr<K, M, Const<K>> {
    Expr::new(Const(<<K::Policy as Policy>::Cell<Val<K>> as Hold<
        Val<K>,
    >>::hold(value)))
}
