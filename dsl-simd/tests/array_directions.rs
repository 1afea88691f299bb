//! Statements of arrays along directions, against functions of reals: lengths around a block, overlapping slices,
//! overwritten parts, passive arguments.
use approx::relative_eq;
use entape_core::{
    expr::{Active, constant},
    mode::{Mode, Taped},
    op,
    real::Elementary,
    tape::{Error, Tape},
};
use entape_simd::{
    Array,
    arrays::{ArrayMembers, ArrayOps, Slices, Strides},
};
use std::array::from_fn;

type Real<M = entape_core::mode::Taped> = Active<f64, M>;
type Numbers = [Real; 2];
type ByArrays = fn(Numbers, [&Array; 2], &[f64]) -> Real;
type Reduction = fn(&Array) -> Real;
type ByReals = fn(Numbers, [&[Real]; 2], &[f64]) -> Real;
#[op(elementwise)]
fn mixture<L: entape_core::elementwise::Lane>(
    #[ad_in(r_b * y.exp().times(weight))] x: L,
    #[ad_in(r_b * x * y.exp().times(weight))] y: L,
    #[ad_passive] weight: f64,
) -> L {
    x * y.exp().times(weight)
}

struct Pair {
    name: &'static str,
    arrays: ByArrays,
    reals: ByReals,
}
fn total<M: Mode>(n: usize, f: impl Fn(usize) -> Real<M>) -> Real<M> {
    let mut sum = Real::passive(0.0);
    for i in 0..n {
        sum += f(i);
    }
    sum
}
const PAIRS: &[Pair] = &[
    Pair {
        name: "an expression with numbers on either side",
        arrays: |a, [u, v], c| {
            let w = (a[0] * u + (v - constant(c.to_vec())).sin() / (a[1] + 2.0)).eval();
            w.norm_squared().eval()
        },
        reals: |a, [u, v], c| {
            let w = |i: usize| (a[0] * u[i] + (v[i] - c[i]).sin() / (a[1] + 2.0)).eval();
            total(u.len(), |i| w(i).powi(2).eval())
        },
    },
    Pair {
        name: "slices that overlap, into a slice",
        arrays: |a, [u, v], _| {
            let n = u.len();
            let mut w = (u * v).eval();
            w.slice_mut(1..n)
                .assign(u.slice(..n - 1) * v.slice(1..) + u.slice(1..).exp() * a[0]);
            w.slice_mut(..n / 2).add_assign(v.slice(n - n / 2..));
            (w.sum() + w.dot(u)).eval()
        },
        reals: |a, [u, v], _| {
            let n = u.len();
            let mut w: Vec<_> = (0..n).map(|i| (u[i] * v[i]).eval()).collect();
            for i in 1..n {
                w[i] = (u[i - 1] * v[i] + u[i].exp() * a[0]).eval();
            }
            for i in 0..n / 2 {
                w[i] += v[n - n / 2 + i];
            }
            total(n, |i| (w[i] + w[i] * u[i]).eval())
        },
    },
    Pair {
        name: "a whole that is written over, and read",
        arrays: |a, [u, v], _| {
            let mut w = (u * 1.5).eval();
            for _ in 0..3 {
                w = (w.tanh() + v * &w - a[1]).eval();
            }
            w *= &w.clone();
            (w.mean() * a[0]).eval()
        },
        reals: |a, [u, v], _| {
            let n = u.len();
            let mut w: Vec<_> = u.iter().map(|u| (u * 1.5).eval()).collect();
            for _ in 0..3 {
                for (w, v) in w.iter_mut().zip(v) {
                    *w = (w.tanh() + v * *w - a[1]).eval();
                }
            }
            (total(n, |i| (w[i] * w[i]).eval()) / (n as f64) * a[0]).eval()
        },
    },
    Pair {
        name: "reductions within an expression of arrays",
        arrays: |a, [u, v], c| {
            let w = ((u / u.norm()).powi(3) * (v * constant(c.to_vec())).sum() - a[0]).eval();
            (w.norm() + u.dot(v * a[1])).eval()
        },
        reals: |a, [u, v], c| {
            let n = u.len();
            let norm = total(n, |i| (u[i] * u[i]).eval()).sqrt().eval();
            let sum = total(n, |i| (v[i] * c[i]).eval());
            let w = |i: usize| ((u[i] / norm).powi(3) * sum - a[0]).eval();
            let squares = total(n, |i| w(i).powi(2).eval());
            (squares.sqrt() + total(n, |i| (u[i] * v[i] * a[1]).eval())).eval()
        },
    },
    Pair {
        name: "elements that nothing reads, with infinite derivatives",
        arrays: |a, [u, v], _| {
            let n = u.len();
            let half = (0..n).map(|i| if i < n / 2 { 1.5 } else { 0.0 });
            let w = (u * constant(half.collect::<Vec<_>>())).sqrt().eval();
            let w = (&w * v * a[0]).eval();
            w.slice(..n / 2).norm_squared().eval()
        },
        reals: |a, [u, v], _| {
            let w = |i: usize| ((u[i] * 1.5).sqrt() * v[i] * a[0]).eval();
            total(u.len() / 2, |i| w(i).powi(2).eval())
        },
    },
    Pair {
        name: "equal arguments within and outside of a reduction",
        arrays: |a, [u, v], _| {
            let w = (u.sin() * (v * u).sum() + v * u * a[0] + u.dot(u) * v).eval();
            (&w * u).eval().norm_squared().eval()
        },
        reals: |a, [u, v], _| {
            let n = u.len();
            let products = total(n, |i| (v[i] * u[i]).eval());
            let squares = total(n, |i| (u[i] * u[i]).eval());
            let w = |i: usize| (u[i].sin() * products + v[i] * u[i] * a[0] + squares * v[i]).eval();
            total(n, |i| (w(i) * u[i]).powi(2).eval())
        },
    },
    Pair {
        name: "partial derivatives of zero, and equal arguments",
        arrays: |a, [u, v], _| {
            let w = (u.max(0.7) * v * a[0] + (u - u * v) * u).eval();
            (w.norm_squared() + (v.min(0.6) * v).eval().sum()).eval()
        },
        reals: |a, [u, v], _| {
            let w = |i: usize| (u[i].max(0.7) * v[i] * a[0] + (u[i] - u[i] * v[i]) * u[i]).eval();
            total(u.len(), |i| (w(i).powi(2) + v[i].min(0.6) * v[i]).eval())
        },
    },
    Pair {
        name: "choices, powers, and a function of one's own",
        arrays: |a, [u, v], _| {
            let w = (u.max(v) + mixture(u, v, 0.3) + u.powf(a[0]).min(a[1])).eval();
            let r = (w.recip() * 3.0).eval();
            (r.reduce_max() + (&r * 2.0 - u).reduce_min()).eval()
        },
        reals: |a, [u, v], _| {
            let r: Vec<_> = u
                .iter()
                .zip(v)
                .map(|(u, v)| {
                    let w = (u.max(v) + mixture(u, v, 0.3) + u.powf(a[0]).min(a[1])).eval();
                    (w.recip() * 3.0).eval()
                })
                .collect();
            let (mut max, mut min) = (r[0], (r[0] * 2.0 - u[0]).eval());
            for (r, u) in r.iter().zip(u) {
                max = max.max(*r).eval();
                min = min.min(*r * 2.0 - u).eval();
            }
            (max + min).eval()
        },
    },
    Pair {
        name: "copies, strides, elements and numbers for all elements",
        arrays: |a, [u, v], c| {
            let n = u.len();
            let mut w = u.clone();
            w.slice_step_mut(.., 2).mul_assign(a[0]);
            let mut x = Array::<Taped>::passive(c.to_vec());
            x.slice_mut(n / 2..).assign(v.slice(n / 2..));
            x[0].assign(a[1] * 3.0);
            (&w * &x).norm_squared().eval()
        },
        reals: |a, [u, v], c| {
            let n = u.len();
            total(n, |i| {
                let w = match i % 2 {
                    0 => (u[i] * a[0]).eval(),
                    _ => u[i],
                };
                let x = match i {
                    0 => (a[1] * 3.0).eval(),
                    i if i >= n / 2 => v[i],
                    i => Real::passive(c[i]),
                };
                (w * x).powi(2).eval()
            })
        },
    },
    Pair {
        name: "elements as numbers",
        arrays: |a, [u, v], _| {
            let n = u.len();
            let mut w = (u * 0.5).eval();
            let mut sum = (&u[0] * a[0] + &v[n - 1] * &v[n - 1]).eval();
            for i in 1..n.min(20) {
                let before = w.at(i - 1);
                w[i].assign((before * &v[i]).sin() + &u[i] * a[1]);
                sum += &w[i] * &u[i - 1] / (a[0] + 2.0);
            }
            (sum + w.norm_squared()).eval()
        },
        reals: |a, [u, v], _| {
            let n = u.len();
            let mut w: Vec<_> = u.iter().map(|u| (u * 0.5).eval()).collect();
            let mut sum = (u[0] * a[0] + v[n - 1] * v[n - 1]).eval();
            for i in 1..n.min(20) {
                w[i] = ((w[i - 1] * v[i]).sin() + u[i] * a[1]).eval();
                sum += w[i] * u[i - 1] / (a[0] + 2.0);
            }
            (sum + total(n, |i| (w[i] * w[i]).eval())).eval()
        },
    },
    Pair {
        name: "an array that depends on nothing in between",
        arrays: |a, [u, v], _| {
            let mut w = (u + v).eval();
            w.assign(constant(vec![0.5; u.len()]));
            w += u.floor();
            (w.sum() * a[0] + (u.reverse() * v).sum()).eval()
        },
        reals: |a, [u, v], _| {
            let n = u.len();
            let sum = total(n, |i| (0.5 + u[i].floor()).eval());
            (sum * a[0] + total(n, |i| (u[n - 1 - i] * v[i]).eval())).eval()
        },
    },
];

fn number(i: usize) -> f64 {
    ((i * i * 7 + 13 * i + 5) % 101) as f64 / 101.0 + 0.3
}
#[track_caller]
fn close(name: &str, what: &str, x: &[f64], y: &[f64]) {
    assert_eq!(x.len(), y.len());
    for (i, (x, y)) in x.iter().zip(y).enumerate() {
        let equal = relative_eq!(x, y, epsilon = 1e-10, max_relative = 1e-9);
        assert!(equal, "{name}: {what} {i} is {x} and should be {y}");
    }
}

#[derive(Default)]
struct Swept {
    value: f64,
    gradient: Vec<f64>,
    tangents: Vec<f64>,
    second: Vec<f64>,
    adjoints: Vec<f64>,
}
impl Swept {
    fn compare(&self, other: &Self, name: &str) {
        close(name, "value", &[self.value], &[other.value]);
        close(name, "gradient", &self.gradient, &other.gradient);
        close(name, "tangent", &self.tangents, &other.tangents);
        close(name, "second derivative", &self.second, &other.second);
        close(name, "adjoint", &self.adjoints, &other.adjoints);
    }
}
fn values(n: usize) -> ([f64; 2], [Vec<f64>; 2]) {
    let array = |k: usize| (0..n).map(|i| number(17 * k + i)).collect();
    ([number(2), number(3)], [array(1), array(2)])
}
fn direction(k: usize, j: usize, i: usize) -> f64 {
    number(31 * k + 7 * j + 5 * i) - 0.6
}
/// The bits of `passive` mark passive numbers and arrays.
fn by_arrays<const N: usize>(pair: &Pair, n: usize, passive: u8) -> Result<Swept, Error>
where
    entape_core::tape::Count: entape_core::tape::Directed<N>,
{
    let is_passive = |k: usize| passive >> k & 1 != 0;
    let (a, arrays) = values(n);
    let c: Vec<f64> = (0..n).map(|i| number(3 * i + 1)).collect();
    let mut tape = Tape::new();
    let a = a.map(|a| tape.input(a));
    let arrays = arrays.map(|array| tape.input(array));
    let z = tape.record(|| {
        // Results of statements store tangents and adjoints.
        let b = from_fn(|k| match is_passive(k) {
            true => Real::passive(a[k].value()),
            false => (a[k] * 1.0).eval(),
        });
        let w: [_; 2] = from_fn(|k| match is_passive(k + 2) {
            true => Array::passive(arrays[k].get().clone()),
            false => (&arrays[k] * 1.0).eval(),
        });
        let z = (pair.arrays)(b, w.each_ref(), &c);
        (z * z + a[0] * z).eval()
    });
    let mut swept = Swept {
        value: z.value(),
        ..Swept::default()
    };
    let gradient = tape.gradient(&z)?;
    swept.gradient.extend(gradient.wrt_all(&a)?);
    for array in &arrays {
        swept.gradient.extend(gradient.wrt(array)?);
    }
    let mut directions = tape.directions::<N>()?;
    for (k, a) in a.iter().enumerate() {
        directions.set(a, from_fn(|j| direction(k, j, 0)))?;
    }
    for (k, array) in arrays.iter().enumerate() {
        let tangent = |j| (0..n).map(|i| direction(k + 2, j, i)).collect();
        directions.set(array, from_fn(tangent))?;
    }
    let along = directions.sweep()?;
    swept.tangents.extend(along.of(&z)?);
    let along = along.gradient(&z)?;
    for a in &a {
        swept.second.push(along.gradient(a)?);
        swept.second.extend(along.wrt(a)?);
    }
    for array in &arrays {
        let (gradient, tangents) = (along.gradient(array)?, along.wrt(array)?);
        for i in 0..n {
            swept.second.push(gradient[i]);
            swept.second.extend(tangents.iter().map(|t| t[i]));
        }
    }
    let mut several = tape.adjoints()?;
    for j in [0, 3, 7] {
        several.seed(&z, j, 1.0 + j as f64)?;
    }
    let several = several.sweep()?;
    for a in &a {
        swept.adjoints.extend(several.wrt(a)?);
    }
    for array in &arrays {
        let adjoints = several.wrt(array)?;
        for i in 0..n {
            swept.adjoints.extend(adjoints.iter().map(|x| x[i]));
        }
    }
    Ok(swept)
}
fn by_reals<const N: usize>(pair: &Pair, n: usize, passive: u8) -> Result<Swept, Error>
where
    entape_core::tape::Count: entape_core::tape::Directed<N>,
{
    let is_passive = |k: usize| passive >> k & 1 != 0;
    let (a, arrays) = values(n);
    let c: Vec<f64> = (0..n).map(|i| number(3 * i + 1)).collect();
    let mut tape = Tape::new();
    let a = a.map(|a| tape.input(a));
    let arrays = arrays.map(|array| tape.inputs(array));
    let z = tape.record(|| {
        let of = |k: usize, x: &Real| match is_passive(k) {
            true => Real::passive(x.value()),
            false => (*x * 1.0).eval(),
        };
        let b = from_fn(|k| of(k, &a[k]));
        let w: [Vec<_>; 2] = from_fn(|k| arrays[k].iter().map(|x| of(k + 2, x)).collect());
        let z = (pair.reals)(b, [&w[0], &w[1]], &c);
        (z * z + a[0] * z).eval()
    });
    let inputs = [&a[..1], &a[1..], &arrays[0], &arrays[1]];
    let mut swept = Swept {
        value: z.value(),
        ..Swept::default()
    };
    let gradient = tape.gradient(&z)?;
    for x in inputs.into_iter().flatten() {
        swept.gradient.push(gradient.wrt(x)?);
    }
    let mut directions = tape.directions::<N>()?;
    for (k, x) in inputs.iter().enumerate() {
        for (i, x) in x.iter().enumerate() {
            directions.set(x, from_fn(|j| direction(k, j, i)))?;
        }
    }
    let along = directions.sweep()?;
    swept.tangents.extend(along.of(&z)?);
    let along = along.gradient(&z)?;
    for x in inputs.into_iter().flatten() {
        swept.second.push(along.gradient(x)?);
        swept.second.extend(along.wrt(x)?);
    }
    let mut several = tape.adjoints()?;
    for j in [0, 3, 7] {
        several.seed(&z, j, 1.0 + j as f64)?;
    }
    let several = several.sweep()?;
    for x in inputs.into_iter().flatten() {
        swept.adjoints.extend(several.wrt(x)?);
    }
    Ok(swept)
}
fn compare(pair: &Pair, n: usize, passive: u8) -> Result<(), Error> {
    let name = format!("{} of {n}, passive {passive:04b}", pair.name);
    let (arrays, reals) = (
        by_arrays::<1>(pair, n, passive)?,
        by_reals::<1>(pair, n, passive)?,
    );
    arrays.compare(&reals, &name);
    let (arrays, reals) = (
        by_arrays::<8>(pair, n, passive)?,
        by_reals::<8>(pair, n, passive)?,
    );
    arrays.compare(&reals, &format!("{name}, eight directions"));
    Ok(())
}

#[test]
fn arrays_have_the_derivatives_of_reals() -> Result<(), Error> {
    // A block has 128 elements.
    for pair in PAIRS {
        for n in [1, 2, 17, 127, 128, 129, 260] {
            compare(pair, n, 0)?;
        }
    }
    Ok(())
}
#[test]
fn passive_arguments_have_no_derivative() -> Result<(), Error> {
    for pair in PAIRS {
        for n in [2, 33, 140] {
            for passive in 1..16 {
                compare(pair, n, passive)?;
            }
        }
    }
    Ok(())
}

#[test]
fn arrays_without_a_direction_have_no_influence() -> Result<(), Error> {
    for x in [f64::INFINITY, f64::NAN] {
        let reductions: [Reduction; 5] = [
            |x| x.norm_squared().eval(),
            |x| (x * x).sum().eval(),
            |x| x.norm().eval(),
            |x| x.dot(x).eval(),
            |x| (x * 2.0).mean().eval(),
        ];
        for reduction in reductions {
            for (passive, one_sided) in [(true, false), (true, true), (false, true)] {
                let mut tape = Tape::new();
                let y = tape.input(vec![2.0]);
                let input = tape.input(vec![x]);
                let z = tape.record(|| {
                    let x = match passive {
                        true => Array::passive(vec![x]),
                        false => input.clone(),
                    };
                    (reduction(&x) + y.norm_squared()).eval()
                });
                let mut directions = tape.directions::<1>()?;
                if one_sided {
                    directions = directions.one_sided();
                }
                directions.set(&y, [vec![1.0]])?;
                let swept = directions.sweep()?;
                assert_eq!(swept.of(&z)?, [4.0]);
                assert_eq!(swept.gradient(&z)?.wrt(&y)?, [[2.0]]);
            }
        }
    }
    Ok(())
}
#[test]
fn numbers_without_a_direction_have_no_influence() -> Result<(), Error> {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(0.0), tape.input(1.0));
    let z = tape.record(|| {
        let w = (constant(vec![-1.0]) * (x * 1.0).eval()).eval();
        w.powf(y).sum().eval()
    });
    let mut directions = tape.directions::<1>()?;
    directions.set(&y, [1.0])?;
    let second = directions.sweep()?.gradient(&z)?;
    assert_eq!(second.wrt(&y)?, [0.0]);
    Ok(())
}
#[test]
fn elements_without_a_direction_have_no_tangent_at_a_pole() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.input(vec![4.0, 0.0, 9.0]);
    let factors = tape.input(vec![1.0; 3]);
    let (y, [sum, rest]) = tape.record(|| {
        let y = ((&x * 0.5 + &x * 0.5).sqrt() * &factors).eval();
        let (sum, rest) = (y.sum().eval(), y.slice(1..).sum().eval());
        (y, [sum, rest])
    });
    let mut directions = tape.directions::<1>()?;
    directions.set(&x, [vec![1.0, 0.0, 3.0]])?;
    let swept = directions.sweep()?;
    let expected = [[0.25, 0.0, 0.5]];
    assert_eq!(swept.of(&y)?, expected);
    assert_eq!(swept.gradient(&sum)?.wrt(&factors)?, expected);
    // Some elements have no adjoint.
    let mut directions = tape.directions::<1>()?;
    directions.set(&x, [vec![1.0, 0.0, 3.0]])?;
    let gradient = directions.sweep()?.gradient(&rest)?;
    assert_eq!(gradient.wrt(&factors)?, [[0.0, 0.0, 0.5]]);
    Ok(())
}
