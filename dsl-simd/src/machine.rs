//! The instruction sets for which loops are compiled.
pub use entape_core::machine::{Level, levels, limited_to};
