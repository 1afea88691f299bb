//! Lanes of complex numbers: two vectors of `wide` for the parts, with one identifier.
//!
//! ```
//! use entape_complex::{ComplexOps, num_complex::{Complex, c64}};
//! use entape_core::{real::Elementary, tape::Tape};
//! use entape_simd::{Complexx4, Realx4, lanes::complex::{ComplexLanesOps, RealLanesOps}, wide::f64x4};
//!
//! let mut tape = Tape::new();
//! let z: Complexx4 = tape.input(Complex::new(f64x4::ONE, f64x4::new([0.0, 1.0, 2.0, 3.0])));
//! let x: Realx4 = tape.input(f64x4::splat(0.5));
//! let c = tape.input(c64(2.0, 1.0)); // broadcast to all lanes
//! let y = tape.record(|| ((z * c + x.cis()) * x).reduce_add().norm_sqr().eval()); // one statement
//! let gradient = tape.gradient(&y)?;
//! let z_b: Complex<f64x4> = gradient.wrt(&z)?;
//! assert_eq!(z_b.re, f64x4::splat(z_b.re.to_array()[0])); // each lane adds to one sum
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! | operation | syntax |
//! |---|---|
//! | arithmetic | `+ - * / %` and compound assignment, with complex and real lanes and numbers |
//! | elementary functions | of [complex numbers](entape_complex) |
//! | parts, sizes, angles, single lanes, sums | [`ComplexLaneMembers`], [`ComplexLanesOps`]; the absolute value of each lane is `z.abs()` |
//! | from reals | [`RealLanesOps`], [`from_parts`], [`from_polar`] |
//!
//! Values and derivatives are bitwise equal to a complex number's, except for the signs of zero derivatives. The
//! gradient for `z = x + iy` is `df/dx + i df/dy`.
mod by_lane;
mod kinds;
mod members;

pub use by_lane::{ByLane, OnReals};
pub use kinds::{C32x4, C32x8, C32x16, C64x2, C64x4, C64x8, ComplexLanes};
pub use members::{
    ComplexLane, ComplexLaneMembers, ComplexLanesOps, ComplexReduceAdd, RealLanesOps, from_parts,
    from_polar,
};

use super::{Lanes, SimdVector};
