//! The linear algebra DSL of entape: a matrix is one entity, and an operation is one statement.
//!
//! Values are matrices and vectors of nalgebra; large products, solves and factorizations run on faer. Names are taken
//! from nalgebra.
//!
//! ```
//! use entape_core::tape::Tape;
//! use entape_linalg::prelude::*;
//! use nalgebra::{dmatrix, dvector};
//!
//! let mut tape = Tape::new();
//! let a = tape.input(dmatrix![4.0, 1.0; 1.0, 3.0]);
//! let b = tape.input(dvector![1.0, 2.0]);
//! let s = tape.input(0.5);
//!
//! let y = tape.record(|| {
//!     let chol = a.cholesky()?;                        // once, for any number of solves
//!     let mut x = (s * chol.solve(&b)).eval();         // numbers, vectors and matrices mix
//!     x[0] += 1.0;                                     // a place: only this element is saved
//!     x.update(|x| &a * x - &b);                       // the old value on the right side
//!     Ok::<_, NotPositiveDefinite>((x.norm_squared() + chol.ln_determinant()).eval())
//! })?;
//! let gradient = tape.gradient(&y)?;
//! assert_eq!(gradient.wrt(&a)?.shape(), (2, 2));
//! assert_eq!(gradient.wrt(&b)?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Porting
//! Change the types and end statements with `.eval()`. The loss of a ridge regression in nalgebra:
//! ```
//! use nalgebra::{DMatrix, DVector};
//!
//! fn loss(x: &DMatrix<f64>, y: &DVector<f64>, lambda: f64) -> Option<f64> {
//!     let n = x.ncols();
//!     let gram = x.tr_mul(x) + DMatrix::identity(n, n) * lambda;
//!     let chol = gram.cholesky()?;
//!     let w = chol.solve(&x.tr_mul(y));
//!     let residual = x * &w - y;
//!     let mut loss = residual.norm_squared() / y.len() as f64;
//!     loss += lambda * w.norm_squared();
//!     Some(loss)
//! }
//! # let x = nalgebra::dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 7.0];
//! # assert!(loss(&x, &nalgebra::dvector![1.0, 2.0, 3.0], 0.3).is_some());
//! ```
//! With [`Plain`](entape_core::mode::Plain) and recording modes:
//! ```
//! use entape_core::{expr::{Active, constant}, mode::AnyMode, tape::Tape};
//! use entape_linalg::prelude::*;
//! use nalgebra::{DMatrix, dmatrix, dvector};
//!
//! fn loss<M: AnyMode>(x: &Matrix<M>, y: &Vector<M>, lambda: &Active<f64, M>) -> Option<Active<f64, M>> {
//!     let n = x.ncols();
//!     let gram = (x.tr_mul(x) + constant(DMatrix::<f64>::identity(n, n)) * lambda).eval();
//!     let chol = gram.cholesky().ok()?;
//!     let w = chol.solve(x.tr_mul(y)).eval();
//!     let residual = (x * &w - y).eval();
//!     let mut loss = (residual.norm_squared() / y.len() as f64).eval();
//!     loss += lambda * w.norm_squared();
//!     Some(loss)
//! }
//! let mut tape = Tape::new();
//! let x = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 7.0]);
//! let y = tape.input(dvector![1.0, 2.0, 3.0]);
//! let lambda = tape.input(0.3);
//! let l = tape.record(|| loss(&x, &y, &lambda)).expect("a positive definite matrix");
//! assert!(tape.gradient(&l)?.wrt(&lambda)? > 0.0);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//! Further changes:
//!
//! - Plain matrices in expressions are `constant(m)` of an explicit type: `DMatrix::<f64>::identity(..)`.
//! - `cholesky` returns a `Result` with the reason.
//! - Expressions as arguments are written without `&`.
//! - Components are `v[0]`, not `v.x`.
//! - Closures of drivers that get inputs by reference end with `.eval()`.
//! - With `M: AnyMode`, matrices of fixed sizes are not `Copy`: `(&m).transpose()`.
//!
//! # Kinds
//! One kind, [`Dense<T, R, C>`](Dense), covers all shapes. Matrices of fixed sizes ([`FixedMatrix`]) are value kinds:
//! variables are `Copy` and operands by value. Matrices with a dynamic size ([`Matrix`], [`Vector`], [`RowVector`]) are
//! storage kinds: variables own their memory, are operands by reference (`&a * &b`), and are written in place. Name the
//! kind of matrices of `f32`: `lit::<Dense<f32, Dyn, Dyn>, _>(m)`, `tape.input_as::<Dense<f32, Dyn, Dyn>>(m)`.
//!
//! # Operations
//! | area | operations |
//! |---|---|
//! | arithmetic | `+ - * /`, [`ComponentOps`], [`PairOps`]; elementary functions of elements by [`MapOps`]; `abs` |
//! | products | `*`, [`ProductOps`], [`VectorOps`], [`CrossOps`] |
//! | reductions | [`ReductionOps`], [`ExtremeOps`], [`SquareOps`] |
//! | structure | [`StructureOps`], [`FixedOps`], [`DiagonalOps`], [`from_diagonal`]; lists by [`hstack`](hstack()), [`vstack`](vstack()); numbers by [`gather`], `elements` |
//! | places | `v[i]`, `m[(i, j)]`, `at`, `assign_at`, ..; [`Blocks`], [`FixedBlocks`], also of places |
//! | solves | [`CholeskyOps`], [`LuOps`], [`QrOps`] as objects with `solve` and parts; [`TriangularOps`]; `pseudo_inverse` |
//! | spectra | [`EigenOps`], [`SpectralOps`], [`PolarOps`] |
//! | functions of symmetric matrices | [`SymmetricOps`] |
//! | functions | `exp`, `powi` of [`Elementary`](entape_core::real::Elementary); `to_f32`, `to_f64` of [`Cast`](entape_core::real::Cast) |
//!
//! # The exponential and powers of a matrix
//! `a.exp()` is the matrix exponential, as accurate as the exact exponential of a matrix perturbed by a rounding error
//! of its norm: for a symmetric matrix with norm `1e10`, about six digits are correct. From a norm of `1 / eps` on, the
//! result and its gradient are NaN, or zero if the diagonal makes that certain. A result that overflows is infinite or
//! NaN; elements that are not finite give NaN. The gradient is a block of the exponential of a matrix of twice the size
//! ([Mathias 1996](#sources)).
//!
//! `a.powi(n)` is a product of `n` factors, or of inverses if `n` is negative. Both panic if the matrix is not square,
//! `powi` also for a negative power of a singular matrix.
//! ```
//! use entape_core::{real::Elementary, tape::Tape};
//! use entape_linalg::prelude::*;
//! use nalgebra::dmatrix;
//!
//! let mut tape = Tape::new();
//! let a = tape.input(dmatrix![0.0, 2.0; 0.0, 0.0]);
//! let y = tape.record(|| {
//!     assert_eq!(a.exp().eval().get(), &dmatrix![1.0, 2.0; 0.0, 1.0]);
//!     a.powi(2).sum().eval()
//! });
//! assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![2.0, 0.0; 4.0, 2.0]);
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! # Complex matrices
//! With the feature `complex`, elements may be `Complex<f64>` and `Complex<f32>`; `map` and `zip_map` take operations
//! of complex numbers. The gradient with respect to `z = x + iy` is `df/dx + i df/dy`: the adjoint of a product is `a_b
//! += r_b * b.adjoint()`.
//!
//! | | |
//! |---|---|
//! | mixed | `+ - *`, `component_mul`, `component_div`, `dot`, `dotc`, `zip_map` with real matrices on either side; solves with real and complex right sides; `*` with real and complex numbers, `/` by them; other real operands by `to_complex` |
//! | parts | `re`, `im`, `abs` to real matrices; `from_parts`, `to_complex` from real matrices; `m[(i, j)].re_mut()` and `im_mut()` as places, by `ComplexParts` of entape-complex |
//! | plain numbers | `&m * c`, `&m / c`, `m[(i, j)].assign(c)`, `m.add_scalar(c)`, `c * &m` with a plain `c` |
//! | not conjugated | `transpose`, `tr_mul`, `mul_tr`, `dot`, `outer`, `tr_solve_..` |
//! | conjugated | `adjoint`, `ad_mul`, `mul_ad`, `dotc`, `quadratic_form`, `ad_solve_..` |
//! | real results | `norm`, `norm_squared`, `norm_l1`, `ln_abs_det`, `determinant` of a Cholesky factorization, eigenvalues, singular values |
//! | Fourier transforms, with the feature `fft` | `fft_columns`, `fft_rows`, `fft2`, their inverses `ifft_..`; real ones `rfft_columns`, `rfft_rows`, `irfft_..`; conventions of `entape_complex::fft` |
//!
//! Operations on symmetric matrices take Hermitian ones, of which they read the lower triangle with a real diagonal.
//! Free phases are normalised: the diagonals of `r` and of Cholesky's `l` are real and positive, and so are the leading
//! elements of [eigenvectors](SymmetricEigen::eigenvectors) and right singular vectors.
//!
//! # Formulas
//! In formulas, `r` is the result and `r_b` its adjoint; `a_b += ..` is the contribution to the adjoint of the argument
//! `a`. `a'` is the conjugate transpose, `conj(a)` the conjugate; `.*` and `./` are elementwise, and `Σ` sums all
//! elements.
//!
//! # Forward mode and second derivatives
//! Operations have tangents for [`Forward`](entape_core::mode::Forward) mode and for second derivatives. If a gradient
//! is NaN, so is the tangent.
//!
//! # Conventions
//! If only one triangle of an argument is read, the other has a zero adjoint.
//!
//! At points without a derivative:
//!
//! | operation | where | gradient | tangent along `v` | second derivative |
//! |---|---|---|---|---|
//! | `norm` | all elements are 0 | 0 | `\|v\|` | correct for smooth functions of its square; NaN for the norm itself |
//! | `lp_norm` | all elements are 0 | 0 | the norm of `v` | as for `norm` if `p = 2`, and one-sided for other squares of norms |
//! | `norm_l1`, `lp_norm(1)`, `abs` | an element is 0 | 0 | `\|v\|` of this element | NaN for this element, 0 or one-sided if its adjoint is 0 |
//! | `normalize` | all elements are 0 | NaN, as the value | NaN | NaN |
//! | `spectral_norm` | the largest singular values are equal | the gradient of one of them | the derivative in this direction | NaN, also for functions of it |
//! | `spectral_norm` of a row or column | it is 0 | as for `norm` | as for `norm` | as for `norm` |
//! | eigenvalues | some are equal | one of many for a single eigenvalue; correct for functions of all | the eigenvalues of `v` within their space | correct for smooth functions of the matrix, NaN for others |
//! | singular values | some are equal, or 0 | as for eigenvalues | as for eigenvalues | as for eigenvalues |
//! | eigenvectors, singular vectors | such values | NaN if a function depends on them | NaN | NaN |
//! | `max_element`, `min_element` | equal elements | of the first one | of the first one | 0 |
//!
//! Equal eigenvalues: see [`EigenOps::symmetric_eigen`]; functions of the matrix ([`SymmetricOps`]) and the polar
//! decomposition ([`PolarOps`]) have derivatives there. Factors of a matrix with dependent columns have no derivatives,
//! see [`Qr::q`] and [`Lu::l`]; determinants have gradients at singular matrices. Singular and indefinite matrices give
//! `Result`s; wrong shapes panic with the operation and both shapes.
//!
//! # For authors of operations
//! For custom rules on matrices, such as `#[op] fn f<T: Number, R: Dim, C: Dim>(..)`:
//!
//! | | |
//! |---|---|
//! | [`op`](mod@op), [`kernels`], [`View`], [`ViewMut`] | operations by name, products and solves of plain matrices |
//! | [`Number`], [`RealNumber`], [`Sizes`] | bounds of generic rules |
//! | [`Product`], [`Times`], [`TimesConjugate`], [`Mapped`], [`Zipped`], [`Within`] | contributions to adjoints without a temporary matrix |
//! | [`Sum`], [`Coefficient`], [`MatrixMemory`] | accumulated adjoints, terms of results, reuse of memory |
//! | [`FactorExpr`], [`SolveExpr`], [`TryPart`], [`TrySolve`], [`Element`], [`Block`] | types for signatures |
//!
//! # Sources
//! - Ju. L. Daleckii and S. G. Krein, *Integration and differentiation of functions of Hermitian operators*, 1965; N.
//!   J. Higham, *Functions of matrices*, 2008, theorem 3.11.
//! - M. B. Giles, *Collected matrix derivative results for forward and reverse mode algorithmic differentiation*, 2008.
//! - G. H. Golub and V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose
//!   variables separate*, 1973.
//! - C. Kenney and A. J. Laub, *Polar decomposition and matrix sign function condition estimates*, 1991.
//! - R. Mathias, *A chain rule for matrix functions and applications*, 1996.
//! - I. Murray, *Differentiation of the Cholesky decomposition*, 2016, arXiv:1602.07527.
//! - D. A. O. Roberts and L. R. Roberts, *QR and LQ decomposition matrix backpropagation algorithms for square, wide,
//!   and deep matrices*, 2020, arXiv:2009.10071.
//! - J. Townsend, *Differentiating the singular value decomposition*, 2016.
//! - S. F. Walter and L. Lehmann, *Algorithmic differentiation of linear algebra functions with application in optimum
//!   experimental design*, 2010, arXiv:1001.1654.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod adjoint;
mod arithmetic;
mod build;
mod cholesky;
#[cfg(feature = "complex")]
mod complex;
mod destination;
mod elementwise;
mod factors;
#[cfg(feature = "fft")]
mod fft;
mod fixed;
mod functions;
pub mod kernels;
mod kinds;
mod lu;
mod memory;
mod pairs;
mod parts;
mod places;
mod polar;
mod products;
mod qr;
mod reductions;
#[cfg(test)]
mod samples;
mod scale;
mod shapes;
mod solves;
mod spectral;
mod stack;
mod structure;
pub mod symmetric;
mod view;
mod workspace;

pub use entape_core::storage::pool::release_memory;
/// The `nalgebra` whose matrices are the values.
pub use nalgebra;

pub use adjoint::{Mapped, Product, Sum, Times, TimesConjugate, Within, Zipped};
pub use arithmetic::ComponentOps;
pub use build::{Components, FixedConstructors, MatrixConstructors, VectorConstructors};
#[doc(hidden)]
pub use build::{dynamic, fixed as fixed_of};
pub use cholesky::{Cholesky, CholeskyOps, NotPositiveDefinite};
#[cfg(feature = "complex")]
pub use complex::{
    ComplexMatrix, ComplexRowVector, ComplexVector, FixedComplexMatrix, FixedComplexVector,
    PartOps, ToComplexOps, from_parts,
};
pub use destination::Coefficient;
pub use elementwise::{Map, MapOps};
#[doc(hidden)]
pub use entape_core as __core;
#[cfg(feature = "fft")]
pub use fft::{MatrixFftOps, RealMatrixFftOps};
pub use fixed::{FixedBlocks, FixedOps};
pub use kinds::{Dense, HasKind, Number, RealNumber, Sizes};
pub use lu::{Lu, LuOps};
pub use memory::MatrixMemory;
pub use pairs::PairOps;
pub use parts::{Diagonal, Pattern, Selected, Selection, Transposed, Triangle};
pub use places::{Block, Blocks, Element};
pub use polar::{Polar, PolarOps};
pub use products::{CrossOps, ProductOps, VectorOps};
pub use qr::{Qr, QrOps};
pub use reductions::{ExtremeOps, ReductionOps, SquareOps};
pub use solves::{FactorExpr, Read, Singular, SolveExpr, TriangularOps, TryPart, TrySolve};
pub use spectral::{EigenOps, SpectralOps, Svd, SymmetricEigen};
pub use stack::{hstack, vstack};
pub use structure::{DiagonalOps, StructureOps, from_diagonal, gather};
pub use symmetric::{SpectralFunction, SymmetricFunctions, SymmetricOps, WithSlope};
pub use view::{View, ViewMut};

use entape_core::{expr::Active, mode::Taped};
use nalgebra::{Const, Dyn, U1};

/// A matrix variable with sizes known at run time. It owns its memory and is an operand by reference: `&a * &b`.
///
/// ```
/// use entape_core::{mode::Plain, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let m = Matrix::<Plain>::passive(dmatrix![1.0, 2.0; 3.0, 4.0]); // without a tape
/// assert_eq!((&m * &m).eval().get(), &dmatrix![7.0, 10.0; 15.0, 22.0]);
///
/// let mut tape = Tape::new();
/// let a: Matrix = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| (&a * &a).sum().eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&a)?, dmatrix![7.0, 11.0; 9.0, 13.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub type Matrix<M = Taped, T = f64> = Active<Dense<T, Dyn, Dyn>, M>;
/// A vector variable with a size known at run time.
pub type Vector<M = Taped, T = f64> = Active<Dense<T, Dyn, U1>, M>;
/// A row vector variable with a size known at run time.
pub type RowVector<M = Taped, T = f64> = Active<Dense<T, U1, Dyn>, M>;
/// A matrix variable with `R` rows and `C` columns. It is `Copy` and an operand by value.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::{matrix, vector};
///
/// let mut tape = Tape::new();
/// let a: FixedMatrix<2, 2> = tape.input(matrix![1.0, 2.0; 3.0, 4.0]);
/// let v: FixedVector<2> = tape.input(vector![1.0, 1.0]);
/// let y = tape.record(|| (a * v).norm_squared().eval());
/// assert_eq!(y, 3.0 * 3.0 + 7.0 * 7.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, vector![48.0, 68.0]); // 2 a' * a * v
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub type FixedMatrix<const R: usize, const C: usize, M = Taped, T = f64> =
    Active<Dense<T, Const<R>, Const<C>>, M>;
/// A vector variable with `N` elements.
pub type FixedVector<const N: usize, M = Taped, T = f64> = FixedMatrix<N, 1, M, T>;

/// The operations by name, for custom rules and tests. The traits in the [`prelude`] document them.
///
/// ```
/// use entape_check as check;
/// use entape_linalg::op;
/// use nalgebra::{dmatrix, dvector};
///
/// // the rule, against finite differences
/// check::assert_rule(&op::QuadraticForm, (dvector![5.0, 6.0], dmatrix![1.0, 2.0; 3.0, 4.0]));
/// ```
pub mod op {
    #[cfg(feature = "complex")]
    pub use crate::complex::{FromParts, Im, Re, ToComplex};
    #[cfg(feature = "fft")]
    pub use crate::fft::{
        Fft2, FftColumns, FftRows, Ifft2, IfftColumns, IfftRows, IrfftColumns, IrfftRows,
        RfftColumns, RfftRows,
    };
    pub use crate::{
        arithmetic::{AddScalar, ComponentDiv, ComponentMul, Scale, Unscale},
        cholesky::{
            CholeskyDeterminant, CholeskyL, CholeskyLnDeterminant, cholesky_determinant,
            cholesky_l, cholesky_ln_determinant,
        },
        elementwise::Map,
        factors::{CholeskyFactor, Factor, LuFactor, QrFactor},
        fixed::FixedBlock,
        lu::{
            LuDeterminant, LuL, LuLnAbsDeterminant, LuU, lu_determinant, lu_l,
            lu_ln_abs_determinant, lu_u,
        },
        polar::{PolarFactor, PolarP, PolarU, polar_p, polar_u},
        products::{
            AdMul, Cross, CrossMatrix, Dot, Dotc, Kronecker, MulAd, MulTr, Outer, QuadraticForm,
            TrMul,
        },
        qr::{QrQ, QrR, QrSolve, qr_q, qr_r, qr_solve},
        reductions::{
            ColumnSum, LpNorm, MaxElement, Mean, MinElement, Norm, NormL1, NormSquared, Normalize,
            RowSum, Sum, Trace,
        },
        solves::{InverseWith, SolveWith, TriangularSolve, inverse_with, solve_with},
        spectral::{
            Eigen, PseudoInverseOf, Singular, SpectralNorm, eigen, pseudo_inverse_of, singular,
        },
        stack::{Hstack as HstackList, Vstack as VstackList},
        structure::{
            Adjoint, Column, Columns, Conjugate, Diagonal, Elements, FromDiagonal, Gather, Hstack,
            Reshape, Row, Rows, Transpose, View, Vstack,
        },
        symmetric::{
            SymmetricFactor, SymmetricFunction, SymmetricPowf, symmetric_function, symmetric_powf,
        },
    };
}

/// Items for programs with matrices: `use entape_linalg::prelude::*;`.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let v: Vector = tape.input(dvector![3.0, 4.0]);
/// let y = tape.record(|| v.dot(&v).eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, dvector![6.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub mod prelude {
    pub use crate::{
        Blocks, Cholesky, CholeskyOps, ComponentOps, Components, CrossOps, Dense, DiagonalOps,
        EigenOps, ExtremeOps, FixedBlocks, FixedConstructors, FixedMatrix, FixedOps, FixedVector,
        Lu, LuOps, MapOps, Matrix, MatrixConstructors, NotPositiveDefinite, PairOps, Polar,
        PolarOps, ProductOps, Qr, QrOps, ReductionOps, RowVector, Singular, SpectralOps, SquareOps,
        StructureOps, Svd, SymmetricEigen, SymmetricFunctions, SymmetricOps, TriangularOps, Vector,
        VectorConstructors, VectorOps, WithSlope, from_diagonal, gather, hstack, matrix, vector,
        vstack,
    };
    #[cfg(feature = "complex")]
    pub use crate::{
        ComplexMatrix, ComplexRowVector, ComplexVector, FixedComplexMatrix, FixedComplexVector,
        PartOps, ToComplexOps, from_parts,
    };
    #[cfg(feature = "fft")]
    pub use crate::{MatrixFftOps, RealMatrixFftOps};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
