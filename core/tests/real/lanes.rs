//! Lanes with only the required methods, against single numbers; and a kind of four numbers, which inherits functions
//! and broadcasts reals.
use crate::{Real, gradient, pack::Pack};
use approx::assert_abs_diff_eq;
use entape_core::{
    elementwise::{Broadcast, ElementKind, Elementwise, Remembered},
    eval::Whole,
    expr::{lit, unary},
    kind::{Contribution, Incoming, Inline, Kind, NoMemory, OneByOne, OnePiece, index::Linear},
    mode::Taped,
    op,
    real::Elementary,
    rule::{Primals, Rule, Sink, Sinks},
    store::Stash,
};
use std::array::from_fn;

fn check<const N: usize, O: Elementwise<N>>(op: O, points: [[f64; N]; 4], what: &str) {
    let packed: [Pack; N] = from_fn(|i| Pack(points.map(|p| p[i])));
    let r_b = [1.0, -2.0, 0.5, 3.0];
    let r = op.primal(packed);
    let adjoints: [Pack; N] = from_fn(|i| op.adjoint(i, packed, r, Pack(r_b)));
    for (lane, p) in points.into_iter().enumerate() {
        let same = |got: f64, want: f64| {
            assert!(
                got == want || (got.is_nan() && want.is_nan()),
                "{got} instead of {want} in {what} at {p:?}"
            )
        };
        let value = op.primal(p);
        same(r.0[lane], value);
        for (i, adjoint) in adjoints.iter().enumerate() {
            same(adjoint.0[lane], op.adjoint(i, p, value, r_b[lane]));
        }
    }
}

const SPECIAL: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    3.0,
    -2.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e-300,
];

#[test]
fn packs_agree_with_numbers() {
    macro_rules! each { ($N:literal $points:expr; $($op:expr),*) => { $( check::<$N, _>($op, $points, stringify!($op)); )* } }
    for start in 0..SPECIAL.len() {
        let next = |i: usize| SPECIAL[i % SPECIAL.len()];
        each! { 1 from_fn(|lane| [next(start + lane)]);
            op::Neg, op::Sqrt, op::Cbrt, op::Recip, op::Powi { n: 0 }, op::Powi { n: 3 }, op::Powi { n: -2 },
            op::Exp, op::Exp2, op::ExpM1, op::Ln, op::Log2, op::Log10, op::Ln1p, op::Sin, op::Cos, op::Tan,
            op::Asin, op::Acos, op::Atan, op::ToDegrees, op::ToRadians, op::Sinh, op::Cosh, op::Tanh, op::Asinh,
            op::Acosh, op::Atanh, op::Abs, op::Signum, op::Floor, op::Ceil, op::Round, op::RoundTiesEven,
            op::Trunc, op::Fract, op::Erf, op::Erfc, op::LnGamma, op::Digamma, op::Polygamma { n: 2 }
        }
        for other in 0..SPECIAL.len() {
            each! { 2 from_fn(|lane| [next(start + lane), next(other + 3 * lane)]);
                op::Add, op::Sub, op::Mul, op::Div, op::Rem, op::Powf, op::Hypot, op::Log, op::Atan2, op::Midpoint,
                op::Copysign, op::Max, op::Min, op::DivEuclid, op::RemEuclid
            }
        }
        each! { 3 from_fn(|lane| [next(start + lane), -1.0, lane as f64]); op::Clamp }
        each! { 3 from_fn(|lane| [[1.0, -2.0, 0.0, f64::NAN][(start + lane) % 4], 2.0, lane as f64]); op::MulAdd }
    }
}

struct Quad;
impl Kind for Quad {
    type Value = [f64; 4];
    type Adjoint = Option<[f64; 4]>;
    type Policy = Linear;
    type Layout = OnePiece;
    type Encoding = Inline;
    type Memory = NoMemory;
    type Batch = OneByOne;
    const NAME: &'static str = "quad";
    fn zero_like(_: &[f64; 4]) -> [f64; 4] {
        [0.0; 4]
    }
    fn accumulate(into: &mut [f64; 4], from: [f64; 4]) {
        *into = from_fn(|i| into[i] + from[i]);
    }
}
impl Contribution<Quad> for [f64; 4] {
    fn add_to(self, adjoint: &mut Option<[f64; 4]>) {
        entape_core::kind::Adjoint::<Quad>::add(adjoint, self);
    }
    fn materialise(self) -> Self {
        self
    }
}
impl ElementKind for Quad {
    type Evaluation = Whole;
    type Remembered = Remembered<Quad>;
    fn common<const N: usize, O>(_: &O, _: [(); N]) {}
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [[f64; 4]; N]) -> [f64; 4] {
        op.primal(x.map(Pack)).0
    }
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<[f64; 4]>; N],
        r: Option<[f64; 4]>,
        r_b: [f64; 4],
    ) -> [f64; 4] {
        let known = |x: Option<[f64; 4]>| Pack(x.unwrap_or([f64::NAN; 4]));
        op.adjoint(i, x.map(known), known(r), Pack(r_b)).0
    }
    type Lane = Pack;
    fn lane(piece: [f64; 4]) -> Pack {
        Pack(piece)
    }
    fn piece(lane: Pack) -> [f64; 4] {
        lane.0
    }
}
impl Broadcast<f64> for Quad {
    fn broadcast(x: f64) -> [f64; 4] {
        [x; 4]
    }
    fn sum(x: [f64; 4]) -> f64 {
        x.iter().sum()
    }
}

#[derive(Clone, Copy, Stash)]
struct Total;
impl Rule<Quad> for Total {
    type Out = f64;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [0; 3];
    fn primal(&self, a: [f64; 4], (): (), (): ()) -> (f64, ()) {
        (a.iter().sum(), ())
    }
    fn adjoint(
        &self,
        _: Primals<'_, Quad, (), (), f64>,
        (): &(),
        r_b: Incoming<'_, f64>,
        mut s: impl Sinks<Quad>,
    ) {
        let r_b = r_b.get();
        s.a().add([r_b; 4]);
    }
}

#[test]
fn a_kind_of_lanes_inherits_the_functions_and_broadcasts_reals() {
    const V: [f64; 4] = [0.5, 1.0, 1.5, 2.0];
    let total = |f: fn(f64) -> f64| V.map(f).iter().sum::<f64>();
    let close = |got: f64, want: f64| assert_abs_diff_eq!(got, want, epsilon = 1e-14);
    let sum = |f: fn(Real) -> Real, x: f64| gradient([x], |[x]| f(x));

    let (y, [x_b]) = sum(
        |x| unary(Total, (x * lit::<Quad, Taped>(V)).sin()).eval(),
        1.0,
    );
    close(y, total(f64::sin));
    close(x_b, total(|v| v * v.cos()));
    let (y, [x_b]) = sum(|x| unary(Total, lit::<Quad, Taped>(V).powf(x)).eval(), 2.0);
    close(y, total(|v| v * v));
    close(x_b, total(|v| v * v * v.ln()));
    let (y, [x_b]) = sum(|x| unary(Total, x.powf(lit::<Quad, Taped>(V))).eval(), 2.0);
    close(y, total(|v| 2.0_f64.powf(v)));
    close(x_b, total(|v| v * 2.0_f64.powf(v - 1.0)));
    let (y, [x_b]) = sum(
        |x| {
            let v = (lit::<Quad, Taped>(V) * x).eval();
            unary(Total, v.max(1.0) * v.max(x).powi(2)).eval()
        },
        1.0,
    );
    let (max, square) = (V.map(|v| v.max(1.0)), V.map(|v| v.max(1.0).powi(2)));
    close(y, (0..4).map(|i| max[i] * square[i]).sum());
    close(
        x_b,
        2.0 + 3.0 + 3.0 * 1.5_f64.powi(3) + 3.0 * 2.0_f64.powi(3),
    );
}
