//! The arguments of an operation in a sweep that goes through them piece by piece: of one whose result has pieces, too, or
//! of one that folded them into its result.
use super::{
    Replay, Stored,
    pieces::{Pieces, argument_values, arguments_within},
    sweep_pieces::{BlocksOf, Root, SourceOf, StoredPieces, SumsOf, ValuesOf},
};
use crate::{
    kind::{Arg, At, Form, Kind, Piece, Run, arg, blocks},
    rule::{PiecePrimals, Rule, Shapes, Unfolded},
    tape::Access,
};
use std::ops::Range;

/// What is gathered of the adjoints of the arguments, and of that of the result of an operation that takes it as a
/// whole.
#[derive(Default)]
pub struct Sums<A, B, C, R> {
    a: A,
    b: B,
    c: C,
    pub(super) r: R,
}
type SumsIn<A, B, C, R> = Sums<SumsOf<A>, SumsOf<B>, SumsOf<C>, R>;
type BlocksIn<A, B, C, R> = Sums<BlocksOf<A>, BlocksOf<B>, BlocksOf<C>, R>;

/// The arguments as [`StoredPieces`] has them for one node.
impl<O, A: Stored, B: Stored, C: Stored> Replay<O, A, B, C>
where
    O: Rule<A::Kind, B::Kind, C::Kind>,
{
    #[inline(always)]
    pub(super) fn sources(&self) -> (SourceOf<'_, A>, SourceOf<'_, B>, SourceOf<'_, C>) {
        (
            A::Pieces::source(&self.a),
            B::Pieces::source(&self.b),
            C::Pieces::source(&self.c),
        )
    }
    #[inline(always)]
    pub(super) fn open_arguments<R>(
        &self,
        (x, y, z): Shapes<A::Kind, B::Kind, C::Kind>,
        sums: &mut SumsIn<A, B, C, R>,
        stores: &mut Access<'_>,
    ) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::open(&self.a, x, &mut sums.a, stores);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::open(&self.b, y, &mut sums.b, stores);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::open(&self.c, z, &mut sums.c, stores);
        }
    }
    #[inline(always)]
    pub(super) fn pull_arguments<'s, R>(
        &'s self,
        i: usize,
        (x, y, z): &(ValuesOf<'s, A>, ValuesOf<'s, B>, ValuesOf<'s, C>),
        r: Option<Piece<O::Out>>,
        r_b: Piece<O::Out>,
        blocks: &mut BlocksIn<A, B, C, R>,
    ) {
        let primals = PiecePrimals::<A::Kind, B::Kind, C::Kind, O::Out> {
            a: SourceOf::<A>::piece(x),
            b: SourceOf::<B>::piece(y),
            c: SourceOf::<C>::piece(z),
            r,
        };
        if O::FLOWS[0] && A::ACTIVE {
            let x_b = self.op.pull_a(&primals, r_b.clone());
            A::Pieces::pull(&self.a, i, x, x_b, &mut blocks.a);
        }
        if O::FLOWS[1] && B::ACTIVE {
            let x_b = self.op.pull_b(&primals, r_b.clone());
            B::Pieces::pull(&self.b, i, y, x_b, &mut blocks.b);
        }
        if O::FLOWS[2] && C::ACTIVE {
            let x_b = self.op.pull_c(&primals, r_b);
            C::Pieces::pull(&self.c, i, z, x_b, &mut blocks.c);
        }
    }
    #[inline(always)]
    pub(super) fn finish_arguments<R, S>(
        &self,
        at: At,
        blocks: &mut BlocksIn<A, B, C, R>,
        sums: &mut SumsIn<A, B, C, S>,
        stores: &mut Access<'_>,
    ) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::finish(&self.a, at, &mut blocks.a, &mut sums.a, stores);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::finish(&self.b, at, &mut blocks.b, &mut sums.b, stores);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::finish(&self.c, at, &mut blocks.c, &mut sums.c, stores);
        }
    }
    #[inline(always)]
    pub(super) fn close_arguments<R>(&self, sums: SumsIn<A, B, C, R>, stores: &mut Access<'_>) {
        if O::FLOWS[0] && A::ACTIVE {
            A::Pieces::close(&self.a, sums.a, stores);
        }
        if O::FLOWS[1] && B::ACTIVE {
            B::Pieces::close(&self.b, sums.b, stores);
        }
        if O::FLOWS[2] && C::ACTIVE {
            C::Pieces::close(&self.c, sums.c, stores);
        }
    }
    /// Takes the adjoint of a folded result back to pieces of the arguments.
    pub(super) fn unfold(&self, r_b: Arg<'_, O::Out>, stores: &mut Access<'_>) {
        let Unfolded {
            shapes,
            pieces,
            r_b,
        } = self.op.unfold(&self.saved, self.value(), r_b);
        let mut sums = SumsIn::<A, B, C, ()>::default();
        self.open_arguments(shapes, &mut sums, stores);
        let mut gathered = stores.lend::<BlocksIn<A, B, C, ()>>();
        let piece = |x| <O::Out as Kind>::Form::piece(&<O::Out as Kind>::Form::view(Some(x)), 0);
        <A::Kind as Kind>::Form::run(Unfolding {
            replay: self,
            pieces,
            r: self.value().map(piece),
            r_b: piece(arg::<O::Out>(&r_b)),
            gathered: &mut gathered,
            sums: &mut sums,
            stores,
        });
        stores.take_back(gathered);
        self.close_arguments(sums, stores);
    }
}
/// The loop of [`unfold`](Replay::unfold).
struct Unfolding<'s, 'm, 't, O, A: Stored, B: Stored, C: Stored>
where
    O: Rule<A::Kind, B::Kind, C::Kind>,
{
    replay: &'s Replay<O, A, B, C>,
    pieces: Range<usize>,
    r: Option<Piece<O::Out>>,
    r_b: Piece<O::Out>,
    gathered: &'m mut BlocksIn<A, B, C, ()>,
    sums: &'m mut SumsIn<A, B, C, ()>,
    stores: &'m mut Access<'t>,
}
impl<O, A: Stored, B: Stored, C: Stored> Run for Unfolding<'_, '_, '_, O, A, B, C>
where
    O: Rule<A::Kind, B::Kind, C::Kind>,
{
    #[inline(always)]
    fn run(self) {
        let Unfolding {
            replay,
            pieces,
            r,
            r_b,
            gathered,
            sums,
            stores,
        } = self;
        let sources = replay.sources();
        blocks(
            pieces.len(),
            #[inline(always)]
            |At { start, length }| {
                let at = At {
                    start: start + pieces.start,
                    length,
                };
                unfold_block(replay, &sources, at, (&r, &r_b), gathered);
                replay.finish_arguments(at, gathered, sums, stores);
            },
        );
    }
}
/// The loop over the pieces of a block, which calls nothing and writes where nothing else can overlap.
#[inline(always)]
fn unfold_block<'s, O, A: Stored, B: Stored, C: Stored>(
    replay: &'s Replay<O, A, B, C>,
    sources: &(SourceOf<'s, A>, SourceOf<'s, B>, SourceOf<'s, C>),
    at: At,
    (r, r_b): (&Option<Piece<O::Out>>, &Piece<O::Out>),
    gathered: &mut BlocksIn<A, B, C, ()>,
) where
    O: Rule<A::Kind, B::Kind, C::Kind>,
{
    // The result is at hand, and so are no arguments wanted to compute it.
    let sources = arguments_within::<Root, O, A::Kind, B::Kind, C::Kind, _, _, _>(sources, at);
    for i in 0..at.length {
        let values = argument_values::<Root, O, A::Kind, B::Kind, C::Kind, _, _, _>(&sources, i);
        replay.pull_arguments(i, &values, r.clone(), r_b.clone(), gathered);
    }
}
