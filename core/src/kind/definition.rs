//! The trait of kinds, and types derived from it.
use super::{
    adjoint::{Adjoint, Contribution},
    batch::Batch,
    encoding::Encoding,
    index::{Policy, TapeCell},
    layout::Layout,
    memory::Memory,
};

/// A sort of entity, in which each variable has one identifier as a whole. [`#[kind]`](macro@crate::kind) implements
/// it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of entity",
    note = "declare it with `#[entape::kind(value = ...)]`, or bring the DSL crate that has it into scope"
)]
pub trait Kind: Sized + 'static {
    /// The value of the entity in the plain program.
    type Value: Clone + Contribution<Self> + 'static;
    /// The type that accumulates the adjoint of one entity during a sweep.
    type Adjoint: Adjoint<Self>;
    /// Whether this is a value kind ([`Linear`](super::index::Linear)) or a storage kind
    /// ([`Owned`](super::index::Owned)).
    type Policy: Policy<Self::Value>;
    /// The layout of a value: [one piece](super::OnePiece), or several pieces.
    type Layout: Layout<Self>;
    /// The storage of a value within a statement.
    type Encoding: Encoding<TapeValue<Self>>;
    /// The management of memory owned by values.
    type Memory: Memory<Self::Value>;
    /// The reversal of equal statements in a sweep.
    type Batch: Batch;
    /// The name used in messages and statistics.
    const NAME: &'static str;
    /// Whether values are `f64` numbers, whose operations sweeps along directions process as data.
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Returns whether a tangent is unset, that is, whether the value does not depend on the direction. In walks for second
    /// derivatives all numbers of such a tangent are `-0.0`, like an [unset](Adjoint) adjoint of numbers; a computed tangent of
    /// zero is `0.0`. If the numbers of values are not known, no tangent is unset.
    #[doc(hidden)]
    fn is_unset_tangent(tangent: &Self::Value) -> bool {
        let (mut tangent, mut unset) = (tangent.clone(), true);
        Self::each_number(&mut tangent, &mut |x| unset &= Adjoint::<f64>::is_unset(x)) && unset
    }
    /// Gives the zeros of a tangent the sign that distinguishes computed from unset.
    #[doc(hidden)]
    fn mark_zeros(tangent: &mut Self::Value, computed: bool) {
        let zero = if computed { 0.0 } else { -0.0 };
        Self::each_number(tangent, &mut |x| {
            if *x == 0.0 {
                *x = zero;
            }
        });
    }
    /// Returns the unset tangent of a value.
    #[doc(hidden)]
    fn unset_tangent(like: &Self::Value) -> Self::Value {
        let mut tangent = Self::zero_like(like);
        Self::mark_zeros(&mut tangent, false);
        tangent
    }
    /// Returns the zero with the shape of `like`.
    fn zero_like(like: &Self::Value) -> Self::Value;
    /// Returns whether all numbers of a value are finite, for `tape.find_non_finite()`.
    fn is_finite(value: &Self::Value) -> bool {
        let _ = value;
        true
    }
    /// Returns whether two values have equal shapes. Sweeps compare adjoints with the values to which they belong.
    #[inline]
    fn same_shape(a: &Self::Value, b: &Self::Value) -> bool {
        Self::Layout::shape(a) == Self::Layout::shape(b)
    }
    /// Returns the shape of a value for messages.
    fn shape_text(value: &Self::Value) -> String {
        format!("{:?}", Self::Layout::shape(value))
    }
    /// Passes each number of a value to `f`, which may change it. Returns whether the numbers of values are known.
    /// [`#[kind]`](macro@crate::kind) implements it for kinds with [coordinates](crate::coordinates::Coordinates) and for
    /// [`Additive`](super::Additive) values. If the numbers are not known, a tape that [verifies](crate::tape::Builder::verify)
    /// does not compare values and test parts of the kind, and drivers return an error if a result is infinite or NaN and does
    /// not depend on inputs.
    fn each_number(value: &mut Self::Value, f: &mut dyn FnMut(&mut f64)) -> bool {
        let _ = (value, f);
        false
    }
    /// `into += from`.
    fn accumulate(into: &mut Self::Value, from: Self::Value);
    /// Returns the adjoint `value` as the result of a formula: for kinds whose numbers are [unset](Adjoint) separately, such as
    /// arrays and lanes, `-0.0` becomes `0.0`. Values are [contributions](Contribution) through this function, so that `-0.0`
    /// computed by a formula counts as a zero. [`Passed`](super::Passed) leaves the numbers unchanged.
    #[inline(always)]
    #[must_use]
    fn computed(value: Self::Value) -> Self::Value {
        value
    }
}

/// Values of value kinds are `Copy`, so they do not own memory: the adjoints of value kinds all begin as one zero,
/// which could not have the shape of a value that owns memory. [`#[kind]`](macro@crate::kind) checks this. A kind
/// without this macro whose values own memory does not compile if it has variables:
///
/// ```compile_fail
/// use entape_core::{expr::Active, kind, kind::index, mode::Plain};
///
/// trait Choice: 'static { type Policy: kind::Policy<Vec<f64>>; }
/// struct Value;
/// impl Choice for Value { type Policy = index::Linear; } // `Owned` would be correct
/// #[kind(value = Vec<f64>, index = C::Policy)]
/// struct Array<C: Choice>(std::marker::PhantomData<C>);
///
/// Active::<Array<Value>, Plain>::passive(vec![1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` can't be those of a value kind: they are not `Copy`",
    label = "not `Copy`",
    note = "if it owns memory, declare a storage kind: `#[kind(index = Owned, zero = |like| ..)]`, where `zero` makes the zero of the shape of `like`",
    note = "if it owns none, derive `Clone` and `Copy`"
)]
pub trait Bare: Copy {}
#[diagnostic::do_not_recommend]
impl<V: Copy> Bare for V {}

/// The check for kinds whose policy depends on a parameter, or that were not made by a macro.
pub(crate) const fn assert_bare<K: Kind>() {
    assert!(
        K::Policy::STORAGE || !K::Policy::VARIABLES || !std::mem::needs_drop::<Val<K>>(),
        "the values of this value kind own memory: declare it with the policy `Owned`, and the zero of the shape of a value"
    );
}

/// The value type of a kind.
pub type Val<K> = <K as Kind>::Value;
/// The form of a value on the tape: bare for value kinds, shared for storage kinds.
pub type TapeValue<K> = <<K as Kind>::Policy as Policy<Val<K>>>::TapeCell;
/// The form in which a rule receives a value: by value for value kinds, by reference for storage kinds.
pub type Arg<'a, K> = <<K as Kind>::Policy as Policy<Val<K>>>::Arg<'a>;

/// The content of a variable of kind `K` in mode `M`.
pub type VariableCellOf<K, M> = <<K as Kind>::Policy as Policy<Val<K>>>::VariableCell<M>;

/// The form of a value of the tape in a sweep: bare for value kinds, by address for storage kinds.
pub(crate) type BorrowedBy<K> = <TapeValue<K> as TapeCell<Val<K>>>::Borrowed;

/// Converts a value to the form received by a rule.
#[inline(always)]
pub fn arg<K: Kind>(value: &Val<K>) -> Arg<'_, K> {
    K::Policy::arg(value)
}
