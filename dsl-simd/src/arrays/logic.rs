//! Masks joined with others: and, or, exclusive or, not.
use super::{kinds::common, masks::MaskKind, piece::Element};
use entape_core::{
    kind::Stash,
    rule::{Primals, Rule, Sinks},
    tape::{Reader, Writer},
};
use std::marker::PhantomData;

/// How two truth values are joined.
pub trait Connective: Copy + 'static {
    /// The truth value of both.
    fn join(a: bool, b: bool) -> bool;
}
/// Two masks joined, element by element.
#[derive(Clone, Copy, Debug)]
pub struct Join<L>(pub(super) PhantomData<L>);
impl<L: Connective> Stash for Join<L> {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Join(PhantomData)
    }
}
impl<T: Element, L: Connective> Rule<MaskKind<T>, MaskKind<T>> for Join<L> {
    type Out = MaskKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0; 3];
    const FLOWS: [bool; 3] = [false; 3];
    #[track_caller]
    fn primal(&self, a: &Vec<bool>, b: &Vec<bool>, (): ()) -> (Vec<bool>, ()) {
        common::<L, 2>([a.len(), b.len()]);
        (a.iter().zip(b).map(|(&a, &b)| L::join(a, b)).collect(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, MaskKind<T>, MaskKind<T>, (), MaskKind<T>>,
        (): &(),
        _: &Vec<bool>,
        _: impl Sinks<MaskKind<T>, MaskKind<T>>,
    ) {
    }
    const PIECES: bool = true;
    #[track_caller]
    fn begin(&self, a: usize, b: usize, (): ()) -> (usize, ()) {
        (common::<L, 2>([a, b]), ())
    }
    fn spread(&self, r: usize) -> (usize, usize, ()) {
        (r, r, ())
    }
    #[inline(always)]
    fn piece(&self, a: bool, b: bool, (): ()) -> bool {
        L::join(a, b)
    }
}
macro_rules! connectives { ($($(#[$doc:meta])* $L:ident $is:tt;)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug)]
    pub struct $L;
    impl Connective for $L {
        #[inline(always)]
        fn join(a: bool, b: bool) -> bool { a $is b }
    }
)* } }
connectives! {
    /// Both are set.
    And &;
    /// One of them is set, or both.
    Or |;
    /// Just one of them is set.
    Xor ^;
}

/// A mask that is set where another is not.
#[derive(Clone, Copy, Debug)]
pub struct Not;
impl Stash for Not {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Not
    }
}
impl<T: Element> Rule<MaskKind<T>> for Not {
    type Out = MaskKind<T>;
    type Saved = ();
    const READS: [u8; 3] = [0; 3];
    const FLOWS: [bool; 3] = [false; 3];
    fn primal(&self, a: &Vec<bool>, (): (), (): ()) -> (Vec<bool>, ()) {
        (a.iter().map(|a| !a).collect(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, MaskKind<T>, (), (), MaskKind<T>>,
        (): &(),
        _: &Vec<bool>,
        _: impl Sinks<MaskKind<T>>,
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
    fn piece(&self, a: bool, (): (), (): ()) -> bool {
        !a
    }
}
