//! The rules of elementary functions, also for broadcast numbers.
use super::{
    Broadcast, ElementEvaluation, ElementKind, Elementwise, Remember, WithTangents,
    remember::SavedBy,
};
use crate::{
    kind::{Arg, Incoming, Kind, Layout, Passed, PassedNumber, Piece, Policy, Shape, Val, arg},
    repeat::array_of,
    rule::{
        A, ArgumentTangents, B, C, Order, PiecePrimals, PieceRule, PieceSinks, Primals, PullPieces,
        R, Rule, SecondAdjoint, SecondSinks, Shapes, Sink, Sinks,
    },
    store::Functions,
};
use std::mem::ManuallyDrop;

enum MaybeOwnedTangents<'t, T> {
    Borrowed(&'t T),
    #[allow(dead_code)] // where no argument is such a number
    Owned(T),
}
impl<T> MaybeOwnedTangents<'_, T> {
    #[inline(always)]
    fn get(&self) -> &T {
        match self {
            MaybeOwnedTangents::Borrowed(tangents) => tangents,
            MaybeOwnedTangents::Owned(tangents) => tangents,
        }
    }
}

/// `all` marks kind `K`, `one` a number of kind `S`, and `none` an absent argument. Arguments of kind `K` come first, and all
/// existing ones last.
macro_rules! rules { (
    [$Bound:path] $N:literal [$($like:ident)*];
    $a:ident $as:ident $A:ty, $b:ident $bs:ident $B:ty, $c:ident $cs:ident $C:ty;
    $($x:ident $is:ident $i:tt $bit:ident)*
) => {
    // Missing rules are reported for the operation.
    #[diagnostic::do_not_recommend]
    impl<K: $Bound, O: Elementwise<$N>> Rule<$A, $B, $C> for O {
        type Out = K;
        type Saved = SavedBy<O::Cost, K>;
        type Evaluation = <K::Evaluation as ElementEvaluation<K>>::Of<O, $A, $B, $C>;
        const READS: [u8; 3] = <O as Elementwise<$N>>::READS;
        const FLOWS: [bool; 3] = <O as Elementwise<$N>>::FLOWS;
        #[inline(always)]
        fn primal<'p>(&self, $a: Arg<'p, $A>, $b: Arg<'p, $B>, $c: Arg<'p, $C>) -> (Val<K>, Self::Saved) {
            rules!(@like [$($like)*] like $($is)*);
            let _ = (&$b, &$c);
            $( let $x = rules!(@whole $is $x like); )*
            let r = K::Evaluation::map(self, [$(rules!(@arg $is $x)),*]);
            let saved = Remember::remember(&r);
            (r, saved)
        }
        #[inline(always)]
        fn adjoint(
            &self,
            p: Primals<'_, $A, $B, $C, K>,
            _: &Self::Saved,
            r_b: Incoming<'_, K>,
            s: impl Sinks<$A, $B, $C>,
        ) {
            // Avoids code for panics.
            let (incoming, mut s) = (ManuallyDrop::new(r_b), ManuallyDrop::new(s));
            let r_b = incoming.get();
            $( let $x = rules!(@known $is p $x r_b); )*
            rules!(@borrow_all [$($is $x)*] p known r);
            let pull = |i: usize| {
                let (x, r) = declared::<K, $N>(<O as Elementwise<$N>>::READS[i], known, r);
                K::Evaluation::pull(self, i, x, r, arg::<K>(K::Policy::value(&r_b)))
            };
            $( if const { <O as Elementwise<$N>>::FLOWS[$i] } {
                let mut sink = ManuallyDrop::new(s.$x());
                if sink.wants() {
                    let x_b = ManuallyDrop::new(pull($i));
                    let is_unset = const { O::CHOOSES } && K::is_unset(&x_b);
                    let x_b = ManuallyDrop::into_inner(x_b);
                    if !is_unset {
                        sink.add(rules!(@passed $is x_b));
                    }
                }
            } )*
            drop(ManuallyDrop::into_inner(incoming));
        }
        const ORDER: Order = Order::Second;
        const READS_TANGENT: bool = O::KINKS;
        const MARKS: bool = true;
        const FUNCTIONS: Option<&'static Functions> = match K::NUMBERS || K::Layout::NUMBERS {
            true => <O as Elementwise<$N>>::FUNCTIONS,
            false => None,
        };
        #[inline(always)]
        fn tangents<const D: usize>(
            &self,
            p: &Primals<'_, $A, $B, $C, K>,
            _: &Self::Saved,
            t: ArgumentTangents<'_, $A, $B, $C, D>,
        ) -> Option<[Val<K>; D]> {
            // Operands exist only if a formula reads them.
            if !(false $(|| O::FLOWS[$i] && t.$x.is_some())*) {
                return None;
            }
            #[allow(unused_mut)]
            let mut like = p.r.as_ref().map(|r| K::Policy::value(r));
            $( rules!(@or_like $is like $x p t); )*
            let _ = &like;
            $( let $x = p.$x.as_ref().map(|x| rules!(@spread $is x.clone(), like)); )*
            let x = [$($x.as_ref().map(|x| rules!(@arg $is x))),*];
            let r = p.r.as_ref().map(|r| arg::<K>(K::Policy::value(r)));
            $( let $x = t.$x.map(|t| rules!(@tangents $is t like)); )*
            Some(K::Evaluation::push(self, x, r, [$($x.as_ref().map(MaybeOwnedTangents::get)),*], t.one_sided))
        }
        #[inline(always)]
        fn second<const D: usize>(
            &self,
            p: &Primals<'_, $A, $B, $C, K>,
            _: &Self::Saved,
            t: ArgumentTangents<'_, $A, $B, $C, D>,
            r_t: Option<&[Val<K>; D]>,
            adjoint: SecondAdjoint<'_, K, D>,
            sinks: &mut impl SecondSinks<$A, $B, $C, D>,
        ) {
            let Some(like) = adjoint.r_b.or(adjoint.tangents.and_then(|t| t.first())) else {
                return;
            };
            let like = Some(like);
            let _ = &like;
            $( let $x = (
                p.$x.as_ref().map(|x| rules!(@spread $is x.clone(), like)),
                t.$x.map(|t| rules!(@tangents $is t like)),
            ); )*
            let pull = |i: usize| {
                let reads = <O as Elementwise<$N>>::READS[i];
                let x = [$(match &$x.0 {
                    Some(x) if reads & $bit != 0 => Some(WithTangents::<K, D> {
                        value: rules!(@arg $is x),
                        tangents: $x.1.as_ref().map(MaybeOwnedTangents::get),
                    }),
                    _ => None,
                }),*];
                let r = match &p.r {
                    Some(r) if reads & R != 0 => Some(WithTangents::<K, D> {
                        value: arg::<K>(K::Policy::value(r)),
                        tangents: r_t,
                    }),
                    _ => None,
                };
                K::Evaluation::pull_second(self, i, x, r, adjoint, t.one_sided)
            };
            $( if O::FLOWS[$i] {
                let sum = |(x_b, x_bt): (Val<K>, [Val<K>; D])| (rules!(@sum $is x_b), rules!(@sums $is x_bt));
                if !O::CHOOSES {
                    rules!(@add sinks $x || sum(pull($i)));
                } else {
                    let pulled = pull($i);
                    if !(K::is_unset(&pulled.0) && pulled.1.iter().all(K::is_unset)) {
                        rules!(@add sinks $x || sum(pulled));
                    }
                }
            } )*
        }
    }
    impl<K: $Bound, O: Elementwise<$N>> PullPieces<$A, $B, $C> for O {
        #[inline(always)]
        fn pull(&self, x: &PiecePrimals<$A, $B, $C, K>, r_b: Piece<K>, s: &mut impl PieceSinks<$A, $B, $C>) {
            let pull = |i: usize| {
                let reads = <O as Elementwise<$N>>::READS[i];
                let r = x.r.as_ref().filter(|_| reads & R != 0).cloned();
                let x = [$(x.$x.as_ref().filter(|_| reads & $bit != 0).map(|x| rules!(@piece $is x.clone()))),*];
                K::pull(self, i, x, r, r_b.clone())
            };
            $( s.$x(|| rules!(@sum_piece $is pull($i))); )*
        }
    }
    impl<K: $Bound, O: Elementwise<$N>> PieceRule<$A, $B, $C> for O {
        #[inline]
        fn begin(&self, $a: Shape<$A>, $b: Shape<$B>, $c: Shape<$C>) -> (Shape<K>, Self::Saved) {
            let _ = ($a, $b, $c);
            (K::common(self, [$($like),*]), Remember::nothing())
        }
        #[inline(always)]
        fn spread(&self, r: Shape<K>) -> Shapes<$A, $B, $C> {
            (rules!(@shape $as r), rules!(@shape $bs r), rules!(@shape $cs r))
        }
        #[inline(always)]
        fn piece(&self, $a: Piece<$A>, $b: Piece<$B>, $c: Piece<$C>) -> Piece<K> {
            let _ = (&$b, &$c);
            K::map(self, [$(rules!(@piece $is $x)),*])
        }
    }
};
(@like [$($like:ident)*] $to:ident $(all)*) => {};
(@like [$like:ident $($other:ident)*] $to:ident $($is:ident)*) => { let $to = $like.clone(); };
(@whole all $x:ident $like:ident) => { $x };
(@known all $p:ident $x:ident $like:ident) => { $p.$x };
(@known one $p:ident $x:ident $like:ident) => { $p.$x.map(|x| rules!(@whole one x $like)) };
(@borrow_all [$(all $x:ident)*] $p:ident $known:ident $r:ident) => { let ($known, $r) = ([$(&$x),*], &$p.r); };
(@borrow_all [$($is:ident $x:ident)*] $p:ident $known:ident $r:ident) => {
    let (known, r) = ([$(rules!(@borrow $is $x)),*], borrowed::<K>(&$p.r));
    let ($known, $r) = (known.each_ref(), &r);
};
(@borrow all $x:ident) => { borrowed::<K>(&$x) };
(@borrow one $x:ident) => { $x.as_ref().map(|x| rules!(@arg one x)) };
(@whole one $x:ident $like:ident) => { K::Evaluation::broadcast($x, $like.clone()) };
(@or_like all $like:ident $x:ident $p:ident $t:ident) => {
    $like = $like.or_else(|| $p.$x.as_ref().map(|x| K::Policy::value(x))).or_else(|| $t.$x.and_then(|t| t.first()));
};
(@or_like one $like:ident $x:ident $p:ident $t:ident) => {};
(@spread all $x:expr, $like:ident) => { $x };
(@spread one $x:expr, $like:ident) => { K::Evaluation::spread($x, $like) };
(@tangents all $t:ident $like:ident) => { MaybeOwnedTangents::Borrowed($t) };
(@tangents one $t:ident $like:ident) => { MaybeOwnedTangents::Owned($t.each_ref().map(|t| K::Evaluation::spread(t.clone(), $like))) };
(@add $sinks:ident a $f:expr) => { $sinks.add_a($f) };
(@add $sinks:ident b $f:expr) => { $sinks.add_b($f) };
(@add $sinks:ident c $f:expr) => { $sinks.add_c($f) };
(@arg all $x:ident) => { arg::<K>(K::Policy::value(&$x)) };
(@arg one $x:ident) => { arg::<K>(&$x) };
(@passed all $x_b:expr) => { Passed($x_b) };
(@passed one $x_b:expr) => { PassedNumber(K::Evaluation::sum($x_b)) };
(@sum all $x_b:expr) => { $x_b };
(@sum one $x_b:expr) => { K::Evaluation::sum($x_b) };
(@piece all $x:expr) => { $x };
(@piece one $x:expr) => { K::broadcast($x) };
(@sums all $x_bt:expr) => { $x_bt };
(@sums one $x_bt:expr) => { $x_bt.map(|x_bt| K::Evaluation::sum(x_bt)) };
(@sum_piece all $x_b:expr) => { $x_b };
(@sum_piece one $x_b:expr) => { K::sum($x_b) };
(@shape all $r:ident) => { $r };
(@shape one $r:ident) => { () };
(@shape none $r:ident) => { () };
}
#[inline(always)]
fn borrowed<'x, K: Kind>(x: &'x Option<Arg<'_, K>>) -> Option<Arg<'x, K>> {
    x.as_ref().map(|x| arg::<K>(K::Policy::value(x)))
}
/// Compiled once for all operations.
#[inline(always)]
fn declared<'x, K: Kind, const N: usize>(
    reads: u8,
    known: [&'x Option<Arg<'_, K>>; N],
    r: &'x Option<Arg<'_, K>>,
) -> ([Option<Arg<'x, K>>; N], Option<Arg<'x, K>>) {
    let x = array_of(|i| match reads & [A, B, C][i] {
        0 => None,
        _ => borrowed::<K>(known[i]),
    });
    (
        x,
        if reads & R == 0 {
            None
        } else {
            borrowed::<K>(r)
        },
    )
}
rules! { [ElementKind] 1 [a]; a all K, b none (), c none (); a all 0 A }
rules! { [ElementKind] 2 [a b]; a all K, b all K, c none (); a all 0 A b all 1 B }
rules! { [ElementKind] 3 [a b c]; a all K, b all K, c all K; a all 0 A b all 1 B c all 2 C }
for_reals! { $S =>
    rules! { [Broadcast<$S>] 2 [a]; a all K, b one $S, c none (); a all 0 A b one 1 B }
    rules! { [Broadcast<$S>] 2 [b]; a one $S, b all K, c none (); a one 0 A b all 1 B }
    rules! { [Broadcast<$S>] 3 [a b]; a all K, b all K, c one $S; a all 0 A b all 1 B c one 2 C }
    rules! { [Broadcast<$S>] 3 [a c]; a all K, b one $S, c all K; a all 0 A b one 1 B c all 2 C }
    rules! { [Broadcast<$S>] 3 [b c]; a one $S, b all K, c all K; a one 0 A b all 1 B c all 2 C }
    rules! { [Broadcast<$S>] 3 [a]; a all K, b one $S, c one $S; a all 0 A b one 1 B c one 2 C }
    rules! { [Broadcast<$S>] 3 [b]; a one $S, b all K, c one $S; a one 0 A b all 1 B c one 2 C }
    rules! { [Broadcast<$S>] 3 [c]; a one $S, b one $S, c all K; a one 0 A b one 1 B c all 2 C }
}
