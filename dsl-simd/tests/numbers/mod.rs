use entape_simd::LaneNumber;

pub(crate) fn points() -> Vec<f64> {
    let mut points = vec![
        f64::NAN,
        f64::INFINITY,
        0.0,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        f64::MAX,
        1e-40,
        4503599627370497.5,
    ];
    points.extend([
        709.5, 710.0, 745.0, 746.0, 88.5, 89.0, 103.9, 110.0, 1e5, 1e22,
    ]);
    points.extend((-300..=300).step_by(20).map(|e| 1.37 * 10_f64.powi(e)));
    points.extend((1..=40).map(|i| 0.25 * f64::from(i)));
    points.extend((1..=40).map(|i| 0.123 * f64::from(i) + 1e-3));
    points.extend((1..=40).map(|i| std::f64::consts::FRAC_PI_2 * f64::from(i * i)));
    points.extend((0..200).map(|i| (f64::from(i) * 7.13).sin() * 20.0));
    points.extend((0..100).map(|i| (f64::from(i) * 3.1).sin() * 700.0));
    let negative: Vec<_> = points.iter().map(|x| -x).collect();
    points.extend(negative);
    points
}

/// Every `step`-th of these; fewer on a slow emulator (`.ci/processors`).
pub(crate) fn some_points(step: usize) -> Vec<f64> {
    let all = points().into_iter();
    match std::env::var_os("ENTAPE_FEW_CASES") {
        Some(_) => {
            let few = all.enumerate().filter(|(i, _)| *i < 9 || i % 20 == 0);
            few.map(|(_, x)| x).collect()
        }
        None => all.step_by(step).collect(),
    }
}

/// The number of floating-point numbers between `a` and `b`; `None` if exactly one is NaN.
pub(crate) fn distance<T: LaneNumber>(a: T, b: T) -> Option<i64> {
    let order = |x: T| {
        let bits = if T::DOUBLE {
            x.double().to_bits() as i64
        } else {
            i64::from((x.double() as f32).to_bits() as i32) << 32
        };
        if bits < 0 {
            i64::MIN.wrapping_sub(bits)
        } else {
            bits
        }
    };
    match (a.double().is_nan(), b.double().is_nan()) {
        (true, true) => Some(0),
        (false, false) => {
            Some((order(a).abs_diff(order(b)) >> if T::DOUBLE { 0 } else { 32 }) as i64)
        }
        _ => None,
    }
}
