use crate::{
    Number, Sizes, View,
    adjoint::product,
    factors::QrFactor,
    kernels::{Triangle, gemm, solve_triangular},
    memory::{by_elements, filled, zeros},
    view::{view, view_mut},
};
use nalgebra::{DMatrix, DefaultAllocator, Dim, Dyn, OMatrix};
use num_traits::Zero;
use std::cmp::Ordering;

fn times<T: Number>(a: View<'_, T>, b: View<'_, T>) -> DMatrix<T> {
    product(T::one(), a, b)
}
// Roberts 2020, for a wide matrix [x, y] = q * [u, v] with a square x: because v = q' * y, the adjoint of q gets y *
// v_b'. The adjoint of x follows from the adjoints of q and u, and the adjoint of y is q * v_b.
pub(super) fn adjoint_of_factors<T: Number, R: Dim, C: Dim>(
    factor: &QrFactor<T>,
    q_b: Option<View<'_, T>>,
    r_b: Option<View<'_, T>>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (m, _) = factor.shape();
    let (q_b, [u_b, v_b]) = (q_b.map(View::copied), triangle_and_rest(factor, r_b));
    let Some(v_b) = v_b else {
        let a_b = adjoint_of_square_or_tall(factor, q_b, u_b);
        return filled(factor.shape(), a_b.as_slice());
    };
    let q = factor.q();
    let share = within(&q, factor.beyond(), &v_b);
    let x_b = adjoint_of_square_or_tall(factor, Some(plus(q_b, share)), u_b);
    let y_b = match factor.has_derivative() {
        true => times(view(&q), view(&v_b)),
        false => v_b.map(|_| nan()),
    };
    side_by_side(m, &x_b, &y_b)
}
/// `q * v * v_b'`
fn within<T: Number>(q: &DMatrix<T>, v: View<'_, T>, v_b: &DMatrix<T>) -> DMatrix<T> {
    times(view(q), view(&times(v, view(v_b).h())))
}
fn plus<T: Number>(a: Option<DMatrix<T>>, b: DMatrix<T>) -> DMatrix<T> {
    match a {
        Some(a) => a + b,
        None => b,
    }
}
pub(super) fn nan<T: Number>() -> T {
    T::of(f64::NAN)
}
fn triangle_and_rest<T: Number>(
    factor: &QrFactor<T>,
    r_b: Option<View<'_, T>>,
) -> [Option<DMatrix<T>>; 2] {
    let ((_, n), beyond) = (factor.shape(), factor.beyond());
    let r_b = r_b.map(View::copied);
    let u_b = r_b.as_ref().map(|r_b| r_b.columns(0, n).upper_triangle());
    let v_b = (beyond.cols > 0).then(|| match &r_b {
        Some(r_b) => r_b.columns(n, beyond.cols).into_owned(),
        None => zeros(beyond.rows, beyond.cols),
    });
    [u_b, v_b]
}
fn side_by_side<T: Number, R: Dim, C: Dim>(
    m: usize,
    x: &DMatrix<T>,
    y: &DMatrix<T>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (known, shape) = (x.ncols(), (m, x.ncols() + y.ncols()));
    by_elements(shape, |i, j| match j < known {
        true => x[(i, j)],
        false => y[(i, j - known)],
    })
}
// Walter 2012 and Roberts 2020, without differences that cancel: with g = q' * q_b, w = r * r_b', and the lower
// triangle l of g + w - (g + w)' with half of its diagonal, a_b = q * r_b + (q_b + q * (l - g)) * inverse(r'). For a
// square matrix q * g is q_b.
//
// If a column depends on earlier ones, the derivative does not exist (see [`Qr::q`]), except for the last column of a
// square real q: because the last column of l is zero, nothing is divided by the last diagonal element of r.
fn adjoint_of_square_or_tall<T: Number>(
    factor: &QrFactor<T>,
    q_b: Option<DMatrix<T>>,
    r_b: Option<DMatrix<T>>,
) -> DMatrix<T> {
    let ((m, n), one) = (factor.shape(), T::one());
    if !factor.has_derivative() {
        return by_elements((m, n), |_, _| nan());
    }
    let (q, mut r) = (factor.q(), factor.r_of_unit());
    let mut sum: DMatrix<T> = zeros(n, n);
    if let Some(r_b) = &r_b {
        gemm(one, view(&r), view(r_b).h(), one, view_mut(&mut sum));
    }
    let mut g: DMatrix<T> = zeros(n, n);
    let mut a_b: DMatrix<T> = match q_b {
        Some(mut a_b) => {
            factor.unit().inverse().scale(a_b.as_mut_slice());
            gemm(one, view(&q).h(), view(&a_b), T::zero(), view_mut(&mut g));
            sum += &g;
            a_b
        }
        None => zeros(m, n),
    };
    let mut middle = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        Ordering::Less => T::zero(),
        Ordering::Equal => T::of_parts(T::Part::zero(), sum[(j, j)].imaginary()),
        Ordering::Greater => sum[(i, j)] - sum[(j, i)].conjugate(),
    });
    let beta = if m == n { T::zero() } else { one };
    if m > n {
        middle -= g;
    }
    gemm(one, view(&q), view(&middle), beta, view_mut(&mut a_b));
    // Avoids dividing zero by zero.
    factor.undivided().for_each(|j| r[(j, j)] = one);
    let mut a_b = a_b.adjoint();
    solve_triangular(Triangle::Upper, view(&r), view_mut(&mut a_b));
    let mut a_b = a_b.adjoint();
    if let Some(r_b) = &r_b {
        gemm(one, view(&q), view(r_b), one, view_mut(&mut a_b));
    }
    a_b
}
/// A strictly lower part minus its conjugate transpose, plus the imaginary diagonal.
fn skew_of_lower<T: Number>(c: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(c.nrows(), c.ncols(), |i, j| match i.cmp(&j) {
        Ordering::Less => -c[(j, i)].conjugate(),
        Ordering::Equal => T::of_parts(T::Part::zero(), c[(j, j)].imaginary()),
        Ordering::Greater => c[(i, j)],
    })
}
/// The factors of the leading square block or the whole matrix, divided by the unit, and their tangents.
pub(super) struct FactorTangents<T: Number> {
    q: DMatrix<T>,
    pub(super) q_t: DMatrix<T>,
    r: DMatrix<T>,
    r_t: DMatrix<T>,
}
impl<T: Number> FactorTangents<T> {
    // `None` if the factors have no derivative. Walter 2012: with c = q' * a_t * inverse(r) and the skew part s of its
    // lower triangle, r_t = (c - s) * r = q' * a_t - s * r and q_t = a_t * inverse(r) - q * (c - s), which is q * s for
    // a square matrix.
    pub(super) fn new(factor: &QrFactor<T>, a_t: &DMatrix<T>) -> Option<Self> {
        let ((m, n), one) = (factor.shape(), T::one());
        if !factor.has_derivative() {
            return None;
        }
        let (q, r) = (factor.q(), factor.r_of_unit());
        let mut a_t = a_t.columns(0, n).into_owned();
        factor.unit().inverse().scale(a_t.as_mut_slice());
        let mut safe = r.clone();
        factor.undivided().for_each(|j| safe[(j, j)] = one);
        let along = over_triangle(&a_t, &safe);
        let c = times(view(&q).h(), view(&along));
        let s = skew_of_lower(&c);
        let mut r_t = times(view(&q).h(), view(&a_t));
        gemm(-one, view(&s), view(&r), one, view_mut(&mut r_t));
        let mut r_t = r_t.upper_triangle();
        (0..n).for_each(|j| r_t[(j, j)] = T::from_real(r_t[(j, j)].real()));
        let q_t = match m == n {
            true => times(view(&q), view(&s)),
            false => {
                let mut q_t = along;
                gemm(one, view(&q), view(&(s - c)), one, view_mut(&mut q_t));
                q_t
            }
        };
        Some(FactorTangents { q, q_t, r, r_t })
    }
    /// Uses that for `[x, y] = q * [u, v]` the tangent of v = q' * y is q_t' * q * v + q' * y_t.
    pub(super) fn whole_r_t(mut self, factor: &QrFactor<T>, a_t: &DMatrix<T>) -> DMatrix<T> {
        factor.unit().scale(self.r_t.as_mut_slice());
        let ((m, n), v) = (factor.shape(), factor.beyond());
        if v.cols == 0 {
            return self.r_t;
        }
        let y_t = a_t.columns(n, v.cols).into_owned();
        let turn = times(view(&self.q_t).h(), view(&self.q));
        let mut v_t = times(view(&self.q).h(), view(&y_t));
        gemm(T::one(), view(&turn), v, T::one(), view_mut(&mut v_t));
        side_by_side(m, &self.r_t, &v_t)
    }
}
/// `x * inverse(r)`
fn over_triangle<T: Number>(x: &DMatrix<T>, r: &DMatrix<T>) -> DMatrix<T> {
    let mut x = x.adjoint();
    solve_triangular(Triangle::Lower, view(r).h(), view_mut(&mut x));
    x.adjoint()
}
pub(super) fn second_of_factors<T: Number, R: Dim, C: Dim>(
    factor: &QrFactor<T>,
    a_t: View<'_, T>,
    q_b: Option<View<'_, T>>,
    r_b: Option<View<'_, T>>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let (shape, a_t) = ((a_t.rows, a_t.cols), a_t.copied());
    let Some(tangents) = FactorTangents::new(factor, &a_t) else {
        return by_elements(shape, |_, _| nan());
    };
    let (q_b, [u_b, v_b]) = (q_b.map(View::copied), triangle_and_rest(factor, r_b));
    let Some(v_b) = v_b else {
        let second = second_of_square_or_tall(factor, &tangents, q_b, u_b);
        return filled(shape, second.as_slice());
    };
    let share = within(&tangents.q, factor.beyond(), &v_b);
    let y_t = a_t.columns(shape.0, v_b.ncols()).into_owned();
    let share_t = times(view(&y_t), view(&v_b).h());
    let y_b = times(view(&tangents.q_t), view(&v_b));
    let x_b = second_of_square_or_tall(factor, &tangents, Some(plus(q_b, share)), u_b)
        + adjoint_of_square_or_tall(factor, Some(share_t), None);
    side_by_side(shape.0, &x_b, &y_b)
}
fn second_of_square_or_tall<T: Number>(
    factor: &QrFactor<T>,
    tangents: &FactorTangents<T>,
    q_b: Option<DMatrix<T>>,
    r_b: Option<DMatrix<T>>,
) -> DMatrix<T> {
    let ((m, n), one) = (factor.shape(), T::one());
    let FactorTangents { q, q_t, r, r_t } = tangents;
    let mut r = r.clone();
    let q_b = q_b.map(|mut q_b| {
        factor.unit().inverse().scale(q_b.as_mut_slice());
        q_b
    });
    let middle = |q: &DMatrix<T>, r: &DMatrix<T>| {
        let mut sum = zeros::<T, Dyn, Dyn>(n, n);
        let mut g = zeros::<T, Dyn, Dyn>(n, n);
        if let Some(r_b) = &r_b {
            gemm(one, view(r), view(r_b).h(), one, view_mut(&mut sum));
        }
        if let Some(q_b) = &q_b {
            gemm(one, view(q).h(), view(q_b), T::zero(), view_mut(&mut g));
            sum += &g;
        }
        let mut middle = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            Ordering::Less => T::zero(),
            Ordering::Equal => T::of_parts(T::Part::zero(), sum[(j, j)].imaginary()),
            Ordering::Greater => sum[(i, j)] - sum[(j, i)].conjugate(),
        });
        if m > n {
            middle -= g;
        }
        middle
    };
    let (inner, inner_t) = (middle(q, &r), middle(q_t, r_t));
    let mut h = times(view(q), view(&inner));
    if let (Some(q_b), true) = (&q_b, m > n) {
        h += q_b;
    }
    let mut h_t = times(view(q_t), view(&inner));
    gemm(one, view(q), view(&inner_t), one, view_mut(&mut h_t));
    factor.undivided().for_each(|j| r[(j, j)] = one);
    let over = |h: &DMatrix<T>| {
        let mut y = h.adjoint();
        solve_triangular(Triangle::Upper, view(&r), view_mut(&mut y));
        y.adjoint()
    };
    let y = over(&h);
    gemm(-one, view(&y), view(r_t).h(), one, view_mut(&mut h_t));
    let mut second = over(&h_t);
    if let Some(r_b) = &r_b {
        gemm(one, view(q_t), view(r_b), one, view_mut(&mut second));
    }
    second
}
