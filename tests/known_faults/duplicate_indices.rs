//! Index lists with duplicates: adjoints that overwrite each other. Reported for TensorFlow (#56961), PyTorch (#162242,
//! #94336), JAX (#12469), burn (#4909) and Enzyme-JAX (#1028).
use crate::assert_derivatives;
use entape::{mode::AnyMode, prelude::*};

#[test]
fn gathering_an_element_twice_adds_its_adjoints() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let taken = (&v).take(&[1, 0, 1, 1]).eval();
        (&taken * &taken * constant(vec![1.0, 2.0, 3.0, 4.0]))
            .sum()
            .eval()
    }
    assert_derivatives!(f at [2.0, 3.0, 5.0]; gradient [8.0, 48.0, 0.0]; hessian [4.0, 0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 0.0]);
}
#[test]
fn elements_scattered_to_one_index_get_its_adjoint() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let v = x.gather_array().eval();
        let sums = (&v).add_up(&[2, 2, 0], 4).eval();
        (&sums * &sums).sum().eval()
    }
    assert_derivatives!(f at [1.0, 2.0, 5.0]; gradient [6.0, 6.0, 10.0]; hessian [2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 2.0]);
}
#[test]
fn a_variable_twice_in_a_list_gets_both_adjoints() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let twice = [x[1].clone(), x[0].clone(), x[1].clone()];
        (twice.product() + twice.norm_squared()).eval()
    }
    assert_derivatives!(f at [2.0, 3.0]; gradient [9.0 + 4.0, 12.0 + 12.0]; hessian [2.0, 6.0, 6.0, 4.0 + 4.0]);
}
#[test]
fn only_the_last_write_to_an_element_counts() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let mut v = x.gather_array().eval();
        for (k, i) in [1, 0, 1].into_iter().enumerate() {
            v[i].assign(&x[k] * 10.0);
        }
        v[0] += &x[2];
        (&v * constant(vec![1.0, 2.0, 3.0])).sum().eval()
    }
    assert_derivatives!(f at [1.0, 2.0, 3.0]; gradient [0.0, 10.0, 1.0 + 20.0 + 3.0]; hessian [0.0; 9]);
}
#[test]
fn overlapping_slices_have_gradients() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let mut v = x.gather_array().eval();
        let old = v.slice_at(..2);
        v.slice_mut(1..).assign(&old * &old);
        ((&v).slice(..2) * (&v).slice(1..)).sum().eval()
    }
    // (x, x², y²): x³ + x² y²
    let [x, y] = [2.0, 3.0];
    assert_derivatives!(f at [x, y, 7.0]; gradient [3.0 * x * x + 2.0 * x * y * y, 2.0 * x * x * y, 0.0]);
}
