//! The processes that measure other crates; `evaluation_worker` documents their protocol.
#![forbid(unsafe_code)]

#[cfg(feature = "num-dual")]
mod forward;
#[cfg(feature = "num-dual")]
mod mixture;
#[cfg(any(
    feature = "ad_trait",
    feature = "echidna",
    feature = "reverse",
    feature = "num-dual"
))]
mod number;
#[cfg(any(feature = "ad_trait", feature = "echidna", feature = "reverse"))]
mod tapes;
#[cfg(any(feature = "burn", feature = "candle"))]
mod tensors;

use evaluation_worker::{
    Fault, Job,
    objectives::{Case, Derive, Name, serve_objective},
};
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = || env::args().skip(1);
    #[cfg(feature = "num-dual")]
    if arguments().nth(1).as_deref() == Some("mixture") {
        return Ok(mixture::work(&Job::parse(arguments())?)?);
    }
    let program = arguments().nth(1).unwrap_or_default();
    if program.parse::<Name>().is_ok() {
        let job = Job::<Name>::parse(arguments())?;
        return Ok(serve_objective(&job, |case| derive(&job.tool, case))?);
    }
    Ok(work(&Job::parse(arguments())?)?)
}
fn derive(tool: &str, case: &Case) -> Result<Derive, Fault> {
    match tool {
        #[cfg(feature = "ad_trait")]
        "ad_trait" => case.visit(tapes::ByTape::<tapes::AdTrait>::at(&case.inputs)),
        #[cfg(feature = "echidna")]
        "echidna" => case.visit(tapes::ByTape::<tapes::Echidna>::at(&case.inputs)),
        #[cfg(feature = "reverse")]
        "reverse" => case.visit(tapes::ByTape::<tapes::Reverse>::at(&case.inputs)),
        #[cfg(feature = "num-dual")]
        "num-dual" => case.visit(forward::ByDirections(&case.inputs)),
        _ => Err(Fault::Argument("a peer that has the objectives")),
    }
}
fn work(job: &Job) -> Result<(), Fault> {
    match job.tool.as_str() {
        #[cfg(feature = "ad_trait")]
        "ad_trait" => tapes::work::<tapes::AdTrait>(job),
        #[cfg(feature = "echidna")]
        "echidna" => tapes::work::<tapes::Echidna>(job),
        #[cfg(feature = "reverse")]
        "reverse" => tapes::work::<tapes::Reverse>(job),
        #[cfg(feature = "num-dual")]
        "num-dual" => forward::work(job),
        #[cfg(feature = "burn")]
        "burn" => tensors::work::<tensors::burn::Burn>(job),
        #[cfg(feature = "candle")]
        "candle" => tensors::work::<tensors::candle::Candle>(job),
        _ => Err(Fault::Argument("a peer that this program was built with")),
    }
}
