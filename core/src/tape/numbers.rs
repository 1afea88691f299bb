//! Statements of numbers along directions.
use super::{
    handles::Entry,
    layout::{
        ExpressionLayout, Leaf, ListLayout, Step, Sweeping, Variable, for_count, functions, read,
    },
    lists::{ListOfResult, ListSweep},
    sequence::WORD,
    statement::StatementVisitor,
};
use crate::{
    kind::{Adjoint, NONE},
    node::{NamedId, Tree},
    store::{
        AllTangents, Functions, MANY, OperationContext, Plane, PlaneFunction, PlaneFunctions,
        PlaneSlots, Planes, RightHandSide, SLOTS, Stacks, TangentsOf, Value, Way,
    },
    sweep::{NumberColumns, Slots, StatementCursor},
};
use std::array::from_fn;

type Call<F> = (F, PlaneSlots);
struct Calls<const N: usize> {
    tangents: Vec<Call<PlaneFunction<N>>>,
    bends: Vec<Call<PlaneFunction<N>>>,
    second: Vec<Call<PlaneFunction<N>>>,
}
impl<const N: usize> Calls<N> {
    fn new(steps: &[Step]) -> Self {
        let directional = |step: &Step| {
            let functions = functions::<N>(step.operation.functions, step.place);
            functions.map(|functions| (functions, step.place))
        };
        let tangents =
            |(functions, place): (PlaneFunctions<N>, PlaneSlots)| (functions.tangents, place);
        let second =
            |(functions, place): (PlaneFunctions<N>, PlaneSlots)| (functions.second, place);
        let bends = steps.iter().filter(|step| step.bends);
        Calls {
            tangents: steps.iter().filter_map(directional).map(tangents).collect(),
            bends: bends.filter_map(directional).map(tangents).collect(),
            second: steps
                .iter()
                .rev()
                .filter_map(directional)
                .map(second)
                .collect(),
        }
    }
}
fn tangents_of<const N: usize>(
    of: &'static Functions,
    place: PlaneSlots,
) -> Option<PlaneFunction<N>> {
    functions::<N>(of, place).map(|of| of.tangents)
}
fn second_of<const N: usize>(
    of: &'static Functions,
    place: PlaneSlots,
) -> Option<PlaneFunction<N>> {
    functions::<N>(of, place).map(|of| of.second)
}

pub(crate) struct NumberProgram {
    tree: &'static Tree,
    constants: Vec<Leaf>,
    variables: Vec<Variable>,
    reached: Vec<Leaf>,
    partials: Option<Vec<f64>>,
    /// Whether tangents follow from the partial derivatives of a sweep of adjoints.
    pub(super) has_partials: bool,
    values: Vec<Call<Value>>,
    one: Calls<1>,
    many: Calls<MANY>,
    steps: Vec<Step>,
    /// Whether the result depends on variables if all are active.
    active: bool,
    root: u8,
    pub(super) reads_result: bool,
    bytes: usize,
    lists: Option<Box<ListLayout>>,
    pub(super) fresh: bool,
}
impl<'b> RightHandSide<'b> {
    fn context<'s>(&self, stacks: &'s mut Stacks, one_sided: bool) -> OperationContext<'s>
    where
        'b: 's,
    {
        OperationContext {
            fixed: self.fixed,
            stacks,
            one_sided,
            plain: false,
        }
    }
}

pub(super) struct ResultOf<const N: usize> {
    pub(super) value: Option<f64>,
    pub(super) tangents: Option<[f64; N]>,
    pub(super) adjoint: f64,
    pub(super) directional: [f64; N],
}
impl<const N: usize> ResultOf<N> {
    pub(super) fn new(value: Option<f64>) -> Self {
        ResultOf {
            value,
            tangents: None,
            adjoint: -0.0,
            directional: [-0.0; N],
        }
    }
}
/// Interprets a right-hand side. Returns whether the result depends on a variable.
pub(super) type Interpret<const N: usize> = fn(
    &NumberProgram,
    Sweeping,
    &mut AllTangents<N>,
    &mut StatementCursor<'_, '_>,
    &RightHandSide<'_>,
    bool,
    &ResultOf<N>,
) -> bool;
/// Interprets a right-hand side that is a list. Returns tangents that are computed and set.
pub(super) type InterpretList<const N: usize> = fn(
    &NumberProgram,
    Sweeping,
    &mut AllTangents<N>,
    &mut StatementCursor<'_, '_>,
    &RightHandSide<'_>,
    bool,
    &ListOfResult<'_, N>,
) -> Option<[Vec<f64>; N]>;
// Called through these statics, the functions are compiled in this crate.
static ONE: (Interpret<1>, InterpretList<1>) =
    (NumberProgram::interpret, NumberProgram::interpret_list);
static OF_MANY: (Interpret<MANY>, InterpretList<MANY>) =
    (NumberProgram::interpret, NumberProgram::interpret_list);
#[inline(always)]
pub(super) fn interpret<const N: usize>() -> (Interpret<N>, InterpretList<N>) {
    *for_count::<(Interpret<N>, InterpretList<N>), N>(&ONE, &OF_MANY)
}

impl NumberProgram {
    /// `fresh` is whether the statement sets a new number. `constants` are in the handle, unless in statements.
    pub(crate) fn new(tree: &'static Tree, constants: Option<&[u8]>, fresh: bool) -> Self {
        let (draft, root) = ExpressionLayout::new(tree);
        let values = draft.steps.iter().filter(|step| step.value);
        let value = |step: &Step| (step.operation.functions.value, step.place);
        let bytes = draft.fixed_bytes();
        let mut program = NumberProgram {
            tree,
            values: values.map(value).collect(),
            one: Calls::new(&draft.steps),
            many: Calls::new(&draft.steps),
            partials: None,
            has_partials: draft.has_partials,
            steps: draft.steps,
            constants: draft.constants,
            variables: draft.variables,
            reached: draft.reached,
            active: tree.is_active(),
            root,
            reads_result: draft.reads_result,
            bytes,
            lists: draft.lists,
            fresh,
        };
        if fresh && program.is_linear() {
            program.partials = constants.and_then(|constants| program.normal_partials(constants));
        }
        program
    }
    fn is_linear(&self) -> bool {
        let reads = |variable: &Variable| variable.value;
        let has_parameters = |step: &Step| step.operation.bytes > 0;
        self.has_partials
            && self.lists.is_none()
            && !self.reads_result
            && !self.variables.iter().any(reads)
            && !self.steps.iter().any(has_parameters)
    }
    fn normal_partials(&self, constants: &[u8]) -> Option<Vec<f64>> {
        let mut planes = Box::<Planes<1>>::default();
        let (mut stacks, rhs) = (
            Stacks::default(),
            RightHandSide {
                variable_length: &[],
                constants,
                fixed: &[],
            },
        );
        let context = &mut rhs.context(&mut stacks, false);
        self.load_constants(&mut planes, constants);
        self.compute(&mut planes, context, None);
        planes.adjoints[usize::from(self.root)] = 1.0;
        for (second, place) in &self.one.second {
            second(&mut planes, context, *place);
        }
        let partial = |leaf: &Leaf| planes.adjoints[usize::from(leaf.slot)];
        let partials: Vec<f64> = self.reached.iter().map(partial).collect();
        partials.iter().all(|p| p.is_normal()).then_some(partials)
    }
    pub(crate) fn held(&self) -> usize {
        fn of<T>(all: &Vec<T>) -> usize {
            all.capacity() * size_of::<T>()
        }
        fn of_calls<const N: usize>(calls: &Calls<N>) -> usize {
            of(&calls.tangents) + of(&calls.bends) + of(&calls.second)
        }
        let leaves = of(&self.constants) + of(&self.variables) + of(&self.reached);
        let partials = self.partials.as_ref().map_or(0, of);
        let calls = of(&self.values) + of(&self.steps);
        let lists = self.lists.as_ref().map_or(0, |lists| lists.held());
        leaves + partials + calls + of_calls(&self.one) + of_calls(&self.many) + lists
    }
    #[inline(always)]
    fn calls<const N: usize>(&self) -> &Calls<N> {
        for_count::<_, N>(&self.one, &self.many)
    }

    #[inline(always)]
    fn load_constants<const N: usize>(&self, planes: &mut Planes<N>, constants: &[u8]) {
        for leaf in &self.constants {
            planes.values[usize::from(leaf.slot)] = read(constants, leaf.at);
        }
    }
    #[inline(always)]
    fn compute<const N: usize>(
        &self,
        planes: &mut Planes<N>,
        context: &mut OperationContext<'_>,
        result: Option<f64>,
    ) {
        if let Some(result) = result {
            planes.values[usize::from(self.root)] = result;
        }
        for (value, place) in &self.values {
            value(&mut planes.values, context, *place);
        }
    }
    #[inline(always)]
    fn load<const MIXED: bool, const N: usize>(
        &self,
        planes: &mut Planes<N>,
        (tangents, sweeping): (&TangentsOf<f64, N>, Sweeping),
        slots: &[f64],
        rhs: &RightHandSide<'_>,
        context: &mut OperationContext<'_>,
        result: Option<f64>,
    ) -> bool {
        for variable in &self.variables {
            let slot = usize::from(variable.leaf.slot);
            let id = read(rhs.fixed, variable.leaf.at);
            planes.ids[slot] = id;
            if !MIXED && variable.value {
                planes.values[slot] = slots[id as usize];
            }
            if variable.is_read(sweeping) && (!MIXED || id != NONE) {
                tangents.prefetch_tangents(id, sweeping.way());
                planes.tangents[slot] = *tangents.get(id);
            }
        }
        self.load_constants(planes, rhs.constants);
        let active = match MIXED {
            true => self.load_mixed(planes, slots, rhs),
            false => self.active,
        };
        self.compute(planes, context, result);
        active
    }
    #[inline(never)]
    fn load_mixed<const N: usize>(
        &self,
        planes: &mut Planes<N>,
        slots: &[f64],
        rhs: &RightHandSide<'_>,
    ) -> bool {
        let mut at = 0;
        for Variable { leaf, value, .. } in &self.variables {
            let slot = usize::from(leaf.slot);
            let id = planes.ids[slot];
            planes.passive[slot] = id == NONE;
            if *value && id == NONE {
                planes.values[slot] = read(rhs.variable_length, at);
                at += 8;
            } else if *value {
                planes.values[slot] = slots[id as usize];
            }
        }
        for Step { place, .. } in &self.steps {
            planes.passive[usize::from(place.result)] = planes.place(*place).active == 0;
        }
        self.active && !planes.passive[usize::from(self.root)]
    }
    /// Calls the functions one by one. If variables are passive, selects those for arguments that depend on a variable.
    #[inline(always)]
    fn call<'s, const MIXED: bool, const N: usize>(
        calls: &[Call<PlaneFunction<N>>],
        steps: impl Iterator<Item = &'s Step>,
        function: impl Fn(&'static Functions, PlaneSlots) -> Option<PlaneFunction<N>>,
        planes: &mut Planes<N>,
        context: &mut OperationContext<'_>,
    ) {
        if !MIXED {
            for (function, place) in calls {
                function(planes, context, *place);
            }
            return;
        }
        for step in steps {
            let place = planes.place(step.place);
            if let Some(function) = function(step.operation.functions, place) {
                function(planes, context, place);
            }
        }
    }
    fn interpret<const N: usize>(
        &self,
        sweeping: Sweeping,
        all: &mut AllTangents<N>,
        walk: &mut StatementCursor<'_, '_>,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        of: &ResultOf<N>,
    ) -> bool {
        if sweeping == Sweeping::Second
            && let Some(partials) = self.constant_partials(rhs.fixed)
        {
            let (r_b, r_bt) = (Flow::new([of.adjoint]), Flow::new(of.directional));
            let numbers = walk.numbers();
            for (id, partial) in partials {
                let [x_b] = r_b.times(partial);
                numbers.adjoints.at(id).merge(x_b);
                all.of_numbers().merge(id, &r_bt.times(partial));
            }
            return true;
        }
        let Some(lists) = &self.lists else {
            let numbers = walk.numbers();
            return match mixed {
                false => self.interpret_numbers::<false, N>(sweeping, all, numbers, rhs, of),
                true => self.interpret_numbers::<true, N>(sweeping, all, numbers, rhs, of),
            };
        };
        let mut sweep = ListSweep::new(sweeping, lists, all, walk, *rhs);
        let result = of.value.map(|value| (self.root, value));
        sweep.load((&self.variables, &self.constants), mixed, result);
        let active = self.active && sweep.is_active(self.root);
        if active && sweeping == Sweeping::Second {
            if let Some(tangents) = of.tangents {
                sweep.set_tangents(self.root, tangents);
            }
            sweep.back(self.root, of.adjoint, of.directional);
            sweep.finish(&self.reached);
        }
        sweep.end();
        active
    }
    fn interpret_list<const N: usize>(
        &self,
        sweeping: Sweeping,
        all: &mut AllTangents<N>,
        walk: &mut StatementCursor<'_, '_>,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        of: &ListOfResult<'_, N>,
    ) -> Option<[Vec<f64>; N]> {
        let lists = self.lists.as_ref().expect("the layout has lists");
        let mut sweep = ListSweep::new(sweeping, lists, all, walk, *rhs);
        sweep.load((&self.variables, &self.constants), mixed, None);
        let mut made = None;
        if sweeping == Sweeping::Tangents {
            made = sweep.root_tangents(self.root, of);
        } else if self.active {
            sweep.root_back(self.root, of);
            sweep.finish(&self.reached);
        }
        sweep.end();
        made
    }
    #[inline(always)]
    fn interpret_numbers<const MIXED: bool, const N: usize>(
        &self,
        sweeping: Sweeping,
        all: &mut AllTangents<N>,
        numbers: NumberColumns<'_>,
        rhs: &RightHandSide<'_>,
        of: &ResultOf<N>,
    ) -> bool {
        let context = &mut rhs.context(numbers.stacks, all.one_sided);
        let (planes, tangents) = all.planes();
        let (root, calls) = (usize::from(self.root), self.calls::<N>());
        let from = (&*tangents, sweeping);
        if !self.load::<MIXED, N>(planes, from, numbers.values, rhs, context, of.value) {
            return false;
        }
        if sweeping == Sweeping::Tangents {
            let steps = self.steps.iter();
            Self::call::<MIXED, N>(&calls.tangents, steps, tangents_of, planes, context);
            return true;
        }
        let bends = self.steps.iter().filter(|step| step.bends);
        Self::call::<MIXED, N>(&calls.bends, bends, tangents_of, planes, context);
        if let Some(r_t) = of.tangents {
            planes.tangents[root] = r_t;
        }
        (planes.adjoints[root], planes.directional[root]) = (of.adjoint, of.directional);
        let steps = self.steps.iter().rev();
        Self::call::<MIXED, N>(&calls.second, steps, second_of, planes, context);
        let adjoints = numbers.adjoints;
        for leaf in &self.reached {
            let slot = usize::from(leaf.slot);
            let id = planes.ids[slot];
            if !MIXED || id != NONE {
                adjoints.at(id).merge(planes.adjoints[slot]);
                tangents.merge(id, &planes.directional[slot]);
            }
        }
        true
    }
    #[inline(always)]
    pub(super) fn tangents<'t, const N: usize>(&self, all: &'t mut AllTangents<N>) -> &'t [f64; N] {
        &all.planes().0.tangents[usize::from(self.root)]
    }
}

impl NumberProgram {
    #[inline(always)]
    pub(super) fn fixed_part<'b>(&self, statement: &'b [u8], entry: &Entry) -> &'b [u8] {
        let end = statement.len() - (entry.words() - WORD);
        &statement[end - self.bytes..end]
    }
    #[inline(always)]
    pub(super) fn reached<'p>(&'p self, fixed: &'p [u8]) -> impl Iterator<Item = u32> + Clone + 'p {
        let ids = self.reached.iter().map(|leaf| read(fixed, leaf.at));
        ids.filter(|id| *id != NONE)
    }
    pub(super) fn each_in_lists(
        &self,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        visit: impl FnMut(u32),
    ) {
        if let Some(lists) = &self.lists {
            lists.each_reached((&self.variables, rhs), mixed, visit);
        }
    }
    #[inline(always)]
    pub(super) fn has_lists(&self) -> bool {
        self.lists.is_some()
    }
    #[inline(always)]
    pub(super) fn constant_partials<'p>(
        &'p self,
        fixed: &'p [u8],
    ) -> Option<impl Iterator<Item = (u32, f64)> + 'p> {
        let partials = self.partials.as_deref()?;
        let ids = self.reached.iter().map(|leaf| read(fixed, leaf.at));
        let all = ids.zip(partials.iter().copied());
        Some(all.filter(|(id, _)| *id != NONE))
    }
}

const UNSET: u64 = (-0.0_f64).to_bits();
pub(super) struct Flow<const N: usize> {
    flows: [f64; N],
    unset: [u64; N],
}
impl<const N: usize> Flow<N> {
    #[inline(always)]
    pub(super) fn new(flows: [f64; N]) -> Self {
        let unset = flows.map(|flow| if flow == 0.0 { flow.to_bits() } else { 0 });
        Flow { flows, unset }
    }
    #[inline(always)]
    pub(super) fn is_unset(&self) -> bool {
        self.flows
            .iter()
            .fold(0, |bits, flow| bits | flow.to_bits() ^ UNSET)
            == 0
    }
    /// Zeros are positive where the adjoint is set.
    #[inline(always)]
    pub(super) fn times(&self, partial: f64) -> [f64; N] {
        from_fn(|j| {
            let term = partial * self.flows[j] + 0.0;
            f64::from_bits(term.to_bits() | self.unset[j])
        })
    }
}
pub(super) struct TangentSum<const N: usize> {
    sums: [f64; N],
    set: [u64; N],
}
impl<const N: usize> TangentSum<N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        TangentSum {
            sums: [-0.0; N],
            set: [0; N],
        }
    }
    #[inline(always)]
    pub(super) fn add(&mut self, partial: f64, tangents: &TangentsOf<f64, N>, id: u32) {
        tangents.prefetch_tangents(id, Way::Forward);
        let sums = self.sums.iter_mut().zip(&mut self.set);
        for ((sum, set), tangent) in sums.zip(tangents.get(id)) {
            *sum += partial * tangent;
            *set |= tangent.to_bits() ^ UNSET;
        }
    }
    #[inline(always)]
    pub(super) fn finish(self) -> [f64; N] {
        from_fn(|j| match self.set[j] {
            0 => -0.0,
            _ => self.sums[j] + 0.0,
        })
    }
}

impl NumberProgram {
    /// Returns the value, if requested and known.
    pub(crate) fn show(
        &self,
        walk: &mut StatementCursor<'_, '_>,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        to: &mut dyn StatementVisitor,
    ) -> Option<f64> {
        let mut shown = Shown {
            slots: walk.sweep.slots::<f64>(),
            context: rhs.context(walk.stacks, false),
            values: [0.0; SLOTS],
            active: [false; SLOTS],
            variables: self.variables.iter(),
            steps: self.steps.iter(),
            next: 0,
            variable_length: rhs.variable_length,
            constants: &self.constants,
            rhs,
            mixed,
        };
        let root = shown.node(self.tree, to)?;
        Some(shown.values[usize::from(root)])
    }
}
struct Shown<'p, 'b> {
    slots: &'p [f64],
    context: OperationContext<'p>,
    values: Plane<f64>,
    active: Plane<bool>,
    variables: std::slice::Iter<'p, Variable>,
    steps: std::slice::Iter<'p, Step>,
    next: u8,
    variable_length: &'p [u8],
    constants: &'p [Leaf],
    rhs: &'p RightHandSide<'b>,
    mixed: bool,
}
impl Shown<'_, '_> {
    fn node(&mut self, tree: &'static Tree, to: &mut dyn StatementVisitor) -> Option<u8> {
        let mut is_active = false;
        let value = match tree {
            Tree::Other
            | Tree::Part(_)
            | Tree::VariableList
            | Tree::NumberList
            | Tree::Array(_)
            | Tree::OfElements(..)
            | Tree::Reduced(..) => unreachable!("the expression has numbers"),
            Tree::Nothing => {
                to.passive();
                return Some(0);
            }
            Tree::Literal => {
                to.passive();
                // Unread constants are not stored.
                let stored = self.constants.iter().find(|leaf| leaf.slot == self.next);
                stored.map(|leaf| read(self.rhs.constants, leaf.at))
            }
            Tree::Variable => {
                let variable = self.variables.next().expect("a leaf for each variable");
                let id: u32 = read(self.rhs.fixed, variable.leaf.at);
                if !self.mixed || id != NONE {
                    to.variable(NamedId::of::<f64>(id));
                    is_active = true;
                    Some(self.slots[id as usize])
                } else {
                    to.passive();
                    variable.value.then(|| {
                        let (value, rest) = self.variable_length.split_at(8);
                        self.variable_length = rest;
                        read(value, 0)
                    })
                }
            }
            Tree::Operation(operation, arguments) => {
                let slots = arguments.map(|argument| self.node(argument, to));
                let active = slots.map(|slot| slot.is_some_and(|i| self.active[usize::from(i)]));
                is_active = (0..3).any(|i| operation.flows[i] && active[i]);
                let step = self.steps.next().expect("a step for each operation");
                to.operation(&operation.dependence);
                let known = slots.iter().all(Option::is_some);
                to.verifies().filter(|_| known).map(|found| {
                    let (values, context) = (&mut self.values, &mut self.context);
                    (operation.functions.again)(values, context, step.place, active, found);
                    values[usize::from(step.place.result)]
                })
            }
        };
        let slot = self.next;
        self.next = slot.wrapping_add(1);
        self.active[usize::from(slot)] = is_active;
        self.values[usize::from(slot)] = value?;
        Some(slot)
    }
}
