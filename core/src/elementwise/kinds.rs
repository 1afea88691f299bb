use super::ElementKind;
use crate::kind::{Kind, OnePiece, Val, index};
use std::ops::Mul;

/// A value kind of numbers, whose lists and iterators have `sum` and `product`.
#[diagnostic::on_unimplemented(
    message = "a list of kind `{Self}` has no sum and no product: its values are not real or complex numbers",
    label = "not a real or complex number",
    note = "add the values with `+=` in a loop, or declare an operation on the list: `#[op] fn total(#[ad_in(..)] x: List<{Self}>) -> {Self}`"
)]
pub trait NumberKind:
    Kind<Policy = index::Linear, Layout = OnePiece, Value: Copy + Mul<Output = Val<Self>>>
{
    /// Returns the value nearest to a real number.
    fn number(x: f64) -> Val<Self>;
    /// Returns the conjugate; of a real, the number itself.
    #[inline(always)]
    fn conj(x: Val<Self>) -> Val<Self> {
        x
    }
    /// Sums in plain order.
    fn sum_of(x: impl Iterator<Item = Val<Self>>) -> Val<Self>;
    /// Multiplies in plain order.
    fn product_of(x: impl Iterator<Item = Val<Self>>) -> Val<Self>;
}

/// A value kind used like a real number: `f64`, `f32`, SIMD lanes, or custom numbers. The bound implies arithmetic and
/// elementary functions, and makes variables `Copy` in a [`Mode`](crate::mode::Mode).
///
/// Write constants as [`number(1.0)`](crate::real::number), which takes the kind of the other operand.
///
/// ```
/// use entape_core::{
///     expr::Active,
///     mode::Mode,
///     real::{Elementary, RealKind, number},
///     tape::Tape,
/// };
///
/// /// Returns the sum of `1 - x² + sin(x / 2)`.
/// fn f<K: RealKind, M: Mode>(x: &[Active<K, M>]) -> Active<K, M> {
///     let mut sum = Active::passive(K::number(0.0));
///     for &x in x {
///         sum += number(1.0) - x * x + (x / number(2.0)).sin();
///     }
///     sum
/// }
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(3.0), tape.input_as::<f32>(3.0));
/// let (f64, f32) = tape.record(|| (f(&[x]), f(&[y])));
/// assert_eq!(tape.gradient(&f64)?.wrt(&x)?, -6.0 + 0.5 * 1.5_f64.cos());
/// assert_eq!(tape.gradient(&f32)?.wrt(&y)?, -6.0 + 0.5 * 1.5_f32.cos());
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "kind `{Self}` is not a `RealKind`, so it cannot be used like a real number",
    note = "for a custom number, declare `#[kind(real)]`, or implement `ElementKind` and `RealKind`"
)]
pub trait RealKind: ElementKind + NumberKind {}
for_reals! { $T =>
    impl NumberKind for $T {
        #[inline(always)]
        fn number(x: f64) -> $T { x as $T }
        #[inline(always)]
        fn sum_of(x: impl Iterator<Item = $T>) -> $T { x.sum() }
        #[inline(always)]
        fn product_of(x: impl Iterator<Item = $T>) -> $T { x.product() }
    }
    impl RealKind for $T {}
}
