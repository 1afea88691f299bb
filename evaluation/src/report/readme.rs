//! The summary of a run as a page of Markdown, with the date and the commit on its first line.
use super::{
    figures,
    objectives::{duels, in_order},
    tables::{digits, gib, label},
};
use crate::{goals::Goal, mixture, objectives::Row, run::Run};
use evaluation_worker::Program;
use std::path::Path;

pub(super) fn text(folder: &Path, run: &Run, goals: &[Goal]) -> String {
    let objectives: Vec<&Row> = run.objectives.iter().collect();
    let sections = [
        about(folder, run),
        missed(goals),
        users(run),
        option(&objectives),
        ahead(&objectives),
        second(&run.mixture),
        charts(run),
    ];
    let sections: Vec<String> = sections.into_iter().flatten().collect();
    sections.join("\n")
}
/// A table whose first columns are text, and the others numbers.
fn table(text: &[&str], numbers: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let names = [text, numbers].concat().join(" | ");
    let lines = "---|".repeat(text.len()) + &"--:|".repeat(numbers.len());
    let rows: String = rows
        .map(|row| format!("| {} |\n", row.join(" | ")))
        .collect();
    format!("| {names} |\n|{lines}\n{rows}")
}
fn about(folder: &Path, run: &Run) -> Option<String> {
    let of = &run.conditions;
    let more = match folder.join("benches.md").exists() {
        true => {
            "\nSee also [how to run it](../README.md) and [figures of the benches](benches.md).\n"
        }
        false => "",
    };
    let files = [
        ("results.csv", "the paper's programs", run.rows.len()),
        ("scaling.csv", "scaling of the tape", run.scaling.len()),
        ("kinds.csv", "complex numbers and lanes", run.kinds.len()),
        ("users.csv", "programs of users", run.users.len()),
        ("mixture.csv", "second derivatives", run.mixture.len()),
        (
            "objectives.csv",
            "ADBench, gradbench and an option",
            run.objectives.len(),
        ),
    ];
    let files = files.into_iter().filter(|(.., rows)| *rows > 0);
    let link = |(file, what, _)| vec![format!("[`{file}`]({file})"), String::from(what)];
    Some(format!(
        "# Evaluation of {} UTC, commit {}\n\n\
         All figures are from one run on {} with {} cores and {:.0} GB of memory, {}, {}, compiler flags: {}. A\n\
         process could take {:.0} GB, and a point {} s.\n\n\
         ```sh\n{}\n```\n\n\
         [`report.html`](report.html) has all tables and charts. Factors relate to the plain program, without derivatives. They\n\
         vary by a tenth from run to run.\n\n{}{more}",
        of.date,
        of.commit,
        of.processor,
        of.cores,
        gib(of.memory),
        of.system,
        of.compiler,
        of.flags,
        gib(of.budget),
        of.patience,
        of.command,
        table(&["file", "figures"], &[], files.map(link))
    ))
}
fn missed(goals: &[Goal]) -> Option<String> {
    let missed = goals.iter().filter(|goal| !goal.is_reached());
    let row = |goal: &Goal| {
        let at_least = if goal.at_least { "at least " } else { "" };
        let limit = format!("{at_least}{}", digits(goal.limit));
        let [program, figure] = [&goal.program, &goal.figure].map(String::clone);
        vec![program, figure, digits(goal.measured), limit]
    };
    let table = table(
        &["program", "figure"],
        &["measured", "goal"],
        missed.clone().map(row),
    );
    (!goals.is_empty()).then(|| {
        format!(
            "## Goals\n\nThe run reached {} of {} goals. The other goals, if any:\n\n{table}",
            goals.len() - missed.count(),
            goals.len()
        )
    })
}
fn users(run: &Run) -> Option<String> {
    let rows = run.users.iter().map(|row| {
        vec![
            row.program.clone(),
            row.inputs.to_string(),
            digits(1e6 * row.plain),
            digits(row.mode / row.plain),
            digits(row.gradient / row.plain),
        ]
    });
    let numbers = [
        "inputs",
        "plain, us",
        "mode `Plain` over plain",
        "value and gradient over plain",
    ];
    let table = table(&["program"], &numbers, rows);
    (!run.users.is_empty()).then(|| format!("## Programs of users\n\n{table}"))
}
fn option(rows: &[&Row]) -> Option<String> {
    let rows = || rows.iter().filter(|row| row.objective == "asian");
    let sizes = in_order(rows().map(|row| row.size.as_str()));
    let line = |tool: &str| {
        let factor = |size: &&str| {
            let row = rows().find(|row| row.tool == tool && row.size == *size)?;
            Some(row.factor().map_or(row.note.clone(), digits))
        };
        let factors = sizes.iter().map(|size| factor(size).unwrap_or_default());
        [label(tool).to_string()]
            .into_iter()
            .chain(factors)
            .collect()
    };
    let tools = in_order(rows().map(|row| row.tool.as_str()));
    let table = table(&["tool"], &sizes, tools.into_iter().map(line));
    (!sizes.is_empty()).then(|| {
        format!(
            "## An Asian option\n\nPrice and gradient over the price, for paths x steps. Tools for numbers record each path\nseparately. Entities of entape and JAX have arrays of paths:\n\n{table}"
        )
    })
}
fn ahead(rows: &[&Row]) -> Option<String> {
    let names = in_order(rows.iter().map(|row| row.objective.as_str()));
    let of = |name| -> Vec<&Row> {
        let own = rows.iter().filter(|row| row.objective == name);
        own.copied().collect()
    };
    let all: Vec<_> = names
        .into_iter()
        .flat_map(|name| duels(&of(name)))
        .collect();
    let times = |[own, other]: &[&Row; 2]| own.both.zip(other.both).map(|(a, b)| a / b);
    let behind = all.iter().filter(|duel| times(duel) > Some(1.0));
    let row = |duel: &[&Row; 2]| {
        let [own, other] = duel.map(|row| label(&row.tool).to_string());
        let times = times(duel).map_or_else(String::new, digits);
        vec![
            duel[0].objective.clone(),
            duel[0].size.clone(),
            own,
            other,
            times,
        ]
    };
    let table = table(
        &["objective", "size", "entape", "other tool"],
        &["entape over the other"],
        behind.clone().map(row),
    );
    (!all.is_empty()).then(|| {
        format!(
            "## Objectives\n\nIn {} of {} cases entape is faster than every other tool. The other cases, if any:\n\n{table}",
            all.len() - behind.count(),
            all.len()
        )
    })
}
fn second(rows: &[mixture::Row]) -> Option<String> {
    let line = |row: &mixture::Row| {
        vec![
            mixture::label(&row.tool).to_string(),
            row.points.to_string(),
            digits(1e3 * row.both()),
            digits(row.both() / row.plain),
        ]
    };
    let table = table(
        &["tool"],
        &["points", "ms", "over plain"],
        rows.iter().map(line),
    );
    (!rows.is_empty()).then(|| {
        format!("## Second derivatives\n\nThe Hessian of a mixture of Gaussians with 100 parameters:\n\n{table}")
    })
}
fn charts(run: &Run) -> Option<String> {
    let measured = |program: &Program| run.rows.iter().any(|row| row.program == *program);
    let chart = |program| format!("![{}]({program}-factor.svg)\n", figures::name(program));
    let programs: String = Program::ALL
        .into_iter()
        .filter(measured)
        .map(chart)
        .collect();
    let scaling = match run.scaling.is_empty() {
        true => "",
        false => {
            "\nThe cost of a statement over the length of the tape, and over the number of live variables:\n\n\
             ![Length](scaling-bytes.svg)\n![Live variables](scaling-live.svg)\n"
        }
    };
    (!programs.is_empty()).then(|| {
        format!("## The paper's programs\n\nJAX, PyTorch and Stan Math solve T2 and T2m by LU, all others by QR. Recording and reversal\nover the plain program:\n\n{programs}{scaling}")
    })
}
