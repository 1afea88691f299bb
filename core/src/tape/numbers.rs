//! The right-hand sides of statements of numbers, as sweeps along directions read them.
use super::{
    layout::{Layout, Leaf, ListLayout, Step, Variable, for_count, functions, of_place, read},
    lists::{ListSweep, Sweeping},
    statement::{RightHandSide, StatementVisitor},
};
use crate::{
    kind::{Adjoint, NONE},
    node::NamedId,
    store::{
        AllTangents, Along, AlongOf, Beside, Functions, MANY, Place, Plane, Planes, SLOTS, Stacks,
        TangentsOf, Tree, Value, Way,
    },
    sweep::{Access, Slots, Walk},
};

/// A function of an operation, and its slots.
type Call<F> = (F, Place);
/// The functions for `N` directions.
struct Calls<const N: usize> {
    tangents: Vec<Call<Along<N>>>,
    /// Those whose tangents second derivatives read.
    bends: Vec<Call<Along<N>>>,
    /// From the root to the leaves.
    second: Vec<Call<Along<N>>>,
}
impl<const N: usize> Calls<N> {
    fn new(steps: &[Step]) -> Self {
        let along = |step: &Step| {
            let functions = functions::<N>(step.operation.functions, step.place);
            functions.map(|functions| (functions, step.place))
        };
        let tangents = |(functions, place): (AlongOf<N>, Place)| (functions.tangents, place);
        let second = |(functions, place): (AlongOf<N>, Place)| (functions.second, place);
        let bends = steps.iter().filter(|step| step.bends);
        Calls {
            tangents: steps.iter().filter_map(along).map(tangents).collect(),
            bends: bends.filter_map(along).map(tangents).collect(),
            second: steps.iter().rev().filter_map(along).map(second).collect(),
        }
    }
}
/// The function for tangents.
fn tangents_of<const N: usize>(of: &'static Functions, place: Place) -> Option<Along<N>> {
    functions::<N>(of, place).map(|of| of.tangents)
}

/// The steps of a right-hand side, which belong to a handle.
pub(crate) struct Program {
    tree: &'static Tree,
    /// Constants that are read.
    constants: Vec<Leaf>,
    /// All variables.
    variables: Vec<Variable>,
    /// Of those into which an adjoint flows.
    reached: Vec<u8>,
    values: Vec<Call<Value>>,
    one: Calls<1>,
    many: Calls<MANY>,
    adjoints: Vec<Call<Along<MANY>>>,
    /// The operations, each after its arguments.
    steps: Vec<Step>,
    /// Whether the result depends on variables, if none of them is passive. What is written into a part need not.
    active: bool,
    /// The slot of the result.
    root: u8,
    /// Whether its value is known and read.
    pub(crate) reads_result: bool,
    /// What there is beside, if there are lists.
    lists: Option<Box<ListLayout>>,
}
impl<'b> RightHandSide<'b> {
    fn beside<'s>(&self, stacks: &'s mut Stacks, one_sided: bool) -> Beside<'s>
    where
        'b: 's,
    {
        Beside {
            fixed: self.fixed,
            stacks,
            one_sided,
        }
    }
}

impl Program {
    /// The steps of a right-hand side of numbers.
    pub(crate) fn new(tree: &'static Tree) -> Self {
        let (draft, root) = Layout::new(tree);
        let values = draft.steps.iter().filter(|step| step.value);
        let value = |step: &Step| (step.operation.functions.value, step.place);
        let adjoints = |step: &Step| {
            let function = of_place(&step.operation.functions.along?.adjoints, step.place);
            function.map(|function| (function, step.place))
        };
        Program {
            tree,
            values: values.map(value).collect(),
            one: Calls::new(&draft.steps),
            many: Calls::new(&draft.steps),
            adjoints: draft.steps.iter().rev().filter_map(adjoints).collect(),
            steps: draft.steps,
            constants: draft.constants,
            variables: draft.variables,
            reached: draft.reached,
            active: tree.is_active(),
            root,
            reads_result: draft.reads_result,
            lists: draft.lists,
        }
    }
    /// Bytes allocated.
    pub(crate) fn held(&self) -> usize {
        fn of<T>(all: &Vec<T>) -> usize {
            all.capacity() * size_of::<T>()
        }
        fn of_calls<const N: usize>(calls: &Calls<N>) -> usize {
            of(&calls.tangents) + of(&calls.bends) + of(&calls.second)
        }
        let leaves = of(&self.constants) + of(&self.variables);
        let slots = of(&self.reached);
        let calls = of(&self.values) + of(&self.adjoints) + of(&self.steps);
        let lists = self.lists.as_ref().map_or(0, |lists| lists.held());
        leaves + slots + calls + of_calls(&self.one) + of_calls(&self.many) + lists
    }
    #[inline(always)]
    fn calls<const N: usize>(&self) -> &Calls<N> {
        for_count::<_, N>(&self.one, &self.many)
    }

    /// Reads the leaves, the tangents of some variables if there are any, and computes values. Returns whether an adjoint
    /// flows into the root.
    #[inline(always)]
    fn load<const MIXED: bool, const N: usize>(
        &self,
        planes: &mut Planes<N>,
        along: Option<(&TangentsOf<f64, N>, Way)>,
        access: &Access<'_, '_>,
        rhs: &RightHandSide<'_>,
        beside: &mut Beside<'_>,
        result: Option<f64>,
    ) -> bool {
        let (fixed, slots) = (rhs.fixed, access.slots::<f64>());
        for variable in &self.variables {
            let slot = usize::from(variable.leaf.slot);
            let id = read(fixed, variable.leaf.at);
            planes.ids[slot] = id;
            if !MIXED && variable.value {
                planes.values[slot] = slots[id as usize];
            }
            if let Some((tangents, way)) = along
                && variable.is_read(way)
                && (!MIXED || id != NONE)
            {
                tangents.prefetch_tangents(id, way);
                planes.tangents[slot] = *tangents.get(id);
            }
        }
        for leaf in &self.constants {
            planes.values[usize::from(leaf.slot)] = read(rhs.constants, leaf.at);
        }
        let active = match MIXED {
            true => self.load_mixed(planes, slots, rhs),
            false => self.active,
        };
        if let Some(result) = result {
            planes.values[usize::from(self.root)] = result;
        }
        for (value, place) in &self.values {
            value(&mut planes.values, beside, *place);
        }
        active
    }
    /// Reads variables, some of which are passive, and notes what depends on none.
    #[inline(never)]
    fn load_mixed<const N: usize>(
        &self,
        planes: &mut Planes<N>,
        slots: &[f64],
        rhs: &RightHandSide<'_>,
    ) -> bool {
        let mut loose = 0;
        for Variable { leaf, value, .. } in &self.variables {
            let slot = usize::from(leaf.slot);
            let id = planes.ids[slot];
            planes.passive[slot] = id == NONE;
            if *value && id == NONE {
                planes.values[slot] = read(rhs.loose, loose);
                loose += 8;
            } else if *value {
                planes.values[slot] = slots[id as usize];
            }
        }
        for Step { place, .. } in &self.steps {
            planes.passive[usize::from(place.result)] = planes.place(*place).active == 0;
        }
        self.active && !planes.passive[usize::from(self.root)]
    }
    /// Calls functions one after the other: those of `calls`, or if some variables are passive, those of `steps` for the arguments
    /// that depend on a variable.
    #[inline(always)]
    fn call<'s, const MIXED: bool, const N: usize>(
        calls: &[Call<Along<N>>],
        steps: impl Iterator<Item = &'s Step>,
        function: impl Fn(&'static Functions, Place) -> Option<Along<N>>,
        planes: &mut Planes<N>,
        beside: &mut Beside<'_>,
    ) {
        if !MIXED {
            for (function, place) in calls {
                function(planes, beside, *place);
            }
            return;
        }
        for step in steps {
            let place = planes.place(step.place);
            if let Some(function) = function(step.operation.functions, place) {
                function(planes, beside, place);
            }
        }
    }
    /// Passes the slots and the identifiers of active variables to `add`.
    #[inline(always)]
    fn each_reached<const MIXED: bool, const N: usize>(
        &self,
        planes: &Planes<N>,
        mut add: impl FnMut(usize, u32),
    ) {
        for slot in self.reached.iter().copied().map(usize::from) {
            let id = planes.ids[slot];
            if !MIXED || id != NONE {
                add(slot, id);
            }
        }
    }

    /// Computes the tangents of the result; `None` if it depends on no variable.
    #[inline(always)]
    pub(crate) fn tangents<'t, const MIXED: bool, const N: usize>(
        &self,
        all: &'t mut AllTangents<N>,
        walk: &mut Walk<'_, '_>,
        rhs: &RightHandSide<'_>,
        result: Option<f64>,
    ) -> Option<&'t [f64; N]> {
        if self.lists.is_some() {
            let (of, sweep) = (ResultOf::new(result), lists_by_count::<N>());
            let flows = sweep(self, Sweeping::Tangents, all, walk, rhs, MIXED, &of);
            return flows.then(|| &all.planes().0.tangents[usize::from(self.root)]);
        }
        let beside = &mut rhs.beside(walk.stacks, all.one_sided);
        let (planes, tangents) = all.planes();
        let along = Some((&*tangents, Way::Forward));
        if !self.load::<MIXED, N>(planes, along, &walk.sweep, rhs, beside, result) {
            return None;
        }
        let (calls, steps) = (&self.calls::<N>().tangents, self.steps.iter());
        Self::call::<MIXED, N>(calls, steps, tangents_of, planes, beside);
        Some(&planes.tangents[usize::from(self.root)])
    }
    /// Passes an adjoint and its tangents on to the variables. The value of the result and its tangents are known, or not.
    #[inline(always)]
    pub(crate) fn second<const MIXED: bool, const N: usize>(
        &self,
        all: &mut AllTangents<N>,
        walk: &mut Walk<'_, '_>,
        rhs: &RightHandSide<'_>,
        (result, r_t): (Option<f64>, Option<[f64; N]>),
        (r_b, r_bt): (f64, [f64; N]),
    ) {
        if self.lists.is_some() {
            let of = ResultOf {
                value: result,
                tangents: r_t,
                adjoint: r_b,
                along: r_bt,
            };
            lists_by_count::<N>()(self, Sweeping::Second, all, walk, rhs, MIXED, &of);
            return;
        }
        let beside = &mut rhs.beside(walk.stacks, all.one_sided);
        let (planes, tangents) = all.planes();
        let (root, calls) = (usize::from(self.root), self.calls::<N>());
        let along = Some((&*tangents, Way::Back));
        if !self.load::<MIXED, N>(planes, along, &walk.sweep, rhs, beside, result) {
            return;
        }
        let bends = self.steps.iter().filter(|step| step.bends);
        Self::call::<MIXED, N>(&calls.bends, bends, tangents_of, planes, beside);
        if let Some(r_t) = r_t {
            planes.tangents[root] = r_t;
        }
        (planes.adjoints[root], planes.along[root]) = (r_b, r_bt);
        let (steps, second) = (self.steps.iter().rev(), |of: &'static _, place| {
            functions::<N>(of, place).map(|of| of.second)
        });
        Self::call::<MIXED, N>(&calls.second, steps, second, planes, beside);
        let adjoints = walk.sweep.adjoints::<f64>();
        self.each_reached::<MIXED, N>(planes, |slot, id| {
            adjoints.at(id).merge(planes.adjoints[slot]);
            tangents.merge(id, &planes.along[slot]);
        });
    }
    /// Passes several adjoints on to the variables.
    #[inline(always)]
    pub(crate) fn adjoints<const MIXED: bool>(
        &self,
        all: &mut AllTangents<MANY>,
        walk: &mut Walk<'_, '_>,
        rhs: &RightHandSide<'_>,
        result: Option<f64>,
        r_b: [f64; MANY],
    ) {
        if self.lists.is_some() {
            let of = ResultOf {
                along: r_b,
                ..ResultOf::new(result)
            };
            OF_MANY(self, Sweeping::Adjoints, all, walk, rhs, MIXED, &of);
            return;
        }
        let beside = &mut rhs.beside(walk.stacks, all.one_sided);
        let (planes, tangents) = all.planes();
        if !self.load::<MIXED, MANY>(planes, None, &walk.sweep, rhs, beside, result) {
            return;
        }
        planes.along[usize::from(self.root)] = r_b;
        let (steps, adjoints) = (self.steps.iter().rev(), |of: &'static Functions, place| {
            of_place(&of.along?.adjoints, place)
        });
        Self::call::<MIXED, MANY>(&self.adjoints, steps, adjoints, planes, beside);
        self.each_reached::<MIXED, MANY>(planes, |slot, id| {
            tangents.merge(id, &planes.along[slot]);
        });
    }
}

/// What is known of the result of a statement with lists, and what flows into it.
struct ResultOf<const N: usize> {
    value: Option<f64>,
    tangents: Option<[f64; N]>,
    adjoint: f64,
    along: [f64; N],
}
impl<const N: usize> ResultOf<N> {
    /// A result into which nothing flows.
    fn new(value: Option<f64>) -> Self {
        ResultOf {
            value,
            tangents: None,
            adjoint: -0.0,
            along: [-0.0; N],
        }
    }
}
/// Sweeps a statement with lists. Returns whether it depends on a variable.
type SweepLists<const N: usize> = fn(
    &Program,
    Sweeping,
    &mut AllTangents<N>,
    &mut Walk<'_, '_>,
    &RightHandSide<'_>,
    bool,
    &ResultOf<N>,
) -> bool;
// Programs reach the function by these, so that this crate compiles it.
static ONE: SweepLists<1> = Program::sweep_lists;
static OF_MANY: SweepLists<MANY> = Program::sweep_lists;
#[inline(always)]
fn lists_by_count<const N: usize>() -> SweepLists<N> {
    *for_count::<SweepLists<N>, N>(&ONE, &OF_MANY)
}

impl Program {
    fn sweep_lists<const N: usize>(
        &self,
        sweeping: Sweeping,
        all: &mut AllTangents<N>,
        walk: &mut Walk<'_, '_>,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        of: &ResultOf<N>,
    ) -> bool {
        let lists = self.lists.as_deref().expect("lists");
        let Walk { sweep, stacks } = walk;
        let mut sweep = ListSweep::new(sweeping, lists, all, (sweep, stacks), *rhs);
        let result = of.value.map(|value| (self.root, value));
        sweep.load((&self.variables, &self.constants), mixed, result);
        if !self.active || !sweep.is_active(self.root) {
            return false;
        }
        if sweeping != Sweeping::Tangents {
            if let Some(tangents) = of.tangents {
                sweep.set_tangents(self.root, tangents);
            }
            sweep.back(self.root, of.adjoint, of.along);
            sweep.finish(&self.reached);
        }
        true
    }
    /// Shows the right-hand side of a statement. Returns its value if it was asked for and all that it comes from is known.
    pub(crate) fn show(
        &self,
        walk: &mut Walk<'_, '_>,
        rhs: &RightHandSide<'_>,
        mixed: bool,
        to: &mut dyn StatementVisitor,
    ) -> Option<f64> {
        let mut shown = Shown {
            slots: walk.sweep.slots::<f64>(),
            beside: rhs.beside(walk.stacks, false),
            values: [0.0; SLOTS],
            variables: self.variables.iter(),
            steps: self.steps.iter(),
            next: 0,
            loose: rhs.loose,
            constants: &self.constants,
            rhs,
            mixed,
        };
        let root = shown.node(self.tree, to)?;
        Some(shown.values[usize::from(root)])
    }
}
/// What is left of a right-hand side that is shown.
struct Shown<'p, 'b> {
    slots: &'p [f64],
    beside: Beside<'p>,
    values: Plane<f64>,
    variables: std::slice::Iter<'p, Variable>,
    steps: std::slice::Iter<'p, Step>,
    /// The next slot.
    next: u8,
    loose: &'p [u8],
    constants: &'p [Leaf],
    rhs: &'p RightHandSide<'b>,
    mixed: bool,
}
impl Shown<'_, '_> {
    /// Shows a node, and returns its slot if its value is known and wanted.
    fn node(&mut self, tree: &'static Tree, to: &mut dyn StatementVisitor) -> Option<u8> {
        let value = match tree {
            Tree::Other
            | Tree::VariableList
            | Tree::NumberList
            | Tree::OfElements(..)
            | Tree::Reduced(..) => unreachable!("an expression of numbers"),
            Tree::Nothing => {
                to.passive();
                return Some(0);
            }
            Tree::Literal => {
                to.passive();
                // Those that no adjoint reads are not stored.
                let stored = self.constants.iter().find(|leaf| leaf.slot == self.next);
                stored.map(|leaf| read(self.rhs.constants, leaf.at))
            }
            Tree::Variable => {
                let variable = self.variables.next().expect("a variable of the tree");
                let id: u32 = read(self.rhs.fixed, variable.leaf.at);
                if !self.mixed || id != NONE {
                    to.variable(NamedId::of::<f64>(id));
                    Some(self.slots[id as usize])
                } else {
                    to.passive();
                    variable.value.then(|| {
                        let (value, rest) = self.loose.split_at(8);
                        self.loose = rest;
                        read(value, 0)
                    })
                }
            }
            Tree::Operation(operation, arguments) => {
                let known = arguments.map(|argument| self.node(argument, to).is_some());
                let step = self.steps.next().expect("a step of the tree");
                to.operation(&operation.dependence);
                (known == [true; 3] && to.verifies()).then(|| {
                    let Functions { test, value, .. } = operation.functions;
                    test(&mut self.values, &mut self.beside, step.place);
                    value(&mut self.values, &mut self.beside, step.place);
                    self.values[usize::from(step.place.result)]
                })
            }
        };
        let slot = self.next;
        self.next = slot.wrapping_add(1);
        self.values[usize::from(slot)] = value?;
        Some(slot)
    }
}
