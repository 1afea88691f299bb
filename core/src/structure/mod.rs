//! Structures of variables: one variable, a list, an array, a tuple, an option, or a struct of them.
//!
//! A function takes and returns variables in a [`Structure`], which its plain values, gradients and tangents share. Its
//! entities are *leaves*: by a family of types, [`Leaves`], plain values, variables of a mode, or nothing. Three
//! traversals visit them.
mod arguments;
mod definition;
mod function;
mod inputs;
mod on_tape;
mod outputs;
mod shapes;

pub(crate) use self::definition::{CloneValues, Skeleton};
#[doc(hidden)]
pub use self::definition::{MakeInputs, SetTangents};
pub use self::{
    arguments::Arguments,
    definition::{
        FlatStructure, Leaves, MapLeaves, Mismatch, ReadLeaves, Structure, UnitLeaves, ValueLeaves,
        VariableLeaves, Vars, ZipLeaves,
    },
    function::{Function, Runs},
    inputs::{Inputs, IntoValues, ValuesIn},
    outputs::{Fallible, Outputs},
    shapes::{
        ArrayOf, ArrayShape, BoxOf, DataOf, ListShape, OptionOf, SingleRefShape, SingleShape,
        SliceOf, SliceShape, ValueKind, VecOf,
    },
};
