use super::statements;
use crate::exact::{self, single, sum};
use entape::prelude::*;

statements! {
    names { x, s, .. } { i, j, k, c, .. };
    taped { s[i] = (&s[j] * &s[k] * 0.5).eval(); } => { s[i] = single(s[j] * s[k] * 0.5); }
    taped { s[i] = ((&s[j]).sin() + &s[k] * 0.5).eval(); } => { s[i] = single(s[j].sin() + s[k] * 0.5); }
    second { s[i] = (&x[j] * c + &x[k]).to_f32().eval(); } => { s[i] = single(x[j] * c + x[k]); }
    second { x[i] = ((&s[j]).to_f64() * &x[k]).eval(); } => { x[i] = s[j] * x[k]; }
    taped {
        s[i] = (s.sum() * 0.25 + s.norm_squared() * 0.125).eval();
    } => {
        s[i] = single(sum(*s) * 0.25 + sum(s.map(|s| s.square())) * 0.125);
    }
    taped { let y = s[j].clone(); s[i] += &y; } => { s[i] = single(s[i] + s[j]); }
    taped { s[i].update(|y| y / 2.0 - 0.25); } => { s[i] = single(s[i] / 2.0 - 0.25); }
    taped {
        s[i] = select(s[j] < s[k], &s[j] * 0.5, &s[i] * &s[k] * 0.25).eval();
    } => {
        s[i] = if exact::less(s[j], s[k]) { single(s[j] * 0.5) } else { single(s[i] * s[k] * 0.25) };
    }
    taped { s.swap(i, j); } => { s.swap(i, j); }
}
