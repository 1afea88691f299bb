use super::{FlatStructure, IntoValues, Outputs, Structure};
use crate::{
    error::Error,
    mode::{Mode, Plain},
};
use std::{marker::PhantomData, rc::Rc, sync::Arc};

/// A function that runs in every mode. Drivers that need several modes take it instead of a closure, which is not generic.
///
/// The attribute [`#[function]`](macro@crate::function) makes one from a function, with passive arguments as fields:
/// `fn cost(x: &[Real], data: &[f64]) -> Real` becomes `cost { data: &data }`. Otherwise implement the trait for a type:
///
/// ```
/// use entape_core::{structure::{Function, ListShape}, expr::Active, mode::Mode};
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

/// A closure or a function of the [views](Structure::View) of inputs in the mode `M`, or a [`Function`]. `B` distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "a driver cannot call `{Self}` with inputs in the structure `{S}` and of the mode `{M}`",
    label = "a closure of other inputs, or a type that is not a function",
    note = "a closure names the type of its inputs, which are one argument: `|x: &[Real]| ..`, `|(a, b): (Real, &Matrix)| ..`",
    note = "the driver `jvp` passes variables of another mode than the others: `Real<Forward>`",
    note = "a function with `#[entape::function]` is called in all modes, as `f` or, with its data, as `f {{ data: &data }}`"
)]
pub trait Runs<S: Structure, M: Mode, B> {
    /// The outputs.
    type Output;
    /// Returns the outputs at `x`.
    // Not `#[track_caller]`, as in `Function`.
    fn run(self, x: S::View<'_, M>) -> Self::Output;
}
#[derive(Debug)]
pub struct Called<O>(PhantomData<O>);
#[derive(Debug)]
pub enum OfFunction {}
impl<S: Structure, M: Mode, O, F: FnOnce(S::View<'_, M>) -> O> Runs<S, M, Called<O>> for F {
    type Output = O;
    #[inline]
    fn run(self, x: S::View<'_, M>) -> O {
        self(x)
    }
}
impl<S: SameViews<F::Inputs, M>, M: Mode, F: Function> Runs<S, M, OfFunction> for F {
    type Output = F::Output<M>;
    #[inline]
    fn run(self, x: S::View<'_, M>) -> F::Output<M> {
        self.call(S::same(x))
    }
}
/// A structure whose views are views of `T`: the views of an array and a list are both slices.
// With a bound on the views instead of a trait, the compiler would compare them before the structures are inferred.
#[diagnostic::on_unimplemented(
    message = "a function of inputs in the structure `{T}` cannot take values in the structure `{Self}`",
    label = "the inputs of the function differ from the values"
)]
pub trait SameViews<T: Structure, M: Mode>: Structure {
    fn same<'v>(view: Self::View<'v, M>) -> T::View<'v, M>;
}
impl<S: Structure, T, M: Mode> SameViews<T, M> for S
where
    T: for<'v> Structure<View<'v, M> = S::View<'v, M>>,
{
    #[inline]
    fn same<'v>(view: S::View<'v, M>) -> T::View<'v, M> {
        view
    }
}
