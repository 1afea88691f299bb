//! The linear algebra DSL of entape: matrices and vectors as entities, one statement for a whole
//! matrix expression.
//!
//! The kinds and operations of this crate are not written yet.
#![forbid(unsafe_code)]
