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
//!      ├ Layout   what a value is made of: one piece, or a run of numbers
//!      ├ Keep     how the tape keeps a value inside a statement: in the bytes or on a stack
//!      ├ Memory   what values own, and how it comes back for later ones
//!      └ Batch    how a sweep takes equal statements
//! ```
mod additive;
pub mod adjoint;
mod batch;
mod carrier;
mod destination;
mod heap;
pub mod identifier;
mod incoming;
pub mod index;
mod keep;
mod layout;
mod list;
mod memory;
mod pieces;
mod tuple;

pub use additive::Additive;
#[doc(hidden)]
pub use additive::{Adding, ByNothing, ByNumbers, ByOperator};
pub use adjoint::{Adjoint, Contribution};
pub use batch::{Batch, Chained, OneByOne};
pub(crate) use carrier::sealed as carriers;
pub use carrier::{Carrier, Plain, Reuse, Taped};
pub use destination::DestinationKind;
pub use heap::Heap;
pub use identifier::{Copied, Identifier, Meta, Ownership, Slot, Unique, Version};
pub(crate) use identifier::{NONE, sealed as identifiers};
pub use incoming::Incoming;
pub use index::{Handle, Hold, Policy};
pub use keep::{AsBytes, Keep, OnStack};
pub(crate) use layout::shape_of;
pub use layout::{At, BLOCK, Block, Each, Layout, One, Piece, Run, Shape, Shaped, View, blocks};
pub(crate) use list::assert_lengths;
pub use list::{Item, Items, List, Many};
pub use memory::{Memory, NoMemory};
pub(crate) use memory::{bytes_of, hold, leave, recycle};
pub(crate) use pieces::{Computed, loaded};
pub use pieces::{Forward, Need, Pieces, Wanted};
pub use tuple::Several;

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
    /// What a value is made of: [`One`] piece, or many.
    type Layout: Layout<Self>;
    /// How a value is kept inside a statement.
    type Keep: Keep<Cell<Self>>;
    /// The memory that values own.
    type Memory: Memory<Self>;
    /// How a sweep takes equal statements.
    type Batch: Batch<Self>;
    /// The name used in messages and statistics.
    const NAME: &'static str;
    /// The zero that has the shape of `like`.
    fn zero_like(like: &Self::Value) -> Self::Value;
    /// Whether all numbers of a value are finite; `tape.find_non_finite()` asks.
    fn is_finite(value: &Self::Value) -> bool {
        let _ = value;
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

/// Hands a value to a rule.
#[inline(always)]
pub fn arg<K: Kind>(value: &Val<K>) -> Arg<'_, K> {
    <K::Policy as Policy>::arg(value)
}
