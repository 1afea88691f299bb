//! Arrays agree with single numbers.
use crate::{
    levels::at_each_level,
    numbers::{distance, points, some_points},
};
use entape_core::{
    elementwise::{ElementKind, Elementwise},
    expr::{Active, binary, ternary, unary},
    op,
    rule::Rule,
    tape::Tape,
};
use entape_simd::{LaneNumber, arrays::ArrayKind};
use std::array::from_fn;

const LENGTHS: [usize; 11] = [0, 1, 2, 3, 5, 7, 8, 9, 17, 128, 129];

/// Returns the error if a result on arrays differs by more than `units` in the last place.
fn same<T: LaneNumber + ElementKind, const N: usize, O: Elementwise<N>>(
    what: &str,
    op: &O,
    units: i64,
    arguments: &[[f64; N]],
    record: impl Fn(&[Active<ArrayKind<T>>; N]) -> Active<ArrayKind<T>>,
) -> Option<String> {
    let mut lengths = LENGTHS.into_iter();
    let mut rest = arguments;
    let mut tape = Tape::new();
    loop {
        let length = match lengths.next() {
            Some(length) => length.min(rest.len()),
            None if rest.is_empty() => return None,
            None => rest.len().min(1000),
        };
        let (chunk, behind) = rest.split_at(length);
        rest = behind;
        tape.reset();
        let number = |x: f64| T::nearest(x);
        let plain: [Vec<T>; N] = from_fn(|i| chunk.iter().map(|x| number(x[i])).collect());
        let x = plain.each_ref().map(|x| tape.input(x.clone()));
        let y = tape.record(|| record(&x));
        let seed: Vec<T> = (0..length)
            .map(|i| number([1.0, -0.7, 2.5][i % 3]))
            .collect();
        // Slope 0 everywhere gives a passive result.
        let x_b = if y.is_active() {
            tape.seed(&y, seed.clone()).expect("an output");
            let gradient = tape.sweep().expect("a sweep");
            x.each_ref().map(|x| gradient.wrt(x).expect("an input"))
        } else {
            from_fn(|_| vec![number(0.0); length])
        };
        let y = y.get();
        assert_eq!(y.len(), length, "{what}");
        for k in 0..length {
            let at = plain.each_ref().map(|x| x[k]);
            let want = T::map(op, at);
            if distance(y[k], want).is_none_or(|d| d > units) {
                return Some(format!(
                    "value of {what} at {at:?}: {} instead of {want}",
                    y[k]
                ));
            }
            for (i, x_b) in x_b.iter().enumerate() {
                let want = T::pull(op, i, at.map(Some), Some(y[k]), seed[k]);
                // Formulas use the functions once or twice.
                if distance(x_b[k], want).is_none_or(|d| d > 4 * units) {
                    let got = x_b[k];
                    return Some(format!(
                        "adjoint {i} of {what} at {at:?}: {got} instead of {want}"
                    ));
                }
            }
        }
    }
}
fn one<T: LaneNumber + ElementKind, O>(
    what: &str,
    op: O,
    units: i64,
    x: &[[f64; 1]],
) -> Option<String>
where
    O: Elementwise<1> + Clone + Rule<ArrayKind<T>, Out = ArrayKind<T>>,
{
    same::<T, 1, O>(what, &op, units, x, |[x]| unary(op.clone(), x).eval())
}
fn two<T: LaneNumber + ElementKind, O>(
    what: &str,
    op: O,
    units: i64,
    x: &[[f64; 2]],
) -> Option<String>
where
    O: Elementwise<2> + Clone + Rule<ArrayKind<T>, ArrayKind<T>, Out = ArrayKind<T>>,
{
    same::<T, 2, O>(what, &op, units, x, |[x, y]| {
        binary(op.clone(), x, y).eval()
    })
}
fn three<T: LaneNumber + ElementKind, O>(
    what: &str,
    op: O,
    units: i64,
    x: &[[f64; 3]],
) -> Option<String>
where
    O: Elementwise<3> + Clone + Rule<ArrayKind<T>, ArrayKind<T>, ArrayKind<T>, Out = ArrayKind<T>>,
{
    same::<T, 3, O>(what, &op, units, x, |[x, y, z]| {
        ternary(op.clone(), x, y, z).eval()
    })
}

macro_rules! of { ($wrong:ident $count:ident $T:ident $points:expr; $units:literal; $($Op:expr),*) => { $(
    $wrong.extend($count::<$T, _>(stringify!($Op), $Op, $units, $points));
)* } }
macro_rules! numbers { ($($T:ident)*) => { $(
    #[test]
    fn $T() { at_each_level(|| {
        let mut wrong = Vec::new();
        let x: Vec<_> = points().into_iter().map(|x| [x]).collect();
        let few = some_points(5);
        let pairs: Vec<_> = few.iter().flat_map(|&x| few.iter().map(move |&y| [x, y])).collect();
        of! { wrong one $T &x; 0; op::Neg, op::Sqrt, op::Recip, op::Powi { n: 0 }, op::Powi { n: 5 }, op::Powi { n: -3 },
            op::Exp2, op::Log2, op::Log10, op::Sin, op::Cos, op::Tan, op::Sinh, op::Cosh, op::Tanh, op::Asinh, op::Acosh,
            op::Atanh, op::ToDegrees, op::ToRadians, op::Abs, op::Signum, op::Floor, op::Ceil, op::Round,
            op::RoundTiesEven, op::Trunc, op::Fract, op::LnGamma, op::Digamma, op::Polygamma { n: 2 } }
        of! { wrong one $T &x; 2; op::Exp, op::ExpM1, op::Cbrt, op::Ln, op::Ln1p, op::Asin, op::Acos, op::Atan,
            op::Erf, op::Erfc }
        of! { wrong two $T &pairs; 0; op::Add, op::Sub, op::Mul, op::Div, op::Rem, op::Hypot, op::Midpoint, op::Copysign,
            op::Max, op::Min, op::DivEuclid, op::RemEuclid }
        of! { wrong two $T &pairs; 2; op::Atan2, op::Powf }
        of! { wrong two $T &pairs; 4; op::Log }
        let bounds: Vec<_> = points().iter().map(|&x| [x, -1.5, 2.25]).collect();
        of! { wrong three $T &bounds; 0; op::Clamp }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }) }
)* } }
numbers! { f64 f32 }
