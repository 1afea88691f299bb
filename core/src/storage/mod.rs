//! Memory: where statements and values lie. It knows nothing of derivatives, and nearly all unsafe code is here. Kinds
//! that own memory use its [`pool`].
mod arena;
mod by_type;
mod column;
mod groups;
mod heap;
mod masked;
mod pages;
pub mod pool;
mod seen;
mod stack_buffer;
mod staged;
mod stream;

pub(crate) use self::arena::{InArena, ObjectArena};
pub(crate) use self::by_type::{ByType, LocalPairs, Member, Paired, Pairs, Recent, same_slice};
pub(crate) use self::column::Column;
pub(crate) use self::groups::{Groups, PerIdentifier};
pub(crate) use self::heap::{shared_bytes, shared_bytes_of};
pub(crate) use self::masked::Masked;
pub use self::pages::prefetch_slice;
pub(crate) use self::pages::{prefetch, prefetch_before};
pub use self::seen::Seen;
pub(crate) use self::stack_buffer::StackBuffer;
pub(crate) use self::staged::Staged;
pub(crate) use self::stream::{PIECES, SLACK, Stream, StreamPosition};
