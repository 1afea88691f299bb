use approx::assert_abs_diff_eq;
use entape_check::assert_expression;
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Mode, Plain, Reuse, Taped},
    real::{Elementary, Reals},
    tape::Tape,
};
use entape_drivers::{gradient, jacobian};
use entape_simd::{
    Compare, F32x8, GatherOps, LanesOps, Mask, Real32x8, Realx2, Realx4, SplatOps,
    wide::{f32x8, f64x2, f64x4},
};

type Real<M = Taped> = Active<f64, M>;

const V: f64x4 = f64x4::new([0.7, -0.4, 1.3, 2.1]);
const W: f64x4 = f64x4::new([1.5, 0.3, -2.2, 0.8]);
const C: f64x4 = f64x4::new([2.0, -1.0, 0.5, 3.0]);

#[test]
fn expressions_take_every_pair_of_operands() {
    fn program<M: AnyMode>(v: &Realx4<M>, w: &Realx4<M>, x: &Real<M>) -> Realx4<M> {
        let c = || constant(C);
        let (a, b) = ((v + w) * (v - x), (x - v) / (w * 2.0));
        let (d, e) = ((1.5 + v) * (3.0 - w), (2.0 / w) % (v / 0.5));
        let (f, g) = (c() * v + w * C - c() / x, x * c() + 2.0 * c());
        let by_reference = &C;
        let h = -(v - by_reference);
        (a * b + d * e - f / g + -h).eval()
    }
    let x = 1.7;
    let plain = {
        let (a, b) = ((V + W) * (V - x), (x - V) / (W * 2.0));
        let (d, e) = ((1.5 + V) * (3.0 - W), (2.0 / W) % (V / 0.5));
        let (f, g) = (C * V + W * C - C / x, x * C + 2.0 * C);
        a * b + d * e - f / g + (V - C)
    };
    let [v, w] = [V, W].map(Realx4::<Plain>::passive);
    assert_eq!(program(&v, &w, &Active::passive(x)).value(), plain);
    let mut tape = Tape::new();
    let (v, w, x) = (tape.input(V), tape.input(W), tape.input(x));
    let before = tape.statistics().statements;
    let y = tape.record(|| program(&v, &w, &x));
    assert_eq!(y.value(), plain);
    assert_eq!(tape.statistics().statements - before, 1);
    let f = |(v, w, x): (Realx4, Realx4, Real)| program(&v, &w, &x);
    assert_expression(f, (V, W, 1.7));
}

#[test]
fn compound_assignment_has_derivatives() {
    let f = |(v, x): (Realx4, Real)| {
        let mut w = v;
        w += v * x;
        w -= x;
        w *= v;
        w /= C;
        w *= 2.0;
        w.update(|w| w.exp() + 1.0);
        w
    };
    let mut tape = Tape::new();
    let (v, x) = (tape.input(V), tape.input(1.7));
    let y = tape.record(|| f((v, x)));
    assert_eq!(y.value(), ((V + V * 1.7 - 1.7) * V / C * 2.0).exp() + 1.0);
    assert_expression(f, (V, 1.7));
}

#[test]
fn functions_take_reals_beside_lanes() {
    let f = |(v, x): (Realx4, Real)| {
        let a = v.abs().powf(x) + v.max(0.1) * v.min(x) + x.hypot(v).mul_add(2.0, x);
        (a + v.clamp(-1.0, x) + v.mul_add(x, v) + x.atan2(v)).eval()
    };
    assert_expression(f, (V, 1.7));
    let (x, v) = (1.7, Realx4::<Plain>::passive(V));
    assert_eq!(
        v.clamp(-1.0, x).eval().value(),
        V.clamp(f64x4::splat(-1.0), f64x4::splat(x))
    );
    let reversed = std::panic::catch_unwind(|| v.clamp(1.0, v).eval().value());
    assert!(reversed.is_err(), "bounds in the wrong order");
}

#[test]
fn reductions_and_single_lanes_have_derivatives() {
    let f = |(v, w): (Realx4, Realx4)| {
        let a = (v * w).reduce_add() + v.reduce_mul() * w.reduce_max() - v.reduce_min();
        (a * v.dot(w) + (v + w).lane(1) * v.at(2) / &w[0]).eval()
    };
    assert_expression(f, (V, W));
    let [v, w] = [V, W].map(Realx4::<Plain>::passive);
    assert_eq!(v.reduce_max().eval(), 2.1);
    assert_eq!(w.reduce_min().eval(), -2.2);
    assert_eq!(v.dot(w).eval(), (V * W).reduce_add());
}

#[test]
fn the_first_of_equal_lanes_has_the_adjoint_of_an_extreme() {
    let of = |v: [f64; 4]| {
        let max = gradient(|v: Realx4| v.reduce_max(), f64x4::new(v)).expect("a gradient");
        let min = gradient(|v: Realx4| v.reduce_min(), f64x4::new(v)).expect("a gradient");
        (max.to_array(), min.to_array())
    };
    assert_eq!(
        of([2.0, 1.0, 2.0, 1.0]),
        ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0])
    );
    let nan = f64::NAN;
    assert_eq!(
        of([nan, 1.0, 3.0, nan]),
        ([0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0])
    );
    let v = Realx2::<Plain>::passive(f64x2::splat(nan));
    assert!(v.reduce_max().eval().value().is_nan() && v.reduce_min().eval().value().is_nan());
}

#[test]
fn products_of_zero_lanes_have_gradients() {
    let of = |v: [f64; 4]| {
        gradient(|v: Realx4| v.reduce_mul(), f64x4::new(v))
            .expect("a gradient")
            .to_array()
    };
    assert_eq!(of([2.0, 0.0, 3.0, 5.0]), [0.0, 30.0, 0.0, 0.0]);
    assert_eq!(of([2.0, 0.0, 0.0, 5.0]), [0.0; 4]);
    assert_eq!(of([2.0, 7.0, 3.0, 5.0]), [105.0, 30.0, 70.0, 42.0]);
}

#[test]
fn lanes_are_places() {
    let mut tape = Tape::new();
    let (v, x) = (tape.input(V), tape.input(2.0));
    let y = tape.record(|| {
        let mut w = v;
        w[2].assign(x * x); // 4
        w[1] += x; // 1.6
        w[3] *= 3.0; // 6.3
        let e = w.at(2) * w.at(1);
        w[0].assign(e); // 6.4
        (&w[0] + &w[3] * x).eval()
    });
    assert_abs_diff_eq!(y.value(), 19.0, epsilon = 1e-14);
    let gradient = tape.gradient(&y).expect("recorded");
    // x² (v1 + x) + 3 v3 x
    let slope = 2.0 * 2.0 * 1.6 + 4.0 + 6.3;
    assert_abs_diff_eq!(gradient.wrt(&x).expect("an input"), slope, epsilon = 1e-14);
    assert_eq!(gradient.wrt(&v), Ok(f64x4::new([0.0, 4.0, 0.0, 6.0])));
}

#[test]
fn splat_gather_and_scatter_have_derivatives() {
    let f = |x: [Real; 4]| {
        let v = x.gather::<f64x4>().eval();
        let all = (x[1] * x[2]).splat::<f64x4>();
        let list = (v * all + v.sin()).scatter().split();
        let mut back = [x[0]; 4];
        (v * v).scatter().assign_to(&mut back);
        (list[0] * list[3] + back[2] * list[1]).eval()
    };
    assert_expression(f, [0.7, -0.4, 1.3, 2.1]);
    let constants = [1.0, 2.0, 3.0, 4.0];
    let g = |x: Real| (constants.gather::<f64x4>() * x).reduce_add();
    assert_eq!(gradient(g, 3.0), Ok(10.0));
}

#[test]
fn comparisons_return_masks() {
    let [v, w] = [V, W].map(Realx4::<Plain>::passive);
    let is =
        |mask: Mask<f64x4>, want: [bool; 4]| assert_eq!(format!("{mask:?}"), format!("{want:?}"));
    is(v.simd_lt(w), [true, true, false, false]);
    is(v.simd_gt(w + 1.0), [false, false, true, true]);
    is(v.simd_le(0.7), [true, true, false, false]);
    is(v.simd_ge(1.3), [false, false, true, true]);
    is(v.simd_eq(-0.4), [false, true, false, false]);
    is(v.simd_ne(v), [false; 4]);
    is((v * f64::NAN).simd_ne(0.0), [true; 4]);
    is(
        (v / f64x4::new([0.0, 1.0, 0.0, 1.0])).is_finite(),
        [false, true, false, true],
    );
    is(v.ln().is_nan(), [false, true, false, false]);
    let (a, b) = (v.simd_lt(w), v.simd_gt(0.0));
    is(a & b, [true, false, false, false]);
    is(a | b, [true; 4]);
    is(a ^ b, [false, true, true, true]);
    is(!a, [false, false, true, true]);
    assert!((a | b).all() && a.any() && !a.all() && (a & !a).none());
    assert_eq!(
        (a.to_bitmask(), a.test(1), a.test(2)),
        (0b0011, true, false)
    );
    assert_eq!(
        a.select(v, w).eval().value(),
        f64x4::new([0.7, -0.4, -2.2, 0.8])
    );
    assert_eq!(a.to_wide().select(V, W), f64x4::new([0.7, -0.4, -2.2, 0.8]));
    let wide = Real32x8::<Plain>::passive(f32x8::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    assert_eq!(wide.simd_gt(4.5_f32).to_bitmask(), 0b1111_0000);
}

#[test]
fn adjoints_follow_the_selected_side_in_each_lane() {
    let f = |(v, x): (Realx4, Real)| {
        let positive = v.simd_gt(0.0);
        positive.select(v * x, positive.select(v, x * x) - x)
    };
    assert_expression(f, (V, 1.7));
}

#[test]
fn slopes_of_the_side_not_selected_do_not_contribute() {
    let v = f64x4::new([4.0, 0.0, -1.0, f64::NAN]);
    let inside = |v: Realx4| v.simd_gt(0.0).select(v.sqrt() * v.ln(), 0.0).reduce_add();
    let across = |v: Realx4| {
        let (root, ln) = (v.sqrt().eval(), v.ln().eval());
        let product = (root * ln).eval();
        v.simd_gt(0.0).select(product, 0.0).reduce_add()
    };
    let want = f64x4::new([4.0_f64.ln() / 4.0 + 0.5, 0.0, 0.0, 0.0]);
    assert_eq!(gradient(inside, v), Ok(want));
    assert_eq!(gradient(across, v), Ok(want));
}

#[test]
fn lists_have_sums_and_products() {
    let f = |v: &[Realx4]| {
        let sum: Realx4 = v.iter().map(|v| v * v).sum();
        let product: Realx4 = v.iter().copied().product();
        (v.sum() * product + sum).eval()
    };
    assert_expression(f, &[V, W, C]);
}

#[test]
fn lanes_are_independent_in_jacobians() {
    let j = jacobian(|v: Realx2| v * v, f64x2::new([3.0, 5.0])).expect("a Jacobian");
    assert_eq!(j.as_slice(), [6.0, 0.0, 0.0, 10.0]);
}

fn program<M: AnyMode>(v: &Realx4<M>, x: &Real<M>) -> Real<M> {
    let mut w = (v * x).eval();
    for k in 0..3 {
        w.update(|w| w.sin() + 0.5 * v);
        let value = (v.at(k) * x).eval();
        w[k + 1].assign(&value * 2.0);
        let large = (&w).simd_gt(0.2);
        w *= large.select(v, x);
    }
    ((&w).dot(v) + (&w).reduce_max() * x).eval()
}
#[test]
fn all_modes_agree() {
    let plain = program(&Realx4::<Plain>::passive(V), &Active::passive(1.7));
    let mut tape = Tape::new();
    let (v, x) = (tape.input(V), tape.input(1.7));
    let y = tape.record(|| program(&v, &x));
    let gradient = tape.gradient(&y).expect("recorded");
    let linear = (
        gradient.wrt(&v).expect("an input"),
        gradient.wrt(&x).expect("an input"),
    );
    let mut tape = Tape::<Reuse>::default();
    let (v, x) = (tape.input(V), tape.input(1.7));
    let z = tape.record(|| program(&v, &x));
    let gradient = tape.gradient(&z).expect("recorded");
    assert_eq!(gradient.wrt(&v), Ok(linear.0));
    assert_eq!(gradient.wrt(&x), Ok(linear.1));
    assert_eq!((y.value(), z.value()), (plain.value(), plain.value()));
    assert_expression(|(v, x): (Realx4, Real)| program(&v, &x), (V, 1.7));
}

#[test]
fn lanes_are_copy_where_reals_are() {
    fn square<M: Mode>(v: Realx4<M>) -> Realx4<M> {
        (v * v).eval()
    }
    assert_eq!(square(Realx4::<Plain>::passive(V)).value(), V * V);
    assert_eq!(size_of::<Realx4<Plain>>(), size_of::<f64x4>());
}

#[test]
fn seeds_have_a_number_for_each_lane() {
    let mut tape = Tape::new();
    let v = tape.input(f32x8::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    let y: Active<F32x8> = tape.record(|| (v * v * 0.5_f32).eval());
    tape.seed(&y, f32x8::splat(2.0)).expect("recorded");
    let v_b = tape.sweep().and_then(|g| g.wrt(&v));
    assert_eq!(v_b, Ok(v.value() * 2.0));
}
