//! Functions that run in several modes.
use super::{
    ArrayShape, FlatOutputs, FlatShape, InputShape, ListShape, Outputs, SingleShape, SliceShape,
    ValueKind,
};
use crate::{
    expr::ValueOf,
    kind::{Kind, Val},
    mode::{Mode, Plain},
};

/// A function that runs in every mode: recorded for its gradient, with tangents, and plain for its values. Closures are not
/// generic, so drivers that need several modes take a `Function`, as does an [`Objective`](super::Objective).
///
/// The attribute [`#[function]`](macro@crate::function) turns a function into one, with its passive arguments as fields:
/// `fn cost(x: &[Real], data: &[f64]) -> Real` becomes `cost { data: &data }`. Functions that the attribute does not support
/// are implemented for a custom type:
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
    message = "`{Self}` is no function that runs in every mode",
    note = "write a function with `#[entape::function]`, `fn f(x: &[Real]) -> Real`, and `f {{}}` in this place; \
            data are further arguments, and fields: `f {{ data: &data }}`",
    note = "an objective of a closure over `Real`s is `Objective::recorded(closure)`"
)]
pub trait Function {
    /// The shape of the inputs.
    type Inputs: FlatShape;
    /// The plain values of the outputs.
    type Values: Clone;
    /// What the function returns in a mode.
    type Output<M: Mode>: FlatOutputs<M, Values = Self::Values>;
    /// The outputs at `x`.
    // It is not `#[track_caller]`, so that mistakes are reported at lines of the function itself.
    fn call<M: Mode>(&self, x: <Self::Inputs as InputShape>::View<'_, M>) -> Self::Output<M>;
    /// The values at `x`, in plain mode.
    #[track_caller]
    fn value(&self, x: impl IntoValues<Self::Inputs>) -> Self::Values {
        let x = Self::Inputs::passive::<Plain>(&x.into_values());
        Self::Output::values(&self.call(Self::Inputs::view(&x)).evaluate())
    }
}
impl<F: Function> Function for &F {
    type Inputs = F::Inputs;
    type Values = F::Values;
    type Output<M: Mode> = F::Output<M>;
    fn call<M: Mode>(&self, x: <F::Inputs as InputShape>::View<'_, M>) -> F::Output<M> {
        F::call(self, x)
    }
}

/// Plain values that can be given where values in the shape `S` are wanted: a list is also given by a slice or an array.
pub trait IntoValues<S: InputShape> {
    /// The values.
    fn into_values(self) -> S::Values;
}
macro_rules! into_values { ($([$($of:tt)*] $T:ty as $Shape:ty, $self:ident => $values:expr;)*) => { $(
    impl<$($of)*> IntoValues<$Shape> for $T {
        fn into_values($self) -> <$Shape as InputShape>::Values {
            $values
        }
    }
)* } }
into_values! {
    [K: Kind, V: ValueOf<K> + Clone] &[V] as ListShape<K>, self => self.iter().map(|v| v.clone().into_value()).collect();
    [K: Kind, V: ValueOf<K> + Clone] &Vec<V> as ListShape<K>, self => IntoValues::<ListShape<K>>::into_values(self.as_slice());
    [K: Kind, V: ValueOf<K>] Vec<V> as ListShape<K>, self => self.into_iter().map(V::into_value).collect();
    [K: Kind, V: ValueOf<K> + Clone, const N: usize] &[V; N] as ListShape<K>, self => IntoValues::<ListShape<K>>::into_values(self.as_slice());
    [K: Kind, V: ValueOf<K> + Clone, const N: usize] &[V; N] as SliceShape<K, N>, self => self.clone().map(V::into_value);
    [K: ValueKind, V: ValueOf<K>, const N: usize] [V; N] as ArrayShape<K, N>, self => self.map(V::into_value);
    [K: ValueKind, V: ValueOf<K>] V as SingleShape<K>, self => self.into_value();
    [K: Kind<Value: Clone>] &Val<K> as super::SingleRefShape<K>, self => self.clone();
}
macro_rules! tuples { ($($($S:ident $I:ident $x:ident)*;)*) => { $(
    impl<$($S: InputShape, $I: IntoValues<$S>),*> IntoValues<($($S,)*)> for ($($I,)*) {
        fn into_values(self) -> <($($S,)*) as InputShape>::Values {
            let ($($x,)*) = self;
            ($($x.into_values(),)*)
        }
    }
)* } }
tuples! {
    S0 I0 x0;
    S0 I0 x0 S1 I1 x1;
    S0 I0 x0 S1 I1 x1 S2 I2 x2;
    S0 I0 x0 S1 I1 x1 S2 I2 x2 S3 I3 x3;
}
