//! The price of a European call option by paths of Black and Scholes' model.
//!
//! ```text
//! end   = spot * exp((rate - volatility² / 2) * time + volatility * √time * z)      z normal
//! price = exp(-rate * time) * mean of max(end - strike, 0)
//! ```
//!
//! Inputs are the numbers of the [market](Market), the output is the price; a step is one path.
//!
//! | program | statements |
//! |---|---|
//! | [`plain`] | none, vectors of `wide`, the denominator of all factors |
//! | [`lanes`] | one for four paths |
//! | [`reals`] | one for a path |
use entape::{prelude::*, simd::wide::f64x4};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

pub mod costs;

/// The parameters of the price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Market<T> {
    pub spot: T,
    /// The interest rate for a year.
    pub rate: T,
    /// The standard deviation of the logarithm in a year.
    pub volatility: T,
    /// Years until the option expires.
    pub time: T,
}
impl<T> Market<T> {
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Market<U> {
        Market {
            spot: f(self.spot),
            rate: f(self.rate),
            volatility: f(self.volatility),
            time: f(self.time),
        }
    }
    pub fn into_array(self) -> [T; 4] {
        [self.spot, self.rate, self.volatility, self.time]
    }
}

/// `end = spot * exp(drift + spread * z)`.
struct Paths<T> {
    spot: T,
    drift: T,
    spread: T,
    discount: T,
}
impl<M: Mode> Market<Real<M>> {
    fn paths(&self) -> Paths<Real<M>> {
        let Market {
            spot,
            rate,
            volatility,
            time,
        } = *self;
        Paths {
            spot,
            drift: ((rate - 0.5 * volatility * volatility) * time).eval(),
            spread: (volatility * time.sqrt()).eval(),
            discount: (-rate * time).exp().eval(),
        }
    }
}

pub fn plain(market: &Market<f64>, strike: f64, normals: &[f64x4]) -> f64 {
    let paths = market.map(Real::<Plain>::passive).paths();
    let [spot, drift, spread] =
        [paths.spot, paths.drift, paths.spread].map(|x| f64x4::splat(x.value()));
    let mut sum = f64x4::ZERO;
    for &z in normals {
        sum += (spot * (drift + spread * z).exp() - strike).max(f64x4::ZERO);
    }
    sum.reduce_add() * paths.discount.value() / (4 * normals.len()) as f64
}
pub fn lanes<M: Mode>(market: &Market<Real<M>>, strike: f64, normals: &[f64x4]) -> Real<M> {
    let paths = market.paths();
    // The adjoints of separate variables are summed once.
    let [spot, drift, spread] =
        [paths.spot, paths.drift, paths.spread].map(|x| x.splat::<f64x4>().eval());
    let mut sum = Realx4::<M>::passive(f64x4::ZERO);
    for &z in normals {
        sum += (spot * (drift + spread * z).exp() - strike).max(0.0);
    }
    (sum.reduce_add() * paths.discount / (4 * normals.len()) as f64).eval()
}
pub fn reals<M: Mode>(market: &Market<Real<M>>, strike: f64, normals: &[f64x4]) -> Real<M> {
    let Paths {
        spot,
        drift,
        spread,
        discount,
    } = market.paths();
    let mut sum = Real::<M>::passive(0.0);
    for &z in normals.iter().flat_map(|z| z.as_array()) {
        sum += (spot * (drift + spread * z).exp() - strike).max(0.0);
    }
    (sum * discount / (4 * normals.len()) as f64).eval()
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Greeks {
    pub price: f64,
    pub delta: f64,
    pub vega: f64,
    pub rho: f64,
    /// Along the passing of time.
    pub theta: f64,
    pub gamma: f64,
}
impl Greeks {
    pub fn list(&self) -> [(&'static str, f64); 6] {
        let Greeks {
            price,
            delta,
            vega,
            rho,
            theta,
            gamma,
        } = *self;
        [
            ("price", price),
            ("delta", delta),
            ("vega", vega),
            ("rho", rho),
            ("theta", theta),
            ("gamma", gamma),
        ]
    }
    pub fn into_array(self) -> [f64; 6] {
        self.list().map(|(_, x)| x)
    }
    pub fn from_array([price, delta, vega, rho, theta, gamma]: [f64; 6]) -> Self {
        Greeks {
            price,
            delta,
            vega,
            rho,
            theta,
            gamma,
        }
    }
    /// Computes the Greeks by Black and Scholes' formula with the normal distribution function `Φ`:
    ///
    /// ```text
    /// price = spot Φ(d) - strike exp(-rate time) Φ(d - s),  d = (ln(spot / strike) + rate time) / s + s / 2,
    /// s = volatility √time
    /// ```
    pub fn black_scholes(market: &Market<f64>, strike: f64) -> Self {
        let Market {
            spot,
            rate,
            volatility,
            time,
        } = *market;
        let standard = Normal::standard();
        let (normal, density) = (|x| standard.cdf(x), |x| standard.pdf(x));
        let s = volatility * time.sqrt();
        let d = ((spot / strike).ln() + rate * time) / s + 0.5 * s;
        let paid = strike * (-rate * time).exp();
        Greeks {
            price: spot * normal(d) - paid * normal(d - s),
            delta: normal(d),
            vega: spot * density(d) * time.sqrt(),
            rho: time * paid * normal(d - s),
            theta: -spot * density(d) * volatility / (2.0 * time.sqrt())
                - rate * paid * normal(d - s),
            gamma: density(d) / (spot * s),
        }
    }
}
