//! Identifier policies.
use super::{
    carrier::{Carrier, Forward},
    identifier::Identifier,
    memory::Recycle,
    tangents::{ForwardCell, TangentStorage},
    tape_cell::{SharedValue, TapeCell, VariableCell},
};
use crate::sealed::Sealed;
use std::rc::Rc;

/// The sealed identifier policy of a kind: [`Linear`] for value kinds, [`Owned`] for storage kinds, or a policy without
/// variables.
#[diagnostic::on_unimplemented(
    message = "values of type `{V}` cannot have the policy `{Self}`",
    note = "declare a value kind (`Linear`) for values that are `Copy`, and a storage kind (`Owned`) for values that are only `Clone`"
)]
pub trait Policy<V: Clone + 'static>: Sealed + 'static {
    /// The identifier of a variable in mode `M`.
    type Id<M: Carrier>: Identifier;
    /// A value, and its tangents in a forward mode. `R` recycles its memory.
    type VariableCell<M: Carrier, R: Recycle<V>>: VariableCell<V>;
    /// A value on the tape.
    type TapeCell: TapeCell<V>;
    /// A value as received by a rule.
    type Arg<'a>: Copy;
    /// The tangents along `N` directions.
    type Tangents<const N: usize>: TangentStorage<V, N>;
    /// Converts a value to the form that a rule receives.
    fn arg(value: &V) -> Self::Arg<'_>;
    /// Returns the value that a rule received.
    fn value<'v>(arg: &'v Self::Arg<'_>) -> &'v V;
    /// Returns the content of a variable as a value on the tape.
    fn cell<M: Carrier, R: Recycle<V>>(held: &Self::VariableCell<M, R>) -> Self::TapeCell;
    /// Returns a value as the content of a variable, with `zero` or no tangents.
    fn held<M: Carrier, R: Recycle<V>>(
        cell: Self::TapeCell,
        zero: impl FnOnce(&V) -> V,
    ) -> Self::VariableCell<M, R>;
    /// Creates the content of a forward variable.
    fn with_tangents<const N: usize, R: Recycle<V>>(
        value: V,
        tangents: Self::Tangents<N>,
    ) -> Self::VariableCell<Forward<N>, R>;
    /// Whether variables are operands by reference only.
    const STORAGE: bool;
    /// Whether variables exist; otherwise results are split immediately.
    const VARIABLES: bool = true;
}

/// The policy of value kinds: each statement creates a new identifier.
#[derive(Clone, Copy, Debug)]
pub struct Linear;
impl Sealed for Linear {}
/// The policy of storage kinds: a variable keeps its identifier when written in place, until it is dropped.
#[derive(Clone, Copy, Debug)]
pub struct Owned;
impl Sealed for Owned {}

#[doc(hidden)]
pub trait HasVariables {}
impl HasVariables for Linear {}
impl HasVariables for Owned {}

/// Kinds with operands by value.
#[diagnostic::on_unimplemented(
    message = "a variable of a storage kind (an array, a matrix) cannot be used in an expression by value: write `&` before it",
    label = "a variable of a storage kind: write `&x`"
)]
pub trait ByValue {}
impl ByValue for Linear {}

/// Kinds that functions with `in_place` take by value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a function with `in_place` takes values of a storage kind by reference: write `&` before the type of this argument",
    label = "of a storage kind: write `&` before it"
)]
pub trait PassedByValue {}
impl PassedByValue for Linear {}

/// Values of value kinds are `Copy`: their adjoints begin as one zero, which could not have the shape of a value that owns memory.
/// A kind that violates this does not compile if it has variables:
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
    message = "values of type `{Self}` cannot be the values of a value kind: they are not `Copy`",
    label = "not `Copy`",
    note = "if the type owns memory, declare a storage kind: `#[kind(index = Owned, zero = |like| ..)]`, where `zero` returns the zero with the shape of `like`",
    note = "if the type does not own memory, derive `Clone` and `Copy`"
)]
pub trait Bare: Copy {}
#[diagnostic::do_not_recommend]
impl<V: Copy> Bare for V {}

impl<V: Bare + 'static> Policy<V> for Linear {
    type Id<M: Carrier> = M::ValueId;
    type VariableCell<M: Carrier, R: Recycle<V>> = M::Bare<V>;
    type TapeCell = V;
    type Arg<'a> = V;
    type Tangents<const N: usize> = [V; N];
    const STORAGE: bool = false;
    #[inline(always)]
    fn arg(value: &V) -> V {
        *value
    }
    #[inline(always)]
    fn value(arg: &V) -> &V {
        arg
    }
    #[inline(always)]
    fn cell<M: Carrier, R: Recycle<V>>(held: &M::Bare<V>) -> V {
        *VariableCell::peek(held)
    }
    #[inline(always)]
    fn held<M: Carrier, R: Recycle<V>>(cell: V, zero: impl FnOnce(&V) -> V) -> M::Bare<V> {
        VariableCell::passive(cell, zero)
    }
    #[inline(always)]
    fn with_tangents<const N: usize, R: Recycle<V>>(
        value: V,
        tangents: [V; N],
    ) -> ForwardCell<V, [V; N], N> {
        ForwardCell { value, tangents }
    }
}
impl<V: Clone + 'static> Policy<V> for Owned {
    type Id<M: Carrier> = M::OwnedId;
    type VariableCell<M: Carrier, R: Recycle<V>> = M::Shared<V, R>;
    type TapeCell = SharedValue<V>;
    type Arg<'a> = &'a V;
    type Tangents<const N: usize> = Option<Rc<[V; N]>>;
    const STORAGE: bool = true;
    #[inline(always)]
    fn arg(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<M: Carrier, R: Recycle<V>>(held: &M::Shared<V, R>) -> SharedValue<V> {
        SharedValue(Some(M::share(held)))
    }
    fn held<M: Carrier, R: Recycle<V>>(
        cell: SharedValue<V>,
        _: impl FnOnce(&V) -> V,
    ) -> M::Shared<V, R> {
        M::unshare(cell.into_rc())
    }
    fn with_tangents<const N: usize, R: Recycle<V>>(
        value: V,
        tangents: Option<Rc<[V; N]>>,
    ) -> ForwardCell<V, Option<Rc<[V; N]>>, N> {
        ForwardCell { value, tangents }
    }
}
