//! What a driver takes and gives: values in lists, arrays and tuples.
use super::{Gradient, Tape};
use crate::{
    coordinates::Coordinates,
    error::Error,
    expr::{Active, Expr, ValueOf},
    kind::{Kind, Slot, Val, index},
    mode::Taped,
    node::Node,
    real::Real,
};
use std::{convert::identity, marker::PhantomData};

/// The inputs of a function: plain values of which a driver makes variables.
///
/// | the driver is given | the function gets | the gradient is |
/// |---|---|---|
/// | `&[f64]`, `&Vec<f64>`, `Vec<f64>` | `&[Real]` | `Vec<f64>` |
/// | `&[f64; N]` | `&[Real]` | `[f64; N]` |
/// | `[f64; N]` | `[Real; N]` | `[f64; N]` |
/// | `f64` | `Real` | `f64` |
/// | a tuple of any of these | the tuple of what they become | the tuple of the gradients |
///
/// with `Real = Active<f64>`; `f32` in place of `f64` likewise, and in lists and arrays the values of every
/// kind. `P` tells inputs of several kinds apart and follows from the type.
///
/// A DSL lets its values stand alone, too, with its kind as `P`:
/// ```
/// use entape_core::{driver::{Inputs, SingleShape, gradient}, expr::Active, kind};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Pair(f64, f64);
///
/// #[kind(
///     value = Pair,
///     zero = |_| Pair(0.0, 0.0),
///     add = |into, from| *into = Pair(into.0 + from.0, into.1 + from.1),
///     adjoint = Option<Pair>,
/// )]
/// struct PairKind;
///
/// impl Inputs<PairKind> for Pair {
///     type Shape = SingleShape<PairKind>; // `SingleRefShape<..>` for storage kinds
///     fn into_values(self) -> Pair {
///         self
///     }
/// }
/// let (z_b, x_b) = gradient(|(_, x): (Active<PairKind>, Active<f64>)| x * x, (Pair(1.0, 2.0), 3.0))?;
/// assert_eq!((z_b, x_b), (Pair(0.0, 0.0), 6.0));
/// # Ok::<(), entape_core::driver::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the input of a driver",
    note = "inputs are numbers, values of kinds, lists and arrays of them, and tuples of all these"
)]
pub trait Inputs<P> {
    /// The shape of the values.
    type Shape: InputShape;
    /// The plain values.
    fn into_values(self) -> <Self::Shape as InputShape>::Values;
}

/// The shape of the inputs of a function, as a type. Users need the types that implement [`Inputs`]; code that is
/// generic over drivers needs this trait.
pub trait InputShape {
    /// Plain values in this shape; the gradient has it, too.
    type Values: Clone;
    /// The variables, as the driver keeps them.
    type Variables;
    /// The variables, as the function gets them.
    type View<'v>;
    /// Makes inputs of a tape.
    fn inputs(values: &Self::Values, tape: &mut Tape) -> Self::Variables;
    /// Makes variables without identifiers.
    fn passive(values: &Self::Values) -> Self::Variables;
    /// Zeros in the shape of `values`.
    fn zero(values: &Self::Values) -> Self::Values;
    /// The variables in the form in which the function gets them.
    fn view(variables: &Self::Variables) -> Self::View<'_>;
    /// The gradient with respect to all variables.
    fn gradient(
        variables: &Self::Variables,
        gradient: &Gradient<'_>,
    ) -> Result<Self::Values, Error>;
}
/// A shape of which all values have real coordinates.
pub trait FlatShape: InputShape {
    /// The least precision of a coordinate.
    const EPSILON: f64;
    /// Appends the coordinates of all values.
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>);
    /// The values in the shape of `like` whose coordinates are the first of `from`.
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values;
}

/// One value of a value kind `K`; the function gets the variable by value.
pub struct SingleShape<K>(PhantomData<K>);
/// One value of any kind `K`; the function gets the variable by reference.
pub struct SingleRefShape<K>(PhantomData<K>);
/// Any number of values of kind `K`.
pub struct ListShape<K>(PhantomData<K>);
/// `N` values of kind `K`, by reference.
pub struct SliceShape<K, const N: usize>(PhantomData<K>);
/// `N` values of kind `K`, by value.
pub struct ArrayShape<K, const N: usize>(PhantomData<K>);

/// Kinds whose variables can be copied.
pub trait ValueKind: Kind<Policy = index::Linear, Value: Copy> {}
impl<K: Kind<Policy = index::Linear, Value: Copy>> ValueKind for K {}

/// A copy of the variable.
fn again<K: ValueKind>(variable: &Active<K>) -> Active<K> {
    Active::from_parts(
        variable.get().clone(),
        variable.variable_id(),
        Slot::default(),
    )
}
fn input<K: Kind>(value: &Val<K>, tape: &mut Tape) -> Active<K> {
    tape.input_as(value.clone())
}

impl<T: Real<Value = T> + ValueKind> Inputs<T> for T {
    type Shape = SingleShape<T>;
    fn into_values(self) -> T {
        self
    }
}

/// Lists and arrays as inputs.
macro_rules! inputs { ($([$($of:tt)*] $T:ty as $Shape:ty, $self:ident => $values:expr;)*) => { $(
    impl<$($of)*> Inputs<ListShape<K>> for $T {
        type Shape = $Shape;
        fn into_values($self) -> <$Shape as InputShape>::Values {
            $values
        }
    }
)* } }
inputs! {
    [K: Kind, V: ValueOf<K> + Clone] &[V] as ListShape<K>, self => self.iter().map(|v| v.clone().into_value()).collect();
    [K: Kind, V: ValueOf<K> + Clone] &Vec<V> as ListShape<K>, self => self.as_slice().into_values();
    [K: Kind, V: ValueOf<K>] Vec<V> as ListShape<K>, self => self.into_iter().map(V::into_value).collect();
    [K: Kind, V: ValueOf<K> + Clone, const N: usize] &[V; N] as SliceShape<K, N>, self => self.clone().map(V::into_value);
    [K: ValueKind, V: ValueOf<K>, const N: usize] [V; N] as ArrayShape<K, N>, self => self.map(V::into_value);
}

/// The two shapes of single values.
macro_rules! singles { ($($Shape:ident: $Kind:path, $View:ty, $view:path;)*) => { $(
    impl<K: $Kind> InputShape for $Shape<K> {
        type Values = Val<K>;
        type Variables = Active<K>;
        type View<'v> = $View;
        fn inputs(value: &Val<K>, tape: &mut Tape) -> Active<K> {
            input(value, tape)
        }
        fn passive(value: &Val<K>) -> Active<K> {
            Active::passive(value.clone())
        }
        fn zero(value: &Val<K>) -> Val<K> {
            K::zero_like(value)
        }
        fn view(variable: &Active<K>) -> Self::View<'_> {
            $view(variable)
        }
        fn gradient(variable: &Active<K>, gradient: &Gradient<'_>) -> Result<Val<K>, Error> {
            gradient.wrt(variable)
        }
    }
    impl<K: Coordinates + $Kind> FlatShape for $Shape<K> {
        const EPSILON: f64 = K::EPSILON;
        fn coordinates(value: &Val<K>, into: &mut Vec<f64>) {
            K::coordinates(value, into);
        }
        fn from_coordinates(like: &Val<K>, from: &mut &[f64]) -> Val<K> {
            K::from_coordinates(like, from)
        }
    }
)* } }
singles! {
    SingleShape: ValueKind, Active<K>, again;
    SingleRefShape: Kind, &'v Active<K>, identity;
}

impl<K: Kind> InputShape for ListShape<K> {
    type Values = Vec<Val<K>>;
    type Variables = Vec<Active<K>>;
    type View<'v> = &'v [Active<K>];
    fn inputs(values: &Vec<Val<K>>, tape: &mut Tape) -> Vec<Active<K>> {
        tape.inputs_as(values.clone())
    }
    fn passive(values: &Vec<Val<K>>) -> Vec<Active<K>> {
        values.iter().map(|v| Active::passive(v.clone())).collect()
    }
    fn zero(values: &Vec<Val<K>>) -> Vec<Val<K>> {
        values.iter().map(K::zero_like).collect()
    }
    fn view(variables: &Vec<Active<K>>) -> &[Active<K>] {
        variables
    }
    fn gradient(variables: &Vec<Active<K>>, gradient: &Gradient<'_>) -> Result<Vec<Val<K>>, Error> {
        variables.iter().map(|x| gradient.wrt(x)).collect()
    }
}
impl<K: Coordinates> FlatShape for ListShape<K> {
    const EPSILON: f64 = K::EPSILON;
    fn coordinates(values: &Vec<Val<K>>, into: &mut Vec<f64>) {
        values.iter().for_each(|v| K::coordinates(v, into));
    }
    fn from_coordinates(like: &Vec<Val<K>>, from: &mut &[f64]) -> Vec<Val<K>> {
        like.iter().map(|v| K::from_coordinates(v, from)).collect()
    }
}

fn as_slice<K: Kind>(variables: &[Active<K>]) -> &[Active<K>] {
    variables
}
fn all_again<K: ValueKind, const N: usize>(variables: &[Active<K>; N]) -> [Active<K>; N] {
    variables.each_ref().map(again)
}
/// The two shapes of arrays.
macro_rules! arrays { ($($Shape:ident: $Kind:path, $View:ty, $view:path;)*) => { $(
    impl<K: $Kind, const N: usize> InputShape for $Shape<K, N> {
        type Values = [Val<K>; N];
        type Variables = [Active<K>; N];
        type View<'v> = $View;
        fn inputs(values: &[Val<K>; N], tape: &mut Tape) -> [Active<K>; N] {
            values.each_ref().map(|v| input(v, tape))
        }
        fn passive(values: &[Val<K>; N]) -> [Active<K>; N] {
            values.each_ref().map(|v| Active::passive(v.clone()))
        }
        fn zero(values: &[Val<K>; N]) -> [Val<K>; N] {
            values.each_ref().map(K::zero_like)
        }
        fn view(variables: &[Active<K>; N]) -> Self::View<'_> {
            $view(variables)
        }
        fn gradient(variables: &[Active<K>; N], gradient: &Gradient<'_>) -> Result<[Val<K>; N], Error> {
            let mut all = Vec::with_capacity(N);
            for x in variables {
                all.push(gradient.wrt(x)?);
            }
            Ok(all.try_into().unwrap_or_else(|_| unreachable!("one gradient for each variable")))
        }
    }
    impl<K: Coordinates + $Kind, const N: usize> FlatShape for $Shape<K, N> {
        const EPSILON: f64 = K::EPSILON;
        fn coordinates(values: &[Val<K>; N], into: &mut Vec<f64>) {
            values.iter().for_each(|v| K::coordinates(v, into));
        }
        fn from_coordinates(like: &[Val<K>; N], from: &mut &[f64]) -> [Val<K>; N] {
            like.each_ref().map(|v| K::from_coordinates(v, from))
        }
    }
)* } }
arrays! {
    SliceShape: Kind, &'v [Active<K>], as_slice;
    ArrayShape: ValueKind, [Active<K>; N], all_again;
}

/// The lowest of several precisions.
const fn coarsest(all: &[f64]) -> f64 {
    let (mut epsilon, mut i) = (0.0, 0);
    while i < all.len() {
        if all[i] > epsilon {
            epsilon = all[i];
        }
        i += 1;
    }
    epsilon
}

/// A tuple of shapes is a shape, and a tuple of outputs is an output.
macro_rules! tuples { ($($($S:ident $I:ident $x:ident $i:tt)*;)*) => { $(
    impl<$($S, $I: Inputs<$S>),*> Inputs<($($S,)*)> for ($($I,)*) {
        type Shape = ($($I::Shape,)*);
        fn into_values(self) -> <Self::Shape as InputShape>::Values {
            let ($($x,)*) = self;
            ($($x.into_values(),)*)
        }
    }
    impl<$($S: InputShape),*> InputShape for ($($S,)*) {
        type Values = ($($S::Values,)*);
        type Variables = ($($S::Variables,)*);
        type View<'v> = ($($S::View<'v>,)*);
        fn inputs(values: &Self::Values, tape: &mut Tape) -> Self::Variables {
            ($($S::inputs(&values.$i, tape),)*)
        }
        fn passive(values: &Self::Values) -> Self::Variables {
            ($($S::passive(&values.$i),)*)
        }
        fn zero(values: &Self::Values) -> Self::Values {
            ($($S::zero(&values.$i),)*)
        }
        fn view(variables: &Self::Variables) -> Self::View<'_> {
            ($($S::view(&variables.$i),)*)
        }
        fn gradient(variables: &Self::Variables, gradient: &Gradient<'_>) -> Result<Self::Values, Error> {
            Ok(($($S::gradient(&variables.$i, gradient)?,)*))
        }
    }
    impl<$($S: FlatShape),*> FlatShape for ($($S,)*) {
        const EPSILON: f64 = coarsest(&[$($S::EPSILON),*]);
        fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
            $( $S::coordinates(&values.$i, into); )*
        }
        fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
            ($($S::from_coordinates(&like.$i, from),)*)
        }
    }
    impl<$($S: Outputs),*> Outputs for ($($S,)*) {
        type Values = ($($S::Values,)*);
        type Variables = ($($S::Variables,)*);
        fn evaluate(self) -> Self::Variables {
            ($(self.$i.evaluate(),)*)
        }
        fn values(variables: &Self::Variables) -> Self::Values {
            ($($S::values(&variables.$i),)*)
        }
        fn seed(variables: &Self::Variables, seeds: Self::Values, tape: &mut Tape) -> Result<bool, Error> {
            let mut any = false;
            $( any |= $S::seed(&variables.$i, seeds.$i, tape)?; )*
            Ok(any)
        }
    }
    impl<$($S: FlatOutputs),*> FlatOutputs for ($($S,)*) {
        const EPSILON: f64 = coarsest(&[$($S::EPSILON),*]);
        fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
            $( $S::coordinates(&values.$i, into); )*
        }
        fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
            ($($S::from_coordinates(&like.$i, from),)*)
        }
    }
)* } }
tuples! {
    S0 I0 x0 0;
    S0 I0 x0 0 S1 I1 x1 1;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2 S3 I3 x3 3;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2 S3 I3 x3 3 S4 I4 x4 4;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2 S3 I3 x3 3 S4 I4 x4 4 S5 I5 x5 5;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2 S3 I3 x3 3 S4 I4 x4 4 S5 I5 x5 5 S6 I6 x6 6;
    S0 I0 x0 0 S1 I1 x1 1 S2 I2 x2 2 S3 I3 x3 3 S4 I4 x4 4 S5 I5 x5 5 S6 I6 x6 6 S7 I7 x7 7;
}

/// What a function returns to a driver: a variable, an expression (which the driver evaluates), or a
/// list, an array or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the output of a function that a driver calls",
    note = "outputs are variables, expressions, lists and arrays of them, and tuples of all these"
)]
pub trait Outputs {
    /// Plain values in the same shape.
    type Values: Clone;
    /// The variables.
    type Variables;
    /// Evaluates those outputs that are expressions.
    #[track_caller]
    fn evaluate(self) -> Self::Variables;
    /// The plain values.
    fn values(variables: &Self::Variables) -> Self::Values;
    /// Gives each output its seed. Outputs that depend on no input are skipped; returns whether there was another one.
    ///
    /// # Panics
    /// If a list of seeds has another length than the list of outputs.
    #[track_caller]
    fn seed(
        variables: &Self::Variables,
        seeds: Self::Values,
        tape: &mut Tape,
    ) -> Result<bool, Error>;
}
/// Outputs of which all values have real coordinates.
pub trait FlatOutputs: Outputs {
    /// The least precision of a coordinate.
    const EPSILON: f64;
    /// Appends the coordinates of all values.
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>);
    /// The values in the shape of `like` whose coordinates are the first of `from`.
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values;
}

#[track_caller]
fn seed<K: Kind>(variable: &Active<K>, seed: Val<K>, tape: &mut Tape) -> Result<bool, Error> {
    if variable.is_active() {
        tape.seed(variable, seed)?;
    }
    Ok(variable.is_active())
}

/// One output.
macro_rules! single { ([$($of:tt)*] $T:ty, $self:ident => $evaluate:expr) => {
    impl<K: Kind, $($of)*> Outputs for $T {
        type Values = Val<K>;
        type Variables = Active<K>;
        fn evaluate($self) -> Active<K> {
            $evaluate
        }
        fn values(variable: &Active<K>) -> Val<K> {
            variable.get().clone()
        }
        fn seed(variable: &Active<K>, seeds: Val<K>, tape: &mut Tape) -> Result<bool, Error> {
            seed(variable, seeds, tape)
        }
    }
    impl<K: Coordinates, $($of)*> FlatOutputs for $T {
        const EPSILON: f64 = K::EPSILON;
        fn coordinates(values: &Val<K>, into: &mut Vec<f64>) {
            K::coordinates(values, into);
        }
        fn from_coordinates(like: &Val<K>, from: &mut &[f64]) -> Val<K> {
            K::from_coordinates(like, from)
        }
    }
} }
single!([] Active<K>, self => self);
single!([N: Node<Kind = K>] Expr<K, Taped, N>, self => self.eval());

impl<O: Outputs> Outputs for Vec<O> {
    type Values = Vec<O::Values>;
    type Variables = Vec<O::Variables>;
    fn evaluate(self) -> Self::Variables {
        // In a closure, the user's line would be lost.
        let mut variables = Vec::with_capacity(self.len());
        for output in self {
            variables.push(output.evaluate());
        }
        variables
    }
    fn values(variables: &Self::Variables) -> Self::Values {
        variables.iter().map(O::values).collect()
    }
    fn seed(
        variables: &Self::Variables,
        seeds: Self::Values,
        tape: &mut Tape,
    ) -> Result<bool, Error> {
        let (outputs, given) = (variables.len(), seeds.len());
        assert!(
            outputs == given,
            "{given} seeds for {outputs} outputs: one for each is needed"
        );
        let mut any = false;
        for (x, seed) in variables.iter().zip(seeds) {
            any |= O::seed(x, seed, tape)?;
        }
        Ok(any)
    }
}
impl<O: FlatOutputs> FlatOutputs for Vec<O> {
    const EPSILON: f64 = O::EPSILON;
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| O::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.iter().map(|v| O::from_coordinates(v, from)).collect()
    }
}
impl<O: Outputs, const N: usize> Outputs for [O; N] {
    type Values = [O::Values; N];
    type Variables = [O::Variables; N];
    fn evaluate(self) -> Self::Variables {
        let variables = Vec::from(self).evaluate();
        match variables.try_into() {
            Ok(variables) => variables,
            Err(_) => unreachable!("as many variables as outputs"),
        }
    }
    fn values(variables: &Self::Variables) -> Self::Values {
        variables.each_ref().map(O::values)
    }
    fn seed(
        variables: &Self::Variables,
        seeds: Self::Values,
        tape: &mut Tape,
    ) -> Result<bool, Error> {
        let mut any = false;
        for (x, seed) in variables.iter().zip(seeds) {
            any |= O::seed(x, seed, tape)?;
        }
        Ok(any)
    }
}
impl<O: FlatOutputs, const N: usize> FlatOutputs for [O; N] {
    const EPSILON: f64 = O::EPSILON;
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| O::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.each_ref().map(|v| O::from_coordinates(v, from))
    }
}
