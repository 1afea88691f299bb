use super::{SecondSinks, Sink, Sinks};
use crate::kind::{Contribution, Kind, Passed, Val};

/// Collects contributions to three arguments. Order 0 are adjoints, and order `1 + j` their tangents along direction `j`.
pub trait Collector {
    type A: Kind;
    type B: Kind;
    type C: Kind;
    fn wants(&self, i: usize) -> bool;
    #[inline(always)]
    fn takes_adjoints(&self) -> bool {
        true
    }
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<Self::A>);
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<Self::B>);
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<Self::C>);
}
pub(crate) struct OfOrder<'s, T>(pub(crate) &'s mut T, pub(crate) usize);
struct OfArgument<'s, T, const I: usize>(&'s mut T, usize);

macro_rules! arguments { ($($I:literal $K:ident $k:ident $add_to:ident $add:ident;)*) => {
    $(
        impl<T: Collector> Sink<T::$K> for OfArgument<'_, T, $I> {
            #[inline(always)]
            fn wants(&self) -> bool {
                self.0.wants($I)
            }
            #[inline(always)]
            fn add<X: Contribution<T::$K>>(&mut self, x_b: X) {
                if self.0.wants($I) {
                    self.0.$add_to(self.1, x_b);
                }
            }
        }
    )*
    impl<T: Collector> Sinks<T::A, T::B, T::C> for OfOrder<'_, T> {
        $(
            #[inline(always)]
            fn $k(&mut self) -> impl Sink<T::$K> {
                OfArgument::<T, $I>(self.0, self.1)
            }
        )*
        #[inline(always)]
        fn both(&mut self) -> Option<impl Sink<T::A>> {
            None::<OfArgument<'_, T, 0>>
        }
    }
    impl<T: Collector, const N: usize> SecondSinks<T::A, T::B, T::C, N> for T {
        #[inline(always)]
        fn takes_adjoints(&self) -> bool {
            Collector::takes_adjoints(self)
        }
        #[inline(always)]
        fn adjoint(&mut self) -> impl Sinks<T::A, T::B, T::C> {
            OfOrder(self, 0)
        }
        #[inline(always)]
        fn tangent(&mut self, j: usize) -> impl Sinks<T::A, T::B, T::C> {
            OfOrder(self, 1 + j)
        }
        $(
            #[inline(always)]
            fn $add(&mut self, x_b: impl FnOnce() -> (Val<T::$K>, [Val<T::$K>; N])) {
                if self.wants($I) {
                    let (x_b, tangents) = x_b();
                    self.$add_to(0, Passed(x_b));
                    for (j, x_bt) in tangents.into_iter().enumerate() {
                        self.$add_to(1 + j, Passed(x_bt));
                    }
                }
            }
        )*
    }
} }
arguments! {
    0 A a add_to_a add_a;
    1 B b add_to_b add_b;
    2 C c add_to_c add_c;
}
