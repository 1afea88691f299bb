//! Ordinary differential equations with sensitivities by [`diffsol`](https://docs.rs/diffsol), feature `diffsol`.
//!
//! [`OdeFunctions`] makes the closures of diffsol's builder from one [`Function`] each:
//!
//! | function | inputs | results |
//! |---|---|---|
//! | right-hand side | time, states, parameters: `(f64, Vec<f64>, Vec<f64>)` | the derivative of each state |
//! | outputs | time, states, parameters | a list |
//! | initial values | time, parameters: `(f64, Vec<f64>)` | the states |
//!
//! ```
//! use entape::{function, prelude::*};
//! use entape_adapters::diffsol::{OdeFunctions, diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, SensitivitiesOdeSolverMethod}};
//!
//! /// A logistic equation with the parameters growth, capacity and initial value.
//! #[function]
//! fn logistic((_t, y, p): (Real, &[Real], &[Real])) -> Vec<Real> {
//!     vec![p[0] * y[0] * (1.0 - y[0] / p[1])]
//! }
//! #[function]
//! fn start((_t, p): (Real, &[Real])) -> Vec<Real> {
//!     vec![p[2]]
//! }
//! let problem = OdeBuilder::<NalgebraMat<f64>>::new()
//!     .p([1.0, 2.0, 0.5])
//!     .rtol(1e-8)
//!     .rhs_sens_function(logistic {})
//!     .init_sens_function(start {}, 1)
//!     .build()?;
//! let (y, sensitivities, _) = problem
//!     .bdf_sens::<NalgebraLU<f64>>()?
//!     .solve_dense_sensitivities(&[1.0])?;
//! // dy/dp of y = k y0 / (y0 + (k - y0) exp(-r t))
//! let decay = (-1.0_f64).exp();
//! let by_growth = 2.0 * 0.5 * 1.5 * decay / (0.5 + 1.5 * decay).powi(2);
//! assert!((y[(0, 0)] - 1.0 / (0.5 + 1.5 * decay)).abs() < 1e-5);
//! assert!((sensitivities[0][(0, 0)] - by_growth).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The builder's own methods set roots, resets and mass matrices.
//!
//! # Panics
//! A run panics if an operation lacks a derivative, or if the number of results of a function differs from the number
//! passed to the builder. Values that are not finite are passed on, with NaN derivatives if they are constants:
//! implicit methods then take a shorter step, or end with diffsol's error. Explicit methods continue with NaN, so check
//! their solutions.
pub use ::diffsol;

use ::diffsol::{
    ClosureWithAdjoint, ConstantClosureWithAdjoint, Matrix, OdeBuilder,
    op::{closure_with_sens::ClosureWithSens, constant_closure_with_sens::ConstantClosureWithSens},
};
use entape_core::{expr::Active, mode::Mode};
use entape_drivers::{Error, Function, ListShape, Objective, SingleShape};
use std::sync::{Arc, OnceLock};

type OfStates = (SingleShape<f64>, ListShape<f64>, ListShape<f64>);
type OfParameters = (SingleShape<f64>, ListShape<f64>);

struct Joined<F> {
    function: Arc<F>,
    states: usize,
}
impl<F: Function<Inputs = OfStates>> Function for Joined<F> {
    type Inputs = ListShape<f64>;
    type Values = F::Values;
    type Output<M: Mode> = F::Output<M>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> F::Output<M> {
        let (y, p) = x[1..].split_at(self.states);
        self.function.call((x[0], y, p))
    }
}
struct Initial<F>(F);
impl<F: Function<Inputs = OfParameters>> Function for Initial<F> {
    type Inputs = ListShape<f64>;
    type Values = F::Values;
    type Output<M: Mode> = F::Output<M>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> F::Output<M> {
        self.0.call((x[0], &x[1..]))
    }
}

struct Evaluated<F> {
    function: Arc<F>,
    /// Created at the first call, which determines the number of states.
    objective: OnceLock<Objective<Joined<F>>>,
}
impl<F: Function<Inputs = OfStates, Values: AsRef<[f64]>>> Evaluated<F> {
    fn new(function: F) -> Arc<Self> {
        Arc::new(Evaluated {
            function: function.into(),
            objective: OnceLock::new(),
        })
    }
    fn objective(&self, y: &[f64]) -> &Objective<Joined<F>> {
        self.objective.get_or_init(|| {
            Objective::new(Joined {
                function: self.function.clone(),
                states: y.len(),
            })
        })
    }
    fn values(&self, y: &[f64], p: &[f64], t: f64, values: &mut [f64]) {
        expect(
            self.objective(y)
                .values_into(&[&[t], y, p].concat(), values),
        );
    }
    fn by_states(&self, y: &[f64], p: &[f64], t: f64, v: &[f64], product: &mut [f64]) {
        forward(self.objective(y), &[&[t], y, p].concat(), 1, v, product);
    }
    fn by_parameters(&self, y: &[f64], p: &[f64], t: f64, v: &[f64], product: &mut [f64]) {
        forward(
            self.objective(y),
            &[&[t], y, p].concat(),
            1 + y.len(),
            v,
            product,
        );
    }
    fn to_states(&self, y: &[f64], p: &[f64], t: f64, v: &[f64], product: &mut [f64]) {
        backward(self.objective(y), &[&[t], y, p].concat(), 1, v, product);
    }
    fn to_parameters(&self, y: &[f64], p: &[f64], t: f64, v: &[f64], product: &mut [f64]) {
        backward(
            self.objective(y),
            &[&[t], y, p].concat(),
            1 + y.len(),
            v,
            product,
        );
    }
}
/// The Jacobian times `v`, the tangents of the inputs from `first` on.
fn forward<F>(f: &Objective<F>, x: &[f64], first: usize, v: &[f64], product: &mut [f64])
where
    F: Function<Inputs = ListShape<f64>, Values: AsRef<[f64]>>,
{
    let mut direction = vec![0.0; x.len()];
    direction[first..][..v.len()].copy_from_slice(v);
    expect(f.jvp_into(x, &direction, product));
}
/// Minus the transposed Jacobian times `v`, for the inputs from `first` on: the sign follows diffsol's adjoint equations.
fn backward<F>(f: &Objective<F>, x: &[f64], first: usize, v: &[f64], product: &mut [f64])
where
    F: Function<Inputs = ListShape<f64>, Values: AsRef<[f64]>>,
{
    let mut all = vec![0.0; x.len()];
    expect(f.vjp_into(x, v, &mut all));
    let wanted = &all[first..][..product.len()];
    for (product, x_b) in product.iter_mut().zip(wanted) {
        *product = -x_b;
    }
}
fn expect(done: Result<(), Error>) {
    if let Err(error) = done {
        panic!("a function of the differential equation or its derivative failed: {error}");
    }
}

/// Methods of diffsol's `OdeBuilder` for functions that entape differentiates.
///
/// Methods with `sens` are for solvers with forward sensitivities, such as `bdf_sens`, and methods with `adjoint` for
/// adjoint equations, such as `bdf_solver_adjoint`. Without parameters, take either.
#[allow(clippy::type_complexity)]
pub trait OdeFunctions<M: Matrix<T = f64>, Rhs, Init, Mass, Root, Out, Reset>: Sized {
    /// Sets the right-hand side, for forward sensitivities: a function of time, states and parameters.
    fn rhs_sens_function<F>(
        self,
        rhs: F,
    ) -> OdeBuilder<
        M,
        ClosureWithSens<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Init,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>;
    /// Sets the right-hand side, for adjoints.
    fn rhs_adjoint_function<F>(
        self,
        rhs: F,
    ) -> OdeBuilder<
        M,
        ClosureWithAdjoint<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Init,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>;
    /// Sets the initial values of this many states, for forward sensitivities: a function of time and parameters.
    fn init_sens_function<F>(
        self,
        init: F,
        states: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        ConstantClosureWithSens<
            M,
            impl Fn(&[f64], f64, &mut [f64]),
            impl Fn(&[f64], f64, &[f64], &mut [f64]),
        >,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfParameters, Values: AsRef<[f64]>>;
    /// Sets the initial values of this many states, for adjoints.
    fn init_adjoint_function<F>(
        self,
        init: F,
        states: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        ConstantClosureWithAdjoint<
            M,
            impl Fn(&[f64], f64, &mut [f64]),
            impl Fn(&[f64], f64, &[f64], &mut [f64]),
        >,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfParameters, Values: AsRef<[f64]>>;
    /// Sets this many outputs, for forward sensitivities: a function of time, states and parameters.
    fn out_sens_function<F>(
        self,
        out: F,
        outputs: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        Init,
        Mass,
        Root,
        ClosureWithSens<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>;
    /// Sets this many outputs, for adjoints.
    fn out_adjoint_function<F>(
        self,
        out: F,
        outputs: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        Init,
        Mass,
        Root,
        ClosureWithAdjoint<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>;
}
#[allow(clippy::type_complexity)]
impl<M: Matrix<T = f64>, Rhs, Init, Mass, Root, Out, Reset>
    OdeFunctions<M, Rhs, Init, Mass, Root, Out, Reset>
    for OdeBuilder<M, Rhs, Init, Mass, Root, Out, Reset>
{
    fn rhs_sens_function<F>(
        self,
        rhs: F,
    ) -> OdeBuilder<
        M,
        ClosureWithSens<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Init,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>,
    {
        let evaluated = Evaluated::new(rhs);
        let [f, by_y, by_p] = [(); 3].map(|()| evaluated.clone());
        self.rhs_sens_implicit(
            move |y, p, t, values| f.values(y, p, t, values),
            move |y, p, t, v, product| by_y.by_states(y, p, t, v, product),
            move |y, p, t, v, product| by_p.by_parameters(y, p, t, v, product),
        )
    }
    fn rhs_adjoint_function<F>(
        self,
        rhs: F,
    ) -> OdeBuilder<
        M,
        ClosureWithAdjoint<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Init,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>,
    {
        let evaluated = Evaluated::new(rhs);
        let [f, by_y, to_y, to_p] = [(); 4].map(|()| evaluated.clone());
        self.rhs_adjoint_implicit(
            move |y, p, t, values| f.values(y, p, t, values),
            move |y, p, t, v, product| by_y.by_states(y, p, t, v, product),
            move |y, p, t, v, product| to_y.to_states(y, p, t, v, product),
            move |y, p, t, v, product| to_p.to_parameters(y, p, t, v, product),
        )
    }
    fn init_sens_function<F>(
        self,
        init: F,
        states: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        ConstantClosureWithSens<
            M,
            impl Fn(&[f64], f64, &mut [f64]),
            impl Fn(&[f64], f64, &[f64], &mut [f64]),
        >,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfParameters, Values: AsRef<[f64]>>,
    {
        let f = Arc::new(Objective::new(Initial(init)));
        let along = f.clone();
        self.init_sens(
            move |p, t, values| expect(f.values_into(&[&[t], p].concat(), values)),
            move |p, t, v, product| forward(&along, &[&[t], p].concat(), 1, v, product),
            states,
        )
    }
    fn init_adjoint_function<F>(
        self,
        init: F,
        states: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        ConstantClosureWithAdjoint<
            M,
            impl Fn(&[f64], f64, &mut [f64]),
            impl Fn(&[f64], f64, &[f64], &mut [f64]),
        >,
        Mass,
        Root,
        Out,
        Reset,
    >
    where
        F: Function<Inputs = OfParameters, Values: AsRef<[f64]>>,
    {
        let f = Arc::new(Objective::new(Initial(init)));
        let along = f.clone();
        self.init_adjoint(
            move |p, t, values| expect(f.values_into(&[&[t], p].concat(), values)),
            move |p, t, v, product| backward(&along, &[&[t], p].concat(), 1, v, product),
            states,
        )
    }
    fn out_sens_function<F>(
        self,
        out: F,
        outputs: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        Init,
        Mass,
        Root,
        ClosureWithSens<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>,
    {
        let evaluated = Evaluated::new(out);
        let [f, by_y, by_p] = [(); 3].map(|()| evaluated.clone());
        self.out_sens_implicit(
            move |y, p, t, values| f.values(y, p, t, values),
            move |y, p, t, v, product| by_y.by_states(y, p, t, v, product),
            move |y, p, t, v, product| by_p.by_parameters(y, p, t, v, product),
            outputs,
        )
    }
    fn out_adjoint_function<F>(
        self,
        out: F,
        outputs: usize,
    ) -> OdeBuilder<
        M,
        Rhs,
        Init,
        Mass,
        Root,
        ClosureWithAdjoint<
            M,
            impl Fn(&[f64], &[f64], f64, &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
            impl Fn(&[f64], &[f64], f64, &[f64], &mut [f64]),
        >,
        Reset,
    >
    where
        F: Function<Inputs = OfStates, Values: AsRef<[f64]>>,
    {
        let evaluated = Evaluated::new(out);
        let [f, by_y, to_y, to_p] = [(); 4].map(|()| evaluated.clone());
        self.out_adjoint_implicit(
            move |y, p, t, values| f.values(y, p, t, values),
            move |y, p, t, v, product| by_y.by_states(y, p, t, v, product),
            move |y, p, t, v, product| to_y.to_states(y, p, t, v, product),
            move |y, p, t, v, product| to_p.to_parameters(y, p, t, v, product),
            outputs,
        )
    }
}
