use super::{ADJOINT, Check, Confirmed, Failure, Fault, few_or};
use entape_core::{
    differences::{self, Change, Random, dot, dot_abs, moved, scale},
    mode::Taped,
    structure::{FlatStructure, Structure, Vars},
};
use entape_drivers::{Function, Inputs, Objective, Outputs, RealsShape, Runs};
use std::{any::type_name, cell::Cell, ops::Range};

fn failure_of<F>(x: &[f64], fault: Fault) -> Failure {
    Failure {
        subject: type_name::<F>().into(),
        arguments: String::new(),
        point: x.to_vec(),
        fault,
    }
}
fn refused(error: entape_drivers::Error) -> Fault {
    Fault::Tape {
        message: error.to_string(),
    }
}
impl Check {
    /// Tests the gradient of a [`Function`] at `x`. Tests up to 16 inputs one by one, and then random directions; a
    /// failure is narrowed down to the faulty input.
    ///
    /// Derivatives below the rounding errors of the result are hidden: the gradient of `x + 1e20` is
    /// [`Fault::Unresolved`]. Zeros pass if the result does not change, and adjoints of a few rounding errors if it is
    /// constant up to rounding. [`Confirmed::noise`] is the resolution.
    ///
    /// Also test where the program starts, with special zeros at which it may branch. [`expression`](Self::expression)
    /// tests programs with eager reals.
    ///
    /// ```
    /// use entape_check::Check;
    /// use entape_core::{expr::Active, function, real::Elementary};
    ///
    /// #[function]
    /// fn f(x: &[Active<f64>]) -> Active<f64> {
    ///     x[0].sin() * x[1].exp()
    /// }
    /// Check::default().gradient(f {}, &[1.0, 2.0])?;
    /// # Ok::<(), entape_check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the input.
    pub fn gradient<F>(&self, f: F, x: &[f64]) -> Result<Confirmed, Failure>
    where
        F: Function<Inputs: RealsShape, Values = f64>,
    {
        let failure = |fault| failure_of::<F>(x, fault);
        let objective = Objective::new(&f);
        let run = || objective.gradient(x);
        let gradient = super::rule::caught("the function", run)
            .and_then(|gradient| gradient.map_err(refused))
            .map_err(failure)?;
        self.slopes(x, &gradient, f64::EPSILON, true, |x| {
            // Where a function fails nearby, its slope is unknown.
            let y = objective.try_value(x).unwrap_or(f64::NAN);
            (y, y.abs())
        })
        .map_err(failure)
    }

    /// Tests second derivatives of a [`Function`] at `x`: products of the Hessian with random vectors, against
    /// differences of gradients and, by symmetry, each other. Values in the mode [`Taped`] must equal plain ones.
    ///
    /// ```
    /// use entape_check::Check;
    /// use entape_core::{expr::Active, function, real::Elementary};
    ///
    /// #[function]
    /// fn f(x: &[Active<f64>]) -> Active<f64> {
    ///     x[0].sin() * x[1].exp()
    /// }
    /// Check::default().hessian(f {}, &[1.0, 2.0])?;
    /// # Ok::<(), entape_check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the input.
    pub fn hessian<F>(&self, f: F, x: &[f64]) -> Result<Confirmed, Failure>
    where
        F: Function<Inputs: RealsShape, Values = f64>,
    {
        let failure = |fault| failure_of::<F>(x, fault);
        let objective = Objective::new(&f);
        let directional = |v: &[f64]| {
            let run = || objective.hessian_vector(x, v);
            super::rule::caught("the function", run)
                .and_then(|product| product.map_err(refused))
                .map_err(failure)
        };
        let mut random = Random(self.seed);
        let [v, w] = [(); 2].map(|()| random.direction(x));
        let (of_v, of_w) = (directional(&v)?, directional(&w)?);
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
        let slope = |x: &[f64]| match objective.gradient(x) {
            Ok(gradient) => (dot(&v, &gradient), dot_abs(&v, &gradient)),
            Err(_) => (f64::NAN, f64::NAN),
        };
        self.slopes(x, &of_v, f64::EPSILON, true, slope)
            .map_err(failure)
    }

    /// Tests the derivatives at `x` of a closure over any kinds with [coordinates](super::Coordinates), which runs
    /// recorded, and with passive variables for the differences. It may compute with eager reals: casts and branches at
    /// exact zeros, which drop derivatives, are found where they occur.
    ///
    /// ```
    /// use entape_check::Check;
    /// use entape_core::{expr::Active, real::{Cast, Elementary}};
    ///
    /// let f = |(a, b): (Active<f64>, Active<f32>)| (a * b.to_f64().sin(), [a.exp()]);
    /// Check::default().expression(f, (1.0, 2.0_f32))?;
    /// # Ok::<(), entape_check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that names the coordinate.
    pub fn expression<P, I, B, O, F>(&self, f: F, x: I) -> Result<Confirmed, Failure>
    where
        I: Inputs<P, Shape: FlatStructure>,
        O: Outputs<Structure: FlatStructure>,
        for<'f> &'f F: Runs<I::Shape, Taped, B, Output = O>,
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
        let plain = |values: &<Of<I, P> as Structure>::Values| {
            let variables: Vars<Of<I, P>> = Of::<I, P>::passive(values.clone());
            let outputs = (&f).run(Of::<I, P>::view(&variables)).evaluate();
            outputs.map(|outputs| O::Structure::values(&outputs))
        };
        let results = super::rule::caught("the function", || plain(&values))
            .and_then(|results| results.map_err(refused))
            .map_err(failure)?;
        let mut result_list = Vec::new();
        O::Structure::coordinates(&results, &mut result_list);
        let weights = Random(self.seed).weights(result_list.len());
        let seed = O::Structure::from_coordinates(&results, &mut &weights[..]);
        let (recorded, gradient) = super::rule::caught("the recorded function", || {
            entape_drivers::pull::<Of<I, P>, O>(
                |x| (&f).run(Of::<I, P>::view(x)),
                values.clone(),
                seed,
            )
        })
        .and_then(|result| result.map_err(refused))
        .map_err(failure)?;
        let mut recorded_list = Vec::new();
        O::Structure::coordinates(&recorded, &mut recorded_list);
        let what = "the recorded value, compared with the value of passive variables";
        super::rule::same(what, &recorded_list, &result_list, 0.0).map_err(failure)?;
        let mut adjoint = Vec::new();
        Of::<I, P>::coordinates(&gradient, &mut adjoint);
        let epsilon = Of::<I, P>::EPSILON.max(O::Structure::EPSILON);
        // Constant results have adjoints of rounding errors.
        let strict = result_list.len() == 1;
        self.slopes(&list, &adjoint, epsilon, strict, |x| {
            let mut list = Vec::new();
            match plain(&Of::<I, P>::from_coordinates(&values, &mut &x[..])) {
                Ok(y) => O::Structure::coordinates(&y, &mut list),
                Err(_) => list.resize(weights.len(), f64::NAN),
            }
            (dot(&weights, &list), dot_abs(&weights, &list))
        })
        .map_err(failure)
    }

    /// Compares a gradient with differences of `f`, which returns its value and the size of its terms. In a `strict` check,
    /// derivatives hidden by rounding are a fault.
    fn slopes(
        &self,
        x: &[f64],
        gradient: &[f64],
        epsilon: f64,
        strict: bool,
        f: impl Fn(&[f64]) -> (f64, f64),
    ) -> Result<Confirmed, Fault> {
        let tolerance = self.tolerance_for(epsilon);
        let noise = Cell::new(0.0_f64);
        let kink = |v: &[f64]| differences::kink(epsilon, |h| f(&moved(x, h, v)).0);
        let test = |label: &dyn Fn() -> String, v: &[f64]| {
            let slope = differences::slope(epsilon, |h| f(&moved(x, h, v)));
            let (got, size) = (dot(gradient, v), dot_abs(gradient, v));
            noise.set(noise.get().max(slope.resolution()));
            let judged = self.judge(ADJOINT, label, got, size, slope, tolerance);
            // Adjoints of constants are rounding errors.
            let is_zero = match slope.change {
                Change::None => size == 0.0,
                _ => size <= f64::max(16.0 * epsilon * slope.size, 1e-6 * slope.nearby),
            };
            let hidden = !is_zero && 4.0 * slope.error > 1e-3 * size.max(slope.value.abs());
            match judged {
                Ok(()) if strict && hidden => Err(Fault::unresolved(
                    &slope,
                    &format!("{ADJOINT} {}", label()),
                    got,
                )),
                Err(Fault::Slope { ref label, .. }) => match kink(v) {
                    Some((before, behind)) => Err(Fault::Kink {
                        label: label.clone(),
                        before,
                        behind,
                    }),
                    None => judged,
                },
                _ => judged,
            }
        };
        let test_input = |i: usize| {
            let mut v = vec![0.0; x.len()];
            v[i] = scale(x[i]);
            let factor = if v[i] == 1.0 {
                String::new()
            } else {
                format!(", times {}", v[i])
            };
            let label = || format!("with respect to input {i}{factor}");
            test(&label, &v)?;
            Ok::<_, Fault>(kink(&v).map(|(before, behind)| Fault::Kink {
                label: format!("{ADJOINT} {}", label()),
                before,
                behind,
            }))
        };
        let mut at_kink = None;
        if x.len() <= few_or(3, 16) {
            for i in 0..x.len() {
                let kink = test_input(i)?;
                at_kink = at_kink.or(kink);
            }
        }
        let mut random = Random(self.seed ^ 1);
        for _ in 0..self.directions {
            let v = random.direction(x);
            test(&|| "along a random direction".into(), &v)
                .map_err(|fault| input_at_fault(fault, &v, test, test_input))?;
        }
        Ok(Confirmed {
            noise: noise.get(),
            kink: at_kink,
        })
    }
}

/// Halves the direction `v` of a fault while a half fails, down to one input.
fn input_at_fault(
    fault: Fault,
    v: &[f64],
    test: impl Fn(&dyn Fn() -> String, &[f64]) -> Result<(), Fault>,
    test_input: impl Fn(usize) -> Result<Option<Fault>, Fault>,
) -> Fault {
    let is_hidden = |fault: &Fault| matches!(fault, Fault::Unresolved { .. });
    let fails = |part: Range<usize>| {
        let mut w = vec![0.0; v.len()];
        w[part.clone()].copy_from_slice(&v[part.clone()]);
        let (first, last) = (part.start, part.end - 1);
        let label = || format!("along a random direction of inputs {first} to {last}");
        let found = match part.len() {
            1 => test_input(first).map(drop),
            _ => test(&label, &w),
        };
        // Small directions fail, but are not the cause.
        let found = found
            .err()
            .filter(|found| is_hidden(found) == is_hidden(&fault))?;
        Some((part, found))
    };
    let (mut part, mut found) = (0..v.len(), None);
    while part.len() > 1 {
        let middle = part.start + part.len() / 2;
        let halves = [part.start..middle, middle..part.end];
        let Some((half, fault)) = halves.into_iter().find_map(&fails) else {
            break;
        };
        (part, found) = (half, Some(fault));
    }
    found.unwrap_or(fault)
}
