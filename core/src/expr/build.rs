//! Entities built from numbers: `vector![a * c, a * s, d]`.
//!
//! The elements are a list by type, [`Then<A, Then<B, NoElements>>`](Then), without a length and an allocation.
use super::{Expr, OperandOf, Rhs};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::{
        Arg, Carrier, Contribution, Kind, Memory, Need, PassedNumber, Policy, TapeCell, TapeValue,
        Val, arg, assert_lengths, index::Linear, loaded, new_cell, recycle_some,
    },
    node::{
        ConstantVisitor, Description, DirectionalNode, Evaluated, ExpressionVisitor, Gather,
        LeafVisitor, Node, NodeInArena, NodeReader, NodeTangents, OwnedValue, Produce, Stored,
        with_need,
    },
    order::Order,
    sealed::Sealed,
    storage::ObjectArena,
    store::{Part, PlaceIndex, Reader, Writer},
    sweep::{Directional, ReadValues, StatementValues, Sweep, WholeValues},
};
use std::marker::PhantomData;

/// A kind whose values are built from numbers, by macros that call [`build`].
pub trait FromElements: Kind {
    /// The kind of the elements.
    type Element: Kind<Policy = Linear, Value: Copy + Default>;
    /// Returns a value of this shape with any elements. The shape agrees with the kind.
    fn with_shape(rows: usize, columns: usize) -> Val<Self>;
    /// Borrows the elements, column by column.
    fn elements(value: &Val<Self>) -> &[Val<Self::Element>];
    /// Mutably borrows the elements, column by column.
    fn elements_mut(value: &mut Val<Self>) -> &mut [Val<Self::Element>];
}
/// A kind whose values have `N` elements, which are its places by number.
pub trait OfLength<const N: usize>:
    FromElements + PlaceIndex<usize, Part: Part<Self, Kind = <Self as FromElements>::Element>>
{
}
type ElementOf<K> = <K as FromElements>::Element;

/// The end of a list of elements of kind `E`.
pub struct NoElements<E>(PhantomData<E>);
debug_by_name! { [E] NoElements<E> }
/// An element, and those that follow.
#[derive(Debug)]
pub struct Then<H, T>(H, T);
/// Returns the end of a list of elements.
#[inline(always)]
pub fn no_elements<E: Kind, M>() -> Expr<E, M, NoElements<E>> {
    Expr::new(NoElements(PhantomData))
}
/// Prepends an element to a list.
#[inline(always)]
pub fn then<E: Kind, M: Carrier, X: OperandOf<E, M>, T>(
    element: X,
    rest: Expr<E, M, T>,
) -> Expr<E, M, Then<<X as Rhs<E, M>>::Node, T>> {
    Expr::new(Then(element.into_rhs().node, rest.node))
}
/// Builds a value with `COLUMNS` columns from elements, given row by row.
#[inline(always)]
pub fn build<K: FromElements, M, L: ElementNodes<Element = ElementOf<K>>, const COLUMNS: usize>(
    elements: Expr<ElementOf<K>, M, L>,
) -> Expr<K, M, Build<K, L, COLUMNS>> {
    Expr::new(Build(elements.node, PhantomData))
}
/// Returns the common number of elements of all rows.
///
/// # Panics
/// If the rows have different numbers of elements.
pub const fn columns(rows: &[usize]) -> usize {
    let mut i = 1;
    while i < rows.len() {
        assert!(
            rows[i] == rows[0],
            "the rows have different numbers of elements"
        );
        i += 1;
    }
    if rows.is_empty() { 0 } else { rows[0] }
}

/// A list of nodes of kind `Element` by type. Functions correspond to [`Node`]'s.
pub trait ElementNodes: Sealed {
    /// The kind of the elements.
    type Element: Kind<Policy = Linear, Value: Copy + Default>;
    /// The nodes that a sweep rebuilds.
    type Stored: StoredElements<Element = Self::Element>;
    /// Intermediates that the rules of the elements save.
    type Saves;
    /// The type of this list on copies of its leaves.
    type Copy<'n>: ElementNodes<Element = Self::Element, Stored = Self::Stored, Saves = Self::Saves>
    where
        Self: 'n;
    /// See [`Node::QUIET`].
    const QUIET: bool;
    /// Copies the nodes.
    fn copy(&self) -> Self::Copy<'_>;
    /// Computes the values.
    #[track_caller]
    fn evaluate(&self, k: usize, put: &mut impl FnMut(usize, Val<Self::Element>)) -> Self::Saves;
    /// Computes the values with their tangents.
    #[track_caller]
    fn push<const N: usize>(
        &self,
        k: usize,
        put: &mut impl FnMut(usize, Val<Self::Element>, Option<&[Val<Self::Element>; N]>),
    );
    /// Passes every leaf to `visitor`.
    fn leaves(&self, visitor: &mut impl LeafVisitor);
    /// Passes the bytes of every compile-time constant to `visitor`.
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        let _ = visitor;
    }
    /// See [`Node::variable_length`].
    fn variable_length<const NEED: u8>(&self) -> usize;
    /// Writes all nodes.
    fn write<const NEED: u8>(&self, saves: Self::Saves, writer: &mut Writer<'_>);
}
/// A list of stored nodes by type, like [`Stored`].
pub trait StoredElements: Sized + 'static {
    /// The kind of the elements.
    type Element: Kind<Policy = Linear, Value: Copy + Default>;
    /// The number of elements.
    const COUNT: usize;
    /// Each element as data.
    const DESCRIPTIONS: Descriptions<Self::Element>;
    /// The formulas of the elements.
    const FORMULA: Formula;
    /// See [`Stored::ACTIVE`].
    const ACTIVE: bool;
    /// See [`Stored::FIXED`].
    const FIXED: [usize; 3];
    /// See [`Stored::CONSTANTS`].
    const CONSTANTS: [usize; 3];
    /// See [`Stored::DYNAMIC`].
    const DYNAMIC: bool;
    /// See [`Stored::TELLS_SIZE`].
    const TELLS_SIZE: bool;
    /// See [`Stored::ORDER`].
    const ORDER: Order;
    /// See [`Stored::FUSED`].
    const FUSED: bool;
    /// See [`Stored::TAKES_SCRATCH`].
    const TAKES_SCRATCH: bool;
    /// Reads all nodes.
    fn load<const NEED: u8>(reader: &mut Reader<'_>, sweep: &mut impl ReadValues) -> Self;
    /// Passes the values to `put`.
    fn values(&self, k: usize, put: &mut impl FnMut(usize, Val<Self::Element>));
    /// See [`Stored::again`]. Returns whether no value is missing.
    fn again(
        &self,
        k: usize,
        sweep: &mut impl Sweep,
        found: &mut Findings,
        put: &mut impl FnMut(usize, Val<Self::Element>),
    ) -> bool;
    /// Whether an element receives an adjoint.
    fn is_active(&self) -> bool;
    /// Adds to the adjoints of all elements.
    fn pull(
        &self,
        k: usize,
        adjoint: &impl Fn(usize) -> Val<Self::Element>,
        sweep: &mut impl Sweep,
    );
    /// See [`Stored::done`].
    fn done(self, sweep: &mut impl Sweep);
    /// See [`Stored::show`].
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor);
}
/// The elements as data, in a linked list.
pub struct Descriptions<E: Kind>(Option<(&'static Description<E>, &'static Descriptions<E>)>);
debug_by_name! { [E: Kind] Descriptions<E> }

/// An entity from its elements as one node.
pub struct Build<K, L, const COLUMNS: usize>(L, PhantomData<K>);
debug_by_name! { [K, L, const COLUMNS: usize] Build<K, L, COLUMNS> }

#[inline(always)]
const fn position(k: usize, count: usize, columns: usize) -> usize {
    k % columns * (count / columns) + k / columns
}
const fn of_element(need: u8) -> Need {
    match Need::of(need).value() {
        true => Need::Recompute,
        false => Need::Unused,
    }
}
const fn sum(a: [usize; 3], b: [usize; 3]) -> [usize; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

impl<E> Sealed for NoElements<E> {}
impl<E: Kind<Policy = Linear, Value: Copy + Default>> ElementNodes for NoElements<E> {
    type Element = E;
    type Stored = NoElements<E>;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Self {
        NoElements(PhantomData)
    }
    #[inline(always)]
    fn evaluate(&self, _: usize, _: &mut impl FnMut(usize, E::Value)) {}
    #[inline(always)]
    fn push<const N: usize>(
        &self,
        _: usize,
        _: &mut impl FnMut(usize, E::Value, Option<&[E::Value; N]>),
    ) {
    }
    #[inline(always)]
    fn leaves(&self, _: &mut impl LeafVisitor) {}
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        0
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), _: &mut Writer<'_>) {}
}
impl<E: Kind<Policy = Linear, Value: Copy + Default>> StoredElements for NoElements<E> {
    type Element = E;
    const COUNT: usize = 0;
    const DESCRIPTIONS: Descriptions<E> = Descriptions(None);
    const FORMULA: Formula = Formula::Nil;
    const ACTIVE: bool = false;
    const FIXED: [usize; 3] = [0; 3];
    const CONSTANTS: [usize; 3] = [0; 3];
    const DYNAMIC: bool = false;
    const TELLS_SIZE: bool = true;
    const ORDER: Order = Order::Second;
    const FUSED: bool = false;
    const TAKES_SCRATCH: bool = false;
    #[inline(always)]
    fn load<const NEED: u8>(_: &mut Reader<'_>, _: &mut impl ReadValues) -> Self {
        NoElements(PhantomData)
    }
    #[inline(always)]
    fn values(&self, _: usize, _: &mut impl FnMut(usize, E::Value)) {}
    fn again(
        &self,
        _: usize,
        _: &mut impl Sweep,
        _: &mut Findings,
        _: &mut impl FnMut(usize, E::Value),
    ) -> bool {
        true
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        false
    }
    #[inline(always)]
    fn pull(&self, _: usize, _: &impl Fn(usize) -> E::Value, _: &mut impl Sweep) {}
    #[inline(always)]
    fn done(self, _: &mut impl Sweep) {}
    fn show(&self, _: &[u8], _: &mut dyn ExpressionVisitor) {}
}

impl<H, T> Sealed for Then<H, T> {}
impl<H: Node<Kind = T::Element>, T: ElementNodes> ElementNodes for Then<H, T> {
    type Element = T::Element;
    type Stored = Then<H::Stored, T::Stored>;
    type Saves = (H::Saves, T::Saves);
    type Copy<'n>
        = Then<H::Copy<'n>, T::Copy<'n>>
    where
        Self: 'n;
    const QUIET: bool = H::QUIET && T::QUIET;
    #[inline(always)]
    fn copy(&self) -> Self::Copy<'_> {
        Then(self.0.copy(), self.1.copy())
    }
    #[inline(always)]
    fn evaluate(&self, k: usize, put: &mut impl FnMut(usize, Val<T::Element>)) -> Self::Saves {
        let (value, saves) = self.0.evaluate();
        put(k, value.value());
        (saves, self.1.evaluate(k + 1, put))
    }
    #[inline(always)]
    fn push<const N: usize>(
        &self,
        k: usize,
        put: &mut impl FnMut(usize, Val<T::Element>, Option<&[Val<T::Element>; N]>),
    ) {
        let (value, tangents) = self.0.push::<N>();
        put(k, value.own(), tangents.get());
        self.1.push(k + 1, put);
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        self.0.leaves(visitor);
        self.1.leaves(visitor);
    }
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        with_need! { of_element(NEED), EACH => self.0.constants::<EACH>(visitor) }
        self.1.constants::<NEED>(visitor);
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        let first = with_need! { of_element(NEED), EACH => self.0.variable_length::<EACH>() };
        first + self.1.variable_length::<NEED>()
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (first, rest): Self::Saves, writer: &mut Writer<'_>) {
        with_need! { of_element(NEED), EACH => self.0.write::<EACH>(first, writer) }
        self.1.write::<NEED>(rest, writer);
    }
}
impl<H: Stored<Kind = T::Element>, T: StoredElements> StoredElements for Then<H, T> {
    type Element = T::Element;
    const COUNT: usize = 1 + T::COUNT;
    const DESCRIPTIONS: Descriptions<T::Element> =
        Descriptions(Some((H::DESCRIPTION, &T::DESCRIPTIONS)));
    const FORMULA: Formula = Formula::Then(&H::FORMULA, &T::FORMULA);
    const ACTIVE: bool = H::ACTIVE || T::ACTIVE;
    const FIXED: [usize; 3] = {
        let each = H::FIXED;
        sum([each[0], each[1], each[0]], T::FIXED)
    };
    const CONSTANTS: [usize; 3] = {
        let each = H::CONSTANTS;
        sum([each[0], each[1], each[0]], T::CONSTANTS)
    };
    const DYNAMIC: bool = H::DYNAMIC || T::DYNAMIC;
    const TELLS_SIZE: bool = H::TELLS_SIZE && T::TELLS_SIZE;
    const ORDER: Order = H::ORDER.and(T::ORDER);
    const FUSED: bool = H::FUSED || T::FUSED;
    const TAKES_SCRATCH: bool = H::TAKES_SCRATCH || T::TAKES_SCRATCH;
    #[inline(always)]
    fn load<const NEED: u8>(reader: &mut Reader<'_>, sweep: &mut impl ReadValues) -> Self {
        let first =
            with_need! { of_element(NEED), EACH => H::load::<false, EACH>(reader, sweep, None) };
        Then(first, T::load::<NEED>(reader, sweep))
    }
    #[inline(always)]
    fn values(&self, k: usize, put: &mut impl FnMut(usize, Val<T::Element>)) {
        if let Some(value) = self.0.value() {
            put(k, value);
        }
        self.1.values(k + 1, put);
    }
    fn again(
        &self,
        k: usize,
        sweep: &mut impl Sweep,
        found: &mut Findings,
        put: &mut impl FnMut(usize, Val<T::Element>),
    ) -> bool {
        let value = self.0.again(sweep, found);
        let known = value.is_some();
        if let Some(value) = value {
            put(k, value);
        }
        self.1.again(k + 1, sweep, found, put) && known
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        H::ACTIVE && self.0.is_active() || self.1.is_active()
    }
    #[inline(always)]
    fn pull(&self, k: usize, adjoint: &impl Fn(usize) -> Val<T::Element>, sweep: &mut impl Sweep) {
        if H::ACTIVE && self.0.is_active() {
            let adjoint = adjoint(k);
            if !T::Element::is_unset_tangent(&adjoint) {
                self.0.pull(PassedNumber(adjoint), sweep);
            }
        }
        self.1.pull(k + 1, adjoint, sweep);
    }
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        self.0.done(sweep);
        self.1.done(sweep);
    }
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        self.0.show(variable_length, to);
        self.1.show(variable_length, to);
    }
}

#[inline(always)]
fn unfilled<K: FromElements>(count: usize, columns: usize) -> Val<K> {
    K::with_shape(count / columns, columns)
}

impl<K, L, const COLUMNS: usize> Sealed for Build<K, L, COLUMNS> {}
impl<K: FromElements, L: ElementNodes<Element = K::Element>, const COLUMNS: usize> Node
    for Build<K, L, COLUMNS>
{
    type Kind = K;
    type Stored = TapeBuild<K, L::Stored, COLUMNS>;
    type Value<'n>
        = OwnedValue<K>
    where
        Self: 'n;
    type Saves = L::Saves;
    type Copy<'n>
        = Build<K, L::Copy<'n>, COLUMNS>
    where
        Self: 'n;
    const QUIET: bool = L::QUIET;
    #[inline(always)]
    fn copy(&self) -> Self::Copy<'_> {
        Build(self.0.copy(), PhantomData)
    }
    #[inline(always)]
    fn evaluate(&self) -> (OwnedValue<K>, L::Saves) {
        let count = L::Stored::COUNT;
        let mut value = unfilled::<K>(count, COLUMNS);
        let into = K::elements_mut(&mut value);
        let saves = self
            .0
            .evaluate(0, &mut |k, x| into[position(k, count, COLUMNS)] = x);
        (OwnedValue(value), saves)
    }
    type Ready<'n>
        = OwnedValue<K>
    where
        Self: 'n;
    fn push<const N: usize>(&self) -> (OwnedValue<K>, NodeTangents<'_, K, N>) {
        let count = L::Stored::COUNT;
        let mut value = unfilled::<K>(count, COLUMNS);
        let mut tangents: [Val<K>; N] = std::array::from_fn(|_| unfilled::<K>(count, COLUMNS));
        let mut active = false;
        let into = K::elements_mut(&mut value);
        self.0.push(0, &mut |k, x, x_t: Option<&[_; N]>| {
            let at = position(k, count, COLUMNS);
            into[at] = x;
            active |= x_t.is_some();
            for (i, tangent) in tangents.iter_mut().enumerate() {
                K::elements_mut(tangent)[at] =
                    x_t.map_or_else(|| K::Element::zero_like(&x), |x_t| x_t[i]);
            }
        });
        (
            OwnedValue(value),
            NodeTangents::owned(active.then_some(tangents)),
        )
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        self.0.leaves(visitor);
    }
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        self.0.constants::<NEED>(visitor);
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        self.0.variable_length::<NEED>()
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, saves: L::Saves, writer: &mut Writer<'_>) {
        self.0.write::<NEED>(saves, writer);
    }
}

/// An entity from its elements, on the tape.
pub struct TapeBuild<K: FromElements, L, const COLUMNS: usize> {
    elements: L,
    value: Option<TapeValue<K>>,
}
debug_by_name! { [K: FromElements, L, const COLUMNS: usize] TapeBuild<K, L, COLUMNS> }
impl<K: FromElements, L: StoredElements<Element = K::Element>, const COLUMNS: usize> Stored
    for TapeBuild<K, L, COLUMNS>
{
    type Kind = K;
    type Pieces = Gather;
    const FORMULA: Formula = Formula::Built(&L::FORMULA);
    const ACTIVE: bool = L::ACTIVE;
    const FIXED: [usize; 3] = L::FIXED;
    const CONSTANTS: [usize; 3] = L::CONSTANTS;
    const DYNAMIC: bool = L::DYNAMIC;
    const TELLS_SIZE: bool = L::TELLS_SIZE;
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<K>>,
    ) -> Self {
        let elements = L::load::<NEED>(reader, sweep);
        let value = const { Need::of(NEED).value() }.then(|| {
            let mut value = unfilled::<K>(L::COUNT, COLUMNS);
            let into = K::elements_mut(&mut value);
            elements.values(0, &mut |k, x| into[position(k, L::COUNT, COLUMNS)] = x);
            new_cell::<K>(value)
        });
        TapeBuild { elements, value }
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, K>> {
        self.value.as_ref().map(|value| arg::<K>(value.peek()))
    }
    const FUSED: bool = L::FUSED;
    fn again(&self, sweep: &mut impl Sweep, found: &mut Findings) -> Option<Val<K>> {
        let mut value = unfilled::<K>(L::COUNT, COLUMNS);
        let into = K::elements_mut(&mut value);
        let all = self.elements.again(0, sweep, found, &mut |k, x| {
            into[position(k, L::COUNT, COLUMNS)] = x
        });
        all.then_some(value)
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.elements.is_active()
    }
    #[inline(always)]
    fn pull<C: Contribution<K>>(&self, contribution: C, sweep: &mut impl Sweep) {
        contribution.hand_to(
            #[inline(always)]
            |r_b| {
                let r_b = r_b.get();
                let r_b = K::elements(K::Policy::value(&r_b));
                assert_lengths(L::COUNT, r_b.len(), C::ORIGIN);
                let adjoint = |k| r_b[position(k, L::COUNT, COLUMNS)];
                self.elements.pull(0, &adjoint, sweep);
            },
        );
    }
    const ORDER: Order = L::ORDER;
    const DESCRIPTION: &'static Description<K> = &Description {
        node_reader: &BuildReader::<K> {
            elements: &L::DESCRIPTIONS,
            count: L::COUNT,
            columns: COLUMNS,
        },
        spreads: false,
        takes_scratch: L::TAKES_SCRATCH,
    };
    const TAKES_SCRATCH: bool = L::TAKES_SCRATCH || K::Memory::RECYCLES;
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        self.elements.done(sweep);
        if let Some(value) = self.value {
            crate::kind::recycle::<K>(value);
        }
    }
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        self.elements.show(variable_length, to);
        to.list(L::COUNT);
    }
}

struct BuildReader<K: FromElements> {
    elements: &'static Descriptions<K::Element>,
    count: usize,
    columns: usize,
}
impl<K: FromElements> NodeReader<K> for BuildReader<K> {
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        _: Option<TapeValue<K>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, K> {
        let each = of_element(need as u8);
        let mut items = Vec::with_capacity(self.count);
        let mut rest = self.elements;
        while let Some((first, then)) = rest.0 {
            items.push(first.node_reader.read(each, reader, sweep, None, arena));
            rest = then;
        }
        let mut node = DirectionalBuild {
            items,
            columns: self.columns,
            value: None,
            tangent: None,
        };
        if need.value() {
            let value = node.of_elements(|item| loaded(item.value()));
            node.value = Some(new_cell::<K>(value));
        }
        arena.alloc(node, |node| node as _)
    }
}
struct DirectionalBuild<'s, K: FromElements> {
    items: Vec<NodeInArena<'s, K::Element>>,
    columns: usize,
    value: Option<TapeValue<K>>,
    tangent: Option<Val<K>>,
}
impl<'s, K: FromElements> DirectionalBuild<'s, K> {
    fn of_elements(&self, of: impl Fn(&NodeInArena<'s, K::Element>) -> Val<K::Element>) -> Val<K> {
        let count = self.items.len();
        let mut value = unfilled::<K>(count, self.columns);
        let into = K::elements_mut(&mut value);
        for (k, item) in self.items.iter().enumerate() {
            into[position(k, count, self.columns)] = of(item);
        }
        value
    }
}
impl<K: FromElements> DirectionalNode<K> for DirectionalBuild<'_, K> {
    fn value(&self) -> Option<Arg<'_, K>> {
        self.value.as_ref().map(|value| arg::<K>(value.peek()))
    }
    fn cell(&self) -> Option<TapeValue<K>> {
        self.value.clone()
    }
    fn is_active(&self) -> bool {
        self.items.iter().any(|item| item.is_active())
    }
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        self.items.iter().any(|item| item.depends(sweep))
    }
    fn push_forward(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        _: Option<&Val<K>>,
        _: Option<Option<Val<K>>>,
    ) {
        for item in &mut self.items {
            item.push_forward(sweep, None, None);
        }
        recycle_some::<K>(self.tangent.take());
        let any = self.items.iter().any(|item| item.tangent().is_some());
        self.tangent = any.then(|| {
            let unset = K::Element::unset_tangent(&Val::<K::Element>::default());
            self.of_elements(|item| item.tangent().copied().unwrap_or(unset))
        });
    }
    fn tangent(&self) -> Option<&Val<K>> {
        self.tangent.as_ref()
    }
    fn take_tangent(&mut self) -> Option<Val<K>> {
        self.tangent.take()
    }
    fn pull(
        &mut self,
        adjoint: Option<Val<K>>,
        tangent: Option<Val<K>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        let count = self.items.len();
        let lengths = adjoint.iter().chain(&tangent).map(|x| K::elements(x).len());
        lengths.for_each(|length| {
            assert_lengths(count, length, crate::kind::Origin::UNKNOWN);
        });
        for (k, item) in self.items.iter_mut().enumerate() {
            if item.is_active() {
                let at = position(k, count, self.columns);
                let of = |x: &Val<K>| K::elements(x)[at];
                item.pull(adjoint.as_ref().map(of), tangent.as_ref().map(of), sweep);
            }
        }
        recycle_some::<K>(adjoint);
        recycle_some::<K>(tangent);
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.items.iter_mut().for_each(|item| item.give_back(sweep));
    }
}
impl<K: FromElements> Drop for DirectionalBuild<'_, K> {
    fn drop(&mut self) {
        recycle_some::<K>(self.tangent.take());
        if let Some(value) = self.value.take() {
            crate::kind::recycle::<K>(value);
        }
    }
}

#[doc(hidden)]
#[macro_export]
macro_rules! elements {
    () => { $crate::expr::no_elements() };
    ($x:expr $(, $rest:expr)*) => { $crate::expr::then($x, $crate::elements!($($rest),*)) };
}
