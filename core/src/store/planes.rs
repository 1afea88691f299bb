//! Expressions of numbers as data, and the memory in which they are swept along directions.
//!
//! Each node of an expression has a slot: its value, its tangents, its adjoint and the tangents of that stand at the same index of four
//! planes. An operation is a table of functions that read and write these slots.
use super::{
    elements::{ElementFunctions, ReductionFunctions},
    stacks::Stacks,
};

/// How many slots there are: an index of eight bits needs no check.
pub(crate) const SLOTS: usize = 256;
/// Something for each slot.
pub(crate) type Plane<T> = [T; SLOTS];

/// The slots of the nodes of one statement, with tangents along `N` directions.
pub struct Planes<const N: usize> {
    pub(crate) values: Plane<f64>,
    pub(crate) tangents: Plane<[f64; N]>,
    pub(crate) adjoints: Plane<f64>,
    pub(crate) along: Plane<[f64; N]>,
    /// The identifiers of variables.
    pub(crate) ids: Plane<u32>,
    /// Which nodes depend on no variable, in a statement some of whose variables are passive.
    pub(crate) passive: Plane<bool>,
}
debug_by_name! { [const N: usize] Planes<N> }
impl<const N: usize> Default for Planes<N> {
    fn default() -> Self {
        Planes {
            values: [0.0; SLOTS],
            tangents: [[0.0; N]; SLOTS],
            adjoints: [-0.0; SLOTS],
            along: [[-0.0; N]; SLOTS],
            ids: [0; SLOTS],
            passive: [false; SLOTS],
        }
    }
}
impl<const N: usize> Planes<N> {
    /// The place of an operation, some of whose arguments may depend on no variable.
    #[inline(always)]
    pub(crate) fn place(&self, mut place: Place) -> Place {
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
pub(crate) struct Place {
    pub(crate) arguments: [u8; 3],
    pub(crate) result: u8,
    /// Bits of the arguments that depend on a variable.
    pub(crate) active: u8,
    /// Where the parameters of the operation begin in the fixed part of the statement.
    pub(crate) parameters: u16,
}

impl Place {
    /// Whether an argument depends on a variable.
    #[inline(always)]
    pub(crate) fn is_active(self, argument: usize) -> bool {
        self.active >> argument & 1 != 0
    }
}

/// What operations read beside their slots.
pub(crate) struct Beside<'s> {
    /// The fixed part of the statement.
    pub(crate) fixed: &'s [u8],
    pub(crate) stacks: &'s mut Stacks,
    /// Whether tangents are those along one side of a kink.
    pub(crate) one_sided: bool,
}
debug_by_name! { ['s] Beside<'s> }

/// Computes the value of an operation.
pub(crate) type Value = fn(&mut Plane<f64>, &mut Beside<'_>, Place);
/// Computes tangents of an operation, or passes its adjoint and the tangents of that on to its arguments.
pub(crate) type Along<const N: usize> = fn(&mut Planes<N>, &mut Beside<'_>, Place);

/// How the result of an operation depends on its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// Whether it depends on each argument with a derivative.
    pub flows: [bool; 3],
    /// For each argument the others, as bits, with which it has a second derivative. It is symmetric.
    pub pairs: [u8; 3],
}

/// An operation on numbers or on lists of them, as data. `F` is what its functions are.
pub struct Operation<F: 'static = Functions> {
    /// For each argument: what its adjoint reads.
    pub(crate) reads: [u8; 3],
    /// For each argument: whether it has an adjoint.
    pub(crate) flows: [bool; 3],
    /// For each argument: whether second derivatives read its tangents.
    pub(crate) bends: [bool; 3],
    /// Whether they read the tangents of the result.
    pub(crate) bends_with_result: bool,
    /// How many bytes its parameters take.
    pub(crate) bytes: usize,
    /// How many bytes what it saves takes.
    pub(crate) saved: usize,
    /// Whether tangents of its result are products with the partial derivatives by which its adjoint flows.
    pub(crate) has_partials: bool,
    /// How its result depends on its arguments.
    pub(crate) dependence: Dependence,
    pub(crate) functions: &'static F,
}
debug_by_name! { [F: 'static] Operation<F> }
/// What an operation on numbers does.
pub struct Functions {
    pub(crate) value: Value,
    /// Tests what the operation was given, see [`Rule::test`](crate::rule::Rule::test).
    pub(crate) test: Value,
    /// What sweeps along directions need.
    pub(crate) along: Option<&'static AlongFunctions>,
    /// What it does with the elements of lists, if it is elementary.
    pub(crate) elements: Option<&'static ElementFunctions>,
}
debug_by_name! { [] Functions }
/// What an operation on numbers does along directions.
pub(crate) struct AlongFunctions {
    pub(crate) one: ByActive<AlongOf<1>>,
    pub(crate) many: ByActive<AlongOf<8>>,
}
/// One for each set of arguments that depend on a variable.
pub(crate) type ByActive<F> = [Option<F>; 8];
/// The functions for `N` directions.
#[derive(Clone, Copy)]
pub(crate) struct AlongOf<const N: usize> {
    pub(crate) tangents: Along<N>,
    pub(crate) second: Along<N>,
}

/// The right-hand side of a statement, as far as it consists of numbers and of lists of them.
pub enum Tree {
    /// Something else.
    Other,
    /// An argument that is not there.
    Nothing,
    /// A variable, which may be passive.
    Variable,
    /// A constant.
    Literal,
    /// An operation and its arguments.
    Operation(&'static Operation, [&'static Tree; 3]),
    /// A list of variables, which may be passive.
    VariableList,
    /// A list of numbers.
    NumberList,
    /// An operation that is applied element by element; arguments that are numbers stand for all elements.
    OfElements(&'static Operation, [&'static Tree; 3]),
    /// An operation that makes a number of lists.
    Reduced(&'static Operation<ReductionFunctions>, [&'static Tree; 3]),
}
debug_by_name! { [] Tree }
impl Tree {
    /// How many slots it takes; `None` if it does not consist of numbers and lists of them alone.
    const fn slots(&self) -> Option<usize> {
        let ([a, b, c], own) = match self {
            Tree::Other => return None,
            Tree::Nothing => return Some(0),
            Tree::Variable | Tree::Literal | Tree::VariableList | Tree::NumberList => {
                return Some(1);
            }
            Tree::Operation(_, arguments) | Tree::Reduced(_, arguments) => (arguments, 1),
            // A number among the arguments has a slot for its elements, too.
            Tree::OfElements(_, arguments) => (arguments, 4),
        };
        match (a.slots(), b.slots(), c.slots()) {
            (Some(a), Some(b), Some(c)) => Some(a + b + c + own),
            _ => None,
        }
    }
    /// Whether it consists of numbers and lists of them, with slots for all of its nodes, and [`Place`] addresses the `bytes` of the fixed part
    /// of its statement.
    pub(crate) const fn fits(&self, bytes: usize) -> bool {
        match self.slots() {
            Some(slots) => slots <= SLOTS && bytes <= u16::MAX as usize,
            None => false,
        }
    }
    /// Whether it is a list.
    pub(crate) const fn is_list(&self) -> bool {
        matches!(
            self,
            Tree::VariableList | Tree::NumberList | Tree::OfElements(..)
        )
    }
    /// Whether these arguments are lists, as far as they are there.
    pub(crate) const fn are_lists(arguments: [&Self; 3]) -> bool {
        let (mut i, mut lists) = (0, 0);
        while i < 3 {
            if arguments[i].is_list() {
                lists += 1;
            } else if !matches!(arguments[i], Tree::Nothing) {
                return false;
            }
            i += 1;
        }
        lists > 0
    }
    /// Whether an adjoint can flow into it.
    pub(crate) const fn is_active(&self) -> bool {
        let (flows, [a, b, c]) = match self {
            Tree::Other | Tree::Nothing | Tree::Literal | Tree::NumberList => return false,
            Tree::Variable | Tree::VariableList => return true,
            Tree::Operation(operation, arguments) | Tree::OfElements(operation, arguments) => {
                (operation.flows, arguments)
            }
            Tree::Reduced(operation, arguments) => (operation.flows, arguments),
        };
        flows[0] && a.is_active() || flows[1] && b.is_active() || flows[2] && c.is_active()
    }
}
