//! Memory of statements and values, with nearly all unsafe code. Kinds that own memory use [`pool`].
mod arena;
mod borrowed_ptr;
mod cache_lines;
mod column;
mod masked;
mod pages;
pub mod pool;
mod stack_buffer;
mod stream;
mod type_map;

pub(crate) use self::arena::{InArena, ObjectArena};
pub use self::borrowed_ptr::BorrowedPtr;
pub(crate) use self::cache_lines::{CacheLineColumns, PerIdentifier};
pub(crate) use self::column::{Column, RESERVED};
pub(crate) use self::masked::Masked;
pub use self::pages::prefetch_slice;
pub(crate) use self::pool::{shared_bytes, shared_bytes_of};
pub(crate) use self::stack_buffer::StackBuffer;
pub(crate) use self::stream::{SLACK, Stream, StreamPosition};
pub(crate) use self::type_map::{
    PairedEntry, PairedTypeMaps, StatementTypeMaps, TypeMap, TypeMapCache, TypeMapEntry, same_slice,
};
