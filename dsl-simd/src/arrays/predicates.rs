use super::{
    kinds::ArrayKind,
    masks::{Predicate, Where},
};
use crate::LaneNumber;
use entape_core::{
    expr::{Binary, Operand, Rhs, RhsExpr, binary},
    mode::AnyMode,
    rule::Rule,
};

macro_rules! comparisons { ($($(#[$doc:meta])* $P:ident $method:ident $is:tt;)*) => {
    $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $P;
        impl<T: PartialOrd> Predicate<T, T> for $P {
            #[inline(always)]
            fn holds(a: T, b: T) -> bool { a $is b }
        }
    )*
    /// Comparisons with arrays and numbers. The result is a passive mask for [`select`](super::MaskOps::select),
    /// computed in the loop of its statement.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_simd::arrays::{ArrayOps, Compare, MaskOps};
    ///
    /// let mut tape = Tape::new();
    /// let v = tape.input(vec![-2.0, 0.5, 3.0]);
    /// // Huber's loss: v² / 2 near zero, |v| - 1 / 2 elsewhere
    /// let y = tape.record(|| {
    ///     let large = v.simd_ge(1.0).or(v.simd_le(-1.0));
    ///     let sign = v.simd_gt(0.0).select(1.0 + 0.0 * &v, -1.0);
    ///     large.select(sign * &v - 0.5, 0.5 * &v * &v).sum().eval()
    /// });
    /// assert_eq!(y, 1.5 + 0.125 + 2.5);
    /// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [-1.0, 0.5, 1.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    pub trait Compare<M: AnyMode>: Operand<M> + Sized {
        $(
            $(#[$doc])*
            fn $method<B>(self, b: B) -> Binary<Where<$P>, M, Self, RhsExpr<B, Self::Kind, M, Where<$P>>>
            where
                B: Rhs<Self::Kind, M, Where<$P>>,
                Where<$P>: Rule<Self::Kind, B::Kind>,
            {
                binary(Where::NEW, self, b.into_rhs())
            }
        )*
    }
    impl<T: LaneNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> Compare<M> for X {}
} }
comparisons! {
    /// `a < b`
    Lt simd_lt <;
    /// `a <= b`
    Le simd_le <=;
    /// `a > b`
    Gt simd_gt >;
    /// `a >= b`
    Ge simd_ge >=;
    /// `a == b`
    Eq simd_eq ==;
    /// `a != b`
    Ne simd_ne !=;
}

macro_rules! connectives { ($($(#[$doc:meta])* $P:ident $is:tt;)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug)]
    pub struct $P;
    impl Predicate<bool, bool> for $P {
        #[inline(always)]
        fn holds(a: bool, b: bool) -> bool { a $is b }
    }
)* } }
connectives! {
    /// Both masks are set.
    And &;
    /// At least one mask is set.
    Or |;
    /// Exactly one mask is set.
    Xor ^;
}
/// The mask is not set.
#[derive(Clone, Copy, Debug)]
pub struct Not;
impl Predicate<bool> for Not {
    #[inline(always)]
    fn holds(a: bool, (): ()) -> bool {
        !a
    }
}
