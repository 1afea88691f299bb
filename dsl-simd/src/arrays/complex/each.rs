//! Rules of complex arrays by rules of complex numbers; for others, use [`Each`](crate::arrays::Each).
use super::ArrayKind;
use crate::LaneNumber;
use crate::arrays::{
    ArrayNumber, Pairing,
    dot::{Dot, Dotc},
    each::each_element,
};
use entape_complex::{C32, C64, ComplexKind, num_complex::Complex};
use entape_core::op as shared;

type Of<T> = ArrayKind<Complex<T>>;

each_element! {
    [T: LaneNumber] Of<T>, Of<T>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] Of<T>, ComplexKind<T>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] ComplexKind<T>, Of<T>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] Of<T>, ArrayKind<T>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] ComplexKind<T>, ArrayKind<T>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] ArrayKind<f64>, Of<f64>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] ArrayKind<f32>, Of<f32>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] ArrayKind<f64>, C64, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] ArrayKind<f32>, C32, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] f64, Of<f64>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [] f32, Of<f32>, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] Of<T>, T, () => shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [T: LaneNumber] Of<T>, (), () => shared::Neg;
    [T: LaneNumber] Of<T>, Of<T>, Of<T> => shared::MulAdd;
    [T: LaneNumber] Of<T>, Of<T>, ComplexKind<T> => shared::MulAdd;
    [T: LaneNumber] Of<T>, ComplexKind<T>, Of<T> => shared::MulAdd;

    [T: LaneNumber] Of<T>, (), () =>
        shared::Sqrt shared::Cbrt shared::Recip shared::Powi shared::Exp shared::Exp2 shared::ExpM1
        shared::Ln shared::Ln1p shared::Log2 shared::Log10
        shared::Sin shared::Cos shared::Tan shared::Asin shared::Acos shared::Atan
        shared::Sinh shared::Cosh shared::Tanh shared::Asinh shared::Acosh shared::Atanh;
    [T: LaneNumber] Of<T>, (), () => shared::Abs shared::ToF32 shared::ToF64;
    [T: LaneNumber] Of<T>, T, () => shared::Powf shared::Log;
    [T: LaneNumber] Of<T>, ArrayKind<T>, () => shared::Powf shared::Log;
}

/// The adjoint of a real is a real part.
macro_rules! mixed { ($($Dot:ident $first:expr, $of_first:expr;)*) => { $(
    impl<T: LaneNumber> Pairing<Complex<T>, T> for $Dot {
        type Out = ComplexKind<T>;
        #[inline(always)]
        fn product(a: Complex<T>, b: T) -> Complex<T> { $first(a) * b }
        #[inline(always)]
        fn of_first(b: T, r_b: Complex<T>) -> Complex<T> { $of_first(r_b) * b }
        #[inline(always)]
        fn of_second(a: Complex<T>, r_b: Complex<T>) -> T { $first(a).inner(r_b) }
    }
    impl<T: LaneNumber> Pairing<T, Complex<T>> for $Dot {
        type Out = ComplexKind<T>;
        #[inline(always)]
        fn product(a: T, b: Complex<T>) -> Complex<T> { b * a }
        #[inline(always)]
        fn of_first(b: Complex<T>, r_b: Complex<T>) -> T { b.inner(r_b) }
        #[inline(always)]
        fn of_second(a: T, r_b: Complex<T>) -> Complex<T> { r_b * a }
    }
)* } }
mixed! {
    Dot |z| z, |r_b| r_b;
    Dotc |z: Complex<T>| z.conj(), |r_b: Complex<T>| r_b.conj();
}
