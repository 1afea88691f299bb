//! Stored statements that a sweep goes through piece by piece.
use super::{
    Replay, Stored,
    leaf::TapeLeaf,
    node::Need,
    pieces::{Activity, Direct, Fused, Pieces, Wanted, at_hand},
    place::TapePart,
};
use crate::{
    kind::{
        Adjoint, Arg, At, Block, Cell, Contribution, Form, Hold, Kind, Part, Piece, PieceKind,
        Policy, Shape, Visit, arg,
    },
    rule::{PiecePrimals, Rule},
    tape::{Reader, Stores},
};
use std::{cell::OnceCell, marker::PhantomData};

/// A node of a stored statement.
#[derive(Clone, Copy, Debug)]
pub struct Swept<S>(PhantomData<S>);
impl<S: Stored> Activity for Swept<S> {
    const ACTIVE: bool = S::ACTIVE;
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
    /// Sends on the pieces of a block.
    fn finish(node: &S, block: At, sums: &mut Self::Sums, stores: &mut Stores);
    /// Sends on what was gathered.
    fn close(node: &S, sums: Self::Sums, stores: &mut Stores);
}
type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
/// The values of a stored node and those below it at one place.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;

/// Gathers the adjoint as a whole; for nodes that are evaluated as a whole, numbers among them.
#[derive(Clone, Copy, Debug)]
pub struct Gather;
impl<S: Stored> StoredPieces<S> for Gather {
    type Source<'s>
        = Direct<'s, S::Kind, Swept<S>>
    where
        S: 's;
    type Sums = (<S::Kind as Kind>::Adjoint, Block<S::Kind>);
    #[inline(always)]
    fn source(node: &S) -> Self::Source<'_> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(_: &S, shape: Shape<S::Kind>, _: &mut Stores) -> Self::Sums {
        let mut sums = Self::Sums::default();
        <S::Kind as Kind>::Form::open(&mut sums.0, shape);
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
        <S::Kind as Kind>::Form::put(&mut sums.1, at, r_b);
    }
    #[inline(always)]
    fn finish(_: &S, block: At, sums: &mut Self::Sums, _: &mut Stores) {
        <S::Kind as Kind>::Form::add_block(&mut sums.0, block, &mut sums.1);
    }
    #[inline(always)]
    fn close(node: &S, sums: Self::Sums, stores: &mut Stores) {
        if let Some(sum) = sums.0.into_value() {
            node.pull(sum, stores);
        }
    }
}

/// Adds pieces to the adjoint of a variable at once.
#[derive(Clone, Copy, Debug)]
pub struct OfLeaf;
impl<K: Kind> StoredPieces<TapeLeaf<K>> for OfLeaf {
    type Source<'s> = Direct<'s, K, Swept<TapeLeaf<K>>>;
    type Sums = Block<K>;
    #[inline(always)]
    fn source(node: &TapeLeaf<K>) -> Self::Source<'_> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(node: &TapeLeaf<K>, shape: Shape<K>, stores: &mut Stores) -> Block<K> {
        K::Form::open(stores.get::<K>().adjoint(node.id()), shape);
        Block::<K>::default()
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapeLeaf<K>,
        at: At,
        _: &ValuesOf<'s, TapeLeaf<K>>,
        r_b: Piece<K>,
        block: &mut Block<K>,
        _: &mut Stores,
    ) {
        K::Form::put(block, at, r_b);
    }
    #[inline(always)]
    fn finish(node: &TapeLeaf<K>, at: At, block: &mut Block<K>, stores: &mut Stores) {
        K::Form::add_block(stores.get::<K>().adjoint(node.id()), at, block);
    }
    #[inline(always)]
    fn close(_: &TapeLeaf<K>, _: Block<K>, _: &mut Stores) {}
}

/// Adds pieces to the part of the adjoint of a variable at once, if the part can do that.
#[derive(Clone, Copy, Debug)]
pub struct OfPart;
impl<K: Kind, P: Part<K>> StoredPieces<TapePart<K, P>> for OfPart {
    type Source<'s> = Direct<'s, P::Kind, Swept<TapePart<K, P>>>;
    type Sums = (<P::Kind as Kind>::Adjoint, Block<P::Kind>);
    #[inline(always)]
    fn source(node: &TapePart<K, P>) -> Self::Source<'_> {
        match node.whole() {
            Some(whole) => Direct::within(whole, node.part()),
            // The value of a passive variable stands in the statement, and only the part of it.
            None => Direct::new(node.value()),
        }
    }
    #[inline(always)]
    fn open(node: &TapePart<K, P>, shape: Shape<P::Kind>, stores: &mut Stores) -> Self::Sums {
        let mut sums = Self::Sums::default();
        if P::PIECES {
            let adjoint = stores.get::<K>().adjoint(node.id());
            adjoint.value_mut(|| node.part().zero());
        } else {
            <P::Kind as Kind>::Form::open(&mut sums.0, shape);
        }
        sums
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapePart<K, P>,
        at: At,
        _: &ValuesOf<'s, TapePart<K, P>>,
        r_b: Piece<P::Kind>,
        sums: &mut Self::Sums,
        _: &mut Stores,
    ) {
        <P::Kind as Kind>::Form::put(&mut sums.1, at, r_b);
    }
    #[inline(always)]
    fn finish(node: &TapePart<K, P>, at: At, sums: &mut Self::Sums, stores: &mut Stores) {
        let (sum, block) = sums;
        if P::PIECES {
            let adjoint = stores.get::<K>().adjoint(node.id());
            let whole = adjoint.value_mut(|| node.part().zero());
            node.part().add_block(whole, at, block);
        } else {
            <P::Kind as Kind>::Form::add_block(sum, at, block);
        }
    }
    #[inline(always)]
    fn close(node: &TapePart<K, P>, sums: Self::Sums, stores: &mut Stores) {
        if !P::PIECES
            && let Some(sum) = sums.0.into_value()
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
    O: Rule<A::Kind, B::Kind, C::Kind, Out: PieceKind>,
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
        // The result is known of the root; below an operation that takes wholes it is computed, if it is read.
        match (self.of.value().is_some(), self.read) {
            (true, _) => Backwards::<Self, Root>::run(self, r_b, stores),
            (false, true) => Backwards::<Self, Read>::run(self, r_b, stores),
            (false, false) => Backwards::<Self, Unread>::run(self, r_b, stores),
        }
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        self.of.show(to);
    }
}
/// What is wanted of the operation where the loop begins.
macro_rules! wanted { ($($Name:ident $Need:ident)*) => { $(
    struct $Name;
    impl Wanted for $Name {
        const NEED: Need = Need::$Need;
    }
)* } }
wanted! { Root Known Read Value Unread No }

/// Takes the adjoint of an operation back, piece by piece.
struct Backwards<'s, 'm, S: Stored, N> {
    node: &'s S,
    source: SourceOf<'s, S>,
    r_b: Direct<'s, S::Kind>,
    sums: &'m mut SumsOf<S>,
    stores: &'m mut Stores,
    _of: PhantomData<N>,
}
impl<'s, S: Stored<Kind: PieceKind>, N: Wanted> Backwards<'s, '_, S, N> {
    fn run(node: &'s S, r_b: Arg<'s, S::Kind>, stores: &mut Stores) {
        let shape = <S::Kind as PieceKind>::shape(<S::Kind as Kind>::Policy::value(&r_b));
        let mut sums = S::Pieces::open(node, shape, stores);
        let each = Backwards::<S, N> {
            node,
            source: S::Pieces::source(node),
            r_b: Direct::new(Some(r_b)),
            sums: &mut sums,
            stores,
            _of: PhantomData,
        };
        <S::Kind as PieceKind>::each(shape, each);
        S::Pieces::close(node, sums, stores);
    }
}
impl<S: Stored, N: Wanted> Visit for Backwards<'_, '_, S, N> {
    #[inline(always)]
    fn visit(&mut self, at: At) {
        let values = self.source.values::<N>(at);
        let r_b = self.r_b.at(at);
        S::Pieces::pull(self.node, at, &values, r_b, self.sums, self.stores);
    }
    #[inline(always)]
    fn finish(&mut self, block: At) {
        S::Pieces::finish(self.node, block, self.sums, self.stores);
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
    /// The adjoint of the result of an operation that takes it as a whole, and a block of it.
    r: R,
}
impl<O, A: Stored, B: Stored, C: Stored> StoredPieces<PiecesReplay<O, A, B, C>> for OfOperation
where
    O: Rule<A::Kind, B::Kind, C::Kind, Out: PieceKind>,
{
    type Source<'s>
        = Fused<'s, O, A::Kind, B::Kind, C::Kind, SourceOf<'s, A>, SourceOf<'s, B>, SourceOf<'s, C>>
    where
        A: 's,
        B: 's,
        C: 's;
    type Sums = Sums<SumsOf<A>, SumsOf<B>, SumsOf<C>, (<O::Out as Kind>::Adjoint, Block<O::Out>)>;
    #[inline(always)]
    fn source(node: &PiecesReplay<O, A, B, C>) -> Self::Source<'_> {
        let Replay { op, a, b, c, .. } = &node.of;
        let args = || {
            (
                A::Pieces::source(a),
                B::Pieces::source(b),
                C::Pieces::source(c),
            )
        };
        Fused {
            op,
            args: O::PIECES.then(args),
            whole: Direct::new(node.of.value()),
        }
    }
    #[inline(always)]
    fn open(
        node: &PiecesReplay<O, A, B, C>,
        shape: Shape<O::Out>,
        stores: &mut Stores,
    ) -> Self::Sums {
        let mut sums: Self::Sums = Sums {
            a: None,
            b: None,
            c: None,
            r: Default::default(),
        };
        if !O::PIECES {
            <O::Out as PieceKind>::open(&mut sums.r.0, shape);
            return sums;
        }
        let Replay { op, a, b, c, .. } = &node.of;
        let (x, y, z) = op.spread(shape);
        sums.a = node.of.wants_a().then(|| A::Pieces::open(a, x, stores));
        sums.b = node.of.wants_b().then(|| B::Pieces::open(b, y, stores));
        sums.c = node.of.wants_c().then(|| C::Pieces::open(c, z, stores));
        sums
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
        if !O::PIECES {
            <O::Out as PieceKind>::put(&mut sums.r.1, at, r_b);
            return;
        }
        let Replay { op, a, b, c, .. } = &node.of;
        let (x, y, z) = at_hand(values.args.as_ref());
        let primals = PiecePrimals::<A::Kind, B::Kind, C::Kind, O::Out> {
            a: SourceOf::<A>::piece(x),
            b: SourceOf::<B>::piece(y),
            c: SourceOf::<C>::piece(z),
            r: values.r,
        };
        if O::FLOWS[0]
            && A::ACTIVE
            && let Some(sums) = &mut sums.a
        {
            let x_b = op.pull_a(&primals, r_b, at);
            A::Pieces::pull(a, at, x, x_b, sums, stores);
        }
        if O::FLOWS[1]
            && B::ACTIVE
            && let Some(sums) = &mut sums.b
        {
            let x_b = op.pull_b(&primals, r_b, at);
            B::Pieces::pull(b, at, y, x_b, sums, stores);
        }
        if O::FLOWS[2]
            && C::ACTIVE
            && let Some(sums) = &mut sums.c
        {
            let x_b = op.pull_c(&primals, r_b, at);
            C::Pieces::pull(c, at, z, x_b, sums, stores);
        }
    }
    #[inline(always)]
    fn finish(node: &PiecesReplay<O, A, B, C>, at: At, sums: &mut Self::Sums, stores: &mut Stores) {
        let Replay { a, b, c, .. } = &node.of;
        if !O::PIECES {
            <O::Out as PieceKind>::add_block(&mut sums.r.0, at, &sums.r.1);
        }
        if let Some(sums) = &mut sums.a {
            A::Pieces::finish(a, at, sums, stores);
        }
        if let Some(sums) = &mut sums.b {
            B::Pieces::finish(b, at, sums, stores);
        }
        if let Some(sums) = &mut sums.c {
            C::Pieces::finish(c, at, sums, stores);
        }
    }
    #[inline(always)]
    fn close(node: &PiecesReplay<O, A, B, C>, sums: Self::Sums, stores: &mut Stores) {
        if !O::PIECES {
            if let Some(sum) = sums.r.0.into_value() {
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
