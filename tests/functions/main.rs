//! `#[entape::function]` in the programs of users.
use entape::{
    Function, check,
    complex::num_complex::{Complex64, c64},
    gradient,
    prelude::*,
};
use nalgebra::{DMatrix, Vector3, dmatrix, dvector};

mod builders;
mod programs;

fn statements<const N: usize, O>(f: impl FnOnce(&[Real]) -> O, x: [f64; N]) -> usize {
    let mut tape = Tape::new();
    let x = tape.inputs(x);
    let before = tape.statistics().statements;
    tape.record(|| f(&x));
    tape.statistics().statements - before
}

fn mixed_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let z = (x[0].to_complex() + x[1] * constant(c64(0.0, 1.0))).eval();
    let w = (z * z + c64(1.0, 2.0)).eval();
    let v: Array<M> = x.gather_array().eval();
    let u = (&v * &v + w.re()).eval();
    let m: Matrix<M> = gather(list(x), 2, 2).eval();
    let p = (&m * m.transpose() + constant(DMatrix::<f64>::identity(2, 2))).eval();
    let b: FixedVector<2, M> = gather(list(&[(x[0] * x[1]).eval(), x[2]]), 2, 1).eval();
    let c = (b * 2.0).eval();
    let s = (p.determinant() + u.sum()).eval();
    (s * w.norm_sqr() + c.dot(b)).eval()
}
#[entape::function]
fn mixed(x: &[Real]) -> Real {
    let z = x[0].to_complex() + x[1] * constant(c64(0.0, 1.0));
    let w = z * z + c64(1.0, 2.0);
    let v: Array = x.gather_array();
    let u = &v * &v + w.re();
    let m: Matrix = gather(list(x), 2, 2);
    let p = &m * m.transpose() + constant(DMatrix::<f64>::identity(2, 2));
    let b: FixedVector<2> = gather(list(&[x[0] * x[1], x[2]]), 2, 1);
    let c = b * 2.0;
    let s = p.determinant() + u.sum();
    s * w.norm_sqr() + c.dot(b)
}

#[test]
fn functions_of_several_kinds_record_the_statements_written_by_hand() {
    let x = [0.3, -0.4, 0.7, 1.1];
    let want = entape::value_and_gradient(mixed_by_hand, &x).expect("a gradient");
    assert_eq!(
        entape::value_and_gradient(mixed, &x).expect("a gradient"),
        want
    );
    assert_eq!(statements(mixed, x), statements(mixed_by_hand, x));
    check::gradient(mixed {}, &x).unwrap();
    check::hessian(mixed {}, &x).unwrap();
}

#[entape::function]
fn quadratic(a: &Matrix, b: &Vector) -> Real {
    let ab = a * b;
    ab.dot(b)
}
#[entape::function]
fn root(z: Complex, shift: Complex64) -> (Complex, Real) {
    let s = z + shift;
    let r = s.sqrt();
    (r * 2.0, r.norm())
}
#[entape::function]
fn smooth(v: &Array) -> Array {
    let n = v.len();
    let d = v.slice(1..) - v.slice(..n - 1);
    &d * &d
}
#[entape::function]
fn moved(at: FixedVector<3>, by: &[Real]) -> FixedVector<3> {
    let by: FixedVector<3> = gather(list(by), 3, 1);
    at + by * 2.0
}
#[test]
fn functions_of_other_kinds_are_values() {
    let (a, b) = (dmatrix![2.0, 1.0; 0.0, 3.0], dvector![1.0, 2.0]);
    assert_eq!(quadratic {}.value((&a, &b)), 16.0);
    let f = |(a, b): (&Matrix, &Vector)| quadratic(a, b);
    let (a_b, b_b) = gradient(f, (a, b)).expect("a gradient");
    assert_eq!(
        (a_b, b_b),
        (dmatrix![1.0, 2.0; 2.0, 4.0], dvector![6.0, 13.0])
    );
    let f = root {
        shift: c64(0.0, -1.0),
    };
    assert_eq!(f.value(c64(4.0, 1.0)), (c64(4.0, 0.0), 2.0));
    assert_eq!(smooth {}.value(vec![1.0, 3.0, 6.0]), [4.0, 9.0]);
    assert_eq!(
        moved {}.value((Vector3::zeros(), &[1.0, 2.0, 3.0])),
        Vector3::new(2.0, 4.0, 6.0)
    );
}

#[test]
fn a_graph_shows_kinds_and_sizes() {
    let mut tape = Tape::new();
    let x = tape.input(0.5);
    let v = tape.input(vec![1.0; 3]);
    let m = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
    tape.record(|| {
        (
            (&v * x).eval(),
            (&m * x).eval(),
            (x * 2.0).eval(),
            x.to_complex().eval(),
        )
    });
    let dot = tape.to_dot();
    for part in [
        "shape=ellipse label=\"f64 1 = Mul(f64, ",
        "shape=box3d label=\"array 1 3 = ",
        "shape=box label=\"matrix 1 (2, 2) = ",
        "shape=diamond label=\"C64 0 = ",
    ] {
        assert!(dot.contains(part), "no {part} in {dot}");
    }
    let summary = tape.summary();
    let of_matrix = summary
        .sources
        .iter()
        .find(|s| s.expression.contains("Dense") && s.expression.contains("Mul"));
    assert!(of_matrix.is_some_and(|s| s.value_bytes >= 32), "{summary}");
}

#[derive(Clone, Copy)]
struct Line<M: Mode> {
    slope: Real<M>,
}
#[entape::function]
impl<M: Mode> Line<M> {
    fn at(&self, x: Real) -> Real {
        self.slope * x
    }
}
#[entape::function]
fn line(slope: Real) -> Line<M> {
    Line { slope }
}
#[entape::function]
fn checked(slope: Real) -> Result<Line<M>, String> {
    Ok(Line { slope })
}
#[entape::function]
fn on_results_of_calls(x: &[Real]) -> Result<Real, String> {
    let y = line(x[0]).at(x[0] * x[1]) + checked(x[1])?.at(x[0] + 1.0);
    Ok(y + constant_vector(x).dot(2.0 * constant_vector(x)))
}
#[entape::function]
fn constant_vector(x: &[Real]) -> FixedVector<2> {
    vector![x[0], 1.0] * vector![3.0, 4.0].norm()
}
#[test]
fn arguments_of_methods_of_results_are_evaluated() {
    let (a, b) = (0.7, -0.4);
    let f = |x: &[Real]| on_results_of_calls(x).expect("a line");
    let (value, gradient) = entape::value_and_gradient(f, &[a, b]).expect("a gradient");
    let want = a * a * b + b * (a + 1.0) + 50.0 * (a * a + 1.0);
    assert!((value - want).abs() < 1e-13 * want);
    let want = [2.0 * a * b + b + 100.0 * a, a * a + a + 1.0];
    assert!((gradient[0] - want[0]).abs() < 1e-13 * want[0]);
    assert!((gradient[1] - want[1]).abs() < 1e-13 * want[1]);
}
