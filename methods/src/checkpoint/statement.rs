use super::{
    Checkpoints, Error,
    driver::{Engine, Seed, same_numbers},
    program::{TrySteps, Uncosted, Values, Variables},
};
use entape_core::{
    external::{Arguments, External},
    kind::Carrier,
    mode::Mode,
    structure::{FlatStructure, Structure},
};
use entape_drivers::Outputs;

impl Checkpoints<'static> {
    /// Returns the last state of a loop as one statement of variables of the initial state and the parameters. The tape
    /// stores the values at both ends. A sweep repeats the steps within the bound, and adds their adjoints as one sum.
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Mode, real::Elementary, tape::Tape};
    /// use entape_drivers::SingleShape;
    /// use entape_methods::checkpoint::{Checkpoints, Steps};
    ///
    /// /// x' = sin(a x), by Euler's method.
    /// struct Sine { dt: f64 }
    /// impl Steps for Sine {
    ///     type State = SingleShape<f64>;
    ///     type Parameters = SingleShape<f64>;
    ///     type Output<M: Mode> = Active<f64, M>;
    ///     fn step<M: Mode>(&self, _: usize, x: Active<f64, M>, a: Active<f64, M>) -> Active<f64, M> {
    ///         (x + self.dt * (a * x).sin()).eval()
    ///     }
    /// }
    /// let mut tape = Tape::new();
    /// let (x, a) = (tape.input(1.0), tape.input(0.5));
    /// let y = tape.record(|| {
    ///     let loops = Checkpoints::new().states(5);
    ///     let end = loops.as_statement(Sine { dt: 1e-3 }, x, (2.0 * a).eval(), 1000)?;
    ///     Ok::<_, entape_methods::checkpoint::Error>((end * x).eval())
    /// })?;
    /// assert!(tape.statistics().statements < 6);
    /// // the equation leads to x = atan(tan(a) exp(2 a)) / a, whose slope at a = 1/2 is 0.1430
    /// let a_b = tape.gradient(&y)?.wrt(&a)?;
    /// assert!((a_b - 0.1430).abs() < 2e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Modes that do not record make the steps themselves. Drivers of Hessians return an error.
    ///
    /// # Errors
    ///
    /// If a step fails. A sweep returns [`Error::External`](entape_core::tape::Error::External) if a step or the file fails, or
    /// the steps lead to another last state than before.
    ///
    /// # Panics
    ///
    /// If a step does, or a variable belongs to another tape.
    #[track_caller]
    pub fn as_statement<M, T, A, B>(
        self,
        program: T,
        initial: A,
        parameters: B,
        steps: usize,
    ) -> Result<Variables<T::State, M>, Error<T::Failure>>
    where
        M: Mode,
        T: TrySteps + 'static,
        A: Arguments<M, Shape = T::State>,
        B: Arguments<M, Shape = T::Parameters>,
    {
        if !<M as Carrier>::RECORDS && steps > 0 {
            let make = |number, state: Option<&Variables<T::State, M>>| -> Result<_, Error<_>> {
                let state = match state {
                    Some(state) => T::State::view(state),
                    None => initial.view(),
                };
                let next = program.try_step(number, state, parameters.view());
                let next = next.map_err(|failure| Error::Step { number, failure })?;
                Ok(next.evaluate()?)
            };
            let mut state = make(0, None)?;
            for number in 1..steps {
                state = make(number, Some(&state))?;
            }
            return Ok(state);
        }
        let values = (initial.values(), parameters.values());
        let engine_program = Uncosted(&program);
        let last =
            Engine::new(&engine_program, values.0.clone(), &values.1, &|_| ()).last(steps)?;
        let expected = T::State::flattened(&last);
        let adjoint = move |seed: Values<T::State>| -> Result<_, Error<T::Failure>> {
            let (initial, parameters) = values.clone();
            let program = Uncosted(&program);
            let seed = Some(Seed::Flowed(seed));
            let reversed = self.reverse(&program, initial, &parameters, seed, steps)?;
            if !same_numbers(&T::State::flattened(&reversed.last), &expected) {
                return Err(Error::NotRepeatable { number: steps });
            }
            Ok(reversed.adjoints)
        };
        let arguments = (initial, parameters);
        let made = External::<M, _, T::State>::new(arguments, last, adjoint).marked();
        Ok(match steps {
            0 => made.tangent(|(state, _)| state).eval(),
            _ => made.of_loop().eval(),
        })
    }
}
