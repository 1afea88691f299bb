use super::error::Error;
use entape_core::{
    expr::Active,
    mode::{Mode, Plain, Taped},
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

pub(super) trait Program {
    type State: FlatStructure;
    type Parameters: Structure;
    type Failure: fmt::Display + fmt::Debug;
    /// The mode of steps without a recording.
    type Ahead: Mode;
}
pub(super) trait Runs<M: Mode>: Program {
    const COSTS: bool;
    #[track_caller]
    fn step(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Result<Variables<Self::State, M>, Error<Self::Failure>>;
    #[track_caller]
    fn cost_along(
        &self,
        number: usize,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Option<Active<f64, M>>;
    #[track_caller]
    fn cost(
        &self,
        state: View<'_, Self::State, M>,
        parameters: View<'_, Self::Parameters, M>,
    ) -> Result<Option<Active<f64, M>>, tape::Error>;
}

pub(super) struct Costly<'p, T>(pub(super) &'p T);
pub(super) struct Uncosted<'p, T>(pub(super) &'p T);
/// Closures over variables, passive in steps without a recording.
pub(super) struct Closures<'p, S, P, F, C> {
    pub(super) step: &'p F,
    pub(super) cost: &'p C,
    pub(super) shapes: PhantomData<(S, P)>,
}

macro_rules! by_steps { ($($Wrapper:ident: $Bound:ident, $costs:literal, $self:ident, $number:ident, $state:ident, $parameters:ident => $along:expr, $end:expr;)*) => { $(
    impl<T: $Bound> Program for $Wrapper<'_, T> {
        type State = T::State;
        type Parameters = T::Parameters;
        type Failure = T::Failure;
        type Ahead = Plain;
    }
    impl<T: $Bound, M: Mode> Runs<M> for $Wrapper<'_, T> {
        const COSTS: bool = $costs;
        fn step(
            &self,
            number: usize,
            state: View<'_, Self::State, M>,
            parameters: View<'_, Self::Parameters, M>,
        ) -> Result<Variables<Self::State, M>, Error<Self::Failure>> {
            let next = self.0.try_step(number, state, parameters);
            let next = next.map_err(|failure| Error::Step { number, failure })?;
            Ok(next.evaluate()?)
        }
        fn cost_along(
            &$self,
            $number: usize,
            $state: View<'_, Self::State, M>,
            $parameters: View<'_, Self::Parameters, M>,
        ) -> Option<Active<f64, M>> {
            $along
        }
        fn cost(
            &$self,
            $state: View<'_, Self::State, M>,
            $parameters: View<'_, Self::Parameters, M>,
        ) -> Result<Option<Active<f64, M>>, tape::Error> {
            Ok($end)
        }
    }
)* } }
by_steps! {
    Costly: Cost, true, self, number, state, parameters => self.0.cost_along(number, state, parameters), Some(self.0.cost(state, parameters));
    Uncosted: TrySteps, false, self, _number, _state, _parameters => None, None;
}

impl<S: FlatStructure, P: Structure, F, C> Program for Closures<'_, S, P, F, C> {
    type State = S;
    type Parameters = P;
    type Failure = Infallible;
    type Ahead = Taped;
}
impl<S, P, F, C, O, Y> Runs<Taped> for Closures<'_, S, P, F, C>
where
    S: FlatStructure,
    P: Structure,
    O: Outputs<Values = Values<S>, Variables = Variables<S, Taped>>,
    Y: Outputs<Variables = Active<f64>>,
    F: Fn(usize, View<'_, S, Taped>, View<'_, P, Taped>) -> O,
    C: Fn(View<'_, S, Taped>, View<'_, P, Taped>) -> Y,
{
    const COSTS: bool = true;
    fn step(
        &self,
        number: usize,
        state: View<'_, S, Taped>,
        parameters: View<'_, P, Taped>,
    ) -> Result<Variables<S, Taped>, Error> {
        Ok((self.step)(number, state, parameters).evaluate()?)
    }
    fn cost_along(
        &self,
        _: usize,
        _: View<'_, S, Taped>,
        _: View<'_, P, Taped>,
    ) -> Option<Active<f64>> {
        None
    }
    fn cost(
        &self,
        state: View<'_, S, Taped>,
        parameters: View<'_, P, Taped>,
    ) -> Result<Option<Active<f64>>, tape::Error> {
        (self.cost)(state, parameters).evaluate().map(Some)
    }
}
