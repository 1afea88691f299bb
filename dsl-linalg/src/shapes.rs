//! Checks of shapes, whose panics name the operation, both shapes and the remedy.

use nalgebra::Dim;

fn name((rows, cols): (usize, usize)) -> String {
    format!("{rows}x{cols}")
}
#[track_caller]
#[inline(always)]
pub(crate) fn same(operation: &str, a: (usize, usize), b: (usize, usize)) -> (usize, usize) {
    if a != b {
        different(operation, a, b);
    }
    a
}
#[cold]
#[inline(never)]
#[track_caller]
fn different(operation: &str, a: (usize, usize), b: (usize, usize)) -> ! {
    panic!(
        "`{operation}` of matrices with shapes {} and {}: use matrices of the same shape",
        name(a),
        name(b),
    )
}
#[track_caller]
#[inline(always)]
pub(crate) fn inner(operation: &str, a: (usize, usize), b: (usize, usize), inner: (usize, usize)) {
    if inner.0 != inner.1 {
        unfit(operation, a, b, inner);
    }
}
#[cold]
#[inline(never)]
#[track_caller]
fn unfit(operation: &str, a: (usize, usize), b: (usize, usize), inner: (usize, usize)) -> ! {
    panic!(
        "`{operation}` of matrices with shapes {} and {}: the sizes {} and {} must be equal",
        name(a),
        name(b),
        inner.0,
        inner.1,
    )
}
#[track_caller]
#[inline(always)]
pub(crate) fn product(
    operation: &str,
    (a, b): ((usize, usize), (usize, usize)),
    inner_sizes: (usize, usize),
    of: (usize, usize),
) -> (usize, usize) {
    inner(operation, a, b, inner_sizes);
    of
}
#[track_caller]
pub(crate) fn gathered<R: Dim, C: Dim>(numbers: usize, shape: (usize, usize)) -> (usize, usize) {
    assert!(
        shape.0.checked_mul(shape.1) == Some(numbers),
        "`gather(..)` of {numbers} numbers into a matrix of shape {}: pass one number for each element",
        name(shape),
    );
    let fits = |fixed: Option<usize>, size: usize| fixed.is_none_or(|fixed| fixed == size);
    assert!(
        fits(R::try_to_usize(), shape.0) && fits(C::try_to_usize(), shape.1),
        "`gather(..)` of a matrix of shape {} into a type with {}: choose the fixed sizes of the matrix",
        name(shape),
        fixed::<R, C>(),
    );
    shape
}
fn fixed<R: Dim, C: Dim>() -> String {
    let size = |fixed: Option<usize>, what: &str| fixed.map(|fixed| format!("{fixed} {what}"));
    let both = [
        size(R::try_to_usize(), "rows"),
        size(C::try_to_usize(), "columns"),
    ];
    both.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}
#[track_caller]
pub(crate) fn square(operation: &str, a: (usize, usize)) {
    assert!(
        a.0 == a.1,
        "`{operation}` of a matrix with shape {}: use a square matrix",
        name(a),
    );
}
#[track_caller]
pub(crate) fn within(
    operation: &str,
    of: (usize, usize),
    start: (usize, usize),
    shape: (usize, usize),
) -> (usize, usize) {
    let fits =
        |start: usize, size: usize, of: usize| start.checked_add(size).is_some_and(|end| end <= of);
    assert!(
        fits(start.0, shape.0, of.0) && fits(start.1, shape.1, of.1),
        "`{operation}`: the block with shape {} at row {} and column {} is out of range for a matrix with shape {}",
        name(shape),
        start.0,
        start.1,
        name(of),
    );
    shape
}
