//! Operations on lanes by the rules for numbers.
use super::{ComplexLanes, Lanes, SimdVector};
use crate::arrays::flow;
use entape_complex::{C32, C64, ComplexKind, num_complex::Complex, op};
use entape_core::{
    eval::Whole,
    kind::{self, Arg, Incoming, Kind, Passed, Val, arg, index},
    op as shared,
    rule::{
        A, ArgumentTangents, B, C, NumberOrNone, Order, PiecePrimals, Primals, R, Rule,
        SecondAdjoint, SecondSinks, Sink, Sinks, adjoint_of, second_of, tangents_of,
    },
    store::Stash,
};
use std::{array::from_fn, convert::identity};

/// Complex or real lanes, one number for all, or `()`.
pub trait ByLane<V: SimdVector>: Kind<Policy = index::Linear, Value: Copy> {
    /// The kind of one lane.
    type Number: NumberOrNone + Kind<Value: Copy + Default, Adjoint = Val<Self::Number>>;
    /// Returns the number in lane `i`.
    fn number(x: Val<Self>, i: usize) -> Val<Self::Number>;
    /// Combines the numbers of all lanes, or sums them up for one number.
    fn gather(lane: impl FnMut(usize) -> Val<Self::Number>) -> Val<Self>;
}
impl<V: SimdVector> ByLane<V> for ComplexLanes<V> {
    type Number = ComplexKind<V::Number>;
    #[inline(always)]
    fn number(z: Complex<V>, i: usize) -> Complex<V::Number> {
        Complex::new(z.re.as_slice()[i], z.im.as_slice()[i])
    }
    #[inline(always)]
    fn gather(mut lane: impl FnMut(usize) -> Complex<V::Number>) -> Complex<V> {
        let mut all = Complex::new(V::default(), V::default());
        for i in 0..V::LANES {
            let z = lane(i);
            all.re.as_mut_slice()[i] = z.re;
            all.im.as_mut_slice()[i] = z.im;
        }
        all
    }
}
impl<V: SimdVector> ByLane<V> for Lanes<V> {
    type Number = V::Number;
    #[inline(always)]
    fn number(x: V, i: usize) -> V::Number {
        x.as_slice()[i]
    }
    #[inline(always)]
    fn gather(lane: impl FnMut(usize) -> V::Number) -> V {
        V::from_fn(lane)
    }
}
macro_rules! numbers { ($($K:ty)*) => { $(
    impl<V: SimdVector> ByLane<V> for $K {
        type Number = $K;
        #[inline(always)]
        fn number(x: Val<$K>, _: usize) -> Val<$K> {
            x
        }
        #[inline(always)]
        fn gather(mut lane: impl FnMut(usize) -> Val<$K>) -> Val<$K> {
            let mut sum = flow::<$K>(true, None);
            for i in 0..V::LANES {
                <$K as Kind>::accumulate(&mut sum, lane(i));
            }
            sum
        }
    }
)* } }
numbers! { () f64 f32 C64 C32 }

type Of<V, K> = <K as ByLane<V>>::Number;
type At<V, X, Y, Z, Out> = PiecePrimals<Of<V, X>, Of<V, Y>, Of<V, Z>, Of<V, Out>>;

trait OnLanes<V: SimdVector, X: ByLane<V>, Y: ByLane<V>, Z: ByLane<V>, Out: ByLane<V>>:
    Rule<Of<V, X>, Of<V, Y>, Of<V, Z>, Out = Of<V, Out>, Saved = ()>
{
    #[inline(always)]
    fn primal_of(&self, x: Val<X>, y: Val<Y>, z: Val<Z>) -> Val<Out> {
        Out::gather(|i| {
            let (x, y, z) = (X::number(x, i), Y::number(y, i), Z::number(z, i));
            let (x, y, z) = (
                arg::<Of<V, X>>(&x),
                arg::<Of<V, Y>>(&y),
                arg::<Of<V, Z>>(&z),
            );
            self.primal(x, y, z).0
        })
    }
    #[inline(always)]
    fn at(p: &Primals<'_, X, Y, Z, Out>, reads: u8, i: usize) -> At<V, X, Y, Z, Out> {
        let (x, y, z, r) = p.known();
        PiecePrimals {
            a: x.filter(|_| reads & A != 0).map(|x| X::number(x, i)),
            b: y.filter(|_| reads & B != 0).map(|y| Y::number(y, i)),
            c: z.filter(|_| reads & C != 0).map(|z| Z::number(z, i)),
            r: r.filter(|_| reads & R != 0).map(|r| Out::number(r, i)),
        }
    }
    #[inline(always)]
    fn adjoints_of(
        &self,
        p: &Primals<'_, X, Y, Z, Out>,
        r_b: Val<Out>,
        mut s: impl Sinks<X, Y, Z>,
    ) {
        macro_rules! pull {
            ($X:ident $x:ident $i:tt) => {
                if Self::FLOWS[$i] && s.$x().wants() {
                    let reads = Self::READS[$i];
                    let x_b = $X::gather(|i| {
                        let r_b = Out::number(r_b, i);
                        if kind::is_unset::<Of<V, Out>>(&r_b) {
                            return flow::<Of<V, $X>>(true, None);
                        }
                        let at = Self::at(p, reads, i);
                        let all = adjoint_of::<$i, _, Of<V, X>, Of<V, Y>, Of<V, Z>>(self, at, r_b);
                        flow::<Of<V, $X>>(false, all.$i)
                    });
                    s.$x().add(Passed(x_b));
                }
            };
        }
        pull!(X a 0);
        pull!(Y b 1);
        pull!(Z c 2);
    }
    #[inline(always)]
    fn tangents_of_lanes<const N: usize>(
        &self,
        p: &Primals<'_, X, Y, Z, Out>,
        t: ArgumentTangents<'_, X, Y, Z, N>,
    ) -> Option<[Val<Out>; N]> {
        if t.is_zero() {
            return None;
        }
        let one_sided = t.one_sided;
        let mut lanes = [[Default::default(); N]; MOST];
        for (i, lane) in lanes.iter_mut().enumerate().take(V::LANES) {
            let (x, y, z) = lane_tangents::<V, X, Y, Z, N>(t, i);
            let t = ArgumentTangents {
                a: x.as_ref(),
                b: y.as_ref(),
                c: z.as_ref(),
                one_sided,
            };
            *lane = tangents_of(self, &Self::at(p, u8::MAX, i), t)?;
        }
        Some(from_fn(|j| Out::gather(|i| lanes[i][j])))
    }
    #[inline(always)]
    fn second_of_lanes<const N: usize>(
        &self,
        p: &Primals<'_, X, Y, Z, Out>,
        t: ArgumentTangents<'_, X, Y, Z, N>,
        r_t: Option<&[Val<Out>; N]>,
        r: SecondAdjoint<'_, Out, N>,
        sinks: &mut impl SecondSinks<X, Y, Z, N>,
    ) {
        let wanted = {
            let mut sinks = sinks.adjoint();
            let a = Self::FLOWS[0] && sinks.a().wants();
            let b = Self::FLOWS[1] && sinks.b().wants();
            let c = Self::FLOWS[2] && sinks.c().wants();
            [a, b, c]
        };
        let one_sided = t.one_sided;
        let number = |r_b: &Val<Out>, i| Out::number(*r_b, i);
        let (mut a, mut b, mut c) = (
            idle::<Of<V, X>, N>(),
            idle::<Of<V, Y>, N>(),
            idle::<Of<V, Z>, N>(),
        );
        for i in 0..V::LANES {
            let r_b = r.r_b.map(|r_b| number(r_b, i));
            let tangents = r.tangents.map(|t| t.each_ref().map(|t| number(t, i)));
            let mut all = r_b.into_iter().chain(tangents.into_iter().flatten());
            if all.all(|r_b| kind::is_unset::<Of<V, Out>>(&r_b)) {
                continue;
            }
            let (x, y, z) = lane_tangents::<V, X, Y, Z, N>(t, i);
            let t = ArgumentTangents {
                a: x.as_ref(),
                b: y.as_ref(),
                c: z.as_ref(),
                one_sided,
            };
            let r_t = r_t.map(|t| t.each_ref().map(|t| number(t, i)));
            let adjoint = SecondAdjoint {
                r_b: r_b.as_ref(),
                tangents: tangents.as_ref(),
            };
            let at = Self::at(p, u8::MAX, i);
            let sums = second_of(self, &at, t, r_t.as_ref(), adjoint, wanted);
            let (x_b, y_b, z_b) = sums.adjoints;
            let tangents = sums.tangents;
            a[i] = (
                flow::<Of<V, X>>(false, x_b),
                tangents.map(|t| flow::<Of<V, X>>(false, t.0)),
            );
            b[i] = (
                flow::<Of<V, Y>>(false, y_b),
                tangents.map(|t| flow::<Of<V, Y>>(false, t.1)),
            );
            c[i] = (
                flow::<Of<V, Z>>(false, z_b),
                tangents.map(|t| flow::<Of<V, Z>>(false, t.2)),
            );
        }
        if wanted[0] {
            sinks.add_a(|| (X::gather(|i| a[i].0), from_fn(|j| X::gather(|i| a[i].1[j]))));
        }
        if wanted[1] {
            sinks.add_b(|| (Y::gather(|i| b[i].0), from_fn(|j| Y::gather(|i| b[i].1[j]))));
        }
        if wanted[2] {
            sinks.add_c(|| (Z::gather(|i| c[i].0), from_fn(|j| Z::gather(|i| c[i].1[j]))));
        }
    }
}
impl<V: SimdVector, X: ByLane<V>, Y: ByLane<V>, Z: ByLane<V>, Out: ByLane<V>, O>
    OnLanes<V, X, Y, Z, Out> for O
where
    O: Rule<Of<V, X>, Of<V, Y>, Of<V, Z>, Out = Of<V, Out>, Saved = ()>,
{
}
/// The largest number of lanes.
const MOST: usize = 16;
fn idle<K: NumberOrNone + Kind<Value: Copy + Default>, const N: usize>()
-> [(Val<K>, [Val<K>; N]); MOST] {
    [(flow::<K>(true, None), [flow::<K>(true, None); N]); MOST]
}

#[inline(always)]
#[allow(clippy::type_complexity)]
fn lane_tangents<V: SimdVector, X: ByLane<V>, Y: ByLane<V>, Z: ByLane<V>, const N: usize>(
    t: ArgumentTangents<'_, X, Y, Z, N>,
    i: usize,
) -> (
    Option<[Val<Of<V, X>>; N]>,
    Option<[Val<Of<V, Y>>; N]>,
    Option<[Val<Of<V, Z>>; N]>,
) {
    (
        t.a.map(|t| t.each_ref().map(|x| X::number(*x, i))),
        t.b.map(|t| t.each_ref().map(|y| Y::number(*y, i))),
        t.c.map(|t| t.each_ref().map(|z| Z::number(*z, i))),
    )
}

macro_rules! by_lane { ($([$($generics:tt)*] $V:ty: $X:ty, $Y:ty, $Z:ty => $Out:ty: $($Op:ty)*;)*) => { $(
    by_lane! { @one [$($generics)*] [$V, $X, $Y, $Z, $Out] $($Op)* }
)* };
(@one $generics:tt $kinds:tt $($Op:ty)*) => { $( by_lane! { @rule $generics $kinds $Op: $Op, identity } )* };
(@rule [$($generics:tt)*] [$V:ty, $X:ty, $Y:ty, $Z:ty, $Out:ty] $Op:ty: $Inner:ty, $inner:expr) => {
    impl<$($generics)*> Rule<$X, $Y, $Z> for $Op {
        type Out = $Out;
        type Saved = ();
        type Evaluation = Whole;
        const READS: [u8; 3] = <$Inner as Rule<Of<$V, $X>, Of<$V, $Y>, Of<$V, $Z>>>::READS;
        const FLOWS: [bool; 3] = <$Inner as Rule<Of<$V, $X>, Of<$V, $Y>, Of<$V, $Z>>>::FLOWS;
        #[inline(always)]
        fn primal(&self, x: Arg<'_, $X>, y: Arg<'_, $Y>, z: Arg<'_, $Z>) -> (Val<$Out>, ()) {
            (OnLanes::<$V, $X, $Y, $Z, $Out>::primal_of($inner(self), x, y, z), ())
        }
        #[inline(always)]
        fn adjoint(
            &self,
            p: Primals<'_, $X, $Y, $Z, $Out>,
            (): &(),
            r_b: Incoming<'_, $Out>,
            s: impl Sinks<$X, $Y, $Z>,
        ) {
            OnLanes::<$V, $X, $Y, $Z, $Out>::adjoints_of($inner(self), &p, r_b.get(), s);
        }
        const MARKS: bool = true;
        const ORDER: Order = <$Inner as Rule<Of<$V, $X>, Of<$V, $Y>, Of<$V, $Z>>>::ORDER;
        #[inline(always)]
        fn tangents<const N: usize>(
            &self,
            p: &Primals<'_, $X, $Y, $Z, $Out>,
            (): &(),
            t: ArgumentTangents<'_, $X, $Y, $Z, N>,
        ) -> Option<[Val<$Out>; N]> {
            OnLanes::<$V, $X, $Y, $Z, $Out>::tangents_of_lanes($inner(self), p, t)
        }
        #[inline(always)]
        fn second<const N: usize>(
            &self,
            p: &Primals<'_, $X, $Y, $Z, $Out>,
            (): &(),
            t: ArgumentTangents<'_, $X, $Y, $Z, N>,
            r_t: Option<&[Val<$Out>; N]>,
            r: SecondAdjoint<'_, $Out, N>,
            s: &mut impl SecondSinks<$X, $Y, $Z, N>,
        ) {
            OnLanes::<$V, $X, $Y, $Z, $Out>::second_of_lanes($inner(self), p, t, r_t, r, s);
        }
    }
} }
by_lane! {
    [V: SimdVector] V: ComplexLanes<V>, ComplexLanes<V>, () => ComplexLanes<V>:
        shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [V: SimdVector] V: ComplexLanes<V>, Lanes<V>, () => ComplexLanes<V>:
        shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    [V: SimdVector] V: ComplexLanes<V>, (), () => ComplexLanes<V>: shared::Neg;
    [V: SimdVector] V: ComplexLanes<V>, ComplexLanes<V>, ComplexLanes<V> => ComplexLanes<V>:
        shared::MulAdd;

    [V: SimdVector] V: ComplexLanes<V>, (), () => ComplexLanes<V>:
        shared::Sqrt shared::Cbrt shared::Recip shared::Powi shared::Exp shared::Exp2 shared::ExpM1
        shared::Ln shared::Ln1p shared::Log2 shared::Log10
        shared::Sin shared::Cos shared::Tan shared::Asin shared::Acos shared::Atan
        shared::Sinh shared::Cosh shared::Tanh shared::Asinh shared::Acosh shared::Atanh
        op::Conj op::Inv op::Powu;
    [V: SimdVector] V: ComplexLanes<V>, Lanes<V>, () => ComplexLanes<V>:
        shared::Powf shared::Log op::Expf;
    [V: SimdVector] V: ComplexLanes<V>, ComplexLanes<V>, () => ComplexLanes<V>: op::Powc;

    [V: SimdVector] V: ComplexLanes<V>, (), () => Lanes<V>:
        shared::Abs op::Re op::Im op::NormSqr op::L1Norm op::Arg;
}
/// Makes complex numbers from reals, lane by lane.
#[derive(Clone, Copy, Debug, Default, Stash)]
pub struct OnReals<O>(pub O);
impl<O> OnReals<O> {
    #[inline(always)]
    fn inner(&self) -> &O {
        &self.0
    }
}
macro_rules! on_reals { ($($X:ty, $Y:ty: $($Op:ty)*;)*) => { $( $(
    by_lane! { @rule
        [V: SimdVector] [V, $X, $Y, (), ComplexLanes<V>] OnReals<$Op>: $Op, OnReals::inner
    }
)* )* } }
on_reals! {
    Lanes<V>, (): op::ToComplex op::Cis;
    Lanes<V>, Lanes<V>: op::New op::FromPolar;
}
macro_rules! with_numbers { ($($T:ident $C:ident: $($V:ident)*;)*) => { $(
    by_lane! {
        [V: SimdVector<Number = $T>] V: ComplexLanes<V>, $T, () => ComplexLanes<V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem shared::Powf shared::Log op::Expf;
        [V: SimdVector<Number = $T>] V: $T, ComplexLanes<V>, () => ComplexLanes<V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
        [V: SimdVector<Number = $T>] V: ComplexLanes<V>, $C, () => ComplexLanes<V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem op::Powc;
        [V: SimdVector<Number = $T>] V: $C, ComplexLanes<V>, () => ComplexLanes<V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    }
    $( by_lane! {
        [] wide::$V: Lanes<wide::$V>, ComplexLanes<wide::$V>, () => ComplexLanes<wide::$V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
        [] wide::$V: Lanes<wide::$V>, $C, () => ComplexLanes<wide::$V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
        [] wide::$V: $C, Lanes<wide::$V>, () => ComplexLanes<wide::$V>:
            shared::Add shared::Sub shared::Mul shared::Div shared::Rem;
    } )*
)* } }
with_numbers! {
    f64 C64: f64x2 f64x4 f64x8;
    f32 C32: f32x4 f32x8 f32x16;
}
