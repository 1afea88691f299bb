//! At an infinite slope, a computed adjoint -0.0 gives a correct gradient or NaN, never 0.
#![allow(clippy::op_ref)] // variables are referred to in the mode `Reuse`, and copied in others
use entape_core::{
    expr::Active,
    kind::{Kind, Val},
    mode::{Mode, Recording, Reuse, Taped},
    op,
    real::{Cast as _, Elementary, Reals as _},
    tape::Tape,
};
use entape_simd::{
    F64x4, GatherOps, LanesOps,
    arrays::{
        Added, ArrayKind, ArrayMembers, ArrayOps, Elements, Gathers, Indexed, Slices, Splats,
        Strides,
    },
    wide::f64x4,
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

/// Returns the adjoint as a value.
#[op(
    tangent(v = v.iter().zip(v_t).map(|(v, v_t)| 2.0 * v * v_t).sum::<f64>()),
    second(v = v_t.iter().map(|v_t| 2.0 * r_b * v_t).collect::<Vec<f64>>()),
)]
fn squares(
    #[ad_in(v.iter().map(|v| 2.0 * r_b * v).collect::<Vec<f64>>())] v: ArrayKind<f64>,
) -> f64 {
    v.iter().map(|v| v * v).sum()
}
/// Adds to the adjoint in place.
#[op(
    tangent(v = v.iter().zip(v_t).map(|(v, v_t)| 2.0 * v * v_t).sum::<f64>()),
    second(v = v_t.iter().map(|v_t| 2.0 * r_b * v_t).collect::<Vec<f64>>()),
)]
fn squares_in_place(
    #[ad_in(Added::new(v.len(), |mut into: Elements<'_, f64>| {
        into.add_each(v.iter().map(|v| 2.0 * r_b * v));
    }))]
    v: ArrayKind<f64>,
) -> f64 {
    v.iter().map(|v| v * v).sum()
}
/// A rule that does not report which elements are unset.
#[op(linear)]
fn same(#[ad_in(r_b)] v: ArrayKind<f64>) -> ArrayKind<f64> {
    v.clone()
}
#[op(
    tangent(v = (f64x4::splat(2.0) * v * v_t).reduce_add()),
    second(v = f64x4::splat(2.0 * r_b) * v_t),
)]
fn lane_squares(#[ad_in(f64x4::splat(2.0 * r_b) * v)] v: F64x4) -> f64 {
    (v * v).reduce_add()
}
/// Passes the adjoint to the inner expression unchanged.
#[op(linear)]
fn negative(#[ad_in(-r_b)] x: f64) -> f64 {
    -x
}

trait Program {
    type Kind: Kind;
    const NAME: &'static str;
    fn call<M: Mode>(v: &Active<Self::Kind, M>) -> Real<M>;
    fn reuse(v: &Active<Self::Kind, Reuse>) -> Option<Real<Reuse>> {
        let _ = v;
        None
    }
}
fn gradients<P: Program>(x: &Val<P::Kind>) -> Vec<(&'static str, f64, Val<P::Kind>)> {
    fn swept<K: Kind, M: Recording>(
        mut tape: Tape<M>,
        x: &Val<K>,
        call: fn(&Active<K, M>) -> Option<Real<M>>,
    ) -> Option<[Val<K>; 2]> {
        let v = tape.input_as::<K>(x.clone());
        let y = tape.record(|| call(&v))?;
        let both = [1.0, -1.0].map(|seed| {
            tape.seed(&y, seed).expect("a result");
            tape.sweep().expect("a sweep").wrt(&v).expect("an input")
        });
        Some(both)
    }
    let mut all = Vec::new();
    let mut add = |mode, both: Option<[Val<P::Kind>; 2]>| {
        if let Some([plus, minus]) = both {
            all.extend([(mode, 1.0, plus), (mode, -1.0, minus)]);
        }
    };
    let verifies = Tape::builder().verify(true).build().expect("a tape");
    add(
        "taped",
        swept(Tape::<Taped>::default(), x, |v| Some(P::call(v))),
    );
    add("reuse", swept(Tape::<Reuse>::default(), x, P::reuse));
    add("second", swept(Tape::new(), x, |v| Some(P::call(v))));
    add(
        "verified",
        swept::<_, Taped>(verifies, x, |v| Some(P::call(v))),
    );

    let mut tape = Tape::new();
    let v = tape.input_as::<P::Kind>(x.clone());
    let y = tape.record(|| P::call(&v));
    let mut adjoints = tape.adjoints().expect("a tape of this mode");
    adjoints.seed(&y, 0, 1.0).expect("a result");
    adjoints.seed(&y, 1, -1.0).expect("a result");
    let swept = adjoints.sweep().expect("a sweep");
    let [plus, minus, ..] = swept.wrt(&v).expect("an input");
    add("eight adjoints", Some([plus, minus]));

    let along = [1.0, -1.0].map(|seed| {
        let mut directions = tape.directions::<1>().expect("a tape of this mode");
        directions.set(&v, [x.clone()]).expect("an input");
        let tangents = directions.sweep().expect("all functions have tangents");
        let swept = tangents.pull(&[&y], &[seed], &[[0.0]]);
        swept.expect("a sweep").gradient(&v).expect("an input")
    });
    add("along a direction", Some(along));
    all
}
/// Returns the error in the gradient of a program. `or_nan` permits NaN elements.
fn compare<P: Program>(
    x: &Val<P::Kind>,
    want: &[f64],
    or_nan: bool,
    numbers: impl Fn(&Val<P::Kind>) -> Vec<f64>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (mode, seed, gradient) in gradients::<P>(x) {
        let got = numbers(&gradient);
        let right = |(got, want): (&f64, &f64)| {
            let close = *got == seed * want || (got - seed * want).abs() < 1e-12;
            close || got.is_nan() && (or_nan || want.is_nan())
        };
        if !got.iter().zip(want).all(right) || got.len() != want.len() {
            wrong.push(format!(
                "{} ({mode}, seed {seed}): {got:?} instead of {want:?}",
                P::NAME
            ));
        }
    }
    wrong
}
macro_rules! compare {
    (@body { $($setup:tt)* } $f:expr) => {{
        $($setup)*
        let y = $f.eval();
        y
    }};
    ($K:ty, $x:expr, $or_nan:expr, $numbers:expr; $($($reuse:ident)? |$v:ident| $setup:tt $f:expr => $want:expr;)*) => {{
        let mut wrong = Vec::new();
        $( {
            struct This;
            impl Program for This {
                type Kind = $K;
                const NAME: &'static str = stringify!($setup $f);
                fn call<M: Mode>($v: &Active<$K, M>) -> Real<M> {
                    compare! { @body $setup $f }
                }
                $( fn $reuse($v: &Active<$K, Reuse>) -> Option<Real<Reuse>> {
                    Some(compare! { @body $setup $f })
                } )?
            }
            wrong.extend(compare::<This>(&$x, &$want, $or_nan, $numbers));
        } )*
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }};
}
macro_rules! root {
    ($v:ident) => {
        $v.sqrt().eval()
    };
}
type Array = ArrayKind<f64>;

#[test]
fn computed_zeros_of_arrays_are_not_unset() {
    compare! { Array, vec![0.0, 4.0], true, Vec::clone;
        reuse |v| { let s = root!(v); } -(&s).dot(&s) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } negative((&s).dot(&s)) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -(&s).dotc(&s) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let m = (-&s).eval(); } (&m).dot(&m) => [1.0, 1.0];
        reuse |v| { let s = root!(v); let m = (-&s).eval(); } m.norm_squared() => [1.0, 1.0];
        reuse |v| { let s = root!(v); } -s.norm_squared() => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } 1.0 - (&s).dot(&s) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let d = (&s).dot(&s).eval(); } -0.5 * d => [-0.5, -0.5];
        reuse |v| { let s = root!(v); } -(&s).dot(2.0 * &s) => [-2.0, -2.0];
        reuse |v| {} -v.sqrt().dot(v.sqrt()) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -s.norm() => [-0.25, -0.25];
        reuse |v| { let s = root!(v); } -(&s * &s).sum() => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -(&s * &s).mean() => [-0.5, -0.5];
        reuse |v| { let s = root!(v); } -s.slice(..1).dot(s.slice(..1)) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); } -s.slice(..1).norm_squared() => [-1.0, 0.0];
        reuse |v| { let s = root!(v); } -s.slice_step(.., 2).dot(s.slice_step(.., 2)) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let t = s.slice(..1).eval(); } -(&t).dot(&t) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let t = s.slice_step(.., 2).eval(); } -(&t).dot(&t) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let t = (&s).take(&[0, 0, 1]).eval(); } -(&t).dot(&t) => [-2.0, -1.0];
        reuse |v| { let s = root!(v); } -s.take(&[0]).norm_squared() => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let t = (&s).add_up(&[1, 2], 3).eval(); } -(&t).dot(&t) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -(&s[0] * &s[0]) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let t = (&s[0] * 1.0).eval(); } -(&t * &t) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let x = s.scatter().split(); } -(&x[0] * &x[0]) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let x = s.scatter().split(); let t = x[..].gather_array().eval(); } -(&t).dot(&t) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let x = s.scatter().split(); } -x[..].norm_squared() => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let t = (&s).shift(1).eval(); } -(&t).dot(&t) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); } -(&s).rotate(1).norm_squared() => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -(&s).reverse().norm_squared() => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let t = (&s).concat(&s).eval(); } -(&t).dot(&t) => [-2.0, -2.0];
        reuse |v| { let s = root!(v); let t = (&s).cumulative_sum().eval(); } -t.slice(..1).norm_squared() => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let mut t = s.clone(); t[1].assign(3.0); } -(&t).dot(&t) => [-1.0, 0.0];
        reuse |v| { let s = root!(v); let mut t = s.clone(); t.slice_mut(1..).assign(s.slice(..1)); } -(&t).dot(&t) => [-2.0, 0.0];
        reuse |v| { let s = root!(v); let t = same(&s).eval(); } -(&t).dot(&t) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -same(&s).dot(same(&s)) => [-1.0, -1.0];
        reuse |v| {} -same(v.sqrt()).dot(same(v.sqrt())) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -squares(&s) => [-1.0, -1.0];
        reuse |v| {} -squares(v.sqrt()) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); } -squares_in_place(&s) => [-1.0, -1.0];
        reuse |v| {} -squares_in_place(v.sqrt()) => [-1.0, -1.0];
        reuse |v| { let s = v.to_f32().sqrt().eval(); } -1e-60 * s.to_f64().sum() => [-f64::INFINITY, 0.0];
    }
}
#[test]
fn computed_zeros_of_reductions_at_infinite_slopes_are_nan() {
    const UNKNOWN: f64 = f64::NAN;
    let minus_infinity = -f64::INFINITY;
    compare! { Array, vec![0.0, 0.0, 1.0], true, Vec::clone;
        reuse |v| { let s = root!(v); } negative(&s[0] * s.slice(1..2).sum()) => [UNKNOWN, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); } negative(&s[0] * s.slice(1..2).mean()) => [UNKNOWN, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); } negative(&s[0] * s.slice(1..2).reduce_max()) => [UNKNOWN, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); } negative(&s[0] * s.slice(1..).reduce_min()) => [UNKNOWN, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); } negative(&s[0] * same(&s).sum()) => [minus_infinity, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); } negative(&s[0] * &s[1]) => [UNKNOWN, UNKNOWN, 0.0];
        reuse |v| { let s = root!(v); let t = s[0].splat_array(2).eval(); } -(&t).dot(s.slice(1..)) => [minus_infinity, UNKNOWN, 0.0];
    }
}
#[test]
fn moving_elements_keeps_unset_adjoints_separate() {
    compare! { Array, vec![0.0, 4.0, 9.0], false, Vec::clone;
        reuse |v| { let s = root!(v); } &s[1] * &s[2] => [0.0, 0.75, 1.0 / 3.0];
        reuse |v| { let s = root!(v); } s.slice(1..).sum() => [0.0, 0.25, 1.0 / 6.0];
        reuse |v| { let s = root!(v); let t = s.slice(1..).eval(); } (&t).dot(&t) => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); } s.slice_step(1.., 1).norm_squared() => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); let t = (&s).reverse().eval(); } t.slice(..2).norm_squared() => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); let t = (&s).rotate(1).eval(); } t.slice_step(.., 2).norm_squared() => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); } (&s).shift(-1).norm_squared() => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); let t = (&s).concat(&s).eval(); } t.slice(1..3).sum() => [0.0, 0.25, 1.0 / 6.0];
        reuse |v| { let s = root!(v); } (&s).take(&[1, 2]).sum() => [0.0, 0.25, 1.0 / 6.0];
        reuse |v| { let s = root!(v); let t = (&s).add_up(&[0, 1, 2], 3).eval(); } t.slice(1..).sum() => [0.0, 0.25, 1.0 / 6.0];
        reuse |v| { let s = root!(v); let x = s.scatter().split(); } &x[1] * &x[2] => [0.0, 0.75, 1.0 / 3.0];
        reuse |v| { let s = root!(v); } s.reduce_max() => [0.0, 0.0, 1.0 / 6.0];
        reuse |v| { let s = root!(v); let mut t = s.clone(); t[0].assign(1.0); } (&t).dot(&t) => [0.0, 1.0, 1.0];
        reuse |v| { let s = root!(v); let mut t = s.clone(); t.slice_mut(..1).assign(s.slice(1..2)); } (&t).dot(&t) => [0.0, 2.0, 1.0];
        reuse |v| { let s = root!(v); let mut t = s.clone(); t.slice_step_mut(..1, 2).assign(s.slice(1..2)); } (&t).dot(&t) => [0.0, 2.0, 1.0];
        reuse |v| { let s = root!(v); let t = (2.0 * &s).eval(); } &t[1] * 1.0 => [0.0, 0.5, 0.0];
    }
}
fn lanes(v: &f64x4) -> Vec<f64> {
    v.to_array().to_vec()
}
#[test]
fn computed_zeros_of_lanes_are_not_unset() {
    compare! { F64x4, f64x4::new([0.0, 4.0, 1.0, 1.0]), true, lanes;
        |v| { let s = root!(v); } -s.dot(s) => [-1.0; 4];
        |v| { let s = root!(v); } negative(s.dot(s)) => [-1.0; 4];
        |v| { let s = root!(v); let m = (-s).eval(); } m.dot(m) => [1.0; 4];
        |v| { let s = root!(v); } -s.dot(2.0 * s) => [-2.0; 4];
        |v| {} -v.sqrt().dot(v.sqrt()) => [-1.0; 4];
        |v| { let s = root!(v); } -(s * s).reduce_add() => [-1.0; 4];
        |v| { let s = root!(v); let d = s.dot(s).eval(); } -0.5 * d => [-0.5; 4];
        |v| { let s = root!(v); } -(&s[0] * &s[0]) => [-1.0, 0.0, 0.0, 0.0];
        |v| { let s = root!(v); } -(s.lane(0) * s.lane(0)) => [-1.0, 0.0, 0.0, 0.0];
        |v| { let s = root!(v); let x = s.scatter().split(); } -(x[0] * x[0]) => [-1.0, 0.0, 0.0, 0.0];
        |v| { let s = root!(v); let x = s.scatter().split(); let t = x[..].gather::<f64x4>().eval(); } -t.dot(t) => [-1.0; 4];
        |v| { let s = root!(v); let mut t = s; t[1].assign(3.0); } -t.dot(t) => [-1.0, 0.0, -1.0, -1.0];
        |v| { let s = root!(v); let list = [s, s]; } -list[..].product().reduce_add() => [-1.0; 4];
        |v| { let s = root!(v); } -lane_squares(s) => [-1.0; 4];
        |v| {} -lane_squares(v.sqrt()) => [-1.0; 4];
    }
    const UNKNOWN: f64 = f64::NAN;
    compare! { F64x4, f64x4::new([0.0, 0.0, 1.0, 1.0]), true, lanes;
        |v| { let s = root!(v); } -s.reduce_mul() => [UNKNOWN, UNKNOWN, 0.0, 0.0];
        |v| { let s = root!(v); } negative(s.lane(0) * s.lane(1)) => [UNKNOWN, UNKNOWN, 0.0, 0.0];
        |v| { let s = root!(v); } negative(s.lane(0) * s.reduce_min()) => [UNKNOWN, 0.0, 0.0, 0.0];
    }
}
#[test]
fn lanes_without_influence_stay_unset() {
    compare! { F64x4, f64x4::new([0.0, 4.0, 9.0, 1.0]), false, lanes;
        |v| { let s = root!(v); } s.lane(1) * s.lane(2) => [0.0, 0.75, 1.0 / 3.0, 0.0];
        |v| { let s = root!(v); } &s[1] * &s[2] => [0.0, 0.75, 1.0 / 3.0, 0.0];
        |v| { let s = root!(v); } s.reduce_max() => [0.0, 0.0, 1.0 / 6.0, 0.0];
        |v| { let s = root!(v); let x = s.scatter().split(); } x[1] * x[2] => [0.0, 0.75, 1.0 / 3.0, 0.0];
        |v| { let s = root!(v); let mut t = s; t[0].assign(1.0); } t.dot(t) => [0.0, 1.0, 1.0, 1.0];
    }
}
#[cfg(feature = "linalg")]
#[test]
fn computed_zeros_of_vectors_are_not_unset() {
    use entape_linalg::PairOps as _;
    use entape_simd::arrays::{ArrayToVector, VectorToArray};
    compare! { Array, vec![0.0, 4.0], true, Vec::clone;
        reuse |v| { let s = root!(v); let w = s.to_vector().eval(); } -(&w).dot(&w) => [-1.0, -1.0];
        reuse |v| { let s = root!(v); let w = s.to_vector().eval(); let t = (&w).to_array().eval(); } -(&t).dot(&t) => [-1.0, -1.0];
    }
}
#[cfg(feature = "complex")]
#[test]
fn computed_zeros_of_complex_numbers_are_not_unset() {
    use entape_complex::ComplexOps as _;
    use entape_simd::{
        arrays::{ComplexArrayOps as _, RealArrayOps as _},
        lanes::complex::{ComplexLanesOps as _, RealLanesOps as _},
    };
    macro_rules! root {
        ($v:ident) => {
            $v.to_complex().sqrt().eval()
        };
    }
    compare! { Array, vec![0.0, 4.0], true, Vec::clone;
        reuse |v| { let z = root!(v); } -(&z).dot(&z).re() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); } -(&z).dotc(&z).re() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); } -z.norm_squared() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); } -z.norm_sqr().sum() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); let x = v.sqrt().eval(); } -(&z).dot(&x).re() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); let x = v.sqrt().eval(); } -(&x).dotc(&z).re() => [-1.0, -1.0];
        reuse |v| { let z = root!(v); } -(&z[0] * &z[0]).re() => [-1.0, 0.0];
        reuse |v| { let z = root!(v); let t = z.slice(..1).eval(); } -(&t).dot(&t).re() => [-1.0, 0.0];
        reuse |v| { let z = root!(v); let t = (&z).take(&[0]).eval(); } -(&t).dot(&t).re() => [-1.0, 0.0];
    }
    compare! { Array, vec![0.0, 4.0], false, Vec::clone;
        reuse |v| { let z = root!(v); } (&z[1] * &z[1]).re() => [0.0, 1.0];
        reuse |v| { let z = root!(v); let t = z.slice(1..).eval(); } (&t).dot(&t).re() => [0.0, 1.0];
    }
    compare! { F64x4, f64x4::new([0.0, 4.0, 1.0, 1.0]), true, lanes;
        |v| { let z = root!(v); } -(z * z).reduce_add().re() => [-1.0; 4];
        |v| { let z = root!(v); } -(z.lane(0) * z.lane(0)).re() => [-1.0, 0.0, 0.0, 0.0];
    }
    compare! { F64x4, f64x4::new([0.0, 4.0, 1.0, 1.0]), false, lanes;
        |v| { let z = root!(v); } (z.lane(1) * z.lane(1)).re() => [0.0, 1.0, 0.0, 0.0];
    }
}
#[cfg(feature = "fft")]
#[test]
fn computed_zeros_of_transforms_are_not_unset() {
    use entape_simd::arrays::{ComplexArrayOps as _, FftOps as _, RealFftOps as _};
    compare! { Array, vec![0.0, 4.0], true, Vec::clone;
        reuse |v| { let s = root!(v); } -(&s).rfft().norm_sqr().sum() => [-2.0, -2.0];
        reuse |v| { let s = root!(v); let t = (&s).rfft().irfft(2).eval(); } -(&t).dot(&t) => [-1.0, -1.0];
    }
}
