//! Matrices and vectors from numbers, and back: `vector![a * c, a * s, d]`, `v.x()`.
use crate::{
    Dense, Number, Sizes,
    memory::{fresh, identity, zeros},
    places::Element,
};
use entape_core::{
    expr::{Active, Build, ElementNodes, Expr, FromElements, OfLength, PartExpr, build},
    kind::{Kind, index},
    mode::AnyMode,
};
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, U1};

impl<T: Number, R: Dim, C: Dim> FromElements for Dense<T, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    type Element = T::Kind;
    #[inline(always)]
    fn with_shape(rows: usize, columns: usize) -> OMatrix<T, R, C> {
        fresh(rows, columns)
    }
    #[inline(always)]
    fn elements(value: &OMatrix<T, R, C>) -> &[T] {
        value.as_slice()
    }
    #[inline(always)]
    fn elements_mut(value: &mut OMatrix<T, R, C>) -> &mut [T] {
        value.as_mut_slice()
    }
}

impl<T: Number, const N: usize> OfLength<N> for Dense<T, Const<N>, U1> {}

type Component<T, const N: usize, M> = PartExpr<Dense<T, Const<N>, U1>, Element, M>;
/// Components of vectors of fixed sizes as operands. For writing, use the places `v[0]`; for all as variables, `let [x,
/// y, z] = v.into();`.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
///
/// let mut tape = Tape::new();
/// let v = tape.input(nalgebra::vector![3.0, 4.0]);
/// let y = tape.record(|| {
///     let [a, b] = v.into();
///     (v.x() * v.y() + 0.5 * a * b - a * v.y() / 2.0).eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, nalgebra::vector![4.0, 3.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// A component that a vector lacks does not compile:
/// ```compile_fail
/// # use entape_core::{expr::passive, mode::Plain};
/// # use entape_linalg::prelude::*;
/// let v: FixedVector<2, Plain> = passive(nalgebra::vector![3.0, 4.0]);
/// v.z().eval();
/// ```
pub trait Components<T: Number, M: AnyMode, const N: usize> {
    /// Returns component `I`.
    #[doc(hidden)]
    fn component<const I: usize>(&self) -> Component<T, N, M>;
    /// Returns the first component.
    fn x(&self) -> Component<T, N, M> {
        self.component::<0>()
    }
    /// Returns the second component.
    fn y(&self) -> Component<T, N, M> {
        self.component::<1>()
    }
    /// Returns the third component.
    fn z(&self) -> Component<T, N, M> {
        self.component::<2>()
    }
    /// Returns the fourth component.
    fn w(&self) -> Component<T, N, M> {
        self.component::<3>()
    }
}
impl<T: Number, M: AnyMode, const N: usize> Components<T, M, N>
    for Active<Dense<T, Const<N>, U1>, M>
{
    fn component<const I: usize>(&self) -> Component<T, N, M> {
        const { assert!(I < N, "the vector has less components") }
        self.at(I)
    }
}

/// Passive matrices of `f64` with fixed sizes, inferred from their use: `FixedVector::zeros()`,
/// `FixedMatrix::identity()`.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::{prelude::*, vector};
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| {
///     let mut sum = FixedVector::zeros();
///     sum += vector![x, x * x];
///     sum.norm_squared().eval() // x² + x⁴
/// });
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (90.0, 114.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait FixedConstructors {
    /// Returns the matrix of zeros.
    #[must_use]
    fn zeros() -> Self;
    /// Returns the matrix with ones on its diagonal.
    #[must_use]
    fn identity() -> Self;
}
// Only for `f64`, so that the numbers are inferred; for others: `FixedVector::passive(SVector::zeros())`.
impl<M: AnyMode, const R: usize, const C: usize> FixedConstructors
    for Active<Dense<f64, Const<R>, Const<C>>, M>
{
    fn zeros() -> Self {
        Active::passive(zeros(R, C))
    }
    fn identity() -> Self {
        Active::passive(OMatrix::<f64, Const<R>, Const<C>>::identity())
    }
}
/// Passive vectors of `f64` with a dynamic size: `Vector::zeros(n)`.
pub trait VectorConstructors {
    /// Returns the vector of `n` zeros.
    #[must_use]
    fn zeros(n: usize) -> Self;
}
impl<M: AnyMode> VectorConstructors for Active<Dense<f64, Dyn, U1>, M> {
    fn zeros(n: usize) -> Self {
        Active::passive(zeros(n, 1))
    }
}
/// Passive matrices of `f64` with dynamic sizes: `Matrix::zeros(m, n)`, `Matrix::identity(n)`.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::prelude::*;
/// use nalgebra::dmatrix;
///
/// let mut tape = Tape::new();
/// let a = tape.input(dmatrix![1.0, 2.0; 3.0, 4.0]);
/// let y = tape.record(|| (&a + &Matrix::identity(2) * 2.0).determinant());
/// approx::assert_relative_eq!(y.value(), 12.0, epsilon = 1e-13);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait MatrixConstructors {
    /// Returns the matrix of zeros with this shape.
    #[must_use]
    fn zeros(rows: usize, columns: usize) -> Self;
    /// Returns the square matrix with `n` ones on its diagonal.
    #[must_use]
    fn identity(n: usize) -> Self;
}
impl<M: AnyMode> MatrixConstructors for Active<Dense<f64, Dyn, Dyn>, M> {
    fn zeros(rows: usize, columns: usize) -> Self {
        Active::passive(zeros(rows, columns))
    }
    fn identity(n: usize) -> Self {
        Active::passive(identity(n, 1.0))
    }
}

type Built<T, R, C, M, L, const COLUMNS: usize> =
    Expr<Dense<T, R, C>, M, Build<Dense<T, R, C>, L, COLUMNS>>;

/// Builds a matrix of fixed sizes, for the macros.
#[doc(hidden)]
#[inline(always)]
pub fn fixed<
    E: Kind<Policy = index::Linear>,
    M,
    L: ElementNodes<Element = E>,
    const R: usize,
    const C: usize,
>(
    elements: Expr<E, M, L>,
) -> Built<E::Value, Const<R>, Const<C>, M, L, C>
where
    E::Value: Number<Kind = E>,
{
    build(elements)
}
/// Builds a matrix of dynamic sizes, for the macros.
#[doc(hidden)]
#[inline(always)]
pub fn dynamic<
    E: Kind<Policy = index::Linear>,
    M,
    L: ElementNodes<Element = E>,
    C: Dim,
    const COLUMNS: usize,
>(
    elements: Expr<E, M, L>,
) -> Built<E::Value, Dyn, C, M, L, COLUMNS>
where
    E::Value: Number<Kind = E>,
    DefaultAllocator: Sizes<Dyn, C>,
{
    build(elements)
}

/// Builds a vector of a fixed size from expressions, variables, places and plain numbers, as part of the surrounding
/// statement.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
/// use entape_linalg::{prelude::*, vector};
///
/// let mut tape = Tape::new();
/// let (a, q, d) = (tape.input(2.0), tape.input(0.0), tape.input(3.0));
/// let y = tape.record(|| {
///     let v: FixedVector<3> = vector![a * q.cos(), a * q.sin(), d].eval(); // one statement
///     let w = v + vector![0.0, 1.0, 2.0 * d];
///     w.norm_squared().eval() // 2² + 1² + 9²
/// });
/// assert_eq!(y, 86.0);
/// // 2 (a cos q, a sin q + 1, 3 d) times the derivatives
/// assert_eq!(tape.gradient(&y)?.wrt_all(&[a, q, d])?, [4.0, 4.0, 54.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// # nalgebra's macros
/// nalgebra's macros of this name build plain matrices, and an explicit `use nalgebra::vector;` has precedence over a
/// prelude. Then, or with `use nalgebra::*;`, use `entape::linalg::vector` or write `entape::linalg::vector![..]`.
#[macro_export]
macro_rules! vector {
    ($($x:expr),* $(,)?) => {
        $crate::fixed_of::<_, _, _, { <[&str]>::len(&[$(stringify!($x)),*]) }, 1>($crate::__core::elements!($($x),*))
    };
}
/// Builds a matrix of fixed sizes from rows separated by semicolons, like [`vector!`].
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
/// use entape_linalg::{matrix, prelude::*, vector};
///
/// let mut tape = Tape::new();
/// let q = tape.input(0.0);
/// let y = tape.record(|| {
///     let (s, c) = q.sin_cos();
///     let at = (matrix![c, -s; s, c] * vector![1.0, 2.0]).eval();
///     at.y().eval()
/// });
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&q)?), (2.0, 1.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// Rows of different lengths do not compile:
/// ```compile_fail
/// # use entape_core::mode::Plain;
/// # use entape_linalg::{matrix, prelude::*};
/// let m: FixedMatrix<2, 2, Plain> = matrix![1.0, 2.0; 3.0].eval();
/// ```
#[macro_export]
macro_rules! matrix {
    ($($($x:expr),+);+ $(;)?) => {
        $crate::fixed_of::<
            _,
            _,
            _,
            { <[usize]>::len(&[$(<[&str]>::len(&[$(stringify!($x)),+])),+]) },
            { $crate::__core::expr::columns(&[$(<[&str]>::len(&[$(stringify!($x)),+])),+]) },
        >($crate::__core::elements!($($($x),+),+))
    };
}
/// Builds a [`Vector`](crate::Vector) like [`vector!`].
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::{dvector, prelude::*};
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| {
///     let v: Vector = dvector![x, x * x, 1.0].eval();
///     v.sum().eval()
/// });
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt(&x)?), (13.0, 7.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[macro_export]
macro_rules! dvector {
    ($($x:expr),* $(,)?) => {
        $crate::dynamic::<_, _, _, $crate::nalgebra::U1, 1>($crate::__core::elements!($($x),*))
    };
}
/// Builds a [`Matrix`](crate::Matrix) like [`matrix!`].
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_linalg::{dmatrix, prelude::*};
///
/// let mut tape = Tape::new();
/// let x = tape.input(3.0);
/// let y = tape.record(|| {
///     let m: Matrix = dmatrix![x, 1.0; 2.0, x * x].eval();
///     m.determinant() // x³ - 2
/// });
/// approx::assert_relative_eq!(y.value(), 25.0, epsilon = 1e-13);
/// approx::assert_relative_eq!(tape.gradient(&y)?.wrt(&x)?, 27.0, epsilon = 1e-13);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[macro_export]
macro_rules! dmatrix {
    ($($($x:expr),+);+ $(;)?) => {
        $crate::dynamic::<
            _,
            _,
            _,
            $crate::nalgebra::Dyn,
            { $crate::__core::expr::columns(&[$(<[&str]>::len(&[$(stringify!($x)),+])),+]) },
        >($crate::__core::elements!($($($x),+),+))
    };
}
