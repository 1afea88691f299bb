use super::{
    ArrayShape, CloneValues, ListShape, ReadLeaves, SingleRefShape, SingleShape, SliceShape,
    Structure, ValueKind, VariableLeaves,
};
use crate::{
    expr::Active,
    kind::Kind,
    mode::{AnyMode, Mode},
};
use std::marker::PhantomData;

/// Arguments of an [external function](mod@crate::external).
///
/// | arguments | their plain values |
/// |---|---|
/// | `&Active<K, M>`, and `Active<K, M>` of a value kind | the value of kind `K` |
/// | `&[Active<K, M>]`, `&Vec<Active<K, M>>` | `Vec` of values |
/// | `&[Active<K, M>; N]`, and `[Active<K, M>; N]` of a value kind | `[value; N]` |
/// | `&Vars<S, M>` of a struct or enum with [`#[derive(Structure)]`](macro@crate::Structure) | `S` |
/// | a tuple of up to eight of these | a tuple of their plain values |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the argument of an external function",
    note = "pass variables (storage kinds by reference), references to lists or arrays of variables, or tuples of these; evaluate expressions first"
)]
pub trait Arguments<M: AnyMode> {
    /// The structure of the plain values.
    type Shape: Structure;
    /// Creates leaves from references to all variables, in order.
    fn read<F: ReadLeaves<From = VariableLeaves<M>>>(
        &self,
        f: &mut F,
    ) -> Result<<Self::Shape as Structure>::Of<F::To>, F::Fail>;
    /// Returns the plain values of the variables.
    fn values(&self) -> <Self::Shape as Structure>::Values {
        let Ok(values) = self.read(&mut CloneValues(PhantomData));
        Self::Shape::pack(values)
    }
    /// Returns the variables in the form that a program receives.
    fn view(&self) -> <Self::Shape as Structure>::View<'_, M>
    where
        M: Mode;
}

macro_rules! arguments { ($([$($of:tt)*] $T:ty as $Shape:ty, $self:ident, $f:ident => $read:expr, $view:expr;)*) => { $(
    impl<M: AnyMode, $($of)*> Arguments<M> for $T {
        type Shape = $Shape;
        fn read<F: ReadLeaves<From = VariableLeaves<M>>>(
            &$self,
            $f: &mut F,
        ) -> Result<<$Shape as Structure>::Of<F::To>, F::Fail> {
            $read
        }
        fn view(&$self) -> <$Shape as Structure>::View<'_, M>
        where
            M: Mode,
        {
            $view
        }
    }
)* } }
arguments! {
    [K: ValueKind] Active<K, M> as SingleShape<K>, self, f => f.leaf(self), self.same();
    [K: Kind] &Active<K, M> as SingleRefShape<K>, self, f => f.leaf(*self), self;
    [K: Kind] &[Active<K, M>] as ListShape<K>, self, f => self.iter().map(|x| f.leaf(x)).collect(), self;
    [K: Kind] &Vec<Active<K, M>> as ListShape<K>, self, f => ListShape::<K>::read(self, f), self;
    [K: Kind, const N: usize] &[Active<K, M>; N] as SliceShape<K, N>, self, f => SliceShape::<K, N>::read(self, f), &self[..];
    [K: ValueKind, const N: usize] [Active<K, M>; N] as ArrayShape<K, N>, self, f =>
        ArrayShape::<K, N>::read(self, f), self.each_ref().map(Active::same);
}

macro_rules! tuples { ($($($A:ident $i:tt)*;)*) => { $(
    impl<M: AnyMode, $($A: Arguments<M>),*> Arguments<M> for ($($A,)*) {
        type Shape = ($($A::Shape,)*);
        fn read<R: ReadLeaves<From = VariableLeaves<M>>>(
            &self,
            f: &mut R,
        ) -> Result<<Self::Shape as Structure>::Of<R::To>, R::Fail> {
            Ok(($(self.$i.read(f)?,)*))
        }
        fn view(&self) -> <Self::Shape as Structure>::View<'_, M>
        where
            M: Mode,
        {
            ($(self.$i.view(),)*)
        }
    }
)* } }
tuples! { A 0; }
for_tuples! { tuples }
