//! Elementary functions at special values, in all modes, against the table for numbers.
#[path = "../../core/tests/special_values/table.rs"]
mod table;

use entape_core::{
    expr::Active,
    mode::Mode,
    real::Elementary,
    tape::{Error, Tape},
};
use entape_simd::{
    Array, GatherOps, LanesOps, Realx4,
    arrays::{ArrayOps, Gathers},
    wide::f64x4,
};
use std::f64::consts::LOG10_E;
use table::{Form, Known, compare};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

fn copies<M: Mode, const N: usize>(x: &[Real<M>], argument: usize, place: usize) -> [Real<M>; N] {
    let x = x[argument.min(x.len() - 1)];
    let mut all = [Real::<M>::passive(x.value()); N];
    all[place] = x;
    all
}

/// Formulas that overflow before their result does, for numbers and for vectors.
const KNOWN: &[Known] = &include!("../../core/tests/special_values/known.rs");

struct Arrays;
impl Form for Arrays {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        let argument = |i| -> Array<M> { copies::<M, 6>(x, i, 5).gather_array().eval() };
        let (a, b, c) = (&argument(0), &argument(1), &argument(2));
        macro_rules! finish {
            ($expression:expr) => {{
                let r: Array<M> = $expression.eval();
                (&r[5] * 1.0).eval()
            }};
        }
        Some(by_name!(name, a, b, c, finish))
    }
}
#[test]
fn elements_of_arrays_agree_with_the_table() {
    compare::<Arrays>(KNOWN, |_, _| Vec::new());
}

struct Lanes;
impl Form for Lanes {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        let argument = |i| -> Realx4<M> { copies::<M, 4>(x, i, 2).gather::<f64x4>().eval() };
        let (a, b, c) = (argument(0), argument(1), argument(2));
        macro_rules! finish {
            ($expression:expr) => {
                $expression.lane(2).eval()
            };
        }
        Some(by_name!(name, a, b, c, finish))
    }
}
#[test]
fn lanes_agree_with_the_table() {
    compare::<Lanes>(KNOWN, |_, _| Vec::new());
}

#[test]
fn slopes_are_right_where_their_divisor_overflows() -> Result<(), Error> {
    let mut tape = Tape::new();
    let (v, w) = (tape.input(vec![1.0; 5]), tape.input(f64x4::splat(1.0)));
    let y = tape.record(|| {
        let of_array = (&v * 1e308).log(10.0) + (&v * 1e155).atan() * 1e155;
        let of_lanes = (w * 1e308).log(10.0) + (w * 1e155).atan() * 1e155;
        (of_array.sum() + of_lanes.reduce_add()).eval()
    });
    let gradient = tape.gradient(&y)?;
    let slopes = [gradient.wrt(&v)?, gradient.wrt(&w)?.to_array().to_vec()].concat();
    let want = LOG10_E + 1.0;
    assert!(
        slopes.iter().all(|slope| (slope - want).abs() < 1e-12),
        "{slopes:?}"
    );
    Ok(())
}
