//! Statements in human-readable form.
use crate::names::{EXTERNAL, LOOP, short};
use std::fmt;

/// A stored expression with its names, as data for display.
#[derive(Clone, Copy, Debug)]
pub enum Formula {
    /// A variable of this kind.
    Variable(Name),
    /// A constant.
    Constant(Name),
    /// A part of a variable.
    Part(Name, Name),
    /// A list of elements that have this formula.
    List(&'static Formula),
    /// An entity built from elements.
    Built(&'static Formula),
    /// An element, and those that follow.
    Then(&'static Formula, &'static Formula),
    /// A choice between two formulas.
    Select(&'static Formula, &'static Formula),
    /// An operation applied to these arguments.
    Apply(Name, [&'static Formula; 3]),
    /// An absent argument.
    Nil,
    /// Inputs of a kind.
    Inputs(Name),
    /// A function that is not an operation.
    External,
    /// A loop that is an external function.
    Loop,
}
pub(crate) type Name = fn() -> &'static str;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Variable(kind) => write!(f, "{}", short(kind())),
            Formula::Constant(kind) => write!(f, "constant {}", short(kind())),
            Formula::Part(kind, part) => write!(f, "{}[{}]", short(kind()), short(part())),
            Formula::List(of) => write!(f, "[{of}, ..]"),
            Formula::Built(of) => write!(f, "[{of}]"),
            Formula::Then(first, Formula::Nil) => write!(f, "{first}"),
            Formula::Then(first, rest) => write!(f, "{first}, {rest}"),
            Formula::Select(a, b) => write!(f, "select({a}, {b})"),
            Formula::Apply(op, arguments) => {
                write!(f, "{}(", short(op()))?;
                let mut separator = "";
                for argument in arguments.iter().filter(|a| !matches!(a, Formula::Nil)) {
                    write!(f, "{separator}{argument}")?;
                    separator = ", ";
                }
                write!(f, ")")
            }
            Formula::Nil => Ok(()),
            Formula::External => f.write_str(EXTERNAL),
            Formula::Loop => f.write_str(LOOP),
            Formula::Inputs(kind) => write!(f, "inputs {}", short(kind())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Formula::{self, Apply, Built, Constant, List, Nil, Part, Then, Variable};

    #[test]
    fn formulas_read_like_the_expression() {
        static NIL: Formula = Nil;
        static PRODUCT: Formula = Apply(
            || "a::op::Mul",
            [&Variable(|| "f64"), &Constant(|| "f64"), &NIL],
        );
        assert_eq!(PRODUCT.to_string(), "Mul(f64, constant f64)");
        static MATRICES: Formula = List(&Variable(|| "b::Matrix<f64, 3>"));
        let sum = Apply(|| "x::Scale<2>", [&PRODUCT, &MATRICES, &NIL]);
        assert_eq!(
            sum.to_string(),
            "Scale<2>(Mul(f64, constant f64), [Matrix<f64, 3>, ..])"
        );
        static SECOND: Formula = Then(&Constant(|| "f64"), &NIL);
        static ELEMENTS: Formula = Then(&PRODUCT, &SECOND);
        let built = Built(&ELEMENTS);
        assert_eq!(built.to_string(), "[Mul(f64, constant f64), constant f64]");
        let part = Part(|| "b::Array", || "(usize, usize)");
        assert_eq!(part.to_string(), "Array[(usize, usize)]");
    }
}
