//! The objectives with matrices of points, arrays over states or bits, and lanes over observations.
mod asian;
mod ba;
mod gmm;
mod kmeans;
mod lstm;
mod ode;

pub(super) use lstm::logistic;

use entape::{linalg::nalgebra::DMatrix, prelude::*};
use evaluation_worker::{
    Fault,
    objectives::{Case, Derive, Name, Objective},
};

pub(super) fn derive(case: &Case) -> Result<Derive, Fault> {
    let x = case.inputs.clone();
    Ok(match case.name {
        Name::Gmm => gmm::derive(Objective::new(case), x),
        Name::Ba => ba::derive(Objective::new(case), x),
        Name::Lstm => lstm::derive(Objective::new(case), x),
        Name::Ode => ode::derive(Objective::new(case), x),
        Name::KMeans => kmeans::gradient(Objective::new(case), x),
        Name::Asian => asian::derive(Objective::new(case), x),
        Name::Newton => kmeans::newton(Objective::new(case), x),
        Name::Hand | Name::HandSurface => {
            return Err(Fault::Argument("the tool has the objective"));
        }
    })
}

/// Points in blocks of `rows` rows, each followed by a one, so that a product of matrices can also add.
fn blocks<M: Mode>(points: &[f64], d: usize, rows: usize) -> Vec<Matrix<M>> {
    let block = |points: &[f64]| {
        let at = |i, j| if j < d { points[i * d + j] } else { 1.0 };
        Matrix::passive(DMatrix::from_fn(points.len() / d, d + 1, at))
    };
    points.chunks(rows * d).map(block).collect()
}
