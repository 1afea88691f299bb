use super::{Parallel, Work, add};
use entape_core::{
    expr::Active,
    kind::{Kind, Val},
    mode::Taped,
    structure::{FlatStructure, ReadLeaves, Structure, ValueLeaves, VariableLeaves},
    tape::{Gradient, Tape},
};
use entape_drivers::{Error, InputValues, Inputs, Outputs, constant::slope_of_constant};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::{cell::RefCell, ops::Range};

/// A sum, and its gradient if it depends on an input: `-0.0` where no adjoint arrives.
type Sum = (f64, Option<Vec<f64>>);
type Total = Result<Sum, Error>;

impl Parallel<'_> {
    /// Returns the value and the gradient of the sum of `term(x, i)` for all `i` below `terms`, at `x`. The index
    /// selects data or a sequence of random numbers. Fails like
    /// [`value_and_gradient`](entape_drivers::value_and_gradient).
    #[track_caller]
    pub fn sum<P, I, O, F>(
        &self,
        terms: usize,
        term: F,
        x: I,
    ) -> Result<(f64, InputValues<I, P>), Error>
    where
        I: Inputs<P, Shape: FlatStructure<Values: Sync>>,
        O: Outputs<Variables = Active<f64>, Values = f64>,
        F: Fn(<I::Shape as Structure>::View<'_, Taped>, usize) -> O + Sync,
    {
        let x = x.into_values();
        let (value, gradient) = self
            .work(terms)
            .sum(|terms| of_block::<I::Shape, O>(&term, &x, terms))?;
        let of_constant = || vec![slope_of_constant::<f64>(&value); I::Shape::flattened(&x).len()];
        let mut gradient = gradient.unwrap_or_else(of_constant);
        gradient.iter_mut().for_each(|x| *x += 0.0);
        let gradient = I::Shape::from_coordinates(&x, &mut &gradient[..]);
        Ok((value, gradient))
    }
}

/// Records and sweeps some terms.
pub(super) fn of_block<S: FlatStructure, O: Outputs<Variables = Active<f64>, Values = f64>>(
    term: impl Fn(S::View<'_, Taped>, usize) -> O,
    x: &S::Values,
    terms: Range<usize>,
) -> Total {
    with_tape(|tape| {
        let variables = S::inputs(x.clone(), tape);
        let sum: Result<_, Error> = tape.record(|| {
            let mut sum: Active<f64> = Active::passive(0.0);
            for i in terms {
                sum += term(S::view(&variables), i).evaluate()?;
            }
            Ok(sum)
        });
        let sum = sum?;
        if !sum.is_active() {
            return Ok((sum.value(), None));
        }
        let gradient = tape.gradient(&sum)?;
        let gradient = S::read(&variables, &mut Flowed(&gradient))?;
        Ok((sum.value(), Some(S::flattened(&S::pack(gradient)))))
    })
}
struct Flowed<'g, 't>(&'g Gradient<'t>);
impl ReadLeaves for Flowed<'_, '_> {
    type From = VariableLeaves<Taped>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, variable: &Active<K>) -> Result<Val<K>, Error> {
        let flowed = self.0.flowed(variable)?;
        Ok(flowed.unwrap_or_else(|| K::unset_tangent(variable.get())))
    }
}

/// Larger tapes are dropped after use.
const KEPT_BYTES: usize = 64 << 20;
/// Runs `f` with an empty tape, which this thread keeps.
fn with_tape<T>(f: impl FnOnce(&mut Tape) -> T) -> T {
    thread_local! {
        static KEPT: RefCell<Vec<Tape>> = const { RefCell::new(Vec::new()) };
    }
    // Terms may compute sums, and a blocked thread takes other terms.
    let mut tape = KEPT.with_borrow_mut(Vec::pop).unwrap_or_default();
    let result = f(&mut tape);
    if tape.statistics().bytes() <= KEPT_BYTES {
        tape.reset();
        KEPT.with_borrow_mut(|kept| kept.push(tape));
    }
    result
}

impl Work<'_, '_> {
    pub(super) fn sum(&self, of_block: impl Fn(Range<usize>) -> Total + Sync) -> Total {
        let one = |i: usize| {
            let terms = self.of_block(i);
            let count = terms.len();
            let total = of_block(terms)?;
            self.is_done(count);
            Ok(total)
        };
        if self.blocks() == 0 {
            return Ok((0.0, None));
        }
        if self.of.any_order {
            let none = || (0.0, None);
            return (0..self.blocks())
                .into_par_iter()
                .map(one)
                .try_reduce(none, |a, b| Ok(both(a, b)));
        }
        tree(0..self.blocks(), &one)
    }
}
/// Adds blocks as a tree whose form depends only on their number.
fn tree(blocks: Range<usize>, one: &(impl Fn(usize) -> Total + Sync)) -> Total {
    let Range { start, end } = blocks;
    if end - start == 1 {
        return one(start);
    }
    let middle = start + (end - start) / 2;
    let (a, b) = rayon::join(|| tree(start..middle, one), || tree(middle..end, one));
    Ok(both(a?, b?))
}
fn both(mut a: Sum, b: Sum) -> Sum {
    a.0 += b.0;
    a.1 = match (a.1, b.1) {
        (Some(mut a), Some(b)) => {
            add(&mut a, &b);
            Some(a)
        }
        (a, b) => a.or(b),
    };
    a
}
