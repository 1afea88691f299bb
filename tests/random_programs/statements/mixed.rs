use super::statements;
use crate::exact::{self, Grid, sum};
use entape::{expr::list, op, prelude::*};

statements! {
    names { x, z, l, v, m, u, a, b, .. } { i, j, k, p, q, c, n };
    {
        u[i] = ((&v[j] * c).to_vector() + &m[k] * &u[j] * 0.25).eval();
    } => {
        u[i] = &Grid { elements: v[j].clone(), rows: n, cols: 1 }.scaled(c) + &(&m[k] * &u[j]).scaled(0.25);
    }
    {
        v[i] = ((&m[j] * &u[k]).to_array() * 0.25 + &v[j]).eval();
    } => {
        let y = &m[j] * &u[k];
        v[i] = (0..n).map(|t| y.elements[t] * 0.25 + v[j][t]).collect();
    }
    second { v[i][p].assign(&u[j][q] * (&z[k]).norm_sqr() * 0.25); } => { v[i][p] = u[j][(q, 0)] * z[k].norm_sqr() * 0.25; }
    { m[i][(p, q)].assign(&v[j][p] * &l[k][q % 4]); } => { m[i][(p, q)] = v[j][p] * l[k][q % 4]; }
    second { a[i][(p, q)].assign(&z[j] * &m[k][(q, p)]); } => { a[i][(p, q)] = z[j].times(m[k][(q, p)]); }
    {
        b[i] = (u[j].to_complex() * &z[k] + &b[i] * 0.5).eval();
    } => {
        b[i] = &u[j].map(exact::Cx::from).by(z[k]) + &b[i].scaled(0.5);
    }
    { x[i] = (v[j].sum() * 0.25 + u[k].sum() * 0.25 + (&l[j]).reduce_add() * 0.125 + (&z[k]).re() * c).eval(); } => {
        x[i] = sum(v[j].clone()) * 0.25 + u[k].sum() * 0.25 + sum(l[j]) * 0.125 + z[k].re * c;
    }
    {
        x[i] = (v[j].to_vector().dot(u[k].map(op::Tanh)) * 0.25).eval();
    } => {
        x[i] = sum((0..n).map(|t| v[j][t] * u[k].elements[t].tanh())) * 0.25;
    }
    {
        v[i] = (&v[j] * (&l[k]).dot(&l[j]) * 0.25).eval();
    } => {
        let y = sum((0..4).map(|t| l[k][t] * l[j][t]));
        v[i] = v[j].iter().map(|v| *v * y * 0.25).collect();
    }
    {
        z[i] = (&a[j][(p, q)] * (&u[k][p]).cis()).eval();
    } => {
        z[i] = a[j][(p, q)] * exact::Cx::polar(exact::passive(1.0), u[k][(p, 0)]);
    }
    {
        let all: Vec<_> = (0..n).map(|t| (&u[j][t] * &x[k]).eval()).collect();
        u[i] = gather(list(&all), n, 1).eval();
    } => {
        u[i] = u[j].by(x[k]);
    }
    {
        let all = a[j].abs().sum().eval();
        x[i] = (&all * 0.1).eval();
    } => {
        x[i] = sum(a[j].elements.iter().map(|y| y.norm())) * 0.1;
    }
}
