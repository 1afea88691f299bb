use super::ArrayKind;
use crate::{LaneNumber, arrays::ArrayNumber};
use entape_complex::{ComplexKind, num_complex::Complex};
use entape_core::{
    expr::{Beside, Const, Expr, Rhs, lit},
    kind::{Carrier, Kind},
    rule::Rule,
};

impl<T: LaneNumber> ArrayNumber for Complex<T> {
    type Kind = ComplexKind<T>;
    type Part = T;
    const ARRAY: &'static str = "complex array";
    const NAN: Self = Complex::new(<T as ArrayNumber>::NAN, <T as ArrayNumber>::NAN);
    #[inline(always)]
    fn conj(self) -> Self {
        Complex::new(self.re, -self.im)
    }
    #[inline(always)]
    fn square(self) -> T {
        self.re * self.re + self.im * self.im
    }
    #[inline(always)]
    fn inner(self, other: Self) -> T {
        self.re * other.re + self.im * other.im
    }
    #[inline(always)]
    fn map_parts(self, f: impl Fn(T) -> T) -> Self {
        Complex::new(f(self.re), f(self.im))
    }
    #[inline(always)]
    fn each_part(self, visit: &mut dyn FnMut(T)) {
        visit(self.re);
        visit(self.im);
    }
}

impl<T: ArrayNumber> Beside<Complex<f64>> for ArrayKind<T> {
    type Kind = ComplexKind<f64>;
}
#[diagnostic::do_not_recommend]
impl<T: LaneNumber, E: ArrayNumber<Part = T>, M: Carrier, O, Third: Kind>
    Rhs<ArrayKind<E>, M, O, Third> for Complex<T>
where
    O: Rule<ArrayKind<E>, ComplexKind<T>, Third>,
{
    type Kind = ComplexKind<T>;
    type Node = Const<ComplexKind<T>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<ComplexKind<T>, M, Self::Node> {
        lit(self)
    }
}
#[diagnostic::do_not_recommend]
impl<T: LaneNumber, E: ArrayNumber<Part = T>, M: Carrier, O, Third: Kind>
    Rhs<ArrayKind<E>, M, O, Third> for &Complex<T>
where
    O: Rule<ArrayKind<E>, ComplexKind<T>, Third>,
{
    type Kind = ComplexKind<T>;
    type Node = Const<ComplexKind<T>>;
    type Operation = O;
    #[inline(always)]
    fn into_rhs(self) -> Expr<ComplexKind<T>, M, Self::Node> {
        lit(*self)
    }
}
