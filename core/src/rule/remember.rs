//! Results of dear functions, which a sweep reads from the statement rather than compute them again.
//!
//! ```text
//! y = a * (b * z).exp()    reals: the sweep computes the exponential function again, from b and z
//!                          lanes: the statement has its result, and the sweep reads neither b nor what `exp` takes
//! ```
//! Where nobody reads the result, or it is the value of the statement, nothing is stored. It is worth its bytes for values
//! in registers whose functions are dear beside them: lanes, for which most functions go number by number. Arrays would read and
//! write as much memory again, and a real is a quarter of a statement.
use super::{ElementKind, annotation::Kept};
use crate::{
    kind::{Kind, Stash, Val},
    tape::{Reader, Writer},
};

/// What it takes to compute an elementary function: [`Cheap`] or [`Dear`].
pub trait Cost: Sealed {
    /// What a statement remembers of the result.
    type Saved<K: ElementKind>: Remember<K>;
}
/// Some instructions.
#[derive(Clone, Copy, Debug)]
pub struct Cheap;
/// More than to store the result and to read it.
#[derive(Clone, Copy, Debug)]
pub struct Dear;
impl Cost for Cheap {
    type Saved<K: ElementKind> = ();
}
impl Cost for Dear {
    type Saved<K: ElementKind> = K::Remembered;
}
/// What statements of kind `K` remember of a function.
pub(super) type SavedBy<C, K> = <C as Cost>::Saved<K>;

/// What is remembered of a result: [`Remembered`] or nothing.
pub trait Remember<K: Kind>: Stash + Sealed {
    /// Remembers it.
    fn remember(r: &Val<K>) -> Self;
    /// The result, if it was stored.
    fn value(&self) -> Option<Val<K>>;
    /// Of a statement that doesn't have it.
    fn nothing() -> Self;
}
impl<K: Kind> Remember<K> for () {
    #[inline(always)]
    fn remember(_: &Val<K>) {}
    #[inline(always)]
    fn value(&self) -> Option<Val<K>> {
        None
    }
    #[inline(always)]
    fn nothing() {}
}
/// A result, if it was stored.
pub struct Remembered<K: Kind>(Option<Kept<K>>);
impl<K: Kind> Remember<K> for Remembered<K> {
    #[inline(always)]
    fn remember(r: &Val<K>) -> Self {
        Remembered(Some(Kept::new(r)))
    }
    #[inline(always)]
    fn value(&self) -> Option<Val<K>> {
        self.0.as_ref().map(Kept::value)
    }
    #[inline(always)]
    fn nothing() -> Self {
        Remembered(None)
    }
}
impl<K: Kind> Stash for Remembered<K> {
    const BYTES: usize = Kept::<K>::BYTES;
    #[inline(always)]
    fn stash(self, writer: &mut Writer<'_>) {
        if let Some(kept) = self.0 {
            kept.stash(writer);
        }
    }
    #[inline(always)]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        Remembered(Some(Kept::fetch(reader)))
    }
}

/// Whether all that a rule saves is a result to be [remembered](Remember). Only the rules of elementary functions say so: how
/// statements are recorded relies on it.
#[derive(Clone, Copy, Debug)]
pub struct Remembers(bool);
impl Remembers {
    /// It saves what it likes.
    pub const NO: Remembers = Remembers(false);
    pub(super) const YES: Remembers = Remembers(true);
    pub(crate) const fn yes(self) -> bool {
        self.0
    }
}

/// Keeps others from implementing the traits.
mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for super::Cheap {}
    impl Sealed for super::Dear {}
    impl<K: crate::kind::Kind> Sealed for super::Remembered<K> {}
}
use sealed::Sealed;
