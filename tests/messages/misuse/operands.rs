use entape_core::{
    expr::Active,
    kind,
    mode::{Plain, Taped},
};

#[kind(
    value = Vec<f64>,
    index = Owned,
    zero = |v| vec![0.0; v.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    adjoint = Option<Vec<f64>>,
)]
struct Array;

fn main() {
    let x = Active::<f64, Taped>::passive(2.0);
    let _ = x + 1;
    let mut y = x;
    y += Active::<f64, Plain>::passive(1.0);
    y.assign(Active::<f64, Plain>::passive(1.0));
    y.assign(Active::<f32, Taped>::passive(1.0));
    let v = Active::<Array, Taped>::passive(vec![1.0]);
    let mut w = v.clone();
    w.assign(v);
}
