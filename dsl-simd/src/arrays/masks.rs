//! Masks: comparisons of arrays, element by element, and choices by them.
use super::{
    chunk::{Bits, Chunk, LANES},
    kinds::{ArrayKind, Element, common, each, name},
};
use entape_core::{
    expr::{Operand, Pieces},
    kind,
    kind::{At, Kind, PieceKind, Stash, Visit},
    mode::AnyMode,
    rule::{
        A, Binary, Lane, PiecePrimals, Primals, Rule, Sink, Sinks, Ternary, binary, ternary,
    },
    tape::{Reader, Writer},
};
use std::array::from_fn;

/// The kind of masks: one truth value for each element of an array. They are passive.
#[kind(
    value = Vec<bool>,
    index = Reuse,
    form = ByPieces,
    zero = |like| vec![false; like.len()],
    add = |_, _| {},
    name = "mask",
)]
pub struct MaskKind;

impl PieceKind for MaskKind {
    type Shape = usize;
    type Lanes = Bits;
    #[inline(always)]
    fn shape(value: &Vec<bool>) -> usize {
        value.len()
    }
    #[inline(always)]
    fn piece(value: &Vec<bool>, at: At) -> Bits {
        Bits(Chunk::read(value, at).0)
    }
    fn open(_: &mut Option<Vec<bool>>, _: usize) {}
    fn add_piece(_: &mut Option<Vec<bool>>, _: At, _: Bits) {}
    fn each(length: usize, mut visit: impl Visit) {
        each(length, |at| visit.visit(at));
    }
    fn collect(length: usize, pieces: impl Pieces<Self>) -> Vec<bool> {
        let mut value = vec![false; length];
        each(length, |at| Chunk(pieces.at(at).0).write(&mut value, at));
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
            type Out = MaskKind;
            type Saved = ();
            const READS: [u8; 3] = [0; 3];
            const FLOWS: [bool; 3] = [false; 3];
            #[track_caller]
            fn primal<'p>(&self, a: &'p Vec<T>, b: &'p Vec<T>, (): ()) -> (Vec<bool>, ()) {
                common(name::<Self>(), [a.len(), b.len()]);
                (a.iter().zip(b).map(|(&$x, &$y)| $compare).collect(), ())
            }
            fn adjoint(&self, _: Primals<'_, ArrayKind<T>, ArrayKind<T>, (), MaskKind>, (): &(), _: &Vec<bool>, _: impl Sinks<ArrayKind<T>, ArrayKind<T>>) {}
            const PIECES: bool = true;
            #[track_caller]
            fn begin(&self, a: usize, b: usize, (): ()) -> (usize, ()) { (common(name::<Self>(), [a, b]), ()) }
            fn spread(&self, r: usize) -> (usize, usize, ()) { (r, r, ()) }
            #[inline(always)]
            fn piece(&self, a: Chunk<T>, b: Chunk<T>, (): ()) -> Bits {
                Bits(from_fn(|i| { let ($x, $y) = (a.0[i], b.0[i]); $compare }))
            }
        }
        impl<T: Element> Rule<ArrayKind<T>, T> for $Op {
            type Out = MaskKind;
            type Saved = ();
            const READS: [u8; 3] = [0; 3];
            const FLOWS: [bool; 3] = [false; 3];
            fn primal<'p>(&self, a: &'p Vec<T>, $y: T, (): ()) -> (Vec<bool>, ()) {
                (a.iter().map(|&$x| $compare).collect(), ())
            }
            fn adjoint(&self, _: Primals<'_, ArrayKind<T>, T, (), MaskKind>, (): &(), _: &Vec<bool>, _: impl Sinks<ArrayKind<T>, T>) {}
            const PIECES: bool = true;
            fn begin(&self, a: usize, (): (), (): ()) -> (usize, ()) { (a, ()) }
            fn spread(&self, r: usize) -> (usize, (), ()) { (r, (), ()) }
            #[inline(always)]
            fn piece(&self, a: Chunk<T>, $y: T, (): ()) -> Bits {
                Bits(from_fn(|i| { let $x = a.0[i]; $compare }))
            }
        }
    )*
    /// Comparisons of arrays with arrays and numbers, element by element. The results are passive masks; in a
    /// statement they are computed with it.
    pub trait Compare<M: AnyMode>: Operand<M> + Sized {
        $(
            $(#[$doc])*
            fn $method<B: Operand<M>>(self, b: B) -> Binary<$Op, M, Self, B>
            where $Op: Rule<Self::Kind, B::Kind, Out = MaskKind> {
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
impl<T: Element> Rule<MaskKind, ArrayKind<T>, ArrayKind<T>> for Select {
    type Out = ArrayKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0, A, A];
    const FLOWS: [bool; 3] = [false, true, true];
    #[track_caller]
    fn primal<'p>(
        &self,
        mask: &'p Vec<bool>,
        b: &'p Vec<T>,
        c: &'p Vec<T>,
    ) -> (Vec<T>, ()) {
        common("select", [mask.len(), b.len(), c.len()]);
        let each = mask.iter().zip(b.iter().zip(c));
        (each.map(|(&m, (&b, &c))| if m { b } else { c }).collect(), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, MaskKind, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        (): &(),
        r_b: &Vec<T>,
        mut s: impl Sinks<MaskKind, ArrayKind<T>, ArrayKind<T>>,
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
        (common("select", [a, b, c]), ())
    }
    fn spread(&self, r: usize) -> (usize, usize, usize) {
        (r, r, r)
    }
    #[inline(always)]
    fn piece(&self, mask: Bits, b: Chunk<T>, c: Chunk<T>) -> Chunk<T> {
        Chunk::select(mask, b, c)
    }
    #[inline(always)]
    fn pull_b(
        &self,
        x: &PiecePrimals<MaskKind, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        r_b: Chunk<T>,
        _: At,
    ) -> Chunk<T> {
        r_b.only(x.a.unwrap_or(Bits([false; LANES])))
    }
    #[inline(always)]
    fn pull_c(
        &self,
        x: &PiecePrimals<MaskKind, ArrayKind<T>, ArrayKind<T>, ArrayKind<T>>,
        r_b: Chunk<T>,
        _: At,
    ) -> Chunk<T> {
        r_b.unless(x.a.unwrap_or(Bits([false; LANES])))
    }
}

/// Choices by masks.
pub trait MaskOps<M: AnyMode>: Operand<M, Kind = MaskKind> + Sized {
    /// `yes` where the mask is set, `no` elsewhere.
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    fn select<B: Operand<M>, C: Operand<M>>(self, yes: B, no: C) -> Ternary<Select, M, Self, B, C>
    where
        Select: Rule<MaskKind, B::Kind, C::Kind>,
        B::Kind: Kind,
    {
        ternary(Select, self, yes, no)
    }
}
impl<M: AnyMode, X: Operand<M, Kind = MaskKind>> MaskOps<M> for X {}
