use crate::panics::message;
use entape_core::{
    real::Elementary,
    tape::{Error, Tape},
};
use entape_drivers::vjp;
use entape_simd::{
    Array,
    arrays::{ArrayOps, Compare, Indexed, MaskOps, Slices, Strides, WholeArray},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn arrays(tape: &mut Tape) -> (Array, Array) {
    (tape.input(vec![1.0; 5]), tape.input(vec![2.0; 3]))
}

#[test]
fn different_lengths_panic() {
    let mut tape = Tape::new();
    let (v, w) = arrays(&mut tape);
    let mut panics = |f: &dyn Fn()| message(|| tape.record(f));
    let add = panics(&|| _ = (&v + &w).eval());
    assert_eq!(add, "`Add` needs arrays of equal length, found 5 and 3");
    let inner = panics(&|| _ = (2.0 * (&v * &w) + &v).eval());
    assert_eq!(inner, "`Mul` needs arrays of equal length, found 5 and 3");
    let beside_a_number = panics(&|| _ = v.mul_add(2.0, &w).eval());
    assert_eq!(
        beside_a_number,
        "`MulAdd` needs arrays of equal length, found 5 and 3"
    );
    let beside_a_number = panics(&|| _ = w.clamp(0.0, &v).sum().eval());
    assert_eq!(
        beside_a_number,
        "`Clamp` needs arrays of equal length, found 3 and 5"
    );
    let dot = panics(&|| _ = v.dot(&w).eval());
    assert_eq!(dot, "`Dot` needs arrays of equal length, found 5 and 3");
    let compare = panics(&|| _ = v.simd_lt(&w).select(&v, &v).eval());
    assert_eq!(compare, "`Lt` needs arrays of equal length, found 5 and 3");
    let mask = panics(&|| _ = w.simd_lt(0.0).select(&v, &v).eval());
    assert_eq!(
        mask,
        "`MaskSelect` needs arrays of equal length, found 3 and 5"
    );
    let mask = panics(&|| _ = w.simd_lt(0.0).select(0.0, &v).eval());
    assert_eq!(
        mask,
        "`MaskSelect` needs arrays of equal length, found 3 and 5"
    );
    let masks = panics(&|| _ = w.simd_lt(0.0).and(v.simd_gt(0.0)).any());
    assert_eq!(masks, "`And` needs arrays of equal length, found 3 and 5");
}
#[test]
fn extremes_of_no_elements_panic() {
    let mut tape = Tape::new();
    let none: Array = tape.input(Vec::<f64>::new());
    let mut panics = |f: &dyn Fn()| message(|| tape.record(f));
    let rest = "needs an array with at least one element: check `is_empty()` first";
    let max = panics(&|| _ = none.reduce_max().eval());
    assert_eq!(max, format!("`reduce_max` {rest}"));
    let min = panics(&|| _ = (2.0 * &none).reduce_min().eval());
    assert_eq!(min, format!("`reduce_min` {rest}"));
    let plain = Array::<entape_core::mode::Plain>::passive(vec![]);
    let min = panics(&|| _ = plain.reduce_min().eval());
    assert_eq!(min, format!("`reduce_min` {rest}"));
}
#[test]
fn ranges_outside_of_the_array_panic() {
    let mut tape = Tape::new();
    let (v, _) = arrays(&mut tape);
    let mut panics = |f: &dyn Fn()| message(|| tape.record(f));
    let long = panics(&|| _ = v.slice(2..6).sum().eval());
    assert_eq!(
        long,
        "`slice`: 2..6 is out of range for an array of length 5"
    );
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = panics(&|| _ = v.slice_at(3..2).sum().eval());
    assert_eq!(
        reversed,
        "`slice`: 3..2 is out of range for an array of length 5"
    );
    let strided = panics(&|| _ = v.slice_step(..7, 2).sum().eval());
    assert_eq!(
        strided,
        "`slice`: 0..7 is out of range for an array of length 5"
    );
    let still = panics(&|| _ = v.slice_step(.., 0).sum().eval());
    assert_eq!(
        still,
        "`slice_step`: the step is 0, but must be positive or negative"
    );
    let element = panics(&|| _ = (&v[5] * 2.0).eval());
    assert_eq!(
        element,
        "the index 5 is out of range for an array of length 5"
    );
}
#[test]
fn indices_outside_of_the_array_panic() {
    let mut tape = Tape::new();
    let (v, _) = arrays(&mut tape);
    let mut panics = |f: &dyn Fn()| message(|| tape.record(f));
    let beyond = panics(&|| _ = (v.take(&[0, 5]) * 2.0).eval());
    assert_eq!(
        beyond,
        "`take`: the index 5 is out of range for an array of length 5"
    );
    let beyond = panics(&|| _ = v.add_up(&[0, 1, 2, 3, 4], 4).eval());
    assert_eq!(
        beyond,
        "`add_up`: the index 4 is out of range for an array of length 4"
    );
    let few = panics(&|| _ = v.add_up(&[0, 1], 4).eval());
    assert_eq!(
        few,
        "`add_up` of an array of length 5 with 2 indices: pass one index for each element"
    );
}
#[test]
fn assignments_of_another_length_panic() {
    let mut tape = Tape::new();
    let (v, w) = arrays(&mut tape);
    let text = message(|| tape.record(|| v.clone().slice_mut(1..3).assign(&w * 1.0)));
    assert_eq!(
        text,
        "an array of length 3 cannot be assigned to a slice of length 2"
    );
    let text = message(|| tape.record(|| v.clone().slice_step_mut(.., 4).assign(&w * 1.0)));
    assert_eq!(
        text,
        "an array of length 3 cannot be assigned to a strided slice of length 2"
    );
}
#[test]
fn seeds_of_another_length_panic() {
    let mut tape = Tape::new();
    let (v, _) = arrays(&mut tape);
    let y = tape.record(|| (&v * 2.0).eval());
    let why =
        "a seed of shape 9 does not fit a variable of kind array and shape 5: pass one of shape 5";
    assert_eq!(message(|| _ = tape.seed(&y, vec![1.0; 9])), why);
    let double = |v: &Array| (v * 2.0).eval();
    let text = message(|| _ = vjp(double, WholeArray(vec![1.0; 5]), vec![1.0; 9]));
    assert_eq!(text, why);
    assert_eq!(tape.sweep().err(), Some(Error::NotSeeded));
    tape.seed(&y, vec![1.0; 5]).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&v).unwrap(), [2.0; 5]);
}
/// Its adjoint is too short.
#[entape_core::op]
fn first(#[ad_in(vec![r_b])] v: &entape_simd::arrays::ArrayKind<f64>) -> f64 {
    v[0]
}
#[test]
fn an_adjoint_of_another_length_panics() {
    let swept = |f: &dyn Fn(&Array) -> entape_core::expr::Active<f64>| {
        let mut tape = Tape::new();
        let (v, _) = arrays(&mut tape);
        let y = tape.record(|| f(&v));
        let swept = catch_unwind(AssertUnwindSafe(|| tape.gradient(&y).map(|_| ())));
        *swept.unwrap_err().downcast::<String>().expect("a message")
    };
    let why = "the adjoint of First with respect to its first argument has shape 1, but its value of kind array has shape 5: \
               correct the formula, so that both shapes are equal";
    assert_eq!(swept(&|v| first(v).eval()), why);
    assert_eq!(swept(&|v| (first(v) + v.sum()).eval()), why);
    // The sine is loaded, because its square reads it.
    let inner = swept(&|v| first(v.sin().powi(2)).eval());
    assert!(
        inner.contains("shape 1") && inner.contains("shape 5"),
        "{inner}"
    );
}
#[test]
fn a_write_that_fails_keeps_the_operands_of_adjoints() {
    let mut tape = Tape::new();
    let v = tape.input(vec![3.0; 200]);
    let limits = tape.record(|| {
        let mut limits: Array = (&v * 0.0 + 5.0).eval();
        limits[150_usize].assign(1.0);
        limits
    });
    let mut w = tape.record(|| (&v * 1.0).eval());
    let y = tape.record(|| w.norm_squared().eval());
    let failed = catch_unwind(AssertUnwindSafe(|| {
        tape.record(|| w.slice_mut(..).assign(v.clamp(2.0, &limits)));
    }));
    assert!(failed.is_err(), "2 is above the limit 1");
    assert_eq!(tape.gradient(&y).unwrap().wrt(&v).unwrap(), [6.0; 200]);
    assert_eq!(w.get(), &[3.0; 200]);
}
#[test]
fn arrays_outside_of_their_recording_panic() {
    let mut tape = Tape::new();
    let (v, _) = arrays(&mut tape);
    let text = message(|| _ = (&v * &v).eval());
    assert!(
        text.contains("array is used in `Mul(ArrayKind<f64>, ArrayKind<f64>)`")
            && text.contains("record"),
        "{text}"
    );
    tape.reset();
    let text = message(|| tape.record(|| _ = (&v * 2.0).eval()));
    assert!(text.contains("array"), "{text}");
}
