use crate::{matrix, regular, vector};
use approx::{
    RelativeEq, abs_diff_eq, abs_diff_ne, assert_abs_diff_eq, assert_relative_eq, assert_ulps_eq,
    relative_eq, relative_ne, ulps_eq,
};
use entape_core::{mode::Plain, tape::Tape};
use entape_linalg::*;
use nalgebra::{DMatrix, matrix};

type PlainMatrix = Matrix<Plain>;

#[test]
fn matrices_are_close_if_each_entry_is() {
    let (a, b) = (matrix(3, 2, 0), matrix(3, 2, 0) * (1.0 + 1e-12));
    let (x, y) = (
        PlainMatrix::passive(a.clone()),
        PlainMatrix::passive(b.clone()),
    );
    assert_relative_eq!(x, y, max_relative = 1e-11);
    assert_relative_eq!(x, b, max_relative = 1e-11);
    assert_abs_diff_eq!(&x - &x, DMatrix::zeros(3, 2));
    assert!(relative_ne!(x, y) && relative_ne!(x, y, max_relative = 1e-13));
    for at in 0..6 {
        let mut other = a.clone();
        other[at] += 0.5;
        let other = PlainMatrix::passive(other);
        assert!(abs_diff_ne!(x, other, epsilon = 0.49));
        assert!(abs_diff_eq!(x, other, epsilon = 0.51));
        assert_nan_differs(&x, at);
    }
}
fn assert_nan_differs(x: &PlainMatrix, at: usize) {
    let mut nan = x.get().clone();
    nan[at] = f64::NAN;
    let nan = PlainMatrix::passive(nan);
    assert!(abs_diff_ne!(nan, nan, epsilon = f64::INFINITY));
    assert!(relative_ne!(nan, *x, epsilon = f64::INFINITY));
}

#[test]
fn matrices_of_different_shapes_are_not_close() {
    let zeros = |(rows, columns)| PlainMatrix::passive(DMatrix::zeros(rows, columns));
    let shapes = [(0, 0), (0, 3), (3, 0), (1, 6), (2, 3), (3, 2), (6, 1)];
    for a in shapes {
        for b in shapes {
            let (x, y) = (zeros(a), zeros(b));
            assert_eq!(abs_diff_eq!(x, y, epsilon = 1.0), a == b, "{a:?} {b:?}");
            assert_eq!(relative_eq!(x, y), a == b, "{a:?} {b:?}");
            assert_eq!(ulps_eq!(x, &y * 1.0), a == b, "{a:?} {b:?}");
        }
    }
}

#[test]
fn expressions_and_parts_are_compared_without_statements() {
    let mut tape = Tape::new();
    let (a, v) = (tape.input(regular(3, 0)), tape.input(vector(3, 1)));
    let before = tape.statistics().statements;
    tape.record(|| {
        assert_relative_eq!((&a + &a) * &v, &a * &v * 2.0, max_relative = 1e-14);
        assert_relative_eq!(v.norm() * v.norm(), v.norm_squared(), max_relative = 1e-15);
        assert_ulps_eq!(a.transpose().transpose(), a);
        assert_abs_diff_eq!(a[(2, 1)], regular(3, 0)[(2, 1)]);
        assert_abs_diff_eq!(v[1], &v[1] * 1.0 + 1e-9, epsilon = 1e-8);
        assert!(relative_ne!(a[(0, 1)], a[(1, 0)]));
    });
    assert_eq!(tape.statistics().statements, before);
}

#[test]
fn tolerances_of_fixed_sizes_depend_on_the_precision() {
    type Fixed<T> = FixedMatrix<2, 2, Plain, T>;
    let x = Fixed::<f64>::passive(matrix![1.0, 2.0; 3.0, 4.0]);
    assert_relative_eq!(x * 3.0 / 3.0, x);
    assert!(relative_ne!(x, Fixed::passive(x.get().transpose())));
    let single = |last| Fixed::<f32>::passive(matrix![1.0, 2.0; 3.0, last]);
    let default = <Fixed<f32> as RelativeEq>::default_max_relative();
    assert_eq!(default, f64::from(f32::EPSILON));
    assert_relative_eq!(single(4.0), single(4.0 + 2.0 * f32::EPSILON));
    assert!(relative_ne!(single(4.0), single(4.0 + 8.0 * f32::EPSILON)));
}
