use super::ArrayNumber;
use super::{
    kinds::{ArrayKind, add_all},
    number::{computed, unset},
    pool,
};
use entape_core::kind::{Adjoint, Contribution};
use std::{
    mem::{replace, take},
    ops::Range,
};

/// The adjoint of an array, in memory of a pool. Only ranges to which something is added are zeroed, so a sweep over
/// rows of a grid finds each in the first-level cache.
#[derive(Debug)]
pub struct ArrayAdjoint<T: ArrayNumber> {
    /// As many numbers as the array has, or empty.
    numbers: Vec<T>,
    /// Elements outside this range are unset.
    live: Range<usize>,
    /// Whether something was added; also true for an array without elements.
    set: bool,
}
impl<T: ArrayNumber> Default for ArrayAdjoint<T> {
    fn default() -> Self {
        ArrayAdjoint {
            numbers: Vec::new(),
            live: 0..0,
            set: false,
        }
    }
}
impl<T: ArrayNumber> Drop for ArrayAdjoint<T> {
    fn drop(&mut self) {
        if self.set {
            pool::give(take(&mut self.numbers));
        }
    }
}
impl<T: ArrayNumber> Clone for ArrayAdjoint<T> {
    fn clone(&self) -> Self {
        let mut numbers = Vec::new();
        if self.set {
            numbers = pool::take(self.numbers.len());
            numbers[self.live.clone()].copy_from_slice(&self.numbers[self.live.clone()]);
        }
        ArrayAdjoint {
            numbers,
            live: self.live.clone(),
            set: self.set,
        }
    }
}
impl<T: ArrayNumber> From<Vec<T>> for ArrayAdjoint<T> {
    fn from(numbers: Vec<T>) -> Self {
        ArrayAdjoint {
            live: 0..numbers.len(),
            numbers,
            set: true,
        }
    }
}
impl<T: ArrayNumber> ArrayAdjoint<T> {
    #[inline]
    pub(super) fn open(&mut self, length: usize) {
        if !self.set {
            (self.numbers, self.set) = (pool::take(length), true);
        }
        assert_eq!(
            self.numbers.len(),
            length,
            "an adjoint must have the length of its array: correct the adjoint formula"
        );
    }
    /// Returns the numbers in a range; others than contributions are unset.
    #[inline(always)]
    pub(super) fn range(&mut self, range: Range<usize>) -> &mut [T] {
        if range.start < self.live.start || self.live.end < range.end {
            self.extend(&range);
        }
        &mut self.numbers[range]
    }
    #[cold]
    #[inline(never)]
    fn extend(&mut self, range: &Range<usize>) {
        if self.live.is_empty() {
            self.live = range.start..range.start;
        }
        let Range { start, end } = self.live.clone();
        self.live = start.min(range.start)..end.max(range.end);
        self.numbers[self.live.start..start].fill(unset());
        self.numbers[end..self.live.end].fill(unset());
    }
    /// Takes the numbers of a range and leaves them unset.
    pub(super) fn take_range(&mut self, range: Range<usize>) -> Self {
        let known = range.start.max(self.live.start)..range.end.min(self.live.end);
        if !self.set || known.is_empty() {
            return ArrayAdjoint::default();
        }
        let numbers = self.range(range);
        let mut taken = pool::take(numbers.len());
        taken.copy_from_slice(numbers);
        numbers.fill(unset());
        taken.into()
    }
    pub(super) fn take_at(&mut self, at: usize) -> T {
        match self.set && self.live.contains(&at) {
            true => replace(&mut self.numbers[at], unset()),
            false => unset(),
        }
    }
    fn all(&mut self) -> &mut Vec<T> {
        self.range(0..self.numbers.len());
        &mut self.numbers
    }
}
impl<T: ArrayNumber> Adjoint<ArrayKind<T>> for ArrayAdjoint<T> {
    fn unset() -> Self {
        ArrayAdjoint::default()
    }
    #[inline]
    fn is_unset(&self) -> bool {
        !self.set
    }
    fn into_value(mut self) -> Option<Vec<T>> {
        self.all();
        take(&mut self.set).then(|| take(&mut self.numbers))
    }
    fn into_gradient(self) -> Option<Vec<T>> {
        let mut gradient = self.into_value()?;
        gradient.iter_mut().for_each(|x| *x += T::default());
        Some(gradient)
    }
    fn add(&mut self, value: Vec<T>) {
        if self.set {
            add_all(self.all(), &value);
            pool::give(value);
        } else {
            *self = value.into();
        }
    }
    fn value_mut(&mut self, zero: impl FnOnce() -> Vec<T>) -> &mut Vec<T> {
        if !self.set {
            *self = zero().into();
        }
        self.all()
    }
}
impl<T: ArrayNumber> Contribution<ArrayKind<T>> for &Vec<T> {
    fn add_to(self, adjoint: &mut ArrayAdjoint<T>) {
        adjoint.open(self.len());
        Elements(adjoint.all()).add_each(self.iter().copied());
    }
    fn materialise(self) -> Vec<T> {
        self.iter().map(|&x| computed(x)).collect()
    }
    #[inline(always)]
    fn fits(&self, like: &Vec<T>) -> bool {
        self.len() == like.len()
    }
    fn given_shape(&self) -> String {
        self.len().to_string()
    }
}

/// The elements of an adjoint, to which a formula adds. Without a contribution they stay [unset](Adjoint); a computed
/// `-0.0` is a zero.
pub struct Elements<'a, T>(&'a mut [T]);
entape_core::debug_by_name! { ['a, T] Elements<'a, T> }
impl<T: ArrayNumber> Elements<'_, T> {
    /// Adds a computed term to element `i`.
    ///
    /// # Panics
    /// If the element does not exist.
    #[inline(always)]
    pub fn add(&mut self, i: usize, term: T) {
        self.0[i] += computed(term);
    }
    /// Adds a computed term to each element.
    #[inline(always)]
    pub fn add_each(&mut self, terms: impl IntoIterator<Item = T>) {
        let each = self.0.iter_mut().zip(terms);
        each.for_each(|(into, term)| *into += computed(term));
    }
    /// Adds an element of `r_b` to element `i`, unless it is unset.
    ///
    /// # Panics
    /// If the element does not exist.
    #[inline(always)]
    pub fn pass(&mut self, i: usize, r_b: T) {
        self.0[i] += r_b;
    }
    /// Adds elements of `r_b` to a range, except for unset elements.
    ///
    /// # Panics
    /// If the lengths differ, or the range is not within the array.
    #[inline(always)]
    pub fn pass_all(&mut self, range: Range<usize>, r_b: &[T]) {
        add_all(&mut self.0[range], r_b);
    }
}

/// A contribution that a closure adds to the elements.
pub struct Added<F> {
    length: usize,
    add: F,
}
entape_core::debug_by_name! { [F] Added<F> }
impl<F> Added<F> {
    /// Creates a contribution to an array of this length.
    pub fn new<T>(length: usize, add: F) -> Self
    where
        F: FnOnce(Elements<'_, T>),
    {
        Added { length, add }
    }
}
impl<T: ArrayNumber, F: FnOnce(Elements<'_, T>)> Contribution<ArrayKind<T>> for Added<F> {
    fn add_to(self, adjoint: &mut ArrayAdjoint<T>) {
        adjoint.open(self.length);
        (self.add)(Elements(adjoint.all()));
    }
    fn materialise(self) -> Vec<T> {
        let mut whole = vec![unset(); self.length];
        (self.add)(Elements(&mut whole));
        whole
    }
    #[inline(always)]
    fn fits(&self, like: &Vec<T>) -> bool {
        self.length == like.len()
    }
    fn given_shape(&self) -> String {
        self.length.to_string()
    }
}
