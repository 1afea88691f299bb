use super::{
    ArrayNumber,
    adjoint::{Added, Elements},
    kinds::{ArrayKind, add_all},
};
use entape_core::operations;
use entape_linalg::{Dense, Number, Within};
use nalgebra::{DVector, Dyn, U1};

type VectorKind<T> = Dense<T, Dyn, U1>;

#[operations(ext = ArrayToVector)]
impl<T: ArrayNumber + Number> ArrayKind<T> {
    /// Returns a vector of `entape-linalg`.
    ///
    /// ```
    /// use entape_core::{real::Elementary, tape::Tape};
    /// use entape_simd::{Array, arrays::{ArrayOps, ArrayToVector, VectorToArray}};
    ///
    /// let mut tape = Tape::new();
    /// let x = tape.input(vec![1.0, 2.0]);
    /// let m = tape.input(nalgebra::dmatrix![1.0, 2.0; 0.0, 1.0]);
    /// let y = tape.record(|| {
    ///     let v = (&m * x.to_vector()).eval();       // a product of matrices: 5, 2
    ///     let w: Array = v.to_array().powi(2).eval(); // element by element: 25, 4
    ///     w.sum().eval()
    /// });
    /// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (29.0, vec![10.0, 24.0]));
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    #[op(linear)]
    fn to_vector(
        #[ad_in(Added::new(r_b.len(), |mut into: Elements<'_, T>| into.add_each(r_b.iter().copied())))]
        v: Self,
    ) -> VectorKind<T> {
        DVector::from_column_slice(v)
    }
}

#[operations(ext = VectorToArray)]
impl<T: ArrayNumber + Number> VectorKind<T> {
    /// Returns an array, the inverse of [`to_vector`](ArrayToVector::to_vector).
    #[op(linear)]
    fn to_array(
        #[ad_in(Within::new((r_b.len(), 1), |into: &mut DVector<T>| add_all(into.as_mut_slice(), r_b)))]
        v: Self,
    ) -> ArrayKind<T> {
        v.as_slice().to_vec()
    }
}
