//! Kinds whose sum does not follow from the types of their values.
use entape_core::kind;

#[kind]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counted {
    x: f64,
    n: usize,
}

#[kind(value = Vec<bool>, index = Owned, zero = |like| vec![false; like.len()])]
struct Flags;

#[kind(value = Vec<bool>, index = Owned, add = |_, _| {})]
struct Mask;

#[kind(index = Owned)]
struct Array;

#[kind]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Sign {
    #[default]
    Plus,
    Minus,
}

#[kind(index = Owned, add = |into, from| into.0.extend(from.0))]
#[derive(Clone)]
struct Own(Vec<f64>);

fn main() {}
