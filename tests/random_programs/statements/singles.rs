use super::statements;
use crate::exact::{self, Grid, Num, single, sum};
use entape::{linalg::Dense, op, prelude::*, simd::wide::f32x8};
use nalgebra::{DMatrix, Dyn};

fn each(of: impl IntoIterator<Item = Num>) -> Vec<Num> {
    of.into_iter().map(single).collect()
}
fn lanes(of: impl FnMut(usize) -> Num) -> [Num; 8] {
    std::array::from_fn::<_, 8, _>(of).map(single)
}
fn rounded(x: Grid<Num>) -> Grid<Num> {
    x.map(single)
}
fn dominant(n: usize) -> DMatrix<f32> {
    DMatrix::identity(n, n) * 4.0
}

statements! {
    names { x, s, m, h, w, g, .. } { i, j, k, p, q, c, n };
    second { w[i] = (&w[j] * &w[k] * 0.5 + &w[i] * c as f32).eval(); } => {
        w[i] = each((0..n).map(|t| w[j][t] * w[k][t] * 0.5 + w[i][t] * c));
    }
    taped { w[i] = ((&w[j] * &s[k]).sin() + (&w[k] * 0.5).exp() * 0.5).eval(); } => {
        w[i] = each((0..n).map(|t| (w[j][t] * s[k]).sin() + (w[k][t] * 0.5).exp() * 0.5));
    }
    taped { w[i] = (&w[j] / (&w[k] * &w[k] + 1.5) + (&w[k]).max(&s[j])).eval(); } => {
        w[i] = each((0..n).map(|t| w[j][t] / (w[k][t].square() + 1.5) + w[k][t].max(s[j])));
    }
    taped { w[i].update(|y| y.clone() * y * 0.5 - &s[k]); } => { w[i] = each(w[i].iter().map(|y| y.square() * 0.5 - s[k])); }
    taped { let y = w[j].clone(); w[i].slice_mut(1..).assign(y.slice(..n - 1) * &s[k]); } => {
        let y = w[j].clone();
        (1..n).for_each(|t| w[i][t] = single(y[t - 1] * s[k]));
    }
    taped { let e = (&w[j][q] * &s[k]).eval(); w[i][p].assign(&e); } => { w[i][p] = single(w[j][q] * s[k]); }
    taped { w[i] = w[j].clone(); w[j][p] += &s[k]; } => { w[i] = w[j].clone(); w[j][p] = single(w[j][p] + s[k]); }
    taped { w[i] = (w[j].rotate(1) - w[k].reverse() * 0.5).eval(); } => {
        w[i] = each((0..n).map(|t| w[j][(t + n - 1) % n] - w[k][n - 1 - t] * 0.5));
    }
    taped { let less = w[j].simd_lt(&w[k]); w[i] = less.select(&w[j] * &w[k] * 0.5, &s[i]).eval(); } => {
        w[i] = (0..n).map(|t| match exact::less(w[j][t], w[k][t]) {
            true => single(w[j][t] * w[k][t] * 0.5),
            false => s[i],
        }).collect();
    }
    taped { s[i] = (w[j].dot(&w[k]) * 0.25 + w[k].sum() * 0.125).eval(); } => {
        s[i] = single(sum((0..n).map(|t| w[j][t] * w[k][t])) * 0.25 + sum(w[k].clone()) * 0.125);
    }
    taped { w.swap(i, j); } => { w.swap(i, j); }
    taped { h[i] = (&h[j] * &h[k] * c as f32 + &h[i] * 0.5).eval(); } => {
        h[i] = lanes(|t| h[j][t] * h[k][t] * c + h[i][t] * 0.5);
    }
    taped { h[i] = ((&h[j]).tanh() + (&h[k] * 0.5).exp() * &s[i] * 0.5).eval(); } => {
        h[i] = lanes(|t| h[j][t].tanh() + (h[k][t] * 0.5).exp() * s[i] * 0.5);
    }
    taped { h[i] = (&s[j] / (&h[k] * &h[k] + 2.0) - &h[j]).eval(); } => {
        h[i] = lanes(|t| s[j] / (h[k][t].square() + 2.0) - h[j][t]);
    }
    taped { let less = (&h[j]).simd_lt(&h[k]); h[i] = less.select(&h[j] * 0.5, &s[i]).eval(); } => {
        h[i] = lanes(|t| if exact::less(h[j][t], h[k][t]) { h[j][t] * 0.5 } else { s[i] });
    }
    taped { s[i] = ((&h[j] * &h[k]).reduce_add() * 0.125 + (&h[k]).reduce_max() * 0.5).eval(); } => {
        let largest = h[k].into_iter().reduce(Num::max).expect("a lane");
        s[i] = single(sum((0..8).map(|t| h[j][t] * h[k][t])) * 0.125 + largest * 0.5);
    }
    taped { h[i] = (&s[j] * &s[k]).splat::<f32x8>().eval(); } => { h[i] = [single(s[j] * s[k]); 8]; }
    taped { h[i][p % 8] *= &s[j]; } => { h[i][p % 8] = single(h[i][p % 8] * s[j]); }
    second { h[i].update(|y| y * y * 0.5 - 0.25); } => { h[i] = h[i].map(|y| single(y.square() * 0.5 - 0.25)); }
    taped { h.swap(i, j); } => { h.swap(i, j); }
    taped { g[i] = (&g[j] * &g[k] * 0.25 + g[i].transpose() * &s[k]).eval(); } => {
        g[i] = rounded(&(&g[j] * &g[k]).scaled(0.25) + &g[i].transposed().by(s[k]));
    }
    taped { g[i] = (g[j].map(op::Sin) - g[j].tr_mul(&g[k]) * 0.25).eval(); } => {
        g[i] = rounded(&g[j].map(|y| y.sin()) - &(&g[j].transposed() * &g[k]).scaled(0.25));
    }
    taped { g[i] = (m[j].to_f32() * 0.5 + &g[k]).eval(); } => { g[i] = rounded(&m[j].map(single).scaled(0.5) + &g[k]); }
    taped { m[i] = (g[j].to_f64() * &x[k]).eval(); } => { m[i] = g[j].by(x[k]); }
    taped { let y = g[j].clone(); g[i].row_mut(p).assign(y.row(q) * &s[k]); } => {
        let row = rounded(g[j].row(q).by(s[k]));
        g[i].put((p, 0), &row);
    }
    taped { g[i][(p, q)] += &s[j]; } => { g[i][(p, q)] = single(g[i][(p, q)] + s[j]); }
    second { g[i].update(|y| y * &s[j]); } => { g[i] = rounded(g[i].by(s[j])); }
    second { s[i] = (g[j].norm_squared() * 0.125 + g[k].trace() * 0.25).eval(); } => {
        let trace = sum((0..n).map(|t| g[k][(t, t)]));
        s[i] = single(g[j].norm_squared() * 0.125 + trace * 0.25);
    }
    taped {
        let lu = (&g[j] + lit::<Dense<f32, Dyn, Dyn>, _>(dominant(n))).lu();
        g[i] = lu.solve(&g[k]).unwrap().eval();
        s[i] = (lu.ln_abs_determinant() * 0.25).eval();
    } => {
        let (y, determinant) = (&g[j] + &Grid::identity(n).scaled(4.0)).solve(&g[k]);
        g[i] = rounded(y);
        s[i] = single(determinant.abs().ln() * 0.25);
    }
    taped {
        let spd = (g[j].mul_tr(&g[j]) * 0.25 + lit::<Dense<f32, Dyn, Dyn>, _>(dominant(n))).eval();
        g[k] = (spd.cholesky().unwrap().l() * 0.25).eval();
        g[i] = (&spd.symmetric_sqrt().unwrap() * 0.25).eval();
    } => {
        let spd = &(&g[j] * &g[j].transposed()).scaled(0.25) + &Grid::identity(n).scaled(4.0);
        g[k] = rounded(spd.cholesky().scaled(0.25));
        g[i] = rounded(spd.turned().sqrt().scaled(0.25));
    }
    taped {
        let eigen = g[j].symmetric_eigen();
        s[i] = (&eigen.eigenvalues[p] * 0.5).eval();
        g[i] = eigen.eigenvectors.component_mul(&eigen.eigenvectors).eval();
    } => {
        let t = g[j].turned();
        s[i] = single(t.distinct_values()[p] * 0.5);
        g[i] = rounded(t.vectors().map(|y| y.square()));
    }
    taped { g.swap(i, j); } => { g.swap(i, j); }
}
