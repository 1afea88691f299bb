#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, MatrixMemory, Number, RealNumber, Sizes, View,
    adjoint::product,
    factors::{Factor, LuFactor},
    memory::{by_elements, copied, filled, identity, zeros},
    scale::PowerOfTwo,
    shapes,
    view::{view, view_mut},
};
use entape_core::{
    eval::Whole,
    kind::{Arg, Incoming, Kind, Numbers, Policy},
    op,
    rule::{A, ArgumentTangent, Order, Primals, Rule, Sink, Sinks},
};
use nalgebra::{
    ComplexField, DMatrix, DefaultAllocator, Dim, DimMin, Dyn, OMatrix, U2, U3, U4,
    allocator::Allocator,
};
use num_traits::Zero;
use std::ops::Add;

/// The matrix exponential; the [crate](crate#the-exponential-and-powers-of-a-matrix) documents its accuracy. Gradient
/// and tangent take a matrix of twice the size, second derivatives of four times.
#[op(
    op::Exp,
    tangent(a = slope_of_exponential::<T, N>(&view(a).h().copied(), a_t)),
    second(a = second_of_exponential(a, a_t, r_b)),
    sample(type T = f64 | Z, for n in [0, 1, 3, 5], a = matrix::<T>(n, n, 0)),
    sample(type T = f64 | Z, a = fixed::<T, 2, 2>(0)),
)]
fn exp<T: Number, N: Dim>(
    #[ad_in(slope_of_exponential::<T, N>(&view(a).copied(), r_b))] a: &Dense<T, N, N>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    shapes::square("a.exp()", a.shape());
    const fn is<const S: usize>(fixed: Option<(usize, usize)>) -> bool {
        matches!(fixed, Some((rows, cols)) if rows == S && cols == S)
    }
    // Other sizes are not compiled.
    if const { is::<2>(<DefaultAllocator as MatrixMemory<N, N>>::FIXED) } {
        exponential_of::<T, N, U2>(a)
    } else if const { is::<3>(<DefaultAllocator as MatrixMemory<N, N>>::FIXED) } {
        exponential_of::<T, N, U3>(a)
    } else if const { is::<4>(<DefaultAllocator as MatrixMemory<N, N>>::FIXED) } {
        exponential_of::<T, N, U4>(a)
    } else {
        exponential_of::<T, N, Dyn>(a)
    }
}
/// `[x d; 0 x]`: a function of it contains the function of `x`, and above the diagonal its derivative along `d`.
fn larger<T: Number>(x: View<'_, T>, d: View<'_, T>) -> DMatrix<T> {
    let n = x.rows;
    by_elements((2 * n, 2 * n), |i, j| match (i < n, j < n) {
        (true, true) => x.at(i, j),
        (false, false) => x.at(i - n, j - n),
        (true, false) => d.at(i, j - n),
        (false, true) => T::zero(),
    })
}
fn larger_direction<T: Number>(x_t: View<'_, T>) -> DMatrix<T> {
    let none = DMatrix::zeros(x_t.rows, x_t.cols);
    larger(x_t, view(&none))
}
fn corner<T: Number, N: Dim>(m: &DMatrix<T>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let n = m.nrows() / 2;
    by_elements((n, n), |i, j| m[(i, n + j)])
}
// The derivative at a' in direction r_b. r_b is scaled to the size of a, to affect neither precision nor order of the
// approximation.
fn slope_of_exponential<T: Number, N: Dim>(
    a: &DMatrix<T>,
    r_b: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let n = a.nrows();
    if is_lost(norm::<T, Dyn>(a)) && vanishes::<T, Dyn>(a) {
        return zeros(n, n);
    }
    let (size, seed) = (PowerOfTwo::of(a.as_slice()), PowerOfTwo::of(r_b.as_slice()));
    let mut scaled = copied(r_b);
    seed.inverse().scale(scaled.as_mut_slice());
    size.scale(scaled.as_mut_slice());
    let mut larger = DMatrix::zeros(2 * n, 2 * n);
    for j in 0..n {
        for i in 0..n {
            let a = a[(j, i)].conjugate();
            (larger[(i, j)], larger[(n + i, n + j)]) = (a, a);
            larger[(i, n + j)] = scaled[(i, j)];
        }
    }
    let larger = exponential::<T, Dyn>(larger);
    let mut slope = by_elements::<T, N, N>((n, n), |i, j| larger[(i, n + j)]);
    size.inverse().scale(slope.as_mut_slice());
    seed.scale(slope.as_mut_slice());
    slope
}

fn second_of_exponential<T: Number, N: Dim>(
    a: &OMatrix<T, N, N>,
    a_t: &OMatrix<T, N, N>,
    r_b: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let unit = PowerOfTwo::of(a.as_slice()).and(PowerOfTwo::of(r_b.as_slice()).inverse());
    let mut scaled = copied(r_b);
    unit.scale(scaled.as_mut_slice());
    let above = larger(view(a).h(), view(&scaled)).adjoint();
    let moved = larger_direction(view(a_t).h());
    let mut second = corner(&slope_of_exponential::<T, Dyn>(&above, &moved));
    unit.inverse().scale(second.as_mut_slice());
    second
}

/// The largest sum of absolute values in a column, up to a factor of the square root of 2 for complex numbers.
fn norm<T: Number, N: Dim>(a: &OMatrix<T, N, N>) -> T::Part
where
    DefaultAllocator: Sizes<N, N>,
{
    let larger = |x, y| if x > y { x } else { y };
    let columns = a.as_slice().chunks_exact(a.nrows().max(1));
    let sums = columns.map(|a| a.iter().map(|a| a.norm1()).fold(T::Part::zero(), Add::add));
    sums.fold(T::Part::zero(), larger)
}
/// Whether rounding alone changes the exponent by more than 1.
fn is_lost<P: RealNumber>(norm: P) -> bool {
    norm * P::of(P::EPSILON) > P::one()
}
/// Whether the exponential certainly underflows, and with it its derivatives. It grows no faster than `exp(m * t)` for
/// the logarithmic norm `m` (G. Dahlquist 1958): the largest sum of the real part of a diagonal element and the
/// absolute values beside it.
fn vanishes<T: Number, N: Dim>(a: &OMatrix<T, N, N>) -> bool
where
    DefaultAllocator: Sizes<N, N>,
{
    let growth = |j: usize| {
        let size = |i: usize| {
            if i == j {
                a[(i, j)].real()
            } else {
                a[(i, j)].modulus()
            }
        };
        (0..a.nrows()).map(size).fold(T::Part::zero(), Add::add)
    };
    (0..a.ncols()).all(|j| growth(j) < T::Part::of(-1500.0))
}
/// The exponential, computed with the sizes `S`.
fn exponential_of<T: Number, N: Dim, S: DimMin<S, Output = S>>(
    a: &OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N> + Sizes<S, S> + Allocator<S>,
{
    let r = exponential::<T, S>(filled(a.shape(), a.as_slice()));
    filled(a.shape(), r.as_slice())
}
fn exponential<T: Number, N: DimMin<N, Output = N>>(
    mut scaled: OMatrix<T, N, N>,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N> + Allocator<N>,
{
    let (n, a) = (scaled.nrows(), &scaled);
    if n <= 1 {
        return a.map(ComplexField::exp);
    }
    let size = norm(a);
    if !a.iter().all(ComplexField::is_finite) || is_lost(size) {
        let sure = vanishes(a);
        scaled.fill(if sure { T::zero() } else { T::of(f64::NAN) });
        return scaled;
    }
    // Nalgebra takes 27th powers of absolute values, in range for norms up to 2^36, or 2^4 in single precision.
    let most = if <T::Part as Numbers>::EPSILON > 1e-10 {
        4
    } else {
        36
    };
    let squares = (PowerOfTwo::of(&[size]).exponent() + 1 - most).max(0);
    PowerOfTwo::with_exponent(-squares).scale(scaled.as_mut_slice());
    (0..squares).fold(scaled.exp(), |r, _| times(&r, &r))
}

/// The power with a whole exponent, if negative of the inverse.
///
/// # Panics
/// If the matrix is not square, or if it is singular and the exponent is negative.
impl<T: Number, N: Dim> Rule<Dense<T, N, N>> for op::Powi
where
    DefaultAllocator: Sizes<N, N>,
{
    type Out = Dense<T, N, N>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [A, 0, 0];
    fn primal<'p>(&self, a: Arg<'p, Dense<T, N, N>>, (): (), (): ()) -> (OMatrix<T, N, N>, ()) {
        let a = <Dense<T, N, N> as Kind>::Policy::value(&a);
        shapes::square("a.powi(n)", a.shape());
        (power(&base(a, self.n), self.n.unsigned_abs()), ())
    }
    // For r = b^n, b_b is the derivative of the power at b' in direction r_b. For the inverse b = 1 / a, a_b = -b' *
    // b_b * b'.
    fn adjoint(
        &self,
        p: Primals<'_, Dense<T, N, N>, (), (), Dense<T, N, N>>,
        (): &(),
        r_b: Incoming<'_, Dense<T, N, N>>,
        mut s: impl Sinks<Dense<T, N, N>>,
    ) {
        let r_b = r_b.get();
        if self.n == 0 || !s.a().wants() {
            return;
        }
        let (a, r_b) = (p.a(), <Dense<T, N, N> as Kind>::Policy::value(&r_b));
        let b = base(<Dense<T, N, N> as Kind>::Policy::value(&a), self.n);
        let adjoint = b.adjoint();
        let mut sum = slope_of_power(&adjoint, r_b, self.n.unsigned_abs());
        if self.n < 0 {
            sum = -times(&times(&adjoint, &sum), &adjoint);
        }
        s.a().add(sum);
    }
    const ORDER: Order = Order::Second;
    // For the inverse b, b_t = -b * a_t * b.
    fn tangent(
        &self,
        p: Primals<'_, Dense<T, N, N>, (), (), Dense<T, N, N>>,
        (): &(),
        t: ArgumentTangent<'_, Dense<T, N, N>>,
    ) -> Option<OMatrix<T, N, N>> {
        let (a, a_t) = (p.a(), t.a?);
        if self.n == 0 {
            return None;
        }
        let b = base(<Dense<T, N, N> as Kind>::Policy::value(&a), self.n);
        let b_t = base_tangent(&b, a_t, self.n);
        Some(slope_of_power(&b, &b_t, self.n.unsigned_abs()))
    }
    // A block of the power of a larger matrix, as for the exponential.
    fn adjoint_tangent(
        &self,
        p: Primals<'_, Dense<T, N, N>, (), (), Dense<T, N, N>>,
        (): &(),
        t: ArgumentTangent<'_, Dense<T, N, N>>,
        _: Option<&OMatrix<T, N, N>>,
        r_b: Incoming<'_, Dense<T, N, N>>,
        mut s: impl Sinks<Dense<T, N, N>>,
    ) {
        let (r_b, Some(a_t)) = (r_b.get(), t.a) else {
            return;
        };
        if self.n == 0 || !s.a().wants() {
            return;
        }
        let (a, n) = (p.a(), self.n.unsigned_abs());
        let r_b = <Dense<T, N, N> as Kind>::Policy::value(&r_b);
        let b = base(<Dense<T, N, N> as Kind>::Policy::value(&a), self.n);
        let (adjoint, moved) = (b.adjoint(), base_tangent(&b, a_t, self.n).adjoint());
        let above = larger(view(&adjoint), view(r_b));
        let mut second: OMatrix<T, N, N> = corner(&slope_of_power::<T, Dyn>(
            &above,
            &larger_direction(view(&moved)),
            n,
        ));
        if self.n < 0 {
            let slope = slope_of_power(&adjoint, r_b, n);
            let around = |left, middle, right| times(&times(left, middle), right);
            second = -(around(&moved, &slope, &adjoint)
                + around(&adjoint, &second, &adjoint)
                + around(&adjoint, &slope, &moved));
        }
        s.a().add(second);
    }
}
fn base_tangent<T: Number, N: Dim>(
    b: &OMatrix<T, N, N>,
    a_t: &OMatrix<T, N, N>,
    n: i32,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    match n >= 0 {
        true => copied(a_t),
        false => -times(&times(b, a_t), b),
    }
}
#[track_caller]
fn base<T: Number, N: Dim>(a: &OMatrix<T, N, N>, n: i32) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    if n >= 0 {
        return copied(a);
    }
    let factor = LuFactor::new(view(a));
    assert!(
        factor.is_invertible(),
        "`a.powi({n})` of a singular matrix, which has no inverse: use a power that is not negative, or `pseudo_inverse`"
    );
    let mut x = identity(a.nrows(), T::one());
    factor.solve(view_mut(&mut x));
    x
}
fn times<T: Number, N: Dim>(x: &OMatrix<T, N, N>, y: &OMatrix<T, N, N>) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    product(T::one(), view(x), view(y))
}
fn power<T: Number, N: Dim>(b: &OMatrix<T, N, N>, n: u32) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let mut r = identity(b.nrows(), T::one());
    let (mut square, mut n) = (copied(b), n);
    while n > 0 {
        if n % 2 == 1 {
            r = times(&r, &square);
        }
        n /= 2;
        if n > 0 {
            square = times(&square, &square);
        }
    }
    r
}
/// The product rule for each product of [`power`], for `n > 0`.
fn slope_of_power<T: Number, N: Dim>(
    b: &OMatrix<T, N, N>,
    d: &OMatrix<T, N, N>,
    n: u32,
) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let (mut r, mut slope) = (copied(b), copied(d));
    for digit in (0..n.ilog2()).rev() {
        slope = times(&r, &slope) + times(&slope, &r);
        let odd = (n >> digit) % 2 == 1;
        if odd || digit > 0 {
            r = times(&r, &r);
        }
        if odd {
            slope = times(&slope, b) + times(&r, d);
            if digit > 0 {
                r = times(&r, b);
            }
        }
    }
    slope
}
