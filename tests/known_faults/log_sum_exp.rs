//! Sums of exponentials at infinities: NaN where the weights are 0 and 1, or 0 beside an infinite value. Reported for
//! PyTorch (#31829, #49724), JAX (#6811, #23842).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*, real::ListReductions};

#[entape::function]
fn shifted<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
    let largest = x.max().eval();
    let sum = ListReductions::sum((list(x) - &largest).exp()).eval();
    (&largest + (&sum).ln()).eval()
}
const NONE: f64 = f64::NEG_INFINITY;

#[test]
fn gradients_are_the_weights() {
    let e = 1_f64.exp();
    let p = e / (1.0 + e);
    assert_derivatives!(shifted at [1.0, 0.0]; gradient [p, 1.0 - p];
        hessian [p * (1.0 - p), -p * (1.0 - p), -p * (1.0 - p), p * (1.0 - p)]);
    assert_derivatives!(shifted at [1000.0, 0.0]; gradient [1.0, 0.0]; hessian [0.0; 4]);
    assert_derivatives!(shifted at [-1000.0, -1000.0]; gradient [0.5, 0.5]; hessian [0.25, -0.25, -0.25, 0.25]);
}
#[test]
fn impossible_events_have_weight_zero() {
    assert_derivatives!(shifted at [NONE, 1.0]; gradient [0.0, 1.0]; hessian [0.0; 4]);
    assert_derivatives!(shifted at [1.0, NONE, 1.0]; gradient [0.5, 0.0, 0.5]);
}
/// Forward mode may find the limit `[1, 0]` beside an infinite weight.
#[test]
fn impossible_events_alone_have_nan_weights() {
    for x in [[NONE, NONE], [f64::INFINITY, 0.0]] {
        let swept = crate::swept(Tape::<Taped>::new(), &x, shifted);
        assert!(swept[0].is_nan(), "a sweep: {swept:?} at {x:?}");
        let pushed = crate::pushed(&x, shifted);
        let limit = x[0] > 0.0 && pushed[..] == [1.0, 0.0];
        assert!(
            limit || pushed[0].is_nan(),
            "forward mode: {pushed:?} at {x:?}"
        );
    }
}
#[test]
fn an_overflow_never_has_slope_zero() {
    #[entape::function]
    fn naive<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let e = (&x[0]).exp().eval();
        (1.0 + &e).ln().eval()
    }
    let objective = Objective::new(naive {});
    let x = [800.0];
    let all = [
        crate::swept(Tape::<Taped>::new(), &x, naive)[0],
        crate::swept(Tape::<entape::mode::Reuse>::default(), &x, naive)[0],
        crate::swept(Tape::new(), &x, naive)[0],
        crate::pushed(&x, naive)[0],
        objective.gradient(&x).expect("a gradient")[0],
    ];
    assert!(
        all.iter().all(|slope| slope.is_nan() || *slope == 1.0),
        "{all:?}"
    );
    #[entape::function]
    fn softplus<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        select(*x > 0.0, x + (-x).exp().ln_1p(), x.exp().ln_1p()).eval()
    }
    assert_derivatives!(softplus at [800.0]; gradient [1.0]; hessian [0.0]);
    assert_derivatives!(softplus at [-800.0]; gradient [0.0]; hessian [0.0]);
    assert_derivatives!(softplus at [0.0]; gradient [0.5]; hessian [0.25]);
}
