//! The series and the result of the filter, in one SVG file.
use crate::{Estimate, Outcome, Series};
use plotters::prelude::*;
use std::path::Path;

const INK: RGBColor = RGBColor(40, 44, 52);
const GREY: RGBColor = RGBColor(150, 155, 165);
const BLUE: RGBColor = RGBColor(25, 95, 170);
const RED: RGBColor = RGBColor(190, 40, 50);
/// In standard deviations: nine of ten values of a normal distribution.
const NINE_OF_TEN: f64 = 1.645;

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
pub(crate) fn write(path: &Path, series: &Series, estimates: &[Estimate]) -> Outcome {
    let root = SVGBackend::new(path, (1000, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let edge = |e: &Estimate, by: f64| e.mean + by * e.variance.sqrt();
    let edges = estimates
        .iter()
        .flat_map(|e| [edge(e, -NINE_OF_TEN), edge(e, NINE_OF_TEN)]);
    let all = series.values.iter().copied().chain(edges);
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    let (first, last) = (series.times[0], series.times[series.times.len() - 1]);
    let mut chart = ChartBuilder::on(&root)
        .caption("The level behind the observations", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(first..last, low..high)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("year")
        .y_desc("flow in 10⁸ m³")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let along = |by: f64| {
        let values = estimates.iter().map(move |e| edge(e, by));
        series.times.iter().copied().zip(values)
    };
    let around: Vec<_> = along(NINE_OF_TEN)
        .chain(along(-NINE_OF_TEN).collect::<Vec<_>>().into_iter().rev())
        .collect();
    chart
        .draw_series([Polygon::new(around, BLUE.mix(0.15).filled())])?
        .label("where it is, nine times of ten")
        .legend(|(x, y)| Rectangle::new([(x, y - 5), (x + 24, y + 5)], BLUE.mix(0.15).filled()));
    chart
        .draw_series([PathElement::new(
            along(0.0).collect::<Vec<_>>(),
            BLUE.stroke_width(3),
        )])?
        .label("filtered level")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLUE.stroke_width(3)));
    let points = series
        .times
        .iter()
        .copied()
        .zip(series.values.iter().copied());
    chart.draw_series([PathElement::new(
        points.clone().collect::<Vec<_>>(),
        GREY.stroke_width(1),
    )])?;
    chart
        .draw_series(points.map(|at| Circle::new(at, 3, RED.stroke_width(1))))?
        .label("observed")
        .legend(|(x, y)| Circle::new((x + 12, y), 3, RED.stroke_width(1)));
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
