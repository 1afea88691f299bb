use approx::assert_relative_eq;
use entape_check::{assert_kind, assert_rule};
use entape_complex::{
    Complex as Variable, ComplexOps, Powers, RealOps,
    num_complex::{Complex, c64},
    op as complex,
};
use entape_core::{expr::Active, mode::Plain, op, real::Elementary, tape::Tape};
use entape_simd::{
    Complexx2, Complexx4, Realx4,
    lanes::complex::{
        C32x4, C64x2, ComplexLane, ComplexLaneMembers, ComplexLanesOps, ComplexReduceAdd, OnReals,
        RealLanesOps, from_parts, from_polar,
    },
    wide::{f32x4, f64x2, f64x4},
};

fn z() -> Complex<f64x2> {
    Complex::new(f64x2::new([0.7, -1.3]), f64x2::new([0.4, 0.9]))
}
fn w() -> Complex<f64x2> {
    Complex::new(f64x2::new([1.1, 0.6]), f64x2::new([-0.8, 0.5]))
}
fn x() -> f64x2 {
    f64x2::new([1.2, 0.3])
}

#[test]
fn complex_lanes_are_kinds() {
    assert_kind::<C64x2>(z());
    assert_kind::<C32x4>(Complex::new(f32x4::splat(1.5), f32x4::splat(-0.5)));
}

/// Lanes share code: one test for each pair of kinds.
#[test]
fn rules_agree_with_differences() {
    assert_rule(&op::Mul, (z(), w()));
    assert_rule(&op::Div, (z(), x()));
    assert_rule(&op::Mul, (x(), z()));
    assert_rule(&op::Div, (z(), 0.7));
    assert_rule(&op::Div, (0.7, z()));
    assert_rule(&op::Mul, (z(), c64(0.5, 1.5)));
    assert_rule(&op::Div, (c64(0.5, 1.5), z()));
    assert_rule(&op::Div, (x(), c64(0.5, 1.5)));
    assert_rule(&op::Mul, (c64(0.5, 1.5), x()));
    assert_rule(&op::MulAdd, (z(), w(), z()));
    assert_rule(&op::Exp, (z(),));
    assert_rule(&op::Powf, (z(), x()));
    assert_rule(&complex::Powc, (z(), w()));
    assert_rule(&complex::Powc, (z(), c64(0.5, 1.5)));
    assert_rule(&complex::Expf, (z(), x()));
    assert_rule(&complex::Expf, (z(), 0.7));
    assert_rule(&op::Abs, (z(),));
    assert_rule(&OnReals(complex::FromPolar), (x(), w().im));
    assert_rule(&ComplexLane { i: 1 }, (z(),));
    assert_rule(&ComplexReduceAdd, (z(),));
}

#[test]
fn programs_of_lanes_agree_with_programs_of_numbers() {
    let re = [0.3, -0.4, 1.5, 0.8];
    let im = [1.0, 0.2, -0.7, 0.1];
    let angle = [0.1, 0.9, 1.7, 2.5];
    let (t, c) = (0.75, c64(0.2, -1.1));

    let mut tape = Tape::new();
    let z: Complexx4 = tape.input(Complex::new(f64x4::new(re), f64x4::new(im)));
    let a: Realx4 = tape.input(f64x4::new(angle));
    let (time, factor) = (tape.input(t), tape.input(c));
    let y = tape.record(|| {
        let mut w = ((z * a.cis() + factor) / (z.conj() * time + 2.0)).eval();
        w += a * factor;
        w -= time;
        w *= w.exp() - a;
        w.update(|w| -(1.0 / w) + from_polar(a, time * a) * w.inv());
        (w.norm_sqr() + z.abs() * w.re() * w.im().sin()).eval()
    });
    let all = tape.record(|| y.reduce_add_of());
    let gradient = tape.gradient(&all).unwrap();
    let (z_b, a_b) = (gradient.wrt(&z).unwrap(), gradient.wrt(&a).unwrap());
    let (time_b, factor_b) = (gradient.wrt(&time).unwrap(), gradient.wrt(&factor).unwrap());

    let (mut time_sum, mut factor_sum) = (0.0, c64(0.0, 0.0));
    for i in 0..4 {
        let program = |(z, a, time, factor): (Variable, Active<f64>, Active<f64>, Variable)| {
            let mut w = ((z * a.cis() + factor) / (z.conj() * time + 2.0)).eval();
            w += a * factor;
            w -= time;
            w *= w.exp() - a;
            let polar = entape_complex::from_polar(a, time * a);
            w = (-(1.0 / w) + polar * w.inv()).eval();
            w.norm_sqr() + z.norm() * w.re() * w.im().sin()
        };
        let at = (c64(re[i], im[i]), angle[i], t, c);
        let (value, (z_i, a_i, time_i, factor_i)) =
            entape_drivers::value_and_gradient(program, at).unwrap();
        let close =
            |a: f64, b: f64| assert_relative_eq!(a, b, epsilon = 1e-13, max_relative = 1e-13);
        close(y.value().to_array()[i], value);
        close(z_b.re.to_array()[i], z_i.re);
        close(z_b.im.to_array()[i], z_i.im);
        close(a_b.to_array()[i], a_i);
        time_sum += time_i;
        factor_sum += factor_i;
    }
    assert_relative_eq!(time_b, time_sum, epsilon = 0.0, max_relative = 1e-12);
    assert!((factor_b - factor_sum).norm() < 1e-12 * factor_sum.norm());
}
trait Total {
    fn reduce_add_of(&self) -> Active<f64>;
}
impl Total for Realx4 {
    fn reduce_add_of(&self) -> Active<f64> {
        entape_simd::LanesOps::reduce_add(self).eval()
    }
}

#[test]
fn parts_and_single_lanes_are_places_and_operands() {
    let mut z: Complexx2<Plain> = Active::passive(self::z());
    z[C64x2::RE].assign(f64x2::splat(2.0));
    assert_eq!(z.value().re, f64x2::splat(2.0));
    assert_eq!(z.lane(1).eval(), c64(2.0, 0.9));
    assert_eq!(z.reduce_add().eval(), c64(4.0, 1.3));
    let x: Active<_, Plain> = Active::passive(x());
    assert_eq!(
        from_parts(x, x).arg().eval().value(),
        f64x2::splat(std::f64::consts::FRAC_PI_4)
    );
    assert_eq!(x.to_complex().l1_norm().eval().value(), x.value());
    assert_eq!(z.powu(2).eval().value(), z.powi(2).eval().value());
    let w: Variable<Plain> = Active::passive(c64(0.5, 1.5));
    let power = z.powc(w) * z.powc(z) + z.expf(x) - z.expf(2.0);
    let lane: Variable<Plain> = Active::passive(c64(2.0, 0.9));
    let of_lane = lane.powc(w) * lane.powc(lane) + lane.expf(0.3) - lane.expf(2.0);
    assert_eq!(power.lane(1).eval(), of_lane.eval().value());
}
#[test]
#[should_panic(expected = "the lane 2 is out of range for F64x2 with 2 lanes")]
fn a_lane_out_of_range_panics() {
    let z: Complexx2<Plain> = Active::passive(z());
    let _ = z.lane(2).eval();
}
