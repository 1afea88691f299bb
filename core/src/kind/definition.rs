use super::{
    adjoint::{Adjoint, Contribution},
    batch::Batch,
    encoding::Encoding,
    index::Policy,
    layout::Layout,
    memory::{Memory, Recycle},
    tape_cell::TapeCell,
};

/// A sort of entity; each variable has one identifier as a whole. Declare kinds with [`#[kind]`](macro@crate::kind).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of entity",
    note = "declare it with `#[entape::kind(value = ...)]`, or import the DSL crate that declares it"
)]
pub trait Kind: Sized + 'static {
    /// The value in the plain program.
    type Value: Clone + Contribution<Self> + 'static;
    /// The accumulator of an adjoint in a sweep.
    type Adjoint: Adjoint<Self>;
    /// [`Linear`](super::index::Linear) for value kinds, [`Owned`](super::index::Owned) for storage kinds.
    type Policy: Policy<Self::Value>;
    /// [One piece](super::OnePiece), or several pieces.
    type Layout: Layout<Self>;
    /// The storage of a value within a statement.
    type Encoding: Encoding<TapeValue<Self>>;
    /// The reuse of memory owned by values.
    type Memory: Memory<Self::Value>;
    /// The reversal of equal statements in a sweep.
    type Batch: Batch;
    /// The name used in messages and statistics.
    const NAME: &'static str;
    /// Whether values are `f64`.
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Returns whether the value does not depend on the tangent's direction. For second derivatives, such a tangent is
    /// -0.0, like an [unset](Adjoint) adjoint. False if the numbers are not known.
    #[doc(hidden)]
    fn is_unset_tangent(tangent: &Self::Value) -> bool {
        let (mut tangent, mut unset) = (tangent.clone(), true);
        Self::each_number(&mut tangent, &mut |x| unset &= Adjoint::<f64>::is_unset(x)) && unset
    }
    #[doc(hidden)]
    fn mark_zeros(tangent: &mut Self::Value, computed: bool) {
        let zero = if computed { 0.0 } else { -0.0 };
        Self::each_number(tangent, &mut |x| {
            if *x == 0.0 {
                *x = zero;
            }
        });
    }
    #[doc(hidden)]
    fn unset_tangent(like: &Self::Value) -> Self::Value {
        let mut tangent = Self::zero_like(like);
        Self::mark_zeros(&mut tangent, false);
        tangent
    }
    /// Returns the zero with the shape of `like`.
    fn zero_like(like: &Self::Value) -> Self::Value;
    /// Returns whether all numbers are finite, for `tape.find_non_finite()`.
    fn is_finite(value: &Self::Value) -> bool {
        let _ = value;
        true
    }
    /// Returns whether two values have equal shapes.
    #[inline]
    fn same_shape(a: &Self::Value, b: &Self::Value) -> bool {
        Self::Layout::shape(a) == Self::Layout::shape(b)
    }
    /// Returns the shape for messages.
    fn shape_text(value: &Self::Value) -> String {
        format!("{:?}", Self::Layout::shape(value))
    }
    /// Passes each number to `f` for changes, and returns whether the numbers are known, by
    /// [coordinates](crate::coordinates::Coordinates) or an [`Additive`](super::Additive) value. Otherwise a tape does
    /// not [verify](crate::tape::Builder::verify) values and parts, and drivers return an error for an infinite or NaN
    /// result that does not depend on inputs.
    fn each_number(value: &mut Self::Value, f: &mut dyn FnMut(&mut f64)) -> bool {
        let _ = (value, f);
        false
    }
    /// `into += from`.
    fn accumulate(into: &mut Self::Value, from: Self::Value);
    /// Returns an adjoint as computed by a formula: `-0.0` becomes `0.0` in kinds whose numbers are [unset](Adjoint)
    /// separately. Only [`Passed`](super::Passed) does not call it.
    #[inline(always)]
    #[must_use]
    fn computed(value: Self::Value) -> Self::Value {
        value
    }
}

/// Checks kinds whose policy depends on a parameter, or that the macro did not create.
pub(crate) const fn assert_bare<K: Kind>() {
    assert!(
        K::Policy::STORAGE || !K::Policy::VARIABLES || !std::mem::needs_drop::<Val<K>>(),
        "the values of this value kind own memory: declare a storage kind, `#[kind(index = Owned, zero = |like| ..)]`"
    );
}

/// The value type of a kind.
pub type Val<K> = <K as Kind>::Value;
/// A value on the tape: bare for value kinds, shared for storage kinds.
pub type TapeValue<K> = <<K as Kind>::Policy as Policy<Val<K>>>::TapeCell;
/// A value as received by a rule: by value for value kinds, by reference for storage kinds.
pub type Arg<'a, K> = <<K as Kind>::Policy as Policy<Val<K>>>::Arg<'a>;

impl<K: Kind> Recycle<Val<K>> for K {
    #[inline(always)]
    fn recycle(value: &mut Val<K>) {
        K::Memory::recycle(value);
    }
}

/// The content of a variable of kind `K` in mode `M`.
pub type VariableCellOf<K, M> = <<K as Kind>::Policy as Policy<Val<K>>>::VariableCell<M, K>;

pub(crate) type BorrowedBy<K> = <TapeValue<K> as TapeCell<Val<K>>>::Borrowed;

/// Converts a value to the form that a rule receives.
#[inline(always)]
pub fn arg<K: Kind>(value: &Val<K>) -> Arg<'_, K> {
    K::Policy::arg(value)
}
