//! Slices of variables, with only identifiers in the statement.
//!
//! ```text
//! fixed   [ length ]
//! list    [ identifiers | values of passive variables, if an adjoint reads the list ]
//! ```
use super::{
    Active, Id,
    list::{ListTangents, of_each},
};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::Carrier,
    kind::{
        Adjoint, Arg, At, Contribution, Identifier, Kind, Layout, List, ListBlock, ListElements,
        NONE, Need, Needed, Origin, Pieces, Policy, Single, TapeCell, TapeValue, Val, VariableId,
        assert_lengths, empty_list, misfit_from,
    },
    node::{
        BorrowedValue, Description, ExpressionVisitor, LeafNode, LeafVisitor, NamedId, Node,
        NodeTangents, OwnedValue, Produce, Stored, StoredPieces, Tree, ValuesOf,
    },
    order::Order,
    sealed::Sealed,
    store::{ListSpan, Reader, Writer},
    sweep::{Directional, ReadValues, Scratch, Slots, StatementValues, Sweep},
};
use std::{any::type_name, mem::ManuallyDrop};

/// The variables of a slice as one node.
pub struct Variables<'a, K: Kind, M: Carrier>(pub &'a [Active<K, M>]);
debug_by_name! { ['a, K: Kind, M: Carrier] Variables<'a, K, M> }
impl<K: Kind, M: Carrier> Clone for Variables<'_, K, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, M: Carrier> Copy for Variables<'_, K, M> {}

impl<K: Kind, M: Carrier> Sealed for Variables<'_, K, M> {}
impl<K: Kind, M: Carrier> Node for Variables<'_, K, M> {
    type Kind = List<K>;
    type Stored = TapeVariables<K>;
    type Value<'n>
        = Given<'n, K, M>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn evaluate(&self) -> (Given<'_, K, M>, ()) {
        (Given(self.0), ())
    }
    type Ready<'n>
        = OwnedValue<List<K>>
    where
        Self: 'n;
    fn push<const N: usize>(&self) -> (OwnedValue<List<K>>, NodeTangents<'_, List<K>, N>) {
        let mut tangents = ListTangents::of(self.0.len());
        for x in self.0 {
            tangents.push(x.tangents_ref(), &BorrowedValue::<K>(x.get()));
        }
        (Given(self.0).ready(), tangents.finish())
    }
    #[inline]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variables::<K>(self.0.iter().map(Active::variable_id));
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        4 * self.0.len()
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        let mixed = writer.mixed();
        let variables = self.0.iter().map(Active::variable_id);
        let id_of = |x: VariableId| match x.is_passive() {
            true => NONE,
            false => x.id,
        };
        if mixed {
            writer.elements(variables.map(|x| id_of(x).to_ne_bytes()));
        } else {
            writer.elements(variables.map(|x| x.id.to_ne_bytes()));
        }
        if of_each::<K>(Need::of(NEED)).value() && (mixed || Id::<K, M>::OWNED) {
            for x in self.0 {
                let variable = x.variable_id();
                if variable.is_passive() {
                    writer.passive::<K>(x.cell());
                } else if Need::of(NEED).value() && Id::<K, M>::OWNED {
                    writer.mark_read::<K>(variable.id);
                }
            }
        }
    }
}

/// Values of variables, read in place.
pub struct Given<'n, K: Kind, M: Carrier>(&'n [Active<K, M>]);
debug_by_name! { ['n, K: Kind, M: Carrier] Given<'n, K, M> }
impl<K: Kind, M: Carrier> Produce<List<K>> for Given<'_, K, M> {
    type Ready = OwnedValue<List<K>>;
    #[inline]
    fn ready(self) -> OwnedValue<List<K>> {
        let mut values = empty_list();
        values.extend(self.0.iter().map(Active::cell));
        OwnedValue(values)
    }
    type Pieces<'p>
        = GivenPieces<'p, K, M>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> GivenPieces<'_, K, M> {
        GivenPieces(self.0)
    }
    #[inline(always)]
    fn shape(&self) -> usize {
        self.0.len()
    }
}
/// The pieces of variables.
pub struct GivenPieces<'p, K: Kind, M: Carrier>(&'p [Active<K, M>]);
debug_by_name! { ['p, K: Kind, M: Carrier] GivenPieces<'p, K, M> }
impl<K: Kind, M: Carrier> Pieces<List<K>> for GivenPieces<'_, K, M> {
    const ACTIVE: bool = true;
    type Values = Val<K>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        GivenPieces(block.of(self.0))
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Val<K> {
        self.0[i].get().clone()
    }
    #[inline(always)]
    fn piece(value: &Val<K>) -> Option<Val<K>> {
        Some(value.clone())
    }
    fn shape(&self) -> usize {
        self.0.len()
    }
}

/// Variables on the tape.
pub struct TapeVariables<K: Kind> {
    ids: ListSpan,
    mixed: bool,
    active: bool,
    read: bool,
    gathered: ManuallyDrop<Option<Scratch<Vec<TapeValue<K>>>>>,
}
debug_by_name! { [K: Kind] TapeVariables<K> }
impl<K: Kind> TapeVariables<K> {
    #[inline(always)]
    fn return_gathered(&mut self, sweep: &mut impl Sweep) {
        if let Some(mut values) = self.gathered.take() {
            values.clear();
            sweep.return_scratch(values);
        }
    }
    #[inline(always)]
    fn add(
        &self,
        ids: ListSpan,
        adjoints: impl Iterator<Item = K::Adjoint>,
        origin: Origin,
        sweep: &mut impl Sweep,
    ) {
        if !K::Policy::STORAGE {
            return sweep.add_to_all::<K>(ids, adjoints);
        }
        for (i, adjoint) in adjoints.enumerate() {
            let id = u32::from_ne_bytes(ids.ids(sweep.variable_length())[i]);
            if self.mixed && id == NONE {
                continue;
            }
            if let Some(value) = adjoint.into_value() {
                if let Some(like) = sweep.stored::<K>(id)
                    && !K::same_shape(&value, like.peek())
                {
                    misfit_from::<K>(origin, &value, like.peek());
                }
                sweep.add_to_adjoint::<K>(id, |adjoint| adjoint.add(value));
            }
        }
    }
}
#[inline(always)]
fn each(ids: ListSpan, slots: &impl Slots) -> impl ExactSizeIterator<Item = u32> {
    ids.ids(slots.variable_length())
        .iter()
        .map(|&id| u32::from_ne_bytes(id))
}
#[inline]
fn gather_values<K: Kind>(
    ids: ListSpan,
    reader: &mut Reader<'_>,
    sweep: &mut impl ReadValues,
) -> Scratch<Vec<TapeValue<K>>> {
    let mut values = sweep.take_scratch::<Vec<TapeValue<K>>>();
    values.clear();
    let slots = sweep.slots::<K>();
    let value = |id| match id {
        NONE if reader.mixed() => reader.passive::<K>(),
        id => slots[id as usize].clone(),
    };
    values.extend(each(ids, sweep).map(value));
    values
}
impl<K: Kind> Stored for TapeVariables<K> {
    type Kind = List<K>;
    type Pieces = OfVariables;
    const FORMULA: Formula = Formula::List(&Formula::Variable(type_name::<K>));
    const TREE: &'static Tree = match K::NUMBERS {
        true => &Tree::VariableList,
        false => &Tree::Other,
    };
    const ACTIVE: bool = true;
    const FIXED: [usize; 3] = [4; 3];
    const DYNAMIC: bool = true;
    const TELLS_SIZE: bool = true;
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<List<K>>>,
    ) -> Self {
        let (mixed, read) = (reader.mixed(), of_each::<K>(Need::of(NEED)).value());
        let ids = reader.elements(4);
        let active = match mixed {
            true => each(ids, sweep).any(|id| id != NONE),
            false => ids.count(4) > 0,
        };
        let in_place = PIECES && sweep.in_place();
        let gather = read && (mixed || !in_place);
        let gathered = gather.then(|| gather_values::<K>(ids, reader, sweep));
        TapeVariables {
            ids,
            mixed,
            active,
            read,
            gathered: ManuallyDrop::new(gathered),
        }
    }
    fn value(&self) -> Option<Arg<'_, List<K>>> {
        self.gathered.as_deref()
    }
    fn again(&self, sweep: &mut impl Sweep, _: &mut Findings) -> Option<Vec<TapeValue<K>>> {
        if let Some(gathered) = self.gathered.as_deref() {
            return Some(gathered.clone());
        }
        let slots = sweep.slots::<K>();
        let value = |id| (id != NONE).then(|| slots[id as usize].clone());
        each(self.ids, sweep).map(value).collect()
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.active
    }
    fn pull<C: Contribution<List<K>>>(&self, contribution: C, sweep: &mut impl Sweep) {
        let mut adjoints = sweep.take_scratch::<Vec<K::Adjoint>>();
        adjoints.clear();
        contribution.add_to(&mut adjoints);
        assert_lengths(self.ids.count(4), adjoints.len(), C::ORIGIN);
        self.add(self.ids, adjoints.drain(..), C::ORIGIN, sweep);
        sweep.return_scratch(adjoints);
    }
    const TAKES_SCRATCH: bool = true;
    #[inline(always)]
    fn done(mut self, sweep: &mut impl Sweep) {
        self.return_gathered(sweep);
    }
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<List<K>> = &Description::leaf::<Self>();
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        let ids = self
            .ids
            .ids(variable_length)
            .iter()
            .map(|&id| u32::from_ne_bytes(id));
        let active = ids.filter(|&id| !self.mixed || id != NONE);
        let count = active.map(|id| to.variable(NamedId::of::<K>(id))).count();
        to.list(count);
    }
}
impl<K: Kind> LeafNode for TapeVariables<K> {
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        let ids: Vec<u32> = each(self.ids, sweep.base()).collect();
        ids.into_iter()
            .any(|id| id != NONE && sweep.depends::<K>(id))
    }
    fn tangent_of_leaf(&self, sweep: &mut Directional<'_, '_, '_>) -> Single<Vec<TapeValue<K>>> {
        let ids: Vec<u32> = each(self.ids, sweep.base()).collect();
        let of = |&id: &u32| match !self.mixed || id != NONE {
            true => sweep.tangent::<K>(id),
            false => Single::None,
        };
        let tangents: Vec<_> = ids.iter().map(of).collect();
        let Some(like) = tangents.iter().filter_map(Single::get).next() else {
            return Single::None;
        };
        let values = self.gathered.as_deref();
        let each = tangents.iter().enumerate().map(|(i, tangent)| {
            let zero = || K::unset_tangent(values.map_or(like, |values| values[i].peek()));
            TapeCell::new(tangent.get().map_or_else(zero, Clone::clone))
        });
        Single::Value(each.collect())
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.return_gathered(sweep);
    }
}

pub struct SweptPieces<'s, K: Kind> {
    gathered: &'s [TapeValue<K>],
    ids: &'s [[u8; 4]],
    slots: &'s [TapeValue<K>],
}
debug_by_name! { ['s, K: Kind] SweptPieces<'s, K> }
impl<K: Kind> Pieces<List<K>> for SweptPieces<'_, K> {
    const ACTIVE: bool = true;
    type Values = Option<Val<K>>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        if !N::NEED.value() {
            return SweptPieces {
                gathered: &[],
                ids: &[],
                slots: &[],
            };
        }
        let in_place = self.gathered.is_empty();
        SweptPieces {
            gathered: if in_place {
                &[]
            } else {
                block.of(self.gathered)
            },
            ids: if in_place { block.of(self.ids) } else { &[] },
            slots: self.slots,
        }
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Option<Val<K>> {
        if !N::NEED.value() {
            return None;
        }
        let value = match self.gathered.get(i) {
            Some(value) => value,
            None => &self.slots[u32::from_ne_bytes(self.ids[i]) as usize],
        };
        Some(value.peek().clone())
    }
    #[inline(always)]
    fn piece(values: &Option<Val<K>>) -> Option<Val<K>> {
        values.clone()
    }
    #[inline(always)]
    fn shape(&self) -> usize {
        self.gathered.len().max(self.ids.len())
    }
}

/// Adds pieces to adjoints immediately.
#[derive(Clone, Copy, Debug)]
pub struct OfVariables;
impl<K: Kind> StoredPieces<TapeVariables<K>> for OfVariables {
    type Source<'s> = SweptPieces<'s, K>;
    type Sums = ();
    type Blocks = ListBlock<K>;
    #[inline(always)]
    fn source<'s>(node: &'s TapeVariables<K>, slots: &'s impl Slots) -> SweptPieces<'s, K> {
        let (gathered, ids, slots): (&[_], &[_], &[_]) = match node.gathered.as_deref() {
            Some(gathered) => (gathered, &[], &[]),
            None if node.read => (
                &[],
                node.ids.ids(slots.variable_length()),
                slots.slots::<K>(),
            ),
            None => (&[], &[], &[]),
        };
        SweptPieces {
            gathered,
            ids,
            slots,
        }
    }
    #[inline(always)]
    fn open(node: &TapeVariables<K>, length: usize, (): &mut (), _: &mut impl Sweep) {
        assert_lengths(node.ids.count(4), length, Origin::UNKNOWN);
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapeVariables<K>,
        i: usize,
        _: &ValuesOf<'s, TapeVariables<K>>,
        r_b: Val<K>,
        block: &mut ListBlock<K>,
    ) {
        <ListElements as Layout<List<K>>>::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &TapeVariables<K>,
        at: At,
        block: &mut ListBlock<K>,
        (): &mut (),
        sweep: &mut impl Sweep,
    ) {
        let (ids, adjoints) = (node.ids.ids_within(at), block.take(at.length));
        node.add(ids, adjoints, Origin::UNKNOWN, sweep);
    }
    #[inline(always)]
    fn close(_: &TapeVariables<K>, (): (), _: &mut impl Sweep) {}
}
