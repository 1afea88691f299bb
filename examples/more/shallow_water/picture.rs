//! The true bottom and the bottom found, in one SVG file.
use crate::{Bay, Outcome};
use plotters::{coord::Shift, prelude::*};
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const INK: RGBColor = RGBColor(40, 44, 52);
const SQUARES: usize = 64;

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
fn colour(part: f64) -> RGBColor {
    let stops = [(236, 221, 170), (120, 190, 190), (25, 70, 130)];
    let place = 2.0 * part.clamp(0.0, 1.0);
    let (from, to) = if place < 1.0 { (0, 1) } else { (1, 2) };
    let between = |a: u8, b: u8| {
        let part = place - from as f64;
        (f64::from(a) + part * (f64::from(b) - f64::from(a))) as u8
    };
    let (a, b) = (stops[from], stops[to]);
    RGBColor(between(a.0, b.0), between(a.1, b.1), between(a.2, b.2))
}

pub(crate) fn write(path: &Path, bay: &Bay, truth: &[f64], found: &[f64]) -> Outcome {
    let root = SVGBackend::new(path, (1000, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(450);
    let (middle, scale) = right.split_horizontally(450);
    let (low, high) = truth
        .iter()
        .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), &d| {
            (low.min(d), high.max(d))
        });
    let part = |d: f64| (d - low) / (high - low);
    map(&left, "The bottom as it is", bay, truth, part)?;
    map(&middle, "as found; dots are gauges", bay, found, part)?;
    let mut chart = ChartBuilder::on(&scale)
        .margin(14)
        .margin_top(48)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..1.0, low..high)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_x_axis()
        .y_desc("depth in metres")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(14))
        .draw()?;
    let step = (high - low) / SQUARES as f64;
    chart.draw_series((0..SQUARES).map(|i| {
        let d = low + i as f64 * step;
        Rectangle::new([(0.0, d), (1.0, d + step)], colour(part(d)).filled())
    }))?;
    root.present()?;
    Ok(())
}
fn map(
    area: &Area<'_>,
    name: &str,
    bay: &Bay,
    depth: &[f64],
    part: impl Fn(f64) -> f64,
) -> Outcome {
    let side = 120.0;
    let mut chart = ChartBuilder::on(area)
        .caption(name, text(17))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(46)
        .build_cartesian_2d(0.0..side, 0.0..side)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("kilometres; the sea is in the south")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(14))
        .draw()?;
    let squares = SQUARES.min(bay.cells);
    let width = side / squares as f64;
    chart.draw_series((0..squares * squares).map(|k| {
        let [i, j] = [k % squares, k / squares];
        let [x, y] = [i, j].map(|i| i as f64 * width);
        let [column, row] = [i, j].map(|i| i * bay.cells / squares);
        let d = depth[column + row * bay.cells];
        Rectangle::new([(x, y), (x + width, y + width)], colour(part(d)).filled())
    }))?;
    let dots = bay
        .gauges()
        .map(|(x, y)| Circle::new((side * x, side * y), 1, INK.filled()));
    chart.draw_series(dots)?;
    Ok(())
}
