//! The table of the types of `wide`, whose methods do not belong to traits.
use super::{Arithmetic, Lanes, Loops, SimdVector, arithmetic::Flag};
use entape_core::{
    expr::{Compared, Const, Constant, Expr, Rhs, ValueOf, lit},
    kind::{Adjoint, Carrier, Contribution, Kind},
    structure::{Inputs, SingleShape},
};
use wide::{
    f32x4, f32x8, f32x16, f64x2, f64x4, f64x8, i32x4, i32x8, i32x16, i64x2, i64x4, i64x8, u32x4,
    u32x8, u32x16, u64x2, u64x4, u64x8,
};

macro_rules! methods {
    ($with:ident $($more:tt)*) => { $with! {
        [abs sqrt floor ceil round round_ties_even trunc exp ln log2 log10 cbrt asin acos atan]
        [copysign max min atan2]
        // Masks: all bits of a lane are one or zero.
        [simd_eq simd_ne simd_lt simd_le simd_gt simd_ge]
        $($more)*
    } };
}
macro_rules! declare { ([$($f:ident)*] [$($g:ident)*] [$($compare:ident)*]) => {
    /// The operations of a vector type. The trait is private, which seals [`SimdVector`].
    #[allow(missing_docs)]
    pub trait Register: Copy + 'static {
        $( fn $f(self) -> Self; )*
        $( fn $g(self, y: Self) -> Self; )*
        $( fn $compare(self, y: Self) -> Self; )*
        fn mul_add(self, b: Self, c: Self) -> Self;
        fn and(self, y: Self) -> Self;
        fn or(self, y: Self) -> Self;
        fn xor(self, y: Self) -> Self;
        fn not(self) -> Self;
        fn select(mask: Self, yes: Self, no: Self) -> Self;
        fn to_bitmask(self) -> u32;
        fn all(self) -> bool;
        fn any(self) -> bool;
        /// The bits of a set lane.
        fn set() -> Self;
    }
} }
methods! { declare }

macro_rules! vectors {
    ($f:tt $g:tt $compare:tt $($V:ident $T:ident $I:ident $U:ident $N:literal $NAME:literal $COMPLEX:literal;)*) => { $(
        vectors! { @register $f $g $compare $V $T }
        impl SimdVector for $V {
            type Number = $T;
            type Flags = [Flag; $N];
            type Integers = $I;
            type Indices = $U;
            type Positions = [u32; $N];
            const LANES: usize = $N;
            const ONE: Self = $V::ONE;
            const NAME: &'static str = $NAME;
            const COMPLEX: &'static str = $COMPLEX;
            #[inline(always)]
            fn splat(x: $T) -> Self { $V::splat(x) }
            #[inline(always)]
            fn from_fn(f: impl FnMut(usize) -> $T) -> Self { $V::new(std::array::from_fn(f)) }
            #[inline(always)]
            fn as_slice(&self) -> &[$T] { self.as_array() }
            #[inline(always)]
            fn as_mut_slice(&mut self) -> &mut [$T] { self.as_mut_array() }
            #[inline(always)]
            fn reduce_add(self) -> $T { $V::reduce_add(self) }
            #[inline(always)]
            fn reduce_mul(self) -> $T { $V::reduce_mul(self) }
            #[inline]
            fn index(indices: &$U, i: usize) -> usize {
                indices.as_array().get(i).map_or(0, |&i| usize::try_from(i).unwrap_or(usize::MAX))
            }
            #[inline]
            fn round_int(self) -> $I { $V::round_int(self) }
            #[inline]
            fn fast_round_int(self) -> $I { $V::fast_round_int(self) }
            #[inline]
            fn trunc_int(self) -> $I { $V::trunc_int(self) }
            #[inline]
            fn fast_trunc_int(self) -> $I { $V::fast_trunc_int(self) }
        }
        impl Contribution<Lanes<$V>> for $V {
            #[inline(always)]
            fn add_to(self, adjoint: &mut $V) { adjoint.add(Lanes::computed(self)); }
            #[inline(always)]
            fn materialise(self) -> $V { Lanes::computed(self) }
        }
        impl Adjoint<Lanes<$V>> for $V {
            #[inline(always)]
            fn unset() -> $V { $V::splat(-0.0) }
            #[inline(always)]
            fn is_unset(&self) -> bool { self.as_array().iter().fold(true, |all, x| all & x.is_unset()) }
            #[inline(always)]
            fn into_value(self) -> Option<$V> { Some(self) }
            fn into_gradient(self) -> Option<$V> { Some(self + $V::splat(0.0)) }
            #[inline(always)]
            fn add(&mut self, value: $V) { *self = Loops::add(*self, value); }
            #[inline(always)]
            fn value_mut(&mut self, _: impl FnOnce() -> $V) -> &mut $V { self }
        }
        impl Constant<Lanes<$V>> for $V {
            type Node = Const<Lanes<$V>>;
            #[inline(always)]
            fn into_node(self) -> Const<Lanes<$V>> { Const::of(self) }
        }
        impl ValueOf<Lanes<$V>> for $V {
            #[inline(always)]
            fn into_value(self) -> $V { self }
        }
        #[diagnostic::do_not_recommend]
        impl<M: Carrier, O, C: Kind> Rhs<Lanes<$V>, M, O, C> for $V {
            type Kind = Lanes<$V>;
            type Node = Const<Lanes<$V>>;
            type Operation = O;
            #[inline(always)]
            fn into_rhs(self) -> Expr<Lanes<$V>, M, Self::Node> { lit(self) }
        }
        #[diagnostic::do_not_recommend]
        impl<M: Carrier, O, C: Kind> Rhs<Lanes<$V>, M, O, C> for &$V {
            type Kind = Lanes<$V>;
            type Node = Const<Lanes<$V>>;
            type Operation = O;
            #[inline(always)]
            fn into_rhs(self) -> Expr<Lanes<$V>, M, Self::Node> { lit(*self) }
        }
        impl Compared<Lanes<$V>> for $V {
            #[inline(always)]
            fn with_value<R>(&self, f: impl FnOnce(&$V) -> R) -> R { f(self) }
        }
        impl Inputs<Lanes<$V>> for $V {
            type Shape = SingleShape<Lanes<$V>>;
            fn into_values(self) -> $V { self }
        }
    )* };
    (@register [$($f:ident)*] [$($g:ident)*] [$($compare:ident)*] $V:ident $T:ident) => {
        impl Register for $V {
            $( #[inline(always)] fn $f(self) -> Self { $V::$f(self) } )*
            $( #[inline(always)] fn $g(self, y: Self) -> Self { $V::$g(self, y) } )*
            $( #[inline(always)] fn $compare(self, y: Self) -> Self { $V::$compare(self, y) } )*
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self { $V::mul_add(self, b, c) }
            #[inline(always)]
            fn and(self, y: Self) -> Self { self & y }
            #[inline(always)]
            fn or(self, y: Self) -> Self { self | y }
            #[inline(always)]
            fn xor(self, y: Self) -> Self { self ^ y }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn select(mask: Self, yes: Self, no: Self) -> Self { $V::select(mask, yes, no) }
            #[inline(always)]
            fn to_bitmask(self) -> u32 { $V::to_bitmask(self) }
            #[inline(always)]
            fn all(self) -> bool { $V::all(self) }
            #[inline(always)]
            fn any(self) -> bool { $V::any(self) }
            #[inline(always)]
            fn set() -> Self { $V::splat($T::from_bits(!0)) }
        }
    };
}
methods! { vectors
    f64x2 f64 i64x2 u64x2 2 "F64x2" "C64x2";
    f64x4 f64 i64x4 u64x4 4 "F64x4" "C64x4";
    f64x8 f64 i64x8 u64x8 8 "F64x8" "C64x8";
    f32x4 f32 i32x4 u32x4 4 "F32x4" "C32x4";
    f32x8 f32 i32x8 u32x8 8 "F32x8" "C32x8";
    f32x16 f32 i32x16 u32x16 16 "F32x16" "C32x16";
}
