//! Parts of values.
use super::stash::Stash;
use crate::{
    kind::{
        Adjoint, Arg, At, Contribution, Kind, Memory, Origin, PieceBlock, PieceView, Pieces, Shape,
        Val, misfit_from, numbered, numbers_of, same_bits,
    },
    names::name_of,
};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// A part of a value, such as an element, a block or a real part, as stored by statements. Test it by `check::part`.
///
/// [`get`](Self::get) and [`put`](Self::put) are linear maps; [`add`](Self::add) and [`take_value`](Self::take_value)
/// are their adjoints. If `put` changes more than the part, as in a symmetric matrix, set
/// [`SAVES_WHOLE`](Self::SAVES_WHOLE) and implement them:
///
/// ```
/// use entape_core::{kind, store::{Part, Stash}, tape::Tape};
///
/// #[kind(value = [f64; 4], plain, coordinates)]
/// struct Symmetric; // two rows and columns
///
/// /// The element above the diagonal, and the one below.
/// #[derive(Clone, Copy, Stash)]
/// struct Off;
/// impl Part<Symmetric> for Off {
///     type Kind = f64;
///     const SAVES_WHOLE: bool = true;
///     fn get(&self, m: &[f64; 4]) -> f64 {
///         m[1]
///     }
///     fn put(&self, m: &mut [f64; 4], x: f64) {
///         (m[1], m[2]) = (x, x);
///     }
///     fn add(&self, m_b: &mut [f64; 4], x_b: f64) {
///         m_b[1] += x_b;
///     }
///     fn take_value(&self, m_b: &mut [f64; 4]) -> f64 {
///         std::mem::take(&mut m_b[1]) + std::mem::take(&mut m_b[2])
///     }
/// }
/// entape_check::assert_part::<Symmetric, _>(Off, [1.0, 2.0, 2.0, 3.0]);
/// ```
pub trait Part<K: Kind>: Stash + Clone {
    /// The kind of the part.
    type Kind: Kind;
    /// Reads the part.
    ///
    /// # Panics
    /// If it is outside of the value. The message names part and shape.
    #[track_caller]
    fn get(&self, whole: &Val<K>) -> Val<Self::Kind>;
    /// Returns the part, borrowed if it is a field of the value.
    #[track_caller]
    fn get_ref<'w>(&self, whole: &'w Val<K>) -> Cow<'w, Val<Self::Kind>> {
        Cow::Owned(self.get(whole))
    }
    /// Returns the part for writing if it is a field of the value, which parts of the part then change in place.
    fn get_mut<'w>(&self, whole: &'w mut Val<K>) -> Option<&'w mut Val<Self::Kind>> {
        let _ = whole;
        None
    }
    /// Writes the part.
    ///
    /// # Panics
    /// If the part has another shape, before anything is written. The message names the shapes.
    #[track_caller]
    fn put(&self, whole: &mut Val<K>, part: Val<Self::Kind>);
    /// Adds `term` to the part in place, or subtracts it. Returns whether the part supports this; the default does not.
    /// Otherwise the sum is computed in a copy, and [`put`](Self::put).
    ///
    /// # Panics
    /// If the shapes differ, before anything is written.
    #[track_caller]
    fn add_term(&self, whole: &mut Val<K>, subtract: bool, term: &Val<Self::Kind>) -> bool {
        let _ = (whole, subtract, term);
        false
    }
    /// Whether the shape of the whole is known, and so its [`zero`](Self::zero). Otherwise the tape saves the whole.
    const KNOWS_SHAPE: bool = false;
    /// Returns the zero of the whole, if the [shape is known](Self::KNOWS_SHAPE).
    fn zero(&self) -> Val<K> {
        const {
            assert!(
                !Self::KNOWS_SHAPE,
                "a part with `KNOWS_SHAPE` must define `zero`"
            )
        };
        unreachable!(
            "{} knows the shape of the whole",
            std::any::type_name::<Self>()
        )
    }
    /// Whether [`put`](Self::put) changes more than the part, so that a write saves the whole. This requires [`add`](Self::add) and
    /// [`take_value`](Self::take_value):
    ///
    /// ```compile_fail
    /// # use entape_core::{kind, store::{Part, Stash}, tape::Tape};
    /// # #[kind(value = [f64; 2])]
    /// # struct Pair;
    /// # #[derive(Clone, Copy, Stash)]
    /// # struct Both;
    /// impl Part<Pair> for Both {
    ///     type Kind = f64;
    ///     const SAVES_WHOLE: bool = true;
    ///     fn get(&self, whole: &[f64; 2]) -> f64 { whole[0] }
    ///     fn put(&self, whole: &mut [f64; 2], x: f64) { *whole = [x, x] }
    /// }
    /// let mut pair = Tape::new().input_as::<Pair>([1.0, 2.0]);
    /// pair.part_mut(Both).assign(3.0);
    /// ```
    const SAVES_WHOLE: bool = false;
    /// The adjoint of [`get`](Self::get): adds to the part of an adjoint.
    fn add(&self, whole: &mut Val<K>, part: Val<Self::Kind>) {
        const {
            assert!(
                !Self::SAVES_WHOLE,
                "a part with `SAVES_WHOLE` must define `add`, the adjoint of `get`"
            )
        };
        let mut sum = self.get(whole);
        if !Self::Kind::same_shape(&sum, &part) {
            misfit_from::<Self::Kind>(Origin::UNKNOWN, &part, &sum);
        }
        <Self::Kind as Kind>::accumulate(&mut sum, part);
        self.put(whole, sum);
    }
    /// The adjoint of [`put`](Self::put): turns `whole`, the adjoint after the write, into the adjoint before it, with zeros at
    /// overwritten values. Returns the adjoint of the part.
    fn take_value(&self, whole: &mut Val<K>) -> Val<Self::Kind> {
        const {
            assert!(
                !Self::SAVES_WHOLE,
                "a part with `SAVES_WHOLE` must define `take_value`, the adjoint of `put`"
            )
        };
        let part = self.get(whole);
        self.put(whole, Self::Kind::zero_like(&part));
        part
    }
    /// Whether writes to this part and to another one change different numbers of `whole`, so that one statement can
    /// write both. The default compares copies of the whole.
    fn is_disjoint(&self, other: &Self, whole: &Val<K>) -> bool {
        let mut last = 0.0;
        let before = numbered::<K>(whole, &mut last);
        let mut after = before.clone();
        self.put(&mut after, self.get(&numbered::<K>(whole, &mut last)));
        !Self::SAVES_WHOLE
            && numbers_of::<Self::Kind>(&other.get(&after))
                == numbers_of::<Self::Kind>(&other.get(&before))
    }
    /// Whether pieces are read and added in place, without a copy. This requires [`shape`](Self::shape), [`view`](Self::view),
    /// [`put_pieces`](Self::put_pieces), [`add_block`](Self::add_block), and [`open`](Self::open) or [`zero`](Self::zero):
    ///
    /// ```compile_fail
    /// # use entape_core::{kind, store::{Part, Stash}};
    /// # #[kind(value = [f64; 2])]
    /// # struct Pair;
    /// # #[derive(Clone, Copy, Stash)]
    /// # struct First;
    /// impl Part<Pair> for First {
    ///     type Kind = f64;
    ///     const PIECES: bool = true;
    ///     fn get(&self, whole: &[f64; 2]) -> f64 { whole[0] }
    ///     fn put(&self, whole: &mut [f64; 2], x: f64) { whole[0] = x }
    /// }
    /// Part::<Pair>::shape(&First);
    /// ```
    const PIECES: bool = false;
    /// Returns the shape of the part.
    fn shape(&self) -> Shape<Self::Kind> {
        const { without_pieces(Self::PIECES) };
        as_a_whole::<Self>()
    }
    /// Returns the view from which pieces are read.
    fn view<'v>(&self, whole: Arg<'v, K>) -> PieceView<'v, Self::Kind> {
        let _ = whole;
        const { without_pieces(Self::PIECES) };
        as_a_whole::<Self>()
    }
    /// Prefetches the part by [`prefetch_slice`](crate::storage::prefetch_slice).
    fn read_soon(&self, whole: &Val<K>) {
        let _ = whole;
    }
    /// Writes pieces to the part.
    ///
    /// # Panics
    /// Like [`put`](Self::put).
    #[track_caller]
    fn put_pieces(
        &self,
        whole: &mut Val<K>,
        shape: Shape<Self::Kind>,
        pieces: &impl Pieces<Self::Kind>,
    ) {
        let _ = (whole, shape, pieces);
        const { without_pieces(Self::PIECES) };
        as_a_whole::<Self>()
    }
    /// Prepares an adjoint of the whole for [`add_block`](Self::add_block).
    fn open(&self, whole: &mut K::Adjoint) {
        const {
            assert!(
                !Self::PIECES || Self::KNOWS_SHAPE,
                "a part with `PIECES` must define `open`, or set `KNOWS_SHAPE` and define `zero`"
            )
        };
        whole.value_mut(|| self.zero());
    }
    /// Adds a block at position `at` of the part to a prepared adjoint of the whole.
    fn add_block(&self, whole: &mut K::Adjoint, at: At, block: &mut PieceBlock<Self::Kind>) {
        let _ = (whole, at, block);
        const { without_pieces(Self::PIECES) };
        as_a_whole::<Self>()
    }
    /// Applies [`take_value`](Self::take_value) to an adjoint of a variable.
    fn take(&self, whole: &mut K::Adjoint) -> <Self::Kind as Kind>::Adjoint {
        let mut adjoint = <Self::Kind as Kind>::Adjoint::unset();
        if !whole.is_unset() {
            let whole = whole.value_mut(|| unreachable!("the adjoint is set"));
            self.take_value(whole).add_to(&mut adjoint);
        }
        adjoint
    }
}

/// The largest values whose parts debug assertions test.
const SMALL: usize = 1024;

/// Tests a part of a small value in debug builds, or by [`verify`](crate::tape::Builder::verify).
#[inline(always)]
#[track_caller]
pub(crate) fn test_part<K: Kind, P: Part<K>>(part: &P, whole: &Val<K>, verifies: bool) {
    let is_small = || size_of::<Val<K>>() + K::Memory::bytes(whole) <= SMALL;
    if verifies || cfg!(debug_assertions) && is_small() {
        hold_laws(part, whole);
    }
}
#[cold]
#[inline(never)]
#[track_caller]
fn hold_laws<K: Kind, P: Part<K>>(part: &P, whole: &Val<K>) {
    let mut last = 0.0;
    let before = numbered::<K>(whole, &mut last);
    let (old, new) = (
        part.get(&before),
        part.get(&numbered::<K>(whole, &mut last)),
    );
    let equal =
        |a: &Val<P::Kind>, b: &Val<P::Kind>| numbers_of::<P::Kind>(a) == numbers_of::<P::Kind>(b);
    let mut after = before.clone();
    part.put(&mut after, new.clone());
    if !equal(&part.get(&after), &new) {
        faulty::<P>("`get` does not read what `put` writes");
    }
    if P::SAVES_WHOLE {
        return;
    }
    part.put(&mut after, old.clone());
    if !same_bits::<K>(&after, &before) {
        faulty::<P>(
            "writing the old part does not restore the whole, because `put` changes more than the part, so it must set `SAVES_WHOLE`",
        );
    }
    let zero = K::zero_like(whole);
    let mut sum = zero.clone();
    part.add(&mut sum, new.clone());
    let added = part.get(&sum);
    part.put(&mut sum, part.get(&zero));
    if !equal(&added, &new) || numbers_of::<K>(&sum) != numbers_of::<K>(&zero) {
        faulty::<P>("`add` does not add to what `get` reads");
    }
    let mut rest = before.clone();
    let taken = part.take_value(&mut rest);
    let left = part.get(&rest);
    part.put(&mut rest, taken.clone());
    if !equal(&taken, &old) || !equal(&left, &part.get(&zero)) || !same_bits::<K>(&rest, &before) {
        faulty::<P>("`take_value` does not return what `put` writes, or does not leave zero");
    }
}
#[cold]
#[track_caller]
fn faulty<P>(what: &str) -> ! {
    panic!(
        "the part {} is faulty: {what}. Correct it, and test it with `check::part`",
        name_of::<P>()
    )
}

const fn without_pieces(pieces: bool) {
    assert!(
        !pieces,
        "a part with `PIECES` must define `shape`, `view`, `put_pieces` and `add_block`"
    );
}
#[cold]
fn as_a_whole<P>() -> ! {
    unreachable!("{} has pieces", std::any::type_name::<P>())
}

/// A kind whose variables are indexed by `I`, as in `v[i]`.
#[diagnostic::on_unimplemented(
    message = "variables of kind `{Self}` cannot be indexed by `{I}`",
    note = "to define the index in a DSL, annotate `impl IndexMut<{I}>` of the values, `#[operations(in_place)]` with `#[op]`, or write `impl PlaceIndex<{I}> for {Self}`"
)]
pub trait PlaceIndex<I>: Kind {
    /// The part at an index.
    type Part: Part<Self>;
    /// Returns the index as a number below `isize::MAX`.
    ///
    /// # Panics
    /// If the index is out of range. The message names index and shape.
    #[track_caller]
    fn encode(value: &Val<Self>, index: I) -> usize;
    /// Returns the part with this number.
    fn part(value: &Val<Self>, number: usize) -> Self::Part;
}

/// Returns an index of several numbers as one number, for [`PlaceIndex::encode`].
///
/// # Panics
/// If a number is too large. Two numbers are below 2^31 on processors of 64 bits.
#[track_caller]
pub fn number_of<const N: usize>(index: [usize; N]) -> usize {
    let bits = (usize::BITS - 1) / N as u32;
    let mut number = 0;
    for i in index {
        assert!(i >> bits == 0, "index {i} is not below 2^{bits}");
        number = number << bits | i;
    }
    number
}
/// Returns the index whose [number](number_of) this is.
pub fn numbers_in<const N: usize>(mut number: usize) -> [usize; N] {
    let bits = (usize::BITS - 1) / N as u32;
    let mut index = [0; N];
    for i in index.iter_mut().rev() {
        *i = number & ((1 << bits) - 1);
        number >>= bits;
    }
    index
}

/// Field `I` of the values of kind `K`. `#[kind(parts(x: f64, y: f64))]` names them `K::X` and `K::Y`.
///
/// ```
/// use entape_core::{kind, tape::Tape};
///
/// #[kind(parts(x: f64, y: f64))]
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
#[derive(Stash)]
pub struct Field<K, const I: usize>(PhantomData<fn() -> K>);
/// The part of a value of a [derived kind](Derived) that is the value of the base.
#[derive(Stash)]
pub struct BasePart<K>(PhantomData<fn() -> K>);
macro_rules! fields { ($([$($of:tt)*] $Field:ty, $name:literal;)*) => { $(
    impl<$($of)*> $Field {
        /// Creates the part.
        #[allow(clippy::new_without_default)]
        pub const fn new() -> Self {
            Self(PhantomData)
        }
    }
    impl<$($of)*> Clone for $Field {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<$($of)*> Copy for $Field {}
    impl<$($of)*> fmt::Debug for $Field {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, $name)
        }
    }
)* } }
fields! {
    [K, const I: usize] Field<K, I>, "field {I}";
    [K] BasePart<K>, "the base";
}
/// A kind whose values contain a value of another kind, as declared by `#[kind(derives = Base)]`.
///
/// A variable of the kind dereferences to a [place](crate::expr::Place) of the base: `u.norm()` calls a method of the base, `&*u` is
/// its operand, and `*u` can be written. It has the numbers and parts of the base as indices.
pub trait Derived:
    PlaceIndex<BasePart<Self>, Part: Part<Self, Kind = <Self as Derived>::Base>>
{
    /// The base.
    type Base: Kind;
}
type PartOfBase<K> = <K as PlaceIndex<BasePart<K>>>::Part;
macro_rules! indices_of_base { ($([$($generics:tt)*] $I:ty;)*) => { $(
    impl<K: Derived<Base: PlaceIndex<$I>>, $($generics)*> PlaceIndex<$I> for K {
        type Part = Nested<PartOfBase<K>, <K::Base as PlaceIndex<$I>>::Part>;
        fn encode(value: &Val<K>, index: $I) -> usize {
            K::Base::encode(&base_part::<K>(value).get_ref(value), index)
        }
        fn part(value: &Val<K>, number: usize) -> Self::Part {
            let base = base_part::<K>(value);
            let part = K::Base::part(&base.get_ref(value), number);
            Nested(base, part)
        }
    }
)* } }
indices_of_base! {
    [] usize;
    [] (usize, usize);
    [] (usize, usize, usize);
    [const N: usize] [usize; N];
    [const N: usize] Field<K::Base, N>;
}
fn base_part<K: Derived>(value: &Val<K>) -> PartOfBase<K> {
    <K as PlaceIndex<BasePart<K>>>::part(value, 0)
}
/// Part `Q` of part `P`, such as the real part of an element.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Nested<P, Q>(pub P, pub Q);
impl<K: Kind, P: Part<K>, Q: Part<P::Kind>> Part<K> for Nested<P, Q> {
    type Kind = Q::Kind;
    fn get(&self, whole: &Val<K>) -> Val<Q::Kind> {
        self.1.get(&self.0.get_ref(whole))
    }
    fn get_mut<'w>(&self, whole: &'w mut Val<K>) -> Option<&'w mut Val<Q::Kind>> {
        self.1.get_mut(self.0.get_mut(whole)?)
    }
    fn put(&self, whole: &mut Val<K>, part: Val<Q::Kind>) {
        if let Some(outer) = self.0.get_mut(whole) {
            return self.1.put(outer, part);
        }
        let mut outer = self.0.get(whole);
        self.1.put(&mut outer, part);
        self.0.put(whole, outer);
    }
    const KNOWS_SHAPE: bool = P::KNOWS_SHAPE;
    fn zero(&self) -> Val<K> {
        self.0.zero()
    }
    const SAVES_WHOLE: bool = P::SAVES_WHOLE || Q::SAVES_WHOLE;
    fn add(&self, whole: &mut Val<K>, part: Val<Q::Kind>) {
        if let Some(outer) = self.0.get_mut(whole) {
            return self.1.add(outer, part);
        }
        let mut outer = P::Kind::zero_like(&self.0.get(whole));
        self.1.add(&mut outer, part);
        self.0.add(whole, outer);
    }
    fn take_value(&self, whole: &mut Val<K>) -> Val<Q::Kind> {
        if let Some(outer) = self.0.get_mut(whole) {
            return self.1.take_value(outer);
        }
        let mut outer = self.0.take_value(whole);
        let part = self.1.take_value(&mut outer);
        self.0.add(whole, outer);
        part
    }
}

/// A contribution at a part: `v_b[i] += ...`. The part must [know the shape](Part::KNOWS_SHAPE) of the whole.
#[derive(Clone, Copy, Debug)]
pub struct PartOf<P, V>(pub P, pub V);
impl<K: Kind, P: Part<K>> Contribution<K> for PartOf<P, Val<P::Kind>> {
    #[inline]
    fn add_to(self, adjoint: &mut K::Adjoint) {
        if let Some(part) = term::<P::Kind>(self.1) {
            self.0.add(adjoint.value_mut(|| zero(&self.0)), part);
        }
    }
    #[inline]
    fn materialise(self) -> Val<K> {
        let mut whole = zero(&self.0);
        if let Some(part) = term::<P::Kind>(self.1) {
            self.0.add(&mut whole, part);
        }
        whole
    }
}

/// Adds to a part of an adjoint; `like` provides an unknown shape.
#[inline(always)]
pub(crate) fn add_part<K: Kind, P: Part<K>>(
    part: &P,
    adjoint: &mut K::Adjoint,
    value: Val<P::Kind>,
    like: Option<&Val<K>>,
) {
    let whole = adjoint.value_mut(|| match like {
        Some(like) => K::zero_like(like),
        None => part.zero(),
    });
    part.add(whole, value);
}
/// Returns the term, if any, with a computed `-0.0` as zero.
#[inline(always)]
pub(crate) fn term<K: Kind>(contribution: impl Contribution<K>) -> Option<Val<K>> {
    let mut adjoint = K::Adjoint::unset();
    contribution.add_to(&mut adjoint);
    adjoint.into_value()
}

fn zero<K: Kind, P: Part<K>>(part: &P) -> Val<K> {
    const {
        assert!(
            P::KNOWS_SHAPE,
            "`PartOf` needs a part that knows the shape of the whole: set `KNOWS_SHAPE` and define `zero`"
        )
    };
    part.zero()
}
