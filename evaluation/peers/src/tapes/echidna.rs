//! `echidna`: a tape with partial derivatives, made active while it records.
use super::Tape;
use crate::number::Of;
use echidna::{
    Reverse, Scalar,
    tape::{Tape as Statements, TapeGuard},
};
use evaluation_worker::Number;
use num_traits::Float;
use std::ops::Mul;

impl Mul<f64> for Of<Reverse<f64>> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: f64) -> Self {
        Of(self.0 * other)
    }
}
impl Number for Of<Reverse<f64>> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Of(Reverse::constant(x))
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        Scalar::value(&self.0)
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

pub(crate) struct Echidna(Statements<f64>);
impl Tape for Echidna {
    type Number = Of<Reverse<f64>>;
    type Adjoints = Vec<f64>;
    fn new() -> Self {
        Echidna(Statements::new())
    }
    fn inputs(&mut self, values: &[f64]) -> Vec<Self::Number> {
        self.0.clear();
        let input = |&x| {
            let (index, value) = self.0.new_variable(x);
            Of(Reverse::from_tape(value, index))
        };
        values.iter().map(input).collect()
    }
    fn record<R>(&mut self, f: impl FnOnce() -> R) -> R {
        let _active = TapeGuard::new(&mut self.0);
        f()
    }
    fn reverse(&mut self, output: &Self::Number) -> Self::Adjoints {
        self.0.reverse(output.0.index())
    }
    fn adjoint(adjoints: &Self::Adjoints, input: &Self::Number) -> f64 {
        adjoints[input.0.index() as usize]
    }
}
