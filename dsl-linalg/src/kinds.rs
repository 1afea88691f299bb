use crate::{
    MatrixMemory, Sum,
    adjoint::{Dynamic, Fixed, Total},
    kernels::{self, Kernels},
    memory::{ahead, extent, recycle, zeros},
};
use entape_core::{
    coordinates::Coordinates,
    expr::{Beside, BorrowedConst, Const as Constants, Constant, Expr, Rhs, ValueOf, constant},
    kind,
    kind::{Carrier, Contribution, Kind, index},
    real::Real,
    structure::{Inputs, SingleRefShape, SingleShape},
};
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, Matrix, OMatrix, allocator::Allocator};
use std::marker::PhantomData;

/// The number types of matrices: `f64`, `f32`, and with the feature `complex` their complex types. Conjugating a real
/// costs nothing.
///
/// ```
/// use entape_core::{op, tape::Tape};
/// use entape_linalg::{Dense, Number, Sizes, Times, prelude::*};
/// use nalgebra::{DefaultAllocator, Dim, dvector};
///
/// /// Twice a matrix, for any numbers and any shape.
/// #[op(linear)]
/// fn twice<T: Number, R: Dim, C: Dim>(
///     #[ad_in(Times(T::of(2.0), r_b))] a: &Dense<T, R, C>,
/// ) -> &Dense<T, R, C>
/// where
///     DefaultAllocator: Sizes<R, C>,
/// {
///     a.map(|x| x + x)
/// }
/// let mut tape = Tape::new();
/// let v = tape.input(dvector![1.0, 2.0]);
/// let y = tape.record(|| twice(&v).norm_squared().eval());
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&v)?), (20.0, dvector![8.0, 16.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Number:
    nalgebra::ComplexField<RealField = <Self as Number>::Part>
    + faer::traits::ComplexField
    + Contribution<Self::Kind>
    + Copy
    + Default
{
    /// The kind of variables with such a value.
    type Kind: Kind<Value = Self, Adjoint = Self, Policy = index::Linear> + Coordinates;
    /// The type of absolute values and of both parts.
    type Part: RealNumber;
    /// Kernels compiled for this type.
    #[doc(hidden)]
    const KERNELS: &'static Kernels<Self>;
    /// Returns the nearest number.
    fn of(x: f64) -> Self;
    /// Returns the number with these parts; a real ignores `im`.
    fn of_parts(re: Self::Part, im: Self::Part) -> Self;
}
/// Real numbers, `f64` and `f32`: a [`Real`] with the bounds of `nalgebra` and `faer`, on which the core does not
/// depend. Also the parts of complex numbers.
pub trait RealNumber:
    Number<Kind = Self, Part = Self> + Real + nalgebra::RealField + faer::traits::RealField
{
    /// Kernels compiled for complex numbers of this type.
    #[cfg(feature = "complex")]
    #[doc(hidden)]
    const COMPLEX_KERNELS: &'static Kernels<nalgebra::Complex<Self>>;
}
macro_rules! numbers { ($($T:ident $KERNELS:ident $COMPLEX_KERNELS:ident)*) => { $(
    impl Number for $T {
        type Kind = $T;
        type Part = $T;
        const KERNELS: &'static Kernels<$T> = &kernels::$KERNELS;
        #[inline(always)]
        fn of(x: f64) -> $T { x as $T }
        #[inline(always)]
        fn of_parts(re: $T, _: $T) -> $T { re }
    }
    impl RealNumber for $T {
        #[cfg(feature = "complex")]
        const COMPLEX_KERNELS: &'static Kernels<nalgebra::Complex<$T>> = &kernels::$COMPLEX_KERNELS;
    }
)* } }
numbers! { f64 OF_F64 OF_C64 f32 OF_F32 OF_C32 }

/// The shapes of matrices: fixed sizes are value kinds, dynamic sizes storage kinds. Rules generic in the shape require
/// `DefaultAllocator: Sizes<R, C>`, as in the example of [`Number`].
pub trait Sizes<R: Dim, C: Dim>: MatrixMemory<R, C> + 'static {
    /// Whether matrices of this shape are a value kind or a storage kind.
    type Policy<T: Number>: kind::Policy<Matrix<T, R, C, <Self as Allocator<R, C>>::Buffer<T>>>;
    /// The accumulator of their adjoints.
    #[doc(hidden)]
    type Total<T: Number>: Total<T, Matrix<T, R, C, <Self as Allocator<R, C>>::Buffer<T>>>;
}
impl<const R: usize, const C: usize> Sizes<Const<R>, Const<C>> for DefaultAllocator {
    type Policy<T: Number> = index::Linear;
    type Total<T: Number> = Fixed<T, R, C>;
}
impl<C: Dim> Sizes<Dyn, C> for DefaultAllocator {
    type Policy<T: Number> = index::Owned;
    type Total<T: Number> = Dynamic<T, Dyn, C>;
}
impl<const R: usize> Sizes<Const<R>, Dyn> for DefaultAllocator {
    type Policy<T: Number> = index::Owned;
    type Total<T: Number> = Dynamic<T, Const<R>, Dyn>;
}

/// The kind of matrices with `R` rows and `C` columns of `T`, nalgebra's `OMatrix<T, R, C>`. See [kinds](crate#kinds).
/// Name it where it cannot be inferred: for zeros, constants of single precision, and in signatures.
///
/// ```
/// use entape_core::{expr::Active, tape::Tape};
/// use entape_linalg::prelude::*;
/// use nalgebra::{Dyn, U1, dvector};
///
/// type Kind = Dense<f32, Dyn, U1>; // vectors of single precision
///
/// let mut tape = Tape::new();
/// let v = tape.input_as::<Kind>(dvector![3.0_f32, 4.0]);
/// let n: Active<f32> = tape.record(|| v.norm_squared().eval());
/// assert_eq!(tape.gradient(&n)?.wrt(&v)?, dvector![6.0_f32, 8.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[kind(
    value = OMatrix<T, R, C>,
    index = <DefaultAllocator as Sizes<R, C>>::Policy<T>,
    adjoint = Sum<T, R, C>,
    zero = |like| zeros(like.nrows(), like.ncols()),
    add = |into, from| {
        kernels::axpy(T::one(), from.as_slice(), into.as_mut_slice());
        recycle(from);
    },
    unset = |x| x.as_slice().iter().all(<T::Kind as Kind>::is_unset_tangent),
    mark = |x, computed| x.as_mut_slice().iter_mut().for_each(|x| <T::Kind as Kind>::mark_zeros(x, computed)),
    finite = |x| x.iter().all(|x| nalgebra::ComplexField::is_finite(x)),
    recycle = |x| <DefaultAllocator as MatrixMemory<R, C>>::recycle(x),
    extent = |x| extent::<T>(x.len()),
    bytes = |x| size_of_val(x.as_slice()),
    fetch = |x| ahead(x.as_slice()),
    layout = Shaped,
    constant = false,
    name = "matrix",
)]
pub struct Dense<T: Number, R: Dim, C: Dim>(PhantomData<(T, R, C)>)
where
    DefaultAllocator: Sizes<R, C>;
entape_core::debug_by_name! { [T: Number, R: Dim, C: Dim] Dense<T, R, C> where [DefaultAllocator: Sizes<R, C>] }

impl<T: Number, R: Dim, C: Dim> ValueOf<Dense<T, R, C>> for OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    fn into_value(self) -> Self {
        self
    }
}
/// Value types with a unique kind, for fields of `#[derive(entape::Structure)]`.
pub trait HasKind: Sized + Clone + 'static {
    /// The kind.
    type Kind: Kind<Value = Self>;
}
impl<T: Number, R: Dim, C: Dim> HasKind for OMatrix<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Kind = Dense<T, R, C>;
}
impl<R: Dim, C: Dim> Constant<Dense<f64, R, C>> for OMatrix<f64, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Node = Constants<Dense<f64, R, C>>;
    #[inline(always)]
    fn into_node(self) -> Constants<Dense<f64, R, C>> {
        Constants::of(self)
    }
}

/// Plain matrices are operands on either side of variables and expressions.
macro_rules! beside { ($($(#[$of:meta])* $V:ty;)*) => { $(
    $(#[$of])*
    impl<T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim> Beside<OMatrix<$V, R2, C2>> for Dense<T, R, C>
    where
        DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
    {
        type Kind = Dense<$V, R2, C2>;
    }
    $(#[$of])*
    #[diagnostic::do_not_recommend]
    impl<T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim, M: Carrier, O, Third: Kind>
        Rhs<Dense<T, R, C>, M, O, Third> for OMatrix<$V, R2, C2>
    where
        DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
    {
        type Kind = Dense<$V, R2, C2>;
        type Node = Constants<Dense<$V, R2, C2>>;
        type Operation = O;
        #[inline(always)]
        fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node> {
            constant(self)
        }
    }
    $(#[$of])*
    #[diagnostic::do_not_recommend]
    impl<'v, T: Number, R: Dim, C: Dim, R2: Dim, C2: Dim, M: Carrier, O, Third: Kind>
        Rhs<Dense<T, R, C>, M, O, Third> for &'v OMatrix<$V, R2, C2>
    where
        DefaultAllocator: Sizes<R, C> + Sizes<R2, C2>,
    {
        type Kind = Dense<$V, R2, C2>;
        type Node = BorrowedConst<'v, Dense<$V, R2, C2>>;
        type Operation = O;
        #[inline(always)]
        fn into_rhs(self) -> Expr<Self::Kind, M, Self::Node> {
            constant(self)
        }
    }
)* } }
beside! {
    f64;
    #[cfg(feature = "complex")]
    nalgebra::Complex<f64>;
}

impl<T: Number, R: Dim, C: Dim> Coordinates for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    const EPSILON: f64 = T::Kind::EPSILON;
    fn map(value: &OMatrix<T, R, C>, f: &mut dyn FnMut(f64) -> f64) -> OMatrix<T, R, C> {
        value.map(|x| T::Kind::map(&x, f))
    }
}

macro_rules! inputs { ($([$($of:tt)*] $R:ty, $C:ty as $Shape:ident;)*) => { $(
    impl<T: Number, $($of)*> Inputs<Dense<T, $R, $C>> for OMatrix<T, $R, $C> {
        type Shape = $Shape<Dense<T, $R, $C>>;
        fn into_values(self) -> Self {
            self
        }
    }
    impl<T: Number, $($of)*> Inputs<Dense<T, $R, $C>> for &OMatrix<T, $R, $C> {
        type Shape = $Shape<Dense<T, $R, $C>>;
        fn into_values(self) -> OMatrix<T, $R, $C> {
            self.clone()
        }
    }
)* } }
inputs! {
    [const R: usize, const C: usize] Const<R>, Const<C> as SingleShape;
    [C: Dim] Dyn, C as SingleRefShape;
    [const R: usize] Const<R>, Dyn as SingleRefShape;
}
