use crate::{
    error::Error,
    mode::{Mode, Plain},
    structure::{FlatStructure, IntoValues, Outputs, Structure},
};
use std::{rc::Rc, sync::Arc};

/// A function that runs in every mode: recorded, with tangents, and plain. Drivers that need several modes take it instead of a
/// closure, which is not generic.
///
/// The attribute [`#[function]`](macro@crate::function) turns a function into one, with its passive arguments as fields:
/// `fn cost(x: &[Real], data: &[f64]) -> Real` becomes `cost { data: &data }`. Other functions are implemented for a type:
///
/// ```
/// use entape_core::{driver::{Function, ListShape}, expr::Active, mode::Mode};
///
/// struct Power(usize);
/// impl Function for Power {
///     type Inputs = ListShape<f64>;
///     type Values = f64;
///     type Output<M: Mode> = Active<f64, M>;
///     fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
///         vec![x[0]; self.0].into_iter().product()
///     }
/// }
/// assert_eq!(Power(3).value(&[2.0]), 8.0);
/// ```
///
/// Inputs and outputs have any shape that drivers accept:
///
/// | `Inputs` | `call` receives | | `Values` | `Output<M>` |
/// |---|---|---|---|---|
/// | `ListShape<f64>` | `&[Active<f64, M>]` | | `f64` | `Active<f64, M>` |
/// | `ArrayShape<f64, N>` | `[Active<f64, M>; N]` | | `Vec<f64>` | `Vec<Active<f64, M>>` |
/// | `SingleShape<f64>` | `Active<f64, M>` | | `[f64; N]` | `[Active<f64, M>; N]` |
/// | `SingleRefShape<K>` of a storage kind | `&Active<K, M>` | | the value of a kind | its variable |
/// | a tuple of these shapes | a tuple of their views | | a tuple | a tuple |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that runs in every mode",
    note = "declare `#[entape::function] fn f(x: &[Real]) -> Real` and pass `f {{}}` here; further arguments become fields: `f {{ data: &data }}`",
    note = "for a closure over `Real`s, use `Objective::recorded(closure)`"
)]
pub trait Function {
    /// The structure of the inputs.
    type Inputs: FlatStructure;
    /// The plain values of the outputs.
    type Values: Clone + 'static;
    /// The type of the outputs in a mode.
    type Output<M: Mode>: Outputs<M, Values = Self::Values, Structure: FlatStructure>;
    /// Returns the outputs at `x`.
    // Without `#[track_caller]`, so that mistakes are reported at lines of the function.
    fn call<M: Mode>(&self, x: <Self::Inputs as Structure>::View<'_, M>) -> Self::Output<M>;
    /// Returns the values at `x`, computed in plain mode; panics if the function returns an error.
    #[track_caller]
    fn value(&self, x: impl IntoValues<Self::Inputs>) -> Self::Values {
        match self.try_value(x) {
            Ok(values) => values,
            Err(error) => panic!("{error}: call `try_value` to handle the error"),
        }
    }
    /// Returns the plain values at `x`, or the error of the function ([`Error::Function`]).
    #[track_caller]
    fn try_value(&self, x: impl IntoValues<Self::Inputs>) -> Result<Self::Values, Error> {
        let x = Self::Inputs::passive::<Plain>(x.into_values());
        let outputs = self.call(Self::Inputs::view(&x)).evaluate()?;
        Ok(<Self::Output<Plain> as Outputs<Plain>>::Structure::values(
            &outputs,
        ))
    }
}
macro_rules! pointers { ($($T:ty)*) => { $(
    impl<F: Function> Function for $T {
        type Inputs = F::Inputs;
        type Values = F::Values;
        type Output<M: Mode> = F::Output<M>;
        fn call<M: Mode>(&self, x: <F::Inputs as Structure>::View<'_, M>) -> F::Output<M> {
            F::call(self, x)
        }
    }
)* } }
pointers! { &F Box<F> Rc<F> Arc<F> }
