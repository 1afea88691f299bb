//! Least squares with sparse Jacobians, by the method of Levenberg and Marquardt, feature `least-squares`.
//!
//! [`LeastSquares`] minimises half the squared norm of the residuals of an [`Objective`]. Jacobians are
//! [sparse](entape_methods::sparse), and `faer`'s sparse Cholesky factorization solves the normal equations. The
//! pattern is analysed once, unless another branch of the program needs other entries.
//!
//! ```
//! use entape::prelude::*;
//! use entape_adapters::least_squares::LeastSquares;
//!
//! /// Rosenbrock's function in a chain.
//! #[entape::function]
//! fn residuals(x: &[Real]) -> Vec<Real> {
//!     x.windows(2).flat_map(|x| [10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]]).collect::<Vec<Real>>()
//! }
//! let found = LeastSquares::new().minimize(&Objective::new(residuals {}), &[-1.2; 50])?;
//! assert!(found.x.iter().all(|x| (x - 1.0).abs() < 1e-10));
//! # Ok::<(), entape_adapters::least_squares::Error>(())
//! ```
//!
//! # Method
//! A step solves `(J'J + λ D) s = -J'r`, where `D` has the largest squared norms of the columns of `J` so far. `λ` follows the
//! ratio of the actual and the predicted reduction. Sources: D. W. Marquardt, *An algorithm for least-squares estimation of
//! nonlinear parameters*, 1963; J. J. Moré, *The Levenberg-Marquardt algorithm*, 1978; H. B. Nielsen, *Damping parameter in
//! Marquardt's method*, 1999.
use entape_drivers::{Objective, Program};
use entape_methods::sparse::{JacobianPlan, SparseJacobian, SparseObjective};
use faer::{
    MatMut, Side,
    linalg::solvers::SolveCore,
    sparse::{
        SparseColMatRef, SymbolicSparseColMatRef,
        linalg::solvers::{Llt, SymbolicLlt},
    },
};
use std::{fmt, rc::Rc};

/// Why no solution was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The residuals or their Jacobian could not be computed at the start, or anywhere near a later point.
    #[error("the residuals can't be computed: {0}")]
    Residuals(#[from] entape_drivers::Error),
    /// A residual at the start or at all points near a later one, or an entry of the Jacobian, is infinite or NaN, or its square
    /// overflows.
    #[error("a residual or a derivative is infinite or NaN, or its square overflows")]
    NotFinite,
    /// The Jacobian lacks full rank at the contained solution, or, without damping, at the contained point.
    #[error("the data do not determine all unknowns: the Jacobian lacks full rank")]
    RankDeficient(Box<Solution>),
    /// The iterations ended before the method converged; contains the best point.
    #[error("no convergence after {} iterations", .0.iterations)]
    Iterations(Box<Solution>),
}
/// A point, and the residuals there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The unknowns.
    pub x: Vec<f64>,
    /// The residuals.
    pub residuals: Vec<f64>,
    /// Half the sum of their squares.
    pub cost: f64,
    /// The number of accepted and rejected steps.
    pub iterations: usize,
}
/// The state of the method after a step, as passed to the callback of [`LeastSquares::progress`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The number of steps so far.
    pub iteration: usize,
    /// Half the sum of the squared residuals at the best point.
    pub cost: f64,
    /// The largest cosine of the angle between the residuals and a column of the Jacobian, which is zero at a solution.
    pub slope: f64,
    /// The factor `λ` of the damping.
    pub damping: f64,
    /// Whether the step was accepted.
    pub accepted: bool,
}
type Tell<'c> = Box<dyn Fn(&Step) + 'c>;

/// The method, with its options.
pub struct LeastSquares<'c> {
    damping: f64,
    tolerance: f64,
    iterations: usize,
    progress: Option<Tell<'c>>,
}
impl fmt::Debug for LeastSquares<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeastSquares")
            .field("damping", &self.damping)
            .field("tolerance", &self.tolerance)
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}
impl Default for LeastSquares<'_> {
    fn default() -> Self {
        LeastSquares {
            damping: 1e-3,
            tolerance: 1e-12,
            iterations: 200,
            progress: None,
        }
    }
}
impl<'c> LeastSquares<'c> {
    /// Returns the method with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets the initial factor `λ` of the damping, by default 1e-3. Zero is the method of Gauss and Newton, whose steps are not
    /// shortened.
    ///
    /// # Panics
    /// If it is negative or not finite.
    #[must_use]
    #[track_caller]
    pub fn damping(mut self, damping: f64) -> Self {
        assert!(
            damping >= 0.0 && damping.is_finite(),
            "the damping {damping}: it is a finite number of at least zero"
        );
        self.damping = damping;
        self
    }
    /// Sets the tolerance, by default 1e-12: the method ends if the cosine of the angle between the residuals and each column of
    /// the Jacobian, the relative length of a step, or the relative reduction of the cost is below it.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
    /// Sets the largest number of steps, by default 200.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.iterations = iterations;
        self
    }
    /// Sets a callback for each step.
    ///
    /// ```
    /// use entape::prelude::*;
    /// use entape_adapters::least_squares::LeastSquares;
    /// use std::cell::RefCell;
    ///
    /// let f = Objective::recorded(|x: &[Real]| vec![(x[0] * x[0] - 2.0).eval()]);
    /// let costs = RefCell::new(vec![]);
    /// LeastSquares::new().progress(|step| costs.borrow_mut().push(step.cost)).minimize(&f, &[1.0])?;
    /// assert!(costs.borrow().is_sorted_by(|a, b| a >= b));
    /// # Ok::<(), entape_adapters::least_squares::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, tell: impl Fn(&Step) + 'c) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }
    /// Minimises half the squared norm of the residuals of `objective`, from `start`.
    ///
    /// Where the residuals of a trial point are not finite or an error, the step is shortened. If the method ends beside such
    /// points and not at a minimum, their error is returned.
    ///
    /// # Errors
    /// An [`Error`], with the best point, if any.
    pub fn minimize<P>(&self, objective: &Objective<P>, start: &[f64]) -> Result<Solution, Error>
    where
        P: Program<Values: AsRef<[f64]>>,
        Objective<P>: SparseObjective<Values: AsRef<[f64]>>,
    {
        let mut jacobians = Jacobians::new(objective, start)?;
        let (residuals, jacobian) = jacobians.at(objective, start)?;
        let mut best = Solution {
            x: start.to_vec(),
            cost: half_square(&residuals),
            residuals,
            iterations: 0,
        };
        let mut system = jacobians.system(&jacobian, &best.residuals)?;
        let (mut damping, mut growth) = (self.damping, 2.0);
        let mut failure = None;
        loop {
            let slope = system.slope(&best.residuals);
            if slope <= self.tolerance || best.cost == 0.0 {
                return system.determined(best);
            }
            if best.iterations == self.iterations {
                return Err(Error::Iterations(Box::new(best)));
            }
            best.iterations += 1;
            let Some(step) = system.step(damping) else {
                // Rounding, or a Jacobian without full rank.
                if damping == 0.0 {
                    return Err(Error::RankDeficient(Box::new(best)));
                }
                damping *= growth;
                growth *= 2.0;
                continue;
            };
            let length = system.length(&step);
            let size = system.length(&best.x);
            let x: Vec<f64> = best.x.iter().zip(&step).map(|(x, s)| x + s).collect();
            let trial = objective.try_values(&x[..]);
            let error = trial.as_ref().err().cloned();
            let residuals = trial.unwrap_or_else(|_| vec![f64::NAN]);
            let cost = half_square(&residuals);
            if !cost.is_finite() {
                failure = Some(error.map_or(Error::NotFinite, Error::Residuals));
            }
            let predicted = system.predicted(&step, damping);
            let reduced = best.cost - cost;
            let accepted = reduced > 1e-4 * predicted || damping == 0.0 && cost.is_finite();
            let small = length <= self.tolerance * (size + self.tolerance)
                || reduced.abs() <= self.tolerance * best.cost
                    && predicted <= self.tolerance * best.cost;
            if let Some(tell) = &self.progress {
                tell(&Step {
                    iteration: best.iterations,
                    cost: if accepted { cost } else { best.cost },
                    slope,
                    damping,
                    accepted,
                });
            }
            if accepted {
                let (residuals, jacobian) = jacobians.at(objective, &x)?;
                let scale = system.scale;
                (best.x, best.cost, best.residuals) = (x, cost, residuals);
                system = jacobians.system(&jacobian, &best.residuals)?;
                system.keep(&scale);
                // Nielsen's rule
                let ratio = reduced / predicted;
                damping *= (1.0 - (2.0 * ratio - 1.0).powi(3)).clamp(1.0 / 3.0, 2.0);
                growth = 2.0;
            }
            if small {
                // At the end of the domain steps are short because longer ones fail.
                return match failure {
                    Some(failure) if !system.converged(&best, self.tolerance.sqrt()) => {
                        Err(failure)
                    }
                    _ => system.determined(best),
                };
            }
            if !accepted {
                if damping == 0.0 {
                    return Err(failure.unwrap_or(Error::NotFinite));
                }
                damping *= growth;
                growth *= 2.0;
                if !damping.is_finite() {
                    return Err(failure.unwrap_or_else(|| Error::Iterations(Box::new(best))));
                }
            }
        }
    }
}

fn half_square(r: &[f64]) -> f64 {
    0.5 * r.iter().map(|r| r * r).sum::<f64>()
}

/// Sparse Jacobians, and the pattern of the normal equations.
struct Jacobians {
    plan: JacobianPlan,
    normal: Rc<Normal>,
}
impl Jacobians {
    fn new<P>(objective: &Objective<P>, x: &[f64]) -> Result<Self, Error>
    where
        Objective<P>: SparseObjective<Values: AsRef<[f64]>>,
    {
        let plan = objective.jacobian_plan(x)?;
        let normal = Rc::new(Normal::new(&plan));
        Ok(Jacobians { plan, normal })
    }
    /// Returns the residuals and the Jacobian at `x`. If the program needs other entries, the pattern is found again.
    fn at<P>(
        &mut self,
        objective: &Objective<P>,
        x: &[f64],
    ) -> Result<(Vec<f64>, SparseJacobian), Error>
    where
        Objective<P>: SparseObjective<Values: AsRef<[f64]>>,
    {
        match objective.values_and_sparse_jacobian_with(&self.plan, x) {
            Err(entape_drivers::Error::PatternChanged) => {
                *self = Self::new(objective, x)?;
                Ok(objective.values_and_sparse_jacobian_with(&self.plan, x)?)
            }
            other => Ok(other?),
        }
    }
    fn system(&self, j: &SparseJacobian, r: &[f64]) -> Result<System, Error> {
        let n = self.normal.columns.len() - 1;
        let mut values = vec![0.0; self.normal.rows.len()];
        let mut gradient = vec![0.0; n];
        let mut places = self.normal.places.iter();
        for (i, r) in r.iter().enumerate() {
            for (a, (k, x)) in j.row(i).enumerate() {
                gradient[k] += x * r;
                // The columns of a row are sorted, so the second one is below the first one.
                for (_, y) in j.row(i).skip(a) {
                    if let Some(&place) = places.next() {
                        values[place] += x * y;
                    }
                }
            }
        }
        // Each entry of the Jacobian is in a sum of squares.
        let mut sums = values.iter().chain(&gradient);
        if !sums.all(|x| x.is_finite()) || !half_square(r).is_finite() {
            return Err(Error::NotFinite);
        }
        let scale = (0..n).map(|k| values[self.normal.columns[k]]).collect();
        Ok(System {
            normal: self.normal.clone(),
            values,
            gradient,
            scale,
        })
    }
}

/// The lower triangle of `J'J`, column by column.
struct Normal {
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// For each pair of entries of a row of `J`, row by row, the place of their product.
    places: Vec<usize>,
    symbolic: SymbolicLlt<usize>,
}
impl Normal {
    fn new(plan: &JacobianPlan) -> Self {
        let sparsity = plan.sparsity();
        let n = sparsity.columns();
        let mut below: Vec<Vec<usize>> = (0..n).map(|k| vec![k]).collect();
        for row in sparsity.iter_rows() {
            for (a, &k) in row.iter().enumerate() {
                below[k].extend(&row[a + 1..]);
            }
        }
        let (mut columns, mut rows) = (vec![0], Vec::new());
        for column in &mut below {
            column.sort_unstable();
            column.dedup();
            rows.extend(&*column);
            columns.push(rows.len());
        }
        let mut places = Vec::new();
        for row in sparsity.iter_rows() {
            for (a, &k) in row.iter().enumerate() {
                for i in &row[a..] {
                    let at = below[k].binary_search(i).expect("an entry of the pattern");
                    places.push(columns[k] + at);
                }
            }
        }
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &columns, None, &rows);
        let symbolic = SymbolicLlt::try_new(pattern, Side::Lower).expect("memory for the pattern");
        Normal {
            columns,
            rows,
            places,
            symbolic,
        }
    }
}

struct System {
    normal: Rc<Normal>,
    /// The lower triangle of `J'J`; the diagonal is the first entry of each column.
    values: Vec<f64>,
    /// `J'r`
    gradient: Vec<f64>,
    /// The largest diagonal so far.
    scale: Vec<f64>,
}
impl System {
    fn keep(&mut self, earlier: &[f64]) {
        let each = self.scale.iter_mut().zip(earlier);
        each.for_each(|(scale, earlier)| *scale = scale.max(*earlier));
    }
    fn diagonal(&self, k: usize) -> f64 {
        self.values[self.normal.columns[k]]
    }
    /// One for an unknown without influence.
    fn weight(&self, k: usize) -> f64 {
        match self.scale[k] {
            0.0 => 1.0,
            scale => scale,
        }
    }
    fn slope(&self, r: &[f64]) -> f64 {
        let length = (2.0 * half_square(r)).sqrt();
        let cosine = |(k, g): (usize, &f64)| match self.diagonal(k) {
            0.0 => 0.0,
            square => g.abs() / (square.sqrt() * length),
        };
        self.gradient
            .iter()
            .enumerate()
            .map(cosine)
            .fold(0.0, f64::max)
    }
    fn converged(&self, at: &Solution, tolerance: f64) -> bool {
        let short =
            |step: Vec<f64>| self.length(&step) <= tolerance * (self.length(&at.x) + tolerance);
        self.slope(&at.residuals) <= tolerance || self.step(0.0).is_none_or(short)
    }
    fn length(&self, step: &[f64]) -> f64 {
        let square = |(k, s): (usize, &f64)| self.weight(k) * s * s;
        step.iter().enumerate().map(square).sum::<f64>().sqrt()
    }
    /// The reduction of the cost that the linear model predicts.
    fn predicted(&self, step: &[f64], damping: f64) -> f64 {
        let each = |(k, s): (usize, &f64)| s * (damping * self.weight(k) * s - self.gradient[k]);
        0.5 * step.iter().enumerate().map(each).sum::<f64>()
    }
    /// The factors of the matrix with `damping` times the weights, in units in which the weights are one, if it is positive
    /// definite.
    fn factors(&self, damping: f64) -> Option<Llt<usize, f64>> {
        let Normal {
            columns,
            rows,
            symbolic,
            ..
        } = &*self.normal;
        let n = columns.len() - 1;
        let mut values = self.values.clone();
        let root: Vec<f64> = (0..n).map(|k| self.weight(k).sqrt()).collect();
        for k in 0..n {
            for at in columns[k]..columns[k + 1] {
                values[at] /= root[k] * root[rows[at]];
            }
            values[columns[k]] += damping;
        }
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, columns, None, rows);
        let matrix = SparseColMatRef::new(pattern, &values);
        Llt::try_new_with_symbolic(symbolic.clone(), matrix, Side::Lower).ok()
    }
    fn step(&self, damping: f64) -> Option<Vec<f64>> {
        let factors = self.factors(damping)?;
        let root = |k: usize| self.weight(k).sqrt();
        let mut step: Vec<f64> = self
            .gradient
            .iter()
            .enumerate()
            .map(|(k, g)| -g / root(k))
            .collect();
        solve(&factors, &mut step);
        step.iter_mut().enumerate().for_each(|(k, s)| *s /= root(k));
        step.iter().all(|s| s.is_finite()).then_some(step)
    }
    /// Returns the solution if the Jacobian has full rank there: the smallest eigenvalue of the scaled matrix, by inverse
    /// iteration, is above the rounding errors of its elements.
    fn determined(&self, solution: Solution) -> Result<Solution, Error> {
        let n = self.gradient.len();
        let rounding = 16.0 * f64::EPSILON * (n as f64).max(1.0);
        let smallest = self.factors(rounding).map_or(0.0, |factors| {
            let mut v: Vec<f64> = (0..n).map(|k| 1.0 + 0.5 * (1.7 * k as f64).sin()).collect();
            let mut smallest = f64::INFINITY;
            for _ in 0..4 {
                let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
                v.iter_mut().for_each(|v| *v /= length);
                solve(&factors, &mut v);
                smallest = 1.0 / v.iter().map(|v| v * v).sum::<f64>().sqrt();
            }
            smallest
        });
        match n == 0 || smallest > 8.0 * rounding {
            true => Ok(solution),
            false => Err(Error::RankDeficient(Box::new(solution))),
        }
    }
}
fn solve(factors: &Llt<usize, f64>, v: &mut [f64]) {
    let n = v.len();
    factors.solve_in_place_with_conj(faer::Conj::No, MatMut::from_column_major_slice_mut(v, n, 1));
}
