use super::statements;
use entape::{expr::detached, kind::List, op};

/// `x[0], x[0] + x[1], ..`
#[op(linear)]
fn running_sum(
    #[ad_in({
        let mut sum = 0.0;
        let mut all: Vec<f64> = r_b.iter().rev().map(|r_b| { sum += r_b; sum }).collect();
        all.reverse();
        all
    })]
    x: List<f64>,
) -> List<f64> {
    let mut sum = 0.0;
    x.iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect()
}
#[op(linear, tangent(x = (x_t, x_t), y = (y_t, -y_t)))]
fn wings(#[ad_in(r_b.0 + r_b.1)] x: f64, #[ad_in(r_b.0 - r_b.1)] y: f64) -> (f64, f64) {
    (x + y, x - y)
}
#[op(save(half: f64 = x * 0.5), tangent(x = 2.0 * half * x_t), second(x = r_b * x_t))]
fn half_square(#[ad_in(r_b * 2.0 * half)] x: f64) -> f64 {
    x * x * 0.5
}

statements! {
    names { x, .. } { i, j, k, c, .. };
    { running_sum(detached(&x[..])).assign_to(&mut x[..]); } => { x[1] = x[0] + x[1]; x[2] = x[1] + x[2]; }
    {
        let mut sums = running_sum(entape::expr::list(&x[..2])).split();
        x[i] = sums.swap_remove(1);
    } => {
        x[i] = x[0] + x[1];
    }
    { let (sum, difference) = wings(&x[j] * 0.5, &x[k]); x[i] = sum; x[k] = difference; } => {
        let (a, b) = (x[j] * 0.5, x[k]);
        x[i] = a + b;
        x[k] = a - b;
    }
    {
        x[i] = (half_square(&x[j] + c) * half_square(&x[k])).eval();
    } => {
        x[i] = (x[j] + c).square() * 0.5 * (x[k].square() * 0.5);
    }
}
