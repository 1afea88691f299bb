use entape_core::coordinates::{self, Coordinates, Output};
use entape_core::{
    eval::Whole,
    expr::{Active, Apply, ByRef, Nil, ValueOf, Variables},
    kind::{Arg, Incoming, Kind, List, Policy, TapeCell, Val},
    mode::Taped,
    node::Node,
    rule::{self, Primals, Rule, Sink, Sinks},
    store::Stash,
    tape::{Error, Gradient, Tape},
};
use std::marker::PhantomData;

/// Makes the node of one argument.
pub trait Enter<K: Kind> {
    /// One variable, or the variables of a list.
    type Variables: Entered;
    /// Makes the variables.
    fn variables(value: &Val<K>, active: bool, tape: &mut Tape) -> Self::Variables;
    /// The node.
    type Node<'v>: Node<Kind = K>;
    /// Makes the node.
    fn node(variables: &Self::Variables) -> Self::Node<'_>;
}
/// The variables of an argument, with their kind erased.
pub trait Entered: 'static {
    /// Returns whether a variable is active; false for an empty list.
    fn is_active(&self) -> bool;
    /// Returns the gradient by coordinates.
    fn gradient(&self, of: &Gradient<'_>) -> Result<Vec<f64>, Error>;
}
impl<K: Coordinates> Entered for Active<K> {
    fn is_active(&self) -> bool {
        self.is_active()
    }
    fn gradient(&self, of: &Gradient<'_>) -> Result<Vec<f64>, Error> {
        Ok(coordinates::of::<K>(&of.wrt(self)?))
    }
}
impl<K: Coordinates> Entered for Vec<Active<K>> {
    fn is_active(&self) -> bool {
        self.iter().any(Active::is_active)
    }
    fn gradient(&self, of: &Gradient<'_>) -> Result<Vec<f64>, Error> {
        let mut all = Vec::new();
        for x in self {
            all.extend(Entered::gradient(x, of)?);
        }
        Ok(all)
    }
}
impl Entered for () {
    fn is_active(&self) -> bool {
        false
    }
    fn gradient(&self, _: &Gradient<'_>) -> Result<Vec<f64>, Error> {
        Ok(Vec::new())
    }
}
/// An operation recorded twice.
pub struct Recorded {
    pub(super) tape: Tape,
    pub(super) outputs: [Vec<Box<dyn Output>>; 2],
    pub(super) arguments: [Box<dyn Entered>; 3],
}
entape_core::debug_by_name! { [] Recorded }

/// A variable, active or passive.
#[derive(Debug)]
pub struct Variable;
/// An inner expression that returns a variable.
#[derive(Debug)]
pub struct Inner;
/// No argument.
#[derive(Debug)]
pub struct Absent;
/// A list of variables, or an inner expression that returns one.
pub struct AsList<E>(PhantomData<E>);
entape_core::debug_by_name! { [E] AsList<E> }

fn variable<K: Kind>(value: &Val<K>, active: bool, tape: &mut Tape) -> Active<K> {
    match active {
        true => tape.input_as::<K>(value.clone()),
        false => Active::passive(value.clone()),
    }
}
macro_rules! one_variable {
    () => {
        type Variables = Active<K>;
        fn variables(value: &Val<K>, active: bool, tape: &mut Tape) -> Active<K> {
            variable(value, active, tape)
        }
    };
}
impl<K: Coordinates> Enter<K> for Variable {
    one_variable!();
    type Node<'v> = ByRef<'v, K, Taped>;
    fn node(variable: &Active<K>) -> ByRef<'_, K, Taped> {
        ByRef(variable)
    }
}
impl<K: Coordinates> Enter<K> for Inner {
    one_variable!();
    type Node<'v> = Apply<Same, ByRef<'v, K, Taped>>;
    fn node(variable: &Active<K>) -> Self::Node<'_> {
        Apply::unary(Same, ByRef(variable))
    }
}
impl Enter<()> for Absent {
    type Variables = ();
    fn variables((): &(), _: bool, _: &mut Tape) {}
    type Node<'v> = Nil;
    fn node((): &()) -> Nil {
        Nil
    }
}
macro_rules! variables_of_a_list {
    () => {
        type Variables = Vec<Active<K>>;
        fn variables(value: &Val<List<K>>, active: bool, tape: &mut Tape) -> Vec<Active<K>> {
            let each = value.iter();
            each.map(|value| variable(value.peek(), active, tape))
                .collect()
        }
    };
}
impl<K: Coordinates> Enter<List<K>> for AsList<Variable> {
    variables_of_a_list!();
    type Node<'v> = Variables<'v, K, Taped>;
    fn node(variables: &Vec<Active<K>>) -> Variables<'_, K, Taped> {
        Variables(variables)
    }
}
impl<K: Coordinates> Enter<List<K>> for AsList<Inner> {
    variables_of_a_list!();
    type Node<'v> = Apply<Same, Variables<'v, K, Taped>>;
    fn node(variables: &Vec<Active<K>>) -> Self::Node<'_> {
        Apply::unary(Same, Variables(variables))
    }
}

/// Returns its argument, and compares it with what a sweep recomputes.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Same;
fn fingerprint<K: Coordinates>(value: &Val<K>) -> u64 {
    coordinates::of::<K>(value).iter().fold(0, |hash: u64, x| {
        hash.rotate_left(7).wrapping_mul(31) ^ x.to_bits()
    })
}
impl<K: Coordinates> Rule<K> for Same {
    type Out = K;
    type Saved = u64;
    type Evaluation = Whole;
    const READS: [u8; 3] = [rule::A, 0, 0];
    fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<K>, u64) {
        let value = K::Policy::value(&a).clone();
        let print = fingerprint::<K>(&value);
        (value, print)
    }
    fn adjoint(
        &self,
        p: Primals<'_, K, (), (), K>,
        saved: &u64,
        r_b: Incoming<'_, K>,
        mut s: impl Sinks<K>,
    ) {
        let r_b = r_b.get();
        let again = fingerprint::<K>(K::Policy::value(&p.a()));
        assert!(
            again == *saved,
            "a sweep computes another value than the recording"
        );
        s.a().add(K::Policy::value(&r_b).clone());
    }
}

/// The arguments of an operation at a point: a tuple of plain values of kinds `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not arguments of `{O}`",
    note = "pass a tuple of one to three values of kinds for which the operation has a rule; the kinds must implement `entape::check::Coordinates`"
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
    /// Returns the plain values.
    #[allow(clippy::type_complexity)]
    fn into_values(self) -> (Val<Self::A>, Val<Self::B>, Val<Self::C>);
    #[doc(hidden)]
    type First: Cases<Self::A>;
    #[doc(hidden)]
    type Second: Cases<Self::B>;
    #[doc(hidden)]
    type Third: Cases<Self::C>;
}

/// The forms of an argument in an expression.
pub trait Cases<K: Kind> {
    /// As a variable.
    type Variable: Enter<K>;
    /// As an inner expression.
    type Inner: Enter<K>;
    /// Whether the argument exists.
    const IS: bool;
}
/// An existing argument.
#[derive(Debug)]
pub struct Present;
/// A missing argument.
#[derive(Debug)]
pub struct Missing;
impl<K: Coordinates> Cases<K> for Present {
    type Variable = Variable;
    type Inner = Inner;
    const IS: bool = true;
}
impl<K: Coordinates> Cases<List<K>> for AsList<Present> {
    type Variable = AsList<Variable>;
    type Inner = AsList<Inner>;
    const IS: bool = true;
}
impl Cases<()> for Missing {
    type Variable = Absent;
    type Inner = Absent;
    const IS: bool = false;
}

/// One argument at a point: a plain value of kind `K`, or a [`ListOf`] such values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of kind `{K}`",
    note = "pass a plain value of the kind, or `ListOf(vec![..])` for a list"
)]
pub trait Argument<K: Kind> {
    #[doc(hidden)]
    type Cases: Cases<K>;
    /// Returns the plain value.
    fn argument(self) -> Val<K>;
}
impl<K: Coordinates, X: ValueOf<K>> Argument<K> for X {
    type Cases = Present;
    fn argument(self) -> Val<K> {
        self.into_value()
    }
}
/// The values of a list as one argument of an operation.
///
/// ```
/// use entape_check::{self as check, ListOf};
/// use entape_core::op;
///
/// check::assert_rule(&op::Norm, (ListOf(vec![1.0, -2.0, 3.0]),));
/// ```
#[derive(Clone, Debug)]
pub struct ListOf<V>(pub Vec<V>);
impl<V> From<Vec<V>> for ListOf<V> {
    fn from(values: Vec<V>) -> Self {
        ListOf(values)
    }
}
impl<K: Coordinates, X: ValueOf<K>> Argument<List<K>> for ListOf<X> {
    type Cases = AsList<Present>;
    fn argument(self) -> Val<List<K>> {
        let cell = |value: X| TapeCell::new(value.into_value());
        self.0.into_iter().map(cell).collect()
    }
}

impl<O, A: Coordinates, X: Argument<A>> Arguments<O, (A,)> for (X,)
where
    O: Rule<A, Out: Coordinates> + Clone,
{
    type A = A;
    type B = ();
    type C = ();
    fn into_values(self) -> (Val<A>, (), ()) {
        (self.0.argument(), (), ())
    }
    type First = X::Cases;
    type Second = Missing;
    type Third = Missing;
}
impl<O, A: Coordinates, B: Coordinates, X: Argument<A>, Y: Argument<B>> Arguments<O, (A, B)>
    for (X, Y)
where
    O: Rule<A, B, Out: Coordinates> + Clone,
{
    type A = A;
    type B = B;
    type C = ();
    fn into_values(self) -> (Val<A>, Val<B>, ()) {
        (self.0.argument(), self.1.argument(), ())
    }
    type First = X::Cases;
    type Second = Y::Cases;
    type Third = Missing;
}
impl<O, A, B, C, X: Argument<A>, Y: Argument<B>, Z: Argument<C>> Arguments<O, (A, B, C)>
    for (X, Y, Z)
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
        (self.0.argument(), self.1.argument(), self.2.argument())
    }
    type First = X::Cases;
    type Second = Y::Cases;
    type Third = Z::Cases;
}

/// A domain from which `sample(..)` draws values of an argument of kind `K`.
#[diagnostic::on_unimplemented(
    message = "`sample` cannot draw values of kind `{K}` from `{Self}`",
    note = "give a range for a real number, `x = 0.5..2.0`, and a value for another kind"
)]
// `How` distinguishes the impls, because core could make a range a `ValueOf`.
pub trait Domain<K: Kind, How> {
    #[doc(hidden)]
    type Cases: Cases<K>;
    /// Returns the value at `t`, between 0 and 1.
    fn at(&self, t: f64) -> Val<K>;
}
/// A range as a domain.
#[derive(Debug)]
pub struct Within;
/// A value as a domain.
#[derive(Debug)]
pub struct Around;
macro_rules! ranges { ($($T:ident)*) => { $(
    impl Domain<$T, Within> for std::ops::Range<$T> {
        type Cases = Present;
        fn at(&self, t: f64) -> $T {
            self.start + t as $T * (self.end - self.start)
        }
    }
)* } }
ranges! { f64 f32 }
/// Differs by up to a tenth in each coordinate.
impl<K: Coordinates, V: Argument<K> + Clone> Domain<K, Around> for V {
    type Cases = V::Cases;
    fn at(&self, t: f64) -> Val<K> {
        let value = self.clone().argument();
        let around = coordinates::of::<K>(&value);
        let turned = |i: usize| (t + 0.618 * i as f64).fract() - 0.5;
        let moved = around
            .iter()
            .enumerate()
            .map(|(i, x)| x * (1.0 + 0.2 * turned(i)));
        K::from_coordinates(&value, &mut &moved.collect::<Vec<_>>()[..])
    }
}
impl Domain<(), Missing> for () {
    type Cases = Missing;
    fn at(&self, _: f64) {}
}

/// A point in three domains.
pub struct Drawn<A: Kind, B: Kind, C: Kind, E>((Val<A>, Val<B>, Val<C>), PhantomData<E>);
entape_core::debug_by_name! { [A: Kind, B: Kind, C: Kind, E] Drawn<A, B, C, E> }
impl<O, A, B, C, EA, EB, EC> Arguments<O, (A, B, C)> for Drawn<A, B, C, (EA, EB, EC)>
where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
    EA: Cases<A>,
    EB: Cases<B>,
    EC: Cases<C>,
{
    type A = A;
    type B = B;
    type C = C;
    fn into_values(self) -> (Val<A>, Val<B>, Val<C>) {
        self.0
    }
    type First = EA;
    type Second = EB;
    type Third = EC;
}

#[track_caller]
pub(crate) fn sampled<O, A, B, C, HA, HB, HC, DA, DB, DC>(op: &O, a: DA, b: DB, c: DC)
where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
    DA: Domain<A, HA>,
    DB: Domain<B, HB>,
    DC: Domain<C, HC>,
{
    for k in 0..crate::few_or(4, 16) {
        let t = |step: f64| (0.137 + step * f64::from(k)).fract();
        let values = (a.at(t(0.618)), b.at(t(0.755)), c.at(t(0.570)));
        let point = Drawn::<A, B, C, (DA::Cases, DB::Cases, DC::Cases)>(values, PhantomData);
        super::assert_rule::<O, (A, B, C), _>(op, point);
    }
}
