//! The report: one self-contained page, and its charts as additional files.
mod chart;
mod figures;
mod objectives;
mod readme;
mod tables;

use crate::{
    Outcome,
    conditions::Conditions,
    plan::{Extent, Family},
    results::{Row, Status},
    run::Run,
    scaling::Scaled,
};
use evaluation_worker::Program;
pub(crate) use figures::name;
use figures::{Figure, Line, Quantity, Winner};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::{fs, path::Path};

const STYLE: &str = "
body { font: 15px/1.45 sans-serif; color: #282c34; max-width: 1420px; margin: 2em auto; padding: 0 1em; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(640px, 1fr)); gap: 12px; }
.charts figure { margin: 0; } .charts svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
th, td { padding: 2px 9px; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child, .left { text-align: left; } td.best { font-weight: bold; background: #fbe9ec; }
td.none { color: #999; } figcaption { font-size: 13px; margin: 0 0 0 70px; }
.text td, .text th { text-align: left; white-space: normal; } summary { cursor: pointer; }
";

/// Writes the page, its charts and the summary into a folder.
pub(crate) fn write(folder: &Path, run: &Run) -> Outcome {
    fs::create_dir_all(folder)?;
    let (rows, goals) = (&run.rows[..], run.goals());
    let mut charts = Vec::new();
    let mut sections = Vec::new();
    for program in Program::ALL {
        let own: Vec<Row> = rows
            .iter()
            .filter(|row| row.program == program)
            .cloned()
            .collect();
        if own.is_empty() {
            continue;
        }
        let mut shown = Vec::new();
        for quantity in Quantity::ALL {
            let figure = Figure::new(&own, program, quantity);
            if figure.lines.is_empty() {
                continue;
            }
            let svg = chart::svg(&figure)?;
            // the chart in the summary
            if quantity == Quantity::Factor {
                charts.push((format!("{program}-factor.svg"), svg.clone()));
            }
            shown.push((svg, caption(&figure, quantity)));
        }
        sections.push(section(program, &own, &shown));
    }
    let scaling = scaled(&run.scaling, &mut charts)?;
    for (file, svg) in &charts {
        fs::write(folder.join(file), svg)?;
    }
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "entape: evaluation" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "entape: the paper's evaluation" }
                (about(&run.conditions))
                @if !rows.is_empty() {
                    h2 { "Winners" }
                    (winners(rows))
                    h2 { "Limits" }
                    p { "entape's goals and the figures of this run. Goals that were not reached are highlighted." }
                    (tables::goals(&goals))
                }
                @for section in &sections { (section) }
                (tables::users(&run.users))
                (objectives::section(&run.objectives))
                (tables::mixture(&run.mixture))
                (scaling)
                (without(rows))
            }
        }
    };
    let page = folder.join("report.html");
    fs::write(&page, markup.into_string())?;
    fs::write(folder.join("README.md"), readme::text(folder, run, &goals))?;
    println!(
        "{}: {} points, {} charts",
        page.display(),
        rows.len() + run.objectives.len(),
        charts.len()
    );
    Ok(())
}
fn about(conditions: &Conditions) -> Markup {
    let extent = match conditions.extent {
        Extent::Full => "the range of the paper's sizes",
        Extent::Quick => "a quick run: few sizes, fewer steps, at least three rounds",
        Extent::Smoke => "a trial: the figures are meaningless",
    };
    html! {
        p {
            "Programs and figures follow Sagebaum and Gauger, \u{201c}Algorithmic differentiation for domain specific languages in C++ with \
             expression templates\u{201d}: Burgers' equations, and T1 to T4 of linear algebra. Times are medians of warm runs in thread CPU \
             time. Factors relate to the plain program, which alternates with the tool in one process. Each gradient was compared with the \
             reference before timing. Dashed lines are not AD tools. The best AD tool of each chart has a thick line and a bold name."
        }
        table class="text" {
            @for (what, is) in [
                ("Date (UTC)", conditions.date.clone()),
                ("Commit", conditions.commit.clone()),
                ("Extent", extent.into()),
                ("Processor", format!("{}, {} cores", conditions.processor, conditions.cores)),
                ("Memory", format!("{:.1} GiB, {:.1} GiB for one process", tables::gib(conditions.memory), tables::gib(conditions.budget))),
                ("System", conditions.system.clone()),
                ("Compiler", format!("{}, flags: {}", conditions.compiler, conditions.flags)),
                ("Load", format!("{:.1} (above one, other processes make the figures worse)", conditions.load)),
            ] {
                tr { td { (what) } td { (is) } }
            }
        }
    }
}
fn winners(rows: &[Row]) -> Markup {
    html! {
        table class="text" {
            tr { th { "program" } @for quantity in Quantity::ALL { th { (quantity.title()) } } }
            @for program in Program::ALL {
                @if rows.iter().any(|row| row.program == program) {
                    tr {
                        td { a href=(format!("#{program}")) { (figures::name(program)) } }
                        @for quantity in Quantity::ALL {
                            @let winner = Figure::new(rows, program, quantity).winner();
                            td { (winner.map_or("-".into(), |w| format!("{}{}", w.label, ahead(&w)))) }
                        }
                    }
                }
            }
        }
    }
}
fn ahead(winner: &Winner) -> String {
    match winner.rival {
        Some((label, times)) => format!(" ({label}: {} times as much)", tables::digits(times)),
        None => String::new(),
    }
}
fn caption(figure: &Figure, quantity: Quantity) -> String {
    let Some(winner) = figure.winner() else {
        return "No AD tool has a figure.".into();
    };
    let value = match quantity {
        Quantity::Factor => format!("{} times the plain program", tables::digits(winner.value)),
        _ => format!("{} {}", tables::digits(winner.value), figure.y_axis),
    };
    format!(
        "Least at {} = {}: {} with {value}{}.",
        figure.x_axis,
        winner.n,
        winner.label,
        ahead(&winner)
    )
}
fn section(program: Program, rows: &[Row], charts: &[(String, String)]) -> Markup {
    let what = match program {
        Program::Burgers => "the coupled Burgers' equations on N by N points",
        Program::T1 => "the product of two n by n matrices",
        Program::T2 => "a linear system with n equations, by QR",
        Program::T2m => "a linear system with n right sides, by QR",
        Program::T3 => "a Kalman filter with n states",
        Program::T4 => "an analysis with two n by n operators",
    };
    html! {
        h2 id=(program) { (figures::name(program)) ": " (what) }
        @if let Program::T2 | Program::T2m = program
            && rows.iter().any(|row| ["stan", "jax", "pytorch"].contains(&row.tool.as_str()))
        {
            p { "Stan Math, JAX and PyTorch solve by LU, with half of the operations of QR. All others solve by QR." }
        }
        div class="charts" {
            @for (svg, caption) in charts {
                figure { (PreEscaped(svg)) figcaption { (caption) } }
            }
        }
        h3 { "Recording and reversal over the plain program" }
        (tables::over_sizes(rows, |row| row.factor()))
        details {
            summary { "Recording, reversal, first runs, and bytes by stream" }
            h4 { "Recording over the plain program" }
            (tables::over_sizes(rows, |row| row.record_factor()))
            h4 { "Reversal over the plain program" }
            (tables::over_sizes(rows, |row| row.reverse_factor()))
            h4 { "The first run, on fresh memory: both over the plain program" }
            (tables::over_sizes(rows, |row| row.cold_factor()))
            h4 { "Peak of memory, MB" }
            (tables::over_sizes(rows, |row| row.peak_bytes.map(|b| b as f64 / 1e6)))
            h4 { "Bytes of the tape by stream, for one step" }
            (tables::streams(rows))
        }
    }
}
fn scaled(all: &[Scaled], charts: &mut Vec<(String, String)>) -> Outcome<Markup> {
    if all.is_empty() {
        return Ok(html! {});
    }
    let lengths: Vec<_> = all
        .iter()
        .filter(|s| s.live == crate::scaling::LIVE)
        .collect();
    let rings: Vec<_> = all
        .iter()
        .filter(|s| s.live != crate::scaling::LIVE)
        .collect();
    let mut shown = Vec::new();
    let bytes: fn(&Scaled) -> f64 = |s| s.tape_bytes as f64 / 1e6;
    let live: fn(&Scaled) -> f64 = |s| s.live as f64;
    for (file, points, x_axis, x) in [
        ("scaling-bytes.svg", &lengths, "MB of tape", bytes),
        ("scaling-live.svg", &rings, "live variables", live),
    ] {
        let line = |label, colour, y: fn(&Scaled) -> f64| Line {
            label,
            colour,
            // a yardstick's lines are dashed
            family: match label {
                "fresh pages alone" => Family::Plain,
                _ => Family::Entape,
            },
            points: points.iter().map(|s| (x(s), y(s))).collect(),
        };
        let figure = Figure {
            title: format!("A statement's cost over {x_axis}"),
            x_axis: x_axis.into(),
            y_axis: "ns or bytes".into(),
            ranked: false,
            lines: vec![
                line("recording", [200, 30, 50], |s| s.record),
                line("reversal", [20, 90, 180], |s| s.reverse),
                line("first run, both", [110, 60, 150], Scaled::cold),
                line("fresh pages alone", [120, 120, 120], |s| s.pages),
                line("bytes", [0, 130, 110], |s| s.bytes),
            ],
        };
        let svg = chart::svg(&figure)?;
        shown.push(svg.clone());
        charts.push((file.into(), svg));
    }
    Ok(html! {
        h2 id="scaling" { "Scaling of the tape" }
        p {
            "Each statement replaces a variable of a ring by a combination of three. Times and bytes are for one statement. The first run uses \
             fresh pages, whose cost is also shown. The last column is the warm time over the warm time of the first row."
        }
        div class="charts" { @for svg in shown { figure { (PreEscaped(svg)) } } }
        (tables::scaling(&lengths))
        (tables::scaling(&rings))
    })
}
fn without(rows: &[Row]) -> Markup {
    html! {
        h2 { "Without figures" }
        table class="text" {
            @for row in rows.iter().filter(|row| row.status != Status::Measured) {
                tr {
                    td { (figures::name(row.program)) " n = " (row.n) ", " (tables::label(&row.tool)) }
                    td { (tables::status(row.status)) @if !row.note.is_empty() { ": " (row.note) } }
                }
            }
        }
    }
}
