use super::{Parallel, sum::of_block};
use entape_core::{
    expr::Active,
    external::{Arguments, External},
    kind::{is_unset, unset},
    mode::{AnyMode, Taped},
    structure::{FlatStructure, Structure, Vars},
};
use entape_drivers::{Error, ListShape, Outputs, constant::is_undefined};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

impl Parallel<'_> {
    /// Records `part(x, i)` for all `i` below `parts` as one statement; [`eval`](External::eval) returns a variable for
    /// each. A sweep records the parts again on tapes of threads, so that the larger tape does not store them.
    ///
    /// ```
    /// use entape_core::{expr::Active, real::Elementary, tape::Tape};
    /// use entape_methods::parallel::Parallel;
    ///
    /// let mut tape = Tape::new();
    /// let (rate, start) = (tape.input(0.5), tape.input(1.0));
    /// let y = tape.record(|| {
    ///     let decayed = |(rate, start): (Active<f64>, Active<f64>), i: usize| {
    ///         (1..=i).fold(start, |x, _| (x - 0.01 * rate * x).eval())
    ///     };
    ///     let paths = Parallel::new().map((rate, start), 100, decayed).eval();
    ///     paths.iter().map(|x| x.ln()).sum::<Active<f64>>()
    /// });
    /// let gradient = tape.gradient(&y)?;
    /// assert!((gradient.wrt(&start)? - 100.0_f64).abs() < 1e-10);
    /// assert!((gradient.wrt(&rate)? + 4950.0 * 0.01 / (1.0 - 0.005_f64)).abs() < 1e-10);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// If a part fails in a sweep, or changed its value, the sweep returns an [`Error::External`] with the reason and the line
    /// of this call.
    ///
    /// [`Error::External`]: entape_core::tape::Error::External
    #[track_caller]
    pub fn map<M, A, O, F>(&self, x: A, parts: usize, part: F) -> External<M, A, ListShape<f64>>
    where
        M: AnyMode,
        A: Arguments<M, Shape: FlatStructure<Values: Send + Sync>>,
        O: Outputs<Variables = Active<f64>, Values = f64>,
        F: Fn(<A::Shape as Structure>::View<'_, Taped>, usize) -> O + Send + Sync + 'static,
    {
        let plain = x.values();
        let work = self.work(parts);
        let blocks = (0..work.blocks()).into_par_iter().map(|block| {
            let variables: Vars<A::Shape> = A::Shape::passive(plain.clone());
            let terms = work.of_block(block);
            let one = |i| {
                let y = part(A::Shape::view(&variables), i).evaluate();
                y.map(|y| y.value())
            };
            let values: Result<Vec<f64>, Error> = terms.clone().map(one).collect();
            work.is_done(terms.len());
            values
        });
        let blocks: Result<Vec<Vec<f64>>, Error> = blocks.collect();
        let values = match blocks {
            Ok(blocks) => blocks.concat(),
            Err(error) => {
                panic!("a part failed: {error}: check for errors before the parts")
            }
        };
        let before = values.clone();
        let backward = Parallel {
            block: self.block,
            any_order: self.any_order,
            progress: None,
        };
        External::new(x, values, move |y_b: Vec<f64>| {
            let other = AtomicUsize::new(usize::MAX);
            let undefined = AtomicBool::new(false);
            let gradient = backward.work(parts).sum(|terms| {
                let weighted = |x: <A::Shape as Structure>::View<'_, Taped>, i: usize| {
                    let y = part(x, i).evaluate()?;
                    let (now, before) = (y.value(), before[i]);
                    if now.to_bits() != before.to_bits() && !(now.is_nan() && before.is_nan()) {
                        other.fetch_min(i, Ordering::Relaxed);
                    }
                    if y_b[i] != 0.0 && is_undefined(&y) {
                        undefined.store(true, Ordering::Relaxed);
                    }
                    Ok::<_, Error>(match is_unset::<f64>(&y_b[i]) {
                        true => Active::passive(0.0),
                        false => (y * y_b[i]).eval(),
                    })
                };
                of_block::<A::Shape, _>(weighted, &plain, terms)
            });
            let (_, gradient) = gradient.map_err(|error| error.to_string())?;
            let n = A::Shape::flattened(&plain).len();
            let gradient = match undefined.into_inner() {
                true => vec![f64::NAN; n],
                false => gradient.unwrap_or_else(|| vec![unset::<f64>(); n]),
            };
            match other.into_inner() {
                usize::MAX => Ok(A::Shape::from_coordinates(&plain, &mut &gradient[..])),
                i => Err(format!(
                    "part {i} has another value than when it was recorded: let it depend only on its number and the variables, and not on random \
                     numbers or on data that changes"
                )),
            }
        })
        .marked()
    }
}
