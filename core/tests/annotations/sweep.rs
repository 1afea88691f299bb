use entape_core::{expr::Active, tape::Tape};

pub fn gradient<const N: usize>(
    x: [f64; N],
    f: impl FnOnce([Active<f64>; N]) -> Active<f64>,
) -> (f64, [f64; N]) {
    let mut tape = Tape::new();
    let x = x.map(|x| tape.input(x));
    let y = tape.record(|| f(x));
    let gradient = tape.gradient(&y).expect("a recorded output");
    (y.value(), x.map(|x| gradient.wrt(&x).expect("an input")))
}
