use entape_core::{
    eval::Whole,
    kind::{Arg, Incoming, Kind, Policy, Val},
    names::name_of,
    rule::{self, ArgumentTangents, Order, Primals, Rule, SecondAdjoint, SecondSinks, Sink, Sinks},
    store::Stash,
};
use std::{any::type_name, rc::Rc};

/// An operation with a parameter computed from its first argument, such as a solve by a factorization. Its adjoint
/// belongs to both steps, so [`rule`](super::rule()) recomputes the parameter for differences.
///
/// ```
/// use entape_check as check;
/// use entape_core::op;
///
/// /// A square root that was computed before.
/// #[op(tangent(x = x_t / (2.0 * root)), second(x = -r_b * x_t / (4.0 * root.powi(3))))]
/// fn known_root(#[ad_in(r_b / (2.0 * root))] x: f64, #[ad_passive] root: f64) -> f64 {
///     root
/// }
/// check::assert_rule(&check::Prepared::new(|x: &f64| KnownRoot { root: x.sqrt() }), (2.0,));
/// ```
#[derive(Stash)]
pub struct Prepared<O: 'static, V: 'static>(Rc<Make<O, V>>);
struct Make<O, V>(Box<dyn Fn(&V) -> O>);
impl<O, V> Clone for Prepared<O, V> {
    fn clone(&self) -> Self {
        Prepared(self.0.clone())
    }
}
impl<O, V> std::fmt::Debug for Prepared<O, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&name_of::<Self>())
    }
}
impl<O, V> Prepared<O, V> {
    /// Creates the operation `make(first argument)`.
    pub fn new(make: impl Fn(&V) -> O + 'static) -> Self {
        Prepared(Rc::new(Make(Box::new(make))))
    }
}
/// Restricts operands to those declared as read.
fn declared<'p, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    p: &Primals<'p, A, B, C, O::Out>,
    wants: [bool; 3],
) -> Primals<'p, A, B, C, O::Out> {
    let reads = (0..3)
        .filter(|&i| wants[i])
        .fold(0, |all, i| all | O::READS[i]);
    p.only(reads, type_name::<O>())
}
impl<O: 'static, V: Clone + 'static> Prepared<O, V> {
    fn made<A: Kind<Value = V>, B: Kind, C: Kind>(
        &self,
        p: &Primals<'_, A, B, C, O::Out>,
    ) -> (O, O::Saved)
    where
        O: Rule<A, B, C>,
    {
        let op = (self.0.0)(A::Policy::value(&p.a()));
        let (_, saved) = op.primal(p.a(), p.b(), p.c());
        (op, saved)
    }
}
fn wanted<A: Kind, B: Kind, C: Kind>(sinks: &mut impl Sinks<A, B, C>) -> [bool; 3] {
    let a = sinks.a().wants();
    let b = sinks.b().wants();
    [a, b, sinks.c().wants()]
}
const ALL: u8 = rule::A | rule::B | rule::C | rule::R;
impl<O, A: Kind, B: Kind, C: Kind> Rule<A, B, C> for Prepared<O, Val<A>>
where
    O: Rule<A, B, C> + 'static,
{
    type Out = O::Out;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [ALL; 3];
    const FLOWS: [bool; 3] = O::FLOWS;
    const ORDER: Order = O::ORDER;
    fn primal<'p>(&self, a: Arg<'p, A>, b: Arg<'p, B>, c: Arg<'p, C>) -> (Val<O::Out>, ()) {
        let op = (self.0.0)(A::Policy::value(&a));
        (op.primal(a, b, c).0, ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, A, B, C, O::Out>,
        (): &(),
        r_b: Incoming<'_, O::Out>,
        mut sinks: impl Sinks<A, B, C>,
    ) {
        let wants = wanted(&mut sinks);
        let (op, saved) = self.made::<A, B, C>(&p);
        op.adjoint(declared::<O, A, B, C>(&p, wants), &saved, r_b, sinks);
    }
    fn tangents<const N: usize>(
        &self,
        p: &Primals<'_, A, B, C, O::Out>,
        (): &(),
        tangent: ArgumentTangents<'_, A, B, C, N>,
    ) -> Option<[Val<O::Out>; N]> {
        let moves = [
            tangent.a.is_some(),
            tangent.b.is_some(),
            tangent.c.is_some(),
        ];
        let (op, saved) = self.made::<A, B, C>(p);
        op.tangents(&declared::<O, A, B, C>(p, moves), &saved, tangent)
    }
    fn second<const N: usize>(
        &self,
        p: &Primals<'_, A, B, C, O::Out>,
        (): &(),
        tangent: ArgumentTangents<'_, A, B, C, N>,
        r_t: Option<&[Val<O::Out>; N]>,
        r: SecondAdjoint<'_, O::Out, N>,
        sinks: &mut impl SecondSinks<A, B, C, N>,
    ) {
        let wants = wanted(&mut sinks.adjoint());
        let (op, saved) = self.made::<A, B, C>(p);
        let p = declared::<O, A, B, C>(p, wants);
        op.second(&p, &saved, tangent, r_t, r, sinks);
    }
}
