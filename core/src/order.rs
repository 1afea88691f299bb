use crate::names::{EXTERNAL, LOOP, PREACCUMULATED, short};
use std::{any::type_name, cell::RefCell, fmt, panic::Location};

/// The highest order of derivatives of an operation; of an expression, the lowest order of its operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// An adjoint.
    Adjoint,
    /// Also a [tangent](crate::rule::Rule::tangent), for forward mode.
    Tangent,
    /// Also a [tangent of the adjoint](crate::rule::Rule::adjoint_tangent), for second derivatives.
    Second,
}
impl Order {
    /// Returns the lower of two orders.
    pub const fn and(self, other: Order) -> Order {
        if (self as u8) < other as u8 {
            self
        } else {
            other
        }
    }
}

impl std::error::Error for MissingRule {}

/// An operation that lacks a requested derivative, and where it was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingRule {
    /// The operation's type name.
    pub operation: String,
    /// `tangent` or `second`.
    pub missing: &'static str,
    /// Where the expression was evaluated.
    pub location: &'static Location<'static>,
}
impl fmt::Display for MissingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MissingRule {
            operation,
            missing,
            location,
        } = self;
        if operation == LOOP {
            return write!(
                f,
                "{location}: a loop with checkpoints has no second derivatives: write it as a loop of the program, or use differences of gradients"
            );
        }
        if operation == PREACCUMULATED {
            return write!(
                f,
                "{location}: a preaccumulated part has no second derivatives: create the tape with `Tape::builder().preaccumulate(false).build()`"
            );
        }
        if operation == EXTERNAL {
            return match *missing {
                "tangent" => write!(
                    f,
                    "{location}: the external function has no derivative along a direction: add one with `.tangent(..)`"
                ),
                "pattern" => write!(
                    f,
                    "{location}: the external function takes part in every sweep, so that on which inputs its results depend is not \
                     known: compute a dense Jacobian or Hessian"
                ),
                _ => write!(
                    f,
                    "{location}: the external function has no second derivative: write it with operations, or use differences of gradients"
                ),
            };
        }
        let what = match *missing {
            "tangent" => "no derivative along a direction",
            _ => "no second derivative",
        };
        write!(
            f,
            "{location}: the operation {operation} has {what}: add `{missing}(..)` to its rule, or declare it `linear`, `self_adjoint`, `bilinear` or `elementwise`"
        )
    }
}

/// A closure of an external function could not compute a derivative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalFailure {
    /// The reason given by the closure.
    pub reason: String,
    /// Where the function was called.
    pub location: &'static Location<'static>,
}
impl std::error::Error for ExternalFailure {}
impl fmt::Display for ExternalFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExternalFailure { reason, location } = self;
        write!(
            f,
            "{location}: a derivative of the external function could not be computed: {reason}"
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) enum NoTangent {
    Missing(MissingRule),
    Failed(ExternalFailure),
}
impl fmt::Display for NoTangent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTangent::Missing(missing) => missing.fmt(f),
            NoTangent::Failed(failure) => failure.fmt(f),
        }
    }
}

thread_local! {
    static WATCHED: RefCell<Option<Option<NoTangent>>> = const { RefCell::new(None) };
}
pub(crate) fn watch<T>(f: impl FnOnce() -> T) -> Result<T, NoTangent> {
    struct Before(Option<Option<NoTangent>>);
    impl Drop for Before {
        fn drop(&mut self) {
            WATCHED.set(self.0.take());
        }
    }
    let before = Before(WATCHED.replace(Some(None)));
    let result = f();
    let missing = WATCHED.take().flatten();
    drop(before);
    match missing {
        None => Ok(result),
        Some(missing) => Err(missing),
    }
}
#[cold]
#[track_caller]
pub(crate) fn without_tangent<O>() {
    report(NoTangent::Missing(MissingRule {
        operation: short(type_name::<O>()),
        missing: "tangent",
        location: Location::caller(),
    }));
}
#[cold]
#[track_caller]
pub(crate) fn report(reason: NoTangent) {
    let panics = WATCHED.with_borrow_mut(|watched| match watched {
        Some(first) => {
            first.get_or_insert_with(|| reason.clone());
            false
        }
        None => true,
    });
    assert!(!panics, "{reason}");
}
