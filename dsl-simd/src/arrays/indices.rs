use super::ArrayNumber;
use super::{
    adjoint::{Added, ArrayAdjoint, Elements},
    kinds::{ArrayKind, word},
    number::unset,
};
use entape_core::{
    expr::{Operand, Unary, unary},
    kind::{Adjoint, Passed},
    mode::AnyMode,
    op,
    store::{Part, Stash},
};
use std::rc::Rc;

/// Indices of elements, which statements can share.
#[derive(Clone, Debug, Stash)]
pub struct Indices(Rc<Vec<u32>>);
impl Indices {
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|&i| i as usize)
    }
    #[track_caller]
    fn assert_within(&self, operation: &str, length: usize) {
        if let Some(i) = self.iter().find(|&i| i >= length) {
            panic!("`{operation}`: the index {i} is out of range for an array of length {length}")
        }
    }
}
impl FromIterator<usize> for Indices {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        Indices(Rc::new(indices.into_iter().map(word).collect()))
    }
}
impl From<&Indices> for Indices {
    fn from(indices: &Indices) -> Self {
        indices.clone()
    }
}
impl From<&[usize]> for Indices {
    fn from(indices: &[usize]) -> Self {
        indices.iter().copied().collect()
    }
}
impl From<&Vec<usize>> for Indices {
    fn from(indices: &Vec<usize>) -> Self {
        indices.as_slice().into()
    }
}
impl<const N: usize> From<&[usize; N]> for Indices {
    fn from(indices: &[usize; N]) -> Self {
        indices.as_slice().into()
    }
}

/// Elements at indices, or where a mask is true, as a part.
#[derive(Clone, Debug, Stash)]
pub struct Selected {
    at: Indices,
    of: u32,
}
impl Selected {
    #[track_caller]
    pub(super) fn new(operation: &str, of: usize, at: Indices) -> Self {
        at.assert_within(operation, of);
        let mut seen = vec![false; of];
        for i in at.iter() {
            assert!(
                !std::mem::replace(&mut seen[i], true),
                "`{operation}`: the index {i} occurs twice, so the place would have two values: pass each index once"
            );
        }
        Selected { at, of: word(of) }
    }
    #[track_caller]
    fn assert_fits(&self, what: &str, length: usize) {
        let count = self.at.0.len();
        assert!(
            length == count,
            "an array of length {length} cannot be {what} to {count} selected elements"
        );
    }
}
impl<T: ArrayNumber> Part<ArrayKind<T>> for Selected {
    type Kind = ArrayKind<T>;
    fn get(&self, whole: &Vec<T>) -> Vec<T> {
        self.at.iter().map(|i| whole[i]).collect()
    }
    #[track_caller]
    fn put(&self, whole: &mut Vec<T>, part: Vec<T>) {
        self.assert_fits("assigned", part.len());
        self.at.iter().zip(part).for_each(|(i, x)| whole[i] = x);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<T> {
        vec![unset(); self.of as usize]
    }
    fn add(&self, whole: &mut Vec<T>, part: Vec<T>) {
        self.assert_fits("added", part.len());
        self.at.iter().zip(part).for_each(|(i, x)| whole[i] += x);
    }
    fn take(&self, whole: &mut ArrayAdjoint<T>) -> ArrayAdjoint<T> {
        if whole.is_unset() {
            return ArrayAdjoint::unset();
        }
        let each = self.at.iter().map(|i| whole.take_at(i));
        each.collect::<Vec<T>>().into()
    }
}

/// The elements at the indices.
#[op(name = Take, linear, marks, save(length: u32 = word(v.len())))]
pub fn taken<T: ArrayNumber>(
    #[ad_in(Added::new(length as usize, |mut into: Elements<'_, T>| {
        at.iter().zip(r_b).for_each(|(i, &r_b)| into.pass(i, r_b));
    }))]
    v: ArrayKind<T>,
    #[ad_passive] at: Indices,
) -> ArrayKind<T> {
    at.assert_within("take", v.len());
    at.iter().map(|i| v[i]).collect()
}
/// Adds each element at its index to zeros.
#[op(name = AddUp, linear)]
pub fn added_up<T: ArrayNumber>(
    #[ad_in(Passed(at.iter().map(|i| r_b[i]).collect::<Vec<T>>()))] v: ArrayKind<T>,
    #[ad_passive] at: Indices,
    #[ad_passive] length: usize,
) -> ArrayKind<T> {
    let (elements, indices) = (v.len(), at.0.len());
    assert!(
        elements == indices,
        "`add_up` of an array of length {elements} with {indices} indices: pass one index for each element"
    );
    at.assert_within("add_up", length);
    let mut r = vec![T::default(); length];
    at.iter().zip(v).for_each(|(i, &x)| r[i] += x);
    r
}

/// Elements selected by lists of indices.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, Indexed, Indices};
///
/// // The edges of a graph, and the flow along them: the difference of the potentials at their ends.
/// let (from, to) = (Indices::from(&[0, 0, 1]), Indices::from(&[1, 2, 2]));
/// let mut tape = Tape::new();
/// let potential = tape.input(vec![1.0, 2.0, 4.0]);
/// let y = tape.record(|| {
///     let flow = (potential.take(&to) - potential.take(&from)).eval(); // 1, 3, 2
///     let inflow = (flow.add_up(&to, 3) - flow.add_up(&from, 3)).eval();
///     assert_eq!(inflow.get(), &[-4.0, -1.0, 5.0]);
///     inflow.norm_squared().eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&potential)?, [-24.0, -6.0, 30.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Indexed<T: ArrayNumber, M: AnyMode>: Operand<M, Kind = ArrayKind<T>> + Sized {
    /// Returns the elements at the indices: `r[k] = v[at[k]]`. An index may occur several times.
    ///
    /// # Panics
    /// On evaluation, if an index is not within the array.
    fn take(self, at: impl Into<Indices>) -> Unary<Take, M, Self> {
        unary(Take { at: at.into() }, self)
    }
    /// Adds each element at its index to zeros: `r[at[k]] += v[k]`, the adjoint of [`take`](Self::take).
    ///
    /// # Panics
    /// On evaluation, if the number of indices differs from the number of elements, or an index is not less than
    /// `length`.
    fn add_up(self, at: impl Into<Indices>, length: usize) -> Unary<AddUp, M, Self> {
        unary(
            AddUp {
                at: at.into(),
                length,
            },
            self,
        )
    }
}
impl<T: ArrayNumber, M: AnyMode, X: Operand<M, Kind = ArrayKind<T>>> Indexed<T, M> for X {}
