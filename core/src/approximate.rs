//! The relations of `approx`, by number, for variables, expressions and places.
use crate::{
    coordinates::{self, Coordinates},
    expr::{Active, Compared, Expr, Place},
    kind::{Carrier, Kind, Val},
    store::{Part, PlaceIndex},
};
use approx::{AbsDiffEq, RelativeEq, UlpsEq};

fn all_close<K: Coordinates<Value: PartialEq>>(
    a: &Val<K>,
    b: &Val<K>,
    close: impl Fn(f64, f64) -> bool,
) -> bool {
    let shape = |x| K::map(x, &mut |_| 0.0);
    let pairs = || {
        coordinates::of::<K>(a)
            .into_iter()
            .zip(coordinates::of::<K>(b))
    };
    shape(a) == shape(b) && pairs().all(|(a, b)| close(a, b))
}

macro_rules! relations { ($([$($generics:tt)*] $A:ty: $K:ty;)*) => { $(
    /// Tolerances are `f64`.
    impl<$($generics)*, B: ?Sized> AbsDiffEq<B> for $A
    where $A: Compared<$K>, B: Compared<$K>, $K: Coordinates<Value: PartialEq>, Self: PartialEq<B> {
        type Epsilon = f64;
        fn default_epsilon() -> f64 {
            <$K>::EPSILON
        }
        fn abs_diff_eq(&self, other: &B, epsilon: f64) -> bool {
            self.with_value(|a| other.with_value(|b| all_close::<$K>(a, b, |a, b| a.abs_diff_eq(&b, epsilon))))
        }
    }
    impl<$($generics)*, B: ?Sized> RelativeEq<B> for $A
    where $A: Compared<$K>, B: Compared<$K>, $K: Coordinates<Value: PartialEq>, Self: PartialEq<B> {
        fn default_max_relative() -> f64 {
            <$K>::EPSILON
        }
        fn relative_eq(&self, other: &B, epsilon: f64, max_relative: f64) -> bool {
            let close = |a: f64, b| a.relative_eq(&b, epsilon, max_relative);
            self.with_value(|a| other.with_value(|b| all_close::<$K>(a, b, close)))
        }
    }
    impl<$($generics)*, B: ?Sized> UlpsEq<B> for $A
    where $A: Compared<$K>, B: Compared<$K>, $K: Coordinates<Value: PartialEq>, Self: PartialEq<B> {
        fn default_max_ulps() -> u32 {
            f64::default_max_ulps()
        }
        fn ulps_eq(&self, other: &B, epsilon: f64, max_ulps: u32) -> bool {
            let close = |a: f64, b| a.ulps_eq(&b, epsilon, max_ulps);
            self.with_value(|a| other.with_value(|b| all_close::<$K>(a, b, close)))
        }
    }
)* } }
relations! {
    [K: Kind, M: Carrier] Active<K, M>: K;
    [K: Kind, M: Carrier, N] Expr<K, M, N>: K;
    [K: PlaceIndex<I>, M: Carrier, I] Place<K, M, I>: <K::Part as Part<K>>::Kind;
}
