//! The Asian option by reals, with two statements for a step.
use entape::prelude::*;
use evaluation_worker::objectives::Asian;

pub(super) fn path(asian: &Asian, path: usize, x: &[Real]) -> Real {
    let (spot, rate, volatility, h) = (x[0], x[1], x[2], asian.step());
    let drift = (h * (rate - 0.5 * volatility * volatility)).eval();
    let spread = (h.sqrt() * volatility).eval();
    let (mut price, mut sum) = (spot, Real::passive(0.0));
    for z in &asian.normals[path * asian.steps..][..asian.steps] {
        price *= (drift + spread * z).exp();
        sum += price;
    }
    let paid = (h * sum - asian.strike).max(0.0);
    (paid * (-rate).exp() / asian.paths as f64).eval()
}
