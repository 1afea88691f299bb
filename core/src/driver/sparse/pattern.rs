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
use std::{any::TypeId, collections::HashMap, mem::take, ops::Range};

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
            _ => self.new_union(&scratch),
        };
        self.scratch = scratch;
        union
    }
    fn new_union(&mut self, of: &[Set]) -> Set {
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
        self.push(of, Form::Union)
    }
    /// The inputs of each of these sets.
    fn resolve(&self, wanted: &[Set]) -> Resolved<'_> {
        let is_union = |&set: &Set| self.few(set).is_none();
        let mut unions: Vec<Set> = wanted.iter().copied().filter(is_union).collect();
        unions.sort_unstable();
        unions.dedup();
        let mut resolved = HashMap::new();
        if unions.len() > self.inputs.div_ceil(64) {
            self.by_blocks(&unions, &mut resolved);
        } else {
            self.one_by_one(&unions, &mut resolved);
        }
        Resolved {
            sets: self,
            unions: resolved,
        }
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

/// Sets that are written out.
struct Resolved<'s> {
    sets: &'s Sets,
    unions: HashMap<Set, Vec<u32>>,
}
impl Resolved<'_> {
    /// The inputs of a set, in ascending order.
    fn of(&self, set: Set) -> &[u32] {
        match self.sets.few(set) {
            Some(inputs) => inputs,
            None => &self.unions[&set],
        }
    }
}

/// A list that is sorted now and then to drop what is there twice. It has as many items afterwards as the number beside it.
#[derive(Default)]
struct Distinct<T>(Vec<T>, usize);
impl<T: Ord> Distinct<T> {
    fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.0.extend(items);
        if self.0.len() > 2 * self.1 + (1 << 16) {
            self.tidy();
        }
    }
    fn tidy(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
        self.1 = self.0.len();
    }
}

/// Which inputs variables depend on, and what has second derivatives.
pub(super) struct Walk {
    sets: Sets,
    /// For each kind the sets of its variables, by identifier.
    variables: Vec<(TypeId, Vec<Set>)>,
    /// The sets of the leaves of the present statement, and where each expression on the stack begins.
    leaves: Vec<Set>,
    starts: Vec<usize>,
    targets: Vec<(NamedId, bool)>,
    /// Sets between which there are second derivatives, if that is asked for.
    pairs: Option<Distinct<(Set, Set)>>,
}
impl Walk {
    /// Before the statements of a recording with these inputs; whether second derivatives are asked for.
    pub(super) fn new(inputs: impl ExactSizeIterator<Item = NamedId>, second: bool) -> Self {
        let mut walk = Walk {
            sets: Sets::new(inputs.len()),
            variables: Vec::new(),
            leaves: Vec::new(),
            starts: Vec::new(),
            targets: Vec::new(),
            pairs: second.then(Distinct::default),
        };
        for (set, input) in (1..).zip(inputs) {
            *walk.of(input) = set;
        }
        walk
    }
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
        let set = *self.of(variable);
        self.starts.push(self.leaves.len());
        self.leaves.extend((set != EMPTY).then_some(set));
    }
    fn passive(&mut self) {
        self.starts.push(self.leaves.len());
    }
    fn list(&mut self, count: usize) {
        match self.starts.len().checked_sub(count) {
            Some(_) if count == 0 => self.starts.push(self.leaves.len()),
            Some(first) => self.starts.truncate(first + 1),
            None => unreachable!("the elements of a list come before it"),
        }
    }
    fn choice(&mut self, _: bool) {}
    fn operation(&mut self, dependence: &Dependence) {
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
                        pairs.extend([(a, b)]);
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
        self.targets.push((target, whole));
    }
    fn input(&mut self, _: NamedId) {}
    fn end(&mut self, _: &'static Formula) {
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

impl Walk {
    /// The pattern of the Jacobian of these results, of which some may be passive.
    pub(super) fn jacobian(mut self, results: impl Iterator<Item = Option<NamedId>>) -> Sparsity {
        let sets: Vec<Set> = results
            .map(|result| result.map_or(EMPTY, |result| *self.of(result)))
            .collect();
        let resolved = self.sets.resolve(&sets);
        Sparsity::from_rows(self.sets.inputs, sets.iter().map(|&set| resolved.of(set)))
    }
    /// The pattern of the Hessian of this result, which may be passive.
    pub(super) fn hessian(mut self, result: Option<NamedId>) -> Sparsity {
        let result = result.map_or(EMPTY, |result| *self.of(result));
        let mut pairs = self.pairs.take().unwrap_or_default().0;
        let mut sets: Vec<Set> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        sets.push(result);
        let resolved = self.sets.resolve(&sets);
        // What the result does not depend on has no part in its derivatives.
        let n = self.sets.inputs;
        let mut relevant = vec![false; n];
        let inputs = resolved.of(result).iter();
        inputs.for_each(|&i| relevant[i as usize] = true);
        // Many sets are equal, such as those of all inputs.
        let mut equal: HashMap<&[u32], Set> = HashMap::new();
        let mut canonical = |set: &mut Set| *set = *equal.entry(resolved.of(*set)).or_insert(*set);
        for (a, b) in &mut pairs {
            canonical(a);
            canonical(b);
        }
        let mut pairs = Distinct(pairs, 0);
        pairs.tidy();
        let mut entries = Distinct(Vec::new(), 0);
        for (a, b) in pairs.0 {
            for (i, j) in [(a, b), (b, a)] {
                let relevant = |&&i: &&u32| relevant[i as usize];
                for &i in resolved.of(i).iter().filter(relevant) {
                    let columns = resolved.of(j).iter().filter(relevant);
                    entries.extend(columns.map(|&j| (i, j)));
                }
                if a == b {
                    break;
                }
            }
        }
        entries.tidy();
        let rows = (0..n as u32).scan(&entries.0[..], |rest, row| {
            let end = rest.partition_point(|&(i, _)| i <= row);
            let (row, after) = rest.split_at(end);
            *rest = after;
            Some(row.iter().map(|&(_, j)| j).collect::<Vec<_>>())
        });
        Sparsity::from_rows(n, rows)
    }
}
