//! The kind of arrays, and how a statement of arrays is one loop.
use super::chunk::{Chunk, LANES};
use entape_core::{
    check::Coordinates,
    expr::Pieces,
    kind,
    kind::{At, Contribution, Kind, PieceKind, Visit, index},
    rule::{Broadcast, ElementKind, Elementwise, Lane},
};
use std::marker::PhantomData;

/// What arrays are made of: `f64` and `f32`.
pub trait Element:
    Kind<Value = Self, Adjoint = Self, Policy = index::Linear, Form = kind::ByValue>
    + Contribution<Self>
    + Coordinates
    + Lane<Mask = bool>
    + Default
    + PartialOrd
{
}
impl Element for f64 {}
impl Element for f32 {}

/// The kind of arrays of `T`, of any length. Its values are `Vec<T>`.
///
/// It is a storage kind: variables own their identifier, are operands by reference, and are written in place.
/// Elementwise operations of a statement are one loop, in the sweep, too.
#[kind(
    value = Vec<T>,
    index = Reuse,
    form = ByPieces,
    zero = |like| vec![T::default(); like.len()],
    add = |into, from| add(&mut into[..], &from),
    finite = |x| x.iter().all(T::is_finite),
    name = "array",
)]
pub struct ArrayKind<T: Element>(PhantomData<T>);

/// `into += from`; an adjoint of another length comes from a faulty rule.
pub(crate) fn add<T: Element>(into: &mut [T], from: &[T]) {
    assert_eq!(
        into.len(),
        from.len(),
        "an adjoint of another length than the array"
    );
    into.iter_mut()
        .zip(from)
        .for_each(|(into, &x)| *into = *into + x);
}

/// Where the pieces of an array lie, those with all lanes first: the loop over them has no rest to look at.
#[inline(always)]
pub(crate) fn each(length: usize, mut visit: impl FnMut(At)) {
    let whole = length - length % LANES;
    let mut start = 0;
    while start < whole {
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
    fn call(mut self) {
        each(self.0, #[inline(always)] |at| self.1.visit(at));
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
        each(self.0, #[inline(always)] |at| self.1.at(at).write(into, at));
        value
    }
}

impl<T: Element> PieceKind for ArrayKind<T> {
    type Shape = usize;
    type Lanes = Chunk<T>;
    #[inline(always)]
    fn shape(value: &Vec<T>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn piece(value: &Vec<T>, at: At) -> Chunk<T> {
        Chunk::read(value, at)
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
    #[inline(always)]
    fn add_piece(adjoint: &mut Option<Vec<T>>, at: At, piece: Chunk<T>) {
        if let Some(adjoint) = adjoint {
            piece.add_to(adjoint, at);
        }
    }
    fn each(length: usize, visit: impl Visit) {
        pulp::Arch::new().dispatch(Visiting(length, visit));
    }
    fn collect(length: usize, pieces: impl Pieces<Self>) -> Vec<T> {
        pulp::Arch::new().dispatch(Collecting(length, pieces, PhantomData))
    }
}

/// The lengths of arguments, if they agree.
#[track_caller]
pub(crate) fn common<const N: usize>(operation: &str, lengths: [usize; N]) -> usize {
    assert!(
        lengths.iter().all(|n| *n == lengths[0]),
        "`{operation}` of arrays of different lengths: {}",
        lengths.map(|n| n.to_string()).join(" and ")
    );
    lengths[0]
}
/// The name of an operation, for messages.
pub(crate) fn name<O>() -> &'static str {
    let path = std::any::type_name::<O>();
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit(':').next().unwrap_or(path)
}

impl<T: Element> ElementKind for ArrayKind<T> {
    fn map<'p, const N: usize, O: Elementwise<N>>(op: &O, x: [&'p Vec<T>; N]) -> Vec<T> {
        let length = Self::common(op, x.map(Vec::len));
        let mut r = vec![T::default(); length];
        each(length, |at| {
            op.primal(x.map(|x| Chunk::read(x, at))).write(&mut r, at);
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
        each(r_b.len(), |at| {
            let read = |x: &Vec<T>| Chunk::read(x, at);
            let pulled = Self::pull_piece(op, i, x.map(|x| x.map(read)), r.map(read), read(r_b));
            pulled.write(&mut x_b, at);
        });
        x_b
    }
    const PIECES: bool = true;
    #[track_caller]
    #[inline]
    fn common<const N: usize, O: Elementwise<N>>(_: &O, lengths: [usize; N]) -> usize {
        common(name::<O>(), lengths)
    }
    #[inline(always)]
    fn map_piece<const N: usize, O: Elementwise<N>>(op: &O, x: [Chunk<T>; N]) -> Chunk<T> {
        op.primal(x)
    }
    #[inline(always)]
    fn pull_piece<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Chunk<T>>; N],
        r: Option<Chunk<T>>,
        r_b: Chunk<T>,
    ) -> Chunk<T> {
        // What a formula doesn't declare, it doesn't read; a faulty one computes NaN, no wrong number.
        let or_nan = |x: Option<Chunk<T>>| x.unwrap_or(r_b.splat(f64::NAN));
        op.adjoint(i, x.map(or_nan), or_nan(r), r_b)
    }
}
impl<T: Element> Broadcast<T> for ArrayKind<T> {
    fn broadcast(x: T, like: &Vec<T>) -> Vec<T> {
        vec![x; like.len()]
    }
    fn sum(x: Vec<T>) -> T {
        x.into_iter().fold(T::default(), |sum, x| sum + x)
    }
    #[inline(always)]
    fn broadcast_piece(x: T) -> Chunk<T> {
        Chunk([x; LANES])
    }
    #[inline(always)]
    fn sum_piece(x: Chunk<T>, at: At) -> T {
        x.0[..at.lanes]
            .iter()
            .fold(T::default(), |sum, &x| sum + x)
    }
}
