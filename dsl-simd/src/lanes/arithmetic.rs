//! Arithmetic of vectors, by the instructions of `wide` or by loops.
//!
//! The types of `wide` consist of registers of the compilation target, by default of 128 bits. Loops take the width of
//! the function into which they are inlined.
// The operators in the table are not assignment operators.
#![allow(clippy::assign_op_pattern)]
use super::SimdVector;
use std::{fmt, ops};

/// How [`Pack`](super::Pack) computes: by [`Own`] or [`Loops`].
pub trait Arithmetic: Copy + fmt::Debug + 'static {
    /// The result of a comparison.
    type Mask<V: SimdVector>: Copy
        + ops::BitAnd<Output = Self::Mask<V>>
        + ops::BitOr<Output = Self::Mask<V>>
        + ops::Not<Output = Self::Mask<V>>;
    /// `x + y`.
    fn add<V: SimdVector>(x: V, y: V) -> V;
    /// `x - y`.
    fn sub<V: SimdVector>(x: V, y: V) -> V;
    /// `x * y`.
    fn mul<V: SimdVector>(x: V, y: V) -> V;
    /// `x / y`.
    fn div<V: SimdVector>(x: V, y: V) -> V;
    /// `-x`.
    fn neg<V: SimdVector>(x: V) -> V;
    /// `x < y`.
    fn less<V: SimdVector>(x: V, y: V) -> Self::Mask<V>;
    /// `x <= y`.
    fn less_eq<V: SimdVector>(x: V, y: V) -> Self::Mask<V>;
    /// `x == y`.
    fn equal<V: SimdVector>(x: V, y: V) -> Self::Mask<V>;
    /// `yes` where the mask is set, `no` elsewhere.
    fn select<V: SimdVector>(mask: Self::Mask<V>, yes: V, no: V) -> V;
}

/// Computes by the instructions of the vector type.
#[derive(Clone, Copy, Debug)]
pub struct Own;
/// A mask in the form of the vector type.
#[derive(Clone, Copy, Debug)]
pub struct Bits<V>(pub V);
/// Computes by loops over the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Loops;
/// Small arrays of `bool` are moved as one integer, in which the compiler does not recognise lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub struct Flag(bool);
/// A truth value for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Flags<V: SimdVector>(V::Flags);

macro_rules! arithmetic { ($($f:ident $op:tt)*; $($compare:ident $simd:ident $by:tt)*) => {
    impl Arithmetic for Own {
        type Mask<V: SimdVector> = Bits<V>;
        $(
            #[inline(always)]
            fn $f<V: SimdVector>(x: V, y: V) -> V { x $op y }
        )*
        $(
            #[inline(always)]
            fn $compare<V: SimdVector>(x: V, y: V) -> Bits<V> { Bits(x.$simd(y)) }
        )*
        #[inline(always)]
        fn neg<V: SimdVector>(x: V) -> V { -x }
        #[inline(always)]
        fn select<V: SimdVector>(mask: Bits<V>, yes: V, no: V) -> V { V::select(mask.0, yes, no) }
    }
    impl Arithmetic for Loops {
        type Mask<V: SimdVector> = Flags<V>;
        $(
            #[inline(always)]
            fn $f<V: SimdVector>(mut x: V, y: V) -> V {
                each(&mut x, &y, |x, y| *x = *x $op y);
                x
            }
        )*
        $(
            #[inline(always)]
            fn $compare<V: SimdVector>(x: V, y: V) -> Flags<V> {
                let mut flags = V::Flags::default();
                let numbers = x.as_slice().iter().zip(y.as_slice());
                flags.as_mut().iter_mut().zip(numbers).for_each(|(flag, (x, y))| flag.0 = x $by y);
                Flags(flags)
            }
        )*
        #[inline(always)]
        fn neg<V: SimdVector>(mut x: V) -> V {
            x.as_mut_slice().iter_mut().for_each(|x| *x = -*x);
            x
        }
        #[inline(always)]
        fn select<V: SimdVector>(mask: Flags<V>, yes: V, mut no: V) -> V {
            let mut flags = mask.0.as_ref().iter();
            each(&mut no, &yes, |no, yes| if flags.next().is_some_and(|flag| flag.0) { *no = yes });
            no
        }
    }
} }
arithmetic! { add + sub - mul * div /; less simd_lt < less_eq simd_le <= equal simd_eq == }

#[inline(always)]
pub(super) fn each<V: SimdVector>(x: &mut V, y: &V, mut f: impl FnMut(&mut V::Number, V::Number)) {
    let pairs = x.as_mut_slice().iter_mut().zip(y.as_slice());
    pairs.for_each(|(x, &y)| f(x, y));
}

macro_rules! masks { ($($Trait:ident $method:ident $bits:ident $flags:tt)*) => { $(
    impl<V: SimdVector> ops::$Trait for Bits<V> {
        type Output = Self;
        #[inline(always)]
        fn $method(self, y: Self) -> Self { Bits(self.0.$bits(y.0)) }
    }
    impl<V: SimdVector> ops::$Trait for Flags<V> {
        type Output = Self;
        #[inline(always)]
        fn $method(mut self, y: Self) -> Self {
            self.0.as_mut().iter_mut().zip(y.0.as_ref()).for_each(|(x, y)| x.0 = x.0 $flags y.0);
            self
        }
    }
)* } }
masks! { BitAnd bitand and & BitOr bitor or | }
impl<V: SimdVector> ops::Not for Bits<V> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Bits(self.0.not())
    }
}
impl<V: SimdVector> ops::Not for Flags<V> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        self.0.as_mut().iter_mut().for_each(|x| x.0 = !x.0);
        self
    }
}
