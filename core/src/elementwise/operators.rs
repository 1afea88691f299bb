/// Implements the operators of a [lane](crate::elementwise::Lane) or [field](crate::elementwise::FieldLane) type.
///
/// ```
/// use entape_core::lane_operators;
///
/// /// A number that does not overflow to infinity.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Bounded<T>(T);
/// fn bounded(x: f64) -> Bounded<f64> {
///     Bounded(x.clamp(f64::MIN, f64::MAX))
/// }
/// lane_operators! { |x, y| impl[] Bounded<f64> {
///     add: bounded(x.0 + y.0),
///     sub: bounded(x.0 - y.0),
///     mul: bounded(x.0 * y.0),
///     div: bounded(x.0 / y.0),
///     neg: Bounded(-x.0),
/// } }
/// assert_eq!(Bounded(1e200) * -Bounded(1e200), Bounded(f64::MIN));
/// assert_eq!((Bounded(3.0) - Bounded(1.0)) / Bounded(4.0) + Bounded(1.0), Bounded(1.5));
/// ```
#[macro_export]
macro_rules! lane_operators {
    (|$x:ident, $y:ident| impl[$($generics:tt)*] $Lane:ty {
        add: $add:expr, sub: $sub:expr, mul: $mul:expr, div: $div:expr, neg: $neg:expr $(,)?
    }) => {
        $crate::lane_operators! { @binary [$($generics)*] $Lane, $x $y: Add add $add }
        $crate::lane_operators! { @binary [$($generics)*] $Lane, $x $y: Sub sub $sub }
        $crate::lane_operators! { @binary [$($generics)*] $Lane, $x $y: Mul mul $mul }
        $crate::lane_operators! { @binary [$($generics)*] $Lane, $x $y: Div div $div }
        impl<$($generics)*> ::core::ops::Neg for $Lane {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $x = self;
                $neg
            }
        }
    };
    (@binary [$($generics:tt)*] $Lane:ty, $x:ident $y:ident: $Trait:ident $method:ident $result:expr) => {
        impl<$($generics)*> ::core::ops::$Trait for $Lane {
            type Output = Self;
            #[inline(always)]
            fn $method(self, $y: Self) -> Self {
                let $x = self;
                $result
            }
        }
    };
}
