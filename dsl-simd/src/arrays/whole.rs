use super::ArrayNumber;
use super::kinds::ArrayKind;
use entape_core::structure::{Inputs, SingleRefShape};

/// Passes numbers to a driver as one array, not as a list of reals. The function gets `&Array`.
///
/// ```
/// use entape_core::{expr::Active, real::Elementary};
/// use entape_simd::{Array, arrays::{ArrayOps, WholeArray}};
///
/// let g = entape_drivers::gradient(|v: &Array| v.norm_squared().eval(), WholeArray(vec![1.0, 2.0]))?;
/// assert_eq!(g, [2.0, 4.0]);
///
/// // together with a real; and a Jacobian, with a row for each element of the result
/// let f = |(v, a): (&Array, Active<f64>)| (v.powi(2) * a).eval();
/// let j = entape_drivers::jacobian(f, (WholeArray(vec![1.0, 2.0]), 3.0))?;
/// assert_eq!((j.row(0), j.row(1)), (&[6.0, 0.0, 1.0][..], &[0.0, 12.0, 4.0][..]));
///
/// // several arrays are a list
/// let g = entape_drivers::gradient(|v: &[Array]| v[0].dot(&v[1]).eval(), &[WholeArray(vec![1.0, 2.0]), WholeArray(vec![3.0, 4.0])])?;
/// assert_eq!(g, [[3.0, 4.0], [1.0, 2.0]]);
/// # Ok::<(), entape_drivers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WholeArray<T>(pub Vec<T>);
impl<T: ArrayNumber> Inputs<ArrayKind<T>> for WholeArray<T> {
    type Shape = SingleRefShape<ArrayKind<T>>;
    fn into_values(self) -> Vec<T> {
        self.0
    }
}
