//! Lists of entities.
use super::{
    Adjoint, AllNeeded, Arg, At, BLOCK, Carrier, Contribution, Kind, Layout, Memory, Origin,
    Pieces, Policy, Recycle, Spilled, TapeCell, TapeValue, Val, blocks, index::Linear,
};
use crate::storage::StackBuffer;
use std::{
    any::Any,
    cell::{Cell, LazyCell},
    marker::PhantomData,
    rc::Rc,
};

/// A list of entities of kind `K`, each with its own identifier.
///
/// [`list`](crate::expr::list) gathers variables or expressions, and [`split`](crate::expr::Expr::split) scatters a
/// result; variables of this kind do not exist. A rule receives a `Vec` of values, in storage kinds of
/// [`SharedValue`](super::SharedValue)s, and returns a `Vec` of adjoints.
///
/// ```
/// use entape_core::{expr::{Active, list}, kind::List, mode::Plain, op};
///
/// /// `x[0], x[0] + x[1], ..`
/// #[op]
/// fn running_sum(
///     #[ad_in({
///         let mut sum: Vec<f64> = r_b.iter().rev().scan(0.0, |s, r_b| { *s += r_b; Some(*s) }).collect();
///         sum.reverse();
///         sum
///     })]
///     x: List<f64>,
/// ) -> List<f64> {
///     x.iter().scan(0.0, |s, x| { *s += x; Some(*s) }).collect()
/// }
///
/// let x: Vec<Active<f64, Plain>> = [1.0, 2.0, 3.0].map(Active::passive).into();
/// let sums = running_sum(list(&x)).split();
/// assert_eq!(sums[2].value(), 6.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct List<K>(PhantomData<K>);

/// The policy of lists, without variables.
#[derive(Clone, Copy, Debug)]
pub struct Many;
impl crate::sealed::Sealed for Many {}
impl<V: Clone + 'static> Policy<V> for Many {
    type Id<M: Carrier> = ();
    type VariableCell<M: Carrier, R: Recycle<V>> = Rc<V>;
    type TapeCell = Rc<V>;
    type Arg<'a> = &'a V;
    type Tangents<const N: usize> = Option<Rc<[V; N]>>;
    const STORAGE: bool = false;
    const VARIABLES: bool = false;
    #[inline(always)]
    fn arg(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<M: Carrier, R: Recycle<V>>(held: &Rc<V>) -> Rc<V> {
        held.clone()
    }
    fn held<M: Carrier, R: Recycle<V>>(cell: Rc<V>, _: impl FnOnce(&V) -> V) -> Rc<V> {
        cell
    }
    fn with_tangents<const N: usize, R: Recycle<V>>(_: V, _: Self::Tangents<N>) -> Rc<V> {
        unreachable!("results with several outputs do not have variables")
    }
}

impl<K: Kind> Kind for List<K> {
    type Value = Vec<TapeValue<K>>;
    type Adjoint = Vec<K::Adjoint>;
    type Policy = Many;
    type Layout = ListElements;
    type Encoding = Spilled;
    type Memory = ListMemory;
    type Batch = super::OneByOne;
    const NAME: &'static str = "list";
    fn is_unset_tangent(tangent: &Vec<TapeValue<K>>) -> bool {
        tangent.iter().all(|x| K::is_unset_tangent(x.peek()))
    }
    fn mark_zeros(tangent: &mut Vec<TapeValue<K>>, computed: bool) {
        for x in tangent {
            K::mark_zeros(x.edit(), computed);
        }
    }
    fn zero_like(like: &Vec<TapeValue<K>>) -> Vec<TapeValue<K>> {
        let zero = |like: &TapeValue<K>| TapeCell::new(K::zero_like(like.peek()));
        like.iter().map(zero).collect()
    }
    fn is_finite(value: &Vec<TapeValue<K>>) -> bool {
        value.iter().all(|value| K::is_finite(value.peek()))
    }
    fn each_number(value: &mut Vec<TapeValue<K>>, f: &mut dyn FnMut(&mut f64)) -> bool {
        value.iter_mut().all(|x| K::each_number(x.edit(), f))
    }
    fn accumulate(into: &mut Vec<TapeValue<K>>, from: Vec<TapeValue<K>>) {
        assert_lengths(into.len(), from.len(), Origin::UNKNOWN);
        into.iter_mut()
            .zip(from)
            .for_each(|(into, from)| K::accumulate(into.edit(), from.into_inner()));
    }
}

thread_local! {
    static SPARE: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}
const SPARE_LENGTH: usize = 256;
#[inline]
pub(crate) fn empty_list<V: 'static>() -> Vec<V> {
    let mut list = Vec::new();
    if let Some(list) = (&mut list as &mut dyn Any).downcast_mut() {
        *list = SPARE.try_with(Cell::take).unwrap_or_default();
    }
    list
}
/// Reuses the memory of lists of reals.
#[derive(Clone, Copy, Debug)]
pub struct ListMemory;
impl<V: 'static> Memory<Vec<V>> for ListMemory {
    const RECYCLES: bool = false;
    #[inline]
    fn recycle(list: &mut Vec<V>) {
        if let Some(list) = (list as &mut dyn Any).downcast_mut::<Vec<f64>>()
            && list.capacity() <= SPARE_LENGTH
        {
            list.clear();
            let list = std::mem::take(list);
            let _ = SPARE.try_with(|spare| drop(spare.replace(list)));
        }
    }
    fn bytes(_: &Vec<V>) -> usize {
        0
    }
}

/// The layout of lists, whose pieces are the values of elements.
#[derive(Clone, Copy, Debug)]
pub struct ListElements;
/// The adjoints of the elements of a block.
pub struct ListBlock<K: Kind>(StackBuffer<K::Adjoint, BLOCK>);
debug_by_name! { [K: Kind] ListBlock<K> }
impl<K: Kind> Default for ListBlock<K> {
    #[inline(always)]
    fn default() -> Self {
        ListBlock(StackBuffer::new())
    }
}
impl<K: Kind> ListBlock<K> {
    #[inline(always)]
    pub(crate) fn take(&mut self, length: usize) -> impl ExactSizeIterator<Item = K::Adjoint> {
        self.0.take(length)
    }
}
impl<K: Kind> Layout<List<K>> for ListElements {
    type Shape = usize;
    type Piece = Val<K>;
    type View<'v> = &'v [TapeValue<K>];
    type Block = ListBlock<K>;
    const NUMBERS: bool = K::NUMBERS;
    const FRESH: bool = true;
    #[inline(always)]
    fn shape(value: &Vec<TapeValue<K>>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn count(length: usize) -> usize {
        length
    }
    #[inline(always)]
    fn view<'v>(value: Arg<'v, List<K>>) -> &'v [TapeValue<K>] {
        value
    }
    #[inline(always)]
    fn view_shape(view: &&[TapeValue<K>]) -> usize {
        view.len()
    }
    #[inline(always)]
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        block.of(view)
    }
    #[inline(always)]
    fn piece(view: &&[TapeValue<K>], i: usize) -> Val<K> {
        view[i].peek().clone()
    }
    fn collect(length: usize, pieces: &impl Pieces<List<K>>) -> Vec<TapeValue<K>> {
        let mut value = Vec::with_capacity(length);
        blocks(length, |at| {
            let pieces = pieces.within::<AllNeeded>(at);
            value.extend((0..at.length).map(|i| TapeCell::new(pieces.at(i))));
        });
        value
    }
    fn open(adjoint: &mut Vec<K::Adjoint>, length: usize) {
        adjoint.resize_with(length, K::Adjoint::unset);
    }
    #[inline(always)]
    fn computed(piece: Val<K>) -> Val<K> {
        K::computed(piece)
    }
    #[inline(always)]
    fn put(block: &mut ListBlock<K>, i: usize, piece: Val<K>) {
        block.0.put(i, K::Adjoint::from_term(piece));
    }
    fn add_block(adjoint: &mut Vec<K::Adjoint>, at: At, block: &mut ListBlock<K>) {
        let into = &mut adjoint[at.start..][..at.length];
        for (into, from) in into.iter_mut().zip(block.take(at.length)) {
            into.merge(from);
        }
    }
}

#[track_caller]
#[inline(always)]
pub(crate) fn assert_lengths(list: usize, adjoint: usize, origin: Origin) {
    assert!(
        list == adjoint,
        "the adjoint{origin} has {adjoint} elements for a list of {list}: correct the formula, so that both lengths are equal"
    );
}

impl<K: Kind> Adjoint<List<K>> for Vec<K::Adjoint> {
    fn unset() -> Self {
        Vec::new()
    }
    fn is_unset(&self) -> bool {
        self.iter().all(K::Adjoint::is_unset)
    }
    fn into_value(self) -> Option<Vec<TapeValue<K>>> {
        if self.is_empty() {
            return None;
        }
        let value = |adjoint: K::Adjoint| adjoint.into_value().map(TapeCell::new);
        self.into_iter().map(value).collect()
    }
    fn value_or_zero(self, like: impl FnOnce() -> Vec<TapeValue<K>>) -> Vec<TapeValue<K>> {
        if self.is_empty() {
            return List::<K>::zero_like(&like());
        }
        // Only if a shape is unknown.
        let like = LazyCell::new(like);
        let value = |(i, adjoint): (usize, K::Adjoint)| {
            let zero = || K::zero_like(like[i].peek());
            TapeCell::new(adjoint.into_value().unwrap_or_else(zero))
        };
        self.into_iter().enumerate().map(value).collect()
    }
    fn add(&mut self, value: Vec<TapeValue<K>>) {
        Contribution::<List<K>>::add_to(PassedItems(value), self);
    }
    fn value_mut(&mut self, _: impl FnOnce() -> Vec<TapeValue<K>>) -> &mut Vec<TapeValue<K>> {
        unreachable!("each element of a list has its own adjoint")
    }
}

impl<K: Kind, H: TapeCell<Val<K>>> Contribution<List<K>> for Vec<H> {
    fn add_to(self, adjoint: &mut Vec<K::Adjoint>) {
        Contribution::<List<K>>::add_to(Items(self), adjoint);
    }
    fn materialise(self) -> Vec<TapeValue<K>> {
        Contribution::<List<K>>::materialise(Items(self))
    }
}

/// A contribution to a list: an iterator with one value for each element.
#[derive(Clone, Copy, Debug)]
pub struct Items<I>(pub I);
impl<K: Kind, I: IntoIterator<Item: TapeCell<Val<K>>>> Contribution<List<K>> for Items<I> {
    #[inline]
    fn add_to(self, adjoint: &mut Vec<K::Adjoint>) {
        let each = self.0.into_iter().map(TapeCell::<Val<K>>::into_inner);
        add_each::<K>(adjoint, each.map(|x| K::Adjoint::from_term(K::computed(x))));
    }
    fn materialise(self) -> Vec<TapeValue<K>> {
        let cell = |value| TapeCell::new(K::computed(TapeCell::<Val<K>>::into_inner(value)));
        self.0.into_iter().map(cell).collect()
    }
}

#[inline]
fn add_each<K: Kind>(sums: &mut Vec<K::Adjoint>, mut each: impl Iterator<Item = K::Adjoint>) {
    if sums.is_empty() {
        sums.extend(each);
        return;
    }
    let mut count = 0;
    for sum in sums.iter_mut() {
        let Some(adjoint) = each.next() else {
            break;
        };
        sum.merge(adjoint);
        count += 1;
    }
    assert_lengths(sums.len(), count + each.count(), Origin::UNKNOWN);
}

#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PassedItems<I>(pub I);
impl<K: Kind, I: IntoIterator<Item: TapeCell<Val<K>>>> Contribution<List<K>> for PassedItems<I> {
    #[inline]
    fn add_to(self, adjoint: &mut Vec<K::Adjoint>) {
        let each = self.0.into_iter().map(TapeCell::<Val<K>>::into_inner);
        add_each::<K>(adjoint, each.map(K::Adjoint::from_passed));
    }
    fn materialise(self) -> Vec<TapeValue<K>> {
        let cell = |value| TapeCell::new(TapeCell::<Val<K>>::into_inner(value));
        self.0.into_iter().map(cell).collect()
    }
}

/// A contribution to one element of a list of `of` elements of a value kind.
#[derive(Clone, Copy, Debug)]
pub struct Item<V> {
    /// The index.
    pub at: usize,
    /// The number of elements.
    pub of: usize,
    /// The value that is added.
    pub value: V,
}
impl<K: Kind<Value: Default + Copy, Policy = Linear>> Contribution<List<K>> for Item<Val<K>> {
    fn add_to(self, adjoint: &mut Vec<K::Adjoint>) {
        adjoint.resize_with(self.of.max(adjoint.len()), K::Adjoint::unset);
        self.value.add_to(&mut adjoint[self.at]);
    }
    fn materialise(self) -> Vec<TapeValue<K>> {
        let mut all: Vec<_> = std::iter::repeat_with(|| TapeCell::new(Default::default()))
            .take(self.of)
            .collect();
        all[self.at] = TapeCell::new(self.value);
        all
    }
}
