//! Functions of symmetric and Hermitian matrices as one operation. Even at equal eigenvalues they have derivatives,
//! with divided differences of the function instead of reciprocal differences of eigenvalues (Ju. L. Daleckii and S. G.
//! Krein 1965; N. J. Higham, *Functions of matrices*, 2008, theorem 3.11):
//!
//! ```text
//! r   = v * f(d) * v'
//! a_b = v * (l .* (v' * r_b * v)) * v',   l[i, j] = (f(d[i]) - f(d[j])) / (d[i] - d[j]),  f'(d[i]) where both are equal
//! ```
//! [`SpectralFunction`] computes these differences without cancellation.
use crate::{
    Dense, NotPositiveDefinite, Number, Sizes, View, factors,
    kernels::{Triangle, dotc, gemm_triangle, real_diagonal},
    memory::{Pooled, filled},
    scale::{rounding, size},
    shapes,
    solves::{FactorExpr, mirrored},
    spectral::{ad_times, lower, times, times_ad},
    view::{view, view_mut},
};
use entape_core::{
    expr::{Active, Binary, Expr, Operand, OperandOf, RhsExpr, node_of},
    kind::Heap,
    mode::AnyMode,
    node::{Evaluated, Node, Produce},
    op,
    store::Shared,
};
use nalgebra::{DMatrix, DefaultAllocator, Dim, Dyn, OMatrix};
use num_traits::Zero;
use std::rc::Rc;

mod functions;
#[cfg(test)]
mod tests;
pub use functions::{Exp, Ln, SpectralFunction, Sqrt, WithSlope};
use functions::{LogPower, Power, second_difference};

/// Eigenvalues and eigenvectors.
#[derive(Debug, Default)]
pub struct SymmetricFactor<T: Number> {
    values: Vec<T::Part>,
    /// The eigenvectors, in columns; `None` is the identity.
    vectors: Option<Pooled<T, Dyn, Dyn>>,
    least: T::Part,
}
impl<T: Number> Heap for SymmetricFactor<T> {
    fn heap_bytes(&self) -> usize {
        size_of_val(&self.values[..]) + self.vectors.heap_bytes()
    }
}
impl<T: Number> SymmetricFactor<T> {
    fn new(a: View<'_, T>) -> Self {
        let below = |j: usize| (j + 1..a.rows).map(move |i| a.at(i, j));
        let diagonal: Vec<_> = (0..a.rows).map(|i| a.at(i, i).real()).collect();
        let finite = diagonal.iter().all(nalgebra::ComplexField::is_finite);
        if finite && (0..a.rows).flat_map(below).all(|x| x == T::zero()) {
            return SymmetricFactor {
                values: diagonal,
                vectors: None,
                least: T::Part::zero(),
            };
        }
        let (values, vectors) = factors::symmetric_eigen(a);
        let rounding = rounding::<T>(a.rows) * T::Part::of(0.125);
        SymmetricFactor {
            least: rounding * size(values.as_slice()),
            values: values.as_slice().to_vec(),
            vectors: Some(Pooled::from(vectors)),
        }
    }
    /// Whether all eigenvalues are above zero by more than rounding errors.
    fn is_positive(&self) -> bool {
        self.values.iter().all(|x| *x > self.least)
    }
    /// Whether no eigenvalue is below zero by more than rounding errors.
    fn is_nonnegative(&self) -> bool {
        self.values.iter().all(|x| *x >= -self.least)
    }
    /// `v * f(d) * v'`.
    fn apply<N: Dim>(&self, f: impl Fn(T::Part) -> T::Part) -> OMatrix<T, N, N>
    where
        DefaultAllocator: Sizes<N, N>,
    {
        let values: Vec<_> = self.values.iter().map(|x| f(*x)).collect();
        let n = values.len();
        let r = match &self.vectors {
            Some(vectors) => composed(vectors, &values),
            None => DMatrix::from_fn(n, n, |i, j| match i == j {
                true => T::from_real(values[i]),
                false => T::zero(),
            }),
        };
        filled((n, n), r.as_slice())
    }
    fn power(&self, exponent: T::Part) -> Power<T::Part> {
        let least = self.least;
        Power { exponent, least }
    }
    /// `v' * x * v`
    fn turned(&self, x: View<'_, T>) -> DMatrix<T> {
        match &self.vectors {
            Some(v) => times(&ad_times(v, &x.copied()), v),
            None => x.copied(),
        }
    }
    /// `v * (l .* x) * v'` as an adjoint of the lower triangle.
    fn pull<N: Dim, F: SpectralFunction<T::Part>>(&self, f: &F, x: &DMatrix<T>) -> OMatrix<T, N, N>
    where
        DefaultAllocator: Sizes<N, N>,
    {
        let x = self.sloped(f, x);
        filled(x.shape(), lower(x).as_slice())
    }
    fn push<N: Dim, F: SpectralFunction<T::Part>>(
        &self,
        f: &F,
        a_t: View<'_, T>,
    ) -> OMatrix<T, N, N>
    where
        DefaultAllocator: Sizes<N, N>,
    {
        let x = self.turned(view(&mirrored(a_t)));
        let x = self.sloped(f, &x);
        filled(x.shape(), x.as_slice())
    }
    /// `v * (l .* x) * v'`
    fn sloped<F: SpectralFunction<T::Part>>(&self, f: &F, x: &DMatrix<T>) -> DMatrix<T> {
        self.back(self.slopes(f, x))
    }
    /// `v * x * v'`
    fn back(&self, x: DMatrix<T>) -> DMatrix<T> {
        match &self.vectors {
            Some(v) => times_ad(&times(v, &x), v),
            None => x,
        }
    }
    /// The tangent of `v * (l .* x) * v'`: with `d = v' * a_t * v` and second divided differences `f`, it is
    /// `v * y * v'` for `y[i, j] = Σ_k f[i, k, j] * (x[i, k] * d[k, j] + d[i, k] * x[k, j])`.
    fn second<F: SpectralFunction<T::Part>>(
        &self,
        f: &F,
        x: &DMatrix<T>,
        a_t: View<'_, T>,
    ) -> DMatrix<T> {
        let (d, values) = (self.turned(view(&mirrored(a_t))), &self.values);
        let n = values.len();
        let y = DMatrix::from_fn(n, n, |i, j| {
            let term = |k: usize| {
                let by = second_difference(f, [values[i], values[k], values[j]]);
                (x[(i, k)] * d[(k, j)] + d[(i, k)] * x[(k, j)]).scale(by)
            };
            (0..n).fold(T::zero(), |sum, k| sum + term(k))
        });
        self.back(y)
    }
    /// `l .* x`
    fn slopes<F: SpectralFunction<T::Part>>(&self, f: &F, x: &DMatrix<T>) -> DMatrix<T> {
        let (mut x, d) = (x.clone(), &self.values);
        for j in 0..d.len() {
            x[(j, j)] = x[(j, j)].scale(f.slope(d[j]));
            for i in j + 1..d.len() {
                let slope = f.divided_difference(d[i], d[j]);
                x[(i, j)] = x[(i, j)].scale(slope);
                x[(j, i)] = x[(j, i)].scale(slope);
            }
        }
        x
    }
}
/// `v * diag(d) * v'`, symmetric to the last bit.
pub(crate) fn composed<T: Number>(v: &DMatrix<T>, d: &[T::Part]) -> DMatrix<T> {
    let (n, mut scaled) = (d.len(), v.clone());
    for (mut column, d) in scaled.column_iter_mut().zip(d) {
        column.apply(|x| *x = x.scale(*d));
    }
    let mut r = DMatrix::zeros(n, n);
    let (one, to) = (T::one(), view_mut(&mut r));
    gemm_triangle(Triangle::Lower, one, view(&scaled), view(v).h(), to);
    for j in 0..n {
        (0..j).for_each(|i| r[(i, j)] = r[(j, i)].conjugate());
    }
    real_diagonal(&mut view_mut(&mut r));
    r
}

#[op(
    order = F::ORDER,
    tangent(a = factor.push(&*f, view(a_t))),
    second(a = {
        let x = factor.second(&*f, &factor.turned(view(r_b)), view(a_t));
        filled::<T, N, N>(x.shape(), lower(x).as_slice())
    }),
)]
pub fn symmetric_function<T: Number, N: Dim, F: SpectralFunction<T::Part>>(
    #[ad_in(factor.pull(&*f, &factor.turned(view(r_b))))] a: &Dense<T, N, N>,
    #[ad_passive] factor: Shared<SymmetricFactor<T>>,
    #[ad_passive] f: Rc<F>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    factor.apply(|x| f.value(x))
}
// p_b = Re(tr(r_b' * ln(a) * r))
#[op(
    shared(ref turned = factor.turned(view(r_b))),
    tangent(
        a = factor.push(&factor.power(p), view(a_t)),
        p = {
            let power = factor.power(p);
            factor.apply(|x| p_t * power.slope_of_exponent(x))
        },
    ),
    second(
        a = {
            let power = factor.power(p);
            let mut x = factor.sloped(&LogPower(power), turned).scale(p_t);
            if let Some(a_t) = some_a_t {
                x += factor.second(&power, turned, view(a_t));
            }
            filled::<T, N, N>(x.shape(), lower(x).as_slice())
        },
        p = {
            let power = factor.power(p);
            let curved = |i: usize| turned[(i, i)].real() * power.curvature_of_exponent(factor.values[i]);
            let along = (0..factor.values.len()).fold(T::Part::zero(), |sum, i| sum + curved(i));
            let moved = some_a_t.map(|a_t| {
                let slopes = factor.slopes(&LogPower(power), &factor.turned(view(&mirrored(view(a_t)))));
                dotc(turned.as_slice(), slopes.as_slice()).real()
            });
            along * p_t + moved.unwrap_or(T::Part::zero())
        },
    ),
)]
pub fn symmetric_powf<T: Number, N: Dim>(
    #[ad_in(factor.pull(&factor.power(p), turned))] a: &Dense<T, N, N>,
    #[ad_in({
        let (power, zero) = (factor.power(p), T::Part::zero());
        let slope = |i: usize| turned[(i, i)].real() * power.slope_of_exponent(factor.values[i]);
        (0..factor.values.len()).fold(zero, |sum, i| sum + slope(i))
    })]
    p: T::Part,
    #[ad_passive] factor: Shared<SymmetricFactor<T>>,
) -> &Dense<T, N, N>
where
    DefaultAllocator: Sizes<N, N>,
{
    let power = factor.power(p);
    factor.apply(|x| power.value(x))
}

/// The function `F` of a matrix.
pub type FunctionExpr<'s, F, T, N, M> = FactorExpr<'s, SymmetricFunction<T, F>, T, N, N, M>;
/// [`FunctionExpr`], if the function is defined for all eigenvalues.
pub type TryFunction<'s, F, T, N, M> = Result<FunctionExpr<'s, F, T, N, M>, NotPositiveDefinite>;
/// The power of a matrix with the exponent `P`.
pub type PowerExpr<'s, P, T, N, M> =
    Binary<SymmetricPowf<T>, M, &'s Active<Dense<T, N, N>, M>, RhsExpr<P, <T as Number>::Part, M>>;

/// A symmetric or Hermitian matrix with its eigenvalues and eigenvectors, for any number of functions. Only the lower
/// triangle and the real parts of its diagonal are read. [`SymmetricOps`] describes the functions and their errors.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![2.0, 0.5; 0.5, 1.0]);
/// let y = tape.record(|| {
///     let a = a.symmetric_functions();
///     let (root, ln) = (a.sqrt()?.eval(), a.ln()?.eval());
///     Ok::<_, NotPositiveDefinite>((root.trace() + (&root * &ln).trace()).eval())
/// })?;
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?.shape(), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SymmetricFunctions<T: Number, N: Dim, M: AnyMode>
where
    DefaultAllocator: Sizes<N, N>,
{
    a: Active<Dense<T, N, N>, M>,
    factor: Shared<SymmetricFactor<T>>,
}
entape_core::debug_by_name! { [T: Number, N: Dim, M: AnyMode] SymmetricFunctions<T, N, M> where [DefaultAllocator: Sizes<N, N>] }
impl<T: Number, N: Dim, M: AnyMode> SymmetricFunctions<T, N, M>
where
    DefaultAllocator: Sizes<N, N>,
{
    #[track_caller]
    fn new<X: Operand<M, Kind = Dense<T, N, N>>>(operation: &str, a: X) -> Self {
        let a = a.into_expr().eval();
        shapes::square(operation, a.get().shape());
        let factor = Shared::new(SymmetricFactor::new(view(a.get())));
        SymmetricFunctions { a, factor }
    }
    /// Returns the exponential.
    pub fn exp(&self) -> FunctionExpr<'_, Exp, T, N, M> {
        self.function(Exp)
    }
    /// Returns the natural logarithm.
    pub fn ln(&self) -> TryFunction<'_, Ln, T, N, M> {
        match self.factor.is_positive() {
            true => Ok(self.function(Ln)),
            false => Err(NotPositiveDefinite),
        }
    }
    /// Returns the square root.
    pub fn sqrt(&self) -> TryFunction<'_, Sqrt<T::Part>, T, N, M> {
        let least = self.factor.least;
        match self.factor.is_nonnegative() {
            true => Ok(self.function(Sqrt { least })),
            false => Err(NotPositiveDefinite),
        }
    }
    /// Returns the power with a real exponent.
    pub fn powf<P: OperandOf<T::Part, M>>(
        &self,
        p: P,
    ) -> Result<PowerExpr<'_, P, T, N, M>, NotPositiveDefinite> {
        let node = node_of(p.into_rhs());
        let negative = node.evaluate().0.ready().arg() < T::Part::zero();
        let defined = match negative {
            true => self.factor.is_positive(),
            false => self.factor.is_nonnegative(),
        };
        match defined {
            true => Ok(symmetric_powf(
                &self.a,
                Expr::new(node),
                self.factor.clone(),
            )),
            false => Err(NotPositiveDefinite),
        }
    }
    /// Returns any function of the eigenvalues.
    pub fn function<F: SpectralFunction<T::Part>>(&self, f: F) -> FunctionExpr<'_, F, T, N, M> {
        symmetric_function(&self.a, self.factor.clone(), Rc::new(f))
    }
}

/// Functions of the eigenvalues of symmetric and Hermitian matrices, with the eigenvectors of the matrix, evaluated
/// immediately. For several functions of one matrix, use [`symmetric_functions`](Self::symmetric_functions). All
/// methods panic if the matrix is not square.
///
/// The lower triangle is read, and the upper one has a zero adjoint. Gradients are also correct for equal eigenvalues.
///
/// ```
/// use entape_core::{expr::constant, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 0.0; 0.0, 1.0]);
/// let b = constant(dmatrix![3.0, 0.0; 1.0, 2.0]);
/// let y = tape.record(|| Ok::<_, NotPositiveDefinite>(b.dot(&a.symmetric_ln()?).eval()))?;
/// // At the identity the logarithm has slope 1, but eigenvectors have no slope.
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![3.0, 0.0; 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Formulas
/// `r = v * diag(f(d)) * v'` with the eigenvalues `d` and the eigenvectors `v`. The gradient of the whole symmetric
/// matrix is `v * (l .* (v' * r_b * v)) * v'` with the divided differences
/// `l[(i, j)] = (f(d[i]) - f(d[j])) / (d[i] - d[j])`, which are `f'(d[i])` if both eigenvalues are equal ([Daleckii and
/// Krein 1965](crate#sources)). Second derivatives contain second divided differences.
///
/// # Zero eigenvalues
/// For `ln`, `sqrt` and `powf`, eigenvalues up to `8 * sqrt(n) * eps` of the largest one count as zero for `n` rows,
/// unless the matrix is diagonal. So the logarithm of a singular matrix is an error.
pub trait SymmetricOps<M: AnyMode, T: Number, N: Dim>:
    Operand<M, Kind = Dense<T, N, N>> + Sized
where
    DefaultAllocator: Sizes<N, N>,
{
    /// Returns the matrix with its eigenvalues and eigenvectors.
    #[track_caller]
    fn symmetric_functions(self) -> SymmetricFunctions<T, N, M> {
        SymmetricFunctions::new("a.symmetric_functions()", self)
    }
    /// Returns the exponential; for other matrices, use [`exp`](entape_core::real::Elementary::exp). All elements are
    /// NaN if an element that is read is not finite.
    #[track_caller]
    fn symmetric_exp(self) -> Active<Dense<T, N, N>, M> {
        SymmetricFunctions::new("a.symmetric_exp()", self)
            .exp()
            .eval()
    }
    /// Returns the natural logarithm, the inverse of [`symmetric_exp`](Self::symmetric_exp).
    ///
    /// # Errors
    /// If the matrix is not positive definite, up to [rounding](Self#zero-eigenvalues).
    #[track_caller]
    fn symmetric_ln(self) -> Result<Active<Dense<T, N, N>, M>, NotPositiveDefinite> {
        Ok(SymmetricFunctions::new("a.symmetric_ln()", self)
            .ln()?
            .eval())
    }
    /// Returns the square root without negative eigenvalues. At a singular matrix its gradient is infinite or NaN.
    ///
    /// # Errors
    /// If an eigenvalue is negative by more than [rounding](Self#zero-eigenvalues), or an element that is read is not
    /// finite.
    #[track_caller]
    fn symmetric_sqrt(self) -> Result<Active<Dense<T, N, N>, M>, NotPositiveDefinite> {
        Ok(SymmetricFunctions::new("a.symmetric_sqrt()", self)
            .sqrt()?
            .eval())
    }
    /// Returns the power with a real exponent, which also has a gradient. Whole powers of any matrix are
    /// [`powi`](entape_core::real::Elementary::powi). At a singular matrix the gradient of a power below one is
    /// infinite or NaN.
    ///
    /// # Errors
    /// If an eigenvalue is negative by more than [rounding](Self#zero-eigenvalues), or zero and the exponent negative,
    /// or an element that is read is not finite.
    #[track_caller]
    fn symmetric_powf(
        self,
        p: impl OperandOf<T::Part, M>,
    ) -> Result<Active<Dense<T, N, N>, M>, NotPositiveDefinite> {
        Ok(SymmetricFunctions::new("a.symmetric_powf(p)", self)
            .powf(p)?
            .eval())
    }
    /// Returns any function of the eigenvalues: an elementary function such as `op::Tanh`, two closures in a
    /// [`WithSlope`], or a custom [`SpectralFunction`]. Second derivatives need its [second
    /// derivative](SpectralFunction::curvature), so two closures do not have them.
    #[track_caller]
    fn symmetric_function<F: SpectralFunction<T::Part>>(self, f: F) -> Active<Dense<T, N, N>, M> {
        SymmetricFunctions::new("a.symmetric_function(f)", self)
            .function(f)
            .eval()
    }
}
impl<M: AnyMode, T: Number, N: Dim, X: Operand<M, Kind = Dense<T, N, N>>> SymmetricOps<M, T, N>
    for X
where
    DefaultAllocator: Sizes<N, N>,
{
}
