//! The SIMD DSL of entape: lanes and arrays as entities, one statement for a whole vector expression.
//!
//! The kinds and operations of this crate are not written yet.
#![forbid(unsafe_code)]

mod arrays;
pub use arrays::*;
