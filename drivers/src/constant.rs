//! Derivatives of results that do not depend on inputs: zero, or NaN if the result is not finite; see [`driver`](super).
use entape_core::{
    expr::Active,
    kind::{Kind, Val},
    mode::AnyMode,
    structure::{ReadLeaves, Structure, ValueLeaves, VariableLeaves, Vars},
    tape::Error,
};
use std::marker::PhantomData;

/// Returns zero, or NaN if the value is not finite.
pub fn slope_of_constant<K: Kind>(value: &Val<K>) -> f64 {
    match K::is_finite(value) {
        true => 0.0,
        false => f64::NAN,
    }
}
/// Whether a result does not depend on inputs and is not finite.
pub fn is_undefined<K: Kind, M: AnyMode>(result: &Active<K, M>) -> bool {
    !result.is_active() && !K::is_finite(result.get())
}
pub(super) fn tangent_of_constant<K: Kind>(value: &Val<K>) -> Result<Val<K>, Error> {
    match K::is_finite(value) {
        true => Ok(K::zero_like(value)),
        false => nan_like::<K>(value),
    }
}
pub(super) fn nan_like<K: Kind>(like: &Val<K>) -> Result<Val<K>, Error> {
    let mut value = like.clone();
    match K::each_number(&mut value, &mut |x| *x = f64::NAN) {
        true => Ok(value),
        false => Err(Error::NotFinite {
            holder: format!("the kind {}", K::NAME),
        }),
    }
}
/// Returns a gradient of NaN in the shape of the inputs.
///
/// # Errors
/// If an input is of a kind without coordinates.
pub fn undefined<S: Structure, M: AnyMode>(inputs: &Vars<S, M>) -> Result<S::Values, Error> {
    S::read(inputs, &mut Undefined(PhantomData)).map(S::pack)
}
struct Undefined<M>(PhantomData<M>);
impl<M: AnyMode> ReadLeaves for Undefined<M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error> {
        nan_like::<K>(variable.get())
    }
}
