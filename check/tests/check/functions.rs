use crate::{Array, Pair, Real, cut, long, turn};
use entape_check::{self as check, Failure, Fault};
use entape_core::{
    expr::Active,
    function,
    mode::Mode,
    real::{Cast, Elementary},
    structure::ValuesIn,
};
use entape_drivers::{ArrayShape, SliceShape};

#[test]
fn kinks_are_named_and_means_of_both_sides_pass() {
    #[function]
    fn larger<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        x[0].max(x[1]).eval()
    }
    #[function]
    fn size<M: Mode>([x]: [Active<f64, M>; 1]) -> Active<f64, M> {
        x.abs().eval()
    }
    let failure = check::gradient(larger {}, &[1.0, 1.0]).expect_err("a kink");
    let Fault::Kink { before, behind, .. } = failure.fault else {
        panic!("{failure}");
    };
    assert_eq!((before, behind), (0.0, 1.0));
    let confirmed = check::gradient(size {}, &[0.0]).expect("the mean");
    let Some(Fault::Kink { before, behind, .. }) = confirmed.kink else {
        panic!("{confirmed:?}");
    };
    assert_eq!((before, behind), (-1.0, 1.0));
    // Smooth, composed of functions with kinks.
    #[function]
    fn softplus<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        (x.max(0.0) + (-x.abs()).exp().ln_1p()).eval()
    }
    let failure = check::gradient(softplus {}, &[0.0]).expect_err("1 instead of 1/2");
    assert!(
        matches!(failure.fault, Fault::Slope { got: 1.0, .. }),
        "{failure}"
    );
}
/// Differences converge slowly where the second derivative jumps or is infinite.
#[test]
fn derivatives_with_a_kink_pass() {
    #[function]
    fn square<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        (x * x.abs()).eval()
    }
    #[function]
    fn power<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        (x.abs().powf(1.5) * x.signum() + 3.0 * x + 2.0).eval()
    }
    #[function]
    fn cubed<M: Mode>([x, y]: [Active<f64, M>; 2]) -> Active<f64, M> {
        (x * x * x.abs() + (y - 1.0) * (y - 1.0).abs() + x.sin() * y.exp()).eval()
    }
    let confirmed = check::gradient(square {}, &[0.0]).expect("the slope 0");
    assert_eq!(confirmed.kink, None);
    assert!(confirmed.noise < 1e-14, "{confirmed:?}");
    check::assert_gradient(square {}, &[1e-9]);
    check::assert_gradient(power {}, &[0.0]);
    check::assert_gradient(cubed {}, &[0.0, 1.0]);
    #[function]
    fn cut<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        (x * x.abs() + 1e-6 * x.value()).eval()
    }
    let failure = check::gradient(cut {}, &[0.0]).expect_err("1e-6 is cut");
    assert!(
        matches!(failure.fault, Fault::Slope { got: 0.0, want, .. } if (want - 1e-6).abs() < 1e-12),
        "{failure}"
    );
}

#[test]
fn slopes_below_the_noise_are_not_confirmed() {
    fn shifted<M: Mode>(x: &[Active<f64, M>], shift: f64) -> Active<f64, M> {
        (100.0 * x[0] + shift).eval()
    }
    macro_rules! shifted { ($($name:ident $shift:expr),*) => { $(
        #[function]
        fn $name<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> { shifted(x, $shift) }
    )* } }
    shifted! { at_1e15 1e15, at_1e16 1e16, at_1e18 1e18, at_1e20 1e20 }
    let failures = [
        check::gradient(at_1e15 {}, &[1.0]),
        check::gradient(at_1e16 {}, &[1.0]),
        check::gradient(at_1e18 {}, &[1.0]),
        check::gradient(at_1e20 {}, &[1.0]),
    ];
    for failure in failures {
        let failure = failure.expect_err("the slope is not visible");
        let Fault::Unresolved { got, noise, .. } = failure.fault else {
            panic!("{failure}");
        };
        assert!(got == 100.0 && noise > 0.1, "{failure}");
        let text = failure.to_string();
        assert!(
            text.contains("input 0 is 100, but rounding errors"),
            "{text}"
        );
        assert!(text.contains("Omit large terms"), "{text}");
    }
    // Stairs by rounding, which the size of the result does not show.
    #[function]
    fn stairs<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        ((100.0 * x[0] + 1e17) - 1e17).eval()
    }
    let failure = check::gradient(stairs {}, &[1.0]).expect_err("stairs");
    assert!(!matches!(failure.fault, Fault::Slope { .. }), "{failure}");

    // The noise shows the number of digits.
    let confirmed = check::gradient(seen {}, &[1.0]).expect("8 digits");
    #[function]
    fn seen<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        shifted(x, 1e6)
    }
    assert!((1e-10..1e-4).contains(&confirmed.noise), "{confirmed:?}");
    #[function]
    fn zeros<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        ((x[0] - 1.0) * (x[0] - 1.0) + (x[2] - x[2] + 1.0).ln() + 5.0).eval()
    }
    check::assert_gradient(zeros {}, &[1.0, 2.0, 3.0]);
    check::assert_gradient(zeros {}, &[1.0 + 1e-15, 2.0, 3.0]);
    check::assert_hessian(zeros {}, &[1.0, 2.0, 3.0]);
}

fn of_many<M: Mode>(
    x: &[Active<f64, M>],
    wrong: impl Fn(Active<f64, M>, usize) -> Active<f64, M>,
) -> Active<f64, M> {
    let mut sum = Active::passive(0.0);
    for (i, &x) in x.iter().enumerate() {
        sum += (wrong(x, i) * (1.0 + 0.1 * i as f64)).sin() * x;
    }
    sum
}
#[test]
fn the_input_at_fault_is_named_among_many() {
    #[function]
    fn cut<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        of_many(x, |x, i| {
            if i == 777 {
                (x + 1e-4 * x.value()).eval()
            } else {
                x
            }
        })
    }
    /// Its slopes are 1 and 1.01.
    #[function]
    fn bent<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        of_many(x, |x, i| {
            if i == 23 {
                x.max(1.01 * x - 0.01).eval()
            } else {
                x
            }
        })
    }
    #[function]
    fn jumps<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        of_many(x, |x, i| if i == 5 { (x + x.floor()).eval() } else { x })
    }
    fn named(result: Result<check::Confirmed, Failure>, input: usize) -> Fault {
        let failure = result.expect_err("a fault");
        assert!(
            failure
                .to_string()
                .contains(&format!("with respect to input {input}")),
            "{failure}"
        );
        failure.fault
    }
    let fault = named(check::gradient(cut {}, &[1.0; 1000]), 777);
    assert!(matches!(fault, Fault::Slope { .. }), "{fault}");
    for n in [24, 40, 300] {
        let Fault::Kink { before, behind, .. } = named(check::gradient(bent {}, &vec![1.0; n]), 23)
        else {
            panic!("no kink");
        };
        assert!(
            (0.005..0.02).contains(&(behind / before - 1.0).abs()),
            "{before} {behind}"
        );
        assert!(matches!(
            named(check::gradient(jumps {}, &vec![1.0; n]), 5),
            Fault::NoSlope { .. }
        ));
    }
    let fault = named(check::hessian(bent {}, &[1.0; 40]), 23);
    assert!(
        matches!(
            fault,
            Fault::Slope { .. } | Fault::Kink { .. } | Fault::NoSlope { .. }
        ),
        "{fault}"
    );
    check::assert_gradient(cut {}, &[1.0; 40]);
    check::assert_hessian(cut {}, &[1.0; 40]);
}

#[test]
fn infinite_slopes_are_wrong_slopes() {
    #[function]
    fn cusp<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        (x[0].cbrt() * x[0].signum()).eval()
    }
    #[function]
    fn steep<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        x[0].cbrt().eval()
    }
    let failure = check::gradient(cusp {}, &[0.0]).expect_err("no derivative");
    assert!(
        matches!(failure.fault, Fault::Slope { .. } | Fault::Kink { .. }),
        "{failure}"
    );
    let failure = check::gradient(steep {}, &[0.0]).expect_err("no derivative");
    assert!(matches!(failure.fault, Fault::NoSlope { .. }), "{failure}");
}

/// The distance of a thrown ball by speed and angle. Each change of the number of steps is a small kink.
#[function]
fn thrown<M: Mode>(p: &[Active<f64, M>]) -> Active<f64, M> {
    let (speed, angle, dt) = (p[0], p[1], 0.01);
    let [mut x, mut y] = [Active::<f64, M>::passive(0.0); 2];
    let mut u = (speed * angle.cos()).eval();
    let mut v = (speed * angle.sin()).eval();
    while y + dt * v >= 0.0 {
        x += dt * u;
        y += dt * v;
        let friction = (0.01 * u.hypot(v)).eval();
        u -= dt * friction * u;
        v -= dt * (friction * v + 9.81);
    }
    (x - u * y / v).eval()
}
/// The position of a ball between two walls, with friction and losses.
#[function]
fn reflected<M: Mode>(p: &[Active<f64, M>]) -> Active<f64, M> {
    let (loss, friction, dt) = (p[1], p[2], 0.02);
    let [mut x, mut v] = [Active::<f64, M>::passive(0.5), p[0]];
    for _ in 0..100 {
        x += dt * v;
        v -= dt * friction * v * v.abs();
        if !(0.0..=1.0).contains(&x) {
            let wall = if x < 0.0 { 0.0 } else { 1.0 };
            x.assign(wall - loss * (x - wall));
            v.assign(-loss * v);
        }
    }
    x
}
#[test]
fn kinks_near_the_point_do_not_mislead() {
    for speed in 20..40 {
        check::assert_gradient(thrown {}, &[f64::from(speed), 0.7]);
    }
    for speed in 20..40 {
        check::assert_gradient(reflected {}, &[0.1 * f64::from(speed), 0.8, 1.0]);
    }
}

#[function]
fn f<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    (x[0].sin() * x[1].exp() + x.iter().map(|x| x * x).sum::<Active<f64, M>>()).eval()
}
#[test]
fn gradients_of_functions_are_checked() {
    check::assert_gradient(f {}, &[0.5, -1.0, 3.0]);
    check::assert_gradient(f {}, &[0.1; 40]);
    let failure = check::gradient(cut {}, &[3.0, 2.0]).expect_err("a fault");
    let text = failure.to_string();
    assert!(
        text.contains("with respect to input 1, times 2 is 0, but differences give 6"),
        "{text}"
    );
}

#[test]
fn closures_over_several_kinds_are_checked() {
    check::assert_expression(
        |(a, b): (Real, Active<f32>)| (a * b.to_f64().sin(), [a.exp().eval(), a]),
        (1.0, 2.0_f32),
    );
    check::assert_expression(
        |(x, y): ([Active<Pair>; 2], Real)| {
            let z = turn(x[0], x[1]);
            (turn(z, x[0]), y * y)
        },
        (
            ValuesIn::<ArrayShape<Pair, 2>>([[1.0, 2.0], [3.0, 4.0]]),
            5.0,
        ),
    );
    check::assert_expression(
        |x: &[Active<Array>]| long(&x[0], 2.0).eval(),
        ValuesIn::<SliceShape<Array, 1>>([vec![1.0, 2.0]]),
    );
    let failure = check::expression(|(a, b): (Real, Real)| a * b.value(), (1.0, 2.0));
    assert!(
        failure
            .expect_err("a fault")
            .to_string()
            .contains("input 1")
    );
}
