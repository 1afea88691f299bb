//! Arrays, evaluated piece by piece, against single numbers.
use approx::assert_relative_eq;
use entape_core::{
    elementwise::{Broadcast, ElementKind, Elementwise},
    eval,
    expr::{Active, binary, constant, either, list_of, select},
    kind,
    kind::{AllNeeded, Arg, At, BLOCK, Incoming, Layout, List, Pieces, blocks},
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    op,
    real::Elementary,
    rule::{
        A, B, PiecePrimals, PieceSinks, Primals, PullPieces, ReadShapes, ReductionRule, Rule,
        Sinks, Unfolded,
    },
    store::{Part, Stash},
    tape::Tape,
};
use std::cell::RefCell;

#[kind(
    value = Vec<f64>,
    index = Owned,
    layout = InOrder,
    recycle = |x| RECYCLED.with_borrow_mut(|all| all.push(std::mem::take(x))),
    zero = |like| vec![0.0; like.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
)]
struct Array;

thread_local! {
    static RECYCLED: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}
struct Block([f64; BLOCK]);
impl Default for Block {
    fn default() -> Self {
        Block([f64::NAN; BLOCK])
    }
}
impl Block {
    fn add_to(&self, into: &mut [f64], at: At) {
        let into = at.of_mut(into);
        into.iter_mut().zip(&self.0).for_each(|(x, y)| *x += y);
    }
}
struct InOrder;
impl Layout<Array> for InOrder {
    type Shape = usize;
    type Piece = f64;
    fn shape(value: &Vec<f64>) -> usize {
        value.len()
    }
    fn count(length: usize) -> usize {
        length
    }
    type View<'v> = &'v [f64];
    fn view<'v>(value: Arg<'v, Array>) -> &'v [f64] {
        value
    }
    fn view_shape(view: &&[f64]) -> usize {
        view.len()
    }
    fn within<'v>(view: &Self::View<'v>, block: At) -> Self::View<'v> {
        block.of(view)
    }
    fn piece(view: &&[f64], i: usize) -> f64 {
        view[i]
    }
    fn open(adjoint: &mut Option<Vec<f64>>, length: usize) {
        adjoint.get_or_insert_with(|| vec![0.0; length]);
    }
    type Block = Block;
    fn put(block: &mut Block, i: usize, piece: f64) {
        block.0[i] = piece;
    }
    fn add_block(adjoint: &mut Option<Vec<f64>>, at: At, block: &mut Block) {
        block.add_to(adjoint.as_mut().expect("an open adjoint"), at);
    }
    fn collect(length: usize, pieces: &impl Pieces<Array>) -> Vec<f64> {
        let mut value = Vec::with_capacity(length);
        blocks(length, |at| {
            let pieces = pieces.within::<AllNeeded>(at);
            value.extend((0..at.length).map(|i| pieces.at(i)));
        });
        value
    }
}
impl ElementKind for Array {
    type Evaluation = eval::ByPieces;
    type Remembered = ();
    #[track_caller]
    fn common<const N: usize, O>(_: &O, lengths: [usize; N]) -> usize {
        let operation = std::any::type_name::<O>().rsplit(':').next().unwrap_or("");
        for length in lengths {
            assert!(
                length == lengths[0],
                "{operation} of arrays of lengths {lengths:?}"
            );
        }
        lengths[0]
    }
    fn map<const N: usize, O: Elementwise<N>>(op: &O, x: [f64; N]) -> f64 {
        op.primal(x)
    }
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<f64>; N],
        r: Option<f64>,
        r_b: f64,
    ) -> f64 {
        let known = |x: Option<f64>| x.unwrap_or(f64::NAN);
        op.adjoint(i, x.map(known), known(r), r_b)
    }
    type Lane = f64;
    fn lane(piece: f64) -> f64 {
        piece
    }
    fn piece(lane: f64) -> f64 {
        lane
    }
}
impl Broadcast<f64> for Array {
    fn broadcast(x: f64) -> f64 {
        x
    }
    fn sum(x: f64) -> f64 {
        x
    }
}

#[op]
fn total(#[ad_in(vec![r_b; a.len()])] a: Array) -> f64 {
    a.iter().sum()
}
#[op]
fn running(
    #[ad_in({
        let mut sums: Vec<f64> = r_b.iter().rev().scan(0.0, |s, r_b| { *s += r_b; Some(*s) }).collect();
        sums.reverse();
        sums
    })]
    a: Array,
) -> Array {
    let mut sum = 0.0;
    let next = |x: &f64| {
        sum += x;
        sum
    };
    a.iter().map(next).collect()
}

#[derive(Clone, Copy, Stash)]
struct Inner;
impl Rule<Array, Array> for Inner {
    type Out = f64;
    type Saved = usize;
    type Evaluation = eval::Reduction;
    const READS: [u8; 3] = [B, A, 0];
    fn primal(&self, _: &Vec<f64>, _: &Vec<f64>, (): ()) -> (f64, usize) {
        panic!("the arguments are made as wholes")
    }
    fn adjoint(
        &self,
        _: Primals<'_, Array, Array, (), f64>,
        _: &usize,
        _: Incoming<'_, f64>,
        _: impl Sinks<Array, Array>,
    ) {
        panic!("the adjoints are made as wholes")
    }
}
impl PullPieces<Array, Array> for Inner {
    fn pull(
        &self,
        x: &PiecePrimals<Array, Array, (), f64>,
        r_b: f64,
        s: &mut impl PieceSinks<Array, Array>,
    ) {
        s.a(|| r_b * x.b.expect("what the formula reads"));
        s.b(|| r_b * x.a.expect("what the formula reads"));
    }
}
impl ReductionRule<Array, Array> for Inner {
    fn fold(
        &self,
        a: &impl Pieces<Array>,
        b: &impl Pieces<Array>,
        _: &impl Pieces<()>,
    ) -> (f64, usize) {
        let (length, mut sum) = (a.shape(), 0.0);
        assert_eq!(length, b.shape());
        blocks(length, |at| {
            let (a, b) = (a.within::<AllNeeded>(at), b.within::<AllNeeded>(at));
            (0..at.length).for_each(|i| sum += a.at(i) * b.at(i));
        });
        (sum, length)
    }
    fn unfold(
        &self,
        &length: &usize,
        _: impl FnOnce() -> ReadShapes<Array, Array, ()>,
        _: Option<f64>,
        r_b: f64,
    ) -> Unfolded<Array, Array, (), f64> {
        Unfolded {
            shapes: (length, length, ()),
            pieces: 0..length,
            r_b,
        }
    }
}

#[derive(Clone, Copy, Debug, Stash)]
struct Slice {
    start: u32,
    length: u32,
    of: u32,
}
impl Slice {
    fn new(of: &[f64], range: std::ops::Range<usize>) -> Self {
        assert!(range.end <= of.len(), "{range:?} of {}", of.len());
        Slice {
            start: range.start as u32,
            length: range.len() as u32,
            of: of.len() as u32,
        }
    }
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}
impl Part<Array> for Slice {
    type Kind = Array;
    fn get(&self, whole: &Vec<f64>) -> Vec<f64> {
        whole[self.range()].to_vec()
    }
    fn put(&self, whole: &mut Vec<f64>, part: Vec<f64>) {
        whole[self.range()].copy_from_slice(&part);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.of as usize]
    }
    const PIECES: bool = true;
    fn shape(&self) -> usize {
        self.length as usize
    }
    fn view<'v>(&self, whole: Arg<'v, Array>) -> &'v [f64] {
        &whole[self.range()]
    }
    fn put_pieces(&self, whole: &mut Vec<f64>, length: usize, pieces: &impl Pieces<Array>) {
        self.put(whole, InOrder::collect(length, pieces));
    }
    fn add_block(&self, whole: &mut Option<Vec<f64>>, at: At, block: &mut Block) {
        let whole = whole.as_mut().expect("an open adjoint");
        block.add_to(&mut whole[self.range()], at);
    }
}

fn data(length: usize, seed: f64) -> Vec<f64> {
    (0..length)
        .map(|i| 1.5 + (seed + 1.3 * i as f64).sin())
        .collect()
}
#[track_caller]
fn assert_close(got: &[f64], want: &[f64]) {
    assert_relative_eq!(got, want, epsilon = 1e-13, max_relative = 1e-13);
}

fn arrays<M: AnyMode>(
    a: &Active<Array, M>,
    b: &Active<Array, M>,
    s: &Active<f64, M>,
    c: &[f64],
) -> Active<f64, M> {
    let f = ((a + b) * a.sin() / 2.0 - s * constant(c.to_vec())).eval();
    let g = ((&f).exp() * a - (2.0 * s).powf(b) + (&f).hypot(b) * (&f).mul_add(a, b)).eval();
    total(&g * &f + s.sin() * s).eval()
}
fn numbers<M: AnyMode>(
    a: &[Active<f64, M>],
    b: &[Active<f64, M>],
    s: &Active<f64, M>,
    c: &[f64],
) -> Active<f64, M> {
    let mut sum = Active::<f64, M>::passive(0.0);
    for ((a, b), &c) in a.iter().zip(b).zip(c) {
        let f = ((a + b) * a.sin() / 2.0 - s * c).eval();
        let g = ((&f).exp() * a - (2.0 * s).powf(b) + (&f).hypot(b) * (&f).mul_add(a, b)).eval();
        sum.update(|sum| sum + (&g * &f + s.sin() * s));
    }
    sum
}
fn agree<M: Recording>() {
    for length in [0, 1, 7, BLOCK - 1, BLOCK, 2 * BLOCK + 5] {
        let (x, y, c) = (data(length, 0.1), data(length, 0.7), data(length, 0.9));
        for (active_a, active_b, active_s) in [
            (true, true, true),
            (false, true, true),
            (true, false, false),
            (false, false, true),
        ] {
            let mut tape = Tape::<M>::default();
            let a = if active_a {
                tape.input(x.clone())
            } else {
                Active::passive(x.clone())
            };
            let b = if active_b {
                tape.input(y.clone())
            } else {
                Active::passive(y.clone())
            };
            let s = if active_s {
                tape.input(0.8)
            } else {
                Active::passive(0.8)
            };
            let r = tape.record(|| arrays(&a, &b, &s, &c));

            let mut single = Tape::<M>::default();
            let an: Vec<_> = x
                .iter()
                .map(|&x| {
                    if active_a {
                        single.input(x)
                    } else {
                        Active::passive(x)
                    }
                })
                .collect();
            let bn: Vec<_> = y
                .iter()
                .map(|&y| {
                    if active_b {
                        single.input(y)
                    } else {
                        Active::passive(y)
                    }
                })
                .collect();
            let sn = if active_s {
                single.input(0.8)
            } else {
                Active::passive(0.8)
            };
            let rn = single.record(|| numbers(&an, &bn, &sn, &c));

            assert_close(&[r.value()], &[rn.value()]);
            if length == 0 {
                continue;
            }
            let want = single.gradient(&rn).unwrap();
            for _ in 0..2 {
                let got = tape.gradient(&r).unwrap();
                if active_a {
                    assert_close(
                        &got.wrt(&a).unwrap(),
                        &an.iter().map(|a| want.wrt(a).unwrap()).collect::<Vec<_>>(),
                    );
                }
                if active_b {
                    assert_close(
                        &got.wrt(&b).unwrap(),
                        &bn.iter().map(|b| want.wrt(b).unwrap()).collect::<Vec<_>>(),
                    );
                }
                if active_s {
                    assert_close(&[got.wrt(&s).unwrap()], &[want.wrt(&sn).unwrap()]);
                }
            }
        }
    }
}
#[test]
fn arrays_agree_with_numbers() {
    agree::<Taped>();
    agree::<Reuse>();
    let (x, y, c) = (data(7, 0.1), data(7, 0.7), data(7, 0.9));
    let plain = |x: &Vec<f64>| Active::<Array, Plain>::passive(x.clone());
    let single = |x: &[f64]| {
        x.iter()
            .map(|&x| Active::<f64, Plain>::passive(x))
            .collect::<Vec<_>>()
    };
    let s = Active::<f64, Plain>::passive(0.8);
    assert_close(
        &[arrays(&plain(&x), &plain(&y), &s, &c).value()],
        &[numbers(&single(&x), &single(&y), &s, &c).value()],
    );
}

#[test]
fn operations_on_whole_arrays_stand_between() {
    let x = data(6, 0.2);
    let mut tape = Tape::new();
    let a = tape.input(x.clone());
    let y = tape.record(|| total(running(a.exp() * 2.0) * &a + running(&a).sin()).eval());
    let mut single = Tape::new();
    let an: Vec<_> = x.iter().map(|&x| single.input(x)).collect();
    let yn = single.record(|| {
        let [mut s, mut t, mut y] = [0.0; 3].map(Active::<f64>::passive);
        for &a in &an {
            s += a.exp() * 2.0;
            t += a;
            y += s * a + t.sin();
        }
        y
    });
    assert_close(&[y.value()], &[yn.value()]);
    let want = single.gradient(&yn).unwrap().wrt_all(&an).unwrap();
    assert_close(&tape.gradient(&y).unwrap().wrt(&a).unwrap(), &want);
}

#[op]
fn squares(
    #[ad_in({
        let twice = |x: &Vec<f64>| x.iter().map(|x| 2.0 * r_b * x).collect();
        x.iter().map(|x| twice(x)).collect::<Vec<Vec<f64>>>()
    })]
    x: List<Array>,
) -> f64 {
    x.iter().flat_map(|x| x.iter()).map(|x| x * x).sum()
}
#[test]
fn elements_of_lists_are_made_as_wholes() {
    let (x, y) = (data(5, 0.0), data(5, 2.0));
    let mut tape = Tape::new();
    let (a, b) = (tape.input(x.clone()), tape.input(y.clone()));
    let r = tape.record(|| squares(list_of([&a, &b].map(|v| v * &a))).eval());
    // (a a)^2 + (b a)^2
    let want_a = x
        .iter()
        .zip(&y)
        .map(|(a, b)| 4.0 * a * a * a + 2.0 * a * b * b);
    let want_b = x.iter().zip(&y).map(|(a, b)| 2.0 * a * a * b);
    let gradient = tape.gradient(&r).unwrap();
    assert_close(&gradient.wrt(&a).unwrap(), &want_a.collect::<Vec<_>>());
    assert_close(&gradient.wrt(&b).unwrap(), &want_b.collect::<Vec<_>>());
}
#[test]
fn choices_stand_between() {
    let x = data(6, 0.3);
    for first in [true, false] {
        let mut tape = Tape::new();
        let (a, s) = (tape.input(x.clone()), tape.input(0.6));
        let y = tape.record(|| {
            let chosen = select(first, a.exp() * s, &a + 1.0) * &a;
            let other = either(first, &a * &a, &a * &a).sin();
            total(chosen + other).eval()
        });
        let mut single = Tape::new();
        let an: Vec<_> = x.iter().map(|&x| single.input(x)).collect();
        let sn = single.input(0.6);
        let yn = single.record(|| {
            let mut y = Active::<f64>::passive(0.0);
            for &a in &an {
                y += select(first, a.exp() * sn, a + 1.0) * a + (a * a).sin();
            }
            y
        });
        assert_close(&[y.value()], &[yn.value()]);
        let (got, want) = (tape.gradient(&y).unwrap(), single.gradient(&yn).unwrap());
        assert_close(&got.wrt(&a).unwrap(), &want.wrt_all(&an).unwrap());
        assert_close(&[got.wrt(&s).unwrap()], &[want.wrt(&sn).unwrap()]);
    }
}

#[test]
fn parts_are_read_where_they_stand() {
    fn shifted<M: AnyMode>(a: &Active<Array, M>) -> Active<f64, M> {
        let n = a.get().len();
        let (west, east) = (Slice::new(a.get(), 0..n - 1), Slice::new(a.get(), 1..n));
        let mut u = (a * 2.0).eval();
        u.part_mut(west)
            .assign(a.part_ref(east) * a.part_ref(west) + a.part_ref(east));
        let old = u.part(west);
        u.part_mut(east).assign(old * a.part_ref(east));
        u.part_mut(west).mul_assign(a.part_ref(west));
        total(&u * &u).eval()
    }
    fn reference<M: AnyMode>(a: &[Active<f64, M>]) -> Active<f64, M> {
        let n = a.len();
        let mut u: Vec<_> = a.iter().map(|a| (a * 2.0).eval()).collect();
        for i in 0..n - 1 {
            u[i] = (&a[i + 1] * &a[i] + &a[i + 1]).eval();
        }
        let old: Vec<_> = u.to_vec();
        for i in 1..n {
            u[i] = (&old[i - 1] * &a[i]).eval();
        }
        for i in 0..n - 1 {
            u[i] = (&u[i] * &a[i]).eval();
        }
        let mut y = Active::<f64, M>::passive(0.0);
        u.iter().for_each(|u| y += u * u);
        y
    }
    fn agree<M: Recording>() {
        for length in [2, 5, BLOCK, BLOCK + 1, 2 * BLOCK + 3] {
            let x = data(length, 0.4);
            let mut tape = Tape::<M>::default();
            let a = tape.input(x.clone());
            let y = tape.record(|| shifted(&a));
            let mut single = Tape::<M>::default();
            let an: Vec<_> = x.iter().map(|&x| single.input(x)).collect();
            let yn = single.record(|| reference(&an));
            assert_close(&[y.value()], &[yn.value()]);
            let want = single.gradient(&yn).unwrap();
            let want: Vec<_> = an.iter().map(|a| want.wrt(a).unwrap()).collect();
            for _ in 0..2 {
                assert_close(&tape.gradient(&y).unwrap().wrt(&a).unwrap(), &want);
            }
        }
    }
    agree::<Taped>();
    agree::<Reuse>();
}

#[test]
fn results_are_folded() {
    fn folded<M: AnyMode>(a: &Active<Array, M>, s: &Active<f64, M>, c: &[f64]) -> Active<f64, M> {
        let n = a.get().len();
        let (west, east) = (Slice::new(a.get(), 0..n - 1), Slice::new(a.get(), 1..n));
        let b = Active::<Array, M>::passive(c.to_vec());
        let x = binary(Inner, a * s, a.sin()).eval();
        let y = (binary(Inner, a.part_ref(west) * &x, a.part_ref(east)).sqrt() * s).eval();
        let u = (binary(Inner, running(a * &b), constant(c.to_vec()) * &y) * a + &b).eval();
        binary(Inner, &u, &u).eval()
    }
    fn reference<M: AnyMode>(
        a: &[Active<f64, M>],
        s: &Active<f64, M>,
        c: &[f64],
    ) -> Active<f64, M> {
        let sum = |terms: &mut dyn Iterator<Item = Active<f64, M>>| {
            let mut sum = Active::<f64, M>::passive(0.0);
            terms.for_each(|x| sum += x);
            sum
        };
        let x = sum(&mut a.iter().map(|a| (a * s * a.sin()).eval()));
        let y = sum(&mut (1..a.len()).map(|i| (&a[i - 1] * &x * &a[i]).eval()));
        let y = (y.sqrt() * s).eval();
        let mut running = Active::<f64, M>::passive(0.0);
        let f = sum(&mut a.iter().zip(c).map(|(a, &c)| {
            running += a * c;
            (&running * c * &y).eval()
        }));
        sum(&mut a.iter().zip(c).map(|(a, &c)| {
            let u = (&f * a + c).eval();
            (&u * &u).eval()
        }))
    }
    fn agree<M: Recording>() {
        for length in [2, 5, BLOCK, 2 * BLOCK + 3] {
            let (x, c) = (data(length, 0.4), data(length, 0.8));
            let mut tape = Tape::<M>::default();
            let (a, s) = (tape.input(x.clone()), tape.input(0.7));
            let y = tape.record(|| folded(&a, &s, &c));
            let mut single = Tape::<M>::default();
            let (an, sn): (Vec<_>, _) = (
                x.iter().map(|&x| single.input(x)).collect(),
                single.input(0.7),
            );
            let yn = single.record(|| reference(&an, &sn, &c));
            let scale = yn.value();
            assert_close(&[y.value() / scale], &[1.0]);
            let want = single.gradient(&yn).unwrap();
            let over = |x: f64| x / scale;
            let want_a: Vec<_> = an.iter().map(|a| over(want.wrt(a).unwrap())).collect();
            for _ in 0..2 {
                let got = tape.gradient(&y).unwrap();
                let got_a: Vec<_> = got.wrt(&a).unwrap().into_iter().map(over).collect();
                assert_close(&got_a, &want_a);
                assert_close(
                    &[over(got.wrt(&s).unwrap())],
                    &[over(want.wrt(&sn).unwrap())],
                );
            }
        }
    }
    agree::<Taped>();
    agree::<Reuse>();
}

#[test]
fn memory_comes_back() {
    let recycled = || RECYCLED.with_borrow_mut(std::mem::take);
    let mut tape = Tape::new();
    let a = tape.input(vec![1.0, 2.0]);
    let start = tape.position();
    let y = tape.record(|| {
        let mut u = (&a * 3.0).eval();
        let square = (&u * &u).eval();
        u.assign(&a * 4.0); // the value before is kept for an adjoint
        total(&square + &u).eval()
    });
    assert_eq!(y.value(), 9.0 + 36.0 + 4.0 + 8.0);
    // The reduced sum; the tape keeps values of dropped variables.
    assert_eq!(recycled(), [[13.0, 44.0]]);
    tape.reset_to(&start).unwrap();
    let mut values = recycled();
    values.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(values, [[3.0, 6.0], [4.0, 8.0], [9.0, 36.0]]);
    tape.reset();
    assert_eq!(recycled(), [[0.0; 2]; 0]);
    drop(a);
}

#[test]
#[should_panic(expected = "Add of arrays of lengths [2, 3]")]
fn lengths_differ() {
    let a = Active::<Array>::passive(vec![1.0, 2.0]);
    let b = Active::<Array>::passive(vec![1.0, 2.0, 3.0]);
    let _ = (&a + &b).eval();
}
