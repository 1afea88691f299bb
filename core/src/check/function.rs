//! The test of a user's function.
use super::{
    ADJOINT, Check, Failure, Fault,
    difference::{self, Random, dot, dot_abs, moved, scale},
    few_or,
};
use crate::driver::{
    self, FlatOutputs, FlatShape, Function, InputShape, Inputs, Objective, OfList, RealsShape,
};
use crate::mode::Taped;
use std::any::type_name;

impl Check {
    /// Tests the gradient of a [`Function`] at `x`: recorded for the gradient, in plain mode for the
    /// differences. Up to 16 inputs are looked at one by one, and then some random directions, forwards and backwards.
    ///
    /// Test at the point where the program starts, too: what is special about it, as zeros at which it branches, is not met
    /// elsewhere. What computes with [eager reals](crate::eager) runs recorded only: [`expression`](Self::expression) tests it.
    ///
    /// ```
    /// use entape_core::{check::Check, expr::Active, function, mode::Mode, real::Elementary};
    ///
    /// fn f<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    ///     (x[0].sin() * x[1].exp()).eval()
    /// }
    /// Check::default().gradient(function!(f), &[1.0, 2.0])?;
    /// # Ok::<(), entape_core::check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the input.
    pub fn gradient<F>(&self, f: F, x: &[f64]) -> Result<(), Failure>
    where
        F: Function<Inputs: RealsShape, Values = f64>,
    {
        let failure = |fault| Failure {
            subject: type_name::<F>().into(),
            arguments: String::new(),
            point: x.to_vec(),
            fault,
        };
        let refused = |error: driver::Error| Fault::Tape {
            message: error.to_string(),
        };
        let run = || driver::function_gradient(&f, x);
        let gradient = super::rule::caught("the function", run)
            .and_then(|gradient| gradient.map_err(refused))
            .map_err(failure)?;
        self.slopes(x, &gradient, f64::EPSILON, |x| {
            let y = OfList(&f).value(x);
            (y, y.abs())
        })
        .map_err(failure)
    }

    /// Tests second derivatives of a [`Function`] at `x`: products of the Hessian with random vectors against differences of
    /// gradients, and against each other, as the Hessian is symmetric. The values that a tape computes in the mode
    /// [`Second`](crate::mode::Second) have to be those of plain mode.
    ///
    /// ```
    /// use entape_core::{check::Check, expr::Active, function, mode::Mode, real::Elementary};
    ///
    /// fn f<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    ///     (x[0].sin() * x[1].exp()).eval()
    /// }
    /// Check::default().hessian(function!(f), &[1.0, 2.0])?;
    /// # Ok::<(), entape_core::check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the input.
    pub fn hessian<F>(&self, f: F, x: &[f64]) -> Result<(), Failure>
    where
        F: Function<Inputs: RealsShape, Values = f64>,
    {
        let failure = |fault| Failure {
            subject: type_name::<F>().into(),
            arguments: String::new(),
            point: x.to_vec(),
            fault,
        };
        let refused = |error: driver::Error| Fault::Tape {
            message: error.to_string(),
        };
        let objective = Objective::new(&f);
        let along = |v: &[f64]| {
            let run = || objective.hessian_vector(x, v);
            super::rule::caught("the function", run)
                .and_then(|product| product.map_err(refused))
                .map_err(failure)
        };
        let mut random = Random(self.seed);
        let [v, w] = [(); 2].map(|()| random.direction(x));
        let (of_v, of_w) = (along(&v)?, along(&w)?);
        let (got, want) = (dot(&w, &of_v), dot(&v, &of_w));
        let size = dot_abs(&w, &of_v) + dot_abs(&v, &of_w);
        if (got - want).abs() > 1e-11 * size {
            let arguments = "the function".into();
            return Err(failure(Fault::Asymmetric {
                arguments,
                got,
                want,
            }));
        }
        let slope = |x: &[f64]| match driver::function_gradient(&f, x) {
            Ok(gradient) => (dot(&v, &gradient), dot_abs(&v, &gradient)),
            Err(_) => (f64::NAN, f64::NAN),
        };
        self.slopes(x, &of_v, f64::EPSILON, slope).map_err(failure)
    }

    /// Tests the derivatives of a closure at `x`: recorded for the adjoints, with passive variables for the
    /// differences. Inputs and outputs may be of any kinds that have [coordinates](super::Coordinates), and the closure may
    /// compute with [eager reals](crate::eager): casts and branches at exact zeros, by which generic source drops derivatives,
    /// are found at the point where they are, so test at the one where the program starts.
    ///
    /// ```
    /// use entape_core::{check::Check, expr::Active, real::{Cast, Elementary}};
    ///
    /// let f = |(a, b): (Active<f64>, Active<f32>)| (a * b.to_f64().sin(), [a.exp()]);
    /// Check::default().expression(f, (1.0, 2.0_f32))?;
    /// # Ok::<(), entape_core::check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the coordinate.
    pub fn expression<P, I, O, F>(&self, f: F, x: I) -> Result<(), Failure>
    where
        I: Inputs<P, Shape: FlatShape>,
        O: FlatOutputs,
        F: Fn(<I::Shape as InputShape>::View<'_, Taped>) -> O,
    {
        type Of<I, P> = <I as Inputs<P>>::Shape;
        let values = x.into_values();
        let mut list = Vec::new();
        Of::<I, P>::coordinates(&values, &mut list);
        let failure = |fault| Failure {
            subject: type_name::<F>().into(),
            arguments: String::new(),
            point: list.clone(),
            fault,
        };
        let plain = |values: &<Of<I, P> as InputShape>::Values| {
            let variables = Of::<I, P>::passive(values);
            O::values(&f(Of::<I, P>::view(&variables)).evaluate())
        };
        let results = super::rule::caught("the function", || plain(&values)).map_err(failure)?;
        let mut result_list = Vec::new();
        O::coordinates(&results, &mut result_list);
        let weights = Random(self.seed).weights(result_list.len());
        let seed = O::from_coordinates(&results, &mut &weights[..]);
        let refused = |error: driver::Error| Fault::Tape {
            message: error.to_string(),
        };
        let (recorded, gradient) = super::rule::caught("the recorded function", || {
            driver::pull::<Of<I, P>, O>(&f, values.clone(), seed)
        })
        .and_then(|result| result.map_err(refused))
        .map_err(failure)?;
        let mut recorded_list = Vec::new();
        O::coordinates(&recorded, &mut recorded_list);
        let what = "the recorded value, compared with the value of passive variables";
        super::rule::same(what, &recorded_list, &result_list, 0.0).map_err(failure)?;
        let mut adjoint = Vec::new();
        Of::<I, P>::coordinates(&gradient, &mut adjoint);
        let epsilon = Of::<I, P>::EPSILON.max(O::EPSILON);
        self.slopes(&list, &adjoint, epsilon, |x| {
            let y = plain(&Of::<I, P>::from_coordinates(&values, &mut &x[..]));
            let mut list = Vec::new();
            O::coordinates(&y, &mut list);
            (dot(&weights, &list), dot_abs(&weights, &list))
        })
        .map_err(failure)
    }

    /// A gradient against differences of `f`, which returns its value and the size of the terms in it.
    fn slopes(
        &self,
        x: &[f64],
        gradient: &[f64],
        epsilon: f64,
        f: impl Fn(&[f64]) -> (f64, f64),
    ) -> Result<(), Fault> {
        let tolerance = self.tolerance_for(epsilon);
        let test = |along: &dyn Fn() -> String, v: &[f64]| {
            let slope = difference::slope(epsilon, |h| f(&moved(x, h, v)));
            let (got, size) = (dot(gradient, v), dot_abs(gradient, v));
            let judged = self.judge(ADJOINT, along, got, size, slope, tolerance);
            judged.map_err(|mut fault| {
                if let Fault::Slope { along, .. } = &mut fault
                    && let Some((before, behind)) = difference::kink(|h| f(&moved(x, h, v)).0)
                {
                    let along = std::mem::take(along);
                    fault = Fault::Kink {
                        along,
                        before,
                        behind,
                    };
                }
                fault
            })
        };
        if x.len() <= few_or(3, 16) {
            let mut v = vec![0.0; x.len()];
            for i in 0..x.len() {
                // Scaled back in the message, so that it tells the derivative itself.
                v[i] = scale(x[i]);
                let factor = |v: f64| {
                    if v == 1.0 {
                        "".into()
                    } else {
                        format!(", times {v}")
                    }
                };
                test(&|| format!("with respect to input {i}{}", factor(v[i])), &v)?;
                v[i] = 0.0;
            }
        }
        let mut random = Random(self.seed ^ 1);
        for _ in 0..self.directions {
            test(&|| "along a random direction".into(), &random.direction(x))?;
        }
        Ok(())
    }
}
