//! Statements of a [`#[function]`](crate::function).
//!
//! `KeptValue(value).end()` evaluates an expression, by an inherent method with precedence over the trait, and passes
//! on other values. Lists, which cannot be variables, are passed on, too.
use super::AnyMode;
use crate::{
    expr::{Active, Expr, Place},
    kind::{Carrier, HasVariables, Kind, index},
    node::Node,
};
use std::marker::PhantomData;

#[derive(Debug)]
pub struct KeptValue<T>(pub T);

impl<K: Kind<Policy: HasVariables>, M: AnyMode, N: Node<Kind = K>> KeptValue<Expr<K, M, N>> {
    #[inline(always)]
    #[track_caller]
    pub fn end(self) -> Active<K, M> {
        self.0.eval()
    }
}
pub trait End<T> {
    fn end(self) -> T;
}
impl<T> End<T> for KeptValue<T> {
    #[inline(always)]
    fn end(self) -> T {
        self.0
    }
}

/// A builder in the mode of its function, which numbers alone do not determine.
#[derive(Debug)]
pub struct KeptBuilder<T, M>(T, PhantomData<M>);
impl<T, M> KeptBuilder<T, M> {
    #[inline(always)]
    pub fn new(value: T) -> Self {
        KeptBuilder(value, PhantomData)
    }
}
impl<K, M, N> KeptBuilder<Expr<K, M, N>, M> {
    #[inline(always)]
    pub fn built(self) -> Expr<K, M, N> {
        self.0
    }
}
pub trait Built<T> {
    fn built(self) -> T;
}
impl<T, M> Built<T> for KeptBuilder<T, M> {
    #[inline(always)]
    fn built(self) -> T {
        self.0
    }
}

/// An argument of a call, with the type of its parameter.
#[derive(Debug)]
pub struct KeptArgument<T, P>(Option<T>, PhantomData<fn() -> P>);

impl<T, P> KeptArgument<T, P> {
    #[inline(always)]
    pub fn new(value: T, _: P) -> Self {
        KeptArgument(Some(value), PhantomData)
    }
    #[inline(always)]
    fn value(mut self) -> T {
        self.take()
    }
    #[inline(always)]
    fn take(&mut self) -> T {
        self.0.take().expect("an argument is passed once")
    }
}
// Methods by value precede methods by reference.
impl<T> KeptArgument<T, Parameter<T>> {
    /// Returns the value, for a parameter of its type or of any type.
    #[inline(always)]
    pub fn pass(self) -> T {
        self.value()
    }
}
pub trait EndArgument {
    type Variable;
    fn pass(self) -> Self::Variable;
}
impl<K: Kind<Policy: HasVariables>, M: AnyMode, N: Node<Kind = K>> EndArgument
    for KeptArgument<Expr<K, M, N>, Parameter<Active<K, M>>>
{
    type Variable = Active<K, M>;
    #[inline(always)]
    #[track_caller]
    fn pass(self) -> Active<K, M> {
        self.value().eval()
    }
}
/// Variables of value kinds are operands by value, for parameters of all types.
impl<K: Kind<Policy: HasVariables + index::ByValue>, M: AnyMode, N: Node<Kind = K>> EndArgument
    for KeptArgument<Expr<K, M, N>, OfUser>
{
    type Variable = Active<K, M>;
    #[inline(always)]
    #[track_caller]
    fn pass(self) -> Active<K, M> {
        self.value().eval()
    }
}
/// Passes other arguments.
pub trait PassArgument<T> {
    fn pass(&mut self) -> T;
}
impl<T, P> PassArgument<T> for KeptArgument<T, P> {
    #[inline(always)]
    fn pass(&mut self) -> T {
        self.take()
    }
}

#[derive(Debug)]
pub struct Parameter<T>(PhantomData<fn() -> T>);
impl<T> Clone for Parameter<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Parameter<T> {}
macro_rules! parameters { ($($name:ident($($P:ident)*),)*) => { $(
    #[inline(always)]
    pub fn $name<F: FnOnce($($P),*) -> R, R, $($P),*>(_: &F) -> ($(Parameter<$P>,)*) {
        ($(Parameter::<$P>(PhantomData),)*)
    }
)* } }
parameters! {
    parameters_1(A), parameters_2(A B), parameters_3(A B C), parameters_4(A B C D), parameters_5(A B C D E),
    parameters_6(A B C D E G), parameters_7(A B C D E G H), parameters_8(A B C D E G H I),
}

#[derive(Debug)]
pub struct Receiver<T: ?Sized>(PhantomData<fn(&T)>);
/// Returns the type of a receiver. The closure is not called.
#[inline(always)]
pub fn receiver<T>(_: impl FnOnce() -> T) -> Receiver<T> {
    Receiver(PhantomData)
}
/// Returns the type of a receiver that [`Receiver::is`] names later.
#[inline(always)]
pub fn called<T>() -> Receiver<T> {
    Receiver(PhantomData)
}
impl<T> Receiver<T> {
    #[inline(always)]
    pub fn is(&self, value: T) -> T {
        value
    }
}
#[derive(Clone, Copy, Debug)]
pub struct OfOperand;
#[derive(Clone, Copy, Debug)]
pub struct OfUser;
impl<T: HasOperations> Receiver<T> {
    #[inline(always)]
    pub fn side(&self) -> OfOperand {
        OfOperand
    }
}
pub trait Side {
    fn side(&self) -> OfUser;
}
impl<T: ?Sized> Side for Receiver<T> {
    #[inline(always)]
    fn side(&self) -> OfUser {
        OfUser
    }
}
/// Types whose methods are operations, which take expressions.
pub trait HasOperations {}
impl<K: Kind, M: Carrier> HasOperations for Active<K, M> {}
impl<K: Kind, M: Carrier, I> HasOperations for Place<K, M, I> {}
impl<K, M, N> HasOperations for Expr<K, M, N> {}
impl<T> HasOperations for [T] {}
impl<T, const N: usize> HasOperations for [T; N] {}
impl<T> HasOperations for Vec<T> {}
impl HasOperations for f64 {}
impl HasOperations for f32 {}
impl<T: HasOperations + ?Sized> HasOperations for &T {}
impl<T: HasOperations + ?Sized> HasOperations for &mut T {}
