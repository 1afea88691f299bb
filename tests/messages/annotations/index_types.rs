//! Indices whose number is unknown, and values whose zero is.
use entape_core::{kind, operations};
use std::ops::{Index, IndexMut};

#[kind(numbers, index = Owned)]
#[derive(Clone)]
pub struct Row(Vec<f64>);

impl Index<u32> for Row {
    type Output = f64;
    fn index(&self, i: u32) -> &f64 {
        &self.0[i as usize]
    }
}
#[operations(in_place)]
impl IndexMut<u32> for Row {
    #[op]
    fn index_mut(&mut self, i: u32) -> &mut f64 {
        &mut self.0[i as usize]
    }
}

fn main() {}
