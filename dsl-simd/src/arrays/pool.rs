use super::ArrayNumber;
use super::kinds::ArrayKind;
pub(super) use entape_core::storage::pool::{give, take};
use entape_core::{expr::Active, mode::AnyMode};

/// Creates passive arrays in pooled memory.
pub trait Filled<T: ArrayNumber> {
    /// Returns a passive array of this length filled with `x`.
    ///
    /// ```
    /// use entape_simd::{Array, arrays::Filled};
    ///
    /// let x: Array = Array::filled(3, 0.5);
    /// assert_eq!(x.get(), &[0.5, 0.5, 0.5]);
    /// ```
    fn filled(length: usize, x: T) -> Self;
    /// Returns a passive array written by `fill`, whose initial contents are unspecified.
    ///
    /// ```
    /// use entape_simd::{Array, arrays::Filled};
    ///
    /// let x: Array = Array::filled_by(4, |x| x.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]));
    /// assert_eq!(x.get(), &[1.0, 2.0, 3.0, 4.0]);
    /// ```
    fn filled_by(length: usize, fill: impl FnOnce(&mut [T])) -> Self;
}
impl<T: ArrayNumber, M: AnyMode> Filled<T> for Active<ArrayKind<T>, M> {
    fn filled(length: usize, x: T) -> Self {
        Self::filled_by(length, |all| all.fill(x))
    }
    fn filled_by(length: usize, fill: impl FnOnce(&mut [T])) -> Self {
        let mut all = match M::RECORDS {
            true => take(length),
            false => vec![T::default(); length],
        };
        fill(&mut all);
        Active::passive(all)
    }
}
