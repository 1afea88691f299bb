//! Responses and poles, before and after, in one SVG file.
use crate::{Design, Filter};
use plotters::{coord::Shift, prelude::*};
use std::{error::Error, f64::consts::PI, path::Path};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Outcome = Result<(), Box<dyn Error>>;

const INK: RGBColor = RGBColor(40, 44, 52);
const GREY: RGBColor = RGBColor(150, 155, 165);
const BLUE: RGBColor = RGBColor(25, 95, 170);
const RED: RGBColor = RGBColor(190, 40, 50);

pub(crate) fn write(
    path: &Path,
    design: &Design,
    steps: &[Filter],
    found: &Filter,
    known: &Filter,
) -> Outcome {
    let root = SVGBackend::new(path, (1200, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(660);
    responses(&left, design, &steps[0], found)?;
    poles(&right, steps, found, known)?;
    root.present()?;
    Ok(())
}
fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}
fn line(points: Vec<(f64, f64)>, style: ShapeStyle) -> [PathElement<(f64, f64)>; 1] {
    [PathElement::new(points, style)]
}
fn decibels(strength: f64) -> f64 {
    10.0 * strength.log10()
}

fn responses(area: &Area<'_>, design: &Design, first: &Filter, found: &Filter) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption("Strength of a frequency", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..1.0, -80.0..10.0)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("frequency, as a part of the Nyquist frequency")
        .y_desc("decibels")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let at = |k: i32| f64::from(k) / 400.0;
    let curve = |strength: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (0..400)
            .map(|k| (at(k), decibels(strength(PI * at(k)))))
            .filter(|(_, y)| (-80.0..=10.0).contains(y))
            .collect()
    };
    chart
        .draw_series(line(curve(&|w| first.strength(w)), GREY.stroke_width(2)))?
        .label("at the start")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], GREY.stroke_width(2)));
    chart
        .draw_series(line(curve(&|w| found.strength(w)), BLUE.stroke_width(3)))?
        .label("found")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLUE.stroke_width(3)));
    let wanted = curve(&|w| design.wanted(w));
    chart
        .draw_series(
            wanted
                .iter()
                .step_by(8)
                .map(|&point| Circle::new(point, 4, RED.stroke_width(1))),
        )?
        .label("wanted")
        .legend(|(x, y)| Circle::new((x + 12, y), 4, RED.stroke_width(1)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .label_font(text(14))
        .border_style(GREY)
        .background_style(WHITE)
        .draw()?;
    Ok(())
}

fn poles(area: &Area<'_>, steps: &[Filter], found: &Filter, known: &Filter) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption("Poles", text(18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(50)
        .build_cartesian_2d(-1.1..1.1, -1.1..1.1)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("real part")
        .y_desc("imaginary part")
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let turn = (0..=120).map(|k| (PI * f64::from(k) / 60.0).sin_cos());
    chart.draw_series(line(turn.map(|(y, x)| (x, y)).collect(), INK.into()))?;
    for k in 0..known.poles.len() {
        for sign in [1.0, -1.0] {
            let way = steps.iter().map(|s| (s.poles[k].re, sign * s.poles[k].im));
            chart.draw_series(line(way.clone().collect(), GREY.stroke_width(1)))?;
            chart.draw_series(way.take(1).map(|at| Circle::new(at, 3, GREY.filled())))?;
            let pole = (found.poles[k].re, sign * found.poles[k].im);
            chart.draw_series([Cross::new(pole, 5, BLUE.stroke_width(2))])?;
            let pole = (known.poles[k].re, sign * known.poles[k].im);
            chart.draw_series([Circle::new(pole, 8, RED.stroke_width(1))])?;
        }
    }
    Ok(())
}
