//! Every form of annotation: the rule it makes, checked against formulas written by hand.
use entape_core::{
    expr::Active,
    kind::Adjoint,
    mode::Plain,
    op,
    rule::{A, B, R, Rule, annotation::adjoints},
};

/// A complex number of a crate that knows nothing of entape.
mod foreign {
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
    }
    impl std::ops::Mul for Complex {
        type Output = Self;
        fn mul(self, b: Self) -> Self {
            complex(
                self.re * b.re - self.im * b.im,
                self.re * b.im + self.im * b.re,
            )
        }
    }
    impl std::ops::AddAssign for Complex {
        fn add_assign(&mut self, b: Self) {
            *self = complex(self.re + b.re, self.im + b.im);
        }
    }
}
use foreign::{Complex, complex};

#[entape_core::kind(value = Complex, index = Linear)]
pub struct C64;

#[entape_core::op(Mul)]
fn mul(#[ad_in(r_b * b.conj())] a: C64, #[ad_in(r_b * a.conj())] b: C64) -> C64 {
    a * b
}

#[test]
fn an_operator_for_a_foreign_value() {
    let (a, b) = (complex(1.0, 2.0), complex(3.0, -1.0));
    let (r, ()) = Rule::<C64, C64>::primal(&op::Mul, a, b, ());
    assert_eq!(r, a * b);
    assert_eq!(<op::Mul as Rule<C64, C64>>::READS, [B, A, 0]);
    let r_b = complex(0.5, 0.25);
    let (a_b, b_b, ()) =
        adjoints::<_, C64, C64, ()>(&op::Mul, (&a, &b, &()), &r_b, [true, true, false]);
    assert_eq!((a_b, b_b), (r_b * b.conj(), r_b * a.conj()));
}

#[entape_core::op(sample(a = 0.5..2.0, b = -1.0..1.0))]
fn power(#[ad_in(r_b * b * r / a)] a: f64, #[ad_in(r_b * r * a.ln())] b: f64) -> f64 {
    a.powf(b)
}

#[test]
fn a_function_of_its_own() {
    assert_eq!(<Power as Rule<f64, f64>>::READS, [A | B | R, A | R, 0]);
    let x = Active::<f64, Plain>::new(2.0);
    assert_eq!(power(x, 3.0).eval().value(), 8.0);
}
