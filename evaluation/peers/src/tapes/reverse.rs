//! `reverse`: variables with a reference to a tape. Constants are variables, too, unless they are operands beside one.
use super::Tape;
use crate::number::Of;
use evaluation_worker::Number;
use reverse::{Gradient, Tape as Nodes, Var};
use std::{cell::Cell, ops::Mul};

thread_local! {
    /// For constants; it lives as long as the process.
    static TAPE: Cell<Option<&'static Nodes>> = const { Cell::new(None) };
}
fn tape() -> &'static Nodes {
    TAPE.get().expect("the value was created")
}

impl Mul<f64> for Of<Var<'static>> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: f64) -> Self {
        Of(self.0 * other)
    }
}
impl Number for Of<Var<'static>> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Of(tape().add_var(x))
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        self.0.val()
    }
    #[inline(always)]
    fn root(self) -> Self {
        Of(self.0.sqrt())
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Of(self.0.exp())
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Of(self.0.ln())
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Of(self.0.sin())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Of(self.0.cos())
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        Of(self.0.tanh())
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        Of(self.0 + x)
    }
}

pub(crate) struct Reverse;
impl Tape for Reverse {
    type Number = Of<Var<'static>>;
    type Adjoints = Vec<f64>;
    fn new() -> Self {
        TAPE.set(Some(Box::leak(Box::default())));
        Reverse
    }
    fn inputs(&mut self, values: &[f64]) -> Vec<Self::Number> {
        tape().clear();
        tape().add_vars(values).into_iter().map(Of).collect()
    }
    fn reverse(&mut self, output: &Self::Number) -> Self::Adjoints {
        output.0.grad()
    }
    fn adjoint(adjoints: &Self::Adjoints, input: &Self::Number) -> f64 {
        adjoints.wrt(&input.0)
    }
}
