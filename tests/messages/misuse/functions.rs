use entape_check as check;
use entape_core::{expr::Active, mode::{Mode, Plain}};
use entape_drivers::{Function, Objective, SingleShape, gradient};
struct OfAPair;
impl Function for OfAPair {
    type Inputs = (SingleShape<f64>, SingleShape<f64>);
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    fn call<M: Mode>(&self, (x, y): (Active<f64, M>, Active<f64, M>)) -> Active<f64, M> {
        (x * y).eval()
    }
}
fn of_two(x: Active<f64>, y: Active<f64>) -> Active<f64> {
    (x * y).eval()
}
fn main() {
    let _ = gradient(|x: Active<f64>| x * x, &[1.0, 2.0]);
    let _ = gradient(of_two, (1.0, 2.0));
    let _ = gradient(OfAPair, &[1.0, 2.0]);
    let _ = Objective::new(of_two);
    let _ = check::gradient(OfAPair, &[1.0, 2.0]);
    let x = Active::<f64, Plain>::passive(0.5);
    let _ = x > 1;
}
