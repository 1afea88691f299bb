//! Tangents that follow from the rest of a rule.
use super::{
    argument_tangents::{ArgumentTangent, Terms},
    definition::Rule,
    primals::Primals,
    sink::{NoSink, Sink, Sinks},
};
use crate::{
    kind::{Arg, Contribution, Incoming, Kind, Policy, Val, arg},
    names::short,
};

/// Returns the tangent of a linear operation: the operation applied to the argument's tangent.
#[inline(always)]
pub fn linear_tangent<O: Rule<A>, A: Kind>(
    op: &O,
    tangent: ArgumentTangent<'_, A>,
) -> Option<Val<O::Out>> {
    tangent.a.map(|a_t| op.primal(arg::<A>(a_t), (), ()).0)
}
#[doc(hidden)]
#[inline(always)]
#[track_caller]
pub fn assert_same_shape<O, A: Kind, R: Kind<Value = Val<A>>>(a: &Arg<'_, A>, r: &Val<R>) {
    let a = A::Policy::value(a);
    if !A::same_shape(a, r) {
        other_shape::<O>(A::shape_text(a), R::shape_text(r));
    }
}
#[cold]
#[inline(never)]
#[track_caller]
fn other_shape<O>(a: String, r: String) -> ! {
    panic!(
        "{} is declared `self_adjoint` but maps shape {a} to shape {r}: write `linear` instead, with the adjoint formula `#[ad_in(..)]`",
        short(std::any::type_name::<O>())
    )
}
/// Returns the tangent of a bilinear operation: the sum of its applications to each tangent and the other argument.
#[inline(always)]
pub fn bilinear_tangent<O: Rule<A, B>, A: Kind, B: Kind>(
    op: &O,
    primals: Primals<'_, A, B, (), O::Out>,
    tangent: ArgumentTangent<'_, A, B>,
) -> Option<Val<O::Out>> {
    let mut terms = Terms::<O::Out>::default();
    if let Some(a_t) = tangent.a {
        let b = primals.b();
        terms.add(
            op.primal(arg::<A>(a_t), arg::<B>(B::Policy::value(&b)), ())
                .0,
        );
    }
    if let Some(b_t) = tangent.b {
        let a = primals.a();
        terms.add(
            op.primal(arg::<A>(A::Policy::value(&a)), arg::<B>(b_t), ())
                .0,
        );
    }
    terms.sum()
}
/// Adds the tangents of a bilinear operation's adjoints: the formulas applied to the tangent of the other argument.
#[inline(always)]
pub fn bilinear_second<O: Rule<A, B>, A: Kind, B: Kind>(
    op: &O,
    saved: &O::Saved,
    tangent: ArgumentTangent<'_, A, B>,
    r_b: Incoming<'_, O::Out>,
    sinks: impl Sinks<A, B>,
) {
    let primals = Primals {
        a: tangent.a.map(arg::<A>),
        b: tangent.b.map(arg::<B>),
        c: Some(()),
        r: None,
        rule: std::any::type_name::<O>(),
    };
    let wants = [tangent.b.is_some(), tangent.a.is_some()];
    op.adjoint(primals, saved, r_b, Where { sinks, wants });
}

struct Where<S> {
    sinks: S,
    wants: [bool; 2],
}
struct If<S>(S, bool);
impl<K: Kind, S: Sink<K>> Sink<K> for If<S> {
    #[inline(always)]
    fn wants(&self) -> bool {
        self.1 && self.0.wants()
    }
    #[inline(always)]
    fn add<C: Contribution<K>>(&mut self, contribution: C) {
        if self.1 {
            self.0.add(contribution);
        }
    }
}
impl<A: Kind, B: Kind, S: Sinks<A, B>> Sinks<A, B> for Where<S> {
    #[inline(always)]
    fn a(&mut self) -> impl Sink<A> {
        If(self.sinks.a(), self.wants[0])
    }
    #[inline(always)]
    fn b(&mut self) -> impl Sink<B> {
        If(self.sinks.b(), self.wants[1])
    }
    #[inline(always)]
    fn c(&mut self) -> impl Sink<()> {
        self.sinks.c()
    }
    /// The formula would read one tangent twice.
    #[inline(always)]
    fn both(&mut self) -> Option<impl Sink<A>> {
        None::<NoSink>
    }
}
