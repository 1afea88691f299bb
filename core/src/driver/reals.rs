//! Functions of reals that take them in a list: numbers and arrays are lists of a known length.
use super::{ArrayShape, InputShape, ListShape, SingleShape, SliceShape};
use crate::{expr::Active, mode::Mode};

/// A shape of inputs that a list of reals fills: an [`Objective`](super::Objective) and checks of gradients pass such lists.
#[diagnostic::on_unimplemented(
    message = "a function of `{Self}` can't take a list of reals",
    label = "its inputs have to be a list, an array, or one number, of kind f64",
    note = "take `&[Real<M>]`, and make of it what the function needs: numbers by `x[i]`, a vector or a matrix by `gather(list(x), rows, columns)`"
)]
pub trait RealsShape: InputShape {
    /// The variables of a list, as a function of this shape gets them.
    ///
    /// # Panics
    /// If the list has another length.
    #[track_caller]
    fn view_list<M: Mode>(list: &[Active<f64, M>]) -> Self::View<'_, M>;
}
#[track_caller]
fn array<M: Mode, const N: usize>(list: &[Active<f64, M>]) -> &[Active<f64, M>; N] {
    let wrong = |_| panic!("{} inputs for a function of {N}", list.len());
    list.try_into().unwrap_or_else(wrong)
}
impl RealsShape for ListShape<f64> {
    fn view_list<M: Mode>(list: &[Active<f64, M>]) -> &[Active<f64, M>] {
        list
    }
}
impl RealsShape for SingleShape<f64> {
    fn view_list<M: Mode>(list: &[Active<f64, M>]) -> Active<f64, M> {
        let [x] = *array(list);
        x
    }
}
impl<const N: usize> RealsShape for ArrayShape<f64, N> {
    fn view_list<M: Mode>(list: &[Active<f64, M>]) -> [Active<f64, M>; N] {
        *array(list)
    }
}
impl<const N: usize> RealsShape for SliceShape<f64, N> {
    fn view_list<M: Mode>(list: &[Active<f64, M>]) -> &[Active<f64, M>] {
        array::<M, N>(list)
    }
}
