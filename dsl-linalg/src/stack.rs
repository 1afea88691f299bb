use crate::{Dense, Number, Sizes, memory::fresh, shapes};
use entape_core::{
    kind::{List, TapeCell},
    op,
};
use nalgebra::{DefaultAllocator, Dim, Dyn, OMatrix};
use std::rc::Rc;

type MatrixShapes = Rc<Vec<(usize, usize)>>;

#[track_caller]
fn shapes_of<T: Number, R: Dim, C: Dim>(
    operation: &str,
    x: &[impl TapeCell<OMatrix<T, R, C>>],
) -> MatrixShapes
where
    DefaultAllocator: Sizes<R, C>,
{
    assert!(
        !x.is_empty(),
        "`{operation}` of an empty list: pass at least one matrix"
    );
    Rc::new(x.iter().map(|x| x.peek().shape()).collect())
}

/// Returns the matrices of a list side by side; for vectors, as columns.
///
/// ```
/// use entape_core::{expr::list, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let columns: Vec<Vector> = tape.inputs([dvector![1.0, 2.0], dvector![3.0, 4.0]]);
/// let y = tape.record(|| {
///     let m: Matrix = hstack(list(&columns)).eval();
///     m.row(1).norm_squared().eval()
/// });
/// assert_eq!(y.value(), 20.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&columns[1])?, dvector![0.0, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the numbers of rows differ or the list is empty.
#[op(linear, marks, save(all: MatrixShapes = shapes_of("hstack(list)", x)))]
pub fn hstack<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let mut first = 0;
        let each = all.iter().map(|&(m, n)| {
            let j = first;
            first += n;
            OMatrix::from_fn_generic(R::from_usize(m), C::from_usize(n), |i, k| r_b[(i, j + k)])
        });
        each.collect::<Vec<OMatrix<T, R, C>>>()
    })]
    x: List<Dense<T, R, C>>,
) -> &Dense<T, R, Dyn>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R, Dyn>,
{
    let all = shapes_of("hstack(list)", x);
    let of = all[0];
    for &b in all.iter() {
        shapes::inner("hstack(list)", of, b, (of.0, b.0));
    }
    let mut r: OMatrix<T, R, Dyn> = fresh(of.0, all.iter().map(|shape| shape.1).sum());
    let mut at = 0;
    for x in x {
        let x: &OMatrix<T, R, C> = x.peek();
        r.as_mut_slice()[at..][..x.len()].copy_from_slice(x.as_slice());
        at += x.len();
    }
    r
}

/// Returns the matrices of a list one below the other; for row vectors, as rows.
///
/// ```
/// use entape_core::{expr::list, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::dvector;
///
/// let mut tape = Tape::new();
/// let parts: Vec<Vector> = tape.inputs([dvector![1.0], dvector![2.0, 3.0]]);
/// let y = tape.record(|| {
///     let v: Vector = vstack(list(&parts)).eval();
///     assert_eq!(v.get(), &dvector![1.0, 2.0, 3.0]);
///     v.norm_squared().eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&parts[1])?, dvector![4.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Panics
/// On evaluation, if the numbers of columns differ or the list is empty.
#[op(linear, marks, save(all: MatrixShapes = shapes_of("vstack(list)", x)))]
pub fn vstack<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let mut first = 0;
        let each = all.iter().map(|&(m, n)| {
            let i = first;
            first += m;
            OMatrix::from_fn_generic(R::from_usize(m), C::from_usize(n), |k, j| r_b[(i + k, j)])
        });
        each.collect::<Vec<OMatrix<T, R, C>>>()
    })]
    x: List<Dense<T, R, C>>,
) -> &Dense<T, Dyn, C>
where
    DefaultAllocator: Sizes<R, C> + Sizes<Dyn, C>,
{
    let all = shapes_of("vstack(list)", x);
    let of = all[0];
    for &b in all.iter() {
        shapes::inner("vstack(list)", of, b, (of.1, b.1));
    }
    let mut r: OMatrix<T, Dyn, C> = fresh(all.iter().map(|shape| shape.0).sum(), of.1);
    let mut first = 0;
    for x in x {
        let x: &OMatrix<T, R, C> = x.peek();
        let mut rows = r.rows_mut(first, x.nrows());
        rows.iter_mut().zip(x.iter()).for_each(|(r, x)| *r = *x);
        first += x.nrows();
    }
    r
}
