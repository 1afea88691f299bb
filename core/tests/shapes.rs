//! Adjoints of wrong shapes are rejected where they are computed or read.
#![allow(missing_docs, unreachable_pub)]
use entape_core::{
    expr::{Active, list},
    external::external,
    kind,
    kind::{Contribution, Kind, List},
    mode::{AnyMode, Recording, Reuse, Taped},
    op,
    tape::Tape,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[kind(value = Vec<f64>, index = Owned, coordinates)]
pub struct Array;

#[kind(
    value = Vec<f64>,
    index = Owned,
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    zero = |like| vec![0.0; like.len()],
)]
pub struct Lossy;

#[kind(index = Owned)]
#[derive(Clone)]
pub struct Curve {
    points: Vec<f64>,
    scale: f64,
}

#[track_caller]
fn refused<T>(words: &[&str], f: impl FnOnce() -> T) {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    let message = panic
        .downcast_ref::<String>()
        .expect("a message that is made");
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

#[op(tangent(v = v_t[0]), second(v = {}))]
fn first(#[ad_in(vec![r_b])] v: &Array) -> f64 {
    v[0]
}
#[op]
fn first_lossy(#[ad_in(vec![r_b])] v: &Lossy) -> f64 {
    v[0]
}
#[op]
fn start(
    #[ad_in(Curve { points: vec![r_b * c.scale], scale: r_b * c.points[0] })] c: &Curve,
) -> f64 {
    c.points[0] * c.scale
}
#[op]
fn first_of_list(#[ad_in(vec![r_b])] x: List<f64>) -> f64 {
    x[0]
}
#[op]
fn first_of_each(#[ad_in(v.iter().map(|_| vec![r_b]).collect::<Vec<_>>())] v: List<Array>) -> f64 {
    v.iter().map(|v| v[0]).sum()
}
#[op(tangent(v = 2.0 * v[0] * v_t[0]), second(v = vec![2.0 * r_b * v_t[0]]))]
fn square_of_first(
    #[ad_in({
        let mut sum = vec![0.0; v.len()];
        sum[0] = 2.0 * v[0] * r_b;
        sum
    })]
    v: &Array,
) -> f64 {
    v[0] * v[0]
}
#[op(linear)]
fn total(#[ad_in(vec![r_b; 3])] v: &Array) -> f64 {
    v.iter().sum()
}

#[op(self_adjoint)]
fn twice(v: &Array) -> Array {
    v.iter().map(|x| 2.0 * x).collect()
}
#[op(
    tangent(v = v.iter().zip(v_t).map(|(v, t)| v.cos() * t).collect::<Vec<_>>()),
    second(v = v.iter().zip(v_t).zip(r_b).map(|((v, t), r_b)| -v.sin() * t * r_b).collect::<Vec<_>>()),
)]
fn sine(
    #[ad_in(v.iter().zip(r_b).map(|(v, r_b)| v.cos() * r_b).collect::<Vec<_>>())] v: &Array,
) -> Array {
    v.iter().map(|x| x.sin()).collect()
}
#[op(linear, save(n: u32 = v.len() as u32))]
fn sum(#[ad_in(vec![r_b; n as usize])] v: &Array) -> f64 {
    v.iter().sum()
}
#[op(linear)]
fn spread(#[ad_in(r_b.iter().sum::<f64>())] x: f64, #[ad_passive] n: u32) -> Array {
    vec![x; n as usize]
}

const FIRST: &[&str] = &["First", "first argument", "shape 1", "shape 2"];

#[test]
fn the_first_term_of_a_variable_is_compared() {
    fn run<M: Recording>() {
        let mut tape = Tape::<M>::default();
        let v = tape.input_as::<Array>(vec![1.0, 2.0]);
        let y = tape.record(|| first(&v).eval());
        refused(FIRST, || tape.gradient(&y).map(|_| ()));
    }
    run::<Taped>();
    run::<Reuse>();
}

#[test]
fn kinds_of_every_sort_are_compared() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Lossy>(vec![1.0, 2.0]);
    let y = tape.record(|| first_lossy(&v).eval());
    refused(&["FirstLossy", "Lossy", "shape 1", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
    let mut tape = Tape::new();
    let c = tape.input(Curve {
        points: vec![3.0, 4.0, 5.0],
        scale: 2.0,
    });
    let y = tape.record(|| start(&c).eval());
    refused(
        &["Start", "Curve", "shape (1, ())", "shape (3, ())"],
        || tape.gradient(&y).map(|_| ()),
    );
}

#[test]
fn lists_and_their_elements_are_compared() {
    let mut tape = Tape::new();
    let x = tape.inputs([1.0, 2.0]);
    let y = tape.record(|| first_of_list(list(&x)).eval());
    refused(
        &[
            "FirstOfList",
            "first argument",
            "1 elements for a list of 2",
        ],
        || tape.gradient(&y).map(|_| ()),
    );
    let mut tape = Tape::new();
    let v = [vec![1.0, 2.0], vec![3.0]].map(|v| tape.input_as::<Array>(v));
    let y = tape.record(|| first_of_each(list(&v)).eval());
    refused(&["FirstOfEach", "shape 1", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
}

#[test]
fn arguments_that_are_expressions_are_compared() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let y = tape.record(|| first(sine(twice(&v))).eval());
    refused(&["shape 1", "shape 2"], || tape.gradient(&y).map(|_| ()));
}

#[test]
fn reused_slots_keep_the_shape_of_each_value() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let y = tape.record(|| {
        let y = {
            let a = twice(&v).eval();
            first(&a).eval()
        };
        let b = spread(y, 1).eval();
        sum(&b).eval()
    });
    refused(&["First", "shape 1", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
}

struct Untold(Vec<f64>);
impl Contribution<Array> for Untold {
    fn add_to(self, adjoint: &mut Option<Vec<f64>>) {
        *adjoint = Some(self.0);
    }
    fn materialise(self) -> Vec<f64> {
        self.0
    }
}
#[op]
fn unsaid(#[ad_in(Untold(vec![r_b]))] v: &Array) -> f64 {
    v[0]
}

#[test]
fn the_gradient_has_the_shape_of_the_variable() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let y = tape.record(|| unsaid(&v).eval());
    let gradient = tape.gradient(&y).unwrap();
    refused(&["a gradient of shape 1", "kind Array", "shape 2"], || {
        gradient.wrt(&v)
    });
}

#[op(self_adjoint)]
fn shorter(v: &Array) -> Array {
    v[1..].to_vec()
}
#[test]
fn a_map_that_is_its_own_adjoint_keeps_the_shape() {
    let v = Tape::new().input_as::<Array>(vec![1.0, 2.0]);
    let words = [
        "Shorter is declared `self_adjoint`",
        "shape 1",
        "shape 2",
        "`linear`",
        "`#[ad_in(..)]`",
    ];
    refused(&words, || shorter(&v).eval());
}

#[test]
fn a_later_term_is_compared_with_the_sum() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let y = tape.record(|| (sum(&v) + total(&v)).eval());
    refused(&["Total", "shape 3", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
    let mut sum = Some(vec![1.0, 2.0]);
    refused(&["shape 1", "shape 2"], || {
        kind::Adjoint::<Lossy>::add(&mut sum, vec![1.0])
    });
}

#[test]
fn seeds_are_compared() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let w = tape.record(|| sine(&v).eval());
    let words = ["a seed of shape 1", "shape 2"];
    refused(&words, || tape.seed(&w, vec![1.0]));
    refused(&words, || {
        tape.adjoints().unwrap().seed(&w, 0, vec![1.0]).unwrap();
    });
    refused(&["a tangent of shape 3", "shape 2"], || {
        let mut directions = tape.directions::<1>().unwrap();
        directions.set(&v, [vec![0.0; 3]]).unwrap();
    });
}

#[test]
fn sweeps_along_directions_compare_shapes() {
    fn swept<N: Fn(&Active<Array>) -> Active<f64>>(f: N) -> impl FnOnce() {
        move || {
            let mut tape = Tape::new();
            let v = tape.input_as::<Array>(vec![1.0, 2.0]);
            let y = tape.record(|| f(&v));
            let mut directions = tape.directions::<1>().unwrap();
            directions.set(&v, [vec![1.0, 0.0]]).unwrap();
            let _ = directions.sweep().unwrap().gradient(&y).unwrap();
        }
    }
    refused(FIRST, swept(|v| first(v).eval()));
    let words = ["SquareOfFirst", "first argument", "shape 1", "shape 2"];
    refused(&words, swept(|v| square_of_first(v).eval()));
    refused(&words, swept(|v| square_of_first(sine(v)).eval()));
    refused(FIRST, || {
        let mut tape = Tape::new();
        let v = tape.input_as::<Array>(vec![1.0, 2.0]);
        let y = tape.record(|| first(&v).eval());
        let mut adjoints = tape.adjoints().unwrap();
        adjoints.seed(&y, 3, 1.0).unwrap();
        adjoints.sweep().map(|_| ())
    });
}

#[test]
fn closures_of_external_functions_are_compared() {
    let mut tape = Tape::new();
    let v = tape.input_as::<Array>(vec![1.0, 2.0]);
    let y = tape.record(|| external(&v, 1.0, |y_b: f64| vec![y_b]).eval());
    refused(&["external function", "shape 1", "shape 2"], || {
        tape.gradient(&y).map(|_| ())
    });
}

#[test]
fn reused_slots_of_other_lengths_keep_their_gradients() {
    fn program<M: AnyMode>(v: &Active<Array, M>, x: &Active<f64, M>) -> Active<f64, M> {
        let mut y = (1.0 * x).eval();
        for n in [1, 5, 2, 2, 7, 1] {
            let a = spread(&y, n).eval();
            let b = twice(&a).eval();
            drop(a);
            let c = sine(&b).eval();
            let d = twice(twice(&c)).eval();
            y = (sum(&d) / f64::from(8 * n) + sum(twice(v)) / 16.0).eval();
        }
        y
    }
    fn run<M: Recording>() -> (Vec<f64>, f64) {
        let mut tape = Tape::<M>::default();
        let v = tape.input_as::<Array>(vec![0.5, -0.25, 1.0]);
        let x = tape.input(0.3);
        let y = tape.record(|| program(&v, &x));
        let gradient = tape.gradient(&y).unwrap();
        let first = (gradient.wrt(&v).unwrap(), gradient.wrt(&x).unwrap());
        let again = tape.gradient(&y).unwrap();
        assert_eq!(first, (again.wrt(&v).unwrap(), again.wrt(&x).unwrap()));
        first
    }
    let value = |x: f64, shift: f64| {
        let mut y = x;
        for _ in 0..6 {
            y = 0.5 * (2.0 * y).sin() + (1.25 + shift) / 8.0;
        }
        y
    };
    let slope = |f: &dyn Fn(f64) -> f64| (f(1e-5) - f(-1e-5)) / 2e-5;
    let by_x = slope(&|h| value(0.3 + h, 0.0));
    let by_v = slope(&|h| value(0.3, h));
    for (v, x) in [run::<Taped>(), run::<Reuse>()] {
        assert!((x - by_x).abs() < 1e-8, "{x} {by_x}");
        assert!(v.len() == 3 && v.iter().all(|v| (v - by_v).abs() < 1e-8));
    }
}

#[test]
fn shapes_of_numbers_are_compared_and_printed() {
    use kind::Additive;
    let (a, b) = (vec![vec![1.0], vec![2.0, 3.0]], vec![vec![1.0], vec![2.0]]);
    assert!(a.same_shape(&a) && !a.same_shape(&b));
    assert_eq!(a.shape_text(), "[1, 2]");
    assert_eq!((1.0, vec![0.0; 4]).shape_text(), "((), 4)");
    assert!(<[f64; 3]>::ONE_SHAPE && [1.0, 2.0].same_shape(&[3.0, 4.0]));
    assert!(!<Curve as Kind>::same_shape(
        &Curve {
            points: vec![1.0],
            scale: 1.0
        },
        &Curve {
            points: vec![],
            scale: 1.0
        },
    ));
    assert!(<Array as Kind>::same_shape(&vec![1.0], &vec![2.0]));
}
