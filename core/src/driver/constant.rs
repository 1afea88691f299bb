//! Derivatives of results that do not depend on inputs.
//!
//! The derivatives are zero, and NaN if the result is infinite or NaN. Programs return such results where they cannot continue;
//! a zero derivative would suggest a stationary point there. All drivers use this module.
use crate::{
    error::Error,
    expr::Active,
    kind::{Kind, Val},
    mode::AnyMode,
    structure::{ReadLeaves, Structure, ValueLeaves, VariableLeaves, Vars},
};
use std::marker::PhantomData;

/// Returns the derivative of a result that does not depend on inputs: zero, or NaN.
pub fn slope_of_constant<K: Kind>(value: &Val<K>) -> f64 {
    match K::is_finite(value) {
        true => 0.0,
        false => f64::NAN,
    }
}
/// Whether the derivative of a result does not exist although the result does not depend on inputs.
pub fn is_undefined<K: Kind, M: AnyMode>(result: &Active<K, M>) -> bool {
    !result.is_active() && !K::is_finite(result.get())
}
/// Returns the tangent of a result that does not depend on inputs.
pub(super) fn tangent_of_constant<K: Kind>(value: &Val<K>) -> Result<Val<K>, Error> {
    match K::is_finite(value) {
        true => Ok(K::zero_like(value)),
        false => nan_like::<K>(value),
    }
}
/// Returns a value with the shape of `like` whose numbers are all NaN.
pub(super) fn nan_like<K: Kind>(like: &Val<K>) -> Result<Val<K>, Error> {
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
pub fn undefined<S: Structure, M: AnyMode>(inputs: &Vars<S, M>) -> Result<S::Values, Error> {
    S::read(inputs, &mut Undefined(PhantomData)).map(S::pack)
}
/// Reads NaN for each variable.
struct Undefined<M>(PhantomData<M>);
impl<M: AnyMode> ReadLeaves for Undefined<M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error> {
        nan_like::<K>(variable.get())
    }
}
