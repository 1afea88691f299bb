use entape_core::differences::Slope;
use std::fmt;

/// A failed check: the subject, the point, the arguments and both numbers. `Debug` prints like `Display`.
///
/// ```
/// use entape_check::{self as check, Fault};
/// use entape_core::op;
///
/// // a function with a wrong derivative
/// #[op(elementwise)]
/// fn square<L: entape_core::elementwise::Lane>(#[ad_in(r_b * x)] x: L) -> L {
///     x * x
/// }
/// let failure = check::rule(&Square, (3.0,)).expect_err("half of the derivative");
/// assert_eq!(failure.point, [3.0]);
/// assert!(matches!(failure.fault, Fault::Slope { got, want, .. } if (2.0 * got - want).abs() < 1e-6));
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The type of the rule or function.
    pub subject: String,
    /// The states of the arguments, such as `variable, constant`.
    pub arguments: String,
    /// The real coordinates of all arguments.
    pub point: Vec<f64>,
    /// The fault.
    pub fault: Fault,
}

/// A fault found by a check.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An adjoint or a tangent differs from the derivative.
    #[error("{label} is {got}, but differences give {want} (error below {error:.0e})")]
    Slope {
        /// The compared quantity.
        label: String,
        /// The result of the rule.
        got: f64,
        /// The result of finite differences.
        want: f64,
        /// An error bound of the differences.
        error: f64,
    },
    /// Differences do not converge.
    #[error(
        "differences {label} do not converge (about {about}, error up to {error:.0e}): check away from kinks, jumps and the end of the domain"
    )]
    NoSlope {
        /// The direction or coordinate.
        label: String,
        /// The best estimate of the derivative.
        about: f64,
        /// A bound of its error.
        error: f64,
    },
    /// Rounding errors of the result hide the derivative.
    #[error(
        "{label} is {got}, but rounding errors of terms of size {size:.0e} hide derivatives below {noise:.0e}. Omit large terms that do not depend \
         on the input, subtract a nearby value, or check where these terms are small"
    )]
    Unresolved {
        /// The compared quantity.
        label: Box<str>,
        /// The result of the rule.
        got: f64,
        /// The size below which derivatives cannot be detected.
        noise: f64,
        /// The size of the terms of the result.
        size: f64,
    },
    /// The tangent contradicts the adjoint.
    #[error(
        "the tangent and the adjoint disagree {label}: the tangent, times weights of the result, is {got}, but the adjoint of these weights, \
         times the direction, is {want}"
    )]
    Transposed {
        /// The direction or coordinate.
        label: String,
        /// The product of the tangent with weights of the result.
        got: f64,
        /// The product of the adjoint of these weights with the direction.
        want: f64,
    },
    /// The tangent of the adjoint is not symmetric.
    #[error(
        "the tangent of the adjoint is not symmetric along two directions of {arguments}: the tangent along the first, times the second, is {got}, \
         but the tangent along the second, times the first, is {want}"
    )]
    Asymmetric {
        /// The arguments along which the directions go.
        arguments: String,
        /// The tangent along the first direction, times the second.
        got: f64,
        /// The tangent along the second direction, times the first.
        want: f64,
    },
    /// Numbers that should agree differ.
    #[error("{what}: coordinate {coordinate} is {got} instead of {want}")]
    Differs {
        /// The compared items.
        what: &'static str,
        /// The first coordinate that differs.
        coordinate: usize,
        /// The number found.
        got: f64,
        /// The number expected.
        want: f64,
    },
    /// An adjoint or a value has the wrong number of coordinates.
    #[error("{what}: {got} coordinates instead of {want}")]
    Shape {
        /// The compared items.
        what: &'static str,
        /// The number found.
        got: usize,
        /// The number expected.
        want: usize,
    },
    /// The result is active but should not be, or vice versa.
    #[error("the result is {}, but {} argument is an active variable", if *.active { "active" } else { "passive" }, if *.active { "no" } else { "an" })]
    Activity {
        /// Whether the result is active.
        active: bool,
    },
    /// A law of kinds or parts is violated.
    #[error("{what}")]
    Broken {
        /// The violated law.
        what: &'static str,
    },
    /// A call panicked.
    #[error("{what} panics: {message}")]
    Panics {
        /// The call.
        what: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// A call succeeds although the plain operation panics.
    #[error("{what} does not panic, but the plain operation does: {message}")]
    Succeeds {
        /// The call.
        what: &'static str,
        /// The message of the plain operation's panic.
        message: String,
    },
    /// The tape returned an error.
    #[error("the tape returned an error: {message}")]
    Tape {
        /// The message of the error.
        message: String,
    },
    /// An adjoint is wrong, and the slopes on both sides of the point differ.
    #[error(
        "{label} is not a derivative: the point is at a kink, with slope {before} before it and slope {behind} after it. Check at another point"
    )]
    Kink {
        /// The adjoint.
        label: String,
        /// The approximate slope before the point.
        before: f64,
        /// The slope after the point.
        behind: f64,
    },
}
impl Fault {
    pub(crate) fn unresolved(slope: &Slope, label: &str, got: f64) -> Self {
        Fault::Unresolved {
            label: label.into(),
            got,
            noise: slope.resolution(),
            size: slope.size,
        }
    }
}

/// A successful check of a function, with its resolution.
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, function};
///
/// #[function]
/// fn f(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[1] + 1e6
/// }
/// let confirmed = check::gradient(f {}, &[1.0, 2.0])?;
/// // a derivative of 1e-9 beside the number 1e6 would not be detected
/// assert!((1e-9..1e-6).contains(&confirmed.noise));
/// assert_eq!(confirmed.kink, None);
/// # Ok::<(), check::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Confirmed {
    /// The largest error bound of the differences.
    pub noise: f64,
    /// The first [`Fault::Kink`] along an input, if the gradient there is the mean of both slopes, as for `x.abs()` at 0.
    pub kink: Option<Fault>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  at {:?}", self.subject, self.fault, self.point)?;
        if !self.arguments.is_empty() {
            write!(f, " ({})", self.arguments)?;
        }
        Ok(())
    }
}
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl std::error::Error for Failure {}
