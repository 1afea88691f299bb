//! Masks: comparisons of arrays, element by element.
use super::{
    kinds::{ArrayKind, common},
    piece::Element,
};
use entape_core::{
    expr::{Beside, KindOf, Operand, Pieces},
    kind,
    kind::{Arg, At, PieceKind, Stash},
    mode::AnyMode,
    rule::{Binary, Primals, Rule, Sinks, binary},
    tape::{Reader, Writer},
};
use std::marker::PhantomData;

/// The kind of masks: one truth value for each element of an array of `T`. They are passive.
#[kind(
    value = Vec<bool>,
    index = Reuse,
    form = ByPieces,
    zero = |like| vec![false; like.len()],
    add = |_, _| {},
    name = "mask",
)]
pub struct MaskKind<T: Element>(PhantomData<T>);

impl<T: Element> PieceKind for MaskKind<T> {
    type Shape = usize;
    type Piece = bool;
    type View<'v> = &'v [bool];
    #[inline(always)]
    fn shape(value: &Vec<bool>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn count(length: usize) -> usize {
        length
    }
    #[inline(always)]
    fn view<'v>(value: Arg<'v, Self>) -> &'v [bool] {
        value
    }
    #[inline(always)]
    fn view_shape(view: &&[bool]) -> usize {
        view.len()
    }
    #[inline(always)]
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        block.of(view)
    }
    #[inline(always)]
    fn piece(view: &&[bool], i: usize) -> bool {
        view[i]
    }
    fn open(_: &mut Option<Vec<bool>>, _: usize) {}
    type Block = ();
    #[inline(always)]
    fn put((): &mut (), _: usize, _: bool) {}
    fn add_block(_: &mut Option<Vec<bool>>, _: At, (): &()) {}
    fn collect(length: usize, pieces: &impl Pieces<Self>) -> Vec<bool> {
        (0..length).map(|i| pieces.at(i)).collect()
    }
}

/// How two numbers are compared.
pub trait Relation: Copy + 'static {
    /// Whether it holds.
    fn holds<T: PartialOrd>(a: &T, b: &T) -> bool;
}
/// A comparison of arrays with arrays and numbers, element by element.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<R>(PhantomData<R>);
impl<R: Relation> Stash for Comparison<R> {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Comparison(PhantomData)
    }
}
impl<T: Element, R: Relation> Rule<ArrayKind<T>, ArrayKind<T>> for Comparison<R> {
    type Out = MaskKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0; 3];
    const FLOWS: [bool; 3] = [false; 3];
    #[track_caller]
    fn primal(&self, a: &Vec<T>, b: &Vec<T>, (): ()) -> (Vec<bool>, ()) {
        common::<R, 2>([a.len(), b.len()]);
        (a.iter().zip(b).map(|(a, b)| R::holds(a, b)).collect(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, ArrayKind<T>, ArrayKind<T>, (), MaskKind<T>>,
        (): &(),
        _: &Vec<bool>,
        _: impl Sinks<ArrayKind<T>, ArrayKind<T>>,
    ) {
    }
    const PIECES: bool = true;
    #[track_caller]
    fn begin(&self, a: usize, b: usize, (): ()) -> (usize, ()) {
        (common::<R, 2>([a, b]), ())
    }
    fn spread(&self, r: usize) -> (usize, usize, ()) {
        (r, r, ())
    }
    #[inline(always)]
    fn piece(&self, a: T, b: T, (): ()) -> bool {
        R::holds(&a, &b)
    }
}
impl<T: Element, R: Relation> Rule<ArrayKind<T>, T> for Comparison<R> {
    type Out = MaskKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0; 3];
    const FLOWS: [bool; 3] = [false; 3];
    fn primal(&self, a: &Vec<T>, b: T, (): ()) -> (Vec<bool>, ()) {
        (a.iter().map(|a| R::holds(a, &b)).collect(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, ArrayKind<T>, T, (), MaskKind<T>>,
        (): &(),
        _: &Vec<bool>,
        _: impl Sinks<ArrayKind<T>, T>,
    ) {
    }
    const PIECES: bool = true;
    fn begin(&self, a: usize, (): (), (): ()) -> (usize, ()) {
        (a, ())
    }
    fn spread(&self, r: usize) -> (usize, (), ()) {
        (r, (), ())
    }
    #[inline(always)]
    fn piece(&self, a: T, b: T, (): ()) -> bool {
        R::holds(&a, &b)
    }
}

/// Declares comparisons, `Relation method operator`.
macro_rules! comparisons { ($($(#[$doc:meta])* $R:ident $method:ident $is:tt;)*) => {
    $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $R;
        impl Relation for $R {
            #[inline(always)]
            fn holds<T: PartialOrd>(a: &T, b: &T) -> bool { a $is b }
        }
    )*
    /// Comparisons of arrays with arrays and numbers, element by element. The results are passive masks; in a
    /// statement they are computed with it.
    pub trait Compare<M: AnyMode>: Operand<M> + Sized {
        $(
            $(#[$doc])*
            fn $method<B>(self, b: B) -> Binary<Comparison<$R>, M, Self, B::Operand>
            where
                B: Beside<Self::Kind, Comparison<$R>, Operand: Operand<M>>,
                Comparison<$R>: Rule<Self::Kind, KindOf<B::Operand, M>, Out: kind::Kind>,
            {
                binary(Comparison(PhantomData), self, b.operand())
            }
        )*
    }
    impl<T: Element, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> Compare<M> for X {}
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
