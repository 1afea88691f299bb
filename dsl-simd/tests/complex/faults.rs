use crate::{numbers, panics::message, reals};
use entape_core::tape::Tape;
use entape_simd::arrays::{ArrayOps, ComplexArrayOps, from_parts};

#[test]
fn different_lengths_panic() {
    let mut tape = Tape::new();
    let (z, x) = (tape.input(numbers(5, 0.3)), tape.input(reals(3, 0.1)));
    let mut panics = |f: &dyn Fn()| message(|| tape.record(f));
    let mixed = panics(&|| _ = (&z * &x).eval());
    assert_eq!(mixed, "`Mul` needs arrays of equal length, found 5 and 3");
    let parts = panics(&|| _ = from_parts(&x, z.re()).eval());
    assert_eq!(parts, "`New` needs arrays of equal length, found 3 and 5");
    let dot = panics(&|| _ = z.dotc(&x).eval());
    assert_eq!(dot, "`Dotc` needs arrays of equal length, found 5 and 3");
}
