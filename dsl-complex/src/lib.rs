//! The complex DSL of entape: `num_complex` numbers as entities with one identifier for both parts.
//!
//! The kinds and operations of this crate are not written yet.
#![forbid(unsafe_code)]
