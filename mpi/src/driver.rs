//! Drivers whose inputs, outputs or terms are distributed over ranks.
use crate::{
    collective::Operation,
    communicator::Communicator,
    pattern::Pattern,
    run::{Call, Way, panic_together},
};
use entape_core::{
    expr::Active,
    mode::Taped,
    structure::{FlatStructure, Structure, Vars},
    tape::Error,
};
use entape_drivers::{InputValues, Inputs, Outputs, pull, value_and_gradient, vjp};
use entape_methods::checkpoint::Checkpoints;

impl Communicator {
    /// Returns the sum of the outputs of all ranks, and its gradient with respect to the inputs of this rank.
    ///
    /// Parameters that all ranks have must [fan out](Self::fan_out) within the function; then their gradient is the sum
    /// over ranks.
    ///
    /// ```
    /// # use entape_core::{expr::Active, tape::Error};
    /// # use entape_mpi::run;
    /// # run(|ranks| {
    /// let (to, from) = ((ranks.rank() + 1) % ranks.size(), (ranks.rank() + ranks.size() - 1) % ranks.size());
    /// // products of the numbers of neighbors in a ring
    /// let f = |x: Active<f64>| x * ranks.send_receive(to, &x, from, 0.0, 0).eval();
    /// let (sum, slope) = ranks.value_and_gradient(f, 3.0)?;
    /// assert_eq!((sum, slope), (9.0 * ranks.size() as f64, 6.0));
    /// # Ok::<_, Error>(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// Like [`value_and_gradient`].
    #[track_caller]
    pub fn value_and_gradient<P, I, O, F>(
        &self,
        f: F,
        x: I,
    ) -> Result<(f64, InputValues<I, P>), Error>
    where
        I: Inputs<P>,
        O: Outputs<Variables = Active<f64>>,
        F: Fn(<I::Shape as Structure>::View<'_, Taped>) -> O,
    {
        let call = Call::new("value_and_gradient");
        let total = |x: <I::Shape as Structure>::View<'_, Taped>| -> Result<Active<f64>, Error> {
            let part = f(x).evaluate()?;
            let mut sum = self.once().all_reduce(&part, Operation::Sum);
            sum.call = call;
            Ok(sum.eval())
        };
        value_and_gradient(total, x)
    }
    /// Returns the outputs of this rank, and the adjoints of its inputs for the adjoints `seed` of the outputs of all
    /// ranks.
    ///
    /// # Errors
    /// Like [`vjp`](entape_drivers::vjp).
    ///
    /// # Panics
    /// If the shapes of seed and outputs differ.
    #[track_caller]
    pub fn vjp<P, I, O, F>(
        &self,
        f: F,
        x: I,
        seed: O::Values,
    ) -> Result<(O::Values, InputValues<I, P>), Error>
    where
        I: Inputs<P>,
        O: Outputs,
        F: Fn(<I::Shape as Structure>::View<'_, Taped>) -> O,
    {
        vjp(f, x, seed)
    }
    /// Returns the value and the gradient of the sum of `term(x, i)` for all `i` below `terms`. Ranks compute different
    /// blocks of `block` terms, which are added in one order, so the bits do not depend on the number of ranks.
    ///
    /// All ranks pass equal `x`, and get equal results. The terms must not communicate. Each rank stores the results of
    /// all blocks.
    ///
    /// ```
    /// # use entape_core::{expr::Active, real::Elementary, tape::Error};
    /// # use entape_mpi::run;
    /// # run(|ranks| {
    /// let term = |x: Active<f64>, i: usize| (x * i as f64).cos();
    /// let (sum, slope) = ranks.ordered_sum(1000, 50, term, 0.1)?;
    /// # assert!(sum.is_finite() && slope.is_finite());
    /// # Ok::<_, Error>(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// Like [`value_and_gradient`].
    ///
    /// # Panics
    /// If `block` is zero.
    #[track_caller]
    pub fn ordered_sum<P, I, O, F>(
        &self,
        terms: usize,
        block: usize,
        term: F,
        x: I,
    ) -> Result<(f64, InputValues<I, P>), Error>
    where
        I: Inputs<P, Shape: FlatStructure>,
        O: Outputs<Variables = Active<f64>>,
        F: Fn(<I::Shape as Structure>::View<'_, Taped>, usize) -> O,
    {
        let call = Call::new("ordered_sum");
        assert!(block > 0, "blocks of at least one term");
        let x = x.into_values();
        let (blocks, coordinates) = (terms.div_ceil(block), I::Shape::flattened(&x));
        let count = coordinates.len();
        self.shared.check(call, [terms, block], "terms and block");
        if self.shared.checked() && !self.shared.agree(call, Way::Program, &coordinates) {
            let message = format!("{call}: the inputs differ between ranks: broadcast them");
            panic_together(self.rank(), &message);
        }
        let share = |rank: usize| blocks * rank / self.size()..blocks * (rank + 1) / self.size();
        let mut mine = Vec::with_capacity(share(self.rank()).len() * (1 + count));
        for number in share(self.rank()) {
            let terms = number * block..terms.min((number + 1) * block);
            let sum = |x: &Vars<I::Shape>| -> Result<Active<f64>, Error> {
                let mut sum = Active::passive(0.0);
                for i in terms {
                    sum += term(I::Shape::view(x), i).evaluate()?;
                }
                Ok(sum)
            };
            let (value, gradient) = pull::<I::Shape, _>(sum, x.clone(), 1.0)?;
            mine.push(value);
            mine.extend(I::Shape::flattened(&gradient));
        }
        let counts: Vec<usize> = (0..self.size())
            .map(|r| share(r).len() * (1 + count))
            .collect();
        let pattern = Pattern::AllGather { counts };
        let all = self.shared.now(call, Way::Program, &pattern, mine);
        let mut total = vec![0.0; 1 + count];
        if blocks > 0 {
            let each: Vec<&[f64]> = all.chunks(1 + count).collect();
            total = tree(&each);
        }
        let gradient = I::Shape::from_coordinates(&x, &mut &total[1..]);
        Ok((total[0], gradient))
    }
    /// Returns checkpoints whose decisions are equal on all ranks: the least `states` of all ranks, and one step
    /// recorded at a time.
    ///
    /// The steps may communicate. A bound in bytes must not be set, because ranks of different sizes would decide
    /// differently. The condition of a loop that runs until it holds must be equal on all ranks, for example computed
    /// from an all-reduced number.
    #[must_use]
    #[track_caller]
    pub fn checkpoints(&self, states: usize) -> Checkpoints<'static> {
        let call = Call::new("checkpoints");
        self.shared.check(call, [0, 0], "");
        let least = Pattern::Least { count: 1 };
        let states = self
            .shared
            .now(call, Way::Program, &least, vec![states as f64]);
        Checkpoints::new()
            .states(states[0] as usize)
            .steps_at_once(1)
    }
}

/// Adds lists as a tree, which depends only on their number.
fn tree(each: &[&[f64]]) -> Vec<f64> {
    match each {
        [] => Vec::new(),
        [one] => one.to_vec(),
        _ => {
            let (a, b) = each.split_at(each.len() / 2);
            let mut sum = tree(a);
            sum.iter_mut().zip(tree(b)).for_each(|(a, b)| *a += b);
            sum
        }
    }
}
