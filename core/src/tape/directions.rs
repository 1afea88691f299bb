//! Statements along directions.
//!
//! ```text
//! forward    target, arguments on the old values, their tangents, that of the result; the target gets the new value
//! back       adjoint and its tangents are taken, value and tangents are put back, arguments, sinks
//! ```
use super::{
    handles::Entry,
    layout::Sweeping,
    lists::ListOfResult,
    numbers::{ResultOf, interpret},
    sequence::pop_block,
    statement::{StatementVisitor, split},
    target::Target,
};
use crate::{
    kind::{Adjoint, Kind, Need, Policy, TapeCell, TapeValue, Val, recycle_some, same, same_bits},
    node::{Description, DirectionalNode, Stored},
    order::Order,
    storage::ObjectArena,
    store::{AllTangents, AnyDirections, MANY, RightHandSide},
    sweep::{Directional, ReadValues as _, StatementCursor, Sweep as _, SweepContext, WholeValues},
};
use std::{any::Any, marker::PhantomData};

pub(crate) type Forward = fn(&mut SweepContext<'_>, AnyDirections<'_>, &mut [u8], &Entry);
pub(crate) type Back =
    for<'b> fn(&mut SweepContext<'_>, AnyDirections<'_>, &'b mut [u8], &Entry) -> &'b mut [u8];
pub(crate) struct Sweeps {
    pub(crate) order: Order,
    /// `None` if it consists of numbers and lists of them.
    pub(crate) description: Option<&'static (dyn Any + Sync)>,
    pub(crate) fresh: bool,
    /// `None` if it sets a new number: the library has these functions.
    pub(crate) functions: Option<SweepFunctions>,
}

#[derive(Clone, Copy)]
pub(crate) struct SweepFunctions {
    pub(crate) tangents: Forward,
    pub(crate) second: Back,
}
struct DescribedStatement<T, K>(PhantomData<(T, K)>);
impl<T: Target<K>, K: Kind> DescribedStatement<T, K> {
    const FUNCTIONS: SweepFunctions = SweepFunctions {
        tangents: Self::tangents,
        second: Self::second,
    };
    fn with_root<R>(
        walk: &mut StatementCursor<'_, '_>,
        rhs: RightHandSide<'_>,
        entry: &Entry,
        result: &Option<TapeValue<K>>,
        act: impl FnOnce(&mut dyn DirectionalNode<K>, &mut StatementCursor<'_, '_>) -> R,
    ) -> R {
        let statement = entry.statement;
        let description = statement.sweeps.and_then(|sweeps| sweeps.description);
        let description = description.and_then(|any| (any as &dyn Any).downcast_ref());
        let description: &Description<K> = description.expect("the right-hand side as data");
        let mut arena = walk.sweep.take_scratch::<ObjectArena>();
        let known = result.clone().filter(|_| statement.reads_result);
        let mut reader = rhs.reader(statement.formula, statement.mixed, walk.stacks);
        let mut values = WholeValues(&mut walk.sweep);
        let mut root =
            description
                .node_reader
                .read(Need::InSlot, &mut reader, &mut values, known, &arena);
        reader.finish();
        let made = act(&mut *root, walk);
        if description.takes_scratch {
            root.give_back(&mut walk.sweep);
        }
        drop(root);
        arena.reset();
        walk.sweep.return_scratch(arena);
        made
    }
    fn result(
        target: &T,
        walk: &mut StatementCursor<'_, '_>,
        entry: &Entry,
    ) -> Option<TapeValue<K>> {
        (entry.statement.reads_result || K::Policy::STORAGE).then(|| target.result(walk))
    }
    fn tangents(
        context: &mut SweepContext<'_>,
        mut all: AnyDirections<'_>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        let (_, block) = pop_block(statement, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load_forward(lhs, walk);
        // The right-hand side needs the old value.
        target.exchange(lhs, walk);
        let result = Self::result(&target, walk, entry);
        target.exchange(lhs, walk);
        walk.sweep.set_variable_length(rhs.variable_length);
        let like = result.as_ref().filter(|_| K::Policy::STORAGE);
        let like = like.map(TapeCell::peek);
        let made = Self::with_root(walk, rhs, entry, &result, |root, walk| {
            if !depends(root, all.reborrow(), walk) {
                return Vec::new();
            }
            let each = (0..all.count()).map(|j| {
                let mut sweep = Directional::new(&mut walk.sweep, all.reborrow(), j);
                root.push_forward(&mut sweep, like, None);
                root.take_tangent()
            });
            each.collect()
        });
        set_tangents(&target, made, all, walk);
        target.exchange(lhs, walk);
    }
    fn second<'b>(
        context: &mut SweepContext<'_>,
        mut all: AnyDirections<'_>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = pop_block(tape, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load(lhs, walk);
        let adjoint = target.take_adjoint(&mut walk.sweep);
        let (adjoints, mut of_target) = take_adjoints(&target, all.reborrow(), walk);
        let none = adjoints.iter().all(Adjoint::is_unset);
        if adjoint.is_unset() && none {
            target.exchange(lhs, walk);
            return rest;
        }
        let result = Self::result(&target, walk, entry);
        let mut value_of = |adjoint: K::Adjoint| {
            (!adjoint.is_unset())
                .then(|| adjoint.value_or_zero(|| target.result(walk).into_inner()))
        };
        let mut r_b = value_of(adjoint);
        let r_bt: Vec<_> = adjoints.into_iter().map(value_of).collect();
        target.exchange(lhs, walk);
        walk.sweep.set_variable_length(rhs.variable_length);
        let like = result.as_ref().filter(|_| K::Policy::STORAGE);
        let like = like.map(TapeCell::peek);
        Self::with_root(walk, rhs, entry, &result, |root, walk| {
            if !root.is_active() {
                return;
            }
            let depends = depends(root, all.reborrow(), walk);
            let count = if depends || !none { all.count() } else { 1 };
            for (j, tangent) in r_bt.into_iter().enumerate().take(count) {
                let known = of_target.as_mut().map(|all| all.next());
                let mut sweep = Directional::new(&mut walk.sweep, all.reborrow(), j);
                if depends {
                    root.push_forward(&mut sweep, like, known);
                }
                root.pull(r_b.take(), tangent, &mut sweep);
            }
        });
        recycle_some::<K>(r_b);
        rest
    }
}
fn depends<K: Kind>(
    root: &dyn DirectionalNode<K>,
    all: AnyDirections<'_>,
    walk: &mut StatementCursor<'_, '_>,
) -> bool {
    all.count() == 1 || root.depends(&mut Directional::new(&mut walk.sweep, all, 0))
}
#[inline(never)]
fn set_tangents<K: Kind, T: Target<K>>(
    target: &T,
    tangents: Vec<Option<Val<K>>>,
    all: AnyDirections<'_>,
    walk: &mut StatementCursor<'_, '_>,
) {
    let zero = tangents.iter().flatten().next().map(K::unset_tangent);
    let tangents: Option<Vec<_>> = zero.map(|zero| {
        let each = tangents.into_iter();
        each.map(|tangent| tangent.unwrap_or_else(|| zero.clone()))
            .collect()
    });
    match all {
        AnyDirections::One(all) => {
            target.set_tangents::<1>(tangents.and_then(to_array), all, &mut walk.sweep)
        }
        AnyDirections::Many(all) => {
            target.set_tangents::<MANY>(tangents.and_then(to_array), all, &mut walk.sweep)
        }
    }
}
fn to_array<V, const N: usize>(all: Vec<V>) -> Option<[V; N]> {
    all.try_into().ok()
}
type Replaced<K> = std::vec::IntoIter<Val<K>>;
/// Takes the tangents of the target's adjoint, and restores the former tangents of its value.
#[inline(never)]
fn take_adjoints<K: Kind, T: Target<K>>(
    target: &T,
    all: AnyDirections<'_>,
    walk: &mut StatementCursor<'_, '_>,
) -> (Vec<K::Adjoint>, Option<Replaced<K>>) {
    fn of<K: Kind, T: Target<K>, const N: usize>(
        target: &T,
        all: &mut AllTangents<N>,
        walk: &mut StatementCursor<'_, '_>,
    ) -> (Vec<K::Adjoint>, Option<Replaced<K>>) {
        let adjoints = target.take_adjoints(all, walk).into_iter().collect();
        let replaced = target.restore_tangents(all);
        let each = replaced.map(|replaced| replaced.into_iter().flatten().collect::<Vec<_>>());
        (adjoints, each.map(Vec::into_iter))
    }
    match all {
        AnyDirections::One(all) => of(target, all, walk),
        AnyDirections::Many(all) => of(target, all, walk),
    }
}
pub(super) fn split_by<'b, K: Kind, T: Target<K>>(
    block: &'b mut [u8],
    entry: &'b Entry,
) -> (&'b mut [u8], RightHandSide<'b>) {
    split::<K, T>(
        block,
        entry,
        [entry.statement.fixed, entry.statement.constants],
    )
}

/// Statements whose right-hand side is data.
pub(super) trait Interpreted {
    fn tangent<const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    );
    fn second<'b, const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8];
}
const fn functions<S: Interpreted>() -> SweepFunctions {
    SweepFunctions {
        tangents: |context, all, statement, entry| match all {
            AnyDirections::One(all) => S::tangent(context, all, statement, entry),
            AnyDirections::Many(all) => S::tangent(context, all, statement, entry),
        },
        second: |context, all, tape, entry| match all {
            AnyDirections::One(all) => S::second(context, all, tape, entry),
            AnyDirections::Many(all) => S::second(context, all, tape, entry),
        },
    }
}

pub(super) struct NumberStatement<T, K>(PhantomData<(T, K)>);
impl<T: Target<K>, K: Kind> NumberStatement<T, K> {
    pub(super) fn show(
        context: &mut SweepContext<'_>,
        block: &mut [u8],
        entry: &Entry,
        to: &mut dyn StatementVisitor,
    ) {
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load_forward(lhs, walk);
        target.show(&mut |target, whole| to.target(target, whole));
        let recorded: Option<f64> = to.verifies().is_some().then(|| {
            target.exchange(lhs, walk);
            let result = same(target.result(walk));
            target.exchange(lhs, walk);
            result
        });
        let again = entry.program().show(walk, &rhs, entry.statement.mixed, to);
        if let (Some(recorded), Some(again)) = (recorded, again)
            && !same_bits::<f64>(&again, &recorded)
        {
            to.differs();
        }
        target.exchange(lhs, walk);
    }
}
impl<T: Target<K>, K: Kind> Interpreted for NumberStatement<T, K> {
    #[inline(always)]
    fn tangent<const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        let (_, block) = pop_block(statement, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load_forward(lhs, walk);
        let program = entry.program();
        let result = program.reads_result.then(|| {
            target.exchange(lhs, walk);
            let result = same(target.result(walk));
            target.exchange(lhs, walk);
            result
        });
        let (mixed, of) = (entry.statement.mixed, ResultOf::new(result));
        let (interpret, _) = interpret::<N>();
        let flows = interpret(program, Sweeping::Tangents, all, walk, &rhs, mixed, &of);
        let made = flows.then(|| same::<[f64; N], _>(*program.tangents(all)));
        target.set_tangents(made, all, &mut walk.sweep);
        target.exchange(lhs, walk);
    }
    #[inline(always)]
    fn second<'b, const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = pop_block(tape, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load(lhs, walk);
        let mut of = ResultOf::<N> {
            value: None,
            adjoint: same(target.take_adjoint(&mut walk.sweep)),
            directional: same(target.take_adjoints(all, walk)),
            tangents: same(target.restore_tangents(all).flatten()),
        };
        let program = entry.program();
        let none = of.adjoint.is_unset() && of.directional.iter().all(Adjoint::is_unset);
        if !none && program.reads_result {
            of.value = Some(same(target.result(walk)));
        }
        target.exchange(lhs, walk);
        if none {
            return rest;
        }
        let (mixed, (interpret, _)) = (entry.statement.mixed, interpret::<N>());
        interpret(program, Sweeping::Second, all, walk, &rhs, mixed, &of);
        rest
    }
}

struct ListStatement<T, K>(PhantomData<(T, K)>);
fn numbers<K: Kind>(value: &Val<K>) -> &[f64] {
    let value: &dyn Any = value;
    let value: Option<&Vec<f64>> = value.downcast_ref();
    value.unwrap_or_else(|| unreachable!("the value is a list of numbers"))
}
impl<T: Target<K>, K: Kind> Interpreted for ListStatement<T, K> {
    fn tangent<const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        let (_, block) = pop_block(statement, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load_forward(lhs, walk);
        target.exchange(lhs, walk);
        let result = target.result(walk);
        target.exchange(lhs, walk);
        let (program, result) = (entry.program(), numbers::<K>(result.peek()));
        let of = ListOfResult {
            length: result.len(),
            value: program.reads_result.then_some(result),
            adjoint: None,
            directional: None,
        };
        let (mixed, (_, interpret)) = (entry.statement.mixed, interpret::<N>());
        let made = interpret(program, Sweeping::Tangents, all, walk, &rhs, mixed, &of);
        target.set_tangents(made.map(same), all, &mut walk.sweep);
        target.exchange(lhs, walk);
    }
    fn second<'b, const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let (rest, block) = pop_block(tape, entry.size);
        let (lhs, rhs) = split_by::<K, T>(block, entry);
        let walk = &mut context.walk();
        let target = T::load(lhs, walk);
        let adjoint = target.take_adjoint(&mut walk.sweep);
        let adjoints = target.take_adjoints(all, walk);
        if let Some(replaced) = target.restore_tangents(all) {
            let replaced = replaced.into_iter().flatten();
            replaced.for_each(|tangent| recycle_some::<K>(Some(tangent)));
        }
        let none = adjoints.iter().all(Adjoint::is_unset);
        if adjoint.is_unset() && none {
            target.exchange(lhs, walk);
            return rest;
        }
        let result = target.result(walk);
        target.exchange(lhs, walk);
        let of_value = |adjoint: K::Adjoint| adjoint.value_or_zero(|| result.peek().clone());
        let r_b = (!adjoint.is_unset()).then(|| of_value(adjoint));
        let r_bt = (!none).then(|| adjoints.map(of_value));
        let (program, result) = (entry.program(), numbers::<K>(result.peek()));
        let of = ListOfResult {
            length: result.len(),
            value: program.reads_result.then_some(result),
            adjoint: r_b.as_ref().map(numbers::<K>),
            directional: r_bt.as_ref().map(|r_bt| r_bt.each_ref().map(numbers::<K>)),
        };
        let (mixed, (_, interpret)) = (entry.statement.mixed, interpret::<N>());
        interpret(program, Sweeping::Second, all, walk, &rhs, mixed, &of);
        recycle_some::<K>(r_b);
        let r_bt = r_bt.into_iter().flatten();
        r_bt.for_each(|adjoint| recycle_some::<K>(Some(adjoint)));
        rest
    }
}

pub(crate) struct SweepsOf<T, S>(PhantomData<(T, S)>);
impl<T: Target<S::Kind>, S: Stored> SweepsOf<T, S> {
    const IS_LISTS: bool = S::TREE.fits(S::FIXED[Need::InSlot as usize]);
    const FRESH: bool = Self::IS_LISTS
        && S::Kind::NUMBERS
        && matches!(T::OWNED, Some(false))
        && !S::TREE.has_entities();
    pub(crate) const SWEEPS: &'static Sweeps = &Sweeps {
        order: S::ORDER,
        description: if Self::IS_LISTS {
            None
        } else {
            Some(S::DESCRIPTION)
        },
        fresh: Self::FRESH,
        functions: if Self::FRESH {
            None
        } else if !Self::IS_LISTS {
            Some(DescribedStatement::<T, S::Kind>::FUNCTIONS)
        } else if S::Kind::NUMBERS {
            Some(functions::<NumberStatement<T, S::Kind>>())
        } else {
            Some(functions::<ListStatement<T, S::Kind>>())
        },
    };
}
