//! Exact scaling by powers of two, to keep squares and quotients in range.
use crate::{Number, RealNumber, kernels};
use entape_core::{kind::Numbers, real};
use faer::traits::math_utils::min_positive;
use nalgebra::{ComplexField, DMatrix};
use num_traits::Zero;

/// A power of two, possibly out of range, whose products are in range.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PowerOfTwo(i32);
impl PowerOfTwo {
    pub(crate) const ONE: Self = PowerOfTwo(0);
    /// Returns the largest power of two up to the largest part; 1 if all parts are zero or one is not finite.
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
    /// Like [`of`](Self::of), but 1 if products of a few such numbers are in range.
    pub(crate) fn of_extreme<T: Number>(numbers: &[T]) -> Self {
        // The sum of the squares is faster than the maximum.
        match is_usual(kernels::squares(numbers)) {
            true => PowerOfTwo::ONE,
            false => Self::of(numbers),
        }
    }
    pub(crate) fn inverse(self) -> Self {
        PowerOfTwo(-self.0)
    }
    pub(crate) fn and(self, other: Self) -> Self {
        PowerOfTwo(self.0.saturating_add(other.0))
    }
    pub(crate) fn powi(self, n: usize) -> Self {
        PowerOfTwo(self.0.saturating_mul(i32::try_from(n).unwrap_or(i32::MAX)))
    }
    pub(crate) fn exponent(self) -> i32 {
        self.0
    }
    pub(crate) fn with_exponent(exponent: i32) -> Self {
        PowerOfTwo(exponent)
    }
    pub(crate) fn times<T: Number>(self, mut x: T) -> T {
        self.scale(std::slice::from_mut(&mut x));
        x
    }
    pub(crate) fn scale<T: Number>(self, numbers: &mut [T]) {
        if self.0 == 0 {
            return;
        }
        // After a few steps the rest is zero or infinite.
        let mut left = self.0.clamp(-STEP * 8, STEP * 8);
        while left != 0 {
            let step = if left.abs() <= 2 * STEP {
                left
            } else {
                left.signum() * 2 * STEP
            };
            let (x, y) = (factor::<T::Part>(step / 2), factor(step - step / 2));
            numbers.iter_mut().for_each(|z| *z = z.scale(x).scale(y));
            left -= step;
        }
    }
}
/// The largest exponent of a factor.
const STEP: i32 = 1000;
fn factor<T: Number>(k: i32) -> T {
    T::of(f64::from_bits(((1023 + i64::from(k)) as u64) << 52))
}
/// Divides a matrix by [`of`](PowerOfTwo::of) its elements.
pub(crate) fn normalize<T: Number>(a: &mut DMatrix<T>) -> PowerOfTwo {
    let unit = PowerOfTwo::of(a.as_slice());
    unit.inverse().scale(a.as_mut_slice());
    unit
}
/// Whether products of a few such numbers, and of their inverses, are in range.
pub(crate) fn is_usual<T: RealNumber>(x: T) -> bool {
    let most = T::of(if precision::<T>() > 1e-10 {
        1e12
    } else {
        1e120
    });
    x < most && x * most > T::one()
}
/// A product as a number and a power of two, 1 unless the product of some factors is out of the usual range.
pub(crate) fn product<T: Number>(factors: impl Iterator<Item = T> + Clone) -> (T, PowerOfTwo) {
    let (mut product, mut plain) = (T::one(), true);
    for x in factors.clone() {
        product *= x;
        plain &= is_usual(product.norm1());
    }
    if plain {
        return (product, PowerOfTwo::ONE);
    }
    factors.fold((T::one(), PowerOfTwo::ONE), |(product, unit), x| {
        let size = PowerOfTwo::of(&[x]);
        let product = product * size.inverse().times(x);
        let more = PowerOfTwo::of(&[product]);
        (more.inverse().times(product), unit.and(size).and(more))
    })
}
pub(crate) fn norm<T: Number>(numbers: &[T]) -> T::Part {
    real::norm(kernels::squares(numbers), |visit| {
        for x in numbers {
            visit(x.real());
            visit(x.imaginary());
        }
    })
}
/// Whether a product has lost nothing: zero, or neither subnormal nor infinite.
pub(crate) fn is_whole<T: RealNumber>(x: T) -> bool {
    x == T::zero() || (x.norm1() >= min_positive() && ComplexField::is_finite(&x))
}
fn precision<T: Number>() -> f64 {
    T::Part::EPSILON
}
/// The fraction of a sum of `n` products that may be a rounding error.
pub(crate) fn rounding<T: Number>(n: usize) -> T::Part {
    T::Part::of(64.0 * (n as f64).sqrt() * precision::<T>())
}
/// The largest absolute value; 0 for an empty list.
pub(crate) fn size<T: Number>(numbers: &[T]) -> T::Part {
    let larger = |x, y: &T| if x > y.norm1() { x } else { y.norm1() };
    numbers.iter().fold(T::Part::zero(), larger)
}
