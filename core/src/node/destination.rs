//! Destinations of sums.
use super::Produce;
use crate::kind::{DestinationKind, Memory, TapeCell, TapeValue, Val};

/// A value to which terms are added, each with a factor.
pub struct Destination<'d, K: DestinationKind> {
    value: &'d mut Val<K>,
    factor: K::Factor,
    empty: &'d mut bool,
}
debug_by_name! { ['d, K: DestinationKind] Destination<'d, K> }
impl<K: DestinationKind> Destination<'_, K> {
    /// Creates a value of this shape from at least one term.
    #[inline(always)]
    pub fn make(shape: K::Shape, fill: impl FnOnce(&mut Destination<'_, K>)) -> Val<K> {
        let mut value = K::fresh(shape);
        Self::fill(&mut value, fill);
        value
    }
    #[inline(always)]
    pub(crate) fn make_cell(
        shape: K::Shape,
        fill: impl FnOnce(&mut Destination<'_, K>),
    ) -> TapeValue<K> {
        let waiting = match K::extent_of(shape) {
            0 => None,
            extent => <TapeValue<K> as TapeCell<Val<K>>>::waiting(extent, K::Memory::prefetch),
        };
        let mut cell = waiting.unwrap_or_else(|| TapeCell::new(K::fresh(shape)));
        let Some(value) = cell.sole() else {
            unreachable!("a new value is not shared")
        };
        if K::shape(value) != shape {
            K::Memory::recycle(&mut std::mem::replace(value, K::fresh(shape)));
        }
        Self::fill(value, fill);
        cell
    }
    #[inline(always)]
    fn fill(value: &mut Val<K>, fill: impl FnOnce(&mut Destination<'_, K>)) {
        let mut empty = true;
        fill(&mut Destination {
            value,
            factor: K::ONE,
            empty: &mut empty,
        });
    }
    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: impl Produce<K>) {
        term.add_to(self);
    }
    /// Returns this destination for terms that are multiplied by `factor`.
    #[inline(always)]
    pub fn times(&mut self, factor: K::Factor) -> Destination<'_, K> {
        Destination {
            value: self.value,
            factor: K::times(self.factor, factor),
            empty: self.empty,
        }
    }
    /// Adds an evaluated term.
    #[inline(always)]
    pub fn put(&mut self, term: &Val<K>) {
        self.put_by(|to, first, factor| K::put(to, first, factor, term));
    }
    /// Adds a term by `put`, with the arguments of [`DestinationKind::put`].
    #[inline(always)]
    pub fn put_by(&mut self, put: impl FnOnce(&mut Val<K>, bool, K::Factor)) {
        let first = std::mem::replace(self.empty, false);
        put(self.value, first, self.factor);
    }
}
