//! An operation on the tape.
use super::{
    Need, Stored,
    sweep_pieces::{Gather, StoredPieces},
};
use crate::{
    kind::{Adjoint, Arg, Cell, Contribution, Hold, Keep, Kind, Stash, arg, hold, recycle},
    rule::{ArgSinks, Primals, Rule, SameSinks, needs},
    tape::{Access, Reader},
};
use std::{any::TypeId, mem::ManuallyDrop};

/// The operation `O` as a sweep rebuilds it: its arguments, its result where an adjoint reads it, and
/// what its rule saved.
pub struct Replay<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored> {
    pub(super) op: O,
    pub(super) a: A,
    pub(super) b: B,
    pub(super) c: C,
    /// The result, see [`Stored::done`].
    r: ManuallyDrop<Option<Cell<O::Out>>>,
    pub(super) saved: O::Saved,
}

/// For each argument and for the result, whether a sweep needs its value.
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
        O::SAVES_RESULT,
    )
}

/// `own` plus the sizes of the arguments, by what is needed of this node.
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

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored> Replay<O, A, B, C> {
    const NEEDS: [[Need; 4]; 3] = [
        needs_of::<O, A, B, C>(Need::No),
        needs_of::<O, A, B, C>(Need::Value),
        needs_of::<O, A, B, C>(Need::Known),
    ];
    /// Bytes of the saved intermediates that a statement stores, by what is needed of this node.
    #[inline(always)]
    pub(super) const fn saved_bytes(need: Need) -> usize {
        let again = !matches!(need, Need::Known) && Self::NEEDS[need as usize][3].value();
        if again || !O::REMEMBERS.yes() {
            O::Saved::BYTES
        } else {
            0
        }
    }
    /// Whether the result is read, by what is needed of this node.
    #[inline(always)]
    pub(super) fn reads_result(need: Need) -> bool {
        Self::NEEDS[need as usize][3].value()
    }
    /// Whether an adjoint flows into the first argument.
    #[inline(always)]
    pub(super) fn wants_a(&self) -> bool {
        O::FLOWS[0] && A::ACTIVE && self.a.is_active()
    }
    /// Whether an adjoint flows into the second argument.
    #[inline(always)]
    pub(super) fn wants_b(&self) -> bool {
        O::FLOWS[1] && B::ACTIVE && self.b.is_active()
    }
    /// Whether the arguments may be one plain variable, and both add to its adjoint.
    const SQUARES: bool = A::VARIABLE
        && B::VARIABLE
        && <A::Kind as Kind>::Keep::PLAIN
        && O::FLOWS[0]
        && O::FLOWS[1]
        && O::READS[0] != 0
        && O::READS[1] != 0;
    /// The identifier, if the arguments are one variable, as in `x * x`: one adjoint that is added to twice would
    /// make the second addition, and all that depends on it, wait for the first one to go through memory.
    #[inline(always)]
    fn same(&self) -> Option<u32> {
        let alike = TypeId::of::<A::Kind>() == TypeId::of::<B::Kind>()
            && TypeId::of::<C::Kind>() == TypeId::of::<()>();
        let id = self.a.identifier().filter(|_| alike)?;
        (self.b.identifier()? == id).then_some(id)
    }
    /// Whether an adjoint flows into the third argument.
    #[inline(always)]
    pub(super) fn wants_c(&self) -> bool {
        O::FLOWS[2] && C::ACTIVE && self.c.is_active()
    }
    /// Sends the adjoint of the result to those of the arguments.
    #[inline(always)]
    fn send(&self, r_b: Arg<'_, O::Out>, stores: &mut Access<'_>) {
        if O::FOLDS {
            self.unfold(r_b, stores);
            return;
        }
        let primals = self.primals();
        if Self::SQUARES
            && let Some(id) = self.same()
        {
            let sum = if O::SAME {
                Some(self.op.adjoint_of_same(primals, &self.saved, r_b))
            } else {
                let mut sum = None;
                let sinks = SameSinks(&mut sum);
                self.op.adjoint(primals, &self.saved, r_b, sinks);
                sum
            };
            if A::Kind::CHAINS {
                // It may wait in registers.
                if let Some(sum) = sum {
                    self.a.pull(sum, stores);
                }
                return;
            }
            let adjoint = stores.get::<A::Kind>().adjoint(id);
            match sum {
                // Many squares are the first to add to an adjoint; what reads it next need not wait for zero to be added.
                Some(sum) if adjoint.is_unset() => {
                    let place = adjoint.value_mut(|| A::Kind::zero_like(&sum));
                    *place = sum;
                }
                Some(sum) => adjoint.add(sum),
                None => {}
            }
        } else {
            self.op
                .adjoint(primals, &self.saved, r_b, self.sinks(stores));
        }
    }
    #[inline(always)]
    fn sinks<'s, 't>(&'s self, stores: &'s mut Access<'t>) -> ArgSinks<'s, 't, A, B, C> {
        ArgSinks {
            a: &self.a,
            b: &self.b,
            c: &self.c,
            stores,
        }
    }
    #[inline(always)]
    fn primals(&self) -> Primals<'_, A::Kind, B::Kind, C::Kind, O::Out> {
        Primals {
            a: self.a.value(),
            b: self.b.value(),
            c: self.c.value(),
            r: self.value(),
            rule: std::any::type_name::<O>(),
        }
    }
    /// Reads the operation, and computes its result again if that is read and the caller wants it.
    #[inline(always)]
    pub(super) fn load_if(
        compute: bool,
        reader: &mut Reader<'_>,
        stores: &mut Access<'_>,
        need: Need,
        known: Option<Cell<O::Out>>,
    ) -> Self {
        let needs = Self::NEEDS[need as usize];
        let op = O::fetch(reader);
        let a = A::load(reader, stores, needs[0], None);
        let b = B::load(reader, stores, needs[1], None);
        let c = C::load(reader, stores, needs[2], None);
        let saved = if O::REMEMBERS.yes() && Self::saved_bytes(need) == 0 {
            O::nothing_saved()
        } else {
            O::Saved::fetch(reader)
        };
        let r = if !needs[3].value() {
            None
        } else if known.is_some() {
            known
        } else if O::SAVES_RESULT {
            O::result(&saved).map(hold::<O::Out>)
        } else if !compute {
            None
        } else if O::FOLDS {
            let (x, y, z) = (
                A::Pieces::source(&a),
                B::Pieces::source(&b),
                C::Pieces::source(&c),
            );
            Some(hold::<O::Out>(op.fold(&x, &y, &z).0))
        } else if let (Some(x), Some(y), Some(z)) = (a.value(), b.value(), c.value()) {
            Some(hold::<O::Out>(op.primal(x, y, z).0))
        } else {
            None
        };
        Replay {
            op,
            a,
            b,
            c,
            r: ManuallyDrop::new(r),
            saved,
        }
    }
}

impl<O: Rule<A::Kind, B::Kind, C::Kind>, A: Stored, B: Stored, C: Stored> Stored
    for Replay<O, A, B, C>
{
    type Kind = O::Out;
    type Pieces = Gather;
    const ACTIVE: bool =
        O::FLOWS[0] && A::ACTIVE || O::FLOWS[1] && B::ACTIVE || O::FLOWS[2] && C::ACTIVE;
    const FIXED: [usize; 3] = sizes(
        [
            O::BYTES + Self::saved_bytes(Need::No),
            O::BYTES + Self::saved_bytes(Need::Value),
            O::BYTES + Self::saved_bytes(Need::Known),
        ],
        Self::NEEDS,
        A::FIXED,
        B::FIXED,
        C::FIXED,
    );
    const CONSTANTS: [usize; 3] = sizes(
        [0; 3],
        Self::NEEDS,
        A::CONSTANTS,
        B::CONSTANTS,
        C::CONSTANTS,
    );
    const READS_RESULT: bool = Self::NEEDS[Need::Known as usize][3].value();
    const DYNAMIC: bool = A::DYNAMIC || B::DYNAMIC || C::DYNAMIC;
    #[inline(always)]
    fn load(
        reader: &mut Reader<'_>,
        stores: &mut Access<'_>,
        need: Need,
        known: Option<Cell<O::Out>>,
    ) -> Self {
        Self::load_if(true, reader, stores, need, known)
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, O::Out>> {
        self.r.as_ref().map(|r| arg::<O::Out>(r.peek()))
    }
    fn cell(&self) -> Option<Cell<O::Out>> {
        (*self.r).clone()
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.wants_a() || self.wants_b() || self.wants_c()
    }
    #[inline(always)]
    fn pull<Co: Contribution<O::Out>>(&self, contribution: Co, stores: &mut Access<'_>) {
        if Co::LENDS {
            self.send(arg::<O::Out>(contribution.lent()), stores);
            return;
        }
        let mut r_b = contribution.materialise();
        if O::MOVES {
            let (primals, sinks) = (self.primals(), self.sinks(stores));
            self.op.adjoint_of_owned(primals, &self.saved, r_b, sinks);
        } else {
            self.send(arg::<O::Out>(&r_b), stores);
            O::Out::recycle(&mut r_b);
        }
    }
    #[inline(always)]
    fn done(self) {
        self.a.done();
        self.b.done();
        self.c.done();
        if let Some(cell) = ManuallyDrop::into_inner(self.r) {
            recycle::<O::Out>(cell);
        }
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        self.a.show(to);
        self.b.show(to);
        self.c.show(to);
    }
}
