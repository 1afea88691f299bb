//! Elementary functions, and the kinds that have them.
use super::{
    dual::{Dual, Zeros, tangents_with},
    evaluation::ElementEvaluation,
    lane::{Lane, each},
    origin::tangent_at_origin,
    remember::{Cost, Remember},
};
use crate::{
    eval::Whole,
    kind::{Kind, Piece, Shape, Val},
    store::{Functions, Stash},
};

/// An elementary function of `N` arguments with its derivatives, declared by [`elementary!`](crate::elementary).
pub trait Elementwise<const N: usize>: Stash {
    /// [`Cheap`](super::Cheap) if a sweep recomputes the function, otherwise [`Dear`](super::Dear).
    type Cost: Cost;
    /// Whether derivatives are finite wherever arguments and result are.
    const SMOOTH: bool = false;
    /// Whether the function chooses an argument. Formulas then return an [unset](Lane::unset) adjoint for others.
    const CHOOSES: bool = false;
    /// Whether the function implements [`Kink`].
    const KINKS: bool = false;
    /// The operands that each argument's adjoint reads, as in [`Rule::READS`](crate::rule::Rule::READS).
    const READS: [u8; 3];
    #[doc(hidden)]
    const FUNCTIONS: Option<&'static Functions> = None;
    /// Which arguments receive an adjoint, as in [`Rule::FLOWS`](crate::rule::Rule::FLOWS).
    const FLOWS: [bool; 3];
    /// Returns the value. Assertions panic at the user's line.
    #[track_caller]
    fn primal<L: Lane>(&self, x: [L; N]) -> L;
    /// Returns the contribution to the adjoint of argument `i`. Operands not in [`READS`](Self::READS) are unspecified.
    fn adjoint<L: Lane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
    /// See [`Kink::is_at`].
    fn is_at_kink<L: Lane>(&self, x: [L; N], r: L) -> L::Mask {
        let _ = x;
        r.less(r)
    }
    /// See [`Kink::tangent`].
    fn tangent_at_kink<L: Lane>(&self, x: [L; N], x_t: [L; N]) -> L {
        let _ = x;
        x_t[0]
    }
    /// See [`Kink::length`].
    fn length_at_kink<L: Lane>(&self, x: [L; N], x_t: L, r_t: L) -> L {
        let _ = (x, r_t);
        x_t
    }
}

/// A function with a kink, `=> kink { .. }` in [`elementary!`](crate::elementary); see [`tangent_at_origin`].
pub trait Kink<const N: usize>: Elementwise<N> {
    /// Returns whether the arguments are at the kink.
    fn is_at<L: Lane>(&self, x: [L; N], r: L) -> L::Mask;
    /// Returns the one-sided derivative of the result along `x_t`.
    fn tangent<L: Lane>(&self, x: [L; N], x_t: [L; N]) -> L;
    /// Returns the divisor that turns a tangent `x_t` into its one-sided slope. `r_t` is the result's,
    /// [unset](Lane::unset) if no argument depends on the direction.
    fn length<L: Lane>(&self, x: [L; N], x_t: L, r_t: L) -> L;
}

/// An operand that a formula of [`elementary!`](crate::elementary) does not declare.
#[derive(Clone, Copy, Debug)]
pub struct NotDeclared;

/// A kind of numbers to which elementary functions apply by piece.
#[diagnostic::on_unimplemented(
    message = "kind `{Self}` has no elementary functions, and no operators except its own operations",
    label = "no elementary functions",
    note = "declare a custom operation with an annotated function, or an operator with `#[op(Add)] fn sum(..)`"
)]
pub trait ElementKind: Kind {
    /// How expressions are evaluated: [`Whole`] or [`ByPieces`](crate::eval::ByPieces).
    type Evaluation: ElementEvaluation<Self>;
    /// Whether statements store results of [dear](super::Dear) functions: [`Remembered`](super::Remembered), or `()` to recompute
    /// them.
    type Remembered: Remember<Self>;
    /// Returns the shape of the arguments.
    ///
    /// # Panics
    /// If the shapes differ.
    #[track_caller]
    fn common<const N: usize, O>(op: &O, shapes: [Shape<Self>; N]) -> Shape<Self>;
    /// Applies `op` to pieces.
    #[track_caller]
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [Piece<Self>; N]) -> Piece<Self>;
    /// Whether an argument with this adjoint receives nothing from a [choice](Elementwise::CHOOSES). Only kinds of
    /// single numbers override it.
    #[inline(always)]
    fn is_unset(adjoint: &Val<Self>) -> bool {
        let _ = adjoint;
        false
    }
    /// Returns a piece of the adjoint of argument `i`; unread operands are `None`.
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        r_b: Piece<Self>,
    ) -> Piece<Self>;

    /// The type with which formulas compute on a piece.
    type Lane: Lane;
    /// Converts a piece to a lane.
    fn lane(piece: Piece<Self>) -> Self::Lane;
    /// Converts a lane to a piece.
    fn piece(lane: Self::Lane) -> Piece<Self>;
    /// Whether an [unset](Lane::unset) piece contributes nothing even if the derivative is infinite, for an elementwise
    /// `select`.
    const CHOICES: bool = false;
    /// Returns the tangents of the result. Tangents of independent arguments are `None`.
    #[inline(always)]
    fn push<const N: usize, const D: usize, O: Elementwise<N>>(
        op: &O,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        tangents: [Option<[Piece<Self>; D]>; N],
        one_sided: bool,
    ) -> [Piece<Self>; D] {
        let tangents = each(&tangents, |t| t.map(|t| each(&t, Self::lane)));
        // A tangent provides the lanes.
        let mut like = None;
        for t in &tangents {
            like = like.or(t.as_ref().and_then(|t| t.first()).copied());
        }
        let Some(like) = like else {
            unreachable!("an argument has tangents")
        };
        // A faulty formula gives NaN.
        let known = |x: Option<Piece<Self>>| x.map_or_else(|| like.splat(f64::NAN), Self::lane);
        let (x, r) = (each(&x, known), known(r));
        let zeros = if one_sided {
            Zeros::Marked
        } else {
            Zeros::Kept
        };
        let mut tangents_of_result = tangents_with(op, x, r, tangents, zeros);
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
        tangents_of_result.map(Self::piece)
    }
    /// Returns the adjoint of argument `i` with its tangents, like [`pull`](Self::pull).
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
        Dual {
            value: Self::piece(x_b.value),
            tangents: x_b.tangents.map(Self::piece),
        }
    }
}

/// A kind of numbers of kind `S`, which elementary functions of two and three arguments broadcast: `v.max(0.0)`, `2.0 * v`,
/// `v.clamp(0.0, x)`.
///
/// Not for kinds with faster rules, or storage kinds without pieces, for which these rules create a temporary.
#[diagnostic::on_unimplemented(
    message = "a number of kind `{S}` cannot be combined with each element of kind `{Self}`",
    label = "no elementwise operation on `{Self}` and numbers of kind `{S}`",
    note = "declare a custom operation with an annotated function, or an operator with `#[op(Mul)] fn scaled(..)`"
)]
pub trait Broadcast<S: Kind>: ElementKind {
    /// Converts `x` to a piece.
    fn broadcast(x: Val<S>) -> Piece<Self>;
    /// Returns the contribution of a piece to the adjoint of the number.
    fn sum(x: Piece<Self>) -> Val<S>;
}

for_reals! { $T =>
    impl ElementKind for $T {
        type Evaluation = Whole;
        type Remembered = ();
        #[inline(always)]
        fn common<const N: usize, O>(_: &O, _: [(); N]) {}
        #[inline(always)]
        fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [$T; N]) -> $T { op.primal(x) }
        #[inline(always)]
        fn pull<const N: usize, O: Elementwise<N>>(op: &O, i: usize, x: [Option<$T>; N], r: Option<$T>, r_b: $T) -> $T {
            // A faulty formula gives NaN. A closure would be compiled for each operation.
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
}
