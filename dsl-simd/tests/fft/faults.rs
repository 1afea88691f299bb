//! Misuse.
use crate::{numbers, panics::message};
use entape_core::tape::Tape;
use entape_simd::arrays::FftOps;

#[test]
fn spectra_of_other_lengths() {
    let mut tape = Tape::new();
    let z = tape.input(numbers(5));
    let text = message(|| tape.record(|| _ = z.irfft(10).eval()));
    assert_eq!(
        text,
        "`irfft(10)` of 5 elements: the spectrum of 10 reals has 6"
    );
}
