//! Expressions of numbers as data, and the memory for sweeping them along directions.
//!
//! Each node of an expression has a slot: its value, its tangents, its adjoint and the tangents of the adjoint have the same
//! index in four planes. An operation is a table of functions that read and write these slots.
use super::{elements::ElementFunctions, stacks::Stacks};

/// The number of slots: an index of eight bits needs no check.
pub(crate) const SLOTS: usize = 256;
/// An item for each slot.
pub(crate) type Plane<T> = [T; SLOTS];

/// The slots of the nodes of one statement, with tangents along `N` directions.
pub struct Planes<const N: usize> {
    pub(crate) values: Plane<f64>,
    pub(crate) tangents: Plane<[f64; N]>,
    pub(crate) adjoints: Plane<f64>,
    pub(crate) directional: Plane<[f64; N]>,
    /// The identifiers of variables.
    pub(crate) ids: Plane<u32>,
    /// Nodes that depend on no variable, in a statement some of whose variables are passive.
    pub(crate) passive: Plane<bool>,
}
debug_by_name! { [const N: usize] Planes<N> }
impl<const N: usize> Default for Planes<N> {
    fn default() -> Self {
        Planes {
            values: [0.0; SLOTS],
            tangents: [[0.0; N]; SLOTS],
            adjoints: [-0.0; SLOTS],
            directional: [[-0.0; N]; SLOTS],
            ids: [0; SLOTS],
            passive: [false; SLOTS],
        }
    }
}
impl<const N: usize> Planes<N> {
    /// Returns the slots of an operation, some of whose arguments may depend on no variable.
    #[inline(always)]
    pub(crate) fn place(&self, mut place: PlaneSlots) -> PlaneSlots {
        for (i, slot) in place.arguments.iter().enumerate() {
            if self.passive[usize::from(*slot)] {
                place.active &= !(1 << i);
            }
        }
        place
    }
}

/// The slots of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneSlots {
    pub(crate) arguments: [u8; 3],
    pub(crate) result: u8,
    /// Bits of the arguments that depend on a variable.
    pub(crate) active: u8,
    /// The beginning of the operation's parameters in the fixed part of the statement.
    pub(crate) parameters: u16,
}

impl PlaneSlots {
    /// Returns whether an argument depends on a variable.
    #[inline(always)]
    pub(crate) fn is_active(self, argument: usize) -> bool {
        self.active >> argument & 1 != 0
    }
}

/// The data that operations read in addition to their slots.
pub(crate) struct OperationContext<'s> {
    /// The fixed part of the statement.
    pub(crate) fixed: &'s [u8],
    pub(crate) stacks: &'s mut Stacks,
    /// Whether tangents are taken along one side of a kink.
    pub(crate) one_sided: bool,
}
debug_by_name! { ['s] OperationContext<'s> }

/// Computes the value of an operation.
pub(crate) type Value = fn(&mut Plane<f64>, &mut OperationContext<'_>, PlaneSlots);
/// Computes tangents of an operation, or propagates its adjoint and the tangents of the adjoint to its arguments.
pub(crate) type PlaneFunction<const N: usize> =
    fn(&mut Planes<N>, &mut OperationContext<'_>, PlaneSlots);

/// The dependence of an operation's result on its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// For each argument, whether the result depends on it with a derivative.
    pub flows: [bool; 3],
    /// For each argument the other arguments, as bits, with which it has a second derivative. It is symmetric.
    pub pairs: [u8; 3],
}

/// An operation on numbers or on lists of numbers, as data. `F` is the type of its functions.
pub struct Operation<F: 'static = Functions> {
    /// For each argument: the operands of its adjoint.
    pub(crate) reads: [u8; 3],
    /// For each argument: whether it has an adjoint.
    pub(crate) flows: [bool; 3],
    /// For each argument: whether second derivatives read its tangents.
    pub(crate) bends: [bool; 3],
    /// Whether second derivatives read the tangents of the result.
    pub(crate) bends_with_result: bool,
    /// The number of bytes of its parameters.
    pub(crate) bytes: usize,
    /// The number of bytes of its saved values.
    pub(crate) saved: usize,
    /// Whether tangents of its result are products with the partial derivatives that propagate its adjoint.
    pub(crate) has_partials: bool,
    /// The dependence of its result on its arguments.
    pub(crate) dependence: Dependence,
    pub(crate) functions: &'static F,
}
debug_by_name! { [F: 'static] Operation<F> }
/// The functions of an operation on numbers.
pub struct Functions {
    pub(crate) value: Value,
    /// Tests the arguments of the operation, see [`Rule::test`](crate::rule::Rule::test).
    pub(crate) test: Value,
    /// The functions for sweeps along directions.
    pub(crate) directional: &'static DirectionalFunctions,
    /// The functions for elements of lists, if it is elementary.
    pub(crate) elements: Option<&'static ElementFunctions>,
}
debug_by_name! { [] Functions }
/// The functions of an operation on numbers along directions.
pub(crate) struct DirectionalFunctions {
    pub(crate) one: ByActive<PlaneFunctions<1>>,
    pub(crate) many: ByActive<PlaneFunctions<8>>,
}
/// One for each set of arguments that depend on a variable.
pub(crate) type ByActive<F> = [Option<F>; 8];
/// The functions for `N` directions.
#[derive(Clone, Copy)]
pub(crate) struct PlaneFunctions<const N: usize> {
    pub(crate) tangents: PlaneFunction<N>,
    pub(crate) second: PlaneFunction<N>,
}
