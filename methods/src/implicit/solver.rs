//! Iterative linear solvers, and a direct one.
use entape_drivers::Jacobian;
use faer::{
    Mat,
    linalg::solvers::{PartialPivLu, Solve},
};

/// A product with a matrix, which may fail.
pub type Product<'p> = dyn FnMut(&[f64]) -> Result<Vec<f64>, String> + 'p;

/// Solves linear systems by products with their matrix, like [`Gmres`] and [`Cg`]. A custom solver:
///
/// ```
/// use entape_methods::implicit::{LinearSolver, Product};
///
/// /// Richardson's iteration, for matrices near the identity.
/// struct Richardson;
/// impl LinearSolver for Richardson {
///     fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
///         let mut x = b.to_vec();
///         for _ in 0..100 {
///             let a_x = apply(&x)?;
///             x.iter_mut().zip(b).zip(a_x).for_each(|((x, b), a_x)| *x += b - a_x);
///         }
///         Ok(x)
///     }
/// }
/// let mut half = |x: &[f64]| Ok(x.iter().map(|x| 0.5 * x).collect());
/// let x = Richardson.solve(&mut half, &[1.0, 3.0])?;
/// assert!((x[0] - 2.0).abs() < 1e-15 && (x[1] - 6.0).abs() < 1e-14);
/// # Ok::<(), String>(())
/// ```
pub trait LinearSolver {
    /// Returns the `x` with `apply(x) = b`.
    ///
    /// # Errors
    ///
    /// Why no solution was found. The sweep that needs it returns this reason.
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String>;
}

/// Checks that a solver finds a known solution; for a singular matrix it finds another one. Inconclusive if the solver
/// does not converge.
pub(super) fn check_regular(
    solver: &dyn LinearSolver,
    apply: &mut Product<'_>,
    n: usize,
) -> Result<(), String> {
    // Of both signs, so that neither numbers nor their sum are small.
    let number = |i: usize| {
        let x = (i as f64 + 1.0) * 0.618_033_988_749_895;
        let sign = if (x * 7.3).fract() < 0.5 { -1.0 } else { 1.0 };
        sign * (0.5 + 0.5 * x.fract())
    };
    let known: Vec<f64> = (0..n).map(number).collect();
    let b = apply(&known)?;
    let found = match solver.solve(apply, &b) {
        Ok(found) if found.len() == n => found,
        _ => return Ok(()),
    };
    let less = |mut a: Vec<f64>, b: &[f64]| {
        add(&mut a, -1.0, b);
        norm(&a)
    };
    let residual = less(apply(&found)?, &b) / norm(&b);
    let change = less(found, &known) / norm(&known);
    // A component in one direction has a share of about 1 / sqrt(n). A change much larger than the residual indicates a
    // condition number beyond which no digits are correct.
    let is_large = change > 1e-3 / (n as f64).sqrt() && change > 1e8 * residual;
    match is_large || norm(&b) == 0.0 && n > 0 {
        true => Err(
            "the matrix of the linear system is singular or almost singular: the solver does not find a known solution. Change the equation or the solver's tolerance"
                .into(),
        ),
        false => Ok(()),
    }
}

/// The generalized minimal residual method, for any regular matrix: Y. Saad and M. H. Schultz, *GMRES: a generalized minimal residual
/// algorithm for solving nonsymmetric linear systems*, 1986.
///
/// ```
/// use entape_methods::implicit::{Gmres, LinearSolver};
///
/// // [1, 2; 0, 4] * x = [5, 8]
/// let mut apply = |x: &[f64]| Ok(vec![x[0] + 2.0 * x[1], 4.0 * x[1]]);
/// let x = Gmres::default().solve(&mut apply, &[5.0, 8.0])?;
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gmres {
    /// The largest accepted norm of the residual, as a multiple of the norm of the right-hand side.
    pub tolerance: f64,
    /// The number of products before a restart, and of stored vectors.
    pub restart: usize,
    /// The maximal number of products.
    pub products: usize,
}
impl Default for Gmres {
    /// A tolerance of `1e-12`, a restart after 50 products, and at most 1000 products.
    fn default() -> Self {
        Gmres {
            tolerance: 1e-12,
            restart: 50,
            products: 1000,
        }
    }
}
/// The method of conjugate gradients, for symmetric positive definite matrices such as the Hessian at a minimum: M. R.
/// Hestenes and E. Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952.
/// [`minimum`](super::minimum) has an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cg {
    /// The largest accepted norm of the residual, as a multiple of the norm of the right-hand side.
    pub tolerance: f64,
    /// The maximal number of products.
    pub products: usize,
}
impl Default for Cg {
    /// A tolerance of `1e-12`, and at most 1000 products.
    fn default() -> Self {
        Cg {
            tolerance: 1e-12,
            products: 1000,
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
pub(super) fn norm(x: &[f64]) -> f64 {
    let e = exponent(x);
    let square = |x: &f64| scale(*x, -e).powi(2);
    scale(x.iter().map(square).sum::<f64>().sqrt(), e)
}
/// The exponent of the power of two below the largest number, or 0 if undefined.
fn exponent(x: &[f64]) -> i32 {
    let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    match largest > 0.0 && largest.is_finite() {
        true => largest.log2().floor() as i32,
        false => 0,
    }
}
/// `x * 2^e`, in two steps because the power may overflow.
fn scale(x: f64, e: i32) -> f64 {
    let half = e / 2;
    x * 2_f64.powi(half) * 2_f64.powi(e - half)
}
/// Scales the right-hand side to about 1 by a power of two, to keep squares in range. If it is not finite, the solution
/// is NaN.
fn near_one(
    b: &[f64],
    solve: impl FnOnce(&[f64]) -> Result<Vec<f64>, String>,
) -> Result<Vec<f64>, String> {
    if !b.iter().all(|b| b.is_finite()) {
        return Ok(vec![f64::NAN; b.len()]);
    }
    let e = exponent(b);
    let b: Vec<f64> = b.iter().map(|b| scale(*b, -e)).collect();
    Ok(solve(&b)?.iter().map(|x| scale(*x, e)).collect())
}
fn add(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
fn gave_up(method: &str, products: usize, residual: f64, tolerance: f64) -> String {
    format!(
        "the {method} did not converge in {products} products: its relative residual is {residual:.1e}, and the tolerance is {tolerance:.1e}. \
         Raise one of them, or use another solver"
    )
}

impl LinearSolver for Gmres {
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
        near_one(b, |b| self.solve_near_one(apply, b))
    }
}
impl Gmres {
    fn solve_near_one(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
        let Gmres {
            tolerance,
            restart,
            products,
        } = *self;
        let (mut x, mut residual) = (vec![0.0; b.len()], b.to_vec());
        let (scale, mut left) = (norm(b), products);
        loop {
            let beta = norm(&residual);
            if beta <= tolerance * scale {
                return Ok(x);
            }
            if left == 0 || !beta.is_finite() {
                return Err(gave_up(
                    "GMRES method",
                    products - left,
                    beta / scale,
                    tolerance,
                ));
            }
            // A Krylov basis, and the projected matrix, made triangular by rotations.
            let mut basis = vec![residual.iter().map(|r| r / beta).collect::<Vec<_>>()];
            let (mut triangle, mut rotations) = (Vec::<Vec<f64>>::new(), Vec::new());
            let mut projected = vec![beta];
            for k in 0..restart.max(1).min(left) {
                let mut w = apply(&basis[k])?;
                left -= 1;
                let mut column: Vec<f64> = Vec::with_capacity(k + 2);
                for v in &basis {
                    let part = dot(&w, v);
                    add(&mut w, -part, v);
                    column.push(part);
                }
                let rest = norm(&w);
                for (i, &(c, s)) in rotations.iter().enumerate() {
                    let (a, b): (f64, f64) = (column[i], column[i + 1]);
                    (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
                }
                let radius = column[k].hypot(rest);
                // No direction is left.
                if radius == 0.0 || !radius.is_finite() {
                    break;
                }
                let (c, s) = (column[k] / radius, rest / radius);
                column[k] = radius;
                rotations.push((c, s));
                triangle.push(column);
                projected.push(-s * projected[k]);
                projected[k] *= c;
                if rest == 0.0 || projected[k + 1].abs() <= 0.5 * tolerance * scale {
                    break;
                }
                basis.push(w.iter().map(|w| w / rest).collect());
            }
            let mut y = projected;
            for k in (0..triangle.len()).rev() {
                let known: f64 = (k + 1..triangle.len()).map(|j| triangle[j][k] * y[j]).sum();
                y[k] = (y[k] - known) / triangle[k][k];
            }
            if triangle.is_empty() {
                return Err("the matrix is singular: the GMRES method finds no direction that reduces the residual. Change the equation".into());
            }
            for k in 0..triangle.len() {
                add(&mut x, y[k], &basis[k]);
            }
            // Computed anew, because the recurrence loses digits.
            residual = b.to_vec();
            add(&mut residual, -1.0, &apply(&x)?);
        }
    }
}
impl LinearSolver for Cg {
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
        near_one(b, |b| self.solve_near_one(apply, b))
    }
}
impl Cg {
    fn solve_near_one(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
        let Cg {
            tolerance,
            products,
        } = *self;
        let (mut x, mut r, mut p) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
        let (scale, mut square) = (norm(b), dot(b, b));
        for done in 0..=products {
            if square.sqrt() <= tolerance * scale {
                return Ok(x);
            }
            if done == products {
                break;
            }
            let product = apply(&p)?;
            let curvature = dot(&p, &product);
            if !(curvature > 0.0 && curvature.is_finite()) {
                return Err(format!(
                    "the matrix is not positive definite: a direction has the curvature {curvature:.1e}. Use `Gmres`, or remove the solver, so \
                     that the matrix is factorized"
                ));
            }
            let step = square / curvature;
            add(&mut x, step, &p);
            add(&mut r, -step, &product);
            let next = dot(&r, &r);
            let turn = next / square;
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + turn * *p);
            square = next;
        }
        let relative = square.sqrt() / scale;
        Err(gave_up(
            "method of conjugate gradients",
            products,
            relative,
            tolerance,
        ))
    }
}

pub(super) struct Factor(PartialPivLu<f64>);
impl Factor {
    pub(super) fn new(matrix: &Jacobian) -> Result<Self, String> {
        let n = matrix.rows();
        if !matrix.as_slice().iter().all(|entry| entry.is_finite()) {
            return Err("the matrix of the linear system has infinite or NaN entries: choose a point where the derivatives are finite".into());
        }
        let lu = Mat::from_fn(n, n, |i, j| matrix[(i, j)]).partial_piv_lu();
        // Compared with its column, whose size does not matter.
        let u = lu.U();
        let mut largest = vec![0.0_f64; n];
        for row in matrix.iter_rows() {
            let each = largest.iter_mut().zip(row);
            each.for_each(|(most, entry)| *most = most.max(entry.abs()));
        }
        let lost = |j: usize| {
            let each = (0..=j).map(|i| u[(i, j)].abs());
            u[(j, j)].abs() <= n as f64 * f64::EPSILON * each.fold(largest[j], f64::max)
        };
        match (0..n).any(lost) {
            true => Err("the matrix of the linear system is singular to machine precision: remove redundant equations or unknowns".into()),
            false => Ok(Factor(lu)),
        }
    }
    pub(super) fn solve(&self, b: &[f64], transposed: bool) -> Vec<f64> {
        let mut x = Mat::from_fn(b.len(), 1, |i, _| b[i]);
        match transposed {
            true => self.0.solve_transpose_in_place(x.as_mut()),
            false => self.0.solve_in_place(x.as_mut()),
        }
        x.col_as_slice(0).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cg, Gmres, LinearSolver};

    /// Diagonally dominant, and symmetric if requested.
    fn matrix(n: usize, symmetric: bool) -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| {
            let (a, b) = if symmetric {
                (i.min(j), i.max(j))
            } else {
                (i, j)
            };
            let noise = ((17 * a + 31 * b + a * b) % 13) as f64 / 13.0 - 0.5;
            if i == j {
                n as f64 / 3.0 + 1.0 + noise
            } else {
                noise
            }
        };
        (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect()
    }
    fn product(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
        a.iter().map(|row| super::dot(row, x)).collect()
    }
    fn check(solver: &dyn LinearSolver, a: &[Vec<f64>]) -> Result<usize, String> {
        let expected: Vec<f64> = (0..a.len()).map(|i| (i as f64 + 1.0).sin()).collect();
        let b = product(a, &expected);
        let mut count = 0;
        let x = solver.solve(
            &mut |x| {
                count += 1;
                Ok(product(a, x))
            },
            &b,
        )?;
        let error = x
            .iter()
            .zip(&expected)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
        assert!(error < 1e-10, "{error}");
        Ok(count)
    }

    #[test]
    fn solvers_find_the_solution() {
        for n in [1, 2, 5, 60] {
            check(&Gmres::default(), &matrix(n, false)).unwrap();
            check(&Cg::default(), &matrix(n, true)).unwrap();
            let short = Gmres {
                restart: 4,
                ..Gmres::default()
            };
            check(&short, &matrix(n, false)).unwrap();
        }
        // a product for each unknown, and one for the residual
        assert!(check(&Gmres::default(), &matrix(5, false)).unwrap() <= 6);
        assert_eq!(
            Gmres::default().solve(&mut |x| Ok(x.to_vec()), &[0.0; 3]),
            Ok(vec![0.0; 3])
        );
    }
    #[test]
    fn solvers_say_that_they_did_not_converge() {
        let few = Gmres {
            products: 3,
            ..Gmres::default()
        };
        let message = check(&few, &matrix(60, false)).unwrap_err();
        assert!(message.contains("in 3 products"), "{message}");
        let few = Cg {
            products: 3,
            ..Cg::default()
        };
        let message = check(&few, &matrix(60, true)).unwrap_err();
        assert!(message.contains("in 3 products"), "{message}");
        let message = Cg::default()
            .solve(&mut |x| Ok(vec![-x[0]]), &[1.0])
            .unwrap_err();
        assert!(message.contains("not positive definite"), "{message}");
        assert!(message.contains("Use `Gmres`"), "{message}");
        for zero in [0.0, f64::NAN] {
            assert!(
                Gmres::default()
                    .solve(&mut |x| Ok(vec![zero * x[0]]), &[1.0])
                    .is_err()
            );
        }
        // nilpotent, without a solution
        let shift = |x: &[f64]| Ok(vec![x[1], 0.0]);
        assert!(Gmres::default().solve(&mut { shift }, &[0.0, 1.0]).is_err());
        let fails = Gmres::default().solve(&mut |_| Err("no product".into()), &[1.0]);
        assert_eq!(fails, Err("no product".to_owned()));
    }

    #[test]
    fn solutions_scale_with_the_right_hand_side() {
        let a = matrix(5, true);
        let solvers: [&dyn LinearSolver; 2] = [&Gmres::default(), &Cg::default()];
        for solver in solvers {
            let solve = |b: &[f64]| solver.solve(&mut |x| Ok(product(&a, x)), b).unwrap();
            let b = [1.0, -2.0, 0.5, 0.0, 3.0];
            let x = solve(&b);
            for e in [-1000, -540, -500, 500, 520, 1000] {
                let power = 2_f64.powi(e);
                let scaled = solve(&b.map(|b| b * power));
                let expected: Vec<f64> = x.iter().map(|x| x * power).collect();
                assert_eq!(scaled, expected, "{e}");
            }
            let least = solve(&[5e-324, 0.0, 0.0, 0.0, 0.0]);
            assert!(least[0] <= 5e-324, "{least:?}");
            for b in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                assert!(solve(&[b, 0.0, 0.0, 0.0, 1.0]).iter().all(|x| x.is_nan()));
            }
        }
    }
    #[test]
    fn matrices_whose_products_overflow_when_squared_are_solved() {
        for factor in [1e200, 1e-200] {
            let mut apply = |x: &[f64]| Ok(vec![factor * (x[0] + 2.0 * x[1]), 4.0 * factor * x[1]]);
            let x = Gmres::default().solve(&mut apply, &[5.0, 8.0]).unwrap();
            assert!((x[0] * factor - 1.0).abs() < 1e-12 && (x[1] * factor - 2.0).abs() < 1e-12);
        }
    }
    #[test]
    fn norms_neither_overflow_nor_underflow() {
        for x in [1e-320, 1e-200, 1.0, 1e300] {
            let norm = super::norm(&[3.0 * x, 0.0, 4.0 * x]);
            assert!((norm / (5.0 * x) - 1.0).abs() < 1e-3, "{x}");
        }
        assert_eq!(super::norm(&[]), 0.0);
        assert!(super::norm(&[1.0, f64::NAN]).is_nan());
        assert_eq!(super::norm(&[1.0, f64::INFINITY]), f64::INFINITY);
    }
}
