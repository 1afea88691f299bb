//! The paper's programs of linear algebra, each written once for all modes.
use entape::{linalg::prelude::*, prelude::*};

pub mod hand;
pub mod inputs;
pub mod plain;

/// T1: the sum of a product.
pub fn product<M: AnyMode>(a: &Matrix<M>, b: &Matrix<M>) -> Active<f64, M> {
    let c = (a * b).eval();
    c.sum().eval()
}

/// T1 with a weighted sum.
pub fn weighted_product<M: AnyMode>(
    a: &Matrix<M>,
    b: &Matrix<M>,
    weights: &Matrix<M>,
) -> Active<f64, M> {
    let c = (a * b).eval();
    c.dot(weights).eval()
}

/// T2: the sum of the solution of a linear system, by QR.
///
/// # Errors
/// If the matrix is singular.
pub fn solve<M: AnyMode>(a: &Matrix<M>, b: &Vector<M>) -> Result<Active<f64, M>, Singular> {
    let x = a.qr().solve(b)?.eval();
    Ok(x.sum().eval())
}
/// T2m: [`solve`] with several right sides.
///
/// # Errors
/// If the matrix is singular.
pub fn solve_many<M: AnyMode>(a: &Matrix<M>, b: &Matrix<M>) -> Result<Active<f64, M>, Singular> {
    let x = a.qr().solve(b)?.eval();
    Ok(x.sum().eval())
}

/// T2 with a weighted sum.
///
/// # Errors
/// If the matrix is singular.
pub fn weighted_solution<M: AnyMode>(
    a: &Matrix<M>,
    b: &Vector<M>,
    weights: &Vector<M>,
) -> Result<Active<f64, M>, Singular> {
    let x = a.qr().solve(b)?.eval();
    Ok(x.dot(weights).eval())
}
/// T2m with a weighted sum.
///
/// # Errors
/// If the matrix is singular.
pub fn weighted_solutions<M: AnyMode>(
    a: &Matrix<M>,
    b: &Matrix<M>,
    weights: &Matrix<M>,
) -> Result<Active<f64, M>, Singular> {
    let x = a.qr().solve(b)?.eval();
    Ok(x.dot(weights).eval())
}

/// T3: a Kalman filter for `x = f x + b u` with noise of covariance `q`, and `z = h x` with noise of covariance `r`.
pub struct Kalman<'x, M: AnyMode> {
    pub f: &'x Matrix<M>,
    pub b: &'x Matrix<M>,
    pub q: &'x Matrix<M>,
    pub h: &'x Matrix<M>,
    pub r: &'x Matrix<M>,
    pub u: &'x Vector<M>,
    pub z: &'x Vector<M>,
}
impl<M: AnyMode> Kalman<'_, M> {
    /// State and covariance after one step.
    ///
    /// # Errors
    /// If the covariance of the innovation is not positive definite.
    pub fn step(
        &self,
        x: &Vector<M>,
        p: &Matrix<M>,
    ) -> Result<(Vector<M>, Matrix<M>), NotPositiveDefinite> {
        let Kalman {
            f,
            b,
            q,
            h,
            r,
            u,
            z,
        } = self;
        let y = (*f * x + *b * *u).eval();
        let cov = ((*f * p).mul_tr(*f) + *q).eval();
        let v0 = (*z - *h * &y).eval();
        let m1 = (*h * &cov).eval();
        let m2 = cov.mul_tr(*h).eval();
        let m3 = (m1.mul_tr(*h) + *r).eval();
        let l = m3.cholesky()?.l().eval();
        let v1 = l.solve_lower_triangular_unchecked(&v0).eval();
        let v2 = l.tr_solve_lower_triangular_unchecked(&v1).eval();
        let m4 = l.solve_lower_triangular_unchecked(&m1).eval();
        let m5 = l.tr_solve_lower_triangular_unchecked(&m4).eval();
        Ok(((&y + &m2 * &v2).eval(), (&cov - &m2 * &m5).eval()))
    }
    /// `|x|² + |p|²` after a number of steps.
    ///
    /// # Errors
    /// Like [`step`](Self::step).
    pub fn run(
        &self,
        x: &Vector<M>,
        p: &Matrix<M>,
        steps: usize,
    ) -> Result<Active<f64, M>, NotPositiveDefinite> {
        let (mut x, mut p) = (x.clone(), p.clone());
        for _ in 0..steps {
            (x, p) = self.step(&x, &p)?;
        }
        Ok((x.norm_squared() + p.norm_squared()).eval())
    }
}

/// T4: an analysis with the operators `w` and `a`.
pub struct Analysis<'x, M: AnyMode> {
    pub w: &'x Matrix<M>,
    pub a: &'x Matrix<M>,
    pub x0: &'x Vector<M>,
    pub y: &'x Vector<M>,
    pub alpha: &'x Active<f64, M>,
    pub beta: &'x Active<f64, M>,
    pub tau: &'x Active<f64, M>,
}
impl<M: AnyMode> Analysis<'_, M> {
    /// `|v1|² + |z1|² + |v2|² + |z2|²` after a number of steps.
    pub fn run(&self, [v1, z1, v2, z2]: [&Vector<M>; 4], steps: usize) -> Active<f64, M> {
        let Analysis {
            w,
            a,
            x0,
            y,
            alpha,
            beta,
            tau,
        } = self;
        let [mut v1, mut z1, mut v2, mut z2] = [v1, z1, v2, z2].map(Clone::clone);
        for _ in 0..steps {
            let y1 = (*alpha * &v1 + *tau * &z1).eval();
            let y2 = (*alpha * &v2 + *tau * &z2).eval();
            let x1 = (w.tr_mul(&y1) - a.tr_mul(&y2)).eval();
            let x = (*x0 + *beta * &x1).eval();
            z1.assign(&y1 - *w * &x);
            z2.assign(&y2 - (*y - *a * &x));
            v1.update(|v1| *alpha * v1 + *tau * &z1);
            v2.update(|v2| *alpha * v2 + *tau * &z2);
        }
        (v1.norm_squared() + z1.norm_squared() + v2.norm_squared() + z2.norm_squared()).eval()
    }
}
