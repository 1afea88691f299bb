//! Stored statements that a sweep goes through piece by piece.
use super::{
    Replay, Stored,
    leaf::TapeLeaf,
    node::Need,
    pieces::{Activity, Direct, Forward, Fused, Pieces, Wanted, at_hand},
    place::TapePart,
    sweep_arguments::Sums,
};
use crate::{
    kind::{
        Adjoint, Arg, At, Block, Cell, Contribution, Form, Hold, Kind, Part, Piece, PieceKind,
        Policy, Run, Shape, arg, blocks,
    },
    rule::Rule,
    tape::{Access, Reader},
};
use std::{cell::OnceCell, marker::PhantomData};

/// A node of a stored statement.
#[derive(Clone, Copy, Debug)]
pub struct Swept<S>(PhantomData<S>);
impl<S: Stored> Activity for Swept<S> {
    const ACTIVE: bool = S::ACTIVE;
}

/// How pieces of a stored node are read, and how pieces of its adjoint are taken.
///
/// The adjoints of a block of pieces are put into [`Blocks`](Self::Blocks), whether they are wanted or not, so that the
/// loop over the pieces asks nothing; only what is wanted is sent on.
pub trait StoredPieces<S: Stored>: 'static {
    /// Pieces of the node's value.
    type Source<'s>: Pieces<S::Kind>
    where
        S: 's;
    /// What is gathered of the adjoint before it goes to the node.
    type Sums: Default;
    /// What is gathered of the adjoint in a block; its memory is used again, so that it need not be empty at first.
    type Blocks: Default + 'static;
    /// Pieces of the node's value.
    fn source(node: &S) -> Self::Source<'_>;
    /// Makes ready for pieces of the adjoint of a value of this shape.
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, stores: &mut Access<'_>);
    /// Puts the piece of the adjoint with index `i` into the blocks.
    fn pull<'s>(
        node: &'s S,
        i: usize,
        values: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        blocks: &mut Self::Blocks,
    );
    /// Sends on the pieces of a block.
    fn finish(
        node: &S,
        block: At,
        blocks: &mut Self::Blocks,
        sums: &mut Self::Sums,
        stores: &mut Access<'_>,
    );
    /// Sends on what was gathered.
    fn close(node: &S, sums: Self::Sums, stores: &mut Access<'_>);
}
pub(super) type SourceOf<'s, S> = <<S as Stored>::Pieces as StoredPieces<S>>::Source<'s>;
pub(super) type SumsOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Sums;
pub(super) type BlocksOf<S> = <<S as Stored>::Pieces as StoredPieces<S>>::Blocks;
/// The values of a stored node and those below it at one place.
pub type ValuesOf<'s, S> = <SourceOf<'s, S> as Pieces<<S as Stored>::Kind>>::Values;

/// An adjoint that is gathered as a whole, where that is not frequent: what is gathered of all nodes is moved.
type Rare<A> = Option<Box<A>>;
/// Gathers the adjoint as a whole; for nodes that are evaluated as a whole, numbers among them.
#[derive(Clone, Copy, Debug)]
pub struct Gather;
impl<S: Stored> StoredPieces<S> for Gather {
    type Source<'s>
        = Direct<'s, S::Kind, Swept<S>>
    where
        S: 's;
    type Sums = <S::Kind as Kind>::Adjoint;
    type Blocks = Block<S::Kind>;
    #[inline(always)]
    fn source(node: &S) -> Self::Source<'_> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(node: &S, shape: Shape<S::Kind>, sums: &mut Self::Sums, _: &mut Access<'_>) {
        if node.is_active() {
            <S::Kind as Kind>::Form::open(sums, shape);
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s S,
        i: usize,
        _: &ValuesOf<'s, S>,
        r_b: Piece<S::Kind>,
        block: &mut Self::Blocks,
    ) {
        <S::Kind as Kind>::Form::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &S,
        at: At,
        block: &mut Self::Blocks,
        sums: &mut Self::Sums,
        _: &mut Access<'_>,
    ) {
        if node.is_active() {
            <S::Kind as Kind>::Form::add_block(sums, at, block);
        }
    }
    #[inline(always)]
    fn close(node: &S, sums: Self::Sums, stores: &mut Access<'_>) {
        if node.is_active()
            && let Some(sum) = sums.into_value()
        {
            node.pull(sum, stores);
        }
    }
}

/// Adds pieces to the adjoint of a variable at once.
#[derive(Clone, Copy, Debug)]
pub struct OfLeaf;
impl<K: Kind> StoredPieces<TapeLeaf<K>> for OfLeaf {
    type Source<'s> = Direct<'s, K, Swept<TapeLeaf<K>>>;
    type Sums = ();
    type Blocks = Block<K>;
    #[inline(always)]
    fn source(node: &TapeLeaf<K>) -> Self::Source<'_> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(node: &TapeLeaf<K>, shape: Shape<K>, (): &mut (), stores: &mut Access<'_>) {
        if node.is_active() {
            stores.add_to_adjoint::<K>(node.id(), |adjoint| K::Form::open(adjoint, shape));
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapeLeaf<K>,
        i: usize,
        _: &ValuesOf<'s, TapeLeaf<K>>,
        r_b: Piece<K>,
        block: &mut Block<K>,
    ) {
        K::Form::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &TapeLeaf<K>,
        at: At,
        block: &mut Block<K>,
        (): &mut (),
        stores: &mut Access<'_>,
    ) {
        if node.is_active() {
            stores.add_to_adjoint::<K>(node.id(), |adjoint| K::Form::add_block(adjoint, at, block));
        }
    }
    #[inline(always)]
    fn close(_: &TapeLeaf<K>, (): (), _: &mut Access<'_>) {}
}

/// Adds pieces to the part of the adjoint of a variable at once, if the part can do that.
#[derive(Clone, Copy, Debug)]
pub struct OfPart;
impl<K: Kind, P: Part<K>> StoredPieces<TapePart<K, P>> for OfPart {
    type Source<'s> = Direct<'s, P::Kind, Swept<TapePart<K, P>>>;
    type Sums = Rare<<P::Kind as Kind>::Adjoint>;
    type Blocks = Block<P::Kind>;
    #[inline(always)]
    fn source(node: &TapePart<K, P>) -> Self::Source<'_> {
        match node.whole() {
            Some(whole) => Direct::within(whole, node.part()),
            // The value of a passive variable stands in the statement, and only the part of it.
            None => Direct::new(node.value()),
        }
    }
    #[inline(always)]
    fn open(
        node: &TapePart<K, P>,
        shape: Shape<P::Kind>,
        sums: &mut Self::Sums,
        stores: &mut Access<'_>,
    ) {
        if !node.is_active() {
            return;
        }
        if P::PIECES {
            stores.add_to_adjoint::<K>(node.id(), |adjoint| node.part().open(adjoint));
        } else {
            <P::Kind as Kind>::Form::open(sums.get_or_insert_default(), shape);
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapePart<K, P>,
        i: usize,
        _: &ValuesOf<'s, TapePart<K, P>>,
        r_b: Piece<P::Kind>,
        block: &mut Self::Blocks,
    ) {
        <P::Kind as Kind>::Form::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &TapePart<K, P>,
        at: At,
        block: &mut Self::Blocks,
        sums: &mut Self::Sums,
        stores: &mut Access<'_>,
    ) {
        if !node.is_active() {
            return;
        }
        if P::PIECES {
            stores.add_to_adjoint::<K>(node.id(), |adjoint| {
                node.part().add_block(adjoint, at, block)
            });
        } else {
            <P::Kind as Kind>::Form::add_block(sums.get_or_insert_default(), at, block);
        }
    }
    #[inline(always)]
    fn close(node: &TapePart<K, P>, sums: Self::Sums, stores: &mut Access<'_>) {
        if !P::PIECES
            && node.is_active()
            && let Some(sum) = sums.and_then(|sum| sum.into_value())
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
        stores: &mut Access<'_>,
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
            // What it is made of is at hand then.
            let source = self.read.then(|| OfOperation::source(self))?;
            let shape = source.shape();
            Some(Hold::hold(<O::Out as PieceKind>::collect(shape, &source)))
        });
        whole.as_ref().map(|whole| arg::<O::Out>(whole.peek()))
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.of.is_active()
    }
    #[inline]
    fn pull<Co: Contribution<O::Out>>(&self, contribution: Co, stores: &mut Access<'_>) {
        if !O::PIECES {
            self.of.pull(contribution, stores);
            return;
        }
        let mut value = contribution.materialise();
        let r_b = arg::<O::Out>(&value);
        // The result is known of the root; below an operation that takes wholes it is computed, if it is read.
        match (self.of.value().is_some(), self.read) {
            (true, _) => Backwards::<Self, Root>::run(self, r_b, stores),
            (false, true) => Backwards::<Self, Read>::run(self, r_b, stores),
            (false, false) => Backwards::<Self, Unread>::run(self, r_b, stores),
        }
        O::Out::recycle(&mut value);
    }
    #[inline(always)]
    fn done(self) {
        self.of.done();
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        self.of.show(to);
    }
}
/// What is wanted of the operation where the loop begins.
macro_rules! wanted { ($($Name:ident $Need:ident)*) => { $(
    pub(super) struct $Name;
    impl Wanted for $Name {
        const NEED: Need = Need::$Need;
    }
)* } }
wanted! { Root Known Read Value Unread No }

/// Takes the adjoint of an operation back, piece by piece.
struct Backwards<'s, 'm, 't, S: Stored, N> {
    node: &'s S,
    shape: Shape<S::Kind>,
    r_b: Arg<'s, S::Kind>,
    gathered: &'m mut BlocksOf<S>,
    sums: &'m mut SumsOf<S>,
    stores: &'m mut Access<'t>,
    _of: PhantomData<N>,
}
impl<'s, S: Stored<Kind: PieceKind>, N: Wanted> Backwards<'s, '_, '_, S, N> {
    fn run(node: &'s S, r_b: Arg<'s, S::Kind>, stores: &mut Access<'_>) {
        let shape = <S::Kind as PieceKind>::shape(<S::Kind as Kind>::Policy::value(&r_b));
        let mut sums = SumsOf::<S>::default();
        S::Pieces::open(node, shape, &mut sums, stores);
        let mut gathered = stores.lend::<BlocksOf<S>>();
        <S::Kind as PieceKind>::run(Backwards {
            node,
            shape,
            r_b,
            gathered: &mut gathered,
            sums: &mut sums,
            stores,
            _of: PhantomData::<N>,
        });
        stores.take_back(gathered);
        S::Pieces::close(node, sums, stores);
    }
}
impl<'s, S: Stored<Kind: PieceKind>, N: Wanted> Run for Backwards<'s, '_, '_, S, N> {
    #[inline(always)]
    fn run(self) {
        let Backwards {
            node,
            shape,
            r_b,
            gathered,
            sums,
            stores,
            ..
        } = self;
        let r_b = Direct::<S::Kind>::new(Some(r_b));
        let source = S::Pieces::source(node);
        blocks(
            <S::Kind as PieceKind>::count(shape),
            #[inline(always)]
            |at| {
                pull_block::<S, N>(
                    node,
                    &source.within::<N>(at),
                    &r_b.within::<Forward>(at),
                    at,
                    gathered,
                );
                S::Pieces::finish(node, at, gathered, sums, stores);
            },
        );
    }
}
/// The loop over the pieces of a block. Nothing else can overlap where it writes, as the compiler knows of arguments that
/// are unique references.
#[inline(always)]
fn pull_block<'s, S: Stored<Kind: PieceKind>, N: Wanted>(
    node: &'s S,
    source: &SourceOf<'s, S>,
    r_b: &Direct<'s, S::Kind>,
    at: At,
    gathered: &mut BlocksOf<S>,
) {
    for i in 0..at.length {
        let values = source.values::<N>(i);
        S::Pieces::pull(node, i, &values, r_b.at(i), gathered);
    }
}

/// Takes the adjoints of the arguments further down, piece by piece.
#[derive(Clone, Copy, Debug)]
pub struct OfOperation;
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
    type Sums = Sums<SumsOf<A>, SumsOf<B>, SumsOf<C>, Rare<<O::Out as Kind>::Adjoint>>;
    type Blocks = Sums<BlocksOf<A>, BlocksOf<B>, BlocksOf<C>, Block<O::Out>>;
    #[inline(always)]
    fn source(node: &PiecesReplay<O, A, B, C>) -> Self::Source<'_> {
        Fused {
            op: &node.of.op,
            args: O::PIECES.then(
                #[inline(always)]
                || node.of.sources(),
            ),
            whole: Direct::new(node.of.value()),
        }
    }
    #[inline(always)]
    fn open(
        node: &PiecesReplay<O, A, B, C>,
        shape: Shape<O::Out>,
        sums: &mut Self::Sums,
        stores: &mut Access<'_>,
    ) {
        if O::PIECES {
            node.of
                .open_arguments(node.of.op.spread(shape), sums, stores);
        } else if node.is_active() {
            <O::Out as PieceKind>::open(sums.r.get_or_insert_default(), shape);
        }
    }
    #[inline(always)]
    fn pull<'s>(
        node: &'s PiecesReplay<O, A, B, C>,
        i: usize,
        values: &ValuesOf<'s, PiecesReplay<O, A, B, C>>,
        r_b: Piece<O::Out>,
        blocks: &mut Self::Blocks,
    ) {
        if O::PIECES {
            let args = at_hand(values.args.as_ref());
            node.of.pull_arguments(i, args, values.r, r_b, blocks);
        } else {
            <O::Out as PieceKind>::put(&mut blocks.r, i, r_b);
        }
    }
    #[inline(always)]
    fn finish(
        node: &PiecesReplay<O, A, B, C>,
        at: At,
        blocks: &mut Self::Blocks,
        sums: &mut Self::Sums,
        stores: &mut Access<'_>,
    ) {
        if O::PIECES {
            node.of.finish_arguments(at, blocks, sums, stores);
        } else if node.is_active() {
            <O::Out as PieceKind>::add_block(sums.r.get_or_insert_default(), at, &blocks.r);
        }
    }
    #[inline(always)]
    fn close(node: &PiecesReplay<O, A, B, C>, sums: Self::Sums, stores: &mut Access<'_>) {
        if O::PIECES {
            node.of.close_arguments(sums, stores);
        } else if node.is_active()
            && let Some(sum) = sums.r.and_then(|sum| sum.into_value())
        {
            node.of.pull(sum, stores);
        }
    }
}
