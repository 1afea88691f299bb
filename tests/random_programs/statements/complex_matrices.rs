use super::statements;
use crate::exact::{self, Cx, Grid};
use entape::linalg::from_parts;
use entape::prelude::*;
use nalgebra::{Complex, DMatrix};

fn complex(x: &Grid<exact::Num>) -> Grid<Cx> {
    x.map(Cx::from)
}

statements! {
    names { x, z, m, u, a, b, .. } { i, j, k, p, q, c, n };
    { a[i] = (&a[j] * &a[k] * 0.25).eval(); } => { a[i] = (&a[j] * &a[k]).scaled(0.25); }
    {
        a[i] = (a[j].ad_mul(&a[k]) * c - &a[i] * &z[k]).eval();
    } => {
        a[i] = &(&a[j].adjoint() * &a[k]).scaled(c) - &a[i].by(z[k]);
    }
    {
        a[i] = (a[j].mul_ad(&a[k]) * 0.25 + a[i].transpose() * &x[j]).eval();
    } => {
        a[i] = &(&a[j] * &a[k].adjoint()).scaled(0.25) + &a[i].transposed().by(x[j]);
    }
    {
        a[i] = (&a[j] * &m[k] * 0.25 + &m[j]).eval();
    } => {
        a[i] = &(&a[j] * &complex(&m[k])).scaled(0.25) + &complex(&m[j]);
    }
    {
        a[i] = (&m[j] * &a[k] * 0.25 - a[j].conjugate() * c).eval();
    } => {
        a[i] = &(&complex(&m[j]) * &a[k]).scaled(0.25) - &a[j].map(Cx::conj).scaled(c);
    }
    {
        a[i] = from_parts(&m[j], &m[k] * c).eval();
    } => {
        a[i] = Grid::new((n, n), |s, t| Cx { re: m[j][(s, t)], im: m[k][(s, t)] * c });
    }
    { m[i] = (a[j].re() * c + a[k].im()).eval(); } => { m[i] = &a[j].map(|y| y.re).scaled(c) + &a[k].map(|y| y.im); }
    { a[i] = (b[j].outer(&b[k]) * 0.5).eval(); } => { a[i] = (&b[j] * &b[k].transposed()).scaled(0.5); }
    { let w = a[j].clone(); a[i] -= w.adjoint() * c; } => { a[i] = &a[i] - &a[j].adjoint().scaled(c); }
    { a[i] = a[j].clone(); a[j][(p, q)] *= &z[k]; } => { a[i] = a[j].clone(); a[j][(p, q)] = a[j][(p, q)] * z[k]; }
    { a.swap(i, j); } => { a.swap(i, j); }
    second { b[i] = (&a[j] * &b[k] * 0.5 + &u[j]).eval(); } => { b[i] = &(&a[j] * &b[k]).scaled(0.5) + &complex(&u[j]); }
    {
        b[i] = (&m[j] * &b[k] * 0.5 - &z[j] * &b[i]).eval();
    } => {
        b[i] = &(&complex(&m[j]) * &b[k]).scaled(0.5) - &b[i].by(z[j]);
    }
    { let w = b[j].clone(); b[i] += &w * Complex::new(c, 0.5); } => { b[i] = &b[i] + &b[j].by(Cx::constant(c, 0.5)); }
    { b[i].update(|y| y * &x[j]); } => { b[i] = b[i].by(x[j]); }
    { b.swap(i, j); } => { b.swap(i, j); }
    second { z[i] = (b[j].dotc(&b[k]) * 0.25 + a[j].trace() * c).eval(); } => {
        let trace = (0..n).fold(Cx::constant(0.0, 0.0), |sum, t| sum + a[j][(t, t)]);
        z[i] = b[j].map(Cx::conj).dot(&b[k]) * 0.25 + trace * c;
    }
    {
        z[i] = (b[j].dot(&u[k]) * 0.25 + b[k].sum() * &x[i]).eval();
    } => {
        z[i] = b[j].dot(&complex(&u[k])) * 0.25 + b[k].sum().times(x[i]);
    }
    {
        x[i] = (a[j].norm_squared() * 0.1 + b[k].norm_squared() * c * 0.25).eval();
    } => {
        x[i] = a[j].norm_squared() * 0.1 + b[k].norm_squared() * c * 0.25;
    }
    {
        z[i] = (b[j].quadratic_form(&a[k]) * 0.1).eval();
    } => {
        z[i] = b[j].map(Cx::conj).dot(&(&a[k] * &b[j])) * 0.1;
    }
    { a[i][(p, q)].re_mut().assign(&x[j] * &x[k]); } => { a[i][(p, q)].re = x[j] * x[k]; }
    second { a[i][(p, q)].im_mut().add_assign(&x[j]); } => { a[i][(p, q)].im = a[i][(p, q)].im + x[j]; }
    {
        let e = b[i].at(p) * b[i].at(q) * 0.5;
        b[i][p].assign(e);
    } => {
        b[i][(p, 0)] = b[i][(p, 0)] * b[i][(q, 0)] * 0.5;
    }
    { b[i][p].assign(&z[j] * &x[k]); } => { b[i][(p, 0)] = z[j].times(x[k]); }
    second { b[i][p].assign(Complex::new(c, 0.5)); } => { b[i][(p, 0)] = Cx::constant(c, 0.5); }
    {
        let w = a[j].clone();
        a[i].row_mut(p).assign(w.row(q) * &z[k]);
    } => {
        let row = a[j].row(q).by(z[k]);
        a[i].put((p, 0), &row);
    }
    {
        let column = a[i].column_at(q) * c;
        a[i].column_mut(p).sub_assign(column);
    } => {
        let column = &a[i].column(p) - &a[i].column(q).scaled(c);
        a[i].put((0, p), &column);
    }
    { z[i] = (&a[j][(p, q)] * &b[k][p]).eval(); } => { z[i] = a[j][(p, q)] * b[k][(p, 0)]; }
    {
        let w = (&a[j] + constant(DMatrix::<f64>::identity(n, n)) * 4.0).eval();
        let lu = w.lu();
        b[i] = lu.solve(&b[k]).unwrap().eval();
        b[k] = lu.solve(&u[k]).unwrap().eval();
        z[i] = (lu.determinant() * 0.01).eval();
    } => {
        let w = &a[j] + &Grid::identity(n).scaled(4.0);
        b[i] = w.solve(&b[k]).0;
        let (y, determinant) = w.solve(&complex(&u[k]));
        (b[k], z[i]) = (y, determinant * 0.01);
    }
    {
        let spd = (a[j].mul_ad(&a[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        let chol = spd.cholesky().unwrap();
        b[i] = chol.solve(&b[k]).eval();
        x[i] = (chol.ln_determinant() * 0.25).eval();
        a[i] = (chol.l() * 0.5).eval();
        b[k] = chol.solve(&b[i]).eval();
    } => {
        let l = (&(&a[j] * &a[j].adjoint()).scaled(0.25) + &Grid::identity(n)).cholesky();
        let solve = |b: &Grid<Cx>| l.adjoint().solve_upper(&l.solve_lower(b));
        b[i] = solve(&b[k]);
        x[i] = exact::sum((0..n).map(|t| l[(t, t)].re.ln())) * 0.5;
        a[i] = l.scaled(0.5);
        b[k] = solve(&b[i]);
    }
    {
        let qr = (&a[j] + constant(DMatrix::<f64>::identity(n, n)) * 2.0).qr();
        b[i] = qr.solve(&b[k]).unwrap().eval();
        a[i] = qr.q().eval();
        a[k] = (qr.r() * 0.25).eval();
    } => {
        let (y, r) = (&a[j] + &Grid::identity(n).scaled(2.0)).qr();
        b[i] = r.solve_upper(&(&y.adjoint() * &b[k]));
        (a[i], a[k]) = (y, r.scaled(0.25));
    }
}
