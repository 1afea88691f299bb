use super::ArrayNumber;
use super::{
    adjoint::ArrayAdjoint,
    kinds::{ArrayKind, word},
    number::unset,
    slices::{PartOf, PlaceOf, Slice, Slices},
};
use entape_core::{
    expr::{Active, Expr, PartRef},
    kind::Adjoint,
    mode::AnyMode,
    store::{Part, Stash},
};
use std::{borrow::Borrow, ops::RangeBounds};

/// Every `step`-th element of a range, backwards from the last one if negative. Reading copies, because loops read
/// neighbouring elements.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Strided {
    start: u32,
    step: i32,
    length: u32,
    of: u32,
}
impl Strided {
    #[track_caller]
    fn new(of: usize, range: impl RangeBounds<usize>, step: isize) -> Self {
        let range = Slice::new(of, range).range();
        assert!(
            step != 0,
            "`slice_step`: the step is 0, but must be positive or negative"
        );
        let first = match step > 0 {
            true => range.start,
            false => range.end.max(1) - 1,
        };
        // A longer step also gives one element.
        let longest = range.len().max(1);
        let distance = word(step.unsigned_abs().min(longest)) as i32;
        Strided {
            start: word(first),
            step: if step > 0 { distance } else { -distance },
            length: word(range.len().div_ceil(step.unsigned_abs())),
            of: word(of),
        }
    }
    #[track_caller]
    fn assert_fits(self, what: &str, length: usize) {
        assert!(
            length == self.length as usize,
            "an array of length {length} cannot be {what} to a strided slice of length {}",
            self.length
        );
    }
    #[inline(always)]
    fn index(self, i: usize) -> usize {
        (self.start as isize + i as isize * self.step as isize) as usize
    }
    fn indices(self) -> impl Iterator<Item = usize> {
        (0..self.length as usize).map(move |i| self.index(i))
    }
}
impl<T: ArrayNumber> Part<ArrayKind<T>> for Strided {
    type Kind = ArrayKind<T>;
    fn get(&self, whole: &Vec<T>) -> Vec<T> {
        self.indices().map(|i| whole[i]).collect()
    }
    #[track_caller]
    fn put(&self, whole: &mut Vec<T>, part: Vec<T>) {
        self.assert_fits("assigned", part.len());
        self.indices().zip(part).for_each(|(i, x)| whole[i] = x);
    }
    const KNOWS_SHAPE: bool = true;
    fn zero(&self) -> Vec<T> {
        vec![unset(); self.of as usize]
    }
    fn add(&self, whole: &mut Vec<T>, part: Vec<T>) {
        self.assert_fits("added", part.len());
        self.indices().zip(part).for_each(|(i, x)| whole[i] += x);
    }
    fn take(&self, whole: &mut ArrayAdjoint<T>) -> ArrayAdjoint<T> {
        match whole.is_unset() {
            true => ArrayAdjoint::unset(),
            false => self
                .indices()
                .map(|i| whole.take_at(i))
                .collect::<Vec<T>>()
                .into(),
        }
    }
}

/// Strided slices of variables. A negative step goes backwards from the last element. Methods panic as in [`Slices`],
/// and if the step is 0.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, Strides};
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
/// let y = tape.record(|| {
///     let mut w = (&v * 1.0).eval();
///     w.slice_step_mut(1.., 2).assign(10.0 * v.slice_step(1.., 2)); // 20 and 40
///     let back = v.slice_step(.., -2).eval();                         // 5, 3, 1
///     (w.sum() + &back[0_usize]).eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [1.0, 10.0, 1.0, 10.0, 2.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Strides<T: ArrayNumber, M: AnyMode>: Slices<T, M> {
    /// Returns every `step`-th element in `range`, borrowing the array.
    #[track_caller]
    fn slice_step(
        &self,
        range: impl RangeBounds<usize>,
        step: isize,
    ) -> Expr<ArrayKind<T>, M, PartRef<'_, ArrayKind<T>, Strided, M>>
    where
        Self: Borrow<Active<ArrayKind<T>, M>>,
    {
        let v = self.borrow();
        v.part_ref(Strided::new(v.get().len(), range, step))
    }
    /// Returns a copy of [`slice_step`](Self::slice_step).
    #[track_caller]
    fn slice_step_at(
        &self,
        range: impl RangeBounds<usize>,
        step: isize,
    ) -> PartOf<Self, T, M, Strided> {
        self.part_at(Strided::new(self.len(), range, step))
    }
    /// Returns every `step`-th element in `range` for writing. The right side is evaluated first.
    #[track_caller]
    fn slice_step_mut(
        &mut self,
        range: impl RangeBounds<usize>,
        step: isize,
    ) -> PlaceOf<'_, Self, T, M, Strided> {
        let part = Strided::new(self.len(), range, step);
        self.place(part)
    }
}
impl<T: ArrayNumber, M: AnyMode, X: Slices<T, M>> Strides<T, M> for X {}

#[cfg(test)]
mod tests {
    use super::{super::indices::Selected, ArrayKind, Slice, Strided};
    use entape_check::assert_part;

    fn numbers() -> Vec<f64> {
        (0..7).map(|i| (0.7 * f64::from(i) + 0.3).sin()).collect()
    }
    #[test]
    fn slices_and_strided_slices_are_places() {
        for (range, step) in [(0..7, 1), (1..6, 2), (1..7, -3), (2..2, 2), (3..4, -9)] {
            let slice = Slice::new(7, range.clone());
            assert_part::<ArrayKind<f64>, _>(slice, numbers());
            assert_part::<ArrayKind<f64>, _>(Strided::new(7, range, step), numbers());
            let at = [5, 0, 3].as_slice().into();
            assert_part::<ArrayKind<f64>, _>(Selected::new("select", 7, at), numbers());
        }
        let single = numbers().iter().map(|&x| x as f32).collect();
        assert_part::<ArrayKind<f32>, _>(Slice::new(7, 2..5), single);
    }
}
