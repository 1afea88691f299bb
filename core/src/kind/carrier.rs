//! Modes as seen by variables.
use super::{identifier::Identifier, memory::Recycle, tape_cell::VariableCell};
use crate::sealed::Sealed;
use std::rc::Rc;

/// The data that variables carry beside their values in a [mode](crate::mode). Implemented only by modes, because recording relies
/// on identifiers that do not run user code.
pub trait Carrier: Sized + Sealed + 'static {
    /// Whether evaluations can be recorded.
    const RECORDS: bool;
    /// Whether variables are bare values.
    const PLAIN: bool = false;
    /// The identifier of a variable of a value kind.
    type ValueId: Identifier;
    /// The identifier of a variable of a storage kind.
    type OwnedId: Identifier;
    /// The content of a variable of a value kind.
    type Bare<V: Copy + 'static>: VariableCell<V> + Copy;
    /// The content of a variable of a storage kind. `R` recycles its memory.
    type Shared<V: Clone + 'static, R: Recycle<V>>: VariableCell<V>;
    /// Returns the shared value of a variable.
    fn share<V: Clone + 'static, R: Recycle<V>>(held: &Self::Shared<V, R>) -> Rc<V>;
    /// Returns the content of a variable with a shared value.
    fn unshare<V: Clone + 'static, R: Recycle<V>>(cell: Rc<V>) -> Self::Shared<V, R>;
}

/// The mode that only computes values, as fast as the plain program.
///
/// ```
/// use entape_core::{expr::Active, mode::{Mode, Plain}, tape::Tape};
///
/// fn square<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
///     (x * x).eval()
/// }
/// assert_eq!(square(Active::<f64, Plain>::passive(3.0)), 9.0); // no tape
/// assert_eq!(size_of::<Active<f64, Plain>>(), 8);
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| square(x)); // the same source, recorded
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 6.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plain;
/// The default recording mode. Each statement gives its result a new identifier. Variables of value kinds are `Copy`.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// The recording mode that reuses identifiers of dropped variables: memory depends on the largest number of live
/// variables. Variables are not `Copy`, but used by reference.
///
/// ```
/// use entape_core::{mode::Reuse, real::Elementary, tape::Tape};
///
/// let mut tape = Tape::<Reuse>::default();
/// let x = tape.input(0.5);
/// let y = tape.record(|| (&x * (&x).sin()).eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 0.5_f64.sin() + 0.5 * 0.5_f64.cos());
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reuse;
/// The mode that computes tangents along `N` directions without a tape. Variables of value kinds are `Copy`.
///
/// ```
/// use entape_core::{expr::Active, mode::Forward, real::Elementary};
///
/// let x = Active::<f64, Forward>::with_tangent(0.0, 1.0);
/// let y = (x.exp() * 3.0).eval();
/// assert_eq!((y.value(), y.tangent()), (3.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forward<const N: usize = 1>;
