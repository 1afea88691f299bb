//! Errors in annotated indices.
use entape_core::{kind, operations};
use std::ops::{Index, IndexMut};

#[kind(numbers, index = Owned)]
#[derive(Clone)]
pub struct Row(Vec<f64>);

#[operations(in_place)]
impl Row {
    #[op(index = get)]
    fn get_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.0[i]
    }
    fn at(&self, i: usize) -> f64 {
        self.0[i]
    }
    #[op(index = at, linear)]
    fn at_mut(&mut self, #[ad_passive] i: usize) -> f64 {
        self.0[i]
    }
    #[op(index = at, sample(i = 1))]
    fn set(&mut self, i: usize, x: f64) {
        self.0[i] = x;
    }
    #[op(index = at)]
    fn clear(&mut self) {}
    #[op(index = at)]
    fn set_at(&mut self, i: i32, x: f64) {}
}

impl Index<u32> for Row {
    type Output = f64;
    fn index(&self, i: u32) -> &f64 {
        &self.0[i as usize]
    }
}
#[operations]
impl IndexMut<u32> for Row {
    #[op]
    fn index_mut(&mut self, i: u32) -> &mut f64 {
        &mut self.0[i as usize]
    }
}

fn main() {}
