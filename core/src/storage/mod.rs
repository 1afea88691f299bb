//! Memory: where statements and values lie. It knows nothing of derivatives, and nearly all unsafe code is here.
mod by_type;
mod column;
mod heap;
mod pages;
pub mod pool;
mod seen;
mod staged;
mod stream;

pub(crate) use by_type::{ByType, Key, Nobody};
pub(crate) use column::Column;
pub(crate) use heap::shared_bytes;
pub use pages::prefetch_slice;
pub(crate) use pages::{fetch_before, prefetch};
pub use seen::Seen;
pub(crate) use staged::Staged;
pub(crate) use stream::{PIECES, Position, SLACK, Stream};
