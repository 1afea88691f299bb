use crate::{Problem, Program};
use entape_tests::{numbers, program as case};
use serde_json::Value;

fn names(program: Program) -> &'static [&'static str] {
    match program {
        Program::Burgers => &["u0", "v0"],
        Program::T1 | Program::T2m => &["A", "B"],
        Program::T2 => &["A", "b"],
        Program::T3 => &["F", "B", "Q", "H", "R", "P", "u", "z", "x"],
        Program::T4 => &[
            "W", "A", "x0", "y", "v1", "z1", "v2", "z2", "alpha", "beta", "tau",
        ],
    }
}
fn list(program: Program, data: &Value) -> Vec<f64> {
    let named = |name: &&str| match &data[*name] {
        Value::Number(x) => vec![x.as_f64().expect("a number")],
        array => numbers(array),
    };
    names(program).iter().flat_map(named).collect()
}

/// The case of a program; all weights are one.
pub fn reference(program: Program) -> Problem {
    let case = case(program.name());
    let size = |name: &str| case[name].as_u64().expect("a size") as usize;
    let (n, steps) = (size("n"), size("steps"));
    let mut numbers = list(program, &case["inputs"]);
    numbers.resize(Problem::len(program, n), 1.0);
    Problem {
        program,
        n,
        steps,
        numbers,
    }
}
/// Returns the value computed by other tools, followed by the gradient.
pub fn reference_gradient(program: Program) -> Vec<f64> {
    let case = case(program.name());
    let value = case["value"].as_f64().expect("a number");
    [vec![value], list(program, &case["gradient"])].concat()
}
