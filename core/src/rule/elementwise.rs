//! Elementary functions, declared once for every kind that is made of numbers.
use super::{A, B, C, Lane, PiecePrimals, Primals, R, Rule, Sink, Sinks};
use crate::kind::{Arg, At, Kind, Piece, Policy, Shape, Stash, Val, arg, as_a_whole};

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

    /// Whether elementary functions of this kind are computed piece by piece, which the functions below do then.
    const PIECES: bool = false;
    /// The shape that the arguments of `op` have in common.
    ///
    /// # Panics
    /// If they differ; the message names the operation and the shapes.
    #[track_caller]
    fn common<const N: usize, O: Elementwise<N>>(op: &O, shapes: [Shape<Self>; N]) -> Shape<Self> {
        let _ = (op, shapes);
        as_a_whole::<Self>()
    }
    /// Applies `op` to pieces.
    fn map_piece<const N: usize, O: Elementwise<N>>(op: &O, x: [Piece<Self>; N]) -> Piece<Self> {
        let _ = (op, x);
        as_a_whole::<Self>()
    }
    /// A piece of the adjoint of argument `i`.
    fn pull_piece<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<Piece<Self>>; N],
        r: Option<Piece<Self>>,
        r_b: Piece<Self>,
    ) -> Piece<Self> {
        let _ = (op, i, x, r, r_b);
        as_a_whole::<Self>()
    }
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
    const PIECES: bool = K::PIECES;
    #[inline]
    fn begin(&self, a: Shape<K>, (): (), (): ()) -> (Shape<K>, ()) {
        (K::common(self, [a]), ())
    }
    #[inline(always)]
    fn spread(&self, r: Shape<K>) -> (Shape<K>, (), ()) {
        (r, (), ())
    }
    #[inline(always)]
    fn piece(&self, a: Piece<K>, (): (), (): ()) -> Piece<K> {
        K::map_piece(self, [a])
    }
    #[inline(always)]
    fn pull_a(&self, x: &PiecePrimals<K, (), (), K>, r_b: Piece<K>, _: At) -> Piece<K> {
        let [reads, ..] = <Self as Rule<K>>::READS;
        K::pull_piece(self, 0, [x.a.read(reads & A)], x.r.read(reads & R), r_b)
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
    const PIECES: bool = K::PIECES;
    #[inline]
    fn begin(&self, a: Shape<K>, b: Shape<K>, (): ()) -> (Shape<K>, ()) {
        (K::common(self, [a, b]), ())
    }
    #[inline(always)]
    fn spread(&self, r: Shape<K>) -> (Shape<K>, Shape<K>, ()) {
        (r, r, ())
    }
    #[inline(always)]
    fn piece(&self, a: Piece<K>, b: Piece<K>, (): ()) -> Piece<K> {
        K::map_piece(self, [a, b])
    }
    #[inline(always)]
    fn pull_a(&self, x: &PiecePrimals<K, K, (), K>, r_b: Piece<K>, _: At) -> Piece<K> {
        pull_of_two::<K, _>(self, 0, [&x.a, &x.b], &x.r, r_b)
    }
    #[inline(always)]
    fn pull_b(&self, x: &PiecePrimals<K, K, (), K>, r_b: Piece<K>, _: At) -> Piece<K> {
        pull_of_two::<K, _>(self, 1, [&x.a, &x.b], &x.r, r_b)
    }
}
/// A piece of the adjoint of argument `i` of two.
#[inline(always)]
fn pull_of_two<K: ElementKind, O: Elementwise<2>>(
    op: &O,
    i: usize,
    [a, b]: [&Option<Piece<K>>; 2],
    r: &Option<Piece<K>>,
    r_b: Piece<K>,
) -> Piece<K> {
    let reads = O::READS[i];
    K::pull_piece(
        op,
        i,
        [a.read(reads & A), b.read(reads & B)],
        r.read(reads & R),
        r_b,
    )
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
    const PIECES: bool = K::PIECES;
    #[inline]
    fn begin(&self, a: Shape<K>, b: Shape<K>, c: Shape<K>) -> (Shape<K>, ()) {
        (K::common(self, [a, b, c]), ())
    }
    #[inline(always)]
    fn spread(&self, r: Shape<K>) -> (Shape<K>, Shape<K>, Shape<K>) {
        (r, r, r)
    }
    #[inline(always)]
    fn piece(&self, a: Piece<K>, b: Piece<K>, c: Piece<K>) -> Piece<K> {
        K::map_piece(self, [a, b, c])
    }
    #[inline(always)]
    fn pull_a(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>, _: At) -> Piece<K> {
        pull_of_three::<K, _>(self, 0, x, r_b)
    }
    #[inline(always)]
    fn pull_b(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>, _: At) -> Piece<K> {
        pull_of_three::<K, _>(self, 1, x, r_b)
    }
    #[inline(always)]
    fn pull_c(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>, _: At) -> Piece<K> {
        pull_of_three::<K, _>(self, 2, x, r_b)
    }
}
/// A piece of the adjoint of argument `i` of three.
#[inline(always)]
fn pull_of_three<K: ElementKind, O: Elementwise<3>>(
    op: &O,
    i: usize,
    x: &PiecePrimals<K, K, K, K>,
    r_b: Piece<K>,
) -> Piece<K> {
    let reads = O::READS[i];
    let [a, b, c] = [
        x.a.read(reads & A),
        x.b.read(reads & B),
        x.c.read(reads & C),
    ];
    K::pull_piece(op, i, [a, b, c], x.r.read(reads & R), r_b)
}

/// A kind made of numbers of kind `S` (`f64` or `f32`) whose operations of two arguments take a single number for
/// either one; it stands for all elements: `v.max(0.0)`, `v.powf(x)`, `2.0 * v`. With this trait every
/// elementary function of two arguments has these rules.
///
/// A kind with faster rules of its own, and a storage kind that is not evaluated by pieces, for which this would
/// make a temporary of full size, declares them instead.
pub trait Broadcast<S: Kind>: ElementKind {
    /// `x` in every element of a value with the shape of `like`.
    fn broadcast(x: Val<S>, like: &Val<Self>) -> Val<Self>;
    /// The sum of all elements.
    fn sum(x: Val<Self>) -> Val<S>;
    /// `x` in every lane of a piece; of kinds that are evaluated by pieces.
    fn broadcast_piece(x: Val<S>) -> Piece<Self> {
        let _ = x;
        as_a_whole::<Self>()
    }
    /// The sum of the lanes that are there; likewise.
    fn sum_piece(x: Piece<Self>, at: At) -> Val<S> {
        let _ = (x, at);
        as_a_whole::<Self>()
    }
}

/// The rules of a broadcast number.
macro_rules! broadcast { ($($S:ident)*) => { $(
    impl<K: Broadcast<$S>, O: Elementwise<2>> Rule<K, $S> for O {
        type Out = K;
        type Saved = ();
        const READS: [u8; 3] = <O as Elementwise<2>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
        #[inline(always)]
        fn primal<'p>(&self, a: Arg<'p, K>, b: $S, (): ()) -> (Val<K>, ()) {
            let b = K::broadcast(b, K::Policy::value(&a));
            (K::map(self, [K::Policy::arg(K::Policy::value(&a)), arg::<K>(&b)]), ())
        }
        #[inline(always)]
        fn adjoint(&self, p: Primals<'_, K, $S, (), K>, (): &(), r_b: Arg<'_, K>, mut s: impl Sinks<K, $S>) {
            let [ra, rb, _] = <Self as Rule<K, $S>>::READS;
            let b = p.b.map(|b| K::broadcast(b, K::Policy::value(&r_b)));
            let pull = |i: usize, reads: u8| {
                let x = [again::<K>(&p.a, reads & A), b.as_ref().map(arg::<K>).read(reads & B)];
                K::pull(self, i, x, again::<K>(&p.r, reads & R), r_b.clone())
            };
            if O::FLOWS[0] && s.a().wants() {
                s.a().add(pull(0, ra));
            }
            if O::FLOWS[1] && s.b().wants() {
                s.b().add(K::sum(pull(1, rb)));
            }
        }
        const PIECES: bool = K::PIECES;
        #[inline]
        fn begin(&self, a: Shape<K>, (): (), (): ()) -> (Shape<K>, ()) { (a, ()) }
        #[inline(always)]
        fn spread(&self, r: Shape<K>) -> (Shape<K>, (), ()) { (r, (), ()) }
        #[inline(always)]
        fn piece(&self, a: Piece<K>, b: $S, (): ()) -> Piece<K> {
            K::map_piece(self, [a, K::broadcast_piece(b)])
        }
        #[inline(always)]
        fn pull_a(&self, x: &PiecePrimals<K, $S, (), K>, r_b: Piece<K>, _: At) -> Piece<K> {
            pull_of_two::<K, _>(self, 0, [&x.a, &x.b.map(K::broadcast_piece)], &x.r, r_b)
        }
        #[inline(always)]
        fn pull_b(&self, x: &PiecePrimals<K, $S, (), K>, r_b: Piece<K>, at: At) -> $S {
            K::sum_piece(pull_of_two::<K, _>(self, 1, [&x.a, &x.b.map(K::broadcast_piece)], &x.r, r_b), at)
        }
    }
    impl<K: Broadcast<$S>, O: Elementwise<2>> Rule<$S, K> for O {
        type Out = K;
        type Saved = ();
        const READS: [u8; 3] = <O as Elementwise<2>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
        #[inline(always)]
        fn primal<'p>(&self, a: $S, b: Arg<'p, K>, (): ()) -> (Val<K>, ()) {
            let a = K::broadcast(a, K::Policy::value(&b));
            (K::map(self, [arg::<K>(&a), K::Policy::arg(K::Policy::value(&b))]), ())
        }
        #[inline(always)]
        fn adjoint(&self, p: Primals<'_, $S, K, (), K>, (): &(), r_b: Arg<'_, K>, mut s: impl Sinks<$S, K>) {
            let [ra, rb, _] = <Self as Rule<$S, K>>::READS;
            let a = p.a.map(|a| K::broadcast(a, K::Policy::value(&r_b)));
            let pull = |i: usize, reads: u8| {
                let x = [a.as_ref().map(arg::<K>).read(reads & A), again::<K>(&p.b, reads & B)];
                K::pull(self, i, x, again::<K>(&p.r, reads & R), r_b.clone())
            };
            if O::FLOWS[0] && s.a().wants() {
                s.a().add(K::sum(pull(0, ra)));
            }
            if O::FLOWS[1] && s.b().wants() {
                s.b().add(pull(1, rb));
            }
        }
        const PIECES: bool = K::PIECES;
        #[inline]
        fn begin(&self, (): (), b: Shape<K>, (): ()) -> (Shape<K>, ()) { (b, ()) }
        #[inline(always)]
        fn spread(&self, r: Shape<K>) -> ((), Shape<K>, ()) { ((), r, ()) }
        #[inline(always)]
        fn piece(&self, a: $S, b: Piece<K>, (): ()) -> Piece<K> {
            K::map_piece(self, [K::broadcast_piece(a), b])
        }
        #[inline(always)]
        fn pull_a(&self, x: &PiecePrimals<$S, K, (), K>, r_b: Piece<K>, at: At) -> $S {
            K::sum_piece(pull_of_two::<K, _>(self, 0, [&x.a.map(K::broadcast_piece), &x.b], &x.r, r_b), at)
        }
        #[inline(always)]
        fn pull_b(&self, x: &PiecePrimals<$S, K, (), K>, r_b: Piece<K>, _: At) -> Piece<K> {
            pull_of_two::<K, _>(self, 1, [&x.a.map(K::broadcast_piece), &x.b], &x.r, r_b)
        }
    }
)* } }
broadcast! { f64 f32 }

/// An optional primal, for a shorter time, if the formula declares it.
#[inline(always)]
fn again<'a, K: Kind>(primal: &'a Option<Arg<'_, K>>, bit: u8) -> Option<Arg<'a, K>> {
    let primal = primal.as_ref().filter(|_| bit != 0)?;
    Some(arg::<K>(K::Policy::value(primal)))
}
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
