//! Variables as arguments of an external function.
use super::shape::EachValue;
use crate::{
    driver::{
        ArrayShape, InputShape, ListShape, SingleRefShape, SingleShape, SliceShape, ValueKind,
    },
    expr::Active,
    kind::{Carrier, Kind, Val},
    mode::Mode,
};

/// Variables that are passed to an [external function](super::external).
///
/// | arguments | their plain values |
/// |---|---|
/// | `&Active<K, M>` | the value of kind `K` |
/// | `Active<K, M>` of a value kind | the value of kind `K` |
/// | `&[Active<K, M>]`, `&Vec<Active<K, M>>` | `Vec` of values |
/// | `&[Active<K, M>; N]`, by value for value kinds | `[value; N]` |
/// | a tuple of up to eight of these | a tuple of their plain values |
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the argument of an external function",
    note = "arguments are variables (storage kinds by reference), lists and arrays of them by reference, and tuples of all these; evaluate expressions before"
)]
pub trait Arguments<M: Carrier> {
    /// The shape of the plain values.
    type Shape: EachValue;
    /// Returns the lengths of lists.
    fn lengths(&self) -> <Self::Shape as EachValue>::Lengths;
    /// Passes each variable to `visit`.
    fn each(&self, visit: &mut impl VisitArgument<M>);
    /// Returns the data that `read` reads from the variables.
    fn read(&self, read: &mut impl ReadArgument<M>) -> <Self::Shape as InputShape>::Values;
    /// Returns the plain values of the variables.
    fn values(&self) -> <Self::Shape as InputShape>::Values {
        self.read(&mut ReadArgumentValue)
    }
    /// Returns the variables in the form that a program receives.
    fn view(&self) -> <Self::Shape as InputShape>::View<'_, M>
    where
        M: Mode;
}
/// Visits variables one by one.
pub trait VisitArgument<M: Carrier> {
    /// Visits the next variable.
    fn visit<K: Kind>(&mut self, x: &Active<K, M>);
}
/// Reads data from variables one by one, such as adjoints, in the form of their values.
pub trait ReadArgument<M: Carrier> {
    /// Reads from the next variable.
    fn read<K: Kind>(&mut self, x: &Active<K, M>) -> Val<K>;
}
/// Reads the values of arguments.
struct ReadArgumentValue;
impl<M: Carrier> ReadArgument<M> for ReadArgumentValue {
    fn read<K: Kind>(&mut self, x: &Active<K, M>) -> Val<K> {
        x.get().clone()
    }
}

macro_rules! arguments { ($([$($of:tt)*] $T:ty as $Shape:ty, $self:ident, $visit:ident, $read:ident =>
    $lengths:expr, $each:expr, $values:expr, $view:expr;)*) => { $(
    impl<M: Carrier, $($of)*> Arguments<M> for $T {
        type Shape = $Shape;
        fn lengths(&$self) -> <$Shape as EachValue>::Lengths {
            $lengths
        }
        fn each(&$self, $visit: &mut impl VisitArgument<M>) {
            $each
        }
        fn read(&$self, $read: &mut impl ReadArgument<M>) -> <$Shape as InputShape>::Values {
            $values
        }
        fn view(&$self) -> <$Shape as InputShape>::View<'_, M>
        where
            M: Mode,
        {
            $view
        }
    }
)* } }
arguments! {
    [K: ValueKind] Active<K, M> as SingleShape<K>, self, v, r => (), v.visit(self), r.read(self), self.same();
    [K: Kind] &Active<K, M> as SingleRefShape<K>, self, v, r => (), v.visit(self), r.read(self), self;
    [K: Kind] &[Active<K, M>] as ListShape<K>, self, v, r =>
        self.len(), self.iter().for_each(|x| v.visit(x)), self.iter().map(|x| r.read(x)).collect(), self;
    [K: Kind] &Vec<Active<K, M>> as ListShape<K>, self, v, r =>
        self.len(), self.iter().for_each(|x| v.visit(x)), self.iter().map(|x| r.read(x)).collect(), self;
    [K: Kind, const N: usize] &[Active<K, M>; N] as SliceShape<K, N>, self, v, r =>
        (), self.iter().for_each(|x| v.visit(x)), self.each_ref().map(|x| r.read(x)), &self[..];
    [K: ValueKind, const N: usize] [Active<K, M>; N] as ArrayShape<K, N>, self, v, r =>
        (), self.iter().for_each(|x| v.visit(x)), self.each_ref().map(|x| r.read(x)),
        self.each_ref().map(Active::same);
}

macro_rules! tuples { ($($($A:ident $i:tt)*;)*) => { $(
    impl<M: Carrier, $($A: Arguments<M>),*> Arguments<M> for ($($A,)*) {
        type Shape = ($($A::Shape,)*);
        fn lengths(&self) -> <Self::Shape as EachValue>::Lengths {
            ($(self.$i.lengths(),)*)
        }
        fn each(&self, visit: &mut impl VisitArgument<M>) {
            $(self.$i.each(visit);)*
        }
        fn read(&self, read: &mut impl ReadArgument<M>) -> <Self::Shape as InputShape>::Values {
            ($(self.$i.read(read),)*)
        }
        fn view(&self) -> <Self::Shape as InputShape>::View<'_, M>
        where
            M: Mode,
        {
            ($(self.$i.view(),)*)
        }
    }
)* } }
tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
