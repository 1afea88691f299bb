//! The objectives by reals with long expressions, as in a program written for entape.
mod asian;
mod hand;
mod lstm;
mod ode;

use super::gradient;
use evaluation_worker::{
    Fault,
    objectives::{Asian, Case, Derive, Lstm, Name, Objective, Ode},
};

pub(super) fn derive(case: &Case) -> Result<Derive, Fault> {
    let x = case.inputs.clone();
    Ok(match case.name {
        Name::Lstm => {
            let lstm = Lstm::new(case);
            gradient(x, 1, move |_, x| lstm::objective(&lstm, x))
        }
        Name::Ode => {
            let ode = Ode::new(case);
            gradient(x, 1, move |_, x| ode::last(ode, x))
        }
        Name::Asian => {
            let asian = Asian::new(case);
            gradient(x, asian.paths, move |path, x| asian::path(&asian, path, x))
        }
        Name::Hand | Name::HandSurface => hand::derive(Objective::new(case), x),
        Name::Gmm | Name::Ba | Name::KMeans | Name::Newton => {
            return Err(Fault::Argument("the tool has the objective"));
        }
    })
}
