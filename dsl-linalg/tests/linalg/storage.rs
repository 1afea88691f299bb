use crate::{matrix, regular, vector};
use entape_core::{expr::constant, mode::Reuse, tape::Tape};
use entape_linalg::*;
use nalgebra::{DMatrix, Matrix2, dmatrix};

#[test]
fn adjoints_do_not_depend_on_the_order_of_outer_products() {
    // Two flushes, a remainder, other contributions in between.
    let (a, n) = (matrix(20, 18, 0) * 0.1, 140);
    let vectors: Vec<_> = (0..n).map(|k| vector(18, k)).collect();
    let mut tape = Tape::new();
    let m = tape.input(a.clone());
    let y = tape.record(|| {
        let mut sum = tape_zero();
        for v in &vectors {
            sum += (&m * constant(v.clone())).norm_squared();
            sum += m.norm_squared() * 0.01;
        }
        sum
    });
    let mut want = &a * (0.02 * n as f64);
    for v in &vectors {
        want += (&a * v) * v.transpose() * 2.0;
    }
    for _ in 0..2 {
        let got = tape.gradient(&y).unwrap().wrt(&m).unwrap();
        assert!((&got - &want).amax() < 1e-12 * want.amax());
    }
}
fn tape_zero() -> entape_core::expr::Active<f64> {
    entape_core::expr::Active::passive(0.0)
}

#[test]
fn a_factorization_outlives_its_matrix() {
    let mut tape = Tape::new();
    let (a, b) = (tape.input(regular(4, 0)), tape.input(vector(4, 1)));
    let (x, y) = tape.record(|| {
        let mut m = a.clone();
        let lu = m.lu();
        let x = lu.solve(&b).unwrap().sum().eval();
        m *= 2.0;
        m[(0, 0)].assign(0.0);
        (x, lu.solve(&b).unwrap().sum().eval())
    });
    assert_eq!(x.value(), y.value());
    let first = tape.gradient(&x).unwrap().wrt_all([&a]).unwrap();
    let second = tape.gradient(&y).unwrap().wrt_all([&a]).unwrap();
    assert_eq!(first, second);
}

#[test]
fn all_modes_agree() {
    fn program<M: entape_core::mode::AnyMode>(
        a: &Matrix<M>,
        b: &Matrix<M>,
    ) -> entape_core::expr::Active<f64, M> {
        let mut m = (a * b).eval();
        m += a.transpose() * 0.5;
        m.update(|m| m.clone() * m);
        m.column_mut(1).assign(a.column(0));
        (m.qr().solve(b).unwrap().norm_squared() + m.trace()).eval()
    }
    let (a, b) = (regular(5, 0), matrix(5, 5, 1));
    let plain = program::<entape_core::mode::Plain>(
        &Matrix::passive(a.clone()),
        &Matrix::passive(b.clone()),
    );
    let gradient = |chunk: usize| {
        let mut tape: Tape = Tape::builder().chunk_bytes(chunk).build().unwrap();
        let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
        let f = tape.record(|| program(&x, &y));
        assert_eq!(f.value(), plain.value());
        tape.gradient(&f).unwrap().wrt_all([&x, &y]).unwrap()
    };
    let taped = gradient(1 << 20);
    assert_eq!(gradient(64), taped);
    let mut tape = Tape::<Reuse>::default();
    let (x, y) = (tape.input(a.clone()), tape.input(b.clone()));
    let f = tape.record(|| program(&x, &y));
    assert_eq!(f.get(), plain.get());
    assert_eq!(tape.gradient(&f).unwrap().wrt_all([&x, &y]).unwrap(), taped);
}

#[test]
fn failures_of_data_are_results() {
    let mut tape = Tape::new();
    let zero = tape.input(DMatrix::<f64>::zeros(3, 3));
    let negative = tape.input(dmatrix![-1.0, 0.0; 0.0, 1.0]);
    tape.record(|| {
        assert_eq!(zero.try_inverse().unwrap_err(), Singular);
        assert!(!zero.lu().is_invertible());
        assert_eq!(zero.qr().solve(&zero).err(), Some(Singular));
        assert_eq!(zero.solve_lower_triangular(&zero).err(), Some(Singular));
        assert_eq!(negative.cholesky().err(), Some(NotPositiveDefinite));
    });
    let large = tape.input(-DMatrix::<f64>::identity(40, 40));
    tape.record(|| assert_eq!(large.cholesky().err(), Some(NotPositiveDefinite)));
}

#[test]
fn values_that_are_not_finite_are_located() {
    let mut tape = Tape::new();
    let a = tape.input(Matrix2::new(1.0, 2.0, 3.0, 4.0));
    let y = tape.record(|| {
        let b = (a / 0.0).eval();
        (b * a).eval()
    });
    assert!(y.get().iter().all(|x: &f64| x.is_infinite()));
    assert_eq!(tape.find_non_finite().unwrap().index, 1);
}

#[test]
fn an_element_of_a_fixed_matrix_is_saved_by_itself_if_identifiers_are_reused() {
    let start = nalgebra::Matrix6::from_fn(|i, j| (i + 2 * j) as f64 / 10.0);
    let mut tape = Tape::<Reuse>::default();
    let (m, x) = (tape.input(start), tape.input(0.5));
    let statements = 100;
    let y = tape.record(|| {
        let mut m = (&m * &m).eval();
        for k in 0..statements {
            m[(k % 6, k / 6 % 6)] *= &x;
        }
        m.norm_squared().eval()
    });
    let bytes = tape.statistics().bytes();
    // Whole matrices take 288 bytes each.
    assert!(bytes < 100 * statements, "{bytes} bytes");
    let f = |a: &nalgebra::Matrix6<f64>, x: f64| {
        let mut m = a * a;
        for k in 0..statements {
            m[(k % 6, k / 6 % 6)] *= x;
        }
        m.norm_squared()
    };
    assert!((y.value() / f(&start, 0.5) - 1.0).abs() < 1e-14);
    let gradient = tape.gradient(&y).unwrap();
    let h = 1e-6;
    let x_b = (f(&start, 0.5 + h) - f(&start, 0.5 - h)) / (2.0 * h);
    assert!((gradient.wrt(&x).unwrap() - x_b).abs() < 1e-7 * x_b.abs().max(1.0));
    let m_b = gradient.wrt(&m).unwrap();
    for i in 0..36 {
        let (mut up, mut down) = (start, start);
        up[i] += h;
        down[i] -= h;
        let expected = (f(&up, 0.5) - f(&down, 0.5)) / (2.0 * h);
        assert!((m_b[i] - expected).abs() < 1e-6 * m_b.amax());
    }
}
