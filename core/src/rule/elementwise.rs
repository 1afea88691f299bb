//! Elementary functions, declared once for every kind that is made of numbers.
use super::{
    A, B, C, Lane, PiecePrimals, Primals, R, Rule, Sink, Sinks,
    remember::{Cost, Remember, Remembers, SavedBy},
};
use crate::kind::{Arg, Kind, Piece, Policy, Shape, Stash, Val, arg, as_a_whole};

/// An elementary function of `N` arguments and its partial derivatives, for any lane type. Declared
/// with [`elementary!`](crate::elementary).
pub trait Elementwise<const N: usize>: Stash {
    /// Whether a sweep computes it again, or reads the result where the kind [remembers](ElementKind::Remembered) it:
    /// [`Cheap`](super::Cheap) or [`Dear`](super::Dear).
    type Cost: Cost;
    /// For each argument: what its adjoint reads, as in [`Rule::READS`].
    const READS: [u8; 3];
    /// For each argument: whether it has an adjoint. `floor` has none: its derivative is zero.
    const FLOWS: [bool; 3];
    /// The function. What it asserts of its arguments is reported where the user evaluates.
    #[track_caller]
    fn primal<L: Lane>(&self, x: [L; N]) -> L;
    /// What is added to the adjoint of argument `i`; `r` is the result, `r_b` its adjoint. What the
    /// formula doesn't declare in [`READS`](Self::READS) may be anything.
    fn adjoint<L: Lane>(&self, i: usize, x: [L; N], r: L, r_b: L) -> L;
}

/// A kind whose values are made of numbers one by one: it has every elementary function.
pub trait ElementKind: Kind {
    /// How statements remember results of [dear](super::Dear) functions that a sweep reads inside of an expression:
    /// [`Remembered`](super::Remembered), or `()` if they are computed again.
    type Remembered: Remember<Self>;
    /// Applies `op` to each element.
    #[track_caller]
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
    /// The shape that the arguments of `op` of this kind have in common.
    ///
    /// # Panics
    /// If they differ; the message names the operation and the shapes.
    #[track_caller]
    fn common<const N: usize, O>(op: &O, shapes: [Shape<Self>; N]) -> Shape<Self> {
        let _ = (op, shapes);
        as_a_whole::<Self>()
    }
    /// Applies `op` to pieces.
    #[track_caller]
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

/// What the rule of an elementary function `O` for kind `K` says of what statements remember; the same for all arguments.
macro_rules! remembers {
    () => {
        type Saved = SavedBy<O::Cost, K>;
        const SAVES_RESULT: bool = <Self::Saved as Stash>::BYTES > 0;
        const REMEMBERS: Remembers = Remembers::YES;
        #[inline(always)]
        fn result(saved: &Self::Saved) -> Option<Val<K>> {
            saved.value()
        }
        #[inline(always)]
        fn nothing_saved() -> Self::Saved {
            Remember::nothing()
        }
    };
}
/// A result, and what is remembered of it.
#[inline(always)]
fn remembering<K: ElementKind, S: Remember<K>>(r: Val<K>) -> (Val<K>, S) {
    let saved = S::remember(&r);
    (r, saved)
}

impl<K: ElementKind, O: Elementwise<1>> Rule<K> for O {
    type Out = K;
    const READS: [u8; 3] = <O as Elementwise<1>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<1>>::FLOWS;
    remembers! {}
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, (): (), (): ()) -> (Val<K>, Self::Saved) {
        remembering(K::map(self, [a]))
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, (), (), K>,
        _: &Self::Saved,
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
    fn begin(&self, a: Shape<K>, (): (), (): ()) -> (Shape<K>, Self::Saved) {
        (K::common(self, [a]), Remember::nothing())
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
    fn pull_a(&self, x: &PiecePrimals<K, (), (), K>, r_b: Piece<K>) -> Piece<K> {
        let [reads, ..] = <Self as Rule<K>>::READS;
        K::pull_piece(self, 0, [x.a.read(reads & A)], x.r.read(reads & R), r_b)
    }
}
impl<K: ElementKind, O: Elementwise<2>> Rule<K, K> for O {
    type Out = K;
    const READS: [u8; 3] = <O as Elementwise<2>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<2>>::FLOWS;
    remembers! {}
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, b: Arg<'p, K>, (): ()) -> (Val<K>, Self::Saved) {
        remembering(K::map(self, [a, b]))
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, K, (), K>,
        _: &Self::Saved,
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
    fn begin(&self, a: Shape<K>, b: Shape<K>, (): ()) -> (Shape<K>, Self::Saved) {
        (K::common(self, [a, b]), Remember::nothing())
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
    fn pull_a(&self, x: &PiecePrimals<K, K, (), K>, r_b: Piece<K>) -> Piece<K> {
        pull_of_two::<K, _>(self, 0, [&x.a, &x.b], &x.r, r_b)
    }
    #[inline(always)]
    fn pull_b(&self, x: &PiecePrimals<K, K, (), K>, r_b: Piece<K>) -> Piece<K> {
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
    const READS: [u8; 3] = <O as Elementwise<3>>::READS;
    const FLOWS: [bool; 3] = <O as Elementwise<3>>::FLOWS;
    remembers! {}
    #[inline(always)]
    fn primal<'p>(&self, a: Arg<'p, K>, b: Arg<'p, K>, c: Arg<'p, K>) -> (Val<K>, Self::Saved) {
        remembering(K::map(self, [a, b, c]))
    }
    #[inline(always)]
    fn adjoint(
        &self,
        p: Primals<'_, K, K, K, K>,
        _: &Self::Saved,
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
    fn begin(&self, a: Shape<K>, b: Shape<K>, c: Shape<K>) -> (Shape<K>, Self::Saved) {
        (K::common(self, [a, b, c]), Remember::nothing())
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
    fn pull_a(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>) -> Piece<K> {
        pull_of_three::<K, _>(self, 0, x, r_b)
    }
    #[inline(always)]
    fn pull_b(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>) -> Piece<K> {
        pull_of_three::<K, _>(self, 1, x, r_b)
    }
    #[inline(always)]
    fn pull_c(&self, x: &PiecePrimals<K, K, K, K>, r_b: Piece<K>) -> Piece<K> {
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

/// A kind made of numbers of kind `S` (`f64` or `f32`) whose operations of two and three arguments take a single
/// number for any of them, but one; it stands for all elements: `v.max(0.0)`, `v.powf(x)`, `2.0 * v`,
/// `v.clamp(0.0, x)`. With this trait every elementary function of two or three arguments has these rules.
///
/// A kind with faster rules of its own, and a storage kind that is not evaluated by pieces, for which this would
/// make a temporary of full size, declares them instead.
pub trait Broadcast<S: Kind>: ElementKind {
    /// `x` in every element of a value with the shape of `like`.
    fn broadcast(x: Val<S>, like: &Val<Self>) -> Val<Self>;
    /// The sum of all elements.
    fn sum(x: Val<Self>) -> Val<S>;
    /// `x` as a piece; of kinds that are evaluated by pieces.
    fn broadcast_piece(x: Val<S>) -> Piece<Self> {
        let _ = x;
        as_a_whole::<Self>()
    }
    /// What a piece adds to the [`sum`](Self::sum); likewise.
    fn sum_piece(x: Piece<Self>) -> Val<S> {
        let _ = x;
        as_a_whole::<Self>()
    }
}

/// The rules with broadcast numbers: `all` marks an argument of kind `K`, `one` a number, `none` no argument; those of
/// kind `K` are named apart, and so are the arguments that are there.
macro_rules! broadcast { ($($S:ident)*) => { $(
    broadcast! { $S 2 [a]; a all b one c none; a 0 b 1 }
    broadcast! { $S 2 [b]; a one b all c none; a 0 b 1 }
    broadcast! { $S 3 [a b]; a all b all c one; a 0 b 1 c 2 }
    broadcast! { $S 3 [a c]; a all b one c all; a 0 b 1 c 2 }
    broadcast! { $S 3 [b c]; a one b all c all; a 0 b 1 c 2 }
    broadcast! { $S 3 [a]; a all b one c one; a 0 b 1 c 2 }
    broadcast! { $S 3 [b]; a one b all c one; a 0 b 1 c 2 }
    broadcast! { $S 3 [c]; a one b one c all; a 0 b 1 c 2 }
)* };
($S:ident $N:literal [$like:ident $($other:ident)?]; $a:ident $as:ident $b:ident $bs:ident $c:ident $cs:ident; $($x:ident $i:tt)*) => {
    impl<K: Broadcast<$S>, O: Elementwise<$N>>
        Rule<broadcast!(@kind $S $as), broadcast!(@kind $S $bs), broadcast!(@kind $S $cs)> for O
    {
        type Out = K;
        const READS: [u8; 3] = <O as Elementwise<$N>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<$N>>::FLOWS;
        remembers! {}
        #[inline(always)]
        fn primal<'p>(
            &self,
            $a: Arg<'p, broadcast!(@kind $S $as)>,
            $b: Arg<'p, broadcast!(@kind $S $bs)>,
            $c: Arg<'p, broadcast!(@kind $S $cs)>,
        ) -> (Val<K>, Self::Saved) {
            let like = K::Policy::value(&$like).clone();
            let ($a, $b, $c) = (
                broadcast!(@fill $as $a like),
                broadcast!(@fill $bs $b like),
                broadcast!(@fill $cs $c like),
            );
            let _ = &$c;
            remembering(K::map(self, [$(arg::<K>(&$x)),*]))
        }
        #[inline(always)]
        fn adjoint(
            &self,
            p: Primals<'_, broadcast!(@kind $S $as), broadcast!(@kind $S $bs), broadcast!(@kind $S $cs), K>,
            _: &Self::Saved,
            r_b: Arg<'_, K>,
            mut s: impl Sinks<broadcast!(@kind $S $as), broadcast!(@kind $S $bs), broadcast!(@kind $S $cs)>,
        ) {
            let like = K::Policy::value(&r_b);
            let ($a, $b, $c) = (
                p.a.map(|x| broadcast!(@fill $as x like)),
                p.b.map(|x| broadcast!(@fill $bs x like)),
                p.c.map(|x| broadcast!(@fill $cs x like)),
            );
            let _ = &$c;
            let r = p.r.map(|r| K::Policy::value(&r).clone());
            let pull = |i: usize| {
                let reads = <O as Elementwise<$N>>::READS[i];
                let x = [$($x.as_ref().map(arg::<K>).read(reads & (1 << $i))),*];
                K::pull(self, i, x, r.as_ref().map(arg::<K>).read(reads & R), arg::<K>(like))
            };
            $( if O::FLOWS[$i] && s.$x().wants() {
                s.$x().add(broadcast!(@sum $S $x $as $bs $cs)(pull($i)));
            } )*
        }
        const PIECES: bool = K::PIECES;
        #[inline]
        fn begin(
            &self,
            $a: Shape<broadcast!(@kind $S $as)>,
            $b: Shape<broadcast!(@kind $S $bs)>,
            $c: Shape<broadcast!(@kind $S $cs)>,
        ) -> (Shape<K>, Self::Saved) {
            // A number has the shape of what it stands beside.
            let _ = ($a, $b, $c);
            (K::common(self, [$like $(, $other)?]), Remember::nothing())
        }
        #[inline(always)]
        fn spread(
            &self,
            r: Shape<K>,
        ) -> (
            Shape<broadcast!(@kind $S $as)>,
            Shape<broadcast!(@kind $S $bs)>,
            Shape<broadcast!(@kind $S $cs)>,
        ) {
            (broadcast!(@shape $as r), broadcast!(@shape $bs r), broadcast!(@shape $cs r))
        }
        #[inline(always)]
        fn piece(
            &self,
            $a: Piece<broadcast!(@kind $S $as)>,
            $b: Piece<broadcast!(@kind $S $bs)>,
            $c: Piece<broadcast!(@kind $S $cs)>,
        ) -> Piece<K> {
            let ($a, $b, $c) = (broadcast!(@lanes $as $a), broadcast!(@lanes $bs $b), broadcast!(@lanes $cs $c));
            let _ = &$c;
            K::map_piece(self, [$($x),*])
        }
        broadcast! { @pull $S $N $as $bs $cs; $($x $i)*; pull_a 0 $as }
        broadcast! { @pull $S $N $as $bs $cs; $($x $i)*; pull_b 1 $bs }
        broadcast! { @pull $S $N $as $bs $cs; $($x $i)*; pull_c 2 $cs }
    }
};
(@pull $S:ident $N:literal $as:ident $bs:ident $cs:ident; $($x:ident $k:tt)*; $pull:ident $i:tt none) => {};
(@pull $S:ident $N:literal $as:ident $bs:ident $cs:ident; $($x:ident $k:tt)*; $pull:ident $i:tt $is:ident) => {
    #[inline(always)]
    fn $pull(
        &self,
        x: &PiecePrimals<broadcast!(@kind $S $as), broadcast!(@kind $S $bs), broadcast!(@kind $S $cs), K>,
        r_b: Piece<K>,
    ) -> Piece<broadcast!(@kind $S $is)> {
        let reads = <O as Elementwise<$N>>::READS[$i];
        let primals = (
            x.a.as_ref().map(|x| broadcast!(@lanes $as x.clone())),
            x.b.as_ref().map(|x| broadcast!(@lanes $bs x.clone())),
            x.c.as_ref().map(|x| broadcast!(@lanes $cs x.clone())),
        );
        let r = x.r.read(reads & R);
        let x_b = K::pull_piece(self, $i, [$(primals.$k.read(reads & (1 << $k))),*], r, r_b);
        broadcast!(@sum_lanes $is x_b)
    }
};
(@kind $S:ident all) => { K };
(@kind $S:ident one) => { $S };
(@kind $S:ident none) => { () };
(@fill all $x:ident $like:ident) => { K::Policy::value(&$x).clone() };
(@fill one $x:ident $like:ident) => { K::broadcast($x, &$like) };
(@fill none $x:ident $like:ident) => { $x };
(@sum $S:ident a $as:ident $bs:ident $cs:ident) => { broadcast!(@sum_of $as) };
(@sum $S:ident b $as:ident $bs:ident $cs:ident) => { broadcast!(@sum_of $bs) };
(@sum $S:ident c $as:ident $bs:ident $cs:ident) => { broadcast!(@sum_of $cs) };
(@sum_of all) => { std::convert::identity };
(@sum_of one) => { K::sum };
(@shape all $r:ident) => { $r };
(@shape one $r:ident) => { () };
(@shape none $r:ident) => { () };
(@lanes all $x:expr) => { $x };
(@lanes one $x:expr) => { K::broadcast_piece($x) };
(@lanes none $x:expr) => { $x };
(@sum_lanes all $x:ident) => { $x };
(@sum_lanes one $x:ident) => { K::sum_piece($x) };
}
broadcast! { f64 f32 }

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
        type Remembered = ();
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
