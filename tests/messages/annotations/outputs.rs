//! Too many results, and results in two forms.
use entape_core::op;

#[op]
fn nine(#[ad_in(r_b.0)] x: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64) {
    (x, x, x, x, x, x, x, x, x)
}
#[op]
fn beside(#[ad_in(r_b.0)] x: f64, #[ad_out] v: &mut f64) -> (f64, f64) {
    (x, x)
}
#[op]
fn one(#[ad_in(r_b.0)] x: f64) -> (f64,) {
    (x,)
}
fn main() {}
