//! The equations that implicit functions solve, `R(x, p) = 0`, in real coordinates, and their derivatives.
use entape_core::{
    driver::{Curvature, FlatShape, Function, Jacobian, Linearization, Outputs},
    expr::Active,
    mode::Taped,
    tape::Error,
};

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
    pub(super) of: Linearization<F>,
    pub(super) unknowns: usize,
}
impl<F: Function + 'static> Equation for Zero<F> {
    fn residual(&self) -> Result<Vec<f64>, Error> {
        Ok(self.of.values())
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        self.of.jacobian_of(0..self.unknowns)
    }
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error> {
        self.of.vjp(w)
    }
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error> {
        self.of.jvp(tangent)
    }
}

/// `R = x - G(x, p)`.
pub(super) struct Fixed<F: Function> {
    pub(super) of: Linearization<F>,
    /// The coordinates of the fixed point.
    pub(super) x: Vec<f64>,
}
impl<F: Function + 'static> Equation for Fixed<F> {
    fn residual(&self) -> Result<Vec<f64>, Error> {
        let each = self.x.iter().zip(self.of.values());
        Ok(each.map(|(x, g)| x - g).collect())
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        let n = self.x.len();
        let slopes = self.of.jacobian_of(0..n)?;
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
        let along = self.of.jvp(tangent)?;
        Ok(along
            .iter()
            .zip(tangent)
            .map(|(g_t, x_t)| x_t - g_t)
            .collect())
    }
}

/// `R`, the gradient of `f(x, p)` with respect to `x`.
pub(super) struct Stationary<F: Function> {
    pub(super) of: Curvature<F>,
    pub(super) unknowns: usize,
}
impl<F> Equation for Stationary<F>
where
    F: Function<Values = f64> + 'static,
    F::Output<Taped>: Outputs<Taped, Variables = Active<f64>>,
{
    fn residual(&self) -> Result<Vec<f64>, Error> {
        let (mut gradient, _) = self.of.hessian_vector(&vec![0.0; self.of.inputs()])?;
        gradient.truncate(self.unknowns);
        Ok(gradient)
    }
    fn matrix(&self) -> Result<Jacobian, Error> {
        self.of.hessian_of(0..self.unknowns)
    }
    /// The Hessian of `f` is symmetric.
    fn pull(&self, w: &[f64]) -> Result<Vec<f64>, Error> {
        let mut direction = w.to_vec();
        direction.resize(self.of.inputs(), 0.0);
        self.of.hessian_vector(&direction).map(|(_, along)| along)
    }
    fn push(&self, tangent: &[f64]) -> Result<Vec<f64>, Error> {
        let (_, mut along) = self.of.hessian_vector(tangent)?;
        along.truncate(self.unknowns);
        Ok(along)
    }
}

/// The coordinates of values.
pub(super) fn coordinates<S: FlatShape>(values: &S::Values) -> Vec<f64> {
    let mut all = Vec::new();
    S::coordinates(values, &mut all);
    all
}
