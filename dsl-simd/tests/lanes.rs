//! Lanes against finite differences, rules of numbers, and the plain program.
#[path = "lanes/faults.rs"]
mod faults;
#[path = "lanes/functions.rs"]
mod functions;
#[path = "lanes/kinds.rs"]
mod kinds;
mod levels;
#[path = "lanes/literals.rs"]
mod literals;
mod numbers;
#[path = "lanes/operators.rs"]
mod operators;
mod panics;
#[path = "lanes/remembered.rs"]
mod remembered;
#[path = "lanes/rules.rs"]
mod rules;
#[path = "lanes/runs.rs"]
mod runs;
#[path = "lanes/wide_methods.rs"]
mod wide_methods;

/// Runs a test at the widest instruction level of the machine.
fn once(test: impl Fn()) {
    test();
}
