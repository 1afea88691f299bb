use super::statements;
use crate::exact::{self, Num, sum};
use entape::{complex::C64, prelude::*, simd::arrays::Indices};

fn each(n: usize, of: impl FnMut(usize) -> Num) -> Vec<Num> {
    (0..n).map(of).collect()
}

statements! {
    names { x, z, v, .. } { i, j, k, p, q, c, n };
    second { v[i] = (&v[j] * &v[k] * c + &v[i]).eval(); } => { v[i] = each(n, |t| v[j][t] * v[k][t] * c + v[i][t]); }
    { v[i] = (&v[j] * &v[j] * 0.5 - &x[k]).eval(); } => { v[i] = each(n, |t| v[j][t].square() * 0.5 - x[k]); }
    {
        v[i] = ((&v[j] * &x[k]).sin() + (&v[k] * 0.5).exp() * c).eval();
    } => {
        v[i] = each(n, |t| (v[j][t] * x[k]).sin() + (v[k][t] * 0.5).exp() * c);
    }
    {
        v[i] = (&v[j] / (&v[k] * &v[k] + 1.5) + (&v[k]).max(&x[j])).eval();
    } => {
        v[i] = each(n, |t| v[j][t] / (v[k][t].square() + 1.5) + v[k][t].max(x[j]));
    }
    second { v[i].update(|w| w.clone() * w * c); } => { v[i] = each(n, |t| v[i][t].square() * c); }
    {
        let w = v[j].clone();
        v[i].update(|y| y * c + &w * &x[k]);
    } => {
        v[i] = each(n, |t| v[i][t] * c + v[j][t] * x[k]);
    }
    { let w = v[j].clone(); v[i] *= &w; } => { v[i] = each(n, |t| v[i][t] * v[j][t]); }
    { v[i] -= &x[j] * c; } => { v[i] = each(n, |t| v[i][t] - x[j] * c); }
    { let w = v[j].clone(); v[i].assign(&w * c); } => { v[i] = each(n, |t| v[j][t] * c); }
    { v[i] = v[j].clone(); } => { v[i] = v[j].clone(); }
    second { v[i] = v[j].clone(); v[j][p] += &x[k]; } => { v[i] = v[j].clone(); v[j][p] = v[j][p] + x[k]; }
    { v.swap(i, j); } => { v.swap(i, j); }
    { v[i] = Array::passive(vec![c; n]); } => { v[i] = vec![exact::passive(c); n]; }
    { v[i].assign(constant(vec![c; n])); } => { v[i] = vec![exact::passive(c); n]; }
    { let e = (&v[j][q] * &x[k]).eval(); v[i][p].assign(&e); } => { v[i][p] = v[j][q] * x[k]; }
    second { v[i][p] *= &x[j]; } => { v[i][p] = v[i][p] * x[j]; }
    { v[i][p] += c * &x[j] * &x[k]; } => { v[i][p] = v[i][p] + x[j] * x[k] * c; }
    { let e = v[i].at(p) * v[i].at(q) * c; v[i][p].assign(e); } => { v[i][p] = v[i][p] * v[i][q] * c; }
    { let e = v[i].at(q) * c + &x[k]; v[i][p] *= e; } => { v[i][p] = v[i][p] * (v[i][q] * c + x[k]); }
    second { v[i][p].assign(c); } => { v[i][p] = exact::passive(c); }
    { x[i] = (&v[j][p] * &v[k][q] + &x[i] * c).eval(); } => { x[i] = v[j][p] * v[k][q] + x[i] * c; }
    {
        let w = v[j].clone();
        v[i].slice_mut(1..).assign(w.slice(..n - 1) * &x[k]);
    } => {
        let w = v[j].clone();
        (1..n).for_each(|t| v[i][t] = w[t - 1] * x[k]);
    }
    {
        let old = v[i].slice_at(..n - 1);
        v[i].slice_mut(1..).assign(old * c);
    } => {
        let w = v[i].clone();
        (1..n).for_each(|t| v[i][t] = w[t - 1] * c);
    }
    {
        let w = v[j].clone();
        v[i].slice_mut(..n - 1).mul_assign(w.slice(1..));
    } => {
        let w = v[j].clone();
        (1..n).for_each(|t| v[i][t - 1] = v[i][t - 1] * w[t]);
    }
    {
        let old = v[i].slice_step_at(.., -1);
        v[i].update(|y| y * 0.5 + old);
    } => {
        v[i] = each(n, |t| v[i][t] * 0.5 + v[i][n - 1 - t]);
    }
    {
        let w = v[j].clone();
        v[i].slice_step_mut(.., 2).add_assign(w.slice_step(.., 2) * c);
    } => {
        (0..n).step_by(2).for_each(|t| v[i][t] = v[i][t] + v[j][t] * c);
    }
    { v[i] = (v[j].shift(1) + v[k].rotate(-1) * c - v[j].reverse()).eval(); } => {
        let shifted = |t: usize| if t == 0 { exact::passive(0.0) } else { v[j][t - 1] };
        v[i] = each(n, |t| shifted(t) + v[k][(t + 1) % n] * c - v[j][n - 1 - t]);
    }
    { v[i] = (v[j].cumulative_sum() * 0.25).eval(); } => { v[i] = each(n, |t| sum(v[j][..=t].to_vec()) * 0.25); }
    { v[i] = v[j].take(&[p, q]).add_up(&Indices::from(&[q, q]), n).eval(); } => {
        v[i] = each(n, |t| if t == q { v[j][p] + v[j][q] } else { exact::passive(0.0) });
    }
    { let less = v[j].simd_lt(&v[k]); v[i] = less.select(&v[j] * &v[k], &x[i]).eval(); } => {
        v[i] = each(n, |t| if exact::less(v[j][t], v[k][t]) { v[j][t] * v[k][t] } else { x[i] });
    }
    { let mask = v[j].simd_gt(0.0).and(v[j].simd_lt(&x[k])).eval(); v[i] = mask.select(0.5, &v[j]).eval(); } => {
        let inside = |t: usize| exact::less(exact::passive(0.0), v[j][t]) & exact::less(v[j][t], x[k]);
        v[i] = each(n, |t| if inside(t) { exact::passive(0.5) } else { v[j][t] });
    }
    second { x[i] = ((&v[j] * &v[k]).sum() * 0.25).eval(); } => { x[i] = sum((0..n).map(|t| v[j][t] * v[k][t])) * 0.25; }
    {
        x[i] = (v[j].dot(&v[k] * &x[i]) * 0.25 + v[k].mean()).eval();
    } => {
        x[i] = sum((0..n).map(|t| v[j][t] * v[k][t] * x[i])) * 0.25 + sum(v[k].clone()) / n as f64;
    }
    { x[i] = ((&v[j] + 2.5).norm() * 0.5 + (&v[k] * c).norm_squared() * 0.25).eval(); } => {
        x[i] = sum(v[j].iter().map(|y| (*y + 2.5).square())).sqrt() * 0.5 + sum(v[k].iter().map(|y| (*y * c).square())) * 0.25;
    }
    { x[i] = ((&v[j] * &x[k]).reduce_max() - v[k].reduce_min()).eval(); } => {
        let largest = v[j].iter().map(|y| *y * x[k]).reduce(Num::max).expect("an element");
        x[i] = largest - v[k].iter().copied().reduce(Num::min).expect("an element");
    }
    { let mut all = v[j].scatter().split(); all[p] = (&all[q] * c).eval(); v[i] = all.gather_array().eval(); } => {
        let mut all = v[j].clone();
        all[p] = all[q] * c;
        v[i] = all;
    }
    { v[i] = (&x[j] * c).splat_array(n).eval(); } => { v[i] = vec![x[j] * c; n]; }
    {
        v[i] = (v[j].slice(..p + 1).concat(v[k].slice(p + 1..)) * 0.5).eval();
    } => {
        v[i] = each(n, |t| if t <= p { v[j][t] } else { v[k][t] } * 0.5);
    }
    { x[i] = (v[j].slice(p..).sum() * 0.5 + (&z[k]).re() * v[j].slice_step(.., 2).sum() * 0.25).eval(); } => {
        let even = sum((0..n).step_by(2).map(|t| v[j][t]));
        x[i] = sum(v[j][p..].to_vec()) * 0.5 + z[k].re * even * 0.25;
    }
    { z[i][C64::RE] += &v[j][p]; } => { z[i].re = z[i].re + v[j][p]; }
}
