//! The objectives by reals with an expression for what belongs together, as a program that is written for entape has it.
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
            return Err(Fault::Argument("an objective that the tool has"));
        }
    })
}
