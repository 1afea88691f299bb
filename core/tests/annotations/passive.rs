//! `#[op(passive)]`: operations without derivatives.
use crate::{
    kinds::{Array, C64},
    sweep::gradient,
};
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain, Taped},
    op,
};

#[op(passive)]
fn length(#[ad_inp] v: Array) -> usize {
    v.len()
}

#[op(passive)]
fn is_below(#[ad_inp] x: f64, #[ad_inp] z: &C64, #[ad_passive] bound: f64) -> bool {
    if z.re > bound {
        return false;
    }
    x < bound
}

#[op(passive)]
fn split(#[ad_inp] x: f64, #[ad_outp] whole: &mut f64, #[ad_outp(init = 1.0)] part: &mut f64) {
    *whole = x.trunc();
    *part *= x.fract();
}

#[op(passive)]
fn clamp(#[ad_inoutp] v: &mut Array, #[ad_passive] most: f64) -> u32 {
    let mut changed = 0;
    for x in v.iter_mut().filter(|x| **x > most) {
        *x = most;
        changed += 1;
    }
    changed
}

fn values_of<M: AnyMode>() {
    let v = Active::<Array, M>::passive(vec![1.0, 2.5]);
    assert_eq!(length(&v), 2);
    assert!(
        !length(&v).is_power_of_two()
            || is_below(
                1.0,
                constant::<C64, M, _>(crate::foreign::complex(0.0, 0.0)),
                2.0
            )
    );
}

#[test]
fn passive_operations_have_values_in_every_mode() {
    values_of::<Plain>();
    values_of::<Taped>();
}

#[test]
fn operands_may_be_expressions() {
    let x = Active::<f64, Plain>::passive(1.0);
    let z = Active::<C64, Plain>::passive(crate::foreign::complex(0.0, 1.0));
    assert!(is_below(x + x, z, 3.0));
    assert!(!is_below(x + x, z, 2.0));
    assert!(!is_below(x, z, -1.0));
}

#[test]
fn outputs_become_passive_variables() {
    gradient([2.75], |[x]| {
        let (mut whole, mut part) = (x, x);
        split(x, &mut whole, &mut part);
        assert_eq!((whole.value(), part.value()), (2.0, 0.75));
        assert!(x.is_active() && !whole.is_active() && !part.is_active());
        x
    });

    let mut v = Active::<Array>::passive(vec![1.0, 2.5, 3.0]);
    assert_eq!(clamp(&mut v, 2.0), 2);
    assert_eq!(v.get(), &[1.0, 2.0, 2.0]);
}
