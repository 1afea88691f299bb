//! Arrays against finite differences, rules of numbers, programs of reals, and reference data.
#[path = "arrays/faults.rs"]
mod faults;
#[path = "arrays/functions.rs"]
mod functions;
#[path = "arrays/kinds.rs"]
mod kinds;
mod levels;
#[path = "arrays/literals.rs"]
mod literals;
mod numbers;
mod panics;
#[path = "arrays/programs.rs"]
mod programs;
#[path = "arrays/reference.rs"]
mod reference;
#[path = "arrays/rules.rs"]
mod rules;
