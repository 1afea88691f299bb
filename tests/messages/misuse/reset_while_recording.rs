use entape_core::tape::Tape;
fn main() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    tape.record(|| {
        tape.reset();
        (x * x).eval()
    });
}
