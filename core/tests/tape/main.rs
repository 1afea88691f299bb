//! The tape.
#![allow(missing_docs, unreachable_pub)]

mod constants;
mod faults;
mod inspection;
mod limits;
mod lines;
mod misuse;
mod outputs;
mod panics;
mod partial;
mod places;
mod positions;
mod random;
mod reentry;
mod select;
mod stale;
mod support;
mod sweeps;
mod unconditional;
mod variables;
