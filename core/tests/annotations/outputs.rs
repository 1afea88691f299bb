//! Output arguments: `#[ad_out]`, `#[ad_inout]`.
use crate::kinds::Array;
use entape_core::{
    expr::Active,
    op,
    rule::{A, B, R, Rule, annotation::adjoints},
    tape::Tape,
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
    let mut tape = Tape::new();
    let x = tape.input(9.0);
    let mut w = x;
    tape.record(|| root_into(x, &mut w));
    assert_eq!(w.value(), 3.0);
    tape.sweep(&w);
    assert_eq!(tape.grad(&x), 0.5 / 3.0);
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
    let mut tape = Tape::new();
    let (a, b) = (tape.input(3.0), tape.input(5.0));
    let mut w = a;
    tape.record(|| {
        mul_assign(&mut w, b);
        let old = w;
        mul_assign(&mut w, old + b);
    });
    assert_eq!(w.value(), 15.0 * 20.0);
    tape.sweep(&w);
    // w = a b (a b + b)
    assert_eq!(
        (tape.grad(&a), tape.grad(&b)),
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
