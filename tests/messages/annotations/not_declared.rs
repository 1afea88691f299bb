//! A formula of `elementary!` that reads an undeclared operand.
use entape_core::elementary;

elementary! { pub trait Growth; |r_b|
    /// The exponential function.
    Grow(a) as grow = a.exp() => { a_b[] += r_b * r; }
    /// The square.
    Square(a) as square = a * a => { a_b[] += r_b * a + a; }
}
fn main() {}
