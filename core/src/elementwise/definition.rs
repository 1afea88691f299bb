//! Elementary functions, and the kinds that have them.
use super::{
    dual::{Dual, each, marked_tangents_of},
    evaluation::ElementEvaluation,
    lane::Lane,
    origin::tangent_at_origin,
    remember::{Cost, Remember},
};
use crate::{
    eval::Whole,
    kind::{Kind, Piece, Shape, Val},
    store::{Functions, Stash},
};

/// An elementary function of `N` arguments and its partial derivatives, for any lane type. Declared
/// with [`elementary!`](crate::elementary).
pub trait Elementwise<const N: usize>: Stash {
    /// Whether a sweep recomputes the function or reads the result, if the kind [remembers](ElementKind::Remembered)
    /// it: [`Cheap`](super::Cheap) or [`Dear`](super::Dear).
    type Cost: Cost;
    /// Whether the derivatives are finite wherever the arguments and the result are. If so, zero tangents need no special
    /// treatment; otherwise a zero tangent stays zero even if the derivative is infinite.
    const SMOOTH: bool = false;
    /// Whether the function chooses between its arguments, as `max` does. Its formulas return an [unset](Lane::unset) adjoint
    /// for an argument that is not chosen, and nothing is added to the adjoint of that argument.
    const CHOOSES: bool = false;
    /// Whether the function has a kink, as a norm has at the origin, and implements [`Kink`].
    const KINKS: bool = false;
    /// For each argument: what its adjoint reads, as in [`Rule::READS`](crate::rule::Rule::READS).
    const READS: [u8; 3];
    /// Numeric functions generated for this operation.
    #[doc(hidden)]
    const FUNCTIONS: Option<&'static Functions> = None;
    /// For each argument: whether it receives an adjoint. The argument of `floor` does not: the derivative is zero.
    const FLOWS: [bool; 3];
    /// Returns the value of the function. If it asserts properties of its arguments, panics are reported at the user's
    /// line.
    #[track_caller]
    fn primal<L: Lane>(&self, x: [L; N]) -> L;
    /// Returns the contribution to the adjoint of argument `i`; `r` is the result and `r_b` its adjoint. Operands that
    /// the formula does not declare in [`READS`](Self::READS) are unspecified.
    fn adjoint<L: Lane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
    /// [`Kink::is_at`] of functions that [have a kink](Self::KINKS).
    fn is_at_kink<L: Lane>(&self, x: [L; N], r: L) -> L::Mask {
        let _ = x;
        r.less(r)
    }
    /// [`Kink::tangent`] of functions that [have a kink](Self::KINKS).
    fn tangent_at_kink<L: Lane>(&self, x: [L; N], x_t: [L; N]) -> L {
        let _ = x;
        x_t[0]
    }
    /// [`Kink::length`] of functions that [have a kink](Self::KINKS).
    fn length_at_kink<L: Lane>(&self, x: [L; N], x_t: L, r_t: L) -> L {
        let _ = (x, r_t);
        x_t
    }
}

/// A function with a kink, such as a norm at the origin. Second derivatives need it: see [`tangent_at_origin`]. Entries
/// of [`elementary!`](crate::elementary) that are marked `=> kink { .. }` must implement it.
pub trait Kink<const N: usize>: Elementwise<N> {
    /// Returns whether the arguments are at the kink.
    fn is_at<L: Lane>(&self, x: [L; N], r: L) -> L::Mask;
    /// Returns the derivative of the result at the kink along one side, in the direction `x_t`.
    fn tangent<L: Lane>(&self, x: [L; N], x_t: [L; N]) -> L;
    /// Returns the divisor that turns the tangent `x_t` of an argument into its slope along one side. `r_t` is the tangent
    /// of the result. It is [unset](Lane::unset) if none of the arguments of the kink depends on the direction.
    fn length<L: Lane>(&self, x: [L; N], x_t: L, r_t: L) -> L;
}

/// Replaces arguments and results that a formula of [`elementary!`](crate::elementary) does not declare before its
/// `+=`. The type supports no computations.
#[derive(Clone, Copy, Debug)]
pub struct NotDeclared;

/// A kind whose values consist of numbers that are computed independently: all elementary functions apply to it.
///
/// Functions are applied to one piece at a time: the value itself, or one number of an array.
#[diagnostic::on_unimplemented(
    message = "kind `{Self}` has no elementary functions and no operators but its own",
    label = "no elementary functions",
    note = "an operation of one's own is an annotated function, an operator too: `#[op(Add)] fn sum(..)`"
)]
pub trait ElementKind: Kind {
    /// How expressions of elementary functions are evaluated: as a [`Whole`], or [`ByPieces`](crate::eval::ByPieces).
    type Evaluation: ElementEvaluation<Self>;
    /// How statements remember results of [dear](super::Dear) functions that a sweep reads inside an expression:
    /// [`Remembered`](super::Remembered), or `()` if the results are recomputed.
    type Remembered: Remember<Self>;
    /// Returns the common shape of the arguments of `op`.
    ///
    /// # Panics
    /// If the shapes differ; the message names the operation and the shapes.
    #[track_caller]
    fn common<const N: usize, O>(op: &O, shapes: [Shape<Self>; N]) -> Shape<Self>;
    /// Applies `op` to pieces.
    #[track_caller]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Piece<Self>; N]) -> Piece<Self>;
    /// Whether an argument with this adjoint receives no contribution. Used only for functions that
    /// [choose](Elementwise::CHOOSES), and only overridden by kinds of single numbers.
    #[inline(always)]
    fn is_unset(adjoint: &Val<Self>) -> bool {
        let _ = adjoint;
        false
    }
    /// Returns a piece of the adjoint of argument `i`. Arguments and results that the adjoint does not read are `None`.
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        r_b: Piece<Self>,
    ) -> Piece<Self>;

    /// The type formulas compute with when the derivatives of a piece are requested.
    type Lane: Lane;
    /// Converts a piece to a lane.
    fn lane(piece: Piece<Self>) -> Self::Lane;
    /// Converts a lane to a piece.
    fn piece(lane: Self::Lane) -> Piece<Self>;
    /// Whether an [unset](Lane::unset) piece of an adjoint contributes nothing even where the derivative is infinite. Needed by
    /// element-wise `select`, which evaluates both sides.
    const CHOICES: bool = false;
    /// Returns the tangents of the result `r` of `op`. The tangents of arguments that do not depend on the directions
    /// are `None`.
    #[inline(always)]
    fn push<const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        tangents: [Option<[Piece<Self>; D]>; N],
        one_sided: bool,
    ) -> [Piece<Self>; D] {
        let tangents = each(&tangents, |t| t.map(|t| each(&t, Self::lane)));
        // At least one tangent exists. It provides the width of the lanes.
        let mut like = None;
        for t in &tangents {
            like = like.or(t.as_ref().and_then(|t| t.first()).copied());
        }
        let Some(like) = like else {
            unreachable!("tangents of an operation on values without tangents")
        };
        // Formulas read only declared operands. A faulty formula computes NaN rather than a wrong number.
        let known = |x: Option<Piece<Self>>| x.map_or_else(|| like.splat(f64::NAN), Self::lane);
        let (x, r) = (each(&x, known), known(r));
        let mut tangents_of_result = marked_tangents_of(op, x, r, tangents, one_sided);
        if O::KINKS && one_sided {
            let kink = op.is_at_kink(x, r);
            for (j, r_t) in tangents_of_result.iter_mut().enumerate() {
                let x_t = each(&tangents, |t| t.map_or_else(|| like.unset(), |t| t[j]));
                let at_kink = op.tangent_at_kink(x, x_t).computed();
                let unset = x_t.iter().fold(kink, |all, x_t| all & x_t.is_unset());
                let at_kink = Lane::select(unset, like.unset(), at_kink);
                *r_t = Lane::select(kink, at_kink, *r_t);
            }
        }
        each(&tangents_of_result, Self::piece)
    }
    /// [`pull`](Self::pull) for a piece with tangents: returns the adjoint of argument `i` and its tangents.
    #[inline(always)]
    fn pull_second<const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Dual<Piece<Self>, D>>; N],
        r: Option<Dual<Piece<Self>, D>>,
        r_b: Dual<Piece<Self>, D>,
        one_sided: bool,
    ) -> Dual<Piece<Self>, D> {
        let r_b = r_b.convert(Self::lane);
        let unknown = r_b.splat(f64::NAN);
        let known = |x: Option<Dual<Piece<Self>, D>>| x.map_or(unknown, |x| x.convert(Self::lane));
        let (x, r) = (each(&x, known), known(r));
        let mut x_b = op.adjoint(i, x, r, r_b);
        if O::KINKS {
            let values = each(&x, |x| x.value);
            let kink = op.is_at_kink(values, r.value);
            for j in 0..D {
                let (x_t, r_bt) = (x[i].tangents[j], r_b.tangents[j]);
                let length = op.length_at_kink(values, x_t, r.tangents[j]);
                let at_kink = tangent_at_origin(one_sided, (r_b.value, r_bt), x_t, length);
                x_b.tangents[j] = Lane::select(kink, at_kink, x_b.tangents[j]);
            }
        }
        if Self::CHOICES && O::READS[i] != 0 {
            let computed = if O::CHOOSES { x_b } else { x_b.computed() };
            x_b = Lane::select(r_b.is_unset(), x_b.unset(), computed);
        }
        x_b.convert(Self::piece)
    }
}

/// A kind that consists of numbers of kind `S` (`f64` or `f32`). In its operations of two and three arguments, all
/// arguments but one can be single numbers, which are broadcast to all elements: `v.max(0.0)`, `v.powf(x)`, `2.0 * v`,
/// `v.clamp(0.0, x)`. For kinds with this trait, every elementary function of two or three arguments has these rules.
///
/// A kind declares these rules itself, without this trait, in two cases: if it has faster rules, or if it is a storage
/// kind that is not evaluated by pieces, for which these rules would create a temporary of full size.
#[diagnostic::on_unimplemented(
    message = "a number of kind `{S}` can't stand for all elements of kind `{Self}`",
    label = "no operation on `{Self}` and numbers of kind `{S}`",
    note = "an operation of one's own is an annotated function, an operator too: `#[op(Mul)] fn scaled(..)`"
)]
pub trait Broadcast<S: Kind>: ElementKind {
    /// Converts `x` to a piece.
    fn broadcast(x: Val<S>) -> Piece<Self>;
    /// Returns the contribution of a piece's adjoint to the adjoint of the number.
    fn sum(x: Piece<Self>) -> Val<S>;
}

/// For single numbers this is the number itself.
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
            // Formulas read only declared operands. A faulty formula computes NaN rather than a wrong number. This is a
            // function because a closure would be compiled for each operation.
            fn or_nan(x: Option<$T>) -> $T { x.unwrap_or($T::NAN) }
            op.adjoint(i, each(&x, or_nan), or_nan(r), r_b)
        }
        #[inline(always)]
        fn is_unset(adjoint: &$T) -> bool { Lane::is_unset(*adjoint) }
        type Lane = $T;
        #[inline(always)]
        fn lane(piece: $T) -> $T { piece }
        #[inline(always)]
        fn piece(lane: $T) -> $T { lane }
    }
)* } }
one_lane! { f64 f32 }
