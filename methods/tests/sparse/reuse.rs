//! Sparse derivatives in the mode `Reuse`, where an identifier has several values in turn: their patterns against sets, and
//! their entries against the mode `Taped`.
use super::random::Random;
use approx::assert_relative_eq;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Recording, Reuse, Taped},
    real::Elementary,
};
use entape_drivers::{Error, Objective};
use entape_methods::sparse::{SparseJacobian, SparseObjective};
use std::collections::BTreeSet;

/// A step on registers, whose result replaces the first one.
#[derive(Clone, Copy, Debug)]
enum Step {
    Multiply(usize, usize, usize),
    /// A product into a new variable, after the one in the register was dropped.
    Renew(usize, usize, usize),
    AddTo(usize, usize),
    Sine(usize),
    Copy(usize, usize),
    Swap(usize, usize),
    Forget(usize),
}
const REGISTERS: usize = 5;
fn steps(random: &mut Random, inputs: usize, count: usize) -> Vec<Step> {
    let all = inputs + REGISTERS;
    let step = |_| {
        let (to, a, b) = (
            random.below(REGISTERS),
            random.below(all),
            random.below(all),
        );
        match random.below(9) {
            0 => Step::Multiply(to, a, b),
            1 | 2 => Step::Renew(to, a, b),
            3 | 4 => Step::AddTo(to, a),
            5 => Step::Sine(to),
            6 => Step::Copy(to, a),
            7 => Step::Swap(to, random.below(REGISTERS)),
            _ => Step::Forget(to),
        }
    };
    (0..count).map(step).collect()
}
fn run<M: AnyMode>(steps: &[Step], x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
    fn at<'x, M: AnyMode>(
        x: &'x [Active<f64, M>],
        all: &'x [Active<f64, M>],
        i: usize,
    ) -> &'x Active<f64, M> {
        all.get(i).unwrap_or_else(|| &x[i - REGISTERS])
    }
    let mut all: Vec<_> = (0..REGISTERS).map(|_| Active::passive(1.0)).collect();
    for step in steps {
        match *step {
            Step::Multiply(to, a, b) => all[to] = (at(x, &all, a) * at(x, &all, b)).eval(),
            Step::Renew(to, a, b) => {
                let (a, b) = (at(x, &all, a).clone(), at(x, &all, b).clone());
                all[to] = Active::passive(0.0);
                all[to] = (a.sin() * b).eval();
            }
            Step::AddTo(to, a) => {
                let a = at(x, &all, a).clone();
                all[to] += a;
            }
            Step::Sine(to) => all[to].update(|x| x.sin()),
            Step::Copy(to, a) => all[to] = at(x, &all, a).clone(),
            Step::Swap(a, b) => all.swap(a, b),
            Step::Forget(to) => all[to] = Active::passive(0.5),
        }
    }
    all
}
/// The inputs of each register, and the pairs of inputs that a nonlinear step joins.
type Pattern = (Vec<BTreeSet<usize>>, BTreeSet<(usize, usize)>);
fn pattern(steps: &[Step], inputs: usize) -> Pattern {
    let mut sets = vec![BTreeSet::new(); REGISTERS];
    sets.extend((0..inputs).map(|i| [i].into()));
    let mut pairs = BTreeSet::new();
    let mut join = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| {
        for &i in a {
            pairs.extend(b.iter().flat_map(|&j| [(i, j), (j, i)]));
        }
    };
    for step in steps {
        match *step {
            Step::Multiply(to, a, b) => {
                join(&sets[a], &sets[b]);
                sets[to] = &sets[a] | &sets[b];
            }
            Step::Renew(to, a, b) => {
                join(&sets[a], &sets[b]);
                join(&sets[a], &sets[a]);
                sets[to] = &sets[a] | &sets[b];
            }
            Step::AddTo(to, a) => sets[to] = &sets[to] | &sets[a],
            Step::Sine(to) => join(&sets[to], &sets[to]),
            Step::Copy(to, a) => sets[to] = sets[a].clone(),
            Step::Swap(a, b) => sets.swap(a, b),
            Step::Forget(to) => sets[to].clear(),
        }
    }
    sets.truncate(REGISTERS);
    (sets, pairs)
}

/// Rounding differs, because only the mode `Reuse` records copies.
#[track_caller]
fn assert_near(reuse: &SparseJacobian, taped: &SparseJacobian, case: u64) {
    assert_eq!(reuse.sparsity(), taped.sparsity(), "program {case}");
    let (reuse, taped) = (reuse.values(), taped.values());
    assert_relative_eq!(reuse, taped, epsilon = 1e-11, max_relative = 1e-11);
}
#[test]
fn registers_have_the_pattern_of_their_last_values() -> Result<(), Error> {
    let mut random = Random(11);
    let mut entries = [0; 2];
    for case in 0..300 {
        let (n, count) = (1 + random.below(12), random.below(60));
        let steps = &steps(&mut random, n, count);
        let (sets, pairs) = pattern(steps, n);

        let taped = Objective::recorded(|x: &[Active<f64>]| run(steps, x));
        let reuse = Objective::recorded(|x: &[Active<f64, Reuse>]| run(steps, x));
        let plan = reuse.jacobian_plan(&random.point(n))?;
        for (row, set) in plan.sparsity().iter_rows().zip(&sets) {
            assert!(row.iter().eq(set), "program {case}: {row:?}, not {set:?}");
        }
        for _ in 0..2 {
            let x = random.point(n);
            let j = reuse.sparse_jacobian_with(&plan, &x)?;
            assert_near(&j, &taped.sparse_jacobian(&x)?, case);
            entries[0] += j.values().len();
        }

        fn sum<M: AnyMode>(steps: &[Step], x: &[Active<f64, M>]) -> Active<f64, M> {
            run(steps, x).iter().sum()
        }
        let taped = Objective::recorded(|x: &[Active<f64>]| sum(steps, x));
        let reuse = Objective::recorded(|x: &[Active<f64, Reuse>]| sum(steps, x));
        let plan = reuse.hessian_plan(&random.point(n))?;
        let all: BTreeSet<usize> = sets.into_iter().flatten().collect();
        let reaches = |(i, j): &(usize, usize)| all.contains(i) && all.contains(j);
        let rows = plan.sparsity().iter_rows().enumerate();
        let found: Vec<_> = rows
            .flat_map(|(i, row)| row.iter().map(move |&j| (i, j)))
            .collect();
        let expected: Vec<_> = pairs.into_iter().filter(reaches).collect();
        assert_eq!(found, expected, "program {case}");
        for _ in 0..2 {
            let x = random.point(n);
            let h = reuse.sparse_hessian_with(&plan, &x)?;
            assert_near(&h, &taped.sparse_hessian(&x)?, case);
            entries[1] += h.values().len();
        }
    }
    assert!(entries > [2000; 2], "there are only {entries:?} entries");
    Ok(())
}

fn identifier<M: AnyMode>(x: &Active<f64, M>) -> String {
    let text = format!("{x:?}");
    let (_, id) = text.split_once("id: ").expect("an active variable");
    id.to_owned()
}
/// Each product takes the identifier of the one before.
fn chain<M: AnyMode>(
    x: &[Active<f64, M>],
    identifiers: &mut BTreeSet<String>,
) -> Vec<Active<f64, M>> {
    let mut sums = Vec::new();
    for x in x.windows(2) {
        let product = (&x[0] * &x[1]).eval();
        identifiers.insert(identifier(&product));
        sums.push((product.exp() + 1.0).eval());
    }
    sums
}
#[test]
fn values_in_one_slot_have_their_own_patterns() -> Result<(), Error> {
    fn all<M: Recording>(x: &[f64]) -> Result<(usize, Vec<f64>, Vec<f64>), Error> {
        let used = std::cell::RefCell::new(BTreeSet::new());
        let f = Objective::recorded(|x: &[Active<f64, M>]| chain(x, &mut used.borrow_mut()));
        let plan = f.jacobian_plan(x)?;
        let rows: Vec<_> = plan.sparsity().iter_rows().collect();
        assert_eq!(rows, [[0, 1], [1, 2], [2, 3], [3, 4]]);
        let j = f.sparse_jacobian_with(&plan, x)?;
        let sum = |x: &[Active<f64, M>]| {
            chain(x, &mut BTreeSet::new())
                .iter()
                .sum::<Active<f64, M>>()
        };
        let h = Objective::recorded(sum).sparse_hessian(x)?;
        let rows: Vec<_> = h.sparsity().iter_rows().collect();
        assert_eq!(
            rows,
            [&[0, 1][..], &[0, 1, 2], &[1, 2, 3], &[2, 3, 4], &[3, 4]]
        );
        let count = used.borrow().len();
        Ok((count, j.values().to_vec(), h.values().to_vec()))
    }
    let x = [0.1, 0.4, 0.3, 0.2, 0.5];
    let (taped, reuse) = (all::<Taped>(&x)?, all::<Reuse>(&x)?);
    assert_eq!((taped.0, reuse.0), (4, 1));
    assert_eq!((taped.1, taped.2), (reuse.1, reuse.2));
    Ok(())
}

/// The branches have the same expressions and identifiers, in another order.
#[test]
fn a_branch_that_reads_another_value_of_a_slot_is_noticed() -> Result<(), Error> {
    let f = Objective::recorded(|x: &[Active<f64, Reuse>]| {
        let mut y = (&x[1] * 2.0).eval();
        let mut results = Vec::new();
        if x[0].value() > 0.0 {
            results.push((&y * 3.0).eval());
            y.assign(&x[2] * 2.0);
        } else {
            y.assign(&x[2] * 2.0);
            results.push((&y * 3.0).eval());
        }
        results.push(y);
        results
    });
    let plan = f.jacobian_plan(&[1.0; 3])?;
    let rows: Vec<_> = plan.sparsity().iter_rows().collect();
    assert_eq!(rows, [[1], [2]]);
    assert_eq!(
        f.sparse_jacobian_with(&plan, &[2.0; 3])?.values(),
        [6.0, 2.0]
    );
    let other = f.sparse_jacobian_with(&plan, &[-1.0; 3]);
    assert_eq!(other, Err(Error::PatternChanged));
    Ok(())
}
