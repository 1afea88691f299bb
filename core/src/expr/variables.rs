//! A slice of variables as one leaf, of which a statement stores nothing but the identifiers.
//!
//! ```text
//! fixed   [ length ]
//! loose   [ identifiers | values of passive variables, if an adjoint reads the list ]
//! ```
use super::{Active, Id, list::ListTangents};
use crate::{
    formula::Formula,
    kind::Carrier,
    kind::{
        Adjoint, Arg, At, Cell, Contribution, Hold, Identifier, Kind, Layout, List, ListBlock,
        ListElements, NONE, Need, Pieces, Tangents, Val, Wanted, assert_lengths,
    },
    node::{
        ConstantVisitor, Direct, ExpressionVisitor, LeafVisitor, Lent, Made, NamedId, Node,
        Produce, Pushed, Stored, StoredPieces, Swept, ValuesOf, sealed,
    },
    order::Order,
    store::{Reader, Writer},
    sweep::{Directional, Sweep},
};
use std::{any::type_name, array::from_fn};

/// The variables of a slice as one node.
pub struct Variables<'a, K: Kind, M: Carrier>(pub &'a [Active<K, M>]);
impl<K: Kind, M: Carrier> Clone for Variables<'_, K, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, M: Carrier> Copy for Variables<'_, K, M> {}

impl<K: Kind, M: Carrier> sealed::Node for Variables<'_, K, M> {}
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
    #[inline(always)]
    fn copy(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn forward(&self) -> (Given<'_, K, M>, ()) {
        (Given(self.0), ())
    }
    type Ready<'n>
        = Made<List<K>>
    where
        Self: 'n;
    fn push<const N: usize>(&self) -> (Made<List<K>>, Pushed<'_, List<K>, N>) {
        let mut tangents = ListTangents::default();
        for x in self.0 {
            tangents.push(x.tangents_ref(), &Lent::<K>(x.get()));
        }
        (Given(self.0).ready(), tangents.finish())
    }
    #[inline]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variables::<K>(self.0.iter().map(Active::variable_id));
    }
    fn constants(&self, _: &mut impl ConstantVisitor, _: Need) {}
    fn write(&self, (): (), writer: &mut Writer<'_>, need: Need) {
        let mixed = writer.mixed();
        let variables = self.0.iter().map(Active::variable_id);
        if mixed {
            writer.ids(variables.map(|x| if x.is_passive() { NONE } else { x.id }));
        } else {
            writer.ids(variables.map(|x| x.id));
        }
        if need.value() && (mixed || Id::<K, M>::OWNED) {
            for x in self.0 {
                let variable = x.variable_id();
                if variable.is_passive() {
                    writer.loose::<K>(x.cell());
                } else if Id::<K, M>::OWNED {
                    writer.mark_read::<K>(variable.id);
                }
            }
        }
    }
}

/// The values of variables, which are read where they stand if that is element by element.
pub struct Given<'n, K: Kind, M: Carrier>(&'n [Active<K, M>]);
impl<K: Kind, M: Carrier> Produce<List<K>> for Given<'_, K, M> {
    type Ready = Made<List<K>>;
    #[inline]
    fn ready(self) -> Made<List<K>> {
        Made(self.0.iter().map(Active::cell).collect())
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
/// The values of variables, element by element.
pub struct GivenPieces<'p, K: Kind, M: Carrier>(&'p [Active<K, M>]);
impl<K: Kind, M: Carrier> Pieces<List<K>> for GivenPieces<'_, K, M> {
    const ACTIVE: bool = true;
    type Values = Val<K>;
    #[inline(always)]
    fn within<N: Wanted>(&self, block: At) -> Self {
        GivenPieces(block.of(self.0))
    }
    #[inline(always)]
    fn values<N: Wanted>(&self, i: usize) -> Val<K> {
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

/// What a sweep reads of variables.
struct Loaded<K: Kind> {
    ids: Vec<u32>,
    /// Their values, where an adjoint reads them.
    values: Vec<Cell<K>>,
}
impl<K: Kind> Default for Loaded<K> {
    fn default() -> Self {
        Loaded {
            ids: Vec::new(),
            values: Vec::new(),
        }
    }
}
/// Variables on the tape.
pub struct TapeVariables<K: Kind> {
    /// This is lent.
    loaded: Box<Loaded<K>>,
    mixed: bool,
    /// Whether the values are there.
    read: bool,
}
impl<K: Kind> TapeVariables<K> {
    /// Adds to the adjoints of the variables of a part of the list.
    #[inline(always)]
    fn add(&self, ids: &[u32], adjoints: impl Iterator<Item = K::Adjoint>, sweep: &mut impl Sweep) {
        if !self.mixed {
            return sweep.add_to_all::<K>(ids, adjoints);
        }
        for (&id, adjoint) in ids.iter().zip(adjoints) {
            if id != NONE
                && let Some(value) = adjoint.into_value()
            {
                sweep.add_to_adjoint::<K>(id, |adjoint| value.add_to(adjoint));
            }
        }
    }
}
impl<K: Kind> Stored for TapeVariables<K> {
    type Kind = List<K>;
    type Pieces = OfVariables;
    const FORMULA: Formula = Formula::List(&Formula::Variable(type_name::<K>));
    const ACTIVE: bool = true;
    const FIXED: [usize; 3] = [4; 3];
    const CONSTANTS: [usize; 3] = [0; 3];
    const DYNAMIC: bool = true;
    const READS_RESULT: bool = false;
    fn load(
        reader: &mut Reader<'_>,
        sweep: &mut impl Sweep,
        need: Need,
        _: Option<Cell<List<K>>>,
    ) -> Self {
        let (mixed, read) = (reader.mixed(), need.value());
        let mut loaded = sweep.lend::<Loaded<K>>();
        let Loaded { ids, values } = &mut *loaded;
        reader.ids(ids);
        values.clear();
        if read && mixed {
            values.extend(ids.iter().map(|&id| match id {
                NONE => reader.loose::<K>(),
                id => sweep.primal::<K>(id).clone(),
            }));
        } else if read {
            sweep.read_all::<K>(ids, values);
        }
        TapeVariables {
            loaded,
            mixed,
            read,
        }
    }
    fn value(&self) -> Option<Arg<'_, List<K>>> {
        self.read.then_some(&self.loaded.values)
    }
    fn is_active(&self) -> bool {
        !self.mixed && !self.loaded.ids.is_empty() || self.loaded.ids.iter().any(|&id| id != NONE)
    }
    fn pull<C: Contribution<List<K>>>(&self, contribution: C, sweep: &mut impl Sweep) {
        let mut adjoints = sweep.lend::<Vec<K::Adjoint>>();
        adjoints.clear();
        contribution.add_to(&mut adjoints);
        assert_lengths(self.loaded.ids.len(), adjoints.len());
        self.add(&self.loaded.ids, adjoints.drain(..), sweep);
        sweep.take_back(adjoints);
    }
    fn done(mut self, sweep: &mut impl Sweep) {
        self.loaded.values.clear();
        sweep.take_back(self.loaded);
    }
    const ORDER: Order = Order::Second;
    type Along<const N: usize> = Option<[Vec<Cell<K>>; N]>;
    fn along<const N: usize>(
        &self,
        sweep: &mut Directional<'_, '_, '_, N>,
        _: Option<&Val<List<K>>>,
    ) -> Self::Along<N> {
        let of = |&id: &u32| (!self.mixed || id != NONE).then(|| sweep.tangents::<K>(id));
        let along: Vec<_> = self.loaded.ids.iter().map(of).collect();
        let along: Vec<_> = along
            .iter()
            .map(|t| t.as_ref().and_then(Tangents::get))
            .collect();
        let like = along.iter().flatten().flat_map(|t| t.first()).next()?;
        let values = self.read.then_some(&self.loaded.values);
        Some(from_fn(|j| {
            let each = along.iter().enumerate().map(|(i, along)| {
                let zero = || K::zero_like(values.map_or(like, |values| values[i].peek()));
                Hold::hold(along.map_or_else(zero, |t| t[j].clone()))
            });
            each.collect()
        }))
    }
    fn tangents<const N: usize>(along: &Self::Along<N>) -> Option<&[Vec<Cell<K>>; N]> {
        along.as_ref()
    }
    fn show(&self, to: &mut dyn ExpressionVisitor) {
        let active = |id: &&u32| !self.mixed || **id != NONE;
        let ids = self.loaded.ids.iter().filter(active);
        let count = ids.map(|&id| to.variable(NamedId::of::<K>(id))).count();
        to.list(count);
    }
}

/// Adds pieces to the adjoints of the variables as they come.
#[derive(Clone, Copy, Debug)]
pub struct OfVariables;
impl<K: Kind> StoredPieces<TapeVariables<K>> for OfVariables {
    type Source<'s> = Direct<'s, List<K>, Swept<TapeVariables<K>>>;
    type Sums = ();
    type Blocks = ListBlock<K>;
    #[inline(always)]
    fn source(node: &TapeVariables<K>) -> Self::Source<'_> {
        Direct::new(node.value())
    }
    fn open(node: &TapeVariables<K>, length: usize, (): &mut (), _: &mut impl Sweep) {
        assert_lengths(node.loaded.ids.len(), length);
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
        node.add(at.of(&node.loaded.ids), block.take(at.length), sweep);
    }
    #[inline(always)]
    fn close(_: &TapeVariables<K>, (): (), _: &mut impl Sweep) {}
}
