//! Elementary functions at special values, in all modes, against the table for numbers.
#[path = "../../core/tests/special_values/table.rs"]
mod table;

use entape_core::{
    expr::{Active, list},
    mode::Mode,
    op,
};
use entape_linalg::prelude::*;
use table::{Form, Known, compare};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

/// Formulas that overflow before their result does, as for numbers.
const KNOWN: &[Known] = &include!("../../core/tests/special_values/known.rs");

struct Elements<'m, M: Mode>(&'m Matrix<M>);
impl<M: Mode> Clone for Elements<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Mode> Copy for Elements<'_, M> {}
macro_rules! elements { ($($f:ident $F:ident)*; $($g:ident $G:ident)*) => {
    impl<M: Mode> Elements<'_, M> {
        $( fn $f(self) -> Matrix<M> { self.0.map(op::$F).eval() } )*
        $( fn $g(self, b: Self) -> Matrix<M> { self.0.zip_map(b.0, op::$G).eval() } )*
        fn powi(self, n: i32) -> Matrix<M> {
            self.0.map(op::Powi { n }).eval()
        }
        fn polygamma(self, n: u32) -> Matrix<M> {
            self.0.map(op::Polygamma { n }).eval()
        }
        fn mul_add(self, _: Self, _: Self) -> Matrix<M> {
            unreachable!("left out")
        }
        fn clamp(self, _: Self, _: Self) -> Matrix<M> {
            unreachable!("left out")
        }
    }
} }
elements! {
    sqrt Sqrt cbrt Cbrt recip Recip exp Exp exp2 Exp2 exp_m1 ExpM1 ln Ln log2 Log2 log10 Log10 ln_1p Ln1p sin Sin cos Cos tan Tan asin Asin
    acos Acos atan Atan to_degrees ToDegrees to_radians ToRadians sinh Sinh cosh Cosh tanh Tanh asinh Asinh acosh Acosh atanh Atanh abs Abs
    floor Floor ceil Ceil trunc Trunc round Round round_ties_even RoundTiesEven signum Signum fract Fract erf Erf erfc Erfc
    ln_gamma LnGamma digamma Digamma;
    powf Powf hypot Hypot log Log atan2 Atan2 midpoint Midpoint copysign Copysign max Max min Min rem_euclid RemEuclid div_euclid DivEuclid
}

/// An element of a matrix of two rows and three columns.
struct Matrices;
impl Form for Matrices {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        if x.len() == 3 {
            return None;
        }
        let argument = |i: usize| -> Matrix<M> {
            let x = x[i.min(x.len() - 1)];
            let mut all = [Real::<M>::passive(x.value()); 6];
            all[4] = x;
            gather(list(&all), 2, 3).eval()
        };
        let (a, b) = (argument(0), argument(1));
        let (a, b) = (Elements(&a), Elements(&b));
        macro_rules! finish {
            ($matrix:expr) => {{
                let r: Matrix<M> = $matrix;
                (&r[(0, 2)] * 1.0).eval()
            }};
        }
        Some(by_name!(name, a, b, b, finish))
    }
}
#[test]
fn elements_of_matrices_agree_with_the_table() {
    compare::<Matrices>(KNOWN, |_, _| Vec::new());
}
