//! Tangents of operations on numbers, for kinds that apply them by element.
use super::{
    adjoints::{KnownAdjoints, NumberOrNone},
    argument_tangents::{ArgumentTangents, SecondAdjoint, SecondSinks},
    definition::{Rule, marked_tangents},
    pieces::PiecePrimals,
    primals::Primals,
    sink::{Sink, Sinks, Summed},
};
use crate::kind::{Incoming, Kind, Origin, Val, arg, misfit_from};

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
    /// Whose adjoints are wanted.
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
    let mut sums = SecondAdjoints {
        wanted,
        adjoints: (None, None, None),
        tangents: [const { (None, None, None) }; N],
    };
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
    let mut sums = (None, None, None);
    let sinks = ElementSinks::<A, B, C> {
        wanted,
        sums: &mut sums,
    };
    op.adjoint(primals, saved, Incoming::borrowed(r_b), sinks);
    sums
}

/// Compares the arguments with the rule's adjoints of a zero.
///
/// # Panics
/// If shapes differ.
#[cold]
pub(crate) fn assert_adjoints_fit<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    (a, b, c): (&Val<A>, &Val<B>, &Val<C>),
    (r, saved): (&Val<O::Out>, &O::Saved),
    wanted: [bool; 3],
) {
    let primals = Primals {
        a: Some(arg::<A>(a)),
        b: Some(arg::<B>(b)),
        c: Some(arg::<C>(c)),
        r: Some(arg::<O::Out>(r)),
        rule: std::any::type_name::<O>(),
    };
    let made = known_adjoints(op, primals, saved, &O::Out::zero_like(r), wanted);
    fn compare<O, K: Kind>(i: usize, adjoint: &Option<Val<K>>, value: &Val<K>) {
        if let Some(adjoint) = adjoint.as_ref().filter(|x| !K::same_shape(x, value)) {
            misfit_from::<K>(Origin::of::<O>(i), adjoint, value);
        }
    }
    compare::<O, A>(0, &made.0, a);
    compare::<O, B>(1, &made.1, b);
    compare::<O, C>(2, &made.2, c);
}

struct ElementSinks<'s, A: Kind, B: Kind, C: Kind> {
    wanted: [bool; 3],
    sums: &'s mut KnownAdjoints<A, B, C>,
}
impl<A: Kind, B: Kind, C: Kind> Sinks<A, B, C> for ElementSinks<'_, A, B, C> {
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A> {
        Summed::<A>(self.wanted[0].then_some(&mut self.sums.0))
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B> {
        Summed::<B>(self.wanted[1].then_some(&mut self.sums.1))
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<C> {
        Summed::<C>(self.wanted[2].then_some(&mut self.sums.2))
    }
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A>> {
        None::<Summed<'_, A>>
    }
}
macro_rules! add { ($($add:ident $K:ident $k:ident $i:tt)*) => { $(
    #[inline(always)]
    fn $add(&mut self, x_b: impl FnOnce() -> (Val<$K>, [Val<$K>; N])) {
        if self.wanted[$i] {
            let (x_b, tangents) = x_b();
            self.adjoint().$k().add(x_b);
            for (j, tangent) in tangents.into_iter().enumerate() {
                self.tangent(j).$k().add(tangent);
            }
        }
    }
)* } }
impl<A: NumberOrNone, B: NumberOrNone, C: NumberOrNone, const N: usize> SecondSinks<A, B, C, N>
    for SecondAdjoints<A, B, C, N>
{
    #[inline(always)]
    fn adjoint(&mut self) -> impl Sinks<A, B, C> {
        ElementSinks {
            wanted: self.wanted,
            sums: &mut self.adjoints,
        }
    }
    #[inline(always)]
    fn tangent(&mut self, j: usize) -> impl Sinks<A, B, C> {
        ElementSinks {
            wanted: self.wanted,
            sums: &mut self.tangents[j],
        }
    }
    add! { add_a A a 0 add_b B b 1 add_c C c 2 }
}
