use crate::{
    kind::{Encoding, Kind, TapeCell, TapeValue, Val},
    sealed::Sealed,
    store::{Reader, Stash, Writer},
};

/// Data that a rule saves for its adjoint: any [`Stash`], the [result](WithResult) with other data, or a
/// [remembered](crate::elementwise::Remembered) result. Sealed, because the tape relies on the code that implementations run.
pub trait Saved<R: Kind>: Sized + Sealed<[R]> + 'static {
    /// The bytes in a statement, by whether a sweep would otherwise recompute the result.
    const BYTES: [usize; 2];
    /// Whether the result is saved.
    const RESULT: bool = false;
    /// Whether writing and reading run no code of a DSL.
    const QUIET: bool;
    /// Writes the data; `again` is whether a sweep would otherwise recompute the result.
    fn write(self, again: bool, writer: &mut Writer<'_>);
    /// Reads the data.
    fn read(again: bool, reader: &mut Reader<'_>) -> Self;
    /// Returns the result, if it was saved.
    #[inline(always)]
    fn result(&self) -> Option<Val<R>> {
        None
    }
}
impl<R: Kind, T: Stash> Sealed<[R]> for T {}
impl<R: Kind, T: Stash> Saved<R> for T {
    const BYTES: [usize; 2] = [T::BYTES; 2];
    const QUIET: bool = T::BYTES == 0 && !std::mem::needs_drop::<T>();
    #[inline(always)]
    fn write(self, _: bool, writer: &mut Writer<'_>) {
        self.stash(writer);
    }
    #[inline(always)]
    fn read(_: bool, reader: &mut Reader<'_>) -> Self {
        T::fetch(reader)
    }
}

/// The result and other data: `save(r, ..)`.
pub struct WithResult<R: Kind, T>(SavedValue<R>, pub T);
debug_by_name! { [R: Kind, T] WithResult<R, T> }
impl<R: Kind, T> WithResult<R, T> {
    /// Saves a result.
    #[inline(always)]
    pub fn new(r: &Val<R>, rest: T) -> Self {
        WithResult(SavedValue::new(r), rest)
    }
}
impl<R: Kind, T: Stash> Sealed<[R]> for WithResult<R, T> {}
impl<R: Kind, T: Stash> Saved<R> for WithResult<R, T> {
    const BYTES: [usize; 2] = [T::BYTES + R::Encoding::BYTES; 2];
    const RESULT: bool = true;
    const QUIET: bool = false;
    #[inline(always)]
    fn write(self, _: bool, writer: &mut Writer<'_>) {
        self.1.stash(writer);
        self.0.write(writer);
    }
    #[inline(always)]
    fn read(_: bool, reader: &mut Reader<'_>) -> Self {
        let rest = T::fetch(reader);
        WithResult(SavedValue::read(reader), rest)
    }
    #[inline(always)]
    fn result(&self) -> Option<Val<R>> {
        Some(self.0.value())
    }
}

pub(crate) struct SavedValue<K: Kind>(TapeValue<K>);
impl<K: Kind> SavedValue<K> {
    #[inline(always)]
    pub(crate) fn new(value: &Val<K>) -> Self {
        SavedValue(TapeCell::new(value.clone()))
    }
    #[inline(always)]
    pub(crate) fn value(&self) -> Val<K> {
        self.0.peek().clone()
    }
    #[inline(always)]
    pub(crate) fn write(self, writer: &mut Writer<'_>) {
        let into = writer.fixed(K::Encoding::BYTES);
        K::Encoding::encode(self.0, into, |cell| writer.push(cell));
    }
    #[inline(always)]
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        let bytes = reader.fixed(K::Encoding::BYTES);
        SavedValue(K::Encoding::decode(bytes, |place| reader.peek(place)))
    }
}
