use super::statements;
use crate::exact::{self, Grid, sum};
use entape::{expr::list, op, prelude::*};
use nalgebra::{DMatrix, Matrix2, Vector2};

statements! {
    names { x, m, u, f, .. } { i, j, k, p, q, c, n };
    second { m[i] = (&m[j] * &m[k] * 0.25).eval(); } => { m[i] = (&m[j] * &m[k]).scaled(0.25); }
    { m[i] = (&m[j] * &m[j] * c - &m[k]).eval(); } => { m[i] = &(&m[j] * &m[j]).scaled(c) - &m[k]; }
    {
        m[i] = (m[j].tr_mul(&m[k]) * 0.25 + m[i].transpose() * &x[k]).eval();
    } => {
        m[i] = &(&m[j].transposed() * &m[k]).scaled(0.25) + &m[i].transposed().by(x[k]);
    }
    {
        m[i] = (m[j].mul_tr(&m[k]) * c - &x[i] * &m[i]).eval();
    } => {
        m[i] = &(&m[j] * &m[k].transposed()).scaled(c) - &m[i].by(x[i]);
    }
    {
        m[i] = (m[j].component_mul(&m[k]) + constant(DMatrix::<f64>::identity(n, n)) * &x[i]).eval();
    } => {
        m[i] = &m[j].zip(&m[k], |a, b| a * b) + &Grid::identity(n).by(x[i]);
    }
    {
        m[i] = (m[j].map(op::Sin) + m[k].add_scalar(&x[i]) * c).eval();
    } => {
        m[i] = &m[j].map(|y| y.sin()) + &m[k].map(|y| (y + x[i]) * c);
    }
    { m[i] = (u[j].outer(&u[k]) * c).eval(); } => { m[i] = (&u[j] * &u[k].transposed()).scaled(c); }
    { m[i].update(|y| y.clone() * y * 0.25); } => { m[i] = (&m[i] * &m[i]).scaled(0.25); }
    { let w = m[j].clone(); m[i] -= w.transpose() * c; } => { m[i] = &m[i] - &m[j].transposed().scaled(c); }
    { m[i] *= &x[j]; } => { m[i] = m[i].by(x[j]); }
    { m[i] += u[j].outer(&u[k]) * 0.5; } => { m[i] = &m[i] + &(&u[j] * &u[k].transposed()).scaled(0.5); }
    { m[i] = from_diagonal(&u[j] * c).eval(); u[k] = m[j].diagonal().eval(); } => {
        m[i] = Grid::new((n, n), |s, t| if s == t { u[j].elements[s] * c } else { exact::passive(0.0) });
        u[k] = Grid::new((n, 1), |t, _| m[j][(t, t)]);
    }
    second { m[i] = m[j].clone(); m[j][(p, q)] += &x[k]; } => { m[i] = m[j].clone(); m[j][(p, q)] = m[j][(p, q)] + x[k]; }
    { m.swap(i, j); } => { m.swap(i, j); }
    { m[i] = Active::passive(DMatrix::from_element(n, n, c)); } => { m[i] = Grid::filled((n, n), c); }
    second { u[i] = (&m[j] * &u[k] * 0.5).eval(); } => { u[i] = (&m[j] * &u[k]).scaled(0.5); }
    {
        u[i] = (m[j].tr_mul(&u[k]) * 0.5 - &u[i]).eval();
    } => {
        u[i] = &(&m[j].transposed() * &u[k]).scaled(0.5) - &u[i];
    }
    { let w = u[j].clone(); u[i] += (&m[k] * &w) * c; } => { u[i] = &u[i] + &(&m[k] * &u[j]).scaled(c); }
    { u[i].update(|y| &m[j] * y.clone() * c + y); } => { u[i] = &(&m[j] * &u[i]).scaled(c) + &u[i]; }
    {
        u[i] = (&x[j] * &u[j] + (&u[k] - &u[i]) / 2.0).eval();
    } => {
        u[i] = &u[j].by(x[j]) + &(&u[k] - &u[i]).scaled(0.5);
    }
    { u[i] = ((&u[j] + constant(nalgebra::DVector::from_element(n, 2.5))).normalize()).eval(); } => {
        let y = u[j].map(|y| y + 2.5);
        let norm = y.norm_squared().sqrt();
        u[i] = y.map(|y| y / norm);
    }
    { u.swap(i, j); } => { u.swap(i, j); }
    {
        x[i] = (u[j].dot(&u[k]) * 0.25 + m[j].trace() * 0.5).eval();
    } => {
        x[i] = u[j].dot(&u[k]) * 0.25 + sum((0..n).map(|t| m[j][(t, t)])) * 0.5;
    }
    {
        x[i] = (u[j].quadratic_form(&m[k]) * 0.1 + m[k].sum() * 0.1).eval();
    } => {
        x[i] = u[j].dot(&(&m[k] * &u[j])) * 0.1 + m[k].sum() * 0.1;
    }
    {
        x[i] = (m[j].norm_squared() * 0.1 + (&u[k] * &x[i]).sum() * c).eval();
    } => {
        x[i] = m[j].norm_squared() * 0.1 + u[k].by(x[i]).sum() * c;
    }
    { let e = (&m[j][(p, q)] * &x[k]).eval(); m[i][(q, p)].assign(&e); } => { m[i][(q, p)] = m[j][(p, q)] * x[k]; }
    {
        let e = m[i].at((p, q)) * m[i].at((q, p)) * 0.5;
        m[i][(p, q)].assign(e);
    } => {
        m[i][(p, q)] = m[i][(p, q)] * m[i][(q, p)] * 0.5;
    }
    { u[i][p] *= &x[j]; } => { u[i][(p, 0)] = u[i][(p, 0)] * x[j]; }
    second { u[i][p].assign(c); } => { u[i][(p, 0)] = exact::passive(c); }
    {
        let w = m[j].clone();
        m[i].row_mut(p).assign(w.row(q) * &x[k]);
    } => {
        let row = m[j].row(q).by(x[k]);
        m[i].put((p, 0), &row);
    }
    {
        let row = m[i].row_at(q) * c;
        m[i].row_mut(p).add_assign(row);
    } => {
        let row = &m[i].row(p) + &m[i].row(q).scaled(c);
        m[i].put((p, 0), &row);
    }
    {
        let w = m[j].clone();
        m[i].column_mut(p).assign(&w * &u[k] * 0.5);
    } => {
        let column = (&m[j] * &u[k]).scaled(0.5);
        m[i].put((0, p), &column);
    }
    {
        let block = m[i].view_at((0, 0), (n - 1, n - 1)) * c;
        m[i].view_mut((1, 1), (n - 1, n - 1)).assign(block);
    } => {
        let block = m[i].block((0, 0), (n - 1, n - 1)).scaled(c);
        m[i].put((1, 1), &block);
    }
    {
        m[i].rows_mut(0, p + 1).mul_assign(&x[j]);
    } => {
        let rows = m[i].block((0, 0), (p + 1, n)).by(x[j]);
        m[i].put((0, 0), &rows);
    }
    {
        let w = m[j].clone();
        m[i].columns_mut(0, p + 1).sub_assign(w.columns(0, p + 1));
    } => {
        let all = &m[i].block((0, 0), (n, p + 1)) - &m[j].block((0, 0), (n, p + 1));
        m[i].put((0, 0), &all);
    }
    { x[i] = (m[j].row(p) * &u[k]).sum().eval(); } => { x[i] = (&m[j].row(p) * &u[k]).sum(); }
    {
        m[i] = (hstack(list(&[m[j].column(p).eval(), u[k].clone()])).mul_tr(hstack(list(&[u[j].clone(), u[i].clone()]))) * 0.25).eval();
    } => {
        let first = &m[j].column(p) * &u[j].transposed();
        m[i] = (&first + &(&u[k] * &u[i].transposed())).scaled(0.25);
    }
    {
        let mut all = (&m[j] * c).elements().split();
        all[p] = (&x[k] * 0.5).eval();
        m[i] = gather(list(&all), n, n).eval();
    } => {
        let mut all = m[j].scaled(c);
        all.elements[p] = x[k] * 0.5;
        m[i] = all;
    }
    // Factors, reused after a write to the matrix.
    {
        let a = (&m[j] + constant(DMatrix::<f64>::identity(n, n)) * 4.0).eval();
        let lu = a.lu();
        u[i] = lu.solve(&u[k]).unwrap().eval();
        u[k] = lu.solve(&u[i] * &x[k]).unwrap().eval();
        x[i] = (lu.ln_abs_determinant() * 0.25).eval();
    } => {
        let a = &m[j] + &Grid::identity(n).scaled(4.0);
        u[i] = a.solve(&u[k]).0;
        let (y, determinant) = a.solve(&u[i].by(x[k]));
        u[k] = y;
        x[i] = determinant.abs().ln() * 0.25;
    }
    { let lu = m[j].lu(); m[j][(p, q)].assign(&x[k]); if let Ok(y) = lu.solve(&m[k]) { m[i] = y.eval(); } } => {
        let old = m[j].clone();
        m[j][(p, q)] = x[k];
        m[i] = old.solve(&m[k]).0;
    }
    {
        if let Ok(y) = m[j].try_inverse() { m[i] = (&y * 0.5).eval(); }
        x[i] = (m[j].determinant() * 0.25).eval();
    } => {
        m[i] = m[j].solve(&Grid::identity(n)).0.scaled(0.5);
        x[i] = m[j].solve(&Grid::identity(n)).1 * 0.25;
    }
    {
        let spd = (m[j].mul_tr(&m[j]) * 0.25 + constant(DMatrix::<f64>::identity(n, n))).eval();
        let chol = spd.cholesky().unwrap();
        u[i] = chol.solve(&u[k]).eval();
        x[k] = (chol.ln_determinant() * 0.25).eval();
        m[i] = (chol.l() * 0.5).eval();
        u[k] = chol.solve(&m[j] * &u[i]).eval();
    } => {
        let old = m[j].clone();
        let spd = &(&old * &old.transposed()).scaled(0.25) + &Grid::identity(n);
        let l = spd.cholesky();
        let solve = |b: &Grid<_>| l.transposed().solve_upper(&l.solve_lower(b));
        u[i] = solve(&u[k]);
        x[k] = sum((0..n).map(|t| l[(t, t)].ln())) * 0.5;
        m[i] = l.scaled(0.5);
        u[k] = solve(&(&m[j] * &u[i]));
    }
    {
        if let Ok(chol) = (&m[j] + constant(DMatrix::<f64>::identity(n, n)) * 4.0).cholesky() { u[i] = chol.solve(&u[k]).eval(); }
    } => {
        let l = (&m[j] + &Grid::identity(n).scaled(4.0)).cholesky();
        u[i] = l.transposed().solve_upper(&l.solve_lower(&u[k]));
    }
    {
        let qr = (&m[j] + constant(DMatrix::<f64>::identity(n, n)) * 2.0).qr();
        u[i] = qr.solve(&u[k]).unwrap().eval();
        let w = qr.q().eval();
        m[i] = w.component_mul(&w).eval();
        let r = qr.r().eval();
        m[k] = (r.component_mul(&r) * 0.1).eval();
    } => {
        let a = &m[j] + &Grid::identity(n).scaled(2.0);
        let (y, r) = a.qr();
        u[i] = r.solve_upper(&(&y.transposed() * &u[k]));
        (m[i], m[k]) = (y.map(|y| y.square()), r.map(|y| y.square() * 0.1));
    }
    {
        u[i] = (&m[j] + constant(DMatrix::<f64>::identity(n, n)) * 4.0).solve_lower_triangular(&u[k]).unwrap().eval();
    } => {
        u[i] = (&m[j] + &Grid::identity(n).scaled(4.0)).solve_lower(&u[k]);
    }
    second { f[i] = (&f[j] * &f[k] * c - &f[i]).eval(); } => { f[i] = &(&f[j] * &f[k]).scaled(c) - &f[i]; }
    { f[i] = ((&f[j]).transpose() * &x[k] + constant(Matrix2::new(1.0, c, 0.5, -1.0))).eval(); } => {
        let all = [1.0, 0.5, c, -1.0].map(exact::passive);
        f[i] = &f[j].transposed().by(x[k]) + &Grid { elements: all.to_vec(), rows: 2, cols: 2 };
    }
    {
        let e = (&x[j] * &f[k][(q % 2, 0)]).eval();
        f[i][(p % 2, q % 2)].assign(&e);
    } => {
        f[i][(p % 2, q % 2)] = x[j] * f[k][(q % 2, 0)];
    }
    { f[i].row_mut(p % 2).mul_assign(&x[j]); } => { let row = f[i].row(p % 2).by(x[j]); f[i].put((p % 2, 0), &row); }
    {
        let lu = (&f[j] + constant(Matrix2::<f64>::identity()) * 4.0).lu();
        f[i] = lu.solve(&f[k]).unwrap().eval();
        let y = lu.solve(constant(Vector2::new(c, 1.0))).unwrap().eval();
        x[i] = (&y[0] * &y[1]).eval();
    } => {
        let a = &f[j] + &Grid::identity(2).scaled(4.0);
        f[i] = a.solve(&f[k]).0;
        let right = Grid { elements: vec![exact::passive(c), exact::passive(1.0)], rows: 2, cols: 1 };
        let y = a.solve(&right).0;
        x[i] = y.elements[0] * y.elements[1];
    }
    {
        x[i] = ((&f[j]).determinant() * 0.25 + (&f[k]).norm_squared() * 0.1).eval();
    } => {
        let y = &f[j];
        let determinant = y[(0, 0)] * y[(1, 1)] - y[(0, 1)] * y[(1, 0)];
        x[i] = determinant * 0.25 + f[k].norm_squared() * 0.1;
    }
    { f.swap(i, j); } => { f.swap(i, j); }
}
