//! Errors in the options of `#[op]`.
use entape_core::op;

#[op(elementwize, save(t = x), save(x), sample(y = 0.0..1.0))]
fn keys(#[ad_in(r_b)] x: f64) -> f64 {
    x
}

#[op(linear)]
fn linear(#[ad_in(r_b)] x: f64, #[ad_in(r_b)] y: f64) -> f64 {
    x + y
}

#[op(linear, sample(v = [1.0, 2.0]))]
fn shifted(v: Pair) -> Pair {
    [v[1], 0.0]
}

#[op(linear)]
fn dropped(#[ad_in] v: Pair) -> Pair {
    [v[1], 0.0]
}

#[op(self_adjoint)]
fn doubled(#[ad_in(2.0 * r_b)] x: f64) -> f64 {
    2.0 * x
}

#[op(elementwise, save(r))]
fn elementwise(#[ad_in(x_b.add(r_b))] x: f64) -> f64 {
    x
}

#[op(Neg, passive, linear)]
fn passive(#[ad_in(r_b)] x: f64, #[ad_inp] y: f64, n: usize) -> f64 {
    x
}

#[op]
fn pair(#[ad_in(r_b.0)] x: f64) -> Pair {
    (x, x)
}

#[op(same(r_b))]
fn alone(#[ad_in(r_b)] x: f64) -> f64 {
    x
}

#[op(same(r_b * (x + r)))]
fn same(#[ad_in(r_b * x)] x: f64, #[ad_in(r_b)] y: f64) -> f64 {
    0.5 * x * x + y
}

fn main() {}
