//! Typical mistakes of authors of kinds.
use entape_check::{self as check, Check, Failure, Fault, ListOf};
use entape_core::{
    coordinates::Coordinates,
    expr::{Active, list},
    kind,
    kind::{Additive, Kind, List},
    mode::{Recording, Reuse, Taped},
    op,
    store::{Part, PlaceIndex, Stash},
    tape::Tape,
};

#[kind(value = Vec<f64>, index = Owned, coordinates)]
struct Array;
#[op]
fn total(#[ad_in(vec![r_b; v.len()])] v: &Array) -> f64 {
    v.iter().sum()
}

impl Part<Array> for usize {
    type Kind = f64;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[*self]
    }
    fn put(&self, whole: &mut Vec<f64>, part: f64) {
        whole[*self] = part;
    }
}
impl PlaceIndex<usize> for Array {
    type Part = usize;
    fn encode(value: &Vec<f64>, index: usize) -> usize {
        assert!(index < value.len());
        index
    }
    fn part(_: &Vec<f64>, number: usize) -> usize {
        number
    }
}

#[kind(index = Owned, parts(w: f64, v: Array), coordinates)]
#[derive(Clone, Debug, PartialEq)]
struct Series {
    v: Vec<f64>,
    w: f64,
    rest: ([f64; 2], Vec<Vec<f64>>),
}
fn series() -> Series {
    Series {
        v: vec![1.0, 2.0],
        w: 3.0,
        rest: ([4.0, 5.0], vec![vec![], vec![6.0]]),
    }
}
#[op]
fn sum(
    #[ad_in({
        let mut all = s.zeroed();
        let mut list = Vec::new();
        Series::coordinates(s, &mut list);
        list.fill(r_b * t);
        all.add_all(Series::from_coordinates(s, &mut &list[..]));
        all
    })]
    s: &Series,
    #[ad_in({ let mut list = Vec::new(); Series::coordinates(s, &mut list); r_b * list.iter().sum::<f64>() })]
    t: f64,
) -> f64 {
    let mut list = Vec::new();
    Series::coordinates(s, &mut list);
    list.iter().sum::<f64>() * t
}

#[test]
fn sums_and_zeros_follow_the_fields() {
    let mut twice = series();
    Series::accumulate_of(&mut twice);
    assert_eq!(twice.v, [2.0, 4.0]);
    assert_eq!(
        (twice.w, &twice.rest),
        (6.0, &([8.0, 10.0], vec![vec![], vec![12.0]]))
    );
    let zero = Series::zero_like(&series());
    assert_eq!(
        (zero.v, zero.w, zero.rest),
        (vec![0.0; 2], 0.0, ([0.0; 2], vec![vec![], vec![0.0]]))
    );
    check::assert_kind::<Series>(series());
    check::assert_kind::<Array>(vec![1.0, -2.0, 0.5]);
    check::assert_kind::<Array>(vec![]);
    check::assert_rule(&Sum, (series(), 2.0));
}
trait AccumulateOf: Kind {
    fn accumulate_of(value: &mut Self::Value) {
        let from = value.clone();
        Self::accumulate(value, from);
    }
}
impl<K: Kind> AccumulateOf for K {}

#[test]
#[should_panic(expected = "a vector of length 1 cannot be added to one of length 2")]
fn sums_of_different_lengths_panic() {
    Array::accumulate(&mut vec![1.0, 2.0], vec![1.0]);
}

fn parts_of_a_storage_kind<M: Recording>() {
    for order in [false, true] {
        let mut tape = Tape::<M>::default();
        let s = tape.input(series());
        let y = tape.record(|| {
            let part = || s.part(Series::W).eval();
            let (a, b) = match order {
                true => (sum(&s, 2.0).eval(), part()),
                false => {
                    let b = part();
                    (sum(&s, 2.0).eval(), b)
                }
            };
            (a + 5.0 * b).eval()
        });
        let gradient = tape.gradient(&y).unwrap().wrt(&s).unwrap();
        assert_eq!((&gradient.v[..], gradient.w), (&[2.0, 2.0][..], 7.0));
        assert_eq!(gradient.rest, ([2.0; 2], vec![vec![], vec![2.0]]));
    }
    // The variable has another shape since.
    let mut tape = Tape::<M>::default();
    let (x, short) = (tape.input(vec![1.0, 2.0, 3.0]), tape.input(vec![4.0]));
    let y = tape.record(|| {
        let mut v = x.clone();
        let all = total(&v).eval();
        let first = v.part(0).eval();
        v.assign(&short);
        (all + 2.0 * first + 3.0 * total(&v)).eval()
    });
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&x).unwrap(), [3.0, 1.0, 1.0]);
    assert_eq!(gradient.wrt(&short).unwrap(), [3.0]);
}
#[op]
fn scale(#[ad_inout(w_b * by)] w: &mut f64, #[ad_in(w_b * w)] by: f64) {
    *w *= by;
}
#[op]
fn square_into(#[ad_in(2.0 * x * w_b)] x: f64, #[ad_out] w: &mut f64) {
    *w = x * x;
}
#[op]
fn butterfly(#[ad_inout(a_b + b_b)] a: &mut f64, #[ad_inout(a_b - b_b)] b: &mut f64) {
    (*a, *b) = (*a + *b, *a - *b);
}
fn places_as_outputs<M: Recording>() {
    let n = 100;
    let mut tape = Tape::<M>::default();
    let x = tape.input(2.0);
    let v = tape.input_as::<Array>((0..n).map(f64::from).collect());
    let w = tape.input_as::<Array>(vec![1.0, 1.0, 1.0]);
    let (v, w) = (v, w);
    let y = tape.record(|| {
        let (mut u, mut s) = (v.clone(), w.clone());
        scale(&mut u[3], &x); // 3 x
        scale(&mut u[3], &x); // 3 x^2
        square_into(u.at(3), &mut u[4]); // 9 x^4
        square_into(&x, &mut s.part_mut(1)); // x^2
        let mut difference = x.clone();
        butterfly(&mut s[1], &mut difference); // x^2 + x, x^2 - x
        (total(&u) + s.at(1) * 10.0 + difference * 100.0).eval()
    });
    let sum = f64::from(n * (n - 1) / 2) - 3.0 - 4.0;
    assert_eq!(y.value(), sum + 12.0 + 144.0 + 60.0 + 200.0);
    let bytes = tape.statistics().bytes();
    assert!(
        bytes < 3000,
        "{bytes} bytes: the array has 800, and the copy of it"
    );
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&x).unwrap(), 12.0 + 288.0 + 50.0 + 300.0);
    let mut v_b = vec![1.0; n as usize];
    (v_b[3], v_b[4]) = (4.0 + 2.0 * 12.0 * 4.0, 0.0);
    assert_eq!(gradient.wrt(&v).unwrap(), v_b);
    assert_eq!(gradient.wrt(&w).unwrap(), [0.0; 3]);
}
#[test]
fn outputs_are_written_to_places() {
    places_as_outputs::<Taped>();
    places_as_outputs::<Reuse>();
}

#[test]
fn the_zero_of_a_part_has_the_shape_of_the_whole() {
    parts_of_a_storage_kind::<Taped>();
    parts_of_a_storage_kind::<Reuse>();
    check::assert_part::<Series, _>(Series::W, series());
    check::assert_part::<Series, _>(Series::V, series());
    check::assert_part::<Array, _>(1, vec![1.0, 2.0, 3.0]);
}

/// Writes also add twice the new value to the next element.
#[derive(Clone, Copy, Debug, Stash)]
struct First;
impl Part<Array> for First {
    type Kind = f64;
    const SAVES_WHOLE: bool = true;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[0]
    }
    fn put(&self, whole: &mut Vec<f64>, part: f64) {
        whole[0] = part;
        whole[1] += 2.0 * part;
    }
    fn add(&self, whole: &mut Vec<f64>, part: f64) {
        whole[0] += part;
    }
    fn take_value(&self, whole: &mut Vec<f64>) -> f64 {
        std::mem::take(&mut whole[0]) + 2.0 * whole[1]
    }
}
impl PlaceIndex<First> for Array {
    type Part = First;
    fn encode(_: &Vec<f64>, _: First) -> usize {
        0
    }
    fn part(_: &Vec<f64>, _: usize) -> First {
        First
    }
}
#[derive(Clone, Copy, Debug, Stash)]
struct Careless;
impl Part<Array> for Careless {
    type Kind = f64;
    fn get(&self, whole: &Vec<f64>) -> f64 {
        whole[0]
    }
    fn put(&self, whole: &mut Vec<f64>, part: f64) {
        First.put(whole, part);
    }
}
#[op]
fn squares(#[ad_in(v.iter().map(|v| 2.0 * v * r_b).collect::<Vec<_>>())] v: &Array) -> f64 {
    v.iter().map(|v| v * v).sum()
}
fn writes_that_change_more<M: Recording>() {
    // v = [1, 5], a = 26; v = [x, 5 + 2 x], b = x² + (5 + 2 x)²; v = [3 x, 5 + 8 x], c = 9 x² + (5 + 8 x)²
    let mut tape = Tape::<M>::default();
    let (v0, x) = (tape.input(vec![1.0, 5.0]), tape.input(2.0));
    let y = tape.record(|| {
        let mut v = v0.clone();
        let a = squares(&v).eval();
        v.part_mut(First).assign(&x);
        let b = squares(&v).eval();
        v[First] *= 3.0;
        let c = squares(&v).eval();
        assert_eq!(v.get()[..], [6.0, 21.0]);
        (a + b + c).eval()
    });
    assert_eq!(y, 26.0 + 85.0 + 36.0 + 441.0);
    for _ in 0..2 {
        let gradient = tape.gradient(&y).unwrap();
        // da = [2, 10]; for other seeds the first element is overwritten, and the second contributes to both
        assert_eq!(
            gradient.wrt(&v0).unwrap(),
            [2.0, 10.0 + 2.0 * 9.0 + 2.0 * 21.0]
        );
        assert_eq!(gradient.wrt(&x).unwrap(), 4.0 + 36.0 + 36.0 + 336.0);
    }
}
#[test]
fn writes_that_change_more_than_the_part_save_the_whole() {
    writes_that_change_more::<Taped>();
    writes_that_change_more::<Reuse>();
    check::assert_part::<Array, _>(First, vec![1.0, 5.0, 3.0]);
    let Failure { fault, .. } = check::part::<Array, _>(Careless, vec![1.0, 5.0]).unwrap_err();
    assert!(fault.to_string().contains("`SAVES_WHOLE`"), "{fault}");
}

/// Pairs whose kinds have one fault each.
macro_rules! faulty { ($($K:ident $fault:pat, $text:literal: { $($option:tt)* })*) => {
    $(
        #[kind(value = [f64; 2], coordinates, $($option)*)]
        struct $K;
            )*
    #[test]
    fn faults_of_kinds_are_found() {
        $(
            let Failure { fault, subject, .. } = check::kind::<$K>([1.0, 2.0]).unwrap_err();
            assert!(matches!(fault, $fault) && fault.to_string().contains($text), "{subject}: {fault}");
        )*
    }
} }
faulty! {
    NoZero Fault::Differs { got: 1.0, want: 0.0, .. }, "zero_like": { adjoint = Option<[f64; 2]>, zero = |like| [0.0, like[0]] }
    OneSided Fault::Differs { .. }, "compared with the sum": { add = |into, from| into[0] += from[0] }
    Overwrites Fault::Differs { .. }, "compared with the sum": { add = |into, from| *into = from }
    Unset Fault::Broken { .. }, "would not be propagated": { adjoint = ByFirst }
    Shifted Fault::Differs { .. }, "is the unset adjoint zero": { adjoint = FromOne }
}
/// Unset if the first number is zero.
#[derive(Clone, Copy, Debug)]
struct ByFirst([f64; 2]);
#[derive(Clone, Copy, Debug)]
struct FromOne([f64; 2], bool);
impl kind::Adjoint<Unset> for ByFirst {
    fn unset() -> Self {
        ByFirst([0.0; 2])
    }
    fn is_unset(&self) -> bool {
        self.0[0] == 0.0
    }
    fn into_value(self) -> Option<[f64; 2]> {
        Some(self.0)
    }
    fn add(&mut self, value: [f64; 2]) {
        self.0.add_all(value);
    }
    fn value_mut(&mut self, _: impl FnOnce() -> [f64; 2]) -> &mut [f64; 2] {
        &mut self.0
    }
}
impl kind::Adjoint<Shifted> for FromOne {
    fn unset() -> Self {
        FromOne([1.0, 0.0], false)
    }
    fn is_unset(&self) -> bool {
        !self.1
    }
    fn into_value(self) -> Option<[f64; 2]> {
        self.1.then_some(self.0)
    }
    fn add(&mut self, value: [f64; 2]) {
        self.0.add_all(value);
        self.1 = true;
    }
    fn value_mut(&mut self, _: impl FnOnce() -> [f64; 2]) -> &mut [f64; 2] {
        self.1 = true;
        &mut self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn(f64, f64);
impl Default for Turn {
    fn default() -> Self {
        Turn(1.0, 0.0)
    }
}
#[kind(value = Turn, zero = |_| Turn(0.0, 0.0), add = |into, from| *into = Turn(into.0 + from.0, into.1 + from.1))]
struct Turns;
impl Coordinates for Turns {
    fn map(value: &Turn, f: &mut dyn FnMut(f64) -> f64) -> Turn {
        Turn(f(value.0), f(value.1))
    }
}
#[op]
fn cosine(#[ad_in(Turn(r_b, 0.0))] t: Turns) -> f64 {
    t.0
}
#[test]
fn a_default_need_not_be_the_zero_of_adjoints() {
    check::kind::<Turns>(Turn(0.6, 0.8)).unwrap();
    check::rule(&Cosine, (Turn(0.6, 0.8),)).unwrap();
}

macro_rules! faulty_parts { ($($P:ident $text:literal: $(const $name:ident = $value:literal;)* { $($methods:tt)* })*) => {
    $(
        #[derive(Clone, Copy, Debug, Stash)]
        struct $P;
        impl Part<Array> for $P {
            type Kind = f64;
            $( const $name: bool = $value; )*
            $($methods)*
        }
    )*
    #[test]
    fn faults_of_parts_are_found() {
        $(
            let Failure { fault, subject, .. } = check::part::<Array, _>($P, vec![1.0, 2.0, 3.0]).unwrap_err();
            assert!(fault.to_string().contains($text), "{subject}: {fault}");
        )*
    }
} }
faulty_parts! {
    ReadsAnother "the result of `get`": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[1] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
    }
    ChangesAnother "`SAVES_WHOLE`": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { (whole[0], whole[2]) = (part, 7.0) }
    }
    ShortZero "`zero`": const KNOWS_SHAPE = true; {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn zero(&self) -> Vec<f64> { vec![0.0] }
    }
    AddsTwice "`add`, as the adjoint of `get`": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn add(&self, whole: &mut Vec<f64>, part: f64) { whole[0] += 2.0 * part }
    }
    AddsOver "the result of `add` for zero": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn add(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
    }
    LeavesIt "the rest after `take_value`, as the adjoint of `put`": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn take_value(&self, whole: &mut Vec<f64>) -> f64 { whole[0] }
    }
    TakesHalf "`take_value`, as the adjoint of `put` with respect to the part": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn take_value(&self, whole: &mut Vec<f64>) -> f64 { std::mem::take(&mut whole[0]) / 2.0 }
    }
    TakesAnother "`take`, compared with `take_value`": {
        fn get(&self, whole: &Vec<f64>) -> f64 { whole[0] }
        fn put(&self, whole: &mut Vec<f64>, part: f64) { whole[0] = part }
        fn take(&self, whole: &mut Option<Vec<f64>>) -> f64 { whole.as_mut().map_or(0.0, |whole| std::mem::take(&mut whole[1])) }
    }
}

#[op(sample(x = ListOf(vec![1.0, -2.0, 0.5]), s = 2.0))]
fn prefix_sums(
    #[ad_in({
        let mut sum = 0.0;
        let mut adjoint: Vec<f64> = r_b.iter().rev().map(|r_b| { sum += r_b; sum * s }).collect();
        adjoint.reverse();
        adjoint
    })]
    x: List<f64>,
    #[ad_passive] s: f64,
) -> List<f64> {
    let mut sum = 0.0;
    x.iter()
        .map(|x| {
            sum += x;
            sum * s
        })
        .collect()
}
#[op]
fn weighted(
    #[ad_in(v.iter().map(|v| vec![r_b * x; v.len()]).collect::<Vec<_>>())] v: List<Array>,
    #[ad_in(if faulty { 0.0 } else { r_b * v.iter().flat_map(|v| v.iter()).sum::<f64>() })] x: f64,
    #[ad_passive] faulty: bool,
) -> f64 {
    v.iter().flat_map(|v| v.iter()).sum::<f64>() * x
}
#[test]
fn rules_of_lists_are_checked() {
    for s in [vec![], vec![3.0], vec![1.0, -2.0, 0.5, 4.0]] {
        check::assert_rule(&PrefixSums { s: 2.0 }, (ListOf(s.clone()),));
        check::assert_rule(&op::Norm, (ListOf([s, vec![1.0]].concat()),));
    }
    check::assert_rule(&op::Sum, (ListOf::<f64>(vec![]),));
    let arrays = ListOf(vec![vec![1.0, 2.0], vec![], vec![3.0]]);
    check::assert_rule(&Weighted { faulty: false }, (arrays.clone(), 2.0));
    let failure = check::rule(&Weighted { faulty: true }, (arrays, 2.0)).unwrap_err();
    assert!(
        matches!(failure.fault, Fault::Slope { got: 0.0, .. }),
        "{failure}"
    );
    Check::default()
        .plain(&PrefixSums { s: 1.0 }, (ListOf(vec![1.0, 2.0]),), || {
            vec![1.0, 3.0]
        })
        .unwrap();

    let mut tape = Tape::new();
    let x = [1.0, 2.0].map(|x| tape.input(x));
    let y = tape.record(|| prefix_sums(list(&x), 1.0).split());
    let y: &[Active<f64>] = &y;
    assert_eq!(
        tape.gradient(&y[1]).unwrap().wrt_all(&x).unwrap(),
        [1.0, 1.0]
    );
}
