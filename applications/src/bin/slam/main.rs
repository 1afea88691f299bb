//! The path of a vehicle and the positions of trees, from its odometry and its laser measurements: SLAM as sparse least
//! squares.
//!
//! The unknowns are the poses of the vehicle and the positions of the landmarks. The residuals of a measurement depend
//! on two of them, so the Jacobian is sparse. The steps of Levenberg and Marquardt (K. Madsen, H. B. Nielsen and O.
//! Tingleff, *Methods for non-linear least squares problems*, 2004) solve the normal equations by a sparse Cholesky
//! factorization.
//!
//! The data are the first 1000 poses of Victoria Park (J. E. Guivant and E. M. Nebot, 2001). `--input` reads other
//! files in the format of g2o: `EDGE_SE2`, `VERTEX_SE2` and `LANDMARK2` or `EDGE_SE2_XY` (G. Grisetti, R. Kümmerle, H.
//! Strasdat and K. Konolige, *g2o: a general framework for graph optimization*, 2011). In the result the drifting loops
//! coincide, and the sum of weighted squares, chi2, is 80.1948, as with g2o.
use applications::{
    Outcome, Settings,
    g2o::{Edge, Graph},
    picture::{self, BLUE, Chart, GREY, INK, Layer, Legend, Mark::*, RED},
};
use entape::{Function, Objective, driver::ListShape, prelude::*};
use faer::{Side, linalg::solvers::Solve, prelude::Col, sparse::SparseColMat, sparse::Triplet};
use std::f64::consts::TAU;

const VICTORIA_PARK: &str = include_str!("../../../data/victoria_park.g2o");
const SETTINGS: &[[&str; 3]] = &[
    ["input", "a file in the format of g2o", "Victoria Park"],
    ["poses", "how many poses are used at most", "1000000"],
    ["steps", "steps at most", "60"],
];

/// The residuals of measurements, by all poses except the first one, and landmarks.
struct Slam(Graph);
impl Slam {
    fn pose<M: Mode>(&self, x: &[Real<M>], i: usize) -> [Real<M>; 3] {
        match i.checked_sub(1) {
            None => self.0.first().map(Real::passive),
            Some(i) => [x[3 * i], x[3 * i + 1], x[3 * i + 2]],
        }
    }
    fn landmark<M: Mode>(&self, x: &[Real<M>], i: usize) -> [Real<M>; 2] {
        let i = 3 * (self.0.poses - 1) + 2 * i;
        [x[i], x[i + 1]]
    }
}
fn turned<M: Mode>([dx, dy]: [Real<M>; 2], angle: Real<M>) -> [Real<M>; 2] {
    let (sin, cos) = (angle.sin().eval(), angle.cos().eval());
    [(cos * dx + sin * dy).eval(), (cos * dy - sin * dx).eval()]
}
/// The position of a point in the frame of a pose, minus its measured position.
fn apart<M: Mode>(pose: [Real<M>; 3], place: [Real<M>; 2], seen: [f64; 2]) -> [Real<M>; 2] {
    let [along, aside] = turned([0, 1].map(|i| (place[i] - pose[i]).eval()), pose[2]);
    [(along - seen[0]).eval(), (aside - seen[1]).eval()]
}
fn weighted<const N: usize, M: Mode>(edge: &Edge<N>, error: [Real<M>; N]) -> [Real<M>; N] {
    let component = |row: [f64; N]| row.iter().zip(&error).map(|(w, e)| w * e).sum();
    edge.weights.map(component)
}
impl Function for Slam {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Real<M>>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
        let mut residuals = Vec::new();
        for step in &self.0.steps {
            let [mx, my, turn] = step.measured;
            let (from, to) = (self.pose(x, step.from), self.pose(x, step.to));
            // as in g2o: the error in the frame of the measured pose
            let error = apart(from, [to[0], to[1]], [mx, my]);
            let [dx, dy] = turned(error, Real::passive(turn));
            let angle = (to[2] - from[2] - turn).eval();
            let angle = (angle - TAU * (angle.value() / TAU).round()).eval();
            residuals.extend(weighted(step, [dx, dy, angle]));
        }
        for sight in &self.0.sights {
            let (pose, place) = (self.pose(x, sight.from), self.landmark(x, sight.to));
            residuals.extend(weighted(sight, apart(pose, place, sight.measured)));
        }
        residuals
    }
}

fn chi2(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}
/// Makes steps until the next one would be short; returns their number, and the sum of squares.
fn solve(graph: &Objective<Slam>, x: &mut Vec<f64>, most: usize) -> Outcome<(usize, f64)> {
    let plan = graph.jacobian_plan(x)?;
    let (rows, entries) = (plan.sparsity().rows(), plan.sparsity().entries());
    let (columns, sums) = (x.len(), plan.colors());
    println!("Jacobian of {rows} x {columns} with {entries} entries in {sums} sums of columns");
    let (mut damping, mut factor) = (1e-6, 2.0);
    for step in 0..most {
        let (residuals, jacobian) = graph.values_and_sparse_jacobian_with(&plan, x)?;
        let best = chi2(&residuals);
        let (mut slope, mut products) = (vec![0.0; x.len()], Vec::new());
        for (i, r) in residuals.iter().enumerate() {
            for (j, value) in jacobian.row(i) {
                slope[j] += value * r;
                let row = jacobian.row(i);
                products.extend(row.map(|(k, other)| Triplet::new(k, j, value * other)));
            }
        }
        loop {
            let damped = (0..x.len()).map(|j| Triplet::new(j, j, damping));
            let all: Vec<_> = products.iter().copied().chain(damped).collect();
            let normal = SparseColMat::<usize, f64>::try_new_from_triplets(x.len(), x.len(), &all)?;
            let down = Col::from_fn(x.len(), |j| -slope[j]);
            let by = normal.sp_cholesky(Side::Lower)?.solve(&down);
            let next: Vec<f64> = x.iter().zip(by.iter()).map(|(x, by)| x + by).collect();
            let gains = by.iter().zip(&slope).map(|(by, s)| by * (damping * by - s));
            let foretold: f64 = gains.sum();
            if foretold < 1e-9 * best {
                return Ok((step, best));
            }
            let gain = (best - chi2(&graph.values(&next))) / foretold;
            if gain > 0.0 {
                *x = next;
                damping *= (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
                factor = 2.0;
                break;
            }
            damping *= factor;
            factor *= 2.0;
        }
    }
    Ok((most, chi2(&graph.values(x))))
}

fn main() -> Outcome {
    let about = "Where a vehicle drove and where trees stand";
    let settings = Settings::read("slam", about, SETTINGS)?;
    let (input, most): (String, usize) = (settings.get("input")?, settings.get("poses")?);
    let graph = match input.as_str() {
        "Victoria Park" => Graph::read(VICTORIA_PARK, most)?,
        path => Graph::read(&std::fs::read_to_string(path)?, most)?,
    };
    let (poses, landmarks) = (graph.poses, graph.landmarks);
    let (steps, sights) = (graph.steps.len(), graph.sights.len());
    println!("{poses} poses, {landmarks} landmarks, {steps} steps, {sights} sights");
    let start = graph.begin()?;
    let mut x = start.clone();
    let free = 3 * steps + 2 * sights - x.len();
    let residuals = Objective::new(Slam(graph));
    println!("chi2 before {:.4}", chi2(&residuals.values(&x)));
    let clock = std::time::Instant::now();
    let (steps, best) = solve(&residuals, &mut x, settings.get("steps")?)?;
    let seconds = clock.elapsed().as_secs_f64();
    println!("chi2 after {best:.4} for {free} degrees of freedom, {steps} steps, {seconds:.2} s");

    let Slam(graph) = residuals.program();
    let chart = |title, x: &[f64]| {
        let (places, trees) = x.split_at(3 * (poses - 1));
        let [x, y, _] = graph.first();
        let places = places.chunks_exact(3).map(|p| (p[0], p[1]));
        let way: Vec<_> = [(x, y)].into_iter().chain(places).collect();
        let trees = trees.chunks_exact(2).map(|p| (p[0], p[1]));
        let closed = graph.steps.iter().filter(|step| step.to != step.from + 1);
        let loops: Vec<_> = closed
            .flat_map(|step| [way[step.from], way[step.to]])
            .collect();
        let mut layers = vec![
            Layer::new("", GREY, Segments(1), loops),
            Layer::new("way", BLUE, Line(2), way),
        ];
        if sights > 0 {
            layers.push(Layer::new("trees", RED, Points(4), trees));
        }
        layers.push(Layer::new("start", INK, Points(4), [(x, y)]));
        Chart::new(title, ["metres", "metres"], Legend::UpperLeft, layers)
    };
    let charts = [
        chart("By odometry", &start),
        chart("By all measurements", &x),
    ];
    picture::draw(settings.output(), (560, 560), &charts)
}
