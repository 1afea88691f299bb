//! Source that is generic in its numbers, with lanes.
use approx::assert_abs_diff_eq;
use entape_simd::wide::f64x4;

#[test]
fn generic_source_computes_in_each_lane_what_it_computes_for_a_number() {
    use entape_core::{
        mode::Mode,
        real::{Elementary, RealKind, number},
    };

    fn f<K: RealKind, M: Mode>(
        x: entape_core::expr::Active<K, M>,
    ) -> entape_core::expr::Active<K, M> {
        (number(1.0) - x * x / number(3.0) + x.sqrt().max(number(0.5))).eval()
    }
    let mut tape = entape_core::tape::Tape::new();
    let numbers = [0.1, 0.7, 1.5, 3.0];
    let lanes = tape.input(f64x4::from(numbers));
    let singles = numbers.map(|x| tape.input(x));
    let (y, z) = tape.record(|| (f(lanes), singles.map(f)));
    assert_eq!(y.value().to_array(), z.map(|z| z.value()));
    tape.seed(&y, f64x4::splat(1.0)).unwrap();
    let x_b = tape.sweep().unwrap().wrt(&lanes).unwrap().to_array();
    for i in 0..4 {
        let slope = tape.gradient(&z[i]).unwrap().wrt(&singles[i]).unwrap();
        assert_abs_diff_eq!(x_b[i], slope, epsilon = 1e-15);
    }
}
