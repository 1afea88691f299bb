//! An operator of two kinds of other crates is refused by the compiler. A derived kind is the remedy, which the message of
//! the missing operator names.
use entape_core::{expr::Active, kind, kind::List, op};

#[op(Mul)]
fn scaled(
    #[ad_in(r_b.iter().map(|r_b| r_b * s).collect::<Vec<_>>())] x: List<f64>,
    #[ad_in(x.iter().zip(r_b).map(|(x, r_b)| x * r_b).sum::<f64>())] s: f64,
) -> List<f64> {
    x.iter().map(|x| x * s).collect()
}

#[kind(value = (f32, f32), zero = |_| (0.0, 0.0), add = |a, b| *a = b)]
struct Pair;

fn product(a: Active<Pair>, s: Active<f64>) {
    (a * s).eval();
}

#[kind(derives = f64)]
struct Two {
    x: f64,
    y: f64,
}
#[kind(derives = f64)]
struct Nothing;

fn main() {}
