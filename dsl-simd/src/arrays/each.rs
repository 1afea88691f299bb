//! Operations on arrays by the rules for numbers.
use super::{
    ArrayNumber, ElementOf,
    kinds::{ArrayKind, Extent, common},
    number::is_unset,
};
use entape_core::{
    expr::{Binary, KindOf, Operand, Rhs, RhsExpr, Unary, binary, unary},
    kind::{Adjoint, Arg, Contribution, Incoming, Kind, Layout, Passed, Piece, Shape, Val, arg},
    mode::AnyMode,
    rule::{
        A, B, C, NumberOrNone, Order, PiecePrimals, PieceSinks, Primals, R, Rule, Sink, Sinks,
        adjoint_of,
    },
    store::Stash,
};
use std::hint::select_unpredictable;

/// An array, one number for all elements, or `()` for a missing argument.
pub trait ByElement: Kind<Layout: Layout<Self, Shape: Extent>> {
    /// The kind of one element.
    type Number: NumberOrNone;
    /// Converts a piece to a number.
    fn number(piece: Piece<Self>) -> Val<Self::Number>;
    /// Converts a number to a piece.
    fn piece(x: Val<Self::Number>) -> Piece<Self>;
    /// Combines the adjoints for all elements of the result.
    fn gather(all: Vec<Val<Self::Number>>) -> impl Contribution<Self>;
}
impl<T: ArrayNumber> ByElement for ArrayKind<T> {
    type Number = T::Kind;
    #[inline(always)]
    fn number(piece: T) -> T {
        piece
    }
    #[inline(always)]
    fn piece(x: T) -> T {
        x
    }
    fn gather(all: Vec<T>) -> impl Contribution<Self> {
        Passed(all)
    }
}
impl<K: NumberOrNone> ByElement for K {
    type Number = K;
    #[inline(always)]
    fn number(piece: Val<K>) -> Val<K> {
        piece
    }
    #[inline(always)]
    fn piece(x: Val<K>) -> Val<K> {
        x
    }
    fn gather(all: Vec<Val<K>>) -> impl Contribution<K> {
        let mut sum = flow::<K>(true, None);
        all.into_iter().for_each(|x| K::accumulate(&mut sum, x));
        sum
    }
}
pub(super) type Number<K> = <K as ByElement>::Number;
type Numbers<X, Y, Z> = (Val<Number<X>>, Val<Number<Y>>, Val<Number<Z>>);
/// Operation `O` on each pair of elements.
pub type EachOfTwo<O, X, Y, M> = Binary<Each<O>, M, X, RhsExpr<Y, KindOf<X, M>, M, Each<O>>>;

/// An operation on the elements of `X`, `Y` and `Z`.
pub trait OnElements<X: ByElement, Y: ByElement, Z: ByElement>:
    Rule<Number<X>, Number<Y>, Number<Z>, Out: ElementOf, Saved = ()>
{
    /// [`Rule::READS`] for numbers.
    const READS_OF_NUMBERS: [u8; 3] = <Self as Rule<Number<X>, Number<Y>, Number<Z>>>::READS;
    /// [`Rule::FLOWS`] for numbers.
    const FLOWS_OF_NUMBERS: [bool; 3] = <Self as Rule<Number<X>, Number<Y>, Number<Z>>>::FLOWS;
    /// [`Rule::ORDER`] for numbers.
    const ORDER_OF_NUMBERS: Order = <Self as Rule<Number<X>, Number<Y>, Number<Z>>>::ORDER;
}
impl<X: ByElement, Y: ByElement, Z: ByElement, O> OnElements<X, Y, Z> for O where
    O: Rule<Number<X>, Number<Y>, Number<Z>, Out: ElementOf, Saved = ()>
{
}
pub(super) type OutOf<O, X, Y, Z> = <O as Rule<Number<X>, Number<Y>, Number<Z>>>::Out;
pub(super) type EachOut<O, X, Y, Z> = ArrayKind<Val<OutOf<O, X, Y, Z>>>;
type PiecesOf<O, X, Y, Z> = PiecePrimals<X, Y, Z, EachOut<O, X, Y, Z>>;

/// Returns the length of the result.
#[track_caller]
#[inline]
pub(super) fn begin<O, X: ByElement, Y: ByElement, Z: ByElement>(
    x: Shape<X>,
    y: Shape<Y>,
    z: Shape<Z>,
) -> usize {
    let some = x.known().or(y.known()).or(z.known()).unwrap_or(0);
    common::<O, 3>([x.length(some), y.length(some), z.length(some)])
}
#[inline(always)]
pub(super) fn piece<O: OnElements<X, Y, Z>, X: ByElement, Y: ByElement, Z: ByElement>(
    op: &O,
    x: Piece<X>,
    y: Piece<Y>,
    z: Piece<Z>,
) -> Val<OutOf<O, X, Y, Z>> {
    let (x, y, z) = (X::number(x), Y::number(y), Z::number(z));
    let (x, y, z) = (
        arg::<Number<X>>(&x),
        arg::<Number<Y>>(&y),
        arg::<Number<Z>>(&z),
    );
    op.primal(x, y, z).0
}
#[inline(always)]
fn adjoint_at<const I: usize, O, X: ByElement, Y: ByElement, Z: ByElement>(
    op: &O,
    x: &PiecesOf<O, X, Y, Z>,
    r_b: Val<OutOf<O, X, Y, Z>>,
) -> Numbers<X, Y, Z>
where
    O: OnElements<X, Y, Z>,
{
    let reads = O::READS[I];
    let idle = is_unset(&r_b);
    let x = PiecePrimals::<Number<X>, Number<Y>, Number<Z>, OutOf<O, X, Y, Z>> {
        a: x.a.clone().filter(|_| reads & A != 0).map(X::number),
        b: x.b.clone().filter(|_| reads & B != 0).map(Y::number),
        c: x.c.clone().filter(|_| reads & C != 0).map(Z::number),
        r: x.r.filter(|_| reads & R != 0),
    };
    let (x_b, y_b, z_b) = adjoint_of::<I, O, Number<X>, Number<Y>, Number<Z>>(op, x, r_b);
    (
        flow::<Number<X>>(idle, x_b),
        flow::<Number<Y>>(idle, y_b),
        flow::<Number<Z>>(idle, z_b),
    )
}
/// Returns `x_b`, or unset if `idle`. A branch would prevent vectorisation.
#[inline(always)]
pub(crate) fn flow<K: NumberOrNone>(idle: bool, x_b: Option<Val<K>>) -> Val<K> {
    let unset = K::Adjoint::unset;
    let adjoint =
        select_unpredictable(idle, unset(), x_b.map_or_else(unset, K::Adjoint::from_term));
    adjoint.into_value().unwrap_or_default()
}
#[inline(always)]
pub(super) fn pull<O: OnElements<X, Y, Z>, X: ByElement, Y: ByElement, Z: ByElement>(
    op: &O,
    x: &PiecesOf<O, X, Y, Z>,
    r_b: Val<OutOf<O, X, Y, Z>>,
    s: &mut impl PieceSinks<X, Y, Z>,
) {
    s.a(|| X::piece(adjoint_at::<0, O, X, Y, Z>(op, x, r_b).0));
    s.b(|| Y::piece(adjoint_at::<1, O, X, Y, Z>(op, x, r_b).1));
    s.c(|| Z::piece(adjoint_at::<2, O, X, Y, Z>(op, x, r_b).2));
}
#[track_caller]
pub(super) fn primal<O: OnElements<X, Y, Z>, X: ByElement, Y: ByElement, Z: ByElement>(
    op: &O,
    x: Arg<'_, X>,
    y: Arg<'_, Y>,
    z: Arg<'_, Z>,
) -> Vec<Val<OutOf<O, X, Y, Z>>> {
    let (x, y, z) = (X::Layout::view(x), Y::Layout::view(y), Z::Layout::view(z));
    let length = begin::<O, X, Y, Z>(
        X::Layout::view_shape(&x),
        Y::Layout::view_shape(&y),
        Z::Layout::view_shape(&z),
    );
    let at = |i| {
        let (x, y, z) = (
            X::Layout::piece(&x, i),
            Y::Layout::piece(&y, i),
            Z::Layout::piece(&z, i),
        );
        piece::<O, X, Y, Z>(op, x, y, z)
    };
    (0..length).map(at).collect()
}
pub(super) fn adjoint<O: OnElements<X, Y, Z>, X: ByElement, Y: ByElement, Z: ByElement>(
    op: &O,
    p: &Primals<'_, X, Y, Z, EachOut<O, X, Y, Z>>,
    r_b: &Incoming<'_, EachOut<O, X, Y, Z>>,
    mut s: impl Sinks<X, Y, Z>,
) {
    let r_b = r_b.get();
    let reads = |i: usize, bit| O::READS[i] & bit != 0;
    macro_rules! all {
        ($i:literal) => {{
            let x = reads($i, A).then(|| X::Layout::view(p.a()));
            let y = reads($i, B).then(|| Y::Layout::view(p.b()));
            let z = reads($i, C).then(|| Z::Layout::view(p.c()));
            let r = reads($i, R).then(|| p.r());
            let at = move |(i, r_b): (usize, &Val<OutOf<O, X, Y, Z>>)| {
                let x = PiecePrimals {
                    a: x.as_ref().map(|x| X::Layout::piece(x, i)),
                    b: y.as_ref().map(|y| Y::Layout::piece(y, i)),
                    c: z.as_ref().map(|z| Z::Layout::piece(z, i)),
                    r: r.map(|r| r[i]),
                };
                adjoint_at::<$i, O, X, Y, Z>(op, &x, *r_b)
            };
            r_b.iter().enumerate().map(at)
        }};
    }
    if O::FLOWS[0] && s.a().wants() {
        s.a().add(X::gather(all!(0).map(|x_b| x_b.0).collect()));
    }
    if O::FLOWS[1] && s.b().wants() {
        s.b().add(Y::gather(all!(1).map(|x_b| x_b.1).collect()));
    }
    if O::FLOWS[2] && s.c().wants() {
        s.c().add(Z::gather(all!(2).map(|x_b| x_b.2).collect()));
    }
}

/// An operation on numbers applied to each element: `Each(op::Cis)`. Numbers are broadcast.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Each<O>(pub O);
impl<O> Each<O> {
    #[inline(always)]
    fn inner(&self) -> &O {
        &self.0
    }
}

/// Each line has the arguments of some operations; `()` is a missing argument.
macro_rules! each_element { ($([$($generics:tt)*] $X:ty, $Y:ty, $Z:ty => $($Op:ty)*;)*) => { $(
    $crate::arrays::each::each_element! { @one [$($generics)*] [$X, $Y, $Z] $($Op)* }
)* };
(@one $generics:tt $kinds:tt $($Op:ty)*) => { $(
    $crate::arrays::each::each_element! { @rules $generics $kinds $Op: $Op, std::convert::identity }
)* };
(@rules [$($generics:tt)*] [$X:ty, $Y:ty, $Z:ty] $Op:ty: $Inner:ty, $inner:expr) => {
    impl<$($generics)*> entape_core::rule::Rule<$X, $Y, $Z> for $Op {
        type Out = $crate::arrays::each::EachOut<$Inner, $X, $Y, $Z>;
        type Saved = ();
        type Evaluation = entape_core::eval::ByPieces;
        const READS: [u8; 3] =
            <$Inner as $crate::arrays::each::OnElements<$X, $Y, $Z>>::READS_OF_NUMBERS;
        const FLOWS: [bool; 3] =
            <$Inner as $crate::arrays::each::OnElements<$X, $Y, $Z>>::FLOWS_OF_NUMBERS;
        #[track_caller]
        fn primal<'p>(
            &self,
            x: entape_core::kind::Arg<'p, $X>,
            y: entape_core::kind::Arg<'p, $Y>,
            z: entape_core::kind::Arg<'p, $Z>,
        ) -> (entape_core::kind::Val<Self::Out>, ()) {
            ($crate::arrays::each::primal::<$Inner, $X, $Y, $Z>($inner(self), x, y, z), ())
        }
        fn adjoint(
            &self,
            p: entape_core::rule::Primals<'_, $X, $Y, $Z, Self::Out>,
            (): &(),
            r_b: entape_core::kind::Incoming<'_, Self::Out>,
            s: impl entape_core::rule::Sinks<$X, $Y, $Z>,
        ) {
            $crate::arrays::each::adjoint::<$Inner, $X, $Y, $Z>($inner(self), &p, &r_b, s);
        }
        const MARKS: bool = true;
        const ORDER: entape_core::rule::Order =
            <$Inner as $crate::arrays::each::OnElements<$X, $Y, $Z>>::ORDER_OF_NUMBERS;
        fn tangents<const N: usize>(
            &self,
            p: &entape_core::rule::Primals<'_, $X, $Y, $Z, Self::Out>,
            (): &(),
            t: entape_core::rule::ArgumentTangents<'_, $X, $Y, $Z, N>,
        ) -> Option<[entape_core::kind::Val<Self::Out>; N]> {
            $crate::arrays::each_tangents::tangents::<$Inner, $X, $Y, $Z, N>($inner(self), p, t)
        }
        fn second<const N: usize>(
            &self,
            p: &entape_core::rule::Primals<'_, $X, $Y, $Z, Self::Out>,
            (): &(),
            t: entape_core::rule::ArgumentTangents<'_, $X, $Y, $Z, N>,
            r_t: Option<&[entape_core::kind::Val<Self::Out>; N]>,
            r: entape_core::rule::SecondAdjoint<'_, Self::Out, N>,
            s: &mut impl entape_core::rule::SecondSinks<$X, $Y, $Z, N>,
        ) {
            $crate::arrays::each_tangents::second::<$Inner, $X, $Y, $Z, N>($inner(self), p, t, r_t, r, s);
        }
    }
    impl<$($generics)*> entape_core::rule::PullPieces<$X, $Y, $Z> for $Op {
        #[inline(always)]
        fn pull(
            &self,
            x: &entape_core::rule::PiecePrimals<
                $X, $Y, $Z, $crate::arrays::each::EachOut<$Inner, $X, $Y, $Z>,
            >,
            r_b: entape_core::kind::Piece<$crate::arrays::each::EachOut<$Inner, $X, $Y, $Z>>,
            s: &mut impl entape_core::rule::PieceSinks<$X, $Y, $Z>,
        ) {
            $crate::arrays::each::pull::<$Inner, $X, $Y, $Z>($inner(self), x, r_b, s);
        }
    }
    impl<$($generics)*> entape_core::rule::PieceRule<$X, $Y, $Z> for $Op {
        #[track_caller]
        #[inline]
        fn begin(
            &self,
            x: entape_core::kind::Shape<$X>,
            y: entape_core::kind::Shape<$Y>,
            z: entape_core::kind::Shape<$Z>,
        ) -> (usize, ()) {
            ($crate::arrays::each::begin::<$Inner, $X, $Y, $Z>(x, y, z), ())
        }
        #[inline(always)]
        fn spread(&self, r: usize) -> entape_core::rule::Shapes<$X, $Y, $Z> {
            use $crate::arrays::Extent;
            (Extent::of(r), Extent::of(r), Extent::of(r))
        }
        #[inline(always)]
        fn piece(
            &self,
            x: entape_core::kind::Piece<$X>,
            y: entape_core::kind::Piece<$Y>,
            z: entape_core::kind::Piece<$Z>,
        ) -> entape_core::kind::Piece<$crate::arrays::each::EachOut<$Inner, $X, $Y, $Z>> {
            $crate::arrays::each::piece::<$Inner, $X, $Y, $Z>($inner(self), x, y, z)
        }
    }
} }
#[cfg(feature = "complex")]
pub(super) use each_element;

each_element! { @rules
    [T: ArrayNumber, Y: ByElement, Z: ByElement, O: Rule<T::Kind, Y::Number, Z::Number, Out: ElementOf, Saved = ()>]
    [ArrayKind<T>, Y, Z] Each<O>: O, Each::inner
}
each_element! { @rules
    [K: NumberOrNone, T: ArrayNumber, Z: ByElement, O: Rule<K, T::Kind, Z::Number, Out: ElementOf, Saved = ()>]
    [K, ArrayKind<T>, Z] Each<O>: O, Each::inner
}

/// Applies operations on numbers to arrays.
///
/// ```
/// use entape_core::{op, tape::Tape};
/// use entape_simd::arrays::{ArrayOps, MapArrays};
///
/// /// The force of a spring that is pulled beyond its length.
/// #[op]
/// fn force(#[ad_in(if x > 1.0 { r_b * k } else { 0.0 })] x: f64, #[ad_in(r_b * (x - 1.0).max(0.0))] k: f64) -> f64 {
///     k * (x - 1.0).max(0.0)
/// }
///
/// let mut tape = Tape::new();
/// let (x, k) = (tape.input(vec![0.5, 3.0]), tape.input(2.0));
/// let y = tape.record(|| x.zip_map(k, Force).sum().eval());
/// let gradient = tape.gradient(&y)?;
/// assert_eq!((gradient.wrt(&x)?, gradient.wrt(&k)?), (vec![0.0, 2.0], 2.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait MapArrays<T: ArrayNumber, M: AnyMode>: Operand<M, Kind = ArrayKind<T>> + Sized {
    /// Applies an operation to each element, in the loop of the surrounding expression. The operation must not save
    /// data for its adjoint.
    fn map<O>(self, op: O) -> Unary<Each<O>, M, Self>
    where
        Each<O>: Rule<ArrayKind<T>>,
    {
        unary(Each(op), self)
    }
    /// Applies the operation to each pair of elements.
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    fn zip_map<O, W>(self, w: W, op: O) -> EachOfTwo<O, Self, W, M>
    where
        W: Rhs<ArrayKind<T>, M, Each<O>>,
        Each<O>: Rule<ArrayKind<T>, W::Kind>,
    {
        binary(Each(op), self, w.into_rhs())
    }
}
impl<T: ArrayNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> MapArrays<T, M> for X {}
