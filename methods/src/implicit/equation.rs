//! The equations `R(x, p) = 0` in real coordinates.
use entape_core::{
    structure::{FlatStructure, Structure},
    tape::Error,
};
use entape_drivers::{Function, Jacobian, Objective, Structured};

pub(super) struct AtPoint<F: Function> {
    function: Objective<Structured<F>>,
    point: Vec<f64>,
}
impl<F: Function> AtPoint<F> {
    pub(super) fn new(function: F, values: <F::Inputs as Structure>::Values) -> Self {
        let point = F::Inputs::flattened(&values);
        let function = Objective::shaped(function, values);
        AtPoint { function, point }
    }
    pub(super) fn values(&self) -> Result<Vec<f64>, Error> {
        self.function.try_values(&self.point)
    }
    fn jacobian(&self, unknowns: usize) -> Result<Jacobian, Error> {
        self.function.jacobian_columns(&self.point, 0..unknowns)
    }
    fn vjp(&self, seed: &[f64]) -> Result<Vec<f64>, Error> {
        let mut product = vec![0.0; self.point.len()];
        self.function.vjp_into(&self.point, seed, &mut product)?;
        Ok(product)
    }
    fn jvp(&self, direction: &[f64], results: usize) -> Result<Vec<f64>, Error> {
        let mut product = vec![0.0; results];
        self.function
            .jvp_into(&self.point, direction, &mut product)?;
        Ok(product)
    }
}

/// Derivatives of `R` at a point.
pub(super) trait Equation: 'static {
    /// `R`.
    fn residual(&self) -> Result<Vec<f64>, Error>;
    /// `R_x`.
    fn matrix(&self) -> Result<Jacobian, Error>;
    /// `w R_p` after `w R_x`, in one list.
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error>;
    /// `R_x x_t + R_p p_t`, for both tangents in one list.
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error>;
}

/// `R = F(x, p)`.
pub(super) struct Zero<F: Function> {
    pub(super) of: AtPoint<F>,
    pub(super) unknowns: usize,
}
impl<F: Function + 'static> Equation for Zero<F> {
    fn residual(&self) -> Result<Vec<f64>, Error> {
        self.of.values()
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        self.of.jacobian(self.unknowns)
    }
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error> {
        self.of.vjp(w)
    }
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error> {
        self.of.jvp(tangent, self.unknowns)
    }
}

/// `R = x - G(x, p)`.
pub(super) struct Fixed<F: Function> {
    pub(super) of: AtPoint<F>,
    pub(super) x: Vec<f64>,
}
impl<F: Function + 'static> Equation for Fixed<F> {
    fn residual(&self) -> Result<Vec<f64>, Error> {
        let values = self.of.values()?;
        Ok(self.x.iter().zip(values).map(|(x, g)| x - g).collect())
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        let n = self.x.len();
        let slopes = self.of.jacobian(n)?;
        let entry = |k: usize, slope: f64| f64::from(k % n == k / n) - slope;
        let entries = slopes.into_vec().into_iter().enumerate();
        let entries = entries.map(|(k, slope)| entry(k, slope)).collect();
        Ok(Jacobian::new(n, n, entries))
    }
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error> {
        let mut both = self.of.vjp(w)?;
        both.iter_mut().for_each(|b| *b = -*b);
        both.iter_mut().zip(w).for_each(|(b, w)| *b += w);
        Ok(both)
    }
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error> {
        let along = self.of.jvp(tangent, self.x.len())?;
        Ok(along
            .iter()
            .zip(tangent)
            .map(|(g_t, x_t)| x_t - g_t)
            .collect())
    }
}

/// `R`, the gradient of `f(x, p)` with respect to `x`.
pub(super) struct Stationary<F: Function> {
    pub(super) of: AtPoint<F>,
    pub(super) unknowns: usize,
}
impl<F: Function<Values = f64> + 'static> Equation for Stationary<F> {
    fn residual(&self) -> Result<Vec<f64>, Error> {
        let mut gradient = self.of.function.gradient(&self.of.point)?;
        gradient.truncate(self.unknowns);
        Ok(gradient)
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        let AtPoint { function, point } = &self.of;
        function.hessian_block(point, 0..self.unknowns)
    }
    /// The Hessian of `f` is symmetric.
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error> {
        let AtPoint { function, point } = &self.of;
        let mut direction = w.to_vec();
        direction.resize(point.len(), 0.0);
        function.hessian_vector(point, &direction)
    }
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error> {
        let AtPoint { function, point } = &self.of;
        let mut along = function.hessian_vector(point, tangent)?;
        along.truncate(self.unknowns);
        Ok(along)
    }
}
