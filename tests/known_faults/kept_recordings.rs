//! Recordings evaluated at another point, after a reset, or twice. Reported for ReverseDiff (#187, #132;
//! LogDensityProblems.jl #36), and by users of CoDiPack and ADOL-C, whose tapes hold the branches of one point.
use crate::near;
use entape::prelude::*;

#[entape::function]
fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
    if x[0] > 1.0 {
        (x[0].powi(3) * x[1]).eval()
    } else {
        (x[0] * x[1] * x[1]).eval()
    }
}
fn derivatives([x, y]: [f64; 2]) -> ([f64; 2], [f64; 4]) {
    if x > 1.0 {
        let mixed = 3.0 * x * x;
        ([mixed * y, x * x * x], [6.0 * x * y, mixed, mixed, 0.0])
    } else {
        ([y * y, 2.0 * x * y], [0.0, 2.0 * y, 2.0 * y, 2.0 * x])
    }
}
const POINTS: [[f64; 2]; 5] = [[0.5, 2.0], [2.0, 3.0], [0.25, -1.0], [3.0, 0.5], [0.5, 2.0]];

#[test]
fn objectives_have_the_derivatives_of_each_point() -> Result<(), Error> {
    let objective = Objective::new(f {});
    let recorded = Objective::recorded(|x: &[Real]| f(x));
    for x in POINTS {
        let (gradient, hessian) = derivatives(x);
        near("the gradient", &objective.gradient(&x)?, &gradient);
        near(
            "the gradient of the closure",
            &recorded.gradient(&x)?,
            &gradient,
        );
        let v = [0.5, -2.0];
        let product = [
            hessian[0] * v[0] + hessian[1] * v[1],
            hessian[2] * v[0] + hessian[3] * v[1],
        ];
        near("the product", &recorded.hessian_vector(&x, &v)?, &product);
        near("the product", &objective.hessian_vector(&x, &v)?, &product);
        near("the Hessian", objective.hessian(&x)?.as_slice(), &hessian);
        near(
            "the Hessian of the closure",
            recorded.hessian(&x)?.as_slice(),
            &hessian,
        );
    }
    Ok(())
}
#[test]
fn objectives_of_one_function_keep_separate_recordings() -> Result<(), Error> {
    let all: Vec<_> = POINTS
        .iter()
        .map(|x| (Objective::new(f {}), Objective::like(f {}, &x[..])))
        .collect();
    for _ in 0..2 {
        for ((first, second), x) in all.iter().zip(POINTS).rev() {
            let (gradient, hessian) = derivatives(x);
            let mut pulled = [0.0; 2];
            first.vjp_into(&x, &[2.0], &mut pulled)?;
            near("backward", &pulled, &gradient.map(|g| 2.0 * g));
            let mut along = [0.0];
            first.jvp_into(&x, &[1.0, 1.0], &mut along)?;
            near("forward", &along, &[gradient[0] + gradient[1]]);
            near(
                "second",
                &second.hessian_vector(&x, &[1.0, 0.0])?,
                &hessian[..2],
            );
        }
    }
    Ok(())
}
#[test]
fn a_reset_tape_rejects_variables_of_the_old_recording() -> Result<(), Error> {
    let mut tape = Tape::new();
    let mut old = None;
    for x in POINTS {
        tape.reset();
        let inputs = tape.inputs(x);
        let y = tape.record(|| f(&inputs));
        for _ in 0..2 {
            near(
                "the gradient",
                &tape.gradient(&y)?.wrt_all(&inputs)?,
                &derivatives(x).0,
            );
        }
        if let Some(old) = old.replace(y) {
            assert!(tape.gradient(&old).is_err());
        }
    }
    Ok(())
}
