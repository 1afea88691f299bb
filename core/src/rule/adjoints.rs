//! Adjoints of rules without a tape.
use super::{
    A as READS_A, B as READS_B, C as READS_C, PiecePrimals, Primals, R, Rule, Saved, Sink, Sinks,
    collector::{Collector, OfOrder},
    elements::SecondAdjoints,
    sink::NoSink,
};
use crate::kind::{
    Adjoint, Contribution, Incoming, Kind, OnePiece, Policy, Val, arg, index::Linear,
};

/// The adjoints of three arguments.
pub type ThreeAdjoints<A, B, C> = (
    <A as Kind>::Adjoint,
    <B as Kind>::Adjoint,
    <C as Kind>::Adjoint,
);
pub(super) struct Three<A: Kind, B: Kind, C: Kind, const ORDERS: usize> {
    active: [bool; 3],
    pub(super) sums: [ThreeAdjoints<A, B, C>; ORDERS],
}
impl<A: Kind, B: Kind, C: Kind, const ORDERS: usize> Three<A, B, C, ORDERS> {
    pub(super) fn new(active: [bool; 3]) -> Self {
        let unset = |_| {
            (
                A::Adjoint::unset(),
                B::Adjoint::unset(),
                C::Adjoint::unset(),
            )
        };
        Three {
            active,
            sums: std::array::from_fn(unset),
        }
    }
}
impl<A: Kind, B: Kind, C: Kind, const ORDERS: usize> Collector for Three<A, B, C, ORDERS> {
    type A = A;
    type B = B;
    type C = C;
    fn wants(&self, i: usize) -> bool {
        self.active[i]
    }
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<A>) {
        x_b.add_to(&mut self.sums[order].0);
    }
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<B>) {
        x_b.add_to(&mut self.sums[order].1);
    }
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<C>) {
        x_b.add_to(&mut self.sums[order].2);
    }
}

/// Runs the adjoint of a rule, with only the primals that [`Rule::READS`] declares for active arguments: a formula that reads more
/// panics.
pub fn adjoints<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    r_b: &Val<O::Out>,
    active: [bool; 3],
) -> ThreeAdjoints<A, B, C> {
    let mut sums = Three::<A, B, C, 1>::new(active);
    with_primals(
        op,
        values,
        active,
        Unread::Missing,
        &mut |primals, saved| {
            op.adjoint(
                primals,
                saved,
                Incoming::borrowed(r_b),
                OfOrder(&mut sums, 0),
            );
        },
    );
    let [sums] = sums.sums;
    sums
}

/// Returns the adjoint of a variable that is both of the first two arguments, by the rule's formula for it.
#[doc(hidden)]
pub fn adjoint_of_both<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    r_b: &Val<O::Out>,
) -> Option<A::Adjoint> {
    let (mut sum, active) = (None, [true, true, false]);
    with_primals(
        op,
        values,
        active,
        Unread::Missing,
        &mut |primals, saved| {
            op.adjoint(
                primals,
                saved,
                Incoming::borrowed(r_b),
                SumOfBoth::<A>(&mut sum),
            );
        },
    );
    sum
}
struct SumOfBoth<'s, K: Kind>(&'s mut Option<K::Adjoint>);
impl<A: Kind, B: Kind, C: Kind> Sinks<A, B, C> for SumOfBoth<'_, A> {
    fn a(&mut self) -> impl Sink<A> {
        NoSink
    }
    fn b(&mut self) -> impl Sink<B> {
        NoSink
    }
    fn c(&mut self) -> impl Sink<C> {
        NoSink
    }
    fn both(&mut self) -> Option<impl Sink<A>> {
        Some(Both::<A>(self.0.get_or_insert_with(A::Adjoint::unset)))
    }
}
struct Both<'s, K: Kind>(&'s mut K::Adjoint);
impl<K: Kind> Sink<K> for Both<'_, K> {
    fn wants(&self) -> bool {
        true
    }
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        contribution.add_to(self.0);
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unread {
    Missing,
    /// A zero with the shape of a result that owns memory, as in sweeps along directions.
    Shape,
}
#[allow(clippy::type_complexity)]
pub(super) fn with_primals<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    (a, b, c): (&Val<A>, &Val<B>, &Val<C>),
    active: [bool; 3],
    unread: Unread,
    // Generic code would be compiled for each type.
    formula: &mut dyn FnMut(Primals<'_, A, B, C, O::Out>, &O::Saved),
) {
    let reads = declared(O::READS, active);
    let (r, saved) = op.primal(arg::<A>(a), arg::<B>(b), arg::<C>(c));
    let r = saved.result().unwrap_or(r);
    let shape = unread == Unread::Shape && <O::Out as Kind>::Policy::STORAGE;
    let zero = (shape && reads & R == 0).then(|| O::Out::zero_like(&r));
    let mut primals = Primals {
        a: Some(arg::<A>(a)),
        b: Some(arg::<B>(b)),
        c: Some(arg::<C>(c)),
        r: Some(arg::<O::Out>(&r)),
        rule: std::any::type_name::<O>(),
    };
    if reads & READS_A == 0 {
        primals.a = None;
    }
    if reads & READS_B == 0 {
        primals.b = None;
    }
    if reads & READS_C == 0 {
        primals.c = None;
    }
    if reads & R == 0 {
        primals.r = zero.as_ref().map(arg::<O::Out>);
    }
    formula(primals, &saved);
}
fn declared(reads: [u8; 3], active: [bool; 3]) -> u8 {
    let reads = (0..3).filter(|&i| active[i]).map(|i| reads[i]);
    reads.fold(0, |all, one| all | one)
}

/// A kind of numbers, or `()` for an absent argument.
pub trait NumberOrNone: Kind<Policy = Linear, Layout = OnePiece, Value: Copy + Default> {}
impl<K: Kind<Policy = Linear, Layout = OnePiece, Value: Copy + Default>> NumberOrNone for K {}

/// The known adjoints of arguments; `None` means zero.
pub type KnownAdjoints<A, B, C> = (Option<Val<A>>, Option<Val<B>>, Option<Val<C>>);
/// Returns the adjoint of argument `I`, for kinds that apply operations on numbers by piece. `x` needs the operands
/// that [`Rule::READS`] declares for it.
///
/// ```
/// use entape_core::{op, rule::{PiecePrimals, adjoint_of}};
///
/// let x = PiecePrimals::<f64, f64, (), f64> { a: None, b: Some(3.0), c: None, r: None };
/// assert_eq!(adjoint_of::<0, _, f64, f64, ()>(&op::Mul, x, 2.0).0, Some(6.0));
/// ```
#[inline(always)]
pub fn adjoint_of<const I: usize, O, A: NumberOrNone, B: NumberOrNone, C: NumberOrNone>(
    op: &O,
    x: PiecePrimals<A, B, C, O::Out>,
    r_b: Val<O::Out>,
) -> KnownAdjoints<A, B, C>
where
    O: Rule<A, B, C, Out: NumberOrNone, Saved = ()>,
{
    let primals = Primals {
        a: x.a.as_ref().map(arg::<A>),
        b: x.b.as_ref().map(arg::<B>),
        c: x.c.as_ref().map(arg::<C>),
        r: x.r.as_ref().map(arg::<O::Out>),
        rule: std::any::type_name::<O>(),
    };
    let mut sums = SecondAdjoints::<A, B, C, 0>::new([I == 0, I == 1, I == 2]);
    op.adjoint(primals, &(), Incoming::owned(r_b), OfOrder(&mut sums, 0));
    sums.adjoints
}
