//! The prelude has few names, and a plain number keeps its methods.
use entape::prelude::*;

/// The names that the module `prelude` of a crate exports, with all features; imports `as _` have none.
fn names(source: &str) -> Vec<String> {
    let start = source.find("pub mod prelude {").expect("a prelude");
    let body = &source[start..];
    let end = body.find("\n}").expect("the end of the module");
    let code: Vec<_> = body[..end]
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.starts_with('#'))
        .collect();
    let code = code.join(" ");
    let mut names = Vec::new();
    for item in code.split("pub ").skip(2) {
        let declared = item.split(['<', ';', '=', ' ']).nth(1).expect("a name");
        match item.split_whitespace().next() {
            Some("use") => {
                let (uses, _) = item.split_once(';').expect("the end of an import");
                assert!(!uses.contains('*'), "names are listed: {uses}");
                let ends = uses.replace('}', ",");
                let paths = ends.split(',').map(str::trim).filter(|p| !p.is_empty());
                let last = paths.map(|p| p.rsplit(['{', ':', ' ']).next().unwrap_or(p));
                names.extend(last.filter(|name| *name != "_").map(String::from));
            }
            Some("type") => names.push(declared.to_owned()),
            other => panic!("an item of another sort: {other:?}"),
        }
    }
    names
}

#[test]
fn the_prelude_has_at_most_45_names() {
    let mut names = names(include_str!("../src/lib.rs"));
    names.sort();
    for expected in [
        "Real", "Tape", "Matrix", "Array", "Complex", "vector", "constant",
    ] {
        assert!(names.iter().any(|name| name == expected), "{expected}");
    }
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "a name that is exported twice");
    assert!(count <= 45, "{count} names: {names:?}");
}

/// Methods of plain numbers, called as in a plain program: of elements, through references, and in closures.
macro_rules! plain_methods { ($x:expr; $($method:ident($($argument:expr),*))*) => {
    $( let _: f64 = $x.$method($($argument),*); )*
} }
#[test]
#[allow(clippy::let_underscore_untyped)]
fn plain_numbers_keep_their_methods() {
    let q = [0.5, 0.25];
    let at: &f64 = &q[0];
    let list: &[f64] = &q;
    macro_rules! all { ($x:expr) => {
        plain_methods! { $x;
            abs() acos() acosh() asin() asinh() atan() atan2(0.5) atanh() cbrt() ceil() clamp(0.0, 1.0) copysign(-1.0) cos()
            cosh() exp() exp2() exp_m1() floor() fract() hypot(1.0) ln() ln_1p() log(2.0) log10() log2() max(1.0) min(1.0)
            mul_add(2.0, 1.0) powf(2.0) powi(2) recip() rem_euclid(2.0) round() signum() sin() sinh() sqrt() tan() tanh()
            to_degrees() to_radians() trunc() div_euclid(2.0)
        }
        let (_, _): (f64, f64) = $x.sin_cos();
        let _: [bool; 5] = [$x.is_nan(), $x.is_finite(), $x.is_infinite(), $x.is_normal(), $x.is_sign_negative()];
        let _: std::cmp::Ordering = $x.total_cmp(&1.0);
        let _: u64 = $x.to_bits();
    } }
    all!(q[1]);
    all!(at);
    all!((*at));
    all!(list[0]);
    assert_eq!(q[1].cos(), f64::cos(0.25));
    let sines: Vec<f64> = list.iter().map(|x| x.sin()).collect();
    assert_eq!(sines, [f64::sin(0.5), f64::sin(0.25)]);
    let total: f64 = list.iter().copied().map(f64::exp).sum();
    let largest: f64 = list.iter().copied().fold(0.0, f64::max);
    assert_eq!((total, largest), (0.5_f64.exp() + 0.25_f64.exp(), 0.5));
    let v = nalgebra::Vector2::<f64>::new(3.0, 4.0);
    let _: f64 = v.norm() + v.dot(&v) + v.x + v.map(|x| x.sqrt()).sum();
    let z = entape::complex::num_complex::c64(3.0, 4.0);
    let _: f64 = z.norm() + z.arg() + z.exp().re;
}
#[test]
fn literals_whose_type_is_open_have_the_methods_of_numbers() {
    let q = [0.5, 0.25];
    assert_eq!(q[1].cos(), f64::cos(0.25));
    let sines: Vec<_> = q.iter().map(|x| x.sin().max(0.1)).collect();
    assert_eq!(sines, [f64::sin(0.5), f64::sin(0.25)]);
    assert_eq!(
        2.0.sqrt().powi(2).to_string(),
        2_f64.sqrt().powi(2).to_string()
    );
    let v = nalgebra::vector![9.0, 16.0];
    assert_eq!(v.map(|x| x.sqrt()).sum(), 7.0);
    let (s, c) = 0.0.sin_cos();
    assert_eq!((s, c), (0.0, 1.0));
}
#[test]
fn methods_need_no_other_import() {
    let mut tape = Tape::new();
    let x = tape.inputs([0.5, 0.25]);
    let v = tape.input(nalgebra::vector![3.0, 4.0]);
    let y = tape.record(|| {
        let lists = list(&x).sum() + x.norm_squared();
        let entities = v.norm() + vector![x[0], 1.0].sum() + array![x[1], 2.0].sum();
        (lists + entities + x[0].sin() * x[1].to_complex().exp().re()).eval()
    });
    let gradient = tape.gradient(&y).expect("recorded");
    let got = gradient.wrt(&x[0]).expect("an input");
    let want = 1.0 + 2.0 * 0.5 + 1.0 + 0.5_f64.cos() * 0.25_f64.exp();
    assert!((got - want).abs() < 1e-14, "{got} instead of {want}");
}
