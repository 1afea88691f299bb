//! The decrease of the gradient over time, in an SVG file.
use crate::Outcome;
use plotters::prelude::*;
use std::path::Path;

const INK: RGBColor = RGBColor(40, 44, 52);
const GREY: RGBColor = RGBColor(150, 155, 165);
const BLUE: RGBColor = RGBColor(25, 95, 170);
const RED: RGBColor = RGBColor(190, 40, 50);

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
pub(crate) fn write(path: &Path, slow: &[(f64, f64)], fast: &[(f64, f64)]) -> Outcome {
    let root = SVGBackend::new(path, (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let all = || slow.iter().chain(fast);
    let last = all().fold(0.0, |last: f64, (seconds, _)| last.max(*seconds));
    let norms = all().map(|(_, norm)| norm.max(1e-16));
    let (low, high) = norms.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), norm| {
        (low.min(norm), high.max(norm))
    });
    let mut chart = ChartBuilder::on(&root)
        .caption("A film of least area", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..1.02 * last, (0.5 * low..2.0 * high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("seconds")
        .y_desc("norm of the gradient")
        .y_label_formatter(&|norm| format!("{norm:.0e}"))
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let methods = [
        ("L-BFGS", RED, slow),
        ("trust region, Hessian-vector products", BLUE, fast),
    ];
    for (name, color, steps) in methods {
        let at = |&(seconds, norm): &(f64, f64)| (seconds, norm.max(1e-16));
        chart
            .draw_series([PathElement::new(
                steps.iter().map(at).collect::<Vec<_>>(),
                color.stroke_width(2),
            )])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], color.stroke_width(2)));
        chart.draw_series(
            steps
                .iter()
                .map(|step| Circle::new(at(step), 3, color.filled())),
        )?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(text(14))
        .border_style(GREY)
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
}
