//! Sparse Jacobians and Hessians.
mod matrices;
mod plans;
mod random;
mod reuse;
#[cfg(feature = "serde")]
mod serialized;
mod undefined;
