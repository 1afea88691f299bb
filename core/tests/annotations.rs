//! Every form of annotation, against hand-written formulas. Invalid ones are in `tests/messages`.
#![allow(missing_docs, unreachable_pub)]

#[path = "annotations/fallible.rs"]
mod fallible;
#[path = "annotations/foreign.rs"]
mod foreign;
#[path = "annotations/hygiene.rs"]
mod hygiene;
#[path = "annotations/kinds.rs"]
mod kinds;
#[path = "annotations/members.rs"]
mod members;
#[path = "annotations/numbers.rs"]
mod numbers;
#[path = "annotations/outputs.rs"]
mod outputs;
#[path = "annotations/passive.rs"]
mod passive;
#[path = "annotations/rules.rs"]
mod rules;
#[path = "annotations/samples.rs"]
mod samples;
#[path = "annotations/source.rs"]
mod source;
#[path = "annotations/sweep.rs"]
mod sweep;
