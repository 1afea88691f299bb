use super::Parallel;
use entape_drivers::{Error, Jacobian, Objective, Program};
use rayon::{
    iter::{IndexedParallelIterator, ParallelIterator},
    slice::ParallelSliceMut,
};

/// The number of directions of a sweep.
const AT_ONCE: usize = 8;

impl Parallel<'_> {
    /// Returns the Hessian of an objective at `x`. Each thread records once and computes eight rows at a time. Fails
    /// like [`Objective::hessian`].
    ///
    /// ```
    /// use entape_core::{expr::Active, function};
    /// use entape_drivers::Objective;
    /// use entape_methods::parallel::Parallel;
    ///
    /// #[function]
    /// fn chain(x: &[Active<f64>]) -> Active<f64> {
    ///     x.windows(2).map(|x| (x[1] - x[0] * x[0]).powi(2)).sum()
    /// }
    /// let f = Objective::new(chain {});
    /// let x = [0.5; 40];
    /// assert_eq!(Parallel::new().hessian(&f, &x)?, f.hessian(&x)?);
    /// # use entape_core::real::Elementary;
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[track_caller]
    pub fn hessian<P>(&self, objective: &Objective<P>, x: &[f64]) -> Result<Jacobian, Error>
    where
        P: Program<Values = f64> + Sync,
    {
        self.rows(x.len(), x.len(), |first, rows| {
            objective.hessian_rows_into(x, first, rows)
        })
    }
    /// Returns the Jacobian of an objective at `x`. Each thread records once and computes eight rows at a time. Fails
    /// like [`Objective::jacobian`], which is as fast for fewer than eight inputs.
    #[track_caller]
    pub fn jacobian<P>(&self, objective: &Objective<P>, x: &[f64]) -> Result<Jacobian, Error>
    where
        P: Program<Values: AsRef<[f64]>> + Sync,
    {
        let rows = objective.values(x).len();
        self.rows(rows, x.len(), |first, rows| {
            objective.jacobian_rows_into(x, first, rows)
        })
    }
    fn rows(
        &self,
        rows: usize,
        columns: usize,
        write: impl Fn(usize, &mut [f64]) -> Result<(), Error> + Sync,
    ) -> Result<Jacobian, Error> {
        let mut entries = vec![0.0; rows * columns];
        let mut work = self.work(rows);
        work.block = work.block.next_multiple_of(AT_ONCE);
        let blocks = entries.par_chunks_mut((work.block * columns).max(1));
        blocks.enumerate().try_for_each(|(i, block)| {
            write(i * work.block, block)?;
            work.is_done(block.len() / columns.max(1));
            Ok::<_, Error>(())
        })?;
        Ok(Jacobian::new(rows, columns, entries))
    }
}
