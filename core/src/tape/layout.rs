//! The layout of a right-hand side of numbers.
use crate::{
    kind::Need,
    node::{ArrayLeaf, NumberPart, Tree},
    rule::needs,
    store::{
        ByActive, ElementFunctions, Functions, Operation, PlaneFunctions, PlaneSlots,
        ReductionFunctions, Way,
    },
};
use std::{any::Any, iter::once};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweeping {
    Tangents,
    Second,
}
impl Sweeping {
    pub(super) fn way(self) -> Way {
        match self {
            Sweeping::Tangents => Way::Forward,
            Sweeping::Second => Way::Back,
        }
    }
    pub(super) fn computes(self, bends: bool) -> bool {
        match self {
            Sweeping::Tangents => true,
            Sweeping::Second => bends,
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub(super) slot: u8,
    pub(super) at: u16,
}
pub(super) struct Variable {
    pub(super) leaf: Leaf,
    pub(super) value: bool,
    pub(super) reached: bool,
    pub(super) bends: bool,
}
impl Variable {
    #[inline(always)]
    pub(super) fn is_read(&self, sweeping: Sweeping) -> bool {
        match sweeping {
            Sweeping::Tangents => self.reached,
            Sweeping::Second => self.bends,
        }
    }
}
pub(super) struct PartVariable {
    pub(super) variable: Variable,
    pub(super) of: &'static NumberPart,
}
pub(super) struct Step {
    pub(super) operation: &'static Operation,
    pub(super) place: PlaneSlots,
    pub(super) value: bool,
    pub(super) bends: bool,
}

#[derive(Clone, Copy)]
pub(super) enum ListOf {
    Variables,
    Numbers,
    Array(&'static ArrayLeaf),
}
pub(super) struct ListLeaf {
    pub(super) leaf: Leaf,
    pub(super) of: ListOf,
    pub(super) stored: bool,
    pub(super) wanted: NodeNeeds,
    /// The first leaf of the loop.
    pub(super) first: usize,
}
impl ListLeaf {
    pub(super) fn is_reached(&self) -> bool {
        let is_variable = match self.of {
            ListOf::Variables => true,
            ListOf::Numbers => false,
            ListOf::Array(array) => array.is_variable,
        };
        is_variable && self.wanted.reached
    }
}
pub(super) struct Spread {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) active: bool,
    pub(super) wanted: NodeNeeds,
}
impl Spread {
    pub(super) fn is_reached(&self) -> bool {
        self.active && self.wanted.reached
    }
}
pub(super) struct ElementStep {
    pub(super) functions: &'static ElementFunctions,
    pub(super) place: PlaneSlots,
    pub(super) value: bool,
    pub(super) bends: bool,
}
pub(super) struct ListArgument {
    pub(super) index: usize,
    pub(super) slot: u8,
    pub(super) active: bool,
    pub(super) wanted: NodeNeeds,
}
/// Lists from a reduction or the root down to the next reduction.
#[derive(Default)]
pub(super) struct ElementLoop {
    pub(super) leaves: Vec<usize>,
    pub(super) spreads: Vec<Spread>,
    pub(super) steps: Vec<ElementStep>,
    /// The last results, and whether a sweep to second order computes their tangents.
    pub(super) roots: Vec<(u8, bool)>,
    /// Whether blocks may be [plain](crate::store::OperationContext::plain).
    pub(super) may_be_plain: bool,
}
impl ElementLoop {
    fn end(&mut self, roots: impl Iterator<Item = (u8, bool)>) {
        self.roots = roots.collect();
        let steps = || self.steps.iter();
        let is_result = |(root, _): &(u8, bool)| steps().any(|step| step.place.result == *root);
        self.may_be_plain =
            self.roots.iter().all(is_result) && !steps().any(|step| step.functions.has_cases);
    }
    fn held(&self) -> usize {
        let slots = held_by(&self.leaves) + held_by(&self.roots);
        slots + held_by(&self.spreads) + held_by(&self.steps)
    }
}
fn held_by<T>(all: &Vec<T>) -> usize {
    all.capacity() * size_of::<T>()
}
pub(super) struct ListReduction {
    pub(super) functions: &'static ReductionFunctions,
    pub(super) place: PlaneSlots,
    pub(super) saved: u16,
    pub(super) value: bool,
    pub(super) bends: bool,
    pub(super) arguments: Vec<ListArgument>,
    pub(super) elements: ElementLoop,
}
pub(super) enum LayoutItem {
    Number(usize),
    Reduction(usize),
}
pub(super) enum VariableLengthLeaf {
    Variable(usize),
    Part(usize),
    List(usize),
}
#[derive(Default)]
pub(super) struct ListLayout {
    pub(super) lists: Vec<ListLeaf>,
    pub(super) parts: Vec<PartVariable>,
    pub(super) variable_length: Vec<VariableLengthLeaf>,
    pub(super) reductions: Vec<ListReduction>,
    pub(super) items: Vec<LayoutItem>,
    pub(super) steps: Vec<Step>,
    pub(super) root: ElementLoop,
    pub(super) slots: usize,
}
impl ListLayout {
    pub(super) fn held(&self) -> usize {
        let reductions = self.reductions.iter();
        let reductions =
            reductions.map(|reduction| held_by(&reduction.arguments) + reduction.elements.held());
        let leaves = held_by(&self.lists) + held_by(&self.parts) + held_by(&self.variable_length);
        let own = leaves + held_by(&self.reductions);
        let steps = held_by(&self.items) + held_by(&self.steps) + self.root.held();
        size_of::<Self>() + own + steps + reductions.sum::<usize>()
    }
}

#[derive(Default)]
pub(super) struct ExpressionLayout {
    pub(super) constants: Vec<Leaf>,
    pub(super) variables: Vec<Variable>,
    pub(super) reached: Vec<Leaf>,
    pub(super) steps: Vec<Step>,
    pub(super) reads_result: bool,
    pub(super) has_partials: bool,
    slots: usize,
    bytes: [u16; 2],
    pub(super) lists: Option<Box<ListLayout>>,
}
#[derive(Clone, Copy)]
pub(super) struct NodeNeeds {
    pub(super) value: Need,
    pub(super) reached: bool,
    pub(super) bends: bool,
}
struct Begun {
    parameters: u16,
    active: u8,
    needs: [Need; 4],
    arguments: [NodeNeeds; 3],
    bends: bool,
}
impl ExpressionLayout {
    pub(super) fn new(tree: &'static Tree) -> (Self, u8) {
        let mut layout = ExpressionLayout {
            has_partials: true,
            ..ExpressionLayout::default()
        };
        let wanted = NodeNeeds {
            value: Need::InSlot,
            reached: true,
            bends: false,
        };
        let root = if tree.is_list() {
            layout.lists = Some(Box::default());
            let mut elements = ElementLoop::default();
            let root = layout.add_list(tree, wanted, &mut elements);
            elements.end(once((root, wanted.bends)));
            layout.lists_mut().root = elements;
            root
        } else {
            layout.add(tree, wanted)
        };
        if let Some(lists) = &mut layout.lists {
            lists.steps = std::mem::take(&mut layout.steps);
        }
        (layout, root)
    }
    pub(super) fn fixed_bytes(&self) -> usize {
        usize::from(self.bytes[0])
    }
    fn add(&mut self, tree: &'static Tree, wanted: NodeNeeds) -> u8 {
        match tree {
            Tree::Other
            | Tree::VariableList
            | Tree::NumberList
            | Tree::Array(_)
            | Tree::OfElements(..) => unreachable!("the expression has numbers"),
            Tree::Nothing => 0,
            Tree::Variable => {
                let variable = self.variable(4, wanted);
                let (leaf, index) = (variable.leaf, self.variables.len());
                self.variables.push(variable);
                if let Some(lists) = &mut self.lists {
                    lists
                        .variable_length
                        .push(VariableLengthLeaf::Variable(index));
                }
                if wanted.reached {
                    self.reached.push(leaf);
                }
                leaf.slot
            }
            Tree::Part(of) => {
                let variable = self.variable(4 + of.parameters as u16, wanted);
                let slot = variable.leaf.slot;
                let lists = self.begin_lists();
                lists
                    .variable_length
                    .push(VariableLengthLeaf::Part(lists.parts.len()));
                lists.parts.push(PartVariable { variable, of });
                slot
            }
            Tree::Literal => {
                let read = wanted.value.value();
                let leaf = self.leaf(1, if read { 8 } else { 0 });
                if read {
                    self.constants.push(leaf);
                }
                leaf.slot
            }
            Tree::Operation(operation, arguments) => {
                let begun = self.begin(operation, arguments, wanted);
                let arguments = [0, 1, 2].map(|i| self.add(arguments[i], begun.arguments[i]));
                let place = self.place(&begun, arguments, wanted);
                if let Some(lists) = &mut self.lists {
                    lists.items.push(LayoutItem::Number(self.steps.len()));
                }
                self.steps.push(Step {
                    operation,
                    place,
                    value: self.is_computed(&begun, wanted),
                    bends: begun.bends,
                });
                place.result
            }
            Tree::Reduced(operation, arguments) => {
                self.begin_lists();
                let begun = self.begin(operation, arguments, wanted);
                let mut reduction = ListReduction {
                    functions: operation.functions,
                    place: PlaneSlots {
                        arguments: [0; 3],
                        result: 0,
                        active: 0,
                        parameters: begun.parameters,
                    },
                    saved: 0,
                    value: self.is_computed(&begun, wanted),
                    bends: begun.bends,
                    arguments: Vec::new(),
                    elements: ElementLoop::default(),
                };
                for (index, argument) in arguments.iter().enumerate() {
                    if !matches!(argument, Tree::Nothing) {
                        let wanted = begun.arguments[index];
                        let slot = self.add_list(argument, wanted, &mut reduction.elements);
                        reduction.arguments.push(ListArgument {
                            index,
                            slot,
                            active: begun.active >> index & 1 != 0,
                            wanted,
                        });
                    }
                }
                let roots = reduction.arguments.iter();
                let roots = roots.map(|argument| (argument.slot, argument.wanted.bends));
                reduction.elements.end(roots);
                reduction.saved = self.bytes[0];
                self.bytes[0] += operation.saved as u16;
                reduction.place = self.place(&begun, [0; 3], wanted);
                let result = reduction.place.result;
                let lists = self.lists_mut();
                lists
                    .items
                    .push(LayoutItem::Reduction(lists.reductions.len()));
                lists.reductions.push(reduction);
                result
            }
        }
    }
    fn add_list(&mut self, tree: &'static Tree, wanted: NodeNeeds, to: &mut ElementLoop) -> u8 {
        let read = wanted.value.value();
        match tree {
            Tree::Nothing => 0,
            Tree::VariableList => self.add_leaf(ListOf::Variables, Some(4), wanted, to),
            Tree::NumberList => self.add_leaf(ListOf::Numbers, read.then_some(4), wanted, to),
            Tree::Array(array) => {
                let bytes = match array.is_variable {
                    true => Some(4 + array.parameters),
                    false => read.then_some(array.kept),
                };
                self.add_leaf(ListOf::Array(array), bytes, wanted, to)
            }
            Tree::OfElements(operation, arguments) => {
                let Some(functions) = operation.functions.elements else {
                    unreachable!("the operation is an elementary function")
                };
                let begun = self.begin(operation, arguments, wanted);
                let arguments =
                    [0, 1, 2].map(|i| self.add_list(arguments[i], begun.arguments[i], to));
                let result = self.element_slot();
                to.steps.push(ElementStep {
                    functions,
                    place: PlaneSlots {
                        arguments,
                        result,
                        active: if wanted.reached { begun.active } else { 0 },
                        parameters: begun.parameters,
                    },
                    value: self.is_computed(&begun, wanted),
                    bends: begun.bends,
                });
                result
            }
            number => {
                let from = self.add(number, wanted);
                let slot = self.element_slot();
                to.spreads.push(Spread {
                    from,
                    to: slot,
                    active: number.is_active(),
                    wanted,
                });
                slot
            }
        }
    }
    fn add_leaf(
        &mut self,
        of: ListOf,
        bytes: Option<usize>,
        wanted: NodeNeeds,
        to: &mut ElementLoop,
    ) -> u8 {
        let at = self.bytes[0];
        self.bytes[0] += bytes.unwrap_or(0) as u16;
        let slot = self.element_slot();
        let lists = self.lists_mut();
        let index = lists.lists.len();
        lists.variable_length.push(VariableLengthLeaf::List(index));
        let leaf = ListLeaf {
            leaf: Leaf { slot, at },
            of,
            stored: bytes.is_some(),
            wanted,
            first: to.leaves.first().copied().unwrap_or(index),
        };
        lists.lists.push(leaf);
        to.leaves.push(index);
        slot
    }
    fn begin<F>(
        &mut self,
        operation: &Operation<F>,
        arguments: &[&'static Tree; 3],
        wanted: NodeNeeds,
    ) -> Begun {
        self.has_partials &= operation.has_partials;
        let [parameters, _] = self.bytes;
        self.bytes[0] += operation.bytes as u16;
        let active = [0, 1, 2].map(|i| operation.flows[i] && arguments[i].is_active());
        let needs = needs(wanted.value, active, operation.reads, false);
        let bends = wanted.bends || operation.bends_with_result;
        if matches!(wanted.value, Need::InSlot) {
            self.reads_result = needs[3].value();
        }
        Begun {
            parameters,
            active: (0..3).map(|i| u8::from(active[i]) << i).sum(),
            needs,
            arguments: [0, 1, 2].map(|i| NodeNeeds {
                value: needs[i],
                reached: wanted.reached && operation.flows[i],
                bends: bends || operation.bends[i],
            }),
            bends,
        }
    }
    fn is_computed(&self, begun: &Begun, wanted: NodeNeeds) -> bool {
        begun.needs[3].value() && !matches!(wanted.value, Need::InSlot)
    }
    fn place(&mut self, begun: &Begun, arguments: [u8; 3], wanted: NodeNeeds) -> PlaneSlots {
        PlaneSlots {
            arguments,
            result: self.slot(),
            active: if wanted.reached { begun.active } else { 0 },
            parameters: begun.parameters,
        }
    }
    fn variable(&mut self, bytes: u16, wanted: NodeNeeds) -> Variable {
        Variable {
            leaf: self.leaf(0, bytes),
            value: wanted.value.value(),
            reached: wanted.reached,
            bends: wanted.reached && wanted.bends,
        }
    }
    /// A new layout begins with the variables and operations so far.
    fn begin_lists(&mut self) -> &mut ListLayout {
        let (variables, steps) = (self.variables.len(), self.steps.len());
        self.lists.get_or_insert_with(|| {
            Box::new(ListLayout {
                items: (0..steps).map(LayoutItem::Number).collect(),
                variable_length: (0..variables).map(VariableLengthLeaf::Variable).collect(),
                ..ListLayout::default()
            })
        })
    }
    /// Adds a leaf of the fixed part (0) or of the constants (1).
    fn leaf(&mut self, part: usize, bytes: u16) -> Leaf {
        let at = self.bytes[part];
        self.bytes[part] += bytes;
        Leaf {
            slot: self.slot(),
            at,
        }
    }
    fn slot(&mut self) -> u8 {
        next(&mut self.slots)
    }
    fn element_slot(&mut self) -> u8 {
        next(&mut self.lists_mut().slots)
    }
    fn lists_mut(&mut self) -> &mut ListLayout {
        self.lists
            .as_mut()
            .expect("a list is below a reduction or the root")
    }
}
fn next(slots: &mut usize) -> u8 {
    let slot = u8::try_from(*slots).expect("a tree that fits");
    *slots += 1;
    slot
}

#[inline(always)]
pub(super) fn for_count<'a, T: 'static, const N: usize>(
    one: &'a dyn Any,
    many: &'a dyn Any,
) -> &'a T {
    let all = if N == 1 { one } else { many };
    all.downcast_ref()
        .unwrap_or_else(|| unreachable!("a sweep has 1 or 8 directions"))
}
#[inline(always)]
pub(super) fn functions<const N: usize>(
    of: &'static Functions,
    place: PlaneSlots,
) -> Option<PlaneFunctions<N>> {
    let directional = of.directional;
    of_place(
        for_count::<ByActive<PlaneFunctions<N>>, N>(&directional.one, &directional.many),
        place,
    )
}
#[inline(always)]
pub(super) fn of_place<F: Copy>(functions: &ByActive<F>, place: PlaneSlots) -> Option<F> {
    functions[usize::from(place.active)]
}

#[inline(always)]
pub(super) fn read<T: bytemuck::AnyBitPattern>(bytes: &[u8], at: u16) -> T {
    bytemuck::pod_read_unaligned(&bytes[usize::from(at)..][..size_of::<T>()])
}
