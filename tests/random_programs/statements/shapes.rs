//! Arrays and matrices that are created and dropped, so that one slot of a tape has values of several shapes.
use super::statements;
use crate::exact::{self, Grid, Num, sum};
use entape::{expr::list, prelude::*};
use nalgebra::DMatrix;

const MOST: usize = 12;

trait HasSize {
    fn size(&self) -> (usize, usize);
    fn long(&self) -> usize {
        self.size().0
    }
}
impl<M: AnyMode> HasSize for Array<M> {
    fn size(&self) -> (usize, usize) {
        (self.get().len(), 1)
    }
}
impl<M: AnyMode> HasSize for Matrix<M> {
    fn size(&self) -> (usize, usize) {
        self.get().shape()
    }
}
impl HasSize for Vec<Num> {
    fn size(&self) -> (usize, usize) {
        (self.len(), 1)
    }
}
impl HasSize for Grid<Num> {
    fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }
}
statements! {
    names { x, v, t, m, d, u, .. } { i, j, k, p, q, c, n };
    second { t[i] = (v[j].slice(..p + 1) * &x[k]).eval(); } => { t[i] = v[j][..=p].iter().map(|y| *y * x[k]).collect(); }
    second { t[i].assign(v[j].slice(q..) * c); } => { t[i] = v[j][q..].iter().map(|y| *y * c).collect(); }
    second { t[i] = t[j].clone(); } => { t[i] = t[j].clone(); }
    second { t.swap(i, j); } => { t.swap(i, j); }
    second { t[i] = Array::passive(vec![c; p + 1]); } => { t[i] = vec![exact::passive(c); p + 1]; }
    second { t[i] = (&x[j] * c).splat_array(q + 1).eval(); } => { t[i] = vec![x[j] * c; q + 1]; }
    second { t[i] = (constant(vec![c; p + 1]) - &x[j]).eval(); } => { t[i] = vec![c - x[j]; p + 1]; }
    second { t[i] = (&x[j] * &t[k] + &x[k]).eval(); } => { t[i] = t[k].iter().map(|y| x[j] * *y + x[k]).collect(); }
    second {
        let l = t[j].long().min(t[k].long());
        t[i] = (t[j].slice(..l) * t[k].slice(..l)).eval();
    } => {
        let l = t[j].long().min(t[k].long());
        t[i] = (0..l).map(|s| t[j][s] * t[k][s]).collect();
    }
    second {
        if t[j].long() + t[k].long() <= MOST {
            t[i] = t[j].concat(&t[k]).eval();
        }
    } => {
        if t[j].long() + t[k].long() <= MOST {
            t[i] = t[j].iter().chain(&t[k]).copied().collect();
        }
    }
    second {
        let at = p % t[i].long();
        t[i][at] += &x[k];
    } => {
        let at = p % t[i].long();
        t[i][at] = t[i][at] + x[k];
    }
    second {
        let l = t[i].long().min(n);
        t[i].slice_mut(..l).assign(v[j].slice(..l) * &x[k]);
    } => {
        (0..t[i].long().min(n)).for_each(|s| t[i][s] = v[j][s] * x[k]);
    }
    second { x[i] = (t[j].sum() * 0.25 + &x[k] * c).eval(); } => { x[i] = sum(t[j].clone()) * 0.25 + x[k] * c; }
    second {
        let y = {
            let a: Array<M> = (v[j].slice(p..) * 2.0).eval();
            (&a * c).eval().sum().eval()
        };
        let z = {
            let b: Array<M> = (v[k].slice(..q + 1) * 0.5).eval();
            (&b * &x[i]).eval().sum().eval()
        };
        x[i] = (&y * &z * 0.25).eval();
    } => {
        let y = sum(v[j][p..].iter().map(|y| *y * 2.0 * c));
        let z = sum(v[k][..=q].iter().map(|y| *y * 0.5 * x[i]));
        x[i] = y * z * 0.25;
    }
    second {
        let mut a: Array<M> = (v[j].slice(p..) * &x[k]).eval();
        a.assign(v[k].slice(..q + 1) + &x[j]);
        let b: Array<M> = (&a * c).eval();
        a[0] *= &x[i];
        t[i] = b;
        x[i] = (a.sum() * 0.25).eval();
    } => {
        let a: Vec<Num> = v[k][..=q].iter().map(|y| *y + x[j]).collect();
        t[i] = a.iter().map(|y| *y * c).collect();
        x[i] = (sum(a[1..].to_vec()) + a[0] * x[i]) * 0.25;
    }
    second { d[i] = (m[j].columns(0, p + 1) * c).eval(); } => { d[i] = m[j].block((0, 0), (n, p + 1)).scaled(c); }
    second { d[i] = (m[j].rows(0, q + 1) * &x[k]).eval(); } => { d[i] = m[j].block((0, 0), (q + 1, n)).by(x[k]); }
    second { let w = d[j].clone(); d[i].assign(w.transpose() * &x[k]); } => { d[i] = d[j].transposed().by(x[k]); }
    second { d[i] = d[j].clone(); } => { d[i] = d[j].clone(); }
    second { d[i] = Active::passive(DMatrix::from_element(p + 1, q + 1, c)); } => { d[i] = Grid::filled((p + 1, q + 1), c); }
    second { d[i] = (&d[j] * 0.5 - &d[j] * &x[k]).eval(); } => { d[i] = &d[j].scaled(0.5) - &d[j].by(x[k]); }
    second { d[i] = (d[j].mul_tr(&d[j]) * 0.25).eval(); } => { d[i] = (&d[j] * &d[j].transposed()).scaled(0.25); }
    second {
        if d[j].size().0 == n && d[j].size().1 < MOST {
            d[i] = (hstack(list(&[(&d[j] * 0.5).eval(), (&m[k] * c).eval()])).columns(0, d[j].size().1 + 1) * &x[k]).eval();
        }
    } => {
        let (rows, cols) = d[j].size();
        if rows == n && cols < MOST {
            let of = |s: usize, t: usize| if t < cols { d[j][(s, t)] * 0.5 } else { m[k][(s, t - cols)] * c };
            d[i] = Grid::new((n, cols + 1), of).by(x[k]);
        }
    }
    second {
        let of = (p % d[i].size().0, q % d[i].size().1);
        d[i][of] += &x[k];
    } => {
        let of = (p % d[i].rows, q % d[i].cols);
        d[i][of] = d[i][of] + x[k];
    }
    second { x[i] = (d[j].sum() * 0.125 + d[k].norm_squared() * 0.0625).eval(); } => {
        x[i] = d[j].sum() * 0.125 + d[k].norm_squared() * 0.0625;
    }
    second {
        let y = {
            let a: Matrix<M> = (m[j].columns(0, p + 1) * 2.0).eval();
            (&a * &x[k]).eval().sum().eval()
        };
        let b: Matrix<M> = (m[k].rows(0, q + 1) * c).eval();
        d[i] = (&b * &y).eval();
    } => {
        let y = (m[j].block((0, 0), (n, p + 1)).scaled(2.0).by(x[k])).sum();
        d[i] = m[k].block((0, 0), (q + 1, n)).scaled(c).by(y);
    }
    second {
        let parts = [u[j].rows(0, p + 1).eval(), u[k].rows(0, q + 1).eval(), u[i].clone()];
        let y = vstack(list(&parts)).eval();
        u[i] = (y.rows(p + q + 2, n) * &x[k] + y.rows(p + 1, 1).sum() * y.rows(0, 1).sum() * constant(nalgebra::DVector::from_element(n, 0.25))).eval();
    } => {
        let y = u[j].elements[0] * u[k].elements[0];
        u[i] = Grid::new((n, 1), |s, _| u[i].elements[s] * x[k] + y * 0.25);
    }
}
