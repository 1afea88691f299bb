//! Equal eigenvalues, dependent columns, numbers near the ends of their range: results are correct, or NaN, or an
//! error.
mod determinants;
mod exponentials;
mod factors;
mod kinks;
mod meeting;
mod norms;
mod ranges;
mod signs;
mod spectra;

#[path = "../shared/numbers.rs"]
mod numbers;

use entape_core::{
    expr::Active,
    mode::Taped,
    tape::{Scalar, Tape},
};
use entape_linalg::*;
use nalgebra::{ComplexField, DMatrix, Dyn};

use numbers::{C, complex, few_cases, real};

fn cases(all: usize) -> std::ops::Range<usize> {
    match few_cases() {
        true => 0..all.div_ceil(10),
        false => 0..all,
    }
}
fn gradient<T: Number>(
    a: &DMatrix<T>,
    f: impl FnOnce(&Matrix<Taped, T>) -> Active<T::Part, Taped>,
) -> (T::Part, DMatrix<T>)
where
    T::Part: Scalar,
{
    let mut tape = Tape::new();
    let a = tape.input_as::<Dense<T, Dyn, Dyn>>(a.clone());
    let y = tape.record(|| f(&a));
    let (value, gradient) = (*y.get(), tape.gradient(&y).unwrap().wrt(&a).unwrap());
    (value, gradient)
}
#[track_caller]
fn assert_close<T: ComplexField<RealField = f64> + Copy>(
    got: &DMatrix<T>,
    want: &DMatrix<T>,
    within: f64,
) {
    let error = (got - want).norm() / want.norm();
    assert!(error <= within, "{error:e}: {got} instead of {want}");
}
fn all_nan<T: ComplexField + Copy>(m: &DMatrix<T>) -> bool {
    m.iter().all(|x| !x.is_finite())
}
fn lower_nan<T: ComplexField + Copy>(m: &DMatrix<T>) -> bool {
    (0..m.ncols()).all(|j| (j..m.nrows()).all(|i| !m[(i, j)].is_finite()))
}
