//! Sparse Jacobians and Hessians against dense ones, and against exact patterns.
#![allow(clippy::needless_range_loop)] // numbers of rows and columns
use super::random::Random;
use approx::{abs_diff_eq, assert_abs_diff_eq, relative_eq};
use entape_core::{
    expr::{Active, select},
    function,
    mode::Mode,
    real::Elementary,
};
use entape_drivers::{Error, Function, ListShape, Objective};
use entape_methods::sparse::{SparseJacobian, SparseObjective};

/// Random operations, each on a few former values.
struct Program {
    seed: u64,
    operations: usize,
    results: usize,
}
impl Program {
    fn run<M: Mode>(&self, x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        let mut random = Random(self.seed);
        let mut all = x.to_vec();
        for _ in 0..self.operations {
            // Results depend on some inputs.
            let near = all.len().min(12);
            let mut pick = || all[all.len() - 1 - random.below(near)];
            let (a, b, c) = (pick(), pick(), pick());
            all.push(match random.below(12) {
                0 => (a * b).sin().eval(),
                1 => (a * 0.5 + b * 0.5).eval(),
                2 => (a / 2.0 - b * 0.5).eval(),
                3 => a.sin().eval(),
                4 => (a * b).tanh().eval(),
                5 => (a / (b * b + 1.0)).eval(),
                6 => (a.floor() * 0.1 + b).sin().eval(),
                7 => (a.sin() * b.cos() + c.cos() * 0.5).eval(),
                8 => (0.3
                    * [a, b, c]
                        .into_iter()
                        .map(|x| x.sin() * x)
                        .sum::<Active<f64, M>>())
                .eval(),
                9 => [a.sin(), b.sin()].into_iter().product(),
                10 => (a * 2.0 - c).tanh().eval(),
                _ => Active::passive(1.5),
            });
        }
        (0..self.results)
            .map(|_| all[random.below(all.len())])
            .collect()
    }
}
struct Many(Program);
impl Function for Many {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Active<f64, M>>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        self.0.run(x)
    }
}
struct One(Program);
impl Function for One {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
        self.0.run(x).into_iter().sum()
    }
}

#[track_caller]
fn assert_near(sparse: &SparseJacobian, dense: &[f64], case: u64) {
    for (k, (&a, &b)) in sparse.to_dense().as_slice().iter().zip(dense).enumerate() {
        let (i, j) = (k / sparse.columns(), k % sparse.columns());
        assert!(
            relative_eq!(a, b, epsilon = 1e-11, max_relative = 1e-11),
            "program {case}, entry ({i}, {j}): {a}, not {b}"
        );
    }
}

#[test]
fn sparse_jacobians_of_random_programs_equal_dense_ones() {
    let mut sparse = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let (n, results) = (1 + random.below(30), random.below(30));
        let operations = random.below(60);
        let f = Objective::new(Many(Program {
            seed,
            operations,
            results,
        }));
        let plan = f.jacobian_plan(&random.point(n)).unwrap();
        for _ in 0..2 {
            let x = random.point(n);
            let (dense, (values, j)) = (
                f.jacobian(&x).unwrap(),
                f.values_and_sparse_jacobian_with(&plan, &x).unwrap(),
            );
            assert_eq!(values, f.values(&x));
            assert_near(&j, dense.as_slice(), seed);
            sparse += usize::from(j.values().len() < results * n);
        }
    }
    assert!(sparse > 100, "only {sparse} programs were sparse");
}

#[test]
fn sparse_hessians_of_random_programs_equal_dense_ones() {
    let mut sparse = 0;
    for seed in 0..200 {
        let mut random = Random(seed + 1000);
        let (n, operations) = (1 + random.below(25), random.below(60));
        let f = Objective::new(One(Program {
            seed,
            operations,
            results: 8,
        }));
        let plan = f.hessian_plan(&random.point(n)).unwrap();
        for _ in 0..2 {
            let x = random.point(n);
            let (dense, h) = (
                f.hessian(&x).unwrap(),
                f.sparse_hessian_with(&plan, &x).unwrap(),
            );
            assert_near(&h, dense.as_slice(), seed);
            sparse += usize::from(h.values().len() < n * n);
        }
    }
    assert!(sparse > 100, "only {sparse} programs were sparse");
}

#[test]
fn sets_too_large_for_lists_have_their_pattern() {
    struct Sums;
    impl Function for Sums {
        type Inputs = ListShape<f64>;
        type Values = Vec<f64>;
        type Output<M: Mode> = Vec<Active<f64, M>>;
        fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
            let mut sum = x[0];
            let sums = x[1..].iter().enumerate().map(|(i, &x)| {
                sum = if i.is_multiple_of(3) {
                    (sum + x * x).eval()
                } else {
                    (sum * 1.0).eval()
                };
                sum
            });
            sums.collect()
        }
    }
    let depends = |i: usize, j: usize| j == 0 || j <= i + 1 && (j - 1).is_multiple_of(3);
    let f = Objective::new(Sums);
    let n = 200;
    let x = Random(3).point(n);
    let j = f.sparse_jacobian(&x).unwrap();
    assert_eq!((j.rows(), j.columns()), (n - 1, n));
    for i in 0..n - 1 {
        for k in 0..n {
            let expected = match k {
                0 => 1.0,
                _ => 2.0 * x[k],
            };
            assert_eq!(
                j.get(i, k),
                depends(i, k).then_some(expected),
                "entry ({i}, {k})"
            );
        }
    }
}

#[function]
fn tridiagonal<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
    let n = x.len();
    let row = |i: usize| match i {
        0 => (x[0] * x[0] - x[1]).eval(),
        i if i == n - 1 => (x[i] * x[i] * 3.0 - x[i - 1]).eval(),
        i => (x[i] * (3.0 - 2.0 * x[i]) - x[i - 1] - 2.0 * x[i + 1] + 1.0).eval(),
    };
    (0..n).map(row).collect()
}

#[test]
fn a_tridiagonal_residual_with_100_000_rows_takes_three_colours() {
    let n = 100_000;
    let f = Objective::new(tridiagonal {});
    let plan = f.jacobian_plan(&vec![1.0; n]).unwrap();
    assert_eq!((plan.colors(), plan.sparsity().entries()), (3, 3 * n - 2));
    let x = Random(1).point(n);
    let j = f.sparse_jacobian_with(&plan, &x).unwrap();
    for i in 1..n - 1 {
        let row: Vec<_> = j.row(i).collect();
        let middle = 3.0 - 4.0 * x[i];
        assert_eq!(
            (row[0], row[2], row.len()),
            ((i - 1, -1.0), (i + 1, -2.0), 3)
        );
        assert_eq!(row[1].0, i);
        assert_abs_diff_eq!(row[1].1, middle, epsilon = 1e-15);
    }
    assert_eq!(j.row(0).collect::<Vec<_>>(), [(0, 2.0 * x[0]), (1, -1.0)]);
    assert_eq!(j.get(0, n - 1), None);
}

#[test]
fn tridiagonal_hessians_have_their_pattern() {
    #[function]
    fn terms<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        let mut sum = Active::passive(0.0);
        for x in x.windows(2) {
            sum = (sum + (1.0 - x[0]) * (1.0 - x[0]) * x[1]).eval();
        }
        sum
    }
    #[function]
    fn list<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        x.windows(2)
            .map(|x| (1.0 - x[0]) * (1.0 - x[0]) * x[1])
            .sum()
    }
    let n = 5_000;
    let x = Random(1).point(n);
    let all = [
        Objective::new(terms {}).sparse_hessian(&x).unwrap(),
        Objective::new(list {}).sparse_hessian(&x).unwrap(),
    ];
    for h in all {
        assert_eq!(h.sparsity().entries(), 3 * n - 3);
        for i in 1..n {
            let near = |a: Option<f64>, b| a.is_some_and(|a| abs_diff_eq!(a, b, epsilon = 1e-14));
            let beside = -2.0 * (1.0 - x[i - 1]);
            assert!(
                near(h.get(i, i - 1), beside) && near(h.get(i - 1, i), beside),
                "row {i}"
            );
            assert!(i == n - 1 || near(h.get(i, i), 2.0 * x[i + 1]), "row {i}");
        }
    }
}

#[test]
fn arrows_take_two_colours() {
    #[function]
    fn arrow<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        let terms = x[1..].iter().map(|y| x[0] * y + y.exp());
        terms.sum::<Active<f64, M>>()
    }
    let n = 2000;
    let f = Objective::new(arrow {});
    let x = Random(7).point(n);
    let plan = f.hessian_plan(&x).unwrap();
    assert_eq!((plan.colors(), plan.sparsity().entries()), (2, 3 * (n - 1)));
    let h = f.sparse_hessian_with(&plan, &x).unwrap();
    for i in 1..n {
        assert_eq!((h.get(0, i), h.get(i, 0)), (Some(1.0), Some(1.0)));
        assert_eq!(h.get(i, i), Some(x[i].exp()));
    }
    assert_eq!(h.get(0, 0), None);
}

#[test]
fn a_full_row_is_computed_backward_and_a_full_column_forward() {
    #[function]
    fn row<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        let sum: Active<f64, M> = x.iter().map(|x| x * x).sum();
        vec![sum, (x[0] * x[1]).eval(), Active::passive(1.0), x[3]]
    }
    #[function]
    fn column<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        (1..x.len()).map(|i| (x[0] * x[i]).eval()).collect()
    }
    let x = Random(2).point(100);
    let f = Objective::new(row {});
    let plan = f.jacobian_plan(&x).unwrap();
    assert_eq!(plan.colors(), 2);
    let j = f.sparse_jacobian_with(&plan, &x).unwrap();
    assert_eq!(
        j.row(0).map(|(j, value)| value - 2.0 * x[j]).sum::<f64>(),
        0.0
    );
    assert_eq!(j.row(1).collect::<Vec<_>>(), [(0, x[1]), (1, x[0])]);
    assert_eq!(j.row(2).len(), 0);
    assert_eq!(j.row(3).collect::<Vec<_>>(), [(3, 1.0)]);
    let f = Objective::new(column {});
    let plan = f.jacobian_plan(&x).unwrap();
    assert_eq!(plan.colors(), 2);
    let j = f.sparse_jacobian_with(&plan, &x).unwrap();
    assert!((1..100).all(|i| j.get(i - 1, 0) == Some(x[i]) && j.get(i - 1, i) == Some(x[0])));
}

#[test]
fn linear_and_unused_parts_have_no_second_derivatives() {
    #[function]
    fn f<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        let _unused = (x[0] * x[1]).eval();
        let sum: Active<f64, M> = x.iter().sum();
        let flat = (x[2] * x[3]).floor().eval();
        (-sum * 2.0 + x[1] / 4.0 + (x[4] - x[0]).powi(2) + flat * x[1]).eval()
    }
    let f = Objective::new(f {});
    let h = f.sparse_hessian(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap();
    let entries: Vec<_> = h.iter().collect();
    let expected = [(0, 0, 2.0), (0, 4, -2.0), (4, 0, -2.0), (4, 4, 2.0)];
    assert!(
        expected.iter().all(|entry| entries.contains(entry)),
        "{entries:?}"
    );
    let others = entries.iter().filter(|entry| !expected.contains(entry));
    assert_eq!(
        others.map(|(.., value)| value.abs()).sum::<f64>(),
        0.0,
        "{entries:?}"
    );
    assert!(h.get(0, 2).is_none() && h.get(2, 2).is_none() && h.get(3, 1).is_none());
}

#[test]
fn constants_and_no_inputs_have_empty_matrices() {
    let f = Objective::recorded(|_: &[Active<f64>]| Active::<f64, _>::passive(3.0));
    let h = f.sparse_hessian(&[1.0, 2.0]).unwrap();
    assert_eq!((h.rows(), h.columns(), h.values().len()), (2, 2, 0));
    let f = Objective::recorded(|x: &[Active<f64>]| x.to_vec());
    let j = f.sparse_jacobian(&[]).unwrap();
    assert_eq!((j.rows(), j.columns()), (0, 0));
    let j = f.sparse_jacobian(&[1.0, 2.0]).unwrap();
    assert_eq!(j.iter().collect::<Vec<_>>(), [(0, 0, 1.0), (1, 1, 1.0)]);
    let f = Objective::recorded(|_: &[Active<f64>]| Vec::<Active<f64>>::new());
    let j = f.sparse_jacobian(&[1.0, 2.0]).unwrap();
    assert_eq!((j.rows(), j.columns()), (0, 2));
}

#[test]
fn a_branch_with_fewer_entries_passes_and_one_with_more_is_an_error() {
    #[function]
    fn pick<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        let i = x[0].value() as usize;
        let all: Active<f64, M> = match i {
            0 => x.iter().product(),
            i => (x[i] * 2.0).eval(),
        };
        vec![all]
    }
    let f = Objective::new(pick {});
    let whole = f.jacobian_plan(&[0.5, 3.0, 4.0]).unwrap();
    let first = f.jacobian_plan(&[1.0, 3.0, 4.0]).unwrap();
    for _ in 0..2 {
        assert_eq!(
            f.sparse_jacobian_with(&whole, &[0.5, 3.0, 4.0])
                .unwrap()
                .values(),
            [12.0, 2.0, 1.5]
        );
        assert_eq!(
            f.sparse_jacobian_with(&whole, &[2.0, 3.0, 4.0])
                .unwrap()
                .values(),
            [0.0, 0.0, 2.0]
        );
        assert_eq!(
            f.sparse_jacobian_with(&first, &[1.5, 3.0, 4.0])
                .unwrap()
                .values(),
            [2.0]
        );
        assert_eq!(
            f.sparse_jacobian_with(&first, &[2.0, 3.0, 4.0]),
            Err(Error::PatternChanged)
        );
        assert_eq!(
            f.sparse_jacobian_with(&first, &[0.5, 3.0, 4.0]),
            Err(Error::PatternChanged)
        );
    }
    let f = Objective::recorded(|x: &[Active<f64>]| match x[0].value() > 0.0 {
        true => (x[0] * x[1]).eval(),
        false => (x[0] + x[1]).eval(),
    });
    let (product, sum) = (
        f.hessian_plan(&[1.0, 1.0]).unwrap(),
        f.hessian_plan(&[-1.0, 1.0]).unwrap(),
    );
    assert_eq!(
        f.sparse_hessian_with(&product, &[-1.0, 1.0])
            .unwrap()
            .values(),
        [0.0, 0.0]
    );
    assert_eq!(
        f.sparse_hessian_with(&sum, &[1.0, 1.0]),
        Err(Error::PatternChanged)
    );
}

#[test]
fn choices_within_statements_change_the_pattern() {
    let f = Objective::recorded(|x: &[Active<f64>]| {
        (select(x[0].value() > 0.0, x[0] + x[1], x[0] * x[1]) * 2.0).eval()
    });
    let (sum, product) = (
        f.hessian_plan(&[1.0, 2.0]).unwrap(),
        f.hessian_plan(&[-1.0, 2.0]).unwrap(),
    );
    assert_eq!(
        (sum.sparsity().entries(), product.sparsity().entries()),
        (0, 2)
    );
    assert_eq!(
        f.sparse_hessian_with(&product, &[-3.0, 2.0])
            .unwrap()
            .values(),
        [2.0, 2.0]
    );
    assert_eq!(
        f.sparse_hessian_with(&product, &[1.0, 2.0])
            .unwrap()
            .values(),
        [0.0, 0.0]
    );
    assert_eq!(
        f.sparse_hessian_with(&sum, &[-1.0, 2.0]),
        Err(Error::PatternChanged)
    );
    let f = Objective::recorded(|x: &[Active<f64>]| {
        let one = Active::<f64>::passive(1.0);
        let (a, b) = if x[0].value() > 0.0 {
            (x[0], one)
        } else {
            (one, x[0])
        };
        (a * x[1] + b.sin() * x[2]).eval()
    });
    let first = f.hessian_plan(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(first.sparsity().row(0), [1]);
    assert_eq!(
        f.sparse_hessian_with(&first, &[-1.0, 2.0, 3.0]),
        Err(Error::PatternChanged)
    );
}

#[test]
#[should_panic(expected = "3 inputs do not fit a plan of 2 inputs")]
fn a_plan_for_another_number_of_inputs_panics() {
    let f = Objective::recorded(|x: &[Active<f64>]| x.to_vec());
    let plan = f.jacobian_plan(&[1.0, 2.0]).unwrap();
    let _ = f.sparse_jacobian_with(&plan, &[1.0, 2.0, 3.0]);
}

#[test]
fn plans_are_shared_between_threads() {
    let f = Objective::new(tridiagonal {});
    let plan = f.jacobian_plan(&[1.0; 20]).unwrap();
    let x = Random(5).point(20);
    let here = f.sparse_jacobian_with(&plan, &x).unwrap();
    std::thread::scope(|scope| {
        let there = scope.spawn(|| f.sparse_jacobian_with(&plan, &x).unwrap());
        assert_eq!(there.join().unwrap(), here);
    });
    assert_eq!(here.times(&x).len(), 20);
}

#[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
fn example() -> SparseJacobian {
    let f = Objective::recorded(|x: &[Active<f64>]| {
        vec![
            (x[0] * x[2]).eval(),
            Active::passive(1.0),
            (x[3] * 5.0 - x[1]).eval(),
        ]
    });
    f.sparse_jacobian(&[2.0, 3.0, 4.0, 5.0]).unwrap()
}
#[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
const ENTRIES: [(usize, usize, f64); 4] = [(0, 0, 4.0), (0, 2, 2.0), (2, 1, -1.0), (2, 3, 5.0)];

#[cfg(feature = "nalgebra-sparse")]
#[test]
fn matrices_of_nalgebra_sparse_have_the_entries() {
    use nalgebra_sparse::{CscMatrix, CsrMatrix};
    let rows = CsrMatrix::from(&example());
    assert_eq!((rows.nrows(), rows.ncols()), (3, 4));
    let entries: Vec<_> = rows.triplet_iter().map(|(i, j, &v)| (i, j, v)).collect();
    assert_eq!(entries, ENTRIES);
    let columns = CscMatrix::from(example());
    let mut entries: Vec<_> = columns.triplet_iter().map(|(i, j, &v)| (i, j, v)).collect();
    entries.sort_by_key(|&(i, j, _)| (i, j));
    assert_eq!(entries, ENTRIES);
}

#[cfg(feature = "faer")]
#[test]
fn matrices_of_faer_have_the_entries() {
    use faer::sparse::{SparseColMat, SparseRowMat};
    let rows = SparseRowMat::<usize, f64>::from(&example());
    assert_eq!(
        (rows.nrows(), rows.ncols(), rows.val()),
        (3, 4, &[4.0, 2.0, -1.0, 5.0][..])
    );
    let columns = SparseColMat::<usize, f64>::from(example());
    for i in 0..3 {
        for j in 0..4 {
            let entry = ENTRIES.iter().find(|entry| (entry.0, entry.1) == (i, j));
            let expected = entry.map(|(.., value)| value);
            assert_eq!((rows.get(i, j), columns.get(i, j)), (expected, expected));
        }
    }
}

#[cfg(feature = "sprs")]
#[test]
fn matrices_of_sprs_have_the_entries() {
    let rows = sprs::CsMat::from(&example());
    assert!(rows.is_csr() && rows.shape() == (3, 4));
    let entries: Vec<_> = rows.iter().map(|(&v, (i, j))| (i, j, v)).collect();
    assert_eq!(entries, ENTRIES);
    let columns = sprs::CsMat::from(example()).to_csc();
    assert_eq!(columns.get(2, 3), Some(&5.0));
}

mod storage {
    use super::*;
    use entape_core::{
        kind,
        mode::{AnyMode, Recording, Reuse, Taped},
        operations,
        store::{Part, PlaceIndex, Stash},
    };

    #[kind(
        value = Vec<f64>,
        index = Owned,
        zero = |like| vec![0.0; like.len()],
        add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    )]
    pub struct Cells;
    fn map(a: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
        a.iter().map(|&x| f(x)).collect()
    }
    fn inner(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }
    #[operations(ext = CellsOps)]
    impl Cells {
        #[op(Mul, bilinear)]
        fn scaled(#[ad_in(map(r_b, |x| x * s))] a: Self, #[ad_in(inner(r_b, a))] s: f64) -> Self {
            map(a, |x| x * s)
        }
        #[op(linear)]
        fn twice(#[ad_in(map(r_b, |x| x * 2.0))] a: Self) -> Self {
            map(a, |x| x * 2.0)
        }
    }
    #[derive(Clone, Copy, Stash)]
    pub struct Cell(u32);
    impl Part<Cells> for Cell {
        type Kind = f64;
        fn get(&self, whole: &Vec<f64>) -> f64 {
            whole[self.0 as usize]
        }
        fn put(&self, whole: &mut Vec<f64>, part: f64) {
            whole[self.0 as usize] = part;
        }
    }
    impl PlaceIndex<usize> for Cells {
        type Part = Cell;
        fn encode(_: &Vec<f64>, index: usize) -> usize {
            index
        }
        fn part(_: &Vec<f64>, number: usize) -> Cell {
            Cell(number as u32)
        }
    }

    fn run<M: AnyMode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        let mut a = Active::<Cells, M>::passive(vec![1.0, 2.0]);
        a.update(|a| a * &x[0]);
        let first = a.at(0).eval();
        // Only the part is written.
        a[1].assign(&x[1] * 3.0);
        let both = a.at(0).eval();
        let mut b = a.twice().eval();
        a.assign(&Active::<Cells, M>::passive(vec![1.0, 1.0]) * &x[2]);
        let third = a.at(1).eval();
        b.update(|b| b * &x[3]);
        let all = (b.at(0) + b.at(1)).eval();
        vec![first, both, third, all]
    }

    #[test]
    fn an_entity_counts_as_a_whole() {
        whole::<Taped>();
        whole::<Reuse>();
    }
    fn whole<M: Recording>() {
        let x = [2.0, 3.0, 4.0, 5.0];
        let f = Objective::recorded(run::<M>);
        let plan = f.jacobian_plan(&x).unwrap();
        let rows: Vec<_> = plan.sparsity().iter_rows().collect();
        assert_eq!(rows, [&[0][..], &[0, 1], &[2], &[0, 1, 3]]);
        let (values, j) = f.values_and_sparse_jacobian_with(&plan, &x).unwrap();
        assert_eq!(values, [2.0, 2.0, 4.0, 110.0]);
        assert_eq!(j.values(), [1.0, 1.0, 0.0, 1.0, 10.0, 30.0, 22.0]);
        let sum = |x: &[Active<f64, M>]| run(x).iter().sum::<Active<f64, M>>();
        let sum = Objective::recorded(sum);
        let h = sum.sparse_hessian(&x).unwrap();
        let entries: Vec<_> = h.iter().filter(|&(i, j, _)| i < j).collect();
        assert_eq!(entries, [(0, 3, 2.0), (1, 3, 6.0)]);
        assert_eq!(h.to_dense().as_slice(), sum.hessian(&x).unwrap().as_slice());
    }
}

#[test]
fn an_operation_without_a_tangent_is_computed_by_rows() {
    #[entape_core::op]
    fn cube(#[ad_in(3.0 * x * x * r_b)] x: f64) -> f64 {
        x * x * x
    }
    let f = Objective::recorded(|x: &[Active<f64>]| {
        let mut y: Vec<_> = x[1..].iter().map(|&y| (cube(y) * x[0]).eval()).collect();
        y.push(x[1]);
        y
    });
    let x = [2.0, 3.0, 4.0];
    let j = f.sparse_jacobian(&x).unwrap();
    let entries: Vec<_> = j.iter().collect();
    assert_eq!(
        entries,
        [
            (0, 0, 27.0),
            (0, 1, 54.0),
            (1, 0, 64.0),
            (1, 2, 96.0),
            (2, 1, 1.0)
        ]
    );
}
