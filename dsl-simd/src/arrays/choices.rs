use super::{
    ArrayNumber, ElementOf,
    each::ByElement,
    kinds::{ArrayKind, Extent, common},
    masks::{MaskKind, Where},
    number::unset,
    predicates::{And, Not, Or, Xor},
};
use crate::LaneNumber;
use entape_core::{
    eval::ByPieces,
    expr::{Binary, Operand, Rhs, RhsExpr, Ternary, Unary, binary, ternary, unary},
    kind::{Arg, Incoming, Layout, Piece, Shape, Val, arg},
    mode::AnyMode,
    op,
    rule::{
        A, ArgumentTangent, Order, PiecePrimals, PieceRule, PieceSinks, Primals, PullPieces, Rule,
        Sink, Sinks,
    },
    store::Stash,
};

type NumberOf<B> = Val<<B as ByElement>::Number>;

/// `b` where the mask is set, `c` elsewhere.
#[derive(Clone, Copy, Debug, Stash)]
pub struct MaskSelect;
impl<T, B, C> Rule<MaskKind<T>, B, C> for MaskSelect
where
    T: LaneNumber,
    B: ByElement<Number: ElementOf<Value: ArrayNumber<Part = T>>>,
    C: ByElement<Number = B::Number>,
{
    type Out = ArrayKind<NumberOf<B>>;
    type Saved = ();
    type Evaluation = ByPieces;
    const READS: [u8; 3] = [0, A, A];
    const FLOWS: [bool; 3] = [false, true, true];
    #[track_caller]
    fn primal<'p>(&self, mask: &Vec<bool>, b: Arg<'p, B>, c: Arg<'p, C>) -> (Vec<NumberOf<B>>, ()) {
        let (b, c) = (B::Layout::view(b), C::Layout::view(c));
        let (n, m) = (B::Layout::view_shape(&b), C::Layout::view_shape(&c));
        PieceRule::<MaskKind<T>, B, C>::begin(self, mask.len(), n, m);
        let one = |(i, &set)| match set {
            true => B::number(B::Layout::piece(&b, i)),
            false => C::number(C::Layout::piece(&c, i)),
        };
        (mask.iter().enumerate().map(one).collect(), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, MaskKind<T>, B, C, Self::Out>,
        (): &(),
        r_b: Incoming<'_, Self::Out>,
        mut s: impl Sinks<MaskKind<T>, B, C>,
    ) {
        let r_b = r_b.get();
        let only = |side: bool| -> Vec<NumberOf<B>> {
            let each = p.a().iter().zip(r_b);
            each.map(|(&mask, &r_b)| only(mask == side, r_b)).collect()
        };
        if s.b().wants() {
            s.b().add(B::gather(only(true)));
        }
        if s.c().wants() {
            s.c().add(C::gather(only(false)));
        }
    }
    const ORDER: Order = Order::Second;
    const MARKS: bool = true;
    /// An operand without a tangent is unset.
    fn tangent(
        &self,
        p: Primals<'_, MaskKind<T>, B, C, Self::Out>,
        (): &(),
        t: ArgumentTangent<'_, MaskKind<T>, B, C>,
    ) -> Option<Vec<NumberOf<B>>> {
        let b = t.b.map(|t| B::Layout::view(arg::<B>(t)));
        let c = t.c.map(|t| C::Layout::view(arg::<C>(t)));
        let one = |(i, &set): (usize, &bool)| match set {
            true => b.as_ref().map(|b| B::number(B::Layout::piece(b, i))),
            false => c.as_ref().map(|c| C::number(C::Layout::piece(c, i))),
        };
        let each = p.a().iter().enumerate().map(one);
        Some(each.map(|x| x.unwrap_or_else(unset)).collect())
    }
}
#[inline(always)]
fn only<T: ArrayNumber>(taken: bool, x: T) -> T {
    if taken { x } else { unset() }
}
impl<T, B, C> PullPieces<MaskKind<T>, B, C> for MaskSelect
where
    T: LaneNumber,
    B: ByElement<Number: ElementOf<Value: ArrayNumber<Part = T>>>,
    C: ByElement<Number = B::Number>,
{
    #[inline(always)]
    fn pull(
        &self,
        x: &PiecePrimals<MaskKind<T>, B, C, Self::Out>,
        r_b: NumberOf<B>,
        s: &mut impl PieceSinks<MaskKind<T>, B, C>,
    ) {
        s.b(|| B::piece(only(x.a == Some(true), r_b)));
        s.c(|| C::piece(only(x.a == Some(false), r_b)));
    }
}
impl<T, B, C> PieceRule<MaskKind<T>, B, C> for MaskSelect
where
    T: LaneNumber,
    B: ByElement<Number: ElementOf<Value: ArrayNumber<Part = T>>>,
    C: ByElement<Number = B::Number>,
{
    #[track_caller]
    fn begin(&self, mask: usize, b: Shape<B>, c: Shape<C>) -> (usize, ()) {
        (
            common::<Self, 3>([mask, b.length(mask), c.length(mask)]),
            (),
        )
    }
    fn spread(&self, r: usize) -> (usize, Shape<B>, Shape<C>) {
        (r, Extent::of(r), Extent::of(r))
    }
    #[inline(always)]
    fn piece(&self, mask: bool, b: Piece<B>, c: Piece<C>) -> NumberOf<B> {
        let (b, c) = (B::number(b), C::number(c));
        if mask { b } else { c }
    }
}

/// An array, or a real or a plain number for all elements.
type SideExpr<X, T, M> = RhsExpr<X, ArrayKind<T>, M, op::Add>;
type Chosen<X, B, C, T, M> = Ternary<MaskSelect, M, X, SideExpr<B, T, M>, SideExpr<C, T, M>>;
/// Choices by masks, and operations on masks. `.eval()` stores a mask as a passive variable; `constant(flags)` makes
/// one from a `Vec<bool>`. Different lengths panic on evaluation.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
/// use entape_simd::arrays::{ArrayOps, Compare, MaskOps};
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![-1.0, 0.5, 1.0, 4.0]);
/// let y = tape.record(|| {
///     let inside = v.simd_gt(0.0).and(v.simd_lt(2.0)).eval();
///     assert!(inside.any() && !inside.all());
///     inside.select(v.ln(), 0.0).sum().eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [0.0, 2.0, 1.0, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait MaskOps<T: LaneNumber, M: AnyMode>: Operand<M, Kind = MaskKind<T>> + Sized {
    /// Selects `yes` where the mask is set and `no` elsewhere: arrays, or numbers for all elements.
    fn select<B, C>(self, yes: B, no: C) -> Chosen<Self, B, C, T, M>
    where
        B: Rhs<ArrayKind<T>, M, op::Add>,
        C: Rhs<ArrayKind<T>, M, op::Add>,
        MaskSelect: Rule<MaskKind<T>, B::Kind, C::Kind>,
    {
        ternary(MaskSelect, self, yes.into_rhs(), no.into_rhs())
    }
    /// Returns a mask that is set where both are.
    fn and<B: Operand<M, Kind = MaskKind<T>>>(self, b: B) -> Binary<Where<And>, M, Self, B> {
        binary(Where::NEW, self, b)
    }
    /// Returns a mask that is set where at least one is.
    fn or<B: Operand<M, Kind = MaskKind<T>>>(self, b: B) -> Binary<Where<Or>, M, Self, B> {
        binary(Where::NEW, self, b)
    }
    /// Returns a mask that is set where exactly one is.
    fn xor<B: Operand<M, Kind = MaskKind<T>>>(self, b: B) -> Binary<Where<Xor>, M, Self, B> {
        binary(Where::NEW, self, b)
    }
    /// Returns a mask that is set where this mask is not.
    fn not(self) -> Unary<Where<Not>, M, Self> {
        unary(Where::NEW, self)
    }
    /// Returns whether any element is set.
    #[track_caller]
    fn any(self) -> bool {
        self.into_expr().eval().get().contains(&true)
    }
    /// Returns whether all elements are set.
    #[track_caller]
    fn all(self) -> bool {
        !self.into_expr().eval().get().contains(&false)
    }
}
impl<T: LaneNumber, M: AnyMode, X: Operand<M, Kind = MaskKind<T>>> MaskOps<T, M> for X {}
