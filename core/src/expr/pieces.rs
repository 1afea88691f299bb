//! Expressions that are evaluated piece by piece, while they are recorded and in a sweep.
use super::{
    Replay, Stored,
    node::{Made, Need, Produce},
    select::OneOf,
};
use crate::{
    expr::{leaf::TapeLeaf, place::TapePart},
    kind::{
        Adjoint, Arg, At, ByPieces, Cell, Contribution, Form, Hold, Kind, Part, Piece, PieceKind,
        Policy, Shape, Visit, arg,
    },
    rule::{PiecePrimals, Rule},
    tape::{Reader, Stores},
};
use std::{cell::OnceCell, marker::PhantomData};

/// A value as the pieces of it that can be had: read from memory, or computed. `Values` are the pieces of an
/// expression and of all below it at one place.
pub trait Pieces<K: Kind> {
    /// The piece of this value, and what it was made of.
    type Values: Clone;
    /// Computes a piece.
    fn values(&self, at: At) -> Self::Values;
    /// The piece itself; `None` if no adjoint reads it.
    fn piece(values: &Self::Values) -> Option<Piece<K>>;
    /// The shape of the value; `None` if the value is not at hand.
    fn shape(&self) -> Option<Shape<K>>;
    /// A piece of a value that is being evaluated.
    #[inline(always)]
    fn at(&self, at: At) -> Piece<K> {
        match Self::piece(&self.values(at)) {
            Some(piece) => piece,
            None => unreachable!("all values are at hand when an expression is evaluated"),
        }
    }
}

/// Pieces of a value in memory.
pub struct Direct<'p, K: Kind>(Option<Arg<'p, K>>);
impl<'p, K: Kind> Direct<'p, K> {
    /// Pieces of `value`.
    #[inline(always)]
    pub fn new(value: Arg<'p, K>) -> Self {
        Direct(Some(value))
    }
}
impl<'p, K: Kind> Pieces<K> for Direct<'p, K> {
    type Values = Option<Piece<K>>;
    #[inline(always)]
    fn values(&self, at: At) -> Self::Values {
        self.0.as_ref().map(|value| K::Form::piece(value, at))
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<K>> {
        values.clone()
    }
    #[inline(always)]
    fn shape(&self) -> Option<Shape<K>> {
        let value = self.0.as_ref()?;
        Some(K::Form::shape(K::Policy::value(value)))
    }
}

/// Pieces of a part of a value in memory.
pub struct Within<'p, K: Kind, P>(Arg<'p, K>, &'p P);
impl<'p, K: Kind, P: Part<K>> Within<'p, K, P> {
    #[inline(always)]
    pub(crate) fn new(whole: Arg<'p, K>, part: &'p P) -> Self {
        Within(whole, part)
    }
}
impl<'p, K: Kind, P: Part<K>> Pieces<P::Kind> for Within<'p, K, P> {
    type Values = Option<Piece<P::Kind>>;
    #[inline(always)]
    fn values(&self, at: At) -> Self::Values {
        Some(self.1.piece(&self.0, at))
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<P::Kind>> {
        values.clone()
    }
    #[inline(always)]
    fn shape(&self) -> Option<Shape<P::Kind>> {
        Some(self.1.shape())
    }
}

/// Pieces of what an operation makes of pieces.
pub struct Fused<'p, O, Kinds, A, B, C, R> {
    op: &'p O,
    a: A,
    b: B,
    c: C,
    /// The result, where it is known.
    known: Option<R>,
    /// Whether the result is read.
    read: bool,
    _of: PhantomData<fn(Kinds)>,
}
/// A piece of a result, and what it was made of.
#[derive(Clone)]
pub struct Values<A, B, C, R> {
    a: A,
    b: B,
    c: C,
    r: Option<R>,
}
impl<'p, O, A, B, C, PA, PB, PC> Pieces<O::Out>
    for Fused<'p, O, (A, B, C), PA, PB, PC, Arg<'p, O::Out>>
where
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    PA: Pieces<A>,
    PB: Pieces<B>,
    PC: Pieces<C>,
{
    type Values = Values<PA::Values, PB::Values, PC::Values, Piece<O::Out>>;
    #[inline(always)]
    fn values(&self, at: At) -> Self::Values {
        let (a, b, c) = (self.a.values(at), self.b.values(at), self.c.values(at));
        let r = match (PA::piece(&a), PB::piece(&b), PC::piece(&c)) {
            _ if !self.read => None,
            _ if self.known.is_some() => self
                .known
                .as_ref()
                .map(|known| <O::Out as Kind>::Form::piece(known, at)),
            (Some(x), Some(y), Some(z)) => Some(self.op.piece(x, y, z)),
            _ => None,
        };
        Values { a, b, c, r }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<O::Out>> {
        values.r.clone()
    }
    fn shape(&self) -> Option<Shape<O::Out>> {
        let (a, b, c) = (self.a.shape()?, self.b.shape()?, self.c.shape()?);
        Some(self.op.begin(a, b, c).0)
    }
}

impl<K: Kind, A: Pieces<K>, B: Pieces<K>> Pieces<K> for OneOf<A, B> {
    type Values = OneOf<A::Values, B::Values>;
    #[inline(always)]
    fn values(&self, at: At) -> Self::Values {
        match self {
            OneOf::First(a) => OneOf::First(a.values(at)),
            OneOf::Second(b) => OneOf::Second(b.values(at)),
        }
    }
    #[inline(always)]
    fn piece(values: &Self::Values) -> Option<Piece<K>> {
        match values {
            OneOf::First(a) => A::piece(a),
            OneOf::Second(b) => B::piece(b),
        }
    }
    #[inline(always)]
    fn shape(&self) -> Option<Shape<K>> {
        match self {
            OneOf::First(a) => a.shape(),
            OneOf::Second(b) => b.shape(),
        }
    }
}

/// The result of an operation that is to be computed piece by piece.
pub struct Later<'n, O, Kinds, A, B, C> {
    op: &'n O,
    a: A,
    b: B,
    c: C,
    _of: PhantomData<fn(Kinds)>,
}
impl<'n, O, A, B, C, VA, VB, VC> Later<'n, O, (A, B, C), VA, VB, VC>
where
    O: Rule<A, B, C>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    /// Checks the shapes.
    #[track_caller]
    #[inline(always)]
    pub(crate) fn new(op: &'n O, a: VA, b: VB, c: VC) -> (Self, O::Saved) {
        let (Some(x), Some(y), Some(z)) =
            (a.pieces().shape(), b.pieces().shape(), c.pieces().shape())
        else {
            unreachable!("all values are at hand when an expression is evaluated")
        };
        let (_, saved) = op.begin(x, y, z);
        let later = Later {
            op,
            a,
            b,
            c,
            _of: PhantomData,
        };
        (later, saved)
    }
}
impl<'n, O, A, B, C, VA, VB, VC> Produce<O::Out> for Later<'n, O, (A, B, C), VA, VB, VC>
where
    O: Rule<A, B, C, Out: Kind<Form = ByPieces> + PieceKind>,
    A: Kind,
    B: Kind,
    C: Kind,
    VA: Produce<A>,
    VB: Produce<B>,
    VC: Produce<C>,
{
    type Ready = Made<O::Out>;
    fn ready(self) -> Made<O::Out> {
        let pieces = self.pieces();
        let Some(shape) = pieces.shape() else {
            unreachable!("all values are at hand when an expression is evaluated")
        };
        Made(<O::Out as PieceKind>::collect(shape, pieces))
    }
    type Pieces<'p>
        = Fused<'p, O, (A, B, C), VA::Pieces<'p>, VB::Pieces<'p>, VC::Pieces<'p>, Arg<'p, O::Out>>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> Self::Pieces<'_> {
        Fused {
            op: self.op,
            a: self.a.pieces(),
            b: self.b.pieces(),
            c: self.c.pieces(),
            known: None,
            read: true,
            _of: PhantomData,
        }
    }
}

/// How pieces of a stored node are read, and how pieces of its adjoint are taken.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// What is gathered of the adjoint before it goes to the node.
    type Sums;
    /// Pieces of the node's value.
    fn source(node: &S) -> Self::Source<'_>;
    /// Makes ready for pieces of the adjoint of a value of this shape.
    fn open(node: &S, shape: Shape<S::Kind>, stores: &mut Stores) -> Self::Sums;
    /// Adds a piece of the adjoint.
    fn pull<'s>(
        node: &'s S,
        at: At,
        values: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        sums: &mut Self::Sums,
        stores: &mut Stores,
    );
    /// Sends on what was gathered.
    fn close(node: &S, sums: Self::Sums, stores: &mut Stores);
}
/// The values of a stored node and those below it at one place.
pub type ValuesOf<'s, S> =
    <<<S as Stored>::Pieces as StoredPieces<S>>::Source<'s> as Pieces<<S as Stored>::Kind>>::Values;
type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;

/// Gathers the adjoint as a whole; for nodes that are evaluated as a whole, numbers among them.
#[derive(Clone, Copy, Debug)]
pub struct Gather;
impl<S: Stored> StoredPieces<S> for Gather {
    type Source<'s>
        = Direct<'s, S::Kind>
    where
        S: 's;
    type Sums = <S::Kind as Kind>::Adjoint;
    #[inline(always)]
    fn source(node: &S) -> Direct<'_, S::Kind> {
        Direct(node.value())
    }
    #[inline(always)]
    fn open(_: &S, shape: Shape<S::Kind>, _: &mut Stores) -> Self::Sums {
        let mut sums = Self::Sums::default();
        <S::Kind as Kind>::Form::open(&mut sums, shape);
        sums
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s S,
        at: At,
        _: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        sums: &mut Self::Sums,
        _: &mut Stores,
    ) {
        <S::Kind as Kind>::Form::add_piece(sums, at, r_b);
    }
    #[inline(always)]
    fn close(node: &S, sums: Self::Sums, stores: &mut Stores) {
        if let Some(sum) = sums.into_value() {
            node.pull(sum, stores);
        }
    }
}

/// Adds pieces to the adjoint of a variable at once.
#[derive(Clone, Copy, Debug)]
pub struct OfLeaf;
impl<K: Kind> StoredPieces<TapeLeaf<K>> for OfLeaf {
    type Source<'s> = Direct<'s, K>;
    type Sums = ();
    #[inline(always)]
    fn source(node: &TapeLeaf<K>) -> Direct<'_, K> {
        Direct(node.value())
    }
    #[inline(always)]
    fn open(node: &TapeLeaf<K>, shape: Shape<K>, stores: &mut Stores) {
        K::Form::open(stores.get::<K>().adjoint(node.id()), shape);
    }
    #[inline(always)]
    fn pull<'s>(
        node: &'s TapeLeaf<K>,
        at: At,
        _: &ValuesOf<'s, TapeLeaf<K>>,
        r_b: Piece<K>,
        (): &mut (),
        stores: &mut Stores,
    ) {
        K::Form::add_piece(stores.get::<K>().adjoint(node.id()), at, r_b);
    }
    #[inline(always)]
    fn close(_: &TapeLeaf<K>, (): (), _: &mut Stores) {}
}

/// Adds pieces to the part of the adjoint of a variable at once, if the part can do that.
#[derive(Clone, Copy, Debug)]
pub struct OfPart;
impl<K: Kind, P: Part<K>> StoredPieces<TapePart<K, P>> for OfPart {
    type Source<'s>
        = OneOf<Direct<'s, P::Kind>, Within<'s, K, P>>
    where
        P: 's;
    type Sums = <P::Kind as Kind>::Adjoint;
    #[inline(always)]
    fn source(node: &TapePart<K, P>) -> Self::Source<'_> {
        // The value of a passive variable stands in the statement, and only the part of it.
        match node.whole() {
            Some(whole) => OneOf::Second(Within::new(whole, node.part())),
            None => OneOf::First(Direct(node.value())),
        }
    }
    #[inline(always)]
    fn open(node: &TapePart<K, P>, shape: Shape<P::Kind>, stores: &mut Stores) -> Self::Sums {
        let mut sums = Self::Sums::default();
        if P::PIECES {
            let adjoint = stores.get::<K>().adjoint(node.id());
            adjoint.value_mut(|| node.part().zero());
        } else {
            <P::Kind as Kind>::Form::open(&mut sums, shape);
        }
        sums
    }
    #[inline(always)]
    fn pull<'s>(
        node: &'s TapePart<K, P>,
        at: At,
        _: &ValuesOf<'s, TapePart<K, P>>,
        r_b: Piece<P::Kind>,
        sums: &mut Self::Sums,
        stores: &mut Stores,
    ) {
        if P::PIECES {
            let adjoint = stores.get::<K>().adjoint(node.id());
            let whole = adjoint.value_mut(|| node.part().zero());
            node.part().add_piece(whole, at, r_b);
        } else {
            <P::Kind as Kind>::Form::add_piece(sums, at, r_b);
        }
    }
    #[inline(always)]
    fn close(node: &TapePart<K, P>, sums: Self::Sums, stores: &mut Stores) {
        if !P::PIECES
            && let Some(sum) = sums.into_value()
        {
            node.pull(sum, stores);
        }
    }
}

/// An operation on the tape whose result is of a kind that is evaluated by pieces.
pub struct PiecesReplay<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored> {
    of: Replay<O, A, B, C>,
    /// Whether the result is read.
    read: bool,
    /// The result as a whole, where that was asked for.
    whole: OnceCell<Option<Cell<O::Out>>>,
}
impl<O, A: Stored, B: Stored, C: Stored> Stored for PiecesReplay<O, A, B, C>
where
    O: Rule<A::Kind, B::Kind, C::Kind, Out: Kind<Form = ByPieces> + PieceKind>,
{
    type Kind = O::Out;
    type Pieces = OfOperation;
    const ACTIVE: bool = Replay::<O, A, B, C>::ACTIVE;
    const FIXED: [usize; 3] = Replay::<O, A, B, C>::FIXED;
    const CONSTANTS: [usize; 3] = Replay::<O, A, B, C>::CONSTANTS;
    const READS_RESULT: bool = Replay::<O, A, B, C>::READS_RESULT;
    const DYNAMIC: bool = Replay::<O, A, B, C>::DYNAMIC;
    #[inline(always)]
    fn load(
        reader: &mut Reader<'_>,
        stores: &mut Stores,
        need: Need,
        known: Option<Cell<O::Out>>,
    ) -> Self {
        PiecesReplay {
            of: Replay::load_if(!O::PIECES, reader, stores, need, known),
            read: Replay::<O, A, B, C>::reads_result(need),
            whole: OnceCell::new(),
        }
    }
    fn value(&self) -> Option<Arg<'_, O::Out>> {
        if !O::PIECES || self.of.value().is_some() {
            return self.of.value();
        }
        let whole = self.whole.get_or_init(|| {
            let source = OfOperation::source(self);
            let shape = source.shape().filter(|_| self.read)?;
            Some(Hold::hold(<O::Out as PieceKind>::collect(shape, source)))
        });
        whole.as_ref().map(|whole| arg::<O::Out>(whole.peek()))
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.of.is_active()
    }
    #[inline]
    fn pull<Co: Contribution<O::Out>>(&self, contribution: Co, stores: &mut Stores) {
        if !O::PIECES {
            self.of.pull(contribution, stores);
            return;
        }
        let r_b = contribution.materialise();
        let r_b = arg::<O::Out>(&r_b);
        let shape = <O::Out as PieceKind>::shape(<O::Out as Kind>::Policy::value(&r_b));
        let mut sums = OfOperation::open(self, shape, stores);
        let backwards = Backwards {
            node: self,
            source: OfOperation::source(self),
            r_b: Direct::<O::Out>::new(r_b),
            sums: &mut sums,
            stores,
        };
        <O::Out as PieceKind>::each(shape, backwards);
        OfOperation::close(self, sums, stores);
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        self.of.show(to);
    }
}

/// Takes the adjoint of an operation back, piece by piece.
struct Backwards<'s, 'm, S: Stored, P> {
    node: &'s S,
    source: P,
    r_b: Direct<'s, S::Kind>,
    sums: &'m mut SumsOf<S>,
    stores: &'m mut Stores,
}
impl<'s, S: Stored> Visit for Backwards<'s, '_, S, <S::Pieces as StoredPieces<S>>::Source<'s>> {
    #[inline(always)]
    fn visit(&mut self, at: At) {
        let values = self.source.values(at);
        let r_b = self.r_b.at(at);
        S::Pieces::pull(self.node, at, &values, r_b, self.sums, self.stores);
    }
}

/// Takes the adjoints of the arguments further down, piece by piece.
#[derive(Clone, Copy, Debug)]
pub struct OfOperation;
/// What is gathered of the adjoints of the arguments; `None` where none flows.
pub struct Sums<A, B, C, R> {
    a: Option<A>,
    b: Option<B>,
    c: Option<C>,
    /// The adjoint of the result of an operation that takes it as a whole.
    r: R,
}
impl<O, A: Stored, B: Stored, C: Stored> StoredPieces<PiecesReplay<O, A, B, C>> for OfOperation
where
    O: Rule<A::Kind, B::Kind, C::Kind, Out: Kind<Form = ByPieces> + PieceKind>,
{
    type Source<'s>
        = OneOf<
        Direct<'s, O::Out>,
        Fused<
            's,
            O,
            (A::Kind, B::Kind, C::Kind),
            <A::Pieces as StoredPieces<A>>::Source<'s>,
            <B::Pieces as StoredPieces<B>>::Source<'s>,
            <C::Pieces as StoredPieces<C>>::Source<'s>,
            Arg<'s, O::Out>,
        >,
    >
    where
        A: 's,
        B: 's,
        C: 's;
    type Sums = Sums<SumsOf<A>, SumsOf<B>, SumsOf<C>, <O::Out as Kind>::Adjoint>;
    #[inline(always)]
    fn source(node: &PiecesReplay<O, A, B, C>) -> Self::Source<'_> {
        if !O::PIECES {
            return OneOf::First(Direct(node.of.value()));
        }
        OneOf::Second(Fused {
            op: &node.of.op,
            a: A::Pieces::source(&node.of.a),
            b: B::Pieces::source(&node.of.b),
            c: C::Pieces::source(&node.of.c),
            known: node.of.value(),
            read: node.read,
            _of: PhantomData,
        })
    }
    #[inline(always)]
    fn open(
        node: &PiecesReplay<O, A, B, C>,
        shape: Shape<O::Out>,
        stores: &mut Stores,
    ) -> Self::Sums {
        let mut r = <O::Out as Kind>::Adjoint::default();
        if !O::PIECES {
            <O::Out as PieceKind>::open(&mut r, shape);
            return Sums {
                a: None,
                b: None,
                c: None,
                r,
            };
        }
        let Replay { op, a, b, c, .. } = &node.of;
        let (x, y, z) = op.spread(shape);
        Sums {
            a: node.of.wants_a().then(|| A::Pieces::open(a, x, stores)),
            b: node.of.wants_b().then(|| B::Pieces::open(b, y, stores)),
            c: node.of.wants_c().then(|| C::Pieces::open(c, z, stores)),
            r,
        }
    }
    #[inline(always)]
    fn pull<'s>(
        node: &'s PiecesReplay<O, A, B, C>,
        at: At,
        values: &ValuesOf<'s, PiecesReplay<O, A, B, C>>,
        r_b: Piece<O::Out>,
        sums: &mut Self::Sums,
        stores: &mut Stores,
    ) {
        let OneOf::Second(Values {
            a: x,
            b: y,
            c: z,
            r,
        }) = values
        else {
            <O::Out as PieceKind>::add_piece(&mut sums.r, at, r_b);
            return;
        };
        let Replay { op, a, b, c, .. } = &node.of;
        let primals = PiecePrimals::<A::Kind, B::Kind, C::Kind, O::Out> {
            a: <A::Pieces as StoredPieces<A>>::Source::piece(x),
            b: <B::Pieces as StoredPieces<B>>::Source::piece(y),
            c: <C::Pieces as StoredPieces<C>>::Source::piece(z),
            r: r.clone(),
        };
        if let Some(sums) = &mut sums.a {
            let x_b = op.pull_a(&primals, r_b.clone(), at);
            A::Pieces::pull(a, at, x, x_b, sums, stores);
        }
        if let Some(sums) = &mut sums.b {
            let x_b = op.pull_b(&primals, r_b.clone(), at);
            B::Pieces::pull(b, at, y, x_b, sums, stores);
        }
        if let Some(sums) = &mut sums.c {
            let x_b = op.pull_c(&primals, r_b, at);
            C::Pieces::pull(c, at, z, x_b, sums, stores);
        }
    }
    #[inline(always)]
    fn close(node: &PiecesReplay<O, A, B, C>, sums: Self::Sums, stores: &mut Stores) {
        if !O::PIECES {
            if let Some(sum) = sums.r.into_value() {
                node.of.pull(sum, stores);
            }
            return;
        }
        let Replay { a, b, c, .. } = &node.of;
        if let Some(sums) = sums.a {
            A::Pieces::close(a, sums, stores);
        }
        if let Some(sums) = sums.b {
            B::Pieces::close(b, sums, stores);
        }
        if let Some(sums) = sums.c {
            C::Pieces::close(c, sums, stores);
        }
    }
}
