//! First derivatives from one recording.
use super::{
    jacobian::Jacobian,
    recording::{RecordedFunctionOf, recorded},
};
use entape_core::{
    expr::Active,
    kind::Val,
    mode::Taped,
    structure::{FlatStructure, Inputs, Outputs, Runs, Structure, Vars},
    tape::{Error, Scalar},
};

/// Plain values in the shape of the inputs `I`.
pub type InputValues<I, P> = <<I as Inputs<P>>::Shape as Structure>::Values;

/// Returns the value of `f` at `x` and its gradient, in the shape of `x`. The output is `f64`, `f32` or a [custom
/// number](entape_core::tape::Scalar).
///
/// ```
/// use entape_core::{expr::Active, real::Elementary};
/// use entape_drivers::value_and_gradient;
///
/// let (y, g) = value_and_gradient(|[x, y]: [Active<f64>; 2]| x.hypot(y), [3.0, 4.0])?;
/// assert_eq!((y, g), (5.0, [0.6, 0.8]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
///
/// If the output is of another recording, or the tape is full.
#[track_caller]
pub fn value_and_gradient<P, I, K, B, F>(f: F, x: I) -> Result<(Val<K>, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    let mut recording = recorded::<P, I, B, F>(f, x, false)?;
    Ok((recording.results(), recording.pull(K::one())?))
}

/// Returns the gradient of `f` at `x`, in the shape of `x`. Fails like [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::gradient;
///
/// let x = vec![1.0, 2.0, 3.0];
/// let g = gradient(|x: &[Active<f64>]| x.iter().map(|x| x * x).sum::<Active<f64>>(), &x)?;
/// assert_eq!(g, [2.0, 4.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn gradient<P, I, K, B, F>(f: F, x: I) -> Result<InputValues<I, P>, Error>
where
    I: Inputs<P>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    value_and_gradient(f, x).map(|(_, gradient)| gradient)
}

/// Returns the values of `f` at `x`, and `seed` times the Jacobian, in the shape of `x`, from one sweep. A seed of zero times
/// an infinite derivative is NaN. Fails like [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::vjp;
///
/// let polar = |(r, phi): (Active<f64>, Active<f64>)| {
///     use entape_core::real::Elementary;
///     [(r * phi.cos()).eval(), (r * phi.sin()).eval()]
/// };
/// let (xy, (r_b, phi_b)) = vjp(polar, (2.0, 0.0), [1.0, 10.0])?;
/// assert_eq!((xy, r_b, phi_b), ([2.0, 0.0], 1.0, 20.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
///
/// If the numbers of seeds and outputs or their shapes differ.
#[track_caller]
pub fn vjp<P, I, B, O, F>(
    f: F,
    x: I,
    seed: O::Values,
) -> Result<(O::Values, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    O: Outputs,
    F: Runs<I::Shape, Taped, B, Output = O>,
{
    pull::<I::Shape, O>(|x| f.run(I::Shape::view(x)), x.into_values(), seed)
}
/// [`vjp`] of a function of references, at values in the shape of the inputs.
#[doc(hidden)]
#[track_caller]
pub fn pull<S: Structure, O: Outputs>(
    f: impl FnOnce(&Vars<S>) -> O,
    values: S::Values,
    seed: O::Values,
) -> Result<(O::Values, S::Values), Error> {
    let mut recording = RecordedFunctionOf::<S, O>::new(f, values, false)?;
    Ok((recording.results(), recording.pull(seed)?))
}

/// Returns the Jacobian of `f` at `x`, from one recording and a sweep for eight coordinates of the outputs each. Fails like
/// [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::jacobian;
///
/// let f = |[x, y]: [Active<f64>; 2]| [(x * y).eval(), (x + 3.0 * y).eval(), (x * x).eval()];
/// let j = jacobian(f, [2.0, 5.0])?;
/// assert_eq!(j.as_slice(), [5.0, 2.0, 1.0, 3.0, 4.0, 0.0]); // three rows, two columns
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn jacobian<P, I, B, F>(f: F, x: I) -> Result<Jacobian, Error>
where
    I: Inputs<P, Shape: FlatStructure>,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Structure: FlatStructure>>,
{
    values_and_jacobian(f, x).map(|(_, jacobian)| jacobian)
}

/// Returns the values of `f` at `x` and its [`jacobian`]. Fails like [`value_and_gradient`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::values_and_jacobian;
///
/// let (y, j) = values_and_jacobian(|x: Active<f64>| (x * 2.0, x + 1.0), 3.0)?;
/// assert_eq!((y, j.as_slice()), ((6.0, 4.0), &[2.0, 1.0][..]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn values_and_jacobian<P, I, B, O, F>(f: F, x: I) -> Result<(O::Values, Jacobian), Error>
where
    I: Inputs<P, Shape: FlatStructure>,
    O: Outputs<Structure: FlatStructure>,
    F: Runs<I::Shape, Taped, B, Output = O>,
{
    let mut recording = recorded::<P, I, B, F>(f, x, false)?;
    Ok((recording.results(), recording.jacobian()?))
}
