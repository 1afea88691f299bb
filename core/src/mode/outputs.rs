//! Operations with several outputs: tuples and lists.
use super::{AnyMode, Recording, record::TargetOf};
use crate::{
    error::Error,
    expr::{Active, Id},
    kind::{
        Carrier, Identifier, Kind, List, Policy, Slot, TapeCell, TapeValue, VariableId,
        carrier::Forward,
    },
    node::{Node, Produce},
    sealed::Sealed,
    store::RecordedValues,
    tape::{
        AnyNode, Erased, FreshValue, RecordOutcome, Statement, TapeRecording, Target, Targets,
        current, refuse_active,
    },
};

/// The kind of a result with several outputs: a pair, a triple, a [`List`]. Implemented only in this crate.
pub trait OutputKind: Kind + Sealed {
    /// New variables for the outputs.
    type New<M: Carrier>;
    /// The outputs as stored on the tape.
    type Cells: Clone;
    /// Splits a result into its outputs.
    fn cells(values: Self::Value) -> Self::Cells;
    /// Creates variables with an identifier that is passive or lost.
    fn new<M: Carrier>(values: Self::Cells, variable: VariableId) -> Self::New<M>;
    /// Creates variables with tangents.
    fn with_tangents<const N: usize>(
        values: Self::Value,
        tangents: Option<[Self::Value; N]>,
    ) -> Self::New<Forward<N>>;
    /// Evaluates `node` into new variables, in one statement.
    #[track_caller]
    fn split<M: Recording, N: Node<Kind = Self>>(node: N) -> Self::New<M>;
}

/// Variables and places for outputs: a tuple such as `(&mut x, &mut v[0])`, and `&mut x[..]` for a list.
#[diagnostic::on_unimplemented(
    message = "an operation cannot write outputs of kind `{K}` to `{Self}`",
    note = "pass a tuple of references to variables or places, such as `(&mut x, &mut v[0])`, or `&mut x[..]` or `[&mut v[0], &mut w[2]]` for a list"
)]
pub trait WritesOutputs<K: OutputKind, M: AnyMode> {
    /// Replaces the variables.
    #[track_caller]
    fn set(self, new: K::New<M>);
    /// Assigns the values of `node`, in one statement.
    #[track_caller]
    fn record<N: Node<Kind = K>>(self, values: K::Cells, node: N, saves: N::Saves)
    where
        M: Recording;
}

/// Where an output is written: a variable, a new variable (`None`), or a place.
#[allow(private_bounds)]
pub trait OutputPlace<K: Kind, M: AnyMode>: RecordedOutput<K, M> {
    /// Replaces the variable.
    #[track_caller]
    fn set(&mut self, variable: Active<K, M>);
}
/// A destination as a part of the left-hand side of a statement.
pub(crate) trait RecordedOutput<K: Kind, M: AnyMode> {
    type Target: Target<K>;
    type Ready;
    type Made;
    /// Whether each write creates a new identifier.
    const FRESH: bool;
    /// Reserves memory and an identifier. The error is `None` if the variable is lost.
    #[track_caller]
    fn prepare(
        &mut self,
        value: &TapeValue<K>,
        count: usize,
        tape: &mut TapeRecording,
        node: &dyn AnyNode,
    ) -> Result<Self::Ready, Option<Error>>;
    fn create(
        &mut self,
        ready: Self::Ready,
        value: TapeValue<K>,
        memory: &mut RecordedValues,
        lhs: &mut [u8],
    ) -> Self::Made;
    fn finish(&mut self, made: Self::Made);
}

pub(crate) struct ReadyVariable<V> {
    copy: V,
    kept: Option<u32>,
    tag: u32,
}
pub(crate) struct MadeVariable<V> {
    value: V,
    variable: VariableId,
    slot: Slot,
    kept: Option<u32>,
}
macro_rules! variables { ($($V:ty, $self:ident => $before:expr, ($held:ident, $made:ident) => $finish:expr;)*) => { $(
    impl<K: Kind, M: AnyMode> OutputPlace<K, M> for $V {
        #[inline(always)]
        fn set(&mut self, variable: Active<K, M>) {
            *self = variable.into();
        }
    }
    impl<K: Kind, M: AnyMode> RecordedOutput<K, M> for $V {
        type Target = TargetOf<K, M>;
        type Ready = ReadyVariable<TapeValue<K>>;
        type Made = MadeVariable<TapeValue<K>>;
        const FRESH: bool = !Id::<K, M>::OWNED;
        fn prepare(
            &mut $self,
            value: &TapeValue<K>,
            count: usize,
            tape: &mut TapeRecording,
            _: &dyn AnyNode,
        ) -> Result<Self::Ready, Option<Error>> {
            tape.reserve_for::<K>(count)?;
            Ok(ReadyVariable {
                // Before any write, because copying may panic.
                copy: value.clone(),
                kept: tape.identifier_of::<K>($before),
                tag: tape.tag,
            })
        }
        fn create(
            &mut self,
            ready: Self::Ready,
            value: TapeValue<K>,
            memory: &mut RecordedValues,
            lhs: &mut [u8],
        ) -> Self::Made {
            let ReadyVariable { copy, kept, tag } = ready;
            let id = <TargetOf<K, M>>::create(memory, lhs, kept, copy, true);
            MadeVariable {
                value,
                variable: VariableId { id, tag },
                slot: memory.values.get::<K>().slot(id),
                kept,
            }
        }
        fn finish(&mut $self, $made: Self::Made) {
            let $held = K::Policy::held::<M, _>($made.value, K::zero_like);
            $finish;
        }
    }
)* } }
variables! {
    Active<K, M>, self => self.variable_id(),
        (held, made) => self.replace(held, made.variable, made.slot, made.kept);
    Option<Active<K, M>>, self => VariableId::PASSIVE,
        (held, made) => *self = Some(Active::from_parts(held, made.variable, made.slot));
}

/// Records a statement whose targets are prepared first, and written once nothing can fail. The error is the identifier of
/// outputs that are not recorded.
#[track_caller]
fn record_into<N: Node, S, P, C>(
    (node, saves): (N, N::Saves),
    (statement, target, more): (&'static Statement, usize, usize),
    state: &mut S,
    prepare: impl FnOnce(&mut S, &mut TapeRecording, &dyn AnyNode) -> Result<P, Option<Error>>,
    create: impl FnOnce(&mut S, P, &mut RecordedValues, &mut [u8]) -> Option<C>,
) -> Result<C, VariableId> {
    let mut taken = current::take();
    let Some(tape) = taken.tape() else {
        drop(saves);
        return Err(refuse_active(&node));
    };
    let erased = &mut Erased::new(&node, saves);
    let mixed = match tape.inspect(erased, statement) {
        RecordOutcome::Passive => return Err(VariableId::PASSIVE),
        RecordOutcome::Lost => return Err(VariableId::LOST),
        RecordOutcome::As(mixed) => mixed,
    };
    let ready = match prepare(state, tape, erased) {
        Ok(ready) => ready,
        Err(full) => {
            tape.lose::<()>(full);
            return Err(VariableId::LOST);
        }
    };
    let create = |memory: &mut RecordedValues, lhs: &mut [u8]| create(state, ready, memory, lhs);
    match tape.record_prepared(erased, (statement, mixed), (target, more), create) {
        RecordOutcome::As(Some(made)) => Ok(made),
        _ => Err(VariableId::LOST),
    }
    // The node is dropped after the tape is returned, because its identifiers return to the tape immediately.
}

macro_rules! outputs { ($($($K:ident $D:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind),*> Sealed for ($($K,)*) {}
    impl<$($K: Kind),*> OutputKind for ($($K,)*) {
        type New<M: Carrier> = ($(Active<$K, M>,)*);
        type Cells = ($(TapeValue<$K>,)*);
        fn cells(values: Self::Value) -> Self::Cells { ($(TapeCell::new(values.$i),)*) }
        fn new<M: Carrier>(values: Self::Cells, variable: VariableId) -> Self::New<M> {
            ($(Active::<$K, M>::with_id(values.$i, variable),)*)
        }
        fn with_tangents<const N: usize>(
            values: Self::Value,
            tangents: Option<[Self::Value; N]>,
        ) -> Self::New<Forward<N>> {
            let each = tangents.as_ref();
            ($(Active::new_with_tangents(values.$i, each.map(|t| t.each_ref().map(|t| t.$i.clone()))),)*)
        }
        #[track_caller]
        fn split<M: Recording, N: Node<Kind = Self>>(node: N) -> Self::New<M> {
            let (values, saves) = node.evaluate();
            let values = Self::cells(values.value());
            let mut new = Self::new::<M>(values.clone(), VariableId::PASSIVE);
            ($(&mut new.$i,)*).record(values, node, saves);
            new
        }
    }
    impl<M: AnyMode, $($K: Kind, $D: OutputPlace<$K, M> + ?Sized),*> WritesOutputs<($($K,)*), M> for ($(&mut $D,)*) {
        #[track_caller]
        fn set(self, new: ($(Active<$K, M>,)*)) { $(self.$i.set(new.$i);)* }
        #[track_caller]
        fn record<N: Node<Kind = ($($K,)*)>>(
            self,
            values: ($(TapeValue<$K>,)*),
            node: N,
            mut saves: N::Saves,
        ) where M: Recording {
            type Targets<M, $($K, $D),*> = ($(<$D as RecordedOutput<$K, M>>::Target,)*);
            let statement = TapeRecording::statement::<Targets<M, $($K, $D),*>, N>();
            if const { true $(&& $D::FRESH)* }
                && let Some(mut accepting) = current::accepting(&node)
            {
                let tag = accepting.tag;
                let new = ($(FreshValue::<$K>(values.$i.clone()),)*);
                match accepting.tape().record_fast(&node, new, saves, statement) {
                    Ok(ids) => {
                        drop(accepting);
                        $(self.$i.set(Active::<$K, M>::with_id(values.$i, VariableId { id: ids[$i], tag }));)*
                        return;
                    }
                    Err(back) => saves = back,
                }
            }
            let mut state = (self, Some(values));
            let target = <Targets<M, $($K, $D),*> as Target<($($K,)*)>>::FIXED;
            let recorded = record_into(
                (node, saves),
                (statement, target, 0),
                &mut state,
                |(places, values), tape, node| {
                    let values = values.as_ref().expect("the values are not written yet");
                    Ok(($(places.$i.prepare(&values.$i, 1, tape, node)?,)*))
                },
                |(places, values), ready, memory, mut lhs| {
                    let values = values.take()?;
                    let made = ($({
                        let (mine, rest) = std::mem::take(&mut lhs)
                            .split_at_mut(<$D::Target as Target<$K>>::FIXED);
                        lhs = rest;
                        places.$i.create(ready.$i, values.$i, memory, mine)
                    },)*);
                    debug_assert!(lhs.is_empty());
                    Some(made)
                },
            );
            match (recorded, state) {
                (Ok(made), (places, _)) => { $(places.$i.finish(made.$i);)* }
                (Err(variable), (places, Some(values))) => { $(places.$i.set(Active::<$K, M>::with_id(values.$i, variable));)* }
                (Err(_), (_, None)) => unreachable!("values are taken by a recorded statement"),
            }
        }
    }
)* } }
outputs! {
    A S 0 B T 1;
    A S 0 B T 1 C U 2;
    A S 0 B T 1 C U 2 D V 3;
    A S 0 B T 1 C U 2 D V 3 E W 4;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5 G Y 6;
    A S 0 B T 1 C U 2 D V 3 E W 4 F X 5 G Y 6 H Z 7;
}

impl<K: Kind> Sealed for List<K> {}
impl<K: Kind> OutputKind for List<K> {
    type New<M: Carrier> = Vec<Active<K, M>>;
    type Cells = Vec<TapeValue<K>>;
    fn cells(values: Vec<TapeValue<K>>) -> Vec<TapeValue<K>> {
        values
    }
    fn new<M: Carrier>(values: Vec<TapeValue<K>>, variable: VariableId) -> Vec<Active<K, M>> {
        let each = values.into_iter();
        each.map(|value| Active::with_id(value, variable)).collect()
    }
    fn with_tangents<const N: usize>(
        values: Vec<TapeValue<K>>,
        tangents: Option<[Vec<TapeValue<K>>; N]>,
    ) -> Vec<Active<K, Forward<N>>> {
        let each = values.into_iter().enumerate().map(|(i, value)| {
            let each = tangents.as_ref();
            let tangents = each.map(|t| t.each_ref().map(|t| t[i].peek().clone()));
            Active::new_with_tangents(value.into_inner(), tangents)
        });
        each.collect()
    }
    #[track_caller]
    fn split<M: Recording, N: Node<Kind = Self>>(node: N) -> Vec<Active<K, M>> {
        let (values, saves) = node.evaluate();
        let values = Self::cells(values.value());
        let mut new = Self::new::<M>(values.clone(), VariableId::PASSIVE);
        (&mut new[..]).record(values, node, saves);
        new
    }
}
impl<K: Kind, M: AnyMode, L: AsMut<[Active<K, M>]> + ?Sized> WritesOutputs<List<K>, M> for &mut L {
    #[track_caller]
    fn set(self, new: Vec<Active<K, M>>) {
        let variables = self.as_mut();
        assert_outputs(variables.len(), new.len());
        for (variable, new) in variables.iter_mut().zip(new) {
            *variable = new;
        }
    }
    #[track_caller]
    fn record<N: Node<Kind = List<K>>>(self, cells: Vec<TapeValue<K>>, node: N, saves: N::Saves)
    where
        M: Recording,
    {
        let variables = self.as_mut();
        assert_outputs(variables.len(), cells.len());
        let mut taken = current::take();
        let Some(tape) = taken.tape() else {
            drop(saves);
            let variable = refuse_active(&node);
            for (target, cell) in variables.iter_mut().zip(cells) {
                target.replace(
                    K::Policy::held::<M, _>(cell, K::zero_like),
                    variable,
                    Slot::NONE,
                    None,
                );
            }
            return;
        };
        let owned = const { Id::<K, M>::OWNED };
        let old: Vec<_> = variables[..if owned { variables.len() } else { 0 }]
            .iter()
            .map(|x| tape.identifier_of::<K>(x.variable_id()))
            .collect();
        let count = cells.len();
        let copies = cells[..old.len()].to_vec();
        let first = tape.memory.values.get::<K>().len() as u32;
        let create = |memory: &mut RecordedValues, lhs: &mut [u8]| -> Vec<u32> {
            Targets::<K, TargetOf<K, M>>::write_count(lhs, count);
            if !owned {
                let values = memory.values.get::<K>();
                cells
                    .iter()
                    .for_each(|cell| _ = values.append(cell.clone()));
            }
            let mut rest = lhs;
            let each = copies.into_iter().zip(&old).map(|(cell, &old)| {
                let (mine, tail) =
                    std::mem::take(&mut rest).split_at_mut(<TargetOf<K, M> as Target<K>>::FIXED);
                rest = tail;
                <TargetOf<K, M>>::create(memory, mine, old, cell, true)
            });
            each.collect()
        };
        let statement = TapeRecording::statement::<Targets<K, TargetOf<K, M>>, N>();
        let target = Targets::<K, TargetOf<K, M>>::bytes(count);
        let reserve = |tape: &mut TapeRecording| tape.reserve_for::<K>(count);
        let more = target - <Targets<K, TargetOf<K, M>> as Target<List<K>>>::FIXED;
        let node_of = &mut Erased::new(&node, saves);
        let recorded = tape.record(node_of, statement, (target, more), reserve, create);
        let tag = tape.tag;
        let variable_of = |i: usize| match &recorded {
            RecordOutcome::As(ids) => VariableId {
                id: ids.get(i).map_or(first + i as u32, |id| *id),
                tag,
            },
            RecordOutcome::Passive => VariableId::PASSIVE,
            RecordOutcome::Lost => RecordOutcome::Lost.variable_id(tag),
        };
        let values = tape.memory.values.get::<K>();
        let with_slot = |variable: VariableId| (variable, values.slot(variable.id));
        let new = (0..old.len()).map(variable_of).map(with_slot);
        let new: Vec<_> = new.collect();
        drop(taken);
        drop(node);
        for (i, (target, cell)) in variables.iter_mut().zip(cells).enumerate() {
            let (variable, slot) = new
                .get(i)
                .map_or_else(|| (variable_of(i), Slot::NONE), |new| *new);
            let kept = old.get(i).copied().flatten();
            let held = K::Policy::held::<M, _>(cell, K::zero_like);
            target.replace(held, variable, slot, kept);
        }
    }
}
macro_rules! lists_of_places { ($([$($COUNT:ident)?] $L:ty;)*) => { $(
    /// Variables and places that were borrowed separately.
    impl<K: Kind, M: AnyMode, D: OutputPlace<K, M> + ?Sized $(, const $COUNT: usize)?> WritesOutputs<List<K>, M> for $L {
        #[track_caller]
        fn set(self, new: Vec<Active<K, M>>) {
            assert_outputs(self.len(), new.len());
            for (place, new) in self.into_iter().zip(new) {
                place.set(new);
            }
        }
        #[track_caller]
        fn record<N: Node<Kind = List<K>>>(mut self, values: Vec<TapeValue<K>>, node: N, saves: N::Saves)
        where
            M: Recording,
        {
            record_places(&mut self, values, node, saves);
        }
    }
)* } }
lists_of_places! { [] Vec<&mut D>; [COUNT] [&mut D; COUNT]; }
#[track_caller]
fn record_places<K: Kind, M: Recording, D: OutputPlace<K, M> + ?Sized, N: Node<Kind = List<K>>>(
    places: &mut [&mut D],
    values: Vec<TapeValue<K>>,
    node: N,
    saves: N::Saves,
) {
    let count = values.len();
    assert_outputs(places.len(), count);
    let statement = TapeRecording::statement::<Targets<K, D::Target>, N>();
    let target = Targets::<K, D::Target>::bytes(count);
    let more = target - <Targets<K, D::Target> as Target<List<K>>>::FIXED;
    let mut state = (places, values);
    let recorded = record_into(
        (node, saves),
        (statement, target, more),
        &mut state,
        |(places, values), tape, node| {
            let each = places.iter_mut().zip(values).enumerate();
            let each = each.map(|(i, (place, value))| {
                let count = if i == 0 { count } else { 1 };
                place.prepare(value, count, tape, node)
            });
            each.collect::<Result<Vec<_>, _>>()
        },
        |(places, values), ready, memory, mut lhs| {
            Targets::<K, D::Target>::write_count(lhs, count);
            let each = places.iter_mut().zip(ready).zip(std::mem::take(values));
            let each = each.map(|((place, ready), value)| {
                let (mine, rest) = std::mem::take(&mut lhs).split_at_mut(D::Target::FIXED);
                lhs = rest;
                place.create(ready, value, memory, mine)
            });
            Some(each.collect::<Vec<_>>())
        },
    );
    let (places, values) = state;
    match recorded {
        Ok(made) => {
            let each = places.iter_mut().zip(made);
            each.for_each(|(place, made)| place.finish(made));
        }
        Err(variable) => {
            let each = places.iter_mut().zip(values);
            each.for_each(|(place, value)| place.set(Active::with_id(value, variable)));
        }
    }
}
#[track_caller]
fn assert_outputs(variables: usize, values: usize) {
    assert!(
        variables == values,
        "a list of {values} values cannot be assigned to {variables} variables or places: pass {values}"
    );
}

#[track_caller]
pub(super) fn assign_outputs<K: OutputKind, M: Recording, N: Node<Kind = K>>(
    outputs: impl WritesOutputs<K, M>,
    node: N,
) {
    let (values, saves) = node.evaluate();
    let values = K::cells(values.value());
    outputs.record(values, node, saves);
}
