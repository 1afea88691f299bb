use crate::{
    foreign::complex,
    kinds::{Array, C64, Fixed},
    sweep::gradient,
};
use entape_core::{
    expr::{Active, constant},
    kind::{Adjoint, Kind, List, Val},
    mode::Plain,
    op,
    rule::{A, B, C, R, Rule, Saved, adjoints},
    store::Stash,
};
use std::{cell::Cell, ops::AddAssign, rc::Rc};

const ALL: [bool; 3] = [true; 3];

fn first<K: Kind, O: Rule<K>>(op: &O, x: &Val<K>, r_b: &Val<O::Out>) -> Val<K> {
    adjoints::<O, K, (), ()>(op, (x, &(), &()), r_b, ALL)
        .0
        .into_value()
        .expect("an adjoint")
}

#[op(Mul)]
fn mul(#[ad_in(r_b * b.conj())] a: C64, #[ad_in(r_b * a.conj())] b: C64) -> C64 {
    a * b
}

#[test]
fn a_foreign_value_may_have_operators_of_core() {
    let (a, b, r_b) = (complex(1.0, 2.0), complex(3.0, -1.0), complex(0.5, 0.25));
    assert_eq!(<op::Mul as Rule<C64, C64>>::READS, [B, A, 0]);
    assert_eq!(Rule::<C64, C64>::primal(&op::Mul, a, b, ()).0, a * b);
    let (a_b, b_b, ()) = adjoints::<_, C64, C64, ()>(&op::Mul, (&a, &b, &()), &r_b, ALL);
    assert_eq!((a_b, b_b), (Some(r_b * b.conj()), Some(r_b * a.conj())));
    let product: Active<C64, Plain> = (constant(a) * constant(b)).eval();
    assert_eq!(product.value(), a * b);
}

#[op(sample(a = 0.5..2.0, b = -1.0..1.0))]
fn power(#[ad_in(r_b * b * r / a)] a: f64, #[ad_in(r_b * r * a.ln())] b: f64) -> f64 {
    a.powf(b)
}

#[op(name = FusedMulAdd, sample(x = -1.0..1.0, y = 1.0..3.0, z = -2.0..2.0))]
fn fma(#[ad_in(r_b * y)] x: f64, #[ad_in(r_b * x)] y: f64, #[ad_in(r_b)] z: f64) -> f64 {
    x.mul_add(y, z)
}

#[test]
fn reads_follow_from_the_names_in_the_formulas() {
    assert_eq!(<Power as Rule<f64, f64>>::READS, [A | B | R, A | R, 0]);
    assert_eq!(<FusedMulAdd as Rule<f64, f64, f64>>::READS, [B, A, 0]);
    assert_eq!(
        <<FusedMulAdd as Rule<f64, f64, f64>>::Saved as Stash>::BYTES,
        0
    );
}

struct Fields {
    a: f64,
    r: f64,
}
impl Fields {
    fn b(&self) -> f64 {
        self.a + self.r
    }
}
#[op]
fn unread(
    #[ad_in(r_b * Fields { a: 1.0, r: 1.0 }.b())] a: f64,
    #[ad_in({ let k = Fields { a: 1.0, r: 2.0 }; r_b * k.r * k.a * f64::from(c_len(&[c])) })]
    b: f64,
    #[ad_in(r_b)] c: f64,
) -> f64 {
    2.0 * a + 2.0 * b + c
}
fn c_len(c: &[f64]) -> u32 {
    c.len() as u32
}

#[test]
fn fields_and_methods_are_no_reads() {
    assert_eq!(<Unread as Rule<f64, f64, f64>>::READS, [0, C, 0]);
}

#[test]
fn the_function_applies_the_operation() {
    let x = Active::<f64, Plain>::passive(2.0);
    assert_eq!(power(x, 3.0).eval().value(), 8.0);
    assert_eq!(power(fma(x, x, 1.0), &x).eval().value(), 25.0);
}

#[op(sample(x = 0.5..2.0))]
fn in_parts(#[ad_in({ x_b.add(2.0 * r_b); if x_b.wants() { x_b.add(r_b / x) } })] x: f64) -> f64 {
    2.0 * x + x.ln()
}

#[op(sample(x = 0.1..0.9, y = 1.0..2.0))]
fn rounded(#[ad_in({})] x: f64, #[ad_in(r_b * x.floor())] y: f64) -> f64 {
    x.floor() * y
}

#[op]
fn sum(#[ad_in(vec![r_b; v.len()])] v: Array) -> f64 {
    v.iter().sum()
}

#[op(Add)]
fn add(#[ad_in(r_b)] a: Array, #[ad_in(r_b)] b: Array) -> Array {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

#[op]
fn dot(
    #[ad_in(y.iter().map(|y| y * r_b).collect::<Vec<_>>())] x: &Array,
    #[ad_in(x.iter().map(|x| x * r_b).collect::<Vec<_>>())] y: &Array,
) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[op]
fn modulus(#[ad_in(z.scale(r_b / r))] z: &C64) -> f64 {
    z.norm()
}

#[test]
fn blocks_may_call_the_sink() {
    assert_eq!(<InParts as Rule<f64>>::READS, [A, 0, 0]);
    assert_eq!(first::<f64, _>(&InParts, &4.0, &2.0), 4.5);
}

#[test]
fn an_empty_block_is_a_zero_adjoint() {
    assert_eq!(<Rounded as Rule<f64, f64>>::READS, [0, A, 0]);
}

#[test]
fn formulas_take_arguments_by_reference_or_as_the_rule_has_them() {
    assert_eq!(first::<Array, _>(&Sum, &vec![1.0, 2.0], &3.0), [3.0, 3.0]);
    let (x, y) = (vec![1.0, 2.0], vec![3.0, 4.0]);
    let (x_b, ..) = adjoints::<_, Array, Array, ()>(&op::Add, (&x, &y, &()), &y, ALL);
    assert_eq!(x_b.unwrap(), y);
    let (x_b, y_b, ()) = adjoints::<_, Array, Array, ()>(&Dot, (&x, &y, &()), &2.0, ALL);
    assert_eq!(
        (x_b.unwrap(), y_b.unwrap()),
        (vec![6.0, 8.0], vec![2.0, 4.0])
    );
    assert_eq!(
        first::<C64, _>(&Modulus, &complex(3.0, 4.0), &5.0),
        complex(3.0, 4.0)
    );
    let v = Active::<Array, Plain>::passive(x);
    assert_eq!(dot(&v, &v).eval().value(), 5.0);
}

#[op(sample(x = 0.5..2.0, n = 3, shift = [0.25, 0.5]))]
fn shifted_power(
    #[ad_in(r_b * f64::from(n) * (x + shift[0]).powi(n - 1))] x: f64,
    #[ad_passive] n: i32,
    #[ad_passive] shift: [f64; 2],
) -> f64 {
    (x + shift[0]).powi(n) + shift[1]
}

#[op]
fn weighted(
    #[ad_in(weights.iter().map(|w| w * r_b).collect::<Vec<_>>())] v: Array,
    #[ad_passive] weights: Rc<Vec<f64>>,
) -> f64 {
    v.iter().zip(&*weights).map(|(v, w)| v * w).sum()
}

#[test]
fn passive_parameters_are_fields() {
    let op = ShiftedPower {
        n: 2,
        shift: [1.0, 0.0],
    };
    let copy = op;
    assert_eq!(<ShiftedPower as Stash>::BYTES, 4 + 16);
    assert_eq!(
        first::<f64, _>(&op, &2.0, &1.0),
        first::<f64, _>(&copy, &2.0, &1.0)
    );
    let op = Weighted {
        weights: Rc::new(vec![1.0, 2.0]),
    };
    assert_eq!(
        first::<Array, _>(&op.clone(), &vec![0.0, 0.0], &2.0),
        [2.0, 4.0]
    );
    let v = Active::<Array, Plain>::passive(vec![1.0, 1.0]);
    assert_eq!(weighted(&v, op.weights).eval().value(), 3.0);
}

#[op]
fn total<T, const N: usize>(#[ad_in([r_b; N])] v: Fixed<T, N>) -> T
where
    T: Kind<Value = T, Policy = entape_core::kind::index::Linear> + Copy + Default + AddAssign,
{
    let mut sum = T::default();
    v.into_iter().for_each(|x| sum += x);
    sum
}

#[op]
fn pick<const I: usize, const N: usize>(
    #[ad_in({ let mut e = [0.0; N]; e[I] = r_b; e })] v: Fixed<f64, N>,
) -> f64 {
    v[I]
}

#[test]
fn kinds_and_operations_may_be_generic() {
    assert_eq!(
        first::<Fixed<f32, 2>, _>(&Total, &[1.0, 2.0], &3.0),
        [3.0, 3.0]
    );
    assert_eq!(
        first::<Fixed<f64, 3>, _>(&Pick::<1>, &[1.0, 2.0, 3.0], &2.0),
        [0.0, 2.0, 0.0]
    );
    let v = Active::<Fixed<f64, 2>, Plain>::passive([1.0, 2.0]);
    assert_eq!(total(v).eval().value(), 3.0);
    assert_eq!(pick::<1, 2, _, _>(v).eval().value(), 2.0);
}

#[op(save(e: f64 = x.exp()), sample(x = -1.0..1.0, y = 1.0..2.0))]
fn saving(#[ad_in(r_b * e * y)] x: f64, #[ad_in(r_b * e)] y: f64) -> f64 {
    e * y
}

#[op(save(ref s: Rc<f64> = Rc::new(x.sin()), half: f64 = r / 2.0), sample(x = -1.0..1.0))]
fn saving_more(#[ad_in(r_b * 2.0 * half / **s * x.cos())] x: f64) -> f64 {
    3.0 * **s
}

#[op(save(r), sample(x = 0.5..2.0))]
fn saving_root(#[ad_in(r_b * 0.5 / r)] x: f64) -> f64 {
    x.sqrt()
}

#[op(save(r))]
fn saving_array(
    #[ad_in(r.iter().zip(r_b).map(|(r, r_b)| r * r_b).collect::<Vec<_>>())] v: Array,
) -> Array {
    v.iter().map(|x| x.exp()).collect()
}

thread_local! { static COMPUTED: Cell<u32> = const { Cell::new(0) } }
fn counted(x: f64) -> f64 {
    COMPUTED.set(COMPUTED.get() + 1);
    x
}

#[op(shared(h = counted(x.hypot(y)), inverse = r_b / h, ref unused = x), sample(x = 0.5..2.0, y = 0.5..2.0))]
fn distance(#[ad_in(x * inverse)] x: f64, #[ad_in(y * inverse)] y: f64) -> f64 {
    x.hypot(y)
}

#[op(shared(ref both = vec![x, y]), sample(x = 0.5..2.0, y = 0.5..2.0, z = 0.0..1.0))]
fn triple(
    #[ad_in(r_b * both[1] * z)] x: f64,
    #[ad_in(r_b * both[0] * z)] y: f64,
    #[ad_in(r_b * x * y)] z: f64,
) -> f64 {
    x * y * z
}

#[test]
fn intermediates_are_saved_for_the_adjoint() {
    assert_eq!(<Saving as Rule<f64, f64>>::READS, [B, 0, 0]);
    assert_eq!(<<Saving as Rule<f64, f64>>::Saved as Stash>::BYTES, 8);
    assert_eq!(<SavingMore as Rule<f64>>::READS, [A, 0, 0]);
    assert_eq!(<<SavingMore as Rule<f64>>::Saved as Stash>::BYTES, 4 + 8);
}

#[test]
fn a_saved_result_is_not_computed_again() {
    let saves = [
        <<SavingRoot as Rule<f64>>::Saved as Saved<f64>>::RESULT,
        <<Saving as Rule<f64, f64>>::Saved as Saved<f64>>::RESULT,
    ];
    assert_eq!(saves, [true, false]);
    let (r, saved) = Rule::<f64>::primal(&SavingRoot, 9.0, (), ());
    assert_eq!(saved.result(), Some(r));
    assert_eq!(
        <<SavingRoot as Rule<f64>>::Saved as Saved<f64>>::BYTES,
        [8; 2]
    );
    let v = vec![0.0, 1.0];
    assert_eq!(
        first::<Array, _>(&SavingArray, &v, &vec![1.0, 1.0]),
        [1.0, 1f64.exp()]
    );
}

#[test]
fn shared_intermediates_are_computed_once_and_only_if_needed() {
    assert_eq!(<Distance as Rule<f64, f64>>::READS, [A | B, A | B, 0]);
    assert_eq!(
        <Triple as Rule<f64, f64, f64>>::READS,
        [A | B | C, A | B | C, A | B]
    );
    for (active, computed) in [(ALL, 1), ([false; 3], 0), ([false, true, false], 1)] {
        COMPUTED.set(0);
        adjoints::<_, f64, f64, ()>(&Distance, (&3.0, &4.0, &()), &1.0, active);
        assert_eq!(COMPUTED.get(), computed);
    }
}

#[op(sample(x = 0.5..2.0))]
fn early(#[ad_in(if x > 1.0 { r_b } else { 2.0 * x * r_b })] x: f64) -> f64 {
    if x > 1.0 {
        return x;
    }
    x * x
}

#[op(self_adjoint)]
fn reversed(v: Array) -> Array {
    v.iter().rev().copied().collect()
}

#[op(self_adjoint, sample(x = -1.0..1.0, s = 2.5))]
fn stretch(#[ad_in] x: f64, #[ad_passive] s: f64) -> f64 {
    s * x
}

#[op(self_adjoint, save(s: f64 = f64::from(n).sqrt()), sample(x = -1.0..1.0, n = 2))]
fn root_scaled(x: f64, #[ad_passive] n: i32) -> f64 {
    s * x
}

#[op(Neg, self_adjoint)]
fn neg(#[ad_in] z: C64) -> C64 {
    z.scale(-1.0)
}

#[test]
fn self_adjoint_operations_need_no_formula() {
    assert_eq!(<Reversed as Rule<Array>>::READS, [0, 0, 0]);
    assert_eq!(
        first::<Array, _>(&Reversed, &vec![1.0, 2.0], &vec![3.0, 4.0]),
        [4.0, 3.0]
    );
    assert_eq!(
        first::<C64, _>(&op::Neg, &complex(0.0, 0.0), &complex(1.0, 2.0)),
        complex(-1.0, -2.0)
    );
    let z: Active<C64, Plain> = (-constant(complex(1.0, 2.0))).eval();
    assert_eq!(z.value(), complex(-1.0, -2.0));
}

/// Linear, and not self-adjoint.
#[op(self_adjoint)]
fn moved(v: List<f64>) -> List<f64> {
    vec![0.0, v[0]]
}

#[test]
fn the_kit_finds_a_map_that_is_not_self_adjoint() {
    let failure = entape_check::rule(&Moved, (entape_check::ListOf(vec![1.0, 2.0]),)).unwrap_err();
    assert!(failure.to_string().contains("adjoint"), "{failure}");
}

#[op(elementwise, sample(x = -2.0..2.0))]
fn squared<L: Lane>(#[ad_in((x + x) * r_b)] x: L) -> L {
    x * x
}

#[op(elementwise, shared(q = r_b / y), sample(x = 0.5..2.0, y = 0.5..2.0))]
fn ratio<L: Lane>(#[ad_in(q)] x: L, #[ad_in(-q * r)] y: L) -> L {
    x / y
}

#[op(elementwise, self_adjoint, sample(x = -1.0..1.0, s = 3.0))]
fn times<L: Lane>(x: L, #[ad_passive] s: f64) -> L {
    x.times(s)
}

#[op(elementwise, sample(_x = 0.0..1.0, _y = 0.0..1.0, z = 0.0..1.0))]
fn third<T: Lane>(#[ad_in({})] _x: T, #[ad_in({})] _y: T, #[ad_in(r_b)] z: T) -> T {
    z
}

#[test]
fn elementwise_operations_hold_for_every_kind_of_numbers() {
    use entape_core::elementwise::Elementwise;
    assert_eq!(<Squared as Elementwise<1>>::READS, [A, 0, 0]);
    assert_eq!(<Ratio as Elementwise<2>>::READS, [B, B | R, 0]);
    assert_eq!(<Times as Elementwise<1>>::READS, [0, 0, 0]);
    assert_eq!(<Third as Elementwise<3>>::FLOWS, [false, false, true]);
    let (x, y) = (
        Active::<f64, Plain>::passive(3.0),
        Active::<f32, Plain>::passive(3.0),
    );
    assert_eq!(squared(x).eval().value(), 9.0f64);
    assert_eq!(times(squared(y), 2.0).eval().value(), 18.0f32);
    assert_eq!(third(x, x, ratio(x, 2.0)).eval().value(), 1.5);
    assert_eq!(first::<f32, _>(&Times { s: 2.0 }, &1.0, &3.0), 6.0);
}

#[test]
fn a_variable_that_is_both_arguments_has_a_formula_of_its_own() {
    thread_local!(static ASKED: Cell<u32> = const { Cell::new(0) });
    fn twice(a: f64) -> f64 {
        ASKED.set(ASKED.get() + 1);
        a + a
    }
    #[op(same(r_b * twice(a)))]
    fn times(#[ad_in(r_b * b)] a: f64, #[ad_in(r_b * a)] b: f64) -> f64 {
        a * b
    }
    let (y, [x_b, y_b]) = gradient([3.0, 5.0], |[x, y]| {
        (times(x, x) + times(x, y) + times(x + 0.0, x)).eval()
    });
    assert_eq!((y, x_b, y_b), (33.0, 6.0 + 5.0 + 6.0, 3.0));
    assert_eq!(ASKED.get(), 1);
}
