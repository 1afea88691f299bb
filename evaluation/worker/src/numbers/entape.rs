//! entape's number for generic source: each operator is a statement, a sum with a product is one.
use super::Number;
use entape::eager::Eager;

impl Number for Eager {
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
    fn plus_product(self, a: Self, b: Self) -> Self {
        (self.real() + a.real() * b.real()).eval().into()
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        (self.real() - a.real() * b.real()).eval().into()
    }
}
