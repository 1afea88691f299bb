//! Matrices of eager reals as entities.
//!
//! With matrices of [`Eager`], each operation of two numbers is one statement. Where source multiplies or solves,
//! convert its matrices to variables of `entape-linalg`: [`as_entity`] is one statement, and so is [`from_entity`].
//!
//! ```
//! use entape_core::tape::Tape;
//! use entape_eager::{Eager, linalg::{as_entity, from_entity}};
//! use entape_linalg::prelude::*;
//! use nalgebra::DMatrix;
//!
//! let mut tape = Tape::new();
//! let x = tape.inputs((0..200).map(|i| (i as f64).sin()));
//! let y = tape.record(|| {
//!     let factor = |k: usize| DMatrix::from_iterator(10, 10, x[100 * k..][..100].iter().map(|&x| Eager::from(x)));
//!     let (a, b) = (as_entity(&factor(0)), as_entity(&factor(1))); // two statements
//!     let product = from_entity(&(&a * &b).eval()); // two statements; `factor(0) * factor(1)` is 2,000
//!     product[(3, 4)].real()
//! });
//! assert!(tape.statistics().statements < 10);
//! // the element (3, 4) depends on a[(3, 0)], which is x[3], by b[(0, 4)]
//! assert_eq!(tape.gradient(&y)?.wrt(&x[3])?, x[140].value());
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
use super::Eager;
use entape_core::{
    expr::{Active, list},
    mode::Mode,
};
use entape_linalg::{Dense, Sizes, StructureOps, gather};
use nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix, RawStorage};

/// Returns a matrix of eager reals as one variable, in one statement. A matrix of constants becomes a passive variable.
#[track_caller]
pub fn as_entity<M: Mode, R: Dim, C: Dim, S>(
    matrix: &Matrix<Eager<M>, R, C, S>,
) -> Active<Dense<f64, R, C>, M>
where
    S: RawStorage<Eager<M>, R, C>,
    DefaultAllocator: Sizes<R, C>,
{
    let reals: Vec<Active<f64, M>> = matrix.iter().map(|x| x.real()).collect();
    gather(list(&reals), matrix.nrows(), matrix.ncols()).eval()
}
/// Returns a variable as a matrix of eager reals, in one statement.
#[track_caller]
pub fn from_entity<M: Mode, R: Dim, C: Dim>(
    matrix: &Active<Dense<f64, R, C>, M>,
) -> OMatrix<Eager<M>, R, C>
where
    DefaultAllocator: Sizes<R, C> + nalgebra::allocator::Allocator<R, C>,
{
    let (rows, columns) = matrix.get().shape_generic();
    let reals: Vec<Active<f64, M>> = matrix.elements().split();
    OMatrix::from_iterator_generic(rows, columns, reals.into_iter().map(Eager::from))
}
