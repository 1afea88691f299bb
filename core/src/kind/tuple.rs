use super::{Adjoint, Carrier, Contribution, Kind, OnePiece, Policy, Recycle, Spilled, Val};
use std::rc::Rc;

/// The policy of several outputs, without a variable.
#[derive(Clone, Copy, Debug)]
pub struct Several;
impl crate::sealed::Sealed for Several {}
impl<V: Clone + 'static> Policy<V> for Several {
    type Id<M: Carrier> = ();
    type VariableCell<M: Carrier, R: Recycle<V>> = V;
    type TapeCell = V;
    type Arg<'a> = &'a V;
    type Tangents<const N: usize> = Option<Rc<[V; N]>>;
    const STORAGE: bool = false;
    const VARIABLES: bool = false;
    #[inline(always)]
    fn arg(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<M: Carrier, R: Recycle<V>>(held: &V) -> V {
        held.clone()
    }
    fn held<M: Carrier, R: Recycle<V>>(cell: V, _: impl FnOnce(&V) -> V) -> V {
        cell
    }
    fn with_tangents<const N: usize, R: Recycle<V>>(_: V, _: Self::Tangents<N>) -> V {
        unreachable!("results with several outputs do not have variables")
    }
}

macro_rules! outputs { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind),*> Kind for ($($K,)*) {
        type Value = ($(Val<$K>,)*);
        type Adjoint = ($($K::Adjoint,)*);
        type Policy = Several;
        type Layout = OnePiece;
        type Encoding = Spilled;
    type Memory = super::NoMemory;
    type Batch = super::OneByOne;
        const NAME: &'static str = "outputs";
        fn zero_like(like: &Self::Value) -> Self::Value { ($($K::zero_like(&like.$i),)*) }
        fn is_finite(value: &Self::Value) -> bool { true $(&& $K::is_finite(&value.$i))* }
        fn each_number(value: &mut Self::Value, f: &mut dyn FnMut(&mut f64)) -> bool { true $(& $K::each_number(&mut value.$i, f))* }
        fn is_unset_tangent(tangent: &Self::Value) -> bool { true $(&& $K::is_unset_tangent(&tangent.$i))* }
        fn mark_zeros(tangent: &mut Self::Value, computed: bool) { $($K::mark_zeros(&mut tangent.$i, computed);)* }
        fn accumulate(into: &mut Self::Value, from: Self::Value) { $($K::accumulate(&mut into.$i, from.$i);)* }
        fn computed(value: Self::Value) -> Self::Value { ($($K::computed(value.$i),)*) }
    }
    impl<$($K: Kind),*> Adjoint<($($K,)*)> for ($($K::Adjoint,)*) {
        fn unset() -> Self { ($($K::Adjoint::unset(),)*) }
        fn is_unset(&self) -> bool { true $(&& self.$i.is_unset())* }
        fn into_value(self) -> Option<Val<($($K,)*)>> { Some(($(self.$i.into_value()?,)*)) }
        fn value_or_zero(self, like: impl FnOnce() -> Val<($($K,)*)>) -> Val<($($K,)*)> {
            let like = like();
            ($(self.$i.value_or_zero(|| like.$i),)*)
        }
        fn add(&mut self, value: Val<($($K,)*)>) { $(self.$i.add(value.$i);)* }
        fn value_mut(&mut self, _: impl FnOnce() -> Val<($($K,)*)>) -> &mut Val<($($K,)*)> {
            unreachable!("each output of an operation has its own adjoint")
        }
    }
    impl<$($K: Kind),*> Contribution<($($K,)*)> for ($(Val<$K>,)*) {
        fn add_to(self, adjoint: &mut ($($K::Adjoint,)*)) { $(self.$i.add_to(&mut adjoint.$i);)* }
        fn materialise(self) -> Self { <($($K,)*)>::computed(self) }
    }
)* } }
for_tuples! { outputs }
