use super::{Done, Run, agree, fail};
use crate::{
    exact::{self, Num},
    state::{Directional, Variable, name},
};
use entape::{
    mode::Recording,
    tape::{Count, Directed, Error},
};
use std::array::from_fn;

type Weighted = Vec<(Num, f64)>;
fn weights(at: usize, j: usize, numbers: &[Num]) -> Vec<f64> {
    let weight = |e: usize| ((5 * at + 3 * e + 4 * j) % 11) as f64 / 8.0 - 0.5;
    (0..numbers.len()).map(weight).collect()
}
fn weighted(to: &mut Weighted, numbers: &[Num], weights: &[f64]) {
    to.extend(numbers.iter().copied().zip(weights.iter().copied()));
}

impl<M: Recording> Run<'_, M> {
    /// Sweeps along `N` directions of the unwritten inputs, forward and then back from one of the variables.
    pub(super) fn directions<const N: usize>(
        &mut self,
        chosen: u16,
        of: impl Fn(&dyn Variable<M>) -> &dyn Directional<M, N>,
    ) -> Done
    where
        Count: Directed<N>,
    {
        let mut entries = 0;

        let mut directions = self.tape.directions::<N>()?;
        let mut set: [Weighted; N] = from_fn(|_| Vec::new());
        for (at, input) in self.inputs.iter().enumerate() {
            let tangents = from_fn(|j| weights(at, j, &input.numbers));
            of(&*input.variable).set(&mut directions, &tangents)?;
            for (to, tangents) in set.iter_mut().zip(&tangents) {
                weighted(to, &input.numbers, tangents);
            }
        }
        let tangents = directions.sweep()?;
        let exact_tangents = set.map(|set| exact::tangents(&set));
        let numbers = self.numbers.variables();
        let mut active = Vec::new();
        for (at, variable) in self.entities.variables().into_iter().enumerate() {
            let got = match of(variable).tangents(&tangents) {
                Err(Error::NotRecorded { .. }) if !variable.is_active() => continue,
                got => got?,
            };
            for (j, (got, exact)) in got.iter().zip(&exact_tangents).enumerate() {
                let what = format!("tangent {j} of {N} of {}", name(at));
                entries += agree(&what, got, &numbers[at], exact, 1e-10)?;
            }
            active.push((at, variable));
        }
        let Some(&(at, output)) = active.get(usize::from(chosen) % active.len().max(1)) else {
            return Ok(());
        };

        let seed = weights(at, 1, &numbers[at]);
        let mut exact_seed = Vec::new();
        weighted(&mut exact_seed, &numbers[at], &seed);
        let swept = of(output).pull(tangents, &seed)?;
        let gradient = exact::sweep(&exact_seed, 0);
        for input in &self.inputs {
            let variable = of(&*input.variable);
            let what = format!(
                "the gradient of {} from tangents with respect to {}",
                name(at),
                input.name()
            );
            entries += agree(
                &what,
                &variable.gradient(&swept)?,
                &input.numbers,
                &gradient,
                1e-10,
            )?;
        }
        for (j, tangents) in exact_tangents.iter().enumerate() {
            let second = exact::second(&exact_seed, tangents);
            for input in &self.inputs {
                let got = &of(&*input.variable).wrt(&swept)?[j];
                let what = format!(
                    "the second derivative of {} along direction {j} of {N} with respect to {}",
                    name(at),
                    input.name()
                );
                entries += agree(&what, got, &input.numbers, &second, 1e-9)?;
            }
        }

        if entries == 0 {
            return fail("nothing is compared");
        }
        self.count.directions += entries;
        Ok(())
    }
    /// Begins walks that are not completed: partial sweeps, directions that are not swept, tangents without a sweep
    /// back, seeds of several adjoints.
    pub(super) fn abandon(&mut self, how: u8) -> Done {
        self.log.push(format!("// abandoned: walk {how}"));
        if self.tape.full().is_some() || how != 0 && !self.tables.directional {
            return Ok(());
        }
        if how == 0 && self.mark.is_some() {
            let seeds = self.seed(u16::MAX)?;
            let mark = self.mark.as_ref().expect("a mark");
            if !seeds.is_empty() {
                let _ = self.tape.sweep_to(&mark.position)?;
            }
        }
        let Some(input) = self.inputs.first() else {
            return Ok(());
        };
        let (input, numbers) = (input.variable.eight(), &input.numbers);
        match how {
            1 => {
                let mut directions = self.tape.directions::<8>()?;
                input.set(&mut directions, &from_fn(|j| weights(0, j, numbers)))?;
            }
            2 => drop(self.tape.directions::<1>()?.sweep()?),
            _ => {
                let mut adjoints = self.tape.adjoints()?;
                input.seed(&mut adjoints, 3, &weights(0, 1, numbers))?;
            }
        }
        Ok(())
    }
    pub(super) fn adjoints(&mut self, chosen: u16) -> Done {
        let numbers = self.numbers.variables();
        let all = self.entities.variables().into_iter().enumerate();
        let active: Vec<_> = all.filter(|(_, variable)| variable.is_active()).collect();
        let Some(&(at, output)) = active.get(usize::from(chosen) % active.len().max(1)) else {
            return Ok(());
        };
        let mut adjoints = self.tape.adjoints()?;
        let mut exact_seeds: [Weighted; 8] = from_fn(|_| Vec::new());
        for (j, exact) in exact_seeds.iter_mut().enumerate() {
            let seed = weights(at, j + 1, &numbers[at]);
            output.eight().seed(&mut adjoints, j, &seed)?;
            weighted(exact, &numbers[at], &seed);
        }
        let swept = adjoints.sweep()?;
        for (j, seeds) in exact_seeds.iter().enumerate() {
            let exact = exact::sweep(seeds, 0);
            for input in &self.inputs {
                let got = &input.variable.eight().wrt(&swept)?[j];
                let what = format!("adjoint {j} of {}", input.name());
                self.count.directions += agree(&what, got, &input.numbers, &exact, 1e-10)?;
            }
        }
        Ok(())
    }
}
