//! The objectives in the words of entape's DSLs: arrays over points, states or bits, and lanes over observations.
mod ba;
mod gmm;
mod kmeans;
mod lstm;
mod ode;

pub(super) use lstm::logistic;

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
        Name::Newton => kmeans::newton(Objective::new(case), x),
        Name::Hand | Name::HandSurface => {
            return Err(Fault::Argument("an objective that the tool has"));
        }
    })
}
