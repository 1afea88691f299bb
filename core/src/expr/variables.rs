//! A slice of variables as one leaf, of which a statement stores nothing but the identifiers.
//!
//! ```text
//! fixed   [ length ]
//! loose   [ identifiers | values of passive variables, if an adjoint reads the list ]
//! ```
use super::{Active, Id};
use crate::{
    formula::Formula,
    kind::Carrier,
    kind::{Adjoint, Arg, Cell, Contribution, Identifier, Kind, List, NONE, Need, assert_lengths},
    node::{ConstantVisitor, Gather, LeafVisitor, Made, Node, Stored, sealed},
    store::{Reader, Writer},
    sweep::Sweep,
};
use std::any::type_name;

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
        = Made<List<K>>
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
    #[inline]
    fn forward(&self) -> (Made<List<K>>, ()) {
        (Made(self.0.iter().map(Active::cell).collect()), ())
    }
    #[inline]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        for x in self.0 {
            visitor.variable::<K>(x.variable_id());
        }
    }
    fn constants(&self, _: &mut impl ConstantVisitor, _: Need) {}
    fn write(&self, (): (), writer: &mut Writer<'_>, need: Need) {
        let mixed = writer.mixed();
        writer.ids(self.0.iter().map(|x| match x.variable_id() {
            variable if mixed && variable.is_passive() => NONE,
            variable => variable.id,
        }));
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

/// Variables on the tape: their identifiers and, where an adjoint reads them, their values.
pub struct TapeVariables<K: Kind> {
    ids: Vec<u32>,
    mixed: bool,
    values: Option<Vec<Cell<K>>>,
}
impl<K: Kind> Stored for TapeVariables<K> {
    type Kind = List<K>;
    type Pieces = Gather;
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
        let mixed = reader.mixed();
        let ids = reader.ids();
        let values = need.value().then(|| {
            let of = |&id: &u32| match id {
                NONE if mixed => reader.loose::<K>(),
                id => sweep.primal::<K>(id).clone(),
            };
            ids.iter().map(of).collect()
        });
        TapeVariables { ids, mixed, values }
    }
    fn value(&self) -> Option<Arg<'_, List<K>>> {
        self.values.as_ref()
    }
    fn is_active(&self) -> bool {
        self.ids.iter().any(|&id| !self.mixed || id != NONE)
    }
    fn pull<C: Contribution<List<K>>>(&self, contribution: C, sweep: &mut impl Sweep) {
        let mut adjoints = std::mem::take(sweep.scratch::<K>());
        contribution.add_to(&mut adjoints);
        assert_lengths(self.ids.len(), adjoints.len());
        for (&id, adjoint) in self.ids.iter().zip(adjoints.drain(..)) {
            // An adjoint that is exactly zero is not propagated, as for statements.
            if !adjoint.is_unset()
                && (!self.mixed || id != NONE)
                && let Some(value) = adjoint.into_value()
            {
                sweep.add_to_adjoint::<K>(id, |adjoint| value.add_to(adjoint));
            }
        }
        *sweep.scratch::<K>() = adjoints;
    }
    fn show(&self, to: &mut dyn FnMut(&'static str, u32)) {
        let active = |id: &&u32| !self.mixed || **id != NONE;
        self.ids
            .iter()
            .filter(active)
            .for_each(|&id| to(K::NAME, id));
    }
}
