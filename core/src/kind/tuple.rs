//! Several outputs of one operation, as the kind of the operation's result.
use super::{Adjoint, Cell, Contribution, Hold, Kind, OnStack, One, Policy, Val};
use crate::{
    expr::{Active, Id},
    mode::{AnyMode, Identifier, Meta, Recording, Slot},
    node::Node,
    tape::{Inner, Memory, NewTarget, Recorded, Target, current, refuse_active},
};

/// The policy of results with several outputs: they are taken apart at once and have no variable of
/// their own.
#[derive(Clone, Copy, Debug)]
pub struct Several;
impl Policy for Several {
    type Id<M: AnyMode> = ();
    type Held<V: Clone + 'static, M: AnyMode> = V;
    type Cell<V: Clone + 'static> = V;
    type Arg<'a, V: Clone + 'static> = &'a V;
    const STORAGE: bool = false;
    const VARIABLES: bool = false;
    #[inline(always)]
    fn arg<V: Clone + 'static>(value: &V) -> &V {
        value
    }
    #[inline(always)]
    fn value<'v, V: Clone + 'static>(arg: &'v &V) -> &'v V {
        arg
    }
    fn cell<V: Clone + 'static, M: AnyMode>(held: &V) -> V {
        held.clone()
    }
    fn held<V: Clone + 'static, M: AnyMode>(cell: V) -> V {
        cell.unhold()
    }
}

/// Keeps others from implementing [`Outputs`].
mod sealed {
    use crate::kind::{Kind, List};

    pub trait Outputs {}
    impl<A: Kind, B: Kind> Outputs for (A, B) {}
    impl<A: Kind, B: Kind, C: Kind> Outputs for (A, B, C) {}
    impl<K: Kind> Outputs for List<K> {}
}

/// A result with several outputs: a pair, a triple, a [`List`](super::List). It is implemented here alone.
pub trait Outputs: Kind + sealed::Outputs {
    /// The variables that take the outputs.
    type Variables<'v, M: AnyMode>;
    /// New variables for the outputs.
    type New<M: AnyMode>;
    /// The outputs, as the tape holds them.
    type Cells: Clone;
    /// Takes a result apart.
    fn cells(values: Self::Value) -> Self::Cells;
    /// Passive variables with these values.
    fn passive<M: AnyMode>(values: Self::Cells) -> Self::New<M>;
    /// References to variables.
    fn variables<M: AnyMode>(new: &mut Self::New<M>) -> Self::Variables<'_, M>;
    /// Sets the values.
    #[track_caller]
    fn set<M: AnyMode>(variables: Self::Variables<'_, M>, values: Self::Value);
    /// Records one statement that gives the variables the values that `node` has.
    #[track_caller]
    fn record<M: Recording, N: Node<Kind = Self>>(
        variables: Self::Variables<'_, M>,
        values: Self::Cells,
        node: N,
        saves: N::Saves,
    );
}

/// Two and three outputs.
macro_rules! outputs { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind),*> Kind for ($($K,)*) {
        type Value = ($(Val<$K>,)*);
        type Adjoint = ($($K::Adjoint,)*);
        type Policy = Several;
        type Layout = One;
        type Keep = OnStack;
    type Memory = super::NoMemory;
    type Batch = super::OneByOne;
        const NAME: &'static str = "outputs";
        fn zero_like(like: &Self::Value) -> Self::Value { ($($K::zero_like(&like.$i),)*) }
        fn is_finite(value: &Self::Value) -> bool { true $(&& $K::is_finite(&value.$i))* }
        fn accumulate(into: &mut Self::Value, from: Self::Value) { $($K::accumulate(&mut into.$i, from.$i);)* }
    }
    impl<$($K: Kind),*> Adjoint<($($K,)*)> for ($($K::Adjoint,)*) {
        fn is_unset(&self) -> bool { true $(&& self.$i.is_unset())* }
        fn into_value(self) -> Option<Val<($($K,)*)>> { Some(($(self.$i.into_value()?,)*)) }
        fn value_or_zero(self, like: impl FnOnce() -> Val<($($K,)*)>) -> Val<($($K,)*)> {
            let like = like();
            ($(self.$i.value_or_zero(|| like.$i),)*)
        }
        fn add(&mut self, value: Val<($($K,)*)>) { $(self.$i.add(value.$i);)* }
        fn value_mut(&mut self, _: impl FnOnce() -> Val<($($K,)*)>) -> &mut Val<($($K,)*)> {
            unreachable!("the outputs of an operation have adjoints of their own")
        }
    }
    impl<$($K: Kind),*> Contribution<($($K,)*)> for ($(Val<$K>,)*) {
        fn add_to(self, adjoint: &mut ($($K::Adjoint,)*)) { $(self.$i.add_to(&mut adjoint.$i);)* }
        fn materialise(self) -> Self { self }
    }
    impl<$($K: Kind),*> Outputs for ($($K,)*) {
        type Variables<'v, M: AnyMode> = ($(&'v mut Active<$K, M>,)*);
        type New<M: AnyMode> = ($(Active<$K, M>,)*);
        type Cells = ($(Cell<$K>,)*);
        fn cells(values: Self::Value) -> Self::Cells { ($(Hold::hold(values.$i),)*) }
        fn passive<M: AnyMode>(values: Self::Cells) -> Self::New<M> { ($(Active::passive_cell(values.$i),)*) }
        fn variables<M: AnyMode>(new: &mut Self::New<M>) -> Self::Variables<'_, M> { ($(&mut new.$i,)*) }
        fn set<M: AnyMode>(variables: Self::Variables<'_, M>, values: Self::Value) {
            $(*variables.$i = Active::passive(values.$i);)*
        }
        #[track_caller]
        fn record<M: Recording, N: Node<Kind = Self>>(
            variables: Self::Variables<'_, M>,
            cells: Self::Cells,
            node: N,
            saves: N::Saves,
        ) {
            let mut taken = current::take();
            let Some(tape) = taken.tape() else {
                drop(saves);
                let meta = refuse_active(&node);
                $(variables.$i.replace(<$K::Policy as Policy>::held::<_, M>(cells.$i), meta, Slot::default(), None);)*
                return;
            };
            type Targets<M, $($K),*> = ($(<Id<$K, M> as Identifier>::Target<$K>,)*);
            let old = ($(tape.identifier_of::<$K>(variables.$i.meta()),)*);
            let make_room = |tape: &mut Inner| {
                $(tape.make_room::<$K>()?;)*
                Ok(())
            };
            // Copied before anything is written, as that may panic.
            let copies = cells.clone();
            let create = |memory: &mut Memory, mut lhs: &mut [u8]| {
                let ids = ($({
                    let (mine, rest) = std::mem::take(&mut lhs)
                        .split_at_mut(<<Id<$K, M> as Identifier>::Target<$K> as Target<$K>>::FIXED);
                    lhs = rest;
                    // All outputs count as read: their shapes are those of the adjoints.
                    <<Id<$K, M> as Identifier>::Target<$K>>::create(memory, mine, old.$i, copies.$i, true)
                },)*);
                debug_assert!(lhs.is_empty());
                ids
            };
            let statement = Inner::statement::<Targets<M, $($K),*>, N>();
            let target = <Targets<M, $($K),*> as Target<Self>>::FIXED;
            let recorded = tape.record::<Targets<M, $($K),*>, N, _>(&node, saves, statement, target, make_room, create);
            let tag = tape.tag;
            let metas: [Meta; [$(stringify!($K)),*].len()] = match recorded {
                Recorded::As(ids) => [$(Recorded::As(ids.$i).meta(tag)),*],
                Recorded::Passive => [$({ let _ = $i; Meta::PASSIVE }),*],
                Recorded::Lost => [$({ let _ = $i; Recorded::Lost.meta(tag) }),*],
            };
            let slots = [$(tape.memory.stores.get::<$K>().slot(metas[$i].id)),*];
            drop(taken);
            // Not before: identifiers that it owns return to the tape at once.
            drop(node);
            $(variables.$i.replace(<$K::Policy as Policy>::held::<_, M>(cells.$i), metas[$i], slots[$i], old.$i);)*
        }
    }
)* } }
outputs! { A 0 B 1; A 0 B 1 C 2; }
