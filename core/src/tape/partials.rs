//! Sweeps along directions over statements that set a new number. Tangents and several adjoints need no more of such a statement than its partial
//! derivatives. The compiled sweep of one adjoint computes these: 1 flows into the result, and what arrives at the variables is taken.
//!
//! A product with a partial derivative is what the formulas compute if the partial derivative is a normal number. One that is 0 may be a product that is
//! too small, or belong to a kink. One that is infinite belongs to a pole, or is a product that is too large. Then tangents are interpreted, and adjoints
//! flow back one after the other.
use super::{
    directions::{Interpreted, NumberStatement, split_by},
    handles::Entry,
    numbers::{Flow, NumberProgram, TangentSum},
    sequence::pop_block,
    target::FreshTarget,
};
use crate::{
    kind::Adjoint,
    store::{AllTangents, MANY},
    sweep::SweepContext,
};

impl NumberProgram {
    /// Lets an adjoint flow back through a statement, at the end of which the walk is.
    #[inline(always)]
    fn pull(context: &mut SweepContext<'_>, statement: &mut [u8], entry: &Entry, r_b: f64) {
        let adjoints = context.numbers().adjoints;
        let id = adjoints.cursor_forward(1);
        *adjoints.at(id) = r_b;
        // This takes the cursor back.
        (entry.reverse)(context, statement, entry);
    }
    /// Visits the variables into which an adjoint flows, those in lists too.
    #[inline(always)]
    fn each_variable(&self, statement: &mut [u8], entry: &Entry, mut visit: impl FnMut(u32)) {
        self.each_reached(self.fixed_part(statement, entry), &mut visit);
        if self.has_lists() {
            let (_, block) = pop_block(statement, entry);
            let (_, rhs) = split_by::<f64, FreshTarget<f64>>(block, entry);
            self.each_in_lists(&rhs, entry.statement.mixed, visit);
        }
    }
    /// Walks forward over a statement and computes the tangents of its result.
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
            partials.for_each(|(id, partial)| sum.add(partial, tangents, id));
        } else if self.has_partials {
            Self::pull(context, statement, entry, 1.0);
            let (adjoints, mut normal) = (context.numbers().adjoints, true);
            self.each_reached(self.fixed_part(statement, entry), |id| {
                let partial = adjoints.take(id);
                // A variable that occurs twice has the sum at its first place.
                if !partial.is_unset() {
                    normal &= partial.is_normal();
                    sum.add(partial, tangents, id);
                }
            });
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
    /// Passes several adjoints on to the variables.
    #[inline(always)]
    pub(super) fn adjoints<'b>(
        &self,
        context: &mut SweepContext<'_>,
        all: &mut AllTangents<MANY>,
        tape: &'b mut [u8],
        entry: &Entry,
    ) -> &'b mut [u8] {
        let before = pop_block(&mut *tape, entry).0.len();
        let (rest, statement) = tape.split_at_mut(before);
        let tangents = all.of_numbers();
        let r_b = tangents.take(context.numbers().adjoints.cursor_back(1));
        let flow = Flow::new(r_b);
        if flow.is_unset() {
            return rest;
        }
        if let Some(partials) = self.constant_partials(self.fixed_part(statement, entry)) {
            partials.for_each(|(id, partial)| tangents.merge(id, &flow.times(partial)));
            return rest;
        }
        Self::pull(context, statement, entry, 1.0);
        let (adjoints, mut normal) = (context.numbers().adjoints, true);
        self.each_variable(statement, entry, |id| {
            let partial = *adjoints.at(id);
            normal &= partial.is_unset() || partial.is_normal();
        });
        self.each_variable(statement, entry, |id| {
            let partial = adjoints.take(id);
            if normal && !partial.is_unset() {
                tangents.merge(id, &flow.times(partial));
            }
        });
        if !normal {
            self.one_by_one(context, all, statement, entry, &r_b);
        }
        rest
    }
    /// Lets several adjoints flow back through a statement one after the other.
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
        for (j, &r_b) in r_b.iter().enumerate().filter(|(_, r_b)| !r_b.is_unset()) {
            Self::pull(context, statement, entry, r_b);
            let adjoints = context.numbers().adjoints;
            self.each_variable(statement, entry, |id| {
                tangents.adjoints(id)[j].merge(adjoints.take(id));
            });
        }
    }
}
