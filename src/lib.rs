// The listings of README are tested with those of the guide, as they need the crate `nalgebra`.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]
//!
//! # Overview
//!
//! The [`prelude`] contains the items that most programs need. Further items:
//!
//! | for programs | |
//! |---|---|
//! | [`gradient`], [`jacobian`], [`hessian`], .., [`Objective`], [`driver`] | derivatives in one call |
//! | [`Structure`](derive@Structure), [`Vars`], [`structure`] | structs of parameters as inputs, outputs and gradients |
//! | [`tape`] | recording and sweeping by hand |
//! | [`mode`], [`expr`], [`real`] | modes; variables and expressions; the functions of reals, and their conventions at points without a derivative |
//! | `complex`, `simd`, `linalg` | complex numbers, lanes and arrays, matrices, in features of these names |
//! | [`external`](mod@external), [`eager`] | code that does not depend on entape |
//! | `checkpoint`, `implicit`, `parallel` | long loops, solutions of equations, many cores |
//! | [`check`] | gradients and rules against finite differences |
//!
//! | for authors of operations and kinds | |
//! |---|---|
//! | [`op`](macro@op), [`operations`], [`kind`](macro@kind), [`elementary!`], [`elementwise`] | annotations, and formulas for all kinds made of numbers |
//! | [`op`](mod@op), [`rule`], [`kind`](mod@kind), [`store`] | operations by name, rules, kinds, and the data of statements |
//! | [`core`](mod@core) | the whole core, with types that appear only in bounds and signatures |
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[doc(inline)]
pub use entape_check as check;
#[doc(inline)]
pub use entape_core::{
    elementary, elementwise,
    expr::{self, either, select},
    external::{external, try_external},
    mode, real, rule,
    structure::{self, Function, Vars},
    tape::{self, Error},
};
#[doc(inline)]
pub use entape_drivers::{
    Objective, gradient, hessian, hessian_vector, jacobian, jvp, preaccumulate, value_and_gradient,
    value_gradient_hessian, values_and_jacobian, vjp,
};
pub use entape_macros::{
    FacadeStructure as Structure, facade_function as function, facade_kind as kind,
    facade_op as op, facade_operations as operations,
};

/// The whole core. A crate with its own DSL may depend on `entape-core` alone.
pub mod core {
    #[doc(no_inline)]
    pub use crate::{Structure, check, function, kind, op, operations, store};
    #[doc(no_inline)]
    pub use entape_core::*;
}
/// Derivatives of a function by one call; [`entape_drivers`] lists them.
///
/// [Sparse](driver::SparseObjective) Jacobians and Hessians are from [`entape_methods::sparse`].
pub mod driver {
    #[doc(inline)]
    pub use entape_drivers::*;
    #[doc(inline)]
    pub use entape_methods::sparse::{
        HessianPlan, JacobianPlan, SparseJacobian, SparseObjective, Sparsity,
    };
}
/// Functions that are not operations, and parts of programs that become one statement.
pub mod external {
    #[doc(inline)]
    pub use entape_core::external::*;
    #[doc(inline)]
    pub use entape_drivers::preaccumulate;
}
/// Kinds: what an entity is.
pub mod kind {
    #[doc(inline)]
    pub use entape_core::kind::*;
}
/// Operation types by name: what `+`, `.sin()` and the like apply.
pub mod op {
    #[doc(inline)]
    pub use entape_core::op::*;
}
/// The data of a tape and of its statements.
pub mod store {
    #[doc(inline)]
    pub use entape_core::store::*;
    pub use entape_macros::FacadeStash as Stash;
}

#[cfg(feature = "complex")]
#[doc(inline)]
pub use entape_complex as complex;
#[doc(inline)]
pub use entape_eager as eager;
#[cfg(feature = "linalg")]
#[doc(inline)]
pub use entape_linalg as linalg;
#[cfg(feature = "checkpoint")]
#[doc(inline)]
pub use entape_methods::checkpoint;
#[cfg(feature = "implicit")]
#[doc(inline)]
pub use entape_methods::implicit;
#[cfg(feature = "rayon")]
#[doc(inline)]
pub use entape_methods::parallel;
/// SIMD lanes and arrays: the crate `entape-simd`. Inlined, its `wide` would have nine thousand pages here.
#[cfg(feature = "simd")]
pub mod simd {
    #[doc(no_inline)]
    pub use entape_simd::*;
    #[doc(inline)]
    pub use entape_simd::{
        Array, Array32, Compare, GatherOps, LanesOps, Mask, Real32x4, Real32x8, Real32x16, Realx2,
        Realx4, Realx8, SplatOps, arrays, lanes, op,
    };
}

/// The items that most programs need: `use entape::prelude::*;`.
///
/// ```
/// use entape::prelude::*;
///
/// fn area<M: Mode>(radius: Real<M>) -> Real<M> {
///     (radius.powi(2) * std::f64::consts::PI).eval()
/// }
/// assert_eq!(area(Real::<Plain>::passive(0.0)), 0.0);
/// ```
///
/// | | |
/// |---|---|
/// | recording | [`Tape`](entape_core::tape::Tape), [`Error`], the modes and their bounds [`Mode`](entape_core::mode::Mode) and [`AnyMode`](entape_core::mode::AnyMode) |
/// | variables | [`Real`](prelude::Real), `Complex`, `Array`, `Matrix`, `Vector`, `Realx4` and the like, all of which are [`Active`](entape_core::expr::Active) |
/// | expressions | [`constant`](entape_core::expr::constant), [`lit`](entape_core::expr::lit), [`number`](entape_core::real::number), [`select`](entape_core::expr::select()), [`either`] |
/// | arguments and results of functions | [`Operand`](entape_core::expr::Operand), [`IntoExpr`](entape_core::expr::IntoExpr), [`Expr`](entape_core::expr::Expr), [`RealKind`](entape_core::real::RealKind) |
/// | methods | the traits: of objectives [`SparseObjective`](crate::driver::SparseObjective); of reals [`Elementary`](entape_core::real::Elementary), [`Reals`](entape_core::real::Reals), [`Cast`](entape_core::real::Cast), [`Predicates`](entape_core::real::Predicates); the DSLs describe theirs |
pub mod prelude {
    #[cfg(feature = "complex")]
    pub use entape_complex::{
        Complex, ComplexOps as _, ComplexParts as _, PolarCoordinates as _, Powers as _,
        RealOps as _,
    };
    pub use entape_core::{
        expr::{Active, Expr, IntoExpr, Operand, constant, either, list, lit, passive, select},
        mode::{AnyMode, Forward, Mode, Plain, Recording, Reuse, Taped},
        real::{
            Cast as _, Elementary as _, ListReductions as _, PlainNumber as _, Predicates as _,
            Reals as _, number,
        },
        structure::Function,
        tape::{Error, Tape},
    };
    pub use entape_drivers::Objective;
    #[cfg(feature = "linalg")]
    pub use entape_linalg::{
        Blocks as _, Cholesky, CholeskyOps as _, ComponentOps as _, Components as _, CrossOps as _,
        DiagonalOps as _, EigenOps as _, ExtremeOps as _, FixedBlocks as _, FixedConstructors as _,
        FixedMatrix, FixedOps as _, FixedVector, LuOps as _, MapOps as _, Matrix,
        MatrixConstructors as _, NotPositiveDefinite, PairOps as _, PolarOps as _, ProductOps as _,
        QrOps as _, ReductionOps as _, RowVector, Singular, SpectralOps as _, SquareOps as _,
        StructureOps as _, SymmetricOps as _, TriangularOps as _, Vector, VectorConstructors as _,
        VectorOps as _, from_diagonal, gather, hstack, matrix, vector, vstack,
    };
    #[cfg(all(feature = "linalg", feature = "complex"))]
    pub use entape_linalg::{ComplexMatrix, ComplexVector, PartOps as _, ToComplexOps as _};
    #[cfg(all(feature = "linalg", feature = "fft"))]
    pub use entape_linalg::{MatrixFftOps as _, RealMatrixFftOps as _};
    pub use entape_methods::sparse::SparseObjective as _;
    #[cfg(all(feature = "simd", feature = "linalg"))]
    pub use entape_simd::arrays::{ArrayToVector as _, VectorToArray as _};
    #[cfg(all(feature = "simd", feature = "fft"))]
    pub use entape_simd::arrays::{FftOps as _, RealFftOps as _};
    #[cfg(feature = "simd")]
    pub use entape_simd::{
        Array, Compare as _, GatherOps as _, LanesOps as _, Realx4, Realx8, SplatOps as _, array,
        arrays::{
            ArrayMembers as _, ArrayOps as _, Compare as _, Filled as _, Gathers as _,
            Indexed as _, MapArrays as _, MaskOps as _, Slices as _, Splats as _, Strides as _,
        },
    };
    #[cfg(all(feature = "simd", feature = "complex"))]
    pub use entape_simd::{
        arrays::{ComplexArrayOps as _, RealArrayOps as _},
        lanes::complex::{ComplexLaneMembers as _, ComplexLanesOps as _, RealLanesOps as _},
    };
    /// An `f64` in mode `M`, recorded by default.
    ///
    /// ```
    /// use entape::prelude::*;
    ///
    /// let mut tape = Tape::new();
    /// let x: Real = tape.input(2.0);
    /// let y: Real = tape.record(|| (x.powi(3) + 1.0).eval());
    /// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (9.0, 12.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub type Real<M = Taped> = Active<f64, M>;
    /// An `f32` in mode `M`, recorded by default. Inputs are created by `tape.input_as::<f32>(2.0)`.
    pub type Real32<M = Taped> = Active<f32, M>;
}
