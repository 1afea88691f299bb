//! Programs with matrices in forward mode.
use approx::relative_eq;
use entape_check as check;
use entape_core::{
    expr::{Active, constant},
    function,
    mode::{AnyMode, Forward, Plain},
    real::Elementary,
    tape::Tape,
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector};

fn number(i: usize, j: usize) -> f64 {
    let (i, j) = (i as f64, j as f64);
    (1.0 + 0.7 * i + 1.3 * j + 0.05 * i * j).sin()
}
fn matrix(rows: usize, cols: usize, k: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, cols, |i, j| number(i + k, j))
}
fn vector(n: usize, k: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| number(i + k, 3))
}

fn likelihood<M: AnyMode>(
    x: &Matrix<M>,
    y: &Vector<M>,
    s: &Active<f64, M>,
) -> Result<Active<f64, M>, NotPositiveDefinite> {
    let n = x.nrows();
    let noise = constant(DMatrix::<f64>::identity(n, n));
    let mut k = (x.mul_tr(x) + noise * (s * s)).eval();
    k[(0, 0)] += s * 2.0;
    let chol = k.cholesky()?;
    let w = chol.solve(y).eval();
    let mut sum = (y.dot(&w) + chol.ln_determinant()).eval();
    let lu = (&k * 0.5 + x.mul_tr(x)).lu();
    let z = lu.solve(&w).expect("a regular matrix").eval();
    sum += z.norm() + lu.determinant() * 1e-3 + (chol.l() * &z).norm_squared();
    for i in 0..n {
        sum += w[i].sin() * s;
    }
    Ok(sum)
}
type Point = (DMatrix<f64>, DVector<f64>, f64);
fn value((x, y, s): &Point) -> f64 {
    let x = Active::<_, Plain>::passive(x.clone());
    let y = Active::<_, Plain>::passive(y.clone());
    let s = Active::<_, Plain>::passive(*s);
    likelihood(&x, &y, &s).expect("positive definite").value()
}

#[test]
fn tangents_agree_with_sweeps_and_differences() {
    let at: Point = (matrix(4, 3, 0), vector(4, 1), 0.8);
    let along: [Point; 2] = [
        (matrix(4, 3, 5), vector(4, 2), -0.3),
        (matrix(4, 3, 7), vector(4, 9), 1.1),
    ];
    let [first, second] = along.clone();
    let x = Active::with_tangents(at.0.clone(), [first.0, second.0]);
    let y = Active::with_tangents(at.1.clone(), [first.1, second.1]);
    let s = Active::<f64, Forward<2>>::with_tangents(at.2, [first.2, second.2]);
    let forward = likelihood(&x, &y, &s).expect("positive definite");
    assert_eq!(forward.value(), value(&at));

    let mut tape = Tape::new();
    let inputs = (
        tape.input(at.0.clone()),
        tape.input(at.1.clone()),
        tape.input(at.2),
    );
    let r = tape.record(|| likelihood(&inputs.0, &inputs.1, &inputs.2));
    let gradient = tape
        .gradient(&r.expect("positive definite"))
        .expect("a gradient");
    let gradient = (
        gradient.wrt(&inputs.0).expect("an adjoint"),
        gradient.wrt(&inputs.1).expect("an adjoint"),
        gradient.wrt(&inputs.2).expect("an adjoint"),
    );
    for (tangent, (x_t, y_t, s_t)) in forward.tangents().into_iter().zip(&along) {
        let swept = gradient.0.dot(x_t) + gradient.1.dot(y_t) + gradient.2 * s_t;
        assert!(
            relative_eq!(tangent, swept, epsilon = 0.0, max_relative = 1e-12),
            "{tangent} in forward mode, {swept} by a sweep"
        );
        let h = 1e-4;
        let moved = |h: f64| value(&(&at.0 + x_t * h, &at.1 + y_t * h, at.2 + s_t * h));
        // Fourth order.
        let slope = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
        assert!(
            relative_eq!(tangent, slope, epsilon = 1e-8, max_relative = 1e-8),
            "{tangent} in forward mode, {slope} by differences"
        );
    }
}

#[test]
fn passive_matrices_have_zero_tangents() {
    let x = Active::<Dense<f64, nalgebra::Dyn, nalgebra::Dyn>, Forward>::passive(matrix(3, 2, 0));
    let y = Active::with_tangent(vector(3, 1), vector(3, 4));
    let s = Active::<f64, Forward>::passive(0.7);
    let r = likelihood(&x, &y, &s).expect("positive definite");
    // Here the likelihood is a function of y alone.
    let of = |h: f64| value(&(matrix(3, 2, 0), vector(3, 1) + vector(3, 4) * h, 0.7));
    let slope = (of(1e-5) - of(-1e-5)) / 2e-5;
    assert!((r.tangent() - slope).abs() < 1e-7 * slope.abs().max(1.0));
    let none = x.tr_mul(&x).sum().eval();
    assert_eq!(none.tangent(), 0.0);
}

fn from_numbers<M: AnyMode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let a = constant(matrix(3, 2, 0));
    let b = || constant(matrix(3, 3, 1)) + constant(DMatrix::identity(3, 3) * 4.0);
    let mut y = a.add_scalar(&x[0] * &x[1]).spectral_norm().eval();
    y += b()
        .add_scalar((&x[2]).sin())
        .component_mul(b() * &x[0])
        .trace();
    y += (b().add_scalar(&x[1]) * b().add_scalar(&x[2])).norm_squared();
    (&y * &y).eval()
}
#[test]
fn matrices_from_numbers_have_second_derivatives() {
    #[function]
    fn f<M: AnyMode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        from_numbers(x)
    }
    check::assert_hessian(f {}, &[0.7, -0.4, 1.3]);
}
