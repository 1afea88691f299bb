//! Scaling by powers of two, which rounds nothing: what squares or divides neither overflows nor vanishes.
use crate::{Number, kernels};
use entape_core::check::Coordinates;
use nalgebra::{ComplexField, DMatrix};
use num_traits::{One, Zero};

/// A power of two. It may be out of the range of the numbers that it scales, whose products are not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PowerOfTwo(i32);
impl PowerOfTwo {
    pub(crate) const ONE: Self = PowerOfTwo(0);
    /// The largest one that is not above all real and imaginary parts, without signs; 1 if all are zero or one is not finite.
    pub(crate) fn of<T: Number>(numbers: &[T]) -> Self {
        let larger = |x: T::Part, y: T::Part| if x > y { x } else { y };
        let size = |x: &T| larger(x.real().norm1(), x.imaginary().norm1());
        let largest = numbers.iter().map(size).fold(T::Part::zero(), larger);
        let largest: f64 = nalgebra::try_convert(largest).unwrap_or(f64::NAN);
        let usable = largest > 0.0 && largest.is_finite();
        PowerOfTwo(if usable {
            largest.log2().floor() as i32
        } else {
            0
        })
    }
    /// The same, but 1 if products of a few such numbers are in range.
    pub(crate) fn of_extreme<T: Number>(numbers: &[T]) -> Self {
        // The sum of the squares takes a fraction of the time that the largest one takes.
        let usual = T::Part::of(if precision::<T>() > 1e-10 {
            1e12
        } else {
            1e120
        });
        let squares = kernels::squares(numbers);
        match squares < usual && squares * usual > T::Part::one() {
            true => PowerOfTwo::ONE,
            false => Self::of(numbers),
        }
    }
    pub(crate) fn inverse(self) -> Self {
        PowerOfTwo(-self.0)
    }
    /// The product with a number.
    pub(crate) fn times<T: Number>(self, mut x: T) -> T {
        self.scale(std::slice::from_mut(&mut x));
        x
    }
    /// The product with each number.
    pub(crate) fn scale<T: Number>(self, numbers: &mut [T]) {
        if self.0 == 0 {
            return;
        }
        let (x, y) = (factor::<T::Part>(self.0 / 2), factor(self.0 - self.0 / 2));
        numbers.iter_mut().for_each(|z| *z = z.scale(x).scale(y));
    }
}
/// A power of two that is a number, by its bits.
fn factor<T: Number>(k: i32) -> T {
    T::of(f64::from_bits(((1023 + i64::from(k)) as u64) << 52))
}
/// Divides a matrix by the power of two of its largest element, and tells it.
pub(crate) fn normalize<T: Number>(a: &mut DMatrix<T>) -> PowerOfTwo {
    let unit = PowerOfTwo::of(a.as_slice());
    unit.inverse().scale(a.as_mut_slice());
    unit
}
/// The relative precision of a number's parts.
fn precision<T: Number>() -> f64 {
    <T::Part as Coordinates>::EPSILON
}
/// The share of a sum of `n` products, or of what was subtracted to give it, that may be rounding.
pub(crate) fn rounding<T: Number>(n: usize) -> T::Part {
    T::Part::of(64.0 * (n as f64).sqrt() * precision::<T>())
}
/// The largest of the numbers, without sign; 0 for none.
pub(crate) fn size<T: Number>(numbers: &[T]) -> T::Part {
    let larger = |x, y: &T| if x > y.norm1() { x } else { y.norm1() };
    numbers.iter().fold(T::Part::zero(), larger)
}
