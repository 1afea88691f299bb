//! `ad_trait`: a thread-local graph.
use super::Tape;
use crate::number::Of;
use ad_trait::{
    AD,
    nalgebra::ComplexField,
    reverse_ad::adr::{BackwardsModeGradOutputOpt, GlobalComputationGraph, adr},
};
use evaluation_worker::Number;
use std::ops::Mul;

impl Mul<f64> for Of<adr> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: f64) -> Self {
        Of(AD::mul_scalar(other, self.0))
    }
}
impl Number for Of<adr> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Of(adr::constant(x))
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        self.0.value()
    }
    #[inline(always)]
    fn root(self) -> Self {
        Of(ComplexField::sqrt(self.0))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Of(ComplexField::exp(self.0))
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Of(ComplexField::ln(self.0))
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Of(ComplexField::sin(self.0))
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Of(ComplexField::cos(self.0))
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        Of(ComplexField::tanh(self.0))
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        Of(AD::add_scalar(x, self.0))
    }
}

pub(crate) struct AdTrait;
impl Tape for AdTrait {
    type Number = Of<adr>;
    type Adjoints = BackwardsModeGradOutputOpt;
    fn new() -> Self {
        AdTrait
    }
    fn inputs(&mut self, values: &[f64]) -> Vec<Self::Number> {
        GlobalComputationGraph::get().reset();
        let input = |&x| Of(adr::new_variable(x, false));
        values.iter().map(input).collect()
    }
    fn reverse(&mut self, output: &Self::Number) -> Self::Adjoints {
        output.0.get_backwards_mode_grad()
    }
    fn adjoint(adjoints: &Self::Adjoints, input: &Self::Number) -> f64 {
        adjoints.wrt(&input.0)
    }
}
