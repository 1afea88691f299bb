//! One variable in several places. Reported for Enzyme (Enzyme.jl #1080, #3124) and ReverseDiff (#143).
use crate::{assert_derivatives, near};
use entape::{mode::AnyMode, prelude::*};
use nalgebra::dmatrix;

#[test]
fn a_variable_may_be_both_arguments() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let x = &x[0];
        (x * x + x / x + x.hypot(x) + x.powf(x) + x.mul_add(x, x) + x.max(x) + x.atan2(x)).eval()
    }
    let x = 1.7_f64;
    let (p, l) = (x.powf(x), x.ln() + 1.0);
    let slope = 2.0 * x + 2.0_f64.sqrt() + p * l + (2.0 * x + 1.0) + 1.0;
    assert_derivatives!(f at [x]; gradient [slope]; hessian [2.0 + p * (l * l + 1.0 / x) + 2.0]);
}
#[test]
fn a_variable_may_occur_twice_in_lists_and_arrays() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let three = [x[0].clone(), x[1].clone(), x[0].clone()];
        let v = three[..].gather_array().eval();
        (x.dot(x) + (&v).dot(&v) + (&v * &v * &v).sum()).eval()
    }
    let [a, b] = [0.5, -2.0];
    assert_derivatives!(f at [a, b]; gradient [6.0 * a + 6.0 * a * a, 4.0 * b + 3.0 * b * b];
        hessian [6.0 + 12.0 * a, 0.0, 0.0, 4.0 + 6.0 * b]);
}
#[test]
fn products_of_a_matrix_with_itself_have_gradients() -> Result<(), Error> {
    let value = dmatrix![1.0, 2.0; -3.0, 0.5];
    let square = entape::gradient(|a: &Matrix| (a * a).trace().eval(), value.clone())?;
    near(
        "trace(A A)",
        square.as_slice(),
        (value.transpose() * 2.0).as_slice(),
    );
    let gram = entape::gradient(|a: &Matrix| a.tr_mul(a).trace().eval(), value.clone())?;
    near("trace(At A)", gram.as_slice(), (value * 2.0).as_slice());
    Ok(())
}
#[test]
fn outputs_may_be_inputs_or_each_other() -> Result<(), Error> {
    let j = entape::jacobian(|[x, y]: [Real; 2]| [x, y, x, (x * y).eval()], [2.0, 3.0])?;
    near(
        "the Jacobian",
        j.as_slice(),
        &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 3.0, 2.0],
    );
    let j = entape::jacobian(
        |x: Real| {
            let y = x.sin().eval();
            [y, y]
        },
        0.0,
    )?;
    near("one output twice", j.as_slice(), &[1.0, 1.0]);
    assert_eq!(entape::gradient(|x: Real| x, 5.0)?, 1.0);
    Ok(())
}
#[test]
fn a_variable_may_be_on_both_sides_of_an_assignment() {
    #[entape::function]
    fn f<M: AnyMode>(x: &[Real<M>]) -> Real<M> {
        let (mut a, mut b) = ((&x[0]).sin().eval(), (&x[1] * 2.0).eval());
        let old = a.clone();
        a.assign(&b * &old);
        b.update(|b| &old + &a * b);
        a.update(|a| &a * &a);
        std::mem::swap(&mut a, &mut b);
        (&a * 3.0 + &b).eval()
    }
    // a = 2 y s, b = s + 2 y a, then 3 b + a²
    let (x, y) = (0.4_f64, 1.5);
    let (s, c) = x.sin_cos();
    let gradient = [
        3.0 * (1.0 + 4.0 * y * y) * c + 8.0 * y * y * s * c,
        24.0 * y * s + 8.0 * y * s * s,
    ];
    assert_derivatives!(f at [x, y]; gradient gradient);
}
