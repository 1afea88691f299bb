//! A chain of two decays with known solution and sensitivities: `y0' = -a y0`, `y1' = a y0 - b y1` from `(c, 0)`.
use entape::{Objective, function, prelude::*};
use entape_adapters::diffsol::{
    OdeFunctions,
    diffsol::{
        AdjointOdeSolverMethod, NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations, OdeSolverMethod,
        OdeSolverState, Op, SensitivitiesOdeSolverMethod, Vector,
    },
};

type Matrix = NalgebraMat<f64>;
type Solver = NalgebraLU<f64>;
const P: [f64; 3] = [1.5, 0.4, 2.0];

#[function]
fn decays<M: Mode>((_t, y, p): (Real<M>, &[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
    let first = (p[0] * y[0]).eval();
    vec![(-first).eval(), (first - p[1] * y[1]).eval()]
}
#[function]
fn start<M: Mode>((_t, p): (Real<M>, &[Real<M>])) -> Vec<Real<M>> {
    vec![p[2], Real::passive(0.0)]
}
#[function]
fn outputs<M: Mode>((t, y, p): (Real<M>, &[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
    vec![(p[1] * y[0] * y[0]).eval(), (y[1] * t).eval()]
}
fn solution<M: Mode>(p: &[Real<M>], t: f64) -> Vec<Real<M>> {
    let [fast, slow] = [p[0], p[1]].map(|rate| (-rate * t).exp().eval());
    let second = p[2] * p[0] / (p[1] - p[0]) * (fast - slow);
    vec![(p[2] * fast).eval(), second.eval()]
}
/// The integrals of the outputs up to `T`.
#[function]
fn integrals<M: Mode>(p: &[Real<M>]) -> Vec<Real<M>> {
    // for exp(-rate t), and for t exp(-rate t)
    let first = |rate: Real<M>| ((1.0 - (-rate * T).exp()) / rate).eval();
    let moment = |rate: Real<M>| ((first(rate) - T * (-rate * T).exp()) / rate).eval();
    let squares = p[1] * p[2] * p[2] * first((2.0 * p[0]).eval());
    let second = p[2] * p[0] / (p[1] - p[0]) * (moment(p[0]) - moment(p[1]));
    vec![squares.eval(), second.eval()]
}
const T: f64 = 2.0;
#[function]
fn at_end<M: Mode>(p: &[Real<M>]) -> Vec<Real<M>> {
    solution(p, T)
}

/// For each step; the global error adds up over some hundred steps.
const STEP: f64 = 1e-9;
const GLOBAL: f64 = 1e3 * STEP;

#[test]
fn forward_sensitivities() -> Result<(), Box<dyn std::error::Error>> {
    let problem = OdeBuilder::<Matrix>::new()
        .p(P)
        .rtol(STEP)
        .atol([STEP])
        .sens_rtol(STEP)
        .sens_atol([STEP])
        .rhs_sens_function(decays {})
        .init_sens_function(start {}, 2)
        .build()?;
    let (y, sensitivities, _) = problem
        .bdf_sens::<Solver>()?
        .solve_dense_sensitivities(&[T])?;
    let known = Objective::new(at_end {});
    let (values, jacobian) = known.values_and_jacobian(&P)?;
    for i in 0..2 {
        assert!(
            (y[(i, 0)] - values[i]).abs() < GLOBAL,
            "{} is not {}",
            y[(i, 0)],
            values[i]
        );
        for (j, by_parameter) in sensitivities.iter().enumerate() {
            let (found, known) = (by_parameter[(i, 0)], jacobian[(i, j)]);
            assert!((found - known).abs() < GLOBAL, "{found} is not {known}");
        }
    }
    Ok(())
}

#[test]
fn gradients_by_adjoints() -> Result<(), Box<dyn std::error::Error>> {
    let problem = OdeBuilder::<Matrix>::new()
        .p(P)
        .rtol(STEP)
        .atol([STEP])
        .sens_rtol(STEP)
        .sens_atol([STEP])
        .out_rtol(STEP)
        .out_atol([STEP])
        .param_rtol(STEP)
        .param_atol([STEP])
        .integrate_out(true)
        .rhs_adjoint_function(decays {})
        .init_adjoint_function(start {}, 2)
        .out_adjoint_function(outputs {}, 2)
        .build()?;
    let mut solver = problem.bdf::<Solver>()?;
    let (checkpoints, _, _, _) = solver.solve_with_checkpointing(T, None)?;
    let known = Objective::new(integrals {});
    let (values, jacobian) = known.values_and_jacobian(&P)?;
    let integrals = solver.state().g.clone_as_vec();
    for (found, known) in integrals.iter().zip(&values) {
        assert!((found - known).abs() < GLOBAL, "{found} is not {known}");
    }
    let adjoint = problem.bdf_solver_adjoint::<Solver, _>(
        checkpoints,
        Some(solver),
        Some(problem.eqn.nout()),
    )?;
    let (state, _) = adjoint.solve_adjoint_backwards_pass(&[], &[])?;
    let gradients = state.into_common().sg.clone_as_vec();
    assert_eq!(gradients.len(), 6);
    for (i, row) in jacobian.iter_rows().enumerate() {
        for (found, known) in gradients[3 * i..].iter().zip(row) {
            assert!(
                (found - known).abs() < GLOBAL,
                "{gradients:?} is not {jacobian:?}"
            );
        }
    }
    Ok(())
}

/// Diffsol detects a sparse pattern from entape's results for NaN directions.
#[test]
fn jacobians_by_colours() -> Result<(), Box<dyn std::error::Error>> {
    #[function]
    fn diffusion<M: Mode>((_t, y, p): (Real<M>, &[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
        let n = y.len();
        let at = |i: Option<usize>| {
            i.and_then(|i| y.get(i).copied())
                .unwrap_or(Real::passive(0.0))
        };
        let change = |i: usize| p[0] * (at(i.checked_sub(1)) - 2.0 * y[i] + at(Some(i + 1)));
        (0..n).map(|i| change(i).eval()).collect()
    }
    /// The lowest mode, which decays with the rate `p (2 - 2 cos(π / (n + 1)))`.
    #[function]
    fn mode<M: Mode>((_t, _p): (Real<M>, &[Real<M>])) -> Vec<Real<M>> {
        let angle = std::f64::consts::PI / 11.0;
        (1..=10)
            .map(|i| Real::passive((angle * f64::from(i)).sin()))
            .collect()
    }
    let problem = OdeBuilder::<Matrix>::new()
        .p([3.0])
        .rtol(STEP)
        .atol([STEP])
        .use_coloring(true)
        .rhs_sens_function(diffusion {})
        .init_sens_function(mode {}, 10)
        .build()?;
    let (y, _) = problem.bdf::<Solver>()?.solve_dense(&[T])?;
    let angle = std::f64::consts::PI / 11.0;
    let decay = (-3.0 * T * (2.0 - 2.0 * angle.cos())).exp();
    for i in 0..10 {
        let known = decay * (angle * (i + 1) as f64).sin();
        assert!(
            (y[(i, 0)] - known).abs() < GLOBAL,
            "{} is not {known}",
            y[(i, 0)]
        );
    }
    // three colours: as many products for each matrix, and not ten
    let statistics = problem.eqn.rhs().statistics();
    let muls =
        statistics.number_of_jac_muls as f64 / statistics.number_of_matrix_evals.max(1) as f64;
    assert!(muls < 10.0, "{statistics:?}");
    Ok(())
}

#[test]
#[should_panic(expected = "the slice for values has length 3: pass one of length 2")]
fn another_number_of_results() {
    let problem = OdeBuilder::<Matrix>::new()
        .p(P)
        .rhs_sens_function(decays {})
        .init_sens_function(start {}, 3)
        .build();
    let _ = problem.map(|problem| problem.bdf::<Solver>().map(drop));
}

/// The right-hand side is a constant infinity or NaN below 1. A run ends with an error, or its solution is not finite.
/// Sensitivities are never finite but wrong.
#[test]
fn a_right_hand_side_that_is_not_finite_gives_no_sensitivities() {
    fn decay<M: Mode>(
        constant: f64,
        (_t, y, p): (Real<M>, &[Real<M>], &[Real<M>]),
    ) -> Vec<Real<M>> {
        match y[0] < 1.0 {
            true => vec![Real::passive(constant)],
            false => vec![(-p[0] * y[0]).eval()],
        }
    }
    #[function]
    fn infinite<M: Mode>(x: (Real<M>, &[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
        decay(f64::NEG_INFINITY, x)
    }
    #[function]
    fn nan<M: Mode>(x: (Real<M>, &[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
        decay(f64::NAN, x)
    }
    #[function]
    fn two<M: Mode>(_: (Real<M>, &[Real<M>])) -> Vec<Real<M>> {
        vec![Real::passive(2.0)]
    }
    macro_rules! ends { ($($f:ident)*) => { $({
        let problem = OdeBuilder::<Matrix>::new()
            .p([1.0])
            .rhs_sens_function($f {})
            .init_sens_function(two {}, 1)
            .build()
            .expect("a problem");
        let implicit = problem.bdf_sens::<Solver>().expect("a solver").solve_dense_sensitivities(&[2.0]);
        assert!(implicit.is_err());
        let explicit = problem.tsit45_sens().expect("a solver").solve_dense_sensitivities(&[2.0]);
        if let Ok((y, sensitivities, _)) = explicit {
            assert!(!y[(0, 0)].is_finite() && !sensitivities[0][(0, 0)].is_finite());
        }
    })* } }
    ends! { infinite nan }
}
