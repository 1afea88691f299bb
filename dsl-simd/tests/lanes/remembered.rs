//! Stored results of expensive functions, and constants that vary.
use approx::{assert_abs_diff_eq, assert_relative_eq};
use entape_check::assert_expression;
use entape_core::{
    expr::{Active, lit},
    mode::Taped,
    real::Elementary,
    tape::Tape,
};
use entape_simd::{F64x4, LanesOps, Realx4, wide::f64x4};

type Real = Active<f64>;
const V: f64x4 = f64x4::new([0.7, 0.4, 1.3, 2.1]);

/// Bytes in the block of a statement.
fn bytes(f: impl FnOnce(Realx4, Realx4, Real) -> Realx4) -> usize {
    let mut tape = Tape::new();
    let (v, w, x) = (tape.input(V), tape.input(V), tape.input(1.7));
    let before = tape.statistics();
    tape.record(|| f(v, w, x));
    let after = tape.statistics();
    assert_eq!(after.statements - before.statements, 1);
    after.block_bytes - before.block_bytes
}

#[test]
fn results_are_stored_where_they_are_read() {
    const ID: usize = 4;
    let lanes = size_of::<f64x4>();
    assert_eq!(bytes(|v, _, _| v.exp().eval()), ID);
    // Not read, except for the argument of the sine, which is a variable.
    assert_eq!(bytes(|v, w, _| (v.sin() + w).eval()), 2 * ID);
    // Read by its own adjoint, and by the adjoint of a product.
    assert_eq!(bytes(|v, w, _| (v.exp() + w).eval()), 2 * ID + lanes);
    assert_eq!(bytes(|v, w, _| (v.sin() * w).eval()), 2 * ID + lanes);
    assert_eq!(bytes(|v, w, x| (v.powf(x) * w).eval()), 3 * ID + lanes);
    assert_eq!(bytes(|v, w, _| ((v * w).abs() * w).eval()), 3 * ID);
    assert_eq!(
        bytes(|v, w, _| (v.exp().sin() * w).eval()),
        2 * ID + 2 * lanes
    );
    let mut tape = Tape::new();
    let x = tape.input(1.7);
    let before = tape.statistics().block_bytes;
    tape.record(|| (x.exp() * x).eval());
    assert_eq!(tape.statistics().block_bytes - before, 2 * ID);
}
#[test]
fn adjoints_read_stored_results() {
    assert_expression(
        |(v, w, x): (Realx4, Realx4, Real)| ((v * w + x).exp() * w - (v * x).sin() / w).eval(),
        (V, V * 0.5, 1.7),
    );
    assert_expression(
        |(v, w, x): (Realx4, Realx4, Real)| {
            let powers = v.powf(w) * x.hypot(w) + v.atan2(x) * w;
            (powers.exp_m1().tanh() * x.exp()).eval()
        },
        (V * 0.2, V * 0.5, 0.7),
    );
}
#[test]
fn stored_results_survive_a_sweep() {
    let mut tape = Tape::new();
    let v = tape.input(V);
    for passive in [2.0, 3.0] {
        let w = Realx4::<Taped>::passive(f64x4::splat(passive));
        let y = tape.record(|| (w * (w * v).exp() + v.exp()).reduce_add().eval());
        for _ in 0..2 {
            let v_b = tape.gradient(&y).and_then(|g| g.wrt(&v)).expect("an input");
            for (got, x) in v_b.to_array().into_iter().zip(V.to_array()) {
                let want = passive * passive * (passive * x).exp() + x.exp();
                assert_relative_eq!(got, want, epsilon = 0.0, max_relative = 1e-13);
            }
        }
    }
}
/// So many constants that they are stored in the statements.
#[test]
fn constants_of_statements_may_vary() {
    let mut tape = Tape::new();
    let (v, x) = (tape.input(V), tape.input(1.5));
    let constant = |i: usize| f64x4::splat((i % 150) as f64) + V;
    let y = tape.record(|| {
        let mut sum = Realx4::<Taped>::passive(f64x4::ZERO);
        for i in 0..400 {
            sum += v * lit::<F64x4, Taped>(constant(i)) * x;
        }
        sum.reduce_add().eval()
    });
    let sum = (0..400).fold(f64x4::ZERO, |sum, i| sum + constant(i));
    let gradient = tape.gradient(&y).expect("recorded");
    let close = |got: f64, want: f64| assert_abs_diff_eq!(got, want, epsilon = 1e-9);
    let v_b = gradient.wrt(&v).expect("an input");
    for (got, want) in v_b.to_array().into_iter().zip((sum * 1.5).to_array()) {
        close(got, want);
    }
    close(gradient.wrt(&x).expect("an input"), (sum * V).reduce_add());
}
