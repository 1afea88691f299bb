use super::error::Error;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Mode, Plain, Recording, Reuse, Taped},
    structure::{FlatStructure, Structure, Vars},
    tape,
};
use entape_drivers::Outputs;
use std::{convert::Infallible, fmt, marker::PhantomData};

/// Variables as passed to a step.
pub type View<'v, S, M> = <S as Structure>::View<'v, M>;
/// Plain values.
pub type Values<S> = <S as Structure>::Values;
pub(super) type Variables<S, M> = Vars<S, M>;

/// A step of a loop, generic in the mode: plain when it advances, recorded when it is swept.
///
/// States and parameters have shapes of [`Function`](entape_drivers::Function)s. The result must depend only on the
/// arguments. Without parameters, use `ListShape<f64>` and `Vec::<f64>::new()`.
///
/// ```
/// use entape_core::{expr::Active, mode::Mode};
/// use entape_drivers::{ArrayShape, SingleShape};
/// use entape_methods::checkpoint::Steps;
///
/// /// A mass on a spring: position and velocity, with the stiffness as a parameter.
/// struct Spring { dt: f64 }
/// impl Steps for Spring {
///     type State = ArrayShape<f64, 2>;
///     type Parameters = SingleShape<f64>;
///     type Output<M: Mode> = [Active<f64, M>; 2];
///     fn step<M: Mode>(
///         &self,
///         _: usize,
///         [x, v]: [Active<f64, M>; 2],
///         k: Active<f64, M>,
///     ) -> [Active<f64, M>; 2] {
///         let v = (v - k * x * self.dt).eval();
///         [(x + v * self.dt).eval(), v]
///     }
/// }
/// ```
pub trait Steps {
    /// The shape of a state.
    type State: FlatStructure;
    /// The shape of the parameters.
    type Parameters: Structure;
    /// The result in the mode `M`.
    type Output<M: Mode>: Outputs<M, Values = Values<Self::State>, Variables = Variables<Self::State, M>>;
    /// Computes the state after step `number`, counted from 0.
    fn step<M: Mode>(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Self::Output<M>;
}
/// Steps that can fail. All [`Steps`] implement this trait.
///
/// ```
/// use entape_core::{expr::Active, mode::Mode, real::Elementary};
/// use entape_drivers::SingleShape;
/// use entape_methods::checkpoint::{Checkpoints, Cost, Error, TrySteps};
///
/// /// Square roots of square roots, while they exist.
/// struct Roots;
/// impl TrySteps for Roots {
///     type State = SingleShape<f64>;
///     type Parameters = SingleShape<f64>;
///     type Output<M: Mode> = Active<f64, M>;
///     type Failure = &'static str;
///     fn try_step<M: Mode>(
///         &self,
///         _: usize,
///         x: Active<f64, M>,
///         less: Active<f64, M>,
///     ) -> Result<Active<f64, M>, &'static str> {
///         match x.value() >= 0.0 {
///             true => Ok((x.sqrt() - less).eval()),
///             false => Err("a negative number has no root"),
///         }
///     }
/// }
/// impl Cost for Roots {
///     fn cost<M: Mode>(&self, x: Active<f64, M>, _: Active<f64, M>) -> Active<f64, M> {
///         x
///     }
/// }
/// let checkpoints = Checkpoints::new();
/// let (y, (x_b, less_b)) = checkpoints.value_and_gradient(&Roots, 16.0, 0.0, 2)?;
/// assert_eq!((y, x_b, less_b), (2.0, 1.0 / 32.0, -1.25));
/// let failed = checkpoints.value_and_gradient(&Roots, 16.0, 5.0, 2);
/// assert!(matches!(failed, Err(Error::Step { number: 1, .. })));
/// # Ok::<(), Error<&'static str>>(())
/// ```
pub trait TrySteps {
    /// The shape of a state.
    type State: FlatStructure;
    /// The shape of the parameters.
    type Parameters: Structure;
    /// The result in the mode `M`.
    type Output<M: Mode>: Outputs<M, Values = Values<Self::State>, Variables = Variables<Self::State, M>>;
    /// The failure of a step.
    type Failure: fmt::Display + fmt::Debug;
    /// Computes the state after step `number`, counted from 0.
    ///
    /// # Errors
    ///
    /// If the step fails; the driver then returns [`Error::Step`].
    fn try_step<M: Mode>(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Result<Self::Output<M>, Self::Failure>;
}
impl<T: Steps> TrySteps for T {
    type State = T::State;
    type Parameters = T::Parameters;
    type Output<M: Mode> = T::Output<M>;
    type Failure = Infallible;
    fn try_step<M: Mode>(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Result<Self::Output<M>, Infallible> {
        Ok(self.step(number, state, parameters))
    }
}
/// The cost of a loop, of the final state and of each state on the way.
///
/// ```
/// use entape_core::{expr::Active, mode::Mode};
/// use entape_drivers::SingleShape;
/// use entape_methods::checkpoint::{Checkpoints, Cost, Steps};
///
/// /// Growth by a factor.
/// struct Growth;
/// impl Steps for Growth {
///     type State = SingleShape<f64>;
///     type Parameters = SingleShape<f64>;
///     type Output<M: Mode> = Active<f64, M>;
///     fn step<M: Mode>(&self, _: usize, x: Active<f64, M>, factor: Active<f64, M>) -> Active<f64, M> {
///         (x * factor).eval()
///     }
/// }
/// impl Cost for Growth {
///     fn cost<M: Mode>(&self, x: Active<f64, M>, _: Active<f64, M>) -> Active<f64, M> {
///         x
///     }
///     fn cost_along<M: Mode>(
///         &self,
///         _: usize,
///         x: Active<f64, M>,
///         _: Active<f64, M>,
///     ) -> Option<Active<f64, M>> {
///         Some((10.0 * x).eval())
///     }
/// }
/// // 10 x + 10 a x + a² x
/// let (y, (x_b, a_b)) = Checkpoints::new().value_and_gradient(&Growth, 1.0, 3.0, 2)?;
/// assert_eq!((y, x_b, a_b), (49.0, 49.0, 16.0));
/// # Ok::<(), entape_methods::checkpoint::Error>(())
/// ```
pub trait Cost: TrySteps {
    /// Computes the cost of the last state.
    fn cost<M: Mode>(
        &self,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Active<f64, M>;
    /// Computes the contribution of the state before step `number`; `None` by default.
    fn cost_along<M: Mode>(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Option<Active<f64, M>> {
        let _ = (number, state, parameters);
        None
    }
}

/// Steps and their cost in any mode, by reference, which [`Checkpoints`](super::Checkpoints) of the mode [`Reuse`] record. A step
/// may return a `Result`.
///
/// ```
/// use entape_core::{expr::Active, mode::{AnyMode, Reuse}, structure::SingleShape};
/// use entape_methods::checkpoint::{AnySteps, Checkpoints};
///
/// /// Growth by a factor.
/// struct Growth;
/// impl AnySteps for Growth {
///     type State = SingleShape<f64>;
///     type Parameters = SingleShape<f64>;
///     type Output<M: AnyMode> = Active<f64, M>;
///     fn step<M: AnyMode>(&self, _: usize, x: &Active<f64, M>, factor: &Active<f64, M>) -> Active<f64, M> {
///         (x * factor).eval()
///     }
///     fn cost<M: AnyMode>(&self, x: &Active<f64, M>, _: &Active<f64, M>) -> Active<f64, M> {
///         (x * x).eval()
///     }
/// }
/// let checkpoints = Checkpoints::<Reuse>::default().states(2);
/// let (y, (x_b, a_b)) = checkpoints.value_and_gradient(&Growth, 1.0, 3.0, 2)?;
/// assert_eq!((y, x_b, a_b), (81.0, 162.0, 108.0)); // a⁴ x²
/// # Ok::<(), entape_methods::checkpoint::Error>(())
/// ```
pub trait AnySteps {
    /// The shape of a state.
    type State: FlatStructure;
    /// The shape of the parameters.
    type Parameters: Structure;
    /// The result in the mode `M`.
    type Output<M: AnyMode>: Outputs<M, Values = Values<Self::State>, Variables = Vars<Self::State, M>>;
    /// Computes the state after step `number`, counted from 0.
    fn step<M: AnyMode>(
        &self,
        number: usize,
        state: &Vars<Self::State, M>,
        parameters: &Vars<Self::Parameters, M>,
    ) -> Self::Output<M>;
    /// Computes the cost of the last state.
    fn cost<M: AnyMode>(
        &self,
        state: &Vars<Self::State, M>,
        parameters: &Vars<Self::Parameters, M>,
    ) -> Active<f64, M>;
    /// Computes the contribution of the state before step `number`; `None` by default.
    fn cost_along<M: AnyMode>(
        &self,
        number: usize,
        state: &Vars<Self::State, M>,
        parameters: &Vars<Self::Parameters, M>,
    ) -> Option<Active<f64, M>> {
        let _ = (number, state, parameters);
        None
    }
}

/// A mode in which steps are recorded: [`Taped`] or [`Reuse`].
pub trait StepMode: Recording {
    /// Variables as passed to a closure: the [view](View) of a function in the mode [`Taped`], and a reference in the mode
    /// [`Reuse`].
    type View<'v, S: Structure>;
    /// Returns the variables in this form.
    fn view<S: Structure>(variables: &Vars<S, Self>) -> Self::View<'_, S>;
}
impl StepMode for Taped {
    type View<'v, S: Structure> = View<'v, S, Taped>;
    fn view<S: Structure>(variables: &Vars<S>) -> View<'_, S, Taped> {
        S::view(variables)
    }
}
impl StepMode for Reuse {
    type View<'v, S: Structure> = &'v Vars<S, Reuse>;
    fn view<S: Structure>(variables: &Vars<S, Reuse>) -> &Vars<S, Reuse> {
        variables
    }
}

/// A program as the driver sees it, independent of the mode.
pub(super) trait Program {
    type State: FlatStructure;
    type Parameters: Structure;
    type Failure: fmt::Display + fmt::Debug;
    /// The mode of steps without a recording.
    type Ahead: AnyMode;
    /// The mode in which steps are recorded.
    type Recorded: Recording;
}
pub(super) trait Runs<M: AnyMode>: Program {
    const COSTS: bool;
    #[track_caller]
    fn step(
        &self,
        number: usize,
        state: &Variables<Self::State, M>,
        parameters: &Variables<Self::Parameters, M>,
    ) -> Result<Variables<Self::State, M>, Error<Self::Failure>>;
    #[track_caller]
    fn cost_along(
        &self,
        number: usize,
        state: &Variables<Self::State, M>,
        parameters: &Variables<Self::Parameters, M>,
    ) -> Option<Active<f64, M>> {
        let _ = (number, state, parameters);
        None
    }
    #[track_caller]
    fn cost(
        &self,
        state: &Variables<Self::State, M>,
        parameters: &Variables<Self::Parameters, M>,
    ) -> Result<Option<Active<f64, M>>, tape::Error>;
}
/// A program whose steps the engine can record.
pub(super) trait Loop:
    Program + Runs<<Self as Program>::Recorded> + Runs<<Self as Program>::Ahead>
{
}
impl<P: Program + Runs<<P as Program>::Recorded> + Runs<<P as Program>::Ahead>> Loop for P {}

pub(super) struct Costly<'p, T>(pub(super) &'p T);
pub(super) struct Uncosted<'p, T>(pub(super) &'p T);
pub(super) struct ByReference<'p, T>(pub(super) &'p T);
/// Closures over recorded variables, which are passive in steps without a recording.
pub(super) struct Closures<'p, S, P, M, F, C> {
    pub(super) step: &'p F,
    pub(super) cost: &'p C,
    pub(super) shapes: PhantomData<(S, P, M)>,
}

macro_rules! programs { ($($Wrapper:ident<T: $Bound:ident>, $Mode:ident, $Recorded:ident, $Failure:ty, $costs:literal, $self:ident, $number:ident, $state:ident, $parameters:ident => $next:expr, $along:expr, $end:expr;)*) => { $(
    impl<T: $Bound> Program for $Wrapper<'_, T> {
        type State = T::State;
        type Parameters = T::Parameters;
        type Failure = $Failure;
        type Ahead = Plain;
        type Recorded = $Recorded;
    }
    impl<T: $Bound, M: $Mode> Runs<M> for $Wrapper<'_, T> {
        const COSTS: bool = $costs;
        fn step(
            &$self,
            $number: usize,
            $state: &Variables<T::State, M>,
            $parameters: &Variables<T::Parameters, M>,
        ) -> Result<Variables<T::State, M>, Error<$Failure>> {
            Ok($next.evaluate()?)
        }
        fn cost_along(
            &$self,
            $number: usize,
            $state: &Variables<T::State, M>,
            $parameters: &Variables<T::Parameters, M>,
        ) -> Option<Active<f64, M>> {
            $along
        }
        fn cost(
            &$self,
            $state: &Variables<T::State, M>,
            $parameters: &Variables<T::Parameters, M>,
        ) -> Result<Option<Active<f64, M>>, tape::Error> {
            Ok($end)
        }
    }
)* } }
programs! {
    Costly<T: Cost>, Mode, Taped, T::Failure, true, self, number, x, p =>
        try_step(self.0, number, x, p)?,
        self.0.cost_along(number, T::State::view(x), T::Parameters::view(p)),
        Some(self.0.cost(T::State::view(x), T::Parameters::view(p)));
    Uncosted<T: TrySteps>, Mode, Taped, T::Failure, false, self, number, x, p =>
        try_step(self.0, number, x, p)?,
        { let _ = (number, x, p); None },
        { let _ = (x, p); None };
    ByReference<T: AnySteps>, AnyMode, Reuse, Infallible, true, self, number, x, p =>
        self.0.step(number, x, p),
        self.0.cost_along(number, x, p),
        Some(self.0.cost(x, p));
}
#[track_caller]
fn try_step<T: TrySteps, M: Mode>(
    program: &T,
    number: usize,
    state: &Variables<T::State, M>,
    parameters: &Variables<T::Parameters, M>,
) -> Result<T::Output<M>, Error<T::Failure>> {
    let (state, parameters) = (T::State::view(state), T::Parameters::view(parameters));
    let next = program.try_step(number, state, parameters);
    next.map_err(|failure| Error::Step { number, failure })
}

impl<S: FlatStructure, P: Structure, M: StepMode, F, C> Program for Closures<'_, S, P, M, F, C> {
    type State = S;
    type Parameters = P;
    type Failure = Infallible;
    type Ahead = M;
    type Recorded = M;
}
impl<S, P, M, F, C, O, Y> Runs<M> for Closures<'_, S, P, M, F, C>
where
    S: FlatStructure,
    P: Structure,
    M: StepMode,
    O: Outputs<M, Values = Values<S>, Variables = Variables<S, M>>,
    Y: Outputs<M, Variables = Active<f64, M>>,
    F: Fn(usize, M::View<'_, S>, M::View<'_, P>) -> O,
    C: Fn(M::View<'_, S>, M::View<'_, P>) -> Y,
{
    const COSTS: bool = true;
    fn step(
        &self,
        number: usize,
        state: &Variables<S, M>,
        parameters: &Variables<P, M>,
    ) -> Result<Variables<S, M>, Error> {
        let next = (self.step)(number, M::view::<S>(state), M::view::<P>(parameters));
        Ok(next.evaluate()?)
    }
    fn cost(
        &self,
        state: &Variables<S, M>,
        parameters: &Variables<P, M>,
    ) -> Result<Option<Active<f64, M>>, tape::Error> {
        let cost = (self.cost)(M::view::<S>(state), M::view::<P>(parameters));
        cost.evaluate().map(Some)
    }
}
