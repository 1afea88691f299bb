//! Values in a shape, one by one, as arguments and results of external functions.
use crate::{
    driver::{
        ArrayShape, InputShape, ListShape, SingleRefShape, SingleShape, SliceShape, ValueKind,
    },
    expr::Active,
    kind::{Kind, Val},
    mode::AnyMode,
};
use std::{array::from_fn, fmt::Debug};

/// A shape whose values can be taken and created one by one: the shape of any [input of a
/// driver](crate::driver::Inputs).
pub trait EachValue: InputShape<Values: 'static> + 'static {
    /// The variables of an external function's results: the variables of the [shape](InputShape::Variables), in every
    /// mode.
    type NewVariables<M: AnyMode>;
    /// The lengths of lists. In other shapes the number of values follows from the type.
    type Lengths: Clone + PartialEq + Debug + 'static;
    /// Returns the lengths of the lists among these values.
    fn lengths(values: &Self::Values) -> Self::Lengths;
    /// Passes the kind of each value to `visit`.
    fn kinds(lengths: &Self::Lengths, visit: &mut impl VisitKind);
    /// Returns the values that `make` creates.
    fn build(lengths: &Self::Lengths, make: &mut impl MakeValue) -> Self::Values;
    /// Passes each value to `take`.
    fn take(values: Self::Values, take: &mut impl TakeValue);
    /// Returns the variables that `make` creates from the values.
    fn variables<M: AnyMode>(
        values: Self::Values,
        make: &mut impl MakeVariable<M>,
    ) -> Self::NewVariables<M>;
    /// Passes each variable to `set`, with a value.
    fn set<M: AnyMode>(
        variables: &mut Self::NewVariables<M>,
        values: Self::Values,
        set: &mut impl SetVariable<M>,
    );
}
/// Visits the kinds of values, one by one.
pub trait VisitKind {
    /// Visits the kind of the next value.
    fn visit<K: Kind>(&mut self);
}
/// Creates values, one by one.
pub trait MakeValue {
    /// Creates the next value.
    fn make<K: Kind>(&mut self) -> Val<K>;
}
/// Takes values, one by one.
pub trait TakeValue {
    /// Takes the next value.
    fn take<K: Kind>(&mut self, value: Val<K>);
}
/// Creates variables from values, one by one.
pub trait MakeVariable<M: AnyMode> {
    /// Creates the variable of the next value.
    fn make<K: Kind>(&mut self, value: Val<K>) -> Active<K, M>;
}
/// Sets data of variables, such as tangents, one by one.
pub trait SetVariable<M: AnyMode> {
    /// Sets the data of the next variable.
    fn set<K: Kind>(&mut self, variable: &mut Active<K, M>, value: Val<K>);
}

macro_rules! singles { ($($Shape:ident: $Kind:path;)*) => { $(
    impl<K: $Kind> EachValue for $Shape<K> {
        type NewVariables<M: AnyMode> = Active<K, M>;
        type Lengths = ();
        fn lengths(_: &Val<K>) {}
        fn kinds((): &(), visit: &mut impl VisitKind) {
            visit.visit::<K>();
        }
        fn build((): &(), make: &mut impl MakeValue) -> Val<K> {
            make.make::<K>()
        }
        fn take(value: Val<K>, take: &mut impl TakeValue) {
            take.take::<K>(value);
        }
        fn variables<M: AnyMode>(value: Val<K>, make: &mut impl MakeVariable<M>) -> Active<K, M> {
            make.make::<K>(value)
        }
        fn set<M: AnyMode>(variable: &mut Active<K, M>, value: Val<K>, set: &mut impl SetVariable<M>) {
            set.set::<K>(variable, value);
        }
    }
)* } }
singles! { SingleShape: ValueKind; SingleRefShape: Kind; }

impl<K: Kind> EachValue for ListShape<K> {
    type NewVariables<M: AnyMode> = Vec<Active<K, M>>;
    type Lengths = usize;
    fn lengths(values: &Vec<Val<K>>) -> usize {
        values.len()
    }
    fn kinds(&length: &usize, visit: &mut impl VisitKind) {
        (0..length).for_each(|_| visit.visit::<K>());
    }
    fn build(&length: &usize, make: &mut impl MakeValue) -> Vec<Val<K>> {
        (0..length).map(|_| make.make::<K>()).collect()
    }
    fn take(values: Vec<Val<K>>, take: &mut impl TakeValue) {
        values.into_iter().for_each(|v| take.take::<K>(v));
    }
    fn variables<M: AnyMode>(
        values: Vec<Val<K>>,
        make: &mut impl MakeVariable<M>,
    ) -> Vec<Active<K, M>> {
        values.into_iter().map(|v| make.make::<K>(v)).collect()
    }
    fn set<M: AnyMode>(
        variables: &mut Vec<Active<K, M>>,
        values: Vec<Val<K>>,
        set: &mut impl SetVariable<M>,
    ) {
        let each = variables.iter_mut().zip(values);
        each.for_each(|(x, value)| set.set::<K>(x, value));
    }
}

macro_rules! arrays { ($($Shape:ident: $Kind:path;)*) => { $(
    impl<K: $Kind, const N: usize> EachValue for $Shape<K, N> {
        type NewVariables<M: AnyMode> = [Active<K, M>; N];
        type Lengths = ();
        fn lengths(_: &[Val<K>; N]) {}
        fn kinds((): &(), visit: &mut impl VisitKind) {
            (0..N).for_each(|_| visit.visit::<K>());
        }
        fn build((): &(), make: &mut impl MakeValue) -> [Val<K>; N] {
            from_fn(|_| make.make::<K>())
        }
        fn take(values: [Val<K>; N], take: &mut impl TakeValue) {
            values.into_iter().for_each(|v| take.take::<K>(v));
        }
        fn variables<M: AnyMode>(
            values: [Val<K>; N],
            make: &mut impl MakeVariable<M>,
        ) -> [Active<K, M>; N] {
            values.map(|v| make.make::<K>(v))
        }
        fn set<M: AnyMode>(
            variables: &mut [Active<K, M>; N],
            values: [Val<K>; N],
            set: &mut impl SetVariable<M>,
        ) {
            let each = variables.iter_mut().zip(values);
            each.for_each(|(x, value)| set.set::<K>(x, value));
        }
    }
)* } }
arrays! { SliceShape: Kind; ArrayShape: ValueKind; }

macro_rules! tuples { ($($($S:ident $i:tt)*;)*) => { $(
    impl<$($S: EachValue),*> EachValue for ($($S,)*) {
        type NewVariables<M: AnyMode> = ($($S::NewVariables<M>,)*);
        type Lengths = ($($S::Lengths,)*);
        fn lengths(values: &Self::Values) -> Self::Lengths {
            ($($S::lengths(&values.$i),)*)
        }
        fn kinds(lengths: &Self::Lengths, visit: &mut impl VisitKind) {
            $($S::kinds(&lengths.$i, visit);)*
        }
        fn build(lengths: &Self::Lengths, make: &mut impl MakeValue) -> Self::Values {
            ($($S::build(&lengths.$i, make),)*)
        }
        fn take(values: Self::Values, take: &mut impl TakeValue) {
            $($S::take(values.$i, take);)*
        }
        fn variables<M: AnyMode>(values: Self::Values, make: &mut impl MakeVariable<M>) -> Self::NewVariables<M> {
            ($($S::variables(values.$i, make),)*)
        }
        fn set<M: AnyMode>(variables: &mut Self::NewVariables<M>, values: Self::Values, set: &mut impl SetVariable<M>) {
            $($S::set(&mut variables.$i, values.$i, set);)*
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
