use super::statements;
use crate::exact::{self, Num, sum};
use entape::{prelude::*, simd::wide::f64x4};

fn lanes(of: impl FnMut(usize) -> Num) -> [Num; 4] {
    std::array::from_fn(of)
}

statements! {
    names { x, l, .. } { i, j, k, p, c, .. };
    taped { l[i] = (&l[j] * &l[k] * c + &l[i]).eval(); } => { l[i] = lanes(|t| l[j][t] * l[k][t] * c + l[i][t]); }
    second { l[i] = (&l[j] * &l[j] - &l[k] * 0.5).eval(); } => { l[i] = lanes(|t| l[j][t].square() - l[k][t] * 0.5); }
    taped { l[i] = (&l[j] * &x[k] + (&x[j] - &l[k])).eval(); } => { l[i] = lanes(|t| l[j][t] * x[k] + (x[j] - l[k][t])); }
    taped { l[i] = (&l[j] / (&l[k] * &l[k] + 2.0)).eval(); } => { l[i] = lanes(|t| l[j][t] / (l[k][t].square() + 2.0)); }
    taped {
        l[i] = ((&l[j] * 0.5).exp() * 0.5 + (&l[k]).sin() * &x[i]).eval();
    } => {
        l[i] = lanes(|t| (l[j][t] * 0.5).exp() * 0.5 + l[k][t].sin() * x[i]);
    }
    taped {
        l[i] = ((&l[j] * &l[j] + 0.5).ln() + (&l[k]).tanh()).eval();
    } => {
        l[i] = lanes(|t| (l[j][t].square() + 0.5).ln() + l[k][t].tanh());
    }
    taped {
        l[i] = ((&l[j]).max(&l[k]) + (&l[k]).cbrt().powi(3) * c).eval();
    } => {
        l[i] = lanes(|t| { exact::require(l[k][t].value.abs() > 0.05); l[j][t].max(l[k][t]) + l[k][t] * c });
    }
    taped { let less = (&l[j]).simd_lt(&l[k]); l[i] = less.select(&l[j] * &l[k], &x[i]).eval(); } => {
        l[i] = lanes(|t| if exact::less(l[j][t], l[k][t]) { l[j][t] * l[k][t] } else { x[i] });
    }
    taped { let positive = (&l[j]).simd_gt(0.0); l[i] = (!positive).select(0.5, &l[j] * &l[j] * 0.5).eval(); } => {
        l[i] = lanes(|t| if exact::less(exact::passive(0.0), l[j][t]) { l[j][t].square() * 0.5 } else { exact::passive(0.5) });
    }
    taped {
        x[i] = ((&l[j] * &l[k]).reduce_add() * 0.25).eval();
    } => {
        x[i] = sum((0..4).map(|t| l[j][t] * l[k][t])) * 0.25;
    }
    second { x[i] = ((&l[j]).reduce_mul() * 0.25 + (&l[j]).dot(&l[k]) * c * 0.25).eval(); } => {
        x[i] = l[j][0] * l[j][1] * l[j][2] * l[j][3] * 0.25 + sum((0..4).map(|t| l[j][t] * l[k][t])) * c * 0.25;
    }
    taped { x[i] = ((&l[j]).reduce_max() - (&l[k]).reduce_min()).eval(); } => {
        let y = &l[k];
        x[i] = l[j][0].max(l[j][1]).max(l[j][2].max(l[j][3])) - y[0].min(y[1]).min(y[2].min(y[3]));
    }
    taped { let e = (&x[j] * &l[k][p % 3]).eval(); l[i][p % 4].assign(&e); } => { l[i][p % 4] = x[j] * l[k][p % 3]; }
    second { l[i][p % 4] += &x[j]; } => { l[i][p % 4] = l[i][p % 4] + x[j]; }
    taped { let e = l[i].at(p % 4) * l[i].at(1_usize); l[i][p % 4].assign(e); } => { l[i][p % 4] = l[i][p % 4] * l[i][1]; }
    taped { x[i] = (&l[j][p % 4] * c + (&l[k]).lane(2)).eval(); } => { x[i] = l[j][p % 4] * c + l[k][2]; }
    taped { l[i] = (&x[j] * &x[k]).splat::<f64x4>().eval(); } => { l[i] = [x[j] * x[k]; 4]; }
    taped {
        let all = [x[0].clone(), x[1].clone(), x[2].clone(), x[i].clone()];
        l[i] = all.gather::<f64x4>().eval();
    } => {
        l[i] = [x[0], x[1], x[2], x[i]];
    }
    taped { let mut all = (&l[j] * c).scatter().split(); x[i] = all.swap_remove(p % 4); } => { x[i] = l[j][p % 4] * c; }
    taped { let y = l[j].clone(); l[i] -= &y * c; } => { l[i] = lanes(|t| l[i][t] - l[j][t] * c); }
    taped { let y = x[j].clone(); l[i] *= &y; } => { l[i] = l[i].map(|y| y * x[j]); }
    taped { l[i].update(|y| y * y * 0.5); } => { l[i] = l[i].map(|y| y.square() * 0.5); }
    taped {
        for _ in 0..70 { l[i].update(|y| y * y * 0.5); l[i] += 0.25; }
    } => {
        (0..70).for_each(|_| l[i] = l[i].map(|y| y.square() * 0.5 + 0.25));
    }
    taped {
        l[i] = (constant(f64x4::new([c, 0.5, -0.5, 1.0])) * &l[j]).eval();
    } => {
        let w = [c, 0.5, -0.5, 1.0];
        l[i] = lanes(|t| l[j][t] * w[t]);
    }
    taped { l[i] = (l.sum() * 0.5).eval(); } => { l[i] = lanes(|t| (l[0][t] + l[1][t] + l[2][t]) * 0.5); }
    taped { l.swap(i, j); } => { l.swap(i, j); }
}
