use super::tables::{digits, label};
use crate::{
    objectives::Row,
    plan::{self, Family},
};
use maud::{Markup, html};

/// The description of each objective, and why another tool is faster than entape.
struct About {
    name: &'static str,
    title: &'static str,
    size: &'static str,
    derivatives: &'static str,
    remark: &'static str,
}
const ABOUT: [About; 9] = [
    About {
        name: "gmm",
        title: "a mixture of Gaussians",
        size: "dimension x components x points",
        derivatives: "the gradient",
        remark: "",
    },
    About {
        name: "ba",
        title: "bundle adjustment",
        size: "cameras x points x observations",
        derivatives: "the Jacobian of all errors, which is sparse",
        remark: "",
    },
    About {
        name: "lstm",
        title: "long short-term memory with diagonal weights",
        size: "layers x characters x bits",
        derivatives: "the gradient",
        remark: "",
    },
    About {
        name: "hand",
        title: "the pose of a hand",
        size: "vertices x measured points",
        derivatives: "the Jacobian with respect to 26 numbers",
        remark: "",
    },
    About {
        name: "hand-surface",
        title: "the pose of a hand, points on triangles",
        size: "vertices x measured points",
        derivatives: "the Jacobian, which is sparse beyond 26 columns",
        remark: "",
    },
    About {
        name: "ode",
        title: "an ordinary differential equation",
        size: "states x steps",
        derivatives: "the gradient of the last state",
        remark: "A stage of a step is one array statement, which takes some hundreds of nanoseconds besides its arithmetic. A compiler of the \
         whole loop avoids this cost.",
    },
    About {
        name: "kmeans",
        title: "clusters",
        size: "dimension x means x points",
        derivatives: "the gradient",
        remark: "The search for the nearest means, by a product of matrices, takes nearly all of the time. JAX finds the least distance in the \
         same pass. entape reads the product again and copies the points of each cluster.",
    },
    About {
        name: "kmeans-newton",
        title: "clusters, for a step of Newton's",
        size: "dimension x means x points",
        derivatives: "the gradient and the diagonal of the Hessian",
        remark: "In addition, second derivatives need a sweep along a direction, which evaluates each operation of an expression into a matrix.",
    },
    About {
        name: "asian",
        title: "the price of an Asian option by Monte Carlo",
        size: "paths x steps",
        derivatives: "the gradient with respect to spot, rate and volatility",
        remark: "Tools for numbers record each path separately. Entities of entape and JAX have arrays of paths.",
    },
];

pub(super) fn section(rows: &[Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    html! {
        h2 id="objectives" { "The objectives of ADBench and gradbench, and an option" }
        p {
            "Objectives of Srajer, Kukelova and Fitzgibbon, \u{201c}A benchmark of selected algorithmic differentiation tools on some problems in \
             computer vision and machine learning\u{201d}, and of gradbench, on generated numbers. Factors relate the time of value and \
             derivatives to the plain program, which is the generic program with plain numbers. They are medians of thread CPU time with half \
             of the interquartile range. All derivatives were compared with each other, and on small cases with NumPy and JAX. Tools for \
             numbers use the generic program; tools with a tape record each observation of the bundle adjustment and each path of the option \
             separately; num-dual runs forward with eight directions. The time of JAX excludes compilation."
        }
        @for about in &ABOUT {
            @let own: Vec<&Row> = rows.iter().filter(|row| row.objective == about.name).collect();
            @if !own.is_empty() {
                h3 { (about.name) ": " (about.title) ", " (about.derivatives) }
                (table(&own, about.size))
                @let lines = behind(&own);
                @for line in &lines { p { (line) } }
                @if !lines.is_empty() && !about.remark.is_empty() { p { (about.remark) } }
            }
        }
    }
}
fn is_own(row: &Row) -> bool {
    plan::tool_of(&row.tool).is_some_and(|tool| tool.family == Family::Entape)
}
fn is_tool(row: &Row) -> bool {
    plan::tool_of(&row.tool).is_some_and(|tool| tool.family != Family::Hand)
}
fn least<'r>(rows: &[&'r Row], size: &str, asked: impl Fn(&Row) -> bool) -> Option<&'r Row> {
    let of = rows
        .iter()
        .filter(|row| row.size == size && row.both.is_some() && asked(row));
    of.min_by(|a, b| a.both.partial_cmp(&b.both).expect("times are numbers"))
        .copied()
}
pub(super) fn in_order<'r>(names: impl Iterator<Item = &'r str>) -> Vec<&'r str> {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}
fn table(rows: &[&Row], what: &str) -> Markup {
    let sizes = in_order(rows.iter().map(|row| row.size.as_str()));
    let tools = in_order(rows.iter().map(|row| row.tool.as_str()));
    let plain = |size: &str| {
        rows.iter()
            .find_map(|row| row.plain.filter(|_| row.size == size))
    };
    html! {
        table {
            tr { th { (what) } @for size in &sizes { th { (size) } } }
            tr {
                td { "plain, ms" }
                @for size in &sizes { td { (plain(size).map_or("-".into(), |s| digits(1e3 * s))) } }
            }
            @for tool in &tools {
                tr {
                    td { (label(tool)) }
                    @for size in &sizes {
                        @match rows.iter().find(|row| row.tool == *tool && row.size == *size) {
                            Some(row) if row.factor().is_some() => {
                                @let best = least(rows, size, is_tool).is_some_and(|best| best.tool == *tool);
                                td class=[best.then_some("best")] {
                                    (digits(row.factor().unwrap_or_default()))
                                    @if let Some(spread) = row.spread() { " \u{b1} " (format!("{:.0} %", 100.0 * spread)) }
                                }
                            }
                            Some(row) => td class="none" title=(row.note) { (row.note) },
                            None => td class="none" { "-" },
                        }
                    }
                }
            }
        }
    }
}
/// The fastest of entape's forms and of the other tools at each size that both have.
pub(super) fn duels<'r>(rows: &[&'r Row]) -> Vec<[&'r Row; 2]> {
    let duel = |size: &str| {
        let other = least(rows, size, |row| is_tool(row) && !is_own(row))?;
        Some([least(rows, size, is_own)?, other])
    };
    let sizes = in_order(rows.iter().map(|row| row.size.as_str()));
    sizes.into_iter().filter_map(duel).collect()
}
/// A line for each size at which another tool is faster than the best of entape's.
fn behind(rows: &[&Row]) -> Vec<String> {
    let line = |[own, other]: [&Row; 2]| {
        let times = own.both? / other.both?;
        let what = format!(
            "At {}, {} takes {} of {}.",
            own.size,
            label(&own.tool),
            digits(times),
            label(&other.tool)
        );
        (times > 1.0).then_some(what)
    };
    duels(rows).into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_the_tools_stands_out_and_others_that_are_ahead_are_told() {
        let row = |tool: &str, both: Option<f64>| Row {
            objective: "ode".into(),
            size: "10 x 20".into(),
            tool: tool.into(),
            both,
            first_quartile: both.map(|b| 0.9 * b),
            third_quartile: both.map(|b| 1.1 * b),
            plain: Some(0.5),
            rounds: Some(5),
            peak_bytes: None,
            note: if both.is_some() {
                String::new()
            } else {
                "no way".into()
            },
        };
        let rows = [
            row("hand", Some(1.0)),
            row("reals", Some(3.0)),
            row("jax", Some(2.0)),
            row("echidna", None),
        ];
        let page = section(&rows).into_string();
        assert!(
            page.contains("<td class=\"best\">4.00 \u{b1} 10 %</td>"),
            "{page}"
        );
        assert!(
            page.contains("At 10 x 20, entape, reals takes 1.50 of JAX."),
            "{page}"
        );
        assert!(page.contains("no way"), "{page}");
    }
}
