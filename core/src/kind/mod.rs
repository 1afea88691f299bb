//! Kinds: what an identifier is attached to.
//!
//! A *kind* is the type-level name of a sort of entity: real, complex number, SIMD vector, array,
//! matrix. It is a tag of its own rather than the value's type, because the orphan rules keep a DSL
//! crate from implementing [`Kind`] for a foreign value type. A type that a crate owns can be its own
//! kind, as `f64` is here.
//!
//! ```text
//! Kind ─ Value    the entity's memory, exactly that of the plain program
//!      ├ Adjoint  what accumulates its adjoint during a sweep
//!      ├ Policy   value kind (Copy, linear identifiers) or storage kind (owned, reused identifiers)
//!      ├ Form     how expressions are evaluated: by value, piece by piece, or into a destination
//!      └ Keep     how the tape keeps a value inside a statement: in the bytes or on a stack
//! ```
mod additive;
pub mod adjoint;
mod destination;
mod form;
mod heap;
pub mod index;
mod keep;
mod list;
mod numbers;
mod part;
pub mod pool;
mod seen;
mod shared;
mod tuple;

pub use crate::tape::prefetch_slice;
pub use additive::Additive;
#[doc(hidden)]
pub use additive::{Adding, ByNothing, ByNumbers, ByOperator};
pub use adjoint::{Adjoint, Contribution, PartOf, Scaled, ScaledInto};
pub use destination::{Destination, DestinationKind, IntoDestination};
/// The derive macro of the trait.
#[doc(inline)]
pub use entape_macros::Stash;
pub use form::{
    At, BLOCK, Block, ByPieces, ByValue, Each, Form, Piece, PieceKind, Run, Shape, View, blocks,
};
pub use heap::Heap;
pub(crate) use heap::shared_bytes;
pub use index::{Handle, Hold, Policy};
pub use keep::{AsBytes, Keep, OnStack, Stash};
#[doc(hidden)]
pub use keep::{largest, no_variant};
pub(crate) use list::assert_lengths;
pub use list::{Item, Items, List, Many};
pub use numbers::Numbers;
#[doc(hidden)]
pub use numbers::coarsest;
pub(crate) use part::as_a_whole;
pub use part::{Field, Nested, Part, PlaceIndex};
pub use shared::Shared;
pub use tuple::{Outputs, Several};

/// A sort of entity that has one identifier as a whole. Made by [`#[kind]`](macro@crate::kind).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of entity",
    note = "declare it with `#[entape::kind(value = ...)]`, or bring the DSL crate that has it into scope"
)]
pub trait Kind: Sized + 'static {
    /// The entity's value, as the plain program has it.
    type Value: Clone + Contribution<Self> + 'static;
    /// Accumulates the adjoint of one entity during a sweep.
    type Adjoint: Adjoint<Self>;
    /// Value kind ([`index::Linear`]) or storage kind ([`index::Reuse`]).
    type Policy: Policy;
    /// How expressions are evaluated: [`ByValue`], [`ByPieces`] or [`IntoDestination`].
    type Form: Form<Self>;
    /// How a value is kept inside a statement.
    type Keep: Keep<Cell<Self>>;
    /// The name used in messages and statistics.
    const NAME: &'static str;
    /// The zero that has the shape of `like`.
    fn zero_like(like: &Self::Value) -> Self::Value;
    /// Whether all numbers of a value are finite; `tape.find_non_finite()` asks.
    fn is_finite(value: &Self::Value) -> bool {
        let _ = value;
        true
    }
    /// Whether values leave their memory to later ones.
    const RECYCLES: bool = false;
    /// Takes the memory of a value that is not needed any more and nothing else has, for later values; what is left is any
    /// value.
    #[inline(always)]
    fn recycle(value: &mut Self::Value) {
        let _ = value;
    }
    /// Bytes of memory that a value owns, beside its own. Of storage kinds, whose values a tape counts; those of value kinds own
    /// none.
    #[inline(always)]
    fn bytes(value: &Self::Value) -> usize {
        let _ = value;
        0
    }
    /// How many bytes of memory a value has that wait with the box in which a tape shares it, for a later value with as many;
    /// 0 if they go apart, by [`recycle`](Self::recycle).
    #[inline(always)]
    fn extent(value: &Self::Value) -> usize {
        let _ = value;
        0
    }
    /// Fetches the memory of a value into the caches, as it is read or written soon: a hint.
    #[inline(always)]
    fn fetch(value: &Self::Value) {
        let _ = value;
    }
    /// Whether a sweep [runs](Self::run) over equal statements, which differ in nothing but their variables and constants. It is
    /// worth its code, another copy for each type of statement, where programs repeat small statements.
    const RUNS: bool = false;
    /// Whether a run has the adjoint in registers that goes from a statement to the one before. For values that fit into one;
    /// longer ones, whose numbers are swept by loops, are moved about then.
    const CHAINS: bool = false;
    /// Sweeps equal statements, one after the other; here is the place to choose the instruction set. Tells whether it did: if
    /// not, nothing is done, and they are swept one by one.
    #[inline(always)]
    fn run(statements: impl Run) -> bool {
        statements.run();
        true
    }
    /// `into += from`.
    fn accumulate(into: &mut Self::Value, from: Self::Value);
}

/// What the values of value kinds have to be: `Copy`, so that they own no memory. The adjoints of value kinds begin as one zero for
/// all, which could not have the shape of a value that owns memory. [`#[kind]`](macro@crate::kind) asks for it; a kind that is made without it
/// and owns memory does not compile where it has variables:
///
/// ```compile_fail
/// use entape_core::{expr::Active, kind, kind::index, mode::Plain};
///
/// trait Choice: 'static { type Policy: kind::Policy; }
/// struct Value;
/// impl Choice for Value { type Policy = index::Linear; } // it is `Reuse` that would be right
/// #[kind(value = Vec<f64>, index = C::Policy)]
/// struct Array<C: Choice>(std::marker::PhantomData<C>);
///
/// Active::<Array<Value>, Plain>::new(vec![1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` can't be those of a value kind: they are not `Copy`",
    label = "not `Copy`",
    note = "if it owns memory, declare a storage kind: `#[kind(index = Reuse, zero = |like| ..)]`, where `zero` makes the zero of the shape of `like`",
    note = "if it owns none, derive `Clone` and `Copy`"
)]
pub trait Bare: Copy {}
#[diagnostic::do_not_recommend]
impl<V: Copy> Bare for V {}

/// The same of kinds whose policy depends on a parameter or that no macro made.
pub(crate) const fn assert_bare<K: Kind>() {
    assert!(
        K::Policy::STORAGE || !K::Policy::VARIABLES || !std::mem::needs_drop::<Val<K>>(),
        "the values of this value kind own memory: declare it with the policy `Reuse`, and the zero of the shape of a value"
    );
}

/// The value type of a kind.
pub type Val<K> = <K as Kind>::Value;
/// How the tape holds a value of a kind: bare for value kinds, shared for storage kinds.
pub type Cell<K> = <<K as Kind>::Policy as Policy>::Cell<Val<K>>;
/// How a rule receives a value of a kind: by value for value kinds, by reference for storage kinds.
pub type Arg<'a, K> = <<K as Kind>::Policy as Policy>::Arg<'a, Val<K>>;

/// What a sweep sees of a value on the tape: bare for value kinds, where it stands for storage kinds.
pub(crate) type SeenBy<K> = <Cell<K> as Hold<Val<K>>>::Seen;

/// Bytes of a value beside the handle of it that a tape holds: none of a value kind.
#[inline(always)]
pub(crate) fn bytes_of<K: Kind>(cell: &Cell<K>) -> usize {
    match K::Policy::STORAGE {
        true => shared_bytes::<Val<K>>(K::bytes(cell.peek())),
        false => 0,
    }
}
/// Gives the memory of a value that a tape drops back to its kind.
pub(crate) fn recycle<K: Kind>(cell: Cell<K>) {
    leave::<K, _>(cell);
}
/// The same of a value that a tape or a variable holds.
pub(crate) fn leave<K: Kind, H: Hold<Val<K>>>(mut held: H) {
    if K::RECYCLES
        && let Some(value) = held.sole()
    {
        let extent = K::extent(value);
        if extent == 0 {
            K::recycle(value);
        }
        held.leave(extent);
    }
}
/// A value as a tape holds it, in a box that waits if there is one.
#[inline]
pub(crate) fn hold<K: Kind>(value: Val<K>) -> Cell<K> {
    let extent = K::extent(&value);
    if extent > 0
        && let Some(mut cell) = <Cell<K> as Hold<Val<K>>>::waiting(extent, K::fetch)
        && let Some(place) = cell.sole()
    {
        K::recycle(&mut std::mem::replace(place, value));
        return cell;
    }
    Hold::hold(value)
}

/// Hands a value to a rule.
#[inline(always)]
pub fn arg<K: Kind>(value: &Val<K>) -> Arg<'_, K> {
    <K::Policy as Policy>::arg(value)
}
