//! What a check finds.
use std::fmt;

/// A check that failed. It names what was checked, the point, the arguments in play and both numbers;
/// `Debug` prints the same, so that `unwrap` in a test tells all of it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The type of the rule or function.
    pub subject: String,
    /// How the arguments entered, where it matters: `variable, constant`.
    pub arguments: String,
    /// The real coordinates of all arguments.
    pub point: Vec<f64>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// What should be a derivative is none.
    #[error("{along} is {got}, but differences give {want} (error below {error:.0e})")]
    Slope {
        /// What it is, an adjoint or a tangent, and along which direction or coordinate.
        along: String,
        /// By the rule.
        got: f64,
        /// By differences.
        want: f64,
        /// A bound of the error of the differences.
        error: f64,
    },
    /// Differences can't tell the derivative.
    #[error(
        "differences {along} do not converge (about {about}, error up to {error:.0e}): is the point at a kink, \
         at a jump or at the end of the domain?"
    )]
    NoSlope {
        /// Along which direction or coordinate.
        along: String,
        /// The best guess.
        about: f64,
        /// A bound of its error.
        error: f64,
    },
    /// The tangent is not what the adjoint says.
    #[error(
        "the tangent and the adjoint disagree {along}: the tangent, times weights of the result, is {got}, but the adjoint of these weights, \
         times the direction, is {want}"
    )]
    Transposed {
        /// Along which direction or coordinate.
        along: String,
        /// By the tangent.
        got: f64,
        /// By the adjoint.
        want: f64,
    },
    /// The tangent of the adjoint is no second derivative.
    #[error(
        "the tangent of the adjoint is not symmetric along two directions of {arguments}: that along one direction, times the other one, is \
         {got}, but the other way round it is {want}"
    )]
    Asymmetric {
        /// Of which arguments.
        arguments: String,
        /// One product.
        got: f64,
        /// The other one.
        want: f64,
    },
    /// Numbers that should agree do not.
    #[error("{what}: coordinate {coordinate} is {got} instead of {want}")]
    Differs {
        /// What should agree with what.
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
        /// What should agree with what.
        what: &'static str,
        /// The number found.
        got: usize,
        /// The number expected.
        want: usize,
    },
    /// The result is active and should not be, or the other way round.
    #[error("the result is {}, but {} argument is an active variable", if *.active { "active" } else { "passive" }, if *.active { "no" } else { "an" })]
    Activity {
        /// Whether the result is active.
        active: bool,
    },
    /// Something that holds of kinds and parts does not hold.
    #[error("{what}")]
    Broken {
        /// What does not hold.
        what: &'static str,
    },
    /// A panic.
    #[error("{what} panics: {message}")]
    Panics {
        /// What panics.
        what: &'static str,
        /// The panic's message.
        message: String,
    },
    /// Of two that should fail together one does.
    #[error("{what} does not panic, but the plain operation does: {message}")]
    Succeeds {
        /// What does not panic.
        what: &'static str,
        /// The message of the other's panic.
        message: String,
    },
    /// The tape refuses.
    #[error("the tape refuses: {message}")]
    Tape {
        /// The error's message.
        message: String,
    },
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
