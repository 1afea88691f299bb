//! Parts of matrices by patterns: diagonal, triangles, transpose, selected elements, rows and columns.
use crate::{
    Dense, Number, Sizes,
    memory::{by_elements, recycle, zeros},
    shapes,
};
use entape_core::{
    kind::{Kind, index},
    op,
    store::{Part, Stash},
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};
use std::{marker::PhantomData, rc::Rc};

/// The distinct positions in a matrix of the elements of a part.
pub trait Pattern: Stash + Clone {
    /// Returns the shape of the part of a matrix with shape `of`.
    fn shape(&self, of: (usize, usize)) -> (usize, usize);
    /// Returns the position of element `(i, j)`; `None` if it is zero and not written.
    fn at(&self, i: usize, j: usize) -> Option<(usize, usize)>;
}
/// A part with `R` rows and `C` columns; see [`Blocks`](crate::Blocks).
#[derive(Debug, Stash)]
pub struct Selection<P, R, C> {
    pattern: P,
    of: (usize, usize),
    sizes: PhantomData<fn() -> (R, C)>,
}
impl<P: Clone, R, C> Clone for Selection<P, R, C> {
    fn clone(&self) -> Self {
        Selection {
            pattern: self.pattern.clone(),
            ..*self
        }
    }
}
impl<P: Pattern, R, C> Selection<P, R, C> {
    /// Creates a part of a matrix with shape `of`.
    pub fn new(pattern: P, of: (usize, usize)) -> Self {
        Selection {
            pattern,
            of,
            sizes: PhantomData,
        }
    }
    fn shape(&self) -> (usize, usize) {
        self.pattern.shape(self.of)
    }
    fn each<T: Copy>(&self, whole: &mut [T], part: &[T], f: impl Fn(&mut T, T)) {
        let rows = self.shape().0.max(1);
        for (j, column) in part.chunks_exact(rows).enumerate() {
            for (i, &x) in column.iter().enumerate() {
                if let Some((k, l)) = self.pattern.at(i, j) {
                    f(&mut whole[k + l * self.of.0], x);
                }
            }
        }
    }
}
impl<T: Number, R: Dim, C: Dim, P: Pattern, R2: Dim, C2: Dim> Part<Dense<T, R, C>>
    for Selection<P, R2, C2>
where
    DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
{
    type Kind = Dense<T, R2, C2>;
    fn get(&self, whole: &OMatrix<T, R, C>) -> OMatrix<T, R2, C2> {
        by_elements(self.shape(), |i, j| {
            self.pattern
                .at(i, j)
                .map_or_else(T::zero, |(k, l)| whole[(k, l)])
        })
    }
    fn put(&self, whole: &mut OMatrix<T, R, C>, part: OMatrix<T, R2, C2>) {
        shapes::same("place.assign(..)", self.shape(), part.shape());
        self.each(whole.as_mut_slice(), part.as_slice(), |to, x| *to = x);
        recycle(part);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> OMatrix<T, R, C> {
        zeros(self.of.0, self.of.1)
    }
    fn add(&self, whole: &mut OMatrix<T, R, C>, part: OMatrix<T, R2, C2>) {
        shapes::same("the adjoint of a place", self.shape(), part.shape());
        self.each(whole.as_mut_slice(), part.as_slice(), |to, x| *to += x);
        recycle(part);
    }
}

/// The diagonal, as a column.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Diagonal;
impl Pattern for Diagonal {
    fn shape(&self, (rows, cols): (usize, usize)) -> (usize, usize) {
        (rows.min(cols), 1)
    }
    fn at(&self, i: usize, _: usize) -> Option<(usize, usize)> {
        Some((i, i))
    }
}
/// All elements, with rows and columns exchanged.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Transposed;
impl Pattern for Transposed {
    fn shape(&self, (rows, cols): (usize, usize)) -> (usize, usize) {
        (cols, rows)
    }
    fn at(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        Some((j, i))
    }
}
/// The elements on one side of the diagonal, and the diagonal.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Triangle {
    /// Whether it is the upper triangle.
    pub upper: bool,
}
impl Pattern for Triangle {
    fn shape(&self, of: (usize, usize)) -> (usize, usize) {
        of
    }
    fn at(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        let inside = if self.upper { i <= j } else { i >= j };
        inside.then_some((i, j))
    }
}
/// Selected elements as a column, or selected rows or columns.
#[derive(Clone, Debug, Stash)]
pub struct Selected<const ROWS: bool, const COLUMNS: bool> {
    at: Rc<Vec<u32>>,
    rows: u32,
}
impl<const ROWS: bool, const COLUMNS: bool> Selected<ROWS, COLUMNS> {
    #[track_caller]
    pub(crate) fn new(operation: &str, (rows, cols): (usize, usize), at: &[usize]) -> Self {
        let end = match (ROWS, COLUMNS) {
            (true, true) => rows * cols,
            (true, false) => rows,
            (false, _) => cols,
        };
        let mut seen = vec![false; end];
        for &i in at {
            assert!(
                i < end,
                "`{operation}`: the index {i} is out of range for a matrix with shape {rows}x{cols}"
            );
            assert!(
                !std::mem::replace(&mut seen[i], true),
                "`{operation}`: the index {i} occurs twice, so the place would have two values: pass each index once"
            );
        }
        let word = |i| u32::try_from(i).expect("a matrix has fewer than 2^32 elements");
        Selected {
            at: Rc::new(at.iter().copied().map(word).collect()),
            rows: word(rows.max(1)),
        }
    }
}
impl<const ROWS: bool, const COLUMNS: bool> Pattern for Selected<ROWS, COLUMNS> {
    fn shape(&self, (rows, cols): (usize, usize)) -> (usize, usize) {
        match (ROWS, COLUMNS) {
            (true, true) => (self.at.len(), 1),
            (true, false) => (self.at.len(), cols),
            (false, _) => (rows, self.at.len()),
        }
    }
    fn at(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        let at = |i: usize| self.at[i] as usize;
        let rows = self.rows as usize;
        Some(match (ROWS, COLUMNS) {
            (true, true) => (at(i) % rows, at(i) / rows),
            (true, false) => (at(i), j),
            (false, _) => (i, at(j)),
        })
    }
}

/// The matrix with a number in all elements.
#[op(name = Filled, rule_only, linear)]
pub fn filled<K: Kind<Policy = index::Linear>, R: Dim, C: Dim>(
    #[ad_in(r_b.sum())] x: K,
    #[ad_passive] shape: (usize, usize),
) -> &Dense<K::Value, R, C>
where
    K::Value: Number<Kind = K>,
    DefaultAllocator: Sizes<R, C>,
{
    by_elements(shape, |_, _| x)
}
impl<R: Dim, C: Dim> Filled<R, C> {
    pub(crate) fn of_shape(shape: (usize, usize)) -> Self {
        Filled {
            shape,
            of: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Block;
    use entape_check::assert_part;
    use nalgebra::{Const, DMatrix, Dyn, SMatrix, U1};

    type Reals = Dense<f64, Dyn, Dyn>;
    fn select<const ROWS: bool, const COLUMNS: bool>(
        of: (usize, usize),
        at: &[usize],
    ) -> Selected<ROWS, COLUMNS> {
        Selected::new("select", of, at)
    }
    #[test]
    fn a_matrix_of_one_number_has_its_adjoint() {
        for shape in [(2, 3), (1, 1), (0, 2)] {
            entape_check::assert_rule(&Filled::<Dyn, Dyn>::of_shape(shape), (0.75,));
        }
        entape_check::assert_rule(&Filled::<Const<2>, U1>::of_shape((2, 1)), (0.75,));
    }
    #[test]
    fn patterns_are_parts() {
        for of in [(3, 3), (2, 4), (4, 2), (0, 2), (1, 1)] {
            let m = DMatrix::from_fn(of.0, of.1, |i, j| (1.3 * i as f64 + 0.7 * j as f64).sin());
            assert_part::<Reals, _>(Selection::<_, Dyn, U1>::new(Diagonal, of), m.clone());
            assert_part::<Reals, _>(Selection::<_, Dyn, Dyn>::new(Transposed, of), m.clone());
            for upper in [true, false] {
                let triangle = Selection::<_, Dyn, Dyn>::new(Triangle { upper }, of);
                assert_part::<Reals, _>(triangle, m.clone());
            }
            let mut every: Vec<_> = (0..of.0 * of.1).step_by(2).collect();
            every.reverse();
            let some = Selection::<_, Dyn, U1>::new(select::<true, true>(of, &every), of);
            assert_part::<Reals, _>(some, m.clone());
            let rows: Vec<_> = (0..of.0).rev().step_by(2).collect();
            let rows = Selection::<_, Dyn, Dyn>::new(select::<true, false>(of, &rows), of);
            assert_part::<Reals, _>(rows, m.clone());
            let columns = select::<false, true>(of, &[of.1 - 1]);
            let columns = Selection::<_, Dyn, Dyn>::new(columns, of);
            assert_part::<Reals, _>(columns, m);
        }
        let fixed = SMatrix::<f64, 2, 3>::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        let diagonal = Selection::<_, Const<2>, U1>::new(Diagonal, (2, 3));
        assert_part::<Dense<f64, Const<2>, Const<3>>, _>(diagonal, fixed);
    }
    #[test]
    fn blocks_are_disjoint_unless_an_element_is_in_both() {
        let m = DMatrix::<f64>::zeros(4, 4);
        let block = |start, shape| Block::<Dyn, Dyn>::new((4, 4), start, shape);
        let apart = |a: &Block<Dyn, Dyn>, b: &Block<Dyn, Dyn>| Part::<Reals>::is_disjoint(a, b, &m);
        let all = [(0, 0), (0, 2), (1, 1), (2, 0), (3, 3)].map(|start| block(start, (1, 1)));
        for (i, a) in all.iter().enumerate() {
            assert!(all.iter().enumerate().all(|(j, b)| apart(a, b) == (i != j)));
        }
        let (left, right, middle) = (
            block((0, 0), (4, 2)),
            block((0, 2), (4, 2)),
            block((1, 1), (1, 2)),
        );
        assert!(apart(&left, &right) && !apart(&left, &middle) && !apart(&middle, &right));
    }
}
