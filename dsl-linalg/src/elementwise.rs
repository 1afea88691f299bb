//! Elementary functions on every element: `m.map(op::Tanh)`, `a.zip_map(&b, op::Atan2)`.
//!
//! Accepts every [`Elementwise`] operation, built-in ([`entape_core::op`](mod@entape_core::op)) or custom
//! (`#[op(elementwise)]`, `elementary!`); complex matrices accept operations of complex numbers.
//! [`Elementary`](entape_core::real::Elementary) methods keep their matrix meaning: `m.exp()` is not elementwise.
use crate::{
    Dense, Number, RealNumber, Sizes, Within,
    memory::{copied, map, zip},
    shapes,
};
use entape_core::{
    elementwise::{Dual, ElementKind, Elementwise},
    eval::Whole,
    expr::{Binary, KindOf, Operand, Unary, binary, unary},
    kind::{Arg, Incoming, Kind, Policy},
    mode::AnyMode,
    op,
    rule::{
        A, ArgumentTangents, B, Order, Primals, R as RESULT, Rule, SecondAdjoint, SecondSinks,
        Sink, Sinks,
    },
    store::Stash,
};
use nalgebra::{DefaultAllocator, Dim, OMatrix};
use std::convert::identity;

/// The function `O` of every element or pair of elements.
#[derive(Clone, Copy, Debug, Stash)]
pub struct Map<O>(pub O);

type WithTangents<T, R, C, const N: usize> = (OMatrix<T, R, C>, [OMatrix<T, R, C>; N]);
type Moving<'x, T, R, C, const N: usize> = (
    Option<&'x OMatrix<T, R, C>>,
    Option<&'x [OMatrix<T, R, C>; N]>,
);

fn at<T: Number, R: Dim, C: Dim>(m: Option<&OMatrix<T, R, C>>, k: usize) -> Option<T>
where
    DefaultAllocator: Sizes<R, C>,
{
    m.map(|m| m.as_slice()[k])
}
fn each_at<T: Number, R: Dim, C: Dim, const N: usize>(
    m: Option<&[OMatrix<T, R, C>; N]>,
    k: usize,
) -> Option<[T; N]>
where
    DefaultAllocator: Sizes<R, C>,
{
    m.map(|m| m.each_ref().map(|m| m.as_slice()[k]))
}
fn pull<'x, T: RealNumber, R: Dim, C: Dim, const I: usize>(
    op: &'x impl Elementwise<I>,
    i: usize,
    x: [Option<&'x OMatrix<T, R, C>>; I],
    r: Option<&'x OMatrix<T, R, C>>,
    r_b: &'x OMatrix<T, R, C>,
) -> Within<impl FnOnce(&mut OMatrix<T, R, C>) + 'x>
where
    DefaultAllocator: Sizes<R, C>,
{
    Within::new(r_b.shape(), move |x_b: &mut OMatrix<T, R, C>| {
        let each = x_b.as_mut_slice().iter_mut().zip(r_b.as_slice());
        for (k, (x_b, r_b)) in each.enumerate() {
            *x_b += <T as ElementKind>::pull(op, i, x.map(|x| at(x, k)), at(r, k), *r_b);
        }
    })
}
fn push<T: RealNumber, R: Dim, C: Dim, const I: usize, const N: usize>(
    op: &impl Elementwise<I>,
    x: [Moving<'_, T, R, C, N>; I],
    r: Option<&OMatrix<T, R, C>>,
    one_sided: bool,
) -> Option<[OMatrix<T, R, C>; N]>
where
    DefaultAllocator: Sizes<R, C>,
{
    let like = x.iter().find_map(|(_, tangents)| *tangents)?;
    let mut all = like.each_ref().map(copied);
    for k in 0..like.first().map_or(0, |like| like.len()) {
        let (values, tangents) = (x.map(|x| at(x.0, k)), x.map(|x| each_at(x.1, k)));
        let along = <T as ElementKind>::push(op, values, at(r, k), tangents, one_sided);
        for (all, r_t) in all.iter_mut().zip(along) {
            all.as_mut_slice()[k] = r_t;
        }
    }
    Some(all)
}
fn pull_second<T: RealNumber, R: Dim, C: Dim, const I: usize, const N: usize>(
    op: &impl Elementwise<I>,
    i: usize,
    x: [Moving<'_, T, R, C, N>; I],
    r: Moving<'_, T, R, C, N>,
    r_b: SecondAdjoint<'_, Dense<T, R, C>, N>,
    one_sided: bool,
) -> WithTangents<T, R, C, N>
where
    DefaultAllocator: Sizes<R, C>,
{
    let like = r_b.r_b.or(r_b.tangents.and_then(|t| t.first()));
    let mut x_b = like.map(copied).expect("the sweep has an adjoint");
    let mut tangents = [(); N].map(|()| copied(&x_b));
    let unset = T::of(-0.0);
    let dual = |value: Option<T>, tangents: Option<[T; N]>| Dual {
        value: value.unwrap_or(unset),
        tangents: tangents.unwrap_or([unset; N]),
    };
    for k in 0..x_b.len() {
        let moving = |(x, x_t)| Some(dual(Some(at(x, k)?), each_at(x_t, k)));
        let r_b = dual(at(r_b.r_b, k), each_at(r_b.tangents, k));
        let pulled =
            <T as ElementKind>::pull_second(op, i, x.map(moving), moving(r), r_b, one_sided);
        x_b.as_mut_slice()[k] = pulled.value;
        for (all, x_bt) in tangents.iter_mut().zip(pulled.tangents) {
            all.as_mut_slice()[k] = x_bt;
        }
    }
    (x_b, tangents)
}
fn read<'v, K: Kind>(reads: u8, bit: u8, arg: &'v Option<Arg<'_, K>>) -> Option<&'v K::Value> {
    let arg = arg.as_ref().filter(|_| reads & bit != 0);
    arg.map(K::Policy::value)
}

/// Declares rules by rows: the operation, its function and holder; the kind of the second argument; each argument with
/// bit, index and contribution; the primal.
macro_rules! by_element { ($(
    [$($generics:tt)*] $Op:ty: $F:ty, $f:expr, $I:literal;
    $B:ty;
    $($x:ident $bit:ident $i:tt $add:ident),*;
    |$op:pat_param, $a:ident, $b:pat_param| $primal:expr;
)*) => { $(
    impl<T: RealNumber, R: Dim, C: Dim, $($generics)*> Rule<Dense<T, R, C>, $B> for $Op
    where
        DefaultAllocator: Sizes<R, C>,
    {
        type Out = Dense<T, R, C>;
        type Saved = ();
        type Evaluation = Whole;
        const READS: [u8; 3] = <$F as Elementwise<$I>>::READS;
        const FLOWS: [bool; 3] = <$F as Elementwise<$I>>::FLOWS;
        fn primal<'p>(&self, $a: Arg<'p, Dense<T, R, C>>, $b: Arg<'p, $B>, (): ()) -> (OMatrix<T, R, C>, ()) {
            let ($op, $a) = ($f(self), <Dense<T, R, C> as Kind>::Policy::value(&$a));
            ($primal, ())
        }
        fn adjoint(
            &self,
            p: Primals<'_, Dense<T, R, C>, $B, (), Dense<T, R, C>>,
            (): &(),
            r_b: Incoming<'_, Dense<T, R, C>>,
            mut s: impl Sinks<Dense<T, R, C>, $B>,
        ) {
            let r_b = r_b.get();
            let r_b = <Dense<T, R, C> as Kind>::Policy::value(&r_b);
            let known = p.known();
            let pull = |i: usize| {
                let reads = <$F as Elementwise<$I>>::READS[i];
                let x = [$(read::<Dense<T, R, C>>(reads, $bit, &known.$i)),*];
                pull($f(self), i, x, read::<Dense<T, R, C>>(reads, RESULT, &known.3), r_b)
            };
            $( if <$F as Elementwise<$I>>::FLOWS[$i] && s.$x().wants() {
                s.$x().add(pull($i));
            } )*
        }
        const ORDER: Order = Order::Second;
        const MARKS: bool = true;
        fn tangents<const N: usize>(
            &self,
            p: &Primals<'_, Dense<T, R, C>, $B, (), Dense<T, R, C>>,
            (): &(),
            t: ArgumentTangents<'_, Dense<T, R, C>, $B, (), N>,
        ) -> Option<[OMatrix<T, R, C>; N]> {
            let known = p.known();
            let x = [$((read::<Dense<T, R, C>>(u8::MAX, $bit, &known.$i), t.$x)),*];
            push($f(self), x, read::<Dense<T, R, C>>(u8::MAX, RESULT, &known.3), t.one_sided)
        }
        fn second<const N: usize>(
            &self,
            p: &Primals<'_, Dense<T, R, C>, $B, (), Dense<T, R, C>>,
            (): &(),
            t: ArgumentTangents<'_, Dense<T, R, C>, $B, (), N>,
            r_t: Option<&[OMatrix<T, R, C>; N]>,
            r_b: SecondAdjoint<'_, Dense<T, R, C>, N>,
            s: &mut impl SecondSinks<Dense<T, R, C>, $B, (), N>,
        ) {
            let known = p.known();
            let pull = |i: usize| {
                let reads = <$F as Elementwise<$I>>::READS[i];
                let x = [$((read::<Dense<T, R, C>>(reads, $bit, &known.$i), t.$x)),*];
                let r = (read::<Dense<T, R, C>>(reads, RESULT, &known.3), r_t);
                pull_second($f(self), i, x, r, r_b, t.one_sided)
            };
            $( if <$F as Elementwise<$I>>::FLOWS[$i] {
                s.$add(|| pull($i));
            } )*
        }
    }
)* } }
by_element! {
    [O: Elementwise<1>] Map<O>: O, inner, 1; ();
    a A 0 add_a;
    |f, a, ()| map(a, |a| T::piece(f.primal([T::lane(a)])));
    [O: Elementwise<2>] Map<O>: O, inner, 2; Dense<T, R, C>;
    a A 0 add_a, b B 1 add_b;
    |f, a, b| {
        let b = <Dense<T, R, C> as Kind>::Policy::value(&b);
        shapes::same("a.zip_map(b, ..)", a.shape(), b.shape());
        zip(a, b, |a, b| T::piece(f.primal([T::lane(a), T::lane(b)])))
    };
    // At 0 the slope is 0, and the second derivative follows `norm_l1`.
    [] op::Abs: op::Abs, identity, 1; ();
    a A 0 add_a;
    |_, a, ()| map(a, nalgebra::ComplexField::abs);
}
fn inner<O>(Map(op): &Map<O>) -> &O {
    op
}

/// Elementary functions, applied to each element.
pub trait MapOps<M: AnyMode, T: Number, R: Dim, C: Dim>:
    Operand<M, Kind = Dense<T, R, C>> + Sized
where
    DefaultAllocator: Sizes<R, C>,
{
    /// Applies an operation such as `op::Exp` to every element. Closures are not accepted.
    ///
    /// ```
    /// use entape_core::{op, tape::Tape};
    /// use entape_linalg::{MapOps, ReductionOps};
    /// use nalgebra::dvector;
    ///
    /// let mut tape = Tape::new();
    /// let v = tape.input(dvector![0.0, 1.0]);
    /// let y = tape.record(|| v.map(op::Exp).sum().eval());
    /// assert_eq!(tape.gradient(&y)?.wrt(&v)?, dvector![1.0, 1.0_f64.exp()]);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    fn map<O>(self, op: O) -> Unary<Map<O>, M, Self>
    where
        Map<O>: Rule<Dense<T, R, C>>,
    {
        unary(Map(op), self)
    }
    /// Applies an operation such as `op::Atan2` to every pair of elements.
    ///
    /// ```
    /// use entape_core::{op, tape::Tape};
    /// use entape_linalg::prelude::*;
    /// use nalgebra::dvector;
    ///
    /// let mut tape = Tape::new();
    /// let (x, y) = (tape.input(dvector![3.0, 0.0]), tape.input(dvector![4.0, 2.0]));
    /// let r = tape.record(|| x.zip_map(&y, op::Hypot).eval());
    /// assert_eq!(r.get(), &dvector![5.0, 2.0]);
    /// let r = tape.record(|| r.sum().eval());
    /// approx::assert_abs_diff_eq!(tape.gradient(&r)?.wrt(&x)?, dvector![0.6, 0.0], epsilon = 5e-16);
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// On evaluation, if the shapes differ.
    fn zip_map<X, O>(self, b: X, op: O) -> Binary<Map<O>, M, Self, X>
    where
        X: Operand<M>,
        Map<O>: Rule<Dense<T, R, C>, KindOf<X, M>>,
    {
        binary(Map(op), self, b)
    }
}
impl<M: AnyMode, T: Number, R: Dim, C: Dim, X: Operand<M, Kind = Dense<T, R, C>>> MapOps<M, T, R, C>
    for X
where
    DefaultAllocator: Sizes<R, C>,
{
}

pub(crate) fn cast<T: Number, U: Number>(x: T) -> U {
    let part = |x: T::Part| nalgebra::try_convert(x).map_or(U::Part::of(f64::NAN), U::Part::of);
    U::of_parts(part(x.real()), part(x.imaginary()))
}
#[op(op::ToF32, linear)]
fn to_f32<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] a: &Dense<T, R, C>,
) -> &Dense<f32, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, cast)
}
#[op(op::ToF64, linear)]
fn to_f64<T: RealNumber, R: Dim, C: Dim>(
    #[ad_in(map(r_b, cast))] a: &Dense<T, R, C>,
) -> &Dense<f64, R, C>
where
    DefaultAllocator: Sizes<R, C>,
{
    map(a, cast)
}
