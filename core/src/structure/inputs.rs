use super::{ArrayOf, OptionOf, SingleRefShape, SingleShape, SliceOf, Structure, ValueKind, VecOf};
use crate::{
    expr::ValueOf,
    kind::{Kind, Val},
    real::Real,
};
use std::borrow::Borrow;

/// The inputs of a function: plain values from which a driver creates variables.
///
/// | the driver receives | the function receives | the gradient is |
/// |---|---|---|
/// | `&[f64]`, `&Vec<f64>`, `Vec<f64>` | `&[Real]` | `Vec<f64>` |
/// | `&[f64; N]` | `&[Real]` | `[f64; N]` |
/// | `[f64; N]` | `[Real; N]` | `[f64; N]` |
/// | `f64` | `Real` | `f64` |
/// | `S` or `&S`, a struct or enum with [`#[derive(Structure)]`](macro@crate::Structure) | `&Vars<S>` | `S` |
/// | `Option<T>` of any of these | `Option` of the variables of `T` | `Option` of the gradient |
/// | a tuple of any of these | a tuple of their variables | a tuple of their gradients |
///
/// `Real` is `Active<f64>`. Elements may be numbers, values of kinds, arrays, lists, options, tuples and structs. `P`
/// follows from the type, and distinguishes inputs of several kinds.
///
/// A DSL implements it for its values, with its kind as `P`:
///
/// ```
/// use entape_core::{structure::{Inputs, SingleShape}, expr::Active, kind};
/// use entape_drivers::gradient;
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
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a driver",
    note = "pass numbers, values of kinds, lists or arrays of these, tuples, or structs with `#[derive(entape::Structure)]`"
)]
pub trait Inputs<P> {
    /// The structure of the values.
    type Shape: Structure;
    /// Returns the plain values.
    fn into_values(self) -> <Self::Shape as Structure>::Values;
}

/// Values in the structure `S`. Slices and arrays are also accepted as lists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as values of the structure `{S}`"
)]
pub trait IntoValues<S: Structure> {
    /// Returns the values.
    fn into_values(self) -> S::Values;
}

/// Values in a named structure, for kinds whose values are lists: by default lists of reals.
///
/// ```
/// use entape_core::{structure::{ListShape, ValuesIn}, expr::Active, kind, real::Elementary};
/// use entape_drivers::gradient;
///
/// #[kind(value = [f64; 2], plain, coordinates)]
/// struct Pair;
///
/// let pairs = ValuesIn::<ListShape<Pair>>(vec![[1.0, 2.0], [3.0, 4.0]]);
/// let g = gradient(|_: &[Active<Pair>]| Active::<f64>::passive(5.0), pairs)?;
/// assert_eq!(g, [[0.0; 2]; 2]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub struct ValuesIn<S: Structure>(pub S::Values);
debug_by_name! { [S: Structure] ValuesIn<S> }
impl<S: Structure> Inputs<ValuesIn<S>> for ValuesIn<S> {
    type Shape = S;
    fn into_values(self) -> S::Values {
        self.0
    }
}

impl<T: Real<Value = T> + ValueKind> Inputs<T> for T {
    type Shape = SingleShape<T>;
    fn into_values(self) -> T {
        self
    }
}

macro_rules! inputs { ($([$($of:tt)*] $T:ty as $Shape:ident<$V:ident $(, $N:ident)?>, $self:ident => $values:expr;)*) => { $(
    impl<P, $($of)*> Inputs<$Shape<P $(, $N)?>> for $T {
        type Shape = $Shape<$V::Shape $(, $N)?>;
        fn into_values($self) -> <Self::Shape as Structure>::Values {
            $values
        }
    }
)* } }
inputs! {
    [V: Inputs<P> + Clone] &[V] as VecOf<V>, self => self.iter().map(|v| v.clone().into_values()).collect();
    [V: Inputs<P> + Clone] &Vec<V> as VecOf<V>, self => Inputs::into_values(self.as_slice());
    [V: Inputs<P>] Vec<V> as VecOf<V>, self => self.into_iter().map(V::into_values).collect();
    [V: Inputs<P> + Clone, const N: usize] &[V; N] as SliceOf<V, N>, self => self.clone().map(V::into_values);
    [V: Inputs<P>, const N: usize] [V; N] as ArrayOf<V, N>, self => self.map(V::into_values);
    [V: Inputs<P>] Option<V> as OptionOf<V>, self => self.map(V::into_values);
}

macro_rules! into_values { ($([$($of:tt)*] $T:ty as $Shape:ty, $self:ident => $values:expr;)*) => { $(
    impl<$($of)*> IntoValues<$Shape> for $T {
        fn into_values($self) -> <$Shape as Structure>::Values {
            $values
        }
    }
)* } }
into_values! {
    [K: ValueKind, V: ValueOf<K>] V as SingleShape<K>, self => self.into_value();
    [K: Kind, V: Borrow<Val<K>>] V as SingleRefShape<K>, self => self.borrow().clone();
    [S: Structure] &[S::Values] as VecOf<S>, self => self.to_vec();
    [S: Structure] &Vec<S::Values> as VecOf<S>, self => self.clone();
    [S: Structure] Vec<S::Values> as VecOf<S>, self => self;
    [S: Structure, const N: usize] &[S::Values; N] as VecOf<S>, self => self.to_vec();
    [S: Structure, const N: usize] &[S::Values; N] as SliceOf<S, N>, self => self.clone();
    [S: Structure, const N: usize] [S::Values; N] as SliceOf<S, N>, self => self;
    [S: Structure, const N: usize] [S::Values; N] as ArrayOf<S, N>, self => self;
    [S: Structure] Option<S::Values> as OptionOf<S>, self => self;
}

macro_rules! tuple { ($($S:ident $x:ident $i:tt)*) => { const _: () = {
    use crate::structure::{Inputs, IntoValues, Structure};
    #[allow(non_camel_case_types)]
    impl<$($S, $x: Inputs<$S>),*> Inputs<($($S,)*)> for ($($x,)*) {
        type Shape = ($($x::Shape,)*);
        fn into_values(self) -> <Self::Shape as Structure>::Values {
            ($(self.$i.into_values(),)*)
        }
    }
    #[allow(non_camel_case_types)]
    impl<$($S: Structure, $x: IntoValues<$S>),*> IntoValues<($($S,)*)> for ($($x,)*) {
        fn into_values(self) -> <($($S,)*) as Structure>::Values {
            ($(self.$i.into_values(),)*)
        }
    }
}; } }
pub(super) use tuple;
