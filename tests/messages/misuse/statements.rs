//! Remaining expressions in a `#[function]`, and types without their mode.
use entape_core::{expr::Active, function, mode::Mode, real::Elementary};
use entape_drivers::Objective;

struct Root;
#[function]
impl Root {
    fn of(&self, x: Active<f64>) -> Active<f64> {
        x.sqrt()
    }
}
impl Root {
    fn same(&self) -> &Self {
        self
    }
}
#[function]
fn argument(x: &[Active<f64>]) -> Active<f64> {
    Root.same().of(x[0] * x[1])
}

fn of_one_mode(x: Active<f64>) -> Active<f64> {
    x.sqrt().eval()
}
#[function]
fn other_mode(x: Active<f64>) -> Active<f64> {
    of_one_mode(x)
}

struct Pose<M: Mode> {
    at: Active<f64, M>,
}
#[function]
fn without_mode(pose: &Pose) -> Active<f64> {
    pose.at * 2.0
}

#[function]
fn wrong_result(x: Active<f64>) -> f64 {
    x * 2.0
}

struct NotAnError;
#[function]
fn fallible(x: &[Active<f64>]) -> Result<Active<f64>, NotAnError> {
    Ok(x[0] * 2.0)
}
fn main() {
    let _ = Objective::new(fallible {});
    let _ = Objective::new(argument);
}
