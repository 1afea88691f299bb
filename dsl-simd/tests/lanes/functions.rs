use crate::{
    levels::at_each_level,
    numbers::{distance, points, some_points},
    once,
};
use entape_core::{
    elementwise::{ElementKind, Elementwise},
    kind::Val,
    op,
    real::Real,
};
use entape_simd::{
    Lanes, SimdVector,
    wide::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8},
};
use std::array::from_fn;

/// Returns the error if a result on lanes differs by more than `units` in the last place.
fn same<V: SimdVector<Number: ElementKind>, const N: usize, O: Elementwise<N>>(
    what: &str,
    op: O,
    units: i64,
    arguments: &[[f64; N]],
) -> Option<String> {
    for (k, chunk) in arguments.chunks(V::LANES).enumerate() {
        let numbers = |i: usize| -> Val<Lanes<V>> {
            V::from_fn(|lane| V::Number::nearest(chunk[lane.min(chunk.len() - 1)][i]))
        };
        let x: [V; N] = from_fn(numbers);
        let r = Lanes::<V>::map(&op, x);
        let r_b = V::from_fn(|lane| V::Number::nearest([1.0, -0.7, 2.5][(lane + k) % 3]));
        let x_b: [V; N] = from_fn(|i| Lanes::<V>::pull(&op, i, x.map(Some), Some(r), r_b));
        for lane in 0..V::LANES {
            let at = x.map(|x| x.as_slice()[lane]);
            let agree = |of: &str, got: V::Number, want: V::Number| {
                let close = distance(got, want).is_some_and(|d| d <= units);
                (!close).then(|| format!("{of} of {what} at {at:?}: {got} instead of {want}"))
            };
            let wrong = agree("value", r.as_slice()[lane], V::Number::map(&op, at));
            if wrong.is_some() {
                return wrong;
            }
            for (i, x_b) in x_b.iter().enumerate() {
                let (r, r_b) = (r.as_slice()[lane], r_b.as_slice()[lane]);
                let want = V::Number::pull(&op, i, at.map(Some), Some(r), r_b);
                // Formulas use the functions once or twice.
                let close = distance(x_b.as_slice()[lane], want).is_some_and(|d| d <= 4 * units);
                if !close {
                    let got = x_b.as_slice()[lane];
                    return Some(format!(
                        "adjoint {i} of {what} at {at:?}: {got} instead of {want}"
                    ));
                }
            }
        }
    }
    None
}

macro_rules! of { ($wrong:ident $V:ident $points:expr; $units:literal; $($Op:expr),*) => { $(
    $wrong.extend(same::<$V, _, _>(stringify!($Op), $Op, $units, $points));
)* } }
macro_rules! vectors { ($run:ident: $($V:ident)*) => { $(
    #[test]
    fn $V() { $run(|| {
        let mut wrong = Vec::new();
        let one: Vec<_> = points().into_iter().map(|x| [x]).collect();
        let few = some_points(3);
        let two: Vec<_> = few.iter().flat_map(|&x| few.iter().map(move |&y| [x, y])).collect();
        of! { wrong $V &one; 0; op::Neg, op::Sqrt, op::Recip, op::Powi { n: 0 }, op::Powi { n: 5 }, op::Powi { n: -3 },
            op::Exp2, op::Log2, op::Log10, op::Sin, op::Cos, op::Tan, op::Sinh, op::Cosh, op::Tanh, op::Asinh, op::Acosh,
            op::Atanh, op::ToDegrees, op::ToRadians, op::Abs, op::Signum, op::Floor, op::Ceil, op::Round,
            op::RoundTiesEven, op::Trunc, op::Fract, op::LnGamma, op::Digamma, op::Polygamma { n: 2 } }
        of! { wrong $V &one; 2; op::Exp, op::ExpM1, op::Cbrt, op::Ln, op::Ln1p, op::Asin, op::Acos, op::Atan,
            op::Erf, op::Erfc }
        of! { wrong $V &two; 0; op::Add, op::Sub, op::Mul, op::Div, op::Rem, op::Hypot, op::Midpoint, op::Copysign,
            op::Max, op::Min, op::DivEuclid, op::RemEuclid }
        of! { wrong $V &two; 2; op::Atan2, op::Powf }
        of! { wrong $V &two; 4; op::Log }
        let bounds: Vec<_> = points().iter().map(|&x| [x, -1.5, 2.25]).collect();
        of! { wrong $V &bounds; 0; op::Clamp }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }) }
)* } }
vectors! { at_each_level: f64x4 }
vectors! { once: f64x2 f64x8 f32x4 f32x8 f32x16 }

#[test]
fn zeros_have_the_signs_of_functions_of_numbers() {
    fn signs<V: SimdVector>() {
        let minus = V::splat(V::Number::nearest(-0.0));
        let negative = |x: V| x.as_slice().iter().all(|x| x.double().is_sign_negative());
        macro_rules! of { ($($Op:expr)*) => { $( assert!(negative(Lanes::<V>::map(&$Op, [minus])), stringify!($Op)); )* } }
        of! { op::Sqrt op::Cbrt op::Floor op::Ceil op::Round op::RoundTiesEven op::Trunc op::Asin op::Atan op::Sin op::Tanh op::ExpM1 }
        assert!(negative(Lanes::<V>::map(
            &op::RoundTiesEven,
            [V::splat(V::Number::nearest(-0.4))]
        )));
    }
    signs::<f64x2>();
    signs::<f64x4>();
    signs::<f64x8>();
    signs::<f32x4>();
    signs::<f32x8>();
    signs::<f32x16>();
}

#[test]
fn mul_add_agrees_with_wide() {
    let [a, b, c] = [
        [1.1, 2.0, -3.3, 0.1],
        [1.3, 5.0, 0.7, 0.1],
        [-1.43, 1.0, 2.31, -0.01],
    ]
    .map(f64x4::new);
    let r = Lanes::<f64x4>::map(&op::MulAdd, [a, b, c]);
    assert_eq!(r, a.mul_add(b, c));
}
