use crate::{C, cases, complex, real};
use entape_check::assert_rule;
use entape_core::mode::Plain;
use entape_linalg::{op, prelude::*};
use nalgebra::{DMatrix, dmatrix};

fn even() -> [DMatrix<C>; 4] {
    let i = C::new(0.0, 1.0);
    let one = C::from(1.0);
    let fourth = DMatrix::from_fn(4, 4, |j, k| i.powu((j * k) as u32));
    let values = DMatrix::from_fn(4, 4, |j, k| {
        C::from(if j == k { 1.0 + j as f64 } else { 0.0 })
    });
    [
        dmatrix![C::from(0.0), one; one, C::from(0.0)],
        dmatrix![C::from(0.0), -one; -one, C::from(0.5)]
            - dmatrix![C::from(0.0), C::from(0.0); C::from(0.0), C::from(0.5)],
        dmatrix![C::from(0.0), -i; i, C::from(0.0)],
        &fourth * values * fourth.adjoint() / C::from(4.0),
    ]
}
fn leading(v: &DMatrix<C>, j: usize) -> C {
    let largest = v.column(j).iter().map(|z| z.norm()).fold(0.0, f64::max);
    let first = v
        .column(j)
        .iter()
        .copied()
        .find(|z| z.norm() >= 0.9 * largest);
    first.unwrap()
}

#[test]
fn rounding_does_not_change_signs() {
    for a in even() {
        let n = a.nrows();
        // Singular values of a symmetric matrix may be equal.
        let positive = &a + DMatrix::identity(n, n) * C::from(3.0);
        let vectors = |noise: f64, seed: usize| {
            let e = complex(n, n, seed) * C::from(noise);
            let z = ComplexMatrix::<Plain>::passive(&positive + &e + e.adjoint());
            let svd = z.svd();
            let (u, v) = (svd.u, svd.v_t);
            [
                z.symmetric_eigen().eigenvectors.get().clone(),
                u.get().clone(),
                v.get().adjoint(),
            ]
        };
        let real_vectors = |noise: f64, seed: usize| {
            let e = real(n, n, seed) * noise;
            let x = Matrix::<Plain>::passive(positive.map(|z| z.re) + &e + e.transpose());
            let svd = x.svd();
            let (u, v) = (svd.u, svd.v_t);
            let all = [
                x.symmetric_eigen().eigenvectors.get().clone(),
                u.get().clone(),
                v.get().transpose(),
            ];
            all.map(|m| m.map(C::from))
        };
        let is_real = a.iter().all(|z| z.im == 0.0);
        let (want, real_want) = (vectors(0.0, 0), is_real.then(|| real_vectors(0.0, 0)));
        for seed in cases(40) {
            for noise in [1e-16, 1e-12, 1e-9] {
                let mut pairs = vec![(&want, vectors(noise, seed))];
                if let Some(want) = &real_want {
                    pairs.push((want, real_vectors(noise, seed)));
                }
                for (want, got) in pairs {
                    for (want, got) in want.iter().zip(&got) {
                        assert!((want - got).norm() < 1e-6, "{noise:e}: {got} beside {want}");
                    }
                    for v in [&got[0], &got[2]] {
                        for first in (0..n).map(|j| leading(v, j)) {
                            assert!(first.re > 0.0 && first.im.abs() < 1e-15);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn leading_elements_are_positive_for_all_shapes() {
    for (m, n) in [(1, 1), (2, 3), (3, 2), (4, 1), (1, 4)] {
        let a = -real(m, n, 2);
        let x = Matrix::<Plain>::passive(a.clone());
        let svd = x.svd();
        let (u, s, v_t) = (svd.u.get(), svd.singular_values.get(), svd.v_t.get());
        assert!((u * DMatrix::from_diagonal(s) * v_t - a).norm() < 1e-13);
        let v = v_t.transpose().map(C::from);
        assert!((0..v.ncols()).all(|j| leading(&v, j).re > 0.0));
    }
    let empty = Matrix::<Plain>::passive(DMatrix::zeros(0, 3));
    assert!(empty.svd().singular_values.get().is_empty());
    assert!(
        Matrix::<Plain>::passive(DMatrix::zeros(0, 0))
            .symmetric_eigen()
            .eigenvectors
            .get()
            .is_empty()
    );
}

#[test]
fn adjoints_are_normalised_by_the_same_element_as_vectors() {
    for a in even() {
        let n = a.nrows();
        let positive = &a + DMatrix::identity(n, n) * C::from(3.0);
        assert_rule(&op::Eigen, (positive.clone(),));
        assert_rule(&op::Singular, (positive.clone(),));
        if a.iter().all(|z| z.im == 0.0) {
            let positive = positive.map(|z| z.re);
            assert_rule(&op::Eigen, (positive.clone(),));
            assert_rule(&op::Singular, (positive,));
        }
    }
}
