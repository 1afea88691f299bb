//! The structures of this crate.
use super::{
    FlatStructure, Leaves, MapLeaves, Mismatch, ReadLeaves, Structure, ValueLeaves, Vars, ZipLeaves,
};
use crate::{
    coordinates::Coordinates,
    expr::Active,
    kind::{Kind, Val, coarsest, index},
    mode::Mode,
};
use std::{convert::identity, marker::PhantomData};

/// One value of a value kind, which the function receives by value.
pub struct SingleShape<K>(PhantomData<K>);
debug_by_name! { [K] SingleShape<K> }
/// One value of any kind, which the function receives by reference.
pub struct SingleRefShape<K>(PhantomData<K>);
debug_by_name! { [K] SingleRefShape<K> }
/// Any number of structures `S`, which the function receives as a slice.
pub struct VecOf<S>(PhantomData<S>);
debug_by_name! { [S] VecOf<S> }
/// `N` structures `S`, which the function receives as an array.
pub struct ArrayOf<S, const N: usize>(PhantomData<S>);
debug_by_name! { [S, const N: usize] ArrayOf<S, N> }
/// `N` structures `S`, which the function receives as a slice.
pub struct SliceOf<S, const N: usize>(PhantomData<S>);
debug_by_name! { [S, const N: usize] SliceOf<S, N> }
/// A structure `S`, or nothing.
pub struct OptionOf<S>(PhantomData<S>);
debug_by_name! { [S] OptionOf<S> }

/// A value of type `T` without derivatives.
pub struct DataOf<T>(PhantomData<T>);
debug_by_name! { [T] DataOf<T> }
/// A boxed structure, so that a type can contain itself.
pub struct BoxOf<S>(PhantomData<S>);
debug_by_name! { [S] BoxOf<S> }

/// Any number of values of kind `K`.
pub type ListShape<K> = VecOf<SingleRefShape<K>>;
/// `N` values of a value kind `K`, by value.
pub type ArrayShape<K, const N: usize> = ArrayOf<SingleShape<K>, N>;
/// `N` values of kind `K`, by reference.
pub type SliceShape<K, const N: usize> = SliceOf<SingleRefShape<K>, N>;

/// Kinds whose variables can be copied.
pub trait ValueKind: Kind<Policy = index::Linear, Value: Copy> {}
impl<K: Kind<Policy = index::Linear, Value: Copy>> ValueKind for K {}

macro_rules! single { ($([$($of:tt)*] $Shape:ty, $K:ty, $View:ty, $view:path;)*) => { $(
    impl<$($of)*> Structure for $Shape {
        type Values = Val<$K>;
        type Of<L: Leaves> = L::Leaf<$K>;
        type View<'v, M: Mode> = $View;
        fn view<M: Mode>(x: &Active<$K, M>) -> Self::View<'_, M> {
            $view(x)
        }
        fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            f.leaf::<$K>(of)
        }
        fn map_list<F: MapLeaves>(
            list: Vec<Self::Of<F::From>>,
            f: &mut F,
        ) -> Result<Vec<Self::Of<F::To>>, F::Fail> {
            f.list::<$K>(list)
        }
        fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            f.leaf::<$K>(of)
        }
        fn zip<F: ZipLeaves>(
            left: &mut Self::Of<F::Left>,
            right: Self::Of<F::Right>,
            f: &mut F,
        ) -> Result<(), F::Fail> {
            f.leaf::<$K>(left, right)
        }
        fn unpack(value: Val<$K>) -> Val<$K> {
            value
        }
        fn pack(value: Val<$K>) -> Val<$K> {
            value
        }
    }
)* } }
// Numbers as their own structures.
single! {
    [K: ValueKind] SingleShape<K>, K, Active<K, M>, Active::same;
    [K: Kind] SingleRefShape<K>, K, &'v Active<K, M>, identity;
    [] f64, f64, Active<f64, M>, Active::same;
    [] f32, f32, Active<f32, M>, Active::same;
}
macro_rules! flat_single { ($([$($of:tt)*] $Shape:ty, $K:ty;)*) => { $(
    impl<$($of)*> FlatStructure for $Shape {
        const EPSILON: f64 = <$K as Coordinates>::EPSILON;
        fn coordinates(value: &Val<$K>, into: &mut Vec<f64>) {
            <$K as Coordinates>::coordinates(value, into);
        }
        fn from_coordinates(like: &Val<$K>, from: &mut &[f64]) -> Val<$K> {
            <$K as Coordinates>::from_coordinates(like, from)
        }
    }
)* } }
flat_single! {
    [K: Coordinates + ValueKind] SingleShape<K>, K;
    [K: Coordinates] SingleRefShape<K>, K;
    [] f64, f64;
    [] f32, f32;
}

fn as_slice<T>(list: &Vec<T>) -> &[T] {
    list
}
fn read_each<S: Structure, F: ReadLeaves>(
    list: &[S::Of<F::From>],
    f: &mut F,
) -> Result<Vec<S::Of<F::To>>, F::Fail> {
    let mut read = Vec::with_capacity(list.len());
    for of in list {
        read.push(S::read(of, f)?);
    }
    Ok(read)
}
#[track_caller]
fn zip_each<S: Structure, F: ZipLeaves>(
    left: &mut [S::Of<F::Left>],
    right: impl IntoIterator<Item = S::Of<F::Right>>,
    f: &mut F,
) -> Result<(), F::Fail> {
    for (left, right) in left.iter_mut().zip(right) {
        S::zip(left, right, f)?;
    }
    Ok(())
}

impl<S: Structure> Structure for VecOf<S> {
    type Values = Vec<S::Values>;
    type Of<L: Leaves> = Vec<S::Of<L>>;
    type View<'v, M: Mode> = &'v [Vars<S, M>];
    fn view<M: Mode>(list: &Vec<Vars<S, M>>) -> &[Vars<S, M>] {
        as_slice(list)
    }
    fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        S::map_list(of, f)
    }
    fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        read_each::<S, F>(of, f)
    }
    fn zip<F: ZipLeaves>(
        left: &mut Self::Of<F::Left>,
        right: Self::Of<F::Right>,
        f: &mut F,
    ) -> Result<(), F::Fail> {
        if left.len() != right.len() {
            let (left, right) = (left.len(), right.len());
            return Err(f.mismatch(Mismatch::Lengths { left, right }));
        }
        zip_each::<S, F>(left, right, f)
    }
    fn unpack(values: Self::Values) -> Self::Of<ValueLeaves> {
        values.into_iter().map(S::unpack).collect()
    }
    fn pack(of: Self::Of<ValueLeaves>) -> Self::Values {
        of.into_iter().map(S::pack).collect()
    }
}
impl<S: FlatStructure> FlatStructure for VecOf<S> {
    const EPSILON: f64 = S::EPSILON;
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| S::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.iter().map(|v| S::from_coordinates(v, from)).collect()
    }
}

fn array<T, const N: usize>(list: Vec<T>) -> [T; N] {
    let array = list.try_into();
    array.unwrap_or_else(|_| unreachable!("the length of an array is unchanged"))
}
macro_rules! arrays { ($($Shape:ident, $View:ty, $x:ident => $view:expr;)*) => { $(
    impl<S: Structure, const N: usize> Structure for $Shape<S, N> {
        type Values = [S::Values; N];
        type Of<L: Leaves> = [S::Of<L>; N];
        type View<'v, M: Mode> = $View;
        fn view<M: Mode>($x: &[Vars<S, M>; N]) -> Self::View<'_, M> {
            $view
        }
        fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            let mut mapped = Vec::with_capacity(N);
            for of in of {
                mapped.push(S::map(of, f)?);
            }
            Ok(array(mapped))
        }
        fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            read_each::<S, F>(of, f).map(array)
        }
        fn zip<F: ZipLeaves>(
            left: &mut Self::Of<F::Left>,
            right: Self::Of<F::Right>,
            f: &mut F,
        ) -> Result<(), F::Fail> {
            zip_each::<S, F>(left, right, f)
        }
        fn unpack(values: Self::Values) -> Self::Of<ValueLeaves> {
            values.map(S::unpack)
        }
        fn pack(of: Self::Of<ValueLeaves>) -> Self::Values {
            of.map(S::pack)
        }
    }
    impl<S: FlatStructure, const N: usize> FlatStructure for $Shape<S, N> {
        const EPSILON: f64 = S::EPSILON;
        fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
            values.iter().for_each(|v| S::coordinates(v, into));
        }
        fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
            like.each_ref().map(|v| S::from_coordinates(v, from))
        }
    }
)* } }
arrays! {
    ArrayOf, [S::View<'v, M>; N], all => all.each_ref().map(S::view);
    SliceOf, &'v [Vars<S, M>], all => all;
}

impl<S: Structure> Structure for OptionOf<S> {
    type Values = Option<S::Values>;
    type Of<L: Leaves> = Option<S::Of<L>>;
    type View<'v, M: Mode> = Option<S::View<'v, M>>;
    fn view<M: Mode>(x: &Option<Vars<S, M>>) -> Option<S::View<'_, M>> {
        x.as_ref().map(S::view)
    }
    fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        of.map(|of| S::map(of, f)).transpose()
    }
    fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        of.as_ref().map(|of| S::read(of, f)).transpose()
    }
    fn zip<F: ZipLeaves>(
        left: &mut Self::Of<F::Left>,
        right: Self::Of<F::Right>,
        f: &mut F,
    ) -> Result<(), F::Fail> {
        match (left, right) {
            (Some(left), Some(right)) => S::zip(left, right, f),
            (None, None) => Ok(()),
            (left, right) => {
                let lengths = (left.is_some().into(), right.is_some().into());
                let (left, right) = lengths;
                Err(f.mismatch(Mismatch::Lengths { left, right }))
            }
        }
    }
    fn unpack(values: Self::Values) -> Self::Of<ValueLeaves> {
        values.map(S::unpack)
    }
    fn pack(of: Self::Of<ValueLeaves>) -> Self::Values {
        of.map(S::pack)
    }
}
impl<S: FlatStructure> FlatStructure for OptionOf<S> {
    const EPSILON: f64 = S::EPSILON;
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        values.iter().for_each(|v| S::coordinates(v, into));
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        like.as_ref().map(|v| S::from_coordinates(v, from))
    }
}

impl<S: Structure> Structure for BoxOf<S> {
    type Values = Box<S::Values>;
    type Of<L: Leaves> = Box<S::Of<L>>;
    type View<'v, M: Mode> = S::View<'v, M>;
    fn view<M: Mode>(x: &Box<Vars<S, M>>) -> S::View<'_, M> {
        S::view(x)
    }
    fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        S::map(*of, f).map(Box::new)
    }
    fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
        S::read(of, f).map(Box::new)
    }
    fn zip<F: ZipLeaves>(
        left: &mut Self::Of<F::Left>,
        right: Self::Of<F::Right>,
        f: &mut F,
    ) -> Result<(), F::Fail> {
        S::zip(left, *right, f)
    }
    fn unpack(values: Self::Values) -> Self::Of<ValueLeaves> {
        Box::new(S::unpack(*values))
    }
    fn pack(of: Self::Of<ValueLeaves>) -> Self::Values {
        Box::new(S::pack(*of))
    }
}
impl<S: FlatStructure> FlatStructure for BoxOf<S> {
    const EPSILON: f64 = S::EPSILON;
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
        S::coordinates(values, into);
    }
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
        Box::new(S::from_coordinates(like, from))
    }
}

impl<T: Clone + 'static> Structure for DataOf<T> {
    type Values = T;
    type Of<L: Leaves> = T;
    type View<'v, M: Mode> = &'v T;
    fn view<M: Mode>(data: &T) -> &T {
        data
    }
    fn map<F: MapLeaves>(data: T, _: &mut F) -> Result<T, F::Fail> {
        Ok(data)
    }
    fn read<F: ReadLeaves>(data: &T, _: &mut F) -> Result<T, F::Fail> {
        Ok(data.clone())
    }
    fn zip<F: ZipLeaves>(_: &mut T, _: T, _: &mut F) -> Result<(), F::Fail> {
        Ok(())
    }
    fn unpack(data: T) -> T {
        data
    }
    fn pack(data: T) -> T {
        data
    }
}
impl<T: Clone + 'static> FlatStructure for DataOf<T> {
    const EPSILON: f64 = 0.0;
    fn coordinates(_: &T, _: &mut Vec<f64>) {}
    fn from_coordinates(data: &T, _: &mut &[f64]) -> T {
        data.clone()
    }
}

macro_rules! tuples { ($($($S:ident $x:ident $i:tt)*;)*) => { $(
    impl<$($S: Structure),*> Structure for ($($S,)*) {
        type Values = ($($S::Values,)*);
        type Of<L: Leaves> = ($($S::Of<L>,)*);
        type View<'v, M: Mode> = ($($S::View<'v, M>,)*);
        fn view<M: Mode>(variables: &Vars<Self, M>) -> Self::View<'_, M> {
            ($($S::view(&variables.$i),)*)
        }
        fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            Ok(($($S::map(of.$i, f)?,)*))
        }
        fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail> {
            Ok(($($S::read(&of.$i, f)?,)*))
        }
        fn zip<F: ZipLeaves>(
            left: &mut Self::Of<F::Left>,
            right: Self::Of<F::Right>,
            f: &mut F,
        ) -> Result<(), F::Fail> {
            $( $S::zip(&mut left.$i, right.$i, f)?; )*
            Ok(())
        }
        fn unpack(values: Self::Values) -> Self::Of<ValueLeaves> {
            ($($S::unpack(values.$i),)*)
        }
        fn pack(of: Self::Of<ValueLeaves>) -> Self::Values {
            ($($S::pack(of.$i),)*)
        }
    }
    impl<$($S: FlatStructure),*> FlatStructure for ($($S,)*) {
        const EPSILON: f64 = coarsest(&[$($S::EPSILON),*]);
        fn coordinates(values: &Self::Values, into: &mut Vec<f64>) {
            $( $S::coordinates(&values.$i, into); )*
        }
        fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values {
            ($($S::from_coordinates(&like.$i, from),)*)
        }
    }
    super::inputs::tuple! { $($S $x $i)* }
    super::outputs::tuple! { $($S $i)* }
)* } }
tuples! {
    A a 0;
    A a 0 B b 1;
    A a 0 B b 1 C c 2;
    A a 0 B b 1 C c 2 D d 3;
    A a 0 B b 1 C c 2 D d 3 E e 4;
    A a 0 B b 1 C c 2 D d 3 E e 4 F2 f2 5;
    A a 0 B b 1 C c 2 D d 3 E e 4 F2 f2 5 G g 6;
    A a 0 B b 1 C c 2 D d 3 E e 4 F2 f2 5 G g 6 H h 7;
}
