//! Modes: the effects of evaluating an expression. Generic source, `fn f<M: Mode>(x: Active<f64, M>)`, runs in all
//! modes; see [`Plain`].
//!
//! | mode | records | value kinds | storage kinds |
//! |---|---|---|---|
//! | [`Plain`] | nothing | bare value, no identifier | bare value |
//! | [`Taped`] | statements | `Copy`, linear identifiers | owned, reused identifiers |
//! | [`Reuse`] | statements | owned, reused identifiers | owned, reused identifiers |
//! | [`Forward`] | nothing | value and tangents | value and optional tangents |
mod assign;
mod attempt;
mod definition;
mod evaluate;
mod forward;
mod outputs;
mod places;
mod plain;
mod record;
#[doc(hidden)]
pub mod statement;
mod unbound;

#[doc(hidden)]
pub use self::attempt::eval_known;
pub use self::definition::{AnyMode, ByMode, Mode, Recording};
#[doc(hidden)]
pub use self::outputs::OutputPlace;
pub use self::outputs::{OutputKind, WritesOutputs};
pub use self::places::{Parted, PlaceMut, Writable};
#[doc(hidden)]
pub use self::unbound::Unbound;
pub use crate::{
    kind::{
        Identifier, Slot, VariableId,
        carrier::{Forward, Plain, Reuse, Taped},
    },
    tape::{LinearId, OwnedId},
};
