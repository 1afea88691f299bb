//! The relations of `approx` for Jacobians, by entry.
#![cfg(feature = "approx")]
use super::jacobian::Jacobian;
use approx::{AbsDiffEq, RelativeEq, UlpsEq};

impl Jacobian {
    fn all_close(&self, other: &Self, close: impl Fn(&f64, &f64) -> bool) -> bool {
        let pairs = || self.as_slice().iter().zip(other.as_slice());
        (self.rows(), self.columns()) == (other.rows(), other.columns())
            && pairs().all(|(a, b)| close(a, b))
    }
}
impl AbsDiffEq for Jacobian {
    type Epsilon = f64;
    fn default_epsilon() -> f64 {
        f64::EPSILON
    }
    fn abs_diff_eq(&self, other: &Self, epsilon: f64) -> bool {
        self.all_close(other, |a, b| a.abs_diff_eq(b, epsilon))
    }
}
impl RelativeEq for Jacobian {
    fn default_max_relative() -> f64 {
        f64::EPSILON
    }
    fn relative_eq(&self, other: &Self, epsilon: f64, max_relative: f64) -> bool {
        self.all_close(other, |a, b| a.relative_eq(b, epsilon, max_relative))
    }
}
impl UlpsEq for Jacobian {
    fn default_max_ulps() -> u32 {
        f64::default_max_ulps()
    }
    fn ulps_eq(&self, other: &Self, epsilon: f64, max_ulps: u32) -> bool {
        self.all_close(other, |a, b| a.ulps_eq(b, epsilon, max_ulps))
    }
}
