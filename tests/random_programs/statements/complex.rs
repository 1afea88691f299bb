use super::statements;
use crate::exact::{self, Cx};
use entape::{
    complex::{C64, from_polar, num_complex::Complex},
    prelude::*,
};

statements! {
    names { x, z, .. } { i, j, k, c, .. };
    second { z[i] = (&z[j] * &z[k] * c).eval(); } => { z[i] = z[j] * z[k] * c; }
    taped { z[i] = (&z[j] * &z[j] * 0.5 + &z[k]).eval(); } => { z[i] = z[j] * z[j] * 0.5 + z[k]; }
    taped {
        z[i] = (&z[j] * &x[k] - (&x[j]).cis()).eval();
    } => {
        z[i] = z[j].times(x[k]) - Cx { re: x[j].cos(), im: x[j].sin() };
    }
    taped { z[i] = ((&z[j]).conj() * &z[k] * 0.5 - &z[i]).eval(); } => { z[i] = z[j].conj() * z[k] * 0.5 - z[i]; }
    taped { z[i] = (&z[j] / (&z[k] + 3.0)).eval(); } => { z[i] = z[j] / (z[k] + Cx::constant(3.0, 0.0)); }
    taped {
        z[i] = ((&z[j] * 0.5).exp() * 0.5 + (&z[k] * 0.5).sin()).eval();
    } => {
        z[i] = (z[j] * 0.5).exp() * 0.5 + (z[k] * 0.5).sin();
    }
    taped { z[i] = ((&z[j]).sqrt() + (&z[k]).ln() * c).eval(); } => { z[i] = z[j].sqrt() + z[k].ln() * c; }
    taped {
        z[i] = ((&z[j]).powi(3) * 0.1 - (&z[k] + 2.0).inv()).eval();
    } => {
        z[i] = z[j] * z[j] * z[j] * 0.1 - Cx::constant(1.0, 0.0) / (z[k] + Cx::constant(2.0, 0.0));
    }
    second { x[i] = ((&z[j]).norm_sqr() * 0.25 + (&z[k]).re()).eval(); } => { x[i] = z[j].norm_sqr() * 0.25 + z[k].re; }
    taped {
        x[i] = ((&z[j]).norm() - (&z[k]).arg() * c + (&z[j]).im()).eval();
    } => {
        x[i] = z[j].norm() - z[k].arg() * c + z[j].im;
    }
    taped { z[i] = from_polar(&x[j], &x[k] * c).eval(); } => { z[i] = Cx::polar(x[j], x[k] * c); }
    taped {
        let (radius, angle) = (&z[j]).to_polar();
        x[i] = (&radius * c).eval();
        x[k] = angle;
    } => {
        let w = z[j];
        x[i] = w.norm() * c;
        x[k] = w.arg();
    }
    second { z[i].re_mut().assign(&x[j] * &x[k]); } => { z[i].re = x[j] * x[k]; }
    taped { z[i].im_mut().add_assign(&x[j]); } => { z[i].im = z[i].im + x[j]; }
    taped { z[i][C64::RE] *= &x[j] * c; } => { z[i].re = z[i].re * x[j] * c; }
    taped { let e = z[i].at(C64::RE) * z[i].at(C64::IM); z[i][C64::IM].assign(e); } => { z[i].im = z[i].re * z[i].im; }
    taped { x[i] = (&z[j][C64::RE] * &z[k][C64::IM]).eval(); } => { x[i] = z[j].re * z[k].im; }
    taped {
        z[i] = (&z[j] * Complex::new(c, 0.5) - Complex::new(0.25, c)).eval();
    } => {
        z[i] = z[j] * Cx::constant(c, 0.5) - Cx::constant(0.25, c);
    }
    taped { z[i] = (&x[j] * &z[k] + (&x[k] - &z[j])).eval(); } => { z[i] = z[k].times(x[j]) + (Cx::from(x[k]) - z[j]); }
    taped { let y = z[j].clone(); z[i] += &y * c; } => { z[i] = z[i] + z[j] * c; }
    taped { let y = x[j].clone(); z[i] *= &y; } => { z[i] = z[i].times(x[j]); }
    second { z[i].update(|y| y.conj() * c + 0.5); } => { z[i] = z[i].conj() * c + Cx::constant(0.5, 0.0); }
    taped { z[i] = (z.sum() * c).eval(); } => { z[i] = (z[0] + z[1] + z[2]) * c; }
    taped {
        z[i] = (z[..2].product() * 0.5 + (&x[j]).to_complex()).eval();
    } => {
        z[i] = z[0] * z[1] * 0.5 + Cx::from(x[j]);
    }
    taped {
        for _ in 0..70 { z[i].update(|y| y * y * 0.5); z[i] += 0.25; }
    } => {
        (0..70).for_each(|_| z[i] = z[i] * z[i] * 0.5 + Cx::constant(0.25, 0.0));
    }
    taped {
        let w = z[j].clone();
        for _ in 0..70 { z[i].update(|y| y * 0.25 + &w); }
    } => {
        let w = z[j];
        (0..70).for_each(|_| z[i] = z[i] * 0.25 + w);
    }
    taped { z[i] = entape::complex::new(&x[j], &x[k] * c).eval(); } => { z[i] = Cx { re: x[j], im: x[k] * c }; }
    taped {
        z[i] = select(x[j] < 0.0, &z[j] * 0.5, &z[k] * &x[j]).eval();
    } => {
        z[i] = if exact::less(x[j], exact::passive(0.0)) { z[j] * 0.5 } else { z[k].times(x[j]) };
    }
    taped { z.swap(i, j); } => { z.swap(i, j); }
    taped { z[i] = Active::passive(Complex::new(c, 0.5)); } => { z[i] = Cx::constant(c, 0.5); }
}
