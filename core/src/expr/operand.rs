//! The operands of expressions.
use super::{Active, BorrowedConst, ByRef, ByVal, Const, Expr, Place};
use crate::{
    kind::Carrier,
    kind::{Kind, TapeCell, TapeValue, Val, index},
    node::Node,
    rule::Rule,
    store::PlaceIndex,
};

/// A part of an expression of mode `M`: a variable (by reference, or by value in value kinds), an expression, a place,
/// or a plain number.
///
/// Generic functions use the bound [`Operand`], and convert arguments by [`into_expr`](Self::into_expr):
///
/// ```
/// use entape_core::{expr::{Active, IntoExpr, Operand}, mode::{AnyMode, Plain}};
///
/// fn polynomial<M: AnyMode>(x: impl Operand<M, Kind = f64>) -> Active<f64, M> {
///     (2.0 * x.into_expr() + 1.0).eval()
/// }
/// let x = Active::<f64, Plain>::passive(3.0);
/// assert_eq!(polynomial(x), 7.0);
/// assert_eq!(polynomial(x * x), 19.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in an expression of mode `{M}`",
    label = "not a variable, expression or place of this mode, and not a number",
    note = "all variables of an expression have the same mode: in a generic function, write `Real<M>`, and `list(x)` for a slice of variables",
    note = "use a variable of a storage kind (an array, a matrix) by reference: `&x`",
    note = "wrap plain values of a DSL: `constant(value)`"
)]
pub trait IntoExpr<M: Carrier> {
    /// The kind of the operand.
    type Kind: Kind;
    /// The node of the expression.
    type Node;
    /// Converts the operand to an expression.
    fn into_expr(self) -> Expr<Self::Kind, M, Self::Node>;
}
/// Operands with the methods of expressions: variables, expressions and places.
///
/// Convert an operand of a generic type first: `x.into_expr().cos()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods of expressions of mode `{M}`",
    label = "no variable, expression or place of this mode",
    note = "a generic operand becomes an expression first: `x.into_expr()`; a plain number is `lit::<f64, _>(x)`"
)]
pub trait HasMethods<M: Carrier>: IntoExpr<M> {}
impl<K: Kind, M: Carrier, N> HasMethods<M> for Expr<K, M, N> {}
impl<K: Kind, M: Carrier, N: Clone> HasMethods<M> for &Expr<K, M, N> {}
impl<K: Kind, M: Carrier> HasMethods<M> for &Active<K, M> {}
impl<K: Kind<Policy: index::ByValue>, M: Carrier> HasMethods<M> for Active<K, M> {}
impl<K: PlaceIndex<I>, M: Carrier, I> HasMethods<M> for &Place<K, M, I> {}
/// The kind of an operand.
pub type KindOf<X, M> = <X as IntoExpr<M>>::Kind;
/// The node of an operand.
pub type NodeOf<X, M> = <X as IntoExpr<M>>::Node;
/// An operand that can be evaluated in mode `M`.
///
/// ```
/// use entape_core::{expr::{Active, Operand}, mode::{AnyMode, Plain}, real::Elementary};
///
/// /// Returns the logistic function of a variable, an expression or a number.
/// fn logistic<M: AnyMode>(x: impl Operand<M, Kind = f64>) -> Active<f64, M> {
///     (1.0 / (1.0 + (-x.into_expr()).exp())).eval()
/// }
/// let x = Active::<f64, Plain>::passive(3.0);
/// assert_eq!(logistic(x - 3.0), 0.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in an expression",
    label = "not a variable, expression, place or number",
    note = "use variables of storage kinds (arrays, matrices) by reference: `&x`",
    note = "wrap plain values of a DSL: `constant(value)`"
)]
pub trait Operand<M: Carrier>: IntoExpr<M, Node: Node<Kind = <Self as IntoExpr<M>>::Kind>> {}
impl<M: Carrier, X: IntoExpr<M>> Operand<M> for X where X::Node: Node<Kind = X::Kind> {}

/// A right-hand operand of operation `O` in mode `M`: [`IntoExpr`], a reference to a plain number, or a plain value of
/// a [value kind](macro@crate::kind). `K` and `C` are the kinds of the left and of a third operand.
///
/// For plain numbers the rule determines the type of a literal: in `x - 0.5`, only `f64` or `f32` has a rule with the
/// kind of `x`.
///
/// `Rhs<K, M>` is a right-hand side of kind `K`, as in an assignment, with the bound [`OperandOf`]. Convert generic operands before
/// an operator:
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
// Otherwise `x.abs()` of an `x: &f64` would be an expression.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with `{K}` in an expression of mode `{M}`",
    label = "not an operand of mode `{M}` that fits `{K}`",
    note = "all variables of an expression have the same mode: in a generic function, write `Real<M>`, and `list(x)` for a slice of variables",
    note = "wrap plain values of storage kinds, or of another kind than `{K}`: `constant(value)`; write integers as `2.0` or `n as f64`",
    note = "turn an operand of a generic type into an expression first: `x.into_expr()`"
)]
pub trait Rhs<K: Kind, M: Carrier, O = SameKind, C: Kind = ()> {
    /// The kind of the operand.
    type Kind: Kind;
    /// The node of the expression.
    type Node;
    /// The operation `O`, whose rule operators bound, so that the compiler reports a missing rule.
    type Operation;
    /// Converts the operand to an expression.
    fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node>;
}
/// The expression of a right-hand side `X`.
pub type RhsExpr<X, K, M, O = SameKind, C = ()> =
    Expr<<X as Rhs<K, M, O, C>>::Kind, M, <X as Rhs<K, M, O, C>>::Node>;
/// Replaces the operation in [`Rhs`] for operands of one kind.
#[derive(Debug)]
pub enum SameKind {}
/// An operand of assignments, choices and sums of kind `K`: an [`Operand`], a literal, or a reference to a plain number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operand of kind `{K}` and mode `{M}`",
    label = "not of kind `{K}`, or not of mode `{M}`",
    note = "values that are assigned, selected or summed must have the same kind and the same mode",
    note = "use a variable of a storage kind (an array, a matrix) by reference: write `&` before it",
    note = "wrap plain values of storage kinds: `constant(value)`; write integers as `2.0` or `n as f64`"
)]
pub trait OperandOf<K: Kind, M: Carrier>: Rhs<K, M, Kind = K, Node: Node<Kind = K>> {}
#[diagnostic::do_not_recommend]
impl<K: Kind, M: Carrier, X: Rhs<K, M, Kind = K, Node: Node<Kind = K>>> OperandOf<K, M> for X {}
macro_rules! operands { ($([$($generics:tt)*] $X:ty;)*) => { $(
    #[diagnostic::do_not_recommend]
    impl<$($generics)*, O, A: Kind, C: Kind> Rhs<A, M, O, C> for $X {
        type Kind = KindOf<Self, M>;
        type Node = NodeOf<Self, M>;
        type Operation = O;
        #[inline(always)]
        fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node> { self.into_expr() }
    }
)* } }
operands! {
    [K: Kind, M: Carrier, N] Expr<K, M, N>;
    [K: Kind, M: Carrier, N: Clone] &Expr<K, M, N>;
    ['a, K: Kind, M: Carrier] &'a Active<K, M>;
    ['a, K: PlaceIndex<I>, M: Carrier, I] &'a Place<K, M, I>;
}
// `ByValue` reports the remedy for a storage kind.
impl<K: Kind<Policy: index::ByValue>, M: Carrier, O, A: Kind, C: Kind> Rhs<A, M, O, C>
    for Active<K, M>
{
    type Kind = K;
    type Node = ByVal<Self>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<K, M, ByVal<Self>> {
        self.into_expr()
    }
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
        Expr::new(self.node.clone())
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
/// References to numbers are right-hand operands only.
macro_rules! numbers { ($($T:ty)*) => { $(
    impl<M: Carrier> IntoExpr<M> for $T {
        type Kind = $T;
        type Node = Const<$T>;
        #[inline(always)]
        fn into_expr(self) -> Expr<$T, M, Const<$T>> { Expr::new(Const(self)) }
    }
    numbers! { @rhs [O: Rule<K, $T, C>, K: Kind, M: Carrier, C: Kind] Rhs<K, M, O, C>, M, $T, O }
    numbers! { @rhs [M: Carrier] Rhs<$T, M>, M, $T, SameKind }
)* };
(@rhs [$($generics:tt)*] $Rhs:path, $M:ident, $T:ty, $O:ty) => {
    #[diagnostic::do_not_recommend]
    impl<$($generics)*> $Rhs for $T {
        type Kind = $T;
        type Node = Const<$T>;
        type Operation = $O;
        #[inline(always)]
        fn into_rhs(self) -> Expr<$T, $M, Const<$T>> { Expr::new(Const(self)) }
    }
    #[diagnostic::do_not_recommend]
    impl<$($generics)*> $Rhs for &$T {
        type Kind = $T;
        type Node = Const<$T>;
        type Operation = $O;
        #[inline(always)]
        fn into_rhs(self) -> Expr<$T, $M, Const<$T>> { Expr::new(Const(*self)) }
    }
} }
numbers! { f64 f32 }

/// A plain value of kind `K`, which the context determines.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plain value of kind `{K}`",
    note = "write integers as `2.0`"
)]
pub trait ValueOf<K: Kind> {
    /// Returns the value.
    fn into_value(self) -> Val<K>;
}
for_reals! { $T =>
    impl ValueOf<$T> for $T {
        #[inline(always)]
        fn into_value(self) -> $T { self }
    }
}
/// A plain value that determines its kind.
// `f64` is the only number, because a literal in `tape.input(4.0)` would be ambiguous.
#[diagnostic::on_unimplemented(
    message = "the kind of a value of type `{Self}` is unknown",
    note = "name the kind: `tape.input_as::<Kind>(x)` or `lit::<Kind, _>(x)`, with `Kind = f32` for values of single precision",
    note = "write integers as `2.0`"
)]
pub trait Constant<K: Kind>: Sized {
    /// The node of the constant: [`Const`], or [`BorrowedConst`] for a reference.
    type Node: Node<Kind = K>;
    /// Returns the node.
    fn into_node(self) -> Self::Node;
}
impl Constant<f64> for f64 {
    type Node = Const<f64>;
    #[inline(always)]
    fn into_node(self) -> Const<f64> {
        Const(self)
    }
}
impl<'a, K: Kind<Value = V>, V: Constant<K>> Constant<K> for &'a V {
    type Node = BorrowedConst<'a, K>;
    #[inline(always)]
    fn into_node(self) -> BorrowedConst<'a, K> {
        BorrowedConst(self)
    }
}
/// A kind with operators that take plain values of type `V` on either side: `&m * &x`, `&x * &m` with a plain matrix
/// `m`. A DSL crate implements it; by the orphan rule, operators with values of nalgebra or num-complex on the left are
/// features of this crate.
///
/// Beside a number, write `constant(&m)`.
#[diagnostic::on_unimplemented(
    message = "a plain value is not an operand beside `{Self}`: write `constant(&value)`",
    label = "write `constant(&value)`",
    note = "plain matrices, arrays and complex numbers are operands beside variables of such kinds, but not beside numbers"
)]
pub trait Beside<V>: Kind {
    /// The kind of the plain value.
    type Kind: Kind<Value = V>;
}

/// Wraps a plain value as a constant of an expression. Numbers do not need this.
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
/// let data = [Vector(3.0, 4.0)];
/// let y = tape.record(|| cross(constant(&data[0]), v).eval());
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&v)?.1), (2.0, 3.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// `constant(&data)` copies a value only into a statement whose adjoints read it. For data of many statements, create
/// one passive variable, `let a = Matrix::passive(data);`, whose value they share.
#[inline(always)]
pub fn constant<K, M: Carrier, V>(value: V) -> Expr<K, M, V::Node>
where
    K: Kind,        // if values of this type have several kinds: `lit::<Kind, _>(value)`
    V: Constant<K>, // if values of this type have several kinds: `lit::<Kind, _>(value)`
{
    Expr::new(value.into_node())
}
/// Returns a passive variable with this value, which determines the kind. For a known type, use [`Active::passive`].
///
/// ```
/// use entape_core::{expr::{Active, passive}, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| {
///     let mut sum = passive(1.0);
///     sum += x * x;
///     sum
/// });
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (10.0, 6.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[inline(always)]
pub fn passive<K, M: Carrier, V>(value: V) -> Active<K, M>
where
    K: Kind, // if values of this type have several kinds: `Active::<Kind, M>::passive(value)`
    V: Constant<K> + ValueOf<K>, // if values of this type have several kinds: `Active::<Kind, M>::passive(value)`
{
    Active::passive(value.into_value())
}
/// Returns a constant whose kind follows from the context.
///
/// ```
/// use entape_core::{expr::lit, mode::Plain, real::Elementary};
///
/// assert_eq!(lit::<f32, Plain>(4.0).sqrt().eval(), 2.0_f32);
/// ```
#[inline(always)]
pub fn lit<K: Kind, M: Carrier>(value: Val<K>) -> Expr<K, M, Const<K>> {
    Expr::new(Const(<TapeValue<K> as TapeCell<Val<K>>>::new(value)))
}
