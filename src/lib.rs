#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub use entape_core::{
    check, driver,
    driver::{
        Function, Objective, gradient, hessian, hessian_vector, jacobian, jvp, value_and_gradient,
        value_gradient_hessian, values_and_jacobian, vjp,
    },
    eager, elementary, elementwise,
    expr::{self, either, select},
    external::{self, external, preaccumulate, try_external},
    function, mode, real, rule,
    tape::{self, Error},
};
pub use entape_macros::{facade_kind as kind, facade_op as op, facade_operations as operations};

/// The whole core. A crate with a DSL of its own may depend on `entape-core` alone, which has all of this.
pub mod core {
    #[doc(no_inline)]
    pub use crate::{kind, op, operations, store};
    #[doc(no_inline)]
    pub use entape_core::*;
}
/// Kinds: what an entity is.
pub mod kind {
    #[doc(inline)]
    pub use entape_core::kind::*;
}
/// The operations that operators and shared member operations stand for.
pub mod op {
    #[doc(inline)]
    pub use entape_core::op::*;
}
/// What a tape holds beside statements, and what a statement keeps.
pub mod store {
    #[doc(inline)]
    pub use entape_core::store::*;
    pub use entape_macros::FacadeStash as Stash;
}

#[cfg(feature = "complex")]
pub use entape_complex as complex;
#[cfg(feature = "linalg")]
pub use entape_linalg as linalg;
#[cfg(feature = "checkpoint")]
pub use entape_methods::checkpoint;
#[cfg(feature = "implicit")]
pub use entape_methods::implicit;
#[cfg(feature = "rayon")]
pub use entape_methods::parallel;
#[cfg(feature = "simd")]
pub use entape_simd as simd;

/// What a program that uses entape needs: `use entape::prelude::*;`.
///
/// ```
/// use entape::prelude::*;
///
/// fn area<M: Mode>(radius: Real<M>) -> Real<M> {
///     (radius.powi(2) * std::f64::consts::PI).eval()
/// }
/// assert_eq!(area(Real::<Plain>::passive(0.0)), 0.0);
/// ```
pub mod prelude {
    #[cfg(feature = "complex")]
    pub use entape_complex::{
        Complex, Complex32, ComplexOps, ComplexParts, PolarCoordinates, Powers, RealOps,
    };
    pub use entape_core::{
        expr::{Active, Expr, IntoExpr, Operand, constant, either, lit, select},
        mode::{AnyMode, Forward, Mode, Plain, Recording, Reuse, Second, Taped},
        real::{Cast, Elementary, Predicates, RealKind, Reals, number},
        tape::{Error, Tape},
    };
    #[cfg(feature = "linalg")]
    pub use entape_linalg::prelude::*;
    #[cfg(feature = "simd")]
    pub use entape_simd::arrays::{
        ArrayMembers, ArrayOps, Compare as CompareArrays, Filled, Gathers, Indexed, MaskOps,
        Slices, Splats, Strides,
    };
    #[cfg(all(feature = "simd", feature = "linalg"))]
    pub use entape_simd::arrays::{ArrayToVector, VectorToArray};
    #[cfg(all(feature = "simd", feature = "complex"))]
    pub use entape_simd::arrays::{ComplexArrayOps, RealArrayOps};
    #[cfg(all(feature = "simd", feature = "fft"))]
    pub use entape_simd::arrays::{FftOps, RealFftOps};
    #[cfg(feature = "simd")]
    pub use entape_simd::{
        Array, Array32, Compare, GatherOps, LanesOps, Mask, Real32x4, Real32x8, Real32x16, Realx2,
        Realx4, Realx8, SplatOps,
    };
    #[cfg(all(feature = "simd", feature = "complex"))]
    pub use entape_simd::{
        Complex32x4, Complex32x8, Complex32x16, ComplexArray, ComplexArray32, Complexx2, Complexx4,
        Complexx8,
        lanes::complex::{ComplexLaneMembers, ComplexLanesOps, RealLanesOps},
    };
    /// An `f64` in mode `M`, by default one that is recorded.
    pub type Real<M = Taped> = Active<f64, M>;
    /// An `f32` in mode `M`, by default one that is recorded.
    pub type Real32<M = Taped> = Active<f32, M>;
}
