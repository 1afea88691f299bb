//! Second derivatives of a real function: it is recorded once, and swept forward and back for one direction, or for
//! eight at once.
use super::{
    Error, FlatShape, InputShape, InputValues, Inputs, Jacobian, Outputs, ReadVariable,
    RecordedFunction, VisitVariable, constant::is_undefined,
};
use crate::{
    expr::Active,
    kind::{Kind, Val},
    mode::Taped,
    store::MANY,
    tape::{Count, Directed, Directions, Scalar, SweptAdjoints},
};

/// The value, the gradient and the Hessian of a function, as [`value_gradient_hessian`] returns them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ValueGradientHessian<V, G> {
    /// The value.
    pub value: V,
    /// The gradient, in the shape of the inputs.
    pub gradient: G,
    /// The second derivatives: row and column `i` belong to coordinate `i` of the inputs.
    pub hessian: Jacobian,
}

/// Sets the tangents of inputs along direction `j`.
struct SetDirection<'d, 't, const N: usize> {
    directions: &'d mut Directions<'t, N>,
    j: usize,
}
impl<const N: usize> VisitVariable<Taped> for SetDirection<'_, '_, N>
where
    Count: Directed<N>,
{
    fn visit<K: Kind>(&mut self, x: &Active<K>, tangent: &Val<K>) -> Result<(), Error> {
        self.directions.set_along(x, self.j, tangent.clone())
    }
}
/// The gradient with respect to an input, or its derivative along direction `j`.
struct ReadSwept<'s, 't, const N: usize> {
    swept: &'s SweptAdjoints<'t, N>,
    j: Option<usize>,
}
impl<const N: usize> ReadVariable<Taped> for ReadSwept<'_, '_, N>
where
    Count: Directed<N>,
{
    fn read<K: Kind>(&mut self, x: &Active<K>) -> Result<Val<K>, Error> {
        match self.j {
            None => self.swept.gradient(x),
            Some(j) => self.swept.wrt_along(x, j),
        }
    }
}

impl<S: InputShape, O: Outputs<Taped, Variables = Active<K>>, K: Scalar> RecordedFunction<S, O> {
    /// The gradient and its derivatives along `directions`, at most `N` of them.
    #[track_caller]
    pub(super) fn gradient_and_products<const N: usize>(
        &mut self,
        directions: &[S::Values],
    ) -> Result<(S::Values, Vec<S::Values>), Error>
    where
        Count: Directed<N>,
    {
        if !self.outputs.is_active() {
            let gradient = self.swept(false, is_undefined(&self.outputs))?;
            let products = directions.iter().map(|_| gradient.clone()).collect();
            return Ok((gradient, products));
        }
        let mut set = self.tape.directions::<N>()?.one_sided();
        for (j, direction) in directions.iter().enumerate() {
            let directions = &mut set;
            S::visit(&self.inputs, direction, &mut SetDirection { directions, j })?;
        }
        let swept = &set.sweep()?.gradient(&self.outputs)?;
        let gradient = S::each(&self.inputs, &mut ReadSwept { swept, j: None })?;
        let each = (0..directions.len()).map(|j| {
            let j = Some(j);
            S::each(&self.inputs, &mut ReadSwept { swept, j })
        });
        Ok((gradient, each.collect::<Result<_, _>>()?))
    }
}

/// The gradient of `f` at `x` and its derivative along `direction`, the Hessian times a vector. The closure is recorded
/// once, and swept forward and back.
///
/// ```
/// use entape_core::{driver::hessian_vector, expr::Active};
///
/// let f = |x: &[Active<f64>]| x[0] * x[0] * x[1];
/// let (gradient, product) = hessian_vector(f, vec![2.0, 3.0], vec![1.0, 0.0])?;
/// assert_eq!((gradient, product), (vec![12.0, 4.0], vec![6.0, 4.0]));
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
///
/// # Errors
/// Like [`value_and_gradient`](super::value_and_gradient), and if an operation has no second derivative
/// ([`Error::MissingRule`]).
///
/// # Panics
/// If the shapes of the direction and the inputs differ.
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn hessian_vector<P, I, K, O, F>(
    f: F,
    x: I,
    direction: InputValues<I, P>,
) -> Result<(InputValues<I, P>, InputValues<I, P>), Error>
where
    I: Inputs<P>,
    K: Scalar,
    O: Outputs<Taped, Variables = Active<K>, Values = Val<K>>,
    F: FnOnce(<I::Shape as InputShape>::View<'_, Taped>) -> O,
{
    let mut recorded = RecordedFunction::<I::Shape, O>::for_second(f, x.into_values());
    let (gradient, mut products) = recorded.gradient_and_products::<1>(&[direction])?;
    let product = products
        .pop()
        .unwrap_or_else(|| unreachable!("one direction"));
    Ok((gradient, product))
}

/// Returns the Hessian of `f` at `x`: see [`value_gradient_hessian`].
///
/// ```
/// use entape_core::{driver::hessian, expr::Active, real::Elementary};
///
/// let h = hessian(|[x, y]: [Active<f64>; 2]| x.exp() * y, [0.0, 2.0])?;
/// assert_eq!(h.as_slice(), [2.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
///
/// # Errors
/// Like [`hessian_vector`].
#[track_caller]
pub fn hessian<P, I, K, O, F>(f: F, x: I) -> Result<Jacobian, Error>
where
    I: Inputs<P, Shape: FlatShape>,
    K: Scalar,
    O: Outputs<Taped, Variables = Active<K>, Values = Val<K>>,
    F: FnOnce(<I::Shape as InputShape>::View<'_, Taped>) -> O,
{
    value_gradient_hessian(f, x).map(|all| all.hessian)
}

/// Returns the value of `f` at `x`, its gradient and its Hessian, with one recording, which is swept for eight
/// coordinates of the inputs together. Row and column `i` of the Hessian belong to
/// [coordinate](crate::coordinates::Coordinates) `i`.
///
/// ```
/// use entape_core::{driver::value_gradient_hessian, expr::Active};
///
/// let all = value_gradient_hessian(|(x, y): (Active<f64>, Active<f64>)| x * y * y, (2.0, 3.0))?;
/// assert_eq!((all.value, all.gradient), (18.0, (9.0, 12.0)));
/// assert_eq!(all.hessian.row(1), [6.0, 4.0]);
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
///
/// # Errors
/// Like [`hessian_vector`].
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn value_gradient_hessian<P, I, K, O, F>(
    f: F,
    x: I,
) -> Result<ValueGradientHessian<Val<K>, InputValues<I, P>>, Error>
where
    I: Inputs<P, Shape: FlatShape>,
    K: Scalar,
    O: Outputs<Taped, Variables = Active<K>, Values = Val<K>>,
    F: FnOnce(<I::Shape as InputShape>::View<'_, Taped>) -> O,
{
    let mut recorded = RecordedFunction::<I::Shape, O>::for_second(f, x.into_values());
    recorded.value_gradient_hessian()
}
impl<S: FlatShape, O: Outputs<Taped, Variables = Active<K>, Values = Val<K>>, K: Scalar>
    RecordedFunction<S, O>
{
    #[track_caller]
    pub(super) fn value_gradient_hessian(
        &mut self,
    ) -> Result<ValueGradientHessian<Val<K>, S::Values>, Error> {
        let value = self.results();
        let mut coordinates = Vec::new();
        S::coordinates(&self.values, &mut coordinates);
        let n = coordinates.len();
        let (mut entries, mut gradient) = (Vec::with_capacity(n * n), None);
        let mut unit = vec![0.0; n];
        for first in (0..n).step_by(MANY) {
            let block = first..(first + MANY).min(n);
            let units: Vec<_> = block
                .map(|i| {
                    unit[i] = 1.0;
                    let values = S::from_coordinates(&self.values, &mut &unit[..]);
                    unit[i] = 0.0;
                    values
                })
                .collect();
            let (all, products) = match units.len() {
                1 => self.gradient_and_products::<1>(&units)?,
                _ => self.gradient_and_products::<MANY>(&units)?,
            };
            products
                .iter()
                .for_each(|row| S::coordinates(row, &mut entries));
            gradient = Some(all);
        }
        Ok(ValueGradientHessian {
            value,
            gradient: gradient.unwrap_or_else(|| S::zero(&self.values)),
            hessian: Jacobian::new(n, n, entries),
        })
    }
}
