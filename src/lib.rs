//! Algorithmic differentiation for domain-specific languages.
#![forbid(unsafe_code)]

pub use entape_core as core;
pub use entape_core::{expr, kind, mode, op, operations, real, rule, tape};

/// What a program that uses entape needs: `use entape::prelude::*;`.
pub mod prelude {
    pub use entape_core::{
        expr::{Active, Expr, Operand, constant, lit},
        mode::{AnyMode, Mode, Plain, Reuse, Taped},
        real::{Cast, Elementary, Predicates},
        tape::{Error, Gradient, Tape},
    };
    /// A recorded `f64`.
    pub type Real<M = Taped> = Active<f64, M>;
    /// A recorded `f32`.
    pub type Real32<M = Taped> = Active<f32, M>;
}
