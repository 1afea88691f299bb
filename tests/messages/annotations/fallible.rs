//! Operations that can fail, and their restrictions.
use entape_core::op;

type Result<T> = std::result::Result<T, String>;

#[op]
fn alias(#[ad_in(r_b)] x: f64) -> Result<f64> {
    Ok(x)
}

#[op(Div)]
fn operator(#[ad_in(r_b)] x: f64, #[ad_in(r_b)] y: f64) -> Result<f64, String> {
    Ok(x + y)
}

#[op(self_adjoint)]
fn linear(x: f64) -> Result<f64, String> {
    Ok(x)
}

#[op]
fn two(#[ad_in(r_b)] x: f64, #[ad_out] y: &mut f64) -> Result<f64, String> {
    *y = x;
    Ok(x)
}

fn main() {}
