//! Masks: comparisons of arrays, element by element, and choices by them.
use super::{
    kinds::{ArrayKind, common, each},
    piece::{Element, MaskPiece, Piece},
};
use crate::lanes::{Bits, Register, Vector};
use entape_core::{
    expr::{Operand, Pieces},
    kind,
    kind::{Arg, At, PieceKind, Stash, Visit},
    mode::AnyMode,
    rule::{A, Binary, Lane, PiecePrimals, Primals, Rule, Sink, Sinks, Ternary, binary, ternary},
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
    type Lanes = MaskPiece<T>;
    type View<'v> = &'v [bool];
    #[inline(always)]
    fn shape(value: &Vec<bool>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn view<'v>(value: Arg<'v, Self>) -> &'v [bool] {
        value
    }
    fn piece(value: &&[bool], at: At) -> MaskPiece<T> {
        let value = &value[at.start..][..at.lanes];
        let one = T::nearest(1.0);
        let set = |i: usize| value.get(i).is_some_and(|&x| x);
        let ones = T::Vector::from_fn(|i| if set(i) { one } else { T::default() });
        Bits(Register::simd_eq(ones, T::Vector::splat(one)))
    }
    fn open(_: &mut Option<Vec<bool>>, _: usize) {}
    type Block = ();
    fn put((): &mut (), _: At, _: MaskPiece<T>) {}
    fn add_block(_: &mut Option<Vec<bool>>, _: At, (): &()) {}
    fn each(length: usize, mut visit: impl Visit) {
        each(0, length, |at| visit.visit(at));
    }
    fn collect(length: usize, pieces: impl Pieces<Self>) -> Vec<bool> {
        let mut value = Vec::with_capacity(length);
        each(0, length, |at| {
            let bits = pieces.at(at).0.to_bitmask();
            value.extend((0..at.lanes).map(|i| (bits >> i) & 1 == 1));
        });
        value
    }
}

/// Declares comparisons, `Op method symbol`.
macro_rules! comparisons { ($($(#[$doc:meta])* $Op:ident $method:ident $x:ident $y:ident $compare:expr;)*) => {
    $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Op;
        impl Stash for $Op {
            const BYTES: usize = 0;
            fn stash(self, _: &mut Writer<'_>) {}
            fn fetch(_: &mut Reader<'_>) -> Self { $Op }
        }
        impl<T: Element> Rule<ArrayKind<T>, ArrayKind<T>> for $Op {
            type Out = MaskKind<T>;
            type Saved = ();
            const READS: [u8; 3] = [0; 3];
            const FLOWS: [bool; 3] = [false; 3];
            #[track_caller]
            fn primal(&self, a: &Vec<T>, b: &Vec<T>, (): ()) -> (Vec<bool>, ()) {
                common::<Self, 2>([a.len(), b.len()]);
                (a.iter().zip(b).map(|(&$x, &$y)| $compare).collect(), ())
            }
            fn adjoint(&self, _: Primals<'_, ArrayKind<T>, ArrayKind<T>, (), MaskKind<T>>, (): &(), _: &Vec<bool>, _: impl Sinks<ArrayKind<T>, ArrayKind<T>>) {}
            const PIECES: bool = true;
            #[track_caller]
            fn begin(&self, a: usize, b: usize, (): ()) -> (usize, ()) { (common::<Self, 2>([a, b]), ()) }
            fn spread(&self, r: usize) -> (usize, usize, ()) { (r, r, ()) }
            #[inline(always)]
            fn piece(&self, a: Piece<T>, b: Piece<T>, (): ()) -> MaskPiece<T> { Bits(Register::$method(a.0, b.0)) }
        }
        impl<T: Element> Rule<ArrayKind<T>, T> for $Op {
            type Out = MaskKind<T>;
            type Saved = ();
            const READS: [u8; 3] = [0; 3];
            const FLOWS: [bool; 3] = [false; 3];
            fn primal(&self, a: &Vec<T>, $y: T, (): ()) -> (Vec<bool>, ()) {
                (a.iter().map(|&$x| $compare).collect(), ())
            }
            fn adjoint(&self, _: Primals<'_, ArrayKind<T>, T, (), MaskKind<T>>, (): &(), _: &Vec<bool>, _: impl Sinks<ArrayKind<T>, T>) {}
            const PIECES: bool = true;
            fn begin(&self, a: usize, (): (), (): ()) -> (usize, ()) { (a, ()) }
            fn spread(&self, r: usize) -> (usize, (), ()) { (r, (), ()) }
            #[inline(always)]
            fn piece(&self, a: Piece<T>, b: T, (): ()) -> MaskPiece<T> { Bits(Register::$method(a.0, T::Vector::splat(b))) }
        }
    )*
    /// Comparisons of arrays with arrays and numbers, element by element. The results are passive masks; in a
    /// statement they are computed with it.
    pub trait Compare<M: AnyMode>: Operand<M> + Sized {
        $(
            $(#[$doc])*
            fn $method<B: Operand<M>>(self, b: B) -> Binary<$Op, M, Self, B>
            where $Op: Rule<Self::Kind, B::Kind, Out: kind::Kind> {
                binary($Op, self, b)
            }
        )*
    }
    impl<T: Element, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> Compare<M> for X {}
} }
comparisons! {
    /// `a < b`
    Lt simd_lt x y x < y;
    /// `a <= b`
    Le simd_le x y x <= y;
    /// `a > b`
    Gt simd_gt x y x > y;
    /// `a >= b`
    Ge simd_ge x y x >= y;
    /// `a == b`
    Eq simd_eq x y x == y;
    /// `a != b`
    Ne simd_ne x y x != y;
}

/// `b` where the mask is set, `c` elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Select;
impl Stash for Select {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Select
    }
}
impl<T: Element> Rule<MaskKind<T>, ArrayKind<T>, ArrayKind<T>> for Select {
    type Out = ArrayKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0, A, A];
    const FLOWS: [bool; 3] = [false, true, true];
    #[track_caller]
    fn primal(&self, mask: &Vec<bool>, b: &Vec<T>, c: &Vec<T>) -> (Vec<T>, ()) {
        common::<Self, 3>([mask.len(), b.len(), c.len()]);
        let each = mask.iter().zip(b.iter().zip(c));
        (
            each.map(|(&m, (&b, &c))| if m { b } else { c }).collect(),
            (),
        )
    }
    fn adjoint(
        &self,
        p: Primals<'_, MaskKind<T>, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        (): &(),
        r_b: &Vec<T>,
        mut s: impl Sinks<MaskKind<T>, ArrayKind<T>, ArrayKind<T>>,
    ) {
        let only = |side: bool| -> Vec<T> {
            let each = p.a().iter().zip(r_b);
            each.map(|(&m, &r_b)| if m == side { r_b } else { T::default() })
                .collect()
        };
        if s.b().wants() {
            s.b().add(only(true));
        }
        if s.c().wants() {
            s.c().add(only(false));
        }
    }
    const PIECES: bool = true;
    #[track_caller]
    fn begin(&self, a: usize, b: usize, c: usize) -> (usize, ()) {
        (common::<Self, 3>([a, b, c]), ())
    }
    fn spread(&self, r: usize) -> (usize, usize, usize) {
        (r, r, r)
    }
    #[inline(always)]
    fn piece(&self, mask: MaskPiece<T>, b: Piece<T>, c: Piece<T>) -> Piece<T> {
        Lane::select(mask, b, c)
    }
    #[inline(always)]
    fn pull_b(
        &self,
        x: &PiecePrimals<MaskKind<T>, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        r_b: Piece<T>,
        _: At,
    ) -> Piece<T> {
        x.a.map_or(r_b.zero(), |mask| r_b.only(mask))
    }
    #[inline(always)]
    fn pull_c(
        &self,
        x: &PiecePrimals<MaskKind<T>, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        r_b: Piece<T>,
        _: At,
    ) -> Piece<T> {
        x.a.map_or(r_b.zero(), |mask| r_b.unless(mask))
    }
}

/// Choices by masks.
pub trait MaskOps<T: Element, M: AnyMode>: Operand<M, Kind = MaskKind<T>> + Sized {
    /// `yes` where the mask is set, `no` elsewhere.
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    fn select<B: Operand<M>, C: Operand<M>>(self, yes: B, no: C) -> Ternary<Select, M, Self, B, C>
    where
        Select: Rule<MaskKind<T>, B::Kind, C::Kind>,
    {
        ternary(Select, self, yes, no)
    }
}
impl<T: Element, M: AnyMode, X: Operand<M, Kind = MaskKind<T>>> MaskOps<T, M> for X {}
