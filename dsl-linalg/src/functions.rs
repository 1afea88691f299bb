//! Functions of square matrices, by the methods of [`Elementary`](entape_core::real::Elementary): `m.exp()`,
//! `m.powi(n)`.
use crate::{
    Dense, Number, Sizes,
    adjoint::product,
    factors::{Factor, LuFactor},
    memory::{by_elements, copied, filled, identity},
    shapes,
    view::{view, view_mut},
};
use entape_core::{
    kind::{Arg, Kind, Policy},
    op,
    rule::{A, Primals, Rule, Sink, Sinks},
};
use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix};

/// The matrix exponential.
// The adjoint is the derivative of the exponential at a', conjugated and transposed, in direction r_b: a block of that of a
// larger matrix.
#[op(op::Exp)]
fn exp<T: Number, N: Dim>(
    #[ad_in({
        let n = a.nrows();
        let mut larger = DMatrix::zeros(2 * n, 2 * n);
        for j in 0..n {
            for i in 0..n {
                let a = a[(j, i)].conjugate();
                (larger[(i, j)], larger[(n + i, n + j)]) = (a, a);
                larger[(i, n + j)] = r_b[(i, j)];
            }
        }
        let larger = exponential(&larger);
        by_elements::<T, N, N>((n, n), |i, j| larger[(i, n + j)])
    })]
    a: &Dense<T, N, N>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    shapes::square("a.exp()", a.shape());
    let r = exponential(&view(a).copied());
    filled(a.shape(), r.as_slice())
}

fn exponential<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    if a.is_empty() { a.clone() } else { a.exp() }
}

/// The power with a whole exponent; a negative one is a power of the inverse.
///
/// # Panics
/// If the matrix is not square, or singular and the exponent negative.
impl<T: Number, N: Dim> Rule<Dense<T, N, N>> for op::Powi
where
    DefaultAllocator: Sizes<N, N>,
{
    type Out = Dense<T, N, N>;
    type Saved = ();
    const READS: [u8; 3] = [A, 0, 0];
    fn primal<'p>(&self, a: Arg<'p, Dense<T, N, N>>, (): (), (): ()) -> (OMatrix<T, N, N>, ()) {
        let a = <Dense<T, N, N> as Kind>::Policy::value(&a);
        shapes::square("a.powi(n)", a.shape());
        (power(&base(a, self.n), self.n.unsigned_abs()), ())
    }
    // r = b^n: b_b = sum of (b')^k * r_b * (b')^(n - 1 - k), with b' conjugated and transposed; for the
    // inverse b = 1 / a, a_b = -b' * b_b * b'.
    fn adjoint(
        &self,
        p: Primals<'_, Dense<T, N, N>, (), (), Dense<T, N, N>>,
        (): &(),
        r_b: Arg<'_, Dense<T, N, N>>,
        mut s: impl Sinks<Dense<T, N, N>>,
    ) {
        if self.n == 0 || !s.a().wants() {
            return;
        }
        let (a, r_b) = (p.a(), <Dense<T, N, N> as Kind>::Policy::value(&r_b));
        let b = base(<Dense<T, N, N> as Kind>::Policy::value(&a), self.n);
        let times = |x: &OMatrix<T, N, N>, y: &OMatrix<T, N, N>| -> OMatrix<T, N, N> {
            product(T::one(), view(x), view(y))
        };
        let adjoint = b.adjoint();
        // Horner: sum over k, from the largest k on.
        let mut sum = copied(r_b);
        let mut right = copied(r_b);
        for _ in 1..self.n.unsigned_abs() {
            right = times(&right, &adjoint);
            sum = times(&adjoint, &sum);
            sum += &right;
        }
        if self.n < 0 {
            sum = -times(&times(&adjoint, &sum), &adjoint);
        }
        s.a().add(sum);
    }
}
/// The matrix itself or its inverse, by the sign of the exponent.
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
        "`a.powi({n})` of a singular matrix: it has no inverse"
    );
    let mut x = identity(a.nrows(), T::one());
    factor.solve(view_mut(&mut x));
    x
}
/// The power, by squaring.
fn power<T: Number, N: Dim>(b: &OMatrix<T, N, N>, n: u32) -> OMatrix<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let mut r = identity(b.nrows(), T::one());
    let (mut square, mut n) = (copied(b), n);
    while n > 0 {
        if n % 2 == 1 {
            r = product(T::one(), view(&r), view(&square));
        }
        n /= 2;
        if n > 0 {
            square = product(T::one(), view(&square), view(&square));
        }
    }
    r
}
