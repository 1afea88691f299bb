use super::{ArrayKind, ArrayNumber, pool};
use entape_core::{
    expr::{Build, ElementNodes, Expr, FromElements, build},
    kind::{Kind, index::Linear},
};

impl<T: ArrayNumber> FromElements for ArrayKind<T> {
    type Element = T::Kind;
    #[inline(always)]
    fn with_shape(rows: usize, _: usize) -> Vec<T> {
        pool::take(rows)
    }
    #[inline(always)]
    fn elements(value: &Vec<T>) -> &[T] {
        value
    }
    #[inline(always)]
    fn elements_mut(value: &mut Vec<T>) -> &mut [T] {
        value
    }
}

type ArrayOf<E> = ArrayKind<<E as Kind>::Value>;
/// Builds an array, for the macro.
#[doc(hidden)]
#[inline(always)]
pub fn array<E: Kind<Policy = Linear>, M, L: ElementNodes<Element = E>>(
    elements: Expr<E, M, L>,
) -> Expr<ArrayOf<E>, M, Build<ArrayOf<E>, L, 1>>
where
    E::Value: ArrayNumber<Kind = E>,
{
    build(elements)
}

/// Builds an array from expressions, variables, places and plain numbers, as part of the surrounding statement. For
/// many variables, use [`x.gather_array()`](crate::arrays::Gathers).
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{Array, array, arrays::ArrayOps};
///
/// let mut tape = Tape::new();
/// let [a, b] = tape.inputs([2.0, 3.0]).try_into().expect("two inputs");
/// let y = tape.record(|| {
///     let v: Array = (array![a, a * b, 1.0] * 2.0).eval(); // one statement
///     v.norm_squared().eval() // 4 (a² + a² b² + 1)
/// });
/// assert_eq!(y.value(), 164.0);
/// assert_eq!(tape.gradient(&y)?.wrt_all(&[a, b])?, [160.0, 96.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[macro_export]
macro_rules! array {
    ($($x:expr),* $(,)?) => {
        $crate::__array($crate::__core::elements!($($x),*))
    };
}
