use super::statements;
use crate::exact::{self, Num, sum};
use entape::{expr::unary, op, prelude::*};

statements! {
    names { x, .. } { i, j, k, c, .. };
    second { x[i] = (&x[j] * &x[k] * c).eval(); } => { x[i] = x[j] * x[k] * c; }
    { x[i] = (&x[j] + &x[k] * c).eval(); } => { x[i] = x[j] + x[k] * c; }
    { x[i] = (&x[j] * &x[j] - &x[k] * c).eval(); } => { x[i] = x[j].square() - x[k] * c; }
    {
        x[i] = ((&x[j] * c).sin() + (&x[k]).cos() * &x[i] * 0.5).eval();
    } => {
        x[i] = (x[j] * c).sin() + x[k].cos() * x[i] * 0.5;
    }
    second { x[i] = (&x[j] / (&x[k] * &x[k] + 1.5)).eval(); } => { x[i] = x[j] / (x[k].square() + 1.5); }
    { x[i] = (1.0 / (&x[j] + 3.0) - &x[j]).eval(); } => { x[i] = 1.0 / (x[j] + 3.0) - x[j]; }
    { x[i] = (-(&x[j]).tanh() + (&x[k]).atan() * c).eval(); } => { x[i] = -x[j].tanh() + x[k].atan() * c; }
    {
        x[i] = ((&x[j] * &x[j] + 0.5).ln() + (&x[k] * 0.5).exp()).eval();
    } => {
        x[i] = (x[j].square() + 0.5).ln() + (x[k] * 0.5).exp();
    }
    {
        x[i] = ((&x[j] + 2.5).sqrt() * (&x[k]).powi(3) * 0.1).eval();
    } => {
        x[i] = (x[j] + 2.5).sqrt() * x[k] * x[k] * x[k] * 0.1;
    }
    {
        x[i] = ((&x[j] * &x[j] + 0.5).powf(&x[k] * 0.5) * 0.5).eval();
    } => {
        x[i] = ((x[j].square() + 0.5).ln() * x[k] * 0.5).exp() * 0.5;
    }
    {
        x[i] = ((&x[j]).atan2(&x[k]) * c + (&x[j]).hypot(1.0) * 0.5).eval();
    } => {
        x[i] = x[j].atan2(x[k]) * c + (x[j].square() + 1.0).sqrt() * 0.5;
    }
    { x[i] = ((&x[j]).max(&x[k]) - (&x[k]).abs() * c).eval(); } => { x[i] = x[j].max(x[k]) - x[k].abs() * c; }
    {
        let (sine, cosine) = (&x[j]).sin_cos();
        x[i] = (&sine * c).eval();
        x[k] = cosine;
    } => {
        let y = x[j];
        x[i] = y.sin() * c;
        x[k] = y.cos();
    }
    { let y = x[j].clone(); x[i] += &y; } => { x[i] = x[i] + x[j]; }
    { let y = x[j].clone(); x[i] -= &y * c; } => { x[i] = x[i] - x[j] * c; }
    { let y = x[j].clone(); x[i] *= &y; } => { x[i] = x[i] * x[j]; }
    { let y = x[j].clone(); x[i] /= &y + 3.0; } => { x[i] = x[i] / (x[j] + 3.0); }
    { x[i].update(|y| y * y * 0.5 + c); } => { x[i] = x[i].square() * 0.5 + c; }
    second { x[i].assign(c); } => { x[i] = exact::passive(c); }
    { x[i] = Real::passive(c); } => { x[i] = exact::passive(c); }
    second { x.swap(i, j); } => { x.swap(i, j); }
    {
        x[i] = select(x[j] < x[k], (&x[j]).exp() * 0.25, &x[k] * c).eval();
    } => {
        x[i] = if exact::less(x[j], x[k]) { x[j].exp() * 0.25 } else { x[k] * c };
    }
    {
        x[i] = (&x[i] * select(x[j] > 0.0, 0.5, &x[k])).eval();
    } => {
        x[i] = x[i] * if exact::less(exact::passive(0.0), x[j]) { exact::passive(0.5) } else { x[k] };
    }
    { x[i] = (&x[k] * either(x[j] < x[k], &x[i] - &x[j], &x[j] - &x[k]) * 0.5).eval(); } => {
        x[i] = x[k] * if exact::less(x[j], x[k]) { x[i] - x[j] } else { x[j] - x[k] } * 0.5;
    }
    second { x[i] = (x.sum() * c + &x[i]).eval(); } => { x[i] = sum(*x) * c + x[i]; }
    {
        x[i] = (x[..2].product() + x.norm_squared() * 0.1).eval();
    } => {
        x[i] = x[0] * x[1] + sum(x.map(Num::square)) * 0.1;
    }
    {
        x[i] = (x[..2].dot(&x[1..]) * 0.5 + x.mean()).eval();
    } => {
        x[i] = (x[0] * x[1] + x[1] * x[2]) * 0.5 + sum(*x) / 3.0;
    }
    { x[i] = (x.dot(&[c, 0.5, -0.25]) + x.max() - x.min()).eval(); } => {
        let largest = x[0].max(x[1]).max(x[2]);
        let least = x[0].min(x[1]).min(x[2]);
        x[i] = x[0] * c + x[1] * 0.5 - x[2] * 0.25 + largest - least;
    }
    {
        x[i] = unary(op::Norm, entape::expr::list_of(x.iter().map(|x| x * c + 2.0))).eval();
    } => {
        x[i] = sum(x.map(|x| (x * c + 2.0).square())).sqrt();
    }
    {
        for t in 0..80 { x[i].update(|y| y * (1.0 - 0.0001 * f64::from(t))); }
    } => {
        (0..80).for_each(|t| x[i] = x[i] * (1.0 - 0.0001 * f64::from(t)));
    }
}
