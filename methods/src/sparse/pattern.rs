//! Patterns of derivatives, from a walk over a recording.
//!
//! The inputs of a result are the union of the inputs of its arguments, and arguments of nonlinear operations have
//! second derivatives (A. Walther 2008). A small set is a sorted list, a large one a union, because partial sums would
//! take memory quadratic in their number. Requested sets are written out at the end.
use super::Sparsity;
use entape_core::node::{Dependence, ExpressionVisitor, NamedId};
use entape_drivers::state::{Formula, StatementVisitor};
use std::{any::TypeId, collections::HashMap, mem::take, ops::Range};

/// Sets with more inputs are stored as unions.
const FEW: usize = 32;

type Set = u32;
/// Set `i + 1` contains only input `i`.
const EMPTY: Set = 0;

struct Sets {
    sets: Vec<(Range<usize>, Form)>,
    /// Inputs, or the smaller sets of a union.
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
        u32::try_from(self.sets.len() - 1).expect("there are fewer than 2^32 sets")
    }
    fn few(&self, set: Set) -> Option<&[u32]> {
        let (range, form) = &self.sets[set as usize];
        (*form == Form::Inputs).then(|| &self.items[range.clone()])
    }
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
    /// Visits all sets once for each 64 inputs, the bits of a word.
    fn by_blocks(&self, unions: &[Set], resolved: &mut HashMap<Set, Vec<u32>>) {
        let needed = self.parts_of(unions);
        let mut bits = vec![0_u64; self.sets.len()];
        for first in (0..self.inputs as u32).step_by(64) {
            self.fill_block(&needed, first, &mut bits);
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
impl Sets {
    fn parts_of(&self, wanted: &[Set]) -> Vec<usize> {
        let mut needed = vec![false; self.sets.len()];
        wanted.iter().for_each(|&set| needed[set as usize] = true);
        for set in (0..self.sets.len()).rev() {
            if let (true, (range, Form::Union)) = (needed[set], &self.sets[set]) {
                let parts = self.items[range.clone()].iter();
                parts.for_each(|&part| needed[part as usize] = true);
            }
        }
        (0..needed.len()).filter(|&set| needed[set]).collect()
    }
    /// Sets the bits of the 64 inputs from `first` on in each needed set that contains them.
    fn fill_block(&self, needed: &[usize], first: u32, bits: &mut [u64]) {
        for &set in needed {
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
    }
    fn pass_to_inputs(&self, needed: &[usize], bits: &mut [u64], inputs: &mut [u64]) {
        for &set in needed.iter().rev() {
            let (range, form) = &self.sets[set];
            let of_set = take(&mut bits[set]);
            if of_set == 0 {
                continue;
            }
            let into = match form {
                Form::Inputs => &mut *inputs,
                Form::Union => &mut *bits,
            };
            let items = self.items[range.clone()].iter();
            items.for_each(|&item| into[item as usize] |= of_set);
        }
    }
}

struct Resolved<'s> {
    sets: &'s Sets,
    unions: HashMap<Set, Vec<u32>>,
}
impl Resolved<'_> {
    fn of(&self, set: Set) -> &[u32] {
        match self.sets.few(set) {
            Some(inputs) => inputs,
            None => &self.unions[&set],
        }
    }
}

/// A list that is sometimes sorted to remove duplicates, and its length after the last time.
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

pub(super) struct Walk {
    sets: Sets,
    variables: Vec<(TypeId, Vec<Set>)>,
    /// The sets of this statement's leaves, and where each expression on the stack begins.
    leaves: Vec<Set>,
    starts: Vec<usize>,
    targets: Vec<(NamedId, bool)>,
    /// Pairs of sets with second derivatives, if requested.
    pairs: Option<Distinct<(Set, Set)>>,
}
impl Walk {
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
            None => unreachable!("the elements of a list precede it"),
        }
    }
    fn choice(&mut self, _: bool) {}
    fn operation(&mut self, dependence: &Dependence) {
        let Some(&[a, b, c]) = self.starts.last_chunk() else {
            unreachable!("arguments precede their operation");
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
    pub(super) fn jacobian(mut self, results: impl Iterator<Item = Option<NamedId>>) -> Sparsity {
        let sets: Vec<Set> = results
            .map(|result| result.map_or(EMPTY, |result| *self.of(result)))
            .collect();
        let resolved = self.sets.resolve(&sets);
        Sparsity::from_rows(self.sets.inputs, sets.iter().map(|&set| resolved.of(set)))
    }
    pub(super) fn hessian(mut self, result: Option<NamedId>) -> Sparsity {
        let result = result.map_or(EMPTY, |result| *self.of(result));
        let mut pairs = self.pairs.take().unwrap_or_default();
        pairs.tidy();
        Products::new(&self.sets, result, pairs.0).pattern()
    }
}

/// Products of sets: the entries of a Hessian.
///
/// Products of small sets, and few products of large ones, are written out. Otherwise a walk over the sets finds which
/// of 64 inputs each contains, and a walk back the inputs with which products join them. Growing sets thus take time
/// proportional to the sum of their sizes, not of the squares.
struct Products<'s> {
    sets: &'s Sets,
    relevant: Vec<bool>,
    entries: Distinct<(u32, u32)>,
    large: Vec<(Set, Set)>,
}
impl<'s> Products<'s> {
    fn new(sets: &'s Sets, result: Set, pairs: Vec<(Set, Set)>) -> Self {
        let mut relevant = vec![false; sets.inputs];
        let resolved = sets.resolve(&[result]);
        let inputs = resolved.of(result).iter();
        inputs.for_each(|&i| relevant[i as usize] = true);
        let mut products = Products {
            sets,
            relevant,
            entries: Distinct::default(),
            large: Vec::new(),
        };
        for (a, b) in pairs {
            match (sets.few(a), sets.few(b)) {
                (Some(x), Some(y)) => products.write_out(x, y),
                _ => products.large.push((a, b)),
            }
        }
        products
    }
    fn write_out(&mut self, a: &[u32], b: &[u32]) {
        for (a, b) in [(a, b), (b, a)] {
            let relevant = |&&i: &&u32| self.relevant[i as usize];
            for &i in a.iter().filter(relevant) {
                let columns = b.iter().filter(relevant);
                self.entries.extend(columns.map(|&j| (i, j)));
            }
        }
    }
    /// Only if this is faster than blocks.
    fn write_out_large(&mut self, of: &[Set], needed: &[usize]) {
        let blocks = self.sets.inputs.div_ceil(64);
        let unions = of.iter().filter(|&&set| self.sets.few(set).is_none());
        if unions.count() > blocks {
            return;
        }
        let resolved = self.sets.resolve(of);
        let items = |&set: &usize| self.sets.sets[set].0.len();
        let of_block = needed.iter().map(items).sum::<usize>() + self.large.len();
        let size = |&(a, b): &(Set, Set)| 2 * resolved.of(a).len() * resolved.of(b).len();
        if self.large.iter().map(size).sum::<usize>() <= blocks * of_block {
            for (a, b) in take(&mut self.large) {
                self.write_out(resolved.of(a), resolved.of(b));
            }
        }
    }
    fn pattern(mut self) -> Sparsity {
        let mut of: Vec<Set> = self.large.iter().flat_map(|&(a, b)| [a, b]).collect();
        of.sort_unstable();
        of.dedup();
        let needed = self.sets.parts_of(&of);
        self.write_out_large(&of, &needed);
        self.entries.tidy();
        let n = self.sets.inputs;
        let (mut bits, mut joined) = (vec![0; self.sets.sets.len()], vec![0; self.sets.sets.len()]);
        let mut columns = vec![0_u64; n];
        let mut rest = &self.entries.0[..];
        let blocks = (0..n as u32).step_by(64).flat_map(|first| {
            let count = (n as u32 - first).min(64);
            let end = rest.partition_point(|&(i, _)| i - first < count);
            let (entries, after) = rest.split_at(end);
            rest = after;
            let mut rows = vec![Vec::new(); count as usize];
            if self.large.is_empty() {
                let each = entries.iter();
                each.for_each(|&(i, j)| rows[(i - first) as usize].push(j));
                return rows;
            }
            self.sets.fill_block(&needed, first, &mut bits);
            for &(a, b) in &self.large {
                joined[b as usize] |= bits[a as usize];
                joined[a as usize] |= bits[b as usize];
            }
            self.sets.pass_to_inputs(&needed, &mut joined, &mut columns);
            let each = entries.iter();
            each.for_each(|&(i, j)| columns[j as usize] |= 1 << (i - first));
            let of_block = self.relevant[first as usize..].iter().take(count as usize);
            let relevant = of_block.rev().fold(0, |bits, &i| bits << 1 | u64::from(i));
            for (j, column) in (0..).zip(&mut columns) {
                let mut bits = take(column) & relevant;
                while bits != 0 && self.relevant[j as usize] {
                    rows[bits.trailing_zeros() as usize].push(j);
                    bits &= bits - 1;
                }
            }
            rows
        });
        Sparsity::from_rows(n, blocks)
    }
}
