//! Tangents, second derivatives, and several adjoints, against finite differences and each other.
use approx::assert_relative_eq;
use entape_core::{
    expr::{Active, list, select},
    function,
    mode::{Forward, Mode, Plain, Taped},
    real::{Cast, Elementary, ListReductions, Reals},
    tape::{Error, Tape},
};
use entape_drivers::{Objective, hessian, hessian_vector};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

fn program<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut sum = (x[0] * x[1] + 2.0 * x[2]).eval();
    for i in 0..4 {
        sum = (sum * 0.5 + x[i % 3].sin() * sum.tanh() / (1.0 + x[3] * x[3])).eval();
        sum += select(i % 2 == 0, x[1].exp() * 0.1, x[2].powf(x[3]));
    }
    let (s, c) = (sum * x[0]).eval().sin_cos();
    let squares = (list(x) - list(&[s, c, sum, x[0]])).powi(2).sum().eval();
    let product = (x.dot(&[sum, s, c, x[2]]) + x.norm() * x.product()).eval();
    let shifted = ((list(&[1.0, 2.0, 4.0]) - x[1]).sum() * x[0]).eval();
    let mean = (x.mean() + shifted).eval();
    let constant = Real::<M>::passive(1.5);
    (squares.sqrt() + product * x[1].max(0.2) + (constant * s).to_f32().to_f64() * 1e-8 + mean.ln())
        .eval()
}
const X: [f64; 4] = [0.7, 0.4, 1.3, 0.9];
const V: [f64; 4] = [0.3, -1.1, 0.6, 0.8];
const W: [f64; 4] = [-0.5, 0.2, 1.4, 0.1];

fn value(x: &[f64]) -> f64 {
    let x: Vec<_> = x.iter().map(|&x| Real::<Plain>::passive(x)).collect();
    program(&x).value()
}
fn gradient(x: &[f64]) -> Vec<f64> {
    let mut tape = Tape::new();
    let x = tape.inputs(x.iter().copied());
    let y = tape.record(|| program::<Taped>(&x));
    tape.gradient(&y)
        .expect("a gradient")
        .wrt_all(&x)
        .expect("inputs")
}
fn difference<const K: usize>(f: impl Fn(&[f64]) -> [f64; K], v: &[f64]) -> [f64; K] {
    let e = 1e-5;
    let at = |e: f64| f(&std::array::from_fn::<f64, 4, _>(|i| X[i] + e * v[i]));
    let (plus, minus) = (at(e), at(-e));
    std::array::from_fn(|k| (plus[k] - minus[k]) / (2.0 * e))
}
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
#[track_caller]
fn close(x: f64, y: f64, tolerance: f64) {
    assert_relative_eq!(x, y, epsilon = tolerance, max_relative = tolerance);
}

#[test]
fn tangents_in_forward_mode_agree_with_differences() {
    let along = |t: [[f64; 2]; 4]| {
        let x: Vec<_> = X
            .iter()
            .zip(t)
            .map(|(&x, t)| Real::<Forward<2>>::with_tangents(x, t))
            .collect();
        let y = program(&x);
        (y.value(), y.tangents())
    };
    let (y, t) = along(std::array::from_fn(|i| [V[i], W[i]]));
    assert_eq!(y, value(&X));
    let g = gradient(&X);
    close(t[0], dot(&g, &V), 1e-7); // a cast to single precision is among the operations
    close(t[1], dot(&g, &W), 1e-7);
    let [d] = difference(|x| [value(x)], &V);
    close(t[0], d, 1e-7);
    let x = Real::<Forward>::passive(0.5);
    assert_eq!((x.sin() * x).eval().tangent(), 0.0);
}

#[test]
fn tangents_of_a_recording_agree_with_differences() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.inputs(X);
    let y = tape.record(|| program::<Taped>(&x));
    let expected = gradient(&X);
    let g = tape.gradient(&y)?.wrt_all(&x)?;
    assert_eq!(g, expected);
    let mut hessian = Vec::new();
    for v in [V, W] {
        let mut directions = tape.directions::<1>()?;
        for (x, v) in x.iter().zip(v) {
            directions.set(x, [v])?;
        }
        let tangents = directions.sweep()?;
        close(tangents.of(&y)?[0], dot(&g, &v), 1e-7);
        let second = tangents.gradient(&y)?;
        let differences: [f64; 4] =
            difference(|x| gradient(x).try_into().expect("four inputs"), &v);
        let mut row = Vec::new();
        for (i, x) in x.iter().enumerate() {
            close(second.gradient(x)?, g[i], 1e-14);
            let [h] = second.wrt(x)?;
            close(h, differences[i], 1e-6);
            row.push(h);
        }
        hessian.push(row);
    }
    close(dot(&hessian[0], &W), dot(&hessian[1], &V), 1e-7);
    assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, expected);
    Ok(())
}

#[test]
fn eight_directions_at_once_equal_single_ones() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.inputs(X);
    let y = tape.record(|| program::<Taped>(&x));
    let unit = |i: usize| std::array::from_fn::<f64, 8, _>(|j| if i == j { 1.0 } else { 0.0 });
    let mut directions = tape.directions::<8>()?;
    for (i, x) in x.iter().enumerate() {
        directions.set(x, unit(i))?;
    }
    let tangents = directions.sweep()?;
    let g = gradient(&X);
    let t = tangents.of(&y)?;
    (0..4).for_each(|i| close(t[i], g[i], 1e-12));
    assert_eq!(t[4..], [0.0; 4]);
    let second = tangents.gradient(&y)?;
    let rows: Vec<[f64; 8]> = x.iter().map(|x| second.wrt(x)).collect::<Result<_, _>>()?;
    for (i, row) in rows.iter().enumerate() {
        for (j, column) in rows.iter().enumerate() {
            close(row[j], column[i], 1e-12);
        }
    }
    for j in 0..4 {
        let mut directions = tape.directions::<1>()?;
        directions.set(&x[j], [1.0])?;
        let second = directions.sweep()?.gradient(&y)?;
        for (i, x) in x.iter().enumerate() {
            close(second.wrt(x)?[0], rows[i][j], 1e-13);
        }
    }
    Ok(())
}

#[test]
fn several_adjoints_at_once_equal_single_ones() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.inputs(X);
    let y = tape.record(|| {
        [
            program::<Taped>(&x),
            (x[0] * x[1]).eval(),
            x[2],
            x[3].sin().eval(),
        ]
    });
    let mut adjoints = tape.adjoints()?;
    for (j, y) in y.iter().enumerate() {
        adjoints.seed(y, j, 1.0 + j as f64)?;
    }
    let swept = adjoints.sweep()?;
    let many: Vec<_> = x.iter().map(|x| swept.wrt(x)).collect::<Result<_, _>>()?;
    for (j, y) in y.iter().enumerate() {
        tape.seed(y, 1.0 + j as f64)?;
        let one = tape.sweep()?.wrt_all(&x)?;
        for (many, one) in many.iter().zip(one) {
            close(many[j], one, 1e-15);
        }
    }
    Ok(())
}

/// (sum of x)², with two results: its Hessian is 2 everywhere, and the slopes of result `i` are `2 i` times the sum.
#[function]
fn squared_sum<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let sum: Real<M> = x.iter().map(|x| x * 1.0).sum();
    (sum * sum).eval()
}
#[function]
fn multiples<M: Mode>(x: &[Real<M>]) -> Vec<Real<M>> {
    let y = squared_sum(x);
    (0..20).map(|i| (y * f64::from(i)).eval()).collect()
}
#[test]
fn a_tape_of_a_driver_serves_other_numbers_of_inputs() -> Result<(), Error> {
    let multiple = Objective::new(multiples {});
    let square = Objective::new(squared_sum {});
    for n in [3, 2, 10, 3, 6, 2, 20, 4, 40, 30, 25] {
        let (x, mut v) = (vec![1.0; n], vec![0.0; n]);
        v[0] = 1.0;
        let (_, product) = hessian_vector(squared_sum::<Taped>, &x[..], v.clone())?;
        assert_eq!(product, vec![2.0; n], "{n} inputs");
        assert_eq!(square.hessian_vector(&x, &v)?, product);
        let all_two = vec![2.0; n * n];
        assert_eq!(square.hessian(&x)?.as_slice(), all_two, "{n} inputs");
        let of_closure = hessian(squared_sum::<Taped>, &x[..])?;
        assert_eq!(of_closure.as_slice(), all_two, "{n} inputs");
        let structured = Objective::like(squared_sum {}, &x[..]);
        let block = structured.hessian_block(&x, 0..n)?;
        assert_eq!(block.as_slice(), all_two);
        let mut rows = vec![0.0; 20 * n];
        multiple.jacobian_rows_into(&x, 0, &mut rows)?;
        for (i, row) in rows.chunks_exact(n).enumerate() {
            assert_eq!(row, vec![(2 * i * n) as f64; n], "{n} inputs, result {i}");
        }
    }
    Ok(())
}
#[test]
fn identifiers_of_inputs_may_become_those_of_results() -> Result<(), Error> {
    let mut tape = Tape::new();
    let single = |tape: &mut Tape, x: &[Active<f32>]| {
        let y = tape.record(|| {
            let sum: Active<f32> = x.iter().map(|x| x * 1.0_f32).sum();
            (sum * sum).eval()
        });
        let mut directions = tape.directions::<1>()?;
        directions.set(&x[0], [1.0])?;
        directions.sweep()?.gradient(&y)?.wrt(&x[0])
    };
    for n in [3, 2, 5, 1] {
        tape.reset();
        let x: Vec<_> = (0..n).map(|_| tape.input_as::<f32>(1.0)).collect();
        assert_eq!(single(&mut tape, &x)?, [2.0]);
        tape.reset();
        let x: Vec<_> = (0..n).map(|_| tape.input(1.0)).collect();
        let start = tape.position();
        let more: Vec<_> = (0..n).map(|_| tape.input(1.0)).collect();
        for inputs in [[x.clone(), more].concat(), x] {
            let y = tape.record(|| squared_sum(&inputs));
            let mut directions = tape.directions::<8>()?;
            directions.set_along(&inputs[0], 3, 1.0)?;
            let swept = directions.sweep()?.gradient(&y)?;
            for x in &inputs {
                assert_eq!(swept.wrt(x)?, [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
            }
            tape.reset_to(&start)?;
        }
    }
    Ok(())
}
