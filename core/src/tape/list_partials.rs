//! Several tangents of an elementwise result by its partial derivatives, which all directions share.
//!
//! As in [`partials`](super::partials), one that is not a normal number may be an underflow, a kink or a pole. Its block is
//! then interpreted.
use super::{
    layout::{ElementLoop, ListOf, Spread},
    lists::{ListSweep, all, context},
};
use crate::{
    kind::{Adjoint, NONE},
    machine::{PieceLoop, run_loop},
    store::OperationContext,
};
use std::iter::once;

impl<const N: usize> ListSweep<'_, '_, '_, N> {
    pub(super) fn tries_partials(&self) -> bool {
        N > 1 && !self.all.one_sided
    }
    /// The slots of active leaves, without those equal to an earlier one, and of active numbers.
    pub(super) fn active_slots(&self, elements: &ElementLoop) -> Vec<u8> {
        let leaves = elements.leaves.iter().filter(|&&index| self.is_leaf(index));
        let leaves = leaves.map(|&index| self.layout.lists[index].leaf.slot);
        let spreads = elements.spreads.iter();
        let spreads = spreads.filter(|spread| self.is_spread(spread));
        leaves.chain(spreads.map(|spread| spread.to)).collect()
    }
    fn is_leaf(&self, index: usize) -> bool {
        let (list, place) = (&self.layout.lists[index], &self.lists.places[index]);
        let is_passive = matches!(list.of, ListOf::Array(_)) && place.id == NONE;
        list.is_reached() && !is_passive && place.same.is_none()
    }
    fn is_spread(&self, spread: &Spread) -> bool {
        spread.is_reached() && !self.planes.passive[usize::from(spread.from)]
    }
    /// Computes the partial derivatives of a block of the result in the plane of adjoints. Returns whether they suffice.
    pub(super) fn partials(&mut self, (elements, root): (&ElementLoop, u8), slots: &[u8]) -> bool {
        let (block, context) = (&mut self.lists.block, &mut context!(self));
        let length = block.length;
        block.adjoints.of_mut(root, length).fill(1.0);
        let steps = elements.steps.iter().rev();
        for step in steps.filter(|step| step.place.active != 0) {
            let (values, adjoints) = (&block.values, &mut block.adjoints);
            (step.functions.adjoint)(values, adjoints, length, context, step.place);
        }
        self.merge_equal(elements, |block| once(&mut block.adjoints));
        let partials = &self.lists.block.adjoints;
        slots
            .iter()
            .all(|&slot| all(partials.of(slot, length), f64::is_normal))
    }
    /// Appends the tangents of a block to `all`. Returns whether an element depends on a direction.
    pub(super) fn tangents_by_partials(
        &mut self,
        elements: &ElementLoop,
        slots: &[u8],
        start: usize,
        all: &mut [Vec<f64>; N],
    ) -> bool {
        let mut depends = false;
        for &index in &elements.leaves {
            depends |= self.is_leaf(index) && self.leaf_tangents(index, start);
        }
        let block = &self.lists.block;
        for (all, tangents) in all.iter_mut().zip(&block.tangents) {
            let first = all.len();
            all.resize(first + block.length, -0.0);
            for &slot in slots {
                run_loop(SumLoop {
                    partials: block.adjoints.of(slot, block.length),
                    tangents: tangents.of(slot, block.length),
                    sums: &mut all[first..],
                });
            }
        }
        depends
    }
}
/// Adds products with normal partial derivatives. Those of unset tangents are unset; others are set, with positive zeros.
struct SumLoop<'e> {
    partials: &'e [f64],
    tangents: &'e [f64],
    sums: &'e mut [f64],
}
impl SumLoop<'_> {
    #[inline(always)]
    fn add(self, product: impl Fn(f64, f64) -> f64) {
        let length = self.sums.len();
        let (partials, tangents) = (&self.partials[..length], &self.tangents[..length]);
        for (k, sum) in self.sums.iter_mut().enumerate() {
            *sum += product(partials[k], tangents[k]);
        }
    }
}
impl PieceLoop for SumLoop<'_> {
    #[inline(always)]
    fn run(self) {
        let tangents = self.tangents.iter();
        let unset = tangents.fold(false, |any, x| any | x.is_unset());
        let computed = |partial: f64, tangent: f64| partial * tangent + 0.0;
        match unset {
            false => self.add(computed),
            true => self.add(|partial, tangent| match tangent.is_unset() {
                true => -0.0,
                false => computed(partial, tangent),
            }),
        }
    }
}
