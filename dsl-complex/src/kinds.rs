use entape_core::{
    coordinates::Coordinates,
    expr::{Active, Beside, Const, Constant, Place, ValueOf},
    kind::{Adjoint, Kind},
    mode::{AnyMode, PlaceMut},
    real::{NumberKind, Real},
    store::{Field, Nested, Part, PlaceIndex},
    structure::{Inputs, SingleShape},
};
use num_complex::Complex;
use std::marker::PhantomData;

/// The kind of complex numbers with parts of kind `T`: [`C64`] and [`C32`].
///
/// `z[C64::RE]` and `z[C64::IM]` are places, `z.part(C64::RE)` is an operand.
#[entape_core::kind(
    value = Complex<T>,
    adjoint = Complex<T>,
    plain,
    runs,
    parts(re: T, im: T),
    constant = false,
    unset = |z| z.is_unset(),
    mark = |z, computed| {
        T::mark_zeros(&mut z.re, computed);
        T::mark_zeros(&mut z.im, computed);
    },
    finite = |z| T::is_finite(&z.re) && T::is_finite(&z.im),
    name = if T::DOUBLE { "C64" } else { "C32" },
)]
pub struct ComplexKind<T: Real>(PhantomData<T>);
entape_core::debug_by_name! { [T: Real] ComplexKind<T> }

/// The kind of [`Complex`](crate::Complex).
pub type C64 = ComplexKind<f64>;
/// The kind of [`Complex32`](crate::Complex32).
pub type C32 = ComplexKind<f32>;

impl<T: Real> ValueOf<ComplexKind<T>> for Complex<T> {
    #[inline]
    fn into_value(self) -> Self {
        self
    }
}
impl Beside<Complex<f64>> for C64 {
    type Kind = C64;
}
impl Constant<C64> for Complex<f64> {
    type Node = Const<C64>;
    #[inline(always)]
    fn into_node(self) -> Const<C64> {
        Const::of(self)
    }
}

impl<T: Real> Adjoint<ComplexKind<T>> for Complex<T> {
    #[inline(always)]
    fn unset() -> Self {
        Complex::new(T::unset(), T::unset())
    }
    #[inline(always)]
    fn from_passed(value: Self) -> Self {
        value
    }
    #[inline(always)]
    fn is_unset(&self) -> bool {
        self.re.is_unset() && self.im.is_unset()
    }
    #[inline(always)]
    fn merge(&mut self, other: Self) {
        *self += other;
    }
    #[inline(always)]
    fn into_value(self) -> Option<Self> {
        Some(self)
    }
    #[inline(always)]
    fn add(&mut self, z: Self) {
        z.re.add_to(&mut self.re);
        z.im.add_to(&mut self.im);
    }
    #[inline(always)]
    fn value_mut(&mut self, _: impl FnOnce() -> Self) -> &mut Self {
        *self += Complex::default();
        self
    }
}

/// `[re, im]`
impl<T: Real> Coordinates for ComplexKind<T> {
    const EPSILON: f64 = T::EPSILON;
    fn map(z: &Complex<T>, f: &mut dyn FnMut(f64) -> f64) -> Complex<T> {
        Complex::new(z.re.map_numbers(f), z.im.map_numbers(f))
    }
}
impl<T: Real> Inputs<ComplexKind<T>> for Complex<T> {
    type Shape = SingleShape<ComplexKind<T>>;
    fn into_values(self) -> Complex<T> {
        self
    }
}
impl<T: Real> NumberKind for ComplexKind<T> {
    #[inline(always)]
    fn number(x: f64) -> Complex<T> {
        T::nearest(x).into()
    }
    #[inline(always)]
    fn conj(z: Complex<T>) -> Complex<T> {
        z.conj()
    }
    #[inline(always)]
    fn sum_of(z: impl Iterator<Item = Complex<T>>) -> Complex<T> {
        z.sum()
    }
    #[inline(always)]
    fn product_of(z: impl Iterator<Item = Complex<T>>) -> Complex<T> {
        z.product()
    }
}

/// The parts of a variable, or of an element of a matrix, as writable places.
///
/// A write to a part of a variable records a new value of the whole. In a matrix with dynamic sizes, only the part is
/// saved and written.
///
/// ```
/// use entape_complex::{C64, ComplexParts, num_complex::Complex};
/// use entape_core::{expr::Active, tape::Tape};
///
/// let mut tape = Tape::new();
/// let (x, z) = (tape.input(2.0), tape.input(Complex::new(1.0, 3.0)));
/// let y = tape.record(|| {
///     let mut w = z;
///     w.re_mut().assign(x * x);
///     w[C64::IM] += x; // the other way to name a part
///     (&w[C64::RE] * &w[C64::IM]).eval()
/// });
/// assert_eq!(y, 20.0);
/// let gradient = tape.gradient(&y)?;
/// assert_eq!(gradient.wrt(&x)?, 24.0);
/// assert_eq!(gradient.wrt(&z)?, Complex::new(0.0, 4.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait ComplexParts<M: AnyMode, T: Real> {
    /// The kind of the variable.
    type Whole: Kind;
    /// A part of the number as a part of the variable.
    type Part<P: Part<ComplexKind<T>>>: Part<Self::Whole, Kind = P::Kind>;
    /// Returns a part of the number as a place.
    #[doc(hidden)]
    fn part_of<P: Part<ComplexKind<T>>>(
        &mut self,
        part: P,
    ) -> PlaceMut<'_, Self::Whole, M, Self::Part<P>>;
    /// Returns the real part as a place.
    fn re_mut(&mut self) -> PlaceMut<'_, Self::Whole, M, Self::Part<Field<ComplexKind<T>, 0>>> {
        self.part_of(ComplexKind::RE)
    }
    /// Returns the imaginary part as a place.
    fn im_mut(&mut self) -> PlaceMut<'_, Self::Whole, M, Self::Part<Field<ComplexKind<T>, 1>>> {
        self.part_of(ComplexKind::IM)
    }
}
impl<M: AnyMode, T: Real> ComplexParts<M, T> for Active<ComplexKind<T>, M> {
    type Whole = ComplexKind<T>;
    type Part<P: Part<ComplexKind<T>>> = P;
    fn part_of<P: Part<ComplexKind<T>>>(&mut self, part: P) -> PlaceMut<'_, ComplexKind<T>, M, P> {
        self.part_mut(part)
    }
}
impl<M: AnyMode, T: Real, K, I> ComplexParts<M, T> for Place<K, M, I>
where
    K: PlaceIndex<I, Part: Part<K, Kind = ComplexKind<T>>>,
{
    type Whole = K;
    type Part<P: Part<ComplexKind<T>>> = Nested<K::Part, P>;
    fn part_of<P: Part<ComplexKind<T>>>(
        &mut self,
        part: P,
    ) -> PlaceMut<'_, K, M, Nested<K::Part, P>> {
        self.part_mut(part)
    }
}
