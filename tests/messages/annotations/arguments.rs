//! Errors in the annotations of arguments: one run reports all errors of an item.
use entape_core::op;

#[op]
fn several(
    #[ad_in] a: f64,
    b: f64,
    #[ad_passive(1)] n: usize,
    #[ad_inn(r_b)] c: f64,
    #[ad_out] w: f64,
    #[ad_in(r_b)] v: &mut f64,
    #[ad_in(r_b *)] d: f64,
) -> f64 {
    a
}

#[op]
fn names(&self, #[ad_in(r_b)] (a, b): f64, #[ad_in(r_b)] r: f64, #[ad_in(r_b)] #[ad_passive] c: f64) -> f64 {
    r
}

#[op]
fn counts(#[ad_in(r_b)] a: f64, #[ad_in(r_b)] b: f64, #[ad_in(a_b.add(r_b))] c: f64, #[ad_in(r_b)] d: f64) {}

#[op]
fn adjoints(#[ad_in(r_b * x_b)] x: f64, #[ad_in(r_b * x)] x_b: f64) -> f64 {
    x * x_b
}

#[op]
fn without(#[ad_passive] n: usize) -> f64 {
    1.0
}

fn main() {}
