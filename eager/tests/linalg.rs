//! Matrices of eager reals as entities, compared with operations by element.
#![cfg(feature = "linalg")]
use approx::assert_relative_eq;
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Plain},
    tape::Tape,
};
use entape_drivers::{hessian, jvp};
use entape_eager::{
    Eager,
    linalg::{as_entity, from_entity},
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, Dyn, Matrix2, RealField, U1};

fn by_elements<T: RealField + Copy>(a: &DMatrix<T>, b: &DMatrix<T>) -> T {
    let x = (a * b).lu().solve(b).expect("a regular matrix");
    (x.component_mul(a)).sum()
}
/// The product and the solution of the same source by entities.
fn by_entities<M: Mode>(a: &DMatrix<Eager<M>>, b: &DMatrix<Eager<M>>) -> Eager<M> {
    let (entity_a, entity_b) = (as_entity(a), as_entity(b));
    let product = (&entity_a * &entity_b).eval();
    let x = from_entity(
        &product
            .lu()
            .solve(&entity_b)
            .expect("a regular matrix")
            .eval(),
    );
    (x.component_mul(a)).sum()
}
fn numbers(n: usize) -> Vec<f64> {
    let number = |i: usize| ((i * i * 7 + 13 * i + 5) % 101) as f64 / 101.0 - 0.4;
    let diagonal = |i: usize| {
        if (i % (n * n)).is_multiple_of(n + 1) {
            3.0
        } else {
            0.0
        }
    };
    (0..2 * n * n).map(|i| number(i) + diagonal(i)).collect()
}
fn matrices<M: Mode>(n: usize, x: &[Active<f64, M>]) -> [DMatrix<Eager<M>>; 2] {
    [0, 1].map(|k| {
        let x = x[k * n * n..][..n * n].iter();
        DMatrix::from_iterator(n, n, x.map(|&x| Eager::from(x)))
    })
}
type Program = fn(&DMatrix<Eager>, &DMatrix<Eager>) -> Eager;
fn recorded(n: usize, f: Program) -> (f64, Vec<f64>, usize, usize) {
    let mut tape = Tape::new();
    let x = tape.inputs(numbers(n));
    let before = tape.statistics();
    let y = tape.record(|| {
        let [a, b] = matrices(n, &x);
        f(&a, &b).real()
    });
    let after = tape.statistics();
    let gradient = tape.gradient(&y).expect("recorded");
    let gradient = gradient.wrt_all(&x).expect("inputs");
    let statements = after.statements - before.statements;
    (
        y.value(),
        gradient,
        statements,
        after.bytes() - before.bytes(),
    )
}

#[test]
fn entities_have_the_gradient_of_elements_in_fewer_statements() {
    let n = 10;
    let elements = recorded(n, by_elements);
    let entities = recorded(n, by_entities);
    assert_relative_eq!(elements.0, entities.0, max_relative = 1e-12);
    assert_relative_eq!(
        elements.1[..],
        entities.1[..],
        epsilon = 1e-12,
        max_relative = 1e-10
    );
    // Two gathers, a product, a factorization, a solution and a scatter; products and sums of elements remain.
    let rest = 2 * n * n;
    assert!(entities.2 <= rest + 7, "{} statements", entities.2);
    assert!(elements.2 > 10 * entities.2, "{} statements", elements.2);
    assert!(
        elements.3 > 4 * entities.3,
        "{} and {} bytes",
        elements.3,
        entities.3
    );
    let product = |f: Program| recorded(n, f).2;
    // At least a statement for each operation of two numbers.
    assert!(product(|a, b| (a * b)[(0, 0)]) >= 2 * n * n * n - n * n);
    assert_eq!(
        product(|a, b| from_entity(&(&as_entity(a) * &as_entity(b)).eval())[(0, 0)]),
        4
    );
}

#[test]
fn entities_have_all_derivatives() {
    let n = 2;
    let x = numbers(n);
    let f = |x: &[Active<f64>]| {
        let [a, b] = matrices(n, x);
        by_entities(&a, &b).real()
    };
    let g = |x: &[Active<f64>]| {
        let [a, b] = matrices(n, x);
        by_elements(&a, &b).real()
    };
    let (f, g) = (
        hessian(f, &x).expect("second"),
        hessian(g, &x).expect("second"),
    );
    assert_relative_eq!(
        f.as_slice(),
        g.as_slice(),
        epsilon = 1e-11,
        max_relative = 1e-9
    );
    let along: Vec<f64> = (0..x.len()).map(|i| 0.3 - 0.1 * i as f64).collect();
    let f = |x: &[Active<f64, Forward>]| {
        let [a, b] = matrices(n, x);
        by_entities(&a, &b).real()
    };
    let g = |x: &[Active<f64, Forward>]| {
        let [a, b] = matrices(n, x);
        by_elements(&a, &b).real()
    };
    let (f, g) = (
        jvp(f, &x, &along).expect("first"),
        jvp(g, &x, &along).expect("first"),
    );
    assert_relative_eq!(f.0, g.0, max_relative = 1e-12);
    assert_relative_eq!(f.1, g.1, max_relative = 1e-10);
}

#[test]
fn views_fixed_sizes_and_constants_are_converted() {
    let m = Matrix2::new(1.0, 2.0, 3.0, 4.0).map(Eager::<Plain>::from);
    let entity = as_entity(&m);
    assert_eq!(entity.get(), &Matrix2::new(1.0, 2.0, 3.0, 4.0));
    assert_eq!(from_entity(&entity), m);
    let row = as_entity(&m.row(1).transpose().into_owned());
    assert_eq!(row.get().as_slice(), [3.0, 4.0]);
    let column = as_entity(&m.row(1));
    assert_eq!(column.get().as_slice(), [3.0, 4.0]);
    let empty = as_entity::<Plain, Dyn, U1, _>(&nalgebra::DVector::from_vec(Vec::new()));
    assert_eq!(from_entity(&empty).len(), 0);
    let mut tape: Tape = Tape::new();
    let before = tape.statistics().statements;
    let constant = tape.record(|| as_entity(&Matrix2::<Eager>::identity()));
    assert!(!constant.is_active());
    assert_eq!(tape.statistics().statements, before);
}
