//! A function that remains gets values of a storage kind by reference.
use entape_core::{kind, operations};

#[kind(numbers(x), index = Owned)]
#[derive(Clone)]
pub struct Series {
    x: Vec<f64>,
}

#[operations(ext = SeriesOps, in_place)]
impl Series {
    #[op]
    fn total(#[ad_in(Series { x: vec![r_b; s.x.len()] })] s: Self) -> f64 {
        s.x.iter().sum()
    }
}

fn main() {}
