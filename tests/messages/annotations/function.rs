//! Errors in the items annotated with `#[function]`.
use entape_core::{expr::Active, function, mode::Mode};

struct Pose<M: Mode> {
    at: Active<f64, M>,
}

#[function]
struct Data {
    x: f64,
}

#[function(modes(Pose))]
fn options(x: Active<f64>) -> Active<f64> {
    x
}

#[function]
const fn at_compile_time(x: Active<f64>) -> Active<f64> {
    x
}

#[function]
fn sizes<const M: usize>(x: [Active<f64>; M]) -> Active<f64> {
    x[0]
}

#[function]
fn plain(x: f64) -> f64 {
    x
}

impl<M: Mode> Pose<M> {
    #[function]
    fn moved(&self, by: Active<f64>) -> Active<f64> {
        self.at + by
    }
    #[function]
    fn at(by: Active<f64>) -> Self {
        Pose { at: by }
    }
}

fn main() {}
