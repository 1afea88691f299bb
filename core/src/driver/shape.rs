//! What a driver takes and gives: values in lists, arrays and tuples.
use super::Tape;
use crate::{
    coordinates::Coordinates,
    error::Error,
    expr::{Active, Expr, ValueOf},
    kind::{Kind, Val, index},
    mode::{Forward, Mode, Taped},
    node::Node,
    real::Real,
    tape::Records,
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
    type Variables<M: Mode>;
    /// The variables, as the function gets them.
    type View<'v, M: Mode>;
    /// Makes inputs of a tape.
    fn inputs<M: Mode + Records>(values: &Self::Values, tape: &mut Tape<M>) -> Self::Variables<M>;
    /// Makes variables without identifiers.
    fn passive<M: Mode>(values: &Self::Values) -> Self::Variables<M>;
    /// Makes variables with tangents of the same shape.
    ///
    /// # Panics
    /// If tangents have another shape than the values.
    #[track_caller]
    fn with_tangents<const N: usize>(
        values: &Self::Values,
        tangents: [&Self::Values; N],
    ) -> Self::Variables<Forward<N>>;
    /// Zeros in the shape of `values`.
    fn zero(values: &Self::Values) -> Self::Values;
    /// The variables in the form in which the function gets them.
    fn view<M: Mode>(variables: &Self::Variables<M>) -> Self::View<'_, M>;
    /// What `read` tells of each variable, for example the gradient with respect to it.
    fn each<M: Mode>(
        variables: &Self::Variables<M>,
        read: &mut impl ReadVariable<M>,
    ) -> Result<Self::Values, Error>;
    /// Passes each variable and its value to `visit`.
    ///
    /// # Panics
    /// If the values have another shape than the variables.
    #[track_caller]
    fn visit<M: Mode>(
        variables: &Self::Variables<M>,
        values: &Self::Values,
        visit: &mut impl VisitVariable<M>,
    ) -> Result<(), Error>;
}
/// Tells something of a variable that has the form of its value: its gradient, a tangent.
pub trait ReadVariable<M: Mode> {
    /// What is told.
    fn read<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error>;
}
/// Takes a variable together with a value of its kind: a seed, a tangent.
pub trait VisitVariable<M: Mode> {
    /// Takes them.
    #[track_caller]
    fn visit<K: Kind>(&mut self, variable: &Active<K, M>, value: &Val<K>) -> Result<(), Error>;
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
debug_by_name! { [K] SingleShape<K> }
/// One value of any kind `K`; the function gets the variable by reference.
pub struct SingleRefShape<K>(PhantomData<K>);
debug_by_name! { [K] SingleRefShape<K> }
/// Any number of values of kind `K`.
pub struct ListShape<K>(PhantomData<K>);
debug_by_name! { [K] ListShape<K> }
/// `N` values of kind `K`, by reference.
pub struct SliceShape<K, const N: usize>(PhantomData<K>);
debug_by_name! { [K, const N: usize] SliceShape<K, N> }
/// `N` values of kind `K`, by value.
pub struct ArrayShape<K, const N: usize>(PhantomData<K>);
debug_by_name! { [K, const N: usize] ArrayShape<K, N> }

/// Kinds whose variables can be copied.
pub trait ValueKind: Kind<Policy = index::Linear, Value: Copy> {}
impl<K: Kind<Policy = index::Linear, Value: Copy>> ValueKind for K {}

/// A copy of the variable.
fn again<K: ValueKind, M: Mode>(variable: &Active<K, M>) -> Active<K, M> {
    variable.same()
}
fn input<K: Kind, M: Records>(value: &Val<K>, tape: &mut Tape<M>) -> Active<K, M> {
    tape.input_as(value.clone())
}
#[track_caller]
fn with_tangents<K: Kind, const N: usize>(
    value: &Val<K>,
    tangents: [&Val<K>; N],
) -> Active<K, Forward<N>> {
    Active::with_tangents(value.clone(), tangents.map(Clone::clone))
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
        type Variables<M: Mode> = Active<K, M>;
        type View<'v, M: Mode> = $View;
        fn inputs<M: Mode + Records>(value: &Val<K>, tape: &mut Tape<M>) -> Active<K, M> {
            input(value, tape)
        }
        fn passive<M: Mode>(value: &Val<K>) -> Active<K, M> {
            Active::passive(value.clone())
        }
        fn with_tangents<const N: usize>(value: &Val<K>, tangents: [&Val<K>; N]) -> Active<K, Forward<N>> {
            with_tangents(value, tangents)
        }
        fn zero(value: &Val<K>) -> Val<K> {
            K::zero_like(value)
        }
        fn view<M: Mode>(variable: &Active<K, M>) -> Self::View<'_, M> {
            $view(variable)
        }
        fn each<M: Mode>(variable: &Active<K, M>, read: &mut impl ReadVariable<M>) -> Result<Val<K>, Error> {
            read.read(variable)
        }
        fn visit<M: Mode>(
            variable: &Active<K, M>,
            value: &Val<K>,
            visit: &mut impl VisitVariable<M>,
        ) -> Result<(), Error> {
            visit.visit(variable, value)
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
    SingleShape: ValueKind, Active<K, M>, again;
    SingleRefShape: Kind, &'v Active<K, M>, identity;
}

impl<K: Kind> InputShape for ListShape<K> {
    type Values = Vec<Val<K>>;
    type Variables<M: Mode> = Vec<Active<K, M>>;
    type View<'v, M: Mode> = &'v [Active<K, M>];
    fn inputs<M: Mode + Records>(values: &Vec<Val<K>>, tape: &mut Tape<M>) -> Vec<Active<K, M>> {
        tape.inputs_as(values.clone())
    }
    fn passive<M: Mode>(values: &Vec<Val<K>>) -> Vec<Active<K, M>> {
        values.iter().map(|v| Active::passive(v.clone())).collect()
    }
    fn with_tangents<const N: usize>(
        values: &Vec<Val<K>>,
        tangents: [&Vec<Val<K>>; N],
    ) -> Vec<Active<K, Forward<N>>> {
        tangents
            .iter()
            .for_each(|t| assert_count(values.len(), t.len()));
        let each = values.iter().enumerate();
        each.map(|(i, v)| with_tangents(v, tangents.map(|t| &t[i])))
            .collect()
    }
    fn zero(values: &Vec<Val<K>>) -> Vec<Val<K>> {
        values.iter().map(K::zero_like).collect()
    }
    fn view<M: Mode>(variables: &Vec<Active<K, M>>) -> &[Active<K, M>] {
        variables
    }
    fn each<M: Mode>(
        variables: &Vec<Active<K, M>>,
        read: &mut impl ReadVariable<M>,
    ) -> Result<Vec<Val<K>>, Error> {
        variables.iter().map(|x| read.read(x)).collect()
    }
    fn visit<M: Mode>(
        variables: &Vec<Active<K, M>>,
        values: &Vec<Val<K>>,
        visit: &mut impl VisitVariable<M>,
    ) -> Result<(), Error> {
        assert_count(variables.len(), values.len());
        let mut each = variables.iter().zip(values);
        each.try_for_each(|(x, value)| visit.visit(x, value))
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

#[track_caller]
fn assert_count(variables: usize, values: usize) {
    assert!(
        variables == values,
        "a direction of {values} numbers for {variables} inputs: one for each is needed"
    );
}
fn as_slice<K: Kind, M: Mode>(variables: &[Active<K, M>]) -> &[Active<K, M>] {
    variables
}
fn all_again<K: ValueKind, M: Mode, const N: usize>(
    variables: &[Active<K, M>; N],
) -> [Active<K, M>; N] {
    variables.each_ref().map(again)
}
/// The two shapes of arrays.
macro_rules! arrays { ($($Shape:ident: $Kind:path, $View:ty, $view:path;)*) => { $(
    impl<K: $Kind, const N: usize> InputShape for $Shape<K, N> {
        type Values = [Val<K>; N];
        type Variables<M: Mode> = [Active<K, M>; N];
        type View<'v, M: Mode> = $View;
        fn inputs<M: Mode + Records>(values: &[Val<K>; N], tape: &mut Tape<M>) -> [Active<K, M>; N] {
            values.each_ref().map(|v| input(v, tape))
        }
        fn passive<M: Mode>(values: &[Val<K>; N]) -> [Active<K, M>; N] {
            values.each_ref().map(|v| Active::passive(v.clone()))
        }
        fn with_tangents<const D: usize>(
            values: &[Val<K>; N],
            tangents: [&[Val<K>; N]; D],
        ) -> [Active<K, Forward<D>>; N] {
            std::array::from_fn(|i| with_tangents(&values[i], tangents.map(|t| &t[i])))
        }
        fn zero(values: &[Val<K>; N]) -> [Val<K>; N] {
            values.each_ref().map(K::zero_like)
        }
        fn view<M: Mode>(variables: &[Active<K, M>; N]) -> Self::View<'_, M> {
            $view(variables)
        }
        fn each<M: Mode>(
            variables: &[Active<K, M>; N],
            read: &mut impl ReadVariable<M>,
        ) -> Result<[Val<K>; N], Error> {
            let mut all = Vec::with_capacity(N);
            for x in variables {
                all.push(read.read(x)?);
            }
            Ok(all.try_into().unwrap_or_else(|_| unreachable!("one value for each variable")))
        }
        fn visit<M: Mode>(
            variables: &[Active<K, M>; N],
            values: &[Val<K>; N],
            visit: &mut impl VisitVariable<M>,
        ) -> Result<(), Error> {
            let mut each = variables.iter().zip(values);
            each.try_for_each(|(x, value)| visit.visit(x, value))
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
    SliceShape: Kind, &'v [Active<K, M>], as_slice;
    ArrayShape: ValueKind, [Active<K, M>; N], all_again;
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
        type Variables<M: Mode> = ($($S::Variables<M>,)*);
        type View<'v, M: Mode> = ($($S::View<'v, M>,)*);
        fn inputs<M: Mode + Records>(values: &Self::Values, tape: &mut Tape<M>) -> Self::Variables<M> {
            ($($S::inputs(&values.$i, tape),)*)
        }
        fn passive<M: Mode>(values: &Self::Values) -> Self::Variables<M> {
            ($($S::passive(&values.$i),)*)
        }
        fn with_tangents<const N: usize>(
            values: &Self::Values,
            tangents: [&Self::Values; N],
        ) -> Self::Variables<Forward<N>> {
            ($($S::with_tangents(&values.$i, tangents.map(|t| &t.$i)),)*)
        }
        fn zero(values: &Self::Values) -> Self::Values {
            ($($S::zero(&values.$i),)*)
        }
        fn view<M: Mode>(variables: &Self::Variables<M>) -> Self::View<'_, M> {
            ($($S::view(&variables.$i),)*)
        }
        fn each<M: Mode>(
            variables: &Self::Variables<M>,
            read: &mut impl ReadVariable<M>,
        ) -> Result<Self::Values, Error> {
            Ok(($($S::each(&variables.$i, read)?,)*))
        }
        fn visit<M: Mode>(
            variables: &Self::Variables<M>,
            values: &Self::Values,
            visit: &mut impl VisitVariable<M>,
        ) -> Result<(), Error> {
            $( $S::visit(&variables.$i, &values.$i, visit)?; )*
            Ok(())
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
    impl<M: Mode, $($S: Outputs<M>),*> Outputs<M> for ($($S,)*) {
        type Values = ($($S::Values,)*);
        type Variables = ($($S::Variables,)*);
        fn evaluate(self) -> Self::Variables {
            ($(self.$i.evaluate(),)*)
        }
        fn each(variables: &Self::Variables, read: &mut impl ReadVariable<M>) -> Result<Self::Values, Error> {
            Ok(($($S::each(&variables.$i, read)?,)*))
        }
        fn visit(
            variables: &Self::Variables,
            values: &Self::Values,
            visit: &mut impl VisitVariable<M>,
        ) -> Result<(), Error> {
            $( $S::visit(&variables.$i, &values.$i, visit)?; )*
            Ok(())
        }
    }
    impl<M: Mode, $($S: FlatOutputs<M>),*> FlatOutputs<M> for ($($S,)*) {
        const EPSILON: f64 = coarsest(&[$($S::EPSILON),*]);
        #[track_caller]
        fn each_mut(variables: &mut Self::Variables, change: &mut impl ChangeVariable<M>) {
            $( $S::each_mut(&mut variables.$i, change); )*
        }
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
pub trait Outputs<M: Mode = Taped> {
    /// Plain values in the same shape.
    type Values: Clone;
    /// The variables.
    type Variables;
    /// Evaluates those outputs that are expressions.
    #[track_caller]
    fn evaluate(self) -> Self::Variables;
    /// What `read` tells of each variable.
    fn each(
        variables: &Self::Variables,
        read: &mut impl ReadVariable<M>,
    ) -> Result<Self::Values, Error>;
    /// Passes each variable and a value of its kind to `visit`.
    ///
    /// # Panics
    /// If a list of values has another length than the list of outputs.
    #[track_caller]
    fn visit(
        variables: &Self::Variables,
        values: &Self::Values,
        visit: &mut impl VisitVariable<M>,
    ) -> Result<(), Error>;
    /// The plain values.
    fn values(variables: &Self::Variables) -> Self::Values {
        let values = Self::each(variables, &mut ReadValue);
        values.unwrap_or_else(|_| unreachable!("a variable has a value"))
    }
}
/// Outputs of which all values have real coordinates.
pub trait FlatOutputs<M: Mode = Taped>: Outputs<M> {
    /// The least precision of a coordinate.
    const EPSILON: f64;
    /// Appends the coordinates of all values.
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>);
    /// The values in the shape of `like` whose coordinates are the first of `from`.
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values;
    /// Passes each variable to `change`.
    #[track_caller]
    fn each_mut(variables: &mut Self::Variables, change: &mut impl ChangeVariable<M>);
}
/// Changes variables.
pub trait ChangeVariable<M: Mode> {
    /// Changes the next one.
    #[track_caller]
    fn change<K: Coordinates>(&mut self, variable: &mut Active<K, M>);
}

/// The value of a variable.
struct ReadValue;
impl<M: Mode> ReadVariable<M> for ReadValue {
    fn read<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error> {
        Ok(variable.get().clone())
    }
}
/// One output.
macro_rules! single { ([$($of:tt)*] $T:ty, $self:ident => $evaluate:expr) => {
    impl<K: Kind, M: Mode, $($of)*> Outputs<M> for $T {
        type Values = Val<K>;
        type Variables = Active<K, M>;
        fn evaluate($self) -> Active<K, M> {
            $evaluate
        }
        fn each(variable: &Active<K, M>, read: &mut impl ReadVariable<M>) -> Result<Val<K>, Error> {
            read.read(variable)
        }
        fn visit(
            variable: &Active<K, M>,
            value: &Val<K>,
            visit: &mut impl VisitVariable<M>,
        ) -> Result<(), Error> {
            visit.visit(variable, value)
        }
    }
    impl<K: Coordinates, M: Mode, $($of)*> FlatOutputs<M> for $T {
        const EPSILON: f64 = K::EPSILON;
        #[track_caller]
        fn each_mut(variable: &mut Active<K, M>, change: &mut impl ChangeVariable<M>) {
            change.change(variable);
        }
        fn coordinates(values: &Val<K>, into: &mut Vec<f64>) {
            K::coordinates(values, into);
        }
        fn from_coordinates(like: &Val<K>, from: &mut &[f64]) -> Val<K> {
            K::from_coordinates(like, from)
        }
    }
} }
single!([] Active<K, M>, self => self);
single!([N: Node<Kind = K>] Expr<K, M, N>, self => self.eval());

impl<M: Mode, O: Outputs<M>> Outputs<M> for Vec<O> {
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
    fn each(
        variables: &Self::Variables,
        read: &mut impl ReadVariable<M>,
    ) -> Result<Self::Values, Error> {
        variables.iter().map(|x| O::each(x, read)).collect()
    }
    fn visit(
        variables: &Self::Variables,
        values: &Self::Values,
        visit: &mut impl VisitVariable<M>,
    ) -> Result<(), Error> {
        let (outputs, given) = (variables.len(), values.len());
        assert!(
            outputs == given,
            "{given} seeds for {outputs} outputs: one for each is needed"
        );
        let mut each = variables.iter().zip(values);
        each.try_for_each(|(x, value)| O::visit(x, value, visit))
    }
}
impl<M: Mode, O: FlatOutputs<M>> FlatOutputs<M> for Vec<O> {
    const EPSILON: f64 = O::EPSILON;
    #[track_caller]
    fn each_mut(variables: &mut Self::Variables, change: &mut impl ChangeVariable<M>) {
        for x in variables {
            O::each_mut(x, change);
        }
    }
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| O::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.iter().map(|v| O::from_coordinates(v, from)).collect()
    }
}
impl<M: Mode, O: Outputs<M>, const N: usize> Outputs<M> for [O; N] {
    type Values = [O::Values; N];
    type Variables = [O::Variables; N];
    fn evaluate(self) -> Self::Variables {
        let variables = Vec::from(self).evaluate();
        match variables.try_into() {
            Ok(variables) => variables,
            Err(_) => unreachable!("as many variables as outputs"),
        }
    }
    fn each(
        variables: &Self::Variables,
        read: &mut impl ReadVariable<M>,
    ) -> Result<Self::Values, Error> {
        let mut all = Vec::with_capacity(N);
        for x in variables {
            all.push(O::each(x, read)?);
        }
        Ok(all
            .try_into()
            .unwrap_or_else(|_| unreachable!("one value for each output")))
    }
    fn visit(
        variables: &Self::Variables,
        values: &Self::Values,
        visit: &mut impl VisitVariable<M>,
    ) -> Result<(), Error> {
        let mut each = variables.iter().zip(values);
        each.try_for_each(|(x, value)| O::visit(x, value, visit))
    }
}
impl<M: Mode, O: FlatOutputs<M>, const N: usize> FlatOutputs<M> for [O; N] {
    const EPSILON: f64 = O::EPSILON;
    #[track_caller]
    fn each_mut(variables: &mut Self::Variables, change: &mut impl ChangeVariable<M>) {
        for x in variables {
            O::each_mut(x, change);
        }
    }
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| O::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.each_ref().map(|v| O::from_coordinates(v, from))
    }
}
