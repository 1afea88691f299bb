//! The rule-test kit.
//!
//! | check | tests |
//! |---|---|
//! | [`rule()`], [`Check::rule`] | the [rule](entape_core::rule::Rule) of one operation, at a point |
//! | [`Check::plain`] | that a rule has the values and failures of the plain operation |
//! | [`gradient`], [`Check::gradient`] | the gradient of a [`Function`] |
//! | [`hessian`], [`Check::hessian`] | its second derivatives |
//! | [`expression`], [`Check::expression`] | the derivatives of a closure over several kinds |
//! | [`kind()`], [`Check::kind`] | zero, sum and adjoint of a [kind](entape_core::kind::Kind) |
//! | [`part()`], [`Check::part`] | the adjoints of reading and writing a [part](entape_core::store::Part) |
//!
//! Checks work for every kind with real [coordinates](Coordinates), and return a [`Failure`] that names the rule, the
//! arguments and both numbers. `assert_...` panic with it at the line of the test. Random numbers are deterministic.
//!
//! ```
//! use entape_check as check;
//! use entape_core::op;
//!
//! check::assert_rule(&op::Mul, (2.0, 3.0));
//! check::assert_rule(&op::Powf, (0.7, -1.3));
//! // single precision has the tolerance of single precision
//! check::assert_rule(&op::Exp, (0.7_f32,));
//! ```
//!
//! # Tests of a rule
//!
//! With random weights `w` of the result's coordinates and directions `v` of the arguments:
//!
//! * `<v, J^T w> = <J v, w>`, by the adjoint and by differences, for each argument alone and for all together. The
//!   differences bound their error, so a tolerance refers only to the adjoint. At kinks and ends of domains they do not
//!   converge ([`Fault::NoSlope`]).
//! * The adjoint reads only what [`READS`](entape_core::rule::Rule::READS) declares, whichever arguments are active.
//! * A [tangent](entape_core::rule::Rule::tangent) `t` along `v` equals differences, and `<t, w>` equals `<v, J^T w>`
//!   up to rounding.
//! * A [tangent of the adjoint](entape_core::rule::Rule::adjoint_tangent) equals differences of the adjoint, and is
//!   symmetric up to rounding: with the second derivative `H` of `<w, r>`, `<u, H v> = <v, H u>`. Both tangents are
//!   sums over the arguments, whichever are active.
//! * On a tape, with all combinations of active and passive arguments, the value has the bits of the primal, the result
//!   is active if a differentiable argument is, and adjoints equal the rule's, also in a second sweep, and add to
//!   existing ones.
//! * Within an expression, the values that a sweep recomputes have the bits of the recording.
//! * The kinds of arguments and result, as by [`kind`](self::kind()).
//!
//! Pass [lists](entape_core::kind::List) as [`ListOf`]. Test several points, and for dynamic sizes also empty, single
//! and non-square ones.
//!
//! # Slow environments
//!
//! For emulators and Miri, the environment variable `ENTAPE_FEW_CASES` reduces the cases:
//!
//! * one random direction instead of three, unless their number is set;
//! * at most three inputs of a function one by one;
//! * all forms of a rule and the laws of its kinds only up to a hundred coordinates; beyond, all arguments are active
//!   and move together;
//! * four points of a sample instead of sixteen.
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod failure;
mod forms;
mod function;
mod kind;
mod part;
mod plain;
mod prepared;
mod rule;
mod subject;
mod tangent;

pub use self::failure::{Confirmed, Failure, Fault};
pub(crate) use self::forms::sampled;
#[doc(hidden)]
pub use self::forms::{
    Absent, Around, AsList, Cases, Drawn, Enter, Entered, Inner, Missing, Present, Recorded, Same,
    Variable, Within,
};
pub use self::forms::{Argument, Arguments, Domain, ListOf};
pub use self::prepared::Prepared;
pub use entape_core::coordinates::{Coordinates, Output};

use entape_core::{
    differences::{Change, Slope},
    kind::Val,
    mode::Taped,
    rule::Rule,
    store::Part,
    structure::FlatStructure,
};
use entape_drivers::{Function, Inputs, Outputs, RealsShape, Runs};

/// The parameters of a check. Functions of [this module](self) use the default.
///
/// ```
/// use entape_check::Check;
/// use entape_core::op;
///
/// let thorough = Check::default().directions(10).tolerance(1e-9).seed(7);
/// thorough.rule(&op::Sin, (1.0,))?;
/// # Ok::<(), entape_check::Failure>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a check has no effect until it runs: call one of its methods"]
pub struct Check {
    seed: u64,
    directions: usize,
    tolerance: Option<f64>,
}
const ADJOINT: &str = "the adjoint";
fn few_or<T>(few: T, usual: T) -> T {
    match std::env::var_os("ENTAPE_FEW_CASES") {
        Some(_) => few,
        None => usual,
    }
}
impl Default for Check {
    fn default() -> Self {
        Check {
            seed: 0x00e7_a9e0,
            directions: few_or(1, 3),
            tolerance: None,
        }
    }
}
impl Check {
    /// Sets the seed of the random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Sets the number of random directions for each tested subset of arguments, by default three.
    pub fn directions(mut self, directions: usize) -> Self {
        self.directions = directions;
        self
    }
    /// Sets the accepted relative error of an adjoint, in addition to the error of the differences: by default 1e-7, and 256
    /// rounding errors for less precise kinds.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }
    fn tolerance_for(&self, epsilon: f64) -> f64 {
        self.tolerance.unwrap_or(f64::max(1e-7, 256.0 * epsilon))
    }
    /// The relative difference of numbers that are equal up to rounding.
    fn rounding_for(&self, epsilon: f64) -> f64 {
        let rounding = 4096.0 * epsilon;
        self.tolerance.map_or(rounding, |t| t.max(rounding))
    }
    /// Compares the derivative `got`, a sum of terms of this size, with differences.
    fn judge(
        &self,
        what: &'static str,
        label: impl Fn() -> String,
        got: f64,
        size: f64,
        slope: Slope,
        tolerance: f64,
    ) -> Result<(), Fault> {
        let (value, error) = (slope.value, 4.0 * slope.error);
        // An infinite adjoint would make the tolerance infinite.
        let largest = value.abs().max(if size.is_finite() { size } else { 0.0 });
        // At least the first digits, or a zero beside the slopes nearby.
        let least = f64::max(1e-6, 10.0 * tolerance);
        let tells = error <= 1e-3 * largest
            || error <= least * slope.size
            || (largest <= least * slope.nearby && error <= least * slope.nearby);
        if !(tells && error.is_finite()) {
            if 4.0 * slope.noise > 0.5 * error && error.is_finite() {
                return Err(Fault::unresolved(
                    &slope,
                    &format!("{what} {}", label()),
                    got,
                ));
            }
            return Err(Fault::NoSlope {
                label: label(),
                about: value,
                error,
            });
        }
        if (got - value).abs() <= tolerance * largest + error {
            return Ok(());
        }
        let label = format!("{what} {}", label());
        if slope.change == Change::ByPieces && got.is_finite() {
            return Err(Fault::unresolved(&slope, &label, got));
        }
        Err(Fault::Slope {
            label,
            got,
            want: value,
            error,
        })
    }
}

/// Tests the [`Rule`] of `op` at a point, a tuple of plain values.
///
/// ```
/// use entape_check as check;
/// use entape_core::op;
///
/// check::rule(&op::Atan2, (1.0, -2.0))?;
/// # Ok::<(), check::Failure>(())
/// ```
pub fn rule<O, P, X>(op: &O, point: X) -> Result<(), Failure>
where
    X: Arguments<O, P>,
    O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
{
    Check::default().rule(op, point)
}
/// Panics if [`rule()`] fails.
///
/// ```
/// use entape_check as check;
/// use entape_core::op;
///
/// check::assert_rule(&op::Atan2, (1.0, -2.0));
/// ```
#[track_caller]
pub fn assert_rule<O, P, X>(op: &O, point: X)
where
    X: Arguments<O, P>,
    O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
{
    report(rule(op, point));
}
/// Tests the gradient of a function at `x`; see [`Check::gradient`].
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, function};
///
/// #[function]
/// fn f(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[1] / (x[0] + x[1])
/// }
/// check::gradient(f {}, &[1.0, 2.0])?;
/// # Ok::<(), check::Failure>(())
/// ```
pub fn gradient(
    f: impl Function<Inputs: RealsShape, Values = f64>,
    x: &[f64],
) -> Result<Confirmed, Failure> {
    Check::default().gradient(f, x)
}
/// Panics if [`gradient`] fails.
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, function};
///
/// #[function]
/// fn f(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[1]
/// }
/// check::assert_gradient(f {}, &[1.0, 2.0]);
/// ```
#[track_caller]
pub fn assert_gradient(f: impl Function<Inputs: RealsShape, Values = f64>, x: &[f64]) {
    report(gradient(f, x).map(drop));
}
/// Tests the second derivatives of a function at `x`; see [`Check::hessian`].
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, function};
///
/// #[function]
/// fn f(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[1] / (x[0] + x[1])
/// }
/// check::hessian(f {}, &[1.0, 2.0])?;
/// # Ok::<(), check::Failure>(())
/// ```
pub fn hessian(
    f: impl Function<Inputs: RealsShape, Values = f64>,
    x: &[f64],
) -> Result<Confirmed, Failure> {
    Check::default().hessian(f, x)
}
/// Panics if [`hessian`] fails.
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, function};
///
/// #[function]
/// fn f(x: &[Active<f64>]) -> Active<f64> {
///     x[0] * x[0] * x[1]
/// }
/// check::assert_hessian(f {}, &[1.0, 2.0]);
/// ```
#[track_caller]
pub fn assert_hessian(f: impl Function<Inputs: RealsShape, Values = f64>, x: &[f64]) {
    report(hessian(f, x).map(drop));
}
/// Tests the derivatives of a closure at `x`; see [`Check::expression`].
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, real::Elementary};
///
/// check::expression(|(a, b): (Active<f64>, Active<f64>)| a.hypot(b), (3.0, 4.0))?;
/// # Ok::<(), check::Failure>(())
/// ```
///
/// # Errors
/// A [`Failure`] that names the coordinate.
pub fn expression<P, I, B, O, F>(f: F, x: I) -> Result<Confirmed, Failure>
where
    I: Inputs<P, Shape: FlatStructure>,
    O: Outputs<Structure: FlatStructure>,
    for<'f> &'f F: Runs<I::Shape, Taped, B, Output = O>,
{
    Check::default().expression(f, x)
}
/// Panics if [`expression`] fails.
///
/// ```
/// use entape_check as check;
/// use entape_core::{expr::Active, real::Elementary};
///
/// check::assert_expression(|(a, b): (Active<f64>, Active<f64>)| a.hypot(b), (3.0, 4.0));
/// ```
#[track_caller]
pub fn assert_expression<P, I, B, O, F>(f: F, x: I)
where
    I: Inputs<P, Shape: FlatStructure>,
    O: Outputs<Structure: FlatStructure>,
    for<'f> &'f F: Runs<I::Shape, Taped, B, Output = O>,
{
    report(expression(f, x).map(drop));
}
/// Tests a kind at a value, and at random values of its shape; see [`Check::kind`].
///
/// ```
/// use entape_check as check;
///
/// check::kind::<f64>(1.0)?;
/// # Ok::<(), check::Failure>(())
/// ```
pub fn kind<K: Coordinates>(value: Val<K>) -> Result<(), Failure> {
    Check::default().kind::<K>(value)
}
/// Panics if [`kind`](self::kind()) fails.
///
/// ```
/// use entape_check as check;
///
/// check::assert_kind::<f64>(1.0);
/// ```
#[track_caller]
pub fn assert_kind<K: Coordinates>(value: Val<K>) {
    report(kind::<K>(value));
}
/// Tests a part of values of kind `K` at a value; see [`Check::part`].
pub fn part<K: Coordinates, P: Part<K, Kind: Coordinates>>(
    part: P,
    whole: Val<K>,
) -> Result<(), Failure> {
    Check::default().part::<K, P>(part, whole)
}
/// Panics if [`part`](self::part()) fails.
#[track_caller]
pub fn assert_part<K: Coordinates, P: Part<K, Kind: Coordinates>>(part: P, whole: Val<K>) {
    report(self::part::<K, P>(part, whole));
}

#[track_caller]
fn report(result: Result<(), Failure>) {
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Tests a rule at points of its sample, and panics if it is wrong.
#[track_caller]
#[doc(hidden)]
pub fn annotated<O, A, B, C, HA, HB, HC>(
    op: &O,
    a: impl Domain<A, HA>,
    b: impl Domain<B, HB>,
    c: impl Domain<C, HC>,
) where
    A: Coordinates,
    B: Coordinates,
    C: Coordinates,
    O: Rule<A, B, C, Out: Coordinates> + Clone,
{
    sampled::<O, A, B, C, _, _, _, _, _, _>(op, a, b, c);
}

/// Runs the listings of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
