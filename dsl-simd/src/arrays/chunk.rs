//! A piece of an array: eight numbers, which the compiler keeps in vector registers.
use entape_core::{kind::At, rule::Lane};
use std::{
    array::from_fn,
    ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub},
};

/// Numbers of a piece.
pub const LANES: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<T>(pub [T; LANES]);
/// Eight truth values.
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub [bool; LANES]);

impl<T: Copy + Default> Chunk<T> {
    /// Reads a piece; zero where there is none.
    #[inline(always)]
    pub(crate) fn read(from: &[T], at: At) -> Self {
        let from = &from[at.start..][..at.lanes];
        match from.first_chunk::<LANES>() {
            Some(all) => Chunk(*all),
            None => Chunk(from_fn(|i| from.get(i).copied().unwrap_or_default())),
        }
    }
    /// Writes the lanes that are there.
    #[inline(always)]
    pub(crate) fn write(self, into: &mut [T], at: At) {
        let into = &mut into[at.start..][..at.lanes];
        match into.first_chunk_mut::<LANES>() {
            Some(all) => *all = self.0,
            None => into.copy_from_slice(&self.0[..into.len()]),
        }
    }
}
impl<T: Lane> Chunk<T> {
    /// Adds the lanes that are there.
    #[inline(always)]
    pub(crate) fn add_to(self, into: &mut [T], at: At) {
        let into = &mut into[at.start..][..at.lanes];
        match into.first_chunk_mut::<LANES>() {
            Some(all) => *all = (Chunk(*all) + self).0,
            None => into
                .iter_mut()
                .zip(self.0)
                .for_each(|(into, x)| *into = *into + x),
        }
    }
    #[inline(always)]
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Chunk(from_fn(|i| f(self.0[i])))
    }
    #[inline(always)]
    fn zip(self, y: Self, f: impl Fn(T, T) -> T) -> Self {
        Chunk(from_fn(|i| f(self.0[i], y.0[i])))
    }
    #[inline(always)]
    fn compare(self, y: Self, f: impl Fn(T, T) -> bool) -> Bits {
        Bits(from_fn(|i| f(self.0[i], y.0[i])))
    }
}

macro_rules! arithmetic { ($($Trait:ident $method:ident)*) => { $(
    impl<T: Lane> $Trait for Chunk<T> {
        type Output = Self;
        #[inline(always)]
        fn $method(self, y: Self) -> Self { self.zip(y, T::$method) }
    }
)* } }
arithmetic! { Add add Sub sub Mul mul Div div }
impl<T: Lane> Neg for Chunk<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(T::neg)
    }
}
macro_rules! logic { ($($Trait:ident $method:ident)*) => { $(
    impl $Trait for Bits {
        type Output = Self;
        #[inline(always)]
        fn $method(self, y: Self) -> Self { Bits(from_fn(|i| self.0[i].$method(y.0[i]))) }
    }
)* } }
logic! { BitAnd bitand BitOr bitor }
impl Not for Bits {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Bits(self.0.map(|x| !x))
    }
}

/// Functions that go number by number: of one argument, of two.
macro_rules! by_number { ($($f:ident)*; $($g:ident)*) => {
    $( #[inline(always)] fn $f(self) -> Self { self.map(T::$f) } )*
    $( #[inline(always)] fn $g(self, y: Self) -> Self { self.zip(y, T::$g) } )*
} }
impl<T: Lane<Mask = bool>> Lane for Chunk<T> {
    type Mask = Bits;
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        Chunk([self.0[0].splat(x); LANES])
    }
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        self.map(|x| x.each(&f))
    }
    #[inline(always)]
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        self.zip(y, |x, y| x.each2(y, &f))
    }
    #[inline(always)]
    fn less(self, y: Self) -> Bits {
        self.compare(y, T::less)
    }
    #[inline(always)]
    fn less_eq(self, y: Self) -> Bits {
        self.compare(y, T::less_eq)
    }
    #[inline(always)]
    fn equal(self, y: Self) -> Bits {
        self.compare(y, T::equal)
    }
    #[inline(always)]
    fn select(mask: Bits, yes: Self, no: Self) -> Self {
        Chunk(from_fn(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }
    by_number! {
        abs signum floor ceil round round_ties_even trunc fract to_degrees to_radians
        sqrt cbrt exp exp2 exp_m1 ln log2 log10 ln_1p
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc ln_gamma recip;
        hypot atan2 powf copysign rem_euclid div_euclid midpoint rem max min
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Chunk(from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        self.map(|x| x.powi(n))
    }
    #[inline(always)]
    fn polygamma(self, n: u32) -> Self {
        self.map(|x| x.polygamma(n))
    }
}
