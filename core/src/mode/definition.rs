//! The traits of modes.
use super::outputs::{OutputKind, WritesOutputs};
use crate::{
    expr::Active,
    kind::{Carrier, Kind},
    node::Node,
    store::Part,
    tape::Records,
};

/// Any mode, including [`Reuse`](super::Reuse). Source for all modes takes variables by reference, also from slices:
/// `(&x[i]).exp()`.
///
/// ```
/// use entape_core::{expr::Active, mode::AnyMode, real::Elementary};
///
/// fn softplus<M: AnyMode>(x: &[Active<f64, M>], i: usize) -> Active<f64, M> {
///     (&x[i]).exp().ln_1p().eval()
/// }
/// ```
// Called through methods such as `eval`: under their names, the compiler would suggest these functions wherever a bound of such a
// method is not satisfied.
pub trait AnyMode: Carrier {
    /// Evaluates `node` into a new variable, in one statement.
    #[track_caller]
    fn eval_node<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self>;
    /// Creates a variable with the value of `x` and its own identifier, in one statement. Values of storage kinds are shared.
    #[track_caller]
    fn copy_variable<K: Kind>(x: &Active<K, Self>) -> Active<K, Self>;
    /// Assigns `node`, in one statement. A variable that owns its identifier keeps it.
    #[track_caller]
    fn assign_node<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N);
    /// Assigns `node` to a part of a variable of a storage kind, in one statement that saves only the part.
    #[track_caller]
    fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: N,
    );
    /// Evaluates a `node` with several outputs into new variables, in one statement.
    #[track_caller]
    fn split_node<K: OutputKind, N: Node<Kind = K>>(node: N) -> K::New<Self>;
    /// Evaluates a `node` with several outputs into these variables.
    #[track_caller]
    fn assign_outputs<K: OutputKind, N: Node<Kind = K>>(
        outputs: impl WritesOutputs<K, Self>,
        node: N,
    );
    /// Runs `act` as this mode requires.
    #[track_caller]
    fn by_mode<A: ByMode<Self>>(act: A) -> A::Out;
}

/// An action that differs in plain, forward and recording modes, for [`AnyMode::by_mode`].
pub trait ByMode<M: AnyMode>: Sized {
    /// The result of the action.
    type Out;
    /// Runs in plain mode.
    #[track_caller]
    fn plain(self) -> Self::Out;
    /// Runs in a forward mode with `N` directions.
    #[track_caller]
    fn forward<const N: usize>(self) -> Self::Out;
    /// Runs in a recording mode.
    #[track_caller]
    fn recording(self) -> Self::Out
    where
        M: Recording;
}

/// A mode in which variables of value kinds are `Copy`: all except [`Reuse`](super::Reuse). The usual bound of
/// functions for all modes.
///
/// ```
/// use entape_core::{expr::Active, mode::{Forward, Mode}, real::Elementary};
/// use entape_drivers::{gradient, jvp};
///
/// fn f<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
///     (x * x.ln()).eval()
/// }
/// assert_eq!(gradient(|x: Active<f64>| f(x), 1.0)?, 1.0);
/// assert_eq!(jvp(|x: Active<f64, Forward>| f(x), 1.0, 2.0)?, (0.0, 2.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Mode: AnyMode<ValueId: Copy, Bare<f64>: Send + Sync> {}
impl<M: AnyMode<ValueId: Copy, Bare<f64>: Send + Sync>> Mode for M {}

/// A mode that records on a [`Tape`](crate::tape::Tape), [`Taped`](super::Taped) or [`Reuse`](super::Reuse): the bound
/// of functions that take a tape.
///
/// ```
/// use entape_core::{mode::{Recording, Reuse}, tape::Tape};
///
/// fn slope<M: Recording>(mut tape: Tape<M>) -> f64 {
///     let x = tape.input(3.0);
///     let y = tape.record(|| (&x * &x).eval());
///     tape.gradient(&y).and_then(|gradient| gradient.wrt(&x)).expect("a recorded result")
/// }
/// assert_eq!((slope(Tape::new()), slope(Tape::<Reuse>::default())), (6.0, 6.0));
/// ```
pub trait Recording: AnyMode + Records {}
impl<M: AnyMode + Records> Recording for M {}
