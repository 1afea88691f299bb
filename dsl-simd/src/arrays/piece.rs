use super::ArrayNumber;
use entape_core::kind::BLOCK;

/// The adjoints of the pieces of a block.
#[derive(Debug)]
#[repr(align(64))]
pub struct ArrayBlock<T> {
    pieces: [T; BLOCK],
    /// At distances of powers of two, adjacent blocks would share cache lines.
    _apart: [T; 8],
}
impl<T: ArrayNumber> Default for ArrayBlock<T> {
    #[inline(always)]
    fn default() -> Self {
        ArrayBlock {
            pieces: [T::default(); BLOCK],
            _apart: [T::default(); 8],
        }
    }
}
impl<T: ArrayNumber> ArrayBlock<T> {
    #[inline(always)]
    pub(super) fn put(&mut self, i: usize, piece: T) {
        self.pieces[i] = piece;
    }
    #[inline(always)]
    pub(super) fn add_to(&self, into: &mut [T]) {
        for (into, &x) in into.iter_mut().zip(&self.pieces) {
            *into += x;
        }
    }
}
