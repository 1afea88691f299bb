//! Functions that are not operations: foreign code, table look-ups, solvers.
//!
//! [`external`] records a call as one statement, given its value and a closure for its adjoint. The closure of
//! [`try_external`] can fail.
//!
//! ```
//! use entape_core::{external::external, tape::Tape};
//!
//! // a table of measurements, interpolated: value and slope
//! let table = |x: f64| (10.0 + 2.0 * (x - 1.0), 2.0);
//! let mut tape = Tape::new();
//! let x = tape.input(1.5);
//! let y = tape.record(|| {
//!     let (value, slope) = table(x.value());
//!     let y = external(x, value, move |y_b: f64| y_b * slope).eval();
//!     (y * y).eval()
//! });
//! assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (121.0, 44.0));
//! # Ok::<(), entape_core::tape::Error>(())
//! ```
mod call;

use self::call::{Closure, ExternalRecord, Like, create, target_bytes};
use crate::{
    error::Error,
    expr::{Active, Id},
    formula::Formula,
    kind::{Identifier, Kind, Layout, NONE, Policy, Slot, Val, VariableCell, VariableId, new_cell},
    mode::{AnyMode, ByMode, Recording},
    names::EXTERNAL,
    node::LeafVisitor,
    order::{MissingRule, NoTangent, Order, report},
    store::RecordedValues,
    structure::{
        Inputs, MapLeaves, Mismatch, ReadLeaves, Skeleton, Structure, UnitLeaves, ValueLeaves,
        VariableLeaves, Vars, ZipLeaves,
    },
    tape::{Inspect, RecordOutcome, TapeRecording, VariablesFound, current, external::Call},
};
pub use crate::{order::ExternalFailure, structure::Arguments};
use std::{
    any::{Any, TypeId},
    convert::Infallible,
    fmt::Display,
    marker::PhantomData,
    panic::Location,
    rc::Rc,
};

/// Records a function that is not an operation as one statement. The closure turns the adjoints of the results, in the
/// form of `value`, into the adjoints of the arguments, in the form of their plain values.
///
/// Compute the value with plain numbers. [`Arguments`] are variables, lists and arrays of variables, and tuples.
/// Results have any shape of [inputs of drivers](Inputs). The closure is called in each sweep that reaches a result.
///
/// ```
/// use entape_core::{external::external, tape::Tape};
///
/// /// A library that is unaware of entape.
/// fn polar(x: f64, y: f64) -> (f64, f64) {
///     (x.hypot(y), y.atan2(x))
/// }
///
/// let mut tape = Tape::new();
/// let (x, y) = (tape.input(3.0), tape.input(4.0));
/// let length = tape.record(|| {
///     let (a, b) = (x.value(), y.value());
///     let (r, phi) = polar(a, b);
///     let polar = external((&x, &y), (r, phi), move |(r_b, phi_b)| {
///         (r_b * a / r - phi_b * b / (r * r), r_b * b / r + phi_b * a / (r * r))
///     });
///     let (r, phi) = polar.eval();
///     (r * r + 0.0 * phi).eval()
/// });
/// let gradient = tape.gradient(&length)?;
/// approx::assert_abs_diff_eq!(gradient.wrt(&x)?, 6.0, epsilon = 1e-14);
/// approx::assert_abs_diff_eq!(gradient.wrt(&y)?, 8.0, epsilon = 1e-14);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// Forward modes and [sweeps along directions](crate::tape::Tape::directions) need a [tangent](External::tangent).
/// Second derivatives require [`linear`](External::linear), or fail ([`Error::MissingRule`]).
///
/// # Panics
///
/// A sweep panics at the line of this call if an adjoint has another length or shape than its argument. A tape whose values were
/// overwritten is then [broken](Error::Broken).
#[track_caller]
pub fn external<M, A, P, V, F>(arguments: A, value: V, adjoint: F) -> External<M, A, V::Shape>
where
    M: AnyMode,
    A: Arguments<M>,
    V: Inputs<P>,
    F: Fn(<V::Shape as Structure>::Values) -> <A::Shape as Structure>::Values + 'static,
{
    External::new(arguments, value.into_values(), move |r_b| {
        Ok::<_, String>(adjoint(r_b))
    })
}

/// Like [`external`], with a closure that can fail. The sweep then returns [`Error::External`] with the reason and the
/// line of this call, and can be repeated.
///
/// ```
/// use entape_core::{external::try_external, tape::{Error, Tape}};
///
/// let mut tape = Tape::new();
/// let x = tape.input(0.0);
/// let y = tape.record(|| {
///     let a: f64 = x.value();
///     try_external(&x, a.cbrt(), move |y_b: f64| match a {
///         0.0 => Err("a cube root has no derivative at zero"),
///         a => Ok(y_b / (3.0 * a.cbrt().powi(2))),
///     })
///     .eval()
/// });
/// let Err(Error::External(failure)) = tape.gradient(&y) else { panic!() };
/// assert_eq!(failure.reason, "a cube root has no derivative at zero");
/// ```
#[track_caller]
pub fn try_external<M, A, P, V, E, F>(
    arguments: A,
    value: V,
    adjoint: F,
) -> External<M, A, V::Shape>
where
    M: AnyMode,
    A: Arguments<M>,
    V: Inputs<P>,
    E: Display,
    F: Fn(<V::Shape as Structure>::Values) -> Result<<A::Shape as Structure>::Values, E> + 'static,
{
    External::new(arguments, value.into_values(), adjoint)
}

type ArgumentValues<M, A> = <<A as Arguments<M>>::Shape as Structure>::Values;

/// An [external function](external), which records nothing before [`eval`](Self::eval).
#[must_use = "the function is not recorded before `eval`: call it"]
pub struct External<M: AnyMode, A: Arguments<M>, R: Structure> {
    arguments: A,
    value: R::Of<ValueLeaves>,
    adjoint: Closure<R::Values, ArgumentValues<M, A>>,
    tangent: Option<Closure<ArgumentValues<M, A>, R::Values>>,
    is_loop: bool,
    marked: bool,
    linear: bool,
    unconditional: bool,
    location: &'static Location<'static>,
}
debug_by_name! { [M: AnyMode, A: Arguments<M>, R: Structure] External<M, A, R> }
impl<M: AnyMode, A: Arguments<M>, R: Structure> External<M, A, R> {
    /// Like [`try_external`], for code that is generic in the results.
    #[track_caller]
    pub fn new<E: Display>(
        arguments: A,
        value: R::Values,
        adjoint: impl Fn(R::Values) -> Result<ArgumentValues<M, A>, E> + 'static,
    ) -> Self {
        External {
            arguments,
            value: R::unpack(value),
            adjoint: Box::new(move |r_b| adjoint(r_b).map_err(|e| e.to_string())),
            tangent: None,
            is_loop: false,
            marked: false,
            linear: false,
            unconditional: false,
            location: Location::caller(),
        }
    }
    /// Adds a tangent: a closure from tangents of the arguments to tangents of the results.
    ///
    /// ```
    /// use entape_core::{expr::Active, external::external, mode::Forward};
    /// use entape_drivers::jvp;
    ///
    /// let cube = |x: Active<f64, Forward>| {
    ///     let slope = 3.0 * x.value().powi(2);
    ///     external(x, x.value().powi(3), move |r_b: f64| r_b * slope).tangent(move |x_t| x_t * slope).eval()
    /// };
    /// assert_eq!(jvp(cube, 2.0, 1.0)?, (8.0, 12.0));
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn tangent(self, tangent: impl Fn(ArgumentValues<M, A>) -> R::Values + 'static) -> Self {
        self.with_tangent(Box::new(move |x_t| Ok(tangent(x_t))))
    }
    /// Like [`tangent`](Self::tangent), with a closure that can fail; see [`try_external`].
    pub fn try_tangent<E: Display>(
        self,
        tangent: impl Fn(ArgumentValues<M, A>) -> Result<R::Values, E> + 'static,
    ) -> Self {
        self.with_tangent(Box::new(move |x_t| tangent(x_t).map_err(|e| e.to_string())))
    }
    /// Reports a loop, instead of an external function, in messages.
    #[doc(hidden)]
    pub fn of_loop(mut self) -> Self {
        self.is_loop = true;
        self
    }
    /// Declares that the results are linear in the arguments: the closures are one map for all values. With a
    /// [tangent](Self::tangent), second derivatives then exist.
    ///
    /// ```
    /// use entape_core::{expr::Active, external::external};
    /// use entape_drivers::hessian_vector;
    ///
    /// let f = |x: Active<f64>| {
    ///     let twice = external(x, 2.0 * x.value(), |r_b: f64| 2.0 * r_b).tangent(|x_t| 2.0 * x_t).linear().eval();
    ///     twice * twice
    /// };
    /// assert_eq!(hessian_vector(f, 3.0, 1.0)?, (24.0, 8.0)); // of 4 x²
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn linear(mut self) -> Self {
        self.linear = true;
        self
    }
    /// Makes the statement take part in every sweep, for closures that must be called as often as a counterpart
    /// elsewhere, such as communications with other processes.
    ///
    /// While a tape records, the statement is recorded even without active arguments, and its results are active. Every
    /// sweep calls the closure for the adjoint, and every sweep along directions and forward mode the closure for the
    /// tangent once for each direction, even if all adjoints or tangents are zero. A sweep of [several
    /// adjoints](crate::tape::Tape::adjoints) calls the closure for each of the eight.
    ///
    /// The recording can be [swept](crate::tape::Tape::sweep) without a seed.
    ///
    /// Sparsity patterns are not available.
    ///
    /// ```
    /// use entape_core::{external::external, tape::Tape};
    /// use std::{cell::Cell, rc::Rc};
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(2.0);
    /// let calls = Rc::new(Cell::new(0));
    /// let counter = calls.clone();
    /// let y = tape.record(|| {
    ///     // a function that only takes its argument
    ///     external(x, [0.0; 0], move |[]| {
    ///         counter.set(counter.get() + 1);
    ///         10.0
    ///     })
    ///     .unconditional()
    ///     .eval();
    ///     (3.0 * x).eval()
    /// });
    /// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 13.0);
    /// assert_eq!(calls.get(), 1);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn unconditional(mut self) -> Self {
        self.unconditional = true;
        self
    }
    /// Passes unset adjoints and tangents to the closures as `-0.0`, and interprets returned `-0.0` as unset.
    #[doc(hidden)]
    pub fn marked(mut self) -> Self {
        self.marked = true;
        self
    }
    fn with_tangent(mut self, tangent: Closure<ArgumentValues<M, A>, R::Values>) -> Self {
        self.tangent = Some(tangent);
        self
    }
    /// Evaluates the function into new variables, in one statement.
    ///
    /// # Panics
    ///
    /// If an argument is of another tape or recording, or is active while no tape records; in a forward mode, if an argument has
    /// tangents and the function does not (drivers return an error instead).
    #[track_caller]
    pub fn eval(self) -> Vars<R, M> {
        M::by_mode(self)
    }
}

struct MakeLost<M>(PhantomData<M>);
impl<M: AnyMode> MapLeaves for MakeLost<M> {
    type From = ValueLeaves;
    type To = VariableLeaves<M>;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<Active<K, M>, Infallible> {
        let held = K::Policy::held::<M, _>(new_cell::<K>(value), K::zero_like);
        Ok(Active::from_parts(held, VariableId::LOST, Slot::NONE))
    }
}
fn lost<R: Structure, M: AnyMode>(value: R::Of<ValueLeaves>) -> Vars<R, M> {
    let Ok(variables) = R::map(value, &mut MakeLost(PhantomData));
    variables
}
struct MakeTargets<'r, M> {
    memory: &'r mut RecordedValues,
    lhs: &'r mut [u8],
    tag: u32,
    _mode: PhantomData<M>,
}
impl<M: AnyMode> MapLeaves for MakeTargets<'_, M> {
    type From = ValueLeaves;
    type To = VariableLeaves<M>;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<Active<K, M>, Infallible> {
        let cell = new_cell::<K>(value);
        let id = create::<K, M>(self.memory, &mut self.lhs, cell.clone());
        let slot = self.memory.values.get::<K>().slot(id);
        let held = K::Policy::held::<M, _>(cell, K::zero_like);
        Ok(Active::from_parts(
            held,
            VariableId { id, tag: self.tag },
            slot,
        ))
    }
}

struct HasTangents<M, const N: usize>(bool, PhantomData<M>);
impl<M: AnyMode, const N: usize> ReadLeaves for HasTangents<M, N> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        self.0 |= x.tangents_ref::<N>().is_some();
        Ok(())
    }
}
struct ReadTangent<M, const N: usize>(usize, PhantomData<M>);
impl<M: AnyMode, const N: usize> ReadLeaves for ReadTangent<M, N> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Infallible> {
        Ok(match x.tangents_ref::<N>() {
            Some(tangents) => tangents[self.0].clone(),
            None => K::zero_like(x.get()),
        })
    }
}
struct SetForwardTangent<M> {
    j: usize,
    location: &'static Location<'static>,
    _mode: PhantomData<M>,
}
impl<M: AnyMode> ZipLeaves for SetForwardTangent<M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, M>, tangent: Val<K>) -> Result<(), Infallible> {
        call::assert_shape::<K>("tangent", &tangent, x.get(), self.location);
        *x.held_mut().tangent_mut(self.j, K::zero_like) = tangent;
        Ok(())
    }
    fn mismatch(&mut self, _: Mismatch) -> Infallible {
        unreachable!("the lists have the same lengths")
    }
}

struct ShowArguments<'i, 't, M>(&'i mut Inspect<'t>, PhantomData<M>);
impl<M: AnyMode> ReadLeaves for ShowArguments<'_, '_, M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        self.0.variable::<K>(x.variable_id());
        Ok(())
    }
}
struct SaveArguments<M> {
    ids: Vec<u32>,
    likes: Vec<Box<dyn Any>>,
    zeros: bool,
    _mode: PhantomData<M>,
}
impl<M: AnyMode> ReadLeaves for SaveArguments<M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        let variable = x.variable_id();
        self.ids.push(if variable.is_passive() {
            NONE
        } else {
            variable.id
        });
        if self.zeros || K::Policy::STORAGE {
            self.likes.push(Box::new(Like::<K> {
                shape: K::Layout::shape(x.get()),
                zero: self.zeros.then(|| K::zero_like(x.get())),
            }));
        }
        Ok(())
    }
}
type Reserve = fn(&mut TapeRecording, usize) -> Result<(), Error>;
struct Needs<M> {
    bytes: usize,
    restores: bool,
    kinds: Vec<(TypeId, usize, Reserve)>,
    _mode: PhantomData<M>,
}
impl<M: AnyMode> ReadLeaves for Needs<M> {
    type From = UnitLeaves;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &()) -> Result<(), Infallible> {
        self.bytes += target_bytes::<K, M>();
        self.restores |= Id::<K, M>::OWNED;
        let id = TypeId::of::<K>();
        match self.kinds.iter_mut().find(|(kind, ..)| *kind == id) {
            Some((_, count, _)) => *count += 1,
            None => self.kinds.push((id, 1, TapeRecording::reserve_for::<K>)),
        }
        Ok(())
    }
}

impl<M: AnyMode, A: Arguments<M>, R: Structure> ByMode<M> for External<M, A, R> {
    type Out = Vars<R, M>;
    fn plain(self) -> Vars<R, M> {
        R::passive_of(self.value)
    }
    #[track_caller]
    fn forward<const N: usize>(self) -> Vars<R, M> {
        let location = self.location;
        let Ok(lengths) = R::read(&self.value, &mut Skeleton(PhantomData));
        let mut results = R::passive_of(self.value);
        let mut any = HasTangents::<M, N>(false, PhantomData);
        let Ok(_) = self.arguments.read(&mut any);
        if !any.0 && !self.unconditional {
            return results;
        }
        let Some(tangent) = self.tangent else {
            report(NoTangent::Missing(MissingRule {
                operation: EXTERNAL.into(),
                missing: "tangent",
                location,
            }));
            return results;
        };
        for j in 0..N {
            let Ok(x_t) = self
                .arguments
                .read(&mut ReadTangent::<M, N>(j, PhantomData));
            match tangent(A::Shape::pack(x_t)) {
                Ok(tangents) => {
                    let tangents = R::unpack(tangents);
                    call::assert_lengths::<R>("tangent", &tangents, &lengths, location);
                    let _mode = PhantomData;
                    let mut set = SetForwardTangent { j, location, _mode };
                    let Ok(()) = R::zip(&mut results, tangents, &mut set);
                }
                Err(reason) => {
                    report(NoTangent::Failed(ExternalFailure { reason, location }));
                    break;
                }
            }
        }
        results
    }
    #[track_caller]
    fn recording(self) -> Vars<R, M>
    where
        M: Recording,
    {
        let External {
            arguments,
            value,
            adjoint,
            tangent,
            is_loop,
            marked,
            linear,
            unconditional,
            location,
        } = self;
        let mut taken = current::take();
        let tape = taken.tape();
        let mut seen = Inspect::new(tape.as_deref());
        let Ok(_) = arguments.read(&mut ShowArguments(&mut seen, PhantomData));
        let found = seen.found(&Formula::External, tape.is_some());
        let Ok(results) = R::read(&value, &mut Skeleton(PhantomData));
        let mut needs = Needs::<M> {
            bytes: 0,
            restores: false,
            kinds: Vec::new(),
            _mode: PhantomData,
        };
        let Ok(_) = R::read(&results, &mut needs);
        let tape = match (found, tape) {
            (VariablesFound::Lost, _) => return lost::<R, M>(value),
            (_, Some(tape)) if unconditional => tape,
            (VariablesFound::Active { .. }, Some(tape)) if needs.bytes > 0 => tape,
            _ => return R::passive_of(value),
        };
        let mut keep = SaveArguments {
            ids: Vec::new(),
            likes: Vec::new(),
            zeros: tangent.is_some(),
            _mode: PhantomData::<M>,
        };
        let Ok(lengths) = arguments.read(&mut keep);
        let kept = ExternalRecord::<A::Shape, R, M> {
            arguments: lengths,
            ids: keep.ids,
            likes: keep.likes,
            results,
            adjoint,
            tangent,
            marked,
            unconditional,
            location,
            _mode: PhantomData,
        };
        let call = Call {
            bytes: needs.bytes,
            restores: needs.restores,
            order: match (&kept.tangent, linear) {
                (Some(_), true) => Order::Second,
                (Some(_), false) => Order::Tangent,
                (None, _) => Order::Adjoint,
            },
            is_loop,
            unconditional,
            location,
            function: Rc::new(kept),
        };
        let reserve = |tape: &mut TapeRecording| {
            let mut each = needs.kinds.into_iter();
            each.try_for_each(|(_, count, reserve)| reserve(tape, count))
        };
        let (mut value, tag) = (Some(value), tape.tag);
        let recorded = tape.record_external(call, reserve, |memory, lhs| {
            let _mode = PhantomData;
            let mut make = MakeTargets {
                memory,
                lhs,
                tag,
                _mode,
            };
            let value = value.take()?;
            let Ok(made) = R::map(value, &mut make);
            Some(made)
        });
        match (recorded, value) {
            (RecordOutcome::As(Some(made)), _) => made,
            (_, Some(value)) => lost::<R, M>(value),
            _ => unreachable!("a value is turned into variables once"),
        }
    }
}
