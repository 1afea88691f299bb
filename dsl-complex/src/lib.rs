//! The complex DSL of entape: `num_complex` numbers as entities with one identifier for both parts.
#![forbid(unsafe_code)]

mod arithmetic;
mod elementary;
mod kinds;
mod members;
mod wirtinger;

pub use elementary::Powers;
pub use kinds::{C32, C64, ComplexKind, ComplexParts, Component, PartMut};
pub use members::{ComplexOps, Polar, RealOps, cis, from_polar, new};
pub use num_complex;
pub use wirtinger::{Wirtinger, wirtinger};

/// The operations that are complex numbers' own; those they share with reals are in
/// [`entape_core::op`](mod@entape_core::op).
pub mod op {
    pub use crate::elementary::{Expf, Powc, Powu};
    pub use crate::members::{
        Arg, Cis, Conj, Fdiv, Finv, FromPolar, Im, Inv, L1Norm, New, Norm, NormSqr, Re, Scale,
        ToComplex, ToPolar, Unscale,
    };
}

use entape_core::{expr::Active, mode::Taped};

/// A complex number of double precision in mode `M`, by default one that is recorded.
pub type Complex<M = Taped> = Active<C64, M>;
/// A complex number of single precision in mode `M`, by default one that is recorded.
pub type Complex32<M = Taped> = Active<C32, M>;

/// `Re(conj(a) * b)`, the inner product of `a` and `b` as vectors of the plane.
#[inline(always)]
fn dot<T: Component>(a: num_complex::Complex<T>, b: num_complex::Complex<T>) -> T {
    a.re * b.re + a.im * b.im
}
