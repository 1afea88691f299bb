//! Faults that users of other tools have reported, one file for each type. Correct values come from mathematics or from
//! differences, and are required of all modes and drivers.
#![allow(clippy::op_ref, clippy::needless_borrow, clippy::type_complexity)] // references are what variables of all modes need
mod aliasing;
mod branches;
mod checkpoint_steps;
mod closures_with_state;
mod duplicate_indices;
mod empty_shapes;
mod in_place;
mod integer_arguments;
mod kept_recordings;
mod log_sum_exp;
mod masked_poles;
mod meeting_eigenvalues;
mod norm_at_origin;
mod parallel_sums;
mod powers_at_zero;
mod qr_shapes;

use entape::prelude::*;

#[track_caller]
fn near(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let size = want.iter().fold(1.0_f64, |size, x| {
        if x.is_finite() {
            size.max(x.abs())
        } else {
            size
        }
    });
    let agree =
        |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * size;
    assert!(
        got.iter().zip(want).all(|(&a, &b)| agree(a, b)),
        "{what} is {got:?} instead of {want:?}"
    );
}
fn swept<M: Recording>(
    mut tape: Tape<M>,
    x: &[f64],
    f: impl FnOnce(&[Real<M>]) -> Real<M>,
) -> Vec<f64> {
    let x: Vec<_> = x.iter().map(|&x| tape.input(x)).collect();
    let y = tape.record(|| f(&x));
    if !y.is_active() {
        return vec![0.0; x.len()];
    }
    let gradient = tape.gradient(&y).expect("a recorded result");
    x.iter()
        .map(|x| gradient.wrt(x).expect("an input"))
        .collect()
}
fn pushed(x: &[f64], f: impl Fn(&[Real<Forward>]) -> Real<Forward>) -> Vec<f64> {
    let along = |i: usize| {
        let unit = |j: usize| f64::from(u8::from(i == j));
        let x: Vec<_> = (0..x.len())
            .map(|j| Real::<Forward>::with_tangents(x[j], [unit(j)]))
            .collect();
        f(&x).tangent()
    };
    (0..x.len()).map(along).collect()
}
fn hessian(x: &[f64], f: impl FnOnce(&[Real]) -> Real) -> Vec<f64> {
    let mut tape = Tape::new();
    let x = tape.inputs(x.iter().copied());
    let y = tape.record(|| f(&x));
    let mut all = Vec::new();
    if !y.is_active() {
        return vec![0.0; x.len() * x.len()];
    }
    for i in 0..x.len() {
        let mut directions = tape
            .directions::<1>()
            .expect("a tape of this mode")
            .one_sided();
        directions.set(&x[i], [1.0]).expect("an input");
        let second = directions
            .sweep()
            .expect("tangents")
            .gradient(&y)
            .expect("a sweep");
        all.extend(x.iter().map(|x| second.wrt(x).expect("an input")[0]));
    }
    all
}

/// Asserts the gradient of a program, `fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M>`, in all modes, and its Hessian by
/// all drivers.
macro_rules! assert_derivatives {
    ($f:ident at $x:expr; gradient $gradient:expr $(; hessian $hessian:expr)?) => {{
        use entape::{driver::Objective, mode::{Reuse, Taped}, tape::Tape};
        let (x, gradient): (&[f64], &[f64]) = (&$x, &$gradient);
        let objective = Objective::new($f {});
        $crate::near("a sweep", &$crate::swept(Tape::<Taped>::new(), x, $f), gradient);
        $crate::near("a sweep in the mode Reuse", &$crate::swept(Tape::<Reuse>::default(), x, $f), gradient);
        $crate::near("forward mode", &$crate::pushed(x, $f), gradient);
        $crate::near("the objective's gradient", &objective.gradient(x).expect("a gradient"), gradient);
        $(
            let hessian: &[f64] = &$hessian;
            $crate::near("the Hessian", &$crate::hessian(x, $f), hessian);
            let by_driver = objective.hessian(x).expect("a Hessian");
            $crate::near("the objective's Hessian", by_driver.as_slice(), hessian);
            for i in 0..x.len() {
                let unit: Vec<f64> = (0..x.len()).map(|j| f64::from(u8::from(i == j))).collect();
                let product = objective.hessian_vector(x, &unit).expect("a product");
                $crate::near("a product with the Hessian", &product, &hessian[i * x.len()..][..x.len()]);
            }
        )?
    }};
}
use assert_derivatives;
