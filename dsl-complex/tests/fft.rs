//! Fourier transforms of lines of plain numbers.
use entape_complex::{
    fft::{FftDirection, half_spectra, inverses, inverses_adjoints, normalised, transform},
    num_complex::{Complex64, c64},
};

#[test]
fn lines_are_transformed_separately() {
    let lines: Vec<_> = (0..15).map(|k| c64(f64::from(k), 1.0)).collect();
    let mut all = vec![Complex64::ZERO; 15];
    transform(5, FftDirection::Forward, &lines, &mut all);
    for (line, got) in lines.chunks(5).zip(all.chunks(5)) {
        let mut one = [Complex64::ZERO; 5];
        transform(5, FftDirection::Forward, line, &mut one);
        assert_eq!(got, one);
    }
    let mut back = vec![Complex64::ZERO; 15];
    normalised(5, FftDirection::Inverse, &all, &mut back);
    let mut errors = back.iter().zip(&lines).map(|(a, b)| (a - b).norm());
    assert!(errors.all(|error| error < 1e-13));
}
#[test]
fn the_half_spectrum_of_an_empty_line_is_a_zero() {
    let mut half = [c64(1.0, 1.0); 3];
    half_spectra::<f64>(0, &[], &mut half);
    assert_eq!(half, [Complex64::ZERO; 3]);
    half = [c64(1.0, 1.0); 3];
    inverses_adjoints::<f64>(0, &[], &mut half);
    assert_eq!(half, [Complex64::ZERO; 3]);
    inverses::<f64>(0, &half, &mut []);
    transform::<f64>(0, FftDirection::Forward, &[], &mut []);
}
#[test]
#[should_panic(
    expected = "slices of 3 and 4 numbers do not hold as many lines of 2 and of 2 numbers"
)]
fn parts_of_lines_panic() {
    let from = [Complex64::ZERO; 3];
    transform(2, FftDirection::Forward, &from, &mut [Complex64::ZERO; 4]);
}
#[test]
#[should_panic(
    expected = "slices of 8 and 3 numbers do not hold as many lines of 4 and of 3 numbers"
)]
fn fewer_lines_panic() {
    half_spectra(4, &[0.0; 8], &mut [Complex64::ZERO; 3]);
}
