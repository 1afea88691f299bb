mod entities;
mod hand;
mod reals;
mod recorder;

use entape::prelude::{Reuse, Taped};
use entape_programs::burgers::Statements::{Four, Fused};
use evaluation_worker::{Fault, Job, Plain, Program, serve};
use recorder::Recorder;

pub(crate) fn work(job: &Job) -> Result<(), Fault> {
    let burgers = job.program == Program::Burgers;
    match job.tool.as_str() {
        "plain" => serve(job, |problem| Ok(Plain::new(&problem))),
        "hand" => serve(job, |problem| Ok(hand::Hand::new(problem))),
        "reals" if burgers => serve(job, |problem| {
            let program = |b: &mut reals::State<Taped>| b.by_value(Four);
            Ok(Recorder::new(reals::Cells::new(problem.grid(), program)))
        }),
        "fused" if burgers => serve(job, |problem| {
            let program = |b: &mut reals::State<Taped>| b.by_value(Fused);
            Ok(Recorder::new(reals::Cells::new(problem.grid(), program)))
        }),
        "reuse" if burgers => serve(job, |problem| {
            let program = |b: &mut reals::State<Reuse>| b.by_reference(Four);
            Ok(Recorder::new(reals::Cells::new(problem.grid(), program)))
        }),
        "reuse-fused" if burgers => serve(job, |problem| {
            let program = |b: &mut reals::State<Reuse>| b.by_reference(Fused);
            Ok(Recorder::new(reals::Cells::new(problem.grid(), program)))
        }),
        "entities" if burgers => serve(job, |problem| {
            Ok(Recorder::<Taped, _>::new(entities::Rows(problem.grid())))
        }),
        "reals" => serve(job, |problem| Ok(Recorder::new(reals::Elements(problem)))),
        "entities" => serve(job, |problem| {
            Ok(Recorder::<Taped, _>::new(entities::Matrices(problem)))
        }),
        "reuse" => serve(job, |problem| {
            Ok(Recorder::<Reuse, _>::new(entities::Matrices(problem)))
        }),
        _ => Err(Fault::Argument("the tool has the program")),
    }
}
