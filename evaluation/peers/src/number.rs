//! A foreign number as the evaluation's: its operators, and what each crate names in its own way.
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of another crate.
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
