//! Implicit functions: the solution `x(p)` of an equation `F(x, p) = 0`, a fixed point, a minimum.
//!
//! Any plain solver finds the solution, without recording its iterations. By the implicit function theorem, `F_x x_t +
//! F_p p_t = 0` for all tangents, so the adjoint of `p` follows from the adjoint of `x` by one linear solve,
//!
//! ```text
//! F_xᵀ w = x_b        p_b = - F_pᵀ w
//! ```
//!
//! | function | equation | derivatives used |
//! |---|---|---|
//! | [`root`] | `F(x, p) = 0` | first derivatives of `F` |
//! | [`fixed_point`] | `x = G(x, p)` | first derivatives of `G` |
//! | [`minimum`] | `∇ₓ f(x, p) = 0` | second derivatives of `f` |
//!
//! ```
//! use entape_core::{expr::Active, function, tape::Tape};
//! use entape_methods::implicit;
//!
//! /// Kepler's equation: `e - p sin e = m`.
//! #[function]
//! fn kepler((e, (p, m)): (Active<f64>, (Active<f64>, Active<f64>))) -> Active<f64> {
//!     use entape_core::real::Elementary;
//!     e - p * e.sin() - m
//! }
//! let solve = |p: f64, m: f64| (0..50).fold(m, |e, _| e - (e - p * e.sin() - m) / (1.0 - p * e.cos()));
//!
//! let mut tape = Tape::new();
//! let (p, m) = (tape.input(0.3), tape.input(1.0));
//! let e = tape.record(|| {
//!     let e = solve(p.value(), m.value()); // a plain number
//!     implicit::root(kepler {}, e, (p, m)).eval()
//! })?;
//! let gradient = tape.gradient(&e)?;
//! let slope = 1.0 / (1.0 - 0.3 * e.value().cos());
//! assert!((gradient.wrt(&m)? - slope).abs() < 1e-14);
//! assert!((gradient.wrt(&p)? - slope * e.value().sin()).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The solution is one statement, an [external function](mod@entape_core::external). Forward modes also take one linear
//! solve; second derivatives are [`Error::MissingRule`](entape_core::tape::Error). A sweep fails with
//! [`Error::External`](entape_core::tape::Error) at the line of the call if the matrix is singular, the linear solver
//! does not converge, or the point is not a solution.
//!
//! Sources: A. Griewank and A. Walther, *Evaluating Derivatives*, 2008, chapter 15; for fixed points B. Christianson, *Reverse
//! accumulation and attractive fixed points*, 1994.
mod equation;
mod solver;

pub use self::solver::{Cg, Gmres, LinearSolver, Product};
use self::{
    equation::{AtPoint, Equation, Fixed, Stationary, Zero},
    solver::{Factor, check_regular},
};
use entape_core::{
    external::{Arguments, External},
    mode::AnyMode,
    structure::{FlatStructure, IntoValues, Structure, Vars},
};
use entape_drivers::{Error, Function};
use std::{cell::OnceCell, marker::PhantomData, panic::Location, rc::Rc};

/// Returns the solution `x` of `residual(x, p) = 0` as a function of the variables `p`. The [`Function`] of `(x, p)`
/// has as many coordinates as `x`.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::jacobian;
/// use entape_methods::implicit;
/// type Real<M> = Active<f64, M>;
///
/// /// Where the parabola `y = a x²` meets the circle of radius `r`.
/// #[function]
/// fn meet(([x, y], [a, r]): ([Real; 2], [Real; 2])) -> [Real; 2] {
///     [a * x * x - y, x * x + y * y - r * r]
/// }
/// let slopes = jacobian(
///     |p: [Active<f64>; 2]| {
///         let residual = meet {};
///         implicit::root(residual, [1.0, 1.0], p).eval().expect("a solution")
///     },
///     [1.0, 2.0_f64.sqrt()],
/// )?;
/// assert!((slopes[(0, 0)] + 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn root<F, X, P, M, A>(residual: F, x: impl IntoValues<X>, p: A) -> Implicit<M, A, X>
where
    F: Function<Inputs = (X, P)> + 'static,
    X: FlatStructure,
    P: FlatStructure,
    M: AnyMode,
    A: Arguments<M, Shape = P>,
{
    Implicit::new(x.into_values(), p, |x, p| {
        let unknowns = X::flattened(&x).len();
        let of = AtPoint::new(residual, (x, p));
        let found = of.values();
        (Box::new(Zero { of, unknowns }), Some(found))
    })
}

/// Returns the fixed point `x = g(x, p)` as a function of the variables `p`.
///
/// ```
/// use entape_core::{expr::Active, function, real::Elementary, tape::Tape};
/// use entape_methods::implicit;
///
/// #[function]
/// fn g((x, p): (Active<f64>, Active<f64>)) -> Active<f64> {
///     p * x.cos()
/// }
/// let mut tape = Tape::new();
/// let p = tape.input(1.0);
/// let x = tape.record(|| {
///     let x = (0..200).fold(0.5, |x: f64, _| p.value() * x.cos());
///     implicit::fixed_point(g {}, x, p).eval()
/// })?;
/// let (x, slope) = (x.value(), tape.gradient(&x)?.wrt(&p)?);
/// assert!((slope - x.cos() / (1.0 + x.sin())).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn fixed_point<F, X, P, M, A>(g: F, x: impl IntoValues<X>, p: A) -> Implicit<M, A, X>
where
    F: Function<Inputs = (X, P)> + 'static,
    X: FlatStructure,
    P: FlatStructure,
    M: AnyMode,
    A: Arguments<M, Shape = P>,
{
    Implicit::new(x.into_values(), p, |point, p| {
        let x = X::flattened(&point);
        let of = AtPoint::new(g, (point, p));
        let found = of.values();
        let found = found.map(|found| match found.len() == x.len() {
            true => found.iter().zip(&x).map(|(g, x)| x - g).collect(),
            false => found,
        });
        (Box::new(Fixed { of, x }), Some(found))
    })
}

/// Returns the minimum or another stationary point `x` of `f(x, p)` as a function of the variables `p`. Operations need
/// second derivatives.
///
/// ```
/// use entape_core::{expr::Active, function, real::Elementary, tape::Tape};
/// use entape_methods::implicit::{self, Cg};
/// type Real<M> = Active<f64, M>;
///
/// /// A parabola in each direction.
/// #[function]
/// fn bowl((x, p): (&[Real], Real)) -> Real {
///     x.iter().enumerate().map(|(i, x)| (x - p * i as f64).powi(2)).sum()
/// }
/// let mut tape = Tape::new();
/// let p = tape.input(2.0);
/// let x = tape.record(|| {
///     let f = bowl {};
///     implicit::minimum(f, vec![0.0, 2.0, 4.0], p).solver(Cg::default()).eval()
/// })?;
/// assert_eq!(tape.gradient(&x[2])?.wrt(&p)?, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn minimum<F, X, P, M, A>(f: F, x: impl IntoValues<X>, p: A) -> Implicit<M, A, X>
where
    F: Function<Inputs = (X, P), Values = f64> + 'static,
    X: FlatStructure,
    P: FlatStructure,
    M: AnyMode,
    A: Arguments<M, Shape = P>,
{
    Implicit::new(x.into_values(), p, |x, p| {
        let unknowns = X::flattened(&x).len();
        let of = AtPoint::new(f, (x, p));
        (Box::new(Stationary { of, unknowns }), None)
    })
}

/// The error for a point that is not a solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{location}: the point does not solve the equation, because {reason}: improve the point, or set the `tolerance`"
)]
#[non_exhaustive]
pub struct NoSolution {
    /// The violated condition, with figures.
    pub reason: String,
    /// Where the implicit function was called.
    pub location: &'static Location<'static>,
}

/// An implicit function before [`eval`](Self::eval), from [`root`], [`fixed_point`] or [`minimum`].
///
/// ```
/// use entape_core::{expr::Active, function, tape::Tape};
/// use entape_methods::implicit;
///
/// #[function]
/// fn square_root((x, p): (Active<f64>, Active<f64>)) -> Active<f64> {
///     x * x - p
/// }
/// let mut tape = Tape::new();
/// let p = tape.input(4.0);
/// let (x, wrong) = tape.record(|| {
///     let residual = || square_root {};
///     let x = implicit::root(residual(), 2.0, p).tolerance(1e-12).eval();
///     (x, implicit::root(residual(), 2.1, p).tolerance(1e-12).eval())
/// });
/// assert_eq!(tape.gradient(&x?)?.wrt(&p)?, 0.25); // 1 / (2 x)
/// assert!(wrong.is_err()); // 2.1 does not solve the equation
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the implicit function is not recorded before `eval`: call it"]
pub struct Implicit<M: AnyMode, A: Arguments<M, Shape: FlatStructure>, X: FlatStructure> {
    equation: Box<dyn Equation>,
    x: X::Values,
    p: <A::Shape as Structure>::Values,
    arguments: A,
    /// The residual, if already evaluated.
    residual: Option<Result<Vec<f64>, Error>>,
    tolerance: f64,
    accuracy: f64,
    solver: Option<Box<dyn LinearSolver>>,
    location: &'static Location<'static>,
    _mode: PhantomData<M>,
}
entape_core::debug_by_name! { [M: AnyMode, A: Arguments<M, Shape: FlatStructure>, X: FlatStructure] Implicit<M, A, X> }

impl<M, A, X> Implicit<M, A, X>
where
    M: AnyMode,
    A: Arguments<M, Shape: FlatStructure>,
    X: FlatStructure,
{
    #[track_caller]
    fn new(
        x: X::Values,
        arguments: A,
        equation: impl FnOnce(
            X::Values,
            <A::Shape as Structure>::Values,
        ) -> (Box<dyn Equation>, Option<Result<Vec<f64>, Error>>),
    ) -> Self {
        let p = arguments.values();
        let (equation, residual) = equation(x.clone(), p.clone());
        let unknowns = X::flattened(&x).len();
        if let Some(Ok(residual)) = &residual {
            assert!(
                residual.len() == unknowns,
                "an implicit function needs as many equations as unknowns, but there are {} equations for {unknowns} coordinates of x",
                residual.len()
            );
        }
        Implicit {
            equation,
            x,
            p,
            arguments,
            residual,
            tolerance: f64::INFINITY,
            accuracy: 1e-6,
            solver: None,
            location: Location::caller(),
            _mode: PhantomData,
        }
    }
    /// Sets the largest permitted size of each number of the residual, or of the gradient for a [`minimum`]. By default it must
    /// be finite.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
    /// Sets the largest permitted distance of the point from the solution, by default 1e-6, in units of `1 + m` for the
    /// largest number `m` of the point. A sweep estimates it by a step of Newton's method. Unknowns much smaller than 1
    /// need a smaller one.
    pub fn accuracy(mut self, accuracy: f64) -> Self {
        self.accuracy = accuracy;
        self
    }
    /// Solves the linear systems of many unknowns by products with the matrix, each a sweep of the equation: with
    /// [`Gmres`], [`Cg`] or a custom solver. The first sweep also solves a system with a known solution, to detect a
    /// singular matrix.
    pub fn solver(mut self, solver: impl LinearSolver + 'static) -> Self {
        self.solver = Some(Box::new(solver));
        self
    }
    /// Returns the solution as variables, in one statement. Panics like [`External::eval`].
    ///
    /// # Errors
    ///
    /// If the point or its residual is not finite, or the residual is above the [tolerance](Self::tolerance).
    #[track_caller]
    pub fn eval(self) -> Result<Vars<X, M>, NoSolution> {
        let location = self.location;
        let refuse = |reason| Err(NoSolution { reason, location });
        let x = X::flattened(&self.x);
        if let Some(i) = x.iter().position(|x| !x.is_finite()) {
            return refuse(format!("its coordinate {i} is {}", x[i]));
        }
        let residual = match self.residual {
            Some(residual) => residual,
            None if self.tolerance < f64::INFINITY => self.equation.residual(),
            None => Ok(Vec::new()),
        };
        let residual = match residual {
            Ok(residual) => residual,
            Err(error) => return refuse(error.to_string()),
        };
        let wrong = |r: &f64| !(r.abs() <= self.tolerance && r.is_finite());
        if let Some(i) = residual.iter().position(wrong) {
            let r = residual[i];
            return refuse(match r.is_finite() {
                true => format!(
                    "residual {i} is {r:e}, and the tolerance is {:e}",
                    self.tolerance
                ),
                false => format!("residual {i} is {r}"),
            });
        }
        let system = Rc::new(System::<A::Shape> {
            equation: self.equation,
            x,
            p: self.p,
            accuracy: self.accuracy,
            solver: self.solver,
            factor: OnceCell::new(),
            is_regular: OnceCell::new(),
            is_solution: OnceCell::new(),
        });
        let like = self.x.clone();
        let (back, forward) = (system.clone(), system);
        let adjoint = move |x_b| back.adjoint::<X>(&x_b);
        let tangent = move |p_t| forward.tangent::<X>(&like, &p_t);
        let external = External::<M, A, X>::new(self.arguments, self.x, adjoint);
        Ok(external.try_tangent(tangent).eval())
    }
}

struct System<P: FlatStructure> {
    equation: Box<dyn Equation>,
    x: Vec<f64>,
    p: P::Values,
    accuracy: f64,
    solver: Option<Box<dyn LinearSolver>>,
    factor: OnceCell<Result<Factor, String>>,
    is_regular: OnceCell<Result<(), String>>,
    is_solution: OnceCell<Result<(), String>>,
}
impl<P: FlatStructure> System<P> {
    fn adjoint<X: FlatStructure>(&self, x_b: &X::Values) -> Result<P::Values, String> {
        self.check()?;
        let w = self.solve(&X::flattened(x_b), true)?;
        let both = self.equation.pull(&w).map_err(|e| e.to_string())?;
        let p_b: Vec<f64> = both[self.x.len()..].iter().map(|b| -b).collect();
        Ok(P::from_coordinates(&self.p, &mut &p_b[..]))
    }
    fn tangent<X: FlatStructure>(
        &self,
        like: &X::Values,
        p_t: &P::Values,
    ) -> Result<X::Values, String> {
        self.check()?;
        let r_t = self.push(&vec![0.0; self.x.len()], &P::flattened(p_t))?;
        let mut x_t = self.solve(&r_t, false)?;
        x_t.iter_mut().for_each(|x_t| *x_t = -*x_t);
        Ok(X::from_coordinates(like, &mut &x_t[..]))
    }
    /// Returns the matrix times `x_t`, plus the contribution of `p_t`.
    fn push(&self, x_t: &[f64], p_t: &[f64]) -> Result<Vec<f64>, String> {
        let both = [x_t, p_t].concat();
        self.equation.push(&both).map_err(|e| e.to_string())
    }
    fn factor(&self) -> Result<&Factor, String> {
        let factor = self.factor.get_or_init(|| {
            let matrix = self.equation.matrix().map_err(|e| e.to_string())?;
            Factor::new(&matrix)
        });
        factor.as_ref().map_err(Clone::clone)
    }
    fn solve(&self, b: &[f64], transposed: bool) -> Result<Vec<f64>, String> {
        let n = b.len();
        let Some(solver) = &self.solver else {
            let factor = self.factor()?;
            return Ok(match b.iter().all(|b| b.is_finite()) {
                true => factor.solve(b, transposed),
                false => vec![f64::NAN; n],
            });
        };
        let zero = vec![0.0; P::flattened(&self.p).len()];
        let mut apply = |x: &[f64]| match transposed {
            true => {
                let mut both = self.equation.pull(x).map_err(|e| e.to_string())?;
                both.truncate(n);
                Ok(both)
            }
            false => self.push(x, &zero),
        };
        let regular = || check_regular(&**solver, &mut apply, n);
        self.is_regular.get_or_init(regular).clone()?;
        if !b.iter().all(|b| b.is_finite()) {
            return Ok(vec![f64::NAN; n]);
        }
        let x = solver.solve(&mut apply, b)?;
        if x.len() != n {
            return Err(format!(
                "the linear solver returned {} numbers for {n} unknowns: return one for each",
                x.len()
            ));
        }
        match x.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(format!(
                "the linear solver returned {} for unknown {i}: return an error if it fails",
                x[i]
            )),
            None => Ok(x),
        }
    }
    fn check(&self) -> Result<(), String> {
        let checked = self.is_solution.get_or_init(|| {
            let residual = self.equation.residual().map_err(|e| e.to_string())?;
            if let Some(i) = residual.iter().position(|r| !r.is_finite()) {
                return Err(format!("the point is not a solution: residual {i} is {}", residual[i]));
            }
            if residual.iter().all(|r| *r == 0.0) {
                return Ok(());
            }
            let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let (step, size) = (largest(&self.solve(&residual, false)?), largest(&self.x));
            match step <= self.accuracy * (1.0 + size) {
                true => Ok(()),
                false => Err(format!(
                    "the point is not a solution: a step of Newton's method changes it by {step:.1e}, and its largest number is {size:.1e}. Improve the point, or raise the `accuracy`"
                )),
            }
        });
        checked.clone()
    }
}
