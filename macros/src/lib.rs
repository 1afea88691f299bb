//! The generator of entape: annotations become kinds and rules.
#![forbid(unsafe_code)]
