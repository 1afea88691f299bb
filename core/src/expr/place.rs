//! Places: parts of variables, to be read in expressions and to be written.
//!
//! `v[1]` is a [`Place`] for every kind that says what the index means
//! ([`PlaceIndex`](crate::kind::PlaceIndex)); a part that has no index form (a block) is a [`PlaceMut`].
//! Writing a part of a storage kind saves and records just that part; a value kind gets a new identifier
//! and value as a whole, which costs a statement with two arguments, and so does a variable of a storage kind of which the
//! write changes more than the part ([`Part::SAVES_WHOLE`]).
#![allow(unsafe_code)] // a reference to a place is a reference to its variable
use super::{
    Active, Apply, Beside, Expr, Id, IntoExpr, KindOf, LeafVisitor, Need, Node, Operand, OperandOf,
    Stored, Version,
    node::{AtHand, ConstantVisitor, Made, Produce, Shared},
    pieces::Direct,
    sweep_pieces::OfPart,
};
use crate::{
    kind::{
        Adjoint, Arg, Cell, Contribution, Hold, Kind, Nested, Part, PlaceIndex, Policy, Shape,
        Stash, Val, arg,
    },
    mode::{AnyMode, Identifier, Meta},
    op,
    rule::{Primals, Rule, Sink, Sinks},
    tape::{Access, NONE, Reader, Writer},
};
use std::{cell::OnceCell, marker::PhantomData, ops};

/// The place `v[i]` in a variable. It lives where the variable lives: a reference to it is a reference to
/// the variable that also knows the index.
#[repr(C)]
pub struct Place<K: Kind, M: AnyMode, I> {
    owner: Active<K, M>,
    _index: PhantomData<I>,
    /// Its length is the number of the part.
    number: [()],
}
impl<K: PlaceIndex<I>, M: AnyMode, I> ops::Index<I> for Active<K, M> {
    type Output = Place<K, M, I>;
    #[track_caller]
    fn index(&self, index: I) -> &Place<K, M, I> {
        let number = K::encode(self.get(), index);
        let place = std::ptr::slice_from_raw_parts(std::ptr::from_ref(self).cast::<()>(), number);
        // SAFETY: `Place` is `repr(C)`: an `Active` at offset 0 and then a zero-sized field and a slice of
        // zero-sized elements, whatever its length, so it has the size and the alignment of `Active`. The
        // pointer comes from a reference to an `Active`, and the result borrows it for as long.
        unsafe { &*(place as *const Place<K, M, I>) }
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> ops::IndexMut<I> for Active<K, M> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut Place<K, M, I> {
        let number = K::encode(self.get(), index);
        let place =
            std::ptr::slice_from_raw_parts_mut(std::ptr::from_mut(self).cast::<()>(), number);
        // SAFETY: as in `index`; the reference to the variable is unique, and so is the one to the place.
        unsafe { &mut *(place as *mut Place<K, M, I>) }
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Place<K, M, I> {
    fn part(&self) -> K::Part {
        K::part(self.owner.get(), self.number.len())
    }
    /// The value that stands at the place.
    pub fn value(&self) -> Val<<K::Part as Part<K>>::Kind> {
        self.part().get(self.owner.get())
    }
    /// Assigns an expression to the place; one statement.
    ///
    /// # Panics
    /// As [`Expr::eval`].
    #[track_caller]
    pub fn set(&mut self, to: impl OperandOf<<K::Part as Part<K>>::Kind, M>) {
        let part = self.part();
        self.owner.part_mut(part).assign(to);
    }
    /// Another name of [`set`](Self::set), as for variables.
    #[track_caller]
    pub fn assign(&mut self, to: impl OperandOf<<K::Part as Part<K>>::Kind, M>) {
        self.set(to);
    }
    /// A part of what stands at the place, as a place to write to; just this part is saved, if the variable is of a storage kind.
    pub fn part_mut<Q>(&mut self, part: Q) -> PlaceMut<'_, K, M, Nested<K::Part, Q>>
    where
        Q: Part<<K::Part as Part<K>>::Kind>,
    {
        let part = Nested(self.part(), part);
        self.owner.part_mut(part)
    }
}
impl<'a, K: PlaceIndex<I>, M: AnyMode, I> IntoExpr<M> for &'a Place<K, M, I> {
    type Kind = <K::Part as Part<K>>::Kind;
    type Node = PartLeaf<'a, K, K::Part, M>;
    fn into_expr(self) -> Expr<Self::Kind, M, Self::Node> {
        Expr::new(PartLeaf::new(&self.owner, self.part()))
    }
}

/// A part of a variable, to be written.
#[must_use = "a place is there to be assigned to"]
pub struct PlaceMut<'a, K: Kind, M: AnyMode, P> {
    owner: &'a mut Active<K, M>,
    part: P,
}
impl<K: Kind, M: AnyMode, P: Part<K>> PlaceMut<'_, K, M, P> {
    /// Assigns an expression; one statement.
    ///
    /// # Panics
    /// As [`Expr::eval`].
    #[inline(always)]
    #[track_caller]
    pub fn assign(self, to: impl OperandOf<P::Kind, M>) {
        self.assign_node(to.operand().into_expr().node);
    }
    /// Another name of [`assign`](Self::assign), as for variables.
    #[track_caller]
    pub fn set(self, to: impl OperandOf<P::Kind, M>) {
        self.assign(to);
    }
    #[inline(always)]
    #[track_caller]
    fn assign_node<N: Node<Kind = P::Kind>>(self, node: N) {
        if K::Policy::STORAGE && !P::SAVES_WHOLE {
            M::assign_part(self.owner, self.part, node);
        } else {
            let node = Apply::binary(SetPart(self.part), self.owner.copied(), node);
            M::assign(self.owner, node);
        }
    }
}

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// A part of the variable as an operand. DSL crates name the parts: elements, blocks, lanes.
    ///
    /// The variable is not borrowed, so that it can be written by the expression; an expression that is kept
    /// until after another write is refused where it is evaluated.
    ///
    /// # Panics
    /// If the part lies outside of the value.
    #[track_caller]
    pub fn part<P: Part<K>>(&self, part: P) -> PartExpr<K, P, M> {
        Expr::new(PartLeaf::new(self, part))
    }
    /// A part of the variable as an operand that borrows it; the part is not copied if it is read piece by
    /// piece ([`Part::PIECES`]).
    ///
    /// # Panics
    /// If the part lies outside of the value.
    #[track_caller]
    pub fn part_ref<P: Part<K>>(&self, part: P) -> Expr<P::Kind, M, PartRef<'_, K, P, M>> {
        Expr::new(PartRef { owner: self, part })
    }
    /// A part of the variable as a place to write to.
    pub fn part_mut<P: Part<K>>(&mut self, part: P) -> PlaceMut<'_, K, M, P> {
        PlaceMut { owner: self, part }
    }
    /// The element at `index` as an operand that does not borrow the variable, so that it can stand on the
    /// right side of an assignment to the same variable. As for [`part`](Self::part), it is not to be kept until
    /// after another write:
    /// ```should_panic
    /// # use entape_core::{kind, tape::Tape};
    /// # #[kind(parts(x: f64, y: f64))]
    /// # #[derive(Clone, Copy, Default, PartialEq)]
    /// # pub struct Point { x: f64, y: f64 }
    /// use entape_core::mode::Reuse;
    /// let mut tape = Tape::<Reuse>::default();
    /// let mut p = tape.input(Point { x: 3.0, y: 4.0 });
    /// tape.record(|| {
    ///     let square = p.at(Point::X) * p.at(Point::X);
    ///     p[Point::X].set(1.0);
    ///     square.eval(); // of which value?
    /// });
    /// ```
    #[track_caller]
    pub fn at<I>(&self, index: I) -> PartExpr<K, <K as PlaceIndex<I>>::Part, M>
    where
        K: PlaceIndex<I>,
    {
        let number = K::encode(self.get(), index);
        self.part(K::part(self.get(), number))
    }
    /// `self[index] = to`, where `to` may contain `self.at(..)`.
    ///
    /// Of a variable in a `Vec`, `rows[i].set_at(j, rows[i].at(k) * 2.0)` borrows `rows` to be written before the right side
    /// is made (E0502): bind it first, `let e = rows[i].at(k) * 2.0; rows[i].set_at(j, e);`.
    #[track_caller]
    pub fn set_at<I>(&mut self, index: I, to: impl OperandOf<<K::Part as Part<K>>::Kind, M>)
    where
        K: PlaceIndex<I>,
    {
        let number = K::encode(self.get(), index);
        let part = K::part(self.get(), number);
        self.part_mut(part).assign(to);
    }
}

/// Compound assignment to places.
macro_rules! compound { ($($Op:ident $Trait:ident $method:ident $at:ident;)*) => { $(
    impl<K: PlaceIndex<I>, M: AnyMode, I, B> ops::$Trait<B> for Place<K, M, I>
    where
        B: Beside<<K::Part as Part<K>>::Kind, op::$Op, Operand: Operand<M>>,
        op::$Op: Rule<<K::Part as Part<K>>::Kind, KindOf<B::Operand, M>, Out = <K::Part as Part<K>>::Kind>,
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
        pub fn $method<B: Beside<P::Kind, op::$Op, Operand: Operand<M>>>(self, b: B)
        where op::$Op: Rule<P::Kind, KindOf<B::Operand, M>, Out = P::Kind> {
            let old = self.owner.part(self.part.clone()).node;
            self.assign_node(Apply::binary(op::$Op, old, b.operand().into_expr().node));
        }
    }
    impl<K: Kind, M: AnyMode> Active<K, M> {
        #[doc = concat!("Compound assignment with `", stringify!($Op), "` to the element at `index`; the right side may contain `self.at(..)`.")]
        #[track_caller]
        pub fn $at<I, B>(&mut self, index: I, b: B)
        where
            K: PlaceIndex<I>,
            B: Beside<<K::Part as Part<K>>::Kind, op::$Op, Operand: Operand<M>>,
            op::$Op: Rule<<K::Part as Part<K>>::Kind, KindOf<B::Operand, M>, Out = <K::Part as Part<K>>::Kind>,
        {
            let number = K::encode(self.get(), index);
            let part = K::part(self.get(), number);
            self.part_mut(part).$method(b);
        }
    }
)* } }
compound! {
    Add AddAssign add_assign add_at;
    Sub SubAssign sub_assign sub_at;
    Mul MulAssign mul_assign mul_at;
    Div DivAssign div_assign div_at;
    Rem RemAssign rem_assign rem_at;
}

/// A part of a variable as an expression.
pub type PartExpr<K, P, M> = Expr<<P as Part<K>>::Kind, M, PartLeaf<'static, K, P, M>>;

/// A part of a variable as a leaf: identifier and part, and the part's value. It borrows the variable for `'a`;
/// if that is `'static`, it does not, and the version tells whether the variable was written since.
pub struct PartLeaf<'a, K: Kind, P: Part<K>, M: AnyMode> {
    meta: Meta,
    version: Version<K, M>,
    part: P,
    value: Cell<P::Kind>,
    _of: PhantomData<&'a Active<K, M>>,
}
impl<K: Kind, P: Part<K>, M: AnyMode> PartLeaf<'_, K, P, M> {
    #[track_caller]
    fn new(x: &Active<K, M>, part: P) -> Self {
        let value = Hold::hold(part.get(x.get()));
        PartLeaf {
            meta: x.meta(),
            version: x.version(),
            part,
            value,
            _of: PhantomData,
        }
    }
}
impl<K: Kind, P: Part<K>, M: AnyMode> Clone for PartLeaf<'_, K, P, M> {
    fn clone(&self) -> Self {
        PartLeaf {
            part: self.part.clone(),
            value: self.value.clone(),
            ..*self
        }
    }
}
impl<K: Kind, P: Part<K>, M: AnyMode> Node for PartLeaf<'_, K, P, M> {
    type Kind = P::Kind;
    type Stored = TapePart<K, P>;
    type Value<'n>
        = Shared<'n, P::Kind>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    fn copy(&self) -> Self {
        self.clone()
    }
    fn forward(&self) -> (Shared<'_, P::Kind>, ()) {
        (Shared(&self.value), ())
    }
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.copied::<K>(self.meta, self.version);
    }
    fn constants(&self, _: &mut impl ConstantVisitor, _: Need) {}
    fn write(&self, (): (), writer: &mut Writer<'_>, need: Need) {
        write_part::<K, P, M>(self.meta, &self.part, || self.value.clone(), writer, need);
    }
}

/// A part of a variable that is referred to.
pub struct PartRef<'a, K: Kind, P, M: AnyMode> {
    owner: &'a Active<K, M>,
    part: P,
}
impl<K: Kind, P: Clone, M: AnyMode> Clone for PartRef<'_, K, P, M> {
    fn clone(&self) -> Self {
        PartRef {
            owner: self.owner,
            part: self.part.clone(),
        }
    }
}
impl<K: Kind, P: Copy, M: AnyMode> Copy for PartRef<'_, K, P, M> {}
impl<K: Kind, P: Part<K>, M: AnyMode> Node for PartRef<'_, K, P, M> {
    type Kind = P::Kind;
    type Stored = TapePart<K, P>;
    type Value<'n>
        = LentPart<'n, K, P>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    #[inline(always)]
    fn copy(&self) -> Self {
        self.clone()
    }
    #[inline(always)]
    fn forward(&self) -> (Self::Value<'_>, ()) {
        let (whole, part) = (self.owner.get(), &self.part);
        let made = (!P::PIECES).then(|| Box::new(Made(part.get(whole))));
        (LentPart { whole, part, made }, ())
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variable::<K>(self.owner.meta());
    }
    #[inline(always)]
    fn constants(&self, _: &mut impl ConstantVisitor, _: Need) {}
    #[inline(always)]
    fn write(&self, (): (), writer: &mut Writer<'_>, need: Need) {
        let value = || Hold::hold(self.part.get(self.owner.get()));
        write_part::<K, P, M>(self.owner.meta(), &self.part, value, writer, need);
    }
}
/// A part of a leaf's value: a copy, or what is read where it stands.
pub struct LentPart<'n, K: Kind, P: Part<K>> {
    whole: &'n Val<K>,
    part: &'n P,
    /// A copy is rare, and expressions move as they grow.
    made: Option<Box<Made<P::Kind>>>,
}
impl<K: Kind, P: Part<K>> Produce<P::Kind> for LentPart<'_, K, P> {
    type Ready = Made<P::Kind>;
    #[inline(always)]
    fn ready(self) -> Made<P::Kind> {
        let LentPart { whole, part, made } = self;
        match made {
            Some(made) => *made,
            None => Made(part.get(whole)),
        }
    }
    type Pieces<'p>
        = Direct<'p, P::Kind>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> Direct<'_, P::Kind> {
        match &self.made {
            Some(made) => Direct::new(Some(made.arg())),
            None => Direct::within(arg::<K>(self.whole), self.part),
        }
    }
    #[inline(always)]
    fn shape(&self) -> Shape<P::Kind> {
        match &self.made {
            Some(made) => made.shape(),
            None => self.part.shape(),
        }
    }
}

fn write_part<K: Kind, P: Part<K>, M: AnyMode>(
    meta: Meta,
    part: &P,
    value: impl FnOnce() -> Cell<P::Kind>,
    writer: &mut Writer<'_>,
    need: Need,
) {
    let passive = writer.mixed() && meta.is_passive();
    writer.id(if passive { NONE } else { meta.id });
    part.clone().stash(writer);
    if passive {
        if need.value() {
            writer.loose::<P::Kind>(value());
        }
    } else if Id::<K, M>::OWNED && (need.value() || !P::KNOWS_SHAPE) {
        // A part that does not know the shape of the whole takes it from the value.
        writer.mark_read::<K>(meta.id);
    }
}

/// A part of a variable on the tape.
pub struct TapePart<K: Kind, P: Part<K>> {
    id: u32,
    part: P,
    mixed: bool,
    /// The variable that the part is read from piece by piece.
    whole: Option<Cell<K>>,
    /// The part's value, for parts with pieces not before it is asked for.
    value: OnceCell<Option<Cell<P::Kind>>>,
}
impl<K: Kind, P: Part<K>> TapePart<K, P> {
    #[inline(always)]
    pub(super) fn id(&self) -> u32 {
        self.id
    }
    #[inline(always)]
    pub(super) fn part(&self) -> &P {
        &self.part
    }
    #[inline(always)]
    pub(super) fn whole(&self) -> Option<Arg<'_, K>> {
        self.whole.as_ref().map(|whole| arg::<K>(whole.peek()))
    }
    fn own_cell(&self) -> &Option<Cell<P::Kind>> {
        self.value.get_or_init(|| {
            let whole = self.whole.as_ref()?;
            Some(Hold::hold(self.part.get(whole.peek())))
        })
    }
}
impl<K: Kind, P: Part<K>> Stored for TapePart<K, P> {
    type Kind = P::Kind;
    type Pieces = OfPart;
    const ACTIVE: bool = true;
    const FIXED: [usize; 3] = [4 + P::BYTES; 3];
    const CONSTANTS: [usize; 3] = [0; 3];
    const DYNAMIC: bool = false;
    const READS_RESULT: bool = false;
    #[inline(always)]
    fn load(
        reader: &mut Reader<'_>,
        stores: &mut Access<'_>,
        need: Need,
        _: Option<Cell<P::Kind>>,
    ) -> Self {
        let id = reader.id();
        let part = P::fetch(reader);
        let mixed = reader.mixed();
        let (value, mut whole) = (OnceCell::new(), None);
        if need.value() {
            if mixed && id == NONE {
                let _ = value.set(Some(reader.loose::<P::Kind>()));
            } else if P::PIECES {
                let cell = stores.get::<K>().primal(id);
                part.read_soon(cell.peek());
                whole = Some(cell.clone());
            } else {
                let part = part.get(stores.get::<K>().primal(id).peek());
                let _ = value.set(Some(Hold::hold(part)));
            }
        }
        TapePart {
            id,
            part,
            mixed,
            whole,
            value,
        }
    }
    fn value(&self) -> Option<Arg<'_, P::Kind>> {
        let cell = self.own_cell().as_ref();
        cell.map(|v| arg::<P::Kind>(v.peek()))
    }
    fn cell(&self) -> Option<Cell<P::Kind>> {
        self.own_cell().clone()
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        !self.mixed || self.id != NONE
    }
    fn pull<C: Contribution<P::Kind>>(&self, contribution: C, stores: &mut Access<'_>) {
        let value = contribution.materialise();
        let like = (!P::KNOWS_SHAPE).then(|| stores.get::<K>().primal(self.id).clone());
        stores.add_to_adjoint::<K>(self.id, |adjoint| {
            let whole = adjoint.value_mut(|| match &like {
                Some(like) => K::zero_like(like.peek()),
                None => self.part.zero(),
            });
            self.part.add(whole, value);
        });
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        if self.is_active() {
            to(K::NAME, self.id);
        }
    }
}

/// The operation "the whole with one part replaced", which writes a part where the value is made anew.
#[derive(Clone, Copy, Debug, Stash)]
pub struct SetPart<P>(pub P);
impl<K: Kind, P: Part<K>> Rule<K, P::Kind> for SetPart<P> {
    type Out = K;
    type Saved = ();
    const READS: [u8; 3] = [0, 0, 0];
    fn primal<'p>(&self, whole: Arg<'p, K>, part: Arg<'p, P::Kind>, (): ()) -> (Val<K>, ()) {
        let mut r = K::Policy::value(&whole).clone();
        self.0
            .put(&mut r, <P::Kind as Kind>::Policy::value(&part).clone());
        (r, ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, K, P::Kind, (), K>,
        (): &(),
        r_b: Arg<'_, K>,
        mut sinks: impl Sinks<K, P::Kind>,
    ) {
        let mut rest = K::Policy::value(&r_b).clone();
        let part_b = self.0.take_value(&mut rest);
        if sinks.a().wants() {
            sinks.a().add(rest);
        }
        if sinks.b().wants() {
            sinks.b().add(part_b);
        }
    }
}
