//! Writes to parts of variables.
use super::{
    AnyMode,
    outputs::{OutputPlace, RecordedOutput},
};
use crate::{
    elementwise::arithmetic as op,
    error::Error,
    expr::{Active, Apply, Copied, Expr, Id, OperandOf, PartExpr, PartLeaf, Place, Rhs, SetPart},
    kind::{Identifier, Kind, Policy, TapeCell, TapeValue, Val},
    node::{Evaluated, Node, Produce},
    rule::Rule,
    store::{Nested, Part, PlaceIndex, RecordedValues},
    tape::{AnyNode, PartTarget, ReadyPart, TapeRecording},
};
use std::{
    any::{Any, TypeId},
    cell::{Ref, RefCell, RefMut},
    ops,
    rc::Rc,
};

impl<K: PlaceIndex<I>, M: AnyMode, I> Place<K, M, I> {
    /// Assigns an expression to the place, in one statement. Panics like [`Expr::eval`](crate::expr::Expr::eval).
    #[track_caller]
    pub fn assign(&mut self, to: impl OperandOf<<K::Part as Part<K>>::Kind, M>) {
        self.as_part_mut().assign(to);
    }
    /// Assigns the result of `f`, which receives the old value: `v[1].update(|x| 0.5 * x + &w[0])`. Panics like
    /// [`assign`](Self::assign).
    #[track_caller]
    pub fn update<B>(&mut self, f: impl FnOnce(PartExpr<K, K::Part, M>) -> B)
    where
        B: OperandOf<<K::Part as Part<K>>::Kind, M>,
    {
        self.as_part_mut().update(f);
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
    owner: Owner<'a, K, M>,
    part: P,
}
debug_by_name! { ['a, K: Kind, M: AnyMode, P] PlaceMut<'a, K, M, P> }
enum Owner<'a, K: Kind, M: AnyMode> {
    Only(&'a mut Active<K, M>),
    /// Places that do not overlap share a variable.
    Shared(Rc<RefCell<&'a mut Active<K, M>>>),
    /// A part of such a place.
    Within(&'a (dyn Share<K, M> + 'a)),
}
trait Share<K: Kind, M: AnyMode> {
    fn get(&self) -> Ref<'_, Active<K, M>>;
    fn get_mut(&self) -> RefMut<'_, Active<K, M>>;
}
impl<K: Kind, M: AnyMode> Share<K, M> for RefCell<&mut Active<K, M>> {
    fn get(&self) -> Ref<'_, Active<K, M>> {
        Ref::map(self.borrow(), |owner| &**owner)
    }
    fn get_mut(&self) -> RefMut<'_, Active<K, M>> {
        RefMut::map(self.borrow_mut(), |owner| &mut **owner)
    }
}
enum OwnerMut<'o, K: Kind, M: AnyMode> {
    Only(&'o mut Active<K, M>),
    Shared(RefMut<'o, Active<K, M>>),
}
impl<K: Kind, M: AnyMode> Owner<'_, K, M> {
    #[inline(always)]
    fn get(&mut self) -> OwnerMut<'_, K, M> {
        match self {
            Owner::Only(owner) => OwnerMut::Only(owner),
            Owner::Shared(owner) => OwnerMut::Shared(Share::get_mut(&**owner)),
            Owner::Within(owner) => OwnerMut::Shared(owner.get_mut()),
        }
    }
    #[inline(always)]
    #[track_caller]
    fn part<P: Part<K>>(&self, part: P) -> PartExpr<K, P, M> {
        match self {
            Owner::Only(owner) => owner.part(part),
            Owner::Shared(owner) => Share::get(&**owner).part(part),
            Owner::Within(owner) => owner.get().part(part),
        }
    }
}
impl<K: Kind, M: AnyMode> ops::Deref for OwnerMut<'_, K, M> {
    type Target = Active<K, M>;
    #[inline(always)]
    fn deref(&self) -> &Active<K, M> {
        match self {
            OwnerMut::Only(owner) => owner,
            OwnerMut::Shared(owner) => owner,
        }
    }
}
impl<K: Kind, M: AnyMode> ops::DerefMut for OwnerMut<'_, K, M> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Active<K, M> {
        match self {
            OwnerMut::Only(owner) => owner,
            OwnerMut::Shared(owner) => owner,
        }
    }
}
impl<K: Kind, M: AnyMode, P: Part<K>> PlaceMut<'_, K, M, P> {
    #[inline(always)]
    #[track_caller]
    fn old_part(&self) -> PartExpr<K, P, M> {
        self.owner.part(self.part.clone())
    }
    /// Assigns an expression, in one statement. Panics like [`Expr::eval`](crate::expr::Expr::eval).
    #[inline(always)]
    #[track_caller]
    pub fn assign(mut self, to: impl OperandOf<P::Kind, M>) {
        self.assign_node(to.into_rhs().node);
    }
    /// Assigns the result of `f`, which receives the old value. Panics like [`assign`](Self::assign).
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
        let new = f(self.old_part());
        self.assign(new);
    }
    #[inline(always)]
    #[track_caller]
    fn compound<O, N: Node>(mut self, op: O, subtract: Option<bool>, b: N)
    where
        O: Rule<P::Kind, N::Kind, Out = P::Kind> + Clone,
    {
        if const { M::PLAIN && <P::Kind as Kind>::Policy::STORAGE } {
            let owner = &mut *self.owner.get();
            if let Some(subtract) = subtract
                && <N::Value<'_> as Produce<N::Kind>>::IS_READY
                && TypeId::of::<N::Kind>() == TypeId::of::<P::Kind>()
            {
                let term = b.evaluate().0.ready();
                let term = term.arg();
                let term: &dyn Any = <N::Kind as Kind>::Policy::value(&term);
                if let Some(term) = term.downcast_ref()
                    && self.part.add_term(owner.get_mut(), subtract, term)
                {
                    return;
                }
            }
            // The memory of the old part returns to the pool.
            let old = owner.part_ref(self.part.clone()).node;
            let new = Apply::binary(op, old, b).evaluate().0.value();
            self.part.put(owner.get_mut(), new);
        } else {
            let old = self.old_part().node;
            self.assign_node(Apply::binary(op, old, b));
        }
    }
    #[inline(always)]
    #[track_caller]
    fn assign_node<N: Node<Kind = P::Kind>>(&mut self, node: N) {
        let owner = &mut *self.owner.get();
        // Slots of other variables are not overwritten.
        let overwritten = K::Policy::STORAGE || M::RECORDS && Id::<K, M>::OWNED;
        if overwritten && !P::SAVES_WHOLE {
            M::assign_part(owner, self.part.clone(), node);
        } else {
            let node = Apply::binary(SetPart(self.part.clone()), owner.copied(), node);
            M::assign_node(owner, node);
        }
    }
}

/// A destination of an output: a variable, or a place, of which only this part is written and saved.
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
pub trait Writable<K: Kind, M: AnyMode>: OutputPlace<K, M> {
    /// The old value, as a node.
    type Old: Node<Kind = K>;
    /// Returns the old value.
    #[track_caller]
    fn old(&self) -> Expr<K, M, Self::Old>;
    /// Writes the value of an expression, in one statement.
    #[track_caller]
    fn write<N: Node<Kind = K>>(&mut self, node: N);
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
}
impl<K: Kind, M: AnyMode, P: Part<K>> Writable<P::Kind, M> for PlaceMut<'_, K, M, P> {
    type Old = PartLeaf<'static, K, P, M>;
    #[track_caller]
    fn old(&self) -> PartExpr<K, P, M> {
        self.old_part()
    }
    #[track_caller]
    fn write<N: Node<Kind = P::Kind>>(&mut self, node: N) {
        self.assign_node(node);
    }
}
impl<K: Kind, M: AnyMode, P: Part<K>> OutputPlace<P::Kind, M> for PlaceMut<'_, K, M, P> {
    #[track_caller]
    fn set(&mut self, variable: Active<P::Kind, M>) {
        self.assign_node(variable.copied());
    }
}
impl<K: Kind, M: AnyMode, P: Part<K>> RecordedOutput<P::Kind, M> for PlaceMut<'_, K, M, P> {
    type Target = PartTarget<K, P, <Id<K, M> as Identifier>::Ownership>;
    type Ready = ReadyPart<Val<P::Kind>>;
    type Made = ();
    const FRESH: bool = false;
    #[track_caller]
    fn prepare(
        &mut self,
        value: &TapeValue<P::Kind>,
        count: usize,
        tape: &mut TapeRecording,
        node: &dyn AnyNode,
    ) -> Result<Self::Ready, Option<Error>> {
        tape.reserve_for::<K>(count)?;
        tape.prepare_part(&mut *self.owner.get(), &self.part, value.peek(), node)
    }
    fn create(
        &mut self,
        ready: Self::Ready,
        value: TapeValue<P::Kind>,
        memory: &mut RecordedValues,
        lhs: &mut [u8],
    ) {
        let (owner, value) = (&mut *self.owner.get(), value.into_inner());
        <Self as RecordedOutput<P::Kind, M>>::Target::write(
            owner, &self.part, ready, value, memory, lhs,
        );
    }
    fn finish(&mut self, (): ()) {}
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Place<K, M, I> {
    #[inline(always)]
    fn as_part_mut(&mut self) -> PlaceMut<'_, K, M, K::Part> {
        let part = self.part();
        self.owner.part_mut(part)
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Writable<<K::Part as Part<K>>::Kind, M> for Place<K, M, I> {
    type Old = PartLeaf<'static, K, K::Part, M>;
    #[track_caller]
    fn old(&self) -> PartExpr<K, K::Part, M> {
        self.owner.part(self.part())
    }
    #[track_caller]
    fn write<N: Node<Kind = <K::Part as Part<K>>::Kind>>(&mut self, node: N) {
        self.as_part_mut().assign_node(node);
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> OutputPlace<<K::Part as Part<K>>::Kind, M>
    for Place<K, M, I>
{
    #[track_caller]
    fn set(&mut self, variable: Active<<K::Part as Part<K>>::Kind, M>) {
        self.as_part_mut().set(variable);
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> RecordedOutput<<K::Part as Part<K>>::Kind, M>
    for Place<K, M, I>
{
    type Target = PartTarget<K, K::Part, <Id<K, M> as Identifier>::Ownership>;
    type Ready = ReadyPart<Val<<K::Part as Part<K>>::Kind>>;
    type Made = ();
    const FRESH: bool = false;
    #[track_caller]
    fn prepare(
        &mut self,
        value: &TapeValue<<K::Part as Part<K>>::Kind>,
        count: usize,
        tape: &mut TapeRecording,
        node: &dyn AnyNode,
    ) -> Result<Self::Ready, Option<Error>> {
        self.as_part_mut().prepare(value, count, tape, node)
    }
    fn create(
        &mut self,
        ready: Self::Ready,
        value: TapeValue<<K::Part as Part<K>>::Kind>,
        memory: &mut RecordedValues,
        lhs: &mut [u8],
    ) {
        self.as_part_mut().create(ready, value, memory, lhs);
    }
    fn finish(&mut self, (): ()) {}
}

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// Returns a part of the variable, for writing.
    #[inline]
    pub fn part_mut<P: Part<K>>(&mut self, part: P) -> PlaceMut<'_, K, M, P> {
        let owner = Owner::Only(self);
        PlaceMut { owner, part }
    }
    /// Returns several parts of the variable, for writing, such as the outputs of one operation.
    ///
    /// # Panics
    /// If the parts overlap.
    #[track_caller]
    pub fn parts_mut<P: Part<K>, const N: usize>(
        &mut self,
        parts: [P; N],
    ) -> [PlaceMut<'_, K, M, P>; N] {
        for (j, second) in parts.iter().enumerate() {
            for (i, first) in parts[..j].iter().enumerate() {
                assert!(
                    first.is_disjoint(second, self.get()),
                    "places {i} and {j} of a variable of kind {} overlap: write them by separate statements",
                    K::NAME
                );
            }
        }
        let owner = Rc::new(RefCell::new(self));
        parts.map(|part| PlaceMut {
            owner: Owner::Shared(owner.clone()),
            part,
        })
    }
    /// Returns several places of the variable, for writing outputs in one statement.
    ///
    /// ```
    /// use entape_core::{kind, mode::Plain, op, store::PlaceIndex};
    ///
    /// #[op]
    /// fn rotate(#[ad_inout(y_b)] x: &mut f64, #[ad_inout(-x_b)] y: &mut f64) {
    ///     (*x, *y) = (-*y, *x);
    /// }
    ///
    /// # use entape_core::store::{Part, Stash};
    /// # #[kind(value = Vec<f64>, index = Owned, coordinates)]
    /// # struct List;
    /// # #[derive(Clone, Copy, Stash)]
    /// # struct At(usize);
    /// # impl Part<List> for At {
    /// #     type Kind = f64;
    /// #     fn get(&self, whole: &Vec<f64>) -> f64 { whole[self.0] }
    /// #     fn put(&self, whole: &mut Vec<f64>, x: f64) { whole[self.0] = x }
    /// # }
    /// # impl PlaceIndex<usize> for List {
    /// #     type Part = At;
    /// #     fn encode(_: &Vec<f64>, i: usize) -> usize { i }
    /// #     fn part(_: &Vec<f64>, i: usize) -> At { At(i) }
    /// # }
    /// let mut v = entape_core::expr::Active::<List, Plain>::passive(vec![1.0, 2.0, 3.0]);
    /// let [mut x, mut y] = v.places([0, 2]);
    /// rotate(&mut x, &mut y);
    /// assert_eq!(v.get(), &[-3.0, 2.0, 1.0]);
    /// ```
    ///
    /// # Panics
    /// If an index is out of range, or places overlap.
    #[track_caller]
    pub fn places<I, const N: usize>(
        &mut self,
        at: [I; N],
    ) -> [PlaceMut<'_, K, M, <K as PlaceIndex<I>>::Part>; N]
    where
        K: PlaceIndex<I>,
    {
        let value = self.get();
        let part = |index| K::part(value, K::encode(value, index));
        let parts = at.map(part);
        self.parts_mut(parts)
    }
}

/// A variable or a place of kind `K`, for parts of both.
pub trait Parted<K: Kind, M: AnyMode> {
    /// The kind of the variable.
    type Of: Kind;
    /// Part `Q` of the variable or place, as a part of the variable.
    type Part<Q: Part<K>>: Part<Self::Of, Kind = Q::Kind>;
    /// Passes the value to a function.
    fn inspect<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R;
    /// Returns a part for writing.
    fn place<Q: Part<K>>(&mut self, part: Q) -> PlaceMut<'_, Self::Of, M, Self::Part<Q>>;
    /// Returns a part as an operand, like [`Active::part`].
    #[track_caller]
    fn part_at<Q: Part<K>>(&self, part: Q) -> PartExpr<Self::Of, Self::Part<Q>, M>;
}
impl<K: Kind, M: AnyMode> Parted<K, M> for Active<K, M> {
    type Of = K;
    type Part<Q: Part<K>> = Q;
    fn inspect<R>(&self, f: impl FnOnce(&Val<K>) -> R) -> R {
        f(self.get())
    }
    fn place<Q: Part<K>>(&mut self, part: Q) -> PlaceMut<'_, K, M, Q> {
        self.part_mut(part)
    }
    #[track_caller]
    fn part_at<Q: Part<K>>(&self, part: Q) -> PartExpr<K, Q, M> {
        self.part(part)
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Parted<<K::Part as Part<K>>::Kind, M> for Place<K, M, I> {
    type Of = K;
    type Part<Q: Part<<K::Part as Part<K>>::Kind>> = Nested<K::Part, Q>;
    fn inspect<R>(&self, f: impl FnOnce(&Val<<K::Part as Part<K>>::Kind>) -> R) -> R {
        f(&self.part().get_ref(self.owner.get()))
    }
    fn place<Q>(&mut self, part: Q) -> PlaceMut<'_, K, M, Nested<K::Part, Q>>
    where
        Q: Part<<K::Part as Part<K>>::Kind>,
    {
        self.part_mut(part)
    }
    #[track_caller]
    fn part_at<Q>(&self, part: Q) -> PartExpr<K, Nested<K::Part, Q>, M>
    where
        Q: Part<<K::Part as Part<K>>::Kind>,
    {
        self.owner.part(Nested(self.part(), part))
    }
}
impl<K: Kind, M: AnyMode, P: Part<K>> Parted<P::Kind, M> for PlaceMut<'_, K, M, P> {
    type Of = K;
    type Part<Q: Part<P::Kind>> = Nested<P, Q>;
    fn inspect<R>(&self, f: impl FnOnce(&Val<P::Kind>) -> R) -> R {
        let part = match &self.owner {
            Owner::Only(owner) => self.part.get(owner.get()),
            Owner::Shared(owner) => self.part.get(Share::get(&**owner).get()),
            Owner::Within(owner) => self.part.get(owner.get().get()),
        };
        f(&part)
    }
    fn place<Q: Part<P::Kind>>(&mut self, part: Q) -> PlaceMut<'_, K, M, Nested<P, Q>> {
        let owner = match &mut self.owner {
            Owner::Only(owner) => Owner::Only(owner),
            Owner::Shared(owner) => Owner::Within(&**owner),
            Owner::Within(owner) => Owner::Within(*owner),
        };
        let part = Nested(self.part.clone(), part);
        PlaceMut { owner, part }
    }
    #[track_caller]
    fn part_at<Q: Part<P::Kind>>(&self, part: Q) -> PartExpr<K, Nested<P, Q>, M> {
        self.owner.part(Nested(self.part.clone(), part))
    }
}

macro_rules! compound { ($($Op:ident $Trait:ident $method:ident $subtract:expr;)*) => { $(
    impl<K: PlaceIndex<I>, M: AnyMode, I, B> ops::$Trait<B> for Place<K, M, I>
    where
        B: Rhs<<K::Part as Part<K>>::Kind, M, op::$Op, Node: Node>,
        op::$Op: Rule<<K::Part as Part<K>>::Kind, <B::Node as Node>::Kind, Out = <K::Part as Part<K>>::Kind>,
    {
        #[track_caller]
        fn $method(&mut self, b: B) {
            self.as_part_mut().$method(b);
        }
    }
    impl<K: Kind, M: AnyMode, P: Part<K>> PlaceMut<'_, K, M, P> {
        #[doc = concat!("Compound assignment with `", stringify!($Op), "`; one statement.")]
        #[track_caller]
        pub fn $method<B: Rhs<P::Kind, M, op::$Op, Node: Node>>(self, b: B)
        where op::$Op: Rule<P::Kind, <B::Node as Node>::Kind, Out = P::Kind> {
            self.compound(op::$Op, $subtract, b.into_rhs().node);
        }
    }
)* } }
compound! {
    Add AddAssign add_assign Some(false);
    Sub SubAssign sub_assign Some(true);
    Mul MulAssign mul_assign None;
    Div DivAssign div_assign None;
    Rem RemAssign rem_assign None;
}
