//! `#[function]`: statements, and derivatives in all modes.
#![allow(clippy::useless_vec, clippy::needless_range_loop)]
use entape_check as check;
use entape_core::{
    expr::{Active, list, select},
    function,
    mode::{AnyMode, Mode, Plain, Reuse, Taped},
    real::{Elementary, ListReductions, RealKind, Reals, number},
    tape::Tape,
};
use entape_drivers::{
    Error, Function, Objective, gradient, hessian, hessian_vector, jacobian, jvp,
    value_and_gradient, value_gradient_hessian, values_and_jacobian, vjp,
};

mod arguments;
mod bodies;
mod signatures;

type Real<M = Taped> = Active<f64, M>;

fn statements<const N: usize, O>(f: impl FnOnce(&[Real]) -> O, x: [f64; N]) -> usize {
    let mut tape = Tape::new();
    let x = tape.inputs(x);
    let before = tape.statistics().statements;
    tape.record(|| f(&x));
    tape.statistics().statements - before
}
#[track_caller]
fn verify<F>(f: F, x: &[f64])
where
    F: Function<
            Inputs: entape_drivers::RealsShape
                        + entape_core::structure::FlatStructure<Values = Vec<f64>>,
            Values = f64,
        >,
{
    check::gradient(&f, x).unwrap();
    check::hessian(&f, x).unwrap();
}
