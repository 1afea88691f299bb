use std::ops::{AddAssign, Mul};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

pub fn complex(re: f64, im: f64) -> Complex {
    Complex { re, im }
}

impl Complex {
    pub fn conj(self) -> Self {
        complex(self.re, -self.im)
    }
    pub fn norm(self) -> f64 {
        self.re.hypot(self.im)
    }
    pub fn scale(self, s: f64) -> Self {
        complex(self.re * s, self.im * s)
    }
}
impl Mul for Complex {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        complex(
            self.re * b.re - self.im * b.im,
            self.re * b.im + self.im * b.re,
        )
    }
}
impl AddAssign for Complex {
    fn add_assign(&mut self, b: Self) {
        *self = complex(self.re + b.re, self.im + b.im);
    }
}
