//! An operation with the name of its kind, and one with the name of another type in scope, which a macro cannot detect.
use entape_core::{expr::Active, kind, op};

#[kind]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Quat(f64, f64);

#[op]
fn quat(#[ad_in(r_b.0)] x: f64, #[ad_in(r_b.1)] y: f64) -> Quat {
    Quat(x, y)
}

type Rotor = Active<Quat>;

#[op]
fn rotor(#[ad_in(r_b.0)] x: f64) -> Quat {
    Quat(x, 0.0)
}

fn main() {}
