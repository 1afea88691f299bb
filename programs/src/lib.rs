//! The programs of the paper's evaluation, and the clock that measures them.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

pub mod burgers;
pub mod burgers_array;
pub mod complex;
pub mod gmm;
#[cfg(feature = "linalg")]
pub mod linalg;
pub mod measure;
pub mod option;
#[cfg(feature = "linalg")]
pub mod users;
