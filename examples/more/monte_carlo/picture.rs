//! The errors over the number of paths, in one SVG file.
use crate::Known;
use entape_programs::option::Greeks;
use plotters::prelude::*;
use std::{error::Error, path::Path};

const INK: RGBColor = RGBColor(40, 44, 52);
const GREY: RGBColor = RGBColor(150, 155, 165);
const COLOURS: [RGBColor; 6] = [
    RGBColor(40, 44, 52),
    RGBColor(25, 95, 170),
    RGBColor(190, 40, 50),
    RGBColor(30, 140, 80),
    RGBColor(205, 130, 20),
    RGBColor(120, 70, 160),
];

fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

pub(crate) fn write(path: &Path, known: &[Known], exact: &Greeks) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (960, 600)).into_drawing_area();
    root.fill(&WHITE)?;
    let paths = |k: &Known| k.paths as f64;
    let (first, last) = (paths(&known[0]), known.last().map_or(1.0, paths));
    let mut chart = ChartBuilder::on(&root)
        .caption("Relative error of price and Greeks", text(20))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(70)
        .build_cartesian_2d((first..last).log_scale(), (1e-7..1e-1).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("paths")
        .y_desc("relative error")
        .x_label_formatter(&|x| format!("{x:.0e}"))
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .axis_style(INK)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .draw()?;
    let root_law = known.iter().map(|k| (paths(k), 1.0 / paths(k).sqrt()));
    chart
        .draw_series([PathElement::new(
            root_law.collect::<Vec<_>>(),
            GREY.stroke_width(3),
        )])?
        .label("1 / √paths")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], GREY.stroke_width(3)));
    for (i, (name, want)) in exact.list().into_iter().enumerate() {
        let error = |k: &Known| (k.mean.list()[i].1 / want - 1.0).abs().clamp(1e-7, 1e-1);
        let line: Vec<_> = known.iter().map(|k| (paths(k), error(k))).collect();
        let style = COLOURS[i].stroke_width(2);
        chart
            .draw_series([PathElement::new(line, style)])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .label_font(text(14))
        .border_style(GREY)
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
}
