//! The kind of arrays, and how a statement of arrays is one loop.
use super::piece::{BLOCK, Block, Element, LANES, Piece, read, write};
use crate::lanes::{Pack, Vector};
use entape_core::{
    expr::Pieces,
    kind,
    kind::{Arg, At, PieceKind, Visit},
    rule::{Broadcast, ElementKind, Elementwise, Lane},
};
use std::marker::PhantomData;

/// The kind of arrays of `T`, of any length. Its values are `Vec<T>`.
///
/// It is a storage kind: variables own their identifier, are operands by reference, and are written in place.
/// Elementwise operations of a statement are one loop, in the sweep, too.
#[kind(
    value = Vec<T>,
    index = Reuse,
    form = ByPieces,
    zero = |like| vec![T::default(); like.len()],
    add = |into, from| add_all(&mut into[..], &from),
    finite = |x| x.iter().all(<T as entape_core::kind::Kind>::is_finite),
    name = "array",
)]
pub struct ArrayKind<T: Element>(PhantomData<T>);

/// `into += from`; an adjoint of another length comes from a faulty rule.
pub(super) fn add_all<T: Element>(into: &mut [T], from: &[T]) {
    assert_eq!(
        into.len(),
        from.len(),
        "an adjoint of another length than the array"
    );
    into.iter_mut().zip(from).for_each(|(into, &x)| *into += x);
}

/// A length or an index as statements keep it.
pub(super) fn word(n: usize) -> u32 {
    u32::try_from(n).expect("an array below 2^32 elements")
}

/// Where the pieces of an array lie, those with all lanes first: the loop over them has no rest to look at.
#[inline(always)]
pub(super) fn each(from: usize, length: usize, mut visit: impl FnMut(At)) {
    let whole = length - length % LANES;
    let (mut start, whole_end) = (from, from + whole);
    while start < whole_end {
        visit(At {
            start,
            lanes: LANES,
        });
        start += LANES;
    }
    if whole < length {
        visit(At {
            start,
            lanes: length - whole,
        });
    }
}

/// Visits pieces with the instruction set of the machine.
struct Visiting<V>(usize, V);
impl<V: Visit> pulp::NullaryFnOnce for Visiting<V> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Visiting(length, mut visit) = self;
        let mut start = 0;
        while start < length {
            let lanes = BLOCK.min(length - start);
            each(
                start,
                lanes,
                #[inline(always)]
                |at| visit.visit(at),
            );
            visit.finish(At { start, lanes });
            start += BLOCK;
        }
    }
}
/// Collects pieces with the instruction set of the machine.
struct Collecting<T, P>(usize, P, PhantomData<T>);
impl<T: Element, P: Pieces<ArrayKind<T>>> pulp::NullaryFnOnce for Collecting<T, P> {
    type Output = Vec<T>;
    #[inline(always)]
    fn call(self) -> Vec<T> {
        let mut value = vec![T::default(); self.0];
        let into = &mut value[..];
        each(
            0,
            self.0,
            #[inline(always)]
            |at| write(self.1.at(at), into, at),
        );
        value
    }
}

impl<T: Element> PieceKind for ArrayKind<T> {
    type Shape = usize;
    type Lanes = Piece<T>;
    #[inline(always)]
    fn shape(value: &Vec<T>) -> usize {
        value.len()
    }
    type View<'v> = &'v [T];
    #[inline(always)]
    fn view<'v>(value: Arg<'v, Self>) -> &'v [T] {
        value
    }
    #[inline(always)]
    fn piece(view: &&[T], at: At) -> Piece<T> {
        read(view, at)
    }
    #[inline(always)]
    fn open(adjoint: &mut Option<Vec<T>>, length: usize) {
        let adjoint = adjoint.get_or_insert_with(|| vec![T::default(); length]);
        assert_eq!(
            adjoint.len(),
            length,
            "an adjoint of another length than the array"
        );
    }
    type Block = Block<T>;
    #[inline(always)]
    fn put(block: &mut Block<T>, at: At, piece: Piece<T>) {
        block.put(at, piece);
    }
    #[inline(always)]
    fn add_block(adjoint: &mut Option<Vec<T>>, at: At, block: &Block<T>) {
        if let Some(adjoint) = adjoint {
            block.add_to(adjoint, at);
        }
    }
    fn each(length: usize, visit: impl Visit) {
        pulp::Arch::new().dispatch(Visiting(length, visit));
    }
    fn collect(length: usize, pieces: impl Pieces<Self>) -> Vec<T> {
        pulp::Arch::new().dispatch(Collecting(length, pieces, PhantomData))
    }
}

/// The lengths of the arguments of operation `O`, if they agree.
#[track_caller]
#[inline]
pub(super) fn common<O, const N: usize>(lengths: [usize; N]) -> usize {
    if lengths.iter().any(|n| *n != lengths[0]) {
        different(name::<O>(), &lengths)
    }
    lengths[0]
}
#[cold]
#[track_caller]
fn different(operation: &str, lengths: &[usize]) -> ! {
    let lengths: Vec<_> = lengths.iter().map(usize::to_string).collect();
    panic!(
        "`{operation}` of arrays of different lengths: {}",
        lengths.join(" and ")
    )
}
/// The name of an operation, for messages.
fn name<O>() -> &'static str {
    let path = std::any::type_name::<O>();
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit(':').next().unwrap_or(path)
}

impl<T: Element> ElementKind for ArrayKind<T> {
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [&Vec<T>; N]) -> Vec<T> {
        let length = Self::common(op, x.map(Vec::len));
        let mut r = vec![T::default(); length];
        each(0, length, |at| {
            write(op.primal(x.map(|x| read(x, at))), &mut r, at);
        });
        r
    }
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<&Vec<T>>; N],
        r: Option<&Vec<T>>,
        r_b: &Vec<T>,
    ) -> Vec<T> {
        let mut x_b = vec![T::default(); r_b.len()];
        each(0, r_b.len(), |at| {
            let read = |x: &Vec<T>| read(x.as_slice(), at);
            let pulled = Self::pull_piece(op, i, x.map(|x| x.map(read)), r.map(read), read(r_b));
            write(pulled, &mut x_b, at);
        });
        x_b
    }
    const PIECES: bool = true;
    #[track_caller]
    #[inline]
    fn common<const N: usize, O: Elementwise<N>>(_: &O, lengths: [usize; N]) -> usize {
        common::<O, N>(lengths)
    }
    #[inline(always)]
    fn map_piece<const N: usize, O: Elementwise<N>>(op: &O, x: [Piece<T>; N]) -> Piece<T> {
        op.primal(x)
    }
    #[inline(always)]
    fn pull_piece<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Piece<T>>; N],
        r: Option<Piece<T>>,
        r_b: Piece<T>,
    ) -> Piece<T> {
        // What a formula doesn't declare, it doesn't read; a faulty one computes NaN, no wrong number.
        let or_nan = |x: Option<Piece<T>>| x.unwrap_or(r_b.splat(f64::NAN));
        let x_b = op.adjoint(i, x.map(or_nan), or_nan(r), r_b);
        if O::READS[i] == 0 {
            return x_b;
        }
        // An element whose result has no influence passes nothing on, whatever the slope is there: a choice
        // computes both sides.
        x_b.unless(r_b.equal(r_b.zero()))
    }
}
fn sum<T: Element>(x: &[T]) -> T {
    x.iter().fold(T::default(), |sum, &x| sum + x)
}
/// For `f64` and `f32`, as the rules of broadcast numbers name them.
impl<T: Element> Broadcast<T> for ArrayKind<T> {
    fn broadcast(x: T, like: &Vec<T>) -> Vec<T> {
        vec![x; like.len()]
    }
    fn sum(x: Vec<T>) -> T {
        sum(&x)
    }
    #[inline(always)]
    fn broadcast_piece(x: T) -> Piece<T> {
        Pack(T::Vector::splat(x))
    }
    #[inline(always)]
    fn sum_piece(x: Piece<T>, at: At) -> T {
        match at.lanes {
            LANES => x.0.reduce_add(),
            lanes => sum(&x.0.as_slice()[..lanes]),
        }
    }
}
