//! Heap memory owned by values, for the memory limit of a tape.
use std::{marker::PhantomData, rc::Rc};

/// A value with a known number of bytes on the heap, for `#[kind]` without `bytes`. A struct that is its own kind is
/// measured by field.
///
/// ```
/// use entape_core::kind::Heap;
///
/// assert_eq!(1.0_f64.heap_bytes(), 0);
/// assert_eq!(vec![[1.0_f64; 2]; 3].heap_bytes(), 48);
/// ```
#[diagnostic::on_unimplemented(
    message = "the memory that a value of type `{Self}` owns is unknown",
    note = "declare the bytes on the heap: `#[kind(bytes = |x| ..)]` for values of a kind, `impl Heap for {Self}` for data of a rule; `memory_limit` counts them"
)]
pub trait Heap {
    /// Returns the bytes on the heap.
    fn heap_bytes(&self) -> usize;
}
macro_rules! plain { ($($T:ty)*) => { $(
    impl Heap for $T {
        #[inline(always)]
        fn heap_bytes(&self) -> usize { 0 }
    }
)* } }
plain! { () bool char f64 f32 u8 u16 u32 u64 usize i8 i16 i32 i64 isize }
impl<T: Heap> Heap for [T] {
    #[inline]
    fn heap_bytes(&self) -> usize {
        self.iter().map(T::heap_bytes).sum()
    }
}
impl<T: Heap, const N: usize> Heap for [T; N] {
    #[inline]
    fn heap_bytes(&self) -> usize {
        self[..].heap_bytes()
    }
}
impl<T: Heap> Heap for Vec<T> {
    #[inline]
    fn heap_bytes(&self) -> usize {
        size_of::<T>() * self.capacity() + self[..].heap_bytes()
    }
}
impl Heap for String {
    fn heap_bytes(&self) -> usize {
        self.capacity()
    }
}
impl<T: Heap> Heap for Box<T> {
    fn heap_bytes(&self) -> usize {
        size_of::<T>() + (**self).heap_bytes()
    }
}
impl<T: Heap> Heap for Rc<T> {
    fn heap_bytes(&self) -> usize {
        2 * size_of::<usize>() + size_of::<T>() + (**self).heap_bytes()
    }
}
impl<T: Heap> Heap for Option<T> {
    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, T::heap_bytes)
    }
}
impl<T> Heap for PhantomData<T> {
    fn heap_bytes(&self) -> usize {
        0
    }
}
macro_rules! tuples { ($($($T:ident $i:tt)*;)*) => { $(
    impl<$($T: Heap),*> Heap for ($($T,)*) {
        fn heap_bytes(&self) -> usize { 0 $(+ self.$i.heap_bytes())* }
    }
)* } }
tuples! { A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; }
