//! Output arguments: `#[ad_out]`, `#[ad_inout]`.
use crate::{kinds::Array, sweep::gradient};
use entape_core::{
    expr::Active,
    op,
    rule::{A, B, R, Rule, annotation::adjoints},
};

const ALL: [bool; 3] = [true; 3];

#[op(sample(x = 0.5..2.0))]
fn root_into(#[ad_in(w_b * 0.5 / w)] x: f64, #[ad_out] w: &mut f64) {
    *w = x.sqrt();
}

#[op]
fn read_element(
    #[ad_in(w_b * x.cos())] x: f64,
    #[ad_passive] i: usize,
    #[ad_out(w_b[i], init = vec![0.0; i + 1])] w: &mut Array,
) {
    w[i] = x.sin();
}

#[op(sample(w = -1.0..1.0, b = -1.0..1.0))]
fn mul_assign(#[ad_inout(w_b * b)] w: &mut f64, #[ad_in(w_b * w)] b: f64) {
    *w *= b;
}

#[op]
fn set_element(
    #[ad_inout({ let mut rest = v_b.clone(); rest[i] = 0.0; rest })] v: &mut Array,
    #[ad_in(v_b[i])] x: f64,
    #[ad_passive] i: usize,
) {
    v[i] = x;
}

#[test]
fn an_output_argument() {
    assert_eq!(<RootInto as Rule<f64>>::READS, [R, 0, 0]);
    let (w, [x_b]) = gradient([9.0], |[x]| {
        let mut w = x;
        root_into(x, &mut w);
        w
    });
    assert_eq!((w, x_b), (3.0, 0.5 / 3.0));
}

#[test]
fn an_output_whose_adjoint_is_accessed_in_part() {
    let op = ReadElement { i: 1 };
    assert_eq!(<ReadElement as Rule<f64>>::READS, [A, 0, 0]);
    let (x_b, (), ()) = adjoints::<_, f64, (), ()>(&op, (&0.0, &(), &()), &vec![5.0, 2.0], ALL);
    assert_eq!(x_b, 2.0);
}

#[test]
fn an_argument_that_is_input_and_output() {
    assert_eq!(<MulAssign as Rule<f64, f64>>::READS, [B, A, 0]);
    // w = a b (a b + b)
    let (w, [a_b, b_b]) = gradient([3.0, 5.0], |[a, b]| {
        let mut w = a;
        mul_assign(&mut w, b);
        let old = w;
        mul_assign(&mut w, old + b);
        w
    });
    assert_eq!(w, 15.0 * 20.0);
    assert_eq!(
        (a_b, b_b),
        (5.0 * (2.0 * 15.0 + 5.0), 2.0 * 3.0 * 5.0 * 4.0)
    );
}

#[test]
fn an_element_of_a_storage_kind() {
    let (op, v) = (SetElement { i: 0 }, vec![1.0, 2.0]);
    assert_eq!(Rule::<Array, f64>::primal(&op, &v, 7.0, ()).0, [7.0, 2.0]);
    let (v_b, x_b, ()) = adjoints::<_, Array, f64, ()>(&op, (&v, &7.0, &()), &vec![3.0, 4.0], ALL);
    assert_eq!((v_b, x_b), (Some(vec![0.0, 4.0]), 3.0));
    let mut v = Active::<Array>::passive(v);
    set_element(&mut v, 7.0, 0);
    assert_eq!(v.get(), &[7.0, 2.0]);
}
