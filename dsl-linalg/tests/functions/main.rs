//! Functions of symmetric and Hermitian matrices, and polar factors, also for equal eigenvalues and singular values.
mod differences;
mod ends;
mod exact;
mod modes;
mod polar;
mod rules;

#[path = "../shared/numbers.rs"]
mod numbers;

use entape_core::{
    expr::Active,
    mode::Taped,
    tape::{Scalar, Tape},
};
use entape_linalg::*;
use nalgebra::{ComplexField, DMatrix, DVector, Dyn};

use numbers::{C, complex, few_cases, number, real};

fn single(m: &DMatrix<f64>) -> DMatrix<f32> {
    m.map(|x| x as f32)
}
fn unitary(rows: usize, cols: usize, k: usize) -> DMatrix<C> {
    match cols {
        0 => DMatrix::zeros(rows, 0),
        _ => complex(rows, cols, k).qr().q(),
    }
}
fn orthogonal(rows: usize, cols: usize, k: usize) -> DMatrix<f64> {
    match cols {
        0 => DMatrix::zeros(rows, 0),
        _ => real(rows, cols, k).qr().q(),
    }
}
fn diagonal<T: ComplexField<RealField = f64>>(d: &[f64]) -> DMatrix<T> {
    let each = d.iter().map(|d| T::from_real(*d));
    DMatrix::from_diagonal(&DVector::from_iterator(d.len(), each))
}
fn of_values<T: ComplexField<RealField = f64>>(q: &DMatrix<T>, d: &[f64]) -> DMatrix<T> {
    q * diagonal::<T>(d) * q.adjoint()
}
fn spectra(n: usize) -> Vec<Vec<f64>> {
    let by = |f: &dyn Fn(usize) -> f64| (0..n).map(f).collect::<Vec<_>>();
    let mut all = vec![
        by(&|i| 0.5 + i as f64),
        by(&|i| if i < 2 { 0.7 } else { 2.0 }),
        by(&|_| 1.0),
        by(&|_| 2.5),
    ];
    let mut gaps = vec![1e-9, 1e-1, 1e-3, 1e-6, 1e-12, 1e-15];
    if few_cases() {
        all.truncate(3);
        gaps.truncate(if n > 5 { 0 } else { 1 });
    }
    all.extend(gaps.into_iter().map(|gap| by(&|i| 1.0 + gap * i as f64)));
    all
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
    (*y.get(), tape.gradient(&y).unwrap().wrt(&a).unwrap())
}
#[track_caller]
fn assert_close<T: ComplexField<RealField = f64> + Copy>(
    got: &DMatrix<T>,
    want: &DMatrix<T>,
    within: f64,
) {
    let error = (got - want).norm() / want.norm().max(1.0);
    assert!(error <= within, "{error:e}: {got} instead of {want}");
}
fn lower<T: ComplexField + Copy>(g: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(g.nrows(), g.ncols(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::zero(),
        std::cmp::Ordering::Equal => T::from_real(g[(i, i)].real()),
        std::cmp::Ordering::Greater => g[(i, j)] + g[(j, i)].conjugate(),
    })
}
