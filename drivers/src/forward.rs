//! Derivatives along a direction, in forward mode.
use super::constant::tangent_of_constant;
use entape_core::{
    expr::Active,
    kind::{Encoding, Kind, TapeCell, Val},
    mode::Forward,
    structure::{
        Inputs, IntoValues, Outputs, ReadLeaves, Runs, Structure, ValueLeaves, VariableLeaves, Vars,
    },
    tape::{Error, watch},
};

pub(super) struct TangentOf<const N: usize>(pub(super) usize);
impl<const N: usize> ReadLeaves for TangentOf<N> {
    type From = VariableLeaves<Forward<N>>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, variable: &Active<K, Forward<N>>) -> Result<Val<K>, Error> {
        let value = variable.get();
        let tangents = variable.tangents_ref::<N>();
        // A variable of a value kind has zeros as tangents if it does not depend on inputs.
        let tangents =
            tangents.filter(|tangents| K::is_finite(value) || !tangents.iter().all(is_zero::<K>));
        Ok(match tangents {
            Some(tangents) => tangents[self.0].clone(),
            None => tangent_of_constant::<K>(value)?,
        })
    }
}
fn is_zero<K: Kind>(value: &Val<K>) -> bool {
    let mut zero = false;
    // The highest bit of a number is its sign.
    K::Encoding::show(&TapeCell::new(value.clone()), |bytes| {
        zero = bytes.iter().all(|byte| byte & 0x7f == 0);
    });
    zero
}

/// Returns the values of `f` at `x`, and their derivatives along `direction`: the Jacobian times a vector. The closure receives
/// variables of the mode [`Forward`].
///
/// ```
/// use entape_core::{expr::Active, mode::Forward, real::Elementary};
/// use entape_drivers::jvp;
/// type Real = Active<f64, Forward>;
///
/// let polar = |(r, phi): (Real, Real)| [(r * phi.cos()).eval(), (r * phi.sin()).eval()];
/// let (xy, xy_t) = jvp(polar, (2.0, 0.0), (1.0, 10.0))?;
/// assert_eq!((xy, xy_t), ([2.0, 0.0], [1.0, 20.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
/// If an operation lacks a tangent ([`Error::MissingRule`]).
///
/// # Panics
/// If the shapes of the direction and the inputs differ.
#[track_caller]
pub fn jvp<P, I, B, O, F, D>(f: F, x: I, direction: D) -> Result<(O::Values, O::Values), Error>
where
    I: Inputs<P>,
    O: Outputs<Forward>,
    F: Runs<I::Shape, Forward, B, Output = O>,
    D: IntoValues<I::Shape>,
{
    let inputs = I::Shape::with_tangents(x.into_values(), [direction.into_values()]);
    let outputs = run(|| f.run(I::Shape::view(&inputs)))?;
    let tangents = O::Structure::read(&outputs, &mut TangentOf::<1>(0))?;
    Ok((O::Structure::values(&outputs), O::Structure::pack(tangents)))
}
#[track_caller]
pub(super) fn run<const N: usize, O: Outputs<Forward<N>>>(
    f: impl FnOnce() -> O,
) -> Result<Vars<O::Structure, Forward<N>>, Error> {
    watch(|| f().evaluate())?
}
