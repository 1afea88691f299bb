//! The value of the European part in closed form, as an integral over the characteristic function.
use crate::book::{BOOK, MARKET, Maturity, PUT};
use entape::{Function, complex::num_complex::c64, driver::ListShape, prelude::*};
use std::f64::consts::PI;

/// The value of the European part in closed form.
pub(crate) struct Integral;
impl Function for Integral {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, market: &[Real<M>]) -> Real<M> {
        let [
            spot,
            rate,
            now,
            reversion,
            mean,
            of_variance,
            correlation,
            today,
        ] = market[..]
        else {
            panic!("{} numbers for a market of {}", market.len(), MARKET.len());
        };
        let square = (of_variance * of_variance).eval();
        let mut value = Real::passive(0.0);
        for Maturity { end, european, .. } in &BOOK {
            let left = (*end - today).eval();
            let discount = (-rate * left).exp().eval();
            let mut integrals = vec![Real::<M>::passive(0.0); european.len()];
            let width = 0.25;
            for k in 0..480 {
                // the characteristic function of the share's logarithm, with the root that has no branch cut in the way
                let u = (f64::from(k) + 0.5) * width;
                let below = u * u + 0.25;
                let beta = (reversion.to_complex()
                    - correlation * of_variance * constant(c64(0.5, u)))
                .eval();
                let root = (beta * beta + square * below).sqrt().eval();
                let (minus, decay) = ((beta - root).eval(), (-root * left).exp().eval());
                let ratio = (minus / (beta + root)).eval();
                let reach = (1.0 - ratio * decay).eval();
                let from_mean = minus * left - 2.0 * (reach / (1.0 - ratio)).ln();
                let from_now = minus * (1.0 - decay) / reach;
                let exponent =
                    ((reversion * mean / square) * from_mean + (now / square) * from_now).eval();
                for (integral, (_, strike, _)) in integrals.iter_mut().zip(*european) {
                    let turn = (u * ((spot / *strike).ln() + rate * left)).eval();
                    let size = (exponent.re().exp() * (width / below)).eval();
                    *integral += size * (exponent.im() + turn).cos();
                }
            }
            for (integral, &(side, strike, count)) in integrals.into_iter().zip(*european) {
                let call = spot - (spot * strike * discount).sqrt() / PI * integral;
                let parity = if side == PUT { 1.0 } else { 0.0 };
                value += count * (call - parity * (spot - strike * discount));
            }
        }
        value
    }
}
