use approx::{assert_abs_diff_eq, relative_eq};
use entape_core::{expr::Active, mode::Taped, tape::Tape};
use entape_linalg::*;
use nalgebra::{DMatrix, dmatrix, dvector};

#[test]
fn norms_agree_with_nalgebra() {
    let mut tape = Tape::new();
    let a = tape.input(dmatrix![3.0, 0.0, -4.0; 0.0, 0.0, 12.0]);
    let zero = tape.input(DMatrix::<f64>::zeros(2, 2));
    let empty = tape.input(DMatrix::<f64>::zeros(0, 3));
    let norms = tape.record(|| {
        let of = |a: &Matrix| [1, 2, 5].map(|p| a.lp_norm(p).eval());
        [of(&a), of(&zero), of(&empty)]
    });
    for (norms, m) in norms.iter().zip([a.get(), zero.get(), empty.get()]) {
        for (norm, p) in norms.iter().zip([1, 2, 5]) {
            let want = m.lp_norm(p);
            assert!(
                relative_eq!(*norm, want, epsilon = 0.0, max_relative = 1e-14),
                "{p}: {norm:?}"
            );
        }
    }
    let gradient = tape.gradient(&norms[0][2]).unwrap().wrt(&a).unwrap();
    assert_eq!(gradient[(0, 1)], 0.0);
    let gradient = tape.gradient(&norms[1][2]).unwrap();
    assert_eq!(gradient.wrt(&zero).unwrap(), DMatrix::zeros(2, 2));

    let a = tape.input(dmatrix![0.0, 3.0; -5.0, 0.0; 0.0, 0.0]);
    let nan = tape.input(dmatrix![f64::NAN, 1.0; 0.0, 1.0]);
    let [norm, none, unknown]: [Active<f64, Taped>; 3] = tape.record(|| {
        [
            a.spectral_norm().eval(),
            empty.spectral_norm().eval(),
            nan.spectral_norm().eval(),
        ]
    });
    assert_abs_diff_eq!(norm, 5.0, epsilon = 1e-14);
    assert_eq!(none.value(), 0.0);
    assert!(unknown.value().is_nan());
    let gradient = tape.gradient(&norm).unwrap().wrt(&a).unwrap();
    let want = dmatrix![0.0, 0.0; -1.0, 0.0; 0.0, 0.0];
    assert_abs_diff_eq!(gradient, want, epsilon = 4e-15);
    assert_eq!(
        tape.gradient(&none).unwrap().wrt(&empty).unwrap().shape(),
        (0, 3)
    );
}
#[test]
#[should_panic(expected = "`a.lp_norm(0)`: the order of a norm must be positive")]
fn a_norm_of_order_zero_panics() {
    let v = Vector::<entape_core::mode::Plain>::passive(dvector![1.0]);
    v.lp_norm(0).eval();
}
