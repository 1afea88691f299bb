//! Every form of annotation: the rule it makes, checked against formulas written by hand.
#![allow(missing_docs, unreachable_pub)]

#[path = "annotations/foreign.rs"]
mod foreign;
#[path = "annotations/hygiene.rs"]
mod hygiene;
#[path = "annotations/kinds.rs"]
mod kinds;
#[path = "annotations/members.rs"]
mod members;
#[path = "annotations/outputs.rs"]
mod outputs;
#[path = "annotations/passive.rs"]
mod passive;
#[path = "annotations/rules.rs"]
mod rules;
#[path = "annotations/sweep.rs"]
mod sweep;

/// The messages of wrong annotations, at their places.
#[test]
fn mistakes_are_reported_with_their_remedy() {
    trybuild::TestCases::new().compile_fail("tests/annotations/ui/*.rs");
}
