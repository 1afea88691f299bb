//! Functions at extreme points and beside branch cuts. Unset adjoints would give 0, so results are seeded with 1.
use entape_complex::{
    Complex as Variable, ComplexOps,
    num_complex::{Complex, Complex64, c64},
};
use entape_core::{real::Elementary, tape::Tape};
use entape_simd::{
    ComplexArray, Complexx2, LanesOps,
    arrays::{ArrayOps, ComplexArrayOps},
    lanes::complex::ComplexLaneMembers,
    wide::f64x2,
};

fn points(name: &str) -> Vec<Complex64> {
    let lines = include_str!("../../../dsl-complex/tests/data/plane.txt").lines();
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let part = |i: usize| words[i].parse::<f64>().expect("a number");
        (words[0] == "64" && words[1] == name).then(|| c64(part(2), part(3)))
    };
    lines.filter_map(of_line).collect()
}
#[track_caller]
fn assert_same(got: Complex64, want: Complex64, what: &str) {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    assert!(
        same(got.re, want.re) && same(got.im, want.im),
        "{what}: {got} instead of {want}"
    );
}
macro_rules! functions { ($($f:ident)*) => { $( {
    let mut z = points(stringify!($f));
    z.truncate(z.len() / 2 * 2);
    assert!(z.len() > 20, "no data of {}", stringify!($f));
    let of_numbers: Vec<(f64, Complex64)> = z.iter()
        .map(|&z| entape_drivers::value_and_gradient(|z: Variable| ComplexOps::re(z.$f()), z).expect("a gradient"))
        .collect();

    let mut tape = Tape::new();
    let x: ComplexArray = tape.input(z.clone());
    let (values, y) = tape.record(|| {
        let w = (&x).$f().eval();
        let re = ComplexArrayOps::re(&w).eval();
        let sum = re.sum().eval();
        (re, sum)
    });
    let gradient = tape.gradient(&y).expect("recorded").wrt(&x).expect("an input");
    for (i, &(value, z_b)) in of_numbers.iter().enumerate() {
        let what = format!("{} of an array at {:e}", stringify!($f), z[i]);
        assert_same(values.get()[i].into(), value.into(), &what);
        assert_same(gradient[i], z_b, &what);
    }
    for (pair, of_numbers) in z.chunks(2).zip(of_numbers.chunks(2)) {
        let part = |part: fn(&Complex64) -> f64| f64x2::new([part(&pair[0]), part(&pair[1])]);
        let mut tape = Tape::new();
        let x: Complexx2 = tape.input(Complex::new(part(|z| z.re), part(|z| z.im)));
        let (re, y) = tape.record(|| {
            let re = ComplexLaneMembers::re(x.$f()).eval();
            (re, re.reduce_add().eval())
        });
        let gradient = tape.gradient(&y).expect("recorded").wrt(&x).expect("an input");
        for i in 0..2 {
            let what = format!("{} of lanes at {:e}", stringify!($f), pair[i]);
            assert_same(re.value().to_array()[i].into(), of_numbers[i].0.into(), &what);
            let z_b = c64(gradient.re.to_array()[i], gradient.im.to_array()[i]);
            assert_same(z_b, of_numbers[i].1, &what);
        }
    }
} )* } }

#[test]
fn functions_agree_with_numbers_over_the_plane() {
    functions! {
        sqrt cbrt recip exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    }
}

#[test]
fn squares_of_absolute_values_have_second_derivatives_at_the_origin() {
    let along = c64(0.6, -0.8);
    let mut tape = Tape::new();
    let x: ComplexArray = tape.input(vec![Complex64::ZERO; 3]);
    let y = tape.record(|| {
        let n = (&x).abs().eval();
        let square = (&n * &n).eval();
        (square.sum() * 0.5).eval()
    });
    let mut directions = tape.directions::<1>().expect("directions").one_sided();
    directions.set(&x, [vec![along; 3]]).expect("an input");
    let second = directions
        .sweep()
        .and_then(|t| t.gradient(&y))
        .expect("a sweep")
        .wrt(&x)
        .expect("an input");
    second[0]
        .iter()
        .for_each(|z| assert!((z - along).norm() < 1e-15, "{z}"));

    let mut tape = Tape::new();
    let splat = |z: Complex64| Complex::new(f64x2::splat(z.re), f64x2::splat(z.im));
    let x: Complexx2 = tape.input(splat(Complex64::ZERO));
    let y = tape.record(|| {
        let n = x.abs().eval();
        ((n * n).reduce_add() * 0.5).eval()
    });
    let mut directions = tape.directions::<1>().expect("directions").one_sided();
    directions.set(&x, [splat(along)]).expect("an input");
    let [second] = directions
        .sweep()
        .and_then(|t| t.gradient(&y))
        .expect("a sweep")
        .wrt(&x)
        .expect("an input");
    assert!((second.re - f64x2::splat(along.re)).abs().reduce_add() < 1e-15);
    assert!((second.im - f64x2::splat(along.im)).abs().reduce_add() < 1e-15);
}
