//! Wraps a foreign number as a number of the evaluation: its operators, and functions whose names differ between
//! crates.
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy)]
pub(crate) struct Of<T>(pub(crate) T);

impl<T: Add<Output = T>> Add for Of<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Of(self.0 + other.0)
    }
}
impl<T: Sub<Output = T>> Sub for Of<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Of(self.0 - other.0)
    }
}
impl<T: Mul<Output = T>> Mul for Of<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Of(self.0 * other.0)
    }
}
impl<T: Div<Output = T>> Div for Of<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Of(self.0 / other.0)
    }
}
impl<T: Neg<Output = T>> Neg for Of<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Of(-self.0)
    }
}
