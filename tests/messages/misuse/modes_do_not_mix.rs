use entape_core::{mode::Reuse, tape::Tape};
fn main() {
    let (mut a, mut b) = (Tape::new(), Tape::<Reuse>::default());
    let (x, y) = (a.input(2.0), b.input(3.0));
    let _ = &x * &y;
    let _ = b.gradient(&x);
}
