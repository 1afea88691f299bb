//! Right-hand sides as data.
use super::{ArrayLeaf, NumberPart};
use crate::store::{Operation, ReductionFunctions, SLOTS};

/// A right-hand side of numbers and lists of numbers.
pub enum Tree {
    /// Any other right-hand side.
    Other,
    /// An absent argument.
    Nothing,
    /// A variable, which may be passive.
    Variable,
    /// A constant.
    Literal,
    /// A number that is a part of a variable.
    Part(&'static NumberPart),
    /// An operation and its arguments.
    Operation(&'static Operation, [&'static Tree; 3]),
    /// A list of variables, which may be passive.
    VariableList,
    /// A list of numbers.
    NumberList,
    /// A variable, a part, or a constant that is an array.
    Array(&'static ArrayLeaf),
    /// An elementwise operation, whose numbers are broadcast.
    OfElements(&'static Operation, [&'static Tree; 3]),
    /// A reduction of lists to a number.
    Reduced(&'static Operation<ReductionFunctions>, [&'static Tree; 3]),
}
debug_by_name! { [] Tree }
impl Tree {
    const fn slots(&self) -> Option<usize> {
        let ([a, b, c], own) = match self {
            Tree::Other => return None,
            Tree::Nothing => return Some(0),
            Tree::Variable
            | Tree::Literal
            | Tree::Part(_)
            | Tree::VariableList
            | Tree::NumberList
            | Tree::Array(_) => return Some(1),
            Tree::Operation(_, arguments) | Tree::Reduced(_, arguments) => (arguments, 1),
            Tree::OfElements(_, arguments) => (arguments, 4),
        };
        match (a.slots(), b.slots(), c.slots()) {
            (Some(a), Some(b), Some(c)) => Some(a + b + c + own),
            _ => None,
        }
    }
    /// Whether slots and [`PlaneSlots`](crate::store::PlaneSlots) suffice.
    pub(crate) const fn fits(&self, bytes: usize) -> bool {
        match self.slots() {
            Some(slots) => slots <= SLOTS && bytes <= u16::MAX as usize,
            None => false,
        }
    }
    pub(crate) const fn is_numbers(&self) -> bool {
        match self {
            Tree::Nothing | Tree::Variable | Tree::Literal => true,
            Tree::Operation(_, [a, b, c]) => a.is_numbers() && b.is_numbers() && c.is_numbers(),
            _ => false,
        }
    }
    pub(crate) const fn is_list(&self) -> bool {
        matches!(
            self,
            Tree::VariableList | Tree::NumberList | Tree::Array(_) | Tree::OfElements(..)
        )
    }
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
    pub(crate) const fn is_active(&self) -> bool {
        let (flows, [a, b, c]) = match self {
            Tree::Other | Tree::Nothing | Tree::Literal | Tree::NumberList => return false,
            Tree::Variable | Tree::Part(_) | Tree::VariableList => return true,
            Tree::Array(array) => return array.is_variable,
            Tree::Operation(operation, arguments) | Tree::OfElements(operation, arguments) => {
                (operation.flows, arguments)
            }
            Tree::Reduced(operation, arguments) => (operation.flows, arguments),
        };
        flows[0] && a.is_active() || flows[1] && b.is_active() || flows[2] && c.is_active()
    }
    pub(crate) const fn has_entities(&self) -> bool {
        let [a, b, c] = match self {
            Tree::Array(_) | Tree::Part(_) => return true,
            Tree::Operation(_, arguments) | Tree::OfElements(_, arguments) => arguments,
            Tree::Reduced(_, arguments) => arguments,
            _ => return false,
        };
        a.has_entities() || b.has_entities() || c.has_entities()
    }
}
