//! Temporaries of several shapes that share a slot of the tape. Sweeps along directions know their shapes only if the
//! tape stores them, because adjoints do not read them.
use approx::{assert_relative_eq, relative_eq};
use entape::{
    expr::{list, list_of},
    mode::{Mode, Plain},
    prelude::*,
    tape::{Count, Directed},
};
use nalgebra::{DMatrix, DVector};
use std::array::from_fn;

#[derive(Clone, Copy, Debug)]
enum Temporary {
    Multiple,
    /// The tangent of a real alone has no shape.
    Shifted,
    Spread,
    Written,
    Assigned,
    Scaled,
    Outer,
    ShiftedMatrix,
    /// Some vectors do not depend on inputs.
    Stacked,
}
use Temporary::*;
const ALL: [Temporary; 9] = [
    Multiple,
    Shifted,
    Spread,
    Written,
    Assigned,
    Scaled,
    Outer,
    ShiftedMatrix,
    Stacked,
];

fn first<M: Mode>(x: &[Real<M>], n: usize) -> entape::simd::Array<M> {
    x[..n].gather_array().eval()
}
fn vector<M: Mode>(x: &[Real<M>], n: usize) -> entape::linalg::Vector<M> {
    gather(list(&x[..n]), n, 1).eval()
}
/// Depends on the first `n` inputs through a dropped temporary.
fn made<M: Mode>(temporary: Temporary, x: &[Real<M>], n: usize) -> Real<M> {
    match temporary {
        Multiple => {
            let a = first(x, n);
            (&a * 2.0).eval().sum().eval()
        }
        Shifted => {
            let a = first(x, n);
            let b = (&a + x[3]).eval();
            (&b * &b).eval().sum().eval()
        }
        Spread => {
            let a = (constant(vec![0.5; n]) * x[1]).eval();
            let b = (&a - x[0]).eval();
            (b.sum() * x[2]).eval()
        }
        Written => {
            let mut a = first(x, n);
            a[n - 1] += x[0] * x[3];
            (&a * 3.0).eval().sum().eval()
        }
        Assigned => {
            let mut a = first(x, 5 - n);
            let b = first(x, n);
            a.assign(&b * x[0]);
            (&a + x[1]).eval().sum().eval()
        }
        Scaled => {
            let a = vector(x, n);
            let b = (&a * x[3]).eval();
            (&b * 0.5).eval().sum().eval()
        }
        Outer => {
            let a = vector(x, n);
            let b = a.outer(&vector(x, 5 - n)).eval();
            (&b * 0.5).eval().sum().eval()
        }
        ShiftedMatrix => {
            let a = (constant(DMatrix::from_element(n, 3, 0.5)) * x[1]).eval();
            let b = a.add_scalar(&x[2]).eval();
            b.norm_squared().eval()
        }
        Stacked => {
            let passive =
                |n: usize| entape::linalg::Vector::<M>::passive(DVector::from_element(n, 1.5));
            let parts = [passive(5 - n), vector(x, n), passive(1)];
            let b = vstack(list(&parts)).eval();
            (&b * x[0]).eval().norm_squared().eval()
        }
    }
}
type Births = [(Temporary, usize); 3];
fn program<M: Mode>(births: Births, x: &[Real<M>]) -> Real<M> {
    let [a, b, c] = births.map(|(temporary, n)| made(temporary, x, n));
    (a * b * 0.1 + c * x[2]).eval()
}

const X: [f64; 4] = [0.75, -0.5, 1.25, 0.4];
fn value(births: Births, x: [f64; 4]) -> f64 {
    let x = x.map(Real::<Plain>::passive);
    program(births, &x).value()
}
fn differences(births: Births) -> [[f64; 4]; 4] {
    const H: f64 = 8e-3;
    let at = |i: usize, p: f64, j: usize, q: f64| {
        let mut x = X;
        x[i] += p * H;
        x[j] += q * H;
        value(births, x)
    };
    let weights = [
        (-2.0, 1.0 / 12.0),
        (-1.0, -2.0 / 3.0),
        (1.0, 2.0 / 3.0),
        (2.0, -1.0 / 12.0),
    ];
    let each = |i, j| {
        let terms = weights
            .iter()
            .flat_map(|(p, a)| weights.map(|(q, b)| a * b * at(i, *p, j, q)));
        terms.sum::<f64>() / (H * H)
    };
    from_fn(|i| from_fn(|j| each(i, j)))
}
fn swept<const N: usize>(births: Births) -> [[f64; 4]; 4]
where
    Count: Directed<N>,
{
    let mut tape = Tape::new();
    let x = X.map(|x| tape.input(x));
    let y = tape.record(|| program(births, &x));
    let mut all = [[0.0; 4]; 4];
    for first in (0..4).step_by(N) {
        let mut directions = tape.directions::<N>().expect("tangents of all operations");
        for (i, x) in x.iter().enumerate() {
            let unit = from_fn(|j| f64::from(u8::from(first + j == i)));
            directions.set(x, unit).expect("an input");
        }
        let tangents = directions.sweep().expect("memory");
        let back = tangents
            .gradient(&y)
            .expect("second derivatives of all operations");
        for (i, x) in x.iter().enumerate() {
            let of_x = back.wrt(x).expect("an input");
            (first..4).zip(of_x).for_each(|(j, of_x)| all[i][j] = of_x);
        }
    }
    all
}
fn check(births: Births) {
    let want = differences(births);
    for (directions, got) in [(1, swept::<1>(births)), (8, swept::<8>(births))] {
        for i in 0..4 {
            for j in 0..4 {
                assert!(
                    relative_eq!(got[i][j], want[i][j], epsilon = 1e-5, max_relative = 1e-5),
                    "{births:?} along {directions}: entry {i}, {j} is {} instead of {}",
                    got[i][j],
                    want[i][j]
                );
            }
        }
    }
}

#[test]
fn temporaries_of_all_lengths_have_second_derivatives() {
    for a in ALL {
        for b in ALL {
            for [k, l, m] in [[4, 2, 3], [2, 4, 1], [1, 4, 4], [3, 3, 2]] {
                check([(a, k), (b, l), (a, m)]);
            }
        }
    }
}
#[test]
fn arrays_that_share_a_slot_have_the_hessian_of_their_program() {
    fn product<M: Mode>(x: &[Real<M>]) -> Real<M> {
        let y = {
            let a = first(x, 4);
            (&a * 2.0).eval().sum().eval()
        };
        let z = {
            let b = first(x, 2);
            (&b * 3.0).eval().sum().eval()
        };
        (y * z).eval()
    }
    let h = entape::hessian(|x: &[Real]| product(x), &X).expect("second derivatives");
    // 6 (x0 + x1 + x2 + x3) (x0 + x1)
    let want = [
        12.0, 12.0, 6.0, 6.0, 12.0, 12.0, 6.0, 6.0, 6.0, 6.0, 0.0, 0.0, 6.0, 6.0, 0.0, 0.0,
    ];
    assert_eq!(h.as_slice(), want);
}
/// A list has a zero with the shape of such an element.
#[test]
fn elements_of_a_list_that_depend_on_no_direction_keep_their_lengths() {
    let mut tape = Tape::new();
    let a = tape.input(DVector::from_vec(vec![0.5, -1.0]));
    let b = tape.input(DVector::from_vec(vec![2.0, 0.25, 1.5]));
    let [listed, gathered] = tape.record(|| {
        let c = (&b * 2.0).eval();
        let parts = [(&a * 1.0).eval(), c, a.clone()];
        let listed = vstack(list(&parts)).eval().norm_squared().eval();
        let each = [&a, &b, &a].map(|x| x * 3.0);
        [listed, vstack(list_of(each)).eval().norm_squared().eval()]
    });
    let t = DVector::from_vec(vec![1.0, 3.0]);
    // the squares of a, 2 b and a, and of 3 a, 3 b and 3 a
    for (y, factor) in [(&listed, 2.0), (&gathered, 18.0)] {
        let mut directions = tape.directions::<1>().expect("tangents");
        directions.set(&a, [t.clone()]).expect("an input");
        let tangents = directions.sweep().expect("memory");
        let [along] = tangents.of(y).expect("recorded");
        assert_relative_eq!(along, 2.0 * factor * a.get().dot(&t), max_relative = 1e-14);
        let back = tangents.gradient(y).expect("second derivatives");
        assert_eq!(back.wrt(&a), Ok([&t * (2.0 * factor)]));
        assert_eq!(back.wrt(&b), Ok([DVector::zeros(3)]));
    }
}
