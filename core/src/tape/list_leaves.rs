//! Leaves of statements with lists along directions, accessed in blocks.
use super::{
    layout::{
        ElementLoop, ListLayout, ListLeaf, ListOf, PartVariable, Variable, VariableLengthLeaf,
        for_count, read,
    },
    lists::ListSweep,
};
use crate::{
    kind::{Adjoint, At, NONE},
    node::{ArrayFunctions, ArrayLeaf, LeafPlace},
    store::{ListPlace, Lists, RightHandSide},
    sweep::Slots,
};

impl<const N: usize> ListSweep<'_, '_, '_, N> {
    pub(super) fn read_values(&mut self, elements: &ElementLoop, start: usize) {
        let layout = self.layout;
        for &index in &elements.leaves {
            let (list, place) = (&layout.lists[index], &self.lists.places[index]);
            match list.of {
                ListOf::Variables => self.gather_values(list, index, start),
                ListOf::Numbers if list.stored => self.copy_numbers(list, index, start),
                ListOf::Numbers => {}
                ListOf::Array(array) if place.value && place.same.is_none() => {
                    let place = list.leaf_place(&self.rhs, place, array);
                    let block = &mut self.lists.block;
                    let length = block.length;
                    let values = block.values.of_mut(list.leaf.slot, length);
                    (array.values)(self.walk, place, At { start, length }, values);
                }
                ListOf::Array(_) => {}
            }
        }
    }
    /// Returns whether a list depends on a direction.
    pub(super) fn read_tangents(&mut self, elements: &ElementLoop, start: usize) -> bool {
        let (layout, mut depends) = (self.layout, false);
        for &index in &elements.leaves {
            let (list, place) = (&layout.lists[index], &self.lists.places[index]);
            let is_first = list.is_reached() && place.same.is_none();
            if is_first && self.sweeping.computes(place.bends) {
                depends |= self.leaf_tangents(index, start);
            }
        }
        depends
    }
    pub(super) fn leaf_tangents(&mut self, index: usize, start: usize) -> bool {
        let list = &self.layout.lists[index];
        let (place, block) = (self.lists.places[index], &mut self.lists.block);
        let length = block.length;
        let into = block.tangents.each_mut();
        let mut into = into.map(|all| all.of_mut(list.leaf.slot, length));
        if let ListOf::Array(array) = list.of {
            let place = list.leaf_place(&self.rhs, &place, array);
            if place.id == NONE {
                into.into_iter().for_each(|into| into.fill(-0.0));
                return false;
            }
            let tangents = array_functions::<N>(array).tangents;
            return tangents(self.walk, self.all, place, At { start, length }, into);
        }
        let ids = self.rhs.variable_length[place.start..].as_chunks().0;
        let all = self.all.of_numbers();
        for (k, &id) in ids[start..][..length].iter().enumerate() {
            let tangents = match u32::from_ne_bytes(id) {
                NONE => [-0.0; N],
                id => *all.get(id),
            };
            for (into, tangent) in into.iter_mut().zip(tangents) {
                into[k] = tangent;
            }
        }
        true
    }
    fn copy_numbers(&mut self, list: &ListLeaf, index: usize, start: usize) {
        let block = &mut self.lists.block;
        let numbers = self.rhs.variable_length[self.lists.places[index].start..]
            .as_chunks()
            .0;
        let values = block.values.of_mut(list.leaf.slot, block.length);
        for (value, &number) in values.iter_mut().zip(&numbers[start..]) {
            *value = f64::from_ne_bytes(number);
        }
    }
    fn gather_values(&mut self, list: &ListLeaf, index: usize, start: usize) {
        if !list.wanted.value.value() {
            return;
        }
        let Lists { block, places, .. } = &mut *self.lists;
        let (place, length) = (&mut places[index], block.length);
        let ids = self.rhs.variable_length[place.start..].as_chunks().0;
        let slots = self.walk.sweep.slots::<f64>();
        let values = block.values.of_mut(list.leaf.slot, length);
        for (value, &id) in values.iter_mut().zip(&ids[start..]) {
            *value = match u32::from_ne_bytes(id) {
                NONE => read_next(self.rhs.variable_length, &mut place.passive),
                id => slots[id as usize],
            };
        }
    }

    pub(super) fn add_to_leaves(&mut self, elements: &ElementLoop, at: (usize, usize)) {
        let layout = self.layout;
        for &index in &elements.leaves {
            let list = &layout.lists[index];
            if list.is_reached() && self.lists.places[index].same.is_none() {
                self.add_to_leaf(index, at);
            }
        }
        let block = &self.lists.block;
        let spreads = elements.spreads.iter();
        for spread in spreads.filter(|spread| spread.is_reached()) {
            let from = usize::from(spread.from);
            let adjoints = [&block.adjoints].into_iter().chain(&block.directional);
            let sums = [&mut self.planes.adjoints[from]].into_iter();
            for (sum, all) in sums.chain(&mut self.planes.directional[from]).zip(adjoints) {
                let each = all.of(spread.to, block.length).iter();
                each.for_each(|&adjoint| sum.merge(adjoint));
            }
        }
    }
    fn add_to_leaf(&mut self, index: usize, (start, of): (usize, usize)) {
        let (list, place) = (&self.layout.lists[index], &self.lists.places[index]);
        let (block, slot) = (&self.lists.block, list.leaf.slot);
        let length = block.length;
        let adjoints = block.adjoints.of(slot, length);
        let directional = block.directional.each_ref().map(|all| all.of(slot, length));
        if let ListOf::Array(array) = list.of {
            let place = list.leaf_place(&self.rhs, place, array);
            if place.id != NONE {
                let add = array_functions::<N>(array).add;
                let at = (At { start, length }, of);
                add(self.walk, self.all, place, at, (adjoints, directional));
            }
            return;
        }
        let ids = self.rhs.variable_length[place.start..].as_chunks().0;
        let sums = self.walk.sweep.adjoints::<f64>();
        for (k, &id) in ids[start..][..length].iter().enumerate() {
            let id = u32::from_ne_bytes(id);
            if id == NONE {
                continue;
            }
            sums.at(id).merge(adjoints[k]);
            let directional = directional.map(|directional| directional[k]);
            self.all.of_numbers().merge(id, &directional);
        }
    }
}
impl PartVariable {
    pub(super) fn place<'s>(&self, rhs: &RightHandSide<'s>) -> LeafPlace<'s> {
        let fixed = &rhs.fixed[usize::from(self.variable.leaf.at)..];
        LeafPlace {
            id: read(fixed, 0),
            parameters: &fixed[4..][..self.of.parameters],
            kept: &[],
        }
    }
}
impl ListLeaf {
    pub(super) fn next_place(
        &self,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        at: &mut usize,
    ) -> ListPlace {
        let (start, reads) = (*at, self.wanted.value.value());
        if !self.stored {
            return ListPlace::default();
        }
        let first: u32 = read(rhs.fixed, self.leaf.at);
        if let ListOf::Array(array) = self.of {
            if mixed && reads && array.is_variable && first == NONE {
                *at += array.kept;
            }
            return ListPlace {
                start,
                length: 0,
                passive: start,
                id: if array.is_variable { first } else { NONE },
                value: reads,
                bends: self.wanted.bends,
                same: None,
            };
        }
        let (length, are_variables) = (first as usize, matches!(self.of, ListOf::Variables));
        *at += length * if are_variables { 4 } else { 8 };
        let passive = *at;
        if mixed && are_variables && reads {
            let ids = rhs.variable_length[start..passive].as_chunks().0;
            let passive = ids.iter().filter(|&&id| u32::from_ne_bytes(id) == NONE);
            *at += 8 * passive.count();
        }
        ListPlace {
            start,
            length,
            passive,
            id: NONE,
            value: reads,
            bends: self.wanted.bends,
            ..ListPlace::default()
        }
    }
    /// Adds the key of leaf `index`. Returns the first leaf of the loop with the same elements.
    pub(super) fn same<const N: usize>(
        &self,
        (index, id): (usize, u32),
        rhs: &RightHandSide<'_>,
        layout: &ListLayout,
        lists: &mut Lists<N>,
    ) -> Option<usize> {
        let array = match self.of {
            ListOf::Array(array) if id != NONE && self.is_reached() => array,
            _ => {
                lists.keys.push(index as u64);
                return None;
            }
        };
        let parameters =
            |leaf: &ListLeaf| &rhs.fixed[usize::from(leaf.leaf.at) + 4..][..array.parameters];
        let mine = parameters(self);
        let key = match *mine {
            [a, b, c, d, e, f, g, h, ..] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            [a, b, c, d, ..] => u64::from(u32::from_ne_bytes([a, b, c, d])),
            _ => 0,
        };
        // Different leaves may have one key.
        let key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(id) << 32;
        let is_similar = |&i: &usize| lists.keys[i] == key && layout.lists[i].first == self.first;
        let first = (self.first..index).find(is_similar);
        lists.keys.push(key);
        let first = first?;
        let leaf = &layout.lists[first];
        let is_same = matches!(leaf.of, ListOf::Array(other) if std::ptr::eq(array, other))
            && lists.places[first].id == id
            && parameters(leaf) == mine;
        is_same.then_some(first)
    }
    pub(super) fn leaf_place<'s>(
        &self,
        rhs: &RightHandSide<'s>,
        place: &ListPlace,
        array: &ArrayLeaf,
    ) -> LeafPlace<'s> {
        let fixed = &rhs.fixed[usize::from(self.leaf.at)..];
        match array.is_variable {
            true => LeafPlace {
                id: place.id,
                parameters: &fixed[4..][..array.parameters],
                kept: &rhs.variable_length[place.passive..],
            },
            false => LeafPlace {
                id: NONE,
                parameters: &[],
                kept: fixed,
            },
        }
    }
}
impl ListLayout {
    pub(super) fn each_reached(
        &self,
        (variables, rhs): (&[Variable], &RightHandSide<'_>),
        mixed: bool,
        mut visit: impl FnMut(u32),
    ) {
        let mut at = 0;
        for leaf in &self.variable_length {
            match *leaf {
                VariableLengthLeaf::Variable(index) => {
                    let Variable { leaf, value, .. } = &variables[index];
                    if *value && read::<u32>(rhs.fixed, leaf.at) == NONE {
                        at += 8;
                    }
                }
                VariableLengthLeaf::Part(_) => {
                    unreachable!("statements of parts have their own sweep")
                }
                VariableLengthLeaf::List(index) => {
                    let list = &self.lists[index];
                    let ListPlace { start, length, .. } = list.next_place(rhs, mixed, &mut at);
                    if list.is_reached() {
                        let ids = rhs.variable_length[start..][..4 * length].as_chunks().0;
                        let ids = ids.iter().map(|&id| u32::from_ne_bytes(id));
                        ids.filter(|&id| id != NONE).for_each(&mut visit);
                    }
                }
            }
        }
    }
}
pub(super) fn read_next(bytes: &[u8], at: &mut usize) -> f64 {
    let number = bytemuck::pod_read_unaligned(&bytes[*at..*at + 8]);
    *at += 8;
    number
}
fn array_functions<const N: usize>(array: &'static ArrayLeaf) -> ArrayFunctions<N> {
    *for_count::<ArrayFunctions<N>, N>(&array.one, &array.many)
}
