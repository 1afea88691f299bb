//! The generator of entape: annotations become kinds and rules.
//!
//! A DSL is declared with three macros:
//!
//! | macro | on | makes |
//! |---|---|---|
//! | [`#[kind]`](macro@kind) | a struct | a kind: the type of an entity, which has one identifier |
//! | [`#[op]`](macro@op) | a function | an operation, its rule, and the function that applies it |
//! | [`#[operations]`](macro@operations) | an `impl` block of a kind | operations, and a trait with one method for each |
//!
//! Programs use [`#[function]`](macro@function). Types that a statement stores, such as parameters, derive
//! [`Stash`](derive@Stash).
//!
//! ```
//! use entape_core::{kind, op, operations, expr::{Active, constant}, mode::Plain};
//! # mod num { // a foreign crate
//! #     #[derive(Clone, Copy, Debug, Default, PartialEq)]
//! #     pub struct Complex { pub re: f64, pub im: f64 }
//! #     impl Complex {
//! #         pub fn new(re: f64, im: f64) -> Self { Complex { re, im } }
//! #         pub fn conj(self) -> Self { Complex::new(self.re, -self.im) }
//! #     }
//! #     impl std::ops::Mul for Complex {
//! #         type Output = Self;
//! #         fn mul(self, b: Self) -> Self { Complex::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re) }
//! #     }
//! #     impl std::ops::AddAssign for Complex {
//! #         fn add_assign(&mut self, b: Self) { *self = Complex::new(self.re + b.re, self.im + b.im) }
//! #     }
//! # }
//! use num::Complex;
//!
//! #[kind(value = Complex, index = Linear)]
//! pub struct C64;
//!
//! #[operations(ext = ComplexOps)]
//! impl C64 {
//!     #[op(Mul)]
//!     fn mul(#[ad_in(r_b * b.conj())] a: Self, #[ad_in(r_b * a.conj())] b: Self) -> Self { a * b }
//!     #[op]
//!     fn re(#[ad_in(Complex::new(r_b, 0.0))] z: Self) -> f64 { z.re }
//! }
//!
//! let z = Active::<C64, Plain>::passive(Complex::new(1.0, 2.0));
//! assert_eq!((z * z).re().eval().value(), -3.0);
//! ```
//!
//! In formulas, `x` is the value of the argument `x`, `r` the result, and `r_b` its adjoint. Generated code finds core as
//! `entape-core`, or as `entape::core`, among the dependencies of the crate, also if renamed; `crate = path` sets another path.
//!
//! `options` and `model` parse an annotated function, `check` rejects invalid combinations, and the other modules generate code.
#![forbid(unsafe_code)]

mod adjoint;
mod apply;
mod callable;
mod check;
mod coordinates;
mod derive_structure;
mod derives;
mod elementwise;
mod errors;
mod function;
mod index;
mod kind;
mod kind_options;
mod kit;
mod model;
mod modes;
mod names;
mod numbers;
mod op;
mod operations;
mod options;
mod real;
mod receiver;
mod rule;
mod sample;
mod scope;
mod stash;
mod statements;
mod structure;
mod tangent;

use proc_macro::TokenStream;
use quote::quote;

/// Makes a struct a *kind*: the type-level name of a sort of entity with one identifier. The struct is a tag for a foreign value
/// type, or is its own value type.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `numbers`, `numbers(x, y, ..)` | none | the fields of a value that are numbers, see below |
/// | `vector`, `vector(T)` | no | the operators `+`, `-`, unary minus, and `*` and `/` with a real of kind `T` (default `f64`), by the value's operators; needs `numbers` |
/// | `real(sqrt, exp, ..)` | no | the struct is one real number, see below |
/// | `sample(value = ..)` | none | makes a `#[test]` of the kind, its `parts` and operators, as the [`sample` of an operation](macro@op#tests) does |
/// | `value = Type` | the struct itself | the entity's memory |
/// | `derives = Kind` | none | variables have the members of another kind, see below |
/// | `index = Linear` | yes | a value kind, see below |
/// | `index = Owned` | | a storage kind, see below; or another `Policy` |
/// | `plain` | | the tape stores values as bytes; for `bytemuck::Pod` values |
/// | `runs` | | a sweep takes equal statements in one loop (`kind::Chained`), for values that fit into a register |
/// | `adjoint = Type` | `Linear`: the value, if the default value is zero; else `Option<Value>` | a custom type implements `kind::Adjoint` |
/// | `zero = \|like\| ..` | `Linear`: `Default::default()`; else the zero of its numbers (`kind::Additive`) | the zero of the shape of `like: &Value`; a closure or a function |
/// | `add = \|into, from\| ..` | by number (`kind::Additive`), or `*into += from` | accumulates `from: Value` into `into: &mut Value` |
/// | `computed = \|x\| ..` | unchanged | turns each `-0.0` of `x: Value` into `0.0` and returns `x`, see `kind::Kind::computed` |
/// | `unset = \|x\| ..` | all its numbers are `-0.0` | whether the tangent `x: &Value` belongs to a value that does not depend on the direction |
/// | `mark = \|x, computed\| ..` | by number | sets the zeros of the tangent `x: &mut Value` to `0.0` if `computed`, else to `-0.0`; an optimisation, as `unset` |
/// | `layout = Shaped` | `OnePiece` | one piece; one piece with a shape, whose sums are evaluated into their destination (`DestinationKind`); or a custom `Layout` |
/// | `finite = \|x\| ..` | always true | whether all numbers of `x: &Value` are finite, for `tape.find_non_finite()` |
/// | `recycle = \|x\| ..` | frees the memory | takes the memory of `x: &mut Value` and leaves a valid but unspecified value |
/// | `extent = \|x\| ..` | 0 | the bytes of `x: &Value` that stay in the tape's shared allocation, see `kind::Memory::extent`; 0 if `recycle` takes them |
/// | `bytes = \|x\| ..` | `Owned`: by `kind::Heap`, for a struct by field; else 0 | the bytes that `x: &Value` owns, for the memory limit of a tape |
/// | `fetch = \|x\| ..` | nothing | prefetches the memory of `x: &Value` |
/// | `parts(x: f64, ..)` | none | fields that are parts, with their kinds: `p[Point::X]` is a place, `p.part(Point::X)` an operand |
/// | `coordinates` | no | the real coordinates of values (`coordinates::Coordinates`), for checks of rules and for Jacobians |
/// | `constant = false` | `true` | the crate implements `Constant`, for values that determine the kind, and `ValueOf`, for values of a known kind. Kinds with a parameter need this |
/// | `name = ".."` | the struct's name | for messages and statistics; any constant expression |
/// | `crate = path` | `::entape_core`, in the facade `::entape::core` | the path of `entape-core` |
///
/// # Values with numbers
/// `numbers(..)` names the fields (or elements) of a value that are differentiated, by default all: numbers, arrays, vectors and
/// tuples of numbers (`kind::Numbers`), or values of a kind that `parts` assigns to the field. The numbers determine the sum and
/// the zero of adjoints, the coordinates, which values are finite, an inner product (`kind::Inner`), and that values are [inputs of
/// drivers](../entape_core/structure/trait.Inputs.html). A value kind needs `Default` for its passive fields, which
/// adjoints ignore.
///
/// ```
/// use entape_core::{expr::Active, kind, tape::Tape};
/// use std::ops::{Add, Div, Mul, Neg, Sub};
///
/// /// A force at a node of a mesh, which is not a number.
/// #[kind(numbers(x, y), vector, sample(value = Force { x: 1.0, y: -2.0, node: 7 }))]
/// #[derive(Clone, Copy, Debug, Default)]
/// pub struct Force { x: f64, y: f64, node: u32 }
///
/// // The operators of the plain program.
/// # impl Force { fn with(self, b: Force, f: impl Fn(f64, f64) -> f64) -> Force { Force { x: f(self.x, b.x), y: f(self.y, b.y), ..self } } }
/// impl Add for Force {
///     type Output = Force;
///     fn add(self, b: Force) -> Force { Force { x: self.x + b.x, y: self.y + b.y, ..self } }
/// }
/// // and so on
/// # impl Sub for Force { type Output = Force; fn sub(self, b: Force) -> Force { self.with(b, |x, y| x - y) } }
/// # impl Neg for Force { type Output = Force; fn neg(self) -> Force { self.with(self, |x, _| -x) } }
/// # impl Mul<f64> for Force { type Output = Force; fn mul(self, s: f64) -> Force { self.with(self, |x, _| x * s) } }
/// # impl Div<f64> for Force { type Output = Force; fn div(self, s: f64) -> Force { self.with(self, |x, _| x / s) } }
///
/// let mut tape = Tape::new();
/// let (f, s) = (tape.input(Force { x: 1.0, y: 2.0, node: 3 }), tape.input(5.0));
/// let g = tape.record(|| (f * s - f / 2.0).eval());
/// assert_eq!((g.value().x, g.value().node), (4.5, 3));
/// tape.seed(&g, Force { x: 1.0, y: 10.0, node: 0 })?;
/// let gradient = tape.sweep()?;
/// assert_eq!(gradient.wrt(&s)?, 1.0 * 1.0 + 2.0 * 10.0);
/// assert_eq!(gradient.wrt(&f)?.y, 4.5 * 10.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
/// In a storage kind the operators of `vector` take references, `&a + &b` and `&a * s`.
///
/// # Kinds derived from another
/// With `derives = Base`, a value is one of the kind `Base` (`value = Type` names its type), or a struct whose only field is
/// one. The base defines numbers, zero and sum. A variable dereferences to a place of the base: methods of the base are
/// methods of the variable, `&*v` is an operand, and `*v` is written in place. Elementary functions need `(&*v).sin()`.
///
/// `Name::of(x)` turns an operand of the base into one of this kind, `Name::base(v)` is the reverse, and `Name::BASE` is the
/// part. Operations with results of this kind are declared as for any kind, also by `vector`. With `value = Type`, values
/// are inputs by `tape.input_as::<Name>(value)`.
///
/// ```
/// use entape_core::{kind, op, tape::Tape};
///
/// /// An angle in radians, which is also a number.
/// #[kind(derives = f64, sample(value = Angle(0.5)))]
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Angle(f64);
///
/// /// An operator that numbers lack.
/// #[op(Rem, sample(a = Angle(0.5), turns = 1.0..2.0))]
/// fn turned(#[ad_in(r_b)] a: Angle, #[ad_in(6.0 * r_b.0)] turns: f64) -> Angle {
///     Angle(a.0 + 6.0 * turns)
/// }
///
/// # use entape_core::real::Elementary;
/// let mut tape = Tape::new();
/// let (a, t) = (tape.input(Angle(0.5)), tape.input(2.0));
/// let y = tape.record(|| {
///     let mut b = (a % t).eval();
///     *b *= 2.0;
///     ((&*b).sin() * &*a).eval()
/// });
/// assert_eq!(y, 25_f64.sin() * 0.5);
/// assert_eq!(tape.gradient(&y)?.wrt(&t)?, 0.5 * 25_f64.cos() * 2.0 * 6.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Custom numbers
/// `real(..)` declares the kind of a number: of higher precision, of another format, with an error bound. Its value type has the
/// operators of numbers, comparisons, `From<f64>` and `Into<f64>`. List the elementary functions that are methods of the value
/// type; powers with whole exponents, signs, absolute values and extremes follow from the operators. Any other elementary function
/// of a variable panics. Functions such as `exp2`, whose derivative has a factor of double precision, cannot be listed. The number
/// is a [`RealKind`](../entape_core/real/trait.RealKind.html) and can be combined with `f64`.
///
/// ```
/// use entape_core::{expr::Active, kind, lane_operators, real::Elementary};
/// use entape_drivers::gradient;
///
/// /// A number in tenths.
/// #[kind(real(sqrt), sample(value = Tenths(7.5)))]
/// #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
/// pub struct Tenths(f64);
/// lane_operators! { |x, y| impl[] Tenths {
///     add: Tenths(x.0 + y.0), sub: Tenths(x.0 - y.0), mul: Tenths(x.0 * y.0 / 10.0), div: Tenths(x.0 / y.0 * 10.0), neg: Tenths(-x.0),
/// } }
/// impl From<f64> for Tenths {
///     fn from(x: f64) -> Tenths { Tenths(10.0 * x) }
/// }
/// impl From<Tenths> for f64 {
///     fn from(x: Tenths) -> f64 { x.0 / 10.0 }
/// }
/// impl Tenths {
///     fn sqrt(self) -> Tenths { f64::from(self).sqrt().into() }
/// }
///
/// let slope = gradient(|x: Active<Tenths>| ((x * x + 3.0).sqrt() * 2.0).eval(), Tenths(10.0))?;
/// assert_eq!(slope, Tenths(10.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Choosing the index
/// Choose `Linear` for values of a few numbers: variables are `Copy`, each assignment creates a new identifier, and the tape stores
/// each value. Choose `Owned` for values that own memory, and for large ones: variables are moved or cloned, and appear in
/// expressions as `&x`. Such a variable keeps its identifier when it is assigned, only values needed by a sweep are saved, and a
/// write to a part saves only that part. A generic kind may take the index from a parameter (`index = P::Policy`); its rules take
/// arguments and results by reference (`&Kind`).
///
/// # Bounds of generic kinds
/// A kind for numbers of both precisions is `struct Name<T: Real>(PhantomData<T>)` with `real::Real`. For a parameter `K: Kind`,
/// write the bounds of the rules in the struct's where clause, such as `K: Kind<Value = K, Policy = index::Linear>`. Parameters are
/// `'static`, and value kinds need `Copy` values.
///
/// # Custom contributions
/// An adjoint formula may return something that is cheaper to add than to construct, such as an element or an outer product.
///
/// ```
/// use entape_core::{kind, kind::{Adjoint, Contribution, Kind}, op, tape::Tape};
///
/// #[kind(value = Vec<f64>, index = Owned, coordinates)]
/// pub struct Array;
///
/// /// `x` at index `i`, of `n`: no vector of zeros is allocated if there is an adjoint already.
/// pub struct Single { i: usize, n: usize, x: f64 }
/// impl Contribution<Array> for Single {
///     fn add_to(self, adjoint: &mut <Array as Kind>::Adjoint) {
///         Adjoint::<Array>::value_mut(adjoint, || vec![0.0; self.n])[self.i] += self.x;
///     }
///     fn materialise(self) -> Vec<f64> {
///         let mut all = vec![0.0; self.n];
///         all[self.i] = self.x;
///         all
///     }
/// }
///
/// #[op(sample(v = vec![1.0, 2.0, 3.0], i = 1))]
/// fn element(#[ad_in(Single { i, n: v.len(), x: r_b })] v: &Array, #[ad_passive] i: usize) -> f64 {
///     v[i]
/// }
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![1.0, 2.0]);
/// let y = tape.record(|| (element(&v, 1) * element(&v, 0) * 3.0).eval());
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [6.0, 3.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Two kinds with one value type
/// If several kinds have one value type, such as `Vec<f64>`, `tape.input(value)` and `constant(value)` are ambiguous (E0283): write
/// `tape.input_as::<Name>(value)` and `lit::<Name, _>(value)`, or wrap the value in a struct.
///
/// # Further properties of a kind
/// Values also implement contributions to their adjoint, constants, and, for value kinds, right operands beside their kind
/// (`x * value`). References to values of storage kinds are contributions, too (`#[ad_in(r_b)]`),
/// unless `adjoint` is given.
///
/// ```
/// use entape_core::{kind, kind::Kind};
///
/// /// Vectors have predefined sums and zeros.
/// #[kind(value = Vec<f64>, index = Owned)]
/// pub struct Array;
/// assert_eq!(Array::zero_like(&vec![1.0, 2.0]), [0.0, 0.0]);
///
/// /// A struct uses the sums and zeros of its fields.
/// #[kind(parts(knots: Array, scale: f64), index = Owned)]
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Spline { knots: Vec<f64>, scale: f64, ends: [f64; 2] }
///
/// let mut sum = Spline { knots: vec![1.0], scale: 2.0, ends: [3.0, 4.0] };
/// Spline::accumulate(&mut sum, Spline { knots: vec![10.0], scale: 20.0, ends: [30.0, 40.0] });
/// assert_eq!(sum, Spline { knots: vec![11.0], scale: 22.0, ends: [33.0, 44.0] });
///
/// /// For other types, or fields that are not numbers, they are declared. Different shapes cannot be added: a silent `zip`
/// /// would drop the rest.
/// #[kind(
///     value = (String, Vec<f64>),
///     index = Owned,
///     zero = |like| (like.0.clone(), vec![0.0; like.1.len()]),
///     add = |into, from| {
///         assert_eq!(into.1.len(), from.1.len());
///         into.1.iter_mut().zip(from.1).for_each(|(x, y)| *x += y);
///     },
/// )]
/// pub struct Named;
/// ```
#[proc_macro_attribute]
pub fn kind(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kind::expand(attr.into(), item.into()))
}

/// Makes a function an *operation*. Its argument types are kinds, and its arguments are annotated with their adjoints.
///
/// # Arguments
/// In the body and in formulas an argument is bound by value for value kinds, by reference for storage kinds and for types written
/// `&Kind`. A result type `&Kind` does this for `r` and `r_b`. For an argument written by value, plain values of a value kind may
/// be operands: `z.powc(c)`.
///
/// | annotation | type | meaning |
/// |---|---|---|
/// | `#[ad_in(formula)]` | `Kind` or `&Kind` | differentiable input, at most three: `formula` is added to its adjoint |
/// | `#[ad_passive]` | plain | parameter without adjoint, a field of the operation that each statement stores: numbers, types with [`#[derive(Stash)]`](derive@Stash), anything in an `Rc`, a closure as `Rc<dyn Fn(f64) -> f64>` |
/// | `#[ad_out]`, `#[ad_out(access)]` | `&mut Kind` | output; in formulas `w` is its value, and `w_b` is its adjoint, transformed by `access` if given |
/// | `#[ad_inout(formula)]`, `#[ad_inout(formula, access)]` | `&mut Kind` | input and output; in formulas `w` is the old value, `w_b` the adjoint of the new one |
///
/// An operation with several results returns a tuple of up to eight kinds. In formulas `r` and `r_b` are tuples, too. The function
/// that applies the operation records one statement and returns a tuple of variables.
///
/// Outputs are written to variables or places: `mul_assign(&mut v[1], x)` writes and saves only that element.
///
/// A formula returns a value or a `Contribution`, or adds explicitly to the sink of its argument, `x_b`:
/// `{ x_b.add(..); x_b.add(..) }`. `{}` is a zero adjoint. Outputs begin as `Default::default()`, or as
/// `#[ad_out(init = expression)]`. Only the values that formulas name are stored.
///
/// With `access`, all formulas see the adjoint of an output in another form. With `moves`, the last formula of an operation owns
/// `r_b` unless `r_b` is used elsewhere:
///
/// ```
/// use entape_core::{kind, op, tape::Tape};
/// use std::borrow::Cow;
///
/// #[kind(value = Vec<f64>, index = Owned, coordinates)]
/// pub struct Array;
///
/// /// Radius and angle.
/// #[op(sample(x = 1.0..2.0, y = 1.0..2.0))]
/// fn polar(
///     #[ad_in((x * r_b.0 - y / r.0 * r_b.1) / r.0)] x: f64,
///     #[ad_in((y * r_b.0 + x / r.0 * r_b.1) / r.0)] y: f64,
/// ) -> (f64, f64) {
///     (x.hypot(y), y.atan2(x))
/// }
///
/// /// Twice the values: the formula changes the adjoint in place if it is owned, and copies it if it is borrowed.
/// #[op(moves, sample(v = vec![1.0, -2.0]))]
/// fn twice(
///     #[ad_in({
///         let mut twice = Cow::<[f64]>::from(r_b).into_owned();
///         twice.iter_mut().for_each(|x| *x *= 2.0);
///         twice
///     })]
///     v: &Array,
/// ) -> Array {
///     v.iter().map(|x| 2.0 * x).collect()
/// }
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![1.0, 2.0]);
/// let w = tape.record(|| twice(twice(&v)).eval());
/// tape.seed(&w, vec![1.0, 10.0])?;
/// assert_eq!(tape.sweep()?.wrt(&v)?, [4.0, 40.0]);
///
/// let x = tape.input(3.0);
/// let (radius, angle) = tape.record(|| polar(x, 4.0));
/// assert_eq!((radius.value(), angle.value()), (5.0, 4.0_f64.atan2(3.0)));
/// assert_eq!(tape.gradient(&radius)?.wrt(&x)?, 0.6);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Options
/// | option | meaning |
/// |---|---|
/// | `Mul`, `path::Op` | the rule of an existing operation: an operator, `Add Sub Mul Div Rem Neg`, or any other. Otherwise the operation is a new struct |
/// | `name = Op` | the name of the new operation, by default the function's name in camel case. Needed if a type in scope has this name (E0428) |
/// | `save(t: Type = expr, ..)` | at most six intermediates (`Stash`) stored for the formulas, of types as public as the operation; computed before the body, or after it if they mention `r`. `ref t` binds a reference |
/// | `save(r)` | stores the result, so that a sweep does not recompute it |
/// | `shared(t = expr, ..)` | intermediates of the adjoint, computed once for all formulas that mention them. `ref t` binds a reference, not a clone |
/// | `moves` | the last formula may receive `r_b` by value and reuse its allocation; it must also accept a reference |
/// | `marks` | for operations that only move numbers, such as a transposition. For second derivatives the sign of a zero in a tangent shows whether the number depends on the direction (`0.0`) or not (`-0.0`), and the tangent's formula preserves these signs. By default all zeros are `0.0` if an argument depends on the direction |
/// | `same(formula)` | the contribution to a variable of a value kind that is both arguments, instead of both formulas: `same(r_b * (a + a))` shortens the critical path of a chain of `x * x` |
/// | `into(to = shape)` | for a `DestinationKind`: the body writes the result to `to`, a `Destination`. Arguments are not evaluated yet (`impl Produce`): `to.add(x)` adds a term, `x.ready()` evaluates. `shape` computes and checks the result's shape from the arguments, bound to their shapes, as in `save` |
/// | `linear` | for a linear map of one argument, whose tangent is the body applied to the argument's tangent, and whose adjoint formula is the transposed map applied to `r_b` |
/// | `self_adjoint` | for a linear map whose adjoint is the body applied to `r_b`: scaling, negation, conjugation, reversal. `sample(..)` detects other maps |
/// | `bilinear` | for products, linear in each of two arguments. Tangent and second derivative follow |
/// | `tangent(a = expr, ..)`, `second(..)`, `along(..)` | the derivatives of other operations, see below |
/// | `order = expr` | the highest [`Order`](../entape_core/rule/enum.Order.html) of these derivatives, if it depends on the type of a parameter |
/// | `elementwise` | `fn f<L: Lane>(x: L) -> L`: an elementary function for every kind made of numbers |
/// | `sample(a = 0.5..2.0, n = 3, ..)` | makes a `#[test]` that compares the rule with central differences, see below |
/// | `passive` | an operation without derivatives, see below |
/// | `in_place` | the function remains, on plain values; `F::of(..)` applies the operation |
/// | `rule_only` | no function that applies the operation |
/// | `crate = path` | the path of `entape-core` |
///
/// A new operation has a function that takes operands and returns an expression. With output arguments, it takes `&mut` variables
/// for them, and records one statement.
///
/// ```
/// use entape_core::{op, expr::Active, mode::Plain};
///
/// /// The distance from the origin.
/// #[op(shared(q = r_b / r), sample(x = 0.5..2.0, y = 0.5..2.0))]
/// fn distance(#[ad_in(q * x)] x: f64, #[ad_in(q * y)] y: f64) -> f64 {
///     x.hypot(y)
/// }
///
/// /// `w *= x`, as an operation.
/// #[op]
/// fn mul_assign(#[ad_inout(w_b * x)] w: &mut f64, #[ad_in(w_b * w)] x: f64) {
///     *w *= x;
/// }
///
/// let x = Active::<f64, Plain>::passive(3.0);
/// let mut d = distance(x, 4.0).eval();
/// mul_assign(&mut d, x + x);
/// assert_eq!(d.value(), 30.0);
/// ```
///
/// # Tangents and second derivatives
/// In forward mode an operation needs a *tangent*, the derivative of its result along a direction, and for second derivatives the
/// tangent of its adjoint. Elementary functions, `linear`, `self_adjoint` and `bilinear` operations have both. Others declare
/// contributions for each argument `a`:
///
/// * `tangent(a = ..)` reads `a_t`, the tangent of the argument, and everything that the adjoint of `a` reads. The
///   terms of all arguments that depend on the direction are added.
/// * `second(a = ..)` is the derivative of the adjoint of `a` along the direction, for a constant `r_b`. It reads the tangents of
///   all arguments, the tangent `r_t` of the result, everything that the adjoint of `a` reads, and `shared` values, which may
///   mention tangents here. A missing tangent is a zero. If the zero's shape is unknown, because the adjoint does not read `b`, the
///   formula takes the `Option` `some_b_t`.
/// * `along(a = ..)` is the contribution of the tangent of `r_b`, called `r_b` here, by default the adjoint formula. Define it
///   where the adjoint is a convention and the contribution depends on the direction, such as the norm at zero. It reads what
///   `second` reads.
/// * `second(..)` and `along(..)` may read `one_sided`: whether tangents are taken along one side of a kink, as drivers of second
///   derivatives request.
/// * `{}` adds nothing. An operation that is linear in all arguments together has `linear, tangent(..)` and no `second(..)`; for
///   one argument `linear` may be combined with a formula of the adjoint.
///
/// `sample(..)` tests that tangent and adjoint agree up to rounding, and that the second derivative is symmetric.
///
/// ```
/// use entape_core::op;
///
/// /// The area between an arc and its chord.
/// #[op(
///     shared(s = (0.5 * angle).sin()),
///     tangent(radius = radius * (angle - angle.sin()) * radius_t, angle = (0.5 * angle).sin().powi(2) * radius * radius * angle_t),
///     second(
///         radius = r_b * ((angle - angle.sin()) * radius_t + 2.0 * radius * s * s * angle_t),
///         angle = r_b * (2.0 * radius * s * s * radius_t + 0.5 * radius * radius * angle.sin() * angle_t),
///     ),
///     sample(radius = 0.5..2.0, angle = 0.5..2.0)
/// )]
/// fn segment(
///     #[ad_in(r_b * radius * (angle - angle.sin()))] radius: f64,
///     #[ad_in(r_b * radius * radius * s * s)] angle: f64,
/// ) -> f64 {
///     0.5 * radius * radius * (angle - angle.sin())
/// }
/// ```
///
/// # Operations that can fail
/// A function that returns `Result<Kind, Error>` is evaluated immediately, because an expression cannot hold an error. It returns
/// `Result<Active<Kind, M>, Error>`, and records a statement on success. In formulas, `r` is the unwrapped result. The error is
/// `Debug`.
///
/// ```
/// use entape_core::{op, tape::Tape};
///
/// #[derive(Debug, PartialEq)]
/// pub struct NoRoot;
///
/// #[op(sample(x = 0.5..2.0))]
/// fn root(#[ad_in(r_b / (2.0 * r))] x: f64) -> Result<f64, NoRoot> {
///     if x < 0.0 {
///         return Err(NoRoot);
///     }
///     Ok(x.sqrt())
/// }
///
/// let mut tape = Tape::new();
/// let x = tape.input(4.0);
/// let y = tape.record(|| -> Result<_, NoRoot> { Ok((3.0 * root(x)?).eval()) }).expect("a root");
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 0.75);
/// assert_eq!(tape.record(|| root(-x)).unwrap_err(), NoRoot);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Tests
/// `sample(a = .., n = .., ..)` gives a value for each argument. Points are drawn from ranges of real numbers, and around values of
/// other kinds; for a list (`List<K>`), give a vector. For a generic operation the values determine the kinds, and are the points
/// of the test. A failing test reports the operation, the kinds, the argument and the coordinate, at the sample. Two steps repeat
/// the test for everything after them:
///
/// | step | the test is repeated |
/// |---|---|
/// | `for pattern in expression` | for each item; the pattern may bind arguments |
/// | `type T = f32 \| f64` | for each type; one may have a `#[cfg(..)]` |
///
/// The tests call the rule-test kit, a dev-dependency `entape-check` of crates that depend on `entape-core`, or `path::check` if
/// `crate = path` names a module. Expressions are compiled only in tests.
///
/// ```
/// use entape_core::{kind, kind::Numbers, op, real::Real};
/// use std::marker::PhantomData;
///
/// #[kind(value = Vec<T>, index = Owned, coordinates)]
/// pub struct Array<T: Real>(PhantomData<T>);
///
/// /// The sum of the squares.
/// #[op(
///     sample(type T = f32 | f64, for n in [0, 1, 3], v = numbers::<T>(n)),
///     sample(v = vec![1e100, -1e100]),
/// )]
/// fn squares<T: Real>(#[ad_in(v.iter().map(|&x| (r_b + r_b) * x).collect::<Vec<_>>())] v: &Array<T>) -> T {
///     v.iter().map(|&x| x * x).sum()
/// }
/// # #[cfg(test)]
/// fn numbers<T: Real>(n: usize) -> Vec<T> {
///     (0..n).map(|i| T::nearest(i as f64 + 0.5)).collect()
/// }
/// ```
///
/// # Operations without derivatives
/// `#[op(passive)]` makes a function of operands that returns a plain value. Its arguments are `#[ad_inp]` (a kind),
/// `#[ad_outp]` and `#[ad_inoutp]` (`&mut Kind`: variables, passive afterwards) and `#[ad_passive]` (a plain
/// parameter).
///
/// ```
/// use entape_core::{op, expr::Active, mode::Plain};
///
/// #[op(passive)]
/// fn is_small(#[ad_inp] x: f64, #[ad_passive] bound: f64) -> bool {
///     x.abs() < bound
/// }
///
/// let x = Active::<f64, Plain>::passive(3.0);
/// assert!(is_small(x - 2.0, 1.5));
/// ```
#[proc_macro_attribute]
pub fn op(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(op::expand(attr.into(), item.into()))
}

/// Makes the functions of an `impl` block operations of its kind, called as methods.
///
/// Functions marked [`#[op(..)]`](macro@op) become methods of the first argument; `Self` is the kind. Operators (`#[op(Mul)]`)
/// become rules without methods. Unmarked functions remain in the block. The trait gets the documentation of the block.
///
/// | key | meaning |
/// |---|---|
/// | `ext = Trait`, `ext = pub(crate) Trait` | the trait of the methods; methods on `&mut Self` are in `TraitMut` |
/// | `in_place` | the functions remain in the block, on plain values, and the rules call them: for a type that is its own kind |
/// | `crate = path` | the path of `entape-core` |
///
/// # Source as it is
/// A block with `in_place` may have methods with `self`, and may implement a trait. In formulas, `self` is the value of the
/// receiver, `self_b` its sink or its adjoint, and `self_t` its tangent. Plain calls are unchanged.
///
/// * In an implementation of `Add`, `Sub`, `Mul`, `Div`, `Rem` or `Neg`, also for references, `#[op]` makes the rule of the
///   operator.
/// * In an implementation of `AddAssign` and the like, it makes the rule of `+` with the receiver `#[ad_inout(..)] &mut
///   self`. Variables have the assignments of all operators, so annotate `Add` if it exists.
/// * In an implementation of another trait, functions become methods of the trait `ext`.
/// * In an implementation of `IndexMut`, it makes the index of variables: the place `v[i]` and the operand `v.at(i)`.
///   `sample(self = .., i = ..)` tests the part. `#[op(index = get)]` makes an index of a method which writes an
///   element, `fn set(&mut self, i: usize, j: usize, x: f64)` or `fn get_mut(&mut self, i: usize, j: usize) -> &mut f64`,
///   where `get` is the method of the block that reads it. Several arguments are a tuple, `v[(i, j)]`. An index consists of
///   `usize`, or its type converts to `usize` and back (`From`).
///
/// ```
/// use entape_core::{kind, operations, tape::Tape};
/// use std::ops::Mul;
///
/// #[kind(numbers(cells), index = Owned)]
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Grid { columns: usize, cells: Vec<f64> }
///
/// #[operations(ext = GridOps, in_place)]
/// impl Grid {
///     pub fn get(&self, i: usize, j: usize) -> f64 {
///         self.cells[i * self.columns + j]
///     }
///     #[op(index = get)]
///     pub fn set(&mut self, i: usize, j: usize, x: f64) {
///         self.cells[i * self.columns + j] = x;
///     }
///     #[op]
///     pub fn sum(#[ad_in(Grid { cells: vec![r_b; self.cells.len()], ..*self })] &self) -> f64 {
///         self.cells.iter().sum()
///     }
/// }
/// #[operations(in_place)]
/// impl Mul<f64> for &Grid {
///     type Output = Grid;
///     #[op(bilinear)]
///     fn mul(#[ad_in(r_b * s)] self, #[ad_in(self.cells.iter().zip(&r_b.cells).map(|(x, r_b)| x * r_b).sum::<f64>())] s: f64) -> Grid {
///         Grid { cells: self.cells.iter().map(|x| s * x).collect(), ..*self }
///     }
/// }
///
/// let plain = Grid { columns: 2, cells: vec![1.0, 2.0, 3.0, 4.0] };
/// assert_eq!((&plain * 2.0).sum(), 20.0);
/// let mut tape = Tape::new();
/// let (x, mut g) = (tape.input(3.0), tape.input(plain));
/// let y = tape.record(|| {
///     g[(1, 0)] += x;
///     (&g * x).sum().eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 13.0 + 3.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Names instead of `self`
/// ```
/// use entape_core::{kind, operations, expr::Active, mode::Plain};
///
/// #[kind]
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// pub struct Point { pub x: f64, pub y: f64 }
///
/// /// Geometry of points, which becomes the documentation of [`PointOps`].
/// #[operations(ext = PointOps, in_place)]
/// impl Point {
///     /// The point, farther from the origin.
///     #[op]
///     pub fn farther(
///         #[ad_in(Self { x: r_b.x * s, y: r_b.y * s })] p: Self,
///         #[ad_in(r_b.x * p.x + r_b.y * p.y)] s: f64,
///     ) -> Self {
///         Point { x: p.x * s, y: p.y * s }
///     }
///     #[op(passive)]
///     pub fn is_origin(#[ad_inp] p: Self) -> bool {
///         p == Self::default()
///     }
/// }
///
/// let p = Point { x: 1.0, y: 2.0 };
/// let active = Active::<Point, Plain>::passive(p);
/// assert_eq!(active.farther(2.0).eval().value(), Point::farther(p, 2.0));
/// assert!(active.farther(0.0).is_origin());
/// ```
#[proc_macro_attribute]
pub fn operations(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(operations::expand(attr.into(), item.into()))
}

/// Implements `Stash` for a type from its fields, so that statements can store it.
///
/// * A struct takes the bytes of its fields.
/// * An enum of at most 256 variants takes a byte, and the bytes of the largest variant.
/// * In a generic type, the types of the fields must implement `Stash`.
///
/// | key | meaning |
/// |---|---|
/// | `#[stash(through = Type)]` | the value is stored as a value of another type, with conversions by `From` |
/// | `#[stash(crate = path)]` | the path of `entape-core` |
///
/// ```
/// use entape_core::{op, store::Stash, tape::Tape};
///
/// /// An end of an interval.
/// #[derive(Clone, Copy, Stash)]
/// enum End { Lower, Upper }
///
/// #[derive(Clone, Copy, Stash)]
/// struct Bound { at: f64, end: End }
///
/// /// `x`, limited by the bound.
/// #[op]
/// fn bounded(#[ad_in(match r == bound.at { true => 0.0, false => r_b })] x: f64, #[ad_passive] bound: Bound) -> f64 {
///     match bound.end {
///         End::Lower => x.max(bound.at),
///         End::Upper => x.min(bound.at),
///     }
/// }
///
/// let mut tape = Tape::new();
/// let x = tape.input(2.0);
/// let upper = Bound { at: 5.0, end: End::Upper };
/// let y = tape.record(|| (bounded(x * x, upper) + bounded(x * x * x, upper)).eval());
/// assert_eq!(y, 4.0 + 5.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 4.0);
/// assert_eq!(Bound::BYTES, 8 + 1);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[proc_macro_derive(Stash, attributes(stash))]
pub fn stash(item: TokenStream) -> TokenStream {
    finish(stash::expand(item.into()))
}

/// Makes a struct or an enum a structure of variables: an input and an output of functions, and an argument of external
/// functions.
///
/// The type itself contains plain values, gradients or tangents. Functions receive its variables,
/// [`&Vars<Type>`](../entape_core/structure/type.Vars.html): a struct `TypeOf` with fields of the same names.
///
/// | field | in `Vars` |
/// |---|---|
/// | `f64`, `f32` | a real |
/// | a complex number, a matrix of nalgebra, lanes of wide | its variable, in crates that depend on `entape` |
/// | `Vec<T>`, `[T; N]`, `Option<T>`, a tuple | the same collection of the variables of its elements |
/// | a type with `#[derive(Structure)]` | its `Vars` |
/// | integers, `bool`, `char`, `String`, .. | the value itself, without a derivative |
///
/// | key before a field | meaning |
/// |---|---|
/// | `#[structure(data)]` | a field without a derivative; its type is `Clone` |
/// | `#[structure(kind = Type)]` | the field is a value of this [kind](macro@kind) |
/// | `#[structure(nested)]` | the type of the field derives `Structure`, though it is named like a matrix or a complex number |
///
/// The type is `Clone`, without lifetime parameters. Its derivative contains copies of its data.
///
/// ```
/// use entape_core::{expr::Active, structure::Vars, Structure};
/// use entape_drivers::value_and_gradient;
///
/// #[derive(Clone, Debug, PartialEq, Structure)]
/// struct Link { length: f64, angles: Vec<f64>, name: String }
///
/// #[derive(Clone, Debug, PartialEq, Structure)]
/// struct Robot { links: Vec<Link>, tool: Option<f64> }
///
/// let reach = |robot: &Vars<Robot>| {
///     let links = robot.links.iter().map(|link| link.length);
///     links.chain(robot.tool).sum::<Active<f64>>()
/// };
/// let link = |length| Link { length, angles: vec![0.0], name: "link".into() };
/// let robot = Robot { links: vec![link(2.0), link(3.0)], tool: Some(0.5) };
/// let (length, slope) = value_and_gradient(reach, &robot)?;
/// assert_eq!(length, 5.5);
/// assert_eq!(slope, Robot { links: vec![link(1.0), link(1.0)], tool: Some(1.0) });
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[proc_macro_derive(Structure, attributes(structure))]
pub fn structure_of(item: TokenStream) -> TokenStream {
    finish(derive_structure::expand(item.into(), false))
}

/// Makes a function of variables generic in the mode, and each value that it stores a statement.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::{Function, Objective, gradient, hessian};
/// # use entape_core::real::Elementary;
///
/// #[function]
/// fn rosenbrock(x: &[Active<f64>]) -> Active<f64> {
///     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]); // two statements
///     a * a + 100.0 * b * b // a statement
/// }
/// assert_eq!(gradient(rosenbrock, &[1.0, 2.0])?, [-400.0, 200.0]);
/// assert_eq!(hessian(rosenbrock, &[1.0, 2.0])?.row(0), [402.0, -400.0]);
/// assert_eq!(Objective::new(rosenbrock {}).value(&[1.0, 2.0]), 100.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// Programs write `#[entape::function]` and use the names of the prelude, `fn rosenbrock(x: &[Real]) -> Real`.
///
/// # The mode
/// The function gets the parameter `M: Mode`, after its own parameters, unless it declares a mode itself, as in `<T: AnyMode>`.
/// Each type of variables without a mode gets `M`, in the signature and in the body: `Active`, and the names in the prelude of
/// `entape`, such as `Real`, `Complex`, `Array`, `Matrix` and `FixedVector<3>`. Write your own types with their mode, `Pose<M>`,
/// and with a path if they have one of these names, `self::Matrix`. A struct that is generic in its number type is `Pair<Real>`.
///
/// # Statements
/// An expression becomes a statement where its value is stored, as if followed by `.eval()`:
///
/// * in a `let`, an assignment, a `return`, a `break`, and at the end of the function, of a closure, of a block, and of
///   the arms of an `if` or a `match`;
/// * as an element of a tuple, an array, `vec![..]` or a struct, as an argument of `Some(..)`, `Ok(..)`, `Pair(..)` and
///   `Pose::new(..)`, and of the methods `push`, `push_back`, `push_front`, `insert`, `fill`, `resize`, `replace`, and `unwrap_or`;
/// * as an argument of a function or a closure, `root(a * b)`, and behind a reference, `norm(&(a * b))`;
/// * as an argument of a method of your own type, `line.value(a * b)`, if variables of its kind are `Copy`.
///
/// Variables, plain values, references and results of `.eval()` are not recorded again. These remain expressions:
///
/// * the value of a closure in `.map(closure).sum()` and `.map(closure).product()`, which are one statement, in
///   `list_of(x.map(closure))`, and in `x.update(closure)`;
/// * lists, `list(&x)`, which cannot be variables;
/// * arguments of other calls, which may take an operand. A function that takes a variable needs `.eval()`, which the
///   compiler reports: `root((a * b).eval())`;
/// * the contents of macros other than `vec!`, `vector!`, `matrix!` and `array!`.
///
/// `v[i] -= w * v[j]` reads the right side first, as for numbers.
///
/// ```
/// # use entape_core::{expr::Active, function, mode::{Mode, Plain}, real::Elementary};
/// # type Real<M> = Active<f64, M>; // `Real` of the prelude
/// struct Polar<M: Mode> {
///     radius: Real<M>,
///     angle: Real<M>,
/// }
/// #[derive(Debug)]
/// struct AtOrigin;
///
/// #[function]
/// fn polar([x, y]: [Real; 2]) -> Result<Polar<M>, AtOrigin> {
///     let radius = x.hypot(y);
///     if radius == 0.0 {
///         return Err(AtOrigin);
///     }
///     Ok(Polar { radius, angle: y.atan2(x) })
/// }
/// #[function]
/// fn spiral(x: [Real; 2], turns: usize) -> Result<Real, AtOrigin> {
///     let at = polar(x)?;
///     let mut sum = at.angle;
///     for n in 0..turns {
///         sum += at.radius.powi(n as i32);
///     }
///     Ok(sum * at.radius)
/// }
/// let x = [3.0, 4.0].map(Active::<f64, Plain>::passive);
/// assert_eq!(spiral(x, 2).unwrap().value(), 5.0 * (6.0 + (4.0_f64 / 3.0).atan()));
/// ```
///
/// # The function as a value
/// Code that runs a function in several modes takes a value that implements `Function`. The macro declares such a struct with
/// the name of the function, `rosenbrock {}` as a value. Arguments without variables are its fields, and several arguments of
/// variables are a tuple of inputs.
///
/// ```
/// use entape_core::{expr::Active, function};
/// use entape_drivers::{Function, Objective};
/// # type Real<M> = Active<f64, M>; // `Real` of the prelude
///
/// /// The distance of a line from points.
/// #[function]
/// fn misfit(line: &[Real], points: &[(f64, f64)]) -> Real {
///     points.iter().map(|(x, y)| {
///         let off = line[0] * x + line[1] - y;
///         off * off
///     }).sum()
/// }
/// let points = vec![(0.0, 1.0), (1.0, 3.0)];
/// let f = Objective::new(misfit { points: &points });
/// assert_eq!(f.gradient(&[1.0, 1.0])?, [-2.0, -2.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// The struct exists if
///
/// * arguments of variables are `Real`, `&[Real]`, `[Real; N]`, `&[Real; N]`, `&Matrix`, or tuples of these, with any
///   variables of the prelude instead of `Real` and `Matrix` (variables that own memory by reference);
/// * other arguments have a name and are not `&mut` references; arguments by value are `Clone`, and are cloned for each
///   call;
/// * the result is a variable, or a `Vec`, an array or a tuple of results, but not a `Result` or a struct;
/// * type parameters other than the mode occur in arguments of data.
///
/// Otherwise, implement `Function` for your own type, and call the function there.
///
/// # Functions of types
/// On an `impl` block, also of a trait, the attribute applies to all its functions. The block gets the mode if its type has one,
/// `impl Pose<M>` or `impl Pair<Real>`; otherwise each function with variables gets one.
///
/// ```
/// use entape_core::{expr::Active, function, mode::{Mode, Plain}};
/// # use entape_core::real::Elementary;
/// # type Real<M> = Active<f64, M>; // `Real` of the prelude
///
/// #[derive(Clone, Copy)]
/// struct Point<M: Mode> { x: Real<M>, y: Real<M> }
///
/// #[function]
/// impl Point<M> {
///     fn turned(self, angle: Real) -> Self {
///         let (s, c) = angle.sin_cos();
///         Point { x: c * self.x - s * self.y, y: s * self.x + c * self.y }
///     }
/// }
/// let [zero, one] = [0.0, 1.0].map(Active::<f64, Plain>::passive);
/// assert_eq!(Point { x: one, y: zero }.turned(zero).x.value(), 1.0);
/// ```
#[proc_macro_attribute]
pub fn function(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(function::expand(attr.into(), item.into()))
}

fn finish(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// The given path of core, or else of a crate that depends on `entape-core`.
fn krate(given: Option<&syn::Path>) -> proc_macro2::TokenStream {
    given.map_or_else(|| quote!(::entape_core), |path| quote!(#path))
}

/// The options of a macro that the facade exports; a path given by the user comes later and takes precedence.
fn in_facade(attr: TokenStream) -> proc_macro2::TokenStream {
    let attr = proc_macro2::TokenStream::from(attr);
    quote!(crate = ::entape::core, #attr)
}

/// [`macro@kind`] for crates that depend on `entape`.
#[proc_macro_attribute]
pub fn facade_kind(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kind::expand(in_facade(attr), item.into()))
}

/// [`macro@op`] for crates that depend on `entape`.
#[proc_macro_attribute]
pub fn facade_op(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(op::expand(in_facade(attr), item.into()))
}

/// [`macro@function`] for crates that depend on `entape`.
#[proc_macro_attribute]
pub fn facade_function(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(function::expand(in_facade(attr), item.into()))
}

/// [`macro@operations`] for crates that depend on `entape`.
#[proc_macro_attribute]
pub fn facade_operations(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(operations::expand(in_facade(attr), item.into()))
}

/// [`derive@Structure`] for crates that depend on `entape`.
#[proc_macro_derive(FacadeStructure, attributes(structure))]
pub fn facade_structure(item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    let item = quote!(#[structure(crate = ::entape::core)] #item);
    finish(derive_structure::expand(item, true))
}

/// [`derive@Stash`] for crates that depend on `entape`.
#[proc_macro_derive(FacadeStash, attributes(stash))]
pub fn facade_stash(item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    finish(stash::expand(
        quote!(#[stash(crate = ::entape::core)] #item),
    ))
}
