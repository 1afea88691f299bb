//! Sweeps along directions over statements of numbers and lists of them.
//!
//! ```text
//! forward   numbers below lists; for each block of elements: leaves, operations; the reduction; numbers above
//! back      the other way round; where there is more than one block, elements are computed again
//! ```
use super::{
    layout::{
        InLoose, Item, Leaf, ListLayout, ListLeaf, Reduction, Step, Variable, for_count, functions,
        read,
    },
    statement::RightHandSide,
};
use crate::{
    kind::{Adjoint, NONE, Origin, assert_lengths},
    store::{
        AdjointsOf, AllTangents, Beside, ElementFunctions, Elements, ElementsAlong, ListPlace,
        Lists, Planes, ReductionAlong, ReductionFunctions, TangentsOf, Way, slot, slot_mut,
    },
    sweep::Numbers,
};

/// What a sweep computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweeping {
    /// Tangents.
    Tangents,
    /// Adjoints and their tangents.
    Second,
}
impl Sweeping {
    pub(super) fn way(self) -> Way {
        match self {
            Sweeping::Tangents => Way::Forward,
            Sweeping::Second => Way::Back,
        }
    }
    /// Whether the tangents of a node are computed.
    fn computes(self, bends: bool) -> bool {
        self == Sweeping::Tangents || bends
    }
}

/// A statement with lists while it is swept.
pub(super) struct ListSweep<'s, const N: usize> {
    sweeping: Sweeping,
    layout: &'s ListLayout,
    planes: &'s mut Planes<N>,
    lists: &'s mut Lists<N>,
    tangents: &'s mut TangentsOf<f64, N>,
    values: &'s [f64],
    sums: &'s mut AdjointsOf<f64>,
    beside: Beside<'s>,
    rhs: RightHandSide<'s>,
}
impl<'s, const N: usize> ListSweep<'s, N> {
    /// Begins with a statement.
    pub(super) fn new(
        sweeping: Sweeping,
        layout: &'s ListLayout,
        all: &'s mut AllTangents<N>,
        numbers: Numbers<'s>,
        rhs: RightHandSide<'s>,
    ) -> Self {
        let beside = Beside {
            fixed: rhs.fixed,
            stacks: numbers.stacks,
            one_sided: all.one_sided,
        };
        let (planes, lists, tangents) = all.planes_and_lists();
        lists.make_room(layout.slots, layout.reductions.len(), layout.lists.len());
        ListSweep {
            sweeping,
            layout,
            planes,
            lists,
            tangents,
            values: numbers.values,
            sums: numbers.adjoints,
            beside,
            rhs,
        }
    }
    /// Reads the leaves, the tangents of some variables, and computes values and tangents.
    pub(super) fn load(
        &mut self,
        (variables, constants): (&[Variable], &[Leaf]),
        mixed: bool,
        result: Option<(u8, f64)>,
    ) {
        let (planes, rhs) = (&mut *self.planes, self.rhs);
        let way = self.sweeping.way();
        for leaf in constants {
            planes.values[usize::from(leaf.slot)] = read(rhs.constants, leaf.at);
        }
        let slots = self.values;
        let mut at = 0;
        for leaf in &self.layout.loose {
            match *leaf {
                InLoose::Variable(index) => {
                    let variable = &variables[index];
                    let slot = usize::from(variable.leaf.slot);
                    let id = read(rhs.fixed, variable.leaf.at);
                    (planes.ids[slot], planes.passive[slot]) = (id, id == NONE);
                    if variable.value {
                        planes.values[slot] = match id {
                            NONE => read_next(rhs.loose, &mut at),
                            id => slots[id as usize],
                        };
                    }
                    if id != NONE && variable.is_read(way) {
                        planes.tangents[slot] = *self.tangents.get(id);
                    }
                }
                InLoose::List(index) => {
                    let list = &self.layout.lists[index];
                    self.lists.places[index] = list.next_place(&rhs, mixed, &mut at);
                }
            }
        }
        if let Some((root, result)) = result {
            planes.values[usize::from(root)] = result;
        }
        for item in &self.layout.items {
            match *item {
                Item::Number(index) => self.number(&self.layout.steps[index]),
                Item::Reduction(index) => self.reduce(index),
            }
        }
    }
    /// Whether a number depends on a variable.
    pub(super) fn is_active(&self, slot: u8) -> bool {
        !self.planes.passive[usize::from(slot)]
    }
    fn number(&mut self, step: &Step) {
        let place = self.planes.place(step.place);
        self.planes.passive[usize::from(place.result)] = place.active == 0;
        let operation = step.operation.functions;
        if step.value {
            (operation.value)(&mut self.planes.values, &mut self.beside, place);
        }
        if self.sweeping.computes(step.bends)
            && let Some(along) = functions::<N>(operation, place)
        {
            (along.tangents)(self.planes, &mut self.beside, place);
        }
    }
    /// Computes the elements below a reduction, and then that.
    fn reduce(&mut self, index: usize) {
        let layout = self.layout;
        let reduction = &layout.reductions[index];
        self.spread(reduction);
        for argument in &mut self.lists.arguments[index] {
            argument.values.clear();
            argument.tangents.iter_mut().for_each(Vec::clear);
        }
        self.each_block(reduction, |sweep, at| {
            sweep.compute(reduction, at);
            sweep.keep(index);
        });
        let (place, functions) = (reduction.place, reduction.functions);
        let lists = &mut self.lists.arguments[index];
        let (result, beside) = (usize::from(place.result), &mut self.beside);
        if reduction.value {
            let values = lists.each_ref().map(|list| &list.values);
            self.planes.values[result] = (functions.value)(values, beside, place);
        }
        if self.sweeping.computes(reduction.bends) && place.active != 0 {
            let tangents = along::<N>(functions).tangents;
            tangents(self.planes, lists, beside, place, reduction.saved);
        }
        self.planes.passive[result] = place.active == 0;
    }
    /// Puts numbers in the place of all elements.
    fn spread(&mut self, reduction: &Reduction) {
        let block = &mut self.lists.block;
        for spread in &reduction.spreads {
            let (from, length) = (usize::from(spread.from), Elements::<N>::LENGTH);
            if spread.wanted.value.value() {
                slot_mut::<_, N>(&mut block.values, spread.to, length)
                    .fill(self.planes.values[from]);
            }
            if spread.active && self.sweeping.computes(spread.wanted.bends) {
                let tangents = match self.planes.passive[from] {
                    true => [-0.0; N],
                    false => self.planes.tangents[from],
                };
                slot_mut::<_, N>(&mut block.tangents, spread.to, length).fill(tangents);
            }
        }
    }
    /// Visits the blocks of the elements below a reduction, with the index of the first element of each.
    fn each_block(&mut self, reduction: &Reduction, mut visit: impl FnMut(&mut Self, usize)) {
        let length = self.length(reduction);
        let mut start = 0;
        while start < length {
            self.lists.block.length = (length - start).min(Elements::<N>::LENGTH);
            visit(self, start);
            start += Elements::<N>::LENGTH;
        }
    }
    /// How many elements there are.
    fn length(&mut self, reduction: &Reduction) -> usize {
        let lists = reduction.leaves.iter();
        let stored = lists.copied().find(|&list| self.layout.lists[list].stored);
        match stored {
            Some(list) => self.lists.places[list].length,
            None => {
                let (place, saved) = (reduction.place, reduction.saved);
                (reduction.functions.length)(&mut self.beside, place, saved)
            }
        }
    }
    /// Computes a block of elements, which follows the one that was computed before.
    fn compute(&mut self, reduction: &Reduction, start: usize) {
        let length = self.lists.block.length;
        let slots = self.values;
        for &index in &reduction.leaves {
            let list = &self.layout.lists[index];
            let (wanted, of) = (list.wanted, list.leaf.slot);
            let Lists { block, places, .. } = &mut *self.lists;
            let place = &mut places[index];
            if !list.variables {
                if list.stored {
                    let numbers = self.rhs.loose[place.start..].as_chunks().0;
                    let values = slot_mut::<_, N>(&mut block.values, of, length);
                    for (value, &number) in values.iter_mut().zip(&numbers[start..]) {
                        *value = f64::from_ne_bytes(number);
                    }
                }
                continue;
            }
            let ids = self.rhs.loose[place.start..].as_chunks().0;
            let ids = ids[start..][..length].iter();
            let ids = ids.map(|&id| u32::from_ne_bytes(id));
            if wanted.value.value() {
                let values = slot_mut::<_, N>(&mut block.values, of, length);
                for (value, id) in values.iter_mut().zip(ids.clone()) {
                    *value = match id {
                        NONE => read_next(self.rhs.loose, &mut place.passive),
                        id => slots[id as usize],
                    };
                }
            }
            if wanted.reached && self.sweeping.computes(wanted.bends) {
                let tangents = slot_mut::<_, N>(&mut block.tangents, of, length);
                for (tangents, id) in tangents.iter_mut().zip(ids) {
                    *tangents = match id {
                        NONE => [-0.0; N],
                        id => *self.tangents.get(id),
                    };
                }
            }
        }
        let (block, beside) = (&mut self.lists.block, &mut self.beside);
        for step in &reduction.steps {
            if step.value {
                let lengths = [Elements::<N>::LENGTH, length];
                (step.functions.value)(&mut block.values, lengths, beside, step.place);
            }
            if self.sweeping.computes(step.bends) && step.place.active != 0 {
                let tangents = elements_along::<N>(step.functions).tangents;
                tangents(block, beside, step.place);
            }
        }
    }
    /// Appends a block to the arguments of a reduction.
    fn keep(&mut self, index: usize) {
        let Lists {
            block, arguments, ..
        } = &mut *self.lists;
        for argument in &self.layout.reductions[index].arguments {
            let list = &mut arguments[index][argument.index];
            if argument.wanted.value.value() {
                let values = slot::<_, N>(&block.values, argument.slot, block.length);
                list.values.extend_from_slice(values);
            }
            if argument.active && self.sweeping.computes(argument.wanted.bends) {
                let tangents = slot::<_, N>(&block.tangents, argument.slot, block.length);
                for (j, list) in list.tangents.iter_mut().enumerate() {
                    list.extend(tangents.iter().map(|tangents| tangents[j]));
                }
            }
        }
    }

    /// Passes the adjoint of the result and its tangents back.
    pub(super) fn back(&mut self, root: u8, r_b: f64, r_bt: [f64; N]) {
        let (layout, root) = (self.layout, usize::from(root));
        (self.planes.adjoints[root], self.planes.along[root]) = (r_b, r_bt);
        for item in layout.items.iter().rev() {
            match *item {
                Item::Number(index) => self.number_back(&layout.steps[index]),
                Item::Reduction(index) => self.reduction_back(index),
            }
        }
    }
    /// Sets the tangents of the result, which are known.
    pub(super) fn set_tangents(&mut self, root: u8, tangents: [f64; N]) {
        self.planes.tangents[usize::from(root)] = tangents;
    }
    fn number_back(&mut self, step: &Step) {
        let place = self.planes.place(step.place);
        let operation = step.operation.functions;
        if let Some(along) = functions::<N>(operation, place) {
            (along.second)(self.planes, &mut self.beside, place);
        }
    }
    fn reduction_back(&mut self, index: usize) {
        let layout = self.layout;
        let reduction = &layout.reductions[index];
        let (place, result) = (reduction.place, usize::from(reduction.place.result));
        for spread in &reduction.spreads {
            let from = usize::from(spread.from);
            (self.planes.adjoints[from], self.planes.along[from]) = (-0.0, [-0.0; N]);
        }
        let none = self.planes.along[result].iter().all(Adjoint::is_unset);
        if none && self.planes.adjoints[result].is_unset() || place.active == 0 {
            return;
        }
        for argument in &mut self.lists.arguments[index] {
            argument.adjoint.clear();
            argument.along.iter_mut().for_each(Vec::clear);
        }
        let lists = &mut self.lists.arguments[index];
        let second = along::<N>(reduction.functions).second;
        second(self.planes, lists, &mut self.beside, place, reduction.saved);
        let length = self.length(reduction);
        for argument in &reduction.arguments {
            let list = &self.lists.arguments[index][argument.index];
            for made in list.along.iter().chain([&list.adjoint]) {
                if !made.is_empty() {
                    assert_lengths(length, made.len(), Origin::UNKNOWN);
                }
            }
        }
        // A single block is still there.
        let again = length > Elements::<N>::LENGTH;
        if again {
            self.rewind(reduction);
        }
        self.each_block(reduction, |sweep, start| {
            if again {
                sweep.compute(reduction, start);
            }
            sweep.set_adjoints(index, start);
            sweep.pass_on(reduction, start);
        });
    }
    /// Lets the values of passive variables be read once more.
    fn rewind(&mut self, reduction: &Reduction) {
        for &index in &reduction.leaves {
            let place = &mut self.lists.places[index];
            if self.layout.lists[index].variables {
                place.passive = place.start + 4 * place.length;
            }
        }
    }
    /// Sets the adjoints of a block of a reduction's arguments.
    fn set_adjoints(&mut self, index: usize, start: usize) {
        let Lists {
            block, arguments, ..
        } = &mut *self.lists;
        let made = |list: &Vec<f64>, k: usize| list.get(start + k).copied().unwrap_or(-0.0);
        for argument in &self.layout.reductions[index].arguments {
            let list = &arguments[index][argument.index];
            let adjoints = slot_mut::<_, N>(&mut block.adjoints, argument.slot, block.length);
            for (k, adjoint) in adjoints.iter_mut().enumerate() {
                *adjoint = made(&list.adjoint, k);
            }
            let along = slot_mut::<_, N>(&mut block.along, argument.slot, block.length);
            for (k, along) in along.iter_mut().enumerate() {
                *along = list.along.each_ref().map(|list| made(list, k));
            }
        }
    }
    /// Passes the adjoints of a block on to its leaves.
    fn pass_on(&mut self, reduction: &Reduction, start: usize) {
        let (block, beside) = (&mut self.lists.block, &mut self.beside);
        let length = block.length;
        for step in reduction.steps.iter().rev() {
            if step.place.active != 0 {
                (elements_along::<N>(step.functions).second)(block, beside, step.place);
            }
        }
        let reached = reduction
            .leaves
            .iter()
            .map(|&index| (index, &self.layout.lists[index]));
        for (index, list) in reached.filter(|(_, list)| list.variables && list.wanted.reached) {
            let ids = self.rhs.loose[self.lists.places[index].start..]
                .as_chunks()
                .0;
            let adjoints = slot::<_, N>(&block.adjoints, list.leaf.slot, length);
            let along = slot::<_, N>(&block.along, list.leaf.slot, length);
            let sums = &mut *self.sums;
            for (k, &id) in ids[start..][..length].iter().enumerate() {
                let id = u32::from_ne_bytes(id);
                if id == NONE {
                    continue;
                }
                sums.at(id).merge(adjoints[k]);
                self.tangents.merge(id, &along[k]);
            }
        }
        for spread in reduction
            .spreads
            .iter()
            .filter(|x| x.active && x.wanted.reached)
        {
            let from = usize::from(spread.from);
            let adjoints = slot::<_, N>(&block.adjoints, spread.to, length);
            let sum = &mut self.planes.adjoints[from];
            adjoints.iter().for_each(|&adjoint| sum.merge(adjoint));
            let sums = &mut self.planes.along[from];
            for along in slot::<_, N>(&block.along, spread.to, length) {
                for (sum, &along) in sums.iter_mut().zip(along) {
                    sum.merge(along);
                }
            }
        }
    }
    /// Adds what numbers got to the adjoints of variables.
    pub(super) fn finish(&mut self, reached: &[Leaf]) {
        let sums = &mut *self.sums;
        for leaf in reached {
            let slot = usize::from(leaf.slot);
            let id = self.planes.ids[slot];
            if id == NONE {
                continue;
            }
            sums.at(id).merge(self.planes.adjoints[slot]);
            self.tangents.merge(id, &self.planes.along[slot]);
        }
    }
}

impl ListLeaf {
    /// Where it stands in the loose part of a statement, if it begins `at` this byte, which goes on to its end.
    fn next_place(&self, rhs: &RightHandSide<'_>, mixed: bool, at: &mut usize) -> ListPlace {
        if !self.stored {
            return ListPlace::default();
        }
        let length = read::<u32>(rhs.fixed, self.leaf.at) as usize;
        let start = *at;
        *at += length * if self.variables { 4 } else { 8 };
        let passive = *at;
        if mixed && self.variables && self.wanted.value.value() {
            let ids = rhs.loose[start..passive].as_chunks().0;
            let passive = ids.iter().filter(|&&id| u32::from_ne_bytes(id) == NONE);
            *at += 8 * passive.count();
        }
        ListPlace {
            start,
            length,
            passive,
        }
    }
}
impl ListLayout {
    /// Visits the variables in lists into which an adjoint flows.
    pub(super) fn each_reached(
        &self,
        (variables, rhs): (&[Variable], &RightHandSide<'_>),
        mixed: bool,
        mut visit: impl FnMut(u32),
    ) {
        let mut at = 0;
        for leaf in &self.loose {
            match *leaf {
                InLoose::Variable(index) => {
                    let Variable { leaf, value, .. } = &variables[index];
                    if *value && read::<u32>(rhs.fixed, leaf.at) == NONE {
                        at += 8;
                    }
                }
                InLoose::List(index) => {
                    let list = &self.lists[index];
                    let ListPlace { start, length, .. } = list.next_place(rhs, mixed, &mut at);
                    if list.variables && list.wanted.reached {
                        let ids = rhs.loose[start..][..4 * length].as_chunks().0;
                        let ids = ids.iter().map(|&id| u32::from_ne_bytes(id));
                        ids.filter(|&id| id != NONE).for_each(&mut visit);
                    }
                }
            }
        }
    }
}

/// The next number.
fn read_next(bytes: &[u8], at: &mut usize) -> f64 {
    let number = bytemuck::pod_read_unaligned(&bytes[*at..*at + 8]);
    *at += 8;
    number
}
fn along<const N: usize>(functions: &'static ReductionFunctions) -> ReductionAlong<N> {
    *for_count::<ReductionAlong<N>, N>(&functions.one, &functions.many)
}
fn elements_along<const N: usize>(functions: &'static ElementFunctions) -> ElementsAlong<N> {
    *for_count::<ElementsAlong<N>, N>(&functions.one, &functions.many)
}
