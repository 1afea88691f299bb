//! Arrays as leaves, accessed in blocks along directions.
use crate::{
    formula::Formula,
    kind::{
        Adjoint, Arg, At, BLOCK, Encoding, Kind, Layout, NONE, PieceBlock, PieceLoop, PieceView,
        TangentStorage, TapeCell, TapeValue, arg, same,
    },
    store::{AllTangents, MANY, Part, Reader, Stacks, Stash},
    sweep::{ReadValues, StatementCursor, Sweep},
};
use std::{any::type_name, marker::PhantomData};

#[derive(Clone, Copy)]
pub(crate) struct LeafPlace<'s> {
    /// `NONE` if passive.
    pub(crate) id: u32,
    pub(crate) parameters: &'s [u8],
    pub(crate) kept: &'s [u8],
}
impl LeafPlace<'_> {
    #[inline(always)]
    pub(super) fn fetch<S: Stash>(self, stacks: &mut Stacks) -> S {
        let mut reader = Reader {
            statement: const { &Formula::Variable(type_name::<S>) },
            fixed: self.parameters,
            constants: &[],
            variable_length: &[],
            mixed: false,
            stacks,
        };
        let parameters = S::fetch(&mut reader);
        reader.finish();
        parameters
    }
}
pub(crate) type CopyValues = fn(&mut StatementCursor<'_, '_>, LeafPlace<'_>, At, &mut [f64]);
pub(crate) type CopyTangents<const N: usize> = fn(
    &mut StatementCursor<'_, '_>,
    &mut AllTangents<N>,
    LeafPlace<'_>,
    At,
    [&mut [f64]; N],
) -> bool;
/// The `usize` is the array's length.
pub(crate) type AddBlock<const N: usize> = fn(
    &mut StatementCursor<'_, '_>,
    &mut AllTangents<N>,
    LeafPlace<'_>,
    (At, usize),
    (&[f64], [&[f64]; N]),
);
#[derive(Clone, Copy)]
pub(crate) struct ArrayFunctions<const N: usize> {
    pub(crate) tangents: CopyTangents<N>,
    pub(crate) add: AddBlock<N>,
}
/// A leaf that is an array of `f64`.
pub struct ArrayLeaf {
    pub(crate) is_variable: bool,
    pub(crate) parameters: usize,
    pub(crate) kept: usize,
    pub(crate) length: fn(&mut StatementCursor<'_, '_>, LeafPlace<'_>) -> usize,
    pub(crate) values: CopyValues,
    pub(crate) one: ArrayFunctions<1>,
    pub(crate) many: ArrayFunctions<MANY>,
}
debug_by_name! { [] ArrayLeaf }
impl ArrayLeaf {
    const fn of<S: ElementsOf>() -> Self {
        ArrayLeaf {
            is_variable: true,
            parameters: S::BYTES,
            kept: <S::Kind as Kind>::Encoding::BYTES,
            length: length::<S>,
            values: values::<S>,
            one: functions::<S, 1>(),
            many: functions::<S, MANY>(),
        }
    }
    pub(crate) const fn variable<K: Kind>() -> Self {
        Self::of::<AllOf<K>>()
    }
    pub(crate) const fn part<K: Kind, P: Part<K>>() -> Self {
        Self::of::<ElementsOfPart<K, P>>()
    }
    pub(crate) const fn constant<K: Kind>() -> Self {
        ArrayLeaf {
            is_variable: false,
            ..Self::of::<AllOf<K>>()
        }
    }
}
const fn functions<S: ElementsOf, const N: usize>() -> ArrayFunctions<N> {
    ArrayFunctions {
        tangents: tangents::<S, N>,
        add: add::<S, N>,
    }
}

trait ElementsOf: Sized + 'static {
    type Of: Kind;
    type Kind: Kind;
    const BYTES: usize;
    fn fetch(place: LeafPlace<'_>, stacks: &mut Stacks) -> Self;
    fn view<'v>(&self, whole: Arg<'v, Self::Of>) -> PieceView<'v, Self::Kind>;
    fn open(&self, adjoint: &mut <Self::Of as Kind>::Adjoint, length: usize);
    fn add_block(
        &self,
        adjoint: &mut <Self::Of as Kind>::Adjoint,
        at: At,
        block: &mut PieceBlock<Self::Kind>,
    );
}
struct AllOf<K>(PhantomData<K>);
impl<K: Kind> ElementsOf for AllOf<K> {
    type Of = K;
    type Kind = K;
    const BYTES: usize = 0;
    #[inline(always)]
    fn fetch(_: LeafPlace<'_>, _: &mut Stacks) -> Self {
        AllOf(PhantomData)
    }
    #[inline(always)]
    fn view<'v>(&self, whole: Arg<'v, K>) -> PieceView<'v, K> {
        K::Layout::view(whole)
    }
    #[inline(always)]
    fn open(&self, adjoint: &mut K::Adjoint, length: usize) {
        K::Layout::open(adjoint, same(length));
    }
    #[inline(always)]
    fn add_block(&self, adjoint: &mut K::Adjoint, at: At, block: &mut PieceBlock<K>) {
        K::Layout::add_block(adjoint, at, block);
    }
}
struct ElementsOfPart<K, P>(P, PhantomData<K>);
impl<K: Kind, P: Part<K> + 'static> ElementsOf for ElementsOfPart<K, P> {
    type Of = K;
    type Kind = P::Kind;
    const BYTES: usize = P::BYTES;
    #[inline(always)]
    fn fetch(place: LeafPlace<'_>, stacks: &mut Stacks) -> Self {
        ElementsOfPart(place.fetch(stacks), PhantomData)
    }
    #[inline(always)]
    fn view<'v>(&self, whole: Arg<'v, K>) -> PieceView<'v, P::Kind> {
        self.0.view(whole)
    }
    #[inline(always)]
    fn open(&self, adjoint: &mut K::Adjoint, _: usize) {
        self.0.open(adjoint);
    }
    #[inline(always)]
    fn add_block(&self, adjoint: &mut K::Adjoint, at: At, block: &mut PieceBlock<P::Kind>) {
        self.0.add_block(adjoint, at, block);
    }
}
#[inline(always)]
fn view<S: ElementsOf, R>(
    walk: &mut StatementCursor<'_, '_>,
    place: LeafPlace<'_>,
    to: impl FnOnce(PieceView<'_, S::Kind>) -> R,
) -> R {
    if place.id != NONE {
        let elements = S::fetch(place, walk.stacks);
        let whole = walk.sweep.primal::<S::Of>(place.id);
        return to(elements.view(arg::<S::Of>(whole.peek())));
    }
    let kept = &place.kept[..<S::Kind as Kind>::Encoding::BYTES];
    let cell: TapeValue<S::Kind> = <S::Kind as Kind>::Encoding::decode(kept, |at| {
        walk.stacks.at::<TapeValue<S::Kind>>(at).clone()
    });
    to(<S::Kind as Kind>::Layout::view(arg::<S::Kind>(cell.peek())))
}
/// A function, because its arguments do not overlap.
#[inline(never)]
#[allow(clippy::needless_range_loop)] // with iterators the index is not known to be within the view
fn copy<K: Kind>(view: &PieceView<'_, K>, at: At, into: &mut [f64]) {
    let (block, into) = (K::Layout::within(view, at), &mut into[..at.length]);
    for k in 0..at.length {
        into[k] = same(K::Layout::piece(&block, k));
    }
}

fn length<S: ElementsOf>(walk: &mut StatementCursor<'_, '_>, place: LeafPlace<'_>) -> usize {
    view::<S, _>(walk, place, |all| {
        same(<S::Kind as Kind>::Layout::view_shape(&all))
    })
}
fn values<S: ElementsOf>(
    walk: &mut StatementCursor<'_, '_>,
    place: LeafPlace<'_>,
    at: At,
    into: &mut [f64],
) {
    view::<S, _>(walk, place, |all| copy::<S::Kind>(&all, at, into));
}
fn tangents<S: ElementsOf, const N: usize>(
    walk: &mut StatementCursor<'_, '_>,
    all: &mut AllTangents<N>,
    place: LeafPlace<'_>,
    at: At,
    into: [&mut [f64]; N],
) -> bool {
    let elements = S::fetch(place, walk.stacks);
    let Some(tangents) = all.get::<S::Of>().get(place.id).get() else {
        into.into_iter().for_each(|into| into.fill(-0.0));
        return false;
    };
    for (tangent, into) in tangents.iter().zip(into) {
        copy::<S::Kind>(&elements.view(arg::<S::Of>(tangent)), at, into);
    }
    true
}
fn add<S: ElementsOf, const N: usize>(
    walk: &mut StatementCursor<'_, '_>,
    all: &mut AllTangents<N>,
    place: LeafPlace<'_>,
    (at, length): (At, usize),
    (base, directional): (&[f64], [&[f64]; N]),
) {
    let elements = S::fetch(place, walk.stacks);
    let mut sum = walk.sweep.take_scratch::<PieceBlock<S::Kind>>();
    let of = (&elements, at, length);
    walk.sweep.add_to_adjoint::<S::Of>(place.id, |adjoint| {
        <S::Kind as Kind>::Layout::run(AddBlocks {
            of,
            adjoint,
            sum: &mut sum,
            block: base,
        });
    });
    let adjoints = all.get::<S::Of>().adjoints(place.id);
    for (adjoint, block) in adjoints.iter_mut().zip(directional) {
        <S::Kind as Kind>::Layout::run(AddBlocks {
            of,
            adjoint,
            sum: &mut sum,
            block,
        });
    }
    walk.sweep.return_scratch(sum);
}
/// A function, because unique references are not aliased.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // as in `copy`
fn put_all<K: Kind>(sum: &mut PieceBlock<K>, block: &[f64], length: usize) {
    let block = &block[..length];
    for k in 0..length {
        K::Layout::put(sum, k, same(block[k]));
    }
}
struct AddBlocks<'a, S: ElementsOf> {
    of: (&'a S, At, usize),
    adjoint: &'a mut <S::Of as Kind>::Adjoint,
    sum: &'a mut PieceBlock<S::Kind>,
    block: &'a [f64],
}
impl<S: ElementsOf> PieceLoop for AddBlocks<'_, S> {
    #[inline(always)]
    fn run(self) {
        let (elements, at, length) = self.of;
        if self.block.iter().all(Adjoint::<f64>::is_unset) {
            return;
        }
        put_all::<S::Kind>(self.sum, self.block, at.length.min(BLOCK));
        elements.open(self.adjoint, length);
        elements.add_block(self.adjoint, at, self.sum);
    }
}
