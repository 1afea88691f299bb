use super::ArrayNumber;
use super::{
    adjoint::{Added, ArrayAdjoint, Elements},
    kinds::{ArrayKind, word},
    number::unset,
};
use crate::{
    LaneNumber, SimdVector,
    lanes::{IndexLanes, Lanes, position},
};
use entape_core::{
    expr::{Operand, Unary, unary},
    kind::{Adjoint, Passed},
    mode::AnyMode,
    op,
    store::{Part, Stash},
};
use std::{marker::PhantomData, rc::Rc};

/// Indices of elements. Several statements can share the memory of one list by reference.
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
/// The elements at the positions, in lanes.
#[op(name = TakeLanes, linear, marks, save(length: u32 = word(v.len())))]
pub fn taken_lanes<V: SimdVector>(
    #[ad_in(Added::new(length as usize, |mut into: Elements<'_, V::Number>| {
        let each = at.as_ref().iter().zip(r_b.as_slice());
        each.for_each(|(&i, &r_b)| into.pass(i as usize, r_b));
    }))]
    v: ArrayKind<V::Number>,
    #[ad_passive] at: V::Positions,
) -> Lanes<V> {
    let at = at.as_ref();
    V::from_fn(|i| v[position(at[i].into(), i, v.len(), "elements")])
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
    /// Puts the elements at the indices into lanes: `v.gather_at::<f64x4>(i)` with lanes `i` of integers. An index may occur several
    /// times.
    ///
    /// ```
    /// use entape_core::tape::Tape;
    /// use entape_simd::{LanesOps, arrays::Indexed, wide::{f64x4, i64x4}};
    ///
    /// let mut tape = Tape::new();
    /// let table = tape.input(vec![1.0, 2.0, 4.0]);
    /// let y = tape.record(|| table.gather_at::<f64x4>(i64x4::new([2, 0, 2, 1])).reduce_mul().eval());
    /// assert_eq!(tape.gradient(&y)?.wrt(&table)?, [32.0, 16.0, 8.0 + 8.0]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// If an index is negative or above 2^32. On evaluation, if an index is not within the array.
    #[track_caller]
    fn gather_at<V: SimdVector<Number = T>>(
        self,
        indices: impl IndexLanes<V::Positions>,
    ) -> Unary<TakeLanes<V>, M, Self>
    where
        T: LaneNumber,
    {
        let mut at = V::Positions::default();
        for (i, at) in at.as_mut().iter_mut().enumerate() {
            let index = indices.index(i);
            *at = u32::try_from(index).unwrap_or_else(|_| {
                panic!("the index {index} of lane {i} is out of range for an array")
            });
        }
        let of = PhantomData;
        unary(TakeLanes { at, of }, self)
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

#[cfg(test)]
mod tests {
    use super::TakeLanes;
    use entape_check::assert_rule;
    use std::marker::PhantomData;
    use wide::{f32x8, f64x2, f64x4};

    #[test]
    fn lanes_taken_from_arrays_have_derivatives() {
        let of = PhantomData;
        let at = [3, 0, 3, 2];
        assert_rule(
            &TakeLanes::<f64x4> { at, of },
            (vec![0.5, 1.5, -0.75, 2.5],),
        );
        assert_rule(
            &TakeLanes::<f64x2> {
                at: [0; 2],
                of: PhantomData,
            },
            (vec![0.5],),
        );
        let at = [0, 1, 2, 2, 1, 0, 4, 4];
        assert_rule(
            &TakeLanes::<f32x8> {
                at,
                of: PhantomData,
            },
            (vec![0.5_f32, 1.5, -0.75, 2.5, 1.25],),
        );
    }
}
