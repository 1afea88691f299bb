//! The programs of the paper's evaluation, and the clock that measures them.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

pub mod burgers;
pub mod burgers_array;
#[cfg(feature = "more")]
pub mod complex;
#[cfg(feature = "more")]
pub mod gmm;
#[cfg(feature = "linalg")]
pub mod linalg;
pub mod measure;
#[cfg(feature = "more")]
pub mod option;
#[cfg(feature = "linalg")]
pub mod users;
