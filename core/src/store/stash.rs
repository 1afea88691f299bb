//! The data of operations that statements store.
use super::{
    block::{Reader, Writer},
    stacks::Counting,
};
use std::{marker::PhantomData, ops::Range};

#[doc(inline)]
pub use entape_macros::Stash;

/// Data that a statement stores: numbers, tuples, arrays, ranges and `Rc<T>`, including closures and slices, and
/// structs and enums with [`#[derive(Stash)]`](derive@crate::Stash). The contents of an `Rc` count for a tape's memory
/// limit; memory that they own counts if they are [`Shared`](super::Shared).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in a statement",
    note = "use numbers, tuples, arrays or ranges, wrap a value in `Rc<T>` (a closure in `Rc<dyn Fn(f64) -> f64>`), or write `#[derive(Stash)]` for a struct or enum"
)]
pub trait Stash: Sized + 'static {
    /// The number of bytes in the statement.
    const BYTES: usize;
    /// Writes the value to the statement.
    fn stash(self, writer: &mut Writer<'_>);
    /// Reads the value from the statement.
    fn fetch(reader: &mut Reader<'_>) -> Self;
}

macro_rules! stash_plain { ($($T:ty)*) => { $(
    impl Stash for $T {
        const BYTES: usize = size_of::<$T>();
        #[inline(always)]
        fn stash(self, writer: &mut Writer<'_>) { writer.fixed(Self::BYTES).copy_from_slice(bytemuck::bytes_of(&self)) }
        #[inline(always)]
        fn fetch(reader: &mut Reader<'_>) -> Self { bytemuck::pod_read_unaligned(reader.fixed(Self::BYTES)) }
    }
)* } }
stash_plain! { f64 f32 u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

impl Stash for () {
    const BYTES: usize = 0;
    #[inline(always)]
    fn stash(self, _: &mut Writer<'_>) {}
    #[inline(always)]
    fn fetch(_: &mut Reader<'_>) -> Self {}
}

impl<T: ?Sized + 'static> Stash for PhantomData<T> {
    const BYTES: usize = 0;
    #[inline(always)]
    fn stash(self, _: &mut Writer<'_>) {}
    #[inline(always)]
    fn fetch(_: &mut Reader<'_>) -> Self {
        PhantomData
    }
}

impl Stash for bool {
    const BYTES: usize = 1;
    #[inline(always)]
    fn stash(self, writer: &mut Writer<'_>) {
        u8::from(self).stash(writer);
    }
    #[inline(always)]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        u8::fetch(reader) != 0
    }
}
impl<T: ?Sized + 'static> Stash for std::rc::Rc<T> {
    const BYTES: usize = 4;
    fn stash(self, writer: &mut Writer<'_>) {
        writer.push_shared(self, Counting::of_rc()).stash(writer);
    }
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let index = u32::fetch(reader);
        reader.peek::<Self>(index)
    }
}
impl<T: Stash, const N: usize> Stash for [T; N] {
    const BYTES: usize = T::BYTES * N;
    #[inline(always)]
    fn stash(self, writer: &mut Writer<'_>) {
        self.into_iter().for_each(|x| x.stash(writer));
    }
    #[inline(always)]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        std::array::from_fn(|_| T::fetch(reader))
    }
}
impl<T: Stash> Stash for Range<T> {
    const BYTES: usize = <(T, T)>::BYTES;
    #[inline(always)]
    fn stash(self, writer: &mut Writer<'_>) {
        (self.start, self.end).stash(writer);
    }
    #[inline(always)]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let (start, end) = Stash::fetch(reader);
        start..end
    }
}
macro_rules! stash_tuple { ($($($T:ident)*;)*) => { $(
    impl<$($T: Stash),*> Stash for ($($T,)*) {
        const BYTES: usize = 0 $(+ $T::BYTES)*;
        #[inline(always)]
        #[allow(non_snake_case)]
        fn stash(self, writer: &mut Writer<'_>) { let ($($T,)*) = self; $($T.stash(writer);)* }
        #[inline(always)]
        fn fetch(reader: &mut Reader<'_>) -> Self { ($($T::fetch(reader),)*) }
    }
)* } }
stash_tuple! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

#[doc(hidden)]
pub const fn largest(sizes: &[usize]) -> usize {
    match sizes {
        [] => 0,
        [first, rest @ ..] => {
            let rest = largest(rest);
            if *first > rest { *first } else { rest }
        }
    }
}
/// Panics because a field was not read as it was written, so that the byte denotes no variant.
#[doc(hidden)]
#[cold]
pub fn no_variant(name: &str, byte: u8) -> ! {
    panic!(
        "the enum `{name}` has no variant {byte}: a field stored before it is read differently from how it was written; correct the `Stash` implementation of the field"
    )
}
