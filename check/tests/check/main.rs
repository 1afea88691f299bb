//! The rule-test kit: correct rules pass, and every type of fault is found and reported.
mod functions;

use approx::assert_abs_diff_eq;
use entape_check::{self as check, Check, Failure, Fault, ListOf};
use entape_core::{
    eval::Whole,
    expr::Active,
    function, kind,
    kind::{Incoming, List},
    mode::Mode,
    op,
    rule::{A, B, Primals, Rule, Sink, Sinks},
    store::Stash,
};
use std::cell::Cell;

type Real = Active<f64>;

#[test]
fn right_rules_pass() {
    check::assert_rule(&op::Add, (2.0, 3.0));
    check::assert_rule(&op::Mul, (2.0, 0.0));
    check::assert_rule(&op::Div, (-2.0, 1e3));
    check::assert_rule(&op::Neg, (1e-9,));
    check::assert_rule(&op::Sqrt, (1e-3,));
    check::assert_rule(&op::Ln, (1e-7,));
    check::assert_rule(&op::Powi { n: 5 }, (-1.5,));
    check::assert_rule(&op::MulAdd, (1.0, -2.0, 3.0));
    check::assert_rule(&op::Clamp, (0.5, 0.0, 1.0));
    check::assert_rule(&op::Floor, (1.5,));
    check::assert_rule(&op::Exp, (100.0,));
    check::assert_rule(&op::LnGamma, (0.3,));
    check::assert_rule(&op::ToF32, (2.5,));
    check::assert_rule(&op::ToF64, (2.5_f32,));
    check::assert_rule(&op::Hypot, (3.0_f32, 4.0_f32));
}

#[test]
fn points_without_a_derivative_fail() {
    // At a kink differences give the mean of both sides; at the end of the domain they do not converge.
    let failure = check::rule(&op::Max, (1.0, 1.0)).expect_err("no derivative");
    assert!(matches!(failure.fault, Fault::Slope { .. }), "{failure}");
    let failure = check::rule(&op::Floor, (1.0,)).expect_err("no derivative");
    assert!(matches!(failure.fault, Fault::NoSlope { .. }), "{failure}");
    let failure = check::rule(&op::Sqrt, (0.0,)).expect_err("no derivative");
    assert!(matches!(failure.fault, Fault::NoSlope { .. }), "{failure}");
}

#[derive(Clone, Copy, Stash)]
struct Faulty(u32);
thread_local! { static CALLS: Cell<u32> = const { Cell::new(0) }; }
impl Rule<f64, f64> for Faulty {
    type Out = f64;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [B, A, 0];
    fn primal(&self, a: f64, b: f64, (): ()) -> (f64, ()) {
        CALLS.set(CALLS.get() + 1);
        let noise = if self.0 == 5 && CALLS.get() > 1 {
            1e-14
        } else {
            0.0
        };
        assert!(self.0 != 6, "no such product");
        (a * b + noise, ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, f64, f64, (), f64>,
        (): &(),
        r_b: Incoming<'_, f64>,
        mut s: impl Sinks<f64, f64>,
    ) {
        let r_b = r_b.get();
        match self.0 {
            // A wrong formula.
            1 => s.a().add(r_b * p.b() * 1.001),
            // Reads the result, which is not declared.
            2 => s.a().add(r_b * p.r() / 2.0),
            // Reads `a` for `a_b`, declared only for the other argument.
            3 if s.a().wants() => s.a().add(r_b * p.b() + 0.0 * p.a()),
            // Depends on which other arguments are active.
            4 if s.a().wants() && s.b().wants() => s.a().add(r_b * p.b()),
            4 => s.a().add(r_b),
            // Differs from sweep to sweep.
            7 if s.a().wants() => {
                CALLS.set(CALLS.get() + 1);
                s.a()
                    .add(r_b * p.b() * (1.0 + 1e-13 * f64::from(CALLS.get())));
            }
            _ if s.a().wants() => s.a().add(r_b * p.b()),
            _ => {}
        }
        if s.b().wants() {
            s.b().add(r_b * p.a());
        }
    }
}
fn fault(number: u32) -> Failure {
    CALLS.set(0);
    check::rule(&Faulty(number), (3.0, 2.0)).expect_err("a fault")
}

#[test]
fn the_product_without_a_fault_passes() {
    check::assert_rule(&Faulty(0), (3.0, 2.0));
}
#[test]
fn a_wrong_formula_is_found() {
    let failure = fault(1);
    let Fault::Slope { got, want, .. } = failure.fault else {
        panic!("{failure}")
    };
    assert_abs_diff_eq!(got / want, 1.001, epsilon = 1e-9);
    let text = failure.to_string();
    assert!(
        text.contains("Faulty") && text.contains("of the first argument"),
        "{text}"
    );
    assert!(text.contains("at [3.0, 2.0]"), "{text}");
    assert_eq!(text, format!("{failure:?}"));
}
#[test]
fn an_undeclared_read_is_found() {
    let Fault::Panics { what, message } = fault(2).fault else {
        panic!()
    };
    assert_eq!(what, "the adjoint");
    assert!(message.contains("Faulty reads its result"), "{message}");
    let Fault::Panics { message, .. } = fault(3).fault else {
        panic!()
    };
    assert!(
        message.contains("Faulty reads its first argument"),
        "{message}"
    );
}
#[test]
fn an_adjoint_that_depends_on_other_activity_is_found() {
    let failure = fault(4);
    assert!(
        matches!(failure.fault, Fault::Differs { want: _, .. }),
        "{failure}"
    );
    assert!(failure.to_string().contains("other arguments passive"));
    assert_eq!(failure.arguments, "the adjoint of the first argument");
}
#[test]
fn a_primal_that_changes_is_found() {
    let failure = fault(5);
    assert!(
        failure.to_string().contains("compared with the primal"),
        "{failure}"
    );
    assert!(failure.arguments.contains("first argument"), "{failure}");
}
#[test]
fn a_primal_that_panics_is_found() {
    let failure = fault(6);
    let want = Fault::Panics {
        what: "the primal",
        message: "no such product".into(),
    };
    assert_eq!(failure.fault, want);
}
#[test]
fn sweeps_that_differ_are_found() {
    let failure = fault(7);
    assert!(failure.to_string().contains("second sweep"), "{failure}");
}
#[test]
#[should_panic(
    expected = "Faulty of f64, f64: the adjoint with respect to coordinate 0 of the first argument is"
)]
fn the_form_for_tests_panics() {
    check::assert_rule(&Faulty(1), (3.0, 2.0));
}

#[test]
fn fails_where_the_plain_operation_fails() {
    let check = Check::default();
    assert_eq!(check.plain(&op::Sqrt, (-1.0,), || f64::NAN), Ok(()));
    assert_eq!(check.plain(&Faulty(0), (3.0, 2.0), || 6.0), Ok(()));
    assert_eq!(check.plain(&Faulty(6), (3.0, 2.0), || panic!("so")), Ok(()));
    let failure = check
        .plain(&Faulty(0), (3.0, 2.0), || panic!("so"))
        .expect_err("a fault");
    let want = Fault::Succeeds {
        what: "the primal",
        message: "so".into(),
    };
    assert_eq!(failure.fault, want);
    let failure = check
        .plain(&Faulty(6), (3.0, 2.0), || 6.0)
        .expect_err("a fault");
    assert!(matches!(failure.fault, Fault::Panics { .. }));
    let failure = check
        .plain(&op::Mul, (3.0, 2.0), || 7.0)
        .expect_err("a fault");
    assert!(matches!(
        failure.fault,
        Fault::Differs {
            got: 6.0,
            want: 7.0,
            ..
        }
    ));
}

// A value kind, and a storage kind of dynamic size.

#[kind(value = [f64; 2], plain, add = |into, [x, y]| *into = [into[0] + x, into[1] + y], adjoint = Option<[f64; 2]>, coordinates)]
struct Pair;
#[kind(
    value = Vec<f64>,
    index = Owned,
    zero = |like| vec![0.0; like.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    coordinates,
)]
struct Array;

/// Complex product; by convention the adjoint conjugates.
#[entape_core::op]
fn turn(
    #[ad_in([r_b[0] * b[0] + r_b[1] * b[1], r_b[1] * b[0] - r_b[0] * b[1]])] a: Pair,
    #[ad_in([r_b[0] * a[0] + r_b[1] * a[1], r_b[1] * a[0] - r_b[0] * a[1]])] b: Pair,
) -> Pair {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}
/// Scales by the length.
#[entape_core::op]
fn long(
    #[ad_in(v.iter().map(|v| 2.0 * v * r_b).collect::<Vec<_>>())] v: &Array,
    #[ad_in(r_b)] x: f64,
) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>() + x
}
#[entape_core::op]
fn mirrored(#[ad_in([r_b[0], r_b[1]])] a: Pair) -> Pair {
    [a[0], -a[1]]
}
#[entape_core::op]
fn short(#[ad_in(vec![r_b])] v: &Array) -> f64 {
    v.iter().sum()
}

#[test]
fn kinds_with_several_coordinates_are_checked() {
    check::assert_rule(&Turn, ([1.0, 2.0], [3.0, -0.5]));
    for n in [0, 1, 5] {
        check::assert_rule(&Long, (vec![0.5; n], 2.0));
    }
    let failure = check::rule(&Mirrored, ([1.0, 2.0],)).expect_err("a fault");
    assert!(matches!(failure.fault, Fault::Slope { .. }), "{failure}");
    let failure = check::rule(&Short, (vec![1.0, 2.0],)).expect_err("a fault");
    assert!(
        matches!(
            failure.fault,
            Fault::Shape {
                got: 1,
                want: 2,
                ..
            }
        ),
        "{failure}"
    );
}

/// Its square gets half of the correct contribution.
#[op(same(r_b * a))]
fn halved(#[ad_in(r_b * b)] a: f64, #[ad_in(r_b * a)] b: f64) -> f64 {
    a * b
}
#[test]
fn a_wrong_formula_for_one_variable_as_both_arguments_is_found() {
    let failure = check::rule(&Halved, (3.0, 2.0)).expect_err("a fault");
    let Fault::Differs { got, want, .. } = failure.fault else {
        panic!("{failure}")
    };
    assert_eq!(2.0 * got, want);
    assert!(
        failure.to_string().contains("that is both arguments"),
        "{failure}"
    );
}

/// `a * a * b` with all derivatives, of which one has the fault of this number.
#[op(
    save(a2: f64 = a * a),
    tangent(
        a = match fault { 1 => a_t * b * a, 2 => 2.0 * a_t * a, _ => 2.0 * a_t * b * a },
        b = match fault { 3 => b_t * a2 * 1.00001, _ => b_t * a2 },
    ),
    second(
        a = 2.0 * r_b * match fault {
            4 => a_t * b,
            5 => a * b_t + a_t * b + a * b * 1e-9,
            _ => a * b_t + a_t * b,
        },
        b = 2.0 * r_b * match fault { 6 => a_t * a2, 7 => a2.sqrt() * a_t * (1.0 + 1e-10), _ => a2.sqrt() * a_t },
    ),
)]
fn twofold(
    #[ad_in(2.0 * r_b * a * b)] a: f64,
    #[ad_in(r_b * a2)] b: f64,
    #[ad_passive] fault: u32,
) -> f64 {
    a * a * b
}
/// The area between an arc and its chord.
#[op(
    shared(s = (0.5 * angle).sin()),
    tangent(
        radius = radius * (angle - angle.sin()) * radius_t,
        angle = (0.5 * angle).sin().powi(2) * radius * radius * angle_t,
    ),
    second(
        radius = r_b * ((angle - angle.sin()) * radius_t + 2.0 * radius * s * s * angle_t),
        angle = r_b * (2.0 * radius * s * s * radius_t + 0.5 * radius * radius * angle.sin() * angle_t),
    ),
    sample(radius = 0.5..2.0, angle = 0.5..2.0)
)]
fn segment(
    #[ad_in(r_b * radius * (angle - angle.sin()))] radius: f64,
    #[ad_in(r_b * radius * radius * s * s)] angle: f64,
) -> f64 {
    0.5 * radius * radius * (angle - angle.sin())
}
/// Its adjoint reads neither argument, so missing tangents are options.
#[op(
    save(x: f64 = a, y: f64 = b),
    shared(both = some_a_t.zip(some_b_t).map_or(0.0, |(a_t, b_t)| a_t * b_t)),
    tangent(a = a_t * y, b = x * b_t),
    second(
        a = some_b_t.map_or(0.0, |b_t| r_b * b_t) + 0.0 * both,
        b = { if let Some(a_t) = some_a_t { b_b.add(r_b * a_t); } },
    ),
    sample(a = 1.0..2.0, b = -2.0..-1.0)
)]
fn saved_product(#[ad_in(r_b * y)] a: f64, #[ad_in(r_b * x)] b: f64) -> f64 {
    a * b
}
#[op(tangent(a = a_t * b, b = b_t * a))]
fn too_much(#[ad_in(r_b * b)] a: f64, #[ad_in(r_b * r / b)] b: f64) -> f64 {
    a * b
}
#[test]
fn wrong_tangents_and_second_derivatives_are_found() {
    check::assert_rule(&Twofold { fault: 0 }, (3.0, 2.0));
    let failure = |fault| {
        let found = check::rule(&Twofold { fault }, (3.0, 2.0));
        found.expect_err(&format!("fault {fault}"))
    };
    // Half of the tangent, a missing factor, a wrong sixth digit.
    for (fault, argument) in [(1, "first"), (2, "first"), (3, "second")] {
        let text = failure(fault).to_string();
        let want = format!(
            "the tangent and the adjoint disagree with respect to coordinate 0 of the {argument} argument"
        );
        assert!(text.contains(&want), "{text}");
    }
    // A missing term, and a wrong one.
    for (fault, argument) in [(4, "first"), (6, "second")] {
        let text = failure(fault).to_string();
        let want =
            format!("the tangent of the adjoint for coordinate 0 of the {argument} argument is ");
        assert!(
            text.contains(&want) && text.contains("differences give"),
            "{text}"
        );
    }
    // Differences do not detect these.
    for fault in [5, 7] {
        let text = failure(fault).to_string();
        assert!(
            text.contains("the tangent of the adjoint is not symmetric along two directions of"),
            "{text}"
        );
    }
    let text = check::rule(&TooMuch, (3.0, 2.0))
        .expect_err("a fault")
        .to_string();
    assert!(
        text.contains("the tangent panics: ") && text.contains("TooMuch reads its first argument"),
        "{text}"
    );
}

#[entape_core::op]
fn parts(
    #[ad_in(v.iter().zip(w_b).map(|(v, w_b)| 2.0 * v * s_b + x * w_b).collect::<Vec<_>>())]
    v: &Array,
    #[ad_in(v.iter().zip(w_b).map(|(v, w_b)| v * w_b).sum::<f64>())] x: f64,
    #[ad_out] s: &mut f64,
    #[ad_out(init = v.clone())] w: &mut Array,
) {
    *s = v.iter().map(|v| v * v).sum();
    w.iter_mut().for_each(|w| *w *= x);
}
#[test]
fn rules_with_several_outputs_are_checked() {
    check::assert_rule(&Parts, (vec![1.0, -2.0], 3.0));
}

#[entape_core::op(sample(v = vec![1.0, 2.0], x = 0.5..1.0))]
fn shifted(#[ad_in(r_b)] v: &Array, #[ad_in(r_b.iter().sum::<f64>())] x: f64) -> Array {
    v.iter().map(|v| v + x).collect()
}
#[entape_core::op(sample(z = [1.0, 2.0], x = 0.5_f32..1.0))]
fn second(
    #[ad_in([0.0, r_b * f64::from(x)])] z: Pair,
    #[ad_in((r_b * z[1]) as f32)] x: f32,
) -> f64 {
    z[1] * f64::from(x)
}

/// Wrong in the coordinate `wrong`.
#[op(sample(v = vec![1.0, 2.0, 3.0], wrong = 7))]
fn sum(
    #[ad_in((0..v.len()).map(|i| if i == wrong { 2.0 * r_b } else { r_b }).collect::<Vec<_>>())]
    v: &Array,
    #[ad_passive] wrong: usize,
) -> f64 {
    v.iter().sum()
}
#[op(sample(type T = f32 | f64, for n in [0, 1, 3], x = numbers::<T>(n), wrong = 7), sample(x = vec![1.0], wrong = 1))]
fn sum_list<T: entape_core::real::Real>(
    #[ad_in((0..x.len()).map(|i| if i == wrong { r_b + r_b } else { r_b }).collect::<Vec<_>>())]
    x: List<T>,
    #[ad_passive] wrong: usize,
) -> T {
    x.iter().copied().sum()
}
fn numbers<T: entape_core::real::Real>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::nearest(i as f64 + 0.5)).collect()
}
thread_local! { static WRONG: Cell<bool> = const { Cell::new(false) }; }
/// Wrong beyond 2, if requested.
#[op(
    sample(x = 1.0..2.0),
    // On its own line, for the message.
    sample(x = 3.0..4.0)
)]
fn sometimes_wrong(#[ad_in(if x > 2.0 && WRONG.get() { 2.0 * r_b } else { r_b })] x: f64) -> f64 {
    x
}
const SAMPLES: u32 = line!() - 5;

fn panic_of(f: impl FnOnce() + std::panic::UnwindSafe) -> (String, u32) {
    thread_local!(static LINE: Cell<u32> = const { Cell::new(0) });
    let former = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        LINE.set(
            info.location()
                .filter(|at| at.file() == file!())
                .map_or(0, |at| at.line()),
        );
    }));
    let panic = std::panic::catch_unwind(f).expect_err("a panic");
    std::panic::set_hook(former);
    (*panic.downcast::<String>().expect("a message"), LINE.get())
}
#[test]
fn a_failure_names_the_kinds_and_the_coordinate_at_the_line_of_the_test() {
    let (message, line) =
        panic_of(|| check::assert_rule(&Sum { wrong: 1 }, (vec![1.0, 2.0, 3.0],)));
    assert_eq!(line, line!() - 1);
    assert!(
        message.contains(
            "Sum of Array: the adjoint with respect to coordinate 1 of the first argument is"
        ),
        "{message}"
    );
    let (message, line) =
        panic_of(|| check::assert_rule(&SumList { wrong: 2 }, (ListOf(vec![1.0_f32, 2.0, 3.0]),)));
    assert_eq!(line, line!() - 1);
    assert!(
        message.contains("SumList of List<f32>: the adjoint with respect to coordinate 2 of"),
        "{message}"
    );
    WRONG.set(true);
    sometimes_wrong_f64_adjoint_matches_differences();
    let (message, line) = panic_of(sometimes_wrong_f64_adjoint_matches_differences_2);
    assert_eq!(line, SAMPLES, "{message}");
    assert!(message.contains("SometimesWrong of f64: "), "{message}");
    assert!(
        message.contains("is 2, but differences give 1"),
        "{message}"
    );
    let (message, line) = panic_of(|| check::assert_kind::<Unlike>([1.0, 2.0]));
    assert_eq!(line, line!() - 1);
    assert!(message.contains("kind Unlike: `accumulate`"), "{message}");
    let (message, line) = panic_of(|| check::assert_gradient(cut {}, &[3.0, 2.0]));
    assert_eq!(line, line!() - 1);
    assert!(message.contains("input 1"), "{message}");
}
/// Its sum forgets the second number.
#[kind(value = [f64; 2], zero = |_| [0.0; 2], add = |into, [x, _]| into[0] += x, coordinates)]
struct Unlike;

#[function]
fn cut<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    (x[0] * x[1].value()).eval()
}
