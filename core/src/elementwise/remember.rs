//! Results of expensive functions, which a sweep reads from the statement.
//!
//! ```text
//! y = a * (b * z).exp()    reals: the sweep computes the exponential function again, from b and z
//!                          lanes: the statement has its result, and the sweep reads neither b nor what `exp` takes
//! ```
//! Nothing is stored if no adjoint reads the result, or if it is the value of the statement. It pays off for lanes in
//! registers, but would double the memory traffic of arrays.
use super::definition::ElementKind;
use crate::{
    kind::{Encoding, Kind, Val},
    rule::{Saved, SavedValue},
    sealed::Sealed,
    store::{Reader, Writer},
};

/// The cost of an elementary function: [`Cheap`] or [`Dear`].
pub trait Cost: Sealed {
    /// The result in a statement.
    type Saved<K: ElementKind>: Remember<K>;
    #[doc(hidden)]
    const VECTORISES: bool;
}
/// A function of a few instructions.
#[derive(Clone, Copy, Debug)]
pub struct Cheap;
impl Sealed for Cheap {}
/// A function that takes longer than reading a stored result.
#[derive(Clone, Copy, Debug)]
pub struct Dear;
impl Sealed for Dear {}
impl Cost for Cheap {
    type Saved<K: ElementKind> = ();
    const VECTORISES: bool = true;
}
impl Cost for Dear {
    type Saved<K: ElementKind> = K::Remembered;
    const VECTORISES: bool = false;
}
pub(super) type SavedBy<C, K> = <C as Cost>::Saved<K>;

/// A result to remember: [`Remembered`], or nothing.
pub trait Remember<K: Kind>: Saved<K> {
    /// Remembers a result.
    fn remember(r: &Val<K>) -> Self;
    /// Returns the value for statements without a stored result.
    fn nothing() -> Self;
}
impl<K: Kind> Remember<K> for () {
    #[inline(always)]
    fn remember(_: &Val<K>) {}
    #[inline(always)]
    fn nothing() {}
}
/// A result that may be stored.
pub struct Remembered<K: Kind>(Option<SavedValue<K>>);
debug_by_name! { [K: Kind] Remembered<K> }
impl<K: Kind> Remember<K> for Remembered<K> {
    #[inline(always)]
    fn remember(r: &Val<K>) -> Self {
        Remembered(Some(SavedValue::new(r)))
    }
    #[inline(always)]
    fn nothing() -> Self {
        Remembered(None)
    }
}
impl<K: Kind> Sealed<[K]> for Remembered<K> {}
/// Stored if the sweep would otherwise recompute the result.
impl<K: Kind> Saved<K> for Remembered<K> {
    const BYTES: [usize; 2] = [0, K::Encoding::BYTES];
    const RESULT: bool = true;
    const QUIET: bool = K::Encoding::PLAIN;
    #[inline(always)]
    fn write(self, again: bool, writer: &mut Writer<'_>) {
        if again && let Some(kept) = self.0 {
            kept.write(writer);
        }
    }
    #[inline(always)]
    fn read(again: bool, reader: &mut Reader<'_>) -> Self {
        Remembered(again.then(|| SavedValue::read(reader)))
    }
    #[inline(always)]
    fn result(&self) -> Option<Val<K>> {
        self.0.as_ref().map(SavedValue::value)
    }
}
