use entape_check::assert_rule;
use entape_core::op as elementary;
use entape_simd::arrays::{Indices, op};

/// Not near each other or whole numbers.
fn numbers(length: usize, shift: f64) -> Vec<f64> {
    let number = |i: usize| {
        let x = (0.618_034 * i as f64 + shift).rem_euclid(4.0) - 2.0;
        let near = (x - x.round()).abs() < 0.05;
        x + if near { 0.07 } else { 0.0 }
    };
    (0..length).map(number).collect()
}
fn single(length: usize, shift: f64) -> Vec<f32> {
    numbers(length, shift).iter().map(|&x| x as f32).collect()
}

macro_rules! rules { ($($arguments:expr => $($Op:expr)*;)*) => { $( $( assert_rule(&$Op, $arguments); )* )* } }

#[test]
fn elementwise_operations_have_derivatives() {
    for n in [1, 4, 7] {
        let (v, w) = (|| numbers(n, 0.3), || numbers(n, 1.7));
        rules! {
            (v(), w()) => elementary::Add elementary::Mul elementary::Div elementary::Hypot elementary::Max;
            (v(), 0.7) => elementary::Sub elementary::Div;
            (0.7, w()) => elementary::Mul;
            (v(),) => elementary::Neg elementary::Sin elementary::Exp elementary::Abs elementary::Powi { n: 3 };
            (v(), w(), 0.3) => elementary::MulAdd;
        }
    }
}
#[test]
fn reductions_have_derivatives() {
    for n in [1, 4, 9, 16, 17, 128, 131] {
        let (v, w) = (|| numbers(n, 0.3), || numbers(n, 1.7));
        macro_rules! folds { ($x:expr => $($R:ident)*) => { rules! { ($x,) => $( op::Fold(op::$R) )*; } } }
        folds! { v() => Sum Mean Norm NormSquared }
        folds! { single(n, 0.3) => Sum Norm }
        // With more numbers, others are near the extremes.
        if n <= 17 {
            folds! { v() => ReduceMax ReduceMin }
            folds! { single(n, 0.3) => ReduceMin }
        }
        rules! {
            (v(), w()) => op::Dot;
            (single(n, 0.3), single(n, 1.7)) => op::Dot;
        }
    }
    rules! { (Vec::<f64>::new(), Vec::<f64>::new()) => op::Dot; }
}
#[test]
fn moved_elements_have_derivatives() {
    for n in [1, 4, 7] {
        let (v, w) = (|| numbers(n, 0.3), || numbers(5, 1.7));
        rules! {
            (v(),) => op::CumulativeSum op::Reverse;
            (v(), w()) => op::Concat;
            (single(n, 0.3),) => op::CumulativeSum op::Reverse;
        }
        for by in [-9, -2, -1, 0, 1, 3, 8] {
            assert_rule(&op::Shift { by }, (v(),));
            assert_rule(&op::Rotate { by }, (v(),));
        }
    }
    assert_rule(&op::Rotate { by: 1 }, (Vec::<f64>::new(),));
    for length in [0, 1, 7] {
        assert_rule(&op::Splat { length }, (0.7,));
        assert_rule(&op::Splat { length }, (0.7_f32,));
    }
}
#[test]
fn elements_by_indices_have_derivatives() {
    for at in [&[] as &[usize], &[0], &[3, 0, 3, 3, 2], &[6; 9]] {
        let at = Indices::from(at);
        assert_rule(&op::Take { at }, (numbers(7, 0.3),));
    }
    for (n, length) in [(0, 0), (0, 3), (1, 1), (7, 5), (9, 20)] {
        let at = (0..n).map(|i| (3 * i + 1) % length).collect();
        assert_rule(&op::AddUp { at, length }, (numbers(n, 0.3),));
    }
    let at = Indices::from(&[1, 1, 0]);
    assert_rule(&op::Take { at }, (single(2, 0.3),));
}
#[test]
fn choices_have_derivatives() {
    for n in [1, 4, 7] {
        let mask: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
        let (v, w) = (|| numbers(n, 0.3), || numbers(n, 1.7));
        rules! {
            (mask.clone(), v(), w()) => op::MaskSelect;
            (mask.clone(), v(), 0.7) => op::MaskSelect;
            (mask.clone(), 0.7, w()) => op::MaskSelect;
            (mask.clone(), 0.7, -0.2) => op::MaskSelect;
        }
    }
}
