//! The programs for tools of numbers: loops over elements, generic in the number.
mod burgers;
mod entape;
mod linalg;

use crate::{Problem, Program};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A tool's number. Formulas with constants are products and sums with an `f64`.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
{
    fn constant(x: f64) -> Self;
    fn value(&self) -> f64;
    fn root(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tanh(self) -> Self;
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self + Self::constant(x)
    }
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self - a * b
    }
}
/// To measure the cost of a generic program.
impl Number for f64 {
    fn constant(x: f64) -> Self {
        x
    }
    fn value(&self) -> f64 {
        *self
    }
    fn root(self) -> Self {
        self.sqrt()
    }
    fn exp(self) -> Self {
        f64::exp(self)
    }
    fn ln(self) -> Self {
        f64::ln(self)
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
    fn plus(self, x: f64) -> Self {
        self + x
    }
}

pub fn run<T: Number>(problem: &Problem, inputs: &[T]) -> T {
    let (n, weights) = (problem.n, problem.weights());
    let list = |shapes: Vec<(usize, usize)>| {
        let mut rest = inputs;
        let take = |(rows, cols)| {
            let (head, tail) = rest.split_at(rows * cols);
            rest = tail;
            head
        };
        shapes.into_iter().map(take).collect::<Vec<&[T]>>()
    };
    let list = list(problem.program.inputs(n));
    match (problem.program, &list[..]) {
        (Program::Burgers, [u, v]) => burgers::run(problem.grid(), u, v),
        (Program::T1, [a, b]) => linalg::product(n, a, b, weights),
        (Program::T2 | Program::T2m, [a, b]) => linalg::solve(n, a, b, weights),
        (Program::T3, all) => linalg::kalman(n, problem.steps, all),
        (Program::T4, all) => linalg::analysis(n, problem.steps, all),
        _ => unreachable!("lists of inputs have the lengths of Program::inputs"),
    }
}
