//! Operations of the formulas of elementary functions: functions of `wide` within 2 units in the last place, others
//! number by number. So are `log2` and `log10`, to return whole numbers for powers.
use super::{Arithmetic, Own, SimdVector, exponential};
use entape_core::{elementwise::Lane, lane_operators, real::Real};
use std::marker::PhantomData;

/// A vector in the form that the shared formulas take.
#[derive(Clone, Copy, Debug)]
pub struct Pack<V, A = Own>(pub V, PhantomData<A>);

lane_operators! { |x, y| impl[V: SimdVector, A: Arithmetic] Pack<V, A> {
    add: Pack::new(A::add(x.0, y.0)),
    sub: Pack::new(A::sub(x.0, y.0)),
    mul: Pack::new(A::mul(x.0, y.0)),
    div: Pack::new(A::div(x.0, y.0)),
    neg: Pack::new(A::neg(x.0)),
} }

impl<V: SimdVector, A: Arithmetic> Pack<V, A> {
    /// Wraps a vector.
    #[inline(always)]
    pub fn new(x: V) -> Self {
        Pack(x, PhantomData)
    }
    #[inline(always)]
    fn by_number(self, f: impl Fn(V::Number) -> V::Number) -> Self {
        let x = self.0.as_slice();
        Pack::new(V::from_fn(|i| f(x[i])))
    }
    #[inline(always)]
    fn by_number2(self, y: Self, f: impl Fn(V::Number, V::Number) -> V::Number) -> Self {
        let (x, y) = (self.0.as_slice(), y.0.as_slice());
        Pack::new(V::from_fn(|i| f(x[i], y[i])))
    }
    /// Whether all numbers are between `low` and `high`.
    #[inline(always)]
    fn within(self, low: f64, high: f64) -> bool {
        let [low, high] = [low, high].map(|bound| V::splat(V::Number::nearest(bound)));
        self.0.simd_ge(low).and(self.0.simd_le(high)).all()
    }
}

macro_rules! whole { ($($f:ident)*; $($g:ident)*) => {
    $( #[inline(always)] fn $f(self) -> Self { Pack::new(self.0.$f()) } )*
    $( #[inline(always)] fn $g(self, y: Self) -> Self { Pack::new(self.0.$g(y.0)) } )*
} }
macro_rules! by_number { ($($f:ident)*; $($g:ident)*) => {
    $( #[inline(always)] fn $f(self) -> Self { self.by_number(Lane::$f) } )*
    $( #[inline(always)] fn $g(self, y: Self) -> Self { self.by_number2(y, Lane::$g) } )*
} }
impl<V: SimdVector, A: Arithmetic> Lane for Pack<V, A> {
    type Mask = A::Mask<V>;
    #[inline(always)]
    fn splat(self, x: f64) -> Self {
        Pack::new(V::splat(V::Number::nearest(x)))
    }
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Self {
        self.by_number(|x| V::Number::nearest(f(x.double())))
    }
    #[inline(always)]
    fn each2(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        self.by_number2(y, |x, y| V::Number::nearest(f(x.double(), y.double())))
    }
    #[inline(always)]
    fn less(self, y: Self) -> A::Mask<V> {
        A::less(self.0, y.0)
    }
    #[inline(always)]
    fn less_eq(self, y: Self) -> A::Mask<V> {
        A::less_eq(self.0, y.0)
    }
    #[inline(always)]
    fn equal(self, y: Self) -> A::Mask<V> {
        A::equal(self.0, y.0)
    }
    #[inline(always)]
    fn select(mask: A::Mask<V>, yes: Self, no: Self) -> Self {
        Pack::new(A::select(mask, yes.0, no.0))
    }
    /// The sum of the lane and the smallest normal number with its sign is the negative smallest number only for
    /// `-0.0`. Comparing bits would not be vectorised.
    #[inline(always)]
    fn is_unset(self) -> A::Mask<V> {
        let smallest = V::Number::nearest(V::Number::SMALLEST);
        let shifted = self.by_number(|x| Lane::copysign(smallest, x) + x);
        shifted.equal(Pack::new(V::splat(-smallest)))
    }

    whole! { abs floor ceil round trunc sqrt cbrt asin acos; copysign max min }
    by_number! {
        signum fract to_degrees to_radians exp2 exp_m1 log2 log10 ln_1p sin cos tan sinh cosh tanh asinh acosh atanh
        erf erfc ln_gamma;
        rem hypot powf rem_euclid div_euclid midpoint
    }
    /// The vector loses the sign of zero in single precision.
    #[inline(always)]
    fn round_ties_even(self) -> Self {
        Pack::new(self.0.round_ties_even().copysign(self.0))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Pack::new(exponential::exp(self.0).unwrap_or_else(|| self.0.exp()))
    }
    /// The vector treats subnormal numbers as zero.
    #[inline(always)]
    fn ln(self) -> Self {
        if let Some(ln) = exponential::ln(self.0) {
            Pack::new(ln)
        } else if self.within(V::Number::SMALLEST, V::Number::LARGEST) {
            Pack::new(self.0.ln())
        } else {
            self.by_number(Lane::ln)
        }
    }
    /// The vector is less exact in single precision.
    #[inline(always)]
    fn atan(self) -> Self {
        if V::Number::DOUBLE {
            Pack::new(self.0.atan())
        } else {
            self.by_number(Lane::atan)
        }
    }
    #[inline(always)]
    fn atan2(self, y: Self) -> Self {
        if V::Number::DOUBLE {
            Pack::new(self.0.atan2(y.0))
        } else {
            self.by_number2(y, Lane::atan2)
        }
    }
    /// Fused if the target has such an instruction for vectors.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Pack::new(self.0.mul_add(b.0, c.0))
    }
    /// Squares repeatedly, like the power of a number.
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        let (mut power, mut square, mut rest) = (self.one(), self, n.unsigned_abs());
        loop {
            if rest & 1 == 1 {
                power = power * square;
            }
            rest /= 2;
            if rest == 0 {
                break;
            }
            square = square * square;
        }
        if n < 0 { power.recip() } else { power }
    }
    #[inline(always)]
    fn polygamma(self, n: u32) -> Self {
        self.by_number(|x| x.polygamma(n))
    }
    /// # Panics
    /// If `low > high` in a lane or one of them is NaN.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        assert!(
            low.0.simd_le(high.0).all(),
            "`clamp` needs `low <= high` in every lane, found {} and {}: exchange them",
            low.0,
            high.0
        );
        let above = Self::select(self.less(low), low, self);
        Self::select(high.less(self), high, above)
    }
}
