//! The instruction sets that loops are compiled for.
pub use entape_core::machine::{Level, levels, limited_to};
