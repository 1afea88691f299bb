//! A piece of an array: a vector of lanes, with the elementary functions of those.
use crate::lanes::{Bits, Number, Pack, Vector};
use entape_core::kind::At;
use std::cell::RefCell;
use wide::{f32x8, f64x8};

/// What arrays are made of: `f64` and `f32`.
pub trait Element: Number<Form = entape_core::kind::ByValue> {
    /// What a loop over an array takes at once.
    type Vector: Vector<Number = Self>;
    /// Blocks that are not in use.
    #[doc(hidden)]
    fn with_pool<R>(f: impl FnOnce(&mut Vec<Box<[[Self; LANES]; PIECES]>>) -> R) -> R;
}
/// The two element types.
macro_rules! elements { ($($T:ident $V:ident $POOL:ident)*) => { $(
    thread_local! { static $POOL: RefCell<Vec<Box<[[$T; LANES]; PIECES]>>> = const { RefCell::new(Vec::new()) } }
    impl Element for $T {
        type Vector = $V;
        fn with_pool<R>(f: impl FnOnce(&mut Vec<Box<[[Self; LANES]; PIECES]>>) -> R) -> R {
            $POOL.with_borrow_mut(f)
        }
    }
)* } }
elements! { f64 f64x8 BLOCKS f32 f32x8 BLOCKS32 }
/// A piece of an array.
pub type Piece<T> = Pack<<T as Element>::Vector>;
/// A piece of a mask: all bits of a lane are one or zero.
pub type MaskPiece<T> = Bits<<T as Element>::Vector>;

/// Numbers of a piece.
pub(super) const LANES: usize = <f64x8 as Vector>::LANES;
const _: () = assert!(
    <f32x8 as Vector>::LANES == LANES,
    "statements mix arrays of both precisions"
);

/// The lanes of `from` that are there; the others are one, where most functions are defined.
#[inline(always)]
pub(super) fn read<T: Element>(from: &[T], at: At) -> Piece<T> {
    if at.lanes == LANES {
        let all = &from[at.start..][..LANES];
        return Pack(bytemuck::pod_read_unaligned(bytemuck::cast_slice(all)));
    }
    read_some(from, at)
}
#[cold]
#[inline(never)]
fn read_some<T: Element>(from: &[T], at: At) -> Piece<T> {
    let from = &from[at.start..][..at.lanes];
    Pack(T::Vector::from_fn(|i| {
        from.get(i).copied().unwrap_or(T::nearest(1.0))
    }))
}
/// Writes the lanes that are there.
#[inline(always)]
pub(super) fn write<T: Element>(piece: Piece<T>, into: &mut [T], at: At) {
    if at.lanes == LANES {
        let all = &mut into[at.start..][..LANES];
        all.copy_from_slice(piece.0.as_slice());
        return;
    }
    write_some(piece, into, at);
}
#[cold]
#[inline(never)]
fn write_some<T: Element>(piece: Piece<T>, into: &mut [T], at: At) {
    let into = &mut into[at.start..][..at.lanes];
    into.copy_from_slice(&piece.0.as_slice()[..at.lanes]);
}
/// Pieces of a block.
const PIECES: usize = 16;
/// Numbers of a block.
pub(super) const BLOCK: usize = PIECES * LANES;
/// Pieces of an adjoint. Statements come and go by the thousand, so their blocks return to a pool.
#[derive(Debug)]
pub struct Block<T: Element>(Option<Box<[[T; LANES]; PIECES]>>);
impl<T: Element> Default for Block<T> {
    fn default() -> Self {
        let pooled = T::with_pool(Vec::pop);
        Block(Some(
            pooled.unwrap_or_else(|| Box::new([[T::default(); LANES]; PIECES])),
        ))
    }
}
impl<T: Element> Drop for Block<T> {
    fn drop(&mut self) {
        if let Some(block) = self.0.take() {
            T::with_pool(|pool| pool.push(block));
        }
    }
}
impl<T: Element> Block<T> {
    #[inline(always)]
    pub(super) fn put(&mut self, at: At, piece: Piece<T>) {
        if let Some(block) = &mut self.0 {
            block[at.start / LANES % PIECES].copy_from_slice(piece.0.as_slice());
        }
    }
    #[inline(always)]
    pub(super) fn add_to(&self, into: &mut [T], at: At) {
        let into = &mut into[at.start..][..at.lanes];
        if let Some(block) = &self.0 {
            for (into, &x) in into.iter_mut().zip(block.as_flattened()) {
                *into += x;
            }
        }
    }
}
