//! Kinds, and a harness for all modes.
use approx::relative_eq;
use entape_core::{
    expr::Active,
    kind,
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    op, operations,
    store::{Part, PlaceIndex, Stash},
    tape::Tape,
};
use std::{ops::Range, rc::Rc};

#[kind(
    value = Vec<f64>,
    index = Owned,
    zero = |like| vec![0.0; like.len()],
    add = |into, from| {
        assert_eq!(into.len(), from.len(), "an adjoint of the wrong length");
        into.iter_mut().zip(from).for_each(|(x, y)| *x += y);
    },
)]
pub struct Array;

#[kind(value = [f64; 2], plain, add = |into, [x, y]| *into = [into[0] + x, into[1] + y])]
pub struct Pair;

fn map(a: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    a.iter().map(|&x| f(x)).collect()
}
#[track_caller]
fn zip(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    assert_eq!(a.len(), b.len(), "arrays of different lengths");
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}
#[track_caller]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    zip(a, b, |x, y| x * y).iter().sum()
}

#[operations(ext = ArrayOps)]
impl Array {
    #[op(Add)]
    fn add(#[ad_in(r_b)] a: Self, #[ad_in(r_b)] b: Self) -> Self {
        zip(a, b, |x, y| x + y)
    }
    #[op(Sub)]
    fn sub(#[ad_in(r_b)] a: Self, #[ad_in(map(r_b, |x| -x))] b: Self) -> Self {
        zip(a, b, |x, y| x - y)
    }
    #[op(Mul)]
    fn mul(
        #[ad_in(zip(r_b, b, |x, y| x * y))] a: Self,
        #[ad_in(zip(r_b, a, |x, y| x * y))] b: Self,
    ) -> Self {
        zip(a, b, |x, y| x * y)
    }
    #[op(Mul)]
    fn scaled(#[ad_in(map(r_b, |x| x * s))] a: Self, #[ad_in(inner(r_b, a))] s: f64) -> Self {
        map(a, |x| x * s)
    }
    #[op]
    fn dot(#[ad_in(map(b, |x| x * r_b))] a: Self, #[ad_in(map(a, |x| x * r_b))] b: Self) -> f64 {
        inner(a, b)
    }
    #[op]
    fn total(#[ad_in(vec![r_b; a.len()])] a: Self) -> f64 {
        a.iter().sum()
    }
    #[op]
    fn exps(#[ad_in(zip(r_b, r, |x, y| x * y))] a: Self) -> Self {
        map(a, f64::exp)
    }
    #[op(save(sines: Rc<Vec<f64>> = Rc::new(map(a, f64::sin))))]
    fn cosines(#[ad_in(zip(r_b, &sines, |x, y| -x * y))] a: Self) -> Self {
        map(a, f64::cos)
    }
    #[op]
    fn twice(#[ad_in(zip(&r_b[..a.len()], &r_b[a.len()..], |x, y| x + y))] a: Self) -> Self {
        [&a[..], a].concat()
    }
    #[op]
    fn head(
        #[ad_in({ let mut b = r_b.clone(); b.resize(a.len(), 0.0); b })] a: Self,
        #[ad_passive] n: usize,
    ) -> Self {
        a[..n].to_vec()
    }
    #[op]
    fn mix(
        #[ad_in(zip(&zip(p_b, b, |x, y| x * y), q_b, |x, y| x + y))] a: Self,
        #[ad_in(zip(&zip(p_b, a, |x, y| x * y), q_b, |x, y| x - y))] b: Self,
        #[ad_out(init = a.clone())] p: &mut Self,
        #[ad_out(init = a.clone())] q: &mut Self,
    ) {
        *p = zip(a, b, |x, y| x * y);
        *q = zip(a, b, |x, y| x - y);
    }
    #[op]
    fn normed(
        #[ad_in({ let t = 2.0 * (s_b + inner(w_b, a)); zip(w_b, a, |x, y| x * s + t * y) })]
        a: Self,
        #[ad_out] s: &mut f64,
        #[ad_out(init = a.clone())] w: &mut Self,
    ) {
        *s = inner(a, a);
        *w = map(a, |x| x * *s);
    }
    #[op(passive)]
    fn len(#[ad_inp] v: Self) -> usize {
        v.len()
    }
}
#[op(Mul)]
fn scaling(#[ad_in(inner(r_b, a))] s: f64, #[ad_in(map(r_b, |x| x * s))] a: &Array) -> Array {
    map(a, |x| x * s)
}

#[op]
pub fn polar(
    #[ad_in(x / d * d_b - y / (d * d) * t_b)] x: f64,
    #[ad_in(y / d * d_b + x / (d * d) * t_b)] y: f64,
    #[ad_out] d: &mut f64,
    #[ad_out] t: &mut f64,
) {
    *d = x.hypot(y);
    *t = y.atan2(x);
}

#[operations(ext = PairOps)]
impl Pair {
    #[op(Mul)]
    fn mul(
        #[ad_in([r_b[0] * b[0], r_b[1] * b[1]])] a: Self,
        #[ad_in([r_b[0] * a[0], r_b[1] * a[1]])] b: Self,
    ) -> Self {
        [a[0] * b[0], a[1] * b[1]]
    }
    #[op(Add)]
    fn add(#[ad_in(r_b)] a: Self, #[ad_in(r_b)] b: Self) -> Self {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[op]
    fn product(#[ad_in([r_b * a[1], r_b * a[0]])] a: Self) -> f64 {
        a[0] * a[1]
    }
}
#[op(name = MakePair)]
pub fn pair(#[ad_in(r_b[0])] x: f64, #[ad_in(r_b[1])] y: f64) -> Pair {
    [x, y]
}

#[derive(Clone, Copy, Stash)]
pub struct Element {
    at: u32,
    len: u32,
}
impl Part<Array> for Element {
    type Kind = f64;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[self.at as usize]
    }
    fn put(&self, whole: &mut Vec<f64>, part: f64) {
        whole[self.at as usize] = part;
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.len as usize]
    }
}
impl PlaceIndex<usize> for Array {
    type Part = Element;
    fn encode(value: &Vec<f64>, index: usize) -> usize {
        let len = value.len();
        assert!(index < len, "index {index} of an Array of length {len}");
        index
    }
    fn part(value: &Vec<f64>, number: usize) -> Element {
        Element {
            at: number as u32,
            len: value.len() as u32,
        }
    }
}
#[derive(Clone, Stash)]
pub struct Slice {
    pub range: Range<usize>,
    pub len: usize,
}
impl Part<Array> for Slice {
    type Kind = Array;
    fn get(&self, whole: &Vec<f64>) -> Vec<f64> {
        whole[self.range.clone()].to_vec()
    }
    fn put(&self, whole: &mut Vec<f64>, part: Vec<f64>) {
        assert_eq!(
            self.range.len(),
            part.len(),
            "an Array of another length is put into a slice"
        );
        whole[self.range.clone()].copy_from_slice(&part);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.len]
    }
}
pub fn array<M: AnyMode>(v: &[f64]) -> Active<Array, M> {
    Active::passive(v.to_vec())
}
pub fn slice<M: AnyMode>(v: &Active<Array, M>, range: Range<usize>) -> Slice {
    Slice {
        range,
        len: v.get().len(),
    }
}

#[derive(Clone, Copy, Stash)]
pub struct Component(u8);
impl Part<Pair> for Component {
    type Kind = f64;
    fn get(&self, whole: &[f64; 2]) -> f64 {
        whole[usize::from(self.0)]
    }
    fn put(&self, whole: &mut [f64; 2], part: f64) {
        whole[usize::from(self.0)] = part;
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> [f64; 2] {
        [0.0; 2]
    }
}
impl PlaceIndex<usize> for Pair {
    type Part = Component;
    fn encode(_: &[f64; 2], index: usize) -> usize {
        assert!(index < 2, "component {index} of a Pair");
        index
    }
    fn part(_: &[f64; 2], number: usize) -> Component {
        Component(number as u8)
    }
}

pub trait Program {
    fn run<M: AnyMode>(x: &[Active<f64, M>], v: &mut [Active<Array, M>]) -> Active<f64, M>;
}
macro_rules! program {
    ($Name:ident |$x:ident, $v:ident| $body:block) => {
        struct $Name;
        impl $crate::support::Program for $Name {
            fn run<M: entape_core::mode::AnyMode>(
                $x: &[entape_core::expr::Active<f64, M>],
                $v: &mut [entape_core::expr::Active<$crate::support::Array, M>],
            ) -> entape_core::expr::Active<f64, M> $body
        }
    };
}
pub(crate) use program;

pub const CHUNKS: [usize; 3] = [32, 100, 1 << 20];
pub fn both(linear: impl Fn(usize), reuse: impl Fn(usize)) {
    for chunk in CHUNKS {
        linear(chunk);
        reuse(chunk);
    }
}

pub fn tape<M: Recording>(chunk: usize) -> Tape<M> {
    Tape::builder().chunk_bytes(chunk).build().expect("a tape")
}

#[derive(Clone, PartialEq, Debug)]
pub struct Result {
    pub y: f64,
    pub x_b: Vec<f64>,
    pub v_b: Vec<Vec<f64>>,
}
impl Result {
    fn bits(&self) -> Vec<u64> {
        let all = std::iter::once(&self.y).chain(&self.x_b);
        all.chain(self.v_b.iter().flatten())
            .map(|x| x.to_bits())
            .collect()
    }
}
/// Records a program and sweeps it three times, with another recording in between.
pub fn recorded<P: Program, M: Recording>(tape: &mut Tape<M>, x: &[f64], v: &[&[f64]]) -> Result {
    let x: Vec<Active<f64, M>> = tape.inputs(x.iter().copied());
    let mut v: Vec<Active<Array, M>> = v.iter().map(|v| tape.input_as(v.to_vec())).collect();
    let y = tape.record(|| P::run(&x, &mut v));
    let mut results = Vec::new();
    for sweep in 0..4 {
        if sweep == 2 {
            // Reads and writes everything without affecting `y`.
            let u: Vec<_> = tape.record(|| v.iter().map(|v| (v * v).eval()).collect());
            tape.record(|| {
                for mut u in u {
                    u *= 3.0;
                    if u.get().len() > 1 {
                        u[1] *= &y;
                        let e = u.at(1) * u.at(0);
                        u[0].assign(e);
                    }
                }
            });
        }
        let g = tape.gradient(&y).expect("a sweep");
        results.push(Result {
            y: *y.get(),
            x_b: x.iter().map(|x| g.wrt(x).expect("an input")).collect(),
            v_b: v.iter().map(|v| g.wrt(v).expect("an input")).collect(),
        });
    }
    for again in &results[1..] {
        assert_eq!(again.bits(), results[0].bits(), "a repeated sweep");
    }
    results.swap_remove(0)
}
pub fn plain<P: Program>(x: &[f64], v: &[Vec<f64>]) -> f64 {
    let x: Vec<_> = x
        .iter()
        .map(|&x| Active::<f64, Plain>::passive(x))
        .collect();
    let mut v: Vec<_> = v
        .iter()
        .map(|v| Active::<Array, Plain>::passive(v.clone()))
        .collect();
    P::run(&x, &mut v).value()
}
pub fn differences<P: Program>(x: &[f64], v: &[&[f64]]) -> Result {
    let owned: Vec<Vec<f64>> = v.iter().map(|v| v.to_vec()).collect();
    let slope = |f: &dyn Fn(f64) -> f64, at: f64| {
        let h = 1e-3 * at.abs().max(1.0);
        let d = |h: f64| (f(at + h) - f(at - h)) / (2.0 * h);
        let (d1, d2, d4) = (d(h), d(h / 2.0), d(h / 4.0));
        let (a, b) = ((4.0 * d2 - d1) / 3.0, (4.0 * d4 - d2) / 3.0);
        (16.0 * b - a) / 15.0
    };
    let x_b = (0..x.len()).map(|i| {
        let f = |at| {
            let mut x = x.to_vec();
            x[i] = at;
            plain::<P>(&x, &owned)
        };
        slope(&f, x[i])
    });
    let v_b = (0..v.len()).map(|i| {
        let element = |j: usize| {
            let f = |at| {
                let mut v = owned.clone();
                v[i][j] = at;
                plain::<P>(x, &v)
            };
            slope(&f, v[i][j])
        };
        (0..v[i].len()).map(element).collect()
    });
    Result {
        y: plain::<P>(x, &owned),
        x_b: x_b.collect(),
        v_b: v_b.collect(),
    }
}
/// Compares all modes, chunk sizes, sweeps and recordings, and differences.
#[track_caller]
pub fn check<P: Program>(x: &[f64], v: &[&[f64]]) -> Result {
    let want = differences::<P>(x, v);
    let first = recorded::<P, Taped>(&mut tape(1 << 20), x, v);
    for chunk in CHUNKS {
        let (mut taped, mut reuse) = (tape::<Taped>(chunk), tape::<Reuse>(chunk));
        for _ in 0..3 {
            let (t, r) = (
                recorded::<P, Taped>(&mut taped, x, v),
                recorded::<P, Reuse>(&mut reuse, x, v),
            );
            assert_eq!(
                t.bits(),
                first.bits(),
                "Taped, chunks of {chunk}: {t:?} {first:?}"
            );
            assert_eq!(
                r.bits(),
                first.bits(),
                "Reuse, chunks of {chunk}: {r:?} {first:?}"
            );
            taped.reset();
            reuse.reset();
        }
        let t = recorded::<P, Taped>(&mut taped, x, v);
        let again = recorded::<P, Taped>(&mut taped, x, v);
        assert_eq!(
            (t.bits(), again.bits()),
            (first.bits(), first.bits()),
            "two on one tape"
        );
        let r = recorded::<P, Reuse>(&mut reuse, x, v);
        let again = recorded::<P, Reuse>(&mut reuse, x, v);
        assert_eq!(
            (r.bits(), again.bits()),
            (first.bits(), first.bits()),
            "two on one tape"
        );
    }
    assert_eq!(first.y.to_bits(), want.y.to_bits(), "the value");
    let all = |r: &Result| -> Vec<f64> {
        r.x_b
            .iter()
            .chain(r.v_b.iter().flatten())
            .copied()
            .collect()
    };
    let (got, wanted) = (all(&first), all(&want));
    assert_eq!(got.len(), wanted.len(), "the shapes of the gradients");
    let fits = relative_eq!(got[..], wanted[..], epsilon = 1e-7, max_relative = 1e-7);
    assert!(fits, "got {first:?}\nwant {want:?}");
    first
}

#[track_caller]
pub fn panic_of<T>(f: impl FnOnce() -> T) -> (String, String, u32) {
    use std::{
        cell::RefCell,
        panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
        sync::Once,
    };
    thread_local! { static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) }; }
    thread_local! { static WATCHED: RefCell<bool> = const { RefCell::new(false) }; }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            let place = info.location().map(|l| (l.file().to_owned(), l.line()));
            PLACE.with(|p| *p.borrow_mut() = place);
            if !WATCHED.with(|w| *w.borrow()) {
                usual(info);
            }
        }));
    });
    WATCHED.with(|w| *w.borrow_mut() = true);
    let outcome = catch_unwind(AssertUnwindSafe(f));
    WATCHED.with(|w| *w.borrow_mut() = false);
    let Err(payload) = outcome else {
        panic!("this should have panicked")
    };
    let message = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .unwrap_or_default();
    let (file, line) = PLACE.with(|p| p.borrow_mut().take()).unwrap_or_default();
    (message, file, line)
}
#[track_caller]
pub fn refuses<T>(file: &str, words: &[&str], f: impl FnOnce() -> T) {
    let (message, place, line) = panic_of(f);
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
    assert_eq!(place, file, "line {line}: {message}");
}
