//! What variables carry beside their values.
use super::{Held, HeldBy, Hold, Identifier, Kind, Policy, Val};
use std::rc::Rc;

/// What variables carry beside their values in a [mode](crate::mode). Modes alone implement it: while a statement is
/// recorded, identifiers are trusted to run no code of their own.
pub trait Carrier: Sized + sealed::Carrier + 'static {
    /// Whether evaluations can be recorded.
    const RECORDS: bool;
    /// Whether variables are bare values: nothing is recorded, and there are no tangents.
    const PLAIN: bool = false;
    /// Whether recorded statements can be swept in every way: forward, to second order, along several directions.
    const SECOND: bool = false;
    /// The identifier of a variable of a value kind.
    type ValueId: Identifier;
    /// The identifier of a variable of a storage kind.
    type OwnedId: Identifier;
    /// What a variable of a value kind holds.
    type Bare<V: Copy + 'static>: Held<V> + Copy;
    /// What a variable of a storage kind holds.
    type Shared<V: Clone + 'static>: Held<V>;
    /// The tape's handle of the value that a variable holds.
    fn share<V: Clone + 'static>(held: &Self::Shared<V>) -> Rc<V>;
    /// What a variable holds, from the tape's handle.
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Self::Shared<V>;
    /// What a variable with a value that is made by the linear function `map` holds.
    #[inline(always)]
    fn map<A: Kind, B: Kind>(
        held: &HeldBy<A, Self>,
        map: impl Fn(&Val<A>) -> Val<B>,
    ) -> HeldBy<B, Self> {
        let cell = Hold::hold(map(Held::peek(held)));
        B::Policy::held::<Self>(cell, B::zero_like)
    }
}
/// Keeps others from implementing [`Carrier`].
pub(crate) mod sealed {
    pub trait Carrier {}
}

/// The mode that computes values and records nothing. A variable is as large as its value.
#[derive(Clone, Copy, Debug)]
pub struct Plain;
/// The mode that records. Variables of value kinds are `Copy` and have linear identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// The mode that records with owned, reused identifiers for every kind. The vectors of primal values and adjoints are
/// as long as the number of variables that live at a time.
#[derive(Clone, Copy, Debug)]
pub struct Reuse;
/// The mode that carries the tangents along `N` directions beside each value. Variables of value kinds are `Copy`.
#[derive(Clone, Copy, Debug)]
pub struct Forward<const N: usize = 1>;
/// The mode that records as [`Taped`] does, for sweeps of every sort: forward, to second order, in several directions.
#[derive(Clone, Copy, Debug)]
pub struct Second;
