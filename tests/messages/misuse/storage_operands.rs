//! Variables of storage kinds by value, and undeclared operations.
use entape_core::{expr::Active, kind, op, operations, real::Elementary};

#[kind(value = Vec<f64>, index = Owned)]
struct Array;
#[op(Mul)]
fn scaled(
    #[ad_in(v.iter().zip(r_b).map(|(v, r_b)| v * r_b).sum::<f64>())] s: f64,
    #[ad_in(r_b.iter().map(|r_b| s * r_b).collect::<Vec<f64>>())] v: &Array,
) -> Array {
    v.iter().map(|v| s * v).collect()
}
#[operations(ext = ArrayOps)]
impl Array {
    #[op]
    fn dot(
        #[ad_in(w.iter().map(|w| r_b * w).collect::<Vec<f64>>())] v: &Self,
        #[ad_in(v.iter().map(|v| r_b * v).collect::<Vec<f64>>())] w: &Self,
    ) -> f64 {
        v.iter().zip(w).map(|(v, w)| v * w).sum()
    }
}

fn on_the_right(x: Active<f64>, v: Active<Array>) {
    (x * v).eval();
}
fn on_the_left(x: Active<f64>, v: Active<Array>) {
    (v * x).eval();
}
fn beside_a_literal(v: Active<Array>) {
    (2.0 * v).eval();
}
fn as_an_argument(v: &Active<Array>, w: Active<Array>) {
    v.dot(w).eval();
}
fn negative(v: Active<Array>) {
    (-v).eval();
}
fn without_a_rule(x: Active<f64>, v: &Active<Array>, w: &Active<Array>) {
    let _ = v + w;
    let _ = x - v;
    let _ = v.sin();
}
fn a_plain_value(v: &Active<Array>) {
    let _ = v.dot(vec![1.0]);
    let _ = vec![1.0] * v;
}
fn main() {}
