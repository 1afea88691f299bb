//! The objectives of ADBench and gradbench, and an option: sizes, tools, checks and measurements. `evaluation_worker::objectives`
//! describes them.
mod by_hand;
mod entities;
mod fused;
mod measure;
mod reals;

use crate::{Outcome, plan::Extent};
use entape::prelude::*;
use evaluation_worker::{
    Fault, Job,
    objectives::{Case, Derive, Name, serve_objective},
};
pub(crate) use measure::{Row, differs, measure};

/// As named by [`Name::sizes`].
pub(crate) fn sizes(extent: Extent, name: Name) -> &'static [&'static [usize]] {
    let all: &[&[usize]] = match name {
        Name::Gmm => &[
            &[2, 5, 1000],
            &[10, 5, 1000],
            &[10, 25, 1000],
            &[64, 5, 1000],
            &[10, 10, 10_000],
        ],
        Name::Ba => &[&[5, 300, 1000], &[49, 7776, 31_843], &[93, 61_203, 287_451]],
        Name::Lstm => &[&[2, 1024, 14], &[4, 1024, 14], &[4, 4096, 14]],
        Name::Hand | Name::HandSurface => &[&[544, 100], &[544, 400], &[10_000, 1600]],
        Name::Ode => &[&[10, 1000], &[100, 1000], &[1000, 1000]],
        Name::KMeans | Name::Newton => &[&[8, 10, 1000], &[8, 10, 10_000], &[32, 100, 10_000]],
        Name::Asian => &[&[1000, 252], &[10_000, 252]],
    };
    match extent {
        Extent::Full => all,
        Extent::Quick => &all[..2],
        Extent::Smoke => match name {
            Name::Gmm => &[&[2, 3, 20]],
            Name::Ba => &[&[2, 5, 10]],
            Name::Lstm => &[&[2, 10, 5]],
            Name::Hand | Name::HandSurface => &[&[30, 4]],
            Name::Ode => &[&[5, 4]],
            Name::KMeans | Name::Newton => &[&[3, 4, 30]],
            Name::Asian => &[&[10, 5]],
        },
    }
}

/// Other crates report what they lack. The pose of a hand lacks hand-written derivatives.
pub(crate) fn has(tool: &str, name: Name) -> bool {
    let hand = matches!(name, Name::Hand | Name::HandSurface);
    match tool {
        "hand" | "entities" => !hand,
        "fused" => hand || matches!(name, Name::Lstm | Name::Ode | Name::Asian),
        "reals" | "ad_trait" | "echidna" | "reverse" | "num-dual" | "jax" => true,
        "adolc" | "codipack" | "codipack-primal" | "adept" | "cppad" | "stan" => {
            name == Name::Asian
        }
        _ => false,
    }
}
/// The gradient of a sum of parts, with a recording for each.
fn gradient(x: Vec<f64>, parts: usize, part: impl Fn(usize, &[Real]) -> Real + 'static) -> Derive {
    let mut tape = Tape::new();
    Box::new(move |all| {
        all.clear();
        all.resize(x.len(), 0.0);
        let mut value = 0.0;
        for number in 0..parts {
            tape.reset();
            let inputs = tape.inputs(x.iter().copied());
            let y = tape.record(|| part(number, &inputs));
            let gradient = tape.gradient(&y).and_then(|g| g.wrt_all(&inputs));
            let gradient = gradient.map_err(Fault::tool)?;
            all.iter_mut().zip(gradient).for_each(|(sum, x)| *sum += x);
            value += y.value();
        }
        Ok(value)
    })
}
pub(crate) fn derive(tool: &str, case: &Case) -> Result<Derive, Fault> {
    match tool {
        "hand" => by_hand::derive(case),
        "entities" => entities::derive(case),
        "fused" => fused::derive(case),
        "reals" => case.visit(reals::Reals(&case.inputs)),
        _ => Err(Fault::Argument("the tool has the objectives")),
    }
}
pub(crate) fn work(arguments: impl Iterator<Item = String>) -> Outcome {
    let job = Job::<Name>::parse(arguments)?;
    Ok(serve_objective(&job, |case| derive(&job.tool, case))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluation_worker::objectives::references;

    #[test]
    fn tools_have_the_reference_derivatives() {
        for (case, expected) in references() {
            for tool in ["hand", "entities", "fused", "reals"] {
                let mut derivatives = Vec::new();
                if !has(tool, case.name) {
                    continue;
                }
                let value = derive(tool, &case).unwrap()(&mut derivatives).unwrap();
                let got = [vec![value], derivatives].concat();
                assert_eq!(
                    differs(&got, &expected, 1e-11),
                    None,
                    "{tool}, {}",
                    case.name
                );
            }
        }
    }
}
