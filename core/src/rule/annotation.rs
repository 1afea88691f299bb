//! What generated rules use at run time, and the test that a `sample` annotation asks for.
use super::{Primals, R, Rule, Sink, Sinks};
use crate::{
    expr::Expr,
    kind::{Cell, Contribution, Hold, Keep, Kind, Stash, Val},
    tape::{Reader, Writer},
};
use std::ops::Range;

/// The node of an expression.
#[inline(always)]
pub fn node<K, M, N>(expr: Expr<K, M, N>) -> N {
    expr.node
}

/// A value of kind `K` among the saved intermediates of a rule: `save(r)`.
pub struct Kept<K: Kind>(Cell<K>);
impl<K: Kind> Kept<K> {
    /// Keeps a copy of `value`.
    #[inline(always)]
    pub fn new(value: &Val<K>) -> Self {
        Kept(Hold::hold(value.clone()))
    }
    /// A copy of the value.
    #[inline(always)]
    pub fn value(&self) -> Val<K> {
        self.0.peek().clone()
    }
}
impl<K: Kind> Stash for Kept<K> {
    const BYTES: usize = K::Keep::BYTES;
    #[inline(always)]
    fn stash(self, writer: &mut Writer<'_>) {
        let into = writer.fixed(K::Keep::BYTES);
        K::Keep::encode(&self.0, into, |cell| writer.push(cell));
    }
    #[inline(always)]
    fn fetch(reader: &mut Reader<'_>) -> Self {
        let bytes = reader.fixed(K::Keep::BYTES);
        Kept(K::Keep::decode(bytes, |place| reader.peek(place)))
    }
}

/// The adjoint of one argument while a rule runs outside of a tape.
struct One<'s, K: Kind> {
    active: bool,
    sum: &'s mut K::Adjoint,
}
impl<K: Kind> Sink<K> for One<'_, K> {
    fn wants(&self) -> bool {
        self.active
    }
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        if self.active {
            contribution.add_to(self.sum);
        }
    }
}
struct Three<'s, A: Kind, B: Kind, C: Kind> {
    active: [bool; 3],
    sums: (&'s mut A::Adjoint, &'s mut B::Adjoint, &'s mut C::Adjoint),
}
impl<A: Kind, B: Kind, C: Kind> Sinks<A, B, C> for Three<'_, A, B, C> {
    fn a(&mut self) -> impl Sink<A> {
        One::<A> {
            active: self.active[0],
            sum: self.sums.0,
        }
    }
    fn b(&mut self) -> impl Sink<B> {
        One::<B> {
            active: self.active[1],
            sum: self.sums.1,
        }
    }
    fn c(&mut self) -> impl Sink<C> {
        One::<C> {
            active: self.active[2],
            sum: self.sums.2,
        }
    }
}

/// Runs a rule's adjoint outside of a tape, with the primals that [`Rule::READS`] declares for the active
/// arguments and no others, so that a formula that reads more panics.
pub fn adjoints<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    (a, b, c): (&Val<A>, &Val<B>, &Val<C>),
    r_b: &Val<O::Out>,
    active: [bool; 3],
) -> (A::Adjoint, B::Adjoint, C::Adjoint) {
    use crate::kind::arg;
    let reads = (0..3).filter(|&i| active[i]).map(|i| O::READS[i]);
    let reads = reads.fold(0, |all, one| all | one);
    let (r, saved) = op.primal(arg::<A>(a), arg::<B>(b), arg::<C>(c));
    let r = O::result(&saved).unwrap_or(r);
    let primals = Primals {
        a: (reads & super::A != 0).then(|| arg::<A>(a)),
        b: (reads & super::B != 0).then(|| arg::<B>(b)),
        c: (reads & super::C != 0).then(|| arg::<C>(c)),
        r: (reads & R != 0).then(|| arg::<O::Out>(&r)),
        rule: std::any::type_name::<O>(),
    };
    let mut sums = Default::default();
    let (a, b, c): &mut (A::Adjoint, B::Adjoint, C::Adjoint) = &mut sums;
    let sinks = Three::<A, B, C> {
        active,
        sums: (a, b, c),
    };
    op.adjoint(primals, &saved, arg::<O::Out>(r_b), sinks);
    sums
}

/// A kind that `sample(..)` can draw values of.
#[diagnostic::on_unimplemented(
    message = "`sample` can't draw values of kind `{Self}`",
    note = "it draws numbers from ranges; test a rule for other kinds with `entape::check`"
)]
pub trait Sampled: Kind {
    /// Where values come from.
    type Domain;
    /// The value at `t`, between 0 and 1.
    fn at(domain: &Self::Domain, t: f64) -> Val<Self>;
    /// The value plus `h`.
    fn plus(value: &Val<Self>, h: f64) -> Val<Self>;
    /// The value, or an adjoint, as a number.
    fn number(value: Option<Val<Self>>) -> f64;
    /// Whether there is an argument.
    const IS: bool;
}
impl Sampled for f64 {
    type Domain = Range<f64>;
    fn at(domain: &Range<f64>, t: f64) -> f64 {
        domain.start + t * (domain.end - domain.start)
    }
    fn plus(value: &f64, h: f64) -> f64 {
        value + h
    }
    fn number(value: Option<f64>) -> f64 {
        value.unwrap_or(0.0)
    }
    const IS: bool = true;
}
impl Sampled for () {
    type Domain = ();
    fn at((): &(), _: f64) {}
    fn plus((): &(), _: f64) {}
    fn number(_: Option<()>) -> f64 {
        0.0
    }
    const IS: bool = false;
}

/// Compares a rule with central differences, one argument active at a time, at points of the domains.
///
/// # Panics
/// If they differ.
pub fn check<O, A: Sampled, B: Sampled, C: Sampled>(
    op: &O,
    a: A::Domain,
    b: B::Domain,
    c: C::Domain,
) where
    O: Rule<A, B, C, Out: Sampled>,
{
    use crate::kind::{Adjoint, arg};
    let names = ["first", "second", "third"];
    for k in 0..16 {
        // Points that fill the domains evenly and meet neither their ends nor each other.
        let t = |step: f64| (0.137 + step * f64::from(k)).fract();
        let (x, y, z) = (
            A::at(&a, t(0.618)),
            B::at(&b, t(0.755)),
            C::at(&c, t(0.570)),
        );
        let value = |h: [f64; 3]| {
            let (x, y, z) = (A::plus(&x, h[0]), B::plus(&y, h[1]), C::plus(&z, h[2]));
            let (r, _) = op.primal(arg::<A>(&x), arg::<B>(&y), arg::<C>(&z));
            O::Out::number(Some(r))
        };
        let seed = 1.25;
        let r_b = <O::Out as Sampled>::plus(
            &<O::Out as Kind>::zero_like(&op_value(op, &x, &y, &z)),
            seed,
        );
        for i in (0..3).filter(|&i| [A::IS, B::IS, C::IS][i]) {
            let active = [0, 1, 2].map(|j| i == j);
            let (x_b, y_b, z_b) = adjoints::<O, A, B, C>(op, (&x, &y, &z), &r_b, active);
            let got = match i {
                0 => A::number(x_b.into_value()),
                1 => B::number(y_b.into_value()),
                _ => C::number(z_b.into_value()),
            };
            let points = [
                A::number(Some(x.clone())),
                B::number(Some(y.clone())),
                C::number(Some(z.clone())),
            ];
            let h = 6e-6 * points[i].abs().max(1.0);
            let (up, down) = (
                [0, 1, 2].map(|j| if i == j { h } else { 0.0 }),
                [0, 1, 2].map(|j| if i == j { -h } else { 0.0 }),
            );
            let want = seed * (value(up) - value(down)) / (2.0 * h);
            assert!(
                (got - want).abs() <= 1e-6 * want.abs().max(1.0),
                "{}: the adjoint of the {} argument is {got}, central differences give {want}, at {points:?}",
                std::any::type_name::<O>(),
                names[i],
            );
        }
    }
}
fn op_value<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    a: &Val<A>,
    b: &Val<B>,
    c: &Val<C>,
) -> Val<O::Out> {
    use crate::kind::arg;
    op.primal(arg::<A>(a), arg::<B>(b), arg::<C>(c)).0
}
