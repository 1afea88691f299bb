//! entape's number for generic source, in any mode: each operator is a statement, and a sum with a product is one
//! statement.
use super::Number;
use entape::{eager::Eager, prelude::Mode};

impl<M: Mode> Number for Eager<M> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Eager::new(x)
    }
    #[inline(always)]
    fn value(&self) -> f64 {
        Eager::value(*self)
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Eager::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Eager::ln(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Eager::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Eager::cos(self)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        Eager::tanh(self)
    }
    #[inline(always)]
    fn plus(self, x: f64) -> Self {
        self + x
    }
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        (self.real() + a.real() * b.real()).eval().into()
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        (self.real() - a.real() * b.real()).eval().into()
    }
}
