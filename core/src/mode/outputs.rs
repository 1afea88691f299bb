//! Operations with several outputs: tuples and lists.
use super::record::TargetOf;
use crate::{
    expr::{Active, Id},
    kind::{
        Carrier, Identifier, Kind, List, Policy, Slot, TapeCell, TapeValue, VariableId,
        carrier::Forward,
    },
    node::{Node, Produce},
    store::RecordedValues,
    tape::{
        Erased, FreshValue, NewTarget, RecordOutcome, Records, TapeRecording, Target, Targets,
        current, refuse_active,
    },
};

mod sealed {
    use crate::kind::{Kind, List};

    pub trait SealedOutputKind {}
    impl<K: Kind> SealedOutputKind for List<K> {}
}

/// The kind of a result with several outputs: a pair, a triple, a [`List`]. Implemented only in this crate.
pub trait OutputKind: Kind + sealed::SealedOutputKind {
    /// The variables that receive the outputs.
    type Variables<'v, M: Carrier>;
    /// New variables for the outputs.
    type New<M: Carrier>;
    /// The outputs as stored on the tape.
    type Cells: Clone;
    /// Splits a result into its outputs.
    fn cells(values: Self::Value) -> Self::Cells;
    /// Creates passive variables.
    fn passive<M: Carrier>(values: &Self::Cells) -> Self::New<M>;
    /// Returns references to the variables.
    fn variables<M: Carrier>(new: &mut Self::New<M>) -> Self::Variables<'_, M>;
    /// Sets the values.
    #[track_caller]
    fn set<M: Carrier>(variables: Self::Variables<'_, M>, values: Self::Value);
    /// Sets the values and their tangents.
    #[track_caller]
    fn set_with_tangents<const N: usize>(
        variables: Self::Variables<'_, Forward<N>>,
        values: Self::Value,
        tangents: Option<[Self::Value; N]>,
    );
    /// Assigns the values of `node` to the variables, in one statement.
    #[track_caller]
    fn record<M: Records, N: Node<Kind = Self>>(
        variables: Self::Variables<'_, M>,
        values: Self::Cells,
        node: N,
        saves: N::Saves,
    );
}

macro_rules! outputs { ($($($K:ident $i:tt)*;)*) => { $(
    impl<$($K: Kind),*> sealed::SealedOutputKind for ($($K,)*) {}
    impl<$($K: Kind),*> OutputKind for ($($K,)*) {
        type Variables<'v, M: Carrier> = ($(&'v mut Active<$K, M>,)*);
        type New<M: Carrier> = ($(Active<$K, M>,)*);
        type Cells = ($(TapeValue<$K>,)*);
        fn cells(values: Self::Value) -> Self::Cells { ($(TapeCell::new(values.$i),)*) }
        fn passive<M: Carrier>(values: &Self::Cells) -> Self::New<M> { ($(Active::passive_cell(values.$i.clone()),)*) }
        fn variables<M: Carrier>(new: &mut Self::New<M>) -> Self::Variables<'_, M> { ($(&mut new.$i,)*) }
        fn set<M: Carrier>(variables: Self::Variables<'_, M>, values: Self::Value) {
            $(*variables.$i = Active::passive(values.$i);)*
        }
        fn set_with_tangents<const N: usize>(
            variables: Self::Variables<'_, Forward<N>>,
            values: Self::Value,
            tangents: Option<[Self::Value; N]>,
        ) {
            let each = tangents.as_ref();
            $(*variables.$i = Active::new_with_tangents(values.$i, each.map(|t| t.each_ref().map(|t| t.$i.clone())));)*
        }
        #[track_caller]
        fn record<M: Records, N: Node<Kind = Self>>(
            variables: Self::Variables<'_, M>,
            cells: Self::Cells,
            node: N,
            mut saves: N::Saves,
        ) {
            type Targets<M, $($K),*> = ($(TargetOf<$K, M>,)*);
            let statement = TapeRecording::statement::<Targets<M, $($K),*>, N>();
            if const { true $(&& !Id::<$K, M>::OWNED)* }
                && let Some(mut accepting) = current::accepting(&node)
            {
                let tag = accepting.tag;
                let new = ($(FreshValue::<$K>(cells.$i.clone()),)*);
                match accepting.tape().record_fast(&node, new, saves, statement) {
                    Ok(ids) => {
                        drop(accepting);
                        $(
                            let (held, id) = ($K::Policy::held::<M>(cells.$i, $K::zero_like), ids[$i]);
                            *variables.$i = Active::from_parts(held, VariableId { id, tag }, Slot::default());
                        )*
                        return;
                    }
                    Err(back) => saves = back,
                }
            }
            let mut taken = current::take();
            let Some(tape) = taken.tape() else {
                drop(saves);
                let variable = refuse_active(&node);
                $(variables.$i.replace($K::Policy::held::<M>(cells.$i, $K::zero_like), variable, Slot::default(), None);)*
                return;
            };
            let old = ($(tape.identifier_of::<$K>(variables.$i.variable_id()),)*);
            let reserve = |tape: &mut TapeRecording| {
                $(tape.reserve::<$K>()?;)*
                Ok(())
            };
            let copies = cells.clone();
            let create = |memory: &mut RecordedValues, mut lhs: &mut [u8]| {
                let ids = ($({
                    let (mine, rest) = std::mem::take(&mut lhs)
                        .split_at_mut(<TargetOf<$K, M> as Target<$K>>::FIXED);
                    lhs = rest;
                    // All count as read: adjoints are compared with their shapes.
                    <TargetOf<$K, M>>::create(memory, mine, old.$i, copies.$i, true)
                },)*);
                debug_assert!(lhs.is_empty());
                ids
            };
            let target = <Targets<M, $($K),*> as Target<Self>>::FIXED;
            let recorded = tape.record(&mut Erased::new(&node, saves), statement, (target, 0), reserve, create);
            let tag = tape.tag;
            let ids: [VariableId; [$(stringify!($K)),*].len()] = match recorded {
                RecordOutcome::As(ids) => [$(RecordOutcome::As(ids.$i).variable_id(tag)),*],
                RecordOutcome::Passive => [$({ let _ = $i; VariableId::PASSIVE }),*],
                RecordOutcome::Lost => [$({ let _ = $i; RecordOutcome::Lost.variable_id(tag) }),*],
            };
            let slots = [$(tape.memory.values.get::<$K>().slot(ids[$i].id)),*];
            drop(taken);
            // Only now, because its identifiers return to the tape immediately.
            drop(node);
            $(variables.$i.replace($K::Policy::held::<M>(cells.$i, $K::zero_like), ids[$i], slots[$i], old.$i);)*
        }
    }
)* } }
for_tuples! { outputs }

impl<K: Kind> OutputKind for List<K> {
    type Variables<'v, M: Carrier> = &'v mut [Active<K, M>];
    type New<M: Carrier> = Vec<Active<K, M>>;
    type Cells = Vec<TapeValue<K>>;
    fn cells(values: Vec<TapeValue<K>>) -> Vec<TapeValue<K>> {
        values
    }
    fn passive<M: Carrier>(values: &Vec<TapeValue<K>>) -> Vec<Active<K, M>> {
        values.iter().cloned().map(Active::passive_cell).collect()
    }
    fn variables<M: Carrier>(new: &mut Vec<Active<K, M>>) -> &mut [Active<K, M>] {
        new
    }
    #[track_caller]
    fn set<M: Carrier>(variables: &mut [Active<K, M>], values: Vec<TapeValue<K>>) {
        assert_outputs(variables.len(), values.len());
        for (variable, value) in variables.iter_mut().zip(values) {
            *variable = Active::passive_cell(value);
        }
    }
    #[track_caller]
    fn set_with_tangents<const N: usize>(
        variables: &mut [Active<K, Forward<N>>],
        values: Vec<TapeValue<K>>,
        tangents: Option<[Vec<TapeValue<K>>; N]>,
    ) {
        assert_outputs(variables.len(), values.len());
        for (i, (variable, value)) in variables.iter_mut().zip(values).enumerate() {
            let each = tangents.as_ref();
            let tangents = each.map(|t| t.each_ref().map(|t| t[i].peek().clone()));
            *variable = Active::new_with_tangents(value.into_inner(), tangents);
        }
    }
    #[track_caller]
    fn record<M: Records, N: Node<Kind = Self>>(
        variables: &mut [Active<K, M>],
        cells: Vec<TapeValue<K>>,
        node: N,
        saves: N::Saves,
    ) {
        assert_outputs(variables.len(), cells.len());
        let mut taken = current::take();
        let Some(tape) = taken.tape() else {
            drop(saves);
            let variable = refuse_active(&node);
            for (target, cell) in variables.iter_mut().zip(cells) {
                target.replace(
                    K::Policy::held::<M>(cell, K::zero_like),
                    variable,
                    Slot::default(),
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
        let more = target - <Targets<K, TargetOf<K, M>> as Target<Self>>::FIXED;
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
                .map_or_else(|| (variable_of(i), Slot::default()), |new| *new);
            let kept = old.get(i).copied().flatten();
            let held = K::Policy::held::<M>(cell, K::zero_like);
            target.replace(held, variable, slot, kept);
        }
    }
}
#[track_caller]
fn assert_outputs(variables: usize, values: usize) {
    assert!(
        variables == values,
        "a list of {values} values cannot be assigned to {variables} variables: pass {values} variables"
    );
}

#[track_caller]
pub(super) fn split<K: OutputKind, M: Records, N: Node<Kind = K>>(node: N) -> K::New<M> {
    let (values, saves) = node.forward();
    let cells = K::cells(values.value());
    let mut new = K::passive::<M>(&cells);
    K::record(K::variables(&mut new), cells, node, saves);
    new
}
#[track_caller]
pub(super) fn assign_outputs<K: OutputKind, M: Records, N: Node<Kind = K>>(
    outputs: K::Variables<'_, M>,
    node: N,
) {
    let (values, saves) = node.forward();
    let cells = K::cells(values.value());
    K::record::<M, N>(outputs, cells, node, saves);
}
