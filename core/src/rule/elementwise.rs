//! Elementary functions, declared once for every kind that is made of numbers.
use super::{A, B, C, Lane, Primals, R, Rule, Sink, Sinks};
use crate::kind::{Arg, Kind, Stash, Val, index};

/// An elementary function of `N` arguments and its partial derivatives, for any lane type. Declared
/// with [`elementary!`](crate::elementary).
pub trait Elementwise<const N: usize>: Stash {
    /// For each argument: what its adjoint reads, as in [`Rule::READS`].
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint. `floor` has none: its derivative is zero.
    const FLOWS: [bool; 3];
    /// The function.
    fn primal<L: Lane>(&self, x: [L; N]) -> L;
    /// What is added to the adjoint of argument `i`; `r` is the result, `r_b` its adjoint. What the
    /// formula doesn't declare in [`READS`](Self::READS) may be anything.
    fn adjoint<L: Lane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
}

/// A kind whose values are made of numbers one by one: it has every elementary function.
pub trait ElementKind: Kind {
    /// Applies `op` to each element.
    fn map<'p, const N: usize, O: Elementwise<N>>(op: &O, x: [Arg<'p, Self>; N]) -> Val<Self>;
    /// The adjoint of argument `i`, each element. An argument or a result that the adjoint doesn't read is `None`.
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Arg<'_, Self>>; N],
        r: Option<Arg<'_, Self>>,
        r_b: Arg<'_, Self>,
    ) -> Val<Self>;
}

impl<K: ElementKind, O: Elementwise<1>> Rule<K> for O {
    type Out = K;
    type Saved = ();
    const READS: [u8; 3] = <O as Elementwise<1>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<1>>::FLOWS;
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<K>, ()) {
        (K::map(self, [a]), ())
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, (), (), K>,
        (): &(),
        r_b: Arg<'_, K>,
        mut s: impl Sinks<K>,
    ) {
        let [reads, ..] = <Self as Rule<K>>::READS;
        if O::FLOWS[0] && s.a().wants() {
            s.a().add(K::pull(
                self,
                0,
                [p.a.read(reads & A)],
                p.r.read(reads & R),
                r_b,
            ));
        }
    }
}
impl<K: ElementKind, O: Elementwise<2>> Rule<K, K> for O {
    type Out = K;
    type Saved = ();
    const READS: [u8; 3] = <O as Elementwise<2>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, b: Arg<'p, K>, (): ()) -> (Val<K>, ()) {
        (K::map(self, [a, b]), ())
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, K, (), K>,
        (): &(),
        r_b: Arg<'_, K>,
        mut s: impl Sinks<K, K>,
    ) {
        let [ra, rb, _] = <Self as Rule<K, K>>::READS;
        let x = |reads| [p.a.read(reads & A), p.b.read(reads & B)];
        if O::FLOWS[0] && s.a().wants() {
            s.a()
                .add(K::pull(self, 0, x(ra), p.r.read(ra & R), r_b.clone()));
        }
        if O::FLOWS[1] && s.b().wants() {
            s.b().add(K::pull(self, 1, x(rb), p.r.read(rb & R), r_b));
        }
    }
}
impl<K: ElementKind, O: Elementwise<3>> Rule<K, K, K> for O {
    type Out = K;
    type Saved = ();
    const READS: [u8; 3] = <O as Elementwise<3>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<3>>::FLOWS;
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, b: Arg<'p, K>, c: Arg<'p, K>) -> (Val<K>, ()) {
        (K::map(self, [a, b, c]), ())
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, K, K, K>,
        (): &(),
        r_b: Arg<'_, K>,
        mut s: impl Sinks<K, K, K>,
    ) {
        let [ra, rb, rc] = <Self as Rule<K, K, K>>::READS;
        let x = |reads| {
            [
                p.a.read(reads & A),
                p.b.read(reads & B),
                p.c.read(reads & C),
            ]
        };
        if O::FLOWS[0] && s.a().wants() {
            s.a()
                .add(K::pull(self, 0, x(ra), p.r.read(ra & R), r_b.clone()));
        }
        if O::FLOWS[1] && s.b().wants() {
            s.b()
                .add(K::pull(self, 1, x(rb), p.r.read(rb & R), r_b.clone()));
        }
        if O::FLOWS[2] && s.c().wants() {
            s.c().add(K::pull(self, 2, x(rc), p.r.read(rc & R), r_b));
        }
    }
}

/// A value kind made of numbers of kind `S` (`f64` or `f32`) whose operations of two and three arguments take a
/// single number for any of them, but one; it stands for all elements: `v.max(0.0)`, `v.powf(x)`, `2.0 * v`,
/// `v.clamp(0.0, x)`. With this trait every elementary function of two or three arguments has these rules.
///
/// A kind with faster rules of its own, and a storage kind, for which this would make a temporary of
/// full size, declares them instead.
pub trait Broadcast<S: Kind>: ElementKind<Policy = index::Linear> {
    /// `x` in every element.
    fn broadcast(x: Val<S>) -> Val<Self>;
    /// The sum of all elements.
    fn sum(x: Val<Self>) -> Val<S>;
}

/// The rules of a broadcast number.
macro_rules! broadcast { ($($S:ident)*) => { $(
    impl<K: Broadcast<$S>, O: Elementwise<2>> Rule<K, $S> for O {
        type Out = K;
        type Saved = ();
        const READS: [u8; 3] = <O as Elementwise<2>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
        #[inline(always)]
        fn primal(&self, a: Val<K>, b: $S, (): ()) -> (Val<K>, ()) {
            (K::map(self, [a, K::broadcast(b)]), ())
        }
        #[inline(always)]
        fn adjoint(&self, p: Primals<'_, K, $S, (), K>, (): &(), r_b: Val<K>, mut s: impl Sinks<K, $S>) {
            let [ra, rb, _] = <Self as Rule<K, $S>>::READS;
            let x = |reads| [p.a.read(reads & A), p.b.read(reads & B).map(K::broadcast)];
            if O::FLOWS[0] && s.a().wants() {
                s.a().add(K::pull(self, 0, x(ra), p.r.read(ra & R), r_b.clone()));
            }
            if O::FLOWS[1] && s.b().wants() {
                s.b().add(K::sum(K::pull(self, 1, x(rb), p.r.read(rb & R), r_b)));
            }
        }
    }
    impl<K: Broadcast<$S>, O: Elementwise<2>> Rule<$S, K> for O {
        type Out = K;
        type Saved = ();
        const READS: [u8; 3] = <O as Elementwise<2>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
        #[inline(always)]
        fn primal(&self, a: $S, b: Val<K>, (): ()) -> (Val<K>, ()) {
            (K::map(self, [K::broadcast(a), b]), ())
        }
        #[inline(always)]
        fn adjoint(&self, p: Primals<'_, $S, K, (), K>, (): &(), r_b: Val<K>, mut s: impl Sinks<$S, K>) {
            let [ra, rb, _] = <Self as Rule<$S, K>>::READS;
            let x = |reads| [p.a.read(reads & A).map(K::broadcast), p.b.read(reads & B)];
            if O::FLOWS[0] && s.a().wants() {
                s.a().add(K::sum(K::pull(self, 0, x(ra), p.r.read(ra & R), r_b.clone())));
            }
            if O::FLOWS[1] && s.b().wants() {
                s.b().add(K::pull(self, 1, x(rb), p.r.read(rb & R), r_b));
            }
        }
    }
)* } }
broadcast! { f64 f32 }

/// The rules of three arguments, of which one or two are broadcast numbers: `all` marks a `K`, `one` a number.
macro_rules! broadcast3 { ($($S:ident)*) => { $(
    broadcast3! { @rule $S all all one }
    broadcast3! { @rule $S all one all }
    broadcast3! { @rule $S one all all }
    broadcast3! { @rule $S all one one }
    broadcast3! { @rule $S one all one }
    broadcast3! { @rule $S one one all }
)* };
(@rule $S:ident $a:ident $b:ident $c:ident) => {
    impl<K: Broadcast<$S>, O: Elementwise<3>>
        Rule<broadcast3!(@kind $S $a), broadcast3!(@kind $S $b), broadcast3!(@kind $S $c)> for O
    {
        type Out = K;
        type Saved = ();
        const READS: [u8; 3] = <O as Elementwise<3>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<3>>::FLOWS;
        #[inline(always)]
        fn primal(
            &self,
            a: Val<broadcast3!(@kind $S $a)>,
            b: Val<broadcast3!(@kind $S $b)>,
            c: Val<broadcast3!(@kind $S $c)>,
        ) -> (Val<K>, ()) {
            let all = [broadcast3!(@fill $a)(a), broadcast3!(@fill $b)(b), broadcast3!(@fill $c)(c)];
            (K::map(self, all), ())
        }
        #[inline(always)]
        fn adjoint(
            &self,
            p: Primals<'_, broadcast3!(@kind $S $a), broadcast3!(@kind $S $b), broadcast3!(@kind $S $c), K>,
            (): &(),
            r_b: Val<K>,
            mut s: impl Sinks<broadcast3!(@kind $S $a), broadcast3!(@kind $S $b), broadcast3!(@kind $S $c)>,
        ) {
            let [ra, rb, rc] = <O as Elementwise<3>>::READS;
            let x = |reads| {
                [
                    p.a.read(reads & A).map(broadcast3!(@fill $a)),
                    p.b.read(reads & B).map(broadcast3!(@fill $b)),
                    p.c.read(reads & C).map(broadcast3!(@fill $c)),
                ]
            };
            let r = |reads| p.r.read(reads & R);
            if O::FLOWS[0] && s.a().wants() {
                s.a().add(broadcast3!(@sum $a)(K::pull(self, 0, x(ra), r(ra), r_b.clone())));
            }
            if O::FLOWS[1] && s.b().wants() {
                s.b().add(broadcast3!(@sum $b)(K::pull(self, 1, x(rb), r(rb), r_b.clone())));
            }
            if O::FLOWS[2] && s.c().wants() {
                s.c().add(broadcast3!(@sum $c)(K::pull(self, 2, x(rc), r(rc), r_b)));
            }
        }
    }
};
(@kind $S:ident all) => { K };
(@kind $S:ident one) => { $S };
(@fill all) => { std::convert::identity };
(@fill one) => { K::broadcast };
(@sum all) => { std::convert::identity };
(@sum one) => { K::sum };
}
broadcast3! { f64 f32 }

/// Reads an optional primal only if the formula declares it.
trait Read: Sized {
    fn read(&self, bit: u8) -> Self;
}
impl<V: Clone> Read for Option<V> {
    #[inline(always)]
    fn read(&self, bit: u8) -> Self {
        if bit != 0 { self.clone() } else { None }
    }
}

/// The number itself is the one lane.
macro_rules! one_lane { ($($T:ident)*) => { $(
    impl ElementKind for $T {
        #[inline(always)]
        fn map<'p, const N: usize, O: Elementwise<N>>(op: &O, x: [$T; N]) -> $T { op.primal(x) }
        #[inline(always)]
        fn pull<const N: usize, O: Elementwise<N>>(op: &O, i: usize, x: [Option<$T>; N], r: Option<$T>, r_b: $T) -> $T {
            // What a formula doesn't declare, it doesn't read; a faulty one computes NaN, no wrong number.
            op.adjoint(i, x.map(|x| x.unwrap_or($T::NAN)), r.unwrap_or($T::NAN), r_b)
        }
    }
)* } }
one_lane! { f64 f32 }
