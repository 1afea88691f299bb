//! Misuse panics at the user's line and names the operation.
use crate::support::{panic_of, refuses};
use entape_core::{
    expr::Active,
    mode::Mode,
    real::{Elementary, Reals},
    tape::Tape,
};
use entape_drivers::{Function, ListShape, Objective, gradient, jacobian, vjp};

type Real = Active<f64>;

/// Each expression panics in this file with a message that contains the words before it. `x` is a variable of the recording
/// tape, `o` of another.
macro_rules! refused { (|$x:ident, $o:ident| $($word:literal: $e:expr;)*) => {{
    let (mut tape, mut other) = (Tape::new(), Tape::new());
    let ($x, $o) = (tape.input(2.0), other.input(1.0));
    tape.record(|| { $( refuses(file!(), &[$word, "another tape"], || { let _ = $e; }); )* });
}} }

#[test]
fn misuse_in_expressions_panics_at_the_line_of_the_user() {
    refused! { |x, o|
        "`Mul(f64, f64)`": (x * o).eval();
        "`Add(f64, constant f64)`": (o + 1.0).eval();
        "`Add(f64, f64)`": { let mut y = x; y += o; };
        "`Mul(f64, constant f64)`": { let mut y = x; y.assign(o * 2.0) };
        "`Sqrt(Mul(f64, f64))`": (x * o).sqrt().eval();
        "`Max(f64, f64)`": x.max(o).eval();
        "`Norm([f64, ..])`": [x, o].norm().eval();
    }
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    refuses(file!(), &["`Sin(f64)`", "no tape records"], || {
        x.sin().eval()
    });
}
#[test]
fn sums_are_named() {
    let (mut tape, mut other) = (Tape::new(), Tape::new());
    let (x, o) = (tape.input(2.0), other.input(1.0));
    tape.record(|| {
        let (message, ..) = panic_of(|| [x, o].iter().sum::<Real>());
        assert!(message.contains("`Sum([f64, ..])`"), "{message}");
        let (message, ..) = panic_of(|| [x, o].iter().product::<Real>());
        assert!(message.contains("`Product([f64, ..])`"), "{message}");
    });
}
#[test]
fn misuse_in_a_function_panics_in_the_function() {
    struct Unwraps;
    impl Function for Unwraps {
        type Inputs = ListShape<f64>;
        type Values = f64;
        type Output<M: Mode> = Active<f64, M>;
        fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
            x.get(1).copied().unwrap()
        }
    }
    let mut other = Tape::new();
    let o = other.input(1.0);
    let objective = Objective::recorded(|x: &[Active<f64>]| x[0] * o);
    refuses(file!(), &["another tape"], || objective.gradient(&[1.0]));
    refuses(file!(), &["another tape"], || objective.hessian(&[1.0]));
    let objective = Objective::new(Unwraps);
    refuses(file!(), &["unwrap"], || objective.value(&[1.0]));
    refuses(file!(), &["unwrap"], || objective.gradient(&[1.0]));
    refuses(file!(), &["unwrap"], || objective.hessian(&[1.0]));
}
#[test]
fn misuse_of_a_driver_panics_at_its_call() {
    let mut other = Tape::new();
    let o = other.input(1.0);
    refuses(file!(), &["another tape"], || {
        gradient(|x: Real| x * o, 1.0)
    });
    refuses(file!(), &["another tape"], || {
        jacobian(|x: Real| [x * o, x * o], 1.0)
    });
    refuses(file!(), &["another tape"], || {
        jacobian(|x: Real| vec![x * o], 1.0)
    });
    refuses(file!(), &["another tape"], || {
        jacobian(|x: Real| (x, x * o), 1.0)
    });
    refuses(
        file!(),
        &["a seed of 1 numbers does not fit 2 outputs"],
        || vjp(|x: &[Real]| x.to_vec(), &[1.0, 2.0], vec![3.0]),
    );
    let mut tape = Tape::new();
    let x = tape.input(3.0);
    let y = tape.record(|| {
        panic_of(|| gradient(|x: Real| x * o, 1.0));
        (x * x).eval()
    });
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(6.0));
}
