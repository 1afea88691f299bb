use crate::ComplexKind;
use entape_core::{
    expr::Active,
    real::Real,
    structure::Outputs,
    tape::{Error, Tape},
};
use num_complex::Complex;

/// The Wirtinger derivatives of a function of `z = x + iy`: a small change `h` of `z` changes it by `dz * h + dconj *
/// conj(h)`.
///
/// A function is holomorphic where `dconj` is zero, and real where `dconj` is the conjugate of `dz`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wirtinger<T> {
    /// `df/dz = (df/dx - i df/dy) / 2`
    pub dz: Complex<T>,
    /// `df/dz* = (df/dx + i df/dy) / 2`
    pub dconj: Complex<T>,
}
impl<T: Real> Wirtinger<T> {
    /// Returns the derivatives of a real function from its gradient.
    ///
    /// ```
    /// use entape_complex::{Complex, ComplexOps, Wirtinger, num_complex::c64};
    /// use entape_drivers::gradient;
    ///
    /// // |z|² = z z*
    /// let gradient = gradient(|z: Complex| z.norm_sqr(), c64(3.0, 4.0))?;
    /// let pair = Wirtinger::of_gradient(gradient);
    /// assert_eq!((pair.dz, pair.dconj), (c64(3.0, -4.0), c64(3.0, 4.0)));
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    pub fn of_gradient(gradient: Complex<T>) -> Self {
        let dconj = gradient / (T::one() + T::one());
        Wirtinger {
            dz: dconj.conj(),
            dconj,
        }
    }
    /// Returns the derivatives of a complex function from the adjoints for the seeds `1` and `i`.
    ///
    /// ```
    /// use entape_complex::{Wirtinger, num_complex::c64};
    ///
    /// // z² at z = 2: the real part x² - y² has the gradient 4, the imaginary part 2 x y has the gradient 4 i.
    /// let pair = Wirtinger::of_adjoints(c64(4.0, 0.0), c64(0.0, 4.0));
    /// assert_eq!((pair.dz, pair.dconj), (c64(4.0, 0.0), c64(0.0, 0.0)));
    /// ```
    pub fn of_adjoints(of_one: Complex<T>, of_i: Complex<T>) -> Self {
        let (one, i) = (Wirtinger::of_gradient(of_one), Wirtinger::of_gradient(of_i));
        let times_i = |z: Complex<T>| Complex::new(-z.im, z.re);
        Wirtinger {
            dz: one.dz + times_i(i.dz),
            dconj: one.dconj + times_i(i.dconj),
        }
    }
}

/// Returns the value and the Wirtinger derivatives at `z` of a complex function.
///
/// ```
/// use entape_complex::{Complex, ComplexOps, num_complex::c64, wirtinger};
///
/// // z² z*: df/dz = 2 z z*, df/dz* = z²
/// let (value, slopes) = wirtinger(|z: Complex| z * z * z.conj(), c64(1.0, 2.0))?;
/// assert_eq!(value, c64(5.0, 10.0));
/// assert_eq!((slopes.dz, slopes.dconj), (c64(10.0, 0.0), c64(-3.0, 4.0)));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # Errors
/// Like a driver of gradients: if the output is of another recording, or the tape is full.
pub fn wirtinger<T, O, F>(f: F, z: Complex<T>) -> Result<(Complex<T>, Wirtinger<T>), Error>
where
    T: Real,
    O: Outputs<Variables = Active<ComplexKind<T>>, Values = Complex<T>>,
    F: FnOnce(Active<ComplexKind<T>>) -> O,
{
    let mut tape: Tape = Tape::new();
    let z = tape.input_as::<ComplexKind<T>>(z);
    let r = tape.record(|| f(z).evaluate())?;
    let mut adjoint = |seed: Complex<T>| -> Result<Complex<T>, Error> {
        if !r.is_active() {
            return Ok(T::zero().into());
        }
        tape.seed(&r, seed)?;
        tape.sweep()?.wrt(&z)
    };
    let (of_one, of_i) = (adjoint(T::one().into())?, adjoint(Complex::i())?);
    Ok((r.value(), Wirtinger::of_adjoints(of_one, of_i)))
}
