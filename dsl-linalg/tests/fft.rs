//! Transforms, compared with products with their dense matrices.
use entape_complex::num_complex::{Complex, c64};
use entape_core::tape::Tape;
use entape_linalg::prelude::*;
use nalgebra::DMatrix;
use std::f64::consts::TAU;

type Plain = DMatrix<Complex<f64>>;

/// Includes more and fewer rows than are copied at a time.
const SHAPES: [(usize, usize); 7] = [(1, 1), (1, 6), (7, 1), (4, 3), (8, 5), (9, 16), (18, 13)];

fn numbers(rows: usize, cols: usize, shift: f64) -> Plain {
    DMatrix::from_fn(rows, cols, |i, j| {
        let angle = 1.7 * i as f64 + 0.9 * j as f64 + shift;
        c64(angle.sin(), (2.3 * angle).cos())
    })
}
/// `F v` has the elements `Σ_j v[j] exp(-2πi jk / n)`.
fn dense(n: usize) -> Plain {
    DMatrix::from_fn(n, n, |j, k| {
        Complex::cis(-TAU * (j * k % n) as f64 / n as f64)
    })
}
fn inverse(n: usize) -> Plain {
    dense(n).adjoint() / c64(n as f64, 0.0)
}
#[track_caller]
fn close(got: &Plain, want: &Plain) {
    assert_eq!(got.shape(), want.shape());
    let error = (got - want).norm();
    assert!(error < 1e-11, "{got} is not {want}");
}
/// A name, a function, and the matrices on the left and on the right.
type Case = (
    &'static str,
    fn(&ComplexMatrix) -> ComplexMatrix,
    fn(usize, usize) -> (Plain, Plain),
);
const COMPLEX: [Case; 6] = [
    (
        "fft_columns",
        |a| a.fft_columns().eval(),
        |m, n| (dense(m), one(n)),
    ),
    (
        "ifft_columns",
        |a| a.ifft_columns().eval(),
        |m, n| (inverse(m), one(n)),
    ),
    (
        "fft_rows",
        |a| a.fft_rows().eval(),
        |m, n| (one(m), dense(n)),
    ),
    (
        "ifft_rows",
        |a| a.ifft_rows().eval(),
        |m, n| (one(m), inverse(n)),
    ),
    ("fft2", |a| a.fft2().eval(), |m, n| (dense(m), dense(n))),
    (
        "ifft2",
        |a| a.ifft2().eval(),
        |m, n| (inverse(m), inverse(n)),
    ),
];
fn one(n: usize) -> Plain {
    DMatrix::identity(n, n)
}

/// `r = L a R`, so `a_b = L' r_b R'`.
#[test]
fn complex_transforms_agree_with_dense_matrices() {
    for (name, transform, matrices) in COMPLEX {
        for (m, n) in SHAPES {
            println!("{name} of {m} x {n}");
            let mut tape = Tape::new();
            let a = tape.input(numbers(m, n, 0.4));
            let (left, right) = matrices(m, n);
            let r = tape.record(|| transform(&a));
            close(r.get(), &(&left * a.get() * &right));
            let r_b = numbers(m, n, 1.2);
            tape.seed(&r, r_b.clone()).unwrap();
            let a_b = tape.sweep().unwrap().wrt(&a).unwrap();
            close(&a_b, &(left.adjoint() * r_b * right.adjoint()));
        }
    }
}
#[test]
fn real_transforms_agree_with_dense_matrices() {
    for (m, n) in SHAPES {
        let mut tape = Tape::new();
        let x = tape.input(numbers(m, n, 0.4).map(|z| z.re));
        let all = x.get().map(Complex::from);
        let (by_columns, by_rows) = tape.record(|| (x.rfft_columns().eval(), x.rfft_rows().eval()));
        let (left, right) = (
            dense(m).rows(0, m / 2 + 1).into_owned(),
            dense(n).columns(0, n / 2 + 1).into_owned(),
        );
        close(by_columns.get(), &(&left * &all));
        close(by_rows.get(), &(&all * &right));
        let back = tape.record(|| {
            let columns = by_columns.irfft_columns(m).eval();
            (columns, by_rows.irfft_rows(n).eval())
        });
        close(&back.0.get().map(Complex::from), &all);
        close(&back.1.get().map(Complex::from), &all);
        // The adjoint of a real argument is a real part.
        let r_b = numbers(m / 2 + 1, n, 1.2);
        tape.seed(&by_columns, r_b.clone()).unwrap();
        let x_b = tape.sweep().unwrap().wrt(&x).unwrap();
        close(&x_b.map(Complex::from), &real_parts(left.adjoint() * r_b));
        let r_b = numbers(m, n / 2 + 1, 1.2);
        tape.seed(&by_rows, r_b.clone()).unwrap();
        let x_b = tape.sweep().unwrap().wrt(&x).unwrap();
        close(&x_b.map(Complex::from), &real_parts(r_b * right.adjoint()));
    }
}
fn real_parts(z: Plain) -> Plain {
    z.map(|z| z.re.into())
}
#[test]
fn inverses_of_half_spectra_are_inverses_of_whole_ones() {
    for n in [1, 2, 5, 8] {
        let half = numbers(n / 2 + 1, 3, 0.1);
        let whole = DMatrix::from_fn(n, 3, |k, l| {
            let alone = k == 0 || 2 * k == n;
            match k <= n / 2 {
                true if alone => half[(k, l)].re.into(),
                true => half[(k, l)],
                false => half[(n - k, l)].conj(),
            }
        });
        let want = inverse(n) * &whole;
        let mut tape = Tape::new();
        let (a, b) = (tape.input(half.clone()), tape.input(half.transpose()));
        let (x, y) = tape.record(|| (a.irfft_columns(n).eval(), b.irfft_rows(n).eval()));
        close(&x.get().map(Complex::from), &want);
        close(&y.get().map(Complex::from), &want.transpose());
    }
}
#[test]
fn a_product_of_spectra_is_a_circular_convolution() {
    let (m, n) = (4, 6);
    let mut tape = Tape::new();
    let (a, b) = (
        tape.input(numbers(m, n, 0.2)),
        tape.input(numbers(m, n, 0.7)),
    );
    let r = tape.record(|| (a.fft2().component_mul(&b.fft2().eval())).ifft2().eval());
    let want = DMatrix::from_fn(m, n, |i, j| {
        let all = (0..m).flat_map(|k| (0..n).map(move |l| (k, l)));
        all.map(|(k, l)| a.get()[(k, l)] * b.get()[((i + m - k) % m, (j + n - l) % n)])
            .sum()
    });
    close(r.get(), &want);
}
