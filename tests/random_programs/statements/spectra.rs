//! Spectra and functions of matrices. Vectors are compared by quantities that do not depend on their signs.
use super::statements;
use crate::exact::{self, Field, Grid, Num, sum};
use entape::{op, prelude::*};
use nalgebra::DMatrix;

/// The eigenvalues are the squares of the singular values.
fn gram<T: Field>(a: &Grid<T>) -> Grid<T> {
    &a.adjoint() * a
}
/// The function of `1 + y * y' / 4`, which has a formula: the eigenvalue of every vector orthogonal to `y` is 1.
fn of_update<T: Field>(y: &Grid<T>, f: impl Fn(Num) -> Num) -> Grid<T> {
    let (square, one) = (y.norm_squared() * 0.25, exact::passive(1.0));
    let slope = (f(square + 1.0) - f(one)) / square * 0.25;
    let identity = Grid::identity(y.rows).by(f(one));
    &identity + &(y * &y.adjoint()).by(slope)
}
fn positive<T: Field>(a: &Grid<T>) -> Grid<T> {
    &(a * &a.adjoint()).scaled(0.25) + &Grid::identity(a.rows)
}

statements! {
    names { x, m, u, f, a, b, .. } { i, j, k, p, c, n, .. };
    {
        let eigen = m[j].symmetric_eigen();
        u[i] = (&eigen.eigenvalues * 0.5).eval();
        m[i] = eigen.eigenvectors.component_mul(&eigen.eigenvectors).eval();
    } => {
        let t = m[j].turned();
        let values = t.distinct_values().into_iter().map(|y| y * 0.5).collect();
        u[i] = Grid { elements: values, rows: n, cols: 1 };
        m[i] = t.vectors().map(|y| y.square());
    }
    {
        let eigen = a[j].symmetric_eigen();
        u[i] = (&eigen.eigenvalues * c).eval();
        m[i] = eigen.eigenvectors.conjugate().component_mul(&eigen.eigenvectors).re().eval();
    } => {
        let t = a[j].turned();
        let values = t.distinct_values().into_iter().map(|y| y * c).collect();
        u[i] = Grid { elements: values, rows: n, cols: 1 };
        m[i] = t.vectors().map(|y| y.norm_sqr());
    }
    // Of values alone, which may be equal.
    { x[i] = (m[j].symmetric_eigen().eigenvalues.map(op::Tanh).sum() * 0.5 + &x[k]).eval(); } => {
        x[i] = sum(m[j].turned().values().into_iter().map(Num::tanh)) * 0.5 + x[k];
    }
    {
        let eigen = (&f[j]).symmetric_eigen();
        x[i] = (&eigen.eigenvalues[1] * c).eval();
        f[i] = (&eigen.eigenvectors * from_diagonal(&eigen.eigenvalues) * (&eigen.eigenvectors).transpose()).eval();
    } => {
        let t = f[j].turned();
        x[i] = t.distinct_values()[1] * c;
        f[i] = t.with_values(|y| y);
    }
    // From the product of the matrix with its adjoint.
    { u[i] = (&m[j].singular_values() * 0.5).eval(); x[k] = (m[j].spectral_norm() * c).eval(); } => {
        let squares = gram(&m[j]).turned().distinct_values();
        x[k] = squares[n - 1].sqrt() * c;
        let values = squares.into_iter().rev().map(|y| y.sqrt() * 0.5).collect();
        u[i] = Grid { elements: values, rows: n, cols: 1 };
    }
    {
        let svd = m[j].svd();
        m[i] = (&svd.u * from_diagonal(svd.singular_values.map(op::Tanh)) * &svd.v_t).eval();
    } => {
        m[i] = &m[j] * &gram(&m[j]).turned().with_values(|y| y.sqrt().tanh() / y.sqrt());
    }
    {
        let svd = a[j].columns(0, n - 1).svd();
        a[i].columns_mut(0, n - 1).assign(&svd.u * from_diagonal(svd.singular_values.map(op::Tanh)).to_complex() * &svd.v_t);
    } => {
        let y = a[j].block((0, 0), (n, n - 1));
        let r = &y * &gram(&y).turned().with_values(|y| y.sqrt().tanh() / y.sqrt());
        a[i].put((0, 0), &r);
    }
    { let y = m[j].columns(0, n - 1).pseudo_inverse(1e-9).eval(); m[i].rows_mut(0, n - 1).assign(&y * 0.5); } => {
        let y = m[j].block((0, 0), (n, n - 1));
        let inverse = gram(&y).solve(&y.transposed()).0.scaled(0.5);
        m[i].put((0, 0), &inverse);
    }
    // Polar factors: the second one is the root of the product.
    { let polar = m[j].polar(); m[i] = polar.u().eval(); m[k] = (polar.p() * 0.5).eval(); } => {
        let (y, root) = (m[j].clone(), gram(&m[j]).turned().sqrt());
        m[i] = root.solve(&y.transposed()).0.transposed();
        m[k] = root.scaled(0.5);
    }
    {
        let polar = a[j].columns(0, n - 1).polar();
        a[i].columns_mut(0, n - 1).assign(polar.u() * 0.5);
        a[k].view_mut((0, 0), (n - 1, n - 1)).add_assign(polar.p() * c);
    } => {
        let y = a[j].block((0, 0), (n, n - 1));
        let root = gram(&y).turned().sqrt();
        a[i].put((0, 0), &root.solve(&y.adjoint()).0.adjoint().scaled(0.5));
        let sum = &a[k].block((0, 0), (n - 1, n - 1)) + &root.scaled(c);
        a[k].put((0, 0), &sum);
    }
    { m[i] = (&m[j] * 0.5).exp().eval(); } => { m[i] = m[j].scaled(0.5).exp(); }
    { a[i] = (&a[j] * 0.25).exp().eval(); } => { a[i] = a[j].scaled(0.25).exp(); }
    { f[i] = ((&f[j] * 0.5).exp() * &x[k]).eval(); } => { f[i] = f[j].scaled(0.5).exp().by(x[k]); }
    // Functions of symmetric and Hermitian matrices, whose lower triangle is read.
    { m[i] = (&(&m[j] * 0.5).symmetric_exp() * 0.5).eval(); } => { m[i] = m[j].hermitian().scaled(0.5).exp().scaled(0.5); }
    { a[i] = (&a[j] * 0.25).symmetric_exp(); } => { a[i] = a[j].hermitian().scaled(0.25).exp(); }
    { m[i] = (&m[j].symmetric_function(op::Atan) * &x[k]).eval(); } => {
        m[i] = m[j].turned().with_values(Num::atan).by(x[k]);
    }
    { a[i] = (&a[j].symmetric_function(op::Tanh) * 0.5).eval(); } => { a[i] = a[j].turned().with_values(Num::tanh).scaled(0.5); }
    {
        let y = (m[j].mul_tr(&m[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        x[k] = (y.symmetric_powf(&x[k] * 0.5).unwrap().trace() * 0.25).eval();
        m[i] = (&y.symmetric_sqrt().unwrap() * 0.5).eval();
    } => {
        let t = positive(&m[j]).turned();
        x[k] = sum(t.values().into_iter().map(|y| (y.ln() * x[k] * 0.5).exp())) * 0.25;
        m[i] = t.sqrt().scaled(0.5);
    }
    {
        let y = (u[j].outer(&u[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        let functions = y.symmetric_functions();
        m[i] = (functions.ln().unwrap() - functions.powf(&x[k]).unwrap() * c).eval();
        m[k] = functions.sqrt().unwrap().eval();
        u[i] = (functions.function(op::Sin) * &u[k]).eval();
    } => {
        let (y, t) = (u[j].clone(), x[k]);
        let powers = of_update(&y, |x| (x.ln() * t).exp());
        u[i] = &of_update(&y, Num::sin) * &u[k];
        m[i] = &of_update(&y, Num::ln) - &powers.scaled(c);
        m[k] = of_update(&y, Num::sqrt);
    }
    {
        let y = (b[j].mul_ad(&b[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        a[i] = (&y.symmetric_ln().unwrap() + &y.symmetric_powf(-1.5).unwrap() * &x[k]).eval();
        b[i] = (&y.symmetric_sqrt().unwrap() * &b[k]).eval();
    } => {
        let y = b[j].clone();
        b[i] = &of_update(&y, Num::sqrt) * &b[k];
        a[i] = &of_update(&y, Num::ln) + &of_update(&y, |x| (x.ln() * -1.5).exp()).by(x[k]);
    }
    // A function followed by its inverse is the identity.
    { let y = (m[j].mul_tr(&m[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
      m[i] = (&y.symmetric_ln().unwrap().symmetric_exp() * 0.25).eval(); } => { m[i] = positive(&m[j]).scaled(0.25); }
    {
        let y = (a[j].mul_ad(&a[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        let root = y.symmetric_powf(1.0 / 3.0).unwrap();
        a[i] = (&root * &root * &root * 0.25).eval();
        b[p % 3] = (&y.symmetric_exp().symmetric_ln().unwrap() * &b[k] * 0.25).eval();
    } => {
        let y = positive(&a[j]);
        // The logarithm of a large exponential has the rounding errors of its numbers.
        exact::require(y.turned().values().last().is_some_and(|y| y.value < 8.0));
        a[i] = y.scaled(0.25);
        b[p % 3] = (&y * &b[k]).scaled(0.25);
    }
    // A multiple of an orthogonal matrix has equal singular values.
    {
        let r = constant(DMatrix::<f64>::identity(n, n)) * &x[j];
        x[i] = (r.eval().singular_values().norm_squared() * 0.25).eval();
    } => {
        x[i] = x[j].square() * n as f64 * 0.25;
    }
}
