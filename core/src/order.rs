//! The highest order of derivatives of operations.
use crate::names::{EXTERNAL, LOOP, PREACCUMULATED, short};
use std::{any::type_name, cell::RefCell, fmt, panic::Location};

/// The highest order of derivatives of an operation, or of an expression: the lowest order of its operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// It only has an adjoint.
    Adjoint,
    /// It also has a [tangent](crate::rule::Rule::tangent), so it runs in forward mode.
    Tangent,
    /// It also has the [tangent of its adjoint](crate::rule::Rule::adjoint_tangent), for second derivatives.
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
    /// The type name of the operation.
    pub operation: String,
    /// The missing derivative: `tangent`, `second`, or `pattern` for a sparsity pattern.
    pub missing: &'static str,
    /// Where the expression with this operation was evaluated.
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
                "{location}: the loop with checkpoints is one statement, which has no second derivatives: make its steps in the program itself, \
                 or take differences of gradients"
            );
        }
        if operation == PREACCUMULATED {
            return write!(
                f,
                "{location}: the part of the program was recorded as its Jacobian, which has no second derivatives: make the tape by \
                 `Tape::builder().preaccumulate(false).build()`"
            );
        }
        if operation == EXTERNAL {
            return match *missing {
                "tangent" => write!(
                    f,
                    "{location}: the external function has no derivative along a direction: give it one by `.tangent(..)`"
                ),
                "pattern" => write!(
                    f,
                    "{location}: the external function takes part in every sweep, so that on which inputs its results depend is not \
                     known: compute a dense Jacobian or Hessian"
                ),
                _ => write!(
                    f,
                    "{location}: the external function has no second derivative, as that of its adjoint is not known: write it in \
                     operations, or take differences of gradients"
                ),
            };
        }
        let what = match *missing {
            "tangent" => "no derivative along a direction",
            _ => "no second derivative",
        };
        write!(
            f,
            "{location}: the operation {operation} has {what}: its rule may say `{missing}(..)`, or that it is `linear`, `self_adjoint`, `bilinear` or `elementwise`"
        )
    }
}

/// A closure of an external function could not compute a derivative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalFailure {
    /// The reason that the closure returned.
    pub reason: String,
    /// Where the external function was called.
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

/// Why a tangent is unknown.
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
    /// The first operation without a tangent, while a driver collects it.
    static WATCHED: RefCell<Option<Option<NoTangent>>> = const { RefCell::new(None) };
}
/// Runs `f`, and returns the first operation in it that lacks a required tangent.
pub(crate) fn watch<T>(f: impl FnOnce() -> T) -> Result<T, NoTangent> {
    /// Restores the previous state, also if `f` panics.
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
/// Reports that the operation `O` lacks a tangent.
///
/// # Panics
/// Unless a driver collects the report and returns an error.
#[cold]
#[track_caller]
pub(crate) fn without_tangent<O>() {
    report(NoTangent::Missing(MissingRule {
        operation: short(type_name::<O>()),
        missing: "tangent",
        location: Location::caller(),
    }));
}
/// Reports an unknown tangent.
///
/// # Panics
/// Unless a driver collects the report and returns an error.
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
