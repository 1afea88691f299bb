//! Elementwise operations on complex matrices, and on a real and a complex matrix.
use super::summed;
#[cfg(test)]
use crate::samples::*;
use crate::{
    Dense, Map, Mapped, Number, RealNumber, Sizes, Within, Zipped,
    arithmetic::{ComponentDiv, ComponentMul},
    elementwise::cast,
    memory::{by_elements, map, zip},
    products::{Dot, Dotc},
    shapes,
};
use entape_complex::{ComplexKind, num_complex::Complex};
use entape_core::{
    eval::Whole,
    kind::{Arg, Incoming, Kind, Policy, Val},
    op,
    rule::{
        A, ArgumentTangent, ArgumentTangents, B, Order, Primals, Rule, Sink, Sinks, adjoints,
        second_alone, tangent_alone,
    },
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};

fn value<'v, K: Kind>(arg: &'v Arg<'_, K>) -> &'v Val<K> {
    K::Policy::value(arg)
}

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

impl<T: RealNumber, R: Dim, C: Dim, O> Rule<Dense<Complex<T>, R, C>> for Map<O>
where
    O: Rule<ComplexKind<T>>,
    Val<O::Out>: Number<Kind = O::Out>,
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
    const ORDER: Order = O::ORDER;
    const MARKS: bool = true;
    fn tangent(
        &self,
        p: Primals<'_, Dense<Complex<T>, R, C>, (), (), Self::Out>,
        (): &(),
        t: ArgumentTangent<'_, Dense<Complex<T>, R, C>>,
    ) -> Option<OMatrix<Val<O::Out>, R, C>> {
        let (z, z_t) = (p.a(), t.a?);
        let of = |z, z_t| {
            let tangents = ArgumentTangents {
                a: Some(&[z_t]),
                b: None,
                c: None,
                one_sided: t.one_sided,
            };
            let r_t = tangent_alone::<O, ComplexKind<T>, (), ()>(&self.0, (&z, &(), &()), tangents);
            r_t.unwrap_or(Number::of(-0.0))
        };
        Some(zip(value::<Dense<Complex<T>, R, C>>(&z), z_t, of))
    }
    fn adjoint_tangent(
        &self,
        p: Primals<'_, Dense<Complex<T>, R, C>, (), (), Self::Out>,
        (): &(),
        t: ArgumentTangent<'_, Dense<Complex<T>, R, C>>,
        _: Option<&OMatrix<Val<O::Out>, R, C>>,
        r_b: Incoming<'_, Self::Out>,
        mut s: impl Sinks<Dense<Complex<T>, R, C>>,
    ) {
        if O::FLOWS[0] && s.a().wants() && t.a.is_some() {
            let r_b = r_b.get();
            s.a().add(change::<T, R, C, O>(
                &self.0,
                value::<Dense<Complex<T>, R, C>>(&p.a()),
                t,
                |at| (Some(&value::<Self::Out>(&r_b)[at]), None),
            ));
        }
    }
    fn directional_adjoint(
        &self,
        p: Primals<'_, Dense<Complex<T>, R, C>, (), (), Self::Out>,
        saved: &(),
        t: ArgumentTangent<'_, Dense<Complex<T>, R, C>>,
        _: Option<&OMatrix<Val<O::Out>, R, C>>,
        r_b: Incoming<'_, Self::Out>,
        mut s: impl Sinks<Dense<Complex<T>, R, C>>,
    ) {
        if t.a.is_none() {
            self.adjoint(p, saved, r_b, s);
        } else if O::FLOWS[0] && s.a().wants() {
            let r_b = r_b.get();
            s.a().add(change::<T, R, C, O>(
                &self.0,
                value::<Dense<Complex<T>, R, C>>(&p.a()),
                t,
                |at| (None, Some(&value::<Self::Out>(&r_b)[at])),
            ));
        }
    }
}
fn change<'r, T: RealNumber, R: Dim, C: Dim, O>(
    op: &O,
    z: &OMatrix<Complex<T>, R, C>,
    t: ArgumentTangent<'_, Dense<Complex<T>, R, C>>,
    r_b: impl Fn((usize, usize)) -> (Option<&'r Val<O::Out>>, Option<&'r Val<O::Out>>),
) -> OMatrix<Complex<T>, R, C>
where
    O: Rule<ComplexKind<T>>,
    Val<O::Out>: Number<Kind = O::Out>,
    DefaultAllocator: Sizes<R, C>,
{
    by_elements(z.shape(), |i, j| {
        let z_t = t.a.map(|t| [t[(i, j)]]);
        let tangents = ArgumentTangents {
            a: z_t.as_ref(),
            b: None,
            c: None,
            one_sided: t.one_sided,
        };
        let (values, active) = ((&z[(i, j)], &(), &()), [true, false, false]);
        second_alone::<O, ComplexKind<T>, (), ()>(op, values, tangents, r_b((i, j)), active)[1].0
    })
}
macro_rules! zip_map { ($($T:ty: $K:ty, $U:ty: $L:ty;)*) => { $(
    impl<T: RealNumber, R: Dim, C: Dim, O> Rule<Dense<$T, R, C>, Dense<$U, R, C>> for Map<O>
    where
        O: Rule<$K, $L>,
        Val<O::Out>: Number<Kind = O::Out>,
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
        const ORDER: Order = O::ORDER;
        const MARKS: bool = true;
        fn tangent(
            &self,
            p: Primals<'_, Dense<$T, R, C>, Dense<$U, R, C>, (), Self::Out>,
            (): &(),
            t: ArgumentTangent<'_, Dense<$T, R, C>, Dense<$U, R, C>>,
        ) -> Option<OMatrix<Val<O::Out>, R, C>> {
            let (a, b) = (p.a(), p.b());
            let (a, b) = (value::<Dense<$T, R, C>>(&a), value::<Dense<$U, R, C>>(&b));
            if t.a.is_none() && t.b.is_none() {
                return None;
            }
            Some(by_elements(a.shape(), |i, j| {
                let (a_t, b_t) = (t.a.map(|t| [t[(i, j)]]), t.b.map(|t| [t[(i, j)]]));
                let tangents = ArgumentTangents { a: a_t.as_ref(), b: b_t.as_ref(), c: None, one_sided: t.one_sided };
                let values = (&a[(i, j)], &b[(i, j)], &());
                let r_t = tangent_alone::<O, $K, $L, ()>(&self.0, values, tangents);
                r_t.unwrap_or(Number::of(-0.0))
            }))
        }
        fn adjoint_tangent(
            &self,
            p: Primals<'_, Dense<$T, R, C>, Dense<$U, R, C>, (), Self::Out>,
            (): &(),
            t: ArgumentTangent<'_, Dense<$T, R, C>, Dense<$U, R, C>>,
            _: Option<&OMatrix<Val<O::Out>, R, C>>,
            r_b: Incoming<'_, Self::Out>,
            mut s: impl Sinks<Dense<$T, R, C>, Dense<$U, R, C>>,
        ) {
            let r_b = r_b.get();
            let r_b = value::<Self::Out>(&r_b);
            let wants = [O::FLOWS[0] && s.a().wants(), O::FLOWS[1] && s.b().wants()];
            if wants == [false; 2] || (t.a.is_none() && t.b.is_none()) {
                return;
            }
            let (a, b) = (p.a(), p.b());
            let (a, b) = (value::<Dense<$T, R, C>>(&a), value::<Dense<$U, R, C>>(&b));
            let of = |i: usize, j: usize, active: [bool; 3]| {
                let (a_t, b_t) = (t.a.map(|t| [t[(i, j)]]), t.b.map(|t| [t[(i, j)]]));
                let tangents = ArgumentTangents { a: a_t.as_ref(), b: b_t.as_ref(), c: None, one_sided: t.one_sided };
                let values = (&a[(i, j)], &b[(i, j)], &());
                let r_b = (Some(&r_b[(i, j)]), None);
                let [_, tangents] = second_alone::<O, $K, $L, ()>(&self.0, values, tangents, r_b, active);
                tangents
            };
            if wants[0] {
                s.a().add(by_elements::<$T, R, C>(a.shape(), |i, j| of(i, j, [true, true, false]).0));
            }
            if wants[1] {
                s.b().add(by_elements::<$U, R, C>(b.shape(), |i, j| of(i, j, [true, true, false]).1));
            }
        }
    }
)* } }
zip_map! {
    Complex<T>: ComplexKind<T>, Complex<T>: ComplexKind<T>;
    Complex<T>: ComplexKind<T>, T: T;
    T: T, Complex<T>: ComplexKind<T>;
}

#[op(
    ComponentMul, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn component_mul_real<T: RealNumber, R: Dim, C: Dim>(
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
    ComponentMul, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_component_mul<T: RealNumber, R: Dim, C: Dim>(
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
/// The tangent of `r / b`: `(r_t - r * q) / b` with `q = b_t / b`.
fn slope_of_quotient<T: RealNumber, R: Dim, C: Dim>(
    r: &OMatrix<Complex<T>, R, C>,
    r_t: &OMatrix<Complex<T>, R, C>,
    q: &OMatrix<Complex<T>, R, C>,
    b: &OMatrix<Complex<T>, R, C>,
) -> OMatrix<Complex<T>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    let share = zip(r, q, |r, q| r * q);
    zip(&zip(r_t, &share, |x, y| x - y), b, |x, b| x / b)
}
#[op(
    ComponentDiv,
    tangent(a = zip(a_t, b, |x, b| x / b), b = zip(r, &zip(b_t, b, |x, b| x / b), |r, q: T| -r * q)),
    second(
        a = zip(r_b, &zip(b_t, b, |x, b| x / b / b), |r_b, q: T| -r_b * q),
        b = zip(r_b, &slope_of_quotient(r, r_t, &zip(b_t, b, |x, b| Complex::from(x / b)), &map(b, Complex::from)), |r_b, slope| -(r_b * slope.conj()).re),
    ),
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = shifted::<f64>(m, n, 1)),
)]
fn component_div_real<T: RealNumber, R: Dim, C: Dim>(
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
    tangent(a = zip(a_t, b, |x, b| Complex::from(x) / b), b = zip(r, &zip(b_t, b, |x, b| x / b), |r, q| -r * q)),
    second(
        a = zip(r_b, &zip(b_t, b, |x, b| x / b / b), |r_b, q| -(r_b * q.conj()).re),
        b = zip(r_b, &slope_of_quotient(r, r_t, &zip(b_t, b, |x, b| x / b), b), |r_b, slope| -r_b * slope.conj()),
    ),
    sample(for (m, n) in SHAPES, a = shifted::<f64>(m, n, 1), b = shifted::<Z>(m, n, 0)),
)]
fn real_component_div<T: RealNumber, R: Dim, C: Dim>(
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

#[op(
    Dot, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn dot_real<T: RealNumber, R: Dim, C: Dim>(
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
    Dot, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_dot<T: RealNumber, R: Dim, C: Dim>(
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
    Dotc, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<Z>(m, n, 0), b = matrix::<f64>(m, n, 1)),
)]
fn dotc_real<T: RealNumber, R: Dim, C: Dim>(
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
    Dotc, bilinear,
    sample(for (m, n) in SHAPES, a = matrix::<f64>(m, n, 0), b = matrix::<Z>(m, n, 1)),
)]
fn real_dotc<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(Mapped(b, |b: Complex<T>| (r_b * b.conj()).re))] a: &Dense<T, R, C>,
    #[ad_in(Mapped(a, |a: T| r_b * a))] b: &Dense<Complex<T>, R, C>,
) -> ComplexKind<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    shapes::same("a.dotc(b)", a.shape(), b.shape());
    summed(a, b)
}

#[op(
    op::ToF32, linear,
    sample(for (m, n) in SHAPES, z = matrix::<Z>(m, n, 0)),
)]
fn to_f32<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] z: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<f32>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, cast)
}
#[op(
    op::ToF64, linear,
    sample(type T = Z | Z32, for (m, n) in SHAPES, z = matrix::<T>(m, n, 0)),
)]
fn to_f64<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] z: &Dense<Complex<T>, R, C>,
) -> &Dense<Complex<f64>, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(z, cast)
}
