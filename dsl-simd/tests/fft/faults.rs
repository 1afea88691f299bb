use crate::{numbers, panics::message};
use entape_core::tape::Tape;
use entape_simd::arrays::FftOps;

#[test]
fn half_spectra_of_another_length_panic() {
    let mut tape = Tape::new();
    let z = tape.input(numbers(5));
    let text = message(|| tape.record(|| _ = z.irfft(10).eval()));
    assert_eq!(
        text,
        "`irfft(10)` of an array of length 5: pass a spectrum of length 6"
    );
}
