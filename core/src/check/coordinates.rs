//! Values as lists of real numbers.
use crate::{
    error::Error,
    expr::{Active, Expr},
    kind::{Hold, Kind, List, Val},
    mode::Taped,
    node::Node,
    tape::Tape,
};

/// A kind whose values consist of real numbers: what finite differences and Jacobians walk along.
///
/// The order of the coordinates is free but fixed, and adjoints have the same one: the sum of
/// `adjoint[i] * change[i]` is the change of the output. With the conventions of entape a complex number
/// is thus `[re, im]` and a matrix the list of its entries. A DSL implements this for its kinds and
/// gains the rule-test kit and [`jacobian`](crate::driver::jacobian).
///
/// ```
/// use entape_core::{check::Coordinates, kind, kind::Kind};
///
/// #[kind(value = [f64; 2], plain)]
/// struct Pair;
///
/// impl Coordinates for Pair {
///     fn coordinates(value: &[f64; 2], into: &mut Vec<f64>) {
///         into.extend(value);
///     }
///     fn from_coordinates(_like: &[f64; 2], from: &mut &[f64]) -> [f64; 2] {
///         [f64::from_coordinates(&0.0, from), f64::from_coordinates(&0.0, from)]
///     }
/// }
/// let mut x = Vec::new();
/// Pair::coordinates(&[1.0, 2.0], &mut x);
/// assert_eq!(Pair::from_coordinates(&[0.0, 0.0], &mut &x[..]), [1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the values of kind `{Self}` have no real coordinates",
    note = "implement `entape::check::Coordinates` for the kind"
)]
pub trait Coordinates: Kind {
    /// The relative precision of one coordinate.
    const EPSILON: f64 = f64::EPSILON;
    /// Appends the coordinates of `value`.
    fn coordinates(value: &Val<Self>, into: &mut Vec<f64>);
    /// The value with the shape of `like` whose coordinates are the first of `from`, which are taken
    /// off its front.
    fn from_coordinates(like: &Val<Self>, from: &mut &[f64]) -> Val<Self>;
    /// Records an expression of this kind.
    #[doc(hidden)]
    fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
        vec![Box::new(Expr::<Self, Taped, N>::new(node).eval())]
    }
}

/// A variable that a recorded operation gave its value; the kind is forgotten.
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

/// Takes one number off the front of a list, for implementations of
/// [`from_coordinates`](Coordinates::from_coordinates).
///
/// ```
/// let mut list = &[1.0, 2.0][..];
/// assert_eq!(entape_core::check::take(&mut list), 1.0);
/// assert_eq!(list, [2.0]);
/// ```
///
/// # Panics
/// If the list is empty.
pub fn take(from: &mut &[f64]) -> f64 {
    let (first, rest) = from.split_first().expect("one number for each coordinate");
    *from = rest;
    *first
}

/// The coordinates of one value.
pub(crate) fn of<K: Coordinates>(value: &Val<K>) -> Vec<f64> {
    let mut list = Vec::new();
    K::coordinates(value, &mut list);
    list
}

impl Coordinates for f64 {
    fn coordinates(value: &f64, into: &mut Vec<f64>) {
        into.push(*value);
    }
    fn from_coordinates(_: &f64, from: &mut &[f64]) -> f64 {
        take(from)
    }
}
impl Coordinates for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn coordinates(value: &f32, into: &mut Vec<f64>) {
        into.push((*value).into());
    }
    fn from_coordinates(_: &f32, from: &mut &[f64]) -> f32 {
        take(from) as f32
    }
}
/// The argument that is not there.
impl Coordinates for () {
    fn coordinates((): &(), _: &mut Vec<f64>) {}
    fn from_coordinates((): &(), _: &mut &[f64]) {}
}

/// Element by element.
impl<K: Coordinates> Coordinates for List<K> {
    const EPSILON: f64 = K::EPSILON;
    fn coordinates(value: &Val<Self>, into: &mut Vec<f64>) {
        value
            .iter()
            .for_each(|value| K::coordinates(value.peek(), into));
    }
    fn from_coordinates(like: &Val<Self>, from: &mut &[f64]) -> Val<Self> {
        let each = like.iter();
        each.map(|like| Hold::hold(K::from_coordinates(like.peek(), from)))
            .collect()
    }
    fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
        let new = Expr::<Self, Taped, N>::new(node).split();
        let output = |new| -> Box<dyn Output> { Box::new(new) };
        new.into_iter().map(output).collect()
    }
}

/// The results of operations with several outputs.
macro_rules! outputs { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Coordinates),*> Coordinates for ($($K,)*) {
        const EPSILON: f64 = {
            let mut epsilon = 0.0;
            $( if $K::EPSILON > epsilon { epsilon = $K::EPSILON; } )*
            epsilon
        };
        fn coordinates(value: &Val<Self>, into: &mut Vec<f64>) {
            $( $K::coordinates(&value.$i, into); )*
        }
        fn from_coordinates(like: &Val<Self>, from: &mut &[f64]) -> Val<Self> {
            ($($K::from_coordinates(&like.$i, from),)*)
        }
        fn record<N: Node<Kind = Self>>(node: N) -> Vec<Box<dyn Output>> {
            let new = Expr::<Self, Taped, N>::new(node).split();
            vec![$(Box::new(new.$i)),*]
        }
    }
)* } }
outputs! { A 0 B 1; A 0 B 1 C 2; }
