//! Writes to parts of variables whose new value does not depend on inputs.
use entape::{driver, prelude::*, real::ListReductions};
use nalgebra::DMatrix;

type R = Real;
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
        let mut v: Vector = gather(list(x), 2, 1).eval();
        let q = (x[1] * x[1]).eval();
        v[(0, 0)].assign(1.0);
        let p = (v.at((1, 0)) * v.at((0, 0))).eval();
        (p * p + q).eval()
    }),
    ("an element of a passive matrix", |x| {
        let mut v: Matrix = Active::passive(DMatrix::identity(2, 2));
        let q = (x[1] * x[1]).eval();
        v[(0, 1)].assign(x[1]);
        v[(0, 0)].assign(1.0);
        let p = (v.at((0, 1)) * v.at((0, 0))).eval();
        (p * p + q).eval()
    }),
];

#[test]
fn plain_numbers_written_into_parts_have_zero_tangents() -> Result<(), Box<dyn std::error::Error>> {
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
#[test]
fn first_derivatives_follow_writes_to_parts() -> Result<(), Box<dyn std::error::Error>> {
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

#[test]
fn reductions_written_into_parts_have_derivatives() -> Result<(), Box<dyn std::error::Error>> {
    let lists = |x: &[R]| {
        let mut v = x.gather_array().eval();
        v[0].assign((list(x) * x[1]).exp().sum());
        v[2].assign((list(&[1.0, 2.0]) - x[0]).powi(2).sum());
        (v.at(0) * v.at(0) + v.at(2) * v.at(1)).eval()
    };
    let reals = |x: &[R]| {
        let first = ((x[0] * x[1]).exp() + (x[1] * x[1]).exp() + (x[2] * x[1]).exp()).eval();
        let last = ((1.0 - x[0]).powi(2) + (2.0 - x[0]).powi(2)).eval();
        (first * first + last * x[1]).eval()
    };
    let x = [0.4, 0.9, 1.3];
    let (found, expected) = (entape::hessian(lists, &x)?, entape::hessian(reals, &x)?);
    approx::assert_relative_eq!(found.as_slice(), expected.as_slice(), max_relative = 1e-13);
    let (found, expected) = (
        driver::hessian_vector(lists, &x, [0.3, -0.7, 1.1])?,
        driver::hessian_vector(reals, &x, [0.3, -0.7, 1.1])?,
    );
    approx::assert_relative_eq!(found.0[..], expected.0[..], max_relative = 1e-13);
    approx::assert_relative_eq!(found.1[..], expected.1[..], max_relative = 1e-13);
    let jacobian = |f: fn(&[R]) -> R| entape::Objective::recorded(f).sparse_hessian(&x);
    approx::assert_relative_eq!(
        jacobian(lists)?.to_dense().as_slice(),
        jacobian(reals)?.to_dense().as_slice(),
        max_relative = 1e-13
    );
    Ok(())
}
