use crate::sealed::Sealed;
use bytemuck::Pod;

/// Stores values of type `C` within statements, as [`Inline`] or [`Spilled`].
pub trait Encoding<C>: Sealed + 'static {
    /// The size of a value in its statement.
    const BYTES: usize;
    /// Whether the bytes are the whole value; equal constants are then stored once.
    const PLAIN: bool;
    /// Passes the bytes of a plain value to `to`.
    fn show(cell: &C, to: impl FnOnce(&[u8]));
    /// Writes the value, or the position returned by `push`.
    fn encode(cell: C, into: &mut [u8], push: impl FnOnce(C) -> u32);
    /// Exchanges the stored or pushed value with `cell`.
    fn exchange(cell: &mut C, bytes: &mut [u8], swap: impl FnOnce(u32, &mut C));
    /// Reads the value, by `peek` if it was pushed.
    fn decode(bytes: &[u8], peek: impl FnOnce(u32) -> C) -> C;
}

/// Stores `bytemuck::Pod` values as their bytes.
#[derive(Clone, Copy, Debug)]
pub struct Inline;
impl Sealed for Inline {}
/// Stores values that own memory on a stack of their type.
#[derive(Clone, Copy, Debug)]
pub struct Spilled;
impl Sealed for Spilled {}

impl<C: Pod> Encoding<C> for Inline {
    const BYTES: usize = size_of::<C>();
    const PLAIN: bool = true;
    #[inline(always)]
    fn show(cell: &C, to: impl FnOnce(&[u8])) {
        to(bytemuck::bytes_of(cell));
    }
    #[inline(always)]
    fn encode(cell: C, into: &mut [u8], _: impl FnOnce(C) -> u32) {
        into.copy_from_slice(bytemuck::bytes_of(&cell));
    }
    #[inline(always)]
    fn exchange(cell: &mut C, bytes: &mut [u8], _: impl FnOnce(u32, &mut C)) {
        let stored = bytemuck::pod_read_unaligned(bytes);
        bytes.copy_from_slice(bytemuck::bytes_of(&std::mem::replace(cell, stored)));
    }
    #[inline(always)]
    fn decode(bytes: &[u8], _: impl FnOnce(u32) -> C) -> C {
        bytemuck::pod_read_unaligned(bytes)
    }
}
impl<C: Clone + 'static> Encoding<C> for Spilled {
    const BYTES: usize = size_of::<u32>();
    const PLAIN: bool = false;
    fn show(_: &C, _: impl FnOnce(&[u8])) {}
    #[inline(always)]
    fn encode(cell: C, into: &mut [u8], push: impl FnOnce(C) -> u32) {
        into.copy_from_slice(&push(cell).to_ne_bytes());
    }
    #[inline(always)]
    fn exchange(cell: &mut C, bytes: &mut [u8], swap: impl FnOnce(u32, &mut C)) {
        swap(bytemuck::pod_read_unaligned(bytes), cell);
    }
    fn decode(bytes: &[u8], peek: impl FnOnce(u32) -> C) -> C {
        peek(bytemuck::pod_read_unaligned(bytes))
    }
}
