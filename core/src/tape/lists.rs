//! Sweeps along directions over statements of lists of numbers.
//!
//! ```text
//! forward   numbers below lists; for each block of elements: leaves, operations; the reduction; numbers above
//! back      the other way round; where there is more than one block, elements are computed again
//! ```
//!
//! The result is a number, or a list, also computed in blocks.
use super::{
    layout::{
        ElementLoop, LayoutItem, Leaf, ListLayout, ListOf, ListReduction, Step, Sweeping, Variable,
        VariableLengthLeaf, for_count, functions, read,
    },
    list_leaves::read_next,
};
use crate::{
    kind::{Adjoint, BLOCK, NONE, Origin, assert_lengths},
    machine::{PieceLoop, run_loop},
    node::{NumberPart, PartFunctions},
    store::{
        AllTangents, Arguments, ElementBlock, ElementPlane, Lists, OperationContext, Planes,
        ReductionBack, ReductionInputs, RightHandSide,
    },
    sweep::{Slots, StatementCursor},
};
use std::{iter::once, mem::take};

/// A list as a result: its length, and known value, adjoint and tangents of the adjoint.
pub(super) struct ListOfResult<'r, const N: usize> {
    pub(super) length: usize,
    pub(super) value: Option<&'r [f64]>,
    pub(super) adjoint: Option<&'r [f64]>,
    pub(super) directional: Option<[&'r [f64]; N]>,
}

pub(super) struct ListSweep<'s, 'p, 't, const N: usize> {
    pub(super) sweeping: Sweeping,
    pub(super) layout: &'s ListLayout,
    pub(super) planes: Box<Planes<N>>,
    pub(super) lists: Box<Lists<N>>,
    pub(super) all: &'s mut AllTangents<N>,
    pub(super) walk: &'s mut StatementCursor<'p, 't>,
    pub(super) rhs: RightHandSide<'s>,
}
macro_rules! context {
    ($sweep:ident) => {
        OperationContext {
            fixed: $sweep.rhs.fixed,
            stacks: &mut *$sweep.walk.stacks,
            one_sided: $sweep.all.one_sided,
            plain: false,
        }
    };
}
pub(super) use context;
impl<'s, 'p, 't, const N: usize> ListSweep<'s, 'p, 't, N> {
    pub(super) fn new(
        sweeping: Sweeping,
        layout: &'s ListLayout,
        all: &'s mut AllTangents<N>,
        walk: &'s mut StatementCursor<'p, 't>,
        rhs: RightHandSide<'s>,
    ) -> Self {
        let (planes, mut lists) = all.take_scratch();
        lists.reserve(layout.slots, layout.reductions.len(), layout.lists.len());
        ListSweep {
            sweeping,
            layout,
            planes,
            lists,
            all,
            walk,
            rhs,
        }
    }
    pub(super) fn end(self) {
        self.all.return_scratch(self.planes, self.lists);
    }
    pub(super) fn load(
        &mut self,
        (variables, constants): (&[Variable], &[Leaf]),
        mixed: bool,
        result: Option<(u8, f64)>,
    ) {
        let (planes, rhs) = (&mut *self.planes, self.rhs);
        let sweeping = self.sweeping;
        for leaf in constants {
            planes.values[usize::from(leaf.slot)] = read(rhs.constants, leaf.at);
        }
        let mut at = 0;
        for leaf in &self.layout.variable_length {
            match *leaf {
                VariableLengthLeaf::Variable(index) => {
                    let variable = &variables[index];
                    let slot = usize::from(variable.leaf.slot);
                    let id = read(rhs.fixed, variable.leaf.at);
                    (planes.ids[slot], planes.passive[slot]) = (id, id == NONE);
                    if variable.value {
                        planes.values[slot] = match id {
                            NONE => read_next(rhs.variable_length, &mut at),
                            id => self.walk.sweep.slots::<f64>()[id as usize],
                        };
                    }
                    if id != NONE && variable.is_read(sweeping) {
                        planes.tangents[slot] = *self.all.of_numbers().get(id);
                    }
                }
                VariableLengthLeaf::Part(index) => {
                    let part = &self.layout.parts[index];
                    let slot = usize::from(part.variable.leaf.slot);
                    let place = part.place(&rhs);
                    (planes.ids[slot], planes.passive[slot]) = (place.id, place.id == NONE);
                    if part.variable.value {
                        planes.values[slot] = match place.id {
                            NONE => read_next(rhs.variable_length, &mut at),
                            _ => (part.of.value)(self.walk, place),
                        };
                    }
                    if place.id != NONE && part.variable.is_read(sweeping) {
                        let tangents = part_functions::<N>(part.of).tangents;
                        planes.tangents[slot] = tangents(self.walk, self.all, place);
                    }
                }
                VariableLengthLeaf::List(index) => {
                    let list = &self.layout.lists[index];
                    let mut place = list.next_place(&rhs, mixed, &mut at);
                    let leaf = (index, place.id);
                    place.same = list.same(leaf, &rhs, self.layout, &mut self.lists);
                    if let Some(first) = place.same {
                        let (value, bends) = (list.wanted.value.value(), list.wanted.bends);
                        let place = &mut self.lists.places[first];
                        (place.value, place.bends) = (place.value | value, place.bends | bends);
                        let with = self.layout.lists[first].leaf.slot;
                        self.lists.share(list.leaf.slot, with);
                    }
                    self.lists.places[index] = place;
                }
            }
        }
        if let Some((root, result)) = result {
            planes.values[usize::from(root)] = result;
        }
        for item in &self.layout.items {
            match *item {
                LayoutItem::Number(index) => self.number(&self.layout.steps[index]),
                LayoutItem::Reduction(index) => self.reduce(index),
            }
        }
    }
    /// Returns `None` if the result does not depend on a direction.
    pub(super) fn root_tangents(
        &mut self,
        root: u8,
        result: &ListOfResult<'_, N>,
    ) -> Option<[Vec<f64>; N]> {
        let elements = &self.layout.root;
        let mut depends = self.spread(elements);
        let mut all = [const { Vec::new() }; N];
        all.iter_mut()
            .for_each(|all| all.reserve_exact(result.length));
        let slots = self.tries_partials().then(|| self.active_slots(elements));
        self.each_block(result.length, |sweep, start| {
            sweep.set_root(root, result, start);
            sweep.compute_values(elements, start);
            let slots = slots.as_deref();
            let slots = slots.filter(|slots| sweep.partials((elements, root), slots));
            if let Some(slots) = slots {
                depends |= sweep.tangents_by_partials(elements, slots, start, &mut all);
            } else {
                depends |= sweep.compute_tangents(elements, start);
                append_tangents(&sweep.lists.block, root, &mut all);
            }
        });
        depends.then_some(all)
    }
    pub(super) fn root_back(&mut self, root: u8, result: &ListOfResult<'_, N>) {
        let elements = &self.layout.root;
        self.spread(elements);
        self.unset_spreads(elements);
        self.each_block(result.length, |sweep, start| {
            sweep.set_root(root, result, start);
            sweep.compute(elements, start);
            let block = &mut sweep.lists.block;
            let length = block.length;
            let adjoints = block.adjoints.of_mut(root, length);
            match result.adjoint {
                Some(adjoint) => adjoints.copy_from_slice(&adjoint[start..][..length]),
                None => adjoints.fill(-0.0),
            }
            for (j, directional) in block.directional.iter_mut().enumerate() {
                let directional = directional.of_mut(root, length);
                match result.directional {
                    Some(tangents) => directional.copy_from_slice(&tangents[j][start..][..length]),
                    None => directional.fill(-0.0),
                }
            }
            sweep.pass_on(elements, (start, result.length));
        });
        self.items_back();
    }
    fn set_root(&mut self, root: u8, result: &ListOfResult<'_, N>, start: usize) {
        if let Some(values) = result.value {
            let block = &mut self.lists.block;
            let length = block.length;
            let into = block.values.of_mut(root, length);
            into.copy_from_slice(&values[start..][..length]);
        }
    }
    pub(super) fn is_active(&self, slot: u8) -> bool {
        !self.planes.passive[usize::from(slot)]
    }
    fn number(&mut self, step: &Step) {
        let place = self.planes.place(step.place);
        self.planes.passive[usize::from(place.result)] = place.active == 0;
        let operation = step.operation.functions;
        let context = &mut context!(self);
        if step.value {
            (operation.value)(&mut self.planes.values, context, place);
        }
        if self.sweeping.computes(step.bends)
            && let Some(directional) = functions::<N>(operation, place)
        {
            (directional.tangents)(&mut self.planes, context, place);
        }
    }
    fn reduce(&mut self, index: usize) {
        let layout = self.layout;
        let reduction = &layout.reductions[index];
        let (elements, length) = (&reduction.elements, self.length(reduction));
        self.spread(elements);
        for argument in &mut self.lists.arguments[index] {
            argument.values.clear();
            argument.tangents.iter_mut().for_each(Vec::clear);
        }
        self.each_block(length, |sweep, start| {
            sweep.compute(elements, start);
            sweep.keep(index);
        });
        let (place, functions) = (reduction.place, reduction.functions);
        let lists = &mut self.lists.arguments[index];
        let (result, context) = (usize::from(place.result), &mut context!(self));
        if reduction.value {
            let values = lists.each_ref().map(|list| &list.values);
            self.planes.values[result] = (functions.value)(values, context, place);
        }
        if self.sweeping.computes(reduction.bends) && place.active != 0 {
            let value = self.planes.values[result];
            for (j, tangent) in self.planes.tangents[result].iter_mut().enumerate() {
                *tangent = match reduction.depends(lists, j, context.one_sided) {
                    true => (functions.tangent)(&reduction.inputs(value, lists, j), context),
                    false => -0.0,
                };
            }
        }
        self.planes.passive[result] = place.active == 0;
    }
    fn spread(&mut self, elements: &ElementLoop) -> bool {
        let block = &mut self.lists.block;
        let mut depends = false;
        for spread in &elements.spreads {
            let from = usize::from(spread.from);
            if spread.wanted.value.value() {
                let values = block.values.of_mut(spread.to, BLOCK);
                values.fill(self.planes.values[from]);
            }
            if spread.active && self.sweeping.computes(spread.wanted.bends) {
                let tangents = match self.planes.passive[from] {
                    true => [-0.0; N],
                    false => self.planes.tangents[from],
                };
                depends |= !tangents.iter().all(Adjoint::is_unset);
                for (all, tangent) in block.tangents.iter_mut().zip(tangents) {
                    all.of_mut(spread.to, BLOCK).fill(tangent);
                }
            }
        }
        depends
    }
    fn each_block(&mut self, length: usize, mut visit: impl FnMut(&mut Self, usize)) {
        let mut start = 0;
        while start < length {
            self.lists.block.length = (length - start).min(BLOCK);
            visit(self, start);
            start += BLOCK;
        }
    }
    fn length(&mut self, reduction: &ListReduction) -> usize {
        for &index in &reduction.elements.leaves {
            let list = &self.layout.lists[index];
            let place = self.lists.places[index];
            match list.of {
                ListOf::Array(array) if list.wanted.value.value() => {
                    let place = list.leaf_place(&self.rhs, &place, array);
                    return (array.length)(self.walk, place);
                }
                ListOf::Variables | ListOf::Numbers if list.stored => return place.length,
                _ => {}
            }
        }
        let (place, saved) = (reduction.place, reduction.saved);
        (reduction.functions.length)(&mut context!(self), place, saved)
    }
    fn compute_values(&mut self, elements: &ElementLoop, start: usize) {
        self.read_values(elements, start);
        let (block, context) = (&mut self.lists.block, &mut context!(self));
        for step in elements.steps.iter().filter(|step| step.value) {
            (step.functions.value)(&mut block.values, block.length, context, step.place);
        }
    }
    /// Returns whether an element depends on a direction.
    fn compute_tangents(&mut self, elements: &ElementLoop, start: usize) -> bool {
        let depends = self.read_tangents(elements, start);
        let plain = self.may_be_plain(elements);
        self.tangents_of_steps(elements, plain);
        let roots = elements.roots.iter();
        let mut roots = roots.filter(|(_, bends)| self.sweeping.computes(*bends));
        let ElementBlock {
            tangents, length, ..
        } = &self.lists.block;
        let are_finite = |slot| {
            let mut each = tangents.iter();
            each.all(|tangents| all(tangents.of(slot, *length), f64::is_finite))
        };
        if plain && !roots.all(|&(root, _)| are_finite(root)) {
            self.tangents_of_steps(elements, false);
        }
        depends
    }
    fn may_be_plain(&self, elements: &ElementLoop) -> bool {
        elements.may_be_plain && !self.all.one_sided
    }
    fn tangents_of_steps(&mut self, elements: &ElementLoop, plain: bool) {
        let (sweeping, context) = (self.sweeping, &mut context!(self));
        context.plain = plain;
        let ElementBlock {
            values,
            tangents,
            length,
            ..
        } = &mut self.lists.block;
        let active = elements.steps.iter().filter(|step| step.place.active != 0);
        for step in active.filter(|step| sweeping.computes(step.bends)) {
            for tangents in &mut *tangents {
                (step.functions.tangents)(values, tangents, *length, context, step.place);
            }
        }
    }
    fn compute(&mut self, elements: &ElementLoop, start: usize) {
        self.compute_values(elements, start);
        self.compute_tangents(elements, start);
    }
    fn keep(&mut self, index: usize) {
        let Lists {
            block, arguments, ..
        } = &mut *self.lists;
        for argument in &self.layout.reductions[index].arguments {
            let list = &mut arguments[index][argument.index];
            if argument.wanted.value.value() {
                let values = block.values.of(argument.slot, block.length);
                list.values.extend_from_slice(values);
            }
            if argument.active && self.sweeping.computes(argument.wanted.bends) {
                append_tangents(block, argument.slot, &mut list.tangents);
            }
        }
    }

    pub(super) fn back(&mut self, root: u8, r_b: f64, r_bt: [f64; N]) {
        let root = usize::from(root);
        (self.planes.adjoints[root], self.planes.directional[root]) = (r_b, r_bt);
        self.items_back();
    }
    fn items_back(&mut self) {
        let layout = self.layout;
        for item in layout.items.iter().rev() {
            match *item {
                LayoutItem::Number(index) => self.number_back(&layout.steps[index]),
                LayoutItem::Reduction(index) => self.reduction_back(index),
            }
        }
    }
    pub(super) fn set_tangents(&mut self, root: u8, tangents: [f64; N]) {
        self.planes.tangents[usize::from(root)] = tangents;
    }
    fn number_back(&mut self, step: &Step) {
        let place = self.planes.place(step.place);
        let operation = step.operation.functions;
        if let Some(directional) = functions::<N>(operation, place) {
            (directional.second)(&mut self.planes, &mut context!(self), place);
        }
    }
    fn reduction_back(&mut self, index: usize) {
        let layout = self.layout;
        let reduction = &layout.reductions[index];
        let (place, result) = (reduction.place, usize::from(reduction.place.result));
        self.unset_spreads(&reduction.elements);
        let none = self.planes.directional[result]
            .iter()
            .all(Adjoint::is_unset);
        if none && self.planes.adjoints[result].is_unset() || place.active == 0 {
            return;
        }
        let lists = &mut self.lists.arguments[index];
        let (planes, context) = (&self.planes, &mut context!(self));
        for j in 0..N {
            let mut made = [const { [const { Vec::new() }; 2] }; 3];
            for (made, list) in made.iter_mut().zip(&mut *lists) {
                *made = [take(&mut list.adjoint), take(&mut list.directional[j])];
                made.iter_mut().for_each(Vec::clear);
            }
            let [[a, a_t], [b, b_t], [c, c_t]] = &mut made;
            let to = ReductionBack {
                tangent: planes.tangents[result][j],
                adjoint: planes.adjoints[result],
                directional: planes.directional[result][j],
                adjoints: [a, b, c],
                directional_adjoints: [a_t, b_t, c_t],
            };
            let of = reduction.inputs(planes.values[result], lists, j);
            (reduction.functions.second)(&of, to, context);
            for ([adjoint, directional], list) in made.into_iter().zip(&mut *lists) {
                (list.adjoint, list.directional[j]) = (adjoint, directional);
            }
        }
        let length = self.length(reduction);
        for argument in &reduction.arguments {
            let list = &self.lists.arguments[index][argument.index];
            for made in list.directional.iter().chain([&list.adjoint]) {
                if !made.is_empty() {
                    assert_lengths(length, made.len(), Origin::UNKNOWN);
                }
            }
        }
        let again = length > BLOCK;
        let elements = &reduction.elements;
        if again {
            self.rewind(elements);
        }
        self.each_block(length, |sweep, start| {
            if again {
                sweep.compute(elements, start);
            }
            sweep.set_adjoints(index, start);
            sweep.pass_on(elements, (start, length));
        });
    }
    fn unset_spreads(&mut self, elements: &ElementLoop) {
        for spread in &elements.spreads {
            let from = usize::from(spread.from);
            (self.planes.adjoints[from], self.planes.directional[from]) = (-0.0, [-0.0; N]);
        }
    }
    fn rewind(&mut self, elements: &ElementLoop) {
        for &index in &elements.leaves {
            let place = &mut self.lists.places[index];
            if matches!(self.layout.lists[index].of, ListOf::Variables) {
                place.passive = place.start + 4 * place.length;
            }
        }
    }
    fn set_adjoints(&mut self, index: usize, start: usize) {
        let Lists {
            block, arguments, ..
        } = &mut *self.lists;
        let length = block.length;
        let set = |slot: u8, adjoints: &mut ElementPlane, list: &Vec<f64>| {
            let into = adjoints.of_mut(slot, length);
            match list.is_empty() {
                true => into.fill(-0.0),
                false => into.copy_from_slice(&list[start..][..length]),
            }
        };
        for argument in &self.layout.reductions[index].arguments {
            let list = &arguments[index][argument.index];
            set(argument.slot, &mut block.adjoints, &list.adjoint);
            for (directional, list) in block.directional.iter_mut().zip(&list.directional) {
                set(argument.slot, directional, list);
            }
        }
    }
    fn pass_on(&mut self, elements: &ElementLoop, at: (usize, usize)) {
        let block = &self.lists.block;
        let is_set = |x: f64| !Adjoint::<f64>::is_unset(&x);
        let are_set = |root| all(block.adjoints.of(root, block.length), is_set);
        let mut plain = self.may_be_plain(elements);
        if plain && !elements.roots.iter().all(|&(root, _)| are_set(root)) {
            plain = false;
            self.tangents_of_steps(elements, plain);
        }
        self.adjoints_of_steps(elements, plain);
        if plain && !self.finish_plain(elements) {
            self.tangents_of_steps(elements, false);
            self.adjoints_of_steps(elements, false);
        }
        self.add_to_leaves(elements, at);
    }
    fn adjoints_of_steps(&mut self, elements: &ElementLoop, plain: bool) {
        let (block, context) = (&mut self.lists.block, &mut context!(self));
        context.plain = plain;
        let length = block.length;
        let steps = elements.steps.iter().rev();
        for step in steps.filter(|step| step.place.active != 0) {
            let place = step.place;
            for (tangents, directional) in block.tangents.iter().zip(&mut block.directional) {
                let (known, adjoints) = (
                    [&block.values, tangents],
                    [&mut block.adjoints, directional],
                );
                (step.functions.second)(known, adjoints, length, context, place);
            }
        }
        self.merge_equal(elements, |block| {
            once(&mut block.adjoints).chain(&mut block.directional)
        });
    }
    /// Marks the adjoints of leaves as computed. Returns whether all are finite.
    fn finish_plain(&mut self, elements: &ElementLoop) -> bool {
        let slots = self.active_slots(elements);
        let block = &mut self.lists.block;
        let mut finite = true;
        for slot in slots {
            for plane in once(&mut block.adjoints).chain(&mut block.directional) {
                run_loop(FinishLoop(plane.of_mut(slot, block.length), &mut finite));
            }
        }
        finite
    }
    /// Adds the adjoint of each leaf to that of the first leaf with equal elements.
    pub(super) fn merge_equal<'l, P: Iterator<Item = &'l mut ElementPlane>>(
        &'l mut self,
        elements: &ElementLoop,
        planes: impl FnOnce(&'l mut ElementBlock<N>) -> P,
    ) {
        let slot = |index: usize| self.layout.lists[index].leaf.slot;
        let Lists { block, places, .. } = &mut *self.lists;
        let leaves = elements.leaves.iter();
        let leaves = leaves.filter_map(|&leaf| Some((leaf, places[leaf].same?)));
        let length = block.length;
        for plane in planes(block) {
            let leaves = leaves.clone();
            leaves
                .for_each(|(leaf, first)| run_loop(plane.adding(slot(leaf), slot(first), length)));
        }
    }
    pub(super) fn finish(&mut self, reached: &[Leaf]) {
        let sums = self.walk.sweep.adjoints::<f64>();
        for leaf in reached {
            let slot = usize::from(leaf.slot);
            let id = self.planes.ids[slot];
            if id == NONE {
                continue;
            }
            sums.at(id).merge(self.planes.adjoints[slot]);
            self.all
                .of_numbers()
                .merge(id, &self.planes.directional[slot]);
        }
        for part in &self.layout.parts {
            let (slot, place) = (usize::from(part.variable.leaf.slot), part.place(&self.rhs));
            if part.variable.reached && place.id != NONE {
                let adjoints = (self.planes.adjoints[slot], self.planes.directional[slot]);
                (part_functions::<N>(part.of).add)(self.walk, self.all, place, adjoints);
            }
        }
    }
}

impl ListReduction {
    /// Whether an element of an argument depends on direction `j`.
    fn depends<const N: usize>(&self, lists: &Arguments<N>, j: usize, marked: bool) -> bool {
        let depends = |tangent: &f64| *tangent != 0.0 || marked && !tangent.is_unset();
        let active = self.arguments.iter().filter(|argument| argument.active);
        let mut lists = active.map(|argument| &lists[argument.index].tangents[j]);
        lists.any(|list| list.iter().any(depends))
    }
    fn inputs<'l, const N: usize>(
        &self,
        value: f64,
        lists: &'l Arguments<N>,
        j: usize,
    ) -> ReductionInputs<'l> {
        ReductionInputs {
            place: self.place,
            saved: self.saved,
            value,
            values: lists.each_ref().map(|list| &list.values),
            tangents: lists.each_ref().map(|list| &list.tangents[j]),
        }
    }
}
/// Makes zeros positive, and finds out whether all numbers are finite.
struct FinishLoop<'e>(&'e mut [f64], &'e mut bool);
impl PieceLoop for FinishLoop<'_> {
    #[inline(always)]
    fn run(self) {
        // A product with zero is not zero if the number is not finite.
        let mut zeros = [0.0; 8];
        let mut finish = |some: &mut [f64]| {
            for (zero, x) in zeros.iter_mut().zip(some) {
                *x += 0.0;
                *zero += *x * 0.0;
            }
        };
        let (chunks, rest) = self.0.as_chunks_mut::<8>();
        chunks.iter_mut().for_each(|chunk| finish(chunk));
        finish(rest);
        *self.1 &= zeros.iter().all(|zero| *zero == 0.0);
    }
}
struct AllLoop<'e, F>(&'e [f64], F, &'e mut bool);
impl<F: Fn(f64) -> bool> PieceLoop for AllLoop<'_, F> {
    #[inline(always)]
    fn run(self) {
        *self.2 = self.0.iter().fold(true, |all, &x| all & self.1(x));
    }
}
/// Whether `holds` is true for all numbers.
pub(super) fn all(numbers: &[f64], holds: impl Fn(f64) -> bool) -> bool {
    let mut all = true;
    run_loop(AllLoop(numbers, holds, &mut all));
    all
}
fn append_tangents<const N: usize>(block: &ElementBlock<N>, of: u8, to: &mut [Vec<f64>; N]) {
    for (to, all) in to.iter_mut().zip(&block.tangents) {
        to.extend_from_slice(all.of(of, block.length));
    }
}
fn part_functions<const N: usize>(part: &'static NumberPart) -> PartFunctions<N> {
    *for_count::<PartFunctions<N>, N>(&part.one, &part.many)
}
