//! Where a vehicle drove and where trees stand, from its odometry and what its laser saw: SLAM as sparse least squares.
//!
//! Unknown are the poses of the vehicle, each a place and an angle, and the places of the landmarks. Each measurement, a step of the vehicle or
//! a landmark seen from a pose, gives residuals that depend on two of them, so the Jacobian is sparse: entape finds its pattern and
//! computes columns that share no row together. Levenberg and Marquardt's steps (K. Madsen, H. B. Nielsen and O. Tingleff,
//! *Methods for non-linear least squares problems*, 2004) solve the normal equations by a sparse Cholesky factorization.
//!
//! The data are the first 1000 poses of the Victoria Park data set (J. E. Guivant and E. M. Nebot, *Optimization of the simultaneous
//! localization and map-building algorithm for real-time implementation*, 2001), a drive between trees in Sydney. `--input` reads other
//! files in the format of g2o: `EDGE_SE2`, `VERTEX_SE2` and `LANDMARK2` or `EDGE_SE2_XY` (G. Grisetti, R. Kümmerle, H. Strasdat and
//! K. Konolige, *g2o: a general framework for graph optimization*, 2011). Look at how the drifting rounds come to lie on each other, and
//! at the sum of weighted squares, chi2: g2o itself ends with 80.1948, too.
use applications::{
    Outcome, Settings,
    picture::{self, BLUE, Chart, GREY, INK, Layer, Legend, Mark, RED},
};
use entape::Objective;
use faer::{
    Side,
    linalg::solvers::Solve,
    prelude::Col,
    sparse::{SparseColMat, Triplet},
};

mod graph;
use graph::{Graph, VICTORIA_PARK};

const SETTINGS: &[[&str; 3]] = &[
    ["input", "a file in the format of g2o", "Victoria Park"],
    ["poses", "how many poses are used at most", "1000000"],
    ["steps", "steps at most", "60"],
];

fn chi2(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// Steps until the next one would be short; how many, and the sum of squares at the end.
fn solve(graph: &Objective<Graph>, x: &mut Vec<f64>, most: usize) -> Outcome<(usize, f64)> {
    let plan = graph.jacobian_plan(x)?;
    println!(
        "Jacobian of {} x {} with {} entries in {} sums of columns",
        plan.sparsity().rows(),
        x.len(),
        plan.sparsity().entries(),
        plan.colors()
    );
    let (mut damping, mut factor) = (1e-6, 2.0);
    for step in 0..most {
        let (residuals, jacobian) = graph.values_and_sparse_jacobian_with(&plan, x)?;
        let best = chi2(&residuals);
        let (mut slope, mut products) = (vec![0.0; x.len()], Vec::new());
        for (i, r) in residuals.iter().enumerate() {
            for (j, value) in jacobian.row(i) {
                slope[j] += value * r;
                products.extend(
                    jacobian
                        .row(i)
                        .map(|(k, other)| Triplet::new(k, j, value * other)),
                );
            }
        }
        loop {
            let damped = (0..x.len()).map(|j| Triplet::new(j, j, damping));
            let all: Vec<_> = products.iter().copied().chain(damped).collect();
            let normal = SparseColMat::<usize, f64>::try_new_from_triplets(x.len(), x.len(), &all)?;
            let by = normal
                .sp_cholesky(Side::Lower)?
                .solve(&Col::from_fn(x.len(), |j| -slope[j]));
            let next: Vec<f64> = x.iter().zip(by.iter()).map(|(x, by)| x + by).collect();
            let foretold: f64 = by
                .iter()
                .zip(&slope)
                .map(|(by, s)| by * (damping * by - s))
                .sum();
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
    let settings = Settings::read(
        "slam",
        "Where a vehicle drove and where trees stand",
        SETTINGS,
    )?;
    let (input, most): (String, usize) = (settings.get("input")?, settings.get("poses")?);
    let graph = match input.as_str() {
        "Victoria Park" => Graph::read(VICTORIA_PARK, most)?,
        path => Graph::read(&std::fs::read_to_string(path)?, most)?,
    };
    println!(
        "{} poses, {} landmarks, {} steps, {} sights",
        graph.poses,
        graph.landmarks,
        graph.steps.len(),
        graph.sights.len()
    );
    let graph = Objective::new(graph);
    let start = graph.program().begin()?;
    let mut x = start.clone();
    println!("chi2 before {:.4}", chi2(&graph.values(&x)));
    let clock = std::time::Instant::now();
    let (steps, best) = solve(&graph, &mut x, settings.get("steps")?)?;
    let Graph {
        poses,
        steps: odometry,
        sights,
        ..
    } = graph.program();
    let free = 3 * odometry.len() + 2 * sights.len() - x.len();
    println!(
        "chi2 after {best:.4} for {free} degrees of freedom, {steps} steps, {:.2} s",
        clock.elapsed().as_secs_f64()
    );

    let chart = |title, x: &[f64]| {
        let (places, trees) = x.split_at(3 * (poses - 1));
        let [x, y, _] = graph.program().first();
        let way = [(x, y)]
            .into_iter()
            .chain(places.chunks_exact(3).map(|p| (p[0], p[1])));
        let trees = trees.chunks_exact(2).map(|p| (p[0], p[1]));
        let way: Vec<_> = way.collect();
        let closed = odometry.iter().filter(|step| step.to != step.from + 1);
        let loops = closed
            .flat_map(|step| [way[step.from], way[step.to]])
            .collect::<Vec<_>>();
        let mut layers = vec![
            Layer::new("", GREY, Mark::Segments(1), loops),
            Layer::new("way", BLUE, Mark::Line(2), way),
        ];
        if !sights.is_empty() {
            layers.push(Layer::new("trees", RED, Mark::Points(4), trees));
        }
        layers.push(Layer::new("start", INK, Mark::Points(4), [(x, y)]));
        Chart {
            title,
            x: "metres",
            y: "metres",
            layers,
            legend: Legend::UpperLeft,
        }
    };
    let charts = [
        chart("By odometry", &start),
        chart("By all measurements", &x),
    ];
    picture::draw(settings.output(), (560, 560), &charts)
}
