//! Plans of sparse matrices, against sets of the standard library.
use super::random::Random;
use entape_core::{expr::Active, external::external, function, mode::Mode, real::Elementary};
use entape_drivers::{Error, Objective};
use entape_methods::sparse::SparseObjective;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug)]
enum Step {
    Add(usize, usize),
    Multiply(usize, usize),
    Sine(usize),
}
fn steps(random: &mut Random, inputs: usize, count: usize) -> Vec<Step> {
    let step = |i: usize| {
        let last = (inputs + i).min(4);
        let a = inputs + i - 1 - random.below(last);
        let b = match random.below(4) {
            0 => random.below(inputs + i),
            _ => random.below(inputs),
        };
        match random.below(5) {
            0 => Step::Sine(a),
            1 => Step::Add(a, b),
            _ => Step::Multiply(a, b),
        }
    };
    (0..count).map(step).collect()
}
fn run(steps: &[Step], x: &[Active<f64>]) -> Active<f64> {
    let mut all = x.to_vec();
    for step in steps {
        all.push(match *step {
            Step::Add(a, b) => (all[a] + all[b]).eval(),
            Step::Multiply(a, b) => (all[a] * all[b]).eval(),
            Step::Sine(a) => all[a].sin().eval(),
        });
    }
    all[all.len() - 1]
}
fn pattern(steps: &[Step], inputs: usize) -> BTreeSet<(usize, usize)> {
    let mut sets: Vec<BTreeSet<usize>> = (0..inputs).map(|i| [i].into()).collect();
    let mut entries = BTreeSet::new();
    for step in steps {
        let (a, b, joins) = match *step {
            Step::Add(a, b) => (a, b, false),
            Step::Multiply(a, b) => (a, b, true),
            Step::Sine(a) => (a, a, true),
        };
        if joins {
            for &i in &sets[a] {
                entries.extend(sets[b].iter().flat_map(|&j| [(i, j), (j, i)]));
            }
        }
        sets.push(&sets[a] | &sets[b]);
    }
    let of_result = &sets[sets.len() - 1];
    entries.retain(|(i, j)| of_result.contains(i) && of_result.contains(j));
    entries
}

#[test]
fn hessians_of_growing_sets_have_the_pattern_of_their_products() -> Result<(), Error> {
    let mut random = Random(7);
    for inputs in [1, 2, 40, 63, 64, 65, 130, 200] {
        for count in [1, inputs / 2 + 1, 2 * inputs] {
            let steps = steps(&mut random, inputs, count);
            let f = Objective::recorded(|x: &[Active<f64>]| run(&steps, x));
            let plan = f.hessian_plan(&vec![0.5; inputs])?;
            let rows = plan.sparsity().iter_rows().enumerate();
            let found: BTreeSet<_> = rows
                .flat_map(|(i, row)| row.iter().map(move |&j| (i, j)))
                .collect();
            assert!(found == pattern(&steps, inputs), "{steps:?}");
            assert!(plan.sparsity().iter_rows().all(<[_]>::is_sorted));
        }
    }
    Ok(())
}

#[function]
fn chain<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let mut y = x[0];
    for x in &x[1..] {
        y = (y * x).sin().eval();
    }
    y
}
/// Without blocks of rows this would take a minute.
#[test]
fn a_chain_of_six_hundred_inputs_has_a_full_hessian() -> Result<(), Error> {
    let n = 600;
    let plan = Objective::new(chain {}).hessian_plan(&vec![0.5; n])?;
    assert_eq!((plan.sparsity().entries(), plan.colors()), (n * n, n));
    Ok(())
}
#[test]
fn a_chain_has_its_dense_hessian() -> Result<(), Error> {
    let f = Objective::new(chain {});
    let x: Vec<_> = (0..70).map(|i| 1.0 + 0.3 * f64::from(i).sin()).collect();
    // The last bits of mirror images differ.
    let (sparse, dense) = (f.sparse_hessian(&x)?.to_dense(), f.hessian(&x)?);
    for (a, b) in sparse.as_slice().iter().zip(dense.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} is not {b}");
    }
    Ok(())
}
#[test]
fn an_arrow_of_a_hundred_thousand_inputs_has_a_small_pattern() -> Result<(), Error> {
    #[function]
    fn arrow<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        let mut sum: Active<f64, M> = Active::passive(0.0);
        for y in &x[1..] {
            sum = (sum + y).eval();
        }
        (x[0] * sum).eval()
    }
    let n = 100_000;
    let plan = Objective::new(arrow {}).hessian_plan(&vec![1.0; n])?;
    assert_eq!(plan.sparsity().entries(), 2 * (n - 1));
    Ok(())
}

/// For large numbers an external function without a tangent.
fn square<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
    match x > 10.0 {
        true => {
            let value: f64 = x.value();
            external(x, value * value, move |r_b: f64| 2.0 * value * r_b).eval()
        }
        false => (x * x).eval(),
    }
}
#[function]
fn squares<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
    x.windows(2).map(|x| (square(x[0]) + x[1]).eval()).collect()
}
#[test]
fn a_plan_by_columns_serves_a_branch_without_tangents() -> Result<(), Error> {
    let f = Objective::new(squares {});
    let plan = f.jacobian_plan(&[1.0; 5])?;
    for _ in 0..2 {
        for x in [[1.0, 2.0, 3.0, 4.0, 5.0], [11.0, 2.0, 13.0, 4.0, 15.0]] {
            let (values, j) = f.values_and_sparse_jacobian_with(&plan, &x)?;
            for i in 0..4 {
                assert_eq!(values[i], x[i] * x[i] + x[i + 1]);
                assert_eq!(
                    (j.get(i, i), j.get(i, i + 1)),
                    (Some(2.0 * x[i]), Some(1.0))
                );
            }
        }
    }
    Ok(())
}
