//! Complex numbers as pairs of numbers.
use super::{Num, passive, require};
use std::ops;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cx {
    pub(crate) re: Num,
    pub(crate) im: Num,
}
pub(crate) fn cx(re: Num, im: Num) -> Cx {
    Cx { re, im }
}
impl Cx {
    pub(crate) fn constant(re: f64, im: f64) -> Cx {
        cx(passive(re), passive(im))
    }
    pub(crate) fn polar(radius: Num, angle: Num) -> Cx {
        cx(radius * angle.cos(), radius * angle.sin())
    }
    pub(crate) fn conj(self) -> Cx {
        cx(self.re, -self.im)
    }
    pub(crate) fn times(self, x: Num) -> Cx {
        cx(self.re * x, self.im * x)
    }
    pub(crate) fn norm_sqr(self) -> Num {
        self.re * self.re + self.im * self.im
    }
    pub(crate) fn norm(self) -> Num {
        self.norm_sqr().sqrt()
    }
    pub(crate) fn arg(self) -> Num {
        self.im.atan2(self.re)
    }
    pub(crate) fn exp(self) -> Cx {
        Cx::polar(self.re.exp(), self.im)
    }
    pub(crate) fn ln(self) -> Cx {
        cx(self.norm_sqr().ln() * 0.5, self.arg())
    }
    pub(crate) fn sqrt(self) -> Cx {
        Cx::polar(self.norm().sqrt(), self.arg() * 0.5)
    }
    pub(crate) fn sin(self) -> Cx {
        let (x, y) = (self.re, self.im);
        cx(x.sin() * y.cosh(), x.cos() * y.sinh())
    }
}
impl From<Num> for Cx {
    fn from(x: Num) -> Cx {
        cx(x, passive(0.0))
    }
}
impl ops::Add for Cx {
    type Output = Cx;
    fn add(self, b: Cx) -> Cx {
        cx(self.re + b.re, self.im + b.im)
    }
}
impl ops::Sub for Cx {
    type Output = Cx;
    fn sub(self, b: Cx) -> Cx {
        cx(self.re - b.re, self.im - b.im)
    }
}
impl ops::Neg for Cx {
    type Output = Cx;
    fn neg(self) -> Cx {
        cx(-self.re, -self.im)
    }
}
impl ops::Mul for Cx {
    type Output = Cx;
    fn mul(self, b: Cx) -> Cx {
        cx(
            self.re * b.re - self.im * b.im,
            self.re * b.im + self.im * b.re,
        )
    }
}
impl ops::Mul<f64> for Cx {
    type Output = Cx;
    fn mul(self, b: f64) -> Cx {
        self.times(passive(b))
    }
}
impl ops::Div for Cx {
    type Output = Cx;
    fn div(self, b: Cx) -> Cx {
        let square = b.norm_sqr();
        require(square.value > 0.2);
        let r = self * b.conj();
        cx(r.re / square, r.im / square)
    }
}
