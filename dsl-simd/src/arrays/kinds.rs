//! The kind of arrays, and statements of arrays as one loop.
use super::{
    ArrayNumber,
    adjoint::ArrayAdjoint,
    lane::ArrayLane,
    number::{computed, is_unset},
    piece::ArrayBlock,
    pool,
};
use crate::{LaneNumber, lanes::flow};
use entape_core::{
    elementwise::{Broadcast, ElementKind, Elementwise, Lane},
    eval::ByPieces,
    expr::{Beside, BorrowedConst, Const, Expr, Rhs, constant},
    kind,
    kind::{AllNeeded, Arg, At, Carrier, Kind, Layout, PieceLoop, Pieces, blocks},
    machine::run_loop,
    op,
    real::{CastPieces, Real},
};
use std::marker::PhantomData;

/// The storage kind of arrays of `T`, of any length, with `Vec<T>` as values. Elementwise operations of a statement are
/// one loop, also in the sweep.
#[kind(
    value = Vec<T>,
    index = Owned,
    adjoint = ArrayAdjoint<T>,
    layout = InOrder,
    zero = |like| zeros(like.len()),
    add = |into, from| {
        add_all(&mut into[..], &from);
        pool::give(from);
    },
    computed = |mut x| {
        x.iter_mut().for_each(|x| *x = computed(*x));
        x
    },
    unset = |x| x.iter().all(is_unset),
    mark = |x, computed| x.iter_mut().for_each(|x| <T::Kind as Kind>::mark_zeros(x, computed)),
    finite = |x| x.iter().all(<T::Kind as Kind>::is_finite),
    recycle = |x| pool::give(std::mem::take(x)),
    bytes = |x| size_of::<T>() * x.capacity(),
    name = T::ARRAY,
)]
pub struct ArrayKind<T: ArrayNumber>(PhantomData<T>);
entape_core::debug_by_name! { [T: ArrayNumber] ArrayKind<T> }

/// Plain arrays of `f64` are operands beside variables and expressions.
impl<T: ArrayNumber> Beside<Vec<f64>> for ArrayKind<T> {
    type Kind = ArrayKind<f64>;
}
#[diagnostic::do_not_recommend]
impl<T: ArrayNumber, M: Carrier, O, Third: Kind> Rhs<ArrayKind<T>, M, O, Third> for Vec<f64> {
    type Kind = ArrayKind<f64>;
    type Node = Const<ArrayKind<f64>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node> {
        constant(self)
    }
}
#[diagnostic::do_not_recommend]
impl<'v, T: ArrayNumber, M: Carrier, O, Third: Kind> Rhs<ArrayKind<T>, M, O, Third>
    for &'v Vec<f64>
{
    type Kind = ArrayKind<f64>;
    type Node = BorrowedConst<'v, ArrayKind<f64>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node> {
        constant(self)
    }
}

fn zeros<T: ArrayNumber>(length: usize) -> Vec<T> {
    let mut zeros = pool::take(length);
    zeros.fill(T::default());
    zeros
}
/// Different lengths indicate a faulty rule.
pub(super) fn add_all<T: ArrayNumber>(into: &mut [T], from: &[T]) {
    assert_eq!(
        into.len(),
        from.len(),
        "an adjoint must have the length of its array: correct the adjoint formula"
    );
    into.iter_mut().zip(from).for_each(|(into, &x)| *into += x);
}

/// A length or an index as stored in statements.
#[inline]
pub(super) fn word(n: usize) -> u32 {
    u32::try_from(n).expect("an array has fewer than 2^32 elements")
}

struct Writing<'w, T, P>(&'w mut [T], &'w P);
impl<T: ArrayNumber, P: Pieces<ArrayKind<T>>> PieceLoop for Writing<'_, T, P> {
    #[inline(always)]
    fn run(self) {
        let Writing(into, pieces) = self;
        blocks(
            into.len(),
            #[inline(always)]
            |at| write_block(at.of_mut(into), &pieces.within::<AllNeeded>(at)),
        );
    }
}
#[inline(always)]
pub(super) fn write<T: ArrayNumber>(into: &mut [T], pieces: &impl Pieces<ArrayKind<T>>) {
    <InOrder as Layout<ArrayKind<T>>>::run(Writing(into, pieces));
}
#[inline(always)]
fn write_block<T: ArrayNumber>(into: &mut [T], pieces: &impl Pieces<ArrayKind<T>>) {
    for (i, into) in into.iter_mut().enumerate() {
        *into = pieces.at(i);
    }
}

/// One number after the other.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;
impl<T: ArrayNumber> Layout<ArrayKind<T>> for InOrder {
    type Shape = usize;
    type Piece = T;
    const NUMBERS: bool = T::Kind::NUMBERS;
    #[inline(always)]
    fn shape(value: &Vec<T>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn count(length: usize) -> usize {
        length
    }
    type View<'v> = &'v [T];
    #[inline(always)]
    fn view<'v>(value: Arg<'v, ArrayKind<T>>) -> &'v [T] {
        value
    }
    #[inline(always)]
    fn view_shape(view: &&[T]) -> usize {
        view.len()
    }
    #[inline(always)]
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        block.of(view)
    }
    #[inline(always)]
    fn piece(view: &&[T], i: usize) -> T {
        view[i]
    }
    #[inline(always)]
    fn open(adjoint: &mut ArrayAdjoint<T>, length: usize) {
        adjoint.open(length);
    }
    type Block = ArrayBlock<T>;
    #[inline(always)]
    fn computed(piece: T) -> T {
        computed(piece)
    }
    #[inline(always)]
    fn put(block: &mut ArrayBlock<T>, i: usize, piece: T) {
        block.put(i, piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut ArrayAdjoint<T>, at: At, block: &mut ArrayBlock<T>) {
        block.add_to(adjoint.range(at.start..at.start + at.length));
    }
    fn collect(length: usize, pieces: &impl Pieces<ArrayKind<T>>) -> Vec<T> {
        let mut value = pool::take(length);
        write(&mut value, pieces);
        value
    }
    fn run(run: impl PieceLoop) {
        run_loop(run);
    }
}

/// The shape of an operand beside arrays: a length, or `()` for a number.
pub trait Extent: Copy {
    /// Returns the length of an array, or `None` for a number.
    fn known(self) -> Option<usize>;
    /// Returns the length of an array, or `beside` for a number.
    fn length(self, beside: usize) -> usize;
    /// Returns the shape beside such arrays.
    fn of(length: usize) -> Self;
}
impl Extent for usize {
    #[inline(always)]
    fn known(self) -> Option<usize> {
        Some(self)
    }
    fn length(self, _: usize) -> usize {
        self
    }
    fn of(length: usize) -> usize {
        length
    }
}
impl Extent for () {
    #[inline(always)]
    fn known(self) -> Option<usize> {
        None
    }
    fn length(self, beside: usize) -> usize {
        beside
    }
    fn of(_: usize) {}
}
#[track_caller]
#[inline]
pub(super) fn common<O, const N: usize>(lengths: [usize; N]) -> usize {
    if lengths.iter().any(|n| *n != lengths[0]) {
        different(name::<O>(), lengths.to_vec())
    }
    lengths[0]
}
#[cold]
#[track_caller]
fn different(operation: &str, lengths: Vec<usize>) -> ! {
    let first = |&i: &usize| !lengths[..i].contains(&lengths[i]);
    let lengths: Vec<_> = (0..lengths.len())
        .filter(first)
        .map(|i| lengths[i].to_string())
        .collect();
    panic!(
        "`{operation}` needs arrays of equal length, found {}",
        lengths.join(" and ")
    )
}
fn name<O>() -> &'static str {
    let path = std::any::type_name::<O>();
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit(':').next().unwrap_or(path)
}

impl<T: LaneNumber> ElementKind for ArrayKind<T> {
    type Evaluation = ByPieces;
    type Remembered = ();
    #[track_caller]
    #[inline]
    fn common<const N: usize, O>(_: &O, lengths: [usize; N]) -> usize {
        common::<O, N>(lengths)
    }
    #[inline(always)]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [T; N]) -> T {
        op.primal(x.map(ArrayLane)).0
    }
    #[inline(always)]
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<T>; N],
        r: Option<T>,
        r_b: T,
    ) -> T {
        // A faulty formula that reads undeclared operands gives NaN.
        let or_nan = |x: Option<T>| ArrayLane(x.unwrap_or(T::nearest(f64::NAN)));
        let x_b = op.adjoint(i, x.map(or_nan), or_nan(r), ArrayLane(r_b));
        if O::READS[i] == 0 {
            return x_b.0;
        }
        flow::<O, _, N>(r_b, x_b.0)
    }
    type Lane = ArrayLane<T>;
    #[inline(always)]
    fn lane(piece: T) -> ArrayLane<T> {
        ArrayLane(piece)
    }
    #[inline(always)]
    fn piece(lane: ArrayLane<T>) -> T {
        lane.0
    }
    const CHOICES: bool = true;
}
impl<T: LaneNumber> Broadcast<T> for ArrayKind<T> {
    #[inline(always)]
    fn broadcast(x: T) -> T {
        x
    }
    #[inline(always)]
    fn sum(x: T) -> T {
        x
    }
}

/// A small number becomes a zero, not unset.
#[inline(always)]
fn cast_back<T: LaneNumber, U: LaneNumber>(r_b: U) -> T {
    let x_b = T::nearest(r_b.double());
    T::select(Lane::is_unset(r_b), x_b, x_b.computed())
}
impl<T: LaneNumber> CastPieces<op::ToF32> for ArrayKind<T> {
    type Out = ArrayKind<f32>;
    #[inline(always)]
    fn cast(x: T) -> f32 {
        f32::nearest(x.double())
    }
    #[inline(always)]
    fn cast_back(r_b: f32) -> T {
        cast_back(r_b)
    }
}
impl<T: LaneNumber> CastPieces<op::ToF64> for ArrayKind<T> {
    type Out = ArrayKind<f64>;
    #[inline(always)]
    fn cast(x: T) -> f64 {
        x.double()
    }
    #[inline(always)]
    fn cast_back(r_b: f64) -> T {
        cast_back(r_b)
    }
}
