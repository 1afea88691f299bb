//! How arguments enter an expression: as variables, as constants, inside of it.
use super::coordinates::{self, Coordinates, Lent};
use crate::{
    expr::{Active, Apply, ByRef, Const, Expr, Given, Nil, Node, lit},
    kind::{Arg, Kind, Stash, Val},
    mode::Taped,
    rule::{self, Primals, Rule, Sink, Sinks, annotation},
    tape::{Reader, Writer},
};

/// Makes the node of one argument.
pub trait Enter<K: Kind> {
    /// Whether adjoints flow to the argument if it is active.
    const VARIABLE: bool;
    /// The node.
    type Node<'v>: Node<Kind = K>;
    /// Makes it.
    fn node(variable: &Active<K>) -> Self::Node<'_>;
}
/// A variable, active or passive.
pub(super) struct Variable;
/// A constant, known at compile time.
pub(super) struct Fixed;
/// An inner expression that returns a variable.
pub(super) struct Inner;
/// No argument.
pub(super) struct Absent;

impl<K: Kind> Enter<K> for Variable {
    const VARIABLE: bool = true;
    type Node<'v> = ByRef<'v, K, Taped>;
    fn node(variable: &Active<K>) -> ByRef<'_, K, Taped> {
        ByRef(variable)
    }
}
impl<K: Kind> Enter<K> for Fixed {
    const VARIABLE: bool = false;
    type Node<'v> = Const<K>;
    fn node(variable: &Active<K>) -> Const<K> {
        let expr: Expr<K, Taped, _> = lit(variable.get().clone());
        annotation::node(expr)
    }
}
impl<K: Coordinates> Enter<K> for Inner {
    const VARIABLE: bool = true;
    type Node<'v> = Apply<Same, ByRef<'v, K, Taped>>;
    fn node(variable: &Active<K>) -> Self::Node<'_> {
        Apply::unary(Same, ByRef(variable))
    }
}
impl Enter<()> for Absent {
    const VARIABLE: bool = false;
    type Node<'v> = Nil;
    fn node(_: &Active<()>) -> Nil {
        Nil
    }
}

/// The operation that returns its argument. It remembers the argument in the primal and compares it
/// with what a sweep computes again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Same;
impl Stash for Same {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Same
    }
}
fn fingerprint<K: Coordinates>(value: &Val<K>) -> u64 {
    coordinates::of::<K>(value).iter().fold(0, |hash: u64, x| {
        hash.rotate_left(7).wrapping_mul(31) ^ x.to_bits()
    })
}
impl<K: Coordinates> Rule<K> for Same {
    type Out = K;
    type Saved = u64;
    const READS: [u8; 3] = [rule::A, 0, 0];
    fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<K>, u64) {
        let value = <K::Policy as Lent>::lent(&a).clone();
        let print = fingerprint::<K>(&value);
        (value, print)
    }
    fn adjoint(
        &self,
        p: Primals<'_, K, (), (), K>,
        saved: &u64,
        r_b: Arg<'_, K>,
        mut s: impl Sinks<K>,
    ) {
        let again = fingerprint::<K>(<K::Policy as Lent>::lent(&p.a()));
        assert!(
            again == *saved,
            "a sweep computes another value than the recording"
        );
        s.a().add(<K::Policy as Lent>::lent(&r_b).clone());
    }
}

/// What a form is tested with.
pub trait Visit<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> {
    /// Why it failed.
    type Failure;
    /// Tests a form; with `INNER` the operation is an inner expression itself.
    fn form<EA: Enter<A>, EB: Enter<B>, EC: Enter<C>, const INNER: bool>(
        &mut self,
    ) -> Result<(), Self::Failure>;
}

/// The arguments of an operation at one point: a tuple of plain values, of which `P` are the kinds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no arguments of `{O}`",
    note = "arguments are a tuple of one to three values of kinds for which the operation has a rule; the \
            kinds need `entape::check::Coordinates`"
)]
pub trait Arguments<O, P>
where
    O: Rule<Self::A, Self::B, Self::C, Out: Coordinates> + Clone,
{
    /// The kind of the first argument.
    type A: Coordinates;
    /// The kind of the second argument.
    type B: Coordinates;
    /// The kind of the third argument.
    type C: Coordinates;
    /// The plain values.
    #[allow(clippy::type_complexity)]
    fn into_values(self) -> (Val<Self::A>, Val<Self::B>, Val<Self::C>);
    /// Tests every form.
    fn visit<V: Visit<O, Self::A, Self::B, Self::C>>(visitor: &mut V) -> Result<(), V::Failure>;
}

impl<O, A: Coordinates, X: Given<A>> Arguments<O, (A,)> for (X,)
where
    O: Rule<A, Out: Coordinates> + Clone,
{
    type A = A;
    type B = ();
    type C = ();
    fn into_values(self) -> (Val<A>, (), ()) {
        (self.0.given(), (), ())
    }
    fn visit<V: Visit<O, A, (), ()>>(visitor: &mut V) -> Result<(), V::Failure> {
        visitor.form::<Variable, Absent, Absent, false>()?;
        visitor.form::<Fixed, Absent, Absent, false>()?;
        visitor.form::<Inner, Absent, Absent, true>()
    }
}
impl<O, A: Coordinates, B: Coordinates, X: Given<A>, Y: Given<B>> Arguments<O, (A, B)> for (X, Y)
where
    O: Rule<A, B, Out: Coordinates> + Clone,
{
    type A = A;
    type B = B;
    type C = ();
    fn into_values(self) -> (Val<A>, Val<B>, ()) {
        (self.0.given(), self.1.given(), ())
    }
    fn visit<V: Visit<O, A, B, ()>>(visitor: &mut V) -> Result<(), V::Failure> {
        visitor.form::<Variable, Variable, Absent, false>()?;
        visitor.form::<Variable, Fixed, Absent, false>()?;
        visitor.form::<Fixed, Variable, Absent, false>()?;
        visitor.form::<Fixed, Fixed, Absent, false>()?;
        visitor.form::<Inner, Inner, Absent, true>()
    }
}
impl<O, A, B, C, X: Given<A>, Y: Given<B>, Z: Given<C>> Arguments<O, (A, B, C)> for (X, Y, Z)
where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
{
    type A = A;
    type B = B;
    type C = C;
    fn into_values(self) -> (Val<A>, Val<B>, Val<C>) {
        (self.0.given(), self.1.given(), self.2.given())
    }
    fn visit<V: Visit<O, A, B, C>>(visitor: &mut V) -> Result<(), V::Failure> {
        visitor.form::<Variable, Variable, Variable, false>()?;
        visitor.form::<Variable, Variable, Fixed, false>()?;
        visitor.form::<Variable, Fixed, Variable, false>()?;
        visitor.form::<Variable, Fixed, Fixed, false>()?;
        visitor.form::<Fixed, Variable, Variable, false>()?;
        visitor.form::<Fixed, Variable, Fixed, false>()?;
        visitor.form::<Fixed, Fixed, Variable, false>()?;
        visitor.form::<Fixed, Fixed, Fixed, false>()?;
        visitor.form::<Inner, Inner, Inner, true>()
    }
}
