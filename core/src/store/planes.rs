//! Expressions of numbers as data, and memory for sweeps along directions. A node's slot is an index in four planes:
//! value, tangents, adjoint and adjoint's tangents.
use super::{elements::ElementFunctions, stacks::Stacks};
use crate::differences::Findings;

/// An 8-bit index needs no check.
pub(crate) const SLOTS: usize = 256;
pub(crate) type Plane<T> = [T; SLOTS];

/// The slots of the nodes of one statement, with tangents along `N` directions.
pub struct Planes<const N: usize> {
    pub(crate) values: Plane<f64>,
    pub(crate) tangents: Plane<[f64; N]>,
    pub(crate) adjoints: Plane<f64>,
    pub(crate) directional: Plane<[f64; N]>,
    pub(crate) ids: Plane<u32>,
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneSlots {
    pub(crate) arguments: [u8; 3],
    pub(crate) result: u8,
    pub(crate) active: u8,
    pub(crate) parameters: u16,
}

impl PlaneSlots {
    #[inline(always)]
    pub(crate) fn is_active(self, argument: usize) -> bool {
        self.active >> argument & 1 != 0
    }
}

pub(crate) struct OperationContext<'s> {
    pub(crate) fixed: &'s [u8],
    pub(crate) stacks: &'s mut Stacks,
    pub(crate) one_sided: bool,
    /// Whether loops over elements may multiply out formulas: no element is unset, and the caller repeats the loops if a
    /// result is not finite.
    pub(crate) plain: bool,
}
debug_by_name! { ['s] OperationContext<'s> }

pub(crate) type Value = fn(&mut Plane<f64>, &mut OperationContext<'_>, PlaneSlots);
/// Evaluates an operation again, and compares adjoints with differences.
pub(crate) type Again =
    fn(&mut Plane<f64>, &mut OperationContext<'_>, PlaneSlots, [bool; 3], &mut Findings);
pub(crate) type PlaneFunction<const N: usize> =
    fn(&mut Planes<N>, &mut OperationContext<'_>, PlaneSlots);

/// The dependence of an operation's result on its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// For each argument, whether the result depends on it with a derivative.
    pub flows: [bool; 3],
    /// For each argument, as bits, the arguments with which it has a second derivative.
    pub pairs: [u8; 3],
}

/// An operation as data, with functions of type `F`.
pub struct Operation<F: 'static = Functions> {
    pub(crate) reads: [u8; 3],
    pub(crate) flows: [bool; 3],
    /// Arguments whose tangents second derivatives read.
    pub(crate) bends: [bool; 3],
    pub(crate) bends_with_result: bool,
    pub(crate) bytes: usize,
    pub(crate) saved: usize,
    pub(crate) has_partials: bool,
    pub(crate) dependence: Dependence,
    pub(crate) functions: &'static F,
}
debug_by_name! { [F: 'static] Operation<F> }
/// The functions of an operation on numbers.
pub struct Functions {
    pub(crate) value: Value,
    pub(crate) again: Again,
    pub(crate) directional: &'static DirectionalFunctions,
    pub(crate) elements: Option<&'static ElementFunctions>,
}
debug_by_name! { [] Functions }
pub(crate) struct DirectionalFunctions {
    pub(crate) one: ByActive<PlaneFunctions<1>>,
    pub(crate) many: ByActive<PlaneFunctions<8>>,
}
pub(crate) type ByActive<F> = [Option<F>; 8];
#[derive(Clone, Copy)]
pub(crate) struct PlaneFunctions<const N: usize> {
    pub(crate) tangents: PlaneFunction<N>,
    pub(crate) second: PlaneFunction<N>,
}
