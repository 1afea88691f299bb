//! Tangents of rules outside a sweep, along one direction.
use super::{
    Rule,
    adjoints::{Three, Unread, unset, with_primals},
    argument_tangents::{ArgumentTangents, SecondAdjoint, SecondSinks},
    definition::marked_tangents,
    sink::{Sink, Sinks},
};
use crate::kind::{Kind, Val};
use std::slice::from_ref;

/// The adjoints of three arguments.
pub type ThreeAdjoints<A, B, C> = (
    <A as Kind>::Adjoint,
    <B as Kind>::Adjoint,
    <C as Kind>::Adjoint,
);

fn there<A: Kind, B: Kind, C: Kind>(tangent: ArgumentTangents<'_, A, B, C, 1>) -> [bool; 3] {
    [
        tangent.a.is_some(),
        tangent.b.is_some(),
        tangent.c.is_some(),
    ]
}

/// Returns the tangent of the result. The rule receives only primals that [`Rule::READS`] declares, so a formula that reads more
/// panics.
pub fn tangent_alone<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    tangent: ArgumentTangents<'_, A, B, C, 1>,
) -> Option<Val<O::Out>> {
    let (mut r_t, active) = (None, there(tangent));
    with_primals(op, values, active, Unread::Shape, &mut |primals, saved| {
        if let Some([tangent]) = marked_tangents(op, &primals, saved, tangent) {
            r_t = Some(tangent);
        }
    });
    r_t
}
/// Like `tangent_alone`, for the adjoints of active arguments and their tangents. `(r_b, r_bt)` is the result's adjoint with its
/// tangent.
#[allow(clippy::type_complexity)]
pub fn second_alone<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    tangent: ArgumentTangents<'_, A, B, C, 1>,
    (r_b, r_bt): (Option<&Val<O::Out>>, Option<&Val<O::Out>>),
    active: [bool; 3],
) -> [ThreeAdjoints<A, B, C>; 2] {
    let r_t = match there(tangent) {
        [false, false, false] => None,
        _ => tangent_alone(op, values, tangent),
    };
    let mut sinks = SecondOrderTerms::<A, B, C> {
        active,
        sums: [(); 2].map(|()| unset::<A, B, C>()),
    };
    with_primals(op, values, active, Unread::Shape, &mut |primals, saved| {
        let single = |value| -> &[Val<O::Out>; 1] {
            from_ref(value).try_into().expect("a list of one value")
        };
        let adjoint = SecondAdjoint {
            r_b,
            tangents: r_bt.map(single),
        };
        op.second::<1>(
            &primals,
            saved,
            tangent,
            r_t.as_ref().map(single),
            adjoint,
            &mut sinks,
        );
    });
    sinks.sums
}
struct SecondOrderTerms<A: Kind, B: Kind, C: Kind> {
    active: [bool; 3],
    sums: [ThreeAdjoints<A, B, C>; 2],
}
impl<A: Kind, B: Kind, C: Kind> SecondOrderTerms<A, B, C> {
    fn three(&mut self, which: usize) -> Three<'_, A, B, C> {
        let (a, b, c) = &mut self.sums[which];
        Three {
            active: self.active,
            sums: (a, b, c),
        }
    }
}
impl<A: Kind, B: Kind, C: Kind> SecondSinks<A, B, C, 1> for SecondOrderTerms<A, B, C> {
    fn adjoint(&mut self) -> impl Sinks<A, B, C> {
        self.three(0)
    }
    fn tangent(&mut self, _: usize) -> impl Sinks<A, B, C> {
        self.three(1)
    }
    fn add_a(&mut self, x_b: impl FnOnce() -> (Val<A>, [Val<A>; 1])) {
        if self.active[0] {
            let (x_b, [x_bt]) = x_b();
            self.three(0).a().add(x_b);
            self.three(1).a().add(x_bt);
        }
    }
    fn add_b(&mut self, x_b: impl FnOnce() -> (Val<B>, [Val<B>; 1])) {
        if self.active[1] {
            let (x_b, [x_bt]) = x_b();
            self.three(0).b().add(x_b);
            self.three(1).b().add(x_bt);
        }
    }
    fn add_c(&mut self, x_b: impl FnOnce() -> (Val<C>, [Val<C>; 1])) {
        if self.active[2] {
            let (x_b, [x_bt]) = x_b();
            self.three(0).c().add(x_b);
            self.three(1).c().add(x_bt);
        }
    }
}
