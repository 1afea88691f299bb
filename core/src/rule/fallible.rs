use super::definition::Rule;
use crate::{
    kind::{Arg, Kind, Val},
    names::name_of,
};
use std::fmt::Debug;

/// An operation that can fail: an `#[op]` that returns `Result<Kind, Error>`.
/// [`Apply::try_eval`](crate::expr::Apply::try_eval) evaluates it.
pub trait TryRule<A: Kind, B: Kind = (), C: Kind = ()>: Rule<A, B, C> {
    /// The reason of a failure.
    type Error: Debug;
    /// Returns the result of [`Rule::primal`].
    ///
    /// # Errors
    /// If the operation fails.
    #[allow(clippy::type_complexity)]
    #[track_caller]
    fn try_primal<'p>(
        &self,
        a: Arg<'p, A>,
        b: Arg<'p, B>,
        c: Arg<'p, C>,
    ) -> Result<(Val<Self::Out>, Self::Saved), Self::Error>;
}

/// Implements [`Rule::primal`] for arguments known to succeed.
///
/// # Panics
/// If the operation fails.
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
        Err(error) => panic!("{} failed: {error:?}", name_of::<O>()),
    }
}
