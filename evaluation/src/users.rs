//! Programs of users, as in `cargo bench -p entape-benches --bench users`.
use crate::{Outcome, USERS, plan::Extent};
use entape_programs::users::costs;
use serde::{Deserialize, Serialize};

/// Times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) program: String,
    pub(crate) inputs: usize,
    pub(crate) plain: f64,
    /// The program with derivatives in the mode `Plain`.
    pub(crate) mode: f64,
    /// Its value and gradient.
    pub(crate) gradient: f64,
}
pub(crate) fn measure(extent: Extent) -> Outcome<Vec<Row>> {
    let rounds = match extent {
        Extent::Full => 61,
        Extent::Quick => 11,
        Extent::Smoke => 1,
    };
    crate::answer(&[USERS.into(), rounds.to_string()])
}
pub(crate) fn work(mut arguments: impl Iterator<Item = String>) -> Outcome {
    let rounds = arguments.next().ok_or("expected a number of rounds")?;
    let row = |costs: costs::Costs| Row {
        program: costs.name.into(),
        inputs: costs.inputs,
        plain: costs.plain.as_secs_f64(),
        mode: costs.mode.as_secs_f64(),
        gradient: costs.gradient.as_secs_f64(),
    };
    let rows = costs::measure(rounds.parse()?).map(row);
    println!("{}", serde_json::to_string(&rows)?);
    Ok(())
}
