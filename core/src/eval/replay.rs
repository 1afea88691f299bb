use crate::{
    differences::Findings,
    formula::Formula,
    kind::{
        Arg, Contribution, Incoming, Kind, Layout, Need, Policy, TapeCell, TapeValue, Val, arg,
        misfit_from, new_cell, recycle,
    },
    node::{Description, ExpressionVisitor, Stored, StoredPieces, Tree, with_need},
    order::Order,
    rule::{Evaluation, Rule, Saved, dependence, needs, verified},
    store::{Operation, Reader, ReductionFunctions},
    sweep::{ReadValues, Slots, Sweep},
};
use std::{
    any::type_name,
    mem::{ManuallyDrop, needs_drop},
};

/// The operation `O` in a sweep, reversed by `E`.
pub struct Replay<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E>
where
    E: Backward<O, A, B, C>,
{
    pub(super) op: O,
    pub(super) a: A,
    pub(super) b: B,
    pub(super) c: C,
    /// Dropped by [`Stored::done`].
    r: ManuallyDrop<Option<TapeValue<O::Out>>>,
    pub(super) saved: O::Saved,
    pub(super) read: bool,
    pub(super) late: ManuallyDrop<E::Late>,
}
debug_by_name! { [O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E] Replay<O, A, B, C, E> where [E: Backward<O, A, B, C>] }

/// How a sweep reverses an operation; see [`eval`](crate::eval).
pub trait Backward<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored>:
    Sized + 'static
{
    /// How an elementwise parent reads pieces of the result.
    type Pieces: StoredPieces<Replay<O, A, B, C, Self>>;
    /// Storage for a result that is computed on request.
    type Late: Default + 'static;
    /// Whether pieces of arguments are read in place: always, or if the result's pieces are.
    const IN_PLACE: [bool; 2] = [false; 2];
    /// Whether pieces' adjoints follow from one number, so that `-0.0` is computed.
    const COMPUTES: bool = false;
    /// Whether arguments of the result's kind have its shape.
    const SHARES_SHAPE: bool = false;
    /// Recomputes a result that is read, unless arguments are missing or it is deferred.
    fn again(op: &O, a: &A, b: &B, c: &C, slots: &impl Slots) -> Option<Val<O::Out>>;
    /// See [`Stored::value`].
    fn value(node: &Replay<O, A, B, C, Self>) -> Option<Arg<'_, O::Out>>;
    /// See [`Stored::pull`].
    fn pull<Co: Contribution<O::Out>>(
        node: &Replay<O, A, B, C, Self>,
        contribution: Co,
        sweep: &mut impl Sweep,
    );
}

#[inline(always)]
pub(crate) const fn needs_of<
    O: Rule<A::Kind, B::Kind, C::Kind>,
    A: Stored,
    B: Stored,
    C: Stored,
>(
    need: Need,
) -> [Need; 4] {
    needs(
        need,
        [
            O::FLOWS[0] && A::ACTIVE,
            O::FLOWS[1] && B::ACTIVE,
            O::FLOWS[2] && C::ACTIVE,
        ],
        O::READS,
        O::Saved::RESULT,
    )
}
const fn all_needs<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored>()
-> [[Need; 4]; 3] {
    [
        needs_of::<O, A, B, C>(Need::Unused),
        needs_of::<O, A, B, C>(Need::Recompute),
        needs_of::<O, A, B, C>(Need::InSlot),
    ]
}
#[inline(always)]
pub(crate) const fn again<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored>(
    need: Need,
) -> bool {
    !matches!(need, Need::InSlot) && needs_of::<O, A, B, C>(need)[3].value()
}

const fn sizes(
    own: [usize; 3],
    needs: [[Need; 4]; 3],
    a: [usize; 3],
    b: [usize; 3],
    c: [usize; 3],
) -> [usize; 3] {
    let mut sizes = own;
    let mut i = 0;
    while i < 3 {
        sizes[i] += a[needs[i][0] as usize] + b[needs[i][1] as usize] + c[needs[i][2] as usize];
        i += 1;
    }
    sizes
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    pub(super) const NEEDS: [[Need; 4]; 3] = all_needs::<O, A, B, C>();
    const AGAIN: [bool; 3] = [
        again::<O, A, B, C>(Need::Unused),
        again::<O, A, B, C>(Need::Recompute),
        again::<O, A, B, C>(Need::InSlot),
    ];
    const fn own_bytes(need: Need) -> usize {
        O::BYTES + O::Saved::BYTES[Self::AGAIN[need as usize] as usize]
    }
    #[inline(always)]
    pub(super) fn check_shape<Co: Contribution<O::Out>>(&self, r_b: &Incoming<'_, O::Out>) {
        if <O::Out as Kind>::Policy::STORAGE
            && let Some(r) = &*self.r
        {
            let r_b = r_b.get();
            let r_b = <O::Out as Kind>::Policy::value(&r_b);
            if !O::Out::same_shape(r_b, r.peek()) {
                misfit_from::<O::Out>(Co::ORIGIN, r_b, r.peek());
            }
        }
    }
    #[inline(always)]
    pub(super) fn result(&self) -> Option<Arg<'_, O::Out>> {
        self.r.as_ref().map(|r| arg::<O::Out>(r.peek()))
    }
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored, E> Stored
    for Replay<O, A, B, C, E>
where
    E: Backward<O, A, B, C>,
{
    type Kind = O::Out;
    type Pieces = E::Pieces;
    const FORMULA: Formula =
        Formula::Apply(type_name::<O>, [&A::FORMULA, &B::FORMULA, &C::FORMULA]);
    const TREE: &'static Tree = {
        let [without, bytes] = <O::Saved as Saved<O::Out>>::BYTES;
        let saves_nothing = without == 0 && bytes == 0;
        let reduces = O::Out::NUMBERS && without == bytes && !O::Saved::RESULT;
        if reduces && Tree::are_lists([A::TREE, B::TREE, C::TREE]) {
            &Tree::Reduced(
                const {
                    &Operation::with::<O, A::Kind, B::Kind, C::Kind>(
                        const { &ReductionFunctions::of::<O, A::Kind, B::Kind, C::Kind>() },
                    )
                },
                [A::TREE, B::TREE, C::TREE],
            )
        } else if O::Out::NUMBERS && saves_nothing {
            &Tree::Operation(
                const { &Operation::of::<O, A::Kind, B::Kind, C::Kind>() },
                [A::TREE, B::TREE, C::TREE],
            )
        } else if <O::Out as Kind>::Layout::NUMBERS && saves_nothing && O::FUNCTIONS.is_some() {
            &Tree::OfElements(
                const { &Operation::of::<O, A::Kind, B::Kind, C::Kind>() },
                [A::TREE, B::TREE, C::TREE],
            )
        } else {
            &Tree::Other
        }
    };
    const ACTIVE: bool =
        O::FLOWS[0] && A::ACTIVE || O::FLOWS[1] && B::ACTIVE || O::FLOWS[2] && C::ACTIVE;
    const FIXED: [usize; 3] = sizes(
        [
            Self::own_bytes(Need::Unused),
            Self::own_bytes(Need::Recompute),
            Self::own_bytes(Need::InSlot),
        ],
        Self::NEEDS,
        A::FIXED,
        B::FIXED,
        C::FIXED,
    );
    const DATA: [usize; 3] = sizes(
        [
            Self::own_bytes(Need::Unused),
            Self::own_bytes(Need::Recompute),
            Self::own_bytes(Need::InSlot),
        ],
        Self::NEEDS,
        A::DATA,
        B::DATA,
        C::DATA,
    );
    const CONSTANTS: [usize; 3] = sizes(
        [0; 3],
        Self::NEEDS,
        A::CONSTANTS,
        B::CONSTANTS,
        C::CONSTANTS,
    );
    const READS_RESULT: bool = Self::NEEDS[Need::InSlot as usize][3].value();
    const DYNAMIC: bool = A::DYNAMIC || B::DYNAMIC || C::DYNAMIC;
    const TELLS_SIZE: bool = A::TELLS_SIZE && B::TELLS_SIZE && C::TELLS_SIZE;
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        known: Option<TapeValue<O::Out>>,
    ) -> Self {
        // Conditions are constant. `ManuallyDrop` avoids code for panics.
        macro_rules! argument {
            ($S:ident $i:literal) => {
                with_need! { Self::NEEDS[NEED as usize][$i], OF => {
                    ManuallyDrop::new(if const { E::IN_PLACE[PIECES as usize] } {
                        $S::load::<true, OF>(reader, sweep, None)
                    } else {
                        $S::load::<false, OF>(reader, sweep, None)
                    })
                } }
            };
        }
        let (known, late) = (ManuallyDrop::new(known), ManuallyDrop::default());
        let op = ManuallyDrop::new(O::fetch(reader));
        let (a, b, c) = (argument!(A 0), argument!(B 1), argument!(C 2));
        let saved = ManuallyDrop::new(O::Saved::read(const { Self::AGAIN[NEED as usize] }, reader));
        let r = if const { !Self::NEEDS[NEED as usize][3].value() } {
            drop(ManuallyDrop::into_inner(known));
            ManuallyDrop::new(None)
        } else if const { matches!(Need::of(NEED), Need::InSlot) } {
            known
        } else if const { O::Saved::RESULT } {
            ManuallyDrop::new(saved.result().map(new_cell::<O::Out>))
        } else {
            ManuallyDrop::new(E::again(&op, &a, &b, &c, sweep).map(new_cell::<O::Out>))
        };
        Replay {
            op: ManuallyDrop::into_inner(op),
            a: ManuallyDrop::into_inner(a),
            b: ManuallyDrop::into_inner(b),
            c: ManuallyDrop::into_inner(c),
            r,
            saved: ManuallyDrop::into_inner(saved),
            read: const { Self::NEEDS[NEED as usize][3].value() },
            late,
        }
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, O::Out>> {
        E::value(self)
    }
    fn cell(&self) -> Option<TapeValue<O::Out>> {
        let late = || {
            let value = E::value(self)?;
            Some(TapeCell::new(
                <O::Out as Kind>::Policy::value(&value).clone(),
            ))
        };
        (*self.r).clone().or_else(late)
    }
    const FUSED: bool = <O::Evaluation as Evaluation<O, A::Kind, B::Kind, C::Kind>>::FUSED;
    #[inline(never)]
    fn again(&self, sweep: &mut impl Sweep, found: &mut Findings) -> Option<Val<O::Out>> {
        found.rounds |= Self::FUSED && (A::FUSED || B::FUSED || C::FUSED);
        let (a, b, c) = (
            self.a.again(sweep, found),
            self.b.again(sweep, found),
            self.c.again(sweep, found),
        );
        let wanted = [
            O::FLOWS[0] && self.a.is_active(),
            O::FLOWS[1] && self.b.is_active(),
            O::FLOWS[2] && self.c.is_active(),
        ];
        Some(verified(&self.op, (&a?, &b?, &c?), wanted, found))
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        (const { O::FLOWS[0] && A::ACTIVE }) && self.a.is_active()
            || const { O::FLOWS[1] && B::ACTIVE } && self.b.is_active()
            || const { O::FLOWS[2] && C::ACTIVE } && self.c.is_active()
    }
    #[inline(always)]
    fn pull<Co: Contribution<O::Out>>(&self, contribution: Co, sweep: &mut impl Sweep) {
        E::pull(self, contribution, sweep);
    }
    const ORDER: Order = O::ORDER.and(A::ORDER).and(B::ORDER).and(C::ORDER);
    const DESCRIPTION: &'static Description<O::Out> = Self::DESCRIBED;
    const TAKES_SCRATCH: bool = A::TAKES_SCRATCH
        || B::TAKES_SCRATCH
        || C::TAKES_SCRATCH
        || needs_drop::<TapeValue<O::Out>>()
        || needs_drop::<(O, O::Saved, E::Late)>();
    #[inline(always)]
    fn done(self, sweep: &mut impl Sweep) {
        if const { !Self::TAKES_SCRATCH } {
            return;
        }
        self.a.done(sweep);
        self.b.done(sweep);
        self.c.done(sweep);
        // In place, the node would stay in memory.
        drop(ManuallyDrop::into_inner(self.late));
        if let Some(cell) = ManuallyDrop::into_inner(self.r) {
            recycle::<O::Out>(cell);
        }
    }
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        self.a.show(variable_length, to);
        self.b.show(variable_length, to);
        self.c.show(variable_length, to);
        to.operation(const { &dependence::<O, A::Kind, B::Kind, C::Kind>() });
    }
}
