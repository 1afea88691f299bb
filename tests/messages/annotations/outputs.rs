//! Too many outputs.
use entape_core::op;

#[op]
fn four(#[ad_in(r_b.0)] x: f64) -> (f64, f64, f64, f64) {
    (x, x, x, x)
}
#[op]
fn beside(#[ad_in(r_b.0)] x: f64, #[ad_out] v: &mut f64, #[ad_out] w: &mut f64) -> (f64, f64) {
    (x, x)
}
fn main() {}
