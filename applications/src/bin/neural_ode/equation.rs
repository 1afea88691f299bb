//! The equations, and how well their solutions fit.
use applications::{Outcome, minimise, root_mean_square};
use entape::{
    checkpoint::{Checkpoints, Cost, Steps},
    driver::{ArrayShape, ListShape},
    prelude::*,
};
use rand::{Rng, SeedableRng, rngs::SmallRng};

/// How strongly small weights are preferred.
const DECAY: f64 = 2e-3;

/// The right side of a differential equation for the logarithms of both counts.
pub(crate) trait Rates {
    fn rates<M: Mode>(&self, state: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2];
    /// What parameters cost by themselves.
    fn prior<M: Mode>(&self, _: &[Real<M>]) -> Real<M> {
        Real::passive(0.0)
    }
}
/// Lotka and Volterra's equations, by the logarithms of the four parameters.
pub(crate) struct Classical;
impl Rates for Classical {
    fn rates<M: Mode>(&self, [hare, lynx]: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let grows = (p[0].exp() - (p[1] + lynx).exp()).eval();
        [grows, ((p[3] + hare).exp() - p[2].exp()).eval()]
    }
}
/// A network with one hidden layer: for each neuron a bias, two weights in front and two behind; then two biases.
pub(crate) struct Network {
    pub(crate) width: usize,
}
impl Network {
    pub(crate) fn start(&self) -> Vec<f64> {
        let mut random = SmallRng::seed_from_u64(3);
        (0..5 * self.width + 2)
            .map(|_| random.random_range(-0.5..0.5))
            .collect()
    }
}
impl Rates for Network {
    fn rates<M: Mode>(&self, [hare, lynx]: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let (neurons, ends) = p.split_at(5 * self.width);
        // centred
        let (hare, lynx) = ((hare - 3.3).eval(), (lynx - 2.7).eval());
        let mut out = [ends[0], ends[1]];
        for p in neurons.chunks_exact(5) {
            let active = (p[0] + p[1] * hare + p[2] * lynx).tanh().eval();
            out[0] += p[3] * active;
            out[1] += p[4] * active;
        }
        out
    }
    fn prior<M: Mode>(&self, p: &[Real<M>]) -> Real<M> {
        let squares: Real<M> = p.iter().map(|p| p * p).sum();
        (DECAY * squares).eval()
    }
}

/// The equation with what it is fitted to: the logarithms of the counts.
pub(crate) struct Fit<'f, R> {
    pub(crate) equation: &'f R,
    pub(crate) counts: &'f [[f64; 2]],
    pub(crate) years: usize,
    pub(crate) per_year: usize,
}
impl<R: Rates> Steps for Fit<'_, R> {
    type State = ArrayShape<f64, 2>;
    type Parameters = ListShape<f64>;
    type Output<M: Mode> = [Real<M>; 2];
    fn step<M: Mode>(&self, _: usize, x: [Real<M>; 2], p: &[Real<M>]) -> [Real<M>; 2] {
        let h = 1.0 / self.per_year as f64;
        let ahead = |by: f64, k: [Real<M>; 2]| [0, 1].map(|i| (x[i] + by * k[i]).eval());
        let a = self.equation.rates(x, p);
        let b = self.equation.rates(ahead(0.5 * h, a), p);
        let c = self.equation.rates(ahead(0.5 * h, b), p);
        let d = self.equation.rates(ahead(h, c), p);
        [0, 1].map(|i| (x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i])).eval())
    }
}
impl<R: Rates> Cost for Fit<'_, R> {
    fn cost<M: Mode>(&self, x: [Real<M>; 2], p: &[Real<M>]) -> Real<M> {
        (self.misfit(self.years, x) + self.equation.prior(p)).eval()
    }
    fn cost_along<M: Mode>(
        &self,
        number: usize,
        x: [Real<M>; 2],
        _: &[Real<M>],
    ) -> Option<Real<M>> {
        let in_time = number.is_multiple_of(self.per_year);
        in_time.then(|| self.misfit(number / self.per_year, x))
    }
}
impl<R: Rates> Fit<'_, R> {
    fn misfit<M: Mode>(&self, year: usize, x: [Real<M>; 2]) -> Real<M> {
        let [hare, lynx] = self.counts[year];
        ((x[0] - hare).powi(2) + (x[1] - lynx).powi(2)).eval()
    }
    /// Minimises the misfit from the initial state and the parameters, one after the other.
    pub(crate) fn minimise(&self, start: Vec<f64>, steps: u64) -> Outcome<Vec<f64>> {
        let checkpoints = Checkpoints::new().states(20);
        let slope = |x: &[f64]| {
            let (state, p) = ([x[0], x[1]], &x[2..]);
            let (value, (state_b, p_b)) =
                checkpoints.value_and_gradient(self, state, p, self.years * self.per_year)?;
            Ok((value, [&state_b[..], &p_b].concat()))
        };
        Ok(minimise::lbfgs(slope, start, steps)?.at)
    }
    /// The states after each step.
    pub(crate) fn solve(&self, x: &[f64]) -> Vec<[f64; 2]> {
        let plain: Vec<_> = x.iter().map(|&x| Real::<Plain>::passive(x)).collect();
        let mut state = [plain[0], plain[1]];
        let mut all = vec![state.map(|x| x.value())];
        for number in 0..self.years * self.per_year {
            state = self.step(number, state, &plain[2..]);
            all.push(state.map(|x| x.value()));
        }
        all
    }
    /// What is left of the logarithms of each animal.
    pub(crate) fn left(&self, solution: &[[f64; 2]]) -> [f64; 2] {
        let of_years = || solution.iter().step_by(self.per_year).zip(self.counts);
        [0, 1].map(|i| root_mean_square(of_years().map(|(x, y)| x[i] - y[i])))
    }
}
