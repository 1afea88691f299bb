//! The trait of kinds, and the types that follow from it.
use super::{
    adjoint::{Adjoint, Contribution},
    batch::Batch,
    encoding::Encoding,
    index::{Policy, TapeCell},
    layout::Layout,
    memory::Memory,
};

/// A sort of entity, of which each variable has one identifier as a whole. [`#[kind]`](macro@crate::kind) implements
/// it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of entity",
    note = "declare it with `#[entape::kind(value = ...)]`, or bring the DSL crate that has it into scope"
)]
pub trait Kind: Sized + 'static {
    /// The entity's value, as the plain program has it.
    type Value: Clone + Contribution<Self> + 'static;
    /// The type that accumulates the adjoint of one entity during a sweep.
    type Adjoint: Adjoint<Self>;
    /// Whether this is a value kind ([`Linear`](super::index::Linear)) or a storage kind
    /// ([`Owned`](super::index::Owned)).
    type Policy: Policy<Self::Value>;
    /// How a value is laid out: as [one piece](super::OnePiece), or as many.
    type Layout: Layout<Self>;
    /// How a value is stored inside a statement.
    type Encoding: Encoding<TapeValue<Self>>;
    /// The memory that values own.
    type Memory: Memory<Self::Value>;
    /// How a sweep takes equal statements.
    type Batch: Batch;
    /// The name used in messages and statistics.
    const NAME: &'static str;
    /// Whether values are numbers of type `f64`, of which sweeps along directions know the operations as data.
    #[doc(hidden)]
    const NUMBERS: bool = false;
    /// Whether a tangent is unset: whether the value does not depend on the direction. In walks for second derivatives it then is `-0.0` in
    /// all its numbers, as an [unset](Adjoint) adjoint of numbers is; a tangent of zero that was computed is `0.0`. Where it is not known
    /// of which numbers values are made, no tangent is unset.
    #[doc(hidden)]
    fn is_unset_tangent(tangent: &Self::Value) -> bool {
        let (mut tangent, mut unset) = (tangent.clone(), true);
        Self::each_number(&mut tangent, &mut |x| unset &= Adjoint::<f64>::is_unset(x)) && unset
    }
    /// Gives the zeros of a tangent the sign that tells whether they are computed or unset.
    #[doc(hidden)]
    fn mark_zeros(tangent: &mut Self::Value, computed: bool) {
        let zero = if computed { 0.0 } else { -0.0 };
        Self::each_number(tangent, &mut |x| {
            if *x == 0.0 {
                *x = zero;
            }
        });
    }
    /// The unset tangent of a value.
    #[doc(hidden)]
    fn unset_tangent(like: &Self::Value) -> Self::Value {
        let mut tangent = Self::zero_like(like);
        Self::mark_zeros(&mut tangent, false);
        tangent
    }
    /// The zero that has the shape of `like`.
    fn zero_like(like: &Self::Value) -> Self::Value;
    /// Whether all numbers of a value are finite, which `tape.find_non_finite()` looks for.
    fn is_finite(value: &Self::Value) -> bool {
        let _ = value;
        true
    }
    /// Whether two values have one shape. Sweeps compare adjoints with the values that they belong to.
    #[inline]
    fn same_shape(a: &Self::Value, b: &Self::Value) -> bool {
        Self::Layout::shape(a) == Self::Layout::shape(b)
    }
    /// The shape of a value, for messages.
    fn shape_text(value: &Self::Value) -> String {
        format!("{:?}", Self::Layout::shape(value))
    }
    /// Passes each number of a value to `f`, which may change it. Returns whether it is known of which numbers values are made.
    /// [`#[kind]`](macro@crate::kind) implements it for kinds with [coordinates](crate::coordinates::Coordinates) and for values that are
    /// [`Additive`](super::Additive). Where it is not known, a tape that [verifies](crate::tape::Builder::verify) compares no values and tests
    /// no parts of the kind, and drivers return an error if a result is infinite or NaN and depends on no input.
    fn each_number(value: &mut Self::Value, f: &mut dyn FnMut(&mut f64)) -> bool {
        let _ = (value, f);
        false
    }
    /// `into += from`.
    fn accumulate(into: &mut Self::Value, from: Self::Value);
    /// Returns the adjoint `value` as the result of a formula: of a kind whose numbers are [unset](Adjoint) each by itself, such as
    /// arrays and lanes, `-0.0` becomes `0.0`. Values are [contributions](Contribution) by this function, so that what a formula
    /// computes as `-0.0` counts as a zero. [`Passed`](super::Passed) leaves the numbers as they are.
    #[inline(always)]
    #[must_use]
    fn computed(value: Self::Value) -> Self::Value {
        value
    }
}

/// Values of value kinds are `Copy`, so that they own no memory: the adjoints of value kinds all begin as the same
/// zero, which could not have the shape of a value that owns memory. [`#[kind]`](macro@crate::kind) checks this; a kind
/// that is made without it and owns memory does not compile where it has variables:
///
/// ```compile_fail
/// use entape_core::{expr::Active, kind, kind::index, mode::Plain};
///
/// trait Choice: 'static { type Policy: kind::Policy<Vec<f64>>; }
/// struct Value;
/// impl Choice for Value { type Policy = index::Linear; } // it is `Owned` that would be right
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

/// The same check for kinds whose policy depends on a parameter or that no macro made.
pub(crate) const fn assert_bare<K: Kind>() {
    assert!(
        K::Policy::STORAGE || !K::Policy::VARIABLES || !std::mem::needs_drop::<Val<K>>(),
        "the values of this value kind own memory: declare it with the policy `Owned`, and the zero of the shape of a value"
    );
}

/// The value type of a kind.
pub type Val<K> = <K as Kind>::Value;
/// How the tape holds a value of a kind: bare for value kinds, shared for storage kinds.
pub type TapeValue<K> = <<K as Kind>::Policy as Policy<Val<K>>>::TapeCell;
/// How a rule receives a value of a kind: by value for value kinds, by reference for storage kinds.
pub type Arg<'a, K> = <<K as Kind>::Policy as Policy<Val<K>>>::Arg<'a>;

/// What a variable of kind `K` holds in mode `M`.
pub type VariableCellOf<K, M> = <<K as Kind>::Policy as Policy<Val<K>>>::VariableCell<M>;

/// How a sweep sees a value on the tape: bare for value kinds, by its address for storage kinds.
pub(crate) type BorrowedBy<K> = <TapeValue<K> as TapeCell<Val<K>>>::Borrowed;

/// Hands a value to a rule.
#[inline(always)]
pub fn arg<K: Kind>(value: &Val<K>) -> Arg<'_, K> {
    K::Policy::arg(value)
}
