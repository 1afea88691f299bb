//! `#[derive(Stash)]`.
use entape_core::{op, store::Stash, tape::Tape};
use std::{cell::RefCell, fmt::Debug, marker::PhantomData, ops::Range, rc::Rc};

thread_local! { static READ: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) }; }

#[op]
fn noting<P: Stash + Clone + Debug>(
    #[ad_in({ READ.with_borrow_mut(|read| read.push(format!("{kept:?}"))); r_b })] x: f64,
    #[ad_passive] kept: P,
) -> f64 {
    x
}

#[track_caller]
fn assert_kept<P: Stash + Clone + Debug>(values: &[P]) {
    let mut tape = Tape::new();
    let x = tape.input(1.0);
    let y = tape.record(|| {
        values.iter().fold((x * 1.0).eval(), |y, value| {
            noting::<P, _, _>(y, value.clone()).eval()
        })
    });
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x).unwrap(), 1.0);
    let read = READ.take();
    let written = values.iter().rev().map(|value| format!("{value:?}"));
    assert_eq!(read, written.collect::<Vec<_>>());
}

#[derive(Clone, Debug, Stash)]
struct Unit;
#[derive(Clone, Debug, Stash)]
struct Named {
    at: u8,
    of: (f64, bool),
    range: Range<usize>,
}
#[derive(Clone, Debug, Stash)]
struct Numbered(i16, [f32; 2], Rc<String>);
#[derive(Clone, Debug, Stash)]
struct Braces {}

#[test]
fn structs_return_from_statements() {
    assert_eq!(Unit::BYTES, 0);
    assert_kept(&[Unit, Unit]);
    assert_eq!(Braces::BYTES, 0);
    assert_kept(&[Braces {}]);
    assert_eq!(Named::BYTES, 1 + 8 + 1 + 2 * size_of::<usize>());
    let named = |at| Named {
        at,
        of: (f64::from(at) / 3.0, at == 1),
        range: 2..usize::MAX - usize::from(at),
    };
    assert_kept(&[named(1), named(2), named(255)]);
    assert_eq!(Numbered::BYTES, 2 + 8 + 4);
    let text = |text: &str| Numbered(-7, [0.1, f32::MAX], Rc::new(text.into()));
    assert_kept(&[text("a"), text("b")]);
}

#[derive(Clone, Debug, Stash)]
struct Pair<A, B, const N: usize = 2> {
    first: [A; N],
    second: (B, B),
}
#[derive(Debug, Stash)]
struct Marked<K>(u8, PhantomData<fn() -> K>);
impl<K> Clone for Marked<K> {
    fn clone(&self) -> Self {
        Marked(self.0, PhantomData)
    }
}
#[derive(Debug)]
struct NoData(#[allow(dead_code)] Vec<String>);

trait Choice: 'static {
    type Kept: Stash + Clone + Debug;
}
impl Choice for NoData {
    type Kept = u16;
}
#[derive(Debug, Stash)]
struct Chosen<C: Choice> {
    chosen: C::Kept,
    shared: Rc<C>,
}
impl<C: Choice> Clone for Chosen<C> {
    fn clone(&self) -> Self {
        Chosen {
            chosen: self.chosen.clone(),
            shared: self.shared.clone(),
        }
    }
}

#[test]
fn structs_with_parameters_return_from_statements() {
    assert_eq!(<Pair<i32, f64, 3>>::BYTES, 3 * 4 + 2 * 8);
    let pair = |x: i32| Pair {
        first: [x, -x, 3 * x],
        second: (f64::from(x), 0.5),
    };
    assert_kept(&[pair(1), pair(i32::MAX / 3)]);
    assert_eq!(<Marked<NoData>>::BYTES, 1);
    assert_kept(&[3, 4].map(|i| Marked::<NoData>(i, PhantomData)));
    assert_eq!(<Chosen<NoData>>::BYTES, 2 + 4);
    assert_kept(&[1, 2].map(|chosen| Chosen::<NoData> {
        chosen,
        shared: Rc::new(NoData(vec![chosen.to_string()])),
    }));
}

#[derive(Clone, Copy, Debug, Stash)]
enum End {
    Lower = -1,
    Upper = 1000,
    Neither = 5,
}
#[derive(Clone, Debug, Stash)]
enum Mixed<T> {
    Nothing,
    One(T),
    Named { from: u8, end: End },
    Shared(Rc<Vec<T>>, T),
}

#[test]
fn enums_return_from_statements() {
    assert_eq!(End::BYTES, 1);
    assert_kept(&[End::Lower, End::Upper, End::Neither, End::Upper]);
    assert_eq!(<Mixed<f64>>::BYTES, 1 + (4 + 8));
    assert_eq!(<Mixed<u8>>::BYTES, 1 + (4 + 1));
    assert_kept(&[
        Mixed::Shared(Rc::new(vec![1.0, 2.0]), 3.0),
        Mixed::Nothing,
        Mixed::One(0.1),
        Mixed::Named {
            from: 9,
            end: End::Neither,
        },
        Mixed::Shared(Rc::default(), 4.0),
        Mixed::One(f64::MAX),
    ]);
    assert_kept(&[
        (Mixed::Nothing, 1_u64, Mixed::One(2.0)),
        (Mixed::One(3.0), 4, Mixed::Nothing),
    ]);
}

#[derive(Clone, Copy, Debug, Stash)]
#[stash(through = u8)]
struct Flags<K: 'static> {
    a: bool,
    b: bool,
    of: PhantomData<K>,
}
impl<K> From<u8> for Flags<K> {
    fn from(bits: u8) -> Self {
        Flags {
            a: bits & 1 != 0,
            b: bits & 2 != 0,
            of: PhantomData,
        }
    }
}
impl<K> From<Flags<K>> for u8 {
    fn from(flags: Flags<K>) -> u8 {
        u8::from(flags.a) | u8::from(flags.b) << 1
    }
}

#[test]
fn values_return_through_another_type() {
    assert_eq!(<Flags<f64>>::BYTES, 1);
    let all = [(false, false), (false, true), (true, false), (true, true)];
    assert_kept(&all.map(|(a, b)| Flags::<f64> {
        a,
        b,
        of: PhantomData,
    }));
}

#[entape_core::op(sample(x = 0.5..1.5, f = Rc::new(|x: f64| (x.sin(), x.cos())), shifts = Rc::from([0.25, 0.5])))]
fn applied(
    #[ad_in(shifts.iter().map(|s| f(x + s).1).sum::<f64>() * r_b)] x: f64,
    #[ad_passive] f: Rc<dyn Fn(f64) -> (f64, f64)>,
    #[ad_passive] shifts: Rc<[f64]>,
) -> f64 {
    shifts.iter().map(|s| f(x + s).0).sum()
}
#[test]
fn closures_and_slices_are_shared() {
    use entape_core::tape::Tape;
    let data = vec![2.0_f64; 100];
    let f: Rc<dyn Fn(f64) -> (f64, f64)> = Rc::new(move |x| (data[7] * x * x, 2.0 * data[7] * x));
    let mut tape = Tape::new();
    let x = tape.input(3.0);
    let y = tape.record(|| applied(x * 2.0, f.clone(), Rc::from([0.0, 1.0])).eval());
    assert_eq!(y, 2.0 * 36.0 + 2.0 * 49.0);
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x).unwrap(),
        2.0 * 4.0 * (6.0 + 7.0)
    );
    assert!(Rc::strong_count(&f) > 1);
    tape.reset();
    assert_eq!(Rc::strong_count(&f), 1);
}
