//! Charts of lines, points and bands, side by side in one SVG file.
use crate::Outcome;
pub use plotters::style::RGBColor;
use plotters::{coord::Shift, prelude::*};
use std::path::Path;

pub const INK: RGBColor = RGBColor(40, 44, 52);
pub const GREY: RGBColor = RGBColor(150, 155, 165);
pub const BLUE: RGBColor = RGBColor(25, 95, 170);
pub const RED: RGBColor = RGBColor(190, 40, 50);
pub const GREEN: RGBColor = RGBColor(60, 130, 60);
pub const ORANGE: RGBColor = RGBColor(215, 130, 30);

#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// As a line of this width from one to the next.
    Line(u32),
    /// Each as a circle of this radius.
    Points(i32),
    /// As the edge of an area, which is filled.
    Area,
    /// Each two as the ends of a line of this width.
    Segments(u32),
}
pub struct Layer {
    /// Their name in the legend; omitted if empty.
    pub name: &'static str,
    pub colour: RGBColor,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
}
impl Layer {
    pub fn new(
        name: &'static str,
        colour: RGBColor,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().collect();
        Layer {
            name,
            colour,
            mark,
            points,
        }
    }
    /// Creates the area between two curves over common places.
    pub fn band(name: &'static str, colour: RGBColor, places: &[f64], edges: [&[f64]; 2]) -> Self {
        let [along, back] = edges.map(|edge| points(places, edge));
        let around = along.into_iter().chain(back.into_iter().rev());
        Layer::new(name, colour, Mark::Area, around)
    }
}
pub fn points(places: &[f64], heights: &[f64]) -> Vec<(f64, f64)> {
    places
        .iter()
        .copied()
        .zip(heights.iter().copied())
        .collect()
}
/// Returns the points of a curve that is constant in slices of this width.
pub fn slices(width: f64, heights: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let ends = |(k, height)| [k, k + 1].map(|end: usize| (end as f64 * width, height));
    heights.enumerate().flat_map(ends).collect()
}
pub struct Chart<'c> {
    pub title: &'c str,
    pub x: &'c str,
    pub y: &'c str,
    /// The layers, from back to front.
    pub layers: Vec<Layer>,
    pub legend: SeriesLabelPosition,
}
impl<'c> Chart<'c> {
    pub fn new(title: &'c str, [x, y]: [&'c str; 2], legend: Legend, layers: Vec<Layer>) -> Self {
        Chart {
            title,
            x,
            y,
            layers,
            legend,
        }
    }
}
pub use plotters::chart::SeriesLabelPosition as Legend;

/// Draws charts side by side, each with this size in pixels, and reports the file.
pub fn draw(path: &Path, (width, height): (u32, u32), charts: &[Chart<'_>]) -> Outcome {
    let root = SVGBackend::new(path, (width * charts.len() as u32, height)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, chart) in root.split_evenly((1, charts.len())).iter().zip(charts) {
        one(area, chart)?;
    }
    root.present()?;
    println!("picture {}", path.display());
    Ok(())
}
fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
fn short(x: &f64) -> String {
    let rounded = (x * 1e4).round() / 1e4;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}
fn range(numbers: impl Iterator<Item = f64>, margin: f64) -> Outcome<std::ops::Range<f64>> {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    if !(low.is_finite() && high.is_finite()) {
        return Err("a chart has points, all of which are finite".into());
    }
    let margin = (margin * (high - low)).max(1e-9);
    Ok(low - margin..high + margin)
}
fn one(area: &DrawingArea<SVGBackend<'_>, Shift>, chart: &Chart<'_>) -> Outcome {
    let points = || chart.layers.iter().flat_map(|layer| &layer.points);
    let across = range(points().map(|p| p.0), 0.01)?;
    let mut up = range(points().map(|p| p.1), 0.04)?;
    let named = chart.layers.iter().filter(|layer| !layer.name.is_empty());
    up.end += 0.07 * named.count() as f64 * (up.end - up.start);
    let mut canvas = ChartBuilder::on(area)
        .caption(chart.title, text(17))
        .margin(14)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(across, up)?;
    canvas
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(chart.x)
        .y_desc(chart.y)
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(14))
        .draw()?;
    for layer in &chart.layers {
        let Layer {
            name,
            colour,
            mark,
            points,
        } = layer;
        let colour = *colour;
        let drawn = match *mark {
            Mark::Line(width) => {
                let line = PathElement::new(points.clone(), colour.stroke_width(width));
                canvas.draw_series([line])?
            }
            Mark::Segments(width) => canvas.draw_series(
                points
                    .chunks_exact(2)
                    .map(|ends| PathElement::new(ends.to_vec(), colour.stroke_width(width))),
            )?,
            Mark::Area => {
                canvas.draw_series([Polygon::new(points.clone(), colour.mix(0.2).filled())])?
            }
            Mark::Points(radius) => canvas.draw_series(
                points
                    .iter()
                    .map(|&at| Circle::new(at, radius, colour.filled())),
            )?,
        };
        if name.is_empty() {
            continue;
        }
        let drawn = drawn.label(*name);
        match *mark {
            Mark::Points(radius) => {
                drawn.legend(move |(x, y)| Circle::new((x + 12, y), radius, colour.filled()))
            }
            Mark::Area => drawn.legend(move |(x, y)| {
                Rectangle::new([(x, y - 5), (x + 24, y + 5)], colour.mix(0.2).filled())
            }),
            Mark::Line(width) | Mark::Segments(width) => drawn.legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(width))
            }),
        };
    }
    if chart.layers.iter().any(|layer| !layer.name.is_empty()) {
        canvas
            .configure_series_labels()
            .position(chart.legend.clone())
            .label_font(text(13))
            .border_style(GREY)
            .background_style(WHITE.mix(0.85))
            .draw()?;
    }
    Ok(())
}
