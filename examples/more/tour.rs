//! Ten first programs and a struct of parameters, each above the same program in JAX and in num-dual. Their results are checked.
//!
//! ```text
//! cargo run -p entape-examples --features linalg --example tour
//! ```
//!
//! Lines of each program, without imports, attributes, decorators, lone brackets, and checks:
//!
//! | program | entape | JAX | num-dual |
//! |---|--:|--:|--:|
//! | 1 gradient of a closure | 2 | 2 | 2 |
//! | 2 value and gradient of a function | 3 | 3 | 4 |
//! | 3 Hessian | 1 | 1 | 2 |
//! | 4 derivative along a direction | 1 | 1 | 1 |
//! | 5 minimisation | 6 | 6 | 6 |
//! | 6 function with data | 3 | 3 | 6 |
//! | 7 inputs one by one, on a tape | 4 | – | – |
//! | 8 matrices | 3 | 3 | 4 |
//! | 9 writes to elements | 5 | 5 | 5 |
//! | 10 Hessian times a vector | 1 | 1 | 2 |
//! | 11 struct of parameters | 6 | 6 | – |
//!
//! In JAX and num-dual `x`, `v` and the data are arrays. PyTorch takes four lines for program 7.
use entape::{Objective, Structure, Vars, prelude::*};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

// 1. The gradient of a closure.
fn gradient_of_a_closure() -> Result<[f64; 2], Error> {
    let f = |x: &[Real]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
    let g = entape::gradient(f, &[1.0, 2.0])?;
    Ok(g)
}
// JAX:
//     f = lambda x: (1 - x[0])**2 + 100 * (x[1] - x[0]**2)**2
//     g = jax.grad(f)(x)
// num-dual:
//     let f = |x: SVector<DualSVec64<2>, 2>| (-x[0] + 1.0).powi(2) + (x[1] - x[0] * x[0]).powi(2) * 100.0;
//     let (_, g) = gradient(f, &x);

// 2. A function. It also runs with plain numbers and with tangents.
#[entape::function]
fn rosenbrock(x: &[Real]) -> Real {
    (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)
}
fn value_and_gradient_of_a_function() -> Result<(f64, [f64; 2]), Error> {
    let (y, g) = entape::value_and_gradient(rosenbrock, &[1.0, 2.0])?;
    Ok((y, g))
}
// JAX:
//     def rosenbrock(x):
//         return (1 - x[0])**2 + 100 * (x[1] - x[0]**2)**2
//     y, g = jax.value_and_grad(rosenbrock)(x)
// num-dual:
//     fn rosenbrock<D: DualNum<Primitive = f64> + Copy>(x: D, y: D) -> D {
//         (-x + 1.0).powi(2) + (y - x * x).powi(2) * 100.0
//     }
//     let f = |x: SVector<DualSVec64<2>, 2>| rosenbrock(x[0], x[1]);
//     let (y, g) = gradient(f, &x);

// 3. The Hessian of the same function.
fn hessian() -> Result<Vec<f64>, Error> {
    let h = entape::hessian(rosenbrock, &[1.0, 2.0])?;
    Ok(h.into_vec())
}
// JAX:
//     h = jax.hessian(rosenbrock)(x)
// num-dual:
//     let f = |x: SVector<Dual2SVec64<2>, 2>| rosenbrock(x[0], x[1]);
//     let (_, _, h) = hessian(f, &x);

// 4. Its derivative along a direction, without a tape.
fn along_a_direction() -> Result<(f64, f64), Error> {
    let (y, slope) = entape::jvp(rosenbrock, &[1.0, 2.0], [0.6, 0.8])?;
    Ok((y, slope))
}
// JAX:
//     y, slope = jax.jvp(rosenbrock, (x,), (v,))
// num-dual:
//     let y = rosenbrock(Dual64::new(1.0, 0.6), Dual64::new(2.0, 0.8));

// 5. The form of a chain of springs, by steepest descent.
#[entape::function]
fn energy(x: &[Real]) -> Real {
    x.windows(2).map(|x| (x[1] - x[0]).powi(4)).sum::<Real>() + x.norm_squared() - x.sum()
}
fn minimum() -> Result<DVector<f64>, Error> {
    let f = Objective::new(energy {});
    let mut x = dvector![0.0, 1.0, 0.5];
    for _ in 0..200 {
        x -= 0.1 * DVector::from(f.gradient(x.as_slice())?);
    }
    Ok(x)
}
// JAX:
//     def energy(x):
//         return jnp.sum(jnp.diff(x)**4) + x @ x - jnp.sum(x)
//     f = jax.jit(jax.grad(energy))
//     x = jnp.array([0.0, 1.0, 0.5])
//     for _ in range(200):
//         x = x - 0.1 * f(x)
// num-dual:
//     fn energy<D: DualNum<Primitive = f64> + Copy>(x: SVector<D, 3>) -> D {
//         let pairs = (x[1] - x[0]).powi(4) + (x[2] - x[1]).powi(4);
//         pairs + x.dot(&x) - x.sum()
//     }
//     let mut x = SVector::from([0.0, 1.0, 0.5]);
//     for _ in 0..200 {
//         x -= gradient(energy, &x).1 * 0.1;
//     }

// 6. A function with data, by arrays.
#[entape::function]
fn misfit(p: &[Real], t: &[f64], y: &[f64]) -> Real {
    (p[0] * (p[1] * constant(t.to_vec())).exp() - constant(y.to_vec())).norm_squared()
}
fn gradient_with_data(p: &[f64], t: &[f64], y: &[f64]) -> Result<Vec<f64>, Error> {
    let g = entape::gradient(misfit { t, y }, p)?;
    Ok(g)
}
// JAX:
//     def misfit(p, t, y):
//         return jnp.sum((p[0] * jnp.exp(p[1] * t) - y)**2)
//     g = jax.grad(misfit)(p, t, y)
// num-dual:
//     fn misfit<D: DualNum<Primitive = f64> + Copy>(p: SVector<D, 2>, t: &[f64], y: &[f64]) -> D {
//         t.iter()
//             .zip(y)
//             .map(|(t, y)| (p[0] * (p[1] * *t).exp() - *y).powi(2))
//             .sum()
//     }
//     let (_, g) = gradient(|p| misfit(p, &t, &y), &p);

// 7. Inputs one by one, on a tape.
fn on_a_tape() -> Result<[f64; 2], Error> {
    let mut tape = Tape::new();
    let (a, b) = (tape.input(4.0), tape.input(0.5));
    let w = tape.record(|| (a * a * b.sin() + a).eval());
    let g = tape.gradient(&w)?;
    Ok([g.wrt(&a)?, g.wrt(&b)?])
}
// PyTorch:
//     a, b = torch.tensor(4.0, requires_grad=True), torch.tensor(0.5, requires_grad=True)
//     w = a * a * b.sin() + a
//     w.backward()
//     g = a.grad, b.grad

// 8. Matrices: the squares of a linear system's residuals.
#[entape::function]
fn residual(w: &Vector, m: &DMatrix<f64>, b: &DVector<f64>) -> Real {
    (constant(m.clone()) * w - constant(b.clone())).norm_squared()
}
fn of_matrices(
    w: &DVector<f64>,
    m: &DMatrix<f64>,
    b: &DVector<f64>,
) -> Result<DVector<f64>, Error> {
    let g = entape::gradient(residual { m, b }, w)?;
    Ok(g)
}
// JAX:
//     def residual(w, m, b):
//         return jnp.sum((m @ w - b)**2)
//     g = jax.grad(residual)(w, m, b)
// num-dual:
//     fn residual<D: DualNum<Primitive = f64>>(w: DVector<D>, m: &DMatrix<f64>, b: &DVector<f64>) -> D {
//         let y = m.map(D::from) * w - b.map(D::from);
//         y.dot(&y)
//     }
//     let (_, g) = gradient(|w| residual(w, &m, &b), &w);

// 9. Writes to elements.
#[entape::function]
fn written(mut v: [Real; 3]) -> Real {
    v[0] = 2.0 * v[1];
    v[2] += v[0] * v[0];
    v.norm_squared()
}
fn of_writes() -> Result<[f64; 3], Error> {
    let g = entape::gradient(written, [1.0, 2.0, 3.0])?;
    Ok(g)
}
// JAX:
//     def written(v):
//         v = v.at[0].set(2 * v[1])
//         v = v.at[2].add(v[0]**2)
//         return v @ v
//     g = jax.grad(written)(v)
// num-dual:
//     fn written<D: DualNum<Primitive = f64> + Copy>(mut v: SVector<D, 3>) -> D {
//         v[0] = v[1] * 2.0;
//         v[2] = v[2] + v[0] * v[0];
//         v.dot(&v)
//     }
//     let (_, g) = gradient(written, &v);

// 10. The Hessian times a vector, without the Hessian.
fn hessian_times_a_vector() -> Result<([f64; 2], [f64; 2]), Error> {
    let (g, product) = entape::hessian_vector(rosenbrock, &[1.0, 2.0], &[0.6, 0.8])?;
    Ok((g, product))
}
// JAX:
//     g, product = jax.jvp(jax.grad(rosenbrock), (x,), (v,))
// num-dual, by the Hessian:
//     let f = |x: SVector<Dual2SVec64<2>, 2>| rosenbrock(x[0], x[1]);
//     let product = hessian(f, &x).2 * v;

// 11. Parameters in a struct. The gradient is a value of the struct.
#[derive(Clone, Debug, PartialEq, Structure)]
struct Model {
    weights: Vec<f64>,
    offset: f64,
}
#[entape::function]
fn output(model: &Vars<Model>, x: &[f64]) -> Real {
    (model.weights.dot(x) + model.offset).tanh()
}
fn of_a_struct(model: &Model, x: &[f64]) -> Result<Model, Error> {
    let g = entape::gradient(output { x }, model)?;
    Ok(g)
}
// JAX:
//     class Model(NamedTuple):
//         weights: jax.Array
//         offset: float
//     def output(model, x):
//         return jnp.tanh(model.weights @ x + model.offset)
//     g = jax.grad(output)(model, x)

#[track_caller]
fn check<'r>(name: &str, got: impl IntoIterator<Item = &'r f64>, want: &[f64]) {
    let got: Vec<f64> = got.into_iter().copied().collect();
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!(
            (got - want).abs() < 1e-12 * want.abs().max(1.0),
            "{got} for {want}"
        );
    }
    println!("{name}: {got:?}");
}

fn main() -> Result<(), Error> {
    // With b = y - x² = 1 at (1, 2): the gradient is (-400 x b, 200 b), the Hessian ((2 - 400 b + 800 x², -400 x), (-400 x, 200)).
    let (value, slopes) = (100.0, [-400.0, 200.0]);
    check("1 gradient", &gradient_of_a_closure()?, &slopes);
    let (y, g) = value_and_gradient_of_a_function()?;
    check("2 value", [&y], &[value]);
    check("2 gradient", &g, &slopes);
    check("3 Hessian", &hessian()?, &[402.0, -400.0, -400.0, 200.0]);
    let (y, slope) = along_a_direction()?;
    check(
        "4 value, slope",
        [&y, &slope],
        &[value, 0.6 * -400.0 + 0.8 * 200.0],
    );
    // All springs have the length of 0 where 2 x - 1 = 0.
    check("5 minimum", &minimum()?, &[0.5; 3]);
    let (t, y) = ([0.0, 1.0, 2.0], [2.0, 1.1, 0.7]);
    let p = [2.0_f64, -0.5];
    let of = |slope: fn(&[f64; 2], f64) -> f64| {
        let each = t
            .iter()
            .zip(y)
            .map(|(t, y)| 2.0 * (p[0] * (p[1] * t).exp() - y) * slope(&p, *t));
        each.sum::<f64>()
    };
    let want = [
        of(|p, t| (p[1] * t).exp()),
        of(|p, t| p[0] * t * (p[1] * t).exp()),
    ];
    check("6 gradient", &gradient_with_data(&p, &t, &y)?, &want);
    let (a, b) = (4.0_f64, 0.5_f64);
    check(
        "7 gradient",
        &on_a_tape()?,
        &[2.0 * a * b.sin() + 1.0, a * a * b.cos()],
    );
    let (m, b) = (
        dmatrix![2.0, 0.0; 1.0, 3.0; 0.5, 0.5],
        dvector![1.0, 2.0, 3.0],
    );
    let w = dvector![0.5, -1.0];
    let want = 2.0 * m.tr_mul(&(&m * &w - &b));
    check("8 gradient", &of_matrices(&w, &m, &b)?, want.as_slice());
    // 4 y² + y² + (z + 4 y²)²
    let (y, z) = (2.0, 3.0);
    let third = z + 4.0 * y * y;
    check(
        "9 gradient",
        &of_writes()?,
        &[0.0, 10.0 * y + 16.0 * y * third, 2.0 * third],
    );
    let (g, product) = hessian_times_a_vector()?;
    check("10 gradient", &g, &slopes);
    check(
        "10 product",
        &product,
        &[402.0 * 0.6 - 400.0 * 0.8, -400.0 * 0.6 + 200.0 * 0.8],
    );
    let (weights, offset) = (vec![0.5, -0.25], 0.1_f64);
    let slope = 1.0 - (0.5 * 2.0 - 0.25 * 3.0 + offset).tanh().powi(2);
    let g = of_a_struct(&Model { weights, offset }, &[2.0, 3.0])?;
    check("11 weights", &g.weights, &[2.0 * slope, 3.0 * slope]);
    check("11 offset", [&g.offset], &[slope]);
    Ok(())
}
