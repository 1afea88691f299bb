//! A figure as an SVG picture: logarithmic axes, a line for each tool with its name at its end.
use super::figures::{Figure, Line};
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

const SIZE: (u32, u32) = (680, 400);
const NAMES: u32 = 190;
const LINE_HEIGHT: i32 = 15;
const INK: RGBColor = RGBColor(40, 44, 52);

type Drawn<T = ()> = Result<T, Box<dyn std::error::Error>>;

pub(crate) fn svg(figure: &Figure) -> Drawn<String> {
    let mut source = String::new();
    {
        let root = SVGBackend::with_string(&mut source, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root, figure)?;
        root.present()?;
    }
    Ok(source)
}
fn draw(root: &DrawingArea<SVGBackend<'_>, Shift>, figure: &Figure) -> Drawn {
    let text = |size: i32| ("sans-serif", size).into_font().color(&INK);
    let Some(((x0, x1), (y0, y1))) = bounds(&figure.lines) else {
        return Ok(());
    };
    let mut chart = ChartBuilder::on(root)
        .caption(&figure.title, text(17))
        .margin(8)
        .margin_right(NAMES)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d((x0..x1).log_scale(), (y0..y1).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(RGBColor(238, 238, 238))
        .bold_line_style(RGBColor(215, 215, 215))
        .x_desc(&figure.x_axis)
        .y_desc(&figure.y_axis)
        .axis_style(INK)
        .label_style(text(12))
        .axis_desc_style(text(14))
        .x_label_formatter(&short)
        .y_label_formatter(&short)
        .draw()?;
    let best = figure.winner().map(|winner| winner.label);
    let mut ends = Vec::new();
    for line in &figure.lines {
        let [r, g, b] = line.colour;
        let colour = RGBColor(r, g, b);
        let width = if best == Some(line.label) { 4 } else { 2 };
        let style = colour.stroke_width(width);
        if line.is_yardstick() {
            chart.draw_series(DashedLineSeries::new(
                line.points.iter().copied(),
                5,
                3,
                style,
            ))?;
        } else {
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
        }
        chart.draw_series(
            line.points
                .iter()
                .map(|&point| Circle::new(point, width + 1, colour.filled())),
        )?;
        if let Some(end) = line.points.last() {
            ends.push((chart.backend_coord(end), line, colour));
        }
    }
    let wanted: Vec<i32> = ends.iter().map(|((_, y), ..)| *y).collect();
    let left = (SIZE.0 - NAMES) as i32;
    for ((end, line, colour), y) in ends.into_iter().zip(spread(&wanted, LINE_HEIGHT)) {
        let style = if best == Some(line.label) {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let font = FontDesc::new(FontFamily::SansSerif, 13.0, style).color(&colour);
        let font = font.pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&PathElement::new(
            vec![(end.0 + 4, end.1), (left + 2, y)],
            colour.mix(0.45),
        ))?;
        root.draw(&Text::new(line.label, (left + 5, y), font))?;
    }
    Ok(())
}
fn bounds(lines: &[Line]) -> Option<((f64, f64), (f64, f64))> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let all = || lines.iter().flat_map(|line| &line.points).map(of);
        let (least, most) = (all().min_by(f64::total_cmp)?, all().max_by(f64::total_cmp)?);
        Some((least, most))
    };
    let ((x0, x1), (y0, y1)) = (range(|p| p.0)?, range(|p| p.1)?);
    Some(((x0 * 0.9, x1 * 1.05), (y0 / 1.5, y1 * 1.5)))
}
/// Positions in the given order, as near as possible to the wanted ones with a distance of at least `gap`.
fn spread(wanted: &[i32], gap: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| wanted[i]);
    // groups that touch are placed around the mean of their wanted positions: first index in `order`, count, sum of
    // wanted
    let mut groups: Vec<(usize, i32, i32)> = Vec::new();
    let top = |&(_, count, sum): &(usize, i32, i32)| sum / count - gap * (count - 1) / 2;
    for (place, &i) in order.iter().enumerate() {
        groups.push((place, 1, wanted[i]));
        while let [.., before, last] = &groups[..]
            && top(last) < top(before) + gap * before.1
        {
            let joined = (before.0, before.1 + last.1, before.2 + last.2);
            groups.truncate(groups.len() - 2);
            groups.push(joined);
        }
    }
    let mut positions = vec![0; wanted.len()];
    for group in &groups {
        for k in 0..group.1 {
            positions[order[group.0 + k as usize]] = top(group) + k * gap;
        }
    }
    positions
}
fn short(x: &f64) -> String {
    match *x {
        x if x >= 1e6 => format!("{:.0e}", x),
        x if x >= 1.0 => format!("{}", (x * 10.0).round() / 10.0),
        x if x >= 0.001 => format!("{}", (x * 1e4).round() / 1e4),
        x => format!("{x:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Family;

    #[test]
    fn names_keep_their_order_and_do_not_overlap() {
        for wanted in [
            vec![],
            vec![5],
            vec![10, 10, 10],
            vec![100, 3, 50, 52, 4, 101],
            vec![0, 15, 16, 40],
        ] {
            let got = spread(&wanted, 15);
            for (i, a) in wanted.iter().enumerate() {
                for (j, b) in wanted.iter().enumerate().skip(i + 1) {
                    assert!((got[i] - got[j]).abs() >= 15, "{wanted:?} -> {got:?}");
                    assert!(
                        a == b || (a < b) == (got[i] < got[j]),
                        "{wanted:?} -> {got:?}"
                    );
                }
            }
        }
        assert_eq!(spread(&[10, 50, 90], 15), [10, 50, 90]);
        assert_eq!(spread(&[50, 50], 16), [42, 58]);
    }
    #[test]
    fn a_picture_names_its_tools() {
        let line = |label, y| Line {
            label,
            colour: [200, 0, 0],
            family: Family::Entape,
            points: vec![(100.0, y), (1000.0, 30.0 * y)],
        };
        let figure = Figure {
            title: "T1: recording time".into(),
            x_axis: "n".into(),
            y_axis: "ms".into(),
            lines: vec![line("one", 1.0), line("two", 2.0)],
            ranked: true,
        };
        let svg = svg(&figure).unwrap();
        for text in ["T1: recording time", "one", "two", "</svg>"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("http://") || svg.contains("http://www.w3.org"));
    }
}
