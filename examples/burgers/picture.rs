//! The gradient with respect to the two initial fields, as colour maps in one SVG file.
use entape_programs::burgers::{Fields, Grid};
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use std::{error::Error, path::Path};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Outcome = Result<(), Box<dyn Error>>;

/// More cells along a side are averaged in blocks.
const CELLS: usize = 160;
/// Colours on each side of zero.
const LEVELS: i32 = 12;
const INK: RGBColor = RGBColor(40, 44, 52);

pub(crate) fn write(path: &Path, grid: Grid, gradient: &Fields<f64>) -> Outcome {
    let root = SVGBackend::new(path, (1260, 590)).into_drawing_area();
    root.fill(&WHITE)?;
    let text = |size: i32| ("sans-serif", size).into_font().color(&INK);
    let middle = text(22).pos(Pos::new(HPos::Center, VPos::Top));
    let title = format!("Gradient of the squared norm after {} steps", grid.steps);
    root.draw(&Text::new(title, (630, 16), middle))?;
    let (_, below) = root.split_vertically(46);
    let (left, right) = below.split_horizontally(630);
    panel(&left, grid, "with respect to the initial u", &gradient.u)?;
    panel(&right, grid, "with respect to the initial v", &gradient.v)?;
    root.present()?;
    Ok(())
}

fn panel(area: &Area<'_>, grid: Grid, caption: &str, field: &[f64]) -> Outcome {
    let (cells, values) = coarsened(grid.n, field);
    // a common bound for both signs, so that white is zero
    let bound = values
        .iter()
        .fold(f64::MIN_POSITIVE, |bound, x| bound.max(x.abs()));
    let text = |size: i32| ("sans-serif", size).into_font().color(&INK);
    let (map, scale) = area.split_horizontally(520);

    let mut chart = ChartBuilder::on(&map)
        .caption(caption, text(17))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    let at = |k: usize| k as f64 / cells as f64;
    for (j, row) in values.chunks(cells).enumerate() {
        // neighbours of equal colour are one rectangle
        let mut start = 0;
        for run in row.chunk_by(|a, b| level(*a, bound) == level(*b, bound)) {
            let end = start + run.len();
            let colour = colour(level(run[0], bound));
            chart.draw_series([Rectangle::new(
                [(at(start), at(j)), (at(end), at(j + 1))],
                colour.filled(),
            )])?;
            start = end;
        }
    }
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("x")
        .y_desc("y")
        .x_labels(6)
        .y_labels(6)
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;

    let mut legend = ChartBuilder::on(&scale)
        .margin_left(8)
        .margin_top(36)
        .margin_bottom(54)
        .margin_right(12)
        .right_y_label_area_size(58)
        .build_cartesian_2d(0.0..1.0, -bound..bound)?;
    legend.draw_series((-LEVELS..LEVELS).map(|l| {
        let y = |l: i32| bound * f64::from(l) / f64::from(LEVELS);
        Rectangle::new([(0.0, y(l)), (1.0, y(l + 1))], colour(l).filled())
    }))?;
    legend
        .configure_mesh()
        .disable_mesh()
        .disable_x_axis()
        .y_labels(9)
        .axis_style(INK)
        .label_style(text(13))
        .y_label_formatter(&|y| match y {
            y if y.abs() < 1e-9 * bound => "0".into(),
            y if bound < 0.05 => format!("{y:.1e}"),
            y => format!("{y:.2}"),
        })
        .draw()?;
    Ok(())
}

/// The field on at most [`CELLS`] cells along a side: their number, and the mean of each.
fn coarsened(n: usize, field: &[f64]) -> (usize, Vec<f64>) {
    let cells = n.min(CELLS);
    let points = |k: usize| k * n / cells..(k + 1) * n / cells;
    let mean = |i: usize, j: usize| {
        let all = points(j).flat_map(|j| points(i).map(move |i| field[i + j * n]));
        all.sum::<f64>() / (points(i).len() * points(j).len()) as f64
    };
    (
        cells,
        (0..cells * cells)
            .map(|c| mean(c % cells, c / cells))
            .collect(),
    )
}
/// From `-LEVELS` to `LEVELS - 1`; the levels -1 and 0 meet at zero.
fn level(value: f64, bound: f64) -> i32 {
    ((value / bound * f64::from(LEVELS)).floor() as i32).clamp(-LEVELS, LEVELS - 1)
}
/// From blue over white to red.
fn colour(level: i32) -> RGBColor {
    const STOPS: [[f64; 3]; 5] = [
        [25., 75., 150.],
        [110., 170., 215.],
        [247., 247., 247.],
        [240., 150., 110.],
        [165., 15., 40.],
    ];
    let position = f64::from(2 * (level + LEVELS) + 1) / f64::from(4 * LEVELS) * 4.0;
    let (stop, part) = (position as usize, position.fract());
    let [r, g, b] =
        [0, 1, 2].map(|c| (STOPS[stop][c] * (1.0 - part) + STOPS[stop + 1][c] * part) as u8);
    RGBColor(r, g, b)
}
