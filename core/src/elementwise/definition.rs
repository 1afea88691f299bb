//! Elementary functions, and the kinds that have them.
use super::{
    evaluation::ElementEvaluation,
    lane::Lane,
    remember::{Cost, Remember},
};
use crate::{
    eval::Whole,
    kind::{Kind, Piece, Shape, Val},
    store::Stash,
};

/// An elementary function of `N` arguments and its partial derivatives, for any lane type. Declared
/// with [`elementary!`](crate::elementary).
pub trait Elementwise<const N: usize>: Stash {
    /// Whether a sweep computes it again, or reads the result where the kind [remembers](ElementKind::Remembered) it:
    /// [`Cheap`](super::Cheap) or [`Dear`](super::Dear).
    type Cost: Cost;
    /// For each argument: what its adjoint reads, as in [`Rule::READS`](crate::rule::Rule::READS).
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint. `floor` has none: its derivative is zero.
    const FLOWS: [bool; 3];
    /// The function. What it asserts of its arguments is reported where the user evaluates.
    #[track_caller]
    fn primal<L: Lane>(&self, x: [L; N]) -> L;
    /// What is added to the adjoint of argument `i`; `r` is the result, `r_b` its adjoint. What the
    /// formula doesn't declare in [`READS`](Self::READS) may be anything.
    fn adjoint<L: Lane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
}

/// A kind whose values are made of numbers one by one: it has every elementary function.
///
/// A piece is what functions take at a time: the value itself, or one number of an array.
pub trait ElementKind: Kind {
    /// How expressions of elementary functions are evaluated: as a [`Whole`], or [`ByPieces`](crate::eval::ByPieces).
    type Evaluation: ElementEvaluation<Self>;
    /// How statements remember results of [dear](super::Dear) functions that a sweep reads inside of an expression:
    /// [`Remembered`](super::Remembered), or `()` if they are computed again.
    type Remembered: Remember<Self>;
    /// The shape that the arguments of `op` have in common.
    ///
    /// # Panics
    /// If they differ; the message names the operation and the shapes.
    #[track_caller]
    fn common<const N: usize, O>(op: &O, shapes: [Shape<Self>; N]) -> Shape<Self>;
    /// Applies `op` to pieces.
    #[track_caller]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Piece<Self>; N]) -> Piece<Self>;
    /// A piece of the adjoint of argument `i`. An argument or a result that the adjoint doesn't read is `None`.
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        r_b: Piece<Self>,
    ) -> Piece<Self>;
}

/// A kind made of numbers of kind `S` (`f64` or `f32`) whose operations of two and three arguments take a single
/// number for any of them, but one; it stands for all elements: `v.max(0.0)`, `v.powf(x)`, `2.0 * v`,
/// `v.clamp(0.0, x)`. With this trait every elementary function of two or three arguments has these rules.
///
/// A kind with faster rules of its own, and a storage kind that is not evaluated by pieces, for which this would
/// make a temporary of full size, declares them instead.
pub trait Broadcast<S: Kind>: ElementKind {
    /// `x` as a piece.
    fn broadcast(x: Val<S>) -> Piece<Self>;
    /// What a piece of the adjoint gives to that of the number.
    fn sum(x: Piece<Self>) -> Val<S>;
}

/// The number itself is the one lane.
macro_rules! one_lane { ($($T:ident)*) => { $(
    impl ElementKind for $T {
        type Evaluation = Whole;
        type Remembered = ();
        #[inline(always)]
        fn common<const N: usize, O>(_: &O, _: [(); N]) {}
        #[inline(always)]
        fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [$T; N]) -> $T { op.primal(x) }
        #[inline(always)]
        fn pull<const N: usize, O: Elementwise<N>>(op: &O, i: usize, x: [Option<$T>; N], r: Option<$T>, r_b: $T) -> $T {
            // What a formula doesn't declare, it doesn't read; a faulty one computes NaN, no wrong number.
            op.adjoint(i, x.map(|x| x.unwrap_or($T::NAN)), r.unwrap_or($T::NAN), r_b)
        }
    }
)* } }
one_lane! { f64 f32 }
