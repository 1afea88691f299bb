//! Passive arrays whose memory comes from the pool.
use super::ArrayNumber;
use super::kinds::ArrayKind;
pub(super) use entape_core::storage::pool::{give, take};
use entape_core::{expr::Active, mode::AnyMode};

/// Creates passive arrays in memory that a tape returned to the pool, so that a program that makes many new arrays
/// avoids allocations.
pub trait Filled<T: ArrayNumber> {
    /// Returns a passive array of this length, with every element set to `x`.
    ///
    /// ```
    /// use entape_simd::{Array, arrays::Filled};
    ///
    /// let x: Array = Array::filled(3, 0.5);
    /// assert_eq!(x.get(), &[0.5, 0.5, 0.5]);
    /// ```
    fn filled(length: usize, x: T) -> Self;
    /// Returns a passive array of this length, written by `fill`. Its initial contents are unspecified: they come from
    /// some dropped array and may be infinite or NaN.
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
        // In plain mode, the memory would not return to the pool.
        let mut all = match M::RECORDS {
            true => take(length),
            false => vec![T::default(); length],
        };
        fill(&mut all);
        Active::passive(all)
    }
}
