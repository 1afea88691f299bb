//! Functions that run in several modes.
use crate::{expr::Active, mode::Mode};

/// A real function of several reals that runs in every mode: recorded for its gradient, plain for its values. Closures
/// are not generic, so a driver that needs several modes takes a `Function`.
///
/// Made from a generic function by [`function!`](crate::function), or implemented for a type of one's
/// own where the function has parameters:
///
/// ```
/// use entape_core::{driver::Function, expr::Active, mode::{Mode, Plain}};
///
/// struct Power(usize);
/// impl Function for Power {
///     fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
///         vec![x[0]; self.0].into_iter().product()
///     }
/// }
/// assert_eq!(Power(3).call::<Plain>(&[2.0.into()]).value(), 8.0);
/// ```
pub trait Function {
    /// The value at `x`.
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M>;
    /// The value at `x`, in plain mode.
    fn value(&self, x: &[f64]) -> f64 {
        let x: Vec<_> = x.iter().map(|&x| Active::passive(x)).collect();
        self.call::<crate::mode::Plain>(&x).value()
    }
}
impl<F: Function> Function for &F {
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
        F::call(self, x)
    }
}

/// A [`Function`](crate::driver::Function) from a function that is generic in the mode.
///
/// ```
/// use entape_core::{driver::Function, expr::Active, function, mode::Mode};
///
/// fn rosenbrock<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
///     let (a, b) = ((1.0 - x[0]).eval(), (x[1] - x[0] * x[0]).eval());
///     (a * a + 100.0 * b * b).eval()
/// }
/// assert_eq!(function!(rosenbrock).value(&[1.0, 2.0]), 100.0);
/// ```
#[macro_export]
macro_rules! function {
    ($f:path) => {{
        #[derive(Clone, Copy, Debug)]
        struct Function;
        impl $crate::driver::Function for Function {
            fn call<M: $crate::mode::Mode>(
                &self,
                x: &[$crate::expr::Active<f64, M>],
            ) -> $crate::expr::Active<f64, M> {
                $f(x)
            }
        }
        Function
    }};
}
