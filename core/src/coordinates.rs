//! Values as lists of real numbers.
use crate::{
    error::Error,
    expr::{Active, Expr},
    kind::{Additive, Kind, List, TapeCell, Val, coarsest},
    mode::Taped,
    node::Node,
    real::Real,
    tape::Tape,
};
use std::marker::PhantomData;

/// A kind of values of real numbers, for finite differences, Jacobians and the rule-test kit.
///
/// The order of coordinates is fixed: `[re, im]`, the entries of a matrix. The sum of `adjoint[i] * change[i]` is the
/// change of the output. [`#[kind(coordinates)]`](macro@crate::kind) implements the trait for
/// [`Numbers`](crate::kind::Numbers). Others need one function:
///
/// ```
/// use entape_core::{coordinates::Coordinates, kind};
///
/// /// Arrays consist of numbers.
/// #[kind(value = [f64; 2], plain, coordinates)]
/// struct Pair;
///
/// /// The numbers of a custom type are unknown.
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Angle { degrees: f64 }
/// #[kind(value = Angle, add = |into, from| into.degrees += from.degrees)]
/// struct Degrees;
/// impl Coordinates for Degrees {
///     fn map(value: &Angle, f: &mut dyn FnMut(f64) -> f64) -> Angle {
///         Angle { degrees: f(value.degrees) }
///     }
/// }
///
/// let mut x = Vec::new();
/// Pair::coordinates(&[1.0, 2.0], &mut x);
/// Degrees::coordinates(&Angle { degrees: 3.0 }, &mut x);
/// assert_eq!(x, [1.0, 2.0, 3.0]);
/// assert_eq!(Pair::from_coordinates(&[0.0, 0.0], &mut &x[1..]), [2.0, 3.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the values of kind `{Self}` have no real coordinates",
    note = "write `#[kind(.., coordinates)]` if its values are made of numbers, or implement `entape::check::Coordinates` for the kind"
)]
pub trait Coordinates: Kind {
    /// The relative precision of one coordinate.
    const EPSILON: f64 = f64::EPSILON;
    /// Returns a value of equal shape with `f` applied to each coordinate in order.
    fn map(value: &Val<Self>, f: &mut dyn FnMut(f64) -> f64) -> Val<Self>;
    /// Appends the coordinates of `value`.
    fn coordinates(value: &Val<Self>, into: &mut Vec<f64>) {
        Self::map(value, &mut |x| {
            into.push(x);
            x
        });
    }
    /// Removes the first coordinates of `from`, and returns their value in the shape of `like`.
    ///
    /// # Panics
    /// If `from` has too few.
    fn from_coordinates(like: &Val<Self>, from: &mut &[f64]) -> Val<Self> {
        Self::map(like, &mut |_| {
            let (first, rest) = from
                .split_first()
                .expect("`from_coordinates` needs one number for each coordinate");
            *from = rest;
            *first
        })
    }
    #[doc(hidden)]
    fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
        vec![Box::new(Expr::<Self, Taped, N>::new(node).eval())]
    }
}

/// A recorded variable with its kind erased.
pub trait Output {
    #[doc(hidden)]
    fn coordinates(&self, into: &mut Vec<f64>);
    #[doc(hidden)]
    fn is_active(&self) -> bool;
    #[doc(hidden)]
    fn seed(&self, tape: &mut Tape, from: &mut &[f64]) -> Result<(), Error>;
}
impl<K: Coordinates> Output for Active<K> {
    fn coordinates(&self, into: &mut Vec<f64>) {
        K::coordinates(self.get(), into);
    }
    fn is_active(&self) -> bool {
        self.is_active()
    }
    fn seed(&self, tape: &mut Tape, from: &mut &[f64]) -> Result<(), Error> {
        tape.seed(self, K::from_coordinates(self.get(), from))
    }
}

#[doc(hidden)]
pub fn all_of<K: Coordinates>(value: &Val<K>, test: impl Fn(f64) -> bool) -> bool {
    of::<K>(value).into_iter().all(test)
}
#[doc(hidden)]
#[track_caller]
pub fn inner_of<K: Coordinates>(a: &Val<K>, b: &Val<K>) -> f64 {
    use crate::kind::Numbers;
    of::<K>(a).inner_product(&of::<K>(b))
}

/// Passes coordinates, the numbers of an [`Additive`] value, or none: `each_number` on `&&&NumbersOf` takes the first
/// method that applies.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NumbersOf<K>(pub PhantomData<K>);
#[doc(hidden)]
pub trait ByCoordinates<K: Kind> {
    fn each_number(&self, value: &mut Val<K>, f: &mut dyn FnMut(&mut f64)) -> bool;
}
impl<K: Coordinates> ByCoordinates<K> for &&NumbersOf<K> {
    fn each_number(&self, value: &mut Val<K>, f: &mut dyn FnMut(&mut f64)) -> bool {
        *value = K::map(value, &mut |mut x| {
            f(&mut x);
            x
        });
        true
    }
}
#[doc(hidden)]
pub trait ByAdditive<K: Kind> {
    fn each_number(&self, value: &mut Val<K>, f: &mut dyn FnMut(&mut f64)) -> bool;
}
impl<K: Kind<Value: Additive>> ByAdditive<K> for &NumbersOf<K> {
    fn each_number(&self, value: &mut Val<K>, f: &mut dyn FnMut(&mut f64)) -> bool {
        value.each_number(f)
    }
}
#[doc(hidden)]
pub trait Unknown<K: Kind> {
    fn each_number(&self, _: &mut Val<K>, _: &mut dyn FnMut(&mut f64)) -> bool {
        false
    }
}
impl<K: Kind> Unknown<K> for NumbersOf<K> {}

/// Returns the coordinates of one value.
pub fn of<K: Coordinates>(value: &Val<K>) -> Vec<f64> {
    let mut list = Vec::new();
    K::coordinates(value, &mut list);
    list
}

#[diagnostic::do_not_recommend]
impl<T: Real> Coordinates for T {
    const EPSILON: f64 = T::EPSILON;
    fn map(value: &T, f: &mut dyn FnMut(f64) -> f64) -> T {
        T::nearest(f(value.double()))
    }
    // Without a call for each number.
    #[inline]
    fn coordinates(value: &T, into: &mut Vec<f64>) {
        into.push(value.double());
    }
    #[inline]
    fn from_coordinates(_: &T, from: &mut &[f64]) -> T {
        let (first, rest) = from.split_first().expect("one number for each coordinate");
        *from = rest;
        T::nearest(*first)
    }
}
impl Coordinates for () {
    fn map((): &(), _: &mut dyn FnMut(f64) -> f64) {}
}

impl<K: Coordinates> Coordinates for List<K> {
    const EPSILON: f64 = K::EPSILON;
    fn map(value: &Val<Self>, f: &mut dyn FnMut(f64) -> f64) -> Val<Self> {
        let each = value.iter();
        each.map(|value| TapeCell::new(K::map(value.peek(), f)))
            .collect()
    }
    fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
        let new = Expr::<Self, Taped, N>::new(node).split();
        let output = |new| -> Box<dyn Output> { Box::new(new) };
        new.into_iter().map(output).collect()
    }
}

macro_rules! outputs { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Coordinates),*> Coordinates for ($($K,)*) {
        const EPSILON: f64 = coarsest(&[$($K::EPSILON),*]);
        fn map(value: &Val<Self>, f: &mut dyn FnMut(f64) -> f64) -> Val<Self> {
            ($($K::map(&value.$i, f),)*)
        }
        fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
            let new = Expr::<Self, Taped, N>::new(node).split();
            vec![$(Box::new(new.$i)),*]
        }
    }
)* } }
for_tuples! { outputs }
