use crate::{C, matrix};
use entape_core::tape::Tape;
use entape_linalg::*;

#[test]
fn only_the_lower_triangle_and_the_real_diagonal_are_read() {
    let a = matrix(2, 2, 0);
    let mut read = &a + a.adjoint();
    read[(1, 1)] += C::from(8.0);
    let want = read.clone();
    read[(0, 1)] = C::new(7.0, 7.0);
    read[(1, 1)].im = 3.0;
    let mut tape = Tape::new();
    let (read, want) = (tape.input(read), tape.input(want));
    tape.record(|| {
        let [read, want] = [read, want].map(|a| a.symmetric_eigen());
        assert_eq!(read.eigenvalues.get(), want.eigenvalues.get());
        assert_eq!(read.eigenvectors.get(), want.eigenvectors.get());
    });
}
