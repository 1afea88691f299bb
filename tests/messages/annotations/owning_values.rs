//! A value kind whose values own memory: its adjoints would begin with a zero without a shape.
use entape_core::kind;

#[kind(add = |into, from| into.v.iter_mut().zip(from.v).for_each(|(x, y)| *x += y))]
#[derive(Clone, Debug, Default, PartialEq)]
struct Series {
    v: Vec<f64>,
}

#[kind(value = Vec<f64>, index = Linear, add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y))]
struct Array;

fn main() {}
