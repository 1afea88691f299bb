//! Variables of any mode are operands by reference, also elements of slices.
use entape_core::{expr::Active, mode::AnyMode, real::Elementary};

fn f<M: AnyMode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    (x[0].exp() * x[1]).eval()
}
fn main() {}
