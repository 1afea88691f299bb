use crate::{
    goals::Goal,
    mixture,
    plan::{self, Family},
    results::{Row, Status},
    scaling::Scaled,
    users,
};
use maud::{Markup, html};

pub(super) fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1_u64 << 30) as f64
}
pub(super) fn digits(x: f64) -> String {
    match x.abs() {
        a if a >= 100.0 => format!("{x:.0}"),
        a if a >= 10.0 => format!("{x:.1}"),
        a if a >= 0.1 => format!("{x:.2}"),
        _ => format!("{x:.2e}"),
    }
}
pub(crate) fn label(tool: &str) -> &str {
    plan::tool_of(tool).map_or(tool, |tool| tool.label)
}
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Measured => "measured",
        Status::Wrong => "wrong gradient, not timed",
        Status::LeftOut => "left out",
        Status::TooSlow => "too slow",
        Status::Failed => "failed",
    }
}
fn in_order<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn mixture(rows: &[mixture::Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let least = |points: usize| {
        let of = rows.iter().filter(|row| row.points == points);
        of.map(mixture::Row::both).min_by(f64::total_cmp)
    };
    let ms = |seconds: Option<f64>| seconds.map_or(String::new(), |s| digits(1e3 * s));
    html! {
        h2 id="mixture" { "Second derivatives: the Hessian of a mixture of Gaussians with 100 parameters" }
        p {
            "Ten components of dimension 3. All Hessians were compared before timing. entape and ADOL-C record and sweep; num-dual and JAX need \
             one call. The time of JAX excludes compilation."
        }
        table {
            tr { @for name in ["tool", "points", "recording, ms", "second derivatives, ms", "both, ms", "over the plain program", "peak, MB"] { th { (name) } } }
            @for row in rows {
                tr {
                    td { (mixture::label(&row.tool)) }
                    td { (row.points) }
                    td { (ms(row.record)) }
                    td { (ms(row.record.map(|_| row.sweeps))) }
                    td class=[(Some(row.both()) == least(row.points)).then_some("best")] { (ms(Some(row.both()))) }
                    td { (digits(row.both() / row.plain)) }
                    td { (row.peak_bytes.map_or(String::new(), |bytes| digits(bytes as f64 / 1e6))) }
                }
            }
        }
    }
}

pub(super) fn users(rows: &[users::Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    html! {
        h2 id="users" { "Programs of users" }
        p {
            "Programs with entape's entities as users write them, in five fields. The plain programs use f64 and nalgebra. Values were compared \
             with those of the plain programs, and gradients with differences."
        }
        table {
            tr {
                th { "program" } th { "inputs" } th { "plain, us" } th { "mode Plain over plain" }
                th { "value and gradient over plain" }
            }
            @for row in rows {
                tr {
                    td { (row.program) } td { (row.inputs) } td { (digits(1e6 * row.plain)) }
                    td { (digits(row.mode / row.plain)) } td { (digits(row.gradient / row.plain)) }
                }
            }
        }
    }
}

/// A figure over the sizes, with a line for each tool; the best AD tool at each size is highlighted.
pub(super) fn over_sizes(rows: &[Row], value: impl Fn(&Row) -> Option<f64>) -> Markup {
    let sizes = in_order(rows.iter().map(|row| row.n));
    let tools = plan::TOOLS.iter().filter(|tool| {
        tool.family != Family::Plain && rows.iter().any(|row| row.tool == tool.name)
    });
    let at =
        |tool: &plan::Tool, n: usize| rows.iter().find(|row| row.tool == tool.name && row.n == n);
    let least = |n: usize| {
        let ad = tools.clone().filter(|tool| tool.family != Family::Hand);
        ad.filter_map(|tool| value(at(tool, n)?))
            .min_by(f64::total_cmp)
    };
    html! {
        table {
            tr { th {} @for n in &sizes { th { (n) } } }
            @for tool in tools.clone() {
                tr {
                    td { (tool.label) }
                    @for &n in &sizes {
                        @match at(tool, n).map(|row| (row, value(row))) {
                            Some((_, Some(x))) => {
                                td class=[(least(n) == Some(x) && tool.family != Family::Hand).then_some("best")] {
                                    (digits(x))
                                }
                            }
                            Some((row, None)) if row.status != Status::Measured => {
                                td class="none" title=(row.note) { (status(row.status)) }
                            }
                            _ => td class="none" { "-" }
                        }
                    }
                }
            }
        }
    }
}
pub(super) fn streams(rows: &[Row]) -> Markup {
    html! {
        table {
            tr {
                th { "tool" } th { "n" } th { "handles" } th { "sizes" } th { "blocks" } th { "primal values" }
                th { "adjoints" } th { "values' own memory" } th { "all" }
            }
            @for row in rows.iter().filter(|row| row.tape_bytes().is_some()) {
                tr {
                    td { (label(&row.tool)) } td { (row.n) }
                    @for bytes in [
                        row.handle_bytes, row.size_bytes, row.block_bytes, row.primal_bytes, row.adjoint_bytes,
                        row.value_bytes, row.tape_bytes(),
                    ] {
                        td { (digits(row.per_step(bytes.unwrap_or(0) as f64))) }
                    }
                }
            }
        }
    }
}
/// The others are compared with the first point.
pub(super) fn scaling(points: &[&Scaled]) -> Markup {
    let first = points.first().map_or(1.0, |first| first.warm());
    html! {
        table {
            tr {
                th { "statements" } th { "live" } th { "tape, MB" } th { "bytes" } th { "plain, ns" } th { "recording, ns" }
                th { "reversal, ns" } th { "first run, ns" } th { "fresh pages, ns" } th { "over the first" }
            }
            @for s in points {
                tr {
                    td { (s.statements) } td { (s.live) } td { (digits(s.tape_bytes as f64 / 1e6)) } td { (digits(s.bytes)) }
                    td { (digits(s.plain)) } td { (digits(s.record)) } td { (digits(s.reverse)) } td { (digits(s.cold())) } td { (digits(s.pages)) }
                    td { (digits(s.warm() / first)) }
                }
            }
        }
    }
}

pub(super) fn goals(all: &[Goal]) -> Markup {
    html! {
        table {
            tr { th { "program" } th class="left" { "figure" } th { "limit" } th { "measured" } }
            @for goal in all {
                tr {
                    td { (goal.program) } td class="left" { (goal.figure) }
                    td { @if goal.at_least { "at least " } (digits(goal.limit)) }
                    td class=[(!goal.is_reached()).then_some("best")] { (digits(goal.measured)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluation_worker::Program;

    #[test]
    fn the_least_of_the_ad_tools_stands_out() {
        let row = |tool: &str, reverse: f64| Row {
            plain: Some(1.0),
            reverse: Some(reverse),
            ..Row::new(Program::T1, 100, 1, tool, Status::Measured)
        };
        let left_out =
            Row::new(Program::T1, 200, 1, "reals", Status::LeftOut).with_note("too large");
        let rows = [
            row("hand", 2.0),
            row("entities", 3.0),
            row("reals", 400.0),
            left_out,
        ];
        let table = over_sizes(&rows, Row::factor).into_string();
        assert!(table.contains("<td class=\"best\">3.00</td>"), "{table}");
        assert!(
            table.contains("<td>2.00</td>") && table.contains("<td>400</td>"),
            "{table}"
        );
        assert!(
            table.contains("title=\"too large\">left out</td>"),
            "{table}"
        );
    }
}
