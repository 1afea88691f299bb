use super::{
    Check, Failure, Fault,
    forms::Arguments,
    rule::{caught, same},
};
use entape_core::coordinates::{self, Coordinates};
use entape_core::{
    expr::{Active, Apply, ByRef},
    kind::{Kind, Policy, Val, arg},
    mode,
    names::name_of,
    node::{Evaluated, Node, Produce},
    rule::Rule,
    tape::Tape,
};
use std::any::TypeId;

impl Check {
    /// Tests that the [`Rule`] of `op` is bitwise equal to the plain operation, and panics exactly if it does:
    /// directly, in plain mode, and recorded.
    ///
    /// ```
    /// use entape_check::Check;
    /// use entape_core::op::Clamp;
    ///
    /// let check = Check::default();
    /// check.plain(&Clamp, (3.0, 0.0, 1.0), || 3.0_f64.clamp(0.0, 1.0))?;
    /// check.plain(&Clamp, (3.0, 1.0, 0.0), || 3.0_f64.clamp(1.0, 0.0))?; // both panic
    /// # Ok::<(), entape_check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that describes the difference.
    pub fn plain<O, P, X>(
        &self,
        op: &O,
        point: X,
        plain: impl FnOnce() -> Val<O::Out>,
    ) -> Result<(), Failure>
    where
        X: Arguments<O, P>,
        O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
    {
        let (a, b, c) = point.into_values();
        let mut all = coordinates::of::<X::A>(&a);
        all.extend(coordinates::of::<X::B>(&b));
        all.extend(coordinates::of::<X::C>(&c));
        let failure = |fault| Failure {
            subject: name_of::<O>(),
            arguments: String::new(),
            point: all.clone(),
            fault,
        };
        let want = caught("the plain operation", plain).map(|r| coordinates::of::<O::Out>(&r));
        let compare = |what, got: Result<Vec<f64>, Fault>| match (&want, got) {
            (Ok(want), Ok(got)) => same(what, &got, want, 0.0),
            (Ok(_), Err(fault)) => Err(fault),
            (Err(_), Err(_)) => Ok(()),
            (Err(Fault::Panics { message, .. }), Ok(_)) => Err(Fault::Succeeds {
                what,
                message: message.clone(),
            }),
            (Err(other), Ok(_)) => Err(other.clone()),
        };
        let what = "the primal";
        let primal = || {
            let (r, _) = op.primal(arg::<X::A>(&a), arg::<X::B>(&b), arg::<X::C>(&c));
            coordinates::of::<O::Out>(&r)
        };
        compare(what, caught(what, primal)).map_err(failure)?;

        let what = "evaluation in plain mode";
        let (x, y, z) = (
            Active::<X::A, mode::Plain>::passive(a.clone()),
            Active::<X::B, mode::Plain>::passive(b.clone()),
            Active::<X::C, mode::Plain>::passive(c.clone()),
        );
        let plain_mode = || {
            let node = Apply::ternary(op.clone(), ByRef(&x), ByRef(&y), ByRef(&z));
            let (r, _) = node.evaluate();
            coordinates::of::<O::Out>(&r.ready().own())
        };
        compare(what, caught(what, plain_mode)).map_err(failure)?;

        let what = "evaluation on a tape";
        let mut tape = Tape::new();
        let x = tape.input_as::<X::A>(a.clone());
        let y = input_if_there::<X::B>(&b, &mut tape);
        let z = input_if_there::<X::C>(&c, &mut tape);
        let taped = || {
            let node = || Apply::ternary(op.clone(), ByRef(&x), ByRef(&y), ByRef(&z));
            let outputs = tape.record(|| O::Out::record(node()));
            let mut list = Vec::new();
            outputs.iter().for_each(|y| y.coordinates(&mut list));
            list
        };
        compare(what, caught(what, taped)).map_err(failure)
    }
}
fn input_if_there<K: Kind>(value: &Val<K>, tape: &mut Tape) -> Active<K> {
    // A list has no variable.
    if TypeId::of::<K>() == TypeId::of::<()>() || !K::Policy::VARIABLES {
        Active::passive(value.clone())
    } else {
        tape.input_as::<K>(value.clone())
    }
}
