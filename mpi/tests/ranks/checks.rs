//! Comparisons.

#[track_caller]
pub fn assert_close(what: &str, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "{what}: {a:?} for {b:?}");
    let size = b.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-10 * size, "{what}: {a:?} for {b:?}");
    }
}
