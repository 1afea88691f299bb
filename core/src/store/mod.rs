//! The data of a tape beside its stream.
mod adjoints;
mod block;
mod by_kind;
mod elements;
mod part;
mod planes;
mod shared;
mod stacks;
mod stash;
mod tangents;
mod value_bytes;
mod values;

pub use self::adjoints::AdjointsOf;
pub(crate) use self::adjoints::{AdjointStore, AnyAdjoints};
pub use self::block::{ListSpan, Reader, Writer};
pub(crate) use self::block::{RightHandSide, VariableLength};
pub(crate) use self::by_kind::{AllValues, AnyValues};
pub use self::by_kind::{KindStatistics, RecordedValues};
pub(crate) use self::elements::Block;
pub(crate) use self::elements::{
    Arguments, ElementBlock, ListPlace, Lists, ReductionBack, ReductionInputs,
};
pub use self::elements::{ElementFunctions, ElementPlane, ReductionFunctions};
pub use self::part::{
    BasePart, Derived, Field, Nested, Part, PartOf, PlaceIndex, number_of, numbers_in,
};
pub(crate) use self::part::{add_part, term, test_part};
pub(crate) use self::planes::{
    ByActive, DirectionalFunctions, OperationContext, Plane, PlaneFunction, PlaneFunctions,
    PlaneSlots, SLOTS, Value,
};
pub use self::planes::{Dependence, Functions, Operation, Planes};
pub use self::shared::Shared;
pub(crate) use self::stacks::{Counting, Stacks};
pub use self::stash::Stash;
#[doc(hidden)]
pub use self::stash::{largest, no_variant};
#[doc(hidden)]
pub use self::tangents::MANY;
pub(crate) use self::tangents::{AllTangents, AnyDirections, TangentsOf, Way};
pub(crate) use self::values::OwnedSlot;
pub use self::values::Values;
