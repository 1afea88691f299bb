use entape_core::tape::Tape;
fn main() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.record(|| (x * x).eval());
    let gradient = tape.gradient(&y).unwrap();
    tape.record(|| (x * x).eval());
    let _ = gradient.wrt(&x);
}
