//! Reals whose operators return reals, for source that is generic in its number type.
//!
//! Generic source requires `T: Add<Output = T>`, so each operation of an [`Eager`] is evaluated immediately and is one
//! statement.
//!
//! | feature | generic over |
//! |---|---|
//! | `num-traits` | `num_traits::{Float, Num, Signed, FloatConst, FromPrimitive, ToPrimitive, ..}` |
//! | `simba` | `RealField` and `ComplexField` of `simba`, which `nalgebra` uses, and the traits of `approx` |
//! | `linalg` | conversions of matrices of [`Eager`] to [entities](linalg) and back |
//!
//! ```
//! use entape_core::expr::Active;
//! use entape_drivers::gradient;
//! use entape_eager::Eager;
//! use std::ops::{Add, Mul};
//!
//! /// Does not depend on entape.
//! fn horner<T: Copy + Add<Output = T> + Mul<Output = T>>(c: &[T], x: T) -> T {
//!     c[1..].iter().fold(c[0], |sum, &c| sum * x + c)
//! }
//! let f = |x: &[Active<f64>]| {
//!     let c: Vec<Eager> = x[1..].iter().map(|&c| c.into()).collect();
//!     Active::from(horner(&c, x[0].into()))
//! };
//! assert_eq!(gradient(f, &[2.0, 5.0, 3.0, 1.0])?, [23.0, 4.0, 2.0, 1.0]);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! An [`Eager<M>`] runs in every mode with `Copy` variables, by default in [`Taped`]. If the mode does not follow from
//! use, write `<Eager>::new(1.0)`.
#![cfg_attr(feature = "num-traits", doc = "```")]
#![cfg_attr(not(feature = "num-traits"), doc = "```ignore")]
//! use entape_core::{expr::Active, function, mode::{Forward, Mode}};
//! use entape_drivers::{Objective, jvp};
//! use entape_eager::Eager;
//! use num_traits::Float;
//!
//! /// Does not depend on entape.
//! fn rosenbrock<T: Float>(x: &[T]) -> T {
//!     let a = T::one() - x[0];
//!     let b = x[1] - x[0].powi(2);
//!     a.powi(2) + T::from(100.0).unwrap() * b.powi(2)
//! }
//! #[function]
//! fn f(x: &[Active<f64>]) -> Active<f64> {
//!     let x: Vec<Eager<M>> = x.iter().map(|&x| x.into()).collect();
//!     rosenbrock(&x).real()
//! }
//! let hessian = Objective::new(f {}).hessian(&[1.0, 2.0])?;
//! assert_eq!(hessian.as_slice(), [402.0, -400.0, -400.0, 200.0]);
//!
//! let (value, along) = jvp(|x: &[Active<f64, Forward>]| f(x), &[1.0, 2.0], [1.0, 0.0])?;
//! assert_eq!((value, along), (100.0, -400.0));
//!
//! // an array, in a closure
//! let f = |x: [Active<f64, Forward>; 2]| rosenbrock(&x.map(Eager::from)).real();
//! assert_eq!(jvp(f, [1.0, 2.0], [0.0, 1.0])?, (100.0, 200.0));
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # What generic source can do to derivatives
//!
//! Source that was written for plain numbers may be right for them and still have a wrong derivative. So check the
//! derivative of code that runs with eager reals, at the point where it starts, by
//! `check::expression`. It moves every input in both directions, also along random
//! directions, and finds both of the following. So does `check::gradient` of a function that is generic in the mode.
//!
//! **Casts** drop derivatives: `T::from(x)` of `num_traits`, where `x` is a `T` or another number, goes through `f64`, and so does
//! `num_traits::cast`; some generic functions convert their arguments to `f64` and compute with that, and have a gradient of zero then. A tape can [refuse](entape_core::tape::Builder::refuse_casts) them: then the cast of an active number
//! panics where it stands. In forward mode there is no tape that could.
//!
#![cfg_attr(feature = "num-traits", doc = "```")]
#![cfg_attr(not(feature = "num-traits"), doc = "```ignore")]
//! use entape_check as check;
//! use entape_core::{expr::Active, tape::Tape};
//! use entape_drivers::gradient;
//! use entape_eager::Eager;
//! use num_traits::Float;
//!
//! /// 3 x
//! fn thrice<T: Float>(x: T) -> T {
//!     let half = x * T::from(1.5).unwrap();
//!     half + T::from(half).unwrap() // no more than a number
//! }
//! let f = |x: Active<f64>| Active::from(thrice(Eager::from(x)));
//! assert_eq!(gradient(f, 2.0)?, 1.5); // 3 would be right
//! assert!(check::expression(f, 2.0).is_err());
//!
//! let mut tape: Tape = Tape::builder().refuse_casts(true).build()?;
//! let x = tape.input(2.0);
//! let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tape.record(|| f(x))));
//! assert!(refused.is_err());
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! **Branches at exact zeros** skip computations that depend on the number that is zero: the result is right, but its
//! derivative is that of the branch. Iterative algorithms of `nalgebra` do so for structured matrices
//! (`symmetric_eigen`, `pseudo_inverse`, `schur`), and `UnitQuaternion::from_scaled_axis` does so at zero. No tape can
//! notice it, as a comparison is no operation. Begin away from the zeros, or use an operation with a rule: the linear
//! algebra DSL has rules for factorizations and spectra.
//!
#![cfg_attr(feature = "simba", doc = "```")]
#![cfg_attr(not(feature = "simba"), doc = "```ignore")]
//! use entape_check as check;
//! use entape_core::expr::Active;
//! use entape_drivers::gradient;
//! use entape_eager::Eager;
//! use nalgebra::Matrix2;
//!
//! /// Upper right, of a matrix that is taken apart and put together again: that is `b`.
//! let f = |[a, b, c]: [Active<f64>; 3]| {
//!     let [a, b, c] = [a, b, c].map(Eager::from);
//!     Active::from(Matrix2::new(a, b, b, c).symmetric_eigen().recompose()[(0, 1)])
//! };
//! assert_eq!(gradient(f, [1.0, 1e-3, 2.0])?.map(|x| x.round()), [0.0, 1.0, 0.0]);
//! assert!(gradient(f, [1.0, 0.0, 2.0])?[1].is_nan()); // 1 would be right
//! assert!(check::expression(f, [1.0, 0.0, 2.0]).is_err());
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! An eager real is `Send` and `Sync`, as those traits demand it. It still belongs to the thread that records: on
//! another thread it is refused like a variable of another tape.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

mod functions;
#[cfg(feature = "linalg")]
pub mod linalg;
#[cfg(feature = "num-traits")]
mod num;
mod operators;
#[cfg(feature = "simba")]
mod simba;

use entape_core::{
    expr::{Active, ByVal, Expr, HasMethods, IntoExpr, Rhs},
    kind::Kind,
    mode::{Mode, Taped, Unbound},
    node::Node,
    tape,
};
use std::fmt;

/// A real variable whose operators evaluate immediately. It is `Copy`, and converts from and to [`Active<f64,
/// M>`](Active).
///
/// ```
/// use entape_core::expr::Active;
/// use entape_eager::Eager;
///
/// let x = Eager::from(2.0);
/// let y: Eager = x * x + 1.0; // two statements, if `x` is active
/// let z: Active<f64> = (y.real() * x.real() + x).eval(); // one statement
/// assert_eq!((y.value(), z.value()), (5.0, 12.0));
/// ```
pub struct Eager<M: Mode = Taped>(Unbound<M>);
impl<M: Mode> Copy for Eager<M> {}
impl<M: Mode> Clone for Eager<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Mode> Default for Eager<M> {
    /// Returns the constant zero.
    fn default() -> Self {
        Eager::new(0.0)
    }
}

impl<M: Mode> Eager<M> {
    /// Creates a constant.
    #[inline(always)]
    pub fn new(value: f64) -> Self {
        Active::passive(value).into()
    }
    /// Returns the value.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.0.value()
    }
    /// Returns the variable, for expressions.
    #[inline(always)]
    pub fn real(self) -> Active<f64, M> {
        self.0.real()
    }
    /// Returns whether the variable depends on an input.
    #[inline(always)]
    pub fn is_active(self) -> bool {
        self.0.id().is_some()
    }
}

impl<M: Mode> Eager<M> {
    /// A cast drops the derivative.
    #[inline]
    #[track_caller]
    fn cast(self) -> f64 {
        if self.is_active() && tape::refuses_casts() {
            panic!(
                "the tape refuses to cast an active number to a plain one (`Tape::builder().refuse_casts(true)`), which would drop its derivative: \
                 compute with the number itself, or call `value()` to drop the derivative"
            );
        }
        self.value()
    }
}

#[inline(always)]
#[track_caller]
fn eager<M: Mode, N: Node<Kind = f64>>(expr: Expr<f64, M, N>) -> Eager<M> {
    expr.eval().into()
}

impl<M: Mode> From<f64> for Eager<M> {
    /// A constant.
    #[inline(always)]
    fn from(value: f64) -> Self {
        Eager::new(value)
    }
}
impl<M: Mode> From<Eager<M>> for f64 {
    /// Returns the value: a cast, which drops the derivative, for generic source that requires it.
    ///
    /// # Panics
    ///
    /// If the number is active and the recording tape [refuses casts](entape_core::tape::Builder::refuse_casts).
    #[inline]
    #[track_caller]
    fn from(x: Eager<M>) -> Self {
        x.cast()
    }
}
impl<M: Mode> From<Active<f64, M>> for Eager<M> {
    #[inline(always)]
    fn from(real: Active<f64, M>) -> Self {
        Eager(real.into())
    }
}
impl<M: Mode> From<Eager<M>> for Active<f64, M> {
    #[inline(always)]
    fn from(x: Eager<M>) -> Self {
        x.real()
    }
}
#[diagnostic::do_not_recommend]
impl<O, K: Kind, C: Kind, M: Mode> Rhs<K, M, O, C> for Eager<M> {
    type Kind = f64;
    type Node = ByVal<Active<f64, M>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<f64, M, Self::Node> {
        self.into_expr()
    }
}
#[diagnostic::do_not_recommend]
impl<O, K: Kind, C: Kind, M: Mode> Rhs<K, M, O, C> for &Eager<M> {
    type Kind = f64;
    type Node = ByVal<Active<f64, M>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<f64, M, Self::Node> {
        (*self).into_expr()
    }
}
impl<M: Mode> HasMethods<M> for Eager<M> {}
impl<M: Mode> IntoExpr<M> for Eager<M> {
    type Kind = f64;
    type Node = ByVal<Active<f64, M>>;
    #[inline(always)]
    fn into_expr(self) -> Expr<f64, M, Self::Node> {
        self.real().into_expr()
    }
}
impl<M: Mode> fmt::Debug for Eager<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("Eager");
        s.field("value", &self.value());
        if let Some(id) = self.0.id() {
            s.field("id", &id);
        }
        s.finish()
    }
}
macro_rules! formats { ($($Format:ident)*) => { $(
    impl<M: Mode> fmt::$Format for Eager<M> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            fmt::$Format::fmt(&self.value(), f)
        }
    }
)* } }
formats! { Display LowerExp UpperExp }
impl<M: Mode> std::str::FromStr for Eager<M> {
    type Err = std::num::ParseFloatError;
    /// A constant.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Eager::new)
    }
}
