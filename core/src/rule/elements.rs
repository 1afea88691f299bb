//! Tangents of operations on numbers, for kinds that apply them by element.
use super::{
    adjoints::{KnownAdjoints, NumberOrNone},
    argument_tangents::{ArgumentTangents, SecondAdjoint},
    collector::{Collector, OfOrder},
    definition::{Rule, marked_tangents},
    pieces::PiecePrimals,
    primals::Primals,
    sink::accumulate,
};
use crate::kind::{Contribution, Incoming, Kind, Val, arg};

#[inline(always)]
fn primals<A: NumberOrNone, B: NumberOrNone, C: NumberOrNone, O: NumberOrNone>(
    x: &PiecePrimals<A, B, C, O>,
    rule: &'static str,
) -> Primals<'static, A, B, C, O> {
    Primals {
        a: x.a.as_ref().map(arg::<A>),
        b: x.b.as_ref().map(arg::<B>),
        c: x.c.as_ref().map(arg::<C>),
        r: x.r.as_ref().map(arg::<O>),
        rule,
    }
}
/// Returns the [tangents](Rule::tangents) of an operation on numbers. `x` needs the operands that formulas of arguments with tangents
/// [read](Rule::READS).
///
/// ```
/// use entape_core::{op, rule::{ArgumentTangents, PiecePrimals, tangents_of}};
///
/// let x = PiecePrimals::<f64, f64, (), f64> { a: None, b: Some(3.0), c: None, r: None };
/// let tangent = ArgumentTangents { a: Some(&[1.0, 2.0]), b: None, c: None, one_sided: false };
/// assert_eq!(tangents_of(&op::Mul, &x, tangent), Some([3.0, 6.0]));
/// ```
#[inline(always)]
pub fn tangents_of<O, A: NumberOrNone, B: NumberOrNone, C: NumberOrNone, const N: usize>(
    op: &O,
    x: &PiecePrimals<A, B, C, O::Out>,
    tangent: ArgumentTangents<'_, A, B, C, N>,
) -> Option<[Val<O::Out>; N]>
where
    O: Rule<A, B, C, Out: NumberOrNone, Saved = ()>,
{
    let primals = primals(x, std::any::type_name::<O>());
    marked_tangents(op, &primals, &(), tangent)
}

/// Adjoints with their tangents; `None` means zero.
pub struct SecondAdjoints<A: Kind, B: Kind, C: Kind, const N: usize> {
    wanted: [bool; 3],
    /// The adjoints.
    pub adjoints: KnownAdjoints<A, B, C>,
    /// The tangents of the adjoints.
    pub tangents: [KnownAdjoints<A, B, C>; N],
}
debug_by_name! { [A: Kind, B: Kind, C: Kind, const N: usize] SecondAdjoints<A, B, C, N> }
/// Returns wanted adjoints with their tangents by [`Rule::second`]. `x` needs the operands that formulas of wanted arguments and of
/// arguments with tangents [read](Rule::READS).
#[inline(always)]
pub fn second_of<O, A: NumberOrNone, B: NumberOrNone, C: NumberOrNone, const N: usize>(
    op: &O,
    x: &PiecePrimals<A, B, C, O::Out>,
    tangent: ArgumentTangents<'_, A, B, C, N>,
    r_t: Option<&[Val<O::Out>; N]>,
    adjoint: SecondAdjoint<'_, O::Out, N>,
    wanted: [bool; 3],
) -> SecondAdjoints<A, B, C, N>
where
    O: Rule<A, B, C, Out: NumberOrNone, Saved = ()>,
{
    let mut sums = SecondAdjoints::new(wanted);
    let primals = primals(x, std::any::type_name::<O>());
    op.second(&primals, &(), tangent, r_t, adjoint, &mut sums);
    sums
}

pub(crate) fn known_adjoints<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    primals: Primals<'_, A, B, C, O::Out>,
    saved: &O::Saved,
    r_b: &Val<O::Out>,
    wanted: [bool; 3],
) -> KnownAdjoints<A, B, C> {
    let mut sums = SecondAdjoints::<A, B, C, 0>::new(wanted);
    op.adjoint(
        primals,
        saved,
        Incoming::borrowed(r_b),
        OfOrder(&mut sums, 0),
    );
    sums.adjoints
}

impl<A: Kind, B: Kind, C: Kind, const N: usize> SecondAdjoints<A, B, C, N> {
    #[inline(always)]
    pub(super) fn new(wanted: [bool; 3]) -> Self {
        SecondAdjoints {
            wanted,
            adjoints: (None, None, None),
            tangents: [const { (None, None, None) }; N],
        }
    }
    #[inline(always)]
    fn sums(&mut self, order: usize) -> &mut KnownAdjoints<A, B, C> {
        match order {
            0 => &mut self.adjoints,
            j => &mut self.tangents[j - 1],
        }
    }
}
impl<A: Kind, B: Kind, C: Kind, const N: usize> Collector for SecondAdjoints<A, B, C, N> {
    type A = A;
    type B = B;
    type C = C;
    #[inline(always)]
    fn wants(&self, i: usize) -> bool {
        self.wanted[i]
    }
    #[inline(always)]
    fn add_to_a(&mut self, order: usize, x_b: impl Contribution<A>) {
        accumulate(&mut self.sums(order).0, x_b);
    }
    #[inline(always)]
    fn add_to_b(&mut self, order: usize, x_b: impl Contribution<B>) {
        accumulate(&mut self.sums(order).1, x_b);
    }
    #[inline(always)]
    fn add_to_c(&mut self, order: usize, x_b: impl Contribution<C>) {
        accumulate(&mut self.sums(order).2, x_b);
    }
}
