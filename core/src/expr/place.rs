//! Places: parts of variables.
//!
//! `v[1]` is a [`Place`] for every [`PlaceIndex`]. A part without an index, such as a block, is a
//! [`PlaceMut`](crate::mode::PlaceMut). Writing a part of a storage kind saves only this part. A variable of a value
//! kind, or whose part [saves the whole](Part::SAVES_WHOLE), gets a new value by a statement with two arguments.
#![allow(unsafe_code)] // a reference to a place is a reference to its variable
use super::{Active, BorrowedVariableCell, Expr, Id, IntoExpr, VariableCellOf, VersionOf};
use crate::{
    differences::Findings,
    eval::Whole,
    formula::Formula,
    kind::Carrier,
    kind::{
        self, Adjoint, Arg, At, Contribution, Identifier, Incoming, Kind, Layout, NONE, Need,
        Passed, Piece, PieceBlock, Policy, Shape, Single, TapeCell, TapeValue, Val, VariableId,
        arg,
    },
    node::{
        ArrayLeaf, Description, Direct, Evaluated, ExpressionVisitor, LeafNode, LeafVisitor,
        NamedId, Node, NodeTangents, NumberPart, OwnedValue, Produce, Stored, StoredActivity,
        StoredPieces, Tree, ValuesOf,
    },
    order::Order,
    rule::{ArgumentTangent, Primals, Rule, Sink, Sinks},
    sealed::Sealed,
    store::{
        BasePart, Derived, Part, PlaceIndex, Reader, Stash, Writer, add_part, term, test_part,
    },
    sweep::{Directional, ReadValues, Slots, Sweep},
};
use std::{any::type_name, cell::OnceCell, fmt, marker::PhantomData, ops};

/// The place `v[i]` in a variable.
///
/// ```
/// use entape_core::{kind, tape::Tape};
///
/// #[kind(parts(x: f64, y: f64))]
/// #[derive(Clone, Copy, Default, PartialEq)]
/// pub struct Point {
///     x: f64,
///     y: f64,
/// }
/// let mut tape = Tape::new();
/// let input = tape.input(Point { x: 3.0, y: 4.0 });
/// let r = tape.record(|| {
///     let mut p = input;
///     p[Point::X] *= 2.0;
///     p[Point::Y].assign(&input[Point::X] * 2.0);
///     (&p[Point::X] * &p[Point::Y]).eval() // 6 * 6
/// });
/// assert_eq!(r, 36.0);
/// let gradient = tape.gradient(&r)?.wrt(&input)?;
/// assert_eq!((gradient.x, gradient.y), (24.0, 0.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// A reference to a place is a reference to the variable that also contains the index.
#[repr(C)]
pub struct Place<K: Kind, M: Carrier, I> {
    pub(crate) owner: Active<K, M>,
    _index: PhantomData<I>,
    /// The number of the part, as a length.
    number: [()],
}
impl<K: PlaceIndex<I>, M: Carrier, I> fmt::Debug for Place<K, M, I>
where
    Val<<K::Part as Part<K>>::Kind>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("value", &self.value())
            .finish()
    }
}
impl<K: PlaceIndex<I>, M: Carrier, I> ops::Index<I> for Active<K, M> {
    type Output = Place<K, M, I>;
    #[track_caller]
    fn index(&self, index: I) -> &Place<K, M, I> {
        let number = K::encode(self.get(), index);
        let place = std::ptr::slice_from_raw_parts(std::ptr::from_ref(self).cast::<()>(), number);
        // SAFETY: `Place` is `repr(C)`: an `Active` at offset 0, followed by a zero-sized field and a slice of
        // zero-sized elements of any length. It therefore has the size and the alignment of `Active`. The pointer comes
        // from a reference to an `Active`, and the result borrows it for the same lifetime.
        unsafe { &*(place as *const Place<K, M, I>) }
    }
}
impl<K: PlaceIndex<I>, M: Carrier, I> ops::IndexMut<I> for Active<K, M> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut Place<K, M, I> {
        let number = K::encode(self.get(), index);
        let place =
            std::ptr::slice_from_raw_parts_mut(std::ptr::from_mut(self).cast::<()>(), number);
        // SAFETY: as in `index`; the reference to the variable is unique, and so is the reference to the place.
        unsafe { &mut *(place as *mut Place<K, M, I>) }
    }
}
impl<K: Derived, M: Carrier> ops::Deref for Active<K, M> {
    type Target = Place<K, M, BasePart<K>>;
    fn deref(&self) -> &Self::Target {
        &self[BasePart::new()]
    }
}
impl<K: Derived, M: Carrier> ops::DerefMut for Active<K, M> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self[BasePart::new()]
    }
}
impl<K: PlaceIndex<I>, M: Carrier, I> Place<K, M, I> {
    pub(crate) fn part(&self) -> K::Part {
        K::part(self.owner.get(), self.number.len())
    }
    /// Returns the value at the place.
    pub fn value(&self) -> Val<<K::Part as Part<K>>::Kind> {
        self.part().get(self.owner.get())
    }
}
impl<'a, K: PlaceIndex<I>, M: Carrier, I> IntoExpr<M> for &'a Place<K, M, I> {
    type Kind = <K::Part as Part<K>>::Kind;
    type Node = PartLeaf<'a, K, K::Part, M>;
    #[track_caller]
    fn into_expr(self) -> Expr<Self::Kind, M, Self::Node> {
        let part = self.part();
        self.owner.test_part(&part);
        Expr::new(PartLeaf::new(&self.owner, part))
    }
}

impl<K: Kind, M: Carrier> Active<K, M> {
    #[inline(always)]
    #[track_caller]
    fn test_part<P: Part<K>>(&self, part: &P) {
        if cfg!(debug_assertions) && !self.variable_id().is_passive() {
            test_part(part, self.get(), false);
        }
    }
    /// Returns a part of the variable as an operand: an element, a block, a lane.
    ///
    /// The variable is not borrowed. A write before the evaluation invalidates the expression.
    ///
    /// # Panics
    /// If the part is outside of the value.
    #[track_caller]
    pub fn part<P: Part<K>>(&self, part: P) -> PartExpr<K, P, M> {
        self.test_part(&part);
        Expr::new(PartLeaf::new(self, part))
    }
    /// Like [`part`](Self::part), but borrows the variable instead of copying [pieces](Part::PIECES).
    ///
    /// # Panics
    /// If the part is outside of the value.
    #[track_caller]
    pub fn part_ref<P: Part<K>>(&self, part: P) -> Expr<P::Kind, M, PartRef<'_, K, P, M>> {
        self.test_part(&part);
        Expr::new(PartRef { owner: self, part })
    }
    /// Returns an element as a [`part`](Self::part), for an assignment to the variable. Evaluate it before the next
    /// write:
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
    ///     p[Point::X].assign(1.0);
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
}

/// A part of a variable as an expression.
pub type PartExpr<K, P, M> = Expr<<P as Part<K>>::Kind, M, PartLeaf<'static, K, P, M>>;

/// A part as a leaf, which borrows the variable, or for `'a = 'static` detects later writes.
pub struct PartLeaf<'a, K: Kind, P: Part<K>, M: Carrier> {
    variable: VariableId,
    version: VersionOf<K, M>,
    part: P,
    held: VariableCellOf<P::Kind, M>,
    _of: PhantomData<&'a Active<K, M>>,
}
debug_by_name! { ['a, K: Kind, P: Part<K>, M: Carrier] PartLeaf<'a, K, P, M> }
impl<K: Kind, P: Part<K>, M: Carrier> PartLeaf<'_, K, P, M> {
    #[track_caller]
    fn new(x: &Active<K, M>, part: P) -> Self {
        use crate::kind::VariableCell;

        let value = TapeCell::new(part.get(x.get()));
        let mut held = <P::Kind as Kind>::Policy::held::<M, _>(value, P::Kind::zero_like);
        let tangents = (0..).map_while(|j| x.held().tangent(j)).enumerate();
        tangents.for_each(|(j, tangent)| {
            *held.tangent_mut(j, P::Kind::zero_like) = part.get(tangent);
        });
        PartLeaf {
            variable: x.variable_id(),
            version: x.version(),
            part,
            held,
            _of: PhantomData,
        }
    }
}
impl<K: Kind, P: Part<K>, M: Carrier> Clone for PartLeaf<'_, K, P, M> {
    fn clone(&self) -> Self {
        PartLeaf {
            part: self.part.clone(),
            held: self.held.clone(),
            ..*self
        }
    }
}
impl<K: Kind, P: Part<K>, M: Carrier> Sealed for PartLeaf<'_, K, P, M> {}
impl<K: Kind, P: Part<K>, M: Carrier> Node for PartLeaf<'_, K, P, M> {
    type Kind = P::Kind;
    type Stored = TapePart<K, P>;
    type Value<'n>
        = BorrowedVariableCell<'n, P::Kind, M>
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
    fn evaluate(&self) -> (BorrowedVariableCell<'_, P::Kind, M>, ()) {
        (BorrowedVariableCell::new(&self.held), ())
    }
    type Ready<'n>
        = BorrowedVariableCell<'n, P::Kind, M>
    where
        Self: 'n;
    fn push<const N: usize>(
        &self,
    ) -> (
        BorrowedVariableCell<'_, P::Kind, M>,
        NodeTangents<'_, P::Kind, N>,
    ) {
        (
            BorrowedVariableCell::new(&self.held),
            NodeTangents::borrowed(kind::VariableCell::tangents(&self.held)),
        )
    }
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.copied::<K>(self.variable, Id::<K, M>::of_slot(self.version));
    }
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        write_part::<K, P, M, NEED>(
            self.variable,
            &self.part,
            || <P::Kind as Kind>::Policy::cell::<M, _>(&self.held),
            writer,
        );
    }
}

/// A part of a variable by reference.
pub struct PartRef<'a, K: Kind, P, M: Carrier> {
    owner: &'a Active<K, M>,
    part: P,
}
debug_by_name! { ['a, K: Kind, P, M: Carrier] PartRef<'a, K, P, M> }
impl<K: Kind, P: Clone, M: Carrier> Clone for PartRef<'_, K, P, M> {
    fn clone(&self) -> Self {
        PartRef {
            owner: self.owner,
            part: self.part.clone(),
        }
    }
}
impl<K: Kind, P: Copy, M: Carrier> Copy for PartRef<'_, K, P, M> {}
impl<K: Kind, P: Part<K>, M: Carrier> Sealed for PartRef<'_, K, P, M> {}
impl<K: Kind, P: Part<K>, M: Carrier> Node for PartRef<'_, K, P, M> {
    type Kind = P::Kind;
    type Stored = TapePart<K, P>;
    type Value<'n>
        = BorrowedPart<'n, K, P>
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
    fn evaluate(&self) -> (Self::Value<'_>, ()) {
        let (whole, part) = (self.owner.get(), &self.part);
        let made = (!P::PIECES).then(|| Box::new(OwnedValue(part.get(whole))));
        (BorrowedPart { whole, part, made }, ())
    }
    type Ready<'n>
        = OwnedValue<P::Kind>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (OwnedValue<P::Kind>, NodeTangents<'_, P::Kind, N>) {
        let tangents = self.owner.tangents_ref::<N>();
        let tangents = tangents.map(|t| t.each_ref().map(|t| self.part.get(t)));
        (
            OwnedValue(self.part.get(self.owner.get())),
            NodeTangents::owned(tangents),
        )
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variable::<K>(self.owner.variable_id());
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        let value = || TapeCell::new(self.part.get(self.owner.get()));
        write_part::<K, P, M, NEED>(self.owner.variable_id(), &self.part, value, writer);
    }
}
/// A part of a leaf's value, copied or in place.
pub struct BorrowedPart<'n, K: Kind, P: Part<K>> {
    whole: &'n Val<K>,
    part: &'n P,
    /// Boxed because copies are rare and expressions are moved.
    made: Option<Box<OwnedValue<P::Kind>>>,
}
debug_by_name! { ['n, K: Kind, P: Part<K>] BorrowedPart<'n, K, P> }
impl<K: Kind, P: Part<K>> Produce<P::Kind> for BorrowedPart<'_, K, P> {
    type Ready = OwnedValue<P::Kind>;
    #[inline(always)]
    fn ready(self) -> OwnedValue<P::Kind> {
        let BorrowedPart { whole, part, made } = self;
        match made {
            Some(made) => *made,
            None => OwnedValue(part.get(whole)),
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

fn write_part<K: Kind, P: Part<K>, M: Carrier, const NEED: u8>(
    variable: VariableId,
    part: &P,
    value: impl FnOnce() -> TapeValue<P::Kind>,
    writer: &mut Writer<'_>,
) {
    let passive = writer.mixed() && variable.is_passive();
    writer.id(if passive { NONE } else { variable.id });
    part.clone().stash(writer);
    if passive {
        if const { Need::of(NEED).value() } {
            writer.passive::<P::Kind>(value());
        }
    } else if Id::<K, M>::OWNED && (Need::of(NEED).value() || !P::KNOWS_SHAPE) {
        writer.mark_read::<K>(variable.id);
    }
}

/// A part of a variable on the tape.
pub struct TapePart<K: Kind, P: Part<K>> {
    id: u32,
    part: P,
    mixed: bool,
    whole: Option<TapeValue<K>>,
    /// A part with pieces is copied on request.
    value: OnceCell<Option<TapeValue<P::Kind>>>,
}
debug_by_name! { [K: Kind, P: Part<K>] TapePart<K, P> }
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
    fn own_cell(&self) -> &Option<TapeValue<P::Kind>> {
        self.value.get_or_init(|| {
            let whole = self.whole.as_ref()?;
            Some(TapeCell::new(self.part.get(whole.peek())))
        })
    }
}
impl<K: Kind, P: Part<K>> Stored for TapePart<K, P> {
    type Kind = P::Kind;
    type Pieces = OfPart;
    const FORMULA: Formula = Formula::Part(type_name::<K>, type_name::<P>);
    const TREE: &'static Tree = if P::Kind::NUMBERS {
        &Tree::Part(const { &NumberPart::of::<K, P>() })
    } else if P::PIECES && <P::Kind as Kind>::Layout::NUMBERS {
        &Tree::Array(const { &ArrayLeaf::part::<K, P>() })
    } else {
        &Tree::Other
    };
    const ACTIVE: bool = true;
    const FIXED: [usize; 3] = [4 + P::BYTES; 3];
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<P::Kind>>,
    ) -> Self {
        let id = reader.id();
        let part = P::fetch(reader);
        let mixed = reader.mixed();
        let (value, mut whole) = (OnceCell::new(), None);
        if const { Need::of(NEED).value() } {
            if mixed && id == NONE {
                let _ = value.set(Some(reader.passive::<P::Kind>()));
            } else if P::PIECES {
                let cell = sweep.primal::<K>(id);
                part.read_soon(cell.peek());
                whole = Some(cell.clone());
            } else {
                let part = part.get(sweep.primal::<K>(id).peek());
                let _ = value.set(Some(TapeCell::new(part)));
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
    fn cell(&self) -> Option<TapeValue<P::Kind>> {
        self.own_cell().clone()
    }
    fn again(&self, sweep: &mut impl Sweep, _: &mut Findings) -> Option<Val<P::Kind>> {
        if !self.is_active() {
            return Some(self.own_cell().as_ref()?.peek().clone());
        }
        let whole = sweep.primal::<K>(self.id).peek();
        test_part(&self.part, whole, true);
        Some(self.part.get(whole))
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        !self.mixed || self.id != NONE
    }
    fn pull<C: Contribution<P::Kind>>(&self, contribution: C, sweep: &mut impl Sweep) {
        let Some(value) = term::<P::Kind>(contribution) else {
            return;
        };
        let like = (!P::KNOWS_SHAPE).then(|| sweep.primal::<K>(self.id).clone());
        sweep.add_to_adjoint::<K>(self.id, |adjoint| {
            add_part::<K, P>(
                &self.part,
                adjoint,
                value,
                like.as_ref().map(TapeCell::peek),
            );
        });
    }
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<P::Kind> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        if self.is_active() {
            to.variable(NamedId::of::<K>(self.id));
        } else {
            to.passive();
        }
    }
}
impl<K: Kind, P: Part<K>> LeafNode for TapePart<K, P> {
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        self.is_active() && sweep.depends::<K>(self.id)
    }
    fn tangent_of_leaf(&self, sweep: &mut Directional<'_, '_, '_>) -> Single<Val<P::Kind>> {
        if !self.is_active() {
            return Single::None;
        }
        let whole = sweep.tangent::<K>(self.id);
        whole
            .get()
            .map_or(Single::None, |whole| Single::Value(self.part.get(whole)))
    }
}

/// Returns the whole with one part replaced.
#[derive(Clone, Copy, Debug, Stash)]
pub struct SetPart<P>(pub P);
impl<K: Kind, P: Part<K>> Rule<K, P::Kind> for SetPart<P> {
    type Out = K;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0, 0, 0];
    fn test(&self, whole: &Val<K>) {
        test_part(&self.0, whole, true);
    }
    fn primal<'p>(&self, whole: Arg<'p, K>, part: Arg<'p, P::Kind>, (): ()) -> (Val<K>, ()) {
        let mut r = K::Policy::value(&whole).clone();
        test_part(&self.0, &r, false);
        self.0
            .put(&mut r, <P::Kind as Kind>::Policy::value(&part).clone());
        (r, ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, K, P::Kind, (), K>,
        (): &(),
        r_b: Incoming<'_, K>,
        mut sinks: impl Sinks<K, P::Kind>,
    ) {
        let r_b = r_b.get();
        let mut rest = K::Policy::value(&r_b).clone();
        let part_b = self.0.take_value(&mut rest);
        if sinks.a().wants() {
            sinks.a().add(Passed(rest));
        }
        if sinks.b().wants() {
            sinks.b().add(part_b);
        }
    }
    const ORDER: Order = Order::Second;
    const MARKS: bool = true;
    fn tangent(
        &self,
        p: Primals<'_, K, P::Kind, (), K>,
        (): &(),
        t: ArgumentTangent<'_, K, P::Kind>,
    ) -> Option<Val<K>> {
        let r = p.r.as_ref().map(K::Policy::value);
        let mut whole = match (t.a, r) {
            (Some(whole), _) => whole.clone(),
            (None, Some(r)) => K::unset_tangent(r),
            // Value kinds provide the zero.
            (None, None) => K::unset_tangent(&self.0.zero()),
        };
        let part = match t.b {
            Some(part) => part.clone(),
            None => <P::Kind as Kind>::unset_tangent(&self.0.get(&whole)),
        };
        self.0.put(&mut whole, part);
        Some(whole)
    }
}

/// Boxed because parts are rarely collected as a whole.
type Rare<A> = Option<Box<A>>;
fn unset<K: Kind, P: Part<K>>() -> Box<<P::Kind as Kind>::Adjoint> {
    Box::new(Adjoint::unset())
}
#[derive(Clone, Copy, Debug)]
pub struct OfPart;
impl<K: Kind, P: Part<K>> StoredPieces<TapePart<K, P>> for OfPart {
    type Source<'s> = Direct<'s, P::Kind, StoredActivity<TapePart<K, P>>>;
    type Sums = Rare<<P::Kind as Kind>::Adjoint>;
    type Blocks = PieceBlock<P::Kind>;
    #[inline(always)]
    fn source<'s>(node: &'s TapePart<K, P>, _: &'s impl Slots) -> Self::Source<'s> {
        match node.whole() {
            Some(whole) => Direct::within(whole, node.part()),
            None => Direct::new(node.value()),
        }
    }
    #[inline(always)]
    fn open(
        node: &TapePart<K, P>,
        shape: Shape<P::Kind>,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    ) {
        if !node.is_active() {
            return;
        }
        if P::PIECES {
            sweep.add_to_adjoint::<K>(
                node.id(),
                #[inline(always)]
                |adjoint| node.part().open(adjoint),
            );
        } else {
            <P::Kind as Kind>::Layout::open(sums.get_or_insert_with(unset::<K, P>), shape);
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapePart<K, P>,
        i: usize,
        _: &ValuesOf<'s, TapePart<K, P>>,
        r_b: Piece<P::Kind>,
        block: &mut Self::Blocks,
    ) {
        <P::Kind as Kind>::Layout::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &TapePart<K, P>,
        at: At,
        block: &mut Self::Blocks,
        sums: &mut Self::Sums,
        sweep: &mut impl Sweep,
    ) {
        if !node.is_active() {
            return;
        }
        if P::PIECES {
            sweep.add_to_adjoint::<K>(node.id(), |adjoint| {
                node.part().add_block(adjoint, at, block)
            });
        } else {
            <P::Kind as Kind>::Layout::add_block(sums.get_or_insert_with(unset::<K, P>), at, block);
        }
    }
    #[inline(always)]
    fn close(node: &TapePart<K, P>, sums: Self::Sums, sweep: &mut impl Sweep) {
        if !P::PIECES
            && node.is_active()
            && let Some(sum) = sums.and_then(|sum| sum.into_value())
        {
            node.pull(Passed(sum), sweep);
        }
    }
}
