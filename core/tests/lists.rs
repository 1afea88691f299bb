//! Lists.
use approx::{assert_abs_diff_eq, assert_relative_eq, relative_eq};
use entape_core::{
    expr::{Active, Expr, detached, list, list_of, select},
    kind::List,
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    node::Node,
    op,
    real::{Cast, Elementary, ListReductions, Reals},
    tape::Tape,
};

trait Function {
    fn call<M: AnyMode>(x: &[Active<f64, M>], y: &[Active<f64, M>]) -> Active<f64, M>;
}
macro_rules! functions { ($($F:ident = |$x:ident, $y:ident| $body:expr;)*) => { $(
    struct $F;
    impl Function for $F {
        #[allow(unused_variables)]
        fn call<M: AnyMode>($x: &[Active<f64, M>], $y: &[Active<f64, M>]) -> Active<f64, M> { Value::value_of($body) }
    }
)* } }
functions! {
    SumOf = |x, y| x.sum();
    ProductOf = |x, y| x.product();
    MeanOf = |x, y| x.mean().exp();
    NormOf = |x, y| x.norm();
    SquaredOf = |x, y| x.norm_squared();
    MaxOf = |x, y| if x.is_empty() { Active::passive(0.0) } else { (x.max() * 2.0).eval() };
    MinOf = |x, y| if x.is_empty() { Active::passive(0.0) } else { x.min().eval() };
    DotOf = |x, y| x.dot(y);
    DotNumbers = |x, y| x.dot(&vec![0.25; x.len()]);
    DotItself = |x, y| x.dot(x) * y.sum();
    Mixed = |x, y| {
        let first = (x.dot(y) / (x.norm() + 1.0)).sin() * y.product();
        if y.is_empty() { first.eval() } else { (first + x.sum() * y.max()).eval() }
    };
    Expressions = |x, y| {
        let sum: Active<f64, M> = x.iter().zip(y).map(|(x, y)| (x * y * 0.5).sin() + 1.5 * x).sum();
        let product: Active<f64, M> = x.iter().map(|x| (0.1 * x).exp()).product();
        sum * product
    };
    Powers = |x, y| (0..x.len()).map(|i| (&x[i]).powi(i as i32 % 3) * (i as f64)).sum::<Active<f64, M>>() * 1.0;
    Differences = |x, y| ((list(x) - list(y)).powi(2) * 0.5 + 1.0).sum();
    NumbersBeside = |x, y| (list(x) * y.sum() - list(&vec![0.5; x.len()])).norm() * (2.0 - list(y)).mean();
    SeveralReductions = |x, y| {
        let a = (list(x).exp() / (2.0 + list(y) * list(y))).norm_squared();
        let b = (list(x) * 2.0).dot(list(y).sin());
        a - b * list(x).max(list(y)).sum()
    };
    OfExpressions = |x, y| (list_of(x.iter().map(|x| x * 2.0)) + list(y)).hypot(1.0).product();
    // One argument's value is not read.
    DotUnread = |x, y| {
        let (p, q) = (vec![0.5; x.len()], vec![1.5; x.len()]);
        let first = (list(x) + 1.0).dot(list(&p)) + (list(x) * list(&p)).dot(list(&q));
        (first + list(&p).dot(list(y) / list(&q)) + (list(y) - 2.0).dot(list(x).floor())).eval()
    };
    Scattered = |x, y| {
        let s = softmax(list(x)).split();
        (s.dot(y) + s.norm_squared()).eval()
    };
    Overwritten = |x, y| {
        let mut s = softmax(list(x)).split();
        let first = s.sum().eval();
        softmax(detached(&s)).assign_to(&mut s);
        swirl(detached(&s), list(y)).assign_to(&mut s);
        (s.dot(y) + first).eval()
    };
}

trait Value<M: AnyMode> {
    fn value_of(self) -> Active<f64, M>;
}
impl<M: AnyMode> Value<M> for Active<f64, M> {
    fn value_of(self) -> Active<f64, M> {
        self
    }
}
impl<M: AnyMode, N: Node<Kind = f64>> Value<M> for Expr<f64, M, N> {
    fn value_of(self) -> Active<f64, M> {
        self.eval()
    }
}

/// `exp(x) / sum(exp(x))`
#[op]
fn softmax(
    #[ad_in({
        let dot: f64 = r.iter().zip(r_b).map(|(r, r_b)| r * r_b).sum();
        r.iter().zip(r_b).map(|(r, r_b)| r * (r_b - dot)).collect::<Vec<f64>>()
    })]
    x: List<f64>,
) -> List<f64> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}
#[op]
fn swirl(
    #[ad_in(r_b.iter().zip(y).map(|(r_b, y)| r_b * y).collect::<Vec<f64>>())] x: List<f64>,
    #[ad_in(r_b.iter().zip(x).map(|(r_b, x)| r_b * x).collect::<Vec<f64>>())] y: List<f64>,
) -> List<f64> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

fn tapes<M: Recording>() -> [Tape<M>; 2] {
    [
        Tape::<M>::default(),
        Tape::<M>::builder()
            .chunk_bytes(32)
            .build()
            .expect("a tape"),
    ]
}

fn gradient<F: Function, M: Recording>(
    x0: &[f64],
    y0: &[f64],
    active: impl Fn(usize) -> bool,
) -> (f64, Vec<f64>) {
    let mut results = Vec::new();
    for mut tape in tapes::<M>() {
        for _ in 0..2 {
            let mut input = |(i, &x): (usize, &f64)| match active(i) {
                true => tape.input(x),
                false => Active::passive(x),
            };
            let all: Vec<Active<f64, M>> =
                x0.iter().chain(y0).enumerate().map(&mut input).collect();
            let (x, y) = all.split_at(x0.len());
            let f = tape.record(|| F::call::<M>(x, y));
            for _ in 0..3 {
                let g = if f.is_active() {
                    let g = tape.gradient(&f).expect("an output");
                    let one = |x: &Active<f64, M>| {
                        if x.is_active() {
                            g.wrt(x).expect("an input")
                        } else {
                            0.0
                        }
                    };
                    all.iter().map(one).collect()
                } else {
                    vec![0.0; all.len()]
                };
                results.push((f.value(), g));
            }
            drop((f, all));
            tape.reset();
        }
    }
    assert!(
        results
            .iter()
            .all(|r| format!("{r:?}") == format!("{:?}", results[0]))
    );
    results.swap_remove(0)
}
fn plain<F: Function>(x: &[f64], y: &[f64]) -> f64 {
    let plain = |x: &[f64]| {
        x.iter()
            .map(|&x| Active::<f64, Plain>::passive(x))
            .collect::<Vec<_>>()
    };
    F::call(&plain(x), &plain(y)).value()
}

fn check<F: Function>(x: &[f64], y: &[f64]) {
    let n = x.len();
    let patterns: [&dyn Fn(usize) -> bool; 6] = [
        &|_| true,
        &|i| i < n,
        &|i| i >= n,
        &|i| i % 2 == 0,
        &|i| i % 3 == 1,
        &|_| false,
    ];
    for active in patterns.into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        let taped = gradient::<F, Taped>(x, y, active);
        let reuse = gradient::<F, Reuse>(x, y, active);
        assert_eq!(format!("{taped:?}"), format!("{reuse:?}"));
        let (value, g) = taped;
        assert_eq!(value.to_bits(), plain::<F>(x, y).to_bits());
        for (i, g) in g.iter().enumerate().take(if cfg!(miri) { 1 } else { 20 }) {
            let at = |h: f64| {
                let (mut x, mut y) = (x.to_vec(), y.to_vec());
                match i < n {
                    true => x[i] += h,
                    false => y[i - n] += h,
                }
                plain::<F>(&x, &y)
            };
            let h = 1e-5;
            let want = if active(i) {
                (at(h) - at(-h)) / (2.0 * h)
            } else {
                0.0
            };
            assert!(
                relative_eq!(*g, want, epsilon = 1e-7, max_relative = 1e-7),
                "{}: element {i} of {n}: {g} {want}",
                std::any::type_name::<F>()
            );
        }
    }
}
macro_rules! checked { ($($name:ident $F:ident)*) => { $(
    #[test]
    fn $name() {
        let x: Vec<f64> = (0..7).map(|i| (1.3 * f64::from(i)).sin() + 0.1).collect();
        let y: Vec<f64> = (0..7).map(|i| (0.7 * f64::from(i)).cos() - 0.2).collect();
        for &n in if cfg!(miri) { &[0, 3][..] } else { &[0, 1, 2, 3, 7] } {
            check::<$F>(&x[..n], &y[..n]);
        }
    }
)* } }
checked! {
    sum SumOf product ProductOf mean MeanOf norm NormOf norm_squared SquaredOf max MaxOf min MinOf
    dot DotOf dot_with_numbers DotNumbers dot_with_itself DotItself inside_of_an_expression Mixed
    differences Differences numbers_beside NumbersBeside several_reductions SeveralReductions of_expressions OfExpressions
    dot_unread DotUnread
    lists_of_expressions Expressions expressions_with_parameters Powers scattered Scattered
    scattered_into_variables Overwritten
}

/// Variables occur in several places, and values are overwritten.
#[test]
fn lists_of_several_blocks_agree_with_reals() {
    fn program<M: Recording>(n: usize, lists: bool) -> (f64, Vec<f64>) {
        let mut tape = Tape::<M>::default();
        let at = |i: usize| (1.3 * i as f64).sin().abs() + 0.1;
        let x: Vec<Active<f64, M>> = tape.inputs((0..n).map(at));
        let y: Vec<Active<f64, M>> = tape.inputs((0..n).map(|i| 1.0 - 0.5 * at(i)));
        let step = |x: &[Active<f64, M>], y: &[Active<f64, M>]| -> Active<f64, M> {
            let p: Vec<f64> = (0..n).map(|i| 1.0 / (i + 1) as f64).collect();
            let scale = y[0].clone();
            if lists {
                let a = (list(x) * &scale - list(&p) / list(y)).exp().mean();
                let b = (list(&x[1..]) - list(&x[..n - 1])).norm_squared();
                return (a + b * select(n > 128, list(x), list(y)).sin().dot(list(&p))).eval();
            }
            let mut sums = [0.0; 3].map(Active::<f64, M>::passive);
            for i in 0..n {
                sums[0] += (&x[i] * &scale - p[i] / &y[i]).exp() / n as f64;
                if i > 0 {
                    sums[1] += (&x[i] - &x[i - 1]).powi(2);
                }
                sums[2] += select(n > 128, &x[i], &y[i]).sin() * p[i];
            }
            (&sums[0] + &sums[1] * &sums[2]).eval()
        };
        let f = tape.record(|| {
            let mut z: Vec<Active<f64, M>> = x.clone();
            for i in (2..n).step_by(3) {
                z[i] = z[i - 1].clone();
            }
            let first = step(&z, &y);
            for (z, y) in z.iter_mut().zip(&y) {
                z.assign(y * y);
            }
            (step(&z, &y) + first).eval()
        });
        let all = tape.gradient(&f).expect("an output");
        let all = all.wrt_all(x.iter().chain(&y)).expect("inputs");
        (f.value(), all)
    }
    for n in if cfg!(miri) {
        &[129][..]
    } else {
        &[1, 127, 128, 129, 300]
    } {
        let (want, gradient) = program::<Taped>(*n, false);
        for (value, all) in [program::<Taped>(*n, true), program::<Reuse>(*n, true)] {
            assert_relative_eq!(value, want, epsilon = 0.0, max_relative = 1e-12);
            assert_relative_eq!(all[..], gradient[..], epsilon = 1e-11, max_relative = 1e-11);
        }
    }
}

#[test]
fn a_hundred_thousand_elements_are_one_statement() {
    let n = if cfg!(miri) { 200 } else { 100_000 };
    let x0: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.001).sin()).collect();
    let mut tape = Tape::new();
    let x: Vec<_> = x0.iter().map(|&x| tape.input(x)).collect();
    let before = tape.statistics().statements;
    let f = tape.record(|| {
        let s = softmax(list(&x)).split();
        (s.dot(&x) + x.iter().map(|x| x * 2.0).sum::<Active<f64>>() + x.norm()).eval()
    });
    assert_eq!(tape.statistics().statements - before, 3);
    let (g, norm) = (
        tape.gradient(&f).unwrap(),
        x0.iter().map(|x| x * x).sum::<f64>().sqrt(),
    );
    let exp: f64 = x0.iter().map(|x| x.exp()).sum();
    let mean: f64 = x0.iter().map(|x| x * x.exp() / exp).sum();
    for i in (0..x.len()).step_by(997) {
        let s = x0[i].exp() / exp;
        let want = s + s * (x0[i] - mean) + 2.0 + x0[i] / norm;
        assert_abs_diff_eq!(g.wrt(&x[i]).unwrap(), want, epsilon = 1e-9);
    }
}

#[test]
fn a_statement_of_variables_has_four_bytes_for_each() {
    let mut tape = Tape::new();
    let x: Vec<_> = (0..1000).map(|i| tape.input(f64::from(i))).collect();
    let bytes = |tape: &Tape| tape.statistics().block_bytes;
    let before = bytes(&tape);
    tape.record(|| x.norm().eval());
    assert_eq!(bytes(&tape) - before, 4 + 4 * 1000);
    let before = bytes(&tape);
    tape.record(|| x.iter().map(|x| x * 2.0).sum::<Active<f64>>());
    assert!(bytes(&tape) - before <= 4 + 8 + 4 * 1000 + 4);
}

fn gradient_of(x0: &[f64], f: impl FnOnce(&[Active<f64>]) -> Active<f64>) -> (f64, Vec<f64>) {
    let mut tape = Tape::new();
    let x: Vec<_> = x0.iter().map(|&x| tape.input(x)).collect();
    let f = tape.record(|| f(&x));
    let g = tape.gradient(&f).unwrap();
    (f.value(), g.wrt_all(&x).unwrap())
}

#[test]
fn reductions_follow_the_conventions() {
    let product = |x: &[Active<f64>]| x.product().eval();
    assert_eq!(
        gradient_of(&[2.0, 0.0, 3.0], product),
        (0.0, vec![0.0, 6.0, 0.0])
    );
    assert_eq!(gradient_of(&[0.0, 0.0, 3.0], product), (0.0, vec![0.0; 3]));
    let norm = |x: &[Active<f64>]| x.norm().eval();
    assert_eq!(gradient_of(&[0.0, 0.0], norm), (0.0, vec![0.0; 2]));
    for scale in [700, -700].map(|n| 2.0_f64.powi(n)) {
        let x = [3.0 * scale, -4.0 * scale];
        assert_eq!(gradient_of(&x, norm), (5.0 * scale, vec![0.6, -0.8]));
    }
    let (tiny, _) = gradient_of(&[5e-324, 0.0], norm);
    assert_eq!(tiny, 5e-324);
    let max = |x: &[Active<f64>]| x.max().eval();
    assert_eq!(
        gradient_of(&[1.0, 2.0, 2.0, f64::NAN], max),
        (2.0, vec![0.0, 1.0, 0.0, 0.0])
    );
    let min = |x: &[Active<f64>]| x.min().eval();
    assert_eq!(
        gradient_of(&[f64::NAN, 1.0, 1.0], min),
        (1.0, vec![0.0, 1.0, 0.0])
    );
    // no 0 * Inf
    let roots = |x: &[Active<f64>]| {
        let roots: Vec<Active<f64>> = x.iter().map(|x| x.sqrt().eval()).collect();
        roots.max().eval()
    };
    assert_eq!(gradient_of(&[0.0, 4.0], roots), (2.0, vec![0.0, 0.25]));
    let none: [Active<f64, Plain>; 0] = [];
    assert_eq!(none.mean().eval().value(), 0.0);
    assert_eq!(none.norm().eval().value(), 0.0);
    assert_eq!(none.product().eval().value(), 1.0);
}

#[test]
fn extremes_of_no_elements_panic_where_they_are_evaluated() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let none: [Active<f64, Plain>; 0] = [];
    let mut tape = Tape::new();
    let mut refuses = |name: &str, f: &dyn Fn()| {
        for recorded in [false, true] {
            let run = || match recorded {
                true => tape.record(f),
                false => f(),
            };
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("no elements");
            let fixed =
                |panic: &dyn std::any::Any| panic.downcast_ref::<&str>().map(|s| s.to_string());
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| fixed(&*panic));
            let message = message.expect("a message");
            let want = "needs a list with at least one element";
            assert!(
                message.starts_with(&format!("`{name}` {want}")),
                "{message}"
            );
        }
    };
    refuses("max", &|| _ = none.max().eval());
    refuses("min", &|| _ = none.min().eval());
    refuses("max", &|| _ = (none.max() * 2.0).eval());
    let taped: [Active<f64>; 0] = [];
    refuses("max", &|| _ = taped.max().eval());
    let single: [Active<f32, Plain>; 0] = [];
    refuses("min", &|| _ = single.min().eval());
}

#[test]
fn lists_of_single_precision_are_cast() {
    let mut tape = Tape::new();
    let x: Vec<Active<f32>> = [3.0_f32, 4.0].map(|x| tape.input_as::<f32>(x)).into();
    let y = tape
        .record(|| (x.norm().to_f64() + x.iter().map(|x| x.to_f64()).sum::<Active<f64>>()).eval());
    assert_eq!(y.value(), 12.0);
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x[0]).unwrap(), 1.6);
}

#[test]
#[should_panic(expected = "`dot` needs lists of equal length, found 2 and 3")]
fn lists_of_different_lengths_panic() {
    let x = [Active::<f64, Plain>::passive(1.0); 2];
    let _ = x.dot(&[1.0; 3]);
}
#[test]
#[should_panic(expected = "a list of 2 values cannot be assigned to 1 variables")]
fn assigning_a_list_to_too_few_variables_panics() {
    let x = [Active::<f64>::passive(1.0); 2];
    let mut y = [Active::<f64>::passive(1.0)];
    softmax(list(&x)).assign_to(&mut y);
}
#[test]
#[should_panic(expected = "belongs to another tape")]
fn a_variable_of_another_tape_in_a_list_panics() {
    let (mut tape, mut other) = (Tape::new(), Tape::new());
    let x = [tape.input(1.0), other.input(1.0)];
    tape.record(|| x.sum().eval());
}

#[test]
fn positions_may_be_between_statements_of_lists() {
    fn program<M: Recording>() {
        let mut tape = Tape::<M>::builder()
            .chunk_bytes(32)
            .build()
            .expect("a tape");
        let x: Vec<Active<f64, M>> = [0.5, 1.5, 2.5].map(|x| tape.input(x)).into();
        let mut s = tape.record(|| softmax(list(&x)).split());
        let position = tape.position();
        let first = tape.record(|| s.max().eval());
        let want = tape.gradient(&first).unwrap().wrt(&x[0]).unwrap();
        drop(first);
        for _ in 0..2 {
            tape.record(|| softmax(detached(&s)).assign_to(&mut s));
            let f = tape.record(|| s.max().eval());
            assert!(tape.gradient(&f).is_ok());
            drop(f);
            tape.reset_to(&position).unwrap();
            s = tape.record(|| softmax(list(&x)).split());
            let again = tape.record(|| s.max().eval());
            assert_eq!(tape.gradient(&again).unwrap().wrt(&x[0]).unwrap(), want);
        }
    }
    program::<Taped>();
    program::<Reuse>();
}

mod flat {
    use super::*;

    #[test]
    fn flat_functions_give_passive_results_and_record_nothing() {
        fn program<M: Recording>() {
            let mut tape = Tape::<M>::default();
            let (x, y) = (tape.input(1.5), tape.input(-2.5));
            let before = tape.statistics().statements;
            let (floor, sign, mut z) = tape.record(|| {
                let z: Active<f64, M> = (&x).floor().eval();
                (
                    (&x * &y).floor().eval(),
                    ((&y).signum() * 2.0 + 1.0).eval(),
                    z,
                )
            });
            assert_eq!((floor.value(), sign.value()), (-4.0, -1.0));
            assert!(!floor.is_active() && !sign.is_active() && !z.is_active());
            assert_eq!(tape.statistics().statements, before);
            tape.record(|| {
                z.assign(&x * 2.0);
                z.update(|z| z.ceil());
            });
            assert!(!z.is_active());
            let before = tape.statistics().statements;
            let passive = tape.record(|| (x.value() * (&y).floor() + 1.0).eval());
            let p = Active::<f64, M>::passive(2.0);
            let product: Active<f64, M> = tape.record(|| (&p * (&y).floor()).eval());
            assert!(!passive.is_active() && !product.is_active());
            assert_eq!(tape.statistics().statements, before);
            let f = tape.record(|| ((&x).floor() * &y + (&x).trunc() * &x).eval());
            let g = tape.gradient(&f).unwrap();
            assert_eq!((g.wrt(&x).unwrap(), g.wrt(&y).unwrap()), (1.0, 1.0));
        }
        program::<Taped>();
        program::<Reuse>();
    }

    #[op]
    fn steps(#[ad_in({})] x: f64, #[ad_in({})] step: f64) -> f64 {
        (x / step).floor()
    }
    #[test]
    fn empty_formulas_declare_a_flat_operation() {
        let mut tape = Tape::new();
        let x = tape.input(1.5);
        let n = tape.record(|| steps(x, 0.5).eval());
        assert!(!n.is_active() && n.value() == 3.0);
    }
}

#[test]
fn sine_and_cosine_are_one_statement() {
    fn program<M: Recording>() {
        let mut tape = Tape::<M>::builder()
            .chunk_bytes(32)
            .build()
            .expect("a tape");
        let x: Active<f64, M> = tape.input(0.7);
        let (s, c) = tape.record(|| (&x * 2.0).sin_cos());
        assert_eq!((s.value(), c.value()), 1.4_f64.sin_cos());
        let f = tape.record(|| (&s * 3.0 + &c * &c).eval());
        for _ in 0..3 {
            let want = 6.0 * c.value() - 4.0 * s.value() * c.value();
            let got = tape.gradient(&f).unwrap().wrt(&x).unwrap();
            assert_abs_diff_eq!(got, want, epsilon = 1e-15);
        }
        let f = tape.record(|| (&c * 1.0).eval());
        let got = tape.gradient(&f).unwrap().wrt(&x).unwrap();
        assert_abs_diff_eq!(got, -2.0 * s.value(), epsilon = 1e-15);
    }
    program::<Taped>();
    program::<Reuse>();
    let (s, _) = Active::<f64, Plain>::passive(0.7).sin_cos();
    assert_eq!(s.value(), 0.7_f64.sin());
}

#[test]
fn inspection_and_statistics_show_lists() {
    let mut tape = Tape::new();
    let x: Vec<_> = [1.0, -1.0].map(|x| tape.input(x)).into();
    let y = tape.record(|| softmax(list(&x)).split());
    let f = tape.record(|| y.norm().eval());
    assert!(tape.gradient(&f).is_ok());
    let dot = tape.to_dot();
    assert!(dot.contains("s0 -> s2"), "{dot}");
    assert!(tape.find_non_finite().is_none());
    let bad = tape.record(|| y.iter().map(|y| y / 0.0).sum::<Active<f64>>());
    assert!(bad.value().is_infinite());
    assert!(tape.find_non_finite().is_some());
}

#[op]
fn short(#[ad_in({ let _ = (r_b, x); Vec::<f64>::new() })] x: List<f64>) -> f64 {
    x.len() as f64
}
#[op]
fn long(#[ad_in(vec![r_b; x.len() + 1])] x: List<f64>) -> f64 {
    x.len() as f64
}
#[test]
#[should_panic(
    expected = "the adjoint of Short with respect to its first argument has 0 elements for a list of 2"
)]
fn an_adjoint_without_elements_panics() {
    let _ = gradient_of(&[1.0, 2.0], |x| short(list(x)).eval());
}
#[test]
#[should_panic(
    expected = "the adjoint of Long with respect to its first argument has 3 elements for a list of 2"
)]
fn an_adjoint_with_too_many_elements_panics() {
    let _ = gradient_of(&[1.0, 2.0], |x| {
        let terms = list_of(x.iter().map(|x| x * 2.0));
        long(terms).eval()
    });
}
