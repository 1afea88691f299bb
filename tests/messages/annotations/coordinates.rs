//! Values without numbers cannot get coordinates by annotation; the samples of an operation name its arguments.
use entape_core::{kind, op};

#[kind(
    value = (f64, String),
    index = Owned,
    zero = |like| (0.0, like.1.clone()),
    add = |into, from| into.0 += from.0,
    bytes = |x| x.1.capacity(),
    coordinates,
)]
pub struct Named;

#[op(
    sample(for x in [1.0, 2.0], power = 2),
    sample(for power in [1, 2]),
    sample(type T, x = 1.0, power = 2),
)]
fn power(#[ad_in(r_b * f64::from(power) * x.powi(power - 1))] x: f64, #[ad_passive] power: i32) -> f64 {
    x.powi(power)
}

fn main() {}
