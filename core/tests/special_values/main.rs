//! Elementary functions at special values, in all modes and forms, against limits by mpmath (`data/special_values.py`).
//!
//! `ENTAPE_SPECIAL_VALUES` prints every difference, including known ones.
#[macro_use]
mod table;

use entape_core::{
    expr::{Active, list},
    mode::{AnyMode, Mode, Reuse},
    real::{Elementary, ListReductions},
    tape::Tape,
};
use table::{Form, Known, compare, swept};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

const KNOWN: &[Known] = &include!("known.rs");

fn at<M: AnyMode>(x: &[Real<M>], i: usize) -> &Real<M> {
    &x[i.min(x.len() - 1)]
}

fn alone<M: AnyMode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
    let (a, b, c) = (at(x, 0), at(x, 1), at(x, 2));
    macro_rules! finish {
        ($expression:expr) => {
            $expression.eval()
        };
    }
    Some(by_name!(name, a, b, c, finish))
}
struct Alone;
impl Form for Alone {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        alone(name, x)
    }
}
#[test]
fn functions_as_statements_have_the_limits_of_the_table() {
    let met = compare::<Alone>(KNOWN, |name, x| {
        let reuse = swept("reuse", Tape::<Reuse>::default(), x, |x| alone(name, x));
        reuse.into_iter().collect()
    });
    for ((names, column, _, why), met) in KNOWN.iter().zip(met) {
        assert!(met, "{names:?}, {column}: nothing differs, although {why}");
    }
}

struct Inside;
impl Form for Inside {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        let (a, b, c) = (at(x, 0) * 1.0, at(x, 1) * 1.0, at(x, 2) * 1.0);
        macro_rules! finish {
            ($expression:expr) => {
                ($expression * 1.0).eval()
            };
        }
        Some(by_name!(name, a, b, c, finish))
    }
}
#[test]
fn functions_inside_of_statements_have_the_limits_of_the_table() {
    compare::<Inside>(KNOWN, |_, _| Vec::new());
}

struct Lists;
impl Form for Lists {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        let [a, b, c] = [0, 1, 2].map(|i| list(std::slice::from_ref(at(x, i))));
        macro_rules! finish {
            ($expression:expr) => {
                $expression.sum().eval()
            };
        }
        Some(by_name!(name, a, b, c, finish))
    }
}
#[test]
fn functions_of_lists_have_the_limits_of_the_table() {
    compare::<Lists>(KNOWN, |_, _| Vec::new());
}

struct Constants;
impl Form for Constants {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>> {
        let [a, b] = x else {
            return None;
        };
        let b = b.value();
        macro_rules! finish {
            ($expression:expr) => {
                $expression.eval()
            };
        }
        Some(by_name!(name, a, b, b, finish))
    }
    fn is_constant(argument: usize) -> bool {
        argument == 1
    }
}
#[test]
fn functions_with_constant_arguments_have_the_limits_of_the_table() {
    compare::<Constants>(KNOWN, |_, _| Vec::new());
}
