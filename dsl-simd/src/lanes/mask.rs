use super::{Fill, Lanes, SimdVector};
use entape_core::{
    eval::Whole,
    expr::{Binary, Operand, Rhs, RhsExpr, binary},
    kind::{Adjoint, Incoming, Passed, Val},
    mode::AnyMode,
    op,
    real::Real,
    rule::{ArgumentTangent, Order, Primals, Rule, Sink, Sinks},
    store::Stash,
};
use std::{fmt, ops};

type Blended<V, M, A, B> =
    Binary<Blend<V>, M, RhsExpr<A, Lanes<V>, M, Blend<V>>, RhsExpr<B, Lanes<V>, M, Blend<V>>>;

/// A plain truth value for each lane of `V`, without derivatives.
///
/// ```
/// use entape_core::real::Elementary;
/// use entape_drivers::gradient;
/// use entape_simd::{Compare, LanesOps, Realx4, wide::f64x4};
///
/// // the square root, continued by 0; its slope is infinite at 0 and NaN at -1
/// let f = |x: Realx4| x.simd_gt(0.0).select(x.sqrt(), 0.0).reduce_add();
/// let x_b = gradient(f, f64x4::new([4.0, 1.0, 0.0, -1.0]))?;
/// assert_eq!(x_b, f64x4::new([0.25, 0.5, 0.0, 0.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// A choice computes both sides in all lanes. The other side does not reach an adjoint, even if it is NaN or infinite.
#[derive(Clone, Copy, PartialEq, Stash)]
#[stash(through = u16)]
pub struct Mask<V>(V);

impl<V: SimdVector> Mask<V> {
    /// Creates a mask with `f(i)` for lane `i`.
    pub fn from_fn(mut f: impl FnMut(usize) -> bool) -> Self {
        let (set, clear) = (V::set().as_slice()[0], V::default().as_slice()[0]);
        Mask(V::from_fn(|i| if f(i) { set } else { clear }))
    }
    /// Returns the bits in the form of `wide`, all one or all zero in a lane.
    #[inline(always)]
    pub fn to_wide(self) -> V {
        self.0
    }
    /// Returns whether lane `i` is set.
    ///
    /// # Panics
    /// If the lane does not exist.
    #[track_caller]
    pub fn test(self, i: usize) -> bool {
        super::members::assert_lane::<V>(i);
        self.0.to_bitmask() >> i & 1 == 1
    }
    /// Returns one bit for each lane, the first lane in the lowest bit.
    #[inline(always)]
    pub fn to_bitmask(self) -> u32 {
        self.0.to_bitmask()
    }
    /// Returns whether all lanes are set.
    #[inline(always)]
    pub fn all(self) -> bool {
        self.0.all()
    }
    /// Returns whether a lane is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.any()
    }
    /// Returns whether no lane is set.
    #[inline(always)]
    pub fn none(self) -> bool {
        !self.0.any()
    }
    /// Selects `a` where the mask is set and `b` elsewhere: lanes or reals.
    #[inline(always)]
    pub fn select<M: AnyMode, A, B>(self, a: A, b: B) -> Blended<V, M, A, B>
    where
        A: Rhs<Lanes<V>, M, Blend<V>, Kind: Fill<V>>,
        B: Rhs<Lanes<V>, M, Blend<V>, Kind: Fill<V>>,
    {
        binary(Blend(self), a.into_rhs(), b.into_rhs())
    }
}
impl<V: SimdVector> fmt::Debug for Mask<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = (0..V::LANES).map(|i| self.test(i));
        f.debug_list().entries(lanes).finish()
    }
}
macro_rules! logic { ($($Trait:ident $method:ident $f:ident)*) => { $(
    impl<V: SimdVector> ops::$Trait for Mask<V> {
        type Output = Self;
        #[inline(always)]
        fn $method(self, other: Self) -> Self { Mask(self.0.$f(other.0)) }
    }
)* } }
logic! { BitAnd bitand and BitOr bitor or BitXor bitxor xor }
impl<V: SimdVector> ops::Not for Mask<V> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask(self.0.not())
    }
}

impl<V: SimdVector> From<Mask<V>> for u16 {
    #[inline(always)]
    fn from(mask: Mask<V>) -> u16 {
        mask.to_bitmask() as u16
    }
}
impl<V: SimdVector> From<u16> for Mask<V> {
    #[inline(always)]
    fn from(bits: u16) -> Self {
        Mask::from_fn(|i| bits >> i & 1 == 1)
    }
}

/// The operation [`Mask::select`].
#[derive(Clone, Copy, Stash)]
pub struct Blend<V>(pub Mask<V>);
entape_core::debug_by_name! { [V] Blend<V> }
impl<V: SimdVector, A: Fill<V>, B: Fill<V>> Rule<A, B> for Blend<V> {
    type Out = Lanes<V>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    #[inline(always)]
    fn primal(&self, a: Val<A>, b: Val<B>, (): ()) -> (V, ()) {
        (V::select(self.0.0, A::fill(a), B::fill(b)), ())
    }
    #[inline(always)]
    fn adjoint(
        &self,
        _: Primals<'_, A, B, (), Lanes<V>>,
        (): &(),
        r_b: Incoming<'_, Lanes<V>>,
        mut s: impl Sinks<A, B>,
    ) {
        let r_b = r_b.get();
        let (mask, unset) = (self.0.0, <V as Adjoint<Lanes<V>>>::unset());
        if s.a().wants() {
            s.a().add(Passed(A::gather(V::select(mask, r_b, unset))));
        }
        if s.b().wants() {
            s.b().add(Passed(B::gather(V::select(mask, unset, r_b))));
        }
    }
    const ORDER: Order = Order::Second;
    const MARKS: bool = true;
    #[inline(always)]
    fn tangent(
        &self,
        _: Primals<'_, A, B, (), Lanes<V>>,
        (): &(),
        t: ArgumentTangent<'_, A, B>,
    ) -> Option<V> {
        let (a_t, b_t) = (t.a.map(|&t| A::fill(t)), t.b.map(|&t| B::fill(t)));
        let unset = <V as Adjoint<Lanes<V>>>::unset;
        let (a_t, b_t) = (a_t.unwrap_or_else(unset), b_t.unwrap_or_else(unset));
        Some(V::select(self.0.0, a_t, b_t))
    }
}

#[op(passive)]
fn filled<V: SimdVector, K: Fill<V>>(#[ad_inp] x: K) -> V {
    K::fill(x)
}

macro_rules! comparisons { ($($(#[$doc:meta])* $f:ident)*; $($(#[$int_doc:meta])* $int:ident)*) => {
    /// Comparisons lane by lane, with lanes or reals, named as in `wide`. They read values and record nothing.
    ///
    /// ```
    /// use entape_core::mode::Plain;
    /// use entape_simd::{Compare, Realx4, wide::f64x4};
    ///
    /// let v = Realx4::<Plain>::passive(f64x4::new([1.0, 2.0, 3.0, 4.0]));
    /// let small = v.simd_lt(2.5);
    /// assert_eq!(small.to_bitmask(), 0b0011); // the lowest bit is the first lane
    /// assert!(small.any() && !small.all());
    /// assert_eq!(v.trunc_int(), entape_simd::wide::i64x4::new([1, 2, 3, 4]));
    /// ```
    #[allow(clippy::wrong_self_convention)]
    pub trait Compare<M: AnyMode, V: SimdVector>: Operand<M, Kind = Lanes<V>> + Sized {
        $(
            $(#[$doc])*
            #[inline(always)]
            #[track_caller]
            fn $f<B>(self, b: B) -> Mask<V>
            where
                B: Rhs<Lanes<V>, M, op::Add>,
                RhsExpr<B, Lanes<V>, M, op::Add>: Operand<M, Kind: Fill<V>>,
            {
                let (a, b) = (self.into_expr(), b.into_rhs());
                Mask(filled::<V, _, M, _>(a).$f(filled::<V, _, M, _>(b)))
            }
        )*
        /// Whether a lane is neither infinite nor NaN.
        #[inline(always)]
        #[track_caller]
        fn is_finite(self) -> Mask<V> {
            let x = filled::<V, _, M, _>(self.into_expr());
            Mask((x - x).simd_eq(V::default()))
        }
        /// Whether a lane is NaN.
        #[inline(always)]
        #[track_caller]
        fn is_nan(self) -> Mask<V> {
            let x = filled::<V, _, M, _>(self.into_expr());
            Mask(x.simd_ne(x))
        }
        /// Whether a lane is infinite.
        #[inline(always)]
        #[track_caller]
        fn is_inf(self) -> Mask<V> {
            let x = filled::<V, _, M, _>(self.into_expr());
            let infinity = V::splat(V::Number::nearest(f64::INFINITY));
            Mask(x.abs().simd_eq(infinity))
        }
        /// Whether the sign of a lane is negative, as of `-0.0`.
        #[inline(always)]
        #[track_caller]
        fn is_sign_negative(self) -> Mask<V> {
            let x = filled::<V, _, M, _>(self.into_expr());
            Mask::from_fn(|i| x.as_slice()[i].double().is_sign_negative())
        }
        /// Whether the sign of a lane is positive.
        #[inline(always)]
        #[track_caller]
        fn is_sign_positive(self) -> Mask<V> {
            !self.is_sign_negative()
        }
        $(
            $(#[$int_doc])*
            #[inline(always)]
            #[track_caller]
            fn $int(self) -> V::Integers {
                filled::<V, _, M, _>(self.into_expr()).$int()
            }
        )*
    }
} }
comparisons! {
    /// Returns where `a == b`.
    simd_eq
    /// Returns where `a != b`, which holds for NaN, too.
    simd_ne
    /// Returns where `a < b`.
    simd_lt
    /// Returns where `a <= b`.
    simd_le
    /// Returns where `a > b`.
    simd_gt
    /// Returns where `a >= b`.
    simd_ge;
    /// Returns the nearest integers; ties go to the even one. NaN becomes 0, and large numbers are clamped.
    round_int
    /// Like [`round_int`](Self::round_int), with unspecified integers for NaN and large numbers.
    fast_round_int
    /// Returns the integers toward zero. NaN becomes 0, and large numbers are clamped.
    trunc_int
    /// Like [`trunc_int`](Self::trunc_int), with unspecified integers for NaN and large numbers.
    fast_trunc_int
}
impl<M: AnyMode, V: SimdVector, X: Operand<M, Kind = Lanes<V>>> Compare<M, V> for X {}
