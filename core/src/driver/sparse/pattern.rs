//! Patterns of derivatives, from one walk over a recording.
//!
//! Each variable has a set of inputs. That of a result is the union of those of its arguments, and what an operation that
//! is not linear joins has second derivatives (A. Walther 2008: Computing sparse Hessians with automatic differentiation).
//! A set with a few inputs is a sorted list. A larger one is noted as a union alone, as most of these are only parts of
//! others: the partial sums of an objective would take memory with the square of their number. In the end those are
//! written out that are asked for.
use super::Sparsity;
use crate::{
    formula::Formula,
    node::{Dependence, ExpressionVisitor, NamedId},
    tape::StatementVisitor,
};
use std::{
    any::TypeId,
    collections::{HashMap, HashSet},
    hash::{Hash, Hasher},
    mem::take,
    ops::Range,
};

/// The most inputs of a set that is written out at once.
const FEW: usize = 32;

/// The number of a set.
type Set = u32;
/// The empty set. Set `i + 1` is that of input `i` alone.
const EMPTY: Set = 0;

/// Sets of inputs.
struct Sets {
    /// Where each one stands.
    sets: Vec<(Range<usize>, Form)>,
    /// Inputs, or smaller sets of which it is the union.
    items: Vec<u32>,
    inputs: usize,
    scratch: Vec<u32>,
}
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The inputs in ascending order.
    Inputs,
    /// The union of sets with smaller numbers.
    Union,
}
impl Sets {
    fn new(inputs: usize) -> Self {
        let mut sets = vec![(0..0, Form::Inputs)];
        sets.extend((0..inputs).map(|i| (i..i + 1, Form::Inputs)));
        Sets {
            sets,
            items: (0..inputs as u32).collect(),
            inputs,
            scratch: Vec::new(),
        }
    }
    fn push(&mut self, items: &[u32], form: Form) -> Set {
        let start = self.items.len();
        self.items.extend_from_slice(items);
        self.sets.push((start..self.items.len(), form));
        u32::try_from(self.sets.len() - 1).expect("fewer than 2^32 sets")
    }
    fn few(&self, set: Set) -> Option<&[u32]> {
        let (range, form) = &self.sets[set as usize];
        (*form == Form::Inputs).then(|| &self.items[range.clone()])
    }
    /// The union of sets, which are sorted by this.
    fn union(&mut self, of: &mut [Set]) -> Set {
        of.sort_unstable();
        let mut scratch = take(&mut self.scratch);
        scratch.clear();
        scratch.extend(of.iter().filter(|&&set| set != EMPTY));
        scratch.dedup();
        let union = match scratch[..] {
            [] => EMPTY,
            [only] => only,
            _ => self.new_union(&mut scratch),
        };
        self.scratch = scratch;
        union
    }
    fn new_union(&mut self, of: &mut Vec<Set>) -> Set {
        let all = |&set: &Set| self.few(set);
        let most: Option<usize> = of.iter().map(|set| Some(self.few(*set)?.len())).sum();
        let lists: Option<Vec<&[u32]>> = match most {
            Some(most) if most <= 4 * FEW => of.iter().map(all).collect(),
            _ => None,
        };
        if let Some(lists) = lists {
            let mut inputs = lists.concat();
            inputs.sort_unstable();
            inputs.dedup();
            let same = lists.iter().position(|list| list.len() == inputs.len());
            if let Some(same) = same {
                return of[same];
            }
            if inputs.len() <= FEW {
                return self.push(&inputs, Form::Inputs);
            }
        }
        self.push(&of[..], Form::Union)
    }
    /// The inputs of each of these sets.
    fn resolve(&self, wanted: &[Set]) -> HashMap<Set, Vec<u32>> {
        let distinct: HashSet<Set> = wanted.iter().copied().collect();
        let (few, unions): (Vec<_>, Vec<_>) = distinct
            .into_iter()
            .partition(|&set| self.few(set).is_some());
        let list = |set: Set| Some((set, self.few(set)?.to_vec()));
        let mut resolved: HashMap<_, _> = few.into_iter().filter_map(list).collect();
        if unions.len() > self.inputs.div_ceil(64) {
            self.by_blocks(&unions, &mut resolved);
        } else {
            self.one_by_one(&unions, &mut resolved);
        }
        resolved
    }
    /// Goes down from each set.
    fn one_by_one(&self, unions: &[Set], resolved: &mut HashMap<Set, Vec<u32>>) {
        let mut seen = vec![
            0;
            if unions.is_empty() {
                0
            } else {
                self.sets.len()
            }
        ];
        for (round, &union) in (1_u32..).zip(unions) {
            let (mut stack, mut inputs) = (vec![union], Vec::new());
            while let Some(set) = stack.pop() {
                let (range, form) = &self.sets[set as usize];
                let items = &self.items[range.clone()];
                if *form == Form::Inputs {
                    inputs.extend_from_slice(items);
                    continue;
                }
                for &part in items {
                    if std::mem::replace(&mut seen[part as usize], round) != round {
                        stack.push(part);
                    }
                }
            }
            inputs.sort_unstable();
            inputs.dedup();
            resolved.insert(union, inputs);
        }
    }
    /// Goes through all sets once for each 64 inputs, which are the bits of a word.
    fn by_blocks(&self, unions: &[Set], resolved: &mut HashMap<Set, Vec<u32>>) {
        let mut needed = vec![false; self.sets.len()];
        unions.iter().for_each(|&set| needed[set as usize] = true);
        for set in (0..self.sets.len()).rev() {
            if let (true, (range, Form::Union)) = (needed[set], &self.sets[set]) {
                let parts = self.items[range.clone()].iter();
                parts.for_each(|&part| needed[part as usize] = true);
            }
        }
        let needed: Vec<usize> = (0..needed.len()).filter(|&set| needed[set]).collect();
        let mut bits = vec![0_u64; self.sets.len()];
        for first in (0..self.inputs as u32).step_by(64) {
            for &set in &needed {
                let (range, form) = &self.sets[set];
                let items = &self.items[range.clone()];
                bits[set] = match form {
                    Form::Inputs => {
                        let start = items.partition_point(|&input| input < first);
                        let block = items[start..].iter().take_while(|&&i| i - first < 64);
                        block.fold(0, |bits, input| bits | 1 << (input - first))
                    }
                    Form::Union => items.iter().fold(0, |all, &part| all | bits[part as usize]),
                };
            }
            for &set in unions {
                let (mut word, inputs) = (bits[set as usize], resolved.entry(set).or_default());
                while word != 0 {
                    inputs.push(first + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
    }
}

/// Tells recordings apart whose statements have other variables or other second derivatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fingerprint(u64);
impl Fingerprint {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        // The multiplier is the golden ratio; a rotation brings high bits, which depend on all others, down.
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }
    fn result(&mut self, id: Option<u32>) {
        self.add(id.map_or(u64::MAX, u64::from));
    }
}
impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(u64::from(byte)));
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
}
impl ExpressionVisitor for Fingerprint {
    fn variable(&mut self, variable: NamedId) {
        variable.kind.hash(self);
        self.add(u64::from(variable.id));
    }
    fn passive(&mut self) {
        self.add(1 << 32);
    }
    fn list(&mut self, count: usize) {
        self.add(2 << 32 | count as u64);
    }
    fn operation(&mut self, Dependence { flows, pairs }: &Dependence) {
        let flows = flows.iter().map(|&flows| u64::from(flows));
        let pairs = pairs.iter().map(|&pairs| u64::from(pairs));
        self.add(flows.chain(pairs).fold(3, |word, bits| word << 8 | bits) ^ 3 << 60);
    }
}
impl StatementVisitor for Fingerprint {
    fn target(&mut self, target: NamedId, whole: bool) {
        self.add(4 << 32 | u64::from(whole));
        self.variable(target);
    }
    fn input(&mut self, input: NamedId) {
        self.add(5 << 32);
        self.variable(input);
    }
    fn end(&mut self, _: &'static Formula) {
        self.add(6 << 32);
    }
}

/// Which inputs variables depend on, and what has second derivatives.
struct Walk {
    sets: Sets,
    /// For each kind the sets of its variables, by identifier.
    variables: Vec<(TypeId, Vec<Set>)>,
    /// The sets of the leaves of the present statement, and where each expression on the stack begins.
    leaves: Vec<Set>,
    starts: Vec<usize>,
    targets: Vec<(NamedId, bool)>,
    /// Sets between which there are second derivatives, if that is asked for.
    pairs: Option<HashSet<(Set, Set)>>,
    fingerprint: Fingerprint,
}
impl Walk {
    fn of(&mut self, variable: NamedId) -> &mut Set {
        let kinds = &mut self.variables;
        let kind = kinds.iter().position(|(kind, _)| *kind == variable.kind);
        let kind = kind.unwrap_or_else(|| {
            kinds.push((variable.kind, Vec::new()));
            kinds.len() - 1
        });
        let (id, sets) = (variable.id as usize, &mut kinds[kind].1);
        if id >= sets.len() {
            sets.resize(id + 1, EMPTY);
        }
        &mut sets[id]
    }
}
impl ExpressionVisitor for Walk {
    fn variable(&mut self, variable: NamedId) {
        self.fingerprint.variable(variable);
        let set = *self.of(variable);
        self.starts.push(self.leaves.len());
        self.leaves.extend((set != EMPTY).then_some(set));
    }
    fn passive(&mut self) {
        self.fingerprint.passive();
        self.starts.push(self.leaves.len());
    }
    fn list(&mut self, count: usize) {
        self.fingerprint.list(count);
        match self.starts.len().checked_sub(count) {
            Some(_) if count == 0 => self.starts.push(self.leaves.len()),
            Some(first) => self.starts.truncate(first + 1),
            None => unreachable!("the elements of a list come before it"),
        }
    }
    fn operation(&mut self, dependence: &Dependence) {
        self.fingerprint.operation(dependence);
        let Some(&[a, b, c]) = self.starts.last_chunk() else {
            unreachable!("arguments come before their operation");
        };
        let arguments = [a..b, b..c, c..self.leaves.len()];
        if let Some(pairs) = &mut self.pairs
            && dependence.pairs != [0; 3]
        {
            let mut sets = [EMPTY; 3];
            for (i, argument) in arguments.iter().enumerate() {
                if dependence.flows[i] && dependence.pairs[i] != 0 {
                    sets[i] = self.sets.union(&mut self.leaves[argument.clone()]);
                }
            }
            for i in 0..3 {
                for j in i..3 {
                    let (a, b) = (sets[i].min(sets[j]), sets[i].max(sets[j]));
                    if dependence.pairs[i] >> j & 1 != 0 && a != EMPTY {
                        pairs.insert((a, b));
                    }
                }
            }
        }
        for (argument, flows) in arguments.into_iter().zip(dependence.flows).rev() {
            if !flows {
                self.leaves.drain(argument);
            }
        }
        self.starts.truncate(self.starts.len() - 2);
    }
}
impl StatementVisitor for Walk {
    fn target(&mut self, target: NamedId, whole: bool) {
        self.fingerprint.target(target, whole);
        self.targets.push((target, whole));
    }
    fn input(&mut self, input: NamedId) {
        self.fingerprint.input(input);
    }
    fn end(&mut self, formula: &'static Formula) {
        self.fingerprint.end(formula);
        let result = self.sets.union(&mut self.leaves);
        let mut targets = take(&mut self.targets);
        for (target, whole) in targets.drain(..) {
            let before = *self.of(target);
            *self.of(target) = match whole {
                true => result,
                false => self.sets.union(&mut [before, result]),
            };
        }
        self.targets = targets;
        self.leaves.clear();
        self.starts.clear();
    }
}

/// What a walk finds out.
pub(super) struct Found {
    pub(super) sparsity: Sparsity,
    pub(super) fingerprint: Fingerprint,
}
/// Inputs and results of a recording; results without an identifier are passive.
pub(super) struct Ends {
    pub(super) inputs: Vec<NamedId>,
    pub(super) results: Vec<Option<NamedId>>,
}
impl Ends {
    fn close(&self, mut fingerprint: Fingerprint) -> Fingerprint {
        let results = self.results.iter();
        results.for_each(|result| fingerprint.result(result.map(|result| result.id)));
        fingerprint
    }
    /// The fingerprint of the recording that `show` shows.
    pub(super) fn fingerprint(&self, show: impl FnOnce(&mut Fingerprint)) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        show(&mut fingerprint);
        self.close(fingerprint)
    }
    fn walk(&self, second: bool, show: impl FnOnce(&mut Walk)) -> Walk {
        let mut walk = Walk {
            sets: Sets::new(self.inputs.len()),
            variables: Vec::new(),
            leaves: Vec::new(),
            starts: Vec::new(),
            targets: Vec::new(),
            pairs: second.then(HashSet::new),
            fingerprint: Fingerprint::default(),
        };
        for (set, &input) in (1..).zip(&self.inputs) {
            *walk.of(input) = set;
        }
        show(&mut walk);
        walk.fingerprint = self.close(walk.fingerprint);
        walk
    }
    /// The pattern of the Jacobian.
    pub(super) fn jacobian(&self, show: impl FnOnce(&mut dyn StatementVisitor)) -> Found {
        let mut walk = self.walk(false, |walk| show(walk));
        let results = self.results.iter();
        let sets: Vec<Set> = results
            .map(|result| result.map_or(EMPTY, |result| *walk.of(result)))
            .collect();
        let resolved = walk.sets.resolve(&sets);
        let rows = sets.iter().map(|set| &resolved[set]);
        Found {
            sparsity: Sparsity::from_rows(self.inputs.len(), rows),
            fingerprint: walk.fingerprint,
        }
    }
    /// The pattern of the Hessian of the first result.
    pub(super) fn hessian(&self, show: impl FnOnce(&mut dyn StatementVisitor)) -> Found {
        let mut walk = self.walk(true, |walk| show(walk));
        let result = self.results.first().copied().flatten();
        let result = result.map_or(EMPTY, |result| *walk.of(result));
        let pairs = walk.pairs.take().unwrap_or_default();
        let mut sets: Vec<Set> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        sets.push(result);
        let resolved = walk.sets.resolve(&sets);
        // What the result does not depend on has no part in its derivatives.
        let mut relevant = vec![false; self.inputs.len()];
        resolved[&result]
            .iter()
            .for_each(|&i| relevant[i as usize] = true);
        // Many sets are equal, such as those of all inputs.
        let mut equal: HashMap<&[u32], Set> = HashMap::new();
        let mut canonical = |set: Set| *equal.entry(&resolved[&set]).or_insert(set);
        let pairs: HashSet<(Set, Set)> = pairs
            .iter()
            .map(|&(a, b)| (canonical(a), canonical(b)))
            .collect();
        let (mut entries, mut distinct) = (Vec::new(), 0);
        for (a, b) in pairs {
            for (i, j) in [(a, b), (b, a)] {
                let relevant = |&&i: &&u32| relevant[i as usize];
                for &i in resolved[&i].iter().filter(relevant) {
                    let columns = resolved[&j].iter().filter(relevant);
                    entries.extend(columns.map(|&j| u64::from(i) << 32 | u64::from(j)));
                }
                if a == b {
                    break;
                }
            }
            if entries.len() > 2 * distinct + (1 << 20) {
                entries.sort_unstable();
                entries.dedup();
                distinct = entries.len();
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let rows = (0..self.inputs.len() as u64).scan(&entries[..], |rest, i| {
            let end = rest.partition_point(|entry| entry >> 32 <= i);
            let (row, after) = rest.split_at(end);
            *rest = after;
            Some(row.iter().map(|&entry| entry as u32).collect::<Vec<_>>())
        });
        Found {
            sparsity: Sparsity::from_rows(self.inputs.len(), rows),
            fingerprint: walk.fingerprint,
        }
    }
}
