//! Parameters in nested structs, and functions that fail.
use entape::{Structure, Vars, prelude::*};
use entape_adapters::{
    argmin::{
        Problem,
        argmin::{
            core::{CostFunction, Executor, Gradient, State},
            solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS},
        },
    },
    levenberg_marquardt,
};

#[derive(Clone, Debug, PartialEq, Structure)]
struct Layer {
    /// One row for each output.
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}
#[derive(Clone, Debug, PartialEq, Structure)]
struct Network {
    layers: [Layer; 3],
    scale: f64,
    name: String,
}
impl Network {
    fn new(widths: [usize; 4]) -> Self {
        let mut number = 0.0_f64;
        let mut next = || {
            number += 1.0;
            (2.4 * number).sin()
        };
        let mut layer = |inputs: usize, outputs: usize| Layer {
            weights: (0..outputs)
                .map(|_| (0..inputs).map(|_| next()).collect())
                .collect(),
            biases: vec![0.0; outputs],
        };
        let [a, b, c, d] = widths;
        Network {
            layers: [layer(a, b), layer(b, c), layer(c, d)],
            scale: 1.0,
            name: "xor".into(),
        }
    }
}
/// Exclusive or of two signs.
const TABLE: [([f64; 2], f64); 4] = [
    ([-1.0, -1.0], -0.8),
    ([-1.0, 1.0], 0.8),
    ([1.0, -1.0], 0.8),
    ([1.0, 1.0], -0.8),
];
#[entape::function]
fn respond(network: &Vars<Network>, x: [f64; 2]) -> Real {
    let mut h: Vec<Real> = x.iter().map(|x| Real::passive(*x)).collect();
    for layer in &network.layers {
        let rows = layer.weights.iter().zip(&layer.biases);
        h = rows
            .map(|(row, bias)| {
                let sum: Real = row.iter().zip(&h).map(|(w, h)| w * h).sum();
                (sum + bias).tanh().eval()
            })
            .collect();
    }
    network.scale * h[0]
}
#[entape::function]
fn misfit(network: &Vars<Network>) -> Real {
    let mut sum = Real::passive(0.0);
    for (x, y) in TABLE {
        let difference = respond(network, x) - y;
        sum += difference * difference;
    }
    sum
}
#[entape::function]
fn residuals(network: &Vars<Network>) -> Vec<Real> {
    TABLE
        .iter()
        .map(|(x, y)| (respond(network, *x) - *y).eval())
        .collect()
}

#[test]
fn argmin_trains_a_network() -> Result<(), Box<dyn std::error::Error>> {
    let start = Network::new([2, 3, 3, 1]);
    let f = Objective::like(misfit {}, &start);
    let x = f.coordinates(&start);
    assert!(f.value(&x) > 1.0);
    let problem = Problem::from(f);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let result = Executor::new(problem.clone(), solver)
        .configure(|state| state.param(x).max_iters(200))
        .run()?;
    let best = result.state().get_best_param().expect("parameters");
    let trained: Network = problem.objective().inputs(best);
    assert_eq!(
        (trained.layers[1].weights.len(), &*trained.name),
        (3, "xor")
    );
    for (x, y) in TABLE {
        let response = entape::value_and_gradient(|n: &Vars<Network>| respond(n, x), &trained)?.0;
        assert!((response - y).abs() < 1e-3, "{response} instead of {y}");
    }
    Ok(())
}
#[test]
fn levenberg_marquardt_trains_a_network() {
    use levenberg_marquardt::levenberg_marquardt::LevenbergMarquardt;

    let start = Network::new([2, 3, 3, 1]);
    let f = Objective::like(residuals {}, &start);
    let x = f.coordinates(&start);
    let problem = levenberg_marquardt::Problem::of(f, x);
    let (problem, report) = LevenbergMarquardt::new().minimize(problem);
    assert!(report.termination.was_successful(), "{report:?}");
    assert!(report.objective_function < 1e-12, "{report:?}");
    let trained: Network = problem.objective().inputs(problem.parameters());
    assert_eq!(trained.layers[0].biases.len(), 3);
}

#[derive(Debug, PartialEq)]
struct OutOfRange(f64);
impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is out of range", self.0)
    }
}
impl std::error::Error for OutOfRange {}
#[entape::function]
fn in_range(x: &[Real]) -> Result<Real, OutOfRange> {
    if x[0] > 10.0 {
        return Err(OutOfRange(x[0].value()));
    }
    Ok(x[0] * x[0])
}
#[test]
fn an_error_of_the_function_is_an_error_of_the_solver() {
    let problem = Problem::new(in_range {});
    assert_eq!(problem.cost(&vec![3.0]).expect("in range"), 9.0);
    for error in [
        problem.cost(&vec![11.0]).expect_err("out of range"),
        problem.gradient(&vec![11.0]).expect_err("out of range"),
    ] {
        let Some(Error::Function(failure)) = error.downcast_ref::<Error>() else {
            panic!("{error}")
        };
        let own = failure.get().downcast_ref::<OutOfRange>();
        assert_eq!(own, Some(&OutOfRange(11.0)));
    }
}
