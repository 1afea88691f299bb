//! Rules: the primal and the adjoint of an operation for given argument kinds.
//!
//! An operation is a type (`op::Mul`, a unit struct, or a struct whose fields are its passive
//! parameters); what it does with arguments of kinds `A, B, C` is its [`Rule<A, B, C>`]. The kinds are
//! separate parameters, as a tuple would break the orphan rule for a DSL crate. Rules are written as
//! [annotations](macro@crate::op); this is what the annotation turns into:
//!
//! ```
//! use entape_core::{kind::{Arg, Stash, Val}, rule::{A, B, Primals, Rule, Sink, Sinks}};
//!
//! #[derive(Stash)]
//! struct Scale;
//! impl Rule<f64, f64> for Scale {
//!     type Out = f64;
//!     type Saved = ();
//!     const READS: [u8; 3] = [B, A, 0];
//!     fn primal(&self, a: f64, b: f64, (): ()) -> (f64, ()) { (a * b, ()) }
//!     fn adjoint(&self, p: Primals<'_, f64, f64, (), f64>, (): &(), r_b: f64, mut s: impl Sinks<f64, f64>) {
//!         if s.a().wants() { s.a().add(r_b * p.b()) }
//!         if s.b().wants() { s.b().add(r_b * p.a()) }
//!     }
//! }
//! ```
#[doc(hidden)]
pub mod annotation;
mod elementwise;
mod holomorphic;
mod lane;
mod operators;
mod remember;
mod sink;
mod table;

pub use elementwise::{Broadcast, ElementKind, Elementwise};
pub use holomorphic::{FieldLane, Holomorphic};
pub use lane::Lane;
pub use remember::{Cheap, Cost, Dear, Remember, Remembered, Remembers};
pub(crate) use sink::{ArgSinks, SameSinks};
pub use sink::{Sink, Sinks};
pub use table::{Binary, Ternary, Unary, binary, ternary, unary};

use crate::{
    expr::{Need, Pieces, Produce},
    kind::{Arg, Destination, DestinationKind, Kind, Piece, Shape, Stash, Val, arg, as_a_whole},
};
use std::ops::Range;

/// Bit of [`Rule::READS`]: the adjoint reads the first argument.
pub const A: u8 = 1;
/// Bit of [`Rule::READS`]: the adjoint reads the second argument.
pub const B: u8 = 2;
/// Bit of [`Rule::READS`]: the adjoint reads the third argument.
pub const C: u8 = 4;
/// Bit of [`Rule::READS`]: the adjoint reads the result.
pub const R: u8 = 8;

/// An operation on arguments of kinds `A`, `B` and `C`; `()` stands for an argument that is not there.
#[diagnostic::on_unimplemented(
    message = "the operation `{Self}` has no rule for arguments of kinds `{A}`, `{B}`, `{C}`",
    note = "is the DSL crate with these kinds imported? A rule of one's own is an annotated function: `#[op(..)]`"
)]
pub trait Rule<A: Kind, B: Kind = (), C: Kind = ()>: Stash {
    /// The kind of the result.
    type Out: Kind;
    /// Intermediates of the primal that are kept for the adjoint.
    type Saved: Stash;
    /// For each argument: what the adjoint formula of that argument reads ([`A`], [`B`], [`C`], [`R`]).
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint at all. `floor` has none: its derivative is zero, so its
    /// result is passive and nothing is recorded.
    const FLOWS: [bool; 3] = [true; 3];
    /// Whether [`result`](Self::result) finds the result among the saved intermediates, so that a sweep
    /// does not compute it again.
    const SAVES_RESULT: bool = false;
    /// Computes the result, and what is saved. What it asserts of its arguments is reported where the user
    /// evaluates.
    #[track_caller]
    fn primal<'p>(
        &self,
        a: Arg<'p, A>,
        b: Arg<'p, B>,
        c: Arg<'p, C>,
    ) -> (Val<Self::Out>, Self::Saved);
    /// Whether what is saved is a result to be [remembered](Remember), and is stored only where a sweep would have to compute it
    /// again.
    const REMEMBERS: Remembers = Remembers::NO;
    /// Saved intermediates that were not stored; of a rule that [remembers](Self::REMEMBERS).
    fn nothing_saved() -> Self::Saved {
        as_a_whole::<Self>()
    }
    /// The result as it was saved.
    fn result(saved: &Self::Saved) -> Option<Val<Self::Out>> {
        let _ = saved;
        None
    }
    /// Adds the adjoints of the arguments to their sinks; `r_b` is the adjoint of the result.
    fn adjoint(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        r_b: Arg<'_, Self::Out>,
        sinks: impl Sinks<A, B, C>,
    );
    /// Whether there is more to [`adjoint_of_owned`](Self::adjoint_of_owned) than [`adjoint`](Self::adjoint). A sweep runs it
    /// where nobody else has `r_b`.
    const MOVES: bool = false;
    /// [`adjoint`](Self::adjoint) for an `r_b` that nobody else has: it may be changed in place, and move into a sink. What
    /// is left of it goes back to its kind.
    #[inline(always)]
    fn adjoint_of_owned(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        mut r_b: Val<Self::Out>,
        sinks: impl Sinks<A, B, C>,
    ) {
        self.adjoint(primals, saved, arg::<Self::Out>(&r_b), sinks);
        <Self::Out as Kind>::recycle(&mut r_b);
    }

    /// Whether [`adjoint_of_same`](Self::adjoint_of_same) tells what a variable gets that is both arguments.
    const SAME: bool = false;
    /// The sum of what [`adjoint`](Self::adjoint) adds for the two arguments where both are one variable of a value kind, as in
    /// `x * x`: in fewer operations, or in fewer that wait for `r_b`. It reads what the formulas of the arguments read.
    fn adjoint_of_same(
        &self,
        primals: Primals<'_, A, B, C, Self::Out>,
        saved: &Self::Saved,
        r_b: Arg<'_, Self::Out>,
    ) -> Val<A> {
        let _ = (primals, saved, r_b);
        unreachable!("asked for only if `SAME` says so")
    }

    /// Whether the result, of a kind that is evaluated [`IntoDestination`](crate::kind::IntoDestination), is put into a
    /// destination by [`evaluate_into`](Self::evaluate_into), after [`begin`](Self::begin).
    const INTO: bool = false;
    /// Puts the result into a destination of its shape. Arguments are not evaluated yet: those that are terms of a sum are
    /// passed on, and become [`ready`](Produce::ready) otherwise. [`primal`](Self::primal) does the same with whole values.
    fn evaluate_into(
        &self,
        a: impl Produce<A>,
        b: impl Produce<B>,
        c: impl Produce<C>,
        to: &mut Destination<'_, Self::Out>,
    ) where
        Self::Out: DestinationKind,
    {
        let _ = (a, b, c, to);
        as_a_whole::<Self>()
    }

    /// Whether the result, of a kind that is evaluated [`ByPieces`](crate::kind::ByPieces), is computed piece by
    /// piece: then the functions below say how, and [`primal`](Self::primal) and [`adjoint`](Self::adjoint) are
    /// for those who have whole values only. Elementary functions have this from
    /// [`ElementKind`].
    const PIECES: bool = false;
    /// The shape of the result, and what is saved.
    ///
    /// # Panics
    /// If the shapes of the arguments do not fit; the message names the operation and both.
    #[track_caller]
    fn begin(&self, a: Shape<A>, b: Shape<B>, c: Shape<C>) -> (Shape<Self::Out>, Self::Saved) {
        let _ = (a, b, c);
        as_a_whole::<Self>()
    }
    /// The shapes of the arguments of a result with shape `r`.
    fn spread(&self, r: Shape<Self::Out>) -> Shapes<A, B, C> {
        let _ = r;
        as_a_whole::<Self>()
    }
    /// A piece of the result.
    fn piece(&self, a: Piece<A>, b: Piece<B>, c: Piece<C>) -> Piece<Self::Out> {
        let _ = (a, b, c);
        as_a_whole::<Self>()
    }
    /// Whether the result, of a kind that is evaluated by value, is folded from pieces of the arguments: a sum, a norm.
    /// Then [`fold`](Self::fold) and [`unfold`](Self::unfold) say how, with [`pull_a`](Self::pull_a) and its like, and
    /// expressions are reduced without being made as a whole. The kind of the first argument
    /// [runs](crate::kind::Form::run) the loops.
    const FOLDS: bool = false;
    /// Folds the pieces of the arguments. [`primal`](Self::primal) has the same bits of the same values.
    ///
    /// # Panics
    /// If the shapes of the arguments do not fit; the message names the operation and both.
    #[track_caller]
    fn fold(
        &self,
        a: &impl Pieces<A>,
        b: &impl Pieces<B>,
        c: &impl Pieces<C>,
    ) -> (Val<Self::Out>, Self::Saved) {
        let _ = (a, b, c);
        as_a_whole::<Self>()
    }
    /// What the adjoint `r_b` of a folded result gives to pieces of the arguments; the result is at hand if a formula
    /// [reads](Self::READS) it.
    fn unfold(
        &self,
        saved: &Self::Saved,
        r: Option<Arg<'_, Self::Out>>,
        r_b: Arg<'_, Self::Out>,
    ) -> Unfolded<A, B, C, Self::Out> {
        let _ = (saved, r, r_b);
        as_a_whole::<Self>()
    }
    /// What is added to a piece of the adjoint of the first argument.
    fn pull_a(&self, x: &PiecePrimals<A, B, C, Self::Out>, r_b: Piece<Self::Out>) -> Piece<A> {
        let _ = (x, r_b);
        as_a_whole::<Self>()
    }
    /// What is added to a piece of the adjoint of the second argument.
    fn pull_b(&self, x: &PiecePrimals<A, B, C, Self::Out>, r_b: Piece<Self::Out>) -> Piece<B> {
        let _ = (x, r_b);
        as_a_whole::<Self>()
    }
    /// What is added to a piece of the adjoint of the third argument.
    fn pull_c(&self, x: &PiecePrimals<A, B, C, Self::Out>, r_b: Piece<Self::Out>) -> Piece<C> {
        let _ = (x, r_b);
        as_a_whole::<Self>()
    }
}

/// The shapes of the arguments of an operation.
pub type Shapes<A, B, C> = (Shape<A>, Shape<B>, Shape<C>);
/// What the adjoint of a folded result gives to the arguments.
pub struct Unfolded<A: Kind, B: Kind, C: Kind, O: Kind> {
    /// The shapes of the arguments.
    pub shapes: Shapes<A, B, C>,
    /// The pieces that get an adjoint.
    pub pieces: Range<usize>,
    /// What [`pull_a`](Rule::pull_a) and its like get as the adjoint of the result, for each piece; what is the same for all of
    /// them is computed in it.
    pub r_b: Val<O>,
}
/// Pieces of the primal values of one operation in a sweep; what [`Rule::READS`] does not declare is `None`.
pub struct PiecePrimals<A: Kind, B: Kind, C: Kind, O: Kind> {
    /// Of the first argument.
    pub a: Option<Piece<A>>,
    /// Of the second argument.
    pub b: Option<Piece<B>>,
    /// Of the third argument.
    pub c: Option<Piece<C>>,
    /// Of the result.
    pub r: Option<Piece<O>>,
}

/// The primal values of one operation in a sweep.
pub struct Primals<'p, A: Kind, B: Kind, C: Kind, O: Kind> {
    pub(crate) a: Option<Arg<'p, A>>,
    pub(crate) b: Option<Arg<'p, B>>,
    pub(crate) c: Option<Arg<'p, C>>,
    pub(crate) r: Option<Arg<'p, O>>,
    pub(crate) rule: &'static str,
}
impl<'p, A: Kind, B: Kind, C: Kind, O: Kind> Primals<'p, A, B, C, O> {
    #[cold]
    fn undeclared(&self, what: &str) -> ! {
        panic!(
            "the adjoint of {} reads {what}, which its `Rule::READS` does not declare",
            crate::tape::short(self.rule)
        )
    }
    /// The first argument.
    ///
    /// # Panics
    /// If [`Rule::READS`] does not declare it.
    #[inline(always)]
    pub fn a(&self) -> Arg<'p, A> {
        self.a
            .clone()
            .unwrap_or_else(|| self.undeclared("its first argument"))
    }
    /// The second argument.
    ///
    /// # Panics
    /// If [`Rule::READS`] does not declare it.
    #[inline(always)]
    pub fn b(&self) -> Arg<'p, B> {
        self.b
            .clone()
            .unwrap_or_else(|| self.undeclared("its second argument"))
    }
    /// The third argument.
    ///
    /// # Panics
    /// If [`Rule::READS`] does not declare it.
    #[inline(always)]
    pub fn c(&self) -> Arg<'p, C> {
        self.c
            .clone()
            .unwrap_or_else(|| self.undeclared("its third argument"))
    }
    /// The result.
    ///
    /// # Panics
    /// If [`Rule::READS`] does not declare it.
    #[inline(always)]
    pub fn r(&self) -> Arg<'p, O> {
        self.r
            .clone()
            .unwrap_or_else(|| self.undeclared("its result"))
    }
}

/// For each argument, what a sweep needs of it: its value if the adjoint of an active argument reads
/// it, or if the result must be computed again from it. The last one tells whether the result is read.
pub(crate) const fn needs(
    need: Need,
    active: [bool; 3],
    reads: [u8; 3],
    saves_result: bool,
) -> [Need; 4] {
    let mut read = 0;
    let mut i = 0;
    while i < 3 {
        if active[i] {
            read |= reads[i];
        }
        i += 1;
    }
    let result = need.value() || read & R != 0;
    let again = result && !saves_result && !matches!(need, Need::Known);
    [
        value_if(again || read & A != 0),
        value_if(again || read & B != 0),
        value_if(again || read & C != 0),
        value_if(result),
    ]
}
const fn value_if(read: bool) -> Need {
    if read { Need::Value } else { Need::No }
}
