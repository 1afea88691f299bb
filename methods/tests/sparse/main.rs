//! Sparse Jacobians and Hessians.
mod matrices;
mod plans;
#[cfg(feature = "serde")]
mod serialized;
mod undefined;
