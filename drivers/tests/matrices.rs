//! Jacobians as matrices of other crates.
#![cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
use entape_drivers::Jacobian;

const SHAPES: [(usize, usize); 8] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 4),
    (4, 1),
    (2, 3),
    (5, 2),
];
fn entry(i: usize, j: usize) -> f64 {
    (10 * i + j) as f64 + 0.5
}

fn assert_converted<T: From<Jacobian> + for<'a> From<&'a Jacobian>>(
    shape: impl Fn(&T) -> (usize, usize),
    at: impl Fn(&T, usize, usize) -> f64,
) {
    for (rows, columns) in SHAPES {
        let values = (0..rows * columns).map(|k| entry(k / columns, k % columns));
        let j = Jacobian::new(rows, columns, values.collect());
        for matrix in [T::from(&j), T::from(j)] {
            assert_eq!(shape(&matrix), (rows, columns));
            for i in 0..rows {
                for j in 0..columns {
                    assert_eq!(
                        at(&matrix, i, j),
                        entry(i, j),
                        "({i}, {j}) of {rows} x {columns}"
                    );
                }
            }
        }
    }
}

#[cfg(feature = "nalgebra")]
#[test]
fn jacobians_become_matrices_of_nalgebra() {
    use nalgebra::DMatrix;
    assert_converted::<DMatrix<f64>>(DMatrix::shape, |m, i, j| m[(i, j)]);
}

#[cfg(feature = "faer")]
#[test]
fn jacobians_become_matrices_of_faer() {
    assert_converted::<faer::Mat<f64>>(|m| (m.nrows(), m.ncols()), |m, i, j| m[(i, j)]);
}

#[cfg(feature = "ndarray")]
#[test]
fn jacobians_become_arrays_of_ndarray() {
    use ndarray::Array2;
    assert_converted::<Array2<f64>>(Array2::dim, |m, i, j| m[(i, j)]);
    let values = vec![1.0, 2.0, 3.0, 4.0];
    let address = values.as_ptr();
    let matrix: Array2<f64> = Jacobian::new(2, 2, values).into();
    assert_eq!(matrix.as_ptr(), address);
    assert!(matrix.is_standard_layout());
}
