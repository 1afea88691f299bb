//! The tape, which records statements and sweeps them backwards.
//!
//! A program creates a [`Tape`], adds inputs, records, and reads a [`Gradient`]. [`Directions`], [`Tangents`],
//! [`Adjoints`] and [`SweptAdjoints`] sweep along several directions, and [`Position`] divides a recording. [`Reader`],
//! [`Writer`], [`Records`], [`LinearId`] and [`OwnedId`] only occur in bounds.
//!
//! ```
//! use entape_core::tape::Tape;
//!
//! let mut tape = Tape::new();
//! let (x, y) = (tape.input(2.0), tape.input(3.0));
//! let z = tape.record(|| (x * y + x).eval());
//! let gradient = tape.gradient(&z)?;
//! assert_eq!((gradient.wrt(&x)?, gradient.wrt(&y)?), (4.0, 2.0));
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
//!
//! The components of a tape:
//!
//! ```text
//! sequence   statements: blocks of bytes (identifiers, passive values, saved values), each with its handle
//! values     for each kind: primal values by identifier, inputs, free identifiers
//! stacks     for each type: values that own memory, named by place in the blocks
//! table      for each handle: the statement's type, its constants, where it was recorded first
//! adjoints   for each kind: adjoints by identifier; a sweep has them, and the recording does not know them
//! ```
//!
//! One tape records on a thread at a time ([`Tape::record`]). Variables carry a tag of their recording.
mod activity;
mod any_node;
pub(crate) mod current;
mod directions;
mod dot;
pub(crate) mod external;
mod fast;
mod gradient;
mod handles;
mod layout;
mod list_leaves;
mod list_partials;
mod lists;
mod modes;
mod numbers;
mod options;
mod partials;
mod position;
mod recording;
mod second;
mod sequence;
mod statement;
mod statistics;
mod summary;
mod sweep;
mod target;
mod user;

pub use self::current::refuses_casts;
#[doc(hidden)]
pub use self::current::{keeps_parts, note_accumulated};
pub use self::gradient::{Gradient, NonFinite, Scalar};
pub use self::modes::{LinearId, OwnedId, Records};
pub use self::options::Builder;
pub use self::position::Position;
pub use self::second::{Adjoints, Count, Directed, Directions, SweptAdjoints, Tangents};
pub use self::statistics::Statistics;
pub use self::summary::{SourceLine, Summary};
pub use self::user::Tape;
pub use crate::error::Error;
#[doc(hidden)]
pub use crate::error::watch;
pub use crate::store::{KindStatistics, Reader, Writer};

pub(crate) use self::activity::{Inspect, VariablesFound, refuse_active};
pub(crate) use self::any_node::{AnyNode, Erased, refuse_any};
pub(crate) use self::fast::FreshValue;
pub(crate) use self::recording::{RecordOutcome, TapeRecording};
pub(crate) use self::statement::Statement;
#[doc(hidden)]
pub use self::statement::StatementVisitor;
pub(crate) use self::target::{PartTarget, ReadyPart, Target, Targets, WholeTarget};
