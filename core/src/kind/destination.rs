//! Kinds whose expressions are evaluated into a destination.
//!
//! A sum of matrices is made where its value will stand: a term is put there, the others are added to it. A product
//! is a term like any other, so that `c - a * b` is one copy of `c` and one call of a kernel that subtracts a product from what
//! is there, without a temporary.
//!
//! ```text
//! y - 2.0 * (x - a * z)      to = y;  to -= 2.0 * x;  to += 2.0 * a * z
//! ```
//!
//! An operation takes part in this if its rule says so ([`Rule::INTO`]). It gets its arguments before they are evaluated, and
//! passes on to the destination those that are terms of a sum. All others are evaluated at once, as by [`ByValue`].
use super::{Arg, At, ByValue, Cell, Each, Form, Hold, Kind, Policy, Val};
use crate::{
    expr::{Pending, Produce, Replay, Stored, at_hand},
    rule::Rule,
};
use std::fmt::Debug;

/// Expressions are evaluated into the place of their value, as far as they are sums. For kinds that are a [`DestinationKind`].
#[derive(Clone, Copy, Debug)]
pub struct IntoDestination;

/// A kind that is evaluated [`IntoDestination`].
pub trait DestinationKind: Kind<Form = IntoDestination> {
    /// Length, or rows and columns.
    type Shape: Copy + Debug + PartialEq + 'static;
    /// What terms are multiplied with.
    type Factor: Copy;
    /// The factor that changes nothing.
    const ONE: Self::Factor;
    /// The product of two factors.
    fn times(a: Self::Factor, b: Self::Factor) -> Self::Factor;
    /// The shape of a value.
    fn shape(value: &Val<Self>) -> Self::Shape;
    /// A value with any numbers, for one who writes them all.
    fn fresh(shape: Self::Shape) -> Val<Self>;
    /// The [extent](Kind::extent) of a value of this shape.
    fn extent_of(shape: Self::Shape) -> usize {
        let _ = shape;
        0
    }
    /// `to = factor * term` if the term is the first one, else `to += factor * term`.
    fn put(to: &mut Val<Self>, first: bool, factor: Self::Factor, term: &Val<Self>);
}

/// Where an expression is evaluated: a value, to which terms are added, each times a factor.
pub struct Destination<'d, K: DestinationKind> {
    value: &'d mut Val<K>,
    factor: K::Factor,
    /// Nothing was put there yet.
    empty: &'d mut bool,
}
impl<K: DestinationKind> Destination<'_, K> {
    /// Makes a value of this shape: `fill` puts at least one term into it.
    #[inline(always)]
    pub fn make(shape: K::Shape, fill: impl FnOnce(&mut Destination<'_, K>)) -> Val<K> {
        let mut value = K::fresh(shape);
        Self::fill(&mut value, fill);
        value
    }
    /// Makes a value as a tape holds it, in a box that waits if there is one.
    #[inline(always)]
    pub(crate) fn make_cell(
        shape: K::Shape,
        fill: impl FnOnce(&mut Destination<'_, K>),
    ) -> Cell<K> {
        let waiting = match K::extent_of(shape) {
            0 => None,
            extent => <Cell<K> as Hold<Val<K>>>::waiting(extent, K::fetch),
        };
        let mut cell = waiting.unwrap_or_else(|| Hold::hold(K::fresh(shape)));
        let Some(value) = cell.sole() else {
            unreachable!("a new value is not shared")
        };
        if K::shape(value) != shape {
            K::recycle(&mut std::mem::replace(value, K::fresh(shape)));
        }
        Self::fill(value, fill);
        cell
    }
    #[inline(always)]
    fn fill(value: &mut Val<K>, fill: impl FnOnce(&mut Destination<'_, K>)) {
        let mut empty = true;
        fill(&mut Destination {
            value,
            factor: K::ONE,
            empty: &mut empty,
        });
    }
    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: impl Produce<K>) {
        term.add_to(self);
    }
    /// The same destination, for terms that are multiplied with `factor`.
    #[inline(always)]
    pub fn times(&mut self, factor: K::Factor) -> Destination<'_, K> {
        Destination {
            value: self.value,
            factor: K::times(self.factor, factor),
            empty: self.empty,
        }
    }
    /// Adds a term that is at hand.
    #[inline(always)]
    pub fn put(&mut self, term: &Val<K>) {
        self.put_by(|to, first, factor| K::put(to, first, factor, term));
    }
    /// Adds a term by `put`, which is told what [`DestinationKind::put`] is.
    #[inline(always)]
    pub fn put_by(&mut self, put: impl FnOnce(&mut Val<K>, bool, K::Factor)) {
        let first = std::mem::replace(self.empty, false);
        put(self.value, first, self.factor);
    }
}

impl<K: DestinationKind> Form<K> for IntoDestination {
    type Shape = K::Shape;
    type Piece = Val<K>;
    #[inline(always)]
    fn shape(value: &Val<K>) -> K::Shape {
        K::shape(value)
    }
    type View<'v> = Option<Arg<'v, K>>;
    #[inline(always)]
    fn view<'v>(value: Option<Arg<'v, K>>) -> Option<Arg<'v, K>> {
        value
    }
    #[inline(always)]
    fn view_shape(view: &Option<Arg<'_, K>>) -> K::Shape {
        K::shape(K::Policy::value(at_hand(view.as_ref())))
    }
    #[inline(always)]
    fn within<'v>(view: &Option<Arg<'v, K>>, _: At) -> Option<Arg<'v, K>> {
        view.clone()
    }
    #[inline(always)]
    fn piece(view: &Option<Arg<'_, K>>, i: usize) -> Val<K> {
        <ByValue as Form<K>>::piece(view, i)
    }
    #[inline(always)]
    fn open(_: &mut K::Adjoint, _: K::Shape) {}
    type Block = Each<K>;
    #[inline(always)]
    fn put(block: &mut Each<K>, i: usize, piece: Val<K>) {
        <ByValue as Form<K>>::put(block, i, piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut K::Adjoint, at: At, block: &mut Each<K>) {
        <ByValue as Form<K>>::add_block(adjoint, at, block);
    }
    type Value<'n, O, A, B, C, VA, VB, VC>
        = Pending<'n, O, A, B, C, VA, VB, VC>
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n;
    #[allow(clippy::type_complexity)]
    #[inline(always)]
    fn apply<'n, O, A, B, C, VA, VB, VC>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (Self::Value<'n, O, A, B, C, VA, VB, VC>, O::Saved)
    where
        O: Rule<A, B, C, Out = K> + 'n,
        A: Kind,
        B: Kind,
        C: Kind,
        VA: Produce<A> + 'n,
        VB: Produce<B> + 'n,
        VC: Produce<C> + 'n,
    {
        Pending::new(op, a, b, c)
    }
    type Replay<O: Rule<A::Kind, B::Kind, C::Kind, Out = K>, A: Stored, B: Stored, C: Stored> =
        Replay<O, A, B, C>;
}
