//! The core of entape.
#![deny(unsafe_code)]

pub mod expr;
pub mod kind;
pub mod mode;
pub mod real;
pub mod rule;
pub mod tape;

/// The operations that operators and shared member operations stand for.
pub mod op {
    pub use crate::real::arithmetic::*;
    pub use crate::real::cast::{ToF32, ToF64};
    pub use crate::real::elementary::*;
}
