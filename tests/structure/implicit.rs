use crate::{assert_close, message_of};
use approx::assert_abs_diff_eq;
use entape::{
    Function,
    complex::{Complex, num_complex::c64},
    driver::{ArrayShape, ListShape, SingleRefShape, hessian_vector, jvp},
    external, function,
    implicit::{self, Cg, Gmres, LinearSolver, Product, fixed_point, minimum, root},
    linalg::{Dense, Matrix, Vector},
    preaccumulate,
    prelude::*,
};
use nalgebra::{DMatrix, DVector, Dyn, U1, dmatrix, dvector};
use std::{cell::Cell, rc::Rc};

/// `x_i³ + a x_i - b x_{i-1} = s_i`
#[function]
fn chain<M: Mode>((x, (ab, s)): (&[Real<M>], ([Real<M>; 2], &[Real<M>]))) -> Vec<Real<M>> {
    let [a, b] = ab;
    let before = |i: usize| if i == 0 { Real::passive(0.5) } else { x[i - 1] };
    let each = s.iter().enumerate();
    each.map(|(i, s)| (x[i].powi(3) + a * x[i] - b * before(i) - s).eval())
        .collect()
}
fn solve_chain([a, b]: [f64; 2], s: &[f64]) -> Vec<f64> {
    let (mut x, mut before) = (Vec::new(), 0.5);
    for s in s {
        let step = |x: f64, _| x - (x.powi(3) + a * x - b * before - s) / (3.0 * x * x + a);
        before = (0..100).fold(1.0, step);
        x.push(before);
    }
    x
}
fn unrolled<M: Mode>([a, b]: [Real<M>; 2], s: &[Real<M>]) -> Vec<Real<M>> {
    let (mut x, mut before) = (Vec::new(), Real::passive(0.5));
    for s in s {
        let mut y = Real::passive(1.0);
        for _ in 0..50 {
            y = (y - (y.powi(3) + a * y - b * before - s) / (3.0 * y * y + a)).eval();
        }
        before = y;
        x.push(y);
    }
    x
}
fn implicit_chain<M: AnyMode>(ab: [Real<M>; 2], s: &[Real<M>], free: bool) -> Vec<Real<M>> {
    let plain: Vec<f64> = s.iter().map(|s| *s.get()).collect();
    let x = solve_chain(ab.each_ref().map(|a| *a.get()), &plain);
    let f = chain {};
    let solution = root(f, x, (ab, s)).tolerance(1e-10);
    match free {
        true => solution.solver(Gmres::default()).eval(),
        false => solution.eval(),
    }
    .unwrap()
}
const AB: [f64; 2] = [1.5, 0.7];
const SOURCES: [f64; 5] = [0.3, -0.8, 1.1, 0.2, 2.0];
fn weighted<M: Mode>(x: Vec<Real<M>>) -> Real<M> {
    x.iter()
        .zip([1.0, -2.0, 0.5, 3.0, 1.5])
        .map(|(x, w)| w * x * x)
        .sum()
}

#[test]
fn roots_agree_with_the_unrolled_program() {
    let at = || (AB, SOURCES.to_vec());
    let (y, (ab_b, s_b)) = entape::value_and_gradient(
        |(ab, s): ([Real; 2], &[Real])| weighted(unrolled(ab, s)),
        at(),
    )
    .unwrap();
    for free in [false, true] {
        let f = |(ab, s): ([Real; 2], &[Real])| weighted(implicit_chain(ab, s, free));
        let (value, gradient) = entape::value_and_gradient(f, at()).unwrap();
        assert_close(&[value], &[y], 1e-14);
        assert_close(&gradient.0, &ab_b, 1e-12);
        assert_close(&gradient.1, &s_b, 1e-12);
        let f =
            |(ab, s): ([Real<Forward>; 2], &[Real<Forward>])| weighted(implicit_chain(ab, s, free));
        let direction = ([1.0, 0.0], vec![0.0, 0.0, 1.0, 0.0, 0.0]);
        let (_, slope) = jvp(f, at(), direction).unwrap();
        assert_close(&[slope], &[ab_b[0] + s_b[2]], 1e-12);
        let passive = |x: f64| Real::<Plain>::passive(x);
        let plain = weighted(implicit_chain(AB.map(passive), &SOURCES.map(passive), free));
        assert_close(&[plain.value()], &[y], 1e-14);
        let mut tape = Tape::<Reuse>::default();
        let s = tape.inputs(SOURCES);
        let [a, b] = AB.map(Real::<Reuse>::passive);
        let x = tape.record(|| implicit_chain([a, b], &s, free));
        for (x, w) in x.iter().zip([1.0, -2.0, 0.5, 3.0, 1.5]) {
            tape.seed(x, 2.0 * w * x.get()).unwrap();
        }
        assert_close(&tape.sweep().unwrap().wrt_all(&s).unwrap(), &s_b, 1e-12);
    }
}

#[test]
fn tapes_of_the_mode_second_sweep_over_roots() {
    let mut tape = Tape::new();
    let [a, b] = AB.map(|x| tape.input(x));
    let s = tape.inputs(SOURCES);
    let x = tape.record(|| implicit_chain([a, b], &s, false));
    let mut adjoints = tape.adjoints().unwrap();
    for (j, x) in x.iter().enumerate() {
        adjoints.seed(x, j, 1.0).unwrap();
    }
    let of_a = adjoints.sweep().unwrap().wrt(&a).unwrap();
    let mut directions = tape.directions::<8>().unwrap();
    directions.set_along(&a, 3, 1.0).unwrap();
    let tangents = directions.sweep().unwrap();
    let along: Vec<_> = x.iter().map(|x| tangents.of(x).unwrap()[3]).collect();
    assert_close(&along, &of_a[..5], 1e-13);
    let f = |(ab, s): ([Real; 2], &[Real])| weighted(implicit_chain(ab, s, false));
    let missing = hessian_vector(f, (AB, SOURCES.to_vec()), ([1.0, 0.0], vec![0.0; 5]));
    let Err(Error::MissingRule(missing)) = missing else {
        panic!("{missing:?}")
    };
    assert_eq!(missing.missing, "second");
}

#[test]
fn tapes_with_roots_are_swept_again_and_reset() {
    let mut tape = Tape::new();
    let [a, b] = AB.map(|x| tape.input(x));
    let s = tape.inputs(SOURCES);
    let start = tape.position();
    let mut first = None;
    for _ in 0..2 {
        let y = tape.record(|| {
            let mut s = s.clone();
            for _ in 0..3 {
                s = implicit_chain([a, b], &s, false);
            }
            weighted(s)
        });
        for _ in 0..2 {
            let gradient = tape.gradient(&y).unwrap();
            let gradient = [
                gradient.wrt_all(&[a, b]).unwrap(),
                gradient.wrt_all(&s).unwrap(),
            ]
            .concat();
            assert_eq!(*first.get_or_insert(gradient.clone()), gradient);
        }
        assert_eq!(tape.find_non_finite(), None);
        tape.reset_to(&start).unwrap();
    }
    let direct = |(ab, s): ([Real; 2], &[Real])| {
        let mut s = s.to_vec();
        for _ in 0..3 {
            s = unrolled(ab, &s);
        }
        weighted(s)
    };
    let (ab_b, s_b) = entape::gradient(direct, (AB, SOURCES.to_vec())).unwrap();
    assert_close(&first.unwrap(), &[ab_b.to_vec(), s_b].concat(), 1e-12);
}

#[test]
fn one_variable_may_be_several_parameters() {
    // x² = p q at p = q: x = p
    #[function]
    fn f<M: Mode>((x, (p, q)): (Real<M>, (Real<M>, Real<M>))) -> Real<M> {
        (x * x - p * q).eval()
    }
    let solution = |p: Real| {
        let f = f {};
        root(f, p.value(), (p, p)).eval().unwrap()
    };
    assert_close(&[entape::gradient(solution, 3.0).unwrap()], &[1.0], 1e-15);
    let part = |p: Real| preaccumulate(p, |p| (0..20).fold(p, |p, _| solution((p * 1.1).eval())));
    assert_close(
        &[entape::gradient(part, 3.0).unwrap()],
        &[1.1_f64.powi(20)],
        1e-12,
    );
}

/// `A x = b`
struct LinearSystem;
type VectorKind = Dense<f64, Dyn, U1>;
type MatrixKind = Dense<f64, Dyn, Dyn>;
impl Function for LinearSystem {
    type Inputs = (
        SingleRefShape<VectorKind>,
        (SingleRefShape<MatrixKind>, SingleRefShape<VectorKind>),
    );
    type Values = DVector<f64>;
    type Output<M: Mode> = Vector<M>;
    fn call<M: Mode>(&self, (x, (a, b)): (&Vector<M>, (&Matrix<M>, &Vector<M>))) -> Vector<M> {
        (a * x - b).eval()
    }
}
/// `z³ = p` for a complex number, and `t² = s` for an `f32`.
struct Roots;
type ComplexKind = entape::complex::C64;
impl Function for Roots {
    type Inputs = (
        (
            entape::driver::SingleShape<ComplexKind>,
            entape::driver::SingleShape<f32>,
        ),
        (
            entape::driver::SingleShape<ComplexKind>,
            entape::driver::SingleShape<f32>,
        ),
    );
    type Values = (entape::complex::num_complex::Complex<f64>, f32);
    type Output<M: Mode> = (Complex<M>, Real32<M>);
    #[allow(clippy::type_complexity)]
    fn call<M: Mode>(
        &self,
        ((z, t), (p, s)): ((Complex<M>, Real32<M>), (Complex<M>, Real32<M>)),
    ) -> (Complex<M>, Real32<M>) {
        ((z * z * z - p).eval(), (t * t - s).eval())
    }
}
#[test]
fn unknowns_and_parameters_have_any_kind() {
    let (a0, b0) = (
        dmatrix![3.0, 1.0, -0.5; 0.2, 2.0, 0.7; 1.0, -1.0, 4.0],
        dvector![1.0, 2.0, 3.0],
    );
    let mut tape = Tape::new();
    let (a, b) = (tape.input(a0.clone()), tape.input(b0.clone()));
    let (y, direct) = tape.record(|| {
        let x = a0.clone().lu().solve(&b0).unwrap();
        let x = root(LinearSystem, &x, (&a, &b)).eval().unwrap();
        let direct = a.lu().solve(&b).unwrap().eval();
        ((&x).norm_squared().eval(), (&direct).norm_squared().eval())
    });
    let of = |tape: &mut Tape, y: &Real| {
        let gradient = tape.gradient(y).unwrap();
        let (a_b, b_b): (DMatrix<f64>, DVector<f64>) =
            (gradient.wrt(&a).unwrap(), gradient.wrt(&b).unwrap());
        [a_b.as_slice(), b_b.as_slice()].concat()
    };
    assert_close(&of(&mut tape, &y), &of(&mut tape, &direct), 1e-13);

    let (z0, t0) = (c64(0.6, -1.1), 1.5_f32);
    let mut tape = Tape::new();
    let p: Complex = tape.input(z0 * z0 * z0);
    let s = tape.input_as::<f32>(t0 * t0);
    let (z, t) = tape.record(|| root(Roots, (z0, t0), (p, s)).eval().unwrap());
    let seed = c64(0.3, 2.0);
    tape.seed(&z, seed).unwrap();
    tape.seed(&t, 6.0).unwrap();
    let gradient = tape.sweep().unwrap();
    let (found, expected) = (gradient.wrt(&p).unwrap(), seed / (3.0 * z0 * z0).conj());
    assert_close(&[found.re, found.im], &[expected.re, expected.im], 1e-14);
    assert_eq!(gradient.wrt(&s).unwrap(), 2.0);
}

#[function]
fn contraction<M: Mode>((x, p): (&[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
    let n = x.len();
    let each = |i: usize| {
        (0.4 * p[0] * x[(i + 1) % n].sin() + 0.3 * x[i].cos() + p[1] * (i as f64)).eval()
    };
    (0..n).map(each).collect()
}
#[test]
fn fixed_points_agree_with_the_iteration() {
    let at = [0.9, 0.2];
    let iterate = |p: &[Real]| {
        let mut x = vec![Real::passive(0.0); 4];
        for _ in 0..200 {
            x = contraction((&x, p));
        }
        x.iter()
            .enumerate()
            .map(|(i, x)| (i as f64 + 1.0) * x)
            .sum::<Real>()
    };
    let (value, expected) = entape::value_and_gradient(iterate, &at).unwrap();
    let solve = |p: &[f64]| {
        let p: Vec<Real<Plain>> = p.iter().map(|&p| Real::passive(p)).collect();
        let mut x = vec![Real::passive(0.0); 4];
        for _ in 0..200 {
            x = contraction((&x, &p));
        }
        x.iter().map(|x| x.value()).collect::<Vec<f64>>()
    };
    for free in [false, true] {
        let f = |p: &[Real]| {
            let x = solve(&p.iter().map(Real::value).collect::<Vec<_>>());
            let g = contraction {};
            let point = fixed_point(g, x, p).tolerance(1e-12);
            let x = if free {
                point.solver(Gmres::default()).eval()
            } else {
                point.eval()
            };
            x.unwrap()
                .iter()
                .enumerate()
                .map(|(i, x)| (i as f64 + 1.0) * x)
                .sum::<Real>()
        };
        let (found, gradient) = entape::value_and_gradient(f, &at).unwrap();
        assert_close(&[found], &[value], 1e-12);
        assert_close(&gradient, &expected, 1e-10);
    }
    let f = |p: &[Real<Forward>]| {
        let x = solve(&at);
        let g = contraction {};
        let x = fixed_point(g, x, p).eval().unwrap();
        x.iter()
            .enumerate()
            .map(|(i, x)| (i as f64 + 1.0) * x)
            .sum::<Real<Forward>>()
    };
    let (_, slope) = jvp(f, &at, [1.0, -2.0]).unwrap();
    assert_close(&[slope], &[expected[0] - 2.0 * expected[1]], 1e-10);
}

/// `½ xᵀ A x - b·x + q Σ x⁴ / 4`, with a positive definite matrix `A`.
struct Energy;
impl Function for Energy {
    type Inputs = (ListShape<f64>, (ListShape<f64>, ArrayShape<f64, 1>));
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, (x, (b, [q])): (&[Real<M>], (&[Real<M>], [Real<M>; 1]))) -> Real<M> {
        let n = x.len();
        let quadratic: Real<M> = (0..n)
            .map(|i| x[i] * (1.5 * x[i] - 0.5 * x[(i + 1) % n]) - b[i] * x[i])
            .sum();
        let quartic: Real<M> = x.iter().map(|x| x.powi(4)).sum();
        (quadratic + 0.25 * q * quartic).eval()
    }
}
#[test]
fn minima_have_the_derivatives_of_their_equations() {
    let (b0, q0) = ([1.0, -0.5, 0.3, 2.0], 0.8);
    let solve = |b: &[f64], q: f64| {
        let mut x = vec![0.1; 4];
        for _ in 0..50 {
            let at = |x: &[Real]| {
                let b: Vec<_> = b.iter().map(|&b| Real::passive(b)).collect();
                Energy.call((x, (&b[..], [Real::passive(q)])))
            };
            let all = entape::value_gradient_hessian(at, &x).unwrap();
            let hessian = DMatrix::from_row_slice(4, 4, all.hessian.as_slice());
            let step = hessian
                .lu()
                .solve(&DVector::from_vec(all.gradient))
                .unwrap();
            x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
        }
        x
    };
    let y = |b: &[f64], q: f64| {
        solve(b, q)
            .iter()
            .enumerate()
            .map(|(i, x)| (i as f64 - 1.2) * x * x)
            .sum::<f64>()
    };
    let h = 1e-5;
    let mut expected: Vec<f64> = (0..4)
        .map(|i| {
            let moved = |h: f64| {
                let mut b = b0;
                b[i] += h;
                y(&b, q0)
            };
            (moved(h) - moved(-h)) / (2.0 * h)
        })
        .collect();
    expected.push((y(&b0, q0 + h) - y(&b0, q0 - h)) / (2.0 * h));
    for way in 0..3 {
        fn run<M: AnyMode>(
            x: Vec<f64>,
            b: &[Real<M>],
            q: [Real<M>; 1],
            way: usize,
        ) -> Vec<Real<M>> {
            let point = minimum(Energy, x, (b, q)).tolerance(1e-9);
            match way {
                0 => point.eval(),
                1 => point.solver(Cg::default()).eval(),
                _ => point.solver(Gmres::default()).eval(),
            }
            .unwrap()
        }
        let x = solve(&b0, q0);
        let f = |(b, q): (&[Real], [Real; 1])| {
            let x = run(x.clone(), b, q, way);
            x.iter()
                .enumerate()
                .map(|(i, x)| (i as f64 - 1.2) * x * x)
                .sum::<Real>()
        };
        let (b_b, q_b) = entape::gradient(f, (b0.to_vec(), [q0])).unwrap();
        let gradient = [b_b, q_b.to_vec()].concat();
        assert_close(&gradient, &expected, 1e-8);
        let f = |(b, q): (&[Real<Forward>], [Real<Forward>; 1])| {
            let x = run(x.clone(), b, q, way);
            x.iter()
                .enumerate()
                .map(|(i, x)| (i as f64 - 1.2) * x * x)
                .sum::<Real<Forward>>()
        };
        let direction = (vec![1.0, 0.0, 0.0, 2.0], [3.0]);
        let (_, slope) = jvp(f, (b0.to_vec(), [q0]), direction).unwrap();
        let along = gradient[0] + 2.0 * gradient[3] + 3.0 * gradient[4];
        assert_close(&[slope], &[along], 1e-11);
    }
}

#[function]
fn square<M: Mode>((x, p): (Real<M>, Real<M>)) -> Real<M> {
    (x * x - p).eval()
}
fn square_root(
    p: Real,
    x: f64,
) -> implicit::Implicit<Taped, Real, entape::driver::SingleShape<f64>> {
    root(square {}, x, p)
}
fn reason(result: Result<impl Sized, Error>) -> String {
    match result {
        Err(Error::External(failure)) => {
            assert!(failure.location.file().ends_with("implicit.rs"));
            failure.reason
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("an error is expected"),
    }
}

#[test]
fn points_that_do_not_solve_the_equations_are_errors() {
    let mut tape = Tape::new();
    let p = tape.input(4.0);
    let (early, good) = tape.record(|| {
        let early = square_root(p, 2.01).eval().unwrap();
        (early, square_root(p, 2.01).accuracy(0.01).eval().unwrap())
    });
    assert!(reason(tape.gradient(&early)).contains("not a solution"));
    let slope = tape.gradient(&good).unwrap().wrt(&p).unwrap();
    assert_abs_diff_eq!(slope, 0.5 / 2.01, epsilon = 1e-14);
    let refused = tape.record(|| square_root(p, 2.01).tolerance(1e-3).eval().unwrap_err());
    assert!(refused.reason.contains("tolerance is 1e-3"), "{refused}");
    assert!(refused.to_string().contains("implicit.rs"), "{refused}");
    for x in [f64::NAN, f64::INFINITY] {
        let refused = tape.record(|| square_root(p, x).eval().unwrap_err());
        assert!(refused.reason.contains("its coordinate 0"), "{refused}");
    }
    let x = || tape_free_minimum(1.0);
    assert!(x().unwrap_err().reason.contains("residual 0"));
}
fn tape_free_minimum(x: f64) -> Result<Real<Plain>, implicit::NoSolution> {
    #[function]
    fn f<M: Mode>((x, p): (Real<M>, Real<M>)) -> Real<M> {
        (x - p).powi(2).eval()
    }
    let p = Real::<Plain>::passive(2.0);
    minimum(f {}, x, p).tolerance(1e-6).eval()
}

#[test]
fn singular_systems_are_errors() {
    let mut tape = Tape::new();
    let p = tape.input(0.0);
    let x = tape.record(|| square_root(p, 0.0).eval().unwrap());
    for _ in 0..2 {
        assert!(reason(tape.gradient(&x)).contains("singular"));
    }
    let x = tape.record(|| square_root(p, 0.0).solver(Gmres::default()).eval().unwrap());
    assert!(reason(tape.gradient(&x)).contains("singular"));
    #[function]
    fn twice<M: Mode>((x, p): (&[Real<M>], Real<M>)) -> Vec<Real<M>> {
        let sum = (x[0] * 0.1 + x[1] * 0.7 + x[2] - p).eval();
        vec![sum, (sum * 3.0).eval(), (x[0] - p).eval()]
    }
    let x = tape.record(|| {
        let f = twice {};
        root(f, vec![0.0, 0.0, 0.0], p).eval().unwrap()
    });
    assert!(reason(tape.gradient(&x[1])).contains("singular"));
    let y = tape.record(|| (p * 3.0).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&p).unwrap(), 3.0);
    let along = |p: Real<Forward>| {
        let f = square {};
        root(f, 0.0, p).eval().unwrap()
    };
    assert!(reason(jvp(along, 0.0, 1.0)).contains("singular"));
}

#[test]
fn linear_solvers_that_fail_are_errors() {
    struct Wrong(Rc<Cell<usize>>);
    impl LinearSolver for Wrong {
        fn solve(&self, apply: &mut Product<'_>, b: &[f64]) -> Result<Vec<f64>, String> {
            match self.0.get() {
                0 => Ok(vec![1.0; b.len() + 1]),
                1 => Ok(vec![f64::NAN; b.len()]),
                2 => Err("out of patience".into()),
                // The matrix is a number.
                _ => Ok(vec![b[0] / apply(&[1.0])?[0]]),
            }
        }
    }
    let how = Rc::new(Cell::new(0));
    let mut tape = Tape::new();
    let p = tape.input(4.0);
    let x = tape.record(|| {
        square_root(p, 2.0)
            .solver(Wrong(how.clone()))
            .eval()
            .unwrap()
    });
    for (i, message) in ["2 numbers for 1", "NaN for unknown 0", "out of patience"]
        .iter()
        .enumerate()
    {
        how.set(i);
        let found = reason(tape.gradient(&x));
        assert!(found.contains(message), "{found}");
    }
    how.set(3);
    assert_eq!(tape.gradient(&x).unwrap().wrt(&p).unwrap(), 0.25);
    let few = Gmres {
        products: 2,
        ..Gmres::default()
    };
    let (ab, s) = (AB, SOURCES.to_vec());
    let f = |(ab, s): ([Real; 2], &[Real])| {
        let x = solve_chain(AB, &SOURCES);
        let f = chain {};
        weighted(root(f, x, (ab, s)).solver(few).eval().unwrap())
    };
    let found = reason(entape::gradient(f, (ab, s)));
    assert!(found.contains("did not converge in 2 products"), "{found}");
}

#[test]
fn invalid_programs_panic() {
    #[function]
    fn two<M: Mode>((x, p): (Real<M>, Real<M>)) -> [Real<M>; 2] {
        [(x - p).eval(), (x + p).eval()]
    }
    let mut tape = Tape::new();
    let p = tape.input(4.0);
    let message = message_of(|| tape.record(|| root(two {}, 4.0, p).eval()));
    assert!(message.contains("2 equations for 1"), "{message}");
    let message = message_of(|| tape.record(|| fixed_point(two {}, 4.0, p).eval()));
    assert!(message.contains("2 equations for 1"), "{message}");
    #[function]
    fn panics<M: Mode>((x, p): (Real<M>, Real<M>)) -> Real<M> {
        assert!(!x.is_active(), "the library gave up");
        (x - p).eval()
    }
    let x = tape.record(|| root(panics {}, 4.0, p).eval().unwrap());
    assert_eq!(
        message_of(|| tape.gradient(&x).map(drop)),
        "the library gave up"
    );
    let y = tape.record(|| (p * 3.0).eval());
    assert_eq!(tape.gradient(&y).unwrap().wrt(&p).unwrap(), 3.0);
}

#[test]
fn residuals_without_tangents_are_swept_by_rows() {
    #[function]
    fn cubes<M: Mode>((x, p): (&[Real<M>], &[Real<M>])) -> Vec<Real<M>> {
        let cube = |x: &Real<M>| {
            let a = x.value();
            external(x, a * a * a, move |r_b: f64| 3.0 * a * a * r_b).eval()
        };
        (0..2)
            .map(|i| (cube(&x[i]) + 0.1 * x[1 - i] - p[i]).eval())
            .collect()
    }
    let x: [f64; 2] = [1.2, -0.7];
    let p = [x[0].powi(3) + 0.1 * x[1], x[1].powi(3) + 0.1 * x[0]];
    let f = |p: &[Real]| {
        let f = cubes {};
        let x = root(f, &x, p).eval().unwrap();
        (x[0] * 2.0 + x[1]).eval()
    };
    let gradient = entape::gradient(f, &p).unwrap();
    let matrix = dmatrix![3.0 * x[0] * x[0], 0.1; 0.1, 3.0 * x[1] * x[1]];
    let expected = matrix.lu().solve(&dvector![2.0, 1.0]).unwrap();
    assert_close(&gradient, expected.as_slice(), 1e-14);
}

#[function]
fn linear<M: Mode>((x, p): ([Real<M>; 2], [Real<M>; 2])) -> [Real<M>; 2] {
    [
        (2.0 * x[0] + x[1] - p[0]).eval(),
        (x[0] + 3.0 * x[1] - p[1]).eval(),
    ]
}
const WAYS: [&str; 3] = ["factorized", "GMRES", "CG"];
fn by_way<M: AnyMode>(
    way: &str,
    f: impl Function<Inputs = (ArrayShape<f64, 2>, ArrayShape<f64, 2>), Values = [f64; 2]> + 'static,
    x: [f64; 2],
    p: [Real<M>; 2],
) -> [Real<M>; 2] {
    let solution = root(f, x, p);
    match way {
        "GMRES" => solution.solver(Gmres::default()).eval(),
        "CG" => solution.solver(Cg::default()).eval(),
        _ => solution.eval(),
    }
    .unwrap()
}
/// The inverse is `[3, -1; -1, 2] / 5`.
#[test]
fn adjoints_of_all_sizes_are_accurate() {
    for way in WAYS {
        for size in [1e-320, 1e-300, 1e-163, 1.0, 1e155, 1e200, 1e307] {
            let mut tape = Tape::new();
            let p = [tape.input(3.0), tape.input(4.0)];
            let x = tape.record(|| by_way(way, linear {}, [1.0, 1.0], p));
            tape.seed(&x[0], size).unwrap();
            let p_b = tape.sweep().unwrap().wrt_all(&p).unwrap();
            // A subnormal number has few digits.
            let tolerance = if size < 1e-310 { 1e-2 } else { 1e-11 };
            for (found, expected) in p_b.iter().zip([0.6, -0.2]) {
                let found = found / size;
                assert!(
                    (found - expected).abs() < tolerance,
                    "{way}, {size}: {p_b:?}"
                );
            }
        }
    }
}
#[test]
fn an_adjoint_that_is_infinite_or_nan_gives_nan() {
    for way in WAYS {
        for seed in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let mut tape = Tape::new();
            let p = [tape.input(3.0), tape.input(4.0)];
            let x = tape.record(|| by_way(way, linear {}, [1.0, 1.0], p));
            tape.seed(&x[0], seed).unwrap();
            let p_b = tape.sweep().unwrap().wrt_all(&p).unwrap();
            assert!(p_b.iter().all(|p_b| p_b.is_nan()), "{way}, {seed}: {p_b:?}");
        }
    }
}
/// `[1, 1; 1, 1] x = p`, which has solutions for `p = (2, 2)`, but no derivatives, although the systems of a sweep are
/// consistent.
#[test]
fn a_singular_system_is_an_error_for_every_solver() {
    #[function]
    fn singular<M: Mode>((x, p): ([Real<M>; 2], [Real<M>; 2])) -> [Real<M>; 2] {
        p.map(|p| (x[0] + x[1] - p).eval())
    }
    #[function]
    fn zero<M: Mode>((x, p): ([Real<M>; 2], [Real<M>; 2])) -> [Real<M>; 2] {
        p.map(|p| (0.0 * x[0] + 0.0 * x[1] + p - 2.0).eval())
    }
    for way in WAYS {
        let mut tape = Tape::new();
        let p = [tape.input(2.0), tape.input(2.0)];
        let (sum, constant) = tape.record(|| {
            let f = singular {};
            let x = by_way(way, f, [1.0, 1.0], p);
            let f = zero {};
            let z = by_way(way, f, [1.0, 1.0], p);
            ((x[0] + x[1]).eval(), z[0])
        });
        for y in [sum, constant] {
            let error = tape.gradient(&y).expect_err("an error").to_string();
            assert!(error.contains("is singular"), "{way}: {error}");
        }
        let f = |p: [Real<Forward>; 2]| {
            let f = singular {};
            by_way(way, f, [1.0, 1.0], p)
        };
        let error = jvp(f, [2.0, 2.0], [1.0, 1.0]).unwrap_err().to_string();
        assert!(error.contains("is singular"), "{way}: {error}");
    }
}
