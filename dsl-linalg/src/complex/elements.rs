//! Operations on the elements: those of complex numbers, and those of real and complex matrices.
use super::{ComplexPart, summed};
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Map, Mapped, Number, Sizes, Within, Zipped,
    arithmetic::{ComponentDiv, ComponentMul},
    elementwise::cast,
    memory::{map, zip},
    products::{Dot, Dotc},
    shapes,
};
use entape_complex::{ComplexKind, num_complex::Complex};
use entape_core::{
    eval::Whole,
    kind::{Arg, Incoming, Kind, Policy, Val},
    op,
    rule::{A, B, Primals, Rule, Sink, Sinks, adjoints},
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};

/// A kind of numbers that can be the elements of a matrix.
pub trait ElementOf: Kind<Value: Number<Kind = Self>> {}
impl<K: Kind<Value: Number<Kind = K>>> ElementOf for K {}

fn value<'v, K: Kind>(arg: &'v Arg<'_, K>) -> &'v Val<K> {
    K::Policy::value(arg)
}

/// A function of the elements of three matrices at the same place, to be added.
fn triples<'x, T: Number, U: Number, V: Number, W: Number, R: Dim, C: Dim>(
    x: &'x OMatrix<T, R, C>,
    y: &'x OMatrix<U, R, C>,
    z: &'x OMatrix<V, R, C>,
    of: impl Fn(&T, &U, &V) -> W + 'x,
) -> Within<impl FnOnce(&mut OMatrix<W, R, C>) + 'x>
where
    DefaultAllocator: Sizes<R, C>,
{
    Within::new(x.shape(), move |sum: &mut OMatrix<W, R, C>| {
        let all = x.iter().zip(y.iter()).zip(z.iter());
        let each = sum.iter_mut().zip(all);
        each.for_each(|(sum, ((x, y), z))| *sum += of(x, y, z));
    })
}

/// An operation on complex numbers, applied to every element.
impl<T: ComplexPart, R: Dim, C: Dim, O> Rule<Dense<Complex<T>, R, C>> for Map<O>
where
    O: Rule<ComplexKind<T>, Out: ElementOf>,
    DefaultAllocator: Sizes<R, C>,
{
    type Out = Dense<Val<O::Out>, R, C>;
    type Saved = ();
    type Evaluation = Whole;
    const READS: [u8; 3] = [A, 0, 0];
    const FLOWS: [bool; 3] = O::FLOWS;
    fn primal<'p>(
        &self,
        z: Arg<'p, Dense<Complex<T>, R, C>>,
        (): (),
        (): (),
    ) -> (OMatrix<Val<O::Out>, R, C>, ()) {
        let z = value::<Dense<Complex<T>, R, C>>(&z);
        (map(z, |z| self.0.primal(z, (), ()).0), ())
    }
    fn adjoint(
        &self,
        p: Primals<'_, Dense<Complex<T>, R, C>, (), (), Self::Out>,
        (): &(),
        r_b: Incoming<'_, Self::Out>,
        mut s: impl Sinks<Dense<Complex<T>, R, C>>,
    ) {
        let r_b = r_b.get();
        if O::FLOWS[0] && s.a().wants() {
            let z = p.a();
            let active = [true, false, false];
            let of = |z: Complex<T>, r_b: Val<O::Out>| {
                adjoints::<O, ComplexKind<T>, (), ()>(&self.0, (&z, &(), &()), &r_b, active).0
            };
            let (z, r_b) = (
                value::<Dense<Complex<T>, R, C>>(&z),
                value::<Self::Out>(&r_b),
            );
            s.a().add(Zipped(z, r_b, of));
        }
    }
}
/// An operation on two numbers, at least one of which is complex, applied to every pair of elements.
macro_rules! zip_map { ($($T:ty: $K:ty, $U:ty: $L:ty;)*) => { $(
    impl<T: ComplexPart, R: Dim, C: Dim, O> Rule<Dense<$T, R, C>, Dense<$U, R, C>> for Map<O>
    where
        O: Rule<$K, $L, Out: ElementOf>,
        DefaultAllocator: Sizes<R, C>,
    {
        type Out = Dense<Val<O::Out>, R, C>;
        type Saved = ();
    type Evaluation = Whole;
        const READS: [u8; 3] = [A | B, A | B, 0];
        const FLOWS: [bool; 3] = O::FLOWS;
        fn primal<'p>(
            &self,
            a: Arg<'p, Dense<$T, R, C>>,
            b: Arg<'p, Dense<$U, R, C>>,
            (): (),
        ) -> (OMatrix<Val<O::Out>, R, C>, ()) {
            let (a, b) = (value::<Dense<$T, R, C>>(&a), value::<Dense<$U, R, C>>(&b));
            shapes::same("a.zip_map(b, ..)", a.shape(), b.shape());
            (zip(a, b, |a, b| self.0.primal(a, b, ()).0), ())
        }
        fn adjoint(
            &self,
            p: Primals<'_, Dense<$T, R, C>, Dense<$U, R, C>, (), Self::Out>,
            (): &(),
            r_b: Incoming<'_, Self::Out>,
            mut s: impl Sinks<Dense<$T, R, C>, Dense<$U, R, C>>) { let r_b = r_b.get();
            let r_b = value::<Self::Out>(&r_b);
            if O::FLOWS[0] && s.a().wants() {
                let (a, b) = (p.a(), p.b());
                let (a, b) = (value::<Dense<$T, R, C>>(&a), value::<Dense<$U, R, C>>(&b));
                s.a().add(triples(a, b, r_b, |a, b, r_b| {
                    adjoints::<O, $K, $L, ()>(&self.0, (a, b, &()), r_b, [true, false, false]).0
                }));
            }
            if O::FLOWS[1] && s.b().wants() {
                let (a, b) = (p.a(), p.b());
                let (a, b) = (value::<Dense<$T, R, C>>(&a), value::<Dense<$U, R, C>>(&b));
                s.b().add(triples(a, b, r_b, |a, b, r_b| {
                    adjoints::<O, $K, $L, ()>(&self.0, (a, b, &()), r_b, [false, true, false]).1
                }));
            }
        }
    }
)* } }
zip_map! {
    Complex<T>: ComplexKind<T>, Complex<T>: ComplexKind<T>;
    Complex<T>: ComplexKind<T>, T: T;
    T: T, Complex<T>: ComplexKind<T>;
}

// Products and quotients of the elements of real and complex matrices.

#[op(
    ComponentMul,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn component_mul_real<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Zipped(r_b, b, |r_b: Complex<T>, b: T| r_b * b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(Zipped(r_b, a, |r_b: Complex<T>, a: Complex<T>| (r_b * a.conj()).re))] b: &Dense<
        T,
        R,
        C,
    >,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.component_mul(b)", a.shape(), b.shape());
    zip(a, b, |a, b| a * b)
}
#[op(
    ComponentMul,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_component_mul<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Zipped(r_b, b, |r_b: Complex<T>, b: Complex<T>| (r_b * b.conj()).re))] a: &Dense<
        T,
        R,
        C,
    >,
    #[ad_in(Zipped(r_b, a, |r_b: Complex<T>, a: T| r_b * a))] b: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.component_mul(b)", a.shape(), b.shape());
    zip(a, b, |a, b| b * a)
}
#[op(
    ComponentDiv,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = shifted::<f64>(m, n, 1)),
)]
fn component_div_real<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Zipped(r_b, b, |r_b: Complex<T>, b: T| r_b / b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(triples(r, b, r_b, |r, b, r_b| -(r_b * r.conj()).re / *b))] b: &Dense<T, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.component_div(b)", a.shape(), b.shape());
    zip(a, b, |a, b| a / b)
}
#[op(
    ComponentDiv,
    sample(for (m, n) in SHAPES, a = shifted::<f64>(m, n, 1), b = shifted::<Z>(m, n, 0)),
)]
fn real_component_div<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Zipped(r_b, b, |r_b: Complex<T>, b: Complex<T>| (r_b / b.conj()).re))] a: &Dense<
        T,
        R,
        C,
    >,
    #[ad_in(triples(r, b, r_b, |r, b, r_b| -r_b * (r / b).conj()))] b: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.component_div(b)", a.shape(), b.shape());
    zip(a, b, |a, b| Complex::from(a) / b)
}

// Sums of the products of real and complex elements.

#[op(
    Dot,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn dot_real<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Mapped(b, |b: T| r_b * b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(Mapped(a, |a: Complex<T>| (r_b * a.conj()).re))] b: &Dense<T, R, C>,
) -> ComplexKind<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.dot(b)", a.shape(), b.shape());
    summed(b, a)
}
#[op(
    Dot,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_dot<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Mapped(b, |b: Complex<T>| (r_b * b.conj()).re))] a: &Dense<T, R, C>,
    #[ad_in(Mapped(a, |a: T| r_b * a))] b: &Dense<Complex<T>, R, C>,
) -> ComplexKind<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.dot(b)", a.shape(), b.shape());
    summed(a, b)
}
#[op(
    Dotc,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn dotc_real<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Mapped(b, |b: T| r_b.conj() * b))] a: &Dense<Complex<T>, R, C>,
    #[ad_in(Mapped(a, |a: Complex<T>| (r_b * a).re))] b: &Dense<T, R, C>,
) -> ComplexKind<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.dotc(b)", a.shape(), b.shape());
    summed(b, a).conj()
}
#[op(
    Dotc,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_dotc<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(Mapped(b, |b: Complex<T>| (r_b * b.conj()).re))] a: &Dense<T, R, C>,
    #[ad_in(Mapped(a, |a: T| r_b * a))] b: &Dense<Complex<T>, R, C>,
) -> ComplexKind<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.dotc(b)", a.shape(), b.shape());
    summed(a, b)
}

// Casts between precisions.

#[op(
    op::ToF32,
    sample(for (m, n) in SHAPES, z = matrix::<Z>(m, n, 0)),
)]
fn to_f32<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] z: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<f32>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, cast)
}
#[op(
    op::ToF64,
    sample(type T = Z | Z32, for (m, n) in SHAPES, z = matrix::<T>(m, n, 0)),
)]
fn to_f64<T: ComplexPart, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] z: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<f64>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, cast)
}
