//! Derivatives of results that do not depend on inputs.
//!
//! They are zero, and NaN if the result is infinite or NaN, as a program returns it where it can't go on: a zero would look like a stationary
//! point there. All drivers ask here.
use super::{InputShape, ReadVariable};
use crate::{
    error::Error,
    expr::Active,
    kind::{Kind, Val},
    mode::Mode,
};

/// The derivative of a number that depends on no input: zero, or NaN.
#[allow(clippy::eq_op)] // an infinite number minus itself is NaN
pub fn slope_of_constant(value: f64) -> f64 {
    value - value
}
/// Whether a result depends on no input and has no derivative.
pub fn is_undefined<K: Kind, M: Mode>(result: &Active<K, M>) -> bool {
    !result.is_active() && !K::is_finite(result.get())
}
/// Returns the tangent of a result that does not depend on inputs.
pub(super) fn tangent_of_constant<K: Kind>(value: &Val<K>) -> Result<Val<K>, Error> {
    match K::is_finite(value) {
        true => Ok(K::zero_like(value)),
        false => nan_like::<K>(value),
    }
}
/// The value of the shape of `like` whose numbers are all NaN.
fn nan_like<K: Kind>(like: &Val<K>) -> Result<Val<K>, Error> {
    let mut value = like.clone();
    match K::each_number(&mut value, &mut |x| *x = f64::NAN) {
        true => Ok(value),
        false => Err(Error::NotFinite {
            holder: format!("the kind {}", K::NAME),
        }),
    }
}
/// Returns the gradient of a result whose derivative does not exist: NaN in the shape of the inputs.
///
/// # Errors
/// If an input is of a kind without coordinates.
pub fn undefined<S: InputShape, M: Mode>(inputs: &S::Variables<M>) -> Result<S::Values, Error> {
    S::each(inputs, &mut Undefined)
}
/// Reads NaN for each variable.
struct Undefined;
impl<M: Mode> ReadVariable<M> for Undefined {
    fn read<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error> {
        nan_like::<K>(variable.get())
    }
}
