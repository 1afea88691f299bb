//! Structures, families of their leaves, and traversals.
use crate::{
    error::Error,
    expr::Active,
    kind::{Kind, Val, VariableCell, assert_like},
    mode::{AnyMode, Forward, Mode, Taped},
    tape::{Records, Tape},
};
use std::{convert::Infallible, marker::PhantomData};

/// A family of types for the leaves of a [`Structure`].
pub trait Leaves: 'static {
    /// The type of a leaf for an entity of kind `K`.
    type Leaf<K: Kind>: 'static;
}
/// Plain values.
#[derive(Clone, Copy, Debug)]
pub struct ValueLeaves;
impl Leaves for ValueLeaves {
    type Leaf<K: Kind> = Val<K>;
}
/// Variables of mode `M`.
#[derive(Clone, Copy, Debug)]
pub struct VariableLeaves<M>(PhantomData<M>);
impl<M: AnyMode> Leaves for VariableLeaves<M> {
    type Leaf<K: Kind> = Active<K, M>;
}
/// Empty leaves, which only count.
#[derive(Clone, Copy, Debug)]
pub struct UnitLeaves;
impl Leaves for UnitLeaves {
    type Leaf<K: Kind> = ();
}

/// Converts leaves of one family to another, one by one.
pub trait MapLeaves {
    /// The leaves that are converted.
    type From: Leaves;
    /// The resulting leaves.
    type To: Leaves;
    /// The error that ends the traversal, or [`Infallible`].
    type Fail;
    /// Converts the next leaf.
    fn leaf<K: Kind>(
        &mut self,
        leaf: <Self::From as Leaves>::Leaf<K>,
    ) -> Result<<Self::To as Leaves>::Leaf<K>, Self::Fail>;
    /// Converts a list of leaves.
    fn list<K: Kind>(
        &mut self,
        list: Vec<<Self::From as Leaves>::Leaf<K>>,
    ) -> Result<Vec<<Self::To as Leaves>::Leaf<K>>, Self::Fail> {
        let mut mapped = Vec::with_capacity(list.len());
        for leaf in list {
            mapped.push(self.leaf::<K>(leaf)?);
        }
        Ok(mapped)
    }
}
/// Creates leaves of one family from references to another, one by one.
pub trait ReadLeaves {
    /// The leaves that are read.
    type From: Leaves;
    /// The resulting leaves.
    type To: Leaves;
    /// The error that ends the traversal, or [`Infallible`].
    type Fail;
    /// Reads the next leaf.
    fn leaf<K: Kind>(
        &mut self,
        leaf: &<Self::From as Leaves>::Leaf<K>,
    ) -> Result<<Self::To as Leaves>::Leaf<K>, Self::Fail>;
}
/// Combines each leaf with the corresponding leaf of another structure.
pub trait ZipLeaves {
    /// The leaves that may be changed.
    type Left: Leaves;
    /// The leaves that are consumed.
    type Right: Leaves;
    /// The error that ends the traversal, or [`Infallible`].
    type Fail;
    /// Combines the next two leaves.
    #[track_caller]
    fn leaf<K: Kind>(
        &mut self,
        left: &mut <Self::Left as Leaves>::Leaf<K>,
        right: <Self::Right as Leaves>::Leaf<K>,
    ) -> Result<(), Self::Fail>;
    /// Returns the error for different structures.
    #[track_caller]
    fn mismatch(&mut self, mismatch: Mismatch) -> Self::Fail;
}
/// The difference between two values of one structure.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Mismatch {
    /// Lists of different lengths; an option has length zero or one.
    Lengths {
        /// The length of the first list.
        left: usize,
        /// The length of the second list.
        right: usize,
    },
    /// Different variants of an enum.
    Variants,
}

impl Mismatch {
    /// Panics because a `what` does not have the structure of `variables`.
    #[track_caller]
    pub fn panic(self, what: &str, variables: &str) -> ! {
        match self {
            Mismatch::Lengths { left, right } => {
                panic!(
                    "a {what} of {right} numbers does not fit {left} {variables}: pass {left} numbers"
                )
            }
            Mismatch::Variants => {
                panic!(
                    "a {what} has another variant of an enum than the {variables}: pass the variant of the {variables}"
                )
            }
        }
    }
}

/// A structure of entities, as a type: [`SingleShape`](super::SingleShape), [`VecOf`](super::VecOf),
/// [`ArrayOf`](super::ArrayOf), [`OptionOf`](super::OptionOf), tuples of structures, and structs and enums with
/// [`#[derive(Structure)]`](macro@crate::Structure).
///
/// [`Box`]es are transparent, and [`DataOf`](super::DataOf) values do not have derivatives. Programs use [`Vars`],
/// [`Inputs`](super::Inputs) and [`Outputs`](super::Outputs) instead of this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a structure of variables",
    note = "declare it with `#[derive(entape::Structure)]`; mark fields without derivatives `#[structure(data)]`, and values of a kind `#[structure(kind = Kind)]`"
)]
pub trait Structure: 'static {
    /// The plain values, also of gradients and tangents.
    type Values: Clone + 'static;
    /// The structure with leaves of another family.
    type Of<L: Leaves>: 'static;
    /// The variables as passed to a function.
    type View<'v, M: Mode>;
    /// Returns the variables in the form that a function receives.
    fn view<M: Mode>(variables: &Vars<Self, M>) -> Self::View<'_, M>;
    /// Converts all leaves, in order.
    #[track_caller]
    fn map<F: MapLeaves>(of: Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail>;
    /// Converts the leaves of a list of structures.
    #[track_caller]
    fn map_list<F: MapLeaves>(
        list: Vec<Self::Of<F::From>>,
        f: &mut F,
    ) -> Result<Vec<Self::Of<F::To>>, F::Fail> {
        let mut mapped = Vec::with_capacity(list.len());
        for of in list {
            mapped.push(Self::map(of, f)?);
        }
        Ok(mapped)
    }
    /// Creates leaves from references, in order.
    #[track_caller]
    fn read<F: ReadLeaves>(of: &Self::Of<F::From>, f: &mut F) -> Result<Self::Of<F::To>, F::Fail>;
    /// Combines the leaves with another structure, in order.
    #[track_caller]
    fn zip<F: ZipLeaves>(
        left: &mut Self::Of<F::Left>,
        right: Self::Of<F::Right>,
        f: &mut F,
    ) -> Result<(), F::Fail>;
    #[doc(hidden)]
    #[track_caller]
    fn change<F: ZipLeaves<Right = UnitLeaves>>(
        of: &mut Self::Of<F::Left>,
        f: &mut F,
    ) -> Result<(), F::Fail> {
        let Ok(units) = Self::read(of, &mut Skeleton(PhantomData));
        Self::zip(of, units, f)
    }
    /// Returns variables without identifiers.
    fn passive<M: AnyMode>(values: Self::Values) -> Vars<Self, M> {
        Self::passive_of(Self::unpack(values))
    }
    #[doc(hidden)]
    fn passive_of<M: AnyMode>(values: Self::Of<ValueLeaves>) -> Vars<Self, M> {
        let Ok(variables) = Self::map(values, &mut MakePassive(PhantomData));
        variables
    }
    /// Returns inputs of a tape; panics if it is full.
    #[track_caller]
    fn inputs<M: AnyMode + Records>(values: Self::Values, tape: &mut Tape<M>) -> Vars<Self, M> {
        match Self::map(Self::unpack(values), &mut MakeInputs(tape)) {
            Ok(variables) => variables,
            Err(full) => panic!("no inputs can be registered, because {full}"),
        }
    }
    /// Returns variables with tangents along `N` directions; panics if shapes differ.
    #[track_caller]
    fn with_tangents<const N: usize>(
        values: Self::Values,
        directions: [Self::Values; N],
    ) -> Vars<Self, Forward<N>> {
        let mut variables = Self::passive(values);
        for (j, direction) in directions.into_iter().enumerate() {
            let Ok(()) = Self::zip(&mut variables, Self::unpack(direction), &mut SetTangents(j));
        }
        variables
    }
    /// Returns the values of variables.
    fn values<M: AnyMode>(variables: &Vars<Self, M>) -> Self::Values {
        let Ok(values) = Self::read(variables, &mut CloneValues(PhantomData));
        Self::pack(values)
    }
    /// Returns zeros in the shape of `values`.
    fn zero(values: Self::Values) -> Self::Values {
        let Ok(zeros) = Self::map(Self::unpack(values), &mut ZeroLike);
        Self::pack(zeros)
    }
    /// Returns plain values as leaves.
    fn unpack(values: Self::Values) -> Self::Of<ValueLeaves>;
    /// Returns leaves as plain values.
    fn pack(of: Self::Of<ValueLeaves>) -> Self::Values;
}
/// A structure whose values consist of real [coordinates](crate::coordinates::Coordinates).
pub trait FlatStructure: Structure {
    /// The lowest relative precision of a coordinate.
    const EPSILON: f64;
    /// Appends the coordinates of all values.
    fn coordinates(values: &Self::Values, into: &mut Vec<f64>);
    /// Returns the coordinates of all values.
    fn flattened(values: &Self::Values) -> Vec<f64> {
        let mut all = Vec::new();
        Self::coordinates(values, &mut all);
        all
    }
    /// Removes the first coordinates of `from`, and returns their values in the shape of `like`.
    ///
    /// # Panics
    ///
    /// If `from` has too few coordinates.
    fn from_coordinates(like: &Self::Values, from: &mut &[f64]) -> Self::Values;
}

/// Variables of mode `M` in the structure `S`.
///
/// ```
/// use entape_core::{expr::Active, structure::Vars, Structure};
/// use entape_drivers::gradient;
///
/// #[derive(Clone, Debug, PartialEq, Structure)]
/// struct Spring {
///     stiffness: f64,
///     length: f64,
/// }
/// let energy = |spring: &Vars<Spring>| 0.5 * spring.stiffness * (1.5 - spring.length).powi(2);
/// # use entape_core::real::Elementary;
/// let slope = gradient(energy, &Spring { stiffness: 2.0, length: 1.0 })?;
/// assert_eq!(slope, Spring { stiffness: 0.125, length: -1.0 });
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub type Vars<S, M = Taped> = <S as Structure>::Of<VariableLeaves<M>>;

struct MakePassive<M>(PhantomData<M>);
impl<M: AnyMode> MapLeaves for MakePassive<M> {
    type From = ValueLeaves;
    type To = VariableLeaves<M>;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<Active<K, M>, Infallible> {
        Ok(Active::passive(value))
    }
}
#[doc(hidden)]
#[derive(Debug)]
pub struct MakeInputs<'t, M: Records>(pub &'t mut Tape<M>);
impl<M: AnyMode + Records> MapLeaves for MakeInputs<'_, M> {
    type From = ValueLeaves;
    type To = VariableLeaves<M>;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<Active<K, M>, Error> {
        self.0.try_input(value)
    }
    fn list<K: Kind>(&mut self, values: Vec<Val<K>>) -> Result<Vec<Active<K, M>>, Error> {
        self.0.try_inputs::<K>(values)
    }
}
#[doc(hidden)]
#[derive(Debug)]
pub struct SetTangents<const N: usize>(pub usize);
impl<const N: usize> ZipLeaves for SetTangents<N> {
    type Left = VariableLeaves<Forward<N>>;
    type Right = ValueLeaves;
    type Fail = Infallible;
    #[track_caller]
    fn leaf<K: Kind>(
        &mut self,
        x: &mut Active<K, Forward<N>>,
        tangent: Val<K>,
    ) -> Result<(), Infallible> {
        assert_like::<K>("tangent", &tangent, x.get());
        *x.held_mut().tangent_mut(self.0, K::zero_like) = tangent;
        Ok(())
    }
    #[track_caller]
    fn mismatch(&mut self, mismatch: Mismatch) -> Infallible {
        mismatch.panic("direction", "inputs")
    }
}
pub(crate) struct CloneValues<M>(pub(crate) PhantomData<M>);
impl<M: AnyMode> ReadLeaves for CloneValues<M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Infallible> {
        Ok(x.get().clone())
    }
}
struct ZeroLike;
impl MapLeaves for ZeroLike {
    type From = ValueLeaves;
    type To = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<Val<K>, Infallible> {
        Ok(K::zero_like(&value))
    }
}
pub(crate) struct Skeleton<L>(pub(crate) PhantomData<L>);
impl<L: Leaves> ReadLeaves for Skeleton<L> {
    type From = L;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, _: &L::Leaf<K>) -> Result<(), Infallible> {
        Ok(())
    }
}
