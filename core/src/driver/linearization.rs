//! A function at a point, for methods that need products with its derivatives.
use super::{
    Error, FlatOutputs, FlatShape, Function, InputShape, IntoValues, Jacobian, Outputs,
    RecordedFunction, forward::TangentOf,
};
use crate::{
    expr::Active,
    mode::{Forward, Mode, Plain, Taped},
    order::watch,
    store::MANY,
};
use std::{
    array::from_fn,
    cell::{RefCell, RefMut},
    ops::Range,
};

type ValuesOf<F> = <<F as Function>::Inputs as InputShape>::Values;
type RecordedIn<F> = RecordedFunction<<F as Function>::Inputs, <F as Function>::Output<Taped>>;

/// A [`Function`] at a point, with its first derivatives there, which solvers and methods for structured programs need. All vectors consist of
/// the real [coordinates](crate::coordinates::Coordinates) of inputs and outputs. The function is recorded once, when it is first swept.
///
/// ```
/// use entape_core::{driver::Linearization, expr::Active, function};
///
/// #[function]
/// fn polynomials((x, y): (Active<f64>, Active<f64>)) -> [Active<f64>; 2] {
///     [x * y, x * x + 3.0 * y]
/// }
/// let f = Linearization::new(polynomials {}, (2.0, 5.0));
/// assert_eq!(f.values(), [10.0, 19.0]);
/// assert_eq!(f.vjp(&[1.0, 0.0])?, [5.0, 2.0]);
/// assert_eq!(f.jvp(&[1.0, 0.0])?, [5.0, 4.0]);
/// assert_eq!(f.jacobian_of(0..2)?.as_slice(), [5.0, 2.0, 4.0, 3.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub struct Linearization<F: Function> {
    function: F,
    at: ValuesOf<F>,
    recorded: RefCell<Option<Box<RecordedIn<F>>>>,
}
debug_by_name! { [F: Function] Linearization<F> }
impl<F: Function> Linearization<F> {
    /// The function at these inputs. Nothing is computed yet.
    pub fn new(function: F, at: impl IntoValues<F::Inputs>) -> Self {
        Self::at(function, at.into_values())
    }
    /// Like [`new`](Self::new), with inputs in the form of the shape.
    pub fn at(function: F, at: ValuesOf<F>) -> Self {
        Linearization {
            function,
            at,
            recorded: RefCell::new(None),
        }
    }
    /// The number of coordinates of the inputs.
    pub fn inputs(&self) -> usize {
        coordinates_of::<F::Inputs>(&self.at).len()
    }
    /// The coordinates of the outputs, in plain mode.
    #[track_caller]
    pub fn values(&self) -> Vec<f64> {
        let x = F::Inputs::passive::<Plain>(&self.at);
        let outputs = self.function.call(F::Inputs::view(&x)).evaluate();
        outputs_of::<F, Plain>(&F::Output::<Plain>::values(&outputs))
    }
    /// `seed` times the Jacobian, by one sweep.
    ///
    /// # Errors
    /// Like [`Tape::sweep`](crate::tape::Tape::sweep).
    ///
    /// # Panics
    /// If the seed has not as many coordinates as the outputs.
    #[track_caller]
    pub fn vjp(&self, seed: &[f64]) -> Result<Vec<f64>, Error> {
        let mut recorded = self.recorded();
        let results = recorded.results();
        let needed = outputs_of::<F, Taped>(&results).len();
        assert!(
            seed.len() == needed,
            "a seed of {} numbers for outputs of {needed}",
            seed.len()
        );
        let seed = F::Output::<Taped>::from_coordinates(&results, &mut &*seed);
        recorded
            .pull(seed)
            .map(|x_b| coordinates_of::<F::Inputs>(&x_b))
    }
    #[track_caller]
    fn recorded(&self) -> RefMut<'_, Box<RecordedIn<F>>> {
        let mut recorded = self.recorded.borrow_mut();
        if recorded.is_none() {
            let call = |x: <F::Inputs as InputShape>::View<'_, Taped>| self.function.call(x);
            *recorded = Some(Box::new(RecordedIn::<F>::new(call, self.at.clone())));
        }
        RefMut::map(recorded, |recorded| {
            recorded
                .as_mut()
                .unwrap_or_else(|| unreachable!("recorded above"))
        })
    }
    /// The Jacobian times a direction, by one run in forward mode.
    ///
    /// # Errors
    /// If an operation has no tangent ([`Error::MissingRule`]), or that of an external function fails.
    ///
    /// # Panics
    /// If the direction has not as many coordinates as the inputs.
    #[track_caller]
    pub fn jvp(&self, direction: &[f64]) -> Result<Vec<f64>, Error> {
        assert_direction(direction, self.inputs());
        let direction = F::Inputs::from_coordinates(&self.at, &mut &*direction);
        let [product] = self.push_forward([&direction])?;
        Ok(product)
    }
    #[track_caller]
    fn push_forward<const N: usize>(
        &self,
        directions: [&ValuesOf<F>; N],
    ) -> Result<[Vec<f64>; N], Error> {
        let inputs = F::Inputs::with_tangents(&self.at, directions);
        let run = || self.function.call(F::Inputs::view(&inputs)).evaluate();
        let outputs = watch(run).map_err(Error::no_tangent)?;
        let mut each = [const { Vec::new() }; N];
        for (j, each) in each.iter_mut().enumerate() {
            let tangents = F::Output::<Forward<N>>::each(&outputs, &mut TangentOf(j))?;
            F::Output::<Forward<N>>::coordinates(&tangents, each);
        }
        Ok(each)
    }
    /// The columns of the Jacobian that belong to these coordinates of the inputs: eight at once in forward mode, or rows by sweeps if
    /// there are few, or if an operation has no tangent.
    ///
    /// # Errors
    /// Like [`Tape::sweep`](crate::tape::Tape::sweep).
    ///
    /// # Panics
    /// If the inputs have fewer coordinates.
    #[track_caller]
    pub fn jacobian_of(&self, columns: Range<usize>) -> Result<Jacobian, Error> {
        assert_within(&columns, self.inputs());
        let rows = self.values().len();
        if columns.len().div_ceil(MANY) <= rows {
            match self.columns(rows, columns.clone()) {
                Err(Error::MissingRule(_)) => {}
                found => return found,
            }
        }
        let mut values = Vec::with_capacity(rows * columns.len());
        let mut recorded = self.recorded();
        for row in 0..rows {
            let row = coordinates_of::<F::Inputs>(&recorded.row(row)?);
            values.extend_from_slice(&row[columns.clone()]);
        }
        Ok(Jacobian::new(rows, columns.len(), values))
    }
    #[track_caller]
    fn columns(&self, rows: usize, columns: Range<usize>) -> Result<Jacobian, Error> {
        let count = columns.len();
        let mut values = vec![0.0; rows * count];
        let mut direction = vec![0.0; self.inputs()];
        for first in (0..count).step_by(MANY) {
            let units: [_; MANY] = from_fn(|j| {
                let at = (first + j < count).then_some(columns.start + first + j);
                at.into_iter().for_each(|i| direction[i] = 1.0);
                let unit = F::Inputs::from_coordinates(&self.at, &mut &direction[..]);
                at.into_iter().for_each(|i| direction[i] = 0.0);
                unit
            });
            let columns = self.push_forward::<MANY>(units.each_ref())?;
            for (j, column) in columns.iter().enumerate().take(count - first) {
                for (row, entry) in column.iter().enumerate() {
                    values[row * count + first + j] = *entry;
                }
            }
        }
        Ok(Jacobian::new(rows, count, values))
    }
}
fn coordinates_of<S: FlatShape>(values: &S::Values) -> Vec<f64> {
    let mut all = Vec::new();
    S::coordinates(values, &mut all);
    all
}
fn outputs_of<F: Function, M: Mode>(values: &F::Values) -> Vec<f64> {
    let mut all = Vec::new();
    F::Output::<M>::coordinates(values, &mut all);
    all
}
#[track_caller]
fn assert_within(of: &Range<usize>, inputs: usize) {
    assert!(of.end <= inputs, "coordinates {of:?} of {inputs} inputs");
}
#[track_caller]
fn assert_direction(direction: &[f64], needed: usize) {
    assert!(
        direction.len() == needed,
        "a direction of {} numbers for inputs of {needed}",
        direction.len()
    );
}

/// A [`Function`] with one real result at a point, with its gradient and products with its Hessian there. All vectors consist of the real
/// [coordinates](crate::coordinates::Coordinates) of the inputs. The function is recorded once, when it is first swept.
///
/// ```
/// use entape_core::{driver::Curvature, expr::Active, function};
///
/// #[function]
/// fn product(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[0] * x[1]
/// }
/// let f = Curvature::new(product {}, &[2.0, 3.0]);
/// let (gradient, row) = f.hessian_vector(&[1.0, 0.0])?;
/// assert_eq!((gradient, row), (vec![12.0, 4.0], vec![6.0, 4.0]));
/// assert_eq!(f.hessian_of(0..2)?.as_slice(), [6.0, 4.0, 4.0, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub struct Curvature<F: Function> {
    function: F,
    at: ValuesOf<F>,
    recorded: RefCell<Option<Box<RecordedIn<F>>>>,
}
debug_by_name! { [F: Function] Curvature<F> }
impl<F> Curvature<F>
where
    F: Function<Values = f64>,
    F::Output<Taped>: Outputs<Taped, Variables = Active<f64>>,
{
    /// The function at these inputs. Nothing is computed yet.
    pub fn new(function: F, at: impl IntoValues<F::Inputs>) -> Self {
        Self::at(function, at.into_values())
    }
    /// Like [`new`](Self::new), with inputs in the form of the shape.
    pub fn at(function: F, at: ValuesOf<F>) -> Self {
        Curvature {
            function,
            at,
            recorded: RefCell::new(None),
        }
    }
    /// The number of coordinates of the inputs.
    pub fn inputs(&self) -> usize {
        coordinates_of::<F::Inputs>(&self.at).len()
    }
    #[track_caller]
    fn gradient_and_products<const N: usize>(
        &self,
        directions: &[ValuesOf<F>],
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Error>
    where
        crate::tape::Count: crate::tape::Directed<N>,
    {
        let mut recorded = self.recorded.borrow_mut();
        let recorded = recorded.get_or_insert_with(|| {
            Box::new(RecordedIn::<F>::for_second(
                |x| self.function.call(x),
                self.at.clone(),
            ))
        });
        let (gradient, products) = recorded.gradient_and_products::<N>(directions)?;
        let products = products.iter().map(coordinates_of::<F::Inputs>).collect();
        Ok((coordinates_of::<F::Inputs>(&gradient), products))
    }
    /// The gradient, and the Hessian times a direction.
    ///
    /// # Errors
    /// If an operation has no second derivative ([`Error::MissingRule`]), and like [`Tape::sweep`](crate::tape::Tape::sweep).
    ///
    /// # Panics
    /// If the direction has not as many coordinates as the inputs.
    #[track_caller]
    pub fn hessian_vector(&self, direction: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Error> {
        assert_direction(direction, self.inputs());
        let direction = F::Inputs::from_coordinates(&self.at, &mut &*direction);
        let (gradient, mut products) = self.gradient_and_products::<1>(&[direction])?;
        Ok((gradient, products.swap_remove(0)))
    }
    /// The rows and columns of the Hessian that belong to these coordinates of the inputs, by sweeps for eight of them at once.
    ///
    /// # Errors
    /// Like [`hessian_vector`](Self::hessian_vector).
    ///
    /// # Panics
    /// If the inputs have fewer coordinates.
    #[track_caller]
    pub fn hessian_of(&self, of: Range<usize>) -> Result<Jacobian, Error> {
        assert_within(&of, self.inputs());
        let mut values = Vec::with_capacity(of.len() * of.len());
        let mut direction = vec![0.0; self.inputs()];
        for first in of.clone().step_by(MANY) {
            let block = first..(first + MANY).min(of.end);
            let units: Vec<_> = block
                .map(|i| {
                    direction[i] = 1.0;
                    let unit = F::Inputs::from_coordinates(&self.at, &mut &direction[..]);
                    direction[i] = 0.0;
                    unit
                })
                .collect();
            let (_, products) = match units.len() {
                1 => self.gradient_and_products::<1>(&units)?,
                _ => self.gradient_and_products::<MANY>(&units)?,
            };
            products
                .iter()
                .for_each(|row| values.extend_from_slice(&row[of.clone()]));
        }
        Ok(Jacobian::new(of.len(), of.len(), values))
    }
}
