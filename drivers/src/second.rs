//! Second derivatives of a real function, recorded once and swept forward and back for one direction or eight at once.
use super::{first::InputValues, jacobian::Jacobian, recording::recorded};
use entape_core::{
    expr::Active,
    kind::Val,
    mode::Taped,
    structure::{FlatStructure, Inputs, IntoValues, Outputs, Runs},
    tape::{Error, Scalar},
};

/// The result of [`value_gradient_hessian`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ValueGradientHessian<V, G> {
    /// The value.
    pub value: V,
    /// The gradient, in the shape of the inputs.
    pub gradient: G,
    /// The Hessian: row and column `i` belong to coordinate `i` of the inputs.
    pub hessian: Jacobian,
}

/// Returns the gradient of `f` at `x` and its derivative along `direction`, the Hessian times a vector.
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::hessian_vector;
///
/// let f = |x: &[Active<f64>]| x[0] * x[0] * x[1];
/// let (gradient, product) = hessian_vector(f, &[2.0, 3.0], &[1.0, 0.0])?;
/// assert_eq!((gradient, product), ([12.0, 4.0], [6.0, 4.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
///
/// Like [`value_and_gradient`](super::value_and_gradient), or [`Error::MissingRule`] without a second derivative.
///
/// # Panics
///
/// If the shapes of the direction and the inputs differ.
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn hessian_vector<P, I, K, B, F, D>(
    f: F,
    x: I,
    direction: D,
) -> Result<(InputValues<I, P>, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
    D: IntoValues<I::Shape>,
{
    let mut recording = recorded::<P, I, B, F>(f, x, true)?;
    recording.hessian_vector(direction.into_values())
}

/// Returns the Hessian of `f` at `x`; see [`value_gradient_hessian`].
///
/// ```
/// use entape_core::{expr::Active, real::Elementary};
/// use entape_drivers::hessian;
///
/// let h = hessian(|[x, y]: [Active<f64>; 2]| x.exp() * y, [0.0, 2.0])?;
/// assert_eq!(h.as_slice(), [2.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
pub fn hessian<P, I, K, B, F>(f: F, x: I) -> Result<Jacobian, Error>
where
    I: Inputs<P, Shape: FlatStructure>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    value_gradient_hessian(f, x).map(|all| all.hessian)
}

/// Returns the value of `f` at `x`, its gradient and its Hessian, from one recording. Fails like [`hessian_vector`].
///
/// ```
/// use entape_core::expr::Active;
/// use entape_drivers::value_gradient_hessian;
///
/// let all = value_gradient_hessian(|(x, y): (Active<f64>, Active<f64>)| x * y * y, (2.0, 3.0))?;
/// assert_eq!((all.value, all.gradient), (18.0, (9.0, 12.0)));
/// assert_eq!(all.hessian.row(1), [6.0, 4.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_gradient_hessian<P, I, K, B, F>(
    f: F,
    x: I,
) -> Result<ValueGradientHessian<Val<K>, InputValues<I, P>>, Error>
where
    I: Inputs<P, Shape: FlatStructure>,
    K: Scalar,
    F: Runs<I::Shape, Taped, B, Output: Outputs<Variables = Active<K>, Values = Val<K>>>,
{
    let mut recording = recorded::<P, I, B, F>(f, x, true)?;
    Ok(ValueGradientHessian {
        value: recording.results(),
        gradient: recording.pull(K::one())?,
        hessian: recording.hessian()?,
    })
}
