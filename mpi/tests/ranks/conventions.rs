//! Values that all ranks have, drivers, ties, and passive ranks.
use crate::{
    Test,
    checks::assert_close,
    steps::{Random, Real},
};
use entape_adapters::argmin::{
    Problem,
    argmin::{
        core::{Executor, State},
        solver::{
            linesearch::MoreThuenteLineSearch,
            newton::Newton,
            quasinewton::LBFGS,
            trustregion::{Steihaug, TrustRegion},
        },
    },
    nalgebra::DVector,
};
use entape_core::{
    expr::Active,
    mode::{Mode, Taped},
    real::Elementary,
    tape::{Error, Tape},
};
use entape_drivers::{Function, ListShape, Objective, SingleShape, gradient, hessian_vector};
use entape_methods::checkpoint::{Cost, Steps};
use entape_mpi::{Communicator, Operation, product};

pub fn tests() -> Vec<Test> {
    vec![
        ("once", once),
        ("disagreement", disagreement),
        ("ties", ties),
        ("passive_ranks", passive_ranks),
        ("one_sided_seeds", one_sided_seeds),
        ("split", split),
        ("ordered_sum", ordered_sum),
        ("objective", objective),
        ("solvers", solvers),
        ("checkpoints", checkpoints),
        ("vjp", vjp),
    ]
}

fn once(ranks: &Communicator) {
    let (rank, size) = (ranks.rank(), ranks.size());
    let x = 1.0 + rank as f64;
    let total = (size * (size + 1)) as f64 / 2.0;
    let of = |f: &dyn Fn(Active<f64>) -> Active<f64>| gradient(f, x).expect("a gradient");
    // The objective is the square of the sum.
    let square = |y: Active<f64>| (y * y).eval();
    let sum = |x: Active<f64>| square(ranks.once().all_reduce(&x, Operation::Sum).eval());
    assert_eq!(of(&sum), 2.0 * total);
    let sum = |x: Active<f64>| square(ranks.all_reduce(&x, Operation::Sum).eval());
    assert_eq!(of(&sum), 2.0 * total * size as f64);
    // The objective is the sum of different terms.
    let terms = |x: Active<f64>| {
        let sum = ranks.all_reduce(&x, Operation::Sum).eval();
        (sum * sum * (1.0 + rank as f64)).eval()
    };
    assert_eq!(of(&terms), 2.0 * total * total);
    let greatest = |x: Active<f64>| square(ranks.once().all_reduce(&x, Operation::Max).eval());
    let last = rank + 1 == size;
    assert_eq!(of(&greatest), if last { 2.0 * size as f64 } else { 0.0 });
    let root = size - 1;
    let copy = |x: Active<f64>| square(ranks.once().broadcast(root, &x).eval());
    assert_eq!(of(&copy), if last { 2.0 * size as f64 } else { 0.0 });
    let copy = |x: Active<f64>| square(ranks.broadcast(root, &x).eval());
    assert_eq!(
        of(&copy),
        if last {
            2.0 * (size * size) as f64
        } else {
            0.0
        }
    );
    let all = |x: Active<f64>| {
        let all = ranks.once().all_gather(&x).start().wait();
        all.iter().map(|x| (*x * *x * *x).eval()).sum()
    };
    assert_eq!(of(&all), 3.0 * x * x);
    let all = |x: Active<f64>| ranks.once().all_reduce_with(&x, product::<f64, _>);
    let factorial = (1..=size).product::<usize>() as f64;
    assert_eq!(of(&all), factorial / x);
    // Each rank makes another term of a parameter.
    let f = |p: Active<f64>| {
        let p = ranks.fan_out(&p).eval();
        ranks
            .once()
            .all_reduce(&(p * p * x).eval(), Operation::Sum)
            .eval()
    };
    assert_eq!(gradient(f, 3.0).expect("a gradient"), 6.0 * total);
    let (_, second) = hessian_vector(f, 3.0, 1.0).expect("a Hessian");
    assert_eq!(second, 2.0 * total);
}
fn disagreement(ranks: &Communicator) {
    let mut tape = Tape::new();
    let x = tape.input(1.0);
    let y = tape.record(|| ranks.once().all_reduce(&x, Operation::Sum).eval());
    tape.seed(&y, 1.0 + ranks.rank() as f64).expect("an output");
    match tape.sweep().map(|_| ()) {
        Err(Error::External(failure)) if ranks.size() > 1 => {
            assert!(failure.reason.contains("differ between ranks"), "{failure}");
            assert!(failure.location.file().ends_with("conventions.rs"));
        }
        Ok(()) if ranks.size() == 1 => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(tape.gradient(&y).expect("a sweep").wrt(&x), Ok(1.0));
}
fn ties(ranks: &Communicator) {
    let first = if ranks.rank() == 0 { 1.0 } else { 0.0 };
    for operation in [Operation::Min, Operation::Max] {
        let f = |x: Active<f64>| ranks.once().all_reduce(&x, operation).eval();
        assert_eq!(gradient(f, 2.0).expect("a gradient"), first);
        assert_eq!(gradient(f, 0.0 * (first - 0.5)).expect("a gradient"), first);
        let f = |x: Active<f64>| {
            ranks
                .all_reduce(&ranks.scan(&x, operation).eval(), Operation::Sum)
                .eval()
        };
        let size = ranks.size() as f64;
        assert_eq!(gradient(f, 2.0).expect("a gradient"), first * size * size);
    }
    let least = |x: f64| {
        let x = Active::<f64>::passive(x);
        ranks.all_reduce(&x, Operation::Min).eval().value()
    };
    let rank = ranks.rank();
    assert_eq!(
        least(if rank == 0 {
            f64::MIN
        } else {
            f64::NEG_INFINITY
        }),
        if ranks.size() == 1 {
            f64::MIN
        } else {
            f64::NEG_INFINITY
        }
    );
    assert!(
        least(if rank == 0 {
            f64::NAN
        } else {
            f64::NEG_INFINITY
        })
        .is_nan()
    );
    assert_eq!(least(f64::INFINITY), f64::INFINITY);
    let y = ranks
        .all_reduce(&Active::<f64>::passive(-0.0), Operation::Sum)
        .eval();
    assert_eq!(y.value(), 0.0);
}
fn passive_ranks(ranks: &Communicator) {
    let mut tape = Tape::new();
    let x = tape.input(4.0);
    let only = ranks.size() - 1;
    let y = tape.record(|| {
        let part = match ranks.rank() == only {
            true => (x * x).eval(),
            false => Active::passive(1.0),
        };
        ranks.once().all_reduce(&part, Operation::Sum).eval()
    });
    assert!(y.is_active());
    let slope = tape
        .gradient(&y)
        .expect("a sweep")
        .wrt(&x)
        .expect("an input");
    assert_eq!(slope, if ranks.rank() == only { 8.0 } else { 0.0 });
    // The infinite slope at zero is unused.
    let f = |x: Active<f64>| {
        let root = x.sqrt().eval();
        let roots = ranks.all_gather(&root).eval();
        assert_eq!(roots.len(), ranks.size());
        (x * 3.0).eval()
    };
    assert_eq!(gradient(f, 0.0).expect("a gradient"), 3.0);
}
fn one_sided_seeds(ranks: &Communicator) {
    let mut tape = Tape::new();
    let x = tape.input(2.0 + ranks.rank() as f64);
    let sum = tape.record(|| {
        let squares = ranks.gather(0, &(x * x).eval()).eval();
        squares.into_iter().reduce(|a, b| (a * b).eval())
    });
    assert_eq!(sum.is_some(), ranks.rank() == 0);
    for _ in 0..2 {
        if let Some(sum) = &sum {
            tape.seed(sum, 1.0).expect("an output");
        }
        let slope = tape.sweep().expect("a sweep").wrt(&x).expect("an input");
        let product: f64 = (0..ranks.size())
            .map(|rank| (2.0 + rank as f64).powi(2))
            .product();
        assert_close("a slope", &[slope], &[2.0 * product / x.value()]);
    }
}
fn split(ranks: &Communicator) {
    let half = ranks.split(ranks.rank() % 2, -(ranks.rank() as i32));
    let others = (0..ranks.size())
        .filter(|rank| rank % 2 == ranks.rank() % 2)
        .count();
    assert_eq!(half.size(), others);
    assert_eq!(half.rank(), others - 1 - ranks.rank() / 2);
    let f = |x: Active<f64>| {
        half.once()
            .all_reduce(&(x * x).eval(), Operation::Sum)
            .eval()
    };
    assert_eq!(gradient(f, 3.0).expect("a gradient"), 6.0);
}
fn ordered_sum(ranks: &Communicator) {
    let alone = ranks.split(ranks.rank(), 0);
    let x = Random(5).numbers(4);
    let term = |x: &[Real<Taped>], i: usize| {
        let t = 0.1 + i as f64;
        ((x[0] * t).sin() * x[1] + (x[2] * t).cos() * x[3]).eval()
    };
    for (terms, block) in [(0, 3), (1, 3), (100, 7), (1000, 64)] {
        let all = ranks.ordered_sum(terms, block, term, &x).expect("a sum");
        let one = alone.ordered_sum(terms, block, term, &x).expect("a sum");
        assert_eq!(all, one);
        let direct = |x: &[Real<Taped>]| -> Real<Taped> { (0..terms).map(|i| term(x, i)).sum() };
        let (value, slopes) = entape_drivers::value_and_gradient(direct, &x).expect("a gradient");
        assert_close("a sum", &[all.0], &[value]);
        assert_close("its gradient", &all.1, &slopes);
    }
}

struct Misfit<'a> {
    ranks: &'a Communicator,
    data: Vec<(f64, f64)>,
}
impl Function for Misfit<'_> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    fn call<M: Mode>(&self, p: &[Real<M>]) -> Real<M> {
        let p = self.ranks.fan_out(p).eval();
        let mut sum: Real<M> = Real::passive(0.0);
        for &(t, y) in &self.data {
            let misfit = (p[0] + p[1] * t - y).eval();
            sum = (sum + misfit * misfit).eval();
        }
        self.ranks.once().all_reduce(&sum, Operation::Sum).eval()
    }
}
fn objective(ranks: &Communicator) {
    let points = 12;
    let line = |i: usize| (i as f64 / 4.0, 1.0 - 2.0 * i as f64 / 4.0);
    let size = ranks.size();
    let mine = points * ranks.rank() / size..points * (ranks.rank() + 1) / size;
    let data = mine.map(line).collect();
    let f = Objective::new(Misfit { ranks, data });
    let mut p = vec![0.0, 0.0];
    let mut last = f64::INFINITY;
    for _ in 0..2 {
        let (value, g) = f.value_and_gradient(&p).expect("a gradient");
        assert!(value <= last);
        last = value;
        let h = [[1.0, 0.0], [0.0, 1.0]].map(|v| f.hessian_vector(&p, &v).expect("a Hessian"));
        let det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
        p[0] -= (h[1][1] * g[0] - h[0][1] * g[1]) / det;
        p[1] -= (h[0][0] * g[1] - h[1][0] * g[0]) / det;
    }
    assert_close("the line", &p, &[1.0, -2.0]);
    assert!(f.value(&p) < 1e-20);
    let h = f.hessian(&p).expect("a Hessian");
    let column = f.hessian_vector(&p, &[1.0, 0.0]).expect("a Hessian");
    assert_close("a column", &[h.row(0)[0], h.row(1)[0]], &column);
}

/// All ranks compute equal steps of quasi-Newton, Newton's and a trust-region method.
fn solvers(ranks: &Communicator) {
    let misfit = || {
        let times = (0..5).map(|i| (i * ranks.size() + ranks.rank()) as f64 / 10.0);
        let data = times.map(|t| (t, 3.0 * (-0.7 * t).exp())).collect();
        Objective::new(Decay { ranks, data })
    };
    let start = vec![1.0, 0.0];
    let first = misfit().value(&start);
    let line_search = MoreThuenteLineSearch::new();
    let lbfgs = LBFGS::new(line_search, 5).with_tolerance_grad(1e-10);
    let found = Executor::new(Problem::from(misfit()), lbfgs.expect("a tolerance"))
        .configure(|state| state.param(start.clone()).max_iters(60))
        .run()
        .expect("a minimum");
    let quasi_newton = found.state().get_best_param().expect("a step").clone();
    let found = Executor::new(
        Problem::from(misfit()).matrix_free(),
        TrustRegion::new(Steihaug::new()),
    )
    .configure(|state| state.param(start.clone()).max_iters(60))
    .run()
    .expect("a minimum");
    let trust_region = found.state().get_best_param().expect("a step").clone();
    let newton = Newton::<f64>::new();
    let near = DVector::from_vec(vec![2.9, -0.65]);
    let found = Executor::new(Problem::from(misfit()).with_parameter(), newton)
        .configure(|state| state.param(near).max_iters(20))
        .run()
        .expect("a minimum");
    let by_newton = found
        .state()
        .get_best_param()
        .expect("a step")
        .as_slice()
        .to_vec();
    for found in [quasi_newton, trust_region, by_newton] {
        assert!(misfit().value(&found) < 1e-12 * first);
        assert!((found[0] - 3.0).abs() < 1e-5 && (found[1] + 0.7).abs() < 1e-5);
        let mine: Vec<Real<Taped>> = found.iter().map(|&x| Real::passive(x)).collect();
        for of_rank in ranks.all_gather(&mine).eval() {
            for (x, y) in of_rank.iter().zip(&found) {
                assert_eq!(x.value().to_bits(), y.to_bits());
            }
        }
    }
}
struct Decay<'a> {
    ranks: &'a Communicator,
    data: Vec<(f64, f64)>,
}
impl Function for Decay<'_> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, p: &[Real<M>]) -> Real<M> {
        let p = self.ranks.fan_out(p).eval();
        let mut sum: Real<M> = Real::passive(0.0);
        for &(t, y) in &self.data {
            let misfit = (p[0] * (p[1] * t).exp() - y).eval();
            sum = (sum + misfit * misfit).eval();
        }
        self.ranks.once().all_reduce(&sum, Operation::Sum).eval()
    }
}

/// Diffusion on a ring that is divided among ranks: one cell for each rank.
struct Diffusion<'a>(&'a Communicator);
impl Steps for Diffusion<'_> {
    type State = SingleShape<f64>;
    type Parameters = SingleShape<f64>;
    type Output<M: Mode> = Real<M>;
    fn step<M: Mode>(&self, number: usize, x: Real<M>, rate: Real<M>) -> Real<M> {
        let (rank, size) = (self.0.rank(), self.0.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let before = self.0.send_receive(to, &x, from, 0.0, 0).eval();
        let rate = self.0.fan_out(&rate).eval();
        (x + rate * (before - x) * (1.0 + 0.1 * number as f64) + 0.01 * x * x).eval()
    }
}
impl Cost for Diffusion<'_> {
    fn cost<M: Mode>(&self, x: Real<M>, _: Real<M>) -> Real<M> {
        let part = match self.0.rank() {
            0 => (x * x).eval(),
            _ => Real::passive(0.0),
        };
        self.0.once().all_reduce(&part, Operation::Sum).eval()
    }
}
fn checkpoints(ranks: &Communicator) {
    let steps = 20;
    let program = Diffusion(ranks);
    let whole = |(x, rate): (Real<Taped>, Real<Taped>)| {
        let x = (0..steps).fold(x, |x, number| program.step(number, x, rate));
        program.cost(x, rate)
    };
    let inputs = (1.0 + ranks.rank() as f64, 0.1);
    let (value, gradient) = entape_drivers::value_and_gradient(whole, inputs).expect("a gradient");
    for states in [1, 3, 30] {
        // Ranks that ask for more store as many as the others.
        let checkpoints = ranks.checkpoints(states + ranks.rank());
        let made = checkpoints.value_and_gradient(&program, inputs.0, inputs.1, steps);
        assert_eq!(made.expect("a gradient"), (value, gradient));
    }
}
fn vjp(ranks: &Communicator) {
    let (rank, size) = (ranks.rank(), ranks.size());
    // Outputs of all ranks but the last are passive.
    let f = |x: Active<f64>| {
        let last = ranks
            .reduce(size - 1, &(x * x).eval(), Operation::Sum)
            .eval();
        last.unwrap_or(Active::passive(5.0))
    };
    let seed = 1.0 + rank as f64;
    let (y, x_b) = ranks.vjp(f, 3.0, seed).expect("a product");
    assert_eq!(
        y,
        if rank + 1 == size {
            9.0 * size as f64
        } else {
            5.0
        }
    );
    assert_eq!(x_b, 6.0 * size as f64);
    let (_, x_b) = ranks
        .vjp(|_: Active<f64>| Active::<f64>::passive(1.0), 3.0, 1.0)
        .expect("a product");
    assert_eq!(x_b, 0.0);
}
