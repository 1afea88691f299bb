//! Derivatives along a direction, in forward mode.
use super::{
    Error, InputShape, InputValues, Inputs, Outputs, ReadVariable, constant::tangent_of_constant,
};
use crate::{
    expr::Active,
    kind::{Encoding, Kind, TapeCell, Val},
    mode::Forward,
    order::watch,
};

/// The tangent of a variable along direction `j`.
pub(super) struct TangentOf(pub(super) usize);
impl<const N: usize> ReadVariable<Forward<N>> for TangentOf {
    fn read<K: Kind>(&mut self, variable: &Active<K, Forward<N>>) -> Result<Val<K>, Error> {
        let value = variable.get();
        let tangents = variable.tangents_ref::<N>();
        // A variable of a value kind has tangents even if it does not depend on inputs: zeros.
        let tangents =
            tangents.filter(|tangents| K::is_finite(value) || !tangents.iter().all(is_zero::<K>));
        Ok(match tangents {
            Some(tangents) => tangents[self.0].clone(),
            None => tangent_of_constant::<K>(value)?,
        })
    }
}
/// Whether a value of plain data is zero.
fn is_zero<K: Kind>(value: &Val<K>) -> bool {
    let mut zero = false;
    // The highest bit of a number is its sign.
    K::Encoding::show(&TapeCell::new(value.clone()), |bytes| {
        zero = bytes.iter().all(|byte| byte & 0x7f == 0);
    });
    zero
}

/// Returns the values of `f` at `x`, and their derivatives along `direction`: the Jacobian times a vector, computed in
/// one run of the function without a tape. The closure receives variables of the mode [`Forward`].
///
/// ```
/// use entape_core::{driver::jvp, expr::Active, mode::Forward, real::Elementary};
/// type Real = Active<f64, Forward>;
///
/// let polar = |(r, phi): (Real, Real)| [(r * phi.cos()).eval(), (r * phi.sin()).eval()];
/// let (xy, xy_t) = jvp(polar, (2.0, 0.0), (1.0, 10.0))?;
/// assert_eq!((xy, xy_t), ([2.0, 0.0], [1.0, 20.0]));
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
///
/// # Errors
/// If an operation lacks a tangent ([`Error::MissingRule`]).
///
/// # Panics
/// If the shapes of the direction and the inputs differ.
#[track_caller]
pub fn jvp<P, I, O, F>(
    f: F,
    x: I,
    direction: InputValues<I, P>,
) -> Result<(O::Values, O::Values), Error>
where
    I: Inputs<P>,
    O: Outputs<Forward>,
    F: FnOnce(<I::Shape as InputShape>::View<'_, Forward>) -> O,
{
    let inputs = <I::Shape as InputShape>::with_tangents(&x.into_values(), [&direction]);
    let outputs = watch(|| f(<I::Shape as InputShape>::view(&inputs)).evaluate())
        .map_err(Error::no_tangent)?;
    Ok((O::values(&outputs), O::each(&outputs, &mut TangentOf(0))?))
}
