use crate::{KINDS, Outcome, goals::Goal, plan::Extent};
use entape_programs::{
    complex::{
        self, Horner, Iteration,
        matrices::{self, PROGRAMS},
    },
    option::costs::{self, BATCH},
};

pub(crate) fn measure(extent: Extent) -> Outcome<Vec<Goal>> {
    let once = (extent == Extent::Smoke).then(|| "once".into());
    let arguments: Vec<String> = [KINDS.into()].into_iter().chain(once).collect();
    crate::answer(&arguments)
}
pub(crate) fn work(mut arguments: impl Iterator<Item = String>) -> Outcome {
    let once = arguments.next().is_some();
    let mut goals = Vec::new();
    let (points, rounds) = if once { (100, 1) } else { (100_000, 5) };
    numbers(&Horner, points, rounds, &mut goals)?;
    numbers(&Iteration, points, rounds, &mut goals)?;
    let (n, rounds) = if once { (12, 1) } else { (200, 25) };
    for program in &PROGRAMS {
        let over = matrices::measure(program, n, rounds)?.over_plain();
        let name = format!("complex matrices, n = {n}: {}", program.name);
        let figure = "recording and reversal over plain";
        goals.push(Goal::at_most(program.asked, name, figure, over));
    }
    goals.extend(lanes(if once { 1000 } else { 10 * BATCH })?);
    println!("{}", serde_json::to_string(&goals)?);
    Ok(())
}
fn numbers<P: complex::Program>(
    program: &P,
    points: usize,
    rounds: usize,
    goals: &mut Vec<Goal>,
) -> Outcome {
    let costs = complex::measure(program, points, rounds)?;
    let name = format!("complex numbers: {}", P::NAME);
    goals.extend([
        Goal::at_most(
            10.0,
            &name,
            "recording and reversal over plain",
            costs.over_plain(),
        ),
        Goal::at_most(0.65, &name, "both over pairs of reals", costs.over_pairs()),
        Goal::at_most(
            0.7,
            &name,
            "bytes over pairs of reals",
            costs.bytes_over_pairs(),
        ),
    ]);
    Ok(())
}
fn lanes(paths: usize) -> Outcome<[Goal; 2]> {
    let costs = costs::measure(paths)?;
    let over = |a: &costs::Run, b: &costs::Run| a.both().as_secs_f64() / b.both().as_secs_f64();
    let name = "paths of an option by lanes";
    Ok([
        Goal::at_most(
            4.0,
            name,
            "recording and reversal over plain",
            over(&costs.lanes, &costs.plain),
        ),
        Goal::at_most(
            3.0,
            name,
            "reals over lanes",
            over(&costs.reals, &costs.lanes),
        )
        .at_least(),
    ])
}
