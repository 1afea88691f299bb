//! Arrays from vectors of `entape-linalg` and back.
use entape_check::assert_rule;
use entape_core::{
    mode::{Plain, Reuse},
    real::Elementary,
    tape::Tape,
};
use entape_drivers::gradient;
use entape_linalg::{Dense, ReductionOps, Vector};
use entape_simd::{
    Array, Array32,
    arrays::{ArrayOps, ArrayToVector, Slices, VectorToArray, WholeArray, op},
};
use nalgebra::{DVector, Dyn, U1, dmatrix, dvector};

#[test]
fn rules() {
    for n in [0, 1, 7, 64] {
        let numbers: Vec<f64> = (0..n).map(|i| f64::from(i).cos()).collect();
        let single: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
        assert_rule(&op::ToVector, (numbers.clone(),));
        assert_rule(&op::ToVector, (single,));
        assert_rule::<_, (Dense<f64, Dyn, U1>,), _>(&op::ToArray, (DVector::from_vec(numbers),));
    }
}
#[test]
fn there_and_back() {
    let mut tape = Tape::<Reuse>::default();
    let (x, m) = (
        tape.input(vec![1.0, 2.0, 3.0]),
        tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]),
    );
    let y = tape.record(|| {
        let v = (&m * x.slice(1..).to_vector()).eval();
        let mut w = x.clone();
        w.slice_mut(..2).assign(v.to_array() * 2.0);
        (&w * &x).to_vector().norm_squared().eval()
    });
    // v = (2 + 6, 6 + 12), w = (16, 36, 3), w x = (16, 72, 9)
    assert_eq!(y.value(), 256.0 + 5184.0 + 81.0);
    let gradient = tape.gradient(&y).unwrap();
    // products_b = (32, 144, 18); w_b = (32, 288, 54), v_b = (64, 576)
    assert_eq!(
        gradient.wrt(&x).unwrap(),
        [
            32.0 * 16.0,
            144.0 * 36.0 + 64.0 + 3.0 * 576.0,
            18.0 * 3.0 + 54.0 + 2.0 * 64.0 + 4.0 * 576.0
        ]
    );
    assert_eq!(
        gradient.wrt(&m).unwrap(),
        dmatrix![128.0, 192.0; 1152.0, 1728.0]
    );
}
#[test]
fn conversions_run_in_plain_mode_and_in_drivers() {
    let x = Array::<Plain>::passive(vec![1.0, 2.0]);
    let v: Vector<Plain> = x.to_vector().eval();
    assert_eq!(v.get(), &dvector![1.0, 2.0]);
    let single: Array32<Plain> = Array32::passive(vec![1.5]);
    assert_eq!(single.to_vector().to_array().eval().get(), &[1.5]);
    let f = |(v, w): (&Array, &Vector)| (v.powi(2) * w.to_array()).sum().eval();
    let (v_b, w_b) = gradient(f, (WholeArray(vec![1.0, 2.0]), dvector![3.0, 4.0])).unwrap();
    assert_eq!((v_b, w_b), (vec![6.0, 16.0], dvector![1.0, 4.0]));
}

#[cfg(feature = "complex")]
mod complex {
    use super::*;
    use entape_complex::num_complex::{Complex, c64};
    use entape_simd::arrays::ComplexArrayOps;

    #[test]
    fn rules() {
        for n in [0, 1, 7, 64] {
            let angles = (0..n).map(f64::from);
            let numbers: Vec<_> = angles.map(|x| c64(x.cos(), (2.0 * x).sin())).collect();
            let single = numbers
                .iter()
                .map(|z| Complex::new(z.re as f32, z.im as f32));
            assert_rule(&op::ToVector, (numbers.clone(),));
            assert_rule(&op::ToVector, (single.collect::<Vec<_>>(),));
            assert_rule::<_, (Dense<Complex<f64>, Dyn, U1>,), _>(
                &op::ToArray,
                (DVector::from_vec(numbers),),
            );
        }
    }
    #[test]
    fn there_and_back() {
        let mut tape = Tape::new();
        let z = tape.input(vec![c64(1.0, 2.0), c64(0.0, -1.0)]);
        let m = tape.input(dmatrix![c64(0.0, 1.0), c64(1.0, 0.0); c64(2.0, 0.0), c64(0.0, 0.0)]);
        let y = tape.record(|| {
            let v = (&m * z.to_vector()).eval();
            assert_eq!(v.get(), &dvector![c64(-2.0, 0.0), c64(2.0, 4.0)]);
            let w = (v.to_array() * &z).eval();
            (w.norm_sqr().sum() + v.norm_squared().powi(2)).eval()
        });
        // |v|² = (4, 20), |z|² = (5, 1)
        assert_eq!(y.value(), 20.0 + 20.0 + 24.0 * 24.0);
        let gradient = tape.gradient(&y).unwrap();
        // v_b = 2 v (|z|² + 2 |v|²), for the whole vector
        let v_b = dvector![c64(-2.0, 0.0) * 2.0 * 53.0, c64(2.0, 4.0) * 2.0 * 49.0];
        let z_b = m.get().adjoint() * &v_b;
        let through_w = [c64(1.0, 2.0) * 2.0 * 4.0, c64(0.0, -1.0) * 2.0 * 20.0];
        let want: Vec<_> = z_b.iter().zip(through_w).map(|(a, b)| a + b).collect();
        assert_eq!(gradient.wrt(&z).unwrap(), want);
        let z = DVector::from_column_slice(z.get());
        assert_eq!(gradient.wrt(&m).unwrap(), v_b * z.adjoint());
    }
}
