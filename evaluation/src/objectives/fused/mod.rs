//! The objectives by reals with long expressions, as in a program written for entape.
mod hand;
mod lstm;
mod ode;

use evaluation_worker::{
    Fault,
    objectives::{Case, Derive, Name, Objective},
};

pub(super) fn derive(case: &Case) -> Result<Derive, Fault> {
    let x = case.inputs.clone();
    Ok(match case.name {
        Name::Lstm => lstm::derive(Objective::new(case), x),
        Name::Hand | Name::HandSurface => hand::derive(Objective::new(case), x),
        Name::Ode => ode::derive(Objective::new(case), x),
        Name::Gmm | Name::Ba | Name::KMeans | Name::Newton => {
            return Err(Fault::Argument("the tool has the objective"));
        }
    })
}
