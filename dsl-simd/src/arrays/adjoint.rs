//! What is added to the adjoint of an array in place, without an array in between.
use super::{kinds::ArrayKind, piece::Element};
use entape_core::kind::{Adjoint, Contribution};

/// What a closure adds to the elements, of which there are `length`.
pub struct Added<F> {
    length: usize,
    add: F,
}
impl<F> Added<F> {
    /// Adds by `add`, to an array with this length.
    pub fn new<T>(length: usize, add: F) -> Self
    where
        F: FnOnce(&mut [T]),
    {
        Added { length, add }
    }
}
impl<T: Element, F: FnOnce(&mut [T])> Contribution<ArrayKind<T>> for Added<F> {
    fn add_to(self, adjoint: &mut Option<Vec<T>>) {
        let whole: &mut Vec<T> =
            Adjoint::<ArrayKind<T>>::value_mut(adjoint, || vec![T::default(); self.length]);
        assert_eq!(
            whole.len(),
            self.length,
            "an adjoint of another length than the array"
        );
        (self.add)(whole);
    }
    fn materialise(self) -> Vec<T> {
        let mut whole = vec![T::default(); self.length];
        (self.add)(&mut whole);
        whole
    }
}

/// `factor * x`.
pub(super) fn scaled<T: Element>(factor: T, x: &[T]) -> Added<impl FnOnce(&mut [T])> {
    Added::new(x.len(), move |into: &mut [T]| {
        into.iter_mut()
            .zip(x)
            .for_each(|(into, &x)| *into += factor * x);
    })
}
/// `x` in each element.
pub(super) fn filled<T: Element>(length: usize, x: T) -> Added<impl FnOnce(&mut [T])> {
    Added::new(length, move |into: &mut [T]| {
        into.iter_mut().for_each(|into| *into += x);
    })
}
