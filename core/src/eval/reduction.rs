use super::{
    pieces::{argument_values, arguments_within},
    replay::{Backward, Replay, needs_of},
    sweep_arguments::{BlocksIn, PerArgument, fresh},
    sweep_pieces::Root,
};
use crate::{
    kind::{Arg, At, Contribution, Kind, Layout, Need, Piece, PieceLoop, Pieces, Val, arg, blocks},
    node::{Gather, OwnedValue, Produce, SourceOf, Stored, StoredPieces, SumsOf},
    rule::{Evaluation, ReductionRule, Unfolded},
    sweep::{Slots, Sweep},
};
use std::ops::Range;

/// Computes a number from pieces in one loop, and propagates its adjoint in another. Requires a [`ReductionRule`].
#[derive(Clone, Copy, Debug)]
pub struct Reduction;
impl crate::sealed::Sealed for Reduction {}
impl<O: ReductionRule<A, B, C>, A: Kind, B: Kind, C: Kind> Evaluation<O, A, B, C> for Reduction {
    type Value<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n> =
        OwnedValue<O::Out>;
    #[inline(always)]
    fn apply<'n, VA: Produce<A> + 'n, VB: Produce<B> + 'n, VC: Produce<C> + 'n>(
        op: &'n O,
        a: VA,
        b: VB,
        c: VC,
    ) -> (OwnedValue<O::Out>, O::Saved) {
        let (r, saved) = op.fold(&a.pieces(), &b.pieces(), &c.pieces());
        (OwnedValue(r), saved)
    }
    type Replay<SA: Stored<Kind = A>, SB: Stored<Kind = B>, SC: Stored<Kind = C>> =
        Replay<O, SA, SB, SC, Reduction>;
}

impl<O, A: Stored, B: Stored, C: Stored> Backward<O, A, B, C> for Reduction
where
    O: ReductionRule<A::Kind, B::Kind, C::Kind>,
{
    type Pieces = Gather;
    type Late = ();
    const IN_PLACE: [bool; 2] = [true; 2];
    const COMPUTES: bool = true;
    #[inline(always)]
    fn again(op: &O, a: &A, b: &B, c: &C, slots: &impl Slots) -> Option<Val<O::Out>> {
        let (x, y, z) = (
            A::Pieces::source(a, slots),
            B::Pieces::source(b, slots),
            C::Pieces::source(c, slots),
        );
        Some(op.fold(&x, &y, &z).0)
    }
    #[inline(always)]
    fn value(node: &Replay<O, A, B, C, Self>) -> Option<Arg<'_, O::Out>> {
        node.result()
    }
    #[inline(always)]
    fn pull<Co: Contribution<O::Out>>(
        node: &Replay<O, A, B, C, Self>,
        contribution: Co,
        sweep: &mut impl Sweep,
    ) {
        contribution.hand_to(
            #[inline(always)]
            |r_b| node.unfold(r_b.get(), sweep),
        );
    }
}

impl<O, A: Stored, B: Stored, C: Stored> Replay<O, A, B, C, Reduction>
where
    O: ReductionRule<A::Kind, B::Kind, C::Kind>,
{
    #[inline(always)]
    fn unfold(&self, r_b: Arg<'_, O::Out>, sweep: &mut impl Sweep) {
        let Unfolded {
            shapes,
            pieces,
            r_b,
        } = {
            // Unread values are not loaded, so their shapes are unknown.
            let [read_a, read_b, read_c, _] = const { needs_of::<O, A, B, C>(Need::InSlot) };
            self.op.unfold(
                &self.saved,
                #[inline(always)]
                || {
                    let (a, b, c) = self.sources(sweep);
                    (
                        read_a.value().then(|| a.shape()),
                        read_b.value().then(|| b.shape()),
                        read_c.value().then(|| c.shape()),
                    )
                },
                self.result(),
                r_b,
            )
        };
        let mut sums = PerArgument::default();
        self.open_arguments(shapes, &mut sums, sweep);
        let piece = |x| <O::Out as Kind>::Layout::piece(&<O::Out as Kind>::Layout::view(x), 0);
        let (r, r_b) = (self.result().map(piece), piece(arg::<O::Out>(&r_b)));
        let run = |gathered: &mut _, sums: &mut _, sweep: &mut _| {
            <A::Kind as Kind>::Layout::run(Unfolding {
                replay: self,
                pieces,
                r,
                r_b,
                gathered,
                sums,
                sweep,
            });
        };
        if const { fresh::<A, B, C>() } {
            run(&mut BlocksIn::<A, B, C>::default(), &mut sums, sweep);
        } else {
            let mut gathered = sweep.take_scratch::<BlocksIn<A, B, C>>();
            run(&mut gathered, &mut sums, sweep);
            sweep.return_scratch(gathered);
        }
        self.close_arguments(sums, sweep);
    }
}
struct Unfolding<'s, 'm, O, A: Stored, B: Stored, C: Stored, W>
where
    O: ReductionRule<A::Kind, B::Kind, C::Kind>,
{
    replay: &'s Replay<O, A, B, C, Reduction>,
    pieces: Range<usize>,
    r: Option<Piece<O::Out>>,
    r_b: Piece<O::Out>,
    gathered: &'m mut BlocksIn<A, B, C>,
    sums: &'m mut PerArgument<SumsOf<A>, SumsOf<B>, SumsOf<C>>,
    sweep: &'m mut W,
}
impl<O, A: Stored, B: Stored, C: Stored, W: Sweep> PieceLoop for Unfolding<'_, '_, O, A, B, C, W>
where
    O: ReductionRule<A::Kind, B::Kind, C::Kind>,
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
            sweep,
        } = self;
        blocks(
            pieces.len(),
            #[inline(always)]
            |At { start, length }| {
                let at = At {
                    start: start + pieces.start,
                    length,
                };
                unfold_block(replay, &replay.sources(sweep), at, (&r, &r_b), gathered);
                replay.finish_arguments(at, gathered, sums, sweep);
            },
        );
    }
}
/// A loop without calls and aliased memory.
#[inline(always)]
fn unfold_block<'s, O, A: Stored, B: Stored, C: Stored>(
    replay: &'s Replay<O, A, B, C, Reduction>,
    sources: &(SourceOf<'s, A>, SourceOf<'s, B>, SourceOf<'s, C>),
    at: At,
    (r, r_b): (&Option<Piece<O::Out>>, &Piece<O::Out>),
    gathered: &mut BlocksIn<A, B, C>,
) where
    O: ReductionRule<A::Kind, B::Kind, C::Kind>,
{
    let sources = arguments_within::<Root, O, A::Kind, B::Kind, C::Kind, _, _, _>(sources, at);
    for i in 0..at.length {
        let values = argument_values::<Root, O, A::Kind, B::Kind, C::Kind, _, _, _>(&sources, i);
        replay.pull_arguments(i, &values, r.clone(), r_b.clone(), gathered);
    }
}
