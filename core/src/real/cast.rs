//! Casts between the real kinds of one tape.
use crate::{
    eval::Whole,
    expr::{IntoExpr, Unary, unary},
    kind::Incoming,
    mode::AnyMode,
    rule::{Primals, Rule, Sink, Sinks},
    store::Stash,
};

/// A cast, as `as` does it; the adjoint is cast back.
macro_rules! cast { ($($(#[$doc:meta])* $Op:ident: $($From:ident)* => $To:ident;)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $Op;
    $( impl Rule<$From> for $Op {
        type Out = $To;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [0; 3];
        #[inline(always)]
        fn primal(&self, a: $From, (): (), (): ()) -> ($To, ()) { (a as $To, ()) }
        #[inline(always)]
        fn adjoint(&self, _: Primals<'_, $From, (), (), $To>, (): &(), r_b: Incoming<'_, $To>, mut s: impl Sinks<$From>) { let r_b = r_b.get();
            s.a().add(r_b as $From);
        }
    } )*
)* } }
cast! {
    /// Cast to single precision.
    ToF32: f64 f32 => f32;
    /// Cast to double precision.
    ToF64: f64 f32 => f64;
}

/// Casts between precisions as member operations; values of both may meet in one expression and on one
/// tape.
///
/// ```
/// use entape_core::{expr::Active, mode::Plain, real::Cast};
///
/// let (x, y) = (Active::<f64, Plain>::passive(0.1), Active::<f32, Plain>::passive(2.0));
/// assert_eq!((x * y.to_f64()).eval().value(), 0.2);
/// assert_eq!((x.to_f32() * y).eval().value(), 0.2_f32);
/// ```
pub trait Cast<M: AnyMode>: IntoExpr<M> + Sized {
    /// In single precision, rounded.
    #[inline(always)]
    fn to_f32(self) -> Unary<ToF32, M, Self>
    where
        ToF32: Rule<Self::Kind>,
    {
        unary(ToF32, self)
    }
    /// In double precision.
    #[inline(always)]
    fn to_f64(self) -> Unary<ToF64, M, Self>
    where
        ToF64: Rule<Self::Kind>,
    {
        unary(ToF64, self)
    }
}
impl<M: AnyMode, X: IntoExpr<M>> Cast<M> for X {}
