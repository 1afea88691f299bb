//! Writes to parts of variables whose new value depends on no input.
use entape::{driver, prelude::*};
use nalgebra::DMatrix;

type R = Real<Second>;
type Program = fn(&[R]) -> R;

/// Programs that write 1 into the first part and compute `p² + q` with `p = x1` and `q = x1²`.
const PROGRAMS: &[(&str, Program)] = &[
    ("an element of an array", |x| {
        let mut v = x.gather_array().eval();
        let q = (x[1] * x[1]).eval();
        v[0].assign(1.0);
        let p = (v.at(1) * v.at(0)).eval();
        (p * p + q).eval()
    }),
    ("an element of an array that was read before", |x| {
        let mut v = x.gather_array().eval();
        let q = (v.at(1) * v.at(1) + 0.0 * v.at(0)).eval();
        v[0].assign(1.0);
        let p = (v.at(1) * v.at(0)).eval();
        (p * p + q).eval()
    }),
    ("an element of an array, by a function without slope", |x| {
        let mut v = x.gather_array().eval();
        let q = (x[1] * x[1]).eval();
        v[0].assign((x[0] * 0.3).floor());
        let p = (v.at(1) * v.at(0)).eval();
        (p * p + q).eval()
    }),
    ("an element of an array, by a passive variable", |x| {
        let mut v = x.gather_array().eval();
        let q = (x[1] * x[1]).eval();
        v[0].assign(R::passive(0.5) * 2.0);
        let p = (v.at(1) * v.at(0)).eval();
        (p * p + q).eval()
    }),
    ("an element of a vector", |x| {
        let mut v: Vector<Second> = gather(list(x), 2, 1).eval();
        let q = (x[1] * x[1]).eval();
        v[(0, 0)].assign(1.0);
        let p = (v.at((1, 0)) * v.at((0, 0))).eval();
        (p * p + q).eval()
    }),
    ("an element of a passive matrix", |x| {
        let mut v: Matrix<Second> = Active::passive(DMatrix::identity(2, 2));
        let q = (x[1] * x[1]).eval();
        v[(0, 1)].assign(x[1]);
        v[(0, 0)].assign(1.0);
        let p = (v.at((0, 1)) * v.at((0, 0))).eval();
        (p * p + q).eval()
    }),
];

/// A plain number written into a part has a zero tangent in mode `Second`. Earlier statements and sweeps do not change that.
#[test]
fn plain_numbers_are_written_into_parts() -> Result<(), Box<dyn std::error::Error>> {
    let x = [4.0, 5.0];
    for (name, program) in PROGRAMS {
        for _ in 0..3 {
            let hessian = entape::hessian(program, &x)?;
            assert_eq!(hessian.as_slice(), [0.0, 0.0, 0.0, 4.0], "{name}");
            for (direction, product) in [([1.0, 0.0], [0.0, 0.0]), ([0.5, 1.0], [0.0, 4.0])] {
                let (_, along) = driver::hessian_vector(program, &x, direction)?;
                assert_eq!(along, product, "{name}");
            }
            let sparse = entape::Objective::recorded(program).sparse_hessian(&x)?;
            assert_eq!(sparse.to_dense().as_slice(), hessian.as_slice(), "{name}");
        }
    }
    Ok(())
}
/// First derivatives along directions, and Jacobians by columns, of programs with such writes.
#[test]
fn plain_numbers_have_no_tangents() -> Result<(), Box<dyn std::error::Error>> {
    let sums = |x: &[R]| {
        let mut v = x.gather_array().eval();
        let square = (x[1] * x[1]).eval();
        v[0].assign(1.0);
        vec![v.sum().eval(), square]
    };
    let f = entape::Objective::recorded(sums);
    for _ in 0..3 {
        let (mut along, x) = ([0.0; 2], [3.0, 4.0]);
        f.jvp_into(&x, &[1.0, 1.0], &mut along)?;
        assert_eq!(along, [1.0, 8.0]);
        assert_eq!(f.jacobian(&x)?.as_slice(), [0.0, 1.0, 0.0, 8.0]);
        let sparse = f.sparse_jacobian(&x)?.to_dense();
        assert_eq!(sparse.as_slice(), [0.0, 1.0, 0.0, 8.0]);
    }
    Ok(())
}
