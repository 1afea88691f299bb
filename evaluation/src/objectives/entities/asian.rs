//! The Asian option by arrays over some paths, with two statements for a step.
use super::super::gradient;
use entape::prelude::*;
use evaluation_worker::objectives::{Asian, Derive};

/// Paths of one recording, which stays in the caches.
const RECORDED: usize = 256;

pub(super) fn derive(asian: Asian, x: Vec<f64>) -> Derive {
    // the numbers of a step stand together
    let batches: Vec<Vec<Array>> = asian
        .normals
        .chunks(RECORDED * asian.steps)
        .map(|paths| {
            let of = |i: usize| paths.iter().skip(i).step_by(asian.steps).copied();
            let step = |i| Array::passive(of(i).collect::<Vec<f64>>());
            (0..asian.steps).map(step).collect()
        })
        .collect();
    gradient(x, batches.len(), move |batch, x| {
        prices(&asian, &batches[batch], x)
    })
}
fn prices(asian: &Asian, normals: &[Array], x: &[Real]) -> Real {
    let (spot, rate, volatility, h) = (x[0], x[1], x[2], asian.step());
    let drift = (h * (rate - 0.5 * volatility * volatility)).eval();
    let spread = (h.sqrt() * volatility).eval();
    let (first, others) = normals.split_first().expect("an option has steps");
    let mut price: Array = (spot * (drift + spread * first).exp()).eval();
    let mut sum = price.clone();
    for z in others {
        price = (&price * (drift + spread * z).exp()).eval();
        sum += &price;
    }
    let paid = (h * &sum - asian.strike).max(0.0).sum();
    (paid * (-rate).exp() / asian.paths as f64).eval()
}
