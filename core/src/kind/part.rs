//! Parts of values: what a place names, and what a write to a place saves.
use super::{Adjoint, Arg, At, Block, Kind, Shape, Stash, Val, View};
use crate::{
    expr::Pieces,
    tape::{Reader, Writer},
};
use std::{fmt, marker::PhantomData};

/// A part of a value of kind `K`: an element, a block, a lane, a real part. It carries what is needed to
/// find the part again and to make a zero of the whole (index and shape), and is kept in the statement.
pub trait Part<K: Kind>: Stash + Clone {
    /// The kind of the part.
    type Kind: Kind;
    /// Reads the part.
    ///
    /// # Panics
    /// If it lies outside of the value; the message names part and shape.
    #[track_caller]
    fn get(&self, whole: &Val<K>) -> Val<Self::Kind>;
    /// Writes the part.
    ///
    /// # Panics
    /// If the part has another shape; the message names the shapes. Nothing is written then.
    #[track_caller]
    fn put(&self, whole: &mut Val<K>, part: Val<Self::Kind>);
    /// The zero of the whole.
    fn zero(&self) -> Val<K>;
    /// Adds to the part.
    fn add(&self, whole: &mut Val<K>, part: Val<Self::Kind>) {
        let mut sum = self.get(whole);
        <Self::Kind as Kind>::accumulate(&mut sum, part);
        self.put(whole, sum);
    }
    /// Whether pieces of the part are read from the whole, and added to it, where they stand. If not, the part
    /// is copied.
    const PIECES: bool = false;
    /// The shape of the part.
    fn shape(&self) -> Shape<Self::Kind> {
        as_a_whole::<Self>()
    }
    /// The part as what pieces are read from.
    fn view<'v>(&self, whole: Arg<'v, K>) -> View<'v, Self::Kind> {
        let _ = whole;
        as_a_whole::<Self>()
    }
    /// A sweep will read pieces of the part soon: their memory may be [fetched](super::prefetch_slice).
    fn read_soon(&self, whole: &Val<K>) {
        let _ = whole;
    }
    /// Writes pieces to the part.
    ///
    /// # Panics
    /// As [`put`](Self::put).
    #[track_caller]
    fn put_pieces(
        &self,
        whole: &mut Val<K>,
        shape: Shape<Self::Kind>,
        pieces: &impl Pieces<Self::Kind>,
    ) {
        let _ = (whole, shape, pieces);
        as_a_whole::<Self>()
    }
    /// Makes the adjoint of the whole ready for [`add_block`](Self::add_block).
    fn open(&self, whole: &mut K::Adjoint) {
        whole.value_mut(|| self.zero());
    }
    /// Adds a block, which lies at `at` of the part, to the adjoint of the whole, which is ready.
    fn add_block(&self, whole: &mut K::Adjoint, at: At, block: &Block<Self::Kind>) {
        let _ = (whole, at, block);
        as_a_whole::<Self>()
    }
    /// Takes the adjoint of the part from that of the whole, and leaves zero.
    fn take(&self, whole: &mut K::Adjoint) -> <Self::Kind as Kind>::Adjoint {
        let mut adjoint = <Self::Kind as Kind>::Adjoint::default();
        if !whole.is_unset() {
            let whole = whole.value_mut(|| self.zero());
            let part = self.get(whole);
            let zero = Self::Kind::zero_like(&part);
            self.put(whole, zero.clone());
            *adjoint.value_mut(|| zero) = part;
        }
        adjoint
    }
}

/// Pieces were asked for of what has none.
#[cold]
pub(crate) fn as_a_whole<P>() -> ! {
    panic!(
        "{} has no pieces: where its `PIECES` says so, `shape`, `piece` and the like are to be implemented, too",
        std::any::type_name::<P>()
    )
}

/// A kind whose variables can be indexed by `I`: `v[i]` is a place, `&v[i]` an operand.
#[diagnostic::on_unimplemented(
    message = "entities of kind `{Self}` can't be indexed by `{I}`",
    note = "a DSL says what an index means with `impl PlaceIndex<{I}> for {Self}`"
)]
pub trait PlaceIndex<I>: Kind {
    /// What the index names.
    type Part: Part<Self>;
    /// The index as one number, below `isize::MAX`.
    ///
    /// # Panics
    /// If the index is out of range; the message names index and shape.
    #[track_caller]
    fn encode(value: &Val<Self>, index: I) -> usize;
    /// The part that [`encode`](Self::encode) numbered.
    fn part(value: &Val<Self>, number: usize) -> Self::Part;
}

/// Field number `I` of the values of kind `K`, as a part. `#[kind(parts(x: f64, y: f64))]` makes one for each
/// field that it names, `K::X` and `K::Y`.
///
/// ```
/// use entape_core::{kind, tape::Tape};
///
/// #[kind(parts(x: f64, y: f64), add = |into, from| { into.x += from.x; into.y += from.y })]
/// #[derive(Clone, Copy, Default, PartialEq)]
/// pub struct Point { x: f64, y: f64 }
///
/// let mut tape = Tape::new();
/// let (a, p) = (tape.input(2.0), tape.input(Point { x: 3.0, y: 4.0 }));
/// let y = tape.record(|| {
///     let mut q = p;
///     q[Point::X] *= a; // (6, 4)
///     (&q[Point::X] * &q[Point::Y]).eval()
/// });
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&a)?, 12.0);
/// assert_eq!(gradient.wrt(&p)?.y, 6.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub struct Field<K, const I: usize>(PhantomData<fn() -> K>);
impl<K, const I: usize> Field<K, I> {
    /// The field.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Field(PhantomData)
    }
}
impl<K, const I: usize> Clone for Field<K, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, const I: usize> Copy for Field<K, I> {}
impl<K, const I: usize> fmt::Debug for Field<K, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {I}")
    }
}
impl<K: 'static, const I: usize> Stash for Field<K, I> {
    const BYTES: usize = 0;
    #[inline(always)]
    fn stash(self, _: &mut Writer<'_>) {}
    #[inline(always)]
    fn fetch(_: &mut Reader<'_>) -> Self {
        Field::new()
    }
}

/// Part `Q` of part `P`: the real part of an element of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Nested<P, Q>(pub P, pub Q);
impl<P: Stash, Q: Stash> Stash for Nested<P, Q> {
    const BYTES: usize = P::BYTES + Q::BYTES;
    fn stash(self, writer: &mut Writer<'_>) {
        self.0.stash(writer);
        self.1.stash(writer);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let outer = P::fetch(reader);
        Nested(outer, Q::fetch(reader))
    }
}
impl<K: Kind, P: Part<K>, Q: Part<P::Kind>> Part<K> for Nested<P, Q> {
    type Kind = Q::Kind;
    fn get(&self, whole: &Val<K>) -> Val<Q::Kind> {
        self.1.get(&self.0.get(whole))
    }
    fn put(&self, whole: &mut Val<K>, part: Val<Q::Kind>) {
        let mut outer = self.0.get(whole);
        self.1.put(&mut outer, part);
        self.0.put(whole, outer);
    }
    fn zero(&self) -> Val<K> {
        self.0.zero()
    }
}
