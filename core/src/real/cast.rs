//! Casts between the real kinds.
use crate::{
    eval::{ByPieces, Whole},
    expr::{HasMethods, Unary, unary},
    kind::{Arg, ComputedPieces, Incoming, Kind, Layout, Passed, Piece, Shape, Val, shape_of},
    mode::AnyMode,
    rule::{
        ArgumentTangent, Order, PiecePrimals, PieceRule, PieceSinks, Primals, PullPieces, Rule,
        Shapes, Sink, Sinks, linear_tangent,
    },
    store::Stash,
};

/// A kind whose pieces the cast `O` ([`ToF32`], [`ToF64`]) casts independently.
pub trait CastPieces<O>: Kind {
    /// The kind of the result.
    type Out: Kind<Layout: Layout<Self::Out, Shape = Shape<Self>>>;
    /// Casts a piece of the argument.
    fn cast(piece: Piece<Self>) -> Piece<Self::Out>;
    /// Casts a piece of the adjoint back.
    fn cast_back(r_b: Piece<Self::Out>) -> Piece<Self>;
}
fn cast_all<K: Kind, L>(value: Arg<'_, K>, cast: impl Fn(Piece<K>) -> Piece<L> + Clone) -> Val<L>
where
    L: Kind<Layout: Layout<L, Shape = Shape<K>>>,
{
    let shape = shape_of::<K>(&value);
    let view = K::Layout::view(value);
    let pieces = |i: usize| cast(K::Layout::piece(&view, i));
    L::Layout::collect(shape, &ComputedPieces::<L, _>::new(shape, &pieces))
}

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
        const ORDER: Order = Order::Second;
        #[inline(always)]
        fn tangent(&self, _: Primals<'_, $From, (), (), $To>, (): &(), t: ArgumentTangent<'_, $From>) -> Option<$To> {
            linear_tangent(self, t)
        }
    } )*
    impl<K: CastPieces<$Op>> Rule<K> for $Op {
        type Out = K::Out;
        type Saved = ();
        type Evaluation = ByPieces;
        const READS: [u8; 3] = [0; 3];
        fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<K::Out>, ()) {
            (cast_all::<K, K::Out>(a, K::cast), ())
        }
        fn adjoint(
            &self,
            _: Primals<'_, K, (), (), K::Out>,
            (): &(),
            r_b: Incoming<'_, K::Out>,
            mut s: impl Sinks<K>,
        ) {
            if s.a().wants() {
                s.a().add(Passed(cast_all::<K::Out, K>(r_b.get(), K::cast_back)));
            }
        }
        const ORDER: Order = Order::Second;
        fn tangent(&self, _: Primals<'_, K, (), (), K::Out>, (): &(), t: ArgumentTangent<'_, K>) -> Option<Val<K::Out>> {
            linear_tangent(self, t)
        }
    }
    impl<K: CastPieces<$Op>> PullPieces<K> for $Op {
        #[inline(always)]
        fn pull(
            &self,
            _: &PiecePrimals<K, (), (), K::Out>,
            r_b: Piece<K::Out>,
            s: &mut impl PieceSinks<K>,
        ) {
            s.a(|| K::cast_back(r_b));
        }
    }
    impl<K: CastPieces<$Op>> PieceRule<K> for $Op {
        fn begin(&self, a: Shape<K>, (): (), (): ()) -> (Shape<K>, ()) {
            (a, ())
        }
        fn spread(&self, r: Shape<K>) -> Shapes<K, (), ()> {
            (r, (), ())
        }
        #[inline(always)]
        fn piece(&self, a: Piece<K>, (): (), (): ()) -> Piece<K::Out> {
            K::cast(a)
        }
    }
)* } }
cast! {
    /// Cast to single precision.
    ToF32: f64 f32 => f32;
    /// Cast to double precision.
    ToF64: f64 f32 => f64;
}

/// Casts between both precisions, which may occur in one expression. The adjoint is cast back.
///
/// ```
/// use entape_core::{expr::Active, mode::Plain, real::Cast};
///
/// let (x, y) = (Active::<f64, Plain>::passive(0.1), Active::<f32, Plain>::passive(2.0));
/// assert_eq!((x * y.to_f64()).eval().value(), 0.2);
/// assert_eq!((x.to_f32() * y).eval().value(), 0.2_f32);
/// ```
pub trait Cast<M: AnyMode>: HasMethods<M> + Sized {
    /// Casts to the nearest number of single precision.
    #[inline(always)]
    fn to_f32(self) -> Unary<ToF32, M, Self>
    where
        ToF32: Rule<Self::Kind>,
    {
        unary(ToF32, self)
    }
    /// Casts to double precision.
    #[inline(always)]
    fn to_f64(self) -> Unary<ToF64, M, Self>
    where
        ToF64: Rule<Self::Kind>,
    {
        unary(ToF64, self)
    }
}
impl<M: AnyMode, X: HasMethods<M>> Cast<M> for X {}
