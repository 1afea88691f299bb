//! Operations that can fail.
use super::definition::Rule;
use crate::{
    kind::{Arg, Kind, Val},
    names::name_of,
};
use std::fmt::Debug;

/// An operation whose arguments decide whether it has a result, as those of a matrix whether it has a Cholesky factor. A
/// function with `#[op]` that returns `Result<Kind, Error>` implements it.
///
/// It is evaluated at once, [`Apply::try_eval`](crate::expr::Apply::try_eval), as an expression has no place for the error.
pub trait TryRule<A: Kind, B: Kind = (), C: Kind = ()>: Rule<A, B, C> {
    /// Why there is no result.
    type Error: Debug;
    /// [`Rule::primal`], where there is one.
    ///
    /// # Errors
    /// If there is none.
    #[allow(clippy::type_complexity)]
    #[track_caller]
    fn try_primal<'p>(
        &self,
        a: Arg<'p, A>,
        b: Arg<'p, B>,
        c: Arg<'p, C>,
    ) -> Result<(Val<Self::Out>, Self::Saved), Self::Error>;
}

/// [`Rule::primal`] of an operation that can fail: that of arguments for which it does not, as those on a tape.
///
/// # Panics
/// If it fails.
#[doc(hidden)]
#[inline]
#[track_caller]
pub fn succeeded<'p, O: TryRule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    a: Arg<'p, A>,
    b: Arg<'p, B>,
    c: Arg<'p, C>,
) -> (Val<O::Out>, O::Saved) {
    match op.try_primal(a, b, c) {
        Ok(result) => result,
        Err(error) => panic!("{} fails: {error:?}", name_of::<O>()),
    }
}
