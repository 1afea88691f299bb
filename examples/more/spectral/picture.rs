//! The front at the first time, and its later distance from the truth, in one SVG file.
use crate::{DT, LENGTH, Measured, Outcome, POINTS, STEPS, TIMES, distance};
use entape::prelude::{Array, Plain};
use plotters::{coord::Shift, prelude::*};
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type States<'a> = &'a [Array<Plain>];

const INK: RGBColor = RGBColor(40, 44, 52);
const GREY: RGBColor = RGBColor(150, 155, 165);
const BLUE: RGBColor = RGBColor(25, 95, 170);
const RED: RGBColor = RGBColor(190, 40, 50);

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
pub(crate) fn write(
    path: &Path,
    measured: &Measured,
    truth: States<'_>,
    guess: States<'_>,
    found: States<'_>,
) -> Outcome {
    let root = SVGBackend::new(path, (1200, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(660);
    front(&left, measured, &truth[0], &found[0])?;
    errors(&right, measured.sigma, truth, guess, found)?;
    root.present()?;
    Ok(())
}
fn front(
    area: &Area<'_>,
    measured: &Measured,
    truth: &Array<Plain>,
    found: &Array<Plain>,
) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption("The front at the first time", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..LENGTH, -4.0..4.0)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("x")
        .y_desc("u")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let at = |i: usize| LENGTH * i as f64 / POINTS as f64;
    for (name, u, style) in [
        ("true", truth, RED.stroke_width(2)),
        ("found", found, BLUE.stroke_width(2)),
    ] {
        let points = u.get().iter().enumerate().map(|(i, u)| (at(i), *u));
        chart
            .draw_series([PathElement::new(points.collect::<Vec<_>>(), style)])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    let every = POINTS / measured.values[0].len();
    let points = measured.values[0].iter().enumerate();
    chart
        .draw_series(points.map(|(k, u)| Circle::new((at(every * k), *u), 4, INK.stroke_width(1))))?
        .label("measured")
        .legend(|(x, y)| Circle::new((x + 12, y), 4, INK.stroke_width(1)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .label_font(text(14))
        .border_style(GREY)
        .background_style(WHITE)
        .draw()?;
    Ok(())
}
fn errors(
    area: &Area<'_>,
    sigma: f64,
    truth: States<'_>,
    guess: States<'_>,
    found: States<'_>,
) -> Outcome {
    let time = |k: usize| (k * STEPS) as f64 * DT;
    let mut chart = ChartBuilder::on(area)
        .caption("The error over time", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..time(truth.len()), (0.0005..5.0).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("time; the grey line is that of the last measurement")
        .y_desc("root of the mean square")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let last = time(TIMES - 1);
    let edges = [(last, 0.0005), (last, 5.0)];
    chart.draw_series([PathElement::new(edges, GREY.stroke_width(1))])?;
    for (name, states, style) in [
        ("of the guess", guess, GREY.stroke_width(2)),
        ("of what was found", found, BLUE.stroke_width(2)),
    ] {
        let both = states.iter().zip(truth).enumerate();
        let points = both.map(|(k, (u, truth))| (time(k), distance(u.get(), truth.get())));
        chart
            .draw_series([PathElement::new(points.collect::<Vec<_>>(), style)])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    let style = INK.stroke_width(1);
    let edges = [(0.0, sigma), (time(truth.len()), sigma)];
    chart
        .draw_series([PathElement::new(edges, style)])?
        .label("of a measurement")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .label_font(text(14))
        .border_style(GREY)
        .background_style(WHITE)
        .draw()?;
    Ok(())
}
