//! Writes to parts of variables.
use super::AnyMode;
use crate::{
    elementwise::arithmetic as op,
    expr::{Active, Apply, Copied, Expr, Id, OperandOf, PartExpr, PartLeaf, Place, Rhs, SetPart},
    kind::{Identifier, Kind, Policy},
    node::Node,
    rule::Rule,
    store::{Nested, Part, PlaceIndex},
};
use std::ops;

impl<K: PlaceIndex<I>, M: AnyMode, I> Place<K, M, I> {
    /// Assigns an expression to the place, in one statement. Panics like [`Expr::eval`](crate::expr::Expr::eval).
    #[track_caller]
    pub fn assign(&mut self, to: impl OperandOf<<K::Part as Part<K>>::Kind, M>) {
        let part = self.part();
        self.owner.part_mut(part).assign(to);
    }
    /// Assigns the result of `f`, which receives the old value of the place: `v[1].update(|x| 0.5 * x + &w[0])`. Panics like
    /// [`assign`](Self::assign).
    #[track_caller]
    pub fn update<B>(&mut self, f: impl FnOnce(PartExpr<K, K::Part, M>) -> B)
    where
        B: OperandOf<<K::Part as Part<K>>::Kind, M>,
    {
        let part = self.part();
        self.owner.part_mut(part).update(f);
    }
    /// Returns a part of the place, for writing. Of a storage kind, only this part is saved.
    pub fn part_mut<Q>(&mut self, part: Q) -> PlaceMut<'_, K, M, Nested<K::Part, Q>>
    where
        Q: Part<<K::Part as Part<K>>::Kind>,
    {
        let part = Nested(self.part(), part);
        self.owner.part_mut(part)
    }
}
/// A part of a variable, for writing, from methods of a DSL such as `m.row_mut(0)` of a matrix; see [`update`](Self::update).
#[must_use = "a place has no effect until it is written to: call `assign`, or remove it"]
pub struct PlaceMut<'a, K: Kind, M: AnyMode, P> {
    owner: &'a mut Active<K, M>,
    part: P,
}
debug_by_name! { ['a, K: Kind, M: AnyMode, P] PlaceMut<'a, K, M, P> }
impl<K: Kind, M: AnyMode, P: Part<K>> PlaceMut<'_, K, M, P> {
    /// Assigns an expression, in one statement. Panics like [`Expr::eval`](crate::expr::Expr::eval).
    #[inline(always)]
    #[track_caller]
    pub fn assign(self, to: impl OperandOf<P::Kind, M>) {
        self.assign_node(to.into_rhs().node);
    }
    /// Assigns the result of `f`, which receives the old value of the part. Panics like [`assign`](Self::assign).
    ///
    /// ```
    /// use entape_core::{expr::Active, kind, mode::Plain};
    ///
    /// #[kind(parts(x: f64, y: f64))]
    /// #[derive(Clone, Copy, Default, PartialEq)]
    /// pub struct Point {
    ///     x: f64,
    ///     y: f64,
    /// }
    /// let mut p = Active::<Point, Plain>::passive(Point { x: 3.0, y: 4.0 });
    /// p[Point::X].update(|x| 0.5 * x + 1.0);
    /// assert_eq!(p.value().x, 2.5);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update<B: OperandOf<P::Kind, M>>(self, f: impl FnOnce(PartExpr<K, P, M>) -> B) {
        let new = f(self.owner.part(self.part.clone()));
        self.assign(new);
    }
    #[inline(always)]
    #[track_caller]
    fn assign_node<N: Node<Kind = P::Kind>>(self, node: N) {
        // Other variables are copied freely, so their slots are not overwritten.
        let overwritten = K::Policy::STORAGE || M::RECORDS && Id::<K, M>::OWNED;
        if overwritten && !P::SAVES_WHOLE {
            M::assign_part(self.owner, self.part, node);
        } else {
            let node = Apply::binary(SetPart(self.part), self.owner.copied(), node);
            M::assign_node(self.owner, node);
        }
    }
}

/// A destination of an output of kind `K`: a variable, or a place, of which only this part is written and saved.
///
/// ```
/// use entape_core::{expr::Active, kind, mode::Plain, op};
///
/// #[op]
/// fn scale(#[ad_inout(x_b * by)] x: &mut f64, #[ad_in(x_b * x)] by: f64) {
///     *x *= by;
/// }
///
/// #[kind(parts(x: f64, y: f64))]
/// #[derive(Clone, Copy, Default, PartialEq)]
/// pub struct Point {
///     x: f64,
///     y: f64,
/// }
/// let mut p = Active::<Point, Plain>::passive(Point { x: 3.0, y: 4.0 });
/// scale(&mut p[Point::X], 2.0);
/// assert_eq!(p.value().x, 6.0);
/// let mut a = Active::<f64, Plain>::passive(1.5);
/// scale(&mut a, 2.0);
/// assert_eq!(a, 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "an operation cannot write an output of kind `{K}` to `{Self}`",
    label = "not a variable or place of kind `{K}`",
    note = "pass `&mut x` for a variable, or `&mut v[i]` for an element"
)]
pub trait Writable<K: Kind, M: AnyMode> {
    /// The old value, as a node.
    type Old: Node<Kind = K>;
    /// Returns the old value.
    fn old(&self) -> Expr<K, M, Self::Old>;
    /// Writes the value of an expression, in one statement.
    #[track_caller]
    fn write<N: Node<Kind = K>>(&mut self, node: N);
    /// Replaces the variable.
    #[track_caller]
    fn set(&mut self, variable: Active<K, M>);
}
impl<K: Kind, M: AnyMode> Writable<K, M> for Active<K, M> {
    type Old = Copied<K, M>;
    #[inline(always)]
    fn old(&self) -> Expr<K, M, Copied<K, M>> {
        Expr::new(self.copied())
    }
    #[inline(always)]
    #[track_caller]
    fn write<N: Node<Kind = K>>(&mut self, node: N) {
        M::assign_node(self, node);
    }
    #[inline(always)]
    fn set(&mut self, variable: Active<K, M>) {
        *self = variable;
    }
}
impl<K: Kind, M: AnyMode, P: Part<K>> Writable<P::Kind, M> for PlaceMut<'_, K, M, P> {
    type Old = PartLeaf<'static, K, P, M>;
    fn old(&self) -> PartExpr<K, P, M> {
        self.owner.part(self.part.clone())
    }
    #[track_caller]
    fn write<N: Node<Kind = P::Kind>>(&mut self, node: N) {
        self.owner.part_mut(self.part.clone()).assign_node(node);
    }
    #[track_caller]
    fn set(&mut self, variable: Active<P::Kind, M>) {
        self.write(variable.copied());
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Writable<<K::Part as Part<K>>::Kind, M> for Place<K, M, I> {
    type Old = PartLeaf<'static, K, K::Part, M>;
    fn old(&self) -> PartExpr<K, K::Part, M> {
        self.owner.part(self.part())
    }
    #[track_caller]
    fn write<N: Node<Kind = <K::Part as Part<K>>::Kind>>(&mut self, node: N) {
        let part = self.part();
        self.owner.part_mut(part).assign_node(node);
    }
    #[track_caller]
    fn set(&mut self, variable: Active<<K::Part as Part<K>>::Kind, M>) {
        self.write(variable.copied());
    }
}

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// Returns a part of the variable, for writing.
    pub fn part_mut<P: Part<K>>(&mut self, part: P) -> PlaceMut<'_, K, M, P> {
        PlaceMut { owner: self, part }
    }
}

macro_rules! compound { ($($Op:ident $Trait:ident $method:ident;)*) => { $(
    impl<K: PlaceIndex<I>, M: AnyMode, I, B> ops::$Trait<B> for Place<K, M, I>
    where
        B: Rhs<<K::Part as Part<K>>::Kind, M, op::$Op, Node: Node>,
        op::$Op: Rule<<K::Part as Part<K>>::Kind, <B::Node as Node>::Kind, Out = <K::Part as Part<K>>::Kind>,
    {
        #[track_caller]
        fn $method(&mut self, b: B) {
            let part = self.part();
            self.owner.part_mut(part).$method(b);
        }
    }
    impl<K: Kind, M: AnyMode, P: Part<K>> PlaceMut<'_, K, M, P> {
        #[doc = concat!("Compound assignment with `", stringify!($Op), "`; one statement.")]
        #[track_caller]
        pub fn $method<B: Rhs<P::Kind, M, op::$Op, Node: Node>>(self, b: B)
        where op::$Op: Rule<P::Kind, <B::Node as Node>::Kind, Out = P::Kind> {
            let old = self.owner.part(self.part.clone()).node;
            self.assign_node(Apply::binary(op::$Op, old, b.into_rhs().node));
        }
    }
)* } }
compound! {
    Add AddAssign add_assign;
    Sub SubAssign sub_assign;
    Mul MulAssign mul_assign;
    Div DivAssign div_assign;
    Rem RemAssign rem_assign;
}
