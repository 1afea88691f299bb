//! Sweeps along directions over statements that set a new number, by partial derivatives: adjoints in the compiled
//! sweep with a seed of 1.
//!
//! Products with normal numbers equal the result of the formulas. Zero may be an underflow or a kink, and infinity an
//! overflow or a pole. Then tangents are interpreted, and adjoints propagated one by one.
use super::{
    directions::{Interpreted, NumberStatement, split_by},
    handles::Entry,
    numbers::{Flow, NumberProgram, TangentSum},
    sequence::pop_block,
    target::FreshTarget,
};
use crate::{
    kind::Adjoint,
    store::{AdjointsOf, AllTangents, MANY, TangentsOf},
    sweep::SweepContext,
};

impl NumberProgram {
    #[inline(always)]
    fn pull(context: &mut SweepContext<'_>, statement: &mut [u8], entry: &Entry, r_b: f64) {
        let adjoints = context.numbers().adjoints;
        let id = adjoints.cursor_forward(1);
        *adjoints.at(id) = r_b;
        (entry.reverse)(context, statement, entry);
    }
    #[inline(never)]
    fn variables(&self, statement: &mut [u8], entry: &Entry) -> Vec<u32> {
        let mut variables: Vec<u32> = self.reached(self.fixed_part(statement, entry)).collect();
        if self.has_lists() {
            let (_, block) = pop_block(statement, entry.size);
            let (_, rhs) = split_by::<f64, FreshTarget<f64>>(block, entry);
            self.each_in_lists(&rhs, entry.statement.mixed, |id| variables.push(id));
        }
        variables
    }
    #[inline(always)]
    pub(super) fn tangent<const N: usize>(
        &self,
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        let tangents = all.of_numbers();
        let mut sum = TangentSum::<N>::new();
        if let Some(partials) = self.constant_partials(self.fixed_part(statement, entry)) {
            for (id, partial) in partials {
                sum.add(partial, tangents, id);
            }
        } else if self.has_partials {
            Self::pull(context, statement, entry, 1.0);
            let (adjoints, mut normal) = (context.numbers().adjoints, true);
            for id in self.reached(self.fixed_part(statement, entry)) {
                let partial = adjoints.take(id);
                // The first occurrence of a variable has the sum.
                if !partial.is_unset() {
                    normal &= partial.is_normal();
                    sum.add(partial, tangents, id);
                }
            }
            if !normal {
                return Self::interpret_tangent(context, all, statement, entry);
            }
        } else {
            return Self::interpret_tangent(context, all, statement, entry);
        }
        let id = context.numbers().adjoints.cursor_forward(1);
        *tangents.at(id) = sum.finish();
    }
    #[inline(never)]
    fn interpret_tangent<const N: usize>(
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<N>,
        statement: &mut [u8],
        entry: &Entry,
    ) {
        NumberStatement::<FreshTarget<f64>, f64>::tangent(context, all, statement, entry);
    }
    #[inline(always)]
    pub(super) fn adjoints<'b>(
        &self,
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<MANY>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let before = pop_block(&mut *tape, entry.size).0.len();
        let (rest, statement) = tape.split_at_mut(before);
        let tangents = all.of_numbers();
        let r_b = tangents.take(context.numbers().adjoints.cursor_back(1));
        let flow = Flow::new(r_b);
        if flow.is_unset() {
            return rest;
        }
        let fixed = self.fixed_part(statement, entry);
        if let Some(partials) = self.constant_partials(fixed) {
            for (id, partial) in partials {
                tangents.merge(id, &flow.times(partial));
            }
            return rest;
        }
        Self::pull(context, statement, entry, 1.0);
        let adjoints = context.numbers().adjoints;
        let normal = match self.has_lists() {
            false => {
                let variables = self.reached(self.fixed_part(statement, entry));
                flow.pull(variables, adjoints, tangents)
            }
            true => {
                let variables = self.variables(statement, entry);
                flow.pull(variables.into_iter(), adjoints, tangents)
            }
        };
        if !normal {
            self.one_by_one(context, all, statement, entry, &r_b);
        }
        rest
    }
    #[inline(never)]
    fn one_by_one(
        &self,
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<MANY>,
        statement: &mut [u8],
        entry: &Entry,
        r_b: &[f64; MANY],
    ) {
        let tangents = all.of_numbers();
        let variables = self.variables(statement, entry);
        for (j, &r_b) in r_b.iter().enumerate().filter(|(_, r_b)| !r_b.is_unset()) {
            Self::pull(context, statement, entry, r_b);
            let adjoints = context.numbers().adjoints;
            for &id in &variables {
                tangents.adjoints(id)[j].merge(adjoints.take(id));
            }
        }
    }
}
impl Flow<MANY> {
    /// Adds the products with `partials` to several adjoints, or returns false if one is not a normal number.
    #[inline(always)]
    fn pull(
        &self,
        variables: impl Iterator<Item = u32> + Clone,
        partials: &mut AdjointsOf<f64>,
        adjoints: &mut TangentsOf<f64, MANY>,
    ) -> bool {
        let mut normal = true;
        for id in variables.clone() {
            let partial = *partials.at(id);
            normal &= partial.is_unset() || partial.is_normal();
        }
        for id in variables {
            let partial = partials.take(id);
            if normal && !partial.is_unset() {
                adjoints.merge(id, &self.times(partial));
            }
        }
        normal
    }
}
