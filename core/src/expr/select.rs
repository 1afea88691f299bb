//! A choice between two operands. Only the chosen side is evaluated, stored and differentiated.
//!
//! ```text
//! select(c, a, b)    [ which ][ bytes of the side taken, in as many as the larger one has ]
//! either(c, a, b)    [ bytes of the side taken ]    both sides have the same form
//! ```
use super::{Expr, OperandOf, Rhs};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::Carrier,
    kind::{Arg, At, Contribution, Kind, Need, Needed, Piece, Pieces, Shape, TapeValue, Val},
    node::{
        ConstantVisitor, Description, Evaluated, ExpressionVisitor, Gather, LeafVisitor, Node,
        NodeInArena, NodeReader, NodeTangents, Produce, Stored,
    },
    order::Order,
    sealed::Sealed,
    storage::ObjectArena,
    store::{Reader, Writer},
    sweep::{ReadValues, Sweep, WholeValues},
};

/// Returns `a` if `condition` holds, else `b`.
///
/// The choice takes one byte of its statement. The condition is not differentiated.
///
/// The other side does not matter, even if it is NaN:
/// ```
/// use entape_core::{expr::select, real::Elementary, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x = tape.input(0.0);
/// // x ln(x), continued to x = 0, rather than 0 times minus infinity
/// let y = tape.record(|| select(x > 0.0, x * x.ln(), 2.0 * x).eval());
/// assert_eq!(y, 0.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 2.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[inline(always)]
pub fn select<K, M, A, B>(condition: bool, a: A, b: B) -> SelectExpr<K, M, A, B>
where
    K: Kind,
    M: Carrier,
    A: OperandOf<K, M>,
    B: OperandOf<K, M>,
{
    Expr::new(Select(Choice {
        first: condition,
        a: a.into_rhs().node,
        b: b.into_rhs().node,
    }))
}
/// [`select`] between operands of one form, for which `if condition { a } else { b }` compiles. The tape stores only
/// the statement of the chosen side, by better code than for `if`.
/// ```
/// use entape_core::{expr::either, tape::Tape};
///
/// let mut tape = Tape::new();
/// let [west, mid, east] = [tape.input(1.0), tape.input(3.0), tape.input(4.0)];
/// let y = tape.record(|| (mid * either(mid >= 0.0, mid - west, east - mid)).eval());
/// assert_eq!(y, 6.0);
/// assert_eq!(tape.gradient(&y)?.wrt_all(&[west, mid, east])?, [-3.0, 5.0, 0.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[inline(always)]
pub fn either<K, M, A, B>(condition: bool, a: A, b: B) -> EitherExpr<K, M, A, B>
where
    K: Kind,
    M: Carrier,
    A: OperandOf<K, M>,
    B: OperandOf<K, M>,
    Side<B, K, M>:
        Node<Stored = <Side<A, K, M> as Node>::Stored, Saves = <Side<A, K, M> as Node>::Saves>,
{
    Expr::new(Either(Choice {
        first: condition,
        a: a.into_rhs().node,
        b: b.into_rhs().node,
    }))
}
type Side<X, K, M> = <X as Rhs<K, M>>::Node;
type SelectExpr<K, M, A, B> = Expr<K, M, Select<Side<A, K, M>, Side<B, K, M>>>;
type EitherExpr<K, M, A, B> = Expr<K, M, Either<Side<A, K, M>, Side<B, K, M>>>;
#[derive(Clone, Copy, Debug)]
struct Choice<A, B> {
    first: bool,
    a: A,
    b: B,
}
/// The result of one of two nodes.
#[derive(Clone, Copy, Debug)]
pub enum OneOf<A, B> {
    /// The first node is chosen.
    First(A),
    /// The second node is chosen.
    Second(B),
}
use OneOf::{First, Second};

impl<K: Kind, A: Evaluated<K>, B: Evaluated<K>> Evaluated<K> for OneOf<A, B> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        match self {
            First(a) => a.arg(),
            Second(b) => b.arg(),
        }
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        match self {
            First(a) => a.own(),
            Second(b) => b.own(),
        }
    }
    #[inline(always)]
    fn cell(self) -> TapeValue<K> {
        match self {
            First(a) => a.cell(),
            Second(b) => b.cell(),
        }
    }
}
impl<K: Kind, A: Produce<K>, B: Produce<K>> Produce<K> for OneOf<A, B> {
    type Ready = OneOf<A::Ready, B::Ready>;
    #[inline(always)]
    fn ready(self) -> Self::Ready {
        match self {
            First(a) => First(a.ready()),
            Second(b) => Second(b.ready()),
        }
    }
    type Pieces<'p>
        = OneOf<A::Pieces<'p>, B::Pieces<'p>>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> Self::Pieces<'_> {
        match self {
            First(a) => First(a.pieces()),
            Second(b) => Second(b.pieces()),
        }
    }
    #[inline(always)]
    fn shape(&self) -> Shape<K> {
        match self {
            First(a) => a.shape(),
            Second(b) => b.shape(),
        }
    }
}
impl<K: Kind, A: Pieces<K>, B: Pieces<K>> Pieces<K> for OneOf<A, B> {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    type Values = OneOf<A::Values, B::Values>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        match self {
            First(a) => First(a.within::<N>(block)),
            Second(b) => Second(b.within::<N>(block)),
        }
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Self::Values {
        match self {
            First(a) => First(a.values::<N>(i)),
            Second(b) => Second(b.values::<N>(i)),
        }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<K>> {
        match values {
            First(a) => A::piece(a),
            Second(b) => B::piece(b),
        }
    }
    fn shape(&self) -> Shape<K> {
        match self {
            First(a) => a.shape(),
            Second(b) => b.shape(),
        }
    }
}
impl<A: Node, B: Node<Kind = A::Kind>> Choice<A, B> {
    #[inline(always)]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn push<const N: usize>(
        &self,
    ) -> (
        OneOf<A::Ready<'_>, B::Ready<'_>>,
        NodeTangents<'_, A::Kind, N>,
    ) {
        if self.first {
            let (value, tangents) = self.a.push();
            (First(value), tangents)
        } else {
            let (value, tangents) = self.b.push();
            (Second(value), tangents)
        }
    }
    #[inline(always)]
    fn copy(&self) -> Choice<A::Copy<'_>, B::Copy<'_>> {
        Choice {
            first: self.first,
            a: self.a.copy(),
            b: self.b.copy(),
        }
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        if self.first {
            self.a.variable_length::<NEED>()
        } else {
            self.b.variable_length::<NEED>()
        }
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        if self.first {
            self.a.leaves(visitor);
        } else {
            self.b.leaves(visitor);
        }
    }
}

/// One of two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Select<A, B>(Choice<A, B>);

const fn larger(a: [usize; 3], b: [usize; 3], more: usize) -> [usize; 3] {
    let mut sizes = [more; 3];
    let mut i = 0;
    while i < 3 {
        sizes[i] += if a[i] > b[i] { a[i] } else { b[i] };
        i += 1;
    }
    sizes
}
const fn sum(a: [usize; 3], b: [usize; 3]) -> [usize; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

impl<A, B> Sealed for Select<A, B> {}
impl<A: Node, B: Node<Kind = A::Kind>> Node for Select<A, B> {
    type Kind = A::Kind;
    type Stored = TapeSelect<A::Stored, B::Stored>;
    type Value<'n>
        = OneOf<A::Value<'n>, B::Value<'n>>
    where
        Self: 'n;
    type Saves = OneOf<A::Saves, B::Saves>;
    type Copy<'n>
        = Select<A::Copy<'n>, B::Copy<'n>>
    where
        Self: 'n;
    const QUIET: bool = A::QUIET && B::QUIET;
    #[inline(always)]
    fn copy(&self) -> Self::Copy<'_> {
        Select(self.0.copy())
    }
    #[inline(always)]
    fn evaluate(&self) -> (Self::Value<'_>, Self::Saves) {
        let Choice { first, a, b } = &self.0;
        if *first {
            let (value, saves) = a.evaluate();
            (First(value), First(saves))
        } else {
            let (value, saves) = b.evaluate();
            (Second(value), Second(saves))
        }
    }
    type Ready<'n>
        = OneOf<A::Ready<'n>, B::Ready<'n>>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (Self::Ready<'_>, NodeTangents<'_, A::Kind, N>) {
        self.0.push()
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        self.0.leaves(visitor);
    }
    /// The type determines the number of constants.
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        self.0.a.constants::<NEED>(visitor);
        self.0.b.constants::<NEED>(visitor);
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        self.0.variable_length::<NEED>()
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, saves: Self::Saves, writer: &mut Writer<'_>) {
        let (a, b) = (
            A::Stored::FIXED[NEED as usize],
            B::Stored::FIXED[NEED as usize],
        );
        match saves {
            First(saves) => {
                writer.fixed(1)[0] = 1;
                self.0.a.write::<NEED>(saves, writer);
                writer.fixed(b.saturating_sub(a));
            }
            Second(saves) => {
                writer.fixed(1)[0] = 0;
                self.0.b.write::<NEED>(saves, writer);
                writer.fixed(a.saturating_sub(b));
            }
        }
    }
}

/// The chosen node on the tape.
#[derive(Debug)]
pub enum TapeSelect<A, B> {
    /// The first node.
    First(A),
    /// The second node.
    Second(B),
}
struct SelectReader<K: Kind> {
    sides: [&'static Description<K>; 2],
    fixed: [[usize; 3]; 2],
    constants: [[usize; 3]; 2],
}
impl<K: Kind> NodeReader<K> for SelectReader<K> {
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        known: Option<TapeValue<K>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, K> {
        let n = need as usize;
        let taken = usize::from(reader.fixed(1)[0] == 0);
        let other = 1 - taken;
        if taken == 1 {
            reader.constant(self.constants[other][n]);
        }
        let node = self.sides[taken]
            .node_reader
            .read(need, reader, sweep, known, arena);
        if taken == 0 {
            reader.constant(self.constants[other][n]);
        }
        let (own, others) = (self.fixed[taken][n], self.fixed[other][n]);
        reader.fixed(others.saturating_sub(own));
        node
    }
}
impl<A: Stored, B: Stored<Kind = A::Kind>> Stored for TapeSelect<A, B> {
    type Kind = A::Kind;
    type Pieces = Gather;
    const FORMULA: Formula = Formula::Select(&A::FORMULA, &B::FORMULA);
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    const FIXED: [usize; 3] = larger(A::FIXED, B::FIXED, 1);
    const CONSTANTS: [usize; 3] = sum(A::CONSTANTS, B::CONSTANTS);
    const DYNAMIC: bool = A::DYNAMIC || B::DYNAMIC;
    const TELLS_SIZE: bool = A::TELLS_SIZE && B::TELLS_SIZE;
    const READS_RESULT: bool = A::READS_RESULT || B::READS_RESULT;
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        known: Option<TapeValue<A::Kind>>,
    ) -> Self {
        let n = NEED as usize;
        if reader.fixed(1)[0] != 0 {
            let a = A::load::<false, NEED>(reader, sweep, known);
            reader.constant(B::CONSTANTS[n]);
            reader.fixed(B::FIXED[n].saturating_sub(A::FIXED[n]));
            TapeSelect::First(a)
        } else {
            reader.constant(A::CONSTANTS[n]);
            let b = B::load::<false, NEED>(reader, sweep, known);
            reader.fixed(A::FIXED[n].saturating_sub(B::FIXED[n]));
            TapeSelect::Second(b)
        }
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, A::Kind>> {
        match self {
            TapeSelect::First(a) => a.value(),
            TapeSelect::Second(b) => b.value(),
        }
    }
    const FUSED: bool = A::FUSED || B::FUSED;
    fn again(&self, sweep: &mut impl Sweep, found: &mut Findings) -> Option<Val<A::Kind>> {
        match self {
            TapeSelect::First(a) => a.again(sweep, found),
            TapeSelect::Second(b) => b.again(sweep, found),
        }
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        match self {
            TapeSelect::First(a) => A::ACTIVE && a.is_active(),
            TapeSelect::Second(b) => B::ACTIVE && b.is_active(),
        }
    }
    #[inline(always)]
    fn pull<C: Contribution<A::Kind>>(&self, contribution: C, sweep: &mut impl Sweep) {
        match self {
            TapeSelect::First(a) => a.pull(contribution, sweep),
            TapeSelect::Second(b) => b.pull(contribution, sweep),
        }
    }
    const ORDER: Order = A::ORDER.and(B::ORDER);
    const DESCRIPTION: &'static Description<A::Kind> = &Description {
        node_reader: &SelectReader {
            sides: [A::DESCRIPTION, B::DESCRIPTION],
            fixed: [A::FIXED, B::FIXED],
            constants: [A::CONSTANTS, B::CONSTANTS],
        },
        spreads: A::DESCRIPTION.spreads || B::DESCRIPTION.spreads,
        takes_scratch: A::DESCRIPTION.takes_scratch || B::DESCRIPTION.takes_scratch,
    };
    const TAKES_SCRATCH: bool = A::TAKES_SCRATCH || B::TAKES_SCRATCH;
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        match self {
            TapeSelect::First(a) => a.done(sweep),
            TapeSelect::Second(b) => b.done(sweep),
        }
    }
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        match self {
            TapeSelect::First(a) => {
                a.show(variable_length, to);
                to.choice(true);
            }
            TapeSelect::Second(b) => {
                b.show(variable_length, to);
                to.choice(false);
            }
        }
    }
}

/// One of two nodes of one form, without a recorded choice.
#[derive(Clone, Copy, Debug)]
pub struct Either<A, B>(Choice<A, B>);

impl<A, B> Sealed for Either<A, B> {}
impl<A: Node, B> Node for Either<A, B>
where
    B: Node<Kind = A::Kind, Stored = A::Stored, Saves = A::Saves>,
{
    type Kind = A::Kind;
    type Stored = A::Stored;
    type Value<'n>
        = OneOf<A::Value<'n>, B::Value<'n>>
    where
        Self: 'n;
    type Saves = A::Saves;
    type Copy<'n>
        = Either<A::Copy<'n>, B::Copy<'n>>
    where
        Self: 'n;
    const QUIET: bool = A::QUIET && B::QUIET;
    #[inline(always)]
    fn copy(&self) -> Self::Copy<'_> {
        Either(self.0.copy())
    }
    #[inline(always)]
    fn evaluate(&self) -> (Self::Value<'_>, Self::Saves) {
        let Choice { first, a, b } = &self.0;
        if *first {
            let (value, saves) = a.evaluate();
            (First(value), saves)
        } else {
            let (value, saves) = b.evaluate();
            (Second(value), saves)
        }
    }
    type Ready<'n>
        = OneOf<A::Ready<'n>, B::Ready<'n>>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (Self::Ready<'_>, NodeTangents<'_, A::Kind, N>) {
        self.0.push()
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        self.0.leaves(visitor);
    }
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        let Choice { first, a, b } = &self.0;
        if *first {
            a.constants::<NEED>(visitor);
        } else {
            b.constants::<NEED>(visitor);
        }
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        self.0.variable_length::<NEED>()
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, saves: Self::Saves, writer: &mut Writer<'_>) {
        let Choice { first, a, b } = &self.0;
        if *first {
            a.write::<NEED>(saves, writer);
        } else {
            b.write::<NEED>(saves, writer);
        }
    }
}
