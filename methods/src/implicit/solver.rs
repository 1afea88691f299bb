//! Linear solvers that need no matrix, and the one that needs it.
use entape_core::driver::Jacobian;
use faer::{
    Mat,
    linalg::solvers::{PartialPivLu, Solve},
};

/// A product with a matrix, which may fail.
pub type Product<'p> = dyn FnMut(&[f64]) -> Result<Vec<f64>, String> + 'p;

/// Solves systems of linear equations by products with their matrix alone. [`Gmres`] and [`Cg`] do, and so may a type of one's own:
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
    /// The `x` with `apply(x) = b`.
    ///
    /// # Errors
    /// The reason why there is no solution, such as that the method did not converge. The sweep that needs the solution returns it.
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String>;
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
    /// The method has converged when the norm of the residual is at most this share of that of the right-hand side.
    pub tolerance: f64,
    /// The number of products after which it restarts; it keeps as many vectors.
    pub restart: usize,
    /// The most products that it makes before it gives up.
    pub products: usize,
}
impl Default for Gmres {
    /// A tolerance of `1e-12`, a restart after 50 products, and 1000 products at most.
    fn default() -> Self {
        Gmres {
            tolerance: 1e-12,
            restart: 50,
            products: 1000,
        }
    }
}
/// The method of conjugate gradients, for matrices that are symmetric and positive definite, as the Hessian at a minimum is: M. R. Hestenes
/// and E. Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952. [`minimum`](super::minimum) has an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cg {
    /// The method has converged when the norm of the residual is at most this share of that of the right-hand side.
    pub tolerance: f64,
    /// The most products that it makes before it gives up.
    pub products: usize,
}
impl Default for Cg {
    /// A tolerance of `1e-12`, and 1000 products at most.
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
fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
/// `y += a x`
fn add(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
fn gave_up(method: &str, products: usize, residual: f64, tolerance: f64) -> String {
    format!(
        "the {method} did not converge in {products} products: its residual is {residual:.1e} of the right-hand side, not \
         {tolerance:.1e}"
    )
}

impl LinearSolver for Gmres {
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
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
            // NaN does not converge either.
            if left == 0 || !beta.is_finite() {
                return Err(gave_up(
                    "GMRES method",
                    products - left,
                    beta / scale,
                    tolerance,
                ));
            }
            // A basis of the Krylov space, and the projected matrix, which rotations make triangular.
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
                // No direction is left, and this one adds nothing.
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
                return Err("the matrix is singular: the GMRES method finds no direction that reduces the residual".into());
            }
            for k in 0..triangle.len() {
                add(&mut x, y[k], &basis[k]);
            }
            // The true residual, as that of the recurrence loses digits.
            residual = b.to_vec();
            add(&mut residual, -1.0, &apply(&x)?);
        }
    }
}
impl LinearSolver for Cg {
    fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
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
            // It is so for NaN, too.
            if !(curvature > 0.0 && curvature.is_finite()) {
                return Err(format!(
                    "the matrix is not positive definite, as conjugate gradients need it: a direction has the curvature {curvature:.1e}"
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

/// A factorized matrix.
pub(super) struct Factor(PartialPivLu<f64>);
impl Factor {
    /// Factorizes a square matrix.
    pub(super) fn new(matrix: &Jacobian) -> Result<Self, String> {
        let n = matrix.rows();
        if !matrix.as_slice().iter().all(|entry| entry.is_finite()) {
            return Err("the matrix of the linear system has entries that are not finite".into());
        }
        let lu = Mat::from_fn(n, n, |i, j| matrix[(i, j)]).partial_piv_lu();
        // Each pivot is compared with its column, as columns of very different sizes are no sign of singularity.
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
            true => Err("the matrix of the linear system is singular to machine precision".into()),
            false => Ok(Factor(lu)),
        }
    }
    /// Solves with the matrix, or with its transpose.
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

    /// A matrix that is diagonally dominant, and symmetric if asked.
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
        // in as many products as there are unknowns, and one for the residual
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
        for zero in [0.0, f64::NAN] {
            assert!(
                Gmres::default()
                    .solve(&mut |x| Ok(vec![zero * x[0]]), &[1.0])
                    .is_err()
            );
        }
        // a nilpotent matrix, which has no solution for this side
        let shift = |x: &[f64]| Ok(vec![x[1], 0.0]);
        assert!(Gmres::default().solve(&mut { shift }, &[0.0, 1.0]).is_err());
        let fails = Gmres::default().solve(&mut |_| Err("no product".into()), &[1.0]);
        assert_eq!(fails, Err("no product".to_owned()));
    }
}
